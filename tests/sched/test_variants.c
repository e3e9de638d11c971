// SPDX-License-Identifier: BSD-3-Clause
/* Every plan that the planner offers for a problem: each is right, they differ, and what is chosen
 * is the first of them. With problems as arguments nothing is tested: it times all their plans and
 * prints for each problem, on one line,
 *     PROBLEM variants=N first_s=.. best_s=.. best=K ratio=..
 * ratio: seconds of the plan that is chosen without measuring over those of the fastest. That is
 * what scripts/acceptance-planner reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/measure.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

/* ---------------------------------------------------------------- tests ------------------ */

static const char *const tested[] = {
    "c2c:f32:96",     "c2c:f64:360:inverse", "c2c:f32:1000*3",
    "c2c:f32:24x60",  "c2c:f64:8x9x10",      "c2c:f64:1536:inplace",
    "c2c:f32:120x16", "c2c:f32:7",           "c2c:f64:64x64*2"};

static void verify(const sluice_plan *plan, const char *problem)
{
    double error = -1, bound = -1;
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    if (!(error <= bound) || !(error >= 0))
        fail_msg("%s, variant %d: error %g, bound %g\n%s", problem, structure_rank(plan), error,
                 bound, plan->line);
}

static void every_variant_is_right(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof tested / sizeof tested[0]; i++) {
        char before[4096] = "";
        for (int v = 0, variants = 1; v < variants; v++) {
            sluice_plan *plan = structure_plan(m, tested[i], v);
            variants = structure_candidates(plan);
            verify(plan, tested[i]);
            if (strcmp(plan->line, before) == 0)
                fail_msg("%s: variants %d and %d are one", tested[i], v - 1, v);
            assert_true(strlen(plan->line) < sizeof before);
            strcpy(before, plan->line);
            sluice_plan_destroy(plan);
        }
    }
    sluice_machine_close(m);
}

static void the_first_variant_is_chosen(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof tested / sizeof tested[0]; i++) {
        sluice_plan *chosen = plan_made(m, tested[i]), *first = structure_plan(m, tested[i], 0);
        sluice_plan *last = structure_plan(m, tested[i], structure_candidates(first) - 1);
        sluice_plan *beyond = structure_plan(m, tested[i], structure_candidates(first));
        assert_string_equal(chosen->line, first->line);
        assert_string_equal(beyond->line, last->line);
        assert_int_equal(structure_candidates(last), structure_candidates(first));
        sluice_plan_destroy(chosen);
        sluice_plan_destroy(first);
        sluice_plan_destroy(last);
        sluice_plan_destroy(beyond);
    }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- times ------------------ */

enum { VARIANTS = 64, ROUNDS = 5 };
/* Variants this much slower than the fastest in the first round are out. */
static const double out = 1.25;

/* Seconds of each variant, the least of its rounds. The rounds are in turn, so that what disturbs
 * them disturbs all. Returns how many variants there are; 0: out of memory. */
static int measure(sluice_machine *m, const char *problem, double seconds[VARIANTS])
{
    int variants = 1;
    double best = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int v = 0; v < variants; v++) {
            double s = 0;
            if (round > 0 && v > 0 && seconds[v] > out * best)
                continue;
            sluice_plan *plan = structure_plan(m, problem, v);
            variants =
                structure_candidates(plan) < VARIANTS ? structure_candidates(plan) : VARIANTS;
            const sluice_status status = sched_measure(plan, 0, 0, &s, NULL);
            sluice_plan_destroy(plan);
            if (status != SLUICE_OK)
                return 0;
            seconds[v] = round == 0 || s < seconds[v] ? s : seconds[v];
            best = best == 0 || s < best ? s : best;
        }
    return variants;
}

static bool print_times(sluice_machine *m, const char *problem)
{
    double seconds[VARIANTS];
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    int best = 0;
    if (sluice_problem_parse(&p, problem, &why) != SLUICE_OK
        || sluice_plan_create(&plan, m, &p, NULL, &why) != SLUICE_OK) {
        fprintf(stderr, "test_variants: %s: %s\n", problem, why.message);
        return false;
    }
    sluice_plan_destroy(plan);
    const int variants = measure(m, problem, seconds);
    for (int v = 1; v < variants; v++)
        best = seconds[v] < seconds[best] ? v : best;
    if (variants > 0)
        printf("%s variants=%d first_s=%.4g best_s=%.4g best=%d ratio=%.3f\n", problem, variants,
               seconds[0], seconds[best], best, seconds[0] / seconds[best]);
    fflush(stdout);
    return variants > 0;
}

static int print_all(int count, char **problems)
{
    sluice_machine *m = NULL;
    sluice_diag why = {0};
    bool good = true;
    if (sluice_machine_open(&m, NULL, &why) != SLUICE_OK) {
        fprintf(stderr, "test_variants: %s\n", why.message);
        return 2;
    }
    for (int i = 0; i < count && good; i++)
        good = print_times(m, problems[i]);
    sluice_machine_close(m);
    return good ? 0 : 2;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_variant_is_right, nothing_leaks),
        cmocka_unit_test_teardown(the_first_variant_is_chosen, nothing_leaks),
    };
    return argc > 1 ? print_all(argc - 1, argv + 1) : cmocka_run_group_tests(tests, NULL, NULL);
}
