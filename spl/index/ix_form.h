// SPDX-License-Identifier: BSD-3-Clause
/* Digit sums under construction, not yet canonical; shared by the files of the index algebra. */
#ifndef SPL_IX_FORM_H
#define SPL_IX_FORM_H

#include "spl/context/ctx.h"
#include "spl/index/ix.h"

enum { IX_FORM_TERMS = 160 };
/* Functions of the index alone up to this size become tables if they have no digit form. */
enum { IX_TABULATE = 65536 };

typedef struct ix_form {
    int64_t n, N, c;
    int nt;
    bool failed; /* a number exceeded int64, or there were too many terms */
    ix_term t[IX_FORM_TERMS];
} ix_form;

/* The constant c. Terms are not cleared, as most of them are never used. */
static inline void ix_form_open(ix_form *form, int64_t n, int64_t N, int64_t c)
{
    form->n = n;
    form->N = N;
    form->c = c;
    form->nt = 0;
    form->failed = false;
}

/* form += coef * ((src div div) mod ext); all values are allowed, trivial terms are dropped. */
void ix_form_add(ix_form *form, int src, int64_t div, int64_t ext, int64_t coef);
void ix_form_shift(ix_form *form, int64_t c); /* form += c */
/* The canonical function; NULL if form->failed, if it has too many terms (not recorded in ctx; the
 * caller has an alternative), or if memory ran out (recorded). */
const ix *ix_form_close(spl_ctx *ctx, const ix_form *form);
/* sum += digit of x; digit->src is ignored, and `top` says that x < div*ext. False if the digits of
 * x do not divide along those of `digit`; sum is then invalid. */
bool ix_form_digit(const ix_form *x, const ix_term *digit, bool top, ix_form *sum);

/* The one function equal to *f in this context; terms and table are copied if it is new. */
const ix *ix_intern(spl_ctx *ctx, const ix *f);
/* Variable v replaced by c + a va + b vb, va < na, vb < nb. */
typedef struct ix_substitution {
    int v, va, vb;
    int64_t na, a, nb, b, c;
} ix_substitution;
const ix *ix_substitute(spl_ctx *ctx, const ix *f, const ix_substitution *s);
/* TWO o inner, TWO (x) g or f (x) TWO, and TWO with a variable replaced. NULL, nothing recorded, if
 * its digit is not a binary digit any more. */
const ix *ix_two_after(spl_ctx *ctx, const ix *two, const ix *inner);
const ix *ix_two_tensor(spl_ctx *ctx, const ix *f, const ix *g);
/* outer o branch b of TWO, correct where b is chosen: carries elsewhere do not matter. */
const ix *ix_after_branch(spl_ctx *ctx, const ix *outer, const ix *two, int b);
/* The inverse of id(a) (x) fold(n) (x) id(l), or of the inverse of that; NULL: f is neither. */
const ix *ix_fold_inverse(spl_ctx *ctx, const ix *f);
const ix *ix_two_substitute(spl_ctx *ctx, const ix *two, const ix_substitution *s);
/* outer o inner as a node. */
const ix *ix_opaque(spl_ctx *ctx, const ix *outer, const ix *inner);
/* i -> value(i, user) as a table, or as its digit form if it has one. */
typedef int64_t ix_value(int64_t i, const void *user);
const ix *ix_tabulate(spl_ctx *ctx, int64_t n, int64_t N, ix_value *value, const void *user);
/* ix_refuse: like spl_refuse, for functions that return an ix. */
#define ix_refuse(...) ((const ix *)(const void *)spl_refuse(__VA_ARGS__))

/* The smallest and largest value over the whole domain and all values of the loop variables; exact
 * for digits that do not overlap. false: beyond int64. */
bool ix_bounds(const ix *f, int64_t *lo, int64_t *hi);
static inline bool ix_same_term(const ix_term *a, const ix_term *b)
{
    return a->src == b->src && a->div == b->div && a->ext == b->ext && a->coef == b->coef;
}

/* Are both lists the same terms in the same order? */
static inline bool ix_same_terms(const ix_term *a, int count, const ix_term *b, int other_count)
{
    bool same = count == other_count;
    for (int i = 0; same && i < count; i++)
        same = ix_same_term(&a[i], &b[i]);
    return same;
}

/* The loop variables f depends on, as a bit mask. */
uint32_t ix_variables(const ix *f);

#endif
