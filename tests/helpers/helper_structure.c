// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_structure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "tests/helpers/helper_plan.h"

static const char small_caches[] = "pack:1 l3:1(size=32768) l2:1(size=32768) l1d:1(size=16384) "
                                   "core:1 pu:1";

/* Sets a variable (NULL: unsets it) and returns a copy of its previous value. */
static char *replace_variable(const char *name, const char *value)
{
    const char *outer = getenv(name);
    char *kept = outer == NULL ? NULL : strdup(outer);
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
    return kept;
}

static void restore_variable(const char *name, char *kept)
{
    free(replace_variable(name, kept));
    free(kept);
}

sluice_machine *structure_machine(const char *units, const char *isa, size_t local_store)
{
    return structure_machine_of(small_caches, units, isa, local_store);
}

sluice_machine *structure_machine_of(const char *caches, const char *units, const char *isa,
                                     size_t local_store)
{
    const sluice_machine_options options = {.units = units, .local_store = local_store};
    sluice_machine *m = NULL;
    sluice_diag why = {0};
    char *topology = replace_variable("SLUICE_TOPOLOGY", caches);
    char *cpu = replace_variable("SLUICE_CPU", isa != NULL ? isa : getenv("SLUICE_CPU"));
    const sluice_status status = sluice_machine_open(&m, &options, &why);
    restore_variable("SLUICE_TOPOLOGY", topology);
    restore_variable("SLUICE_CPU", cpu);
    if (status == SLUICE_E_UNSUPPORTED && isa != NULL)
        return NULL;
    if (status != SLUICE_OK)
        fail_msg("units %s: %s", units, why.message);
    return m;
}

void structure_of_isas(const char *units, size_t local_store, structure_test *test)
{
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = structure_machine(units, plan_isas[i], local_store);
        if (m == NULL)
            continue;
        test(m, plan_isas[i]);
        sluice_machine_close(m);
    }
}

/* The plan of one of the candidates of `first`, NULL: the cheapest there is. */
static sluice_plan *build_plan(sluice_machine *m, const char *problem, const sluice_plan *first,
                               int candidate)
{
    sched_plan_request request = {.batch_scale = 1, .costs_from = first};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (first != NULL)
        request.tree = first->candidates->all.tree[candidate];
    if (sluice_problem_parse(&p, problem, &why) != SLUICE_OK
        || sched_problem_normalise(&p, &why) != SLUICE_OK
        || sched_plan_build(&plan, m, &p, &request, &why) != SLUICE_OK)
        fail_msg("%s, candidate %d: %s", problem, candidate, why.message);
    return plan;
}

sluice_plan *structure_plan(sluice_machine *m, const char *problem, int candidate)
{
    sluice_plan *first = build_plan(m, problem, NULL, 0);
    const int count = structure_candidates(first);
    if (candidate == 0 || count == 1)
        return first;
    sluice_plan *plan = build_plan(m, problem, first, candidate < count ? candidate : count - 1);
    sluice_plan_destroy(first);
    return plan;
}

int structure_candidates(const sluice_plan *plan)
{
    return plan->candidates != NULL ? plan->candidates->all.count : 0;
}

int structure_rank(const sluice_plan *plan)
{
    for (int i = structure_candidates(plan) - 1; i >= 0; i--)
        if (plan->candidates->all.tree[i] == plan->tree)
            return i;
    return -1;
}

/* Reads "32*32x16, predicted ..": '*' joins fused stages. */
static sched_radices read_list(const char *at)
{
    sched_radices list = {.count = 0};
    for (char sign = 'x'; sign == 'x' || sign == '*'; sign = *at++) {
        char *end;
        if (sign == '*')
            list.fused_with_next[list.count - 1] = true;
        assert_in_range(list.count, 0, SCHED_MAX_STAGES - 1);
        list.radix[list.count++] = strtoll(at, &end, 10);
        if (end == at)
            fail_msg("no radix at '%.40s'", at);
        at = end;
    }
    return list;
}

/* The radices of a line that ends its transform so, if they are the chosen ones; NULL: not. */
static const char *chosen_radices(const char *after)
{
    static const char *const chosen[] = {" chosen radices ", " chosen in place, radices "};

    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++)
        if (strncmp(after, chosen[i], strlen(chosen[i])) == 0)
            return after + strlen(chosen[i]);
    return NULL;
}

int structure_lists(const sluice_plan *plan, sched_radices list[STRUCTURE_AXES])
{
    int count = 0;
    for (const char *line = plan->comments; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n'), *word = strchr(line, ')');
        assert_non_null(end);
        const char *radices = word != NULL && word < end ? chosen_radices(word + 1) : NULL;
        if (radices != NULL) {
            assert_true(strncmp(line, "# DFT(", 6) == 0 && count < STRUCTURE_AXES);
            list[count] = read_list(radices);
            if (structure_points(&list[count]) != strtoll(line + 6, NULL, 10))
                fail_msg("other radices than of its size: %.80s", line);
            count++;
        }
        line = end + 1;
    }
    return count;
}

int structure_memory_passes(const sched_radices *list)
{
    int trips = list->count;
    for (int q = 0; q < list->count; q++)
        trips -= list->fused_with_next[q];
    return trips;
}

bool structure_first_pair(const sched_radices *list)
{
    return list->fused_with_next[0];
}

int64_t structure_points(const sched_radices *list)
{
    int64_t n = 1;
    for (int q = 0; q < list->count; q++)
        n *= list->radix[q];
    return n;
}

int structure_top(const sluice_plan *plan)
{
    int top = 0;
    for (size_t i = 0; i < plan->body->nstmts; i = plan->body->stmt[i].end)
        top += plan->body->stmt[i].op != PROG_SYNC;
    return top;
}

int64_t structure_slab(const sluice_plan *plan)
{
    sched_radices list[STRUCTURE_AXES];
    int64_t points = (int64_t)sched_problem_points(&plan->problem);
    for (int axis = structure_lists(plan, list) - 1; axis >= 0; axis--) {
        assert_int_equal(points % structure_points(&list[axis]), 0);
        points /= structure_points(&list[axis]);
    }
    return points;
}

void structure_check(const sluice_plan *plan, const char *problem, uint64_t seed)
{
    plan_data d;
    plan_data_open(&d, plan, problem, seed % 2 ? 0 : 8);
    plan_data_fill(&d, seed);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    if (!plan_data_check(&d))
        fail_msg("%s, candidate %d, seed %llu: %s\n%s%s", problem, structure_rank(plan),
                 (unsigned long long)seed, d.message, plan->comments, plan->line);
    plan_data_close(&d);
}

static void compare_at(size_t shift, const sluice_plan *plan, const plan_data *expected)
{
    plan_data d;
    plan_data_open(&d, plan, expected->name, shift);
    plan_data_fill(&d, expected->seed);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    if (!plan_data_same(&d, expected))
        fail_msg("%s, %zu bytes beyond lines: other bits\n%s", expected->name, shift, plan->line);
    if (shift > 0 && !plan_data_check(&d))
        fail_msg("%s, %zu bytes beyond lines: %s", expected->name, shift, d.message);
    plan_data_close(&d);
}

void structure_compare(const sluice_plan *plan, const sluice_plan *other, const char *problem)
{
    plan_data expected;
    plan_data_open(&expected, other, problem, 0);
    plan_data_fill(&expected, 4711);
    assert_int_equal(sluice_execute_with(other, &expected.arrays, NULL), SLUICE_OK);
    compare_at(0, plan, &expected);
    compare_at(plan->problem.precision == SLUICE_F32 ? 28 : 40, plan, &expected);
    plan_data_close(&expected);
}

bool structure_places(const sluice_plan *plan, const char *part)
{
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const bool found = strstr(text.data, part) != NULL;

    test_free(text.data);
    return found;
}
