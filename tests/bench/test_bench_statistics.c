// SPDX-License-Identifier: BSD-3-Clause
/* The statistics of the suite `portability` against values that tables have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/portability/bench_statistics.h"

static void assert_near(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * fabs(wanted)))
        print_error("%.17g, not %.17g\n", found, wanted);
    assert_true(fabs(found - wanted) <= relative * fabs(wanted));
}

/* Quantiles of chi-square, as printed tables have them. */
static void quantiles_have_their_probability(void **state)
{
    static const double row[][3] = {
        /* degrees, x, p */
        {1, 3.841458820694124, 0.05},   {1, 0.000157087857909702, 0.99},
        {2, 5.991464547107979, 0.05},   {5, 15.08627246938899, 0.01},
        {10, 18.30703805327515, 0.05},  {10, 2.558212160187, 0.99},
        {100, 124.3421134004035, 0.05}, {100, 149.4492527, 0.001},
        {1000, 1074.679449, 0.05},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_near(bench_chi_square_p(row[i][1], row[i][0]), row[i][2], 1e-6);
}

/* Two degrees: exp(-x / 2). Even degrees: a sum of Poisson probabilities. */
static void closed_forms_agree(void **state)
{
    (void)state;
    for (double x = 0.01; x < 200; x *= 1.7) {
        assert_near(bench_chi_square_p(x, 2), exp(-x / 2), 1e-12);
        double term = exp(-x / 2), sum = term;
        for (int k = 1; k < 20; k++) {
            term *= x / 2 / k;
            sum += term;
        }
        assert_near(bench_chi_square_p(x, 40), sum, 1e-11);
    }
}

static void ends_are_sure(void **state)
{
    (void)state;
    assert_true(bench_chi_square_p(0, 7) == 1);
    assert_true(bench_chi_square_p(1e-12, 65535) == 1);
    assert_true(bench_chi_square_p(1e6, 7) < 1e-300);
    assert_true(bench_chi_square_p(NAN, 7) == 0);
    assert_true(bench_chi_square_p(4 * 65535.0, 65535) < 1e-100);
    /* half of the mass is below the mean of many degrees, about */
    assert_near(bench_chi_square_p(65535, 65535), 0.5, 0.01);
}

static void moments_of_few(void **state)
{
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    (void)state;
    bench_moments m = bench_moments_of(values, 8);
    assert_true(m.min == 2 && m.max == 9);
    assert_near(m.mean, 5, 1e-15);
    assert_near(m.deviation, sqrt(32.0 / 7), 1e-15);
    m = bench_moments_of(values, 1);
    assert_true(m.min == 2 && m.mean == 2 && m.deviation == 0);
}

static void agreement_by_hand(void **state)
{
    static const double n[] = {4, 16, 100}, s[] = {5, 12, 100};
    static const double bad[] = {5, NAN, 100};
    (void)state;
    const bench_agreement a = bench_agreement_of(s, n, 3);
    assert_near(a.chi_square, (0.25 + 1) / 2, 1e-15);
    assert_near(a.p, exp(-1.25 / 2), 1e-12); /* two degrees */
    assert_near(a.largest, 0.25, 1e-15);
    const bench_agreement same = bench_agreement_of(n, n, 3);
    assert_true(same.chi_square == 0 && same.p == 1 && same.largest == 0);
    const bench_agreement none = bench_agreement_of(bad, n, 3);
    assert_true(none.p == 0 && !(none.largest <= 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_have_their_probability),
        cmocka_unit_test(closed_forms_agree),
        cmocka_unit_test(ends_are_sure),
        cmocka_unit_test(moments_of_few),
        cmocka_unit_test(agreement_by_hand),
    };
    return cmocka_run_group_tests_name("bench statistics", tests, NULL, NULL);
}
