// SPDX-License-Identifier: BSD-3-Clause
/* Formulas: SPL (matrix expressions) and Sigma-SPL (loops of gather - compute - scatter), one node
 * type for both. Nodes are immutable, arena-allocated and hash-consed in a context: equal structure
 * is the same pointer, and nothing is freed before the context is. One context serves one thread at
 * a time; contexts are cheap, each plan has its own.
 *
 * Conventions: w_n = exp(-2 pi i/n); DFT_n = [w_n^{jk}]; A (x) B = [a_kl B]; products apply right
 * to left; L_k^N gathers at stride k; T_{n,m} = diag(w_{nm}^{(t div m)(t mod m)}); for f: n -> N,
 * G(f) is n x N with (G(f) x)[i] = x[f(i)] and S(f) = G(f)^T.
 *
 * Errors: constructors return NULL when a kid is NULL, dimensions do not fit (the context records
 * the first refusal with a sentence) or memory ran out. Check once, at the end: spl_ctx_status. */
#ifndef SPL_SPL_H
#define SPL_SPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/sluice.h"
#include "core/text.h"
#include "spl/context/context.h"
#include "spl/formula/pairs.h"
#include "spl/formula/transforms.h"
#include "spl/formula/values.h"
#include "spl/index/ix.h"

typedef enum spl_op {
    /* SPL */
    SPL_I,         /* I(n)           a[0] = n                                          */
    SPL_TRANSFORM, /* DFT(n), IDFT(n), RDFT(n) ..  a[0] = n, a[1] = spl_kind     */
    SPL_RETYPE,    /* V(m), V(m)^-1, EMBED(n), RE(n), CONJ(n)  a[0] = m, a[1] = spl_retype */
    SPL_PAIRS,     /* PAIRS.rdft(m) ..  a[0] = m, a[1] = spl_pairs_kind              */
    SPL_L,         /* L(N,k)         a[0] = N, a[1] = k                                */
    SPL_DIAGONAL,  /* T(n,m), C(n), B(n,m)  a[0] = n, a[1] = m, a[2] = 1: conjugated,
                 a[3] = spl_values                                                 */
    SPL_KRON,      /* A (x) B (x) ..      n-ary, flat                                  */
    SPL_MUL,       /* A * B * ..          n-ary, flat                                  */
    SPL_DSUM,      /* A (+) B (+) ..      direct sum, n-ary, flat                      */
    SPL_TAG,       /* {A}_{tags}          one kid, ntags tags, innermost first         */
    /* Sigma-SPL */
    SPL_PERM,    /* G(f), f a bijection                                              */
    SPL_PAIR,    /* a kernel of pairs: PAIR.rdft(m,k) EDGE.rdft(m) SELF.rdft(m) .. a[0] = m, a[1] =
                 spl_pairs_kind, a[2] = spl_pairs_role; PAIR: f is k, of loop variables      */
    SPL_DIAG_OF, /* diag(d[f(i)]), d the diagonal of a SPL_DIAGONAL with the same a         */
    SPL_GATH,    /* G(f)    a[0] = spl_class                                         */
    SPL_SCAT,    /* S(f)    a[0] = spl_class                                         */
    SPL_LOOP,    /* SUM_{v < n} kid: a[0] = var, a[1] = n, a[2] = spl_loop,
                 a[3] = share variable + 1 (0: none), a[4] = shares, a[5] = grain: v runs over the
                 share_var-th of `shares` uneven shares of 0..n-1 (spl_share)      */
    SPL_PLUS,    /* A + B + ..     n-ary, flat; programs: each writes rows of its own      */
    SPL_OP_COUNT
} spl_op;

/* What changes the type of a vector's elements, or their parts, and moves nothing. V_m: R^2m ->
 * C^m, (V x)_j = x_2j + i x_2j+1; EMBED_n: R^n -> C^n, im = 0; RE_n: C^n -> R^n drops im; CONJ_n:
 * C^n -> C^n, im = -im. */
typedef enum spl_retype {
    SPL_RETYPE_VIEW = 0, /* V(m)    */
    SPL_RETYPE_UNVIEW,   /* V(m)^-1 */
    SPL_RETYPE_EMBED,
    SPL_RETYPE_RE,
    SPL_RETYPE_CONJ,
    SPL_RETYPES
} spl_retype;

typedef enum spl_class { SPL_PLAIN = 0, SPL_COPY, SPL_NET } spl_class; /* "" ".copy" ".net" */
typedef enum spl_loop {
    SPL_SEQ = 0, /* SUM        one after another                                  */
    SPL_PAR,     /* SUM.par    parts: may run at once                             */
    SPL_STREAM,  /* SUM.stream multibuffered                                      */
    SPL_VEC      /* SUM.vec    lanes of SIMD vectors; a[6] = nu, a[7] = spl_format */
} spl_loop;

typedef enum spl_tag_kind {
    SPL_TAG_SPE = 0, /* spe(p,mu)       p parts, packets of mu                    */
    SPL_TAG_STREAM,  /* stream(s)       s iterations, COPY class                  */
    SPL_TAG_VEC,     /* vec(nu,inter|split|real)  nu lanes, complex or real        */
    SPL_TAG_TILE,    /* tile(mu)        columns in blocks of mu, SEQ, PLAIN class */
    SPL_TAG_LOCAL,   /* local(bytes)    stream(s), s from a store of this size     */
    SPL_TAG_LEAF,    /* leaf            this transform is a codelet               */
    SPL_TAG_COUNT
} spl_tag_kind;
typedef struct spl_tag {
    spl_tag_kind kind;
    int64_t a[2]; /* arguments; unused are 0; vec: nu, spl_format */
} spl_tag;

extern const char *const spl_tag_words[SPL_TAG_COUNT];

enum { SPL_MAX_TAGS = 8 };
enum { SPL_STORE_ALIGN = 64 }; /* elements; blocks in local stores start at multiples of it */

struct spl {
    spl_op op;
    int64_t rows, cols;
    spl_type from, to; /* of the columns' and the rows' elements; both ANY or neither */
    int nkids, ntags;
    int height; /* 1 + the largest loop variable bound inside; 0: none */
    int64_t a[8];
    const ix *f;
    const spl *const *kid;
    const spl_tag *tag;
};

/* ---- what nodes of one kind hold ---- */
static inline int64_t spl_transform_size(const spl *x)
{
    return x->a[0];
}

static inline spl_kind spl_transform_kind(const spl *x)
{
    return (spl_kind)x->a[1];
}

/* Is it DFT or IDFT? */
static inline bool spl_is_dft_kind(spl_kind kind)
{
    return kind <= SPL_IDFT;
}

static inline bool spl_is_inverse_dft(const spl *x)
{
    return x->op == SPL_TRANSFORM && x->a[1] == SPL_IDFT;
}

static inline spl_retype spl_retype_kind(const spl *x)
{
    return (spl_retype)x->a[1];
}

/* Of SPL_PAIRS and SPL_PAIR. */
static inline int64_t spl_pairs_points(const spl *x)
{
    return x->a[0];
}

static inline spl_pairs_kind spl_pairs_kind_of(const spl *x)
{
    return (spl_pairs_kind)x->a[1];
}

static inline spl_pairs_role spl_pair_role(const spl *x)
{
    return (spl_pairs_role)x->a[2];
}

/* Of a gather or a scatter. */
static inline spl_class spl_move_class(const spl *x)
{
    return (spl_class)x->a[0];
}

/* Of SPL_DIAGONAL and SPL_DIAG_OF. */
static inline spl_values spl_diagonal_values(const spl *x)
{
    return (spl_values)x->a[3];
}

static inline spl_loop spl_loop_kind(const spl *x)
{
    return (spl_loop)x->a[2];
}

static inline int64_t spl_loop_count(const spl *x)
{
    return x->a[1];
}

/* ---- constructors (spl/formula/node.c, node_diagonal.c, node_sigma.c) ---- */
const spl *spl_identity(spl_ctx *ctx, int64_t n);
const spl *spl_transform_node(spl_ctx *ctx, spl_kind kind, int64_t n);
const spl *spl_dft(spl_ctx *ctx, int64_t n, bool inverse);
bool spl_is_dft(const spl *x); /* DFT(n) or IDFT(n), untagged */
const spl *spl_retyped(spl_ctx *ctx, spl_retype how, int64_t n);
const char *spl_retype_word(spl_retype how); /* "V" "V" "EMBED" "RE" "CONJ" */
/* A stage of pairs, and a kernel of it: k is an index function of one value, which numbers a pair,
 * else NULL. */
const spl *spl_pairs(spl_ctx *ctx, spl_pairs_kind kind, int64_t m);
const spl *spl_pair_kernel(spl_ctx *ctx, spl_pairs_kind kind, spl_pairs_role role, int64_t m,
                           const ix *k);
bool spl_pairs_is_complex_linear(spl_pairs_kind kind);
const spl *spl_stride(spl_ctx *ctx, int64_t N, int64_t k);                  /* L(N,k) */
const spl *spl_twiddle(spl_ctx *ctx, int64_t n, int64_t m, bool conjugate); /* T(n,m) */
const spl *spl_chirp(spl_ctx *ctx, int64_t n, bool conjugate);              /* C(n) */
/* B(n,m): (1/m) SUM_j c_j^* w_m^{jt} with c the chirp of n, c_{-j} = c_j, |j| < n, 0 elsewhere;
 * m >= 2n-2, from where on no two j but -(n-1) and n-1 coincide. */
const spl *spl_spectrum(spl_ctx *ctx, int64_t n, int64_t m, bool conjugate);
/* R(p,g): 1, -i/s, and DFT_{p-1} of w_p^{g^-q}, divided by p-1, from its entry 1 on; s =
 * sqrt(p-1); p a prime up to 2^26, g a primitive root. */
const spl *spl_rader(spl_ctx *ctx, int64_t p, int64_t g, bool conjugate);
const spl *spl_corner(spl_ctx *ctx, int64_t p, bool conjugate); /* K(p): (1+is)/2 (1-is)/2 1 -i/s */
const spl *spl_roots(spl_ctx *ctx, int64_t n, bool conjugate);  /* W(n): w_n^t */
const spl *spl_half(spl_ctx *ctx, int64_t n);                   /* H(n): 1 2 2 .. 2 */
const spl *
spl_signs(spl_ctx *ctx,
          int64_t n); /* Q(n): 1 .. 1 -1 .. -1, of the evens that fold(n) puts first, of the odds */
const spl *spl_constant(spl_ctx *ctx, double x); /* D.const(x), of one element */
/* Flat n-ary forms; one kid alone is that kid. I(1) factors of a KRON and identities of a MUL are
 * dropped (a product of nothing else is the identity). */
const spl *spl_kron(spl_ctx *ctx, int count, const spl *const *kids);
const spl *spl_mul(spl_ctx *ctx, int count, const spl *const *kids);
const spl *spl_dsum(spl_ctx *ctx, int count, const spl *const *kids);
const spl *spl_plus(spl_ctx *ctx, int count, const spl *const *kids);
const spl *spl_kron2(spl_ctx *ctx, const spl *a, const spl *b);
const spl *spl_mul2(spl_ctx *ctx, const spl *a, const spl *b);
/* Tags are appended outermost (last) to those x already has, so that tagging twice = one list. No
 * tags: x itself. */
const spl *spl_tagged(spl_ctx *ctx, const spl *x, int count, const spl_tag *tags);
const spl *spl_untagged(const spl *x);                        /* x without its outer tag node */
const spl_tag *spl_find_tag(const spl *x, spl_tag_kind kind); /* innermost such; NULL */
bool spl_has_tag(const spl *x, spl_tag_kind kind);
/* Does the formula commute with a factor i? What contains no RETYPE, no transform of reals and no
 * pairs that conjugate. */
bool spl_is_complex_linear(const spl *x);
/* Index functions of nodes are checked: in [0, N) for every index and every value of the loop
 * variables (D: on the diagonal), so that no program made of them addresses anything else; P:
 * without loop variables, and inverted by ix_inverse. */
const spl *spl_perm(spl_ctx *ctx, const ix *f);
/* diag(d[f(i)]), d the diagonal of the node `of`: T, C, .., or D before its function. */
const spl *spl_diag_of(spl_ctx *ctx, const spl *of, const ix *f);
int64_t spl_values_size(spl_values values, int64_t n, int64_t m); /* entries of a diagonal */
/* The entries that functions may reach: of roots, which are periodic, any. */
int64_t spl_values_range(spl_values values, int64_t n, int64_t m);
/* How a diagonal is written: T(n,m) and D(n,m,..), C(n) and D.chirp(n,..), and so on; that of a
 * constant, whose m is no size, D.const(x) and D.const(x,..). */
typedef struct spl_values_words {
    char letter;      /* X of a constant, for messages alone */
    const char *word; /* "" "chirp" "spectrum" "rader" "corner" "roots" "half" "signs" .. */
    bool two;         /* sizes, or one */
} spl_values_words;
const spl_values_words *spl_values_named(spl_values values);
/* The diagonal of these sizes, m only if it has two. */
const spl *spl_values_node(spl_ctx *ctx, spl_values values, int64_t n, int64_t m, bool conjugate);
const spl *spl_gather(spl_ctx *ctx, const ix *f, spl_class cls);
const spl *spl_scatter(spl_ctx *ctx, const ix *f, spl_class cls);
typedef struct spl_range {
    int var; /* must be >= the body's height, so that no variable is captured */
    int64_t n;
    spl_loop kind;
    int share_var;         /* -1: none; else > var, as loops around have larger variables */
    int64_t shares, grain; /* grain: shares begin at multiples of grain; 1: anywhere */
    int64_t nu;
    int format; /* SPL_VEC */
} spl_range;
const spl *spl_sum(spl_ctx *ctx, const spl_range *range, const spl *body);
spl_range spl_range_of(const spl *loop);
/* The k-th of p shares of 0..n-1 in units of `grain`: [*lo, *hi). Used by whatever runs or
 * checks a shared loop. floor(k*ceil(n/grain)/p)*grain, clipped to n. */
void spl_share(int64_t n, int64_t p, int64_t grain, int64_t k, int64_t *lo, int64_t *hi);
/* The iterations [*lo, *hi) of a loop, inside loops whose variables have these values. */
static inline void spl_range_bounds(const spl_range *r, const int64_t *vars, int64_t *lo,
                                    int64_t *hi)
{
    *lo = 0;
    *hi = r->n;
    if (r->share_var >= 0)
        spl_share(r->n, r->shares, r->grain, vars[r->share_var], lo, hi);
}

/* ---- text (spl/formula/parse.c, spl/formula/print.c): inverse to each other ---- */
/* Grammar: docs/FORMULAS.md. Errors: SLUICE_E_PARSE with offset and what was expected; a text that
 * states no matrix gets its constructor's refusal (E_INVALID, E_UNSUPPORTED) with the offset of the
 * piece. Neither is a failure of the context. In a context that failed before, nothing is read. */
sluice_status spl_parse(spl_ctx *ctx, const char *text, const spl **out, sluice_diag *why);
void spl_print(const spl *x, core_text *out);
/* T(n,m), C(n), .. with ^-1 */
void spl_values_print(spl_values values, int64_t n, int64_t m, bool conjugate, core_text *out);

#endif
