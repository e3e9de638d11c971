// SPDX-License-Identifier: BSD-3-Clause
/* Cosine and sine transforms in the bench: FFTW, naive row-column and the routes of a DCT-II
 * compute what sluice does; parts of the work are shown and not compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

static const char *const kinds[] = {"dct1", "dct2", "dct3", "dct4", "dst1",
                                    "dst2", "dst3", "dst4", "dht"};

/* All checks pass, `count` of them by the engine. */
static void assert_checked(const char *engine, int count)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, " %s workers=1 error=", engine);
    assert_int_equal(bench_occurrences(bench_output, wanted), count);
    assert_int_equal(bench_occurrences(bench_output, "FAIL"), 0);
}

static void real_kinds_are_those_of_fftw(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *k = kinds[i];
        assert_int_equal(bench_run(BENCH_MERGED,
                                   "%s:f64:6x10 %s:f32:8x4*3 %s:f64:16 %s:f64:12:inplace --check "
                                   "--peers fftw-estimate,row-column" BENCH_QUICK,
                                   k, k, k, k),
                         0);
        assert_checked("row-column", 2);
        assert_checked("fftw-estimate", 4);
    }
    assert_int_equal(bench_run(BENCH_MERGED,
                               "'dct2*dst3:f64:6x5' 'dct3*dct4*dst2:f32:4x5x6' --check --peers "
                               "fftw-estimate,row-column" BENCH_QUICK),
                     0);
    assert_checked("row-column", 2);
    assert_checked("fftw-estimate", 2);
}

static void routes_are_dct2(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "dct2:f64:16 dct2:f32:9 dct2:f64:3 --check --peers "
                                             "route-4n,route-mirrored,route-padded,"
                                             "route-n" BENCH_QUICK),
                     0);
    assert_checked("route-4n", 3);
    assert_checked("route-mirrored", 3);
    assert_checked("route-padded", 3);
    assert_checked("route-n", 3);
}

/* A check without a whole rival fails, as it does without peers. */
static void parts_are_shown_and_not_compared(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED,
                               "dct2:f64:16x8 --peers reorder-gather,reorder-scatter --json -"
                               " --check" BENCH_QUICK),
                     1);
    assert_non_null(strstr(bench_output, "no peer to compare with FAIL"));
    assert_int_equal(
        bench_run(BENCH_QUIET,
                  "dct2:f64:16x8 --peers reorder-gather,reorder-scatter --json -" BENCH_QUICK),
        0);
    assert_non_null(strstr(bench_output, "\"engine\":\"reorder-gather\""));
    assert_non_null(strstr(bench_output, "\"engine\":\"reorder-scatter\""));
}

static void baselines_refuse_what_they_are_not_for(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "dct2:f64:16 c2c:f64:4x4 --peers "
                                             "row-column,reorder-gather" BENCH_QUICK),
                     0);
    assert_int_equal(bench_occurrences(bench_output, "a baseline of real kinds along several axes"),
                     2);
    assert_int_equal(bench_occurrences(bench_output, "a part of one dct2 of two axes"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_kinds_are_those_of_fftw),
        cmocka_unit_test(routes_are_dct2),
        cmocka_unit_test(parts_are_shown_and_not_compared),
        cmocka_unit_test(baselines_refuse_what_they_are_not_for),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
