// SPDX-License-Identifier: BSD-3-Clause
/* The suite `portability` of sluice-bench: its records, tables and pictures; units that agree, and
 * one that computes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

enum { SKIPPED = 77 };

#define SUITE "--suite portability "

static bool file_is_there(const char *name)
{
    char path[256];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", bench_folder, name);
    return stat(path, &status) == 0 && status.st_size > 0;
}

static void lengths_are_listed(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--list"), 0);
    assert_int_equal(bench_occurrences(bench_output, "\n"), 14);
    assert_non_null(strstr(bench_output, "c2c:f32:8\n"));
    assert_non_null(strstr(bench_output, "c2c:f32:65536\n"));
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--list --precision f64 --largest 2^11"), 0);
    assert_int_equal(bench_occurrences(bench_output, "c2c:f64:"), 9);
}

/* Times of each unit and length; each against the native one; the controls. */
static void units_agree(void **state)
{
    (void)state;
    assert_int_equal(
        bench_run(BENCH_QUIET, SUITE "--largest 64 --runs 40 --units ref:1,cpu:2,cpu:1"), 0);
    assert_int_equal(bench_occurrences(bench_output, "time    "), 3 * 4);
    assert_int_equal(bench_occurrences(bench_output, "against=cpu:1 "), 2 * 4);
    assert_int_equal(bench_occurrences(bench_output, "control cpu:1 "), 4);
    assert_int_equal(bench_occurrences(bench_output, "FAIL"), 0);
}

/* Both precisions, to the longest length: the bound follows the rounding. */
static void long_lengths_agree(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--runs 20 --units cpu:2"), 0);
    assert_int_equal(bench_occurrences(bench_output, "time    cpu:2 "), 14);
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--runs 20 --units cpu:2 --precision f64"), 0);
    assert_int_equal(bench_occurrences(bench_output, "FAIL"), 0);
}

/* On a device: once there, with memory of its own, once in the host's. */
static void data_may_be_on_a_device(void **state)
{
    (void)state;
    const int code = bench_run(BENCH_MERGED, SUITE "--largest 16 --runs 20 --units "
                                                   "opencl:0:copy,opencl:0");
    if (strstr(bench_output, "--units opencl:0:copy: "))
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, " data=device "), 2);
    assert_int_equal(bench_occurrences(bench_output, " data=host "), 4);
    assert_int_equal(bench_occurrences(bench_output, "FAIL"), 0);
}

/* A fake unit copies its input. */
static void what_disagrees_fails(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--largest 32 --runs 20 --units fake:1"), 1);
    assert_true(bench_occurrences(bench_output, "FAIL") >= 3);
    assert_int_equal(bench_occurrences(bench_output, "against=cpu:1 "), 3);
    assert_null(strstr(bench_output, "control cpu:1      c2c:f32:32     FAIL"));
}

static void records_are_json(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET,
                               SUITE "--largest 16 --runs 20 --units ref:1 --json %s/p.json",
                               bench_folder),
                     0);
    bench_read_file("p.json");
    int times = 0;
    for (char *line = strtok(bench_output, "\n"); line; line = strtok(NULL, "\n")) {
        assert_int_equal(line[0], '{');
        assert_int_equal(line[strlen(line) - 1], '}');
        if (!strstr(line, "\"record\":\"time\""))
            continue;
        times++;
        assert_true(bench_number(line, "min_us") <= bench_number(line, "mean_us"));
        assert_true(bench_number(line, "mean_us") <= bench_number(line, "max_us"));
        assert_true(bench_number(line, "kernel_min_us") > 0);
        assert_true(bench_number(line, "kernel_min_us") <= bench_number(line, "kernel_mean_us"));
        assert_true(bench_number(line, "launch_us") > 0 && bench_number(line, "first_us") > 0);
    }
    assert_int_equal(times, 2 * 2);
}

static void pictures_have_their_tables(void **state)
{
    static const char *const pictures[] = {"mean", "least", "difference", "runs"};
    (void)state;
    char name[64];
    const int code =
        bench_run(BENCH_MERGED, SUITE "--largest 16 --runs 20 --units ref:1 --plot %s/pictures",
                  bench_folder);
    if (strstr(bench_output, "needs gnuplot"))
        skip();
    assert_int_equal(code, 0);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        snprintf(name, sizeof name, "pictures/portability-%s.png", pictures[i]);
        assert_true(file_is_there(name));
    }
    bench_read_file("pictures/portability-runs.csv");
    assert_int_equal(bench_occurrences(bench_output, "\n"), 1 + 2 * 2 * 20);
    assert_int_equal(bench_occurrences(bench_output, "ref:1,c2c:f32:16,20,"), 1);
    bench_read_file("pictures/portability-spectrum.csv");
    assert_int_equal(bench_occurrences(bench_output, "\n"), 1 + 2 * 16);
}

static void refusals_say_why(void **state)
{
    static const struct {
        const char *arguments, *says;
        int code;
    } refusals[] = {
        {"--suite portability,cpu", "measured alone", 2},
        {"--suite portability --runs 0", "--runs cannot be '0'", 2},
        {"--suite portability --units nothing", "nothing", 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const int code = bench_run(BENCH_MERGED, "%s", refusals[i].arguments);
        if (code != refusals[i].code || !strstr(bench_output, refusals[i].says))
            print_error("%s: %d, %s\n", refusals[i].arguments, code, bench_output);
        assert_int_equal(code, refusals[i].code);
        assert_non_null(strstr(bench_output, refusals[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_listed),         cmocka_unit_test(units_agree),
        cmocka_unit_test(data_may_be_on_a_device),    cmocka_unit_test(long_lengths_agree),
        cmocka_unit_test(what_disagrees_fails),       cmocka_unit_test(records_are_json),
        cmocka_unit_test(pictures_have_their_tables), cmocka_unit_test(refusals_say_why),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests_name("bench portability", tests, bench_make_folder,
                                       bench_remove_folder);
}
