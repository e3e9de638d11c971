// SPDX-License-Identifier: BSD-3-Clause
/* Every plan that the planner offers for a problem: each is right, they differ, and what is chosen
 * is the first of them. With problems as arguments, after `--wisdom FILE` with what was measured on
 * this machine, nothing is tested: it times all their plans and prints for each problem, on one
 * line,
 *     PROBLEM candidates=N best=K cheapest=L cheapest_price=.. repeated=.. cheapest_ratio=..
 *     chosen_ratio=..
 * cheapest_price: the lowest price over that of the plan that is chosen without measuring;
 * repeated: median seconds of the chosen plan timed as two candidates, the slower over the faster,
 * which tells what the machine can show; ratios: median seconds of the plan with the lowest price,
 * and of the one chosen, over those of the fastest. That is what scripts/acceptance-planner reads.
 * With `--plans` first, those timed again are printed too: number, predicted and median seconds,
 * formula. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static void check_variants(const char *units, const char *const *problem, size_t count)
{
    sluice_machine *m = plan_machine(units, NULL);
    for (size_t i = 0; i < count; i++) {
        char before[4096] = "";
        for (int v = 0, variants = 1; v < variants; v++) {
            sluice_plan *plan = structure_plan(m, problem[i], v);
            variants = structure_candidates(plan);
            verify(plan, problem[i]);
            if (strcmp(plan->line, before) == 0)
                fail_msg("%s: variants %d and %d are one", problem[i], v - 1, v);
            assert_true(strlen(plan->line) < sizeof before);
            strcpy(before, plan->line);
            sluice_plan_destroy(plan);
        }
    }
    sluice_machine_close(m);
}

static void every_variant_is_right(void **state)
{
    (void)state;
    check_variants("cpu:2", tested, sizeof tested / sizeof tested[0]);
}

/* Real matrices on complex numbers as well, between a rule's stages that embed reals in these. */
static void every_variant_on_groups_is_right(void **state)
{
    static const char *const problems[] = {"dct3:f64:8@127*127@1", "dst2:f32:14@23*16@1:inplace",
                                           "dht:f64:8*5",          "dst2*dct1:f32:8x6",
                                           "dct1:f64:4*100",       "idxst:f32:13x4"};
    (void)state;
    check_variants("ref:gpu", problems, sizeof problems / sizeof problems[0]);
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

enum { CANDIDATES = 64, FIRST_ROUNDS = 3, ROUNDS = 15, FINALISTS = 6 };

typedef struct timing {
    int count;                                                 /* candidates */
    double price[CANDIDATES], seconds[CANDIDATES + 1][ROUNDS]; /* the last: 0 once more */
    int rounds[CANDIDATES + 1];                                /* in which each was timed */
} timing;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(timing *t, int v)
{
    qsort(t->seconds[v], (size_t)t->rounds[v], sizeof(double), compare);
    return t->seconds[v][t->rounds[v] / 2];
}

/* Times a candidate, as number `as`. */
static bool time_as(sluice_machine *m, const char *problem, int v, int as, timing *t)
{
    double seconds = 0;
    backend_cost cost;
    sluice_plan *plan = structure_plan(m, problem, v);
    t->count = structure_candidates(plan) < CANDIDATES ? structure_candidates(plan) : CANDIDATES;
    const bool good = m->table->team->estimate(plan->program, &cost) == SLUICE_OK
                      && sched_measure(plan, 0, 0, &seconds, NULL) == SLUICE_OK;
    sluice_plan_destroy(plan);
    t->price[v] = cost.seconds;
    t->seconds[as][t->rounds[as]++] = seconds;
    return good;
}

static int fastest_of(const double *seconds, int count)
{
    int best = 0;
    for (int v = 1; v < count; v++)
        best = seconds[v] < seconds[best] ? v : best;
    return best;
}

/* The candidates that are timed again: the chosen one, that of the lowest price, and the fastest
 * four of the others. */
static int select_finalists(timing *t, int *finalist)
{
    double seconds[CANDIDATES];
    int count = 0;
    for (int v = 0; v < t->count; v++)
        seconds[v] = median(t, v);
    for (int i = 0; count < FINALISTS && count < t->count; i++) {
        const int v = i == 0   ? 0
                      : i == 1 ? fastest_of(t->price, t->count)
                               : fastest_of(seconds, t->count);
        if (i != 1 || v != 0)
            finalist[count++] = v;
        seconds[v] = HUGE_VAL;
    }
    return count;
}

/* Candidates alternate, so that what disturbs one disturbs all. What the first rounds measured only
 * selects: the least of many noisy times is none that a plan has. */
static bool measure(sluice_machine *m, const char *problem, timing *t, int *finalist,
                    int *finalists)
{
    t->count = 1;
    for (int round = 0; round < FIRST_ROUNDS; round++)
        for (int v = 0; v < t->count; v++)
            if (!time_as(m, problem, v, v, t))
                return false;
    *finalists = select_finalists(t, finalist);
    memset(t->rounds, 0, sizeof t->rounds);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < *finalists; i++)
            if (!time_as(m, problem, finalist[i], finalist[i], t))
                return false;
        if (!time_as(m, problem, 0, CANDIDATES, t))
            return false;
    }
    return true;
}

static void print_plan(sluice_machine *m, const char *problem, int v, double price, double seconds)
{
    sluice_plan *plan = structure_plan(m, problem, v);

    printf("# %d predicted %.4g s, takes %.4g s: %s\n", v, price, seconds, plan->line);
    sluice_plan_destroy(plan);
}

static bool print_times(sluice_machine *m, const char *problem, bool plans)
{
    static timing t;
    int finalist[FINALISTS], finalists = 0;
    double seconds[FINALISTS] = {0};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    t = (timing){.count = 0};
    if (sluice_problem_parse(&p, problem, &why) != SLUICE_OK
        || sluice_plan_create(&plan, m, &p, NULL, &why) != SLUICE_OK) {
        fprintf(stderr, "test_variants: %s: %s\n", problem, why.message);
        return false;
    }
    sluice_plan_destroy(plan);
    if (!measure(m, problem, &t, finalist, &finalists))
        return false;
    for (int i = 0; i < finalists; i++)
        seconds[i] = median(&t, finalist[i]);
    for (int i = 0; plans && i < finalists; i++)
        print_plan(m, problem, finalist[i], t.price[finalist[i]], seconds[i]);
    const int best = fastest_of(seconds, finalists), priced = fastest_of(t.price, t.count);
    const double of_priced = seconds[finalist[0] == priced ? 0 : 1];
    const double again = median(&t, CANDIDATES);
    printf("%s candidates=%d best=%d cheapest=%d cheapest_price=%.3f repeated=%.3f "
           "cheapest_ratio=%.3f chosen_ratio=%.3f\n",
           problem, t.count, finalist[best], priced, t.price[priced] / t.price[0],
           fmax(again, seconds[0]) / fmin(again, seconds[0]), of_priced / seconds[best],
           seconds[0] / seconds[best]);
    fflush(stdout);
    return true;
}

static int print_all(int count, char **problems)
{
    sluice_machine *m = NULL;
    sluice_diag why = {0};
    bool good = true;
    const bool plans = strcmp(problems[0], "--plans") == 0;
    count -= plans ? 1 : 0;
    problems += plans ? 1 : 0;
    const bool knows = count > 1 && strcmp(problems[0], "--wisdom") == 0;
    if (sluice_machine_open(&m, NULL, &why) != SLUICE_OK
        || (knows && sluice_wisdom_load(m, problems[1], &why) != SLUICE_OK)) {
        fprintf(stderr, "test_variants: %s\n", why.message);
        sluice_machine_close(m);
        return 2;
    }
    count -= knows ? 2 : 0;
    problems += knows ? 2 : 0;
    for (int i = 0; i < count && good; i++)
        good = print_times(m, problems[i], plans);
    sluice_machine_close(m);
    return good ? 0 : 2;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_variant_is_right, nothing_leaks),
        cmocka_unit_test_teardown(every_variant_on_groups_is_right, nothing_leaks),
        cmocka_unit_test_teardown(the_first_variant_is_chosen, nothing_leaks),
    };
    return argc > 1 ? print_all(argc - 1, argv + 1) : cmocka_run_group_tests(tests, NULL, NULL);
}
