// SPDX-License-Identifier: BSD-3-Clause
/* Index functions, of which gathers and scatters are made.
 *
 * One closed form covers h, q, stride permutations, tensor products, loop-variable dependence and
 * strided or block-cyclic layouts:
 *     f(i, v1, v2, ..) = c + SUM_t coef_t * ((src_t div div_t) mod ext_t)
 * src is the domain index i or a loop variable. A term's ext is finite, so every term is bounded.
 * Canonical form: per source, terms are sorted by div ascending, zero and extent-1 terms are
 * dropped, neighbours are merged when div_hi = div_lo*ext_lo and coef_hi = coef_lo*ext_lo, and ext
 * = ceil(n/div) if the index is not reduced. Canonical forms are unique and functions are
 * hash-consed in their spl_ctx: equal functions are equal pointers (opaque ones: equal
 * compositions; of two branches: equal branches). Sources come in ascending order, the index first.
 * Digits of one source overlap only if their div and div*ext form no divisibility chain; without
 * loop variables and up to 65536 elements such a function is a table (spl/index/ix.c).
 *
 * Every constructor returns NULL if one of its functions is NULL or memory ran out (the context
 * remembers the latter, see spl_ctx_status), so calls nest without checks in between. */
#ifndef SPL_IX_H
#define SPL_IX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "spl/context/context.h"

enum { IX_INDEX = -1 }; /* src of the domain index; >= 0: that loop variable */
enum { IX_MAX_TERMS = 24 };
enum { IX_MAX_VARS = 32 }; /* loop variables are numbered 0 .. IX_MAX_VARS-1 */

typedef struct ix_term {
    int src;
    int64_t div, ext, coef; /* div, ext >= 1; coef of either sign */
} ix_term;

typedef enum ix_kind {
    IX_DIGIT = 0, /* the closed form above                                   */
    IX_TABLE,     /* table[i]: anything else of i alone                      */
    IX_OPAQUE,    /* outer o inner, where no digit form is known; outer is not opaque */
    IX_TWO        /* branch[d], d the binary digit t[0]: spl/index/ix_two.c  */
} ix_kind;

typedef struct ix ix;
struct ix {
    ix_kind kind;
    int64_t n, N; /* f: {0..n-1} -> {0..N-1}; N only bounds the values (layouts may exceed it) */
    int64_t c;    /* IX_TABLE: g of power(N,g); 0: no such function */
    int nt;
    const ix_term *t;
    const int64_t *table;    /* IX_TABLE: n entries */
    const ix *outer, *inner; /* IX_OPAQUE           */
    const ix *branch[2];     /* IX_TWO              */
    int64_t lo, hi; /* IX_TABLE, IX_TWO: bounds of the values that occur; lo > hi: unknown */
};

/* ---- constructors (spl/index/ix.c) ---- */
const ix *ix_digit(spl_ctx *ctx, int64_t n, int64_t N, int64_t c, int nt, const ix_term *terms);
const ix *ix_table(spl_ctx *ctx, int64_t n, int64_t N, const int64_t *table); /* copied */
const ix *ix_id(spl_ctx *ctx, int64_t n);
/* h_{b,s}: i -> b + i*s */
const ix *ix_h(spl_ctx *ctx, int64_t n, int64_t N, int64_t b, int64_t s);
/* i -> vcoef*v + i*s for loop variable v < vn */
const ix *ix_h_var(spl_ctx *ctx, int64_t n, int64_t N, int v, int64_t vn, int64_t vcoef, int64_t s);
/* q_{v,s,mu}: i -> (v + floor(i/mu)*s)*mu + i mod mu, v < vn a loop variable; n = k*mu, N = .. */
const ix *ix_q_var(spl_ctx *ctx, int64_t n, int64_t N, int v, int64_t vn, int64_t s, int64_t mu);
/* l_k^N: i -> (i div (N/k)) + k*(i mod (N/k)); L_k^N = G(l_k^N). k divides N. */
const ix *ix_stride(spl_ctx *ctx, int64_t N, int64_t k);
/* power(p,g): 0 -> 0, i -> g^{i-1} mod p, a permutation of 0 .. p-1: p a prime up to 2^26, g a
 * primitive root. */
const ix *ix_power(spl_ctx *ctx, int64_t p, int64_t g);
/* Is g a primitive root of p, a prime from 3 to 2^26? Refused if not. */
bool ix_check_root(spl_ctx *ctx, int64_t p, int64_t g);
/* The smallest primitive root of a prime from 3 to 2^26; 0: p is none. */
int64_t ix_primitive_root(int64_t p);
/* i -> f1(i) if (src div `div`) mod 2 is 1, else f0(i). A branch may leave its range for those i
 * for which it is not taken. */
const ix *ix_two(spl_ctx *ctx, int src, int64_t div, const ix *f0, const ix *f1);
/* fold(n): i -> 2i, or 2n-1-2i if that is n or more; and its inverse. */
const ix *ix_fold(spl_ctx *ctx, int64_t n);
const ix *ix_unfold(spl_ctx *ctx, int64_t n);
bool ix_is_fold(const ix *f);
/* f (x) g: i -> N_g*f(i div n_g) + g(i mod n_g) */
const ix *ix_tensor(spl_ctx *ctx, const ix *f, const ix *g);

/* ---- algebra (spl/index/ix_compose.c, spl/index/ix_algebra.c) ---- */
/* outer o inner (inner is applied to i first). Exact: a digit form if worst-case sums prove that
 * no carry crosses a digit boundary, else, without loop variables and up to 65536 elements, a table
 * (or the digit form that the table has), else IX_OPAQUE. Needs inner->N <= outer->n. */
const ix *ix_compose(spl_ctx *ctx, const ix *outer, const ix *inner);
/* The inverse of a bijection without loop variables (digit permutation, or through a table up to
 * 2^20); NULL, nothing recorded, if f is no bijection. */
const ix *ix_inverse(spl_ctx *ctx, const ix *f);
/* f with loop variable v replaced by a*va + b*vb (va < na, vb < nb), to split and fuse loops. b =
 * 0, nb = 1 renames or scales (va = v is allowed). OPAQUE stays opaque with its functions
 * rewritten. NULL, nothing recorded, if digits of v do not split along a and b. */
const ix *ix_split_var(spl_ctx *ctx, const ix *f, int v, int va, int64_t na, int64_t a, int vb,
                       int64_t nb, int64_t b);
/* f with loop variable v replaced by c + v, v < n: the iterations of a loop from c on. NULL as
 * above. */
const ix *ix_shift_var(spl_ctx *ctx, const ix *f, int v, int64_t c, int64_t n);

/* ---- queries (spl/index/ix_query.c; ix_run: spl/index/ix_algebra.c) ---- */
/* f(i) with loop variables vars[0..IX_MAX_VARS-1] (only those used are read). */
int64_t ix_eval(const ix *f, int64_t i, const int64_t *vars);
/* The same for the values x[0], x[1], .. of one source, which are replaced by the values of f. */
void ix_eval_many(const ix *f, int src, int64_t i, int64_t count, int64_t *x, const int64_t *vars);
bool ix_uses(const ix *f, int src); /* does f depend on i (IX_INDEX) or variable src? */
/* f as c + coef*src for one source: true if every term of src is a single digit that starts at div
 * 1 and spans the whole range `range` of the source; *coef is 0 if f does not depend on src. */
bool ix_linear(const ix *f, int src, int64_t range, int64_t *coef);
/* Length of the contiguous run the function maps at the end of its domain: the largest r | n such
 * that f(a*r + b) = f(a*r) + b for b < r. For OPAQUE and TWO a divisor of it. */
int64_t ix_run(const ix *f);
/* As ix_run, for runs of constant step: f(i) - f(i-1) changes at multiples of it only. */
int64_t ix_even(const ix *f);
bool ix_is_identity(const ix *f);

/* ---- text (ix_print.c): as spl_parse reads it ---- */
void ix_print(const ix *f, core_text *out);

#endif
