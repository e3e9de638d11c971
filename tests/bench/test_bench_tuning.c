// SPDX-License-Identifier: BSD-3-Clause
/* The suites `tuning` and `lift` of sluice-bench: their problems, records on a device with groups
 * of work-items, what it refuses. */
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

#define SUITE "--suite tuning "

static void problems_are_listed(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, SUITE "--units ref:gpu --list"), 0);
    assert_int_equal(bench_occurrences(bench_output, "\n"), 2 * 2 * (10 + 9));
    bench_assert_said("c2c:f32:16*65536\n");
    bench_assert_said("dct2:f64:1024x1024\n");
    assert_int_equal(
        bench_run(BENCH_QUIET, SUITE "--units ref:gpu --list --precision f64 --largest 2^8"), 0);
    assert_int_equal(bench_occurrences(bench_output, "f64:"), 2 * (5 + 3));
    assert_int_equal(bench_occurrences(bench_output, "\n"), 2 * (5 + 3));
}

/* The line of a record; the test fails if there is none. */
static const char *record(const char *what)
{
    const char *line = strstr(bench_output, what);
    assert_non_null(line);
    return line;
}

/* A model's choice, a found one and their ratio for each problem; the means of all; a table. */
static void choices_are_compared(void **state)
{
    (void)state;
    const int code = bench_run(BENCH_MERGED,
                               SUITE "--units opencl:0 --precision f32 --largest 16 --json "
                                     "%s/t.json --plot %s/pictures" BENCH_QUICK,
                               bench_folder, bench_folder);
    if (strstr(bench_output, "cannot open the machine") || strstr(bench_output, "needs gnuplot"))
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, " model "), 4);
    assert_int_equal(bench_occurrences(bench_output, " search "), 4);
    assert_int_equal(bench_occurrences(bench_output, "\nsincos "), 4 + 1);
    assert_int_equal(bench_occurrences(bench_output, "\nnative "), 4 + 1);
    assert_int_equal(bench_occurrences(bench_output, " ratio="), 4 + 5 + 2 * (4 + 1));
    bench_read_file("pictures/tuning.csv");
    assert_int_equal(bench_occurrences(bench_output, "\n"), 1 + 4);
    bench_read_file("t.json");
    const char *fft = record("\"problem\":\"c2c:f32:16\",\"by\":\"model\"");
    assert_int_equal(bench_number(fft, "registers"),
                     16 + 10); /* 2.4 of each of the 4 points of a stage */
    assert_true(bench_number(fft, "us") > 0 && bench_number(fft, "groups_of_unit") >= 1);
    assert_true(bench_number(fft, "occupancy") > 0 && bench_number(fft, "occupancy") <= 1);
    assert_true(bench_number(record("\"family\":\"all\""), "ratio") >= 1);
    /* what is in the file is not measured again */
    assert_int_equal(bench_run(BENCH_QUIET,
                               SUITE "--units opencl:0 --precision f32 --largest 16 --resume "
                                     "%s/t.json",
                               bench_folder),
                     0);
    assert_int_equal(bench_occurrences(bench_output, "\n"), 5);
}

/* Any unit plans these formulas. Outputs of each are compared with the planner's. */
static void typed_formulas_are_right(void **state)
{
    (void)state;
    const int code = bench_run(BENCH_MERGED,
                               "--suite lift --units cpu:1 --largest 2000 --precision f32 --json "
                               "%s/l.json" BENCH_QUICK,
                               bench_folder);
    if (code != 0)
        print_error("%s", bench_output);
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, "check c2c:f32:1024 "), 9);
    assert_int_equal(bench_occurrences(bench_output, " PASS\n"), 9);
    assert_int_equal(bench_occurrences(bench_output, "to_planner="), 10);
    bench_read_file("l.json");
    assert_int_equal(bench_number(record("\"engine\":\"planner\""), "to_planner"), 1);
    assert_true(bench_number(record("\"engine\":\"cooley-tukey-8\""), "gflops") > 0);
}

static void refusals_say_why(void **state)
{
    static const struct {
        const char *arguments, *says;
    } refusals[] = {
        {"--suite tuning,cpu", "measured alone"},
        {"--suite cpu,lift", "measured alone"},
        {SUITE "--units cpu:1", "devices with groups of work-items, not cpu:0"},
        {SUITE "--units ref:gpu", "measures, which ref:0 cannot stand for"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        assert_int_equal(bench_run(BENCH_MERGED, "%s", refusals[i].arguments), 2);
        bench_assert_said(refusals[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_listed),
        cmocka_unit_test(choices_are_compared),
        cmocka_unit_test(typed_formulas_are_right),
        cmocka_unit_test(refusals_say_why),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    return cmocka_run_group_tests_name("bench tuning", tests, bench_make_folder,
                                       bench_remove_folder);
}
