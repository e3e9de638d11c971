// SPDX-License-Identifier: BSD-3-Clause
/* Tall and narrow arrays of reals, whose columns fill no vector: they are rows, or columns in
 * shorter vectors. And axes of one point, which are a number. Right with any vectors, with the same
 * bits for any workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/planner/transposed.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 2811 };

static const char caches[] = "pack:1 l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 "
                             "pu:1";
static const char *const isas[] = {NULL, "avx2", "vec128", "scalar"};
enum { ISAS = sizeof isas / sizeof isas[0] };

/* The first NARROW have columns that are rows with vectors of AVX2, others fill shorter ones. */
static const char *const problems[] = {"dct2:f32:96x3",
                                       "dct4:f64:200x3",
                                       "dst1:f32:100x3",
                                       "dht:f32:150x7:inplace",
                                       "dct3*dst3:f32:640x3:latency",
                                       "dct2*dst4*dct1:f32:96x2x3",
                                       "c2c:f32:37x5",
                                       "c2c:f64:53x3*2:inplace",
                                       "c2c:f32:74x6:in=split:out=split",
                                       "dct2:f32:64x8*2",
                                       "dct3:f32:96x4:inplace",
                                       "dst2*dct3:f64:99x4",
                                       "dct4:f32:80x12",
                                       "dct2:f32:300x20:latency",
                                       "dct4:f32:300x24:latency",
                                       "dht:f32:200x28:latency",
                                       "dst3:f64:300x10:latency",
                                       "dct3:f64:200x14:latency",
                                       "dst2:f32:640x22",
                                       "r2c:f32:82*33:out=halfcomplex",
                                       "dht*idxst*dct2:f64:2x77x3:scale=ortho",
                                       "dst4:f32:96x10*2:throughput"};
enum { PROBLEMS = sizeof problems / sizeof problems[0], NARROW = 9 };

static sluice_plan *plan_with(const char *units, const char *isa, const char *problem,
                              sluice_machine **m)
{
    *m = structure_machine_of(caches, units, isa, 0);
    return *m ? structure_plan(*m, problem, 0) : NULL;
}

/* The plan, again by its formula, and with more workers. */
static void check(const char *isa, const char *problem)
{
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:5"};
    sluice_machine *m[3];
    sluice_plan *plan[3];

    for (int k = 0; k < 3; k++) {
        plan[k] = plan_with(units[k], isa, problem, &m[k]);
        if (!m[k])
            return;
        structure_check(plan[k], problem, SEED);
        structure_compare(plan[k], plan[0], problem);
    }
    for (int k = 0; k < 3; k++) {
        sluice_plan *again = plan_of_formula(m[k], plan[k]->line, plan[k]->problem.precision);
        assert_string_equal(plan[k]->line, again->line);
        sluice_plan_destroy(again);
        sluice_plan_destroy(plan[k]);
        sluice_machine_close(m[k]);
    }
}

static void narrow_arrays_are_right(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++)
        for (int k = 0; k < ISAS; k++)
            check(isas[k], problems[i]);
}

static void columns_are_rows(void **state)
{
    (void)state;
    for (int i = 0; i < NARROW; i++) {
        sluice_machine *m;
        sluice_plan *plan = plan_with("cpu:1", "avx2", problems[i], &m);
        if (!m)
            skip();
        assert_non_null(plan->tree);
        if (sched_transposed_of(plan->tree) != SCHED_COLUMNS_AS_ROWS)
            fail_msg("%s: columns are no rows\n%s", problems[i], plan->line);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Of many candidates half transpose nothing, though the search has those that do before them. */
static void half_of_a_list_transposes_nothing(void **state)
{
    sluice_machine *m;
    sluice_plan *plan = plan_with("cpu:1", "avx2", "dct3*idxst:f32:10000x100", &m);
    int count = 0;

    (void)state;
    if (!m)
        skip();
    const sched_list *all = &plan->candidates->all;
    assert_int_equal(all->count, SCHED_MAX_CANDIDATES);
    for (int i = 0; i < all->count; i++)
        count += sched_transposed_of(all->tree[i]) == SCHED_NOTHING_TRANSPOSED;
    assert_true(count >= SCHED_MAX_CANDIDATES / 2);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Problems with axes of one point, and without these. */
static const struct {
    const char *with, *without;
} ones[] = {{"dct2:f32:40x48x1", "dct2:f32:40x48"},
            {"dct4:f64:1x33x1", "dct4:f64:33"},
            {"dst3*dst1:f64:50x1:scale=ortho", "dst3:f64:50:scale=ortho"},
            {"dct3:f32:64x1x20*3:inplace:scale=n", "dct3:f32:64x20*3:inplace:scale=n"},
            {"dst4*dht*dst2*r2c:f32:1x1x1x30*7", "r2c:f32:30*7"},
            {"dct2*c2r:f64:1x24:in=split", "c2r:f64:24:in=split"}};
enum { ONES = sizeof ones / sizeof ones[0] };

static double operations_of(const char *problem, sluice_machine **m)
{
    sluice_plan *plan = plan_with("cpu:1", NULL, problem, m);
    backend_cost cost;

    assert_int_equal((*m)->table->team->estimate(plan->program, &cost), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(*m);
    return cost.operations;
}

/* They add no stage, at most the products with the number. */
static void axes_of_one_point_are_numbers(void **state)
{
    sluice_machine *m;

    (void)state;
    for (int i = 0; i < ONES; i++) {
        for (int k = 0; k < ISAS; k++)
            check(isas[k], ones[i].with);
        const double with = operations_of(ones[i].with, &m);
        const double without = operations_of(ones[i].without, &m);
        if (with > 1.5 * without + 8)
            fail_msg("%s: %g operations, %s: %g", ones[i].with, with, ones[i].without, without);
    }
}

/* Where no axis has more they are stages. */
static void single_points_are_right(void **state)
{
    static const char *const single[] = {"dct2:f32:1", "dct4:f64:1x1", "dct3*r2c:f32:1x1*5",
                                         "dst2*dct2:f64:1x1*3:scale=ortho"};

    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        for (int k = 0; k < ISAS; k++)
            check(isas[k], single[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(narrow_arrays_are_right, nothing_leaks),
        cmocka_unit_test_teardown(columns_are_rows, nothing_leaks),
        cmocka_unit_test_teardown(half_of_a_list_transposes_nothing, nothing_leaks),
        cmocka_unit_test_teardown(axes_of_one_point_are_numbers, nothing_leaks),
        cmocka_unit_test_teardown(single_points_are_right, nothing_leaks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
