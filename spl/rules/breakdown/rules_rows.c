// SPDX-License-Identifier: BSD-3-Clause
/* Rows as columns and columns as rows: permutations before and after. Planners use loops of moves
 * instead of the permutations (sched/planner/rows_as_columns.c, columns_as_rows.c). */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static bool rows_columns_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, x->op == SPL_KRON && v.a > 1 && v.b == 1, "it needs I_b (x) A");
}

/* I_b (x) A_n = L(nb,b) (A_n (x) I_b) L(nb,n) */
static const spl *rows_columns_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *const factors[] = {spl_stride(ctx, x->rows, v.a), spl_view_inner(ctx, &v, 1, v.a, 0),
                                  spl_stride(ctx, x->cols, x->cols / v.a)};
    return spl_mul(ctx, 3, factors);
}

static const char *const rows_columns_cases[] = {
    "I(4) (x) DCT2(6)", "I(3) (x) DFT(4)",
    "I(5) (x) RDFT(6)", "I(2) (x) (DCT1(3) (+) DST1(2))",
    "DCT2(4) (x) I(3)", NULL};

const spl_rule spl_rows_columns = {
    .name = "rows-columns",
    .group = SPL_BREAKDOWN,
    .formula = "I_b (x) A_n = L(nb,b) (A_n (x) I_b) L(nb,n)",
    .reference = "Paper, Table 2",
    .guard = rows_columns_guard,
    .build = rows_columns_build,
    .cases = rows_columns_cases,
};

static bool columns_rows_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, x->op == SPL_KRON && v.a == 1 && v.b > 1, "it needs A (x) I_l");
}

/* A_n (x) I_l = L(nl,n) (I_l (x) A_n) L(nl,l) */
static const spl *columns_rows_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *const factors[] = {
        spl_stride(ctx, x->rows, x->rows / v.b),
        spl_kron2(ctx, spl_identity(ctx, v.b), spl_view_inner(ctx, &v, 1, 1, 0)),
        spl_stride(ctx, x->cols, v.b)};
    return spl_mul(ctx, 3, factors);
}

static const char *const columns_rows_cases[] = {"DCT2(6) (x) I(4)", "DFT(4) (x) I(3)",
                                                 "DST1(5) (x) I(2)", "I(2) (x) DCT2(4)", NULL};

const spl_rule spl_columns_rows = {
    .name = "columns-rows",
    .group = SPL_BREAKDOWN,
    .formula = "A_n (x) I_l = L(nl,n) (I_l (x) A_n) L(nl,l)",
    .reference = "Paper, Table 2",
    .guard = columns_rows_guard,
    .build = columns_rows_build,
    .cases = columns_rows_cases,
};
