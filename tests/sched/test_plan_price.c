// SPDX-License-Identifier: BSD-3-Clause
/* The choice among candidates by their prices: what is bound without tables costs what the program
 * does that runs, and of what was measured the cheapest candidate is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/machine/costs.h"
#include "sched/planner/formula.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

static const char *const problems[] = {
    "c2c:f32:16384",           "c2c:f64:1000*30", "c2c:f32:100000", "c2c:f32:96x120",
    "c2c:f64:64x48*3:inplace", "r2c:f32:4096*9",  "dct2:f64:60x80", "c2c:f32:46656:inverse"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static double estimate_of(const sluice_plan *plan, const backend_program *program)
{
    backend_cost cost;
    assert_int_equal(plan->machine->table->team->estimate(program, &cost), SLUICE_OK);
    assert_true(cost.seconds > 0);
    return cost.seconds;
}

static void sketches_cost_what_programs_cost(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        const backend_team *team = m->table->team;
        const ptrdiff_t before = core_mem_held();
        backend_program *sketch = NULL;
        assert_int_equal(team->sketch(m->backend, plan->costs, plan->body, plan->mode,
                                      plan->problem.precision, &sketch, NULL),
                         SLUICE_OK);
        const double price = estimate_of(plan, sketch), own = estimate_of(plan, plan->program);
        if (price != own)
            fail_msg("%s: the sketch costs %g s, the program %g s", problems[i], price, own);
        team->release(sketch);
        assert_int_equal(core_mem_held(), before);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Costs of which one was measured: prices decide among all candidates. */
static void measure_one(sluice_machine *m)
{
    char line[128];
    sluice_codelet_info info;
    sched_costs_reader reader = {.costs = NULL};
    sluice_diag why = {0};
    assert_int_equal(sluice_machine_codelet_info(m, 0, &info), SLUICE_OK);
    snprintf(line, sizeof line, "codelet %s %.2f", info.name, info.predicted);
    if (sched_costs_read(m, &reader, line, &why) != SLUICE_OK)
        fail_msg("%s: %s", line, why.message);
    sched_costs_publish(m, &reader);
}

static double price_of_candidate(sluice_machine *m, const char *problem, int candidate)
{
    sluice_plan *plan = structure_plan(m, problem, candidate);
    const double price = estimate_of(plan, plan->program);
    sluice_plan_destroy(plan);
    return price;
}

/* Is another candidate cheaper than `share` of the chosen one's price? */
static bool is_undercut(sluice_machine *m, const char *problem, double share, int count)
{
    const double chosen = price_of_candidate(m, problem, 0);
    for (int v = 1; v < count; v++)
        if (price_of_candidate(m, problem, v) < share * chosen * (1 - 1e-12))
            return true;
    return false;
}

static int candidates_of(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    const int count = structure_candidates(plan);
    sluice_plan_destroy(plan);
    return count;
}

/* Did the search put another candidate first? */
static bool is_promoted(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    const sched_list *all = &plan->candidates->all;
    const bool promoted = all->count > 1 && all->tree[0]->cycles > all->tree[1]->cycles;
    sluice_plan_destroy(plan);
    return promoted;
}

static void the_cheapest_is_chosen_where_costs_were_measured(void **state)
{
    (void)state;
    int promoted = 0;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    measure_one(m);
    for (int i = 0; i < PROBLEMS; i++) {
        if (is_undercut(m, problems[i], 1, candidates_of(m, problems[i])))
            fail_msg("%s: there is a cheaper candidate", problems[i]);
        promoted += is_promoted(m, problems[i]);
    }
    assert_true(promoted > 0);
    sluice_machine_close(m);
}

/* Of 2^16 points five candidates are priced. */
static void the_first_give_way_to_much_cheaper_ones(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_false(is_undercut(m, "c2c:f32:65536", 0.95, 5));
    assert_false(is_undercut(m, "c2c:f32:32768*2", 0.95, 5));
    sluice_machine_close(m);
}

static void workers_change_nothing(void **state)
{
    (void)state;
    sluice_machine *one = plan_machine("cpu:1", NULL), *three = plan_machine("cpu:3", NULL);
    measure_one(one);
    measure_one(three);
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_plan *a = plan_made(one, problems[i]), *b = plan_made(three, problems[i]);
        if (!sched_tree_equal(a->tree, b->tree))
            fail_msg("%s: one unit has another choice than three", problems[i]);
        sluice_plan_destroy(a);
        sluice_plan_destroy(b);
    }
    sluice_machine_close(one);
    sluice_machine_close(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sketches_cost_what_programs_cost, nothing_leaks),
        cmocka_unit_test_teardown(the_cheapest_is_chosen_where_costs_were_measured, nothing_leaks),
        cmocka_unit_test_teardown(the_first_give_way_to_much_cheaper_ones, nothing_leaks),
        cmocka_unit_test_teardown(workers_change_nothing, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
