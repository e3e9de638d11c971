// SPDX-License-Identifier: BSD-3-Clause
/* scripts/check-ptx: what NVIDIA's assembler says of emitted kernels, without a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"
#include "tests/helpers/helper_python.h"

/* check-ptx with the commands of this build; 77 where a tool is missing ends the test. */
#define CHECK "BUILD=$SLUICE_BIN_DIR scripts/check-ptx "

enum { SKIPPED = 77 };

static int check(const char *arguments)
{
    const int code = bench_script(CHECK "%s 2>&1", arguments);
    if (code == SKIPPED) {
        print_message("%s", bench_output);
        skip();
    }
    return code;
}

static void golden_registers(void **state)
{
    (void)state;
    need_python();
    if (check("") != 0)
        fail_msg("%s", bench_output);
    bench_assert_said(" kernels, no spills");
}

/* Control: kernels that cannot but spill, and one that needs more than it may. */
static void spills_are_found(void **state)
{
    (void)state;
    need_python();
    assert_int_equal(check("--registers 32 '(I(64) (x) DFT(16)_{leaf})_{spe(4,1)}'"), 1);
    bench_assert_said("dft16_f32_4x16_0 spills registers");
    bench_write_file("few.txt", "20 (I(64) (x) DFT(16)_{leaf})_{spe(4,1)}\n");
    char arguments[256];
    snprintf(arguments, sizeof arguments, "--golden %s/few.txt", bench_folder);
    assert_int_equal(check(arguments), 1);
    bench_assert_said("registers, golden are 20");
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    need_python();
    assert_int_equal(bench_script("SLUICE_PTXAS=/nowhere/ptxas " CHECK "c2c:f32:16 2>&1"), SKIPPED);
    bench_assert_said("check-ptx: skipped: there is no ptxas");
    bench_write_file("wrong.txt", "many c2c:f32:16\n");
    assert_int_equal(bench_script(CHECK "--golden %s/wrong.txt 2>&1", bench_folder), 2);
    bench_assert_said("wrong.txt:1: not 'REGISTERS PROBLEM': many c2c:f32:16");
    if (check("c2c:f32:none") != 1)
        fail_msg("%s", bench_output);
    bench_assert_said("sluice failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_registers),
        cmocka_unit_test(spills_are_found),
        cmocka_unit_test(refusals_are_sentences),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return SKIPPED;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
