// SPDX-License-Identifier: BSD-3-Clause
/* Single short transforms in place: which codelets they get, that they are right, that a formula
 * gives its bits again, and that items of batches keep the batch's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 2718 };

/* On an ISA with a fused multiplication, as the chains are counted. */
static const struct {
    const char *problem;
    bool elements; /* of position S */
} expected[] = {
    {"c2c:f64:12:inplace", true},
    {"c2c:f64:9:inplace", true},
    {"c2c:f64:15:inverse:inplace", true},
    {"c2c:f32:12:inplace", true},
    {"c2c:f32:6:inplace", true},
    /* no execution waits for the one before */
    {"c2c:f64:12", false},
    {"c2c:f32:12", false},
    /* a prime: W is the same */
    {"c2c:f64:7:inplace", false},
    /* longer ones: operations count more */
    {"c2c:f64:32:inplace", false},
    {"c2c:f32:64:inplace", false},
    /* others beside it */
    {"c2c:f64:12*9:inplace", false},
    {"c2c:f32:12*2:inplace", false},
};

static void chains_choose_codelets(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        const bool fused = strncmp(plan_isas[isa], "avx", 3) == 0;
        sluice_machine *m = fused ? plan_machine("cpu:1", plan_isas[isa]) : NULL;
        for (size_t i = 0; m && i < sizeof expected / sizeof *expected; i++) {
            sluice_plan *plan = plan_made(m, expected[i].problem);
            if (structure_places(plan, "_S_inter_inter_none_1") != expected[i].elements)
                fail_msg("%s on %s: S is %s expected", expected[i].problem, plan_isas[isa],
                         expected[i].elements ? "" : "not");
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* Rows that vectors would have to be padded for are computed one at a time. */
static const struct {
    const char *problem;
    bool alone;
} rows[] = {
    {"c2c:f32:16*4", true},
    {"c2c:f32:32*2", true},
    {"c2c:f32:4x16:inplace", true},
    {"c2c:f32:8*5:inplace", true},
    {"c2c:f32:16*33:inplace", true},
    {"c2c:f32:5x16*10", true},
    /* the last vector begins early */
    {"c2c:f32:16*9", false},
    {"c2c:f32:8*5", false},
    /* vectors are full, or there are many */
    {"c2c:f32:8*8:inplace", false},
    {"c2c:f32:8*1001:inplace", false},
};

static void few_rows_go_alone(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", "avx512");
    if (m == NULL)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sluice_plan *plan = plan_made(m, rows[i].problem);
        if (structure_places(plan, "_W_inter_inter_none_1") != rows[i].alone)
            fail_msg("%s: rows alone are %s expected", rows[i].problem, rows[i].alone ? "" : "not");
        sluice_plan_destroy(plan);
        plan_check_problem(m, rows[i].problem, SEED + i);
    }
    sluice_machine_close(m);
}

static void short_ones_are_right(void **state)
{
    char problem[PLAN_TEXT_SIZE];
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (int i = 0; m && i < 8 * 32; i++) {
            snprintf(problem, sizeof problem, "c2c:f%d:%d%s%s:inplace", i % 2 ? 64 : 32, 1 + i / 8,
                     i / 2 % 2 ? "@3" : "", i / 4 % 2 ? ":inverse" : "");
            plan_check_problem(m, problem, SEED + (uint64_t)i);
        }
        sluice_machine_close(m);
    }
}

static void formulas_give_the_bits_again(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (size_t i = 0; m && i < sizeof expected / sizeof *expected; i++) {
            uint64_t bits[2] = {0, 1};
            sluice_plan *plan = plan_made(m, expected[i].problem);
            char *line = plan_line(plan);
            sluice_plan *again =
                plan_of_formula(m, line, strstr(line, "f64") ? SLUICE_F64 : SLUICE_F32);
            assert_int_equal(sluice_plan_bits(plan, &bits[0], NULL), SLUICE_OK);
            assert_int_equal(sluice_plan_bits(again, &bits[1], NULL), SLUICE_OK);
            if (bits[0] != bits[1])
                fail_msg("%s: its formula has other bits", expected[i].problem);
            test_free(line);
            sluice_plan_destroy(again);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* A block that is not full runs item by item. */
static void check_items(const sluice_plan *plan, const char *problem)
{
    plan_data whole, items;
    sluice_plan *item = NULL;
    plan_data_open(&whole, plan, problem, 0);
    plan_data_open(&items, plan, problem, 0);
    plan_data_fill(&whole, SEED);
    plan_data_fill(&items, SEED);
    assert_int_equal(sluice_execute_with(plan, &whole.arrays, NULL), SLUICE_OK);
    assert_int_equal(sched_plan_item(&item, plan, NULL), SLUICE_OK);
    assert_non_null(item);
    const size_t count = sched_plan_count(plan) - 1, points = whole.total / (count + 1);
    const sluice_slot slot = {.in = (char *)(uintptr_t)items.arrays.in,
                              .in_im = (char *)(uintptr_t)items.arrays.in_im,
                              .out = items.arrays.out,
                              .out_im = items.arrays.out_im,
                              .count = count};
    assert_int_equal(sched_plan_run_block(plan, item, &slot, 0, 0), SLUICE_OK);
    const size_t parts = whole.side[1].bytes == whole.scalar && !whole.side[1].split ? 1 : 2;
    for (size_t i = 0; i < parts * points * count; i++)
        if (memcmp(plan_data_at(&items, 1, i / parts, i % parts),
                   plan_data_at(&whole, 1, i / parts, i % parts), whole.scalar)
            != 0)
            fail_msg("%s: item %zu has other bits alone\n%s\n%s", problem, i / parts / points,
                     plan->line, item->line);
    sluice_plan_destroy(item);
    plan_data_close(&items);
    plan_data_close(&whole);
}

static void items_keep_the_bits_of_the_batch(void **state)
{
    char problem[PLAN_TEXT_SIZE];
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (int i = 0; m && i < 2 * 15; i++) {
            snprintf(problem, sizeof problem, "c2c:f%d:%d*%d:inplace", i % 2 ? 64 : 32, 2 + i / 2,
                     2 + i % 5);
            sluice_plan *plan = plan_made(m, problem);
            check_items(plan, problem);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* Rows of images count, not those of all images: their number is the item's. */
static void items_of_images_keep_their_bits(void **state)
{
    static const char *const images[] = {"c2c:f32:3x2x14*16:in=split:out=split",
                                         "c2c:f32:4x6*64:in=split:out=split",
                                         "c2c:f64:3x11*20:in=split:out=split",
                                         "c2c:f32:6x15*33:inplace",
                                         "c2c:f32:4x6*100",
                                         "c2c:f32:5x16*4",
                                         "c2c:f32:5x16*7:inplace",
                                         "c2c:f32:3x32*9",
                                         "c2c:f64:3x8*5",
                                         "c2c:f32:3x4x8*6",
                                         "c2c:f32:9x12*3:inplace",
                                         "c2c:f32:16x5*3",
                                         "c2c:f32:2x24*300",
                                         "c2c:f32:40x500x16*2",
                                         "c2c:f32:300x700x8*2",
                                         "dct2:f32:16*20",
                                         "dct2:f64:360*20",
                                         "dct2:f64:64x33x28*4:inplace",
                                         "dht:f32:44*19*3",
                                         "dst1:f64:17*20",
                                         "dst4:f64:4x21x28*3",
                                         "idxst:f32:18*16*37",
                                         "dst4:f64:129x28*2",
                                         "dct1:f32:65x67*3",
                                         "c2c:f64:95x11x21*8:inplace",
                                         "c2c:f64:95x11x21*2:inplace:latency",
                                         "dct3:f64:34x26*5",
                                         "dct3:f32:77x26*4",
                                         "dst2:f64:11x43*5",
                                         "c2c:f64:64x33x14*8"};
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3"};
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        sluice_machine *m = plan_machine(units[u], "avx512");
        for (size_t i = 0; m && i < sizeof images / sizeof *images; i++) {
            sluice_plan *plan = plan_made(m, images[i]);
            check_items(plan, images[i]);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(chains_choose_codelets, nothing_leaks),
        cmocka_unit_test_teardown(few_rows_go_alone, nothing_leaks),
        cmocka_unit_test_teardown(short_ones_are_right, nothing_leaks),
        cmocka_unit_test_teardown(formulas_give_the_bits_again, nothing_leaks),
        cmocka_unit_test_teardown(items_keep_the_bits_of_the_batch, nothing_leaks),
        cmocka_unit_test_teardown(items_of_images_keep_their_bits, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
