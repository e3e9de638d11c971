// SPDX-License-Identifier: BSD-3-Clause
/* Structures of planes and volumes: rows and columns, blocks of trailing axes that fit a local
 * store, slabs (blocks and the first radix of the axis before them): each is had where it should
 * be, is what it says and is right, on data of every layout, with gaps and of any stride. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 4104, STEP = PLAN_SANITIZED ? 5 : 1 /* sanitizers see a part */ };

static const char *const sides[] = {"",
                                    ":in=split",
                                    ":out=split",
                                    ":in=split:out=split",
                                    ":inplace",
                                    ":inverse",
                                    ":inverse:in=split:out=split:inplace"};
enum { SIDES = sizeof sides / sizeof sides[0] };

/* ---------------------------------------------------------------- one of each ------------ */

/* One unit walks the program alone, so that statements outside loops are trips: as many as said
 * here, then those of the last list of radices where the slowest axis has no batch around it. A
 * local store holds local_store/16 points of f32 (its input and its output). */
typedef struct shape {
    const char *name, *problem;
    size_t local_store;
    bool slab;
    int trips;
    bool slowest;
} shape;
static const shape shapes[] = {
    {"rows, columns", "c2c:f32:20x24", 4096, false, 1, true},
    {"rows that fit no store, columns", "c2c:f32:20x300", 2048, false, 1, true},
    {"slabs of a plane", "c2c:f32:60x32", 4096, true, 1, true},
    {"slabs of a plane", "c2c:f64:32x96", 8192, true, 1, true},
    {"slabs of planes in a batch", "c2c:f32:40x56*3", 4096, true, 2, false},
    {"slabs of a long plane", "c2c:f32:500x24", 2048, true, 1, true},
    {"planes of a volume", "c2c:f32:19x16x16", 4096, false, 1, true},
    {"slabs of planes that fill a store", "c2c:f32:20x16x16", 4096, true, 1, true},
    {"slabs within planes of a volume", "c2c:f32:20x20x24", 4096, true, 1, true},
    {"slabs within planes of a batch", "c2c:f64:12x40*5", 8192, true, 1, false},
    {"slabs of planes, and within them", "c2c:f32:20x66x7", 4096, true, 1, true},
    {"planes of a volume", "c2c:f64:25x10x9", 4096, false, 1, true},
    {"slabs of planes of a volume", "c2c:f32:64x10x8", 4096, true, 1, true},
    {"slabs of planes of a volume", "c2c:f64:24x8x8", 8192, true, 1, true},
    {"slabs of rows of a volume", "c2c:f32:12x30x20", 4096, true, 2, true},
    {"slabs of rows of a volume", "c2c:f32:7x40x30", 4096, true, 2, true},
    {"slabs of planes in four dimensions", "c2c:f32:3x32x6x5", 2048, true, 2, true},
    {"planes of a batch", "c2c:f32:16x16*40", 4096, false, 1, false},
    {"volumes of a batch", "c2c:f32:6x7x6*24", 4096, false, 1, false},
    {"planes of volumes of a batch", "c2c:f32:9x12x20*3", 4096, false, 2, false},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Is the plan what the table says? */
static void check_shape(const shape *s, const sluice_plan *plan, const char *isa)
{
    sched_radices list[STRUCTURE_AXES];
    const int count = structure_lists(plan, list);
    int trips = s->trips;
    assert_true(count > 0);
    if ((structure_slab(plan) > 1) != s->slab)
        fail_msg("%s, %s: %s: a slab of radix %lld\n%s", s->name, isa, s->problem,
                 (long long)structure_slab(plan), plan->comments);
    if (s->slowest)
        trips += structure_memory_passes(&list[count - 1]);
    if (structure_top(plan) != trips)
        fail_msg("%s, %s: %s: %d trips, not %d\n%s%s", s->name, isa, s->problem,
                 structure_top(plan), trips, plan->comments, plan->line);
}

/* Programs pass the checker. Of packed data every address is linear in the loops, so that there is
 * a codelet for every kernel. */
static void check_program(const sluice_plan *plan, const char *problem)
{
    sluice_diag why = {0};
    if (prog_check(plan->body, 0, 16, &why) != SLUICE_OK)
        fail_msg("%s, candidate %d: %s\n%s", problem, structure_rank(plan), why.message,
                 plan->line);
    if (!sched_problem_packed(&plan->problem, 0) || !sched_problem_packed(&plan->problem, 1))
        return;
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    if (strstr(text.data, "addresses evaluated") != NULL)
        fail_msg("%s, candidate %d: addresses are evaluated\n%s\n%s", problem, structure_rank(plan),
                 plan->line, text.data);
    test_free(text.data);
}

static void judge_candidates(sluice_machine *m, const char *problem, const char *side, int first)
{
    char text[PLAN_TEXT_SIZE];
    snprintf(text, sizeof text, "%s%s", problem, side);
    for (int v = first, candidates = v + 1; v < candidates; v += 9 * STEP) {
        sluice_plan *plan = structure_plan(m, text, v);
        candidates = structure_candidates(plan);
        check_program(plan, text);
        structure_check(plan, text, SEED + (uint64_t)v);
        sluice_plan_destroy(plan);
    }
}

static void every_shape_is_as_said_and_right(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int isa = 0; isa < PLAN_ISAS; isa++) {
            const shape *s = &shapes[i];
            sluice_machine *m = structure_machine("cpu:1", plan_isas[isa], s->local_store);
            if (m == NULL)
                continue;
            sluice_plan *plan = structure_plan(m, s->problem, 0);
            check_shape(s, plan, plan_isas[isa]);
            sluice_plan_destroy(plan);
            judge_candidates(m, s->problem, sides[(i + 2 * isa) % SIDES], (i + isa) % 3);
            judge_candidates(m, s->problem, sides[(i + 3 + isa) % SIDES], 4 + (i + isa) % 3);
            sluice_machine_close(m);
        }
}

/* The line of a plan makes the same plan, which knows that it is the planner's own. */
static void lines_plan_back(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        sluice_machine *m = structure_machine("cpu:3", NULL, shapes[i].local_store);
        for (int v = 0; v < 15; v += 7) {
            sluice_plan *plan = structure_plan(m, shapes[i].problem, v);
            sluice_plan *again = plan_of_formula(m, plan->line, SLUICE_F32);
            check_program(again, shapes[i].problem);
            if (strcmp(plan->line, again->line) != 0)
                fail_msg("%s\nplans back as\n%s", plan->line, again->line);
            if (again->tree == NULL)
                fail_msg("not known as the planner's: %s", plan->line);
            sluice_plan_destroy(again);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- layouts ---------------- */

/* Axes and batch with strides; rows with gaps, planes with gaps, columns, all of it at once. */
static const char *const strided[] = {
    "c2c:f32:64@100/96x96@1/1",
    "c2c:f64:60@40/33x32@1/1",
    "c2c:f32:64@100/100x96@1/1:inplace",
    "c2c:f32:24@900/920x24@30/32x20@1/1",
    "c2c:f64:32@80/80x8@9/10x8@1/1*3@2600/2700",
    "c2c:f32:40@56/60x56@1/1*3@2300/2400:in=split",
    "c2c:f32:48@51/16x16@3/1*5@2500/800:inverse",
    "c2c:f64:30@-40/50x36@1/-1:out=split",
    "c2c:f32:36@96/96x32@3/3*3@1/1:inplace",
    "c2c:f64:16@400/384x24@16/16x16@1/1*2@7000/6144:inverse:in=split:out=split",
    "c2c:f32:16@281/439x33@8/13x4@2/3:in=split:out=split",
    "c2c:f32:24@956/150x35@27/4x2@4/2*5@22953/3616",
    "c2c:f32:8@2575/1513x32@80/47x32@2/1:inverse",
    "c2c:f32:1024@1/1*3@1100/1100:inplace:inverse",
    "c2c:f32:1024@3/3*3@3080/3090:inverse",
    "c2c:f64:2000@5/5*5@1/1",
    "c2c:f32:4096@-1/1:out=split",
    "c2c:f64:1536@2/7*2@4000/11000:in=split",
    "c2c:f32:1000@1/1*7@1001/1003",
    "c2c:f32:1000@1/1*7@1000/1003:throughput",
    "c2c:f32:7@4000/4100x100@40/41x36@1/1"};
enum { STRIDED = sizeof strided / sizeof strided[0] };

static void strides_and_gaps_are_kept(void **state)
{
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:4"};
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++)
        for (int u = 0; u < 4; u++) {
            const size_t local_store = (size_t)1024 << (isa + u) % 4;
            sluice_machine *m = structure_machine(units[u], plan_isas[isa], local_store);
            if (m == NULL)
                continue;
            for (int i = u; i < STRIDED; i += 4)
                judge_candidates(m, strided[i], "", (i + isa) % 4);
            sluice_machine_close(m);
        }
}

/* Inverses of slabs, whose twiddles and kernels turn the other way. Both directions of a plan are
 * one formula but for that. */
static void inverse_of_forward_is_n_times(void **state)
{
    static const char *const problems[] = {"c2c:f64:60x32", "c2c:f64:24x8x8", "c2c:f64:64x32*3",
                                           "c2c:f64:16x24x20", "c2c:f64:4096"};
    (void)state;
    sluice_machine *m = structure_machine("cpu:2", NULL, 4096);
    for (int i = 0; i < 5; i++)
        for (int v = 0; v < 20; v += 1 + STEP) {
            char text[2][PLAN_TEXT_SIZE];
            double worst = 0;
            plan_data d;
            snprintf(text[0], PLAN_TEXT_SIZE, "%s:inplace", problems[i]);
            snprintf(text[1], PLAN_TEXT_SIZE, "%s:inplace:inverse", problems[i]);
            sluice_plan *plan[2] = {structure_plan(m, text[0], v), structure_plan(m, text[1], v)};
            plan_data_open(&d, plan[0], text[0], 0);
            plan_data_fill(&d, SEED);
            for (int k = 0; k < 2; k++)
                assert_int_equal(sluice_execute(plan[k], d.arrays.in, d.arrays.out), SLUICE_OK);
            const double *now = d.arrays.in;
            const double *before = (const void *)(d.kept[0][0] + d.base[0]);
            const double points = (double)sched_problem_points(&d.p);
            for (size_t k = 0; k < 2 * d.total; k++) {
                const double e = now[k] / points - before[k];
                worst = e > worst ? e : -e > worst ? -e : worst;
            }
            if (!(worst < 1e-14))
                fail_msg("%s and back, candidate %d: off by %g\n%s", text[0], v, worst,
                         plan[1]->line);
            plan_data_close(&d);
            sluice_plan_destroy(plan[0]);
            sluice_plan_destroy(plan[1]);
        }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_shape_is_as_said_and_right, nothing_leaks),
        cmocka_unit_test_teardown(lines_plan_back, nothing_leaks),
        cmocka_unit_test_teardown(strides_and_gaps_are_kept, nothing_leaks),
        cmocka_unit_test_teardown(inverse_of_forward_is_n_times, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
