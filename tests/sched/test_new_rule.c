// SPDX-License-Identifier: BSD-3-Clause
/* A breakdown rule that is in no other file than its own (tests/helpers/rules_example.c) and in the
 * table of rules is one that the planner uses: it prices the rule's choices, builds their formulas,
 * and takes them where they are the cheapest. Without it in the table nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/rules_example.c"

static const spl_rule *const with_example[] = {&spl_dft_stockham, &rules_example, NULL};
static const long double exact = 1e-12L;

/* The planner on one problem; `rules` NULL: its own. */
typedef struct planning {
    sluice_machine *machine;
    spl_ctx *ctx;
    sched_target target;
    sluice_problem problem;
    const sched_candidates *found;
} planning;

static void plan_open(planning *w, const char *problem, const spl_rule *const *rules)
{
    w->machine = plan_machine("cpu:1", NULL);
    w->ctx = spl_ctx_open();
    assert_non_null(w->ctx);
    assert_int_equal(sluice_problem_parse(&w->problem, problem, NULL), SLUICE_OK);
    assert_int_equal(sched_problem_normalise(&w->problem, NULL), SLUICE_OK);
    sched_target_init(&w->target, w->ctx, w->machine, w->problem.precision);
    w->target.around.contiguous = w->target.around.same_layout = true;
    if (rules != NULL)
        w->target.rules = rules;
    w->found = sched_find_candidates(&w->target, &w->problem);
    assert_non_null(w->found);
}

static void plan_close(planning *w)
{
    assert_int_equal(spl_ctx_status(w->ctx, NULL), SLUICE_OK);
    spl_ctx_close(w->ctx);
    sluice_machine_close(w->machine);
}

/* How many candidates are by the rule. */
static int count_by_example(const sched_candidates *found)
{
    int count = 0;
    for (int i = 0; i < found->all.count; i++)
        count += found->all.tree[i]->kid[0]->rule == &rules_example;
    return count;
}

/* All formulas are complete, and the problem's transform. */
static void formulas_are_right(planning *w)
{
    const spl *dft = spl_dft(w->ctx, (int64_t)w->problem.dim[0].n, false);
    for (int i = 0; i < w->found->all.count; i++) {
        long double distance = 1;
        const spl *x = sched_formula_of(&w->target, &w->problem, w->found->all.tree[i], NULL);
        assert_non_null(x);
        assert_true(spl_is_complete(x));
        assert_int_equal(spl_distance(dft, x, &distance), SLUICE_OK);
        assert_true(distance < exact);
    }
}

/* 606 = 6 * 101: 101 has no codelet, 100 has radices; convolutions of 606 points are long. */
static const char problem[] = "c2c:f64:606";

static void a_rule_in_the_table_is_used(void **state)
{
    (void)state;
    planning w;
    plan_open(&w, problem, with_example);
    const sched_tree *best = w.found->all.tree[0]->kid[0];
    assert_ptr_equal(best->rule, &rules_example);
    assert_int_equal(best->nkids, 2);
    assert_int_equal(best->kid[0]->n * best->kid[1]->n, 606);
    const spl *x = sched_formula_of(&w.target, &w.problem, w.found->all.tree[0], NULL);
    assert_true(x != NULL && spl_is_complete(x));
    plan_close(&w);
}

static void its_choices_are_priced_like_others(void **state)
{
    (void)state;
    planning w;
    plan_open(&w, "c2c:f64:22", with_example);
    const int count = w.found->all.count, example = count_by_example(w.found);
    assert_true(example > 1 && example < count);
    for (int i = 1; i < count; i++)
        assert_true(w.found->all.tree[i - 1]->cycles <= w.found->all.tree[i]->cycles);
    formulas_are_right(&w);
    plan_close(&w);
}

static void without_it_nothing_changes(void **state)
{
    (void)state;
    planning w;
    plan_open(&w, problem, NULL);
    assert_int_equal(count_by_example(w.found), 0);
    plan_close(&w);
}

static void its_cases_hold(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    const spl *x;
    spl_params p;
    int built = 0, refused = 0;
    for (int i = 0; rules_example.test_case(ctx, i, &x, &p); i++) {
        long double distance = 1;
        const bool allowed = rules_example.guard(x, &p, NULL);
        built += allowed;
        refused += !allowed;
        if (!allowed)
            continue;
        assert_int_equal(spl_distance(x, rules_example.build(ctx, x, &p), &distance), SLUICE_OK);
        assert_true(distance < exact);
    }
    assert_true(built > 0 && refused > 0);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_rule_in_the_table_is_used, nothing_leaks),
        cmocka_unit_test_teardown(its_choices_are_priced_like_others, nothing_leaks),
        cmocka_unit_test_teardown(without_it_nothing_changes, nothing_leaks),
        cmocka_unit_test_teardown(its_cases_hold, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
