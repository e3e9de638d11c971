// SPDX-License-Identifier: BSD-3-Clause
/* Number theory against its definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/number.h"

static void divisors_are_common_and_greatest(void **state)
{
    (void)state;
    for (int64_t a = -30; a <= 30; a++)
        for (int64_t b = -30; b <= 30; b++) {
            int64_t greatest = 0;
            for (int64_t d = 1; d <= 30; d++)
                if (a % d == 0 && b % d == 0)
                    greatest = d;
            assert_int_equal(core_gcd(a, b), a == 0 && b == 0 ? 0 : greatest);
        }
}

static void largest_divisors_are_found(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 60; n++)
        for (int64_t most = 1; most <= 70; most++) {
            const int64_t d = core_largest_divisor(n, most);
            assert_true(d >= 1 && d <= most && n % d == 0);
            for (int64_t more = d + 1; more <= most; more++)
                assert_true(n % more != 0);
        }
}

static void powers_are_products(void **state)
{
    (void)state;
    for (int64_t p = 2; p < 40; p++)
        for (int64_t g = 0; g < p; g++)
            for (int64_t e = 0, product = 1; e < 50; e++, product = product * g % p)
                assert_int_equal(core_power_mod(g, e, p), product % p);
    assert_int_equal(core_power_mod(2147483646, 2147483646, 2147483647), 1); /* Fermat */
}

static void products_by_shares_are_exact(void **state)
{
    (void)state;
    static const int64_t primes[] = {3, 5, 31, 65537, 67108859, 2147483647};
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        const int64_t p = primes[i], step = p / 97 + 1;
        for (int64_t g = 1; g < p; g += step) {
            const core_multiplier by = core_multiplier_of(p - g, p);
            for (int64_t x = 0; x < p; x += step)
                assert_int_equal(core_multiply_mod(&by, p - 1 - x), (p - 1 - x) * (p - g) % p);
        }
    }
}

/* Do the powers of g take every value from 1 to p-1? */
static bool takes_all(int64_t p, int64_t g)
{
    bool seen[500] = {false};
    int64_t y = 1, count = 0;
    for (int64_t k = 1; k < p; k++, y = y * g % p)
        if (y != 0 && !seen[y]) {
            seen[y] = true;
            count++;
        }
    return count == p - 1;
}

/* Modulo a composite number some residue is never reached, so there is no generator. */
static void roots_generate(void **state)
{
    (void)state;
    for (int64_t p = 3; p < 500; p++) {
        int64_t smallest = 0;
        for (int64_t g = p - 1; g > 1; g--) {
            assert_int_equal(core_is_primitive_root(p, g), takes_all(p, g));
            if (takes_all(p, g))
                smallest = g;
        }
        assert_int_equal(core_primitive_root(p), smallest);
    }
}

static void what_is_no_odd_prime_has_no_root(void **state)
{
    (void)state;
    static const int64_t none[] = {INT64_MIN, -7, 0, 1, 2, 4, 2147483649, INT64_MAX};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(core_primitive_root(none[i]), 0);
        assert_false(core_is_primitive_root(none[i], 2));
    }
    assert_int_equal(core_primitive_root(2147483647), 7);
    assert_false(core_is_primitive_root(7, 1));
    assert_false(core_is_primitive_root(7, 7));
    assert_false(core_is_primitive_root(7, -4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisors_are_common_and_greatest),
        cmocka_unit_test(largest_divisors_are_found),
        cmocka_unit_test(powers_are_products),
        cmocka_unit_test(products_by_shares_are_exact),
        cmocka_unit_test(roots_generate),
        cmocka_unit_test(what_is_no_odd_prime_has_no_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
