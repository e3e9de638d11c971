// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of reals whose axes lie in another order than they are numbered, such as column after
 * column: planned in the order of memory, as fast as others. Right with any vectors, with the same
 * bits for any workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 2812 };

static const char caches[] = "pack:1 l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 "
                             "pu:1";
static const char *const isas[] = {NULL, "avx2", "vec128", "scalar"};
enum { ISAS = sizeof isas / sizeof isas[0] };

/* In one other order on both sides, and in that of the axes. */
static const struct {
    const char *problem, *packed;
} alike[] = {
    {"dct2:f32:64@1/1x48@64/64", "dct2:f32:48x64"},
    {"dct2:f32:40@1/1x1@7/7x30@40/40", "dct2:f32:30x1x40"},
    {"dst3:f64:1@5/5x20@1/1x1@7/7x30@20/20x1@3/3", "dst3:f64:30x20"},
    {"dct3*dst4:f64:24@1/1x30@24/24:scale=ortho", "dst4*dct3:f64:30x24:scale=ortho"},
    {"dst1:f64:63@1/1x31@63/63x5@1953/1953*3@9765/9765", "dst1:f64:5x31x63*3"},
    {"dct3*dct2*dst4:f64:20@1/1x33@20/20x7@660/660:inplace", "dst4*dct2*dct3:f64:7x33x20:inplace"},
    {"dht:f32:15@10/10x20@150/150x10@1/1*4@3000/3000:scale=n", "dht:f32:20x15x10*4:scale=n"},
    {"dct2:f32:100@1/1x60@100/100*5@6000/6000:throughput", "dct2:f32:60x100*5:throughput"},
    {"dct4:f64:300@1/1x200@300/300:latency", "dct4:f64:200x300:latency"}};
enum { ALIKE = sizeof alike / sizeof alike[0] };

/* In different orders, backwards, with an axis of one point; half-spectra of columns. */
static const char *const others[] = {"dct2:f32:20@1/30x30@20/1:scale=ortho",
                                     "dst2*dct3:f64:12@-1/-1x9@-12/-12",
                                     "dct2*dht:f32:8@1/1x8@8/8*100@64/64",
                                     "r2c:f32:20@1/1x30@20/20",
                                     "r2c:f64:20@1/16x30@20/1:out=split",
                                     "c2r:f32:40@1/1x20@40/40*3@440/800",
                                     "r2c:f64:7@30/30x30@1/1x40@210/210*2@8400/4410",
                                     "dct2*r2c:f32:50@1/1x22@50/50"};
enum { OTHERS = sizeof others / sizeof others[0] };

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

static void all_orders_are_right(void **state)
{
    (void)state;
    for (int k = 0; k < ISAS; k++) {
        for (int i = 0; i < ALIKE; i++)
            check(isas[k], alike[i].problem);
        for (int i = 0; i < OTHERS; i++)
            check(isas[k], others[i]);
    }
}

static double operations_of(const char *problem, sluice_machine **m)
{
    sluice_plan *plan = plan_with("cpu:1", NULL, problem, m);
    backend_cost cost;

    assert_int_equal((*m)->table->team->estimate(plan->program, &cost), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(*m);
    return cost.operations;
}

/* The same stages, wherever the axes are numbered. */
static void orders_cost_nothing(void **state)
{
    sluice_machine *m;

    (void)state;
    for (int i = 0; i < ALIKE; i++) {
        const double own = operations_of(alike[i].problem, &m);
        const double packed = operations_of(alike[i].packed, &m);
        if (own > 1.01 * packed)
            fail_msg("%s: %g operations, %s: %g", alike[i].problem, own, alike[i].packed, packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_orders_are_right, nothing_leaks),
        cmocka_unit_test_teardown(orders_cost_nothing, nothing_leaks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
