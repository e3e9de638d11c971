// SPDX-License-Identifier: BSD-3-Clause
/* Short-vector identities, nu lanes: everything but the in-register transposes L_nu^{nu^2} and
 * L_nu^{n nu} moves whole vectors. Franchetti & Pueschel 2003. v = {nu}. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static const char reference[] = "Franchetti & Pueschel 2003";

/* ---- pieces ---- */

/* I_m (x) A or A (x) I_n with one A that is no identity; NULL where x is neither. */
static const spl *find_block(const spl *x, bool rows)
{
    if (x->op != SPL_KRON || x->nkids != 2)
        return NULL;
    const spl *block = x->kid[rows ? 1 : 0], *id = x->kid[rows ? 0 : 1];
    return id->op == SPL_I && block->op != SPL_I ? block : NULL;
}

/* I_m (x) A alone, or as the factor `at` of a product of two. */
static const spl *find_rows(const spl *x, int at)
{
    if (at < 0)
        return x;
    return x->op == SPL_MUL && x->nkids == 2 ? x->kid[at] : NULL;
}

static bool lanes_divide(int64_t nu, int64_t n)
{
    return nu > 1 && n % nu == 0;
}

static const spl_params widths[] = {{{2}}, {{4}}, {{0}}};

static int list_widths(bool (*guard)(const spl *, const spl_params *, const char **), const spl *x,
                       spl_params *out, int max)
{
    int count = 0;
    for (int64_t nu = 2; nu <= 16 && count < max; nu *= 2) {
        out[count] = (spl_params){{nu}};
        count += guard(x, &out[count], NULL);
    }
    return count;
}

/* ---- V1  A_m (x) I_n = (A_m (x) I_{n/nu}) (x) I_nu ---- */

static bool guard_vector_1(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, find_block(x, false) != NULL, "it needs A (x) I_n")
           && spl_unless(refusal, lanes_divide(p->v[0], x->kid[1]->rows), "nu must divide n");
}

static const spl *build_vector_1(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->kid[1]->rows;
    return spl_kron2(ctx, spl_kron2(ctx, x->kid[0], spl_identity(ctx, n / nu)),
                     spl_identity(ctx, nu));
}

static int list_choices_vector_1(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_1, x, out, max);
}

static const char *const cases_vector_1[] = {"DFT(3) (x) I(8)", "DFT(4) (x) I(4)",
                                             "DFT(4) (x) I(6)", "I(3) (x) DFT(4)", NULL};

const spl_rule spl_vector_1 = {
    .name = "V1",
    .group = SPL_VECTOR,
    .formula = "A_m (x) I_n = (A_m (x) I_{n/nu}) (x) I_nu",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_1,
    .build = build_vector_1,
    .choices = list_choices_vector_1,
    .cases = cases_vector_1,
    .case_params = widths,
};

/* ---- V2  L_m^{mn} = (L_m^{mn/nu} (x) I_nu)(I_{mn/nu^2} (x) L_nu^{nu^2})(I_{n/nu} (x) L_{m/nu}^m
 * (x) I_nu) ---- */

static bool guard_vector_2(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L, "it needs L(mn,m)")
           && spl_unless(refusal,
                         lanes_divide(p->v[0], x->a[1]) && lanes_divide(p->v[0], x->a[0] / x->a[1]),
                         "nu must divide m and n");
}

static const spl *build_vector_2(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], m = x->a[1], n = x->a[0] / m;
    const spl *const factors[] = {
        spl_kron2(ctx, spl_stride(ctx, m * n / nu, m), spl_identity(ctx, nu)),
        spl_kron2(ctx, spl_identity(ctx, m / nu * (n / nu)), spl_stride(ctx, nu * nu, nu)),
        spl_kron2(ctx, spl_identity(ctx, n / nu),
                  spl_kron2(ctx, spl_stride(ctx, m, m / nu), spl_identity(ctx, nu)))};
    return spl_mul(ctx, 3, factors);
}

static int list_choices_vector_2(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_2, x, out, max);
}

static const char *const cases_vector_2[] = {"L(16,4)",  "L(32,4)", "L(32,8)", "L(96,8)",
                                             "L(96,12)", "L(12,3)", "T(4,4)",  NULL};

const spl_rule spl_vector_2 = {
    .name = "V2",
    .group = SPL_VECTOR,
    .formula = "L_m^{mn} = (L_m^{mn/nu} (x) I_nu)(I_{mn/nu^2} (x) L_nu^{nu^2})(I_{n/nu} (x) "
               "L_{m/nu}^m (x) I_nu)",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_2,
    .build = build_vector_2,
    .choices = list_choices_vector_2,
    .cases = cases_vector_2,
    .case_params = widths,
};

/* ---- V3  L_n^{n nu} = (I_{n/nu} (x) L_nu^{nu^2})(L_{n/nu}^n (x) I_nu) ---- */

static bool guard_vector_3(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L && x->a[0] == x->a[1] * p->v[0], "it needs L(n nu,n)")
           && spl_unless(refusal, lanes_divide(p->v[0], x->a[1]), "nu must divide n");
}

static const spl *build_vector_3(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->a[1];
    return spl_mul2(ctx, spl_kron2(ctx, spl_identity(ctx, n / nu), spl_stride(ctx, nu * nu, nu)),
                    spl_kron2(ctx, spl_stride(ctx, n, n / nu), spl_identity(ctx, nu)));
}

static int list_choices_vector_3(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_3, x, out, max);
}

static const char *const cases_vector_3[] = {"L(8,4)",   "L(16,4)", "L(12,6)", "L(32,8)",
                                             "L(48,12)", "L(6,3)",  NULL};

const spl_rule spl_vector_3 = {
    .name = "V3",
    .group = SPL_VECTOR,
    .formula = "L_n^{n nu} = (I_{n/nu} (x) L_nu^{nu^2})(L_{n/nu}^n (x) I_nu)",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_3,
    .build = build_vector_3,
    .choices = list_choices_vector_3,
    .cases = cases_vector_3,
    .case_params = widths,
};

/* ---- V4  L_nu^{n nu} = (L_nu^n (x) I_nu)(I_{n/nu} (x) L_nu^{nu^2}) ---- */

static bool guard_vector_4(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L && x->a[1] == p->v[0], "it needs L(n nu,nu)")
           && spl_unless(refusal, lanes_divide(p->v[0], x->a[0] / x->a[1]), "nu must divide n");
}

static const spl *build_vector_4(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->a[0] / nu;
    return spl_mul2(ctx, spl_kron2(ctx, spl_stride(ctx, n, nu), spl_identity(ctx, nu)),
                    spl_kron2(ctx, spl_identity(ctx, n / nu), spl_stride(ctx, nu * nu, nu)));
}

static int list_choices_vector_4(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_4, x, out, max);
}

static const char *const cases_vector_4[] = {"L(8,2)",  "L(16,4)", "L(12,2)", "L(32,4)",
                                             "L(48,4)", "L(6,2)",  NULL};

const spl_rule spl_vector_4 = {
    .name = "V4",
    .group = SPL_VECTOR,
    .formula = "L_nu^{n nu} = (L_nu^n (x) I_nu)(I_{n/nu} (x) L_nu^{nu^2})",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_4,
    .build = build_vector_4,
    .choices = list_choices_vector_4,
    .cases = cases_vector_4,
    .case_params = widths,
};

/* ---- V5  (I_m (x) A_n) L_m^{mn} = (I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu))(L_{m/nu}^{mn/nu} (x)
 * I_nu): vector loads, vector kernel, transposing store ---- */

/* m/nu blocks of A on nu lanes, transposed on the left, the right or both sides. */
static const spl *make_lane_blocks(spl_ctx *ctx, const spl *rows, int64_t nu, bool left, bool right)
{
    const spl *A = rows->kid[1];
    const int64_t m = rows->kid[0]->rows, n = A->rows;
    const spl *const factors[] = {left ? spl_stride(ctx, n * nu, nu) : spl_identity(ctx, n * nu),
                                  spl_kron2(ctx, A, spl_identity(ctx, nu)),
                                  right ? spl_stride(ctx, n * nu, n) : spl_identity(ctx, n * nu)};
    return spl_kron2(ctx, spl_identity(ctx, m / nu), spl_mul(ctx, 3, factors));
}

static bool guard_rows(const spl *x, int at, const spl_params *p, const char **refusal)
{
    const spl *rows = find_rows(x, at);
    return spl_unless(refusal, rows != NULL && find_block(rows, true) != NULL, "it needs I_m (x) A")
           && spl_unless(refusal, lanes_divide(p->v[0], rows->kid[0]->rows), "nu must divide m");
}

static bool guard_vector_5(const spl *x, const spl_params *p, const char **refusal)
{
    return guard_rows(x, 0, p, refusal)
           && spl_unless(refusal,
                         x->kid[1]->op == SPL_L && x->kid[1]->a[1] == x->kid[0]->kid[0]->rows,
                         "it needs (I_m (x) A) L(mn,m)");
}

static const spl *build_vector_5(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], m = x->kid[1]->a[1];
    return spl_mul2(ctx, make_lane_blocks(ctx, x->kid[0], nu, true, false),
                    spl_kron2(ctx, spl_stride(ctx, x->rows / nu, m / nu), spl_identity(ctx, nu)));
}

static int list_choices_vector_5(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_5, x, out, max);
}

static const char *const cases_vector_5[] = {
    "(I(4) (x) DFT(4)) * L(16,4)", "(I(8) (x) DFT(3)) * L(24,8)", "(I(4) (x) DFT(8)) * L(32,4)",
    "(I(3) (x) DFT(4)) * L(12,3)", "(I(4) (x) DFT(8)) * L(32,8)", NULL};

const spl_rule spl_vector_5 = {
    .name = "V5",
    .group = SPL_VECTOR,
    .formula = "(I_m (x) A_n) L_m^{mn} = (I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu))(L_{m/nu}^{mn/nu} "
               "(x) I_nu)",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_5,
    .build = build_vector_5,
    .choices = list_choices_vector_5,
    .cases = cases_vector_5,
    .case_params = widths,
};

/* ---- V6  I_m (x) A_n = I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu) L_n^{n nu} ---- */

static bool guard_vector_6(const spl *x, const spl_params *p, const char **refusal)
{
    return guard_rows(x, -1, p, refusal);
}

static const spl *build_vector_6(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    return make_lane_blocks(ctx, x, p->v[0], true, true);
}

static int list_choices_vector_6(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_6, x, out, max);
}

static const char *const cases_vector_6[] = {"I(4) (x) DFT(4)",  "I(8) (x) DFT(3)",
                                             "I(12) (x) DFT(5)", "I(3) (x) DFT(4)",
                                             "DFT(4) (x) I(4)",  NULL};

const spl_rule spl_vector_6 = {
    .name = "V6",
    .group = SPL_VECTOR,
    .formula = "I_m (x) A_n = I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu) L_n^{n nu}",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_6,
    .build = build_vector_6,
    .choices = list_choices_vector_6,
    .cases = cases_vector_6,
    .case_params = widths,
};

/* ---- V7  L_n^{mn} (I_m (x) A_n) = (L_n^{mn/nu} (x) I_nu)(I_{m/nu} (x) (A_n (x) I_nu) L_n^{n nu})
 * ---- */

static bool guard_vector_7(const spl *x, const spl_params *p, const char **refusal)
{
    return guard_rows(x, 1, p, refusal)
           && spl_unless(refusal,
                         x->kid[0]->op == SPL_L && x->kid[0]->a[1] == x->kid[1]->kid[1]->rows,
                         "it needs L(mn,n) (I_m (x) A_n)");
}

static const spl *build_vector_7(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->kid[0]->a[1];
    return spl_mul2(ctx, spl_kron2(ctx, spl_stride(ctx, x->rows / nu, n), spl_identity(ctx, nu)),
                    make_lane_blocks(ctx, x->kid[1], nu, false, true));
}

static int list_choices_vector_7(const spl *x, spl_params *out, int max)
{
    return list_widths(guard_vector_7, x, out, max);
}

static const char *const cases_vector_7[] = {
    "L(16,4) * (I(4) (x) DFT(4))", "L(24,3) * (I(8) (x) DFT(3))", "L(32,8) * (I(4) (x) DFT(8))",
    "L(12,4) * (I(3) (x) DFT(4))", "L(32,4) * (I(4) (x) DFT(8))", NULL};

const spl_rule spl_vector_7 = {
    .name = "V7",
    .group = SPL_VECTOR,
    .formula =
        "L_n^{mn} (I_m (x) A_n) = (L_n^{mn/nu} (x) I_nu)(I_{m/nu} (x) (A_n (x) I_nu) L_n^{n nu})",
    .reference = reference,
    .params = "nu",
    .guard = guard_vector_7,
    .build = build_vector_7,
    .choices = list_choices_vector_7,
    .cases = cases_vector_7,
    .case_params = widths,
};
