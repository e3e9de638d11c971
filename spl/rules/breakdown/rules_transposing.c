// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown of w transforms that are columns on one side and rows on the other: one of two stages
 * transposes vectors of the w, so that nothing else moves elements. */
#include "spl/rules/rewrite.h"

/* I_w (x) DFT_n, w the number of transforms. */
static bool is_rows_of_dfts(const spl_view *v)
{
    return v->b == 1 && v->nmid == 1 && v->nrest == 0 && v->outer.kind == SPL_TAG_COUNT
           && spl_is_dft(v->mid[0]);
}

static bool transposing_guard(const spl *x, const spl_params *p, const char **refusal)
{
    const spl_view v = spl_view_of(x);

    if (!spl_unless(refusal, x->op == SPL_KRON && is_rows_of_dfts(&v),
                    "it needs I_w (x) DFT(n) or I_w (x) IDFT(n)"))
        return false;
    return spl_unless(refusal, p->v[0] > 1 && p->v[0] < v.m && v.m % p->v[0] == 0,
                      "the radix must divide the size, and both factors be > 1");
}

static int transposing_choices(const spl *x, spl_params *out, int max)
{
    const spl_view v = spl_view_of(x);

    return x->op == SPL_KRON && is_rows_of_dfts(&v) ? spl_list_factors(v.m, out, max) : 0;
}

static bool transposing_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {
        "I(3) (x) DFT(4)", "I(4) (x) IDFT(6)", "I(2) (x) DFT(12)",           "I(5) (x) IDFT(9)",
        "DFT(4) (x) I(2)", "I(3) (x) DCT2(4)", "I(2) (x) DFT(3) (x) DFT(2)", NULL};
    static const int64_t radix[] = {2, 3, 4};

    if (!spl_text_case(ctx, cases, i / 3, x))
        return false;
    *p = (spl_params){{radix[i % 3]}};
    return true;
}

/* The two stages of w transforms of n = r m points. */
typedef struct stages {
    const spl *w;
    int64_t n, r, m, points; /* points: of all transforms */
    const spl *first, *last, *twiddles;
} stages;

static stages stages_of(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const spl_view v = spl_view_of(x);
    const bool inverse = spl_is_inverse_dft(v.mid[0]);
    const int64_t n = v.m, r = p->v[0], m = n / r;

    return (stages){.w = spl_identity(ctx, v.a),
                    .n = n,
                    .r = r,
                    .m = m,
                    .points = v.a * n,
                    .first = spl_dft(ctx, r, inverse),
                    .last = spl_dft(ctx, m, inverse),
                    .twiddles = spl_twiddle(ctx, r, m, inverse)};
}

/* I_w (x) DFT_rm = (I_w (x) (DFT_m (x) I_r) L(n,m)) L(nw,w) (T_{r,m} (DFT_r (x) I_m) (x) I_w)
 * L(nw,n): dft-stockham, the first stage on columns. */
static const spl *first_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const stages s = stages_of(ctx, x, p);
    const spl *const rows[] = {s.w, s.last, spl_identity(ctx, s.r)};
    const spl *columns = spl_identity(ctx, s.points / s.r);
    const spl *const factors[] = {spl_kron(ctx, 3, rows),
                                  spl_kron2(ctx, s.w, spl_stride(ctx, s.n, s.m)),
                                  spl_stride(ctx, s.points, s.points / s.n),
                                  spl_kron2(ctx, s.twiddles, s.w),
                                  spl_kron2(ctx, s.first, columns),
                                  spl_stride(ctx, s.points, s.n)};

    return spl_mul(ctx, 6, factors);
}

const spl_rule spl_transposing_first = {
    .name = "transposing-first",
    .group = SPL_BREAKDOWN,
    .formula = "I_w (x) DFT_rm = (I_w (x) (DFT_m (x) I_r) L(n,m)) L(nw,w) "
               "(T_{r,m} (DFT_r (x) I_m) (x) I_w) L(nw,n), n = r m",
    .reference = "Stockham 1966; dft-stockham and columns-rows",
    .params = "r",
    .guard = transposing_guard,
    .build = first_build,
    .choices = transposing_choices,
    .test_case = transposing_case,
};

/* I_w (x) DFT_rm = L(nw,w) (L(n,m) (I_r (x) DFT_m) (x) I_w) G(l) (I_w (x) T_{r,m} (DFT_r (x) I_m)),
 * G(l) = L(nw,n): dft-dif, the last stage on columns. As L is a gather, the data between the stages
 * are rows. */
static const spl *last_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const stages s = stages_of(ctx, x, p);
    const spl *const columns[] = {spl_identity(ctx, s.r), s.last, s.w};
    const spl *const rows[] = {s.w, s.first, spl_identity(ctx, s.m)};
    const spl *const factors[] = {spl_stride(ctx, s.points, s.points / s.n),
                                  spl_kron2(ctx, spl_stride(ctx, s.n, s.m), s.w),
                                  spl_kron(ctx, 3, columns),
                                  spl_gather(ctx, ix_stride(ctx, s.points, s.n), SPL_PLAIN),
                                  spl_kron2(ctx, s.w, s.twiddles),
                                  spl_kron(ctx, 3, rows)};

    return spl_mul(ctx, 6, factors);
}

const spl_rule spl_transposing_last = {
    .name = "transposing-last",
    .group = SPL_BREAKDOWN,
    .formula = "I_w (x) DFT_rm = L(nw,w) (L(n,m) (I_r (x) DFT_m) (x) I_w) G(l) "
               "(I_w (x) T_{r,m} (DFT_r (x) I_m)), n = r m, G(l) = L(nw,n)",
    .reference = "Gentleman & Sande 1966; dft-dif and columns-rows",
    .params = "r",
    .guard = transposing_guard,
    .build = last_build,
    .choices = transposing_choices,
    .test_case = transposing_case,
};
