// SPDX-License-Identifier: BSD-3-Clause
/* sluice-bench with data on a device: PoCL as a device with memory of its own, and as one that
 * shares the host's, by groups of work-items. Skipped where there is no device. */
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
#include "tests/helpers/helper_opencl.h"

enum { SKIPPED = 77 };

static void run_right(const char *arguments, int code)
{
    const int found = bench_run(BENCH_MERGED, "%s" BENCH_QUICK, arguments);
    if (found != code)
        print_error("%s: %s", arguments, bench_output);
    assert_int_equal(found, code);
}

/* All problems in one run, as a program with a device takes long to start: each passes on the
 * device and by a peer on the host. */
static void all_pass(const char *problems, const char *options, int count)
{
    const int code =
        bench_run(BENCH_MERGED, "%s %s --peers fftw --check" BENCH_QUICK, problems, options);
    if (strstr(bench_output, "without fftw") && !strstr(bench_output, " host "))
        return; /* it is not there */
    if (code != 0 || bench_occurrences(bench_output, " PASS\n") != count)
        print_error("%s: %s", options, bench_output);
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, " PASS\n"), count);
    assert_int_equal(bench_occurrences(bench_output, " device "), count);
    assert_int_equal(bench_occurrences(bench_output, " host "), count);
}

/* Layouts, places, strides, kinds, a work area: as cores have them. */
static void outputs_are_right(void **state)
{
    static const char problems[] =
        "'c2c:f32:64*20' 'c2c:f64:30@1*7@40:inverse' 'c2c:f32:16*8:inplace' c2c:f64:65536:inplace "
        "'c2c:f32:24*6:in=split:out=split' 'c2c:f32:32*3:in=split' "
        "'c2c:f32:12*5:in=split:out=split:inplace' 'r2c:f32:100*4' 'c2r:f64:8x6*3' "
        "'r2c:f64:16*3:inplace' 'dct2:f32:16x16*2' 'c2c:f32:16@-1/-1*3@40/40'";
    (void)state;
    all_pass(problems, "--units opencl:0:copy", 12);
    all_pass(problems, "--units opencl:0 --data device", 12);
}

/* By NVIDIA's driver, as its own device and as one that follows OpenCL's. */
static void there_are_two_routes(void **state)
{
    char file[256];
    (void)state;
    snprintf(file, sizeof file, "%s/tests/cuda-standin.so", getenv("SLUICE_BIN_DIR"));
    setenv("SLUICE_CUDA_DRIVER", file, 1);
    setenv("SLUICE_CUDA_COMPILER", file, 1);
    all_pass("'c2c:f32:64*20' c2c:f64:4096:inplace c2c:f32:65536", "--units opencl:Stand", 3);
    all_pass("'c2c:f64:30@1*7@40:inverse' 'c2c:f32:24*6:in=split:out=split' 'c2r:f64:8x6*3'",
             "--units opencl:0:cuda:twiddles=sincos", 3);
    run_right("c2c:f32:64 --units opencl:3:cuda --data device --peers none", 2);
    unsetenv("SLUICE_CUDA_DRIVER");
    unsetenv("SLUICE_CUDA_COMPILER");
}

/* The number behind a word at the beginning of a line of the layer's report; 0: there is none. */
static double counted(const char *what)
{
    char line[64];
    snprintf(line, sizeof line, "\n%s ", what);
    const char *at = strstr(bench_output, line);
    return at ? strtod(at + strlen(line) + strcspn(at + strlen(line), "0123456789"), NULL) : 0;
}

/* A device with memory of its own is found to be one. Many executions, each of which moves nothing
 * and has no event; the input is sent in each window and after planning. */
static void executions_move_nothing(void **state)
{
    (void)state;
    char report[96];
    snprintf(report, sizeof report, "%s/report", bench_folder);
    setenv("OPENCL_LAYERS", opencl_layer_file(), 1);
    setenv("SLUICE_OPENCL_FAULTS", "unified=0", 1);
    setenv("SLUICE_OPENCL_REPORT", report, 1);
    const int code = bench_run(BENCH_MERGED, "c2c:f32:16 c2c:f32:16:inplace --units opencl:0 "
                                             "--peers none --windows 2 --seconds 0.05");
    unsetenv("OPENCL_LAYERS");
    unsetenv("SLUICE_OPENCL_FAULTS");
    unsetenv("SLUICE_OPENCL_REPORT");
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, " device "), 2);
    bench_read_file("report");
    assert_true(counted("clEnqueueNDRangeKernel calls") > 1000);
    assert_int_equal(counted("clEnqueueWriteBuffer calls"), 2 * 2 + 2); /* in and out, or in */
    assert_int_equal(counted("clEnqueueReadBuffer calls"), 0);
    assert_int_equal(counted("events made"), 0);
    assert_non_null(strstr(bench_output, "\nbuffers made "));
    assert_int_equal(bench_occurrences(bench_output, "outstanding 0\n"), 5); /* but a queue in its
                                                                                context */
}

static void the_host_may_have_them(void **state)
{
    (void)state;
    run_right("c2c:f32:64 --units opencl:0 --peers none", 0);
    assert_int_equal(bench_occurrences(bench_output, " host "), 1);
    run_right("c2c:f32:64 --units opencl:0:copy --data host --peers none", 0);
    assert_int_equal(bench_occurrences(bench_output, " host "), 1);
}

/* Rows of data elsewhere are no rows of this run. */
static void places_are_apart(void **state)
{
    char arguments[256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(arguments, sizeof arguments,
                 "--suite cpu --largest 64 --precision f32 --place in --units opencl:0:copy "
                 "--data %s --peers none --workers 1 --resume %s/d.json",
                 i ? "device" : "host", bench_folder);
        run_right(arguments, 0);
    }
    bench_read_file("d.json");
    const int rows = bench_occurrences(bench_output, "\"median_s\"");
    assert_true(rows > 0);
    assert_int_equal(bench_occurrences(bench_output, "\"data\":\"device\""), rows / 2);
    assert_int_equal(bench_occurrences(bench_output, "\"data\":\"host\""), rows / 2);
}

static void refusals_say_why(void **state)
{
    static const struct {
        const char *arguments, *says;
    } refusals[] = {
        {"c2c:f32:64 --data there", "--data cannot be 'there'"},
        {"c2c:f32:64 --units cpu:1 --data device", "data cannot be on a device of cpu:1, to which"},
        {"c2c:f32:64 --units opencl:0,cpu:1 --data device",
         "data cannot be on a device of opencl:0,cpu:1"},
        {"c2c:f32:64 --units opencl:0:colour --data device", "cannot open the machine"},
        {"c2c:f32:64 --units opencl:0:cores=1 --data device", "the caller's to say"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        run_right(refusals[i].arguments, 2);
        bench_assert_said(refusals[i].says);
    }
}

/* What the device does not hold is refused: there are no blocks that programs enqueue. */
static void what_is_too_large_is_said(void **state)
{
    (void)state;
    run_right("c2c:f32:65536 --units opencl:0:copy:memory=1M --peers none", 2);
    bench_assert_said("moves blocks between the host's memory and the device's");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_right),         cmocka_unit_test(there_are_two_routes),
        cmocka_unit_test(executions_move_nothing),   cmocka_unit_test(the_host_may_have_them),
        cmocka_unit_test(places_are_apart),          cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(what_is_too_large_is_said),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    if (bench_run(BENCH_MERGED, "c2c:f32:16 --units opencl:0 --peers none" BENCH_QUICK) != 0) {
        fprintf(stderr, "skipped: %s", bench_output);
        return SKIPPED;
    }
    return cmocka_run_group_tests_name("bench data", tests, bench_make_folder, bench_remove_folder);
}
