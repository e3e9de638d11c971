// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of an odd number n = r m of reals by a radix: RDFT_r on m columns of reals leaves h =
 * (r+1)/2 rows, as the others are their conjugates. DFT_m of row s has the elements s + r q of the
 * spectrum, which contain all of a half-spectrum:
 *     q <= (m-1)/2    element s + r q
 *     q >  (m-1)/2    the conjugate of element n - s - r q = r (m - q) - s; nothing new in row 0
 * DFT(1) (x) I(hm) is a stage that moves elements, because codelets of reals have no twiddles. */
#include "spl/rules/rewrite.h"

/* The largest codelets of reals on columns. */
enum { LARGEST_RADIX = 64 };

typedef struct split {
    int64_t r, m, h;
} split;

static split split_of(const spl *x, const spl_params *p)
{
    const int64_t r = p->v[0];

    return (split){r, spl_transform_size(x) / r, (r + 1) / 2};
}

static bool radix_guard(const spl *x, const spl_params *p, spl_kind kind, const char **refusal)
{
    if (!spl_unless(refusal, x->op == SPL_TRANSFORM && spl_transform_kind(x) == kind,
                    kind == SPL_RDFT ? "it breaks down RDFT(n) only"
                                     : "it breaks down IRDFT(n) only")
        || !spl_unless(refusal, spl_transform_size(x) % 2 == 1, "the size must be odd"))
        return false;
    const int64_t n = spl_transform_size(x), r = p->v[0];
    return spl_unless(refusal, r > 1 && r < n && n % r == 0,
                      "the radix must divide the size, and both factors be > 1");
}

/* Large radices first: they leave the smallest share of the rows. */
static int radix_choices(const spl *x, spl_params *out, int max)
{
    const bool odd = x->op == SPL_TRANSFORM && spl_transform_size(x) % 2 == 1;
    int count = 0;

    for (int64_t r = LARGEST_RADIX - 1; odd && r > 1 && count < max; r -= 2)
        if (spl_transform_size(x) % r == 0 && r < spl_transform_size(x))
            out[count++] = (spl_params){{r}};
    return count;
}

static bool radix_case(spl_ctx *ctx, int i, spl_kind kind, const spl **x, spl_params *p)
{
    static const int64_t cases[][2] = {{9, 3},  {15, 3}, {15, 5}, {27, 3}, {27, 9},  {21, 7},
                                       {45, 9}, {63, 7}, {18, 3}, {9, 9},  {105, 15}};
    const int count = sizeof cases / sizeof cases[0];
    if (i >= count)
        return false;
    *x = spl_transform_node(ctx, kind, cases[i][0]);
    *p = (spl_params){{cases[i][1]}};
    return *x != NULL;
}

static bool rdft_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return radix_case(ctx, i, SPL_RDFT, x, p);
}

static bool irdft_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return radix_case(ctx, i, SPL_IRDFT, x, p);
}

/* i -> b + s i + t k, i < n, k the iteration of `turns`; values are below N. */
static const ix *run_ix(spl_ctx *ctx, int64_t n, int64_t N, int64_t b, int64_t s, int64_t turns,
                        int64_t t)
{
    const ix_term terms[] = {{IX_INDEX, 1, n, s}, {SPL_OUTER_VAR, 1, turns, t}};

    return ix_digit(ctx, n, N, b, turns > 1 ? 2 : 1, terms);
}

/* SUM(k<turns) S(to) x G(from) */
static const spl *sum_over_turns(spl_ctx *ctx, int64_t turns, const ix *to, const spl *x,
                                 const ix *from)
{
    const spl *const factors[] = {spl_scatter(ctx, to, SPL_PLAIN), x,
                                  spl_gather(ctx, from, SPL_PLAIN)};
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, turns);
    const spl *all = spl_mul(ctx, 3, factors);

    return turns > 1 ? spl_sum(ctx, &range, all) : all;
}

/* The half-spectrum from the rows: element q of row s. */
static const spl *from_rows(spl_ctx *ctx, const split *c)
{
    const int64_t r = c->r, m = c->m, h = c->h, up = m / 2 + 1, down = m / 2;
    const int64_t all = h * m, half = r * m / 2 + 1;
    const spl *const terms[] = {
        sum_over_turns(ctx, h, run_ix(ctx, up, half, 0, r, h, 1), spl_copy_stage(ctx, up),
                       run_ix(ctx, up, all, 0, 1, h, m)),
        sum_over_turns(ctx, h - 1, run_ix(ctx, down, half, r - 1, r, h - 1, -1),
                       spl_retyped(ctx, SPL_RETYPE_CONJ, down),
                       run_ix(ctx, down, all, 2 * m - 1, -1, h - 1, m))};

    return spl_plus(ctx, 2, terms);
}

/* The rows from the half-spectrum, with all elements of row 0. */
static const spl *to_rows(spl_ctx *ctx, const split *c)
{
    const int64_t r = c->r, m = c->m, h = c->h, up = m / 2 + 1, down = m / 2;
    const int64_t all = h * m, half = r * m / 2 + 1;
    const spl *const terms[] = {sum_over_turns(ctx, h, run_ix(ctx, up, all, 0, 1, h, m),
                                               spl_copy_stage(ctx, up),
                                               run_ix(ctx, up, half, 0, r, h, 1)),
                                sum_over_turns(ctx, h, run_ix(ctx, down, all, m - 1, -1, h, m),
                                               spl_retyped(ctx, SPL_RETYPE_CONJ, down),
                                               run_ix(ctx, down, half, r, r, h, -1))};

    return spl_plus(ctx, 2, terms);
}

/* The twiddles of the h rows, next to a stage that moves elements. */
static const spl *twiddled(spl_ctx *ctx, const split *c, bool inverse)
{
    const ix *rows = ix_h(ctx, c->h * c->m, c->r * c->m, 0, 1);

    return spl_mul2(ctx, spl_diag_of(ctx, spl_twiddle(ctx, c->r, c->m, inverse), rows),
                    spl_copy_stage(ctx, c->h * c->m));
}

static bool rdft_radix_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return radix_guard(x, p, SPL_RDFT, refusal);
}

static const spl *rdft_radix_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const split c = split_of(x, p);
    const spl *const factors[] = {
        from_rows(ctx, &c), spl_kron2(ctx, spl_identity(ctx, c.h), spl_dft(ctx, c.m, false)),
        twiddled(ctx, &c, false),
        spl_kron2(ctx, spl_transform_node(ctx, SPL_RDFT, c.r), spl_identity(ctx, c.m))};

    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_rdft_radix = {
    .name = "rdft-radix",
    .group = SPL_PLANNED,
    .formula = "RDFT_rm = (SUM(s<h) S(h_{s,r}) G(h_{sm,1}) + SUM(0<s<h) S(h_{r-s,r}) CONJ "
               "G(h_{sm+m-1,-1})) (I_h (x) DFT_m) T_{r,m} (RDFT_r (x) I_m), h = (r+1)/2",
    .reference = "Sorensen, Jones, Heideman & Burrus 1987",
    .params = "r",
    .guard = rdft_radix_guard,
    .build = rdft_radix_build,
    .choices = radix_choices,
    .test_case = rdft_case,
};

static bool irdft_radix_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return radix_guard(x, p, SPL_IRDFT, refusal);
}

static const spl *irdft_radix_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const split c = split_of(x, p);
    const spl *const factors[] = {
        spl_kron2(ctx, spl_transform_node(ctx, SPL_IRDFT, c.r), spl_identity(ctx, c.m)),
        twiddled(ctx, &c, true), spl_kron2(ctx, spl_identity(ctx, c.h), spl_dft(ctx, c.m, true)),
        to_rows(ctx, &c)};

    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_irdft_radix = {
    .name = "irdft-radix",
    .group = SPL_PLANNED,
    .formula = "IRDFT_rm = (IRDFT_r (x) I_m) T_{r,m}^-1 (I_h (x) IDFT_m) (SUM(s<h) S(h_{sm,1}) "
               "G(h_{s,r}) + SUM(s<h) S(h_{sm+m-1,-1}) CONJ G(h_{r-s,r})), h = (r+1)/2",
    .reference = "Sorensen, Jones, Heideman & Burrus 1987",
    .params = "r",
    .guard = irdft_radix_guard,
    .build = irdft_radix_build,
    .choices = radix_choices,
    .test_case = irdft_case,
};
