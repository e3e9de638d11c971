// SPDX-License-Identifier: BSD-3-Clause
/* The price of data of stages: lines that share a set, a page or a step, and what was fetched
 * ahead of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/price/price.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_price.h"

enum { ELEMENT = 2 * PRICE_SCALAR };

static double memory_of(const char *text, bool in_place, const double *figure, size_t ways)
{
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = price_lowered(ctx, text, in_place);
    price_binding *binding = price_bound(p);
    price_with_ways(p, binding, figure, ways, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory;
}

/* In place, of a unit where nothing costs but lines that are evicted before they are rewritten. */
static double rewriting(const char *text, const double *figure, size_t ways)
{
    return memory_of(text, true, figure, ways);
}

/* Rows 8 KiB apart share one set of L1: as many of n stay in it as it has ways. All where
 * these are not known. */
static void rows_of_one_set_evict_each_other(void **state)
{
    static const size_t ways[] = {12, 8, 32, 0};
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_EVICTED_REWRITE] = 1000; /* with 32 rows */
    for (int i = 0; i < 4; i++) {
        const size_t w = ways[i];
        const bool evicts = w > 0 && w < 32;
        const double few = rewriting("(DFT(8)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double tuned = rewriting("(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double many = rewriting("(DFT(64)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double share = (1 - (double)w / 64) / (1 - (double)w / 32);
        assert_float_equal(few, 0, 0);
        assert_float_equal(tuned, evicts ? 32 * 128 * 1e-9 : 0, 1e-11);
        assert_float_equal(many, evicts ? 2 * tuned * share : 0, 1e-10);
    }
}

enum { TRANSFORMS = 64 };

/* What a line more costs where a step is a transform of so many points that is touched out of
 * order, behind L3, where only jumps from memory cost anything. */
static double disorder_behind(double l3, int points, bool in_place, bool non_temporal)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = l3};
    double memory[2];
    char text[80];
    spl_ctx *ctx = spl_ctx_open();
    figure[PRICE_JUMP_MEMORY] = 1000;
    snprintf(text, sizeof text, "I(%d) (x) DFT(%d)_{leaf}", TRANSFORMS, points);
    const prog *p = price_lowered(ctx, text, in_place);
    price_binding *binding = price_bound(p);
    for (int whole = 0; whole < 2; whole++) {
        price_binding *b = &binding[p->nstmts - 1];
        *b = (price_binding){.runs = true,
                             .columns_var = -1,
                             .sets_var = -1,
                             .lanes = 1,
                             .whole = whole,
                             .non_temporal = non_temporal};
        price_with(p, binding, figure, &memory[whole]);
    }
    core_free(binding);
    spl_ctx_close(ctx);
    return (memory[1] - memory[0]) / (TRANSFORMS * points * ELEMENT / PRICE_LINE);
}

static double disorder(int points, bool non_temporal)
{
    return disorder_behind(64, points, false, non_temporal);
}

static void long_transforms_of_one_step_jump(void **state)
{
    const double all = disorder(256, false); /* half a page */
    (void)state;
    assert_float_equal(all, 2 * 2e-9, 1e-13); /* lines read and written, in runs of two */
    assert_float_equal(disorder(512, false), all, 1e-13);
    assert_float_equal(disorder(128, false), all / 8, 1e-13);
    assert_float_equal(disorder(256, true), all / 2, 1e-13);
}

/* In place, of an L3 as large as the array, by a limit as sharp as that of L1; half a page is an
 * eighth of a page, whose lines are fetched ahead in any order. */
static void rewritten_lines_leave_l3_early(void **state)
{
    const double array = TRANSFORMS * 512 * ELEMENT, kept = 0.6 * 0.6 * 0.6 * 0.6 * 0.6 * 0.6;
    (void)state;
    assert_float_equal(disorder_behind(array, 512, true, false), 2e-9 / (1 + kept), 1e-12);
    assert_float_equal(disorder_behind(2 * array, 512, true, false), 2e-9 / (1 + 64 * kept), 1e-12);
    assert_float_equal(disorder_behind(array / 2, 256, true, false), 2e-9 / 2 / 8, 1e-12);
}

/* Rows that are read, of 32 as many lines, and written where they do not meet. */
static void rows_of_one_set_are_read_again(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_EVICTED_READ] = 1000; /* with 32 rows */
    for (size_t ways = 8; ways <= 32; ways *= 2) {
        const double few =
            memory_of("(DFT(8)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        const double half =
            memory_of("(DFT(16)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        const double tuned =
            memory_of("(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        assert_float_equal(few, 0, 0);
        assert_float_equal(tuned, ways < 32 ? 32 * 128 * 1e-9 : 0, 1e-11);
        assert_float_equal(half, ways == 8 ? tuned / 2 * (0.5 / 0.75) : 0, 1e-10);
    }
}

/* Rows from memory that share pages, line by line of each: lines of 2 KiB and more in a step. */
static void rows_of_one_page_jump(void **state)
{
    enum { LINES_READ = (1 << 18) * ELEMENT / PRICE_LINE };
    static const struct {
        const char *text;
        double jumps;
    } rows[] = {{"I(64) (x) (DFT(8)_{leaf} (x) I(512))_{vec(8,inter)}", 0},
                {"I(64) (x) (DFT(32)_{leaf} (x) I(128))_{vec(8,inter)}", 2},
                {"I(512) (x) (DFT(32)_{leaf} (x) I(16))_{vec(8,inter)}", 2},
                {"I(1024) (x) (DFT(32)_{leaf} (x) I(8))_{vec(8,inter)}", 2}, /* without a gap */
                {"I(2048) (x) (DFT(8)_{leaf} (x) I(16))_{vec(8,inter)}", 2.0 / 8}};
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    (void)state;
    figure[PRICE_JUMP_MEMORY] = 1000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_float_equal(memory_of(rows[i].text, false, figure, 0),
                           rows[i].jumps * LINES_READ * 1e-9, 1e-7);
}

static double seconds_of(const char *text, bool in_place, const double *figure)
{
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = price_lowered(ctx, text, in_place);
    price_binding *binding = price_bound(p);
    const double cpu = price_with(p, binding, figure, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return cpu + memory;
}

/* Stages with little arithmetic take as long as memory does for their lines, however cheap these
 * are beside arithmetic, and those that rewrite them for both ways. */
static void memory_has_a_rate(void **state)
{
    enum { LINES = (1 << 18) * ELEMENT / PRICE_LINE };
    static const char text[] = "I(64) (x) (DFT(8)_{leaf} (x) I(512))_{vec(8,inter)}";
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    (void)state;
    figure[PRICE_BUS_READ] = 1000;
    figure[PRICE_BUS_STORE] = 500;
    assert_float_equal(seconds_of(text, false, figure), LINES * 1e-9, 1e-8);
    assert_float_equal(seconds_of(text, true, figure), LINES * 1.5e-9, 1e-8);
    figure[PRICE_READ_MEMORY] = 3000;
    const double more = seconds_of(text, false, figure);
    assert_true(more > LINES * 3e-9 && more < LINES * 3.5e-9); /* and the arithmetic */
}

/* What 32 rows from memory cost that were fetched ahead into L1 or L2, of which other rows of the
 * step may evict them; nothing else costs anything. */
static double fetched_ahead(const char *text, bool into_l2)
{
    const double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = price_lowered(ctx, text, false);
    price_binding *binding = price_bound(p);
    for (size_t i = 0; i < p->nstmts; i++)
        binding[i].ahead_in_l2 = into_l2;
    price_with_ways(p, binding, figure, 8, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory;
}

/* Rows 8 KiB apart share a set of L1 and no set of L2, rows 128 KiB apart one of each. */
static void what_is_fetched_ahead_may_be_evicted(void **state)
{
    static const char near[] = "(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}";
    static const char far[] = "(DFT(32)_{leaf} (x) I(16384))_{vec(8,inter)}";
    (void)state;
    assert_true(fetched_ahead(near, false) > 0);
    assert_float_equal(fetched_ahead(near, true), 0, 0);
    assert_float_equal(fetched_ahead(far, true), 16 * fetched_ahead(near, false), 1e-9);
    assert_float_equal(fetched_ahead(far, true), fetched_ahead(far, false), 1e-12);
}

/* The share of a time that lines from memory take which is left beside as much arithmetic. */
static double beside_steps(const char *text, bool transforms, bool whole)
{
    enum { TRANSFORMS = 65536, LINES = TRANSFORMS * 16 * ELEMENT / PRICE_LINE };
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = price_lowered(ctx, text, false);
    price_binding *binding = price_bound(p);
    for (size_t i = 0; i < p->nstmts; i++) {
        binding[i].step = 1e-6 * (double)binding[i].lanes;
        binding[i].non_temporal = true;
        binding[i].transforms = transforms;
        binding[i].whole = whole;
    }
    figure[PRICE_READ_MEMORY] = 1e6 * TRANSFORMS / LINES;
    price_with_ways(p, binding, figure, 0, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory / (1e-6 * TRANSFORMS);
}

/* Transforms that follow each other within a call, in lanes, hide lines behind all of their
 * arithmetic, each by itself behind half of it, the less the longer they are; those of a call each
 * hide as little as stages. */
static void transforms_in_a_row_hide_lines(void **state)
{
    static const char batch[] = "(I(65536) (x) DFT(16)_{leaf})_{vec(8,inter)}";
    static const char each[] = "I(65536) (x) DFT(16)_{leaf}";
    (void)state;
    assert_float_equal(beside_steps(batch, false, false), 0.7, 1e-3);
    assert_float_equal(beside_steps(batch, true, false), 0, 1e-3);
    assert_float_equal(beside_steps(batch, true, true), 0.5 + 0.2 / 8, 1e-3); /* of 1 KiB a step */
    assert_float_equal(beside_steps(each, true, false), 0.7, 1e-3);
}

/* 16 rows of 64 lines, a page apart: a vector of half a line reads each of them twice. Both write
 * the same. */
static void pieces_of_rows_of_one_set_are_read_again(void **state)
{
    static const char halves[] = "(DFT(16)_{leaf} (x) I(512))_{vec(4,inter)}";
    static const char whole[] = "(DFT(16)_{leaf} (x) I(512))_{vec(8,inter)}";
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 16 << 10, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_EVICTED_WRITE] = 1000;
    for (size_t ways = 8; ways <= 16; ways *= 2) {
        const double more =
            memory_of(halves, false, figure, ways) - memory_of(whole, false, figure, ways);
        assert_float_equal(more, ways < 16 ? 16 * 64 * 1e-9 : 0, 1e-9);
    }
}

/* In place too, where such vectors rewrite what they have read: as rows of whole lines are evicted,
 * but each row beyond the ways has all lines read twice at least. */
static void pieces_of_rows_of_one_set_are_rewritten(void **state)
{
    static const char many[] = "(DFT(32)_{leaf} (x) I(1024))_{vec(4,inter)}";
    static const char few[] = "(DFT(9)_{leaf} (x) I(1024))_{vec(4,inter)}";
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 16 << 10, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_EVICTED_REWRITE] = 1000; /* with 32 rows */
    figure[PRICE_EVICTED_WRITE] = 400;
    assert_float_equal(rewriting(many, figure, 8), 32 * 128 * 1e-9, 1e-8);
    assert_float_equal(rewriting(few, figure, 8), 9 * 128 * 0.4e-9, 1e-8);
    assert_float_equal(rewriting(many, figure, 32), 0, 0);
}

/* Tiles of 64 rows of two lines, whose last stage writes what the first one read. Rows 8 KiB apart
 * fall into 2 of 64 sets of L1 and 32 of 2048 sets of L2: a level of 64 KiB has lost them, though
 * little else was touched since. Rows 130 lines apart fall into all sets of L1. */
static void rows_of_one_set_leave_near_levels(void **state)
{
#define TILES(COLUMNS)                                                                             \
    "((L(64,8) * (I(8) (x) DFT(8)_{leaf}) * T(8,8) * (DFT(8)_{leaf} (x) I(8))) (x) I(" #COLUMNS    \
    "))_{vec(8,inter),tile(16)}"
    enum { LINES = 64 * 1024 * ELEMENT / PRICE_LINE };
    static const price_figure level[] = {PRICE_WRITE_L2, PRICE_WRITE_L3};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double figure[PRICE_FIGURES] = {
            [PRICE_L1] = 64 << 10, [PRICE_L2] = i ? 64 << 10 : 1e15, [PRICE_L3] = 1e15};
        figure[level[i]] = 1000;
        assert_float_equal(memory_of(TILES(1024), true, figure, 8), LINES * 1e-9, LINES * 2e-11);
        assert_float_equal(memory_of(TILES(1040), true, figure, 8), 0, LINES * 2e-11);
        assert_float_equal(memory_of(TILES(1024), true, figure, 0), 0, LINES * 2e-11);
    }
#undef TILES
}

/* What the stages of tiles of 96 rows cost depends on where they lie, not on their digits. */
static void sets_are_those_of_all_digits(void **state)
{
#define TILES(A, B)                                                                                \
    "((L(96," #A ") * (I(" #B ") (x) DFT(" #A ")_{leaf}) * T(" #B "," #A ") * (DFT(" #B            \
    ")_{leaf} (x) I(" #A "))) (x) I(64))_{vec(8,inter),tile(16)}"
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 26214, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_WRITE_L2] = 1000;
    const double one = memory_of(TILES(16, 6), true, figure, 8);
    assert_true(one > 0.5e-9 * 96 * 8);
    assert_float_equal(memory_of(TILES(6, 16), true, figure, 8), one, 0.1 * one);
    assert_float_equal(memory_of(TILES(8, 12), true, figure, 8), one, 0.1 * one);
#undef TILES
}

/* Of data spread evenly no level loses more for its sets. */
static void even_data_fill_no_sets(void **state)
{
    static const char text[] = "(DFT(64)_{leaf} (x) I(64))_{vec(8,inter)}"
                               " * (I(64) (x) DFT(64)_{leaf})_{vec(8,inter)}";
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 26214, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_READ_L2] = figure[PRICE_WRITE_L2] = 1000;
    const double known = memory_of(text, true, figure, 8), none = memory_of(text, true, figure, 0);
    assert_true(none > 0);
    assert_float_equal(known, none, 1e-3 * none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_of_one_set_evict_each_other, nothing_leaks),
        cmocka_unit_test_teardown(long_transforms_of_one_step_jump, nothing_leaks),
        cmocka_unit_test_teardown(rewritten_lines_leave_l3_early, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_set_are_read_again, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_page_jump, nothing_leaks),
        cmocka_unit_test_teardown(memory_has_a_rate, nothing_leaks),
        cmocka_unit_test_teardown(what_is_fetched_ahead_may_be_evicted, nothing_leaks),
        cmocka_unit_test_teardown(transforms_in_a_row_hide_lines, nothing_leaks),
        cmocka_unit_test_teardown(pieces_of_rows_of_one_set_are_read_again, nothing_leaks),
        cmocka_unit_test_teardown(pieces_of_rows_of_one_set_are_rewritten, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_set_leave_near_levels, nothing_leaks),
        cmocka_unit_test_teardown(sets_are_those_of_all_digits, nothing_leaks),
        cmocka_unit_test_teardown(even_data_fill_no_sets, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
