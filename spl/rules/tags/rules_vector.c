// SPDX-License-Identifier: BSD-3-Clause
/* Short-vector identities, nu lanes: everything but the in-register transposes L_nu^{nu^2} and
 * L_nu^{n nu} moves whole vectors. Franchetti & Pueschel 2003. v = {nu}. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* ---- pieces ---- */

static const spl *I(spl_ctx *ctx, int64_t n)
{
    return spl_identity(ctx, n);
}

static const spl *L(spl_ctx *ctx, int64_t N, int64_t k)
{
    return spl_stride(ctx, N, k);
}

static const spl *kron(spl_ctx *ctx, const spl *a, const spl *b)
{
    return spl_kron2(ctx, a, b);
}

static const spl *mul(spl_ctx *ctx, const spl *a, const spl *b)
{
    return spl_mul2(ctx, a, b);
}

/* I_m (x) A or A (x) I_n with one A that is no identity; NULL where x is neither. */
static const spl *block_of(const spl *x, bool rows)
{
    if (x->op != SPL_KRON || x->nkids != 2)
        return NULL;
    const spl *block = x->kid[rows ? 1 : 0], *id = x->kid[rows ? 0 : 1];
    return id->op == SPL_I && block->op != SPL_I ? block : NULL;
}

/* I_m (x) A alone, or as the factor `at` of a product of two. */
static const spl *rows_at(const spl *x, int at)
{
    if (at < 0)
        return x;
    return x->op == SPL_MUL && x->nkids == 2 ? x->kid[at] : NULL;
}

static bool divides(int64_t nu, int64_t n)
{
    return nu > 1 && n % nu == 0;
}

static bool vector_case(spl_ctx *ctx, const char *const *cases, int i, const spl **x, spl_params *p)
{
    *p = (spl_params){{i % 2 == 0 ? 2 : 4}};
    return spl_text_case(ctx, cases, i / 2, x);
}

static int nu_choices(bool (*guard)(const spl *, const spl_params *, const char **), const spl *x,
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

static bool v1_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, block_of(x, false) != NULL, "it needs A (x) I_n")
           && spl_unless(refusal, divides(p->v[0], x->kid[1]->rows), "nu must divide n");
}

static const spl *v1_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->kid[1]->rows;
    return kron(ctx, kron(ctx, x->kid[0], I(ctx, n / nu)), I(ctx, nu));
}

static int v1_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v1_guard, x, out, max);
}

static bool v1_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"DFT(3) (x) I(8)", "DFT(4) (x) I(4)", "DFT(4) (x) I(6)",
                                        "I(3) (x) DFT(4)", NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V2  L_m^{mn} = (L_m^{mn/nu} (x) I_nu)(I_{mn/nu^2} (x) L_nu^{nu^2})(I_{n/nu} (x) L_{m/nu}^m
 * (x) I_nu) ---- */

static bool v2_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L, "it needs L(mn,m)")
           && spl_unless(refusal, divides(p->v[0], x->a[1]) && divides(p->v[0], x->a[0] / x->a[1]),
                         "nu must divide m and n");
}

static const spl *v2_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], m = x->a[1], n = x->a[0] / m;
    const spl *const factors[] = {
        kron(ctx, L(ctx, m * n / nu, m), I(ctx, nu)),
        kron(ctx, I(ctx, m / nu * (n / nu)), L(ctx, nu * nu, nu)),
        kron(ctx, I(ctx, n / nu), kron(ctx, L(ctx, m, m / nu), I(ctx, nu)))};
    return spl_mul(ctx, 3, factors);
}

static int v2_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v2_guard, x, out, max);
}

static bool v2_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"L(16,4)",  "L(32,4)", "L(32,8)", "L(96,8)",
                                        "L(96,12)", "L(12,3)", "T(4,4)",  NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V3  L_n^{n nu} = (I_{n/nu} (x) L_nu^{nu^2})(L_{n/nu}^n (x) I_nu) ---- */

static bool v3_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L && x->a[0] == x->a[1] * p->v[0], "it needs L(n nu,n)")
           && spl_unless(refusal, divides(p->v[0], x->a[1]), "nu must divide n");
}

static const spl *v3_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->a[1];
    return mul(ctx, kron(ctx, I(ctx, n / nu), L(ctx, nu * nu, nu)),
               kron(ctx, L(ctx, n, n / nu), I(ctx, nu)));
}

static int v3_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v3_guard, x, out, max);
}

static bool v3_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"L(8,4)",   "L(16,4)", "L(12,6)", "L(32,8)",
                                        "L(48,12)", "L(6,3)",  NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V4  L_nu^{n nu} = (L_nu^n (x) I_nu)(I_{n/nu} (x) L_nu^{nu^2}) ---- */

static bool v4_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_L && x->a[1] == p->v[0], "it needs L(n nu,nu)")
           && spl_unless(refusal, divides(p->v[0], x->a[0] / x->a[1]), "nu must divide n");
}

static const spl *v4_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->a[0] / nu;
    return mul(ctx, kron(ctx, L(ctx, n, nu), I(ctx, nu)),
               kron(ctx, I(ctx, n / nu), L(ctx, nu * nu, nu)));
}

static int v4_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v4_guard, x, out, max);
}

static bool v4_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"L(8,2)",  "L(16,4)", "L(12,2)", "L(32,4)",
                                        "L(48,4)", "L(6,2)",  NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V5  (I_m (x) A_n) L_m^{mn} = (I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu))(L_{m/nu}^{mn/nu} (x)
 * I_nu): vector loads, vector kernel, transposing store ---- */

/* m/nu blocks of A on nu lanes, transposed on the left, the right or both sides. */
static const spl *lane_blocks(spl_ctx *ctx, const spl *rows, int64_t nu, bool left, bool right)
{
    const spl *A = rows->kid[1];
    const int64_t m = rows->kid[0]->rows, n = A->rows;
    const spl *const factors[] = {left ? L(ctx, n * nu, nu) : I(ctx, n * nu),
                                  kron(ctx, A, I(ctx, nu)),
                                  right ? L(ctx, n * nu, n) : I(ctx, n * nu)};
    return kron(ctx, I(ctx, m / nu), spl_mul(ctx, 3, factors));
}

static bool rows_guard(const spl *x, int at, const spl_params *p, const char **refusal)
{
    const spl *rows = rows_at(x, at);
    return spl_unless(refusal, rows != NULL && block_of(rows, true) != NULL, "it needs I_m (x) A")
           && spl_unless(refusal, divides(p->v[0], rows->kid[0]->rows), "nu must divide m");
}

static bool v5_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return rows_guard(x, 0, p, refusal)
           && spl_unless(refusal,
                         x->kid[1]->op == SPL_L && x->kid[1]->a[1] == x->kid[0]->kid[0]->rows,
                         "it needs (I_m (x) A) L(mn,m)");
}

static const spl *v5_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], m = x->kid[1]->a[1];
    return mul(ctx, lane_blocks(ctx, x->kid[0], nu, true, false),
               kron(ctx, L(ctx, x->rows / nu, m / nu), I(ctx, nu)));
}

static int v5_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v5_guard, x, out, max);
}

static bool v5_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {
        "(I(4) (x) DFT(4)) * L(16,4)", "(I(8) (x) DFT(3)) * L(24,8)", "(I(4) (x) DFT(8)) * L(32,4)",
        "(I(3) (x) DFT(4)) * L(12,3)", "(I(4) (x) DFT(8)) * L(32,8)", NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V6  I_m (x) A_n = I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu) L_n^{n nu} ---- */

static bool v6_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return rows_guard(x, -1, p, refusal);
}

static const spl *v6_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    return lane_blocks(ctx, x, p->v[0], true, true);
}

static int v6_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v6_guard, x, out, max);
}

static bool v6_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"I(4) (x) DFT(4)", "I(8) (x) DFT(3)", "I(12) (x) DFT(5)",
                                        "I(3) (x) DFT(4)", "DFT(4) (x) I(4)", NULL};
    return vector_case(ctx, cases, i, x, p);
}

/* ---- V7  L_n^{mn} (I_m (x) A_n) = (L_n^{mn/nu} (x) I_nu)(I_{m/nu} (x) (A_n (x) I_nu) L_n^{n nu})
 * ---- */

static bool v7_guard(const spl *x, const spl_params *p, const char **refusal)
{
    return rows_guard(x, 1, p, refusal)
           && spl_unless(refusal,
                         x->kid[0]->op == SPL_L && x->kid[0]->a[1] == x->kid[1]->kid[1]->rows,
                         "it needs L(mn,n) (I_m (x) A_n)");
}

static const spl *v7_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t nu = p->v[0], n = x->kid[0]->a[1];
    return mul(ctx, kron(ctx, L(ctx, x->rows / nu, n), I(ctx, nu)),
               lane_blocks(ctx, x->kid[1], nu, false, true));
}

static int v7_choices(const spl *x, spl_params *out, int max)
{
    return nu_choices(v7_guard, x, out, max);
}

static bool v7_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {
        "L(16,4) * (I(4) (x) DFT(4))", "L(24,3) * (I(8) (x) DFT(3))", "L(32,8) * (I(4) (x) DFT(8))",
        "L(12,4) * (I(3) (x) DFT(4))", "L(32,4) * (I(4) (x) DFT(8))", NULL};
    return vector_case(ctx, cases, i, x, p);
}

static const char reference[] = "Franchetti & Pueschel 2003";

const spl_rule spl_vector_rules[SPL_VECTOR_RULES] = {
    {"V1", SPL_VECTOR, "A_m (x) I_n = (A_m (x) I_{n/nu}) (x) I_nu", reference, "nu", v1_guard,
     v1_build, v1_choices, v1_case},
    {"V2", SPL_VECTOR,
     "L_m^{mn} = (L_m^{mn/nu} (x) I_nu)(I_{mn/nu^2} (x) L_nu^{nu^2})"
     "(I_{n/nu} (x) L_{m/nu}^m (x) I_nu)",
     reference, "nu", v2_guard, v2_build, v2_choices, v2_case},
    {"V3", SPL_VECTOR, "L_n^{n nu} = (I_{n/nu} (x) L_nu^{nu^2})(L_{n/nu}^n (x) I_nu)", reference,
     "nu", v3_guard, v3_build, v3_choices, v3_case},
    {"V4", SPL_VECTOR, "L_nu^{n nu} = (L_nu^n (x) I_nu)(I_{n/nu} (x) L_nu^{nu^2})", reference, "nu",
     v4_guard, v4_build, v4_choices, v4_case},
    {"V5", SPL_VECTOR,
     "(I_m (x) A_n) L_m^{mn} = (I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu))(L_{m/nu}^{mn/nu} (x) I_nu)",
     reference, "nu", v5_guard, v5_build, v5_choices, v5_case},
    {"V6", SPL_VECTOR, "I_m (x) A_n = I_{m/nu} (x) L_nu^{n nu}(A_n (x) I_nu) L_n^{n nu}", reference,
     "nu", v6_guard, v6_build, v6_choices, v6_case},
    {"V7", SPL_VECTOR,
     "L_n^{mn} (I_m (x) A_n) = (L_n^{mn/nu} (x) I_nu)(I_{m/nu} (x) (A_n (x) I_nu) L_n^{n nu})",
     reference, "nu", v7_guard, v7_build, v7_choices, v7_case},
};
