// SPDX-License-Identifier: BSD-3-Clause
/* Peers on an OpenCL device: their outputs are ours, with calls chained and one by one. Skipped
 * where the libraries or the device are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

enum { SKIPPED = 77 };

/* Runs a peer on its problems and checks their outputs; skips without the peer. */
static void check_peer(const char *peer, const char *problems, int count)
{
    char said[64];
    const int code = bench_run(BENCH_MERGED, "%s --peers %s --check" BENCH_QUICK, problems, peer);
    snprintf(said, sizeof said, "without %s: ", peer);
    if (strstr(bench_output, said))
        skip();
    if (code != 0)
        print_error("%s", bench_output);
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, " PASS\n"), count);
    snprintf(said, sizeof said, " %s ", peer);
    assert_int_equal(bench_occurrences(bench_output, said), 2 * count); /* checked, and timed */
}

static void clfft_is_right(void **state)
{
    (void)state;
    check_peer("clfft", "'c2c:f32:64*20' c2c:f64:8x16:inverse:inplace", 2);
}

static void clfft_is_right_one_by_one(void **state)
{
    (void)state;
    check_peer("clfft-wait", "'c2c:f32:64*20'", 1);
}

static void vkfft_is_right(void **state)
{
    (void)state;
    check_peer("vkfft", "'c2c:f32:64*20' 'c2c:f64:4x8x16*3' c2c:f32:30:inverse:inplace", 3);
}

static void vkfft_is_right_one_by_one(void **state)
{
    (void)state;
    check_peer("vkfft-wait", "c2c:f64:64", 1);
}

/* What they cannot do is said, and is no failure. */
static void what_they_lack_is_said(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "r2c:f32:64 --peers vkfft" BENCH_QUICK), 0);
    if (strstr(bench_output, "without vkfft: "))
        skip();
    assert_non_null(strstr(bench_output, "it is timed with c2c alone"));
    assert_int_equal(bench_run(BENCH_MERGED, "c2c:f32:64:inverse --peers vkfft" BENCH_QUICK), 0);
    assert_non_null(strstr(bench_output, "its inverse transforms are in place"));
}

static void a_device_that_is_not_there_is_said(void **state)
{
    (void)state;
    assert_int_equal(setenv("SLUICE_PEER_OPENCL", "./no-such-libOpenCL.so", 1), 0);
    const int code = bench_run(BENCH_MERGED, "c2c:f32:64 --peers clfft,vkfft" BENCH_QUICK);
    unsetenv("SLUICE_PEER_OPENCL");
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, "without clfft: "), 1);
    assert_int_equal(bench_occurrences(bench_output, "without vkfft: "), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clfft_is_right),
        cmocka_unit_test(clfft_is_right_one_by_one),
        cmocka_unit_test(vkfft_is_right),
        cmocka_unit_test(vkfft_is_right_one_by_one),
        cmocka_unit_test(what_they_lack_is_said),
        cmocka_unit_test(a_device_that_is_not_there_is_said),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests_name("bench on a device", tests, NULL, NULL);
}
