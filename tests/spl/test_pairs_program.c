// SPDX-License-Identifier: BSD-3-Clause
/* Stages of pairs around complex transforms as programs: their kernels, with tags, in place, and
 * transforms of reals of every length. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "spl/oracle/oracle.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static const spl *sigma_of(spl_ctx *ctx, const char *text, const spl *x)
{
    sluice_diag why = {0, ""};
    long double distance = 1;
    const spl *sigma = spl_to_sigma(ctx, x), *merged = spl_merge(ctx, sigma, true);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    if (x->rows * x->cols < 20000) {
        assert_int_equal(spl_distance(x, merged, &distance), SLUICE_OK);
        if (!(distance < 1e-12L))
            fail_msg("%s: merged to another matrix", text);
    }
    return merged;
}

/* A formula lowered, checked and run on ref. */
static void verify(const char *text, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, text), *merged = sigma_of(ctx, text, x);
    sluice_diag why = {0, ""};
    prog *p = NULL;
    if (prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    program_compare(p, x);
    spl_ctx_close(ctx);
}

static void real_text(char *text, size_t size, bool inverse, long long n, const char *tags)
{
    const long long m = n / 2;
    if (n % 2 == 0 && inverse)
        snprintf(text, size, "V(%lld)^-1 * IDFT(%lld)_{leaf} * PAIRS.irdft(%lld)%s", m, m, m, tags);
    else if (n % 2 == 0)
        snprintf(text, size, "PAIRS.rdft(%lld)%s * DFT(%lld)_{leaf} * V(%lld)", m, tags, m, m);
    else if (inverse)
        snprintf(text, size, "RE(%lld) * IDFT(%lld)_{leaf} * S(h(%lld,%lld,0,1)) * H(%lld)", n, n,
                 m + 1, n, m + 1);
    else
        snprintf(text, size, "G(h(%lld,%lld,0,1)) * DFT(%lld)_{leaf} * EMBED(%lld)", m + 1, n, n,
                 n);
}

static void every_length_is_a_program(void **state)
{
    (void)state;
    static const char *const tags[] = {"", "_{vec(4,inter)}", "_{spe(2,1)}",
                                       "_{vec(2,inter),spe(3,2)}"};
    char text[256];
    for (long long n = 1; n <= 64; n++)
        for (int i = 0; i < (n % 2 == 0 ? 8 : 2); i++) {
            real_text(text, sizeof text, i % 2 != 0, n, tags[i / 2]);
            verify(text, NULL);
        }
    for (long long n = 97; n <= 1024; n = n < 128 ? n + 1 : 2 * n)
        for (int i = 0; i < 2; i++) {
            real_text(text, sizeof text, i != 0, n, n % 2 == 0 ? tags[3] : "");
            verify(text, NULL);
        }
}

/* Pairs of every kind and size, alone and with tags, on columns, in rows. */
static void every_stage_of_pairs_is_a_program(void **state)
{
    (void)state;
    static const char *const forms[] = {"PAIRS.%s(%d)",
                                        "PAIRS.%s(%d)_{vec(4,inter)}",
                                        "PAIRS.%s(%d)_{vec(2,inter),spe(3,2)}",
                                        "PAIRS.%s(%d) (x) I(3)",
                                        "(PAIRS.%s(%d) (x) I(4))_{vec(2,inter),spe(2,2)}",
                                        "(I(3) (x) PAIRS.%s(%d))_{vec(2,inter),spe(2,1)}"};
    char text[128];
    for (int kind = 0; kind < SPL_PAIRS_KINDS; kind++)
        for (int m = 1; m <= 17; m++)
            for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
                snprintf(text, sizeof text, forms[i], spl_pairs_def_of((spl_pairs_kind)kind)->word,
                         m);
                verify(text, NULL);
            }
}

/* Columns, batches, two dimensions, with tags. */
static void shapes_are_programs(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "PAIRS.rdft(6) (x) I(5)",
        "(PAIRS.rdft(8) (x) I(6))_{vec(4,inter)}",
        "(PAIRS.irdft(9) (x) I(8))_{vec(4,inter),tile(4)}",
        "(PAIRS.irdft(8) (x) I(8))_{vec(2,inter),spe(2,2)}",
        "(PAIRS.rdft(7) (x) I(12))_{vec(2,inter),tile(2),spe(3,4)}",
        "(PAIRS.rdft(4) (x) I(6))_{stream(2)}",
        "(I(4) (x) PAIRS.rdft(6))_{vec(2,inter),stream(2)}",
        "I(3) (x) PAIRS.rdft(5) (x) I(2)",
        "I(4) (x) (PAIRS.rdft(6) * DFT(6)_{leaf} * V(6))",
        "(I(4) (x) (PAIRS.rdft(6) * DFT(6)_{leaf} * V(6)))_{vec(4,inter),spe(2,1)}",
        "(I(2) (x) (PAIRS.rdft(16) * (DFT(4)_{leaf} (x) I(4)) * T(4,4) * L(16,4) * "
        "(DFT(4)_{leaf} (x) I(4)) * V(16)))_{vec(4,inter),spe(4,1)}",
        "(I(4) (x) (V(6)^-1 * IDFT(6)_{leaf} * PAIRS.irdft(6)))_{vec(4,inter),spe(2,1)}",
        "(I(3) (x) (RE(5) * IDFT(5)_{leaf} * S(h(3,5,0,1)) * H(3)))_{spe(2,1)}",
        "(I(3) (x) (G(h(3,5,0,1)) * DFT(5)_{leaf} * EMBED(5)))_{spe(2,1)}",
        "(DFT(4)_{leaf} (x) I(9))_{vec(4,inter),spe(2,1)} * "
        "(I(4) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)))_{vec(4,inter),spe(2,1)}",
        "(I(4) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)))_{vec(4,inter),spe(2,1)} * "
        "(IDFT(4)_{leaf} (x) I(9))_{vec(4,inter),spe(2,1)}",
        "PAIRS.dct2(6) * DFT(6)_{leaf} * P(fold(6))",
        "((PAIRS.dct2(8) * DFT(8)_{leaf} * P(fold(8))) (x) I(6))_{vec(4,inter),spe(2,2)}",
        "((S(fold(8)) * IDFT(8)_{leaf} * PAIRS.dct3(8)) (x) I(8))_{vec(4,inter),tile(4)}",
        "((S(fold(7)) * IDFT(7)_{leaf} * PAIRS.dct3(7)) (x) I(6))_{vec(2,inter)}",
        "(PAIRS.dht(9) * DFT(9)_{leaf}) (x) I(3)",
        "V(12)^-1 * ((PAIRS.dct2(4) * DFT(4)_{leaf} * P(fold(4))) (x) I(3))_{vec(2,inter)} * V(12)",
        "(V(16)^-1 * L(16,4) * (IDFT(4)_{leaf} (x) I(4)) * T(4,4)^-1 * L(16,4) * "
        "(IDFT(4)_{leaf} (x) I(4)) * PAIRS.irdft(16))_{vec(2,inter),spe(2,1)}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        verify(texts[i], NULL);
}

/* What a program is made of: inner buffers, and statements that only move elements. */
typedef struct counts {
    int buffers, moves;
} counts;

/* In place rows of n reals are padded to n + 2 for rows of n/2 + 1 complex numbers. */
static counts lower_and_count(const char *text, int64_t n, int64_t rows, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, text);
    const ix_term padded[] = {{IX_INDEX, 1, n, 1}, {IX_INDEX, n, rows, n + 2}};
    prog_sides s = *sides;
    if (s.in_place && x->from == SPL_TYPE_REAL)
        s.in = ix_digit(ctx, n * rows, (n + 2) * rows, 0, 2, padded);
    if (s.in_place && x->to == SPL_TYPE_REAL)
        s.out = ix_digit(ctx, n * rows, (n + 2) * rows, 0, 2, padded);
    sluice_diag why = {0, ""};
    prog *p = NULL;
    prog_exchanges sum;
    if (prog_lower(&p, ctx, sigma_of(ctx, text, x), &s, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    program_compare(p, x);
    assert_int_equal(prog_exchange(p, &sum, &why), SLUICE_OK);
    prog_exchanges_free(&sum);
    counts found = {p->nbufs - 2, 0};
    for (size_t i = 0; i < p->nstmts; i++)
        found.moves += p->stmt[i].op == PROG_KERN && p->stmt[i].kernel == SPL_I;
    spl_ctx_close(ctx);
    return found;
}

typedef struct place_case {
    const char *text;
    int64_t n, rows;
    int buffers;
} place_case;

/* Rows of reals become rows of complex numbers where they are, and back: no stage that copies. */
static void rows_in_place_need_no_copy(void **state)
{
    (void)state;
    static const place_case cases[] = {
        {"PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)", 16, 1, 1},
        {"V(9)^-1 * IDFT(9)_{leaf} * PAIRS.irdft(9)", 18, 1, 1},
        {"I(3) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8))", 16, 3, 1},
        {"(I(3) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)))_{vec(4,inter),spe(2,1)}", 16, 3,
         1},
        {"(I(5) (x) RDFT(8)_{leaf})_{vec(4,inter)}", 8, 5, 0},
        {"I(5) (x) IRDFT(8)_{leaf}", 8, 5, 0},
        {"(DFT(3)_{leaf} (x) I(9)) * (I(3) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)))", 16, 3, 2},
        {"(I(3) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8))) * (IDFT(3)_{leaf} (x) I(9))", 16,
         3, 2},
    };
    const prog_sides sides = {.in_place = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const place_case *c = &cases[i];
        const counts found = lower_and_count(c->text, c->n, c->rows, &sides);
        if (found.moves != 0 || found.buffers > c->buffers)
            fail_msg("%s: %d moves, %d buffers", c->text, found.moves, found.buffers);
    }
}

/* A stage of pairs works on the output itself, in which the transform behind it left m elements. */
static void pairs_work_in_the_output(void **state)
{
    (void)state;
    static const place_case cases[] = {
        {"PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)", 16, 1, 0},
        {"PAIRS.rdft(33)_{vec(4,inter)} * DFT(33)_{leaf} * V(33)", 66, 1, 0},
        {"PAIRS.rdft(64)_{vec(4,inter),spe(3,1)} * DFT(64)_{leaf} * V(64)", 128, 1, 0},
        {"PAIRS.rdft(16) * (DFT(4)_{leaf} (x) I(4)) * T(4,4) * L(16,4) * (DFT(4)_{leaf} (x) I(4)) "
         "* V(16)",
         32, 1, 1},
        {"V(16)^-1 * (IDFT(4)_{leaf} (x) I(4)) * T(4,4)^-1 * L(16,4) * (IDFT(4)_{leaf} (x) I(4)) "
         "* PAIRS.irdft(16)",
         32, 1, 1},
    };
    const prog_sides sides = {.out_is_scratch = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const place_case *c = &cases[i];
        const counts found = lower_and_count(c->text, c->n, c->rows, &sides);
        if (found.moves != 0 || found.buffers > c->buffers)
            fail_msg("%s: %d moves, %d buffers", c->text, found.moves, found.buffers);
    }
}

/* Terms that read what others wrote do not run in place. */
static void terms_that_meet_take_a_copy(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* row 4 is written with row 0, and read by another term */
        "S(h(2,5,0,4)) * EDGE.rdft(4) * G(h(1,5,0,1)) + S(h(3,5,1,1)) * DFT(3)_{leaf} * "
        "G(h(3,5,2,1))",
        "S(h(2,5,0,4)) * EDGE.rdft(4) * G(h(1,5,0,1)) + S(h(3,5,1,1)) * DFT(3)_{leaf} * "
        "G(h(3,5,1,1))",
        "S(h(2,4,0,1)) * DFT(2)_{leaf} * G(h(2,4,2,1)) + S(h(2,4,2,1)) * DFT(2)_{leaf} * "
        "G(h(2,4,0,1))",
    };
    const prog_sides sides = {.in_place = true};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(lower_and_count(texts[i], 4, 1, &sides).moves > 0);
}

static void text_of_programs(void **state)
{
    (void)state;
    static const char *const want =
        "program 16 -> 9, parts 1, output is scratch\n"
        "buf b0 IN 16 real; b1 OUT 9\n"
        "b1[i] = DFT(8) b0[i], i < 8 from i < 16\n"
        "vec[4,inter] k0 < 1:\n"
        "  b1[i*8] = EDGE.rdft b1[0], i < 2 from i < 1\n"
        "vec[4,inter] k0 < 3:\n"
        "  b1[(i%2 ? 7 - k0 : 1 + k0)] = PAIR.rdft W(64)[20 + k0*4] b1[(i%2 ? 7 - k0 : 1 + k0)], "
        "i < 2\n"
        "vec[4,inter] k0 < 1:\n"
        "  b1[4] = SELF.rdft b1[4], i < 1\n";
    spl_ctx *ctx = spl_ctx_open();
    core_text text = {NULL, 0, 0, false};
    prog *p;
    const prog_sides sides = {.out_is_scratch = true};
    const char *const formula = "PAIRS.rdft(8)_{vec(4,inter)} * DFT(8)_{leaf} * V(8)";
    const spl *x = sigma_of(ctx, formula, program_parsed(ctx, formula));
    assert_int_equal(prog_lower(&p, ctx, x, &sides, NULL), SLUICE_OK);
    prog_print(p, &text);
    assert_string_equal(core_text_string(&text), want);
    core_text_free(&text);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_length_is_a_program, nothing_leaks),
        cmocka_unit_test_teardown(every_stage_of_pairs_is_a_program, nothing_leaks),
        cmocka_unit_test_teardown(shapes_are_programs, nothing_leaks),
        cmocka_unit_test_teardown(rows_in_place_need_no_copy, nothing_leaks),
        cmocka_unit_test_teardown(pairs_work_in_the_output, nothing_leaks),
        cmocka_unit_test_teardown(terms_that_meet_take_a_copy, nothing_leaks),
        cmocka_unit_test_teardown(text_of_programs, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
