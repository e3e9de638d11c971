// SPDX-License-Identifier: BSD-3-Clause
/* The factors of convolutions: chirps, spectra of chirps and of powers, corners, against the sums
 * that they are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/trig.h"
#include "spl/formula/diagonal.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_leaks.h"

static long double apart(const spl_diagonal *d, int64_t t, long double re, long double im)
{
    long double x, y;
    spl_diagonal_get(d, t, &x, &y);
    return hypotl(x - re, y - im);
}

/* c_{n-k} = -c_k for odd n, also where k^2 leaves 32 and 53 bits. */
static void chirps_do_not_overflow(void **state)
{
    static const int64_t sizes[] = {3, 1009, 65537, 94906267, 2147483647};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int64_t n = sizes[i];
        spl_diagonal *d = spl_diagonal_open(SPL_CHIRP, n, 1);
        assert_non_null(d);
        for (int64_t k = 0; k < 40 && k < n; k++) {
            long double re, im;
            core_root((size_t)(k * k % (2 * n)), (size_t)(2 * n), &re, &im);
            assert_true(apart(d, k, re, im) < 1e-18L);
            if (k > 0)
                assert_true(apart(d, n - k, -re, -im) < 1e-18L);
        }
        spl_diagonal_close(d);
    }
}

/* The same entries one by one, backwards too, and in runs with a step. */
static void check_runs(const spl_diagonal *d, int64_t count)
{
    double re[5], im[5];

    for (int64_t step = 0; step < 40 && 4 * step < count; step = 3 * step + 1)
        for (int64_t t = 0; t + 4 * step < count; t += 1 + count / 50)
            for (int back = 0; back < 2; back++) {
                const int64_t by = back ? -step : step, from = back ? t + 4 * step : t;
                spl_diagonal_run(d, from, by, 5, re, im);
                for (int i = 0; i < 5; i++) {
                    long double x, y;
                    spl_diagonal_get(d, from + i * by, &x, &y);
                    assert_true(re[i] == (double)x && im[i] == (double)y);
                }
            }
}

/* Entries against the oracle, which sums: all of them, or some of many. Spectra, divided by their
 * length, are near 1 / sqrt(m); they are transforms in double precision. */
static void check_diagonal(spl_values values, int64_t n, int64_t m)
{
    const int64_t count = spl_values_size(values, n, m), step = count > 2000 ? 23 : 1;
    const long double length = values == SPL_SPECTRUM ? (long double)m : (long double)n;
    const long double bound = values == SPL_CORNER ? 1e-17L : 1e-14L / sqrtl(length);
    spl_diagonal *d = spl_diagonal_open(values, n, m);
    assert_non_null(d);
    for (int64_t t = 0; t < count; t += step) {
        long double re, im;
        spl_oracle_diagonal(values, n, m, t, &re, &im);
        if (!(apart(d, t, re, im) < bound))
            fail_msg("%c(%d,%d) at %d: off by %Lg", spl_values_named(values)->letter, (int)n,
                     (int)m, (int)t, apart(d, t, re, im));
    }
    check_runs(d, count);
    spl_diagonal_close(d);
}

/* Lengths with all kinds of factors, one of them too large. */
static void spectra_are_sums(void **state)
{
    static const int64_t sizes[][2] = {{1, 1},
                                       {1, 3},
                                       {2, 2},
                                       {3, 4},
                                       {5, 8},
                                       {7, 12},
                                       {11, 30},
                                       {17, 32},
                                       {20, 49},
                                       {40, 128},
                                       {9, 71},
                                       {30, 134},
                                       /* in rows and columns, odd, and with slow ones */
                                       {2500, 6000},
                                       {1009, 4375},
                                       {2592, 5183},
                                       {2049, 4099}};
    static const int64_t primes[][2] = {{3, 2},   {5, 3},     {7, 5},   {17, 3},
                                        {269, 2}, {1009, 11}, {5003, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_diagonal(SPL_SPECTRUM, sizes[i][0], sizes[i][1]);
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        check_diagonal(SPL_RADER, primes[i][0], primes[i][1]);
        check_diagonal(SPL_CORNER, primes[i][0], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(chirps_do_not_overflow, nothing_leaks),
        cmocka_unit_test_teardown(spectra_are_sums, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
