// SPDX-License-Identifier: BSD-3-Clause
/* The suite `kinds` of sluice-bench: its records on a device that computes on the host's cores, its
 * list, what it refuses. */
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

static void run_suite(const char *options)
{
    const int code = bench_run(BENCH_MERGED,
                               "--suite kinds --units opencl:0 --windows 1 --seconds 0.002 %s "
                               "--json %s/k.json",
                               options, bench_folder);
    if (strstr(bench_output, "cannot open the machine"))
        skip();
    if (code != 0)
        print_error("%s", bench_output);
    assert_int_equal(code, 0);
    bench_read_file("k.json");
}

static void executions_have_figures(void **state)
{
    static const char *const fields[] = {"cores_us", "chained_us", "waited_us",
                                         "cores_over_chained", "cores_over_waited"};
    (void)state;
    run_suite("--precision f64 --largest 65536");
    const char *line = strstr(bench_output, "\"problem\":\"c2c:f64:65536\"");
    assert_non_null(line);
    assert_int_equal(bench_occurrences(bench_output, "\"record\":\"execution\""), 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_true(bench_number(line, fields[i]) > 0);
}

static void streams_have_figures(void **state)
{
    static const char *const fields[] = {"cores_us", "device_us", "turns_us", "turns_over_device"};
    (void)state;
    run_suite("--precision f32 --largest 65536");
    const char *line =
        strstr(bench_output, "\"record\":\"stream\",\"problem\":\"c2c:f32:256*256\"");
    assert_non_null(line);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_true(bench_number(line, fields[i]) > 0);
    if (strstr(line, "both_us")) { /* the device has several cores */
        assert_true(bench_number(line, "cores_over_both") > 0);
        assert_true(bench_number(line, "device_share") >= 0);
        assert_true(bench_number(line, "device_share") <= 1);
        assert_true(bench_number(line, "least_share") <= bench_number(line, "largest_share"));
    }
}

static void a_list_measures_nothing(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "--suite kinds --units cpu:1 --largest 2^18 --list"),
                     0);
    bench_assert_said("dct2:f64:4096*64");
    bench_assert_said("c2c:f32:1024*256");
    assert_int_equal(bench_occurrences(bench_output, "_us"), 0);
}

static void refusals_say_why(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "--suite kinds --units cpu:1"), 2);
    bench_assert_said("needs --units with one OpenCL device");
    assert_int_equal(bench_run(BENCH_MERGED, "--suite kinds,link"), 2);
    bench_assert_said("measured alone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions_have_figures),
        cmocka_unit_test(streams_have_figures),
        cmocka_unit_test(a_list_measures_nothing),
        cmocka_unit_test(refusals_say_why),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests_name("bench kinds", tests, bench_make_folder,
                                       bench_remove_folder);
}
