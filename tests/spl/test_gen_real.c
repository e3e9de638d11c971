// SPDX-License-Identifier: BSD-3-Clause
/* Expressions of transforms of reals: their values are those of the definitions, and their numbers
 * of operations do not grow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"
#include "spl/oracle/oracle.h"

/* Which nodes the outputs depend on. */
static void mark_live(const gen_dag *dag, bool *live)
{
    for (int i = 0; i < dag->n; i++)
        live[dag->out[i]] = true;
    for (int i = dag->count - 1; i >= 0; i--) {
        const gen_node *node = &dag->node[i];
        if (!live[i] || node->op == GEN_IN || node->op == GEN_ZERO)
            continue;
        live[node->a] = true;
        if (node->b >= 0)
            live[node->b] = true;
    }
}

static int operations(const gen_dag *dag)
{
    bool live[GEN_NODES] = {false};
    int count = 0;
    mark_live(dag, live);
    for (int i = 0; i < dag->count; i++)
        count += live[i] && dag->node[i].op != GEN_IN && dag->node[i].op != GEN_ZERO;
    return count;
}

static long double node_value(const gen_dag *dag, const gen_node *node, const long double *in,
                              const long double *value)
{
    const bool leaf = node->op == GEN_IN || node->op == GEN_ZERO;
    const long double a = leaf ? 0 : value[node->a], b = node->b >= 0 ? value[node->b] : 0;
    const long double c = node->c >= 0 ? dag->constant[node->c] : 0;
    switch (node->op) {
    case GEN_IN: return in[node->a];
    case GEN_ZERO: return 0;
    case GEN_ADD: return a + b;
    case GEN_SUB: return a - b;
    case GEN_FMA: return a + c * b;
    case GEN_FNMA: return a - c * b;
    case GEN_FMS: return c * b - a;
    case GEN_FNMS: return -c * b - a;
    case GEN_MUL: return c * a;
    default: fail_msg("operation %d on reals", node->op);
    }
    return 0;
}

/* The largest difference from the definition; complex sides have two scalars an element. */
static long double error_of(const gen_dag *dag, spl_kind kind, int n)
{
    static long double value[GEN_NODES];
    long double in[GEN_OUTPUTS], x[2 * GEN_OUTPUTS] = {0}, y[2 * GEN_OUTPUTS], worst = 0;
    const spl_transform *t = spl_transform_of(kind);
    const int from = t->from == SPL_TYPE_COMPLEX ? 1 : 2, to = t->to == SPL_TYPE_COMPLEX ? 1 : 2;
    for (int i = 0; i < gen_kind_scalars(kind, n, true); i++)
        in[i] = x[from * i] = sinl(1.7L * (long double)i + 0.3L);
    assert_int_equal(spl_oracle_transform(kind, n, x, y), SLUICE_OK);
    for (int i = 0; i < dag->count; i++)
        value[i] = node_value(dag, &dag->node[i], in, value);
    for (int i = 0; i < dag->n; i++)
        worst = fmaxl(worst, fabsl(value[dag->out[i]] - y[to * i]));
    return worst;
}

static void values(void **state)
{
    (void)state;
    for (spl_kind kind = SPL_RDFT; kind < SPL_KIND_COUNT; kind++) {
        const int largest = kind == SPL_DCT1 ? 33 : kind == SPL_DST1 ? 31 : 36;
        for (int n = (int)spl_transform_of(kind)->least; n <= largest; n++) {
            gen_dag *dag = gen_kind_dag((int)kind, n);
            assert_non_null(dag);
            assert_false(dag->failed);
            assert_int_equal(dag->n, gen_kind_scalars((int)kind, n, false));
            if (!(error_of(dag, kind, n) < 1e-16L))
                fail_msg("%s(%d)", spl_transform_of(kind)->word, n);
            core_free(dag);
        }
    }
}

/* Additions, multiplications and fused ones of reals. */
static void counts(void **state)
{
    static const struct {
        spl_kind kind;
        int count[16][2];
    } known[] = {
        {SPL_RDFT,
         {{3, 5},
          {5, 14},
          {6, 16},
          {7, 27},
          {8, 20},
          {9, 38},
          {10, 38},
          {12, 40},
          {13, 75},
          {15, 71},
          {16, 58},
          {20, 90},
          {25, 196},
          {31, 325},
          {32, 156},
          {64, 394}}},
        {SPL_IRDFT,
         {{3, 4},
          {5, 12},
          {6, 14},
          {7, 24},
          {8, 20},
          {9, 32},
          {10, 34},
          {12, 38},
          {15, 64},
          {16, 58},
          {25, 152},
          {31, 310},
          {32, 156},
          {64, 394}}},
        {SPL_DCT2, {{4, 12}, {8, 34}, {16, 88}, {32, 218}, {64, 520}}},
        {SPL_DCT3, {{4, 8}, {8, 26}, {16, 72}, {32, 186}, {64, 456}}},
        {SPL_DCT4, {{4, 16}, {8, 40}, {16, 100}, {32, 240}, {64, 564}}},
        {SPL_DCT1, {{3, 4}, {5, 10}, {7, 18}, {9, 26}, {13, 46}, {17, 68}, {25, 116}, {33, 172}}},
        {SPL_DST1, {{3, 7}, {5, 13}, {7, 25}, {11, 41}, {15, 73}, {23, 113}, {31, 191}}},
        {SPL_DST2, {{8, 34}, {32, 218}}},
        {SPL_DST3, {{8, 26}, {32, 186}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int k = 0; k < 16 && known[i].count[k][0]; k++) {
            gen_dag *dag = gen_kind_dag((int)known[i].kind, known[i].count[k][0]);
            assert_non_null(dag);
            assert_int_equal(operations(dag), known[i].count[k][1]);
            core_free(dag);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
