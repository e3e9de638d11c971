// SPDX-License-Identifier: BSD-3-Clause
/* Programs on typed vectors: every kind of the table as a leaf, on reals and on complex numbers,
 * what changes types around it, and formulas with other rows than columns. What the reference
 * computes is what the formula says (spl_apply, by definitions). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "spl/oracle/oracle.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static const prog_sides complex_sides, real_sides = {.type = SPL_TYPE_REAL};

/* Through sigma and merging, or as written; checked, run and compared. */
static void verify(const char *text, bool sigma, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, text);
    const spl *merged = sigma ? spl_merge(ctx, spl_to_sigma(ctx, x), true) : x;
    sluice_diag why = {0, ""};
    prog *p;
    if (merged == NULL || prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK) {
        (void)spl_ctx_status(ctx, &why);
        fail_msg("%s: %s", text, why.message);
    } else {
        program_check(p, text);
        program_compare(p, x);
    }
    spl_ctx_close(ctx);
}

/* $A: the kind's leaf; $M, $N: its rows and columns; $R, $C: three times those. */
static void verify_kind(const char *pattern, spl_kind kind, int64_t n, bool sigma,
                        const prog_sides *sides)
{
    const int64_t rows = spl_transform_rows(kind, n), cols = spl_transform_cols(kind, n);
    core_text text = {NULL, 0, 0, false};
    for (const char *c = pattern; *c != '\0'; c++) {
        if (*c != '$') {
            core_text_printf(&text, "%c", *c);
        } else if (*++c == 'A') {
            core_text_printf(&text, "%s(%lld)_{leaf}", spl_transform_of(kind)->word, (long long)n);
        } else {
            const int64_t size = *c == 'M' || *c == 'R' ? rows : cols;
            core_text_printf(&text, "%lld", (long long)(*c == 'R' || *c == 'C' ? 3 * size : size));
        }
    }
    verify(core_text_string(&text), sigma, sides);
    core_text_free(&text);
}

static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void for_each(void (*test)(spl_kind kind, int64_t n, const prog_sides *sides))
{
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++)
        for (int i = 0; i < SIZES; i++) {
            const spl_transform *t = spl_transform_of((spl_kind)kind);
            if (sizes[i] < t->least)
                continue;
            test((spl_kind)kind, sizes[i], &complex_sides);
            if (t->from == SPL_TYPE_ANY)
                test((spl_kind)kind, sizes[i], &real_sides);
        }
}

static void alone(spl_kind kind, int64_t n, const prog_sides *sides)
{
    verify_kind("$A", kind, n, true, sides);
}

/* In rows, in columns, in parts, behind a gather and through transfers. */
static void in_loops(spl_kind kind, int64_t n, const prog_sides *sides)
{
    static const char *const patterns[] = {
        "SUM(k0<3, S(h($M,$R,$M*k0%3,1)) * $A * G(h($N,$C,$N*k0%3,1)))",
        "SUM(k0<3, S(h($M,$R,k0%3,3)) * $A * G(h($N,$C,k0%3,3)))",
        "SUM.par(k0<3, S(h($M,$R,k0%3,3)) * $A * G(h($N,$C,$N*k0%3,1)))",
        "SUM.vec[2,inter](k0<3, S(h($M,$R,k0%3,3)) * $A * G(h($N,$C,k0%3,3)))",
        "$A * G(h($N,$C,2,2))",
        "SUM.stream(k0<3, S.copy(h($M,$R,k0%3,3)) * $A * G.copy(h($N,$C,$N*k0%3,1)))",
        "I($M) * $A * I($N)",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        verify_kind(patterns[i], kind, n, false, sides);
}

static void in_products(spl_kind kind, int64_t n, const prog_sides *sides)
{
    static const char *const patterns[] = {"I(3) (x) $A",
                                           "$A (x) I(3)",
                                           "(I(3) (x) $A) * L($C,3)",
                                           "L($C,$N) * ($A (x) I(3))",
                                           "$A (x) $A",
                                           "$A (+) I(2) (+) $A",
                                           "($A (x) I(6))_{vec(2,inter)}",
                                           "(I(4) (x) $A)_{spe(2,1)}"};
    const spl_transform *t = spl_transform_of(kind);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0] && t->from == t->to; i++)
        verify_kind(patterns[i], kind, n, true, sides);
}

/* Addresses told apart by a digit, of the index and of loop variables; odd and even folds. */
static const char *const folded_texts[] = {
    "P(fold(9)) * DFT(9)_{leaf}",
    "DFT(8)_{leaf} * P(fold(8))",
    "I(3) (x) (DHT(8)_{leaf} * P(fold(8)))",
    "(DHT(7)_{leaf} * P(fold(7))) (x) I(4)",
    "((DCT4(8)_{leaf} * P(fold(8))) (x) I(8))_{vec(4,inter)}",
    "S(fold(6)) * DCT3(6)_{leaf}",
};
static const char *const folded_loops[] = {
    "DFT(4)_{leaf} * V(4) * G(fold(8))",
    "SUM(k0<3, S(h(8,24,8*k0%3,1)) * DHT(8)_{leaf} * G(fold(24) (o) h(8,24,k0%3,3)))",
    "SUM(k0<12, S(fold(24) (o) h(2,24,k0%12,12)) * DFT(2)_{leaf} * G(h(2,24,k0%12,12)))",
    "SUM(k0<4, S(two(i%2, h(2,8,k0%4,0), h(2,8,7-k0%4,0))) * DFT(2)_{leaf} * "
    "G(two(k0/2%2, h(2,8,2*k0%4,1), h(2,8,2*k0%4+1,-1))))",
    "SUM(k1<2, SUM(k0<4, S(h(2,16,8*k1%2+2*k0%4,1)) * DFT(2)_{leaf} * "
    "G(two(i%2, h(2,16,k0%4+4*k1%2,0), h(2,16,k0%4+4*k1%2+8,0)))))",
};

/* Loops whose variable tells two functions apart, around one kernel and around several. */
static const char *const divided_loops[] = {
    "SUM(k0<8, S(h(2,16,2*k0%8,1)) * DFT(2)_{leaf} * "
    "G(two(k0%2, h(2,16,2*k0%8,1), h(2,16,2*k0%8+1,-1))))",
    "SUM(k0<5, S(h(2,10,2*k0%5,1)) * DFT(2)_{leaf} * "
    "G(two(k0/3%2, h(2,10,2*k0%5,1), h(2,10,2*k0%5+1,-1))))",
    "SUM(k0<5, S(two(k0/3%2, h(2,10,2*k0%5,1), h(2,10,2*k0%5+1,-1))) * "
    "D(2,5,two(k0/3%2, h(2,10,k0%5,1), h(2,10,9-k0%5,-1))) * DFT(2)_{leaf} * "
    "G(h(2,10,2*k0%5,1)))",
    "SUM(k1<5, S(h(6,30,6*k1%5,1)) * SUM(k0<3, S(h(2,6,k0%3,3)) * DFT(2)_{leaf} * "
    "G(h(2,6,k0%3,3))) * SUM(k0<2, S(h(3,6,3*k0%2,1)) * DFT(3)_{leaf} * G(h(3,6,3*k0%2,1))) * "
    "G(two(k1/3%2, h(6,30,6*k1%5,1), h(6,30,6*k1%5+5,-1))))",
};

static void folds_are_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof folded_texts / sizeof folded_texts[0]; i++)
        verify(folded_texts[i], true, &complex_sides);
    for (size_t i = 0; i < sizeof folded_loops / sizeof folded_loops[0]; i++)
        verify(folded_loops[i], false, &complex_sides);
}

static void loops_are_divided(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof divided_loops / sizeof divided_loops[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x = program_parsed(ctx, divided_loops[i]);
        prog *p = NULL;
        verify(divided_loops[i], false, &complex_sides);
        verify(divided_loops[i], true, &complex_sides);
        assert_int_equal(prog_lower(&p, ctx, spl_merge(ctx, x, true), NULL, NULL), SLUICE_OK);
        for (size_t k = 0; k < p->nstmts; k++)
            if (p->stmt[k].op == PROG_KERN)
                assert_true(p->stmt[k].fin->kind == IX_DIGIT && p->stmt[k].fout->kind == IX_DIGIT);
        spl_ctx_close(ctx);
    }
}

/* Around what maps reals to reals, complex numbers to complex ones, and one to the other. */
static const char *const typed_texts[] = {
    "V(4)",
    "V(4)^-1",
    "V(1) * V(1)^-1",
    "EMBED(5)",
    "RE(5)",
    "RE(5) * EMBED(5)",
    "DCT2(8)_{leaf} * V(4)^-1",
    "V(4) * DCT2(8)_{leaf}",
    "V(4) * DCT3(8)_{leaf} * V(4)^-1",
    "V(4)^-1 * DFT(4)_{leaf} * V(4)",
    "DFT(4)_{leaf} * V(4) * DHT(8)_{leaf}",
    "DHT(8)_{leaf} * V(4)^-1 * DFT(4)_{leaf} * DHT(4)_{leaf}",
    "DFT(5)_{leaf} * EMBED(5)",
    "RE(5) * IDFT(5)_{leaf} * DFT(5)_{leaf} * EMBED(5)",
    /* odd RDFT and IRDFT by the complex ones */
    "G(h(4,7,0,1)) * DFT(7)_{leaf} * EMBED(7)",
    "IRDFT(7)_{leaf} * RDFT(7)_{leaf}",
    "RDFT(8)_{leaf} * IRDFT(8)_{leaf}",
    /* a diagonal of complex numbers beside reals */
    "V(6)^-1 * D(2,3,h(6,6,0,1)) * DFT(6)_{leaf} * V(6) * DST4(12)_{leaf}",
    /* real rows, complex columns: through V in a loop, and a loop on either side of it */
    "SUM(k0<3, S(h(4,12,4*k0%3,1)) * V(4) * DCT2(8)_{leaf} * G(h(8,24,k0%3,3)))",
    "SUM(k0<3, S(h(8,24,8*k0%3,1)) * V(4)^-1 * DFT(4)_{leaf} * G(h(4,12,k0%3,3)))",
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DCT2(3)_{leaf} * G(h(3,12,k0%4,4))) * V(12) * "
    "SUM(k0<3, S(h(8,24,8*k0%3,1)) * DCT2(8)_{leaf} * G(h(8,24,8*k0%3,1)))",
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * "
    "SUM(k0<3, S(h(4,12,4*k0%3,1)) * V(4) * DCT4(8)_{leaf} * G(h(8,24,8*k0%3,1)))",
    "SUM.par(k0<3, S(h(8,24,8*k0%3,1)) * DCT4(8)_{leaf} * V(4)^-1 * G(h(4,12,4*k0%3,1))) * "
    "SUM.par(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "SUM.stream(k0<3, S.copy(h(4,12,4*k0%3,1)) * V(4) * DHT(8)_{leaf} * "
    "V(4)^-1 * G.copy(h(4,12,4*k0%3,1)))",
    /* terms of which one counts reals */
    "(S(h(4,8,0,1)) * DFT(4)_{leaf} * G(h(4,8,0,1))) + "
    "(S(h(4,8,4,1)) * V(4) * DCT2(8)_{leaf} * V(4)^-1 * G(h(4,8,4,1)))",
};

static void every_kind_is_a_leaf(void **state)
{
    (void)state;
    for_each(alone);
}

static void every_kind_runs_in_loops(void **state)
{
    (void)state;
    for_each(in_loops);
}

static void every_square_kind_runs_in_products(void **state)
{
    (void)state;
    for_each(in_products);
}

static void types_change_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof typed_texts / sizeof typed_texts[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x = program_parsed(ctx, typed_texts[i]);
        verify(typed_texts[i], false, &complex_sides);
        verify(typed_texts[i], true, &complex_sides);
        const prog_sides in_place = {.in_place = true};
        if (x->from == x->to && x->rows == x->cols)
            verify(typed_texts[i], false, &in_place);
        spl_ctx_close(ctx);
    }
}

/* Strided sides; in place, where rows of reals and of complex numbers are the same bytes. */
static void sides_count_their_own_elements(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    const ix_term padded[] = {{IX_INDEX, 1, 8, 1}, {IX_INDEX, 8, 3, 10}};
    const prog_sides strided = {.in = ix_h(ctx, 4, 16, 15, -5), .out = ix_h(ctx, 8, 24, 2, 3)};
    const prog_sides rows = {.in = ix_digit(ctx, 24, 30, 0, 2, padded), .in_place = true};
    verify("DCT2(8)_{leaf} * V(4)^-1", false, &strided);
    verify("V(8) * DCT2(16)_{leaf} * V(8)^-1", false,
           &(prog_sides){.in = ix_h(ctx, 8, 24, 1, 3), .out = ix_h(ctx, 8, 24, 0, 2)});
    verify("SUM(k0<3, S(h(5,15,5*k0%3,1)) * RDFT(8)_{leaf} * G(h(8,24,8*k0%3,1)))", false, &rows);
    spl_ctx_close(ctx);
}

static void split_sides_have_no_pairs_of_reals(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    sluice_diag why = {0, ""};
    prog *p;
    const prog_sides split = {.in_layout = SLUICE_SPLIT, .out_layout = SLUICE_SPLIT};
    const spl *x = program_parsed(ctx, "V(4) * DCT2(8)_{leaf} * V(4)^-1");
    assert_int_equal(prog_lower(&p, ctx, x, &split, &why), SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "re and im lie apart"));
    spl_ctx_close(ctx);
    verify("DCT2(8)_{leaf}", false, &split);
    verify("RE(8) * IDFT(8)_{leaf}", false, &split);
}

static void text_says_what_is_real(void **state)
{
    (void)state;
    static const char *const want = "program 8 -> 4, parts 1\n"
                                    "buf b0 IN 8 real; b1 OUT 4; b2 SHARED 8 real @0\n"
                                    "b2[i] = DCT2(8) b0[i], i < 8\n"
                                    "b1[i] = DFT(4) b2[i], i < 4 from i < 8\n";
    spl_ctx *ctx = spl_ctx_open();
    core_text text = {NULL, 0, 0, false};
    prog *p;
    const spl *x = program_parsed(ctx, "DFT(4)_{leaf} * V(4) * DCT2(8)_{leaf}");
    assert_int_equal(prog_lower(&p, ctx, x, NULL, NULL), SLUICE_OK);
    prog_print(p, &text);
    assert_string_equal(core_text_string(&text), want);
    core_text_free(&text);
    spl_ctx_close(ctx);
}

/* A buffer said to be of the other type, a kernel of another size. */
static void wrong_types_are_seen(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, "DFT(4)_{leaf} * V(4) * DCT2(8)_{leaf}");
    for (int wrong = 0; wrong < 4; wrong++) {
        prog *p;
        sluice_diag why = {0, ""};
        assert_int_equal(prog_lower(&p, ctx, x, NULL, NULL), SLUICE_OK);
        if (wrong < 3)
            p->buf[wrong].type = wrong == 1 ? SPL_TYPE_REAL : SPL_TYPE_COMPLEX;
        else
            p->stmt[1].kind = SPL_RDFT;
        assert_int_equal(prog_check(p, 0, 16, &why), SLUICE_E_INVALID);
    }
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_kind_is_a_leaf, nothing_leaks),
        cmocka_unit_test_teardown(every_kind_runs_in_loops, nothing_leaks),
        cmocka_unit_test_teardown(every_square_kind_runs_in_products, nothing_leaks),
        cmocka_unit_test_teardown(folds_are_addresses, nothing_leaks),
        cmocka_unit_test_teardown(loops_are_divided, nothing_leaks),
        cmocka_unit_test_teardown(types_change_inside, nothing_leaks),
        cmocka_unit_test_teardown(sides_count_their_own_elements, nothing_leaks),
        cmocka_unit_test_teardown(split_sides_have_no_pairs_of_reals, nothing_leaks),
        cmocka_unit_test_teardown(text_says_what_is_real, nothing_leaks),
        cmocka_unit_test_teardown(wrong_types_are_seen, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
