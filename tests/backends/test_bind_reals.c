// SPDX-License-Identifier: BSD-3-Clause
/* Leaves that transform reals on CPU cores: alone, as rows, as columns and with other strides, in
 * vectors that are not filled, with the right results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "core/cpu.h"
#include "core/text.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static backend *units;

static int open_units(void **state)
{
    static core_log log;
    sluice_diag why;
    const backend_config config = {.text = "2", .callers = 1, .large_callers = 1, .log = &log};
    (void)state;
    if (cpu_backend.discover->open(&units, &config, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    return 0;
}

static int close_units(void **state)
{
    (void)state;
    cpu_backend.discover->close(units);
    return 0;
}

static void expect_codelets(const backend_program *program)
{
    core_text text = {0};
    cpu_backend.team->print(program, &text);
    if (strstr(core_text_string(&text), "evaluated"))
        fail_msg("%s", core_text_string(&text));
    core_text_free(&text);
}

static sluice_status run_prepared(const prog *p, sluice_precision precision,
                                  const sluice_arrays *arrays, int threads, bool by_codelets)
{
    backend_program *program;
    sluice_diag why = {0};
    if (cpu_backend.team->prepare(units, NULL, p, BACKEND_FUSED, precision, &program, &why)
        != SLUICE_OK)
        fail_msg("%s", why.message);
    if (by_codelets)
        expect_codelets(program);
    const sluice_status status = program->run(program, arrays, NULL, threads);
    cpu_backend.team->release(program);
    return status;
}

static sluice_status run_on_cores(const prog *p, sluice_precision precision,
                                  const sluice_arrays *arrays, int threads)
{
    return run_prepared(p, precision, arrays, threads, true);
}

static sluice_status run_evaluated(const prog *p, sluice_precision precision,
                                   const sluice_arrays *arrays, int threads)
{
    return run_prepared(p, precision, arrays, threads, false);
}

/* Reals in the best vectors. */
static int lanes_of(sluice_precision precision)
{
    static const int bytes[CORE_ISA_COUNT] = {0, 16, 32, 64};
    core_isa isa;
    sluice_diag why;
    assert_int_equal(core_cpu_isa(&isa, &why), SLUICE_OK);
    return isa == CORE_ISA_SCALAR ? 1 : bytes[isa] / (precision == SLUICE_F32 ? 4 : 8);
}

static void verify_in(const char *text, sluice_precision precision, const prog_sides *sides,
                      program_runner *run)
{
    spl_ctx *ctx = spl_ctx_open();
    sluice_diag why = {0, ""};
    prog *p = NULL;
    const spl *x = program_parsed(ctx, text);
    const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, x), true);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK
        || prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    for (int threads = 1; threads <= 2; threads++)
        program_compare_on(run, precision, threads, p, x);
    spl_ctx_close(ctx);
}

/* A shape around the transform of n points, in which %s is its leaf and %v the lanes. */
static void verify(const char *shape, const char *word, int n, const prog_sides *sides)
{
    for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++) {
        core_text text = {0};
        for (const char *at = shape; *at; at++) {
            const bool mark = *at == '%';
            at += mark;
            if (mark && *at == 's')
                core_text_printf(&text, "%s(%d)_{leaf}", word, n);
            else if (mark)
                core_text_printf(&text, "vec(%d,real)", lanes_of((sluice_precision)precision));
            else
                core_text_add(&text, at, 1);
        }
        verify_in(core_text_string(&text), (sluice_precision)precision, sides, run_on_cores);
        core_text_free(&text);
    }
}

static const char *const shapes[] = {
    "%s",
    "%s_{%v}",
    "(I(5) (x) %s)_{%v}",
    "(I(37) (x) %s)_{%v,spe(2,1)}",
    "(%s (x) I(5))_{%v}",
    "(%s (x) I(37))_{%v,spe(2,1)}",
    "I(3) (x) %s (x) I(4)",
    "(I(2) (x) %s (x) I(20))_{%v}",
};

static void transforms_of_reals(void **state)
{
    static const struct {
        const char *word;
        int sizes[24];
    } cases[] = {
        {"RDFT", {2, 3, 4, 5, 7, 8, 9, 15, 16, 25, 31, 32}},
        {"IRDFT", {2, 3, 4, 5, 7, 8, 9, 15, 16, 25, 31, 32}},
        {"DCT2", {2, 3, 8, 24, 64}},
        {"DCT3", {2, 3, 8, 24, 64}},
        {"DCT4", {2, 3, 8, 24, 64}},
        {"DST2", {2, 5, 16, 32}},
        {"DST3", {2, 5, 16, 32}},
        {"DST4", {2, 5, 16, 32}},
    };
    const prog_sides reals = {.type = SPL_TYPE_REAL};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const int *n = cases[i].sizes; *n; n++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
                verify(shapes[k], cases[i].word, *n, &reals);
}

/* A real matrix on complex numbers. */
static void transforms_of_parts(void **state)
{
    static const char *const words[] = {"DCT2", "DCT3", "DCT4", "DST2", "DST3", "DST4"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            verify(shapes[k], words[i], 8, NULL);
}

/* Position W, which computes one transform at a time; without vectors there is none. */
static void whole_transforms(void **state)
{
    static const int most[CORE_ISA_COUNT] = {0, 64, 256, 256};
    static const int sizes[] = {12, 20, 40, 48, 64, 80, 96, 120, 128, 160, 192, 240, 256};
    core_isa isa;
    sluice_diag why;
    (void)state;
    assert_int_equal(core_cpu_isa(&isa, &why), SLUICE_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 4 && sizes[i] <= most[isa]; k++) {
            verify(shapes[k], "RDFT", sizes[i], NULL);
            verify(shapes[k], "IRDFT", sizes[i], NULL);
        }
}

static void strides(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    const prog_sides sides = {.type = SPL_TYPE_REAL,
                              .in = ix_h(ctx, 4096, 1 << 20, 0, 3),
                              .out = ix_h(ctx, 4096, 1 << 20, 0, 2)};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        verify(shapes[k], "RDFT", 12, &sides);
        verify(shapes[k], "IRDFT", 12, &sides);
        verify(shapes[k], "DCT2", 8, &sides);
    }
    spl_ctx_close(ctx);
}

/* Factors of complex numbers that are pairs of reals on both sides, beside no kernel: evaluated. */
static void factors_between_pairs_of_reals(void **state)
{
    static const char *const texts[] = {"V(6)^-1 * W(6) * P(fold(6)) * V(6)",
                                        "V(40)^-1 * Q(40) * L(40,8) * V(40)",
                                        "V(3)^-1 * CONJ(3) * W(3) * V(3) * P(fold(6))"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++)
            verify_in(texts[k], (sluice_precision)precision, NULL, run_evaluated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_of_reals),
        cmocka_unit_test(transforms_of_parts),
        cmocka_unit_test(whole_transforms),
        cmocka_unit_test(strides),
        cmocka_unit_test(factors_between_pairs_of_reals),
    };
    return cmocka_run_group_tests(tests, open_units, close_units);
}
