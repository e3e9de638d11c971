// SPDX-License-Identifier: BSD-3-Clause
/* cuFFT as a peer, with a library of ours that stands for it (tests/cufft_standin): layouts,
 * batches, kinds; the baseline of cosine transforms on it; errors of each function are said and
 * nothing is kept. */
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

static void outputs_agree(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:64",      "c2c:f64:30*7:inverse", "c2c:f64:16@1*5@40", "c2c:f32:8x6*3:inplace",
        "c2c:f64:3x4x5*2", "r2c:f32:30*4",         "r2c:f64:6x9",       "c2r:f64:16*3",
        "c2r:f32:4x6x5*2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const int code = bench_run(
            BENCH_MERGED, "'%s' --peers cufft,cufft-wait --check" BENCH_QUICK, problems[i]);
        if (code != 0 || bench_occurrences(bench_output, " PASS\n") != 2)
            print_error("%s: %s", problems[i], bench_output);
        assert_int_equal(code, 0);
        assert_int_equal(bench_occurrences(bench_output, " PASS\n"), 2);
        assert_int_equal(bench_occurrences(bench_output, "not released"), 0);
        bench_assert_said("cufft is cuFFT 12.0.34");
    }
}

/* Lengths of all remainders by tiles, one axis to three, both kinds. */
static void rows_agree(void **state)
{
    static const char *const problems[] = {
        "dct2:f32:64",   "dct3:f64:33*5",       "dct2:f32:48x70",          "dct2:f64:31x36*2",
        "dct3:f32:40x9", "dct2*dct3:f64:34x33", "dct3:f32:8x4x40:inplace",
    };
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const int code =
            bench_run(BENCH_MERGED, "'%s' --peers cufft-rows --check" BENCH_QUICK, problems[i]);
        if (code != 0 || bench_occurrences(bench_output, " PASS\n") != 1)
            print_error("%s: %s", problems[i], bench_output);
        assert_int_equal(code, 0);
        assert_int_equal(bench_occurrences(bench_output, " PASS\n"), 1);
        assert_int_equal(bench_occurrences(bench_output, "not released"), 0);
        assert_int_equal(bench_occurrences(bench_output, "was written"), 0);
        bench_assert_said("cufft-rows is cuFFT 12.0.34, kernels by NVRTC 13.0 for sm_90");
    }
}

static void what_it_lacks_is_said(void **state)
{
    static const struct {
        const char *problem, *says;
    } lacks[] = {
        {"dct2:f32:16", "it has no such transforms"},
        {"c2c:f32:2x2x2x2", "it has no transforms of so many dimensions"},
        {"c2c:f32:16@2", "it has no strides"},
        {"c2c:f32:16:scale=n", "it is timed without scaling"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        assert_int_equal(
            bench_run(BENCH_MERGED, "'%s' --peers cufft" BENCH_QUICK, lacks[i].problem), 0);
        bench_assert_said("without cufft");
        bench_assert_said(lacks[i].says);
    }
}

static void errors_are_said(void **state)
{
    static const struct {
        const char *function, *says;
    } errors[] = {
        {"cudaMalloc", "the device does not start: a made-up error"},
        {"cudaMemcpy", "the device does not take the data of this problem"},
        {"cudaDeviceSynchronize", "the device does not take the data of this problem"},
        {"cufftPlanMany", "it makes no plan for this problem: error 11"},
        {"cufftExecC2C", "it does not execute this problem"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        setenv("CUFFT_STANDIN_FAIL", errors[i].function, 1);
        assert_int_equal(bench_run(BENCH_MERGED, "c2c:f32:16*3 --peers cufft" BENCH_QUICK), 0);
        bench_assert_said(errors[i].says);
        assert_int_equal(bench_occurrences(bench_output, "not released"), 0);
    }
    unsetenv("CUFFT_STANDIN_FAIL");
}

static void errors_of_rows_are_said(void **state)
{
    static const struct {
        const char *function, *says;
    } errors[] = {
        {"cuCtxGetDevice", "the driver does not say which device it is"},
        {"nvrtcCreateProgram", "its kernels do not compile"},
        {"nvrtcCompileProgram", "its kernels do not compile: error: a made-up one"},
        {"nvrtcGetCUBIN", "its kernels do not compile"},
        {"cuModuleLoadData", "the driver does not load its kernels: error 5"},
        {"cuModuleGetFunction", "the driver does not find its kernels"},
        {"cuLaunchKernel", "it does not execute this problem"},
        {"cufftPlanMany", "it makes no plan for this problem"},
        {"cufftExecR2C", "it does not execute this problem"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        setenv("CUFFT_STANDIN_FAIL", errors[i].function, 1);
        assert_int_equal(bench_run(BENCH_MERGED, "dct2:f32:16x8 --peers cufft-rows" BENCH_QUICK),
                         0);
        bench_assert_said(errors[i].says);
        assert_int_equal(bench_occurrences(bench_output, "not released"), 0);
    }
    unsetenv("CUFFT_STANDIN_FAIL");
    assert_int_equal(bench_run(BENCH_MERGED, "dct4:f32:16 --peers cufft-rows" BENCH_QUICK), 0);
    bench_assert_said("it is a baseline of dct2 and dct3");
}

/* The median of cufft's calls. */
static double median_of(const char *problem, const char *peer)
{
    assert_int_equal(bench_run(BENCH_QUIET, "'%s' --peers %s --json -" BENCH_QUICK, problem, peer),
                     0);
    const char *line = strstr(bench_output, "\"engine\":\"cufft");
    assert_non_null(line);
    assert_non_null(strstr(line, "\"data\":\"device\""));
    assert_non_null(strstr(bench_output, "\"data\":\"host\"")); /* sluice's, on cores */
    return bench_number(line, "median_s");
}

/* In place as well, where values are restored between calls; nothing is compared that had its data
 * elsewhere. */
static void transfers_are_not_timed(void **state)
{
    (void)state;
    setenv("CUFFT_STANDIN_COPY", "40", 1);
    assert_true(median_of("c2c:f32:16*3", "cufft") < 0.02);
    assert_non_null(strstr(bench_output, "\"ratio_to\":null"));
    assert_true(median_of("c2c:f32:16*3:inplace", "cufft-wait") < 0.02);
    unsetenv("CUFFT_STANDIN_COPY");
}

static void the_last_wait_is_timed(void **state)
{
    (void)state;
    setenv("CUFFT_STANDIN_WAIT", "20", 1);
    assert_true(median_of("c2c:f32:16*3", "cufft") >= 0.019);
    unsetenv("CUFFT_STANDIN_WAIT");
}

static void without_it_the_bench_goes_on(void **state)
{
    (void)state;
    setenv("SLUICE_PEER_CUDART", "/nowhere/libcudart.so", 1);
    assert_int_equal(bench_run(BENCH_MERGED, "c2c:f32:16 --peers cufft" BENCH_QUICK), 0);
    bench_assert_said("without cufft: /nowhere/libcudart.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_agree),           cmocka_unit_test(rows_agree),
        cmocka_unit_test(what_it_lacks_is_said),   cmocka_unit_test(errors_are_said),
        cmocka_unit_test(errors_of_rows_are_said), cmocka_unit_test(transfers_are_not_timed),
        cmocka_unit_test(the_last_wait_is_timed),  cmocka_unit_test(without_it_the_bench_goes_on),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    setenv("SLUICE_PEER_CUFFT", CUFFT_STANDIN, 1);
    setenv("SLUICE_PEER_CUDART", CUFFT_STANDIN, 1);
    setenv("SLUICE_CUDA_DRIVER", CUFFT_STANDIN, 1);
    setenv("SLUICE_CUDA_COMPILER", CUFFT_STANDIN, 1);
    return cmocka_run_group_tests_name("bench cufft", tests, NULL, NULL);
}
