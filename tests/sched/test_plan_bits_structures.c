// SPDX-License-Identifier: BSD-3-Clause
/* The same bits for every structure of a plan (pairs, four-step, blocks, slabs), whatever the
 * units, the workers, the position in a batch or the column. On machines with caches so small that
 * this takes few points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 3141, STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* The seed's data through a plan; whether it is right, test_structures asks. */
static void run(const sluice_plan *plan, const char *problem, plan_data *d)
{
    plan_data_open(d, plan, problem, 0);
    plan_data_fill(d, SEED);
    const sluice_status status = sluice_execute_with(plan, &d->arrays, NULL);
    if (status != SLUICE_OK)
        fail_msg("%s: %s", problem, sluice_strerror(status));
}

/* ---------------------------------------------------------------- units, workers --------- */

/* A problem whose structure depends on nothing but itself and the caches. */
typedef struct item {
    const char *problem;
    size_t local_store;
} item;

static const item everything[] = {{"c2c:f32:4096", 1024},
                                  {"c2c:f64:10000:inverse", 1024},
                                  {"c2c:f32:16384:inplace", 1024},
                                  {"c2c:f32:46656", 1024},
                                  {"c2c:f64:4096*3", 1024},
                                  {"c2c:f32:1000*5:latency", 1024},
                                  {"c2c:f32:65536", 1024},
                                  {"c2c:f64:36000:in=split:out=split", 4096},
                                  /* planes: few rows, many, with slabs */
                                  {"c2c:f64:3x8", 1 << 20},
                                  {"c2c:f32:5x7", 1 << 20},
                                  {"c2c:f32:4x64", 1 << 20},
                                  {"c2c:f64:2x100", 4096},
                                  {"c2c:f32:60x32", 4096},
                                  {"c2c:f64:64x96:inverse", 16384},
                                  {"c2c:f32:50x7", 1 << 20},
                                  {"c2c:f32:12x2000", 65536},
                                  {"c2c:f32:3x300", 2048},
                                  {"c2c:f32:40x56:inplace", 4096},
                                  /* volumes: blocks of few and of many planes */
                                  {"c2c:f32:2x2x64", 1 << 20},
                                  {"c2c:f64:2x15x11", 1 << 20},
                                  {"c2c:f32:6x6x10", 1024},
                                  {"c2c:f32:20x16x16", 4096},
                                  {"c2c:f64:24x8x8:inverse", 8192},
                                  {"c2c:f32:3x40x8", 16384},
                                  {"c2c:f32:16x24x20", 4096},
                                  {"c2c:f32:22x13x1", 1 << 20},
                                  /* batches of them */
                                  {"c2c:f64:5x5*2", 32768},
                                  {"c2c:f32:16x16*9", 4096},
                                  {"c2c:f32:40x56*3", 4096},
                                  {"c2c:f64:1x28x8*5", 16384},
                                  {"c2c:f32:26x15x1*2", 16384},
                                  {"c2c:f64:8x6*5:latency", 16384},
                                  /* with axes that are blocks by few workers alone */
                                  {"c2c:f64:12x40*5:inplace", 8192},
                                  {"c2c:f64:12x40*2:inplace:latency", 8192},
                                  {"c2c:f32:32x8*5:throughput", 1024}};
enum { EVERYTHING = sizeof everything / sizeof everything[0] };

static void compare(const plan_data *want, const plan_data *got, const sluice_plan *plan,
                    const char *what)
{
    if (!plan_data_same(want, got))
        fail_msg("%s: other bits %s\n%s%s", want->name, what, plan->comments, plan->line);
}

/* Each problem on machines of so many units, from problem `first` on. */
static void units(const char *isa, int first)
{
    static const char *const names[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
    for (int i = first; i < EVERYTHING; i += STEP) {
        const item *t = &everything[i];
        plan_data one = {0}, d;
        for (int u = 0; u < 4; u++) {
            sluice_machine *m = structure_machine(names[u], isa, t->local_store);
            if (m == NULL)
                return;
            sluice_plan *plan = structure_plan(m, t->problem, i % 3 == 0 ? 0 : i % 5);
            run(plan, t->problem, u ? &d : &one);
            if (u) {
                compare(&one, &d, plan, names[u]);
                plan_data_close(&d);
            }
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
        plan_data_close(&one);
    }
}

static void units_change_no_bit(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++)
        units(plan_isas[isa], isa % STEP);
}

/* Plans for at most so many threads. */
static void workers_change_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < EVERYTHING; i += 1 + STEP) {
        const item *t = &everything[i];
        sluice_machine *m = structure_machine("cpu:3", plan_isas[i % PLAN_ISAS], t->local_store);
        plan_data all = {0}, some;
        for (int w = 0; w <= 4 && m != NULL; w++) {
            char text[PLAN_TEXT_SIZE];
            snprintf(text, sizeof text, w ? "%s:workers=%d" : "%s", t->problem, w);
            sluice_plan *plan = structure_plan(m, text, i % 4);
            run(plan, t->problem, w ? &some : &all);
            if (w) {
                compare(&all, &some, plan, text);
                plan_data_close(&some);
            }
            sluice_plan_destroy(plan);
        }
        if (m != NULL)
            plan_data_close(&all);
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- batches ---------------- */

static const item batches[] = {{"c2c:f32:4096*3", 1024},
                               {"c2c:f64:1000*7:inverse", 1024},
                               {"c2c:f32:10000*2", 1024},
                               {"c2c:f32:1024@3/3*3@3080/3090", 1024},
                               {"c2c:f64:2000@5/5*5@1/1", 1024},
                               {"c2c:f32:60@1/20*20@61/1", 1024},
                               {"c2c:f32:1x27*9", 4096},
                               {"c2c:f64:5x5*2", 32768},
                               {"c2c:f64:27x6*6", 2048},
                               {"c2c:f32:16x16*40", 4096},
                               {"c2c:f32:32x64*20", 8192},
                               {"c2c:f64:147x16*9:throughput", 4096},
                               {"c2c:f64:65x3*4", 2048},
                               {"c2c:f32:40x56*3", 4096},
                               {"c2c:f64:8x4x3*6", 1024},
                               {"c2c:f32:32x8*5:latency", 1024},
                               {"c2c:f32:9x12x20*3:inplace", 4096},
                               {"c2c:f64:12x40*5:inplace", 8192},
                               {"c2c:f32:49*5", 4096},
                               {"c2c:f32:16@3/2*15@51/35", 4096}};
enum { BATCHES = sizeof batches / sizeof batches[0] };

/* The same input in every place of the batch gives the same output there. */
static void same_everywhere(const sluice_plan *plan, const char *problem)
{
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, SEED);
    const size_t points = sched_problem_points(&d.p);
    for (size_t i = 2 * points; i < 2 * d.total; i++)
        memcpy(plan_data_at(&d, 0, i / 2, i % 2), plan_data_at(&d, 0, i / 2 % points, i % 2),
               d.scalar);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    for (size_t i = 2 * points; i < 2 * d.total; i++)
        if (memcmp(plan_data_at(&d, 1, i / 2, i % 2), plan_data_at(&d, 1, i / 2 % points, i % 2),
                   d.scalar)
            != 0)
            fail_msg("%s: transform %zu has other bits than the first\n%s", problem, i / 2 / points,
                     plan->line);
    plan_data_close(&d);
}

static void positions_in_a_batch_change_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < BATCHES; i++) {
        const char *isa = plan_isas[i % PLAN_ISAS];
        sluice_machine *m = structure_machine("cpu:3", isa, batches[i].local_store);
        for (int v = 0; v < 12 && m != NULL; v += 2 + STEP) {
            sluice_plan *plan = structure_plan(m, batches[i].problem, v);
            same_everywhere(plan, batches[i].problem);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* The plan for one item of a stream's block, item by item, against the whole block. */
static void check_items(const sluice_plan *plan, const char *problem)
{
    plan_data whole, d;
    sluice_plan *one = NULL;
    sched_block block;
    run(plan, problem, &whole);
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, SEED);
    sched_plan_block(plan, &block);
    assert_int_equal(sched_plan_item(&one, plan, NULL), SLUICE_OK);
    assert_int_equal(one != NULL, plan->candidates->natural);
    /* A block that is not full runs item by item; the last item is taken from the whole one. */
    const sluice_slot slot = {
        .in = (char *)(uintptr_t)d.arrays.in, .out = d.arrays.out, .count = block.count - 1};
    assert_int_equal(sched_plan_run_block(plan, one, &slot, 0, 0), SLUICE_OK);
    const size_t points = whole.total / block.count;
    for (size_t i = 0; i < 2 * points * (block.count - 1); i++)
        if (memcmp(plan_data_at(&d, 1, i / 2, i % 2), plan_data_at(&whole, 1, i / 2, i % 2),
                   d.scalar)
            != 0)
            fail_msg("%s: item %zu has other bits alone\n%s\n%s", problem, i / 2 / points,
                     plan->line, one ? one->line : "in a block");
    sluice_plan_destroy(one);
    plan_data_close(&d);
    plan_data_close(&whole);
}

static void items_have_the_bits_of_the_block(void **state)
{
    (void)state;
    for (int i = 0; i < BATCHES; i++) {
        const char *isa = plan_isas[(i + 1) % PLAN_ISAS];
        sluice_machine *m = structure_machine("cpu:3", isa, batches[i].local_store);
        for (int v = 0; v < 12 && m != NULL; v += 3 + STEP) {
            sluice_plan *plan = structure_plan(m, batches[i].problem, v);
            check_items(plan, batches[i].problem);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- columns ---------------- */

/* A plane whose rows are impulses: after their transforms its columns are all the same. */
static void same_columns(const sluice_plan *plan, const char *problem)
{
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, SEED);
    const size_t wide = d.p.dim[d.p.rank - 1].n;
    for (size_t i = 0; i < 2 * d.total; i++)
        if (i / 2 % wide != 0)
            memset(plan_data_at(&d, 0, i / 2, i % 2), 0, d.scalar);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    for (size_t i = 0; i < 2 * d.total; i++) {
        const size_t first = i / 2 / wide * wide;
        if (memcmp(plan_data_at(&d, 1, i / 2, i % 2), plan_data_at(&d, 1, first, i % 2), d.scalar))
            fail_msg("%s, candidate %d: column %zu has other bits than the first\n%s", problem,
                     structure_rank(plan), i / 2 - first, plan->line);
    }
    plan_data_close(&d);
}

static void columns_of_tiles_change_no_bit(void **state)
{
    static const char *const problems[] = {"c2c:f32:64x96",
                                           "c2c:f64:60x32:inverse",
                                           "c2c:f32:100x24*2",
                                           "c2c:f64:256x20:inplace",
                                           "c2c:f32:48x35",
                                           "c2c:f32:1000x16",
                                           "c2c:f64:96x8:in=split:out=split",
                                           "c2c:f32:67x525",
                                           "c2c:f64:127x243"};
    (void)state;
    for (int i = 0; i < 9; i++) {
        sluice_machine *m = structure_machine("cpu:2", plan_isas[i % PLAN_ISAS], 2048);
        for (int v = 0; v < 20 && m != NULL; v += 3 * STEP) {
            sluice_plan *plan = structure_plan(m, problems[i], v);
            same_columns(plan, problems[i]);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(units_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(workers_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(positions_in_a_batch_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(items_have_the_bits_of_the_block, nothing_leaks),
        cmocka_unit_test_teardown(columns_of_tiles_change_no_bit, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
