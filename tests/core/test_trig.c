// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity: accuracy against the C library's long double functions, and exact symmetries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/near_roots.h"
#include "core/trig.h"

static const long double two_pi = 6.283185307179586476925286766559005768L;
static const size_t sizes[] = {1,    2,    3,    4,     5,     6,       7,       8,       9,
                               12,   15,   16,   24,    30,    60,      64,      97,      100,
                               1000, 1024, 4099, 46189, 65536, 1000000, 1048576, 3145728, 4194304};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* About `max` values of k spread over 0..n-1, the ends among them. */
static size_t sample_step(size_t n, size_t max)
{
    return n <= max ? 1 : n / max | 1;
}

static void roots_are_accurate(void **state)
{
    (void)state;
    /* The direct angle is rounded at up to 2 pi: most of the difference is due to that, not to
     * core_root. */
    const long double tolerance = 16 * 0x1p-64L + (sizeof(long double) == 8 ? 0x1p-50L : 0);
    for (int i = 0; i < SIZES; i++) {
        const size_t n = sizes[i];
        for (size_t k = 0; k < n; k += sample_step(n, 2000)) {
            long double re, im;
            core_root(k, n, &re, &im);
            const long double angle = two_pi * ((long double)k / (long double)n);
            assert_true(fabsl(re - cosl(angle)) <= tolerance);
            assert_true(fabsl(im + sinl(angle)) <= tolerance);
        }
    }
}

static void symmetries_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        const size_t n = sizes[i];
        for (size_t k = 0; k < n; k += sample_step(n, 500)) {
            long double re, im, x, y;
            core_root(k, n, &re, &im);
            core_root(n - k, n, &x, &y); /* conjugate; k may equal n */
            assert_true(x == re && y == -im);
            core_root(k + 3 * n, n, &x, &y);
            assert_true(x == re && y == im);
            core_root(2 * k + n, 2 * n, &x, &y); /* half a turn */
            assert_true(x == -re && y == -im);
            core_root(4 * k + n, 4 * n, &x, &y); /* times -i */
            assert_true(x == im && y == -re);
            core_root(8 * k + n, 8 * n, &x, &y);
            if (k == 0)
                assert_true(x == -y);
        }
    }
}

static void axes_are_exact_and_positive_zero(void **state)
{
    (void)state;
    static const int expected[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    for (size_t n = 4; n <= 4096; n *= 4) {
        for (size_t q = 0; q < 4; q++) {
            long double re, im;
            core_root(q * (n / 4), n, &re, &im);
            assert_true(re == expected[q][0] && im == expected[q][1]);
            assert_false(re == 0 && signbit(re));
            assert_false(im == 0 && signbit(im));
        }
    }
}

/* |value - exact| in units of the last place of the double nearest to `exact`. */
static double error_in_ulps(double value, long double exact)
{
    const double nearest = (double)exact;
    const double ulp = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    return (double)(fabsl((long double)value - exact) / ulp);
}

static void tables_round_as_promised(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        const size_t n = sizes[i];
        size_t off = 0, seen = 0;
        core_roots *roots = core_roots_open(n);
        assert_non_null(roots);
        for (size_t k = 0; k < n; k += sample_step(n, 50000)) {
            double re, im;
            long double x, y;
            core_roots_get(roots, k, &re, &im);
            core_root(k, n, &x, &y);
            assert_true(error_in_ulps(re, x) <= 0.51 && error_in_ulps(im, y) <= 0.51);
            off += (re != (double)x) + (im != (double)y);
            seen += 2;
        }
        assert_true(off * 1000 <= seen * 3);
        core_roots_close(roots);
    }
    core_roots_close(NULL);
}

static void check_near_root(const core_near_roots *roots, size_t k, size_t n, size_t *off)
{
    double re, im;
    long double x, y;

    const double exponent = (double)k;
    core_near_roots_get(roots, 1, &exponent, &re, &im);
    core_root(k, n, &x, &y);
    assert_true(error_in_ulps(re, x) <= 1 && error_in_ulps(im, y) <= 1);
    assert_false((re == 0 && signbit(re)) || (im == 0 && signbit(im)));
    *off += (error_in_ulps(re, x) > 0.6) + (error_in_ulps(im, y) > 0.6);
}

/* At the ends of octants too, which a product tells apart. */
static void near_roots_round_as_promised(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        const size_t n = sizes[i];
        size_t off = 0, seen = 0;
        const core_near_roots roots = core_near_roots_of(n);
        for (size_t k = 0; k < n; k += sample_step(n, 50000)) {
            check_near_root(&roots, k, n, &off);
            seen += 2;
        }
        assert_true(off * 10 <= seen);
        for (size_t octant = 0; octant <= 8; octant++)
            for (size_t d = 0; d < 3; d++)
                if (octant * n / 8 + d >= 1 && octant * n / 8 + d - 1 < n)
                    check_near_root(&roots, octant * n / 8 + d - 1, n, &off);
    }
}

/* Of many numbers, whatever the vectors they are in; squares leave 53 bits. */
static void near_chirps_are_the_roots_of_squares(void **state)
{
    static const size_t orders[] = {2, 6, 2018, 131074, 200006, 189812534, 4294967294};
    enum { COUNT = 37 };
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const size_t n = orders[i], step = n / 2 / COUNT + 1;
        const core_near_roots roots = core_near_roots_of(n);
        double k[COUNT], re[COUNT], im[COUNT];
        for (size_t j = 0; j < COUNT; j++)
            k[j] = (double)(j * step) * (j % 2 ? -1 : 1);
        core_near_chirps_get(&roots, COUNT, k, re, im);
        for (size_t j = 0; j < COUNT; j++) {
            long double x, y;
            core_root(j * step * (j * step) % n, n, &x, &y);
            assert_true(error_in_ulps(re[j], x) <= 1 && error_in_ulps(im[j], y) <= 1);
        }
    }
}

static void tables_survive_want_of_memory(void **state)
{
    (void)state;
    for (long nth = 1; nth <= 3; nth++) {
        core_mem_fail_from(nth);
        assert_null(core_roots_open(1000));
        core_mem_fail_from(0);
        assert_int_equal(core_mem_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_accurate),
        cmocka_unit_test(symmetries_are_exact),
        cmocka_unit_test(axes_are_exact_and_positive_zero),
        cmocka_unit_test(tables_round_as_promised),
        cmocka_unit_test(near_roots_round_as_promised),
        cmocka_unit_test(near_chirps_are_the_roots_of_squares),
        cmocka_unit_test(tables_survive_want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
