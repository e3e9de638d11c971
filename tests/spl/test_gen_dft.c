// SPDX-License-Identifier: BSD-3-Clause
/* The generator's expressions (spl/codelet/gen_dft.c), of every size: their value, in long double,
 * against the definition, and how many sums there are in those of odd primes. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"

typedef struct number {
    long double re, im;
} number;

static number value_of(const gen_dag *dag, const gen_node *node, const number *value,
                       const number *in)
{
    static const int sign[GEN_OPS] = {[GEN_ADD] = 1,   [GEN_SUB] = -1, [GEN_FMA] = 1,
                                      [GEN_FNMA] = -1, [GEN_FMAJ] = 1, [GEN_FNMAJ] = -1};
    if (node->op == GEN_IN)
        return in[node->a];
    const number a = value[node->a], b = node->b >= 0 ? value[node->b] : (number){0, 0};
    const long double c = node->c >= 0 ? dag->constant[node->c] : 1;
    const bool turned = node->op == GEN_FMAJ || node->op == GEN_FNMAJ;
    switch (node->op) {
    case GEN_SWAP: return (number){a.im, a.re};
    case GEN_MUL: return (number){c * a.re, c * a.im};
    case GEN_MULJ: return (number){c * a.re, -c * a.im};
    default:
        return (number){a.re + sign[node->op] * c * b.re,
                        a.im + sign[node->op] * (turned ? -c : c) * b.im};
    }
}

/* The largest error of an output over the root mean square of the outputs. */
static double error_of(const gen_dag *dag, const number *in)
{
    static number value[GEN_NODES];
    long double worst = 0, norm = 0;
    for (int i = 0; i < dag->count; i++)
        value[i] = value_of(dag, &dag->node[i], value, in);
    for (int k = 0; k < dag->n; k++) {
        const number *y = &value[dag->out[k]];
        long double re = 0, im = 0, c, s;
        for (int j = 0; j < dag->n; j++) {
            core_root((size_t)(j * k), (size_t)dag->n, &c, &s);
            re += in[j].re * c - in[j].im * s;
            im += in[j].re * s + in[j].im * c;
        }
        worst = fmaxl(worst, hypotl(y->re - re, y->im - im));
        norm += re * re + im * im;
    }
    return (double)(worst / sqrtl(norm / dag->n));
}

/* Primes from 47 on have more than GEN_CONSTANTS, which whoever asks for them is told. */
static bool is_too_long(int n)
{
    return n == 47 || n == 53 || n == 59 || n == 61;
}

static void test_values(void **state)
{
    (void)state;
    number in[GEN_MAX];
    for (size_t j = 0; j < GEN_MAX; j++) /* no symmetry that could hide a term */
        core_root(7 * j * j * j + 3 * j * j + j, 1009, &in[j].re, &in[j].im);
    for (int n = 1; n <= GEN_MAX; n++) {
        gen_dag *dag = gen_dft(n);
        assert_non_null(dag);
        assert_int_equal(dag->failed, is_too_long(n));
        const double error = dag->failed ? 0 : error_of(dag, in);
        if (!(error <= 100 * LDBL_EPSILON))
            fail_msg("DFT_%d is wrong by %.3g", n, error);
        core_free(dag);
    }
}

static int sums(const gen_dag *dag)
{
    bool live[GEN_NODES] = {false};
    int count = 0;
    for (int k = 0; k < dag->n; k++)
        live[dag->out[k]] = true;
    for (int i = dag->count - 1; i >= 0; i--) {
        const gen_node *node = &dag->node[i];
        if (!live[i] || node->op == GEN_IN)
            continue;
        live[node->a] = true;
        if (node->b >= 0)
            live[node->b] = true;
        count += node->op != GEN_SWAP;
    }
    return count;
}

/* Dense, with h = (p - 1)/2, it is 2 h h + 4 h. What gen_toeplitz.c shortens, of h rows:
 *   cosines, from x[0]   h = 6, 8, 14 halves, 9, 15 thirds
 *   sines                h = 6, 8, 14 blocks, 9, 15 thirds */
static void test_counts_of_odd_primes(void **state)
{
    static const int expected[][2] = {{3, 6},    {5, 16},   {7, 30},   {11, 70},  {13, 81},
                                      {17, 124}, {19, 156}, {23, 286}, {29, 329}, {31, 340}};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        gen_dag *dag = gen_dft(expected[i][0]);
        assert_non_null(dag);
        assert_int_equal(sums(dag), expected[i][1]);
        core_free(dag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_counts_of_odd_primes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
