// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of reals on CPU cores: pairs and complex kernels that read or write reals are
 * codelets, with the right results and, whatever the number of threads, the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/run/cpu_state.h"
#include "core/cpu.h"
#include "core/text.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static backend *units;
static bool evaluates; /* may addresses be evaluated? */
static bool steps;     /* must loops have constant steps? */

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
    if (!evaluates && strstr(core_text_string(&text), "evaluated"))
        fail_msg("%s", core_text_string(&text));
    core_text_free(&text);
}

static void expect_steps(const cpu_program *program)
{
    for (size_t i = 0; steps && i < program->tape.nops; i++)
        if (program->tape.op[i].op == BIND_LOOP && !program->tape.op[i].has_constant_steps)
            fail_msg("the loop over k%d has no constant steps", program->tape.op[i].var);
}

static sluice_status run_on_cores(const prog *p, sluice_precision precision,
                                  const sluice_arrays *arrays, int threads)
{
    backend_program *program;
    sluice_diag why = {0};
    if (cpu_backend.team->prepare(units, NULL, p, BACKEND_FUSED, precision, &program, &why)
        != SLUICE_OK)
        fail_msg("%s", why.message);
    expect_codelets(program);
    expect_steps((const cpu_program *)program);
    const sluice_status status = program->run(program, arrays, NULL, threads);
    cpu_backend.team->release(program);
    return status;
}

/* Complex lanes of the best vectors. */
static int lanes_of(sluice_precision precision)
{
    static const int lanes[CORE_ISA_COUNT] = {1, 2, 4, 8};
    core_isa isa;
    sluice_diag why;
    assert_int_equal(core_cpu_isa(&isa, &why), SLUICE_OK);
    return precision == SLUICE_F64 && isa != CORE_ISA_SCALAR ? lanes[isa] / 2 : lanes[isa];
}

/* A formula in which VEC stands for vec with these lanes, lowered and run. */
static void verify_in(const char *pattern, sluice_precision precision, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    sluice_diag why = {0, ""};
    core_text text = {0};
    prog *p = NULL;
    for (const char *at = pattern; *at; at++) {
        if (strncmp(at, "VEC", 3) == 0)
            core_text_printf(&text, "vec(%d,inter)", lanes_of(precision));
        else
            core_text_add(&text, at, 1);
        at += strncmp(at, "VEC", 3) == 0 ? 2 : 0;
    }
    const spl *x = program_parsed(ctx, core_text_string(&text));
    const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, x), true);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK
        || prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", core_text_string(&text), why.message);
    program_check(p, core_text_string(&text));
    for (int threads = 1; threads <= 2; threads++)
        program_compare_on(run_on_cores, precision, threads, p, x);
    core_text_free(&text);
    spl_ctx_close(ctx);
}

static void verify(const char *pattern, const prog_sides *sides)
{
    verify_in(pattern, SLUICE_F32, sides);
    verify_in(pattern, SLUICE_F64, sides);
}

static void verify_alone(const char *word, int m)
{
    static const char *const shape[] = {"PAIRS.%s(%d)",
                                        "PAIRS.%s(%d)_{VEC}",
                                        "PAIRS.%s(%d)_{VEC,spe(2,1)}",
                                        "I(3) (x) PAIRS.%s(%d)_{VEC}",
                                        "(PAIRS.%s(%d) (x) I(19))_{VEC}",
                                        "(PAIRS.%s(%d) (x) I(40))_{VEC,spe(2,4)}"};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        char text[128];
        snprintf(text, sizeof text, shape[i], word, m);
        verify(text, NULL);
    }
}

static void pairs_alone(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPL_PAIRS_KINDS; kind++)
        for (int m = 1; m <= 70; m += m < 20 ? 1 : m < 40 ? 5 : 15)
            verify_alone(spl_pairs_def_of((spl_pairs_kind)kind)->word, m);
}

/* Whole transforms: the first stage reads reals, or the last one writes them. */
static const char *const transforms[] = {
    "PAIRS.rdft(8)_{VEC} * DFT(8)_{leaf} * V(8)",
    "V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)_{VEC}",
    "PAIRS.rdft(31) * DFT(31)_{leaf} * V(31)",
    "PAIRS.rdft(17)_{VEC} * S(power(17,6)) * (DFT(1)_{leaf} (x) I(17)) * (DFT(1)_{leaf} (+) "
    "IDFT(16)_{leaf}) * "
    "((D.corner(17,h(2,4,2,1)) * DFT(2)_{leaf} * D.corner(17,h(2,4,0,1)) * DFT(2)_{leaf}) (+) "
    "I(15)) * R(17,3) * "
    "(DFT(1)_{leaf} (x) I(17))_{VEC} * (DFT(1)_{leaf} (+) DFT(16)_{leaf}) * (DFT(1)_{leaf} (x) "
    "I(17)) * "
    "G(power(17,3)) * V(17)",
    "PAIRS.rdft(64)_{VEC} * DFT(64)_{leaf} * V(64)",
    "PAIRS.rdft(1024)_{VEC} * (DFT(32)_{leaf} (x) I(32))_{VEC} * L(1024,32) * T(32,32) * "
    "(DFT(32)_{leaf} (x) I(32))_{VEC} * V(1024)",
    "V(1024)^-1 * (IDFT(32)_{leaf} (x) I(32))_{VEC} * L(1024,32) * T(32,32)^-1 * "
    "(IDFT(32)_{leaf} (x) I(32))_{VEC} * PAIRS.irdft(1024)_{VEC}",
    "(PAIRS.rdft(144) * (DFT(12)_{leaf} (x) I(12)) * L(144,12) * T(12,12) * "
    "(DFT(12)_{leaf} (x) I(12)) * V(144))_{VEC,spe(2,1)}",
    "(I(5) (x) (PAIRS.rdft(6)_{VEC} * DFT(6)_{leaf} * V(6)))_{spe(2,1)}",
    "(I(4) (x) (V(6)^-1 * IDFT(6)_{leaf} * PAIRS.irdft(6)_{VEC}))_{spe(2,1)}",
    "(DFT(4)_{leaf} (x) I(9))_{VEC,spe(2,1)} * "
    "(I(4) (x) (PAIRS.rdft(8)_{VEC} * DFT(8)_{leaf} * V(8)))_{spe(2,1)}",
    "(I(4) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)_{VEC}))_{spe(2,1)} * "
    "(IDFT(4)_{leaf} (x) I(9))_{VEC,spe(2,1)}",
};

/* Odd lengths, and pairs between rows without strides; these evaluate addresses. */
static const char *const others[] = {
    "G(h(8,15,0,1)) * DFT(15)_{leaf} * EMBED(15)",
    "RE(15) * IDFT(15)_{leaf} * S(h(8,15,0,1)) * H(8)",
    "I(3) (x) (G(h(5,9,0,1)) * DFT(9)_{leaf} * EMBED(9))",
    "(I(3) (x) (RE(9) * IDFT(9)_{leaf} * S(h(5,9,0,1)) * H(5)))_{spe(2,1)}",
    "(G(h(3,5,0,1)) * DFT(5)_{leaf} * EMBED(5)) (x) I(7)",
    "G(power(11,2)) * S(power(11,2)) * PAIRS.rdft(10) * DFT(10)_{leaf} * V(10)",
    "V(10)^-1 * PAIRS.irdft(10) * G(power(11,2)) * S(power(11,2))",
    "G(power(11,2)) * S(power(11,2)) * PAIRS.rdft(10) * V(10)",
    "P(table(10: 3,1,4,0,9,2,6,5,8,7)) * PAIRS.dct2(10) * V(10)",
    "P(table(10: 3,1,4,0,9,2,6,5,8,7)) * PAIRS.dct3(10) * V(10)",
    "P(table(10: 3,1,4,0,9,2,6,5,8,7)) * PAIRS.idxst(10) * V(10)",
};

/* Pairs of reals to where a fold has them, and back: im goes back while re goes on. */
static void folds(void **state)
{
    static const char *const shape[] = {"(%s)", "(%s)_{VEC}", "(%s)_{VEC,spe(2,1)}"};
    static const char *const around[] = {
        "P(fold(%2$d)) * V(%1$d)^-1 * %3$s * V(%1$d)",
        "V(%1$d)^-1 * %3$s * V(%1$d) * P(two(i%%2,[%2$d->%2$d: i/2],[%2$d->%2$d: %4$d-i/2]))",
        "I(3) (x) (P(fold(%2$d)) * V(%1$d)^-1 * %3$s * V(%1$d))",
        ("I(3) (x) (V(%1$d)^-1 * %3$s * V(%1$d) * "
         "P(two(i%%2,[%2$d->%2$d: i/2],[%2$d->%2$d: %4$d-i/2])))"),
    };
    (void)state;
    for (int m = 2; m < 70; m += m < 20 ? 1 : 7)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
                char move[64], copy[96], text[384];
                snprintf(move, sizeof move, "DFT(1)_{leaf} (x) I(%d)", m);
                snprintf(copy, sizeof copy, shape[i], move);
                snprintf(text, sizeof text, around[k], m, 2 * m, copy, 2 * m - 1);
                verify(text, NULL);
                snprintf(copy, sizeof copy, "CONJ(%d)", m);
                snprintf(text, sizeof text, around[k], m, 2 * m, copy, 2 * m - 1);
                if (i == 0)
                    verify(text, NULL);
            }
}

static void odd_lengths(void **state)
{
    (void)state;
    evaluates = true; /* H next to no stage */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        verify(others[i], NULL);
    evaluates = false;
}

static void transforms_of_reals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        verify(transforms[i], NULL);
}

/* Element i at begin + i*step. */
static void verify_strided(const char *text, int64_t in_step, int64_t out_step, bool split)
{
    spl_ctx *ctx = spl_ctx_open();
    const prog_sides sides = {.in = in_step == 1 ? NULL : ix_h(ctx, 4096, 1 << 20, 0, in_step),
                              .out = out_step == 1 ? NULL : ix_h(ctx, 4096, 1 << 20, 0, out_step),
                              .in_layout = split ? SLUICE_SPLIT : SLUICE_INTERLEAVED,
                              .out_layout = split ? SLUICE_SPLIT : SLUICE_INTERLEAVED};
    verify(text, &sides);
    spl_ctx_close(ctx);
}

static void strides_and_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        for (int variant = 1; variant < 8; variant++)
            verify_strided(transforms[i], variant & 1 ? 3 : 1, variant & 2 ? 2 : 1, variant & 4);
}

/* Rows of n reals, n + 2 apart, where rows of n/2 + 1 complex numbers go. */
static void verify_in_place(const char *text, int64_t n, int64_t rows, bool real_in)
{
    spl_ctx *ctx = spl_ctx_open();
    const ix_term padded[] = {{IX_INDEX, 1, n, 1}, {IX_INDEX, n, rows, n + 2}};
    const ix *real = ix_digit(ctx, n * rows, (n + 2) * rows, 0, 2, padded);
    const prog_sides sides = {
        .in_place = true, .in = real_in ? real : NULL, .out = real_in ? NULL : real};
    verify(text, &sides);
    spl_ctx_close(ctx);
}

static void in_place(void **state)
{
    (void)state;
    for (int m = 2; m <= 32; m++)
        for (int i = 0; i < 4; i++) {
            char text[256];
            snprintf(text, sizeof text,
                     i % 2 ? "(I(5) (x) (V(%d)^-1 * IDFT(%d)_{leaf} * PAIRS.irdft(%d)_{VEC}))%s"
                           : "(I(5) (x) (PAIRS.rdft(%d)_{VEC} * DFT(%d)_{leaf} * V(%d)))%s",
                     m, m, m, i < 2 ? "" : "_{spe(2,1)}");
            if (m < 17 || m == 32)
                verify_in_place(text, 2 * m, 5, i % 2 == 0);
        }
}

/* Columns that fill no vector, and stages on sets of them: what is left over waits in a buffer. */
static void columns_in_place(void **state)
{
    static const char *const shape[] = {
        "(PAIRS.dct2(%d) (x) I(%d))_{VEC%s}", "(PAIRS.dct3(%d) (x) I(%d))_{VEC%s}",
        "(PAIRS.dht(%d) (x) I(%d))_{VEC%s}", "(PAIRS.dct4(%d) (x) I(%d))_{VEC%s}",
        "I(3) (x) (DFT(%d)_{leaf} (x) I(%d))_{VEC%s}"};
    static const int columns[] = {3, 5, 9, 18, 33, 41, 50, 70}, rows[] = {2, 7, 16};
    const prog_sides sides = {.in_place = true};
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            for (size_t m = 0; m < sizeof rows / sizeof *rows; m++)
                for (int shared = 0; shared < 2; shared++) {
                    char text[128];
                    snprintf(text, sizeof text, shape[k], rows[m], columns[i],
                             shared && columns[i] > 3 ? ",spe(2,4)" : "");
                    verify(text, &sides);
                }
}

/* Rows that go up and rows that go down, of five kernels each, and a stage behind some of them: all
 * calls are made once; also of columns that fill no vector, and of rows that are scaled. */
static void long_nests_have_constant_steps(void **state)
{
#define ROW                                                                                        \
    "(PAIRS.rdct2(50)_{VEC} * DFT(50)_{leaf} * V(50) * P(fold(100)) * V(50)^-1 * "                 \
    "(DFT(1)_{leaf} (x) I(50))_{VEC} * V(50))"
    (void)state;
    if (lanes_of(SLUICE_F32) < 4)
        skip(); /* no codelets of 50 points */
    steps = true;
    verify("(P(fold(20)) (x) I(100)) * (I(20) (x) " ROW ")", NULL);
    verify("I(7) (x) ((DFT(6)_{leaf} (x) I(50))_{VEC} * V(300) * (P(fold(6)) (x) I(100)) * "
           "(I(6) (x) " ROW "))",
           NULL);
    verify("I(11) (x) ((DFT(5)_{leaf} (x) I(7))_{VEC} * T(5,7) * (I(5) (x) DFT(7)_{leaf}))", NULL);
    verify("I(9) (x) ((I(4) (x) DFT(50)_{leaf}) (+) "
           "((I(200) (x) D.const(-1)) * (I(4) (x) DFT(50)_{leaf})))",
           NULL);
    steps = false;
#undef ROW
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_alone),

        cmocka_unit_test(transforms_of_reals),
        cmocka_unit_test(odd_lengths),
        cmocka_unit_test(strides_and_layouts),
        cmocka_unit_test(in_place),
        cmocka_unit_test(columns_in_place),
        cmocka_unit_test(folds),
        cmocka_unit_test(long_nests_have_constant_steps),
    };
    return cmocka_run_group_tests(tests, open_units, close_units);
}
