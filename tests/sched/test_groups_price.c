// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of reals on groups of work-items cost, and what is chosen by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/group_unit.h"
#include "sched/plan/plan.h"
#include "sched/planner/groups.h"
#include "tests/helpers/helper_groups.h"
#include "tests/helpers/helper_plan.h"

/* Predicted cycles of the transform that is chosen. */
static double cycles_of(const char *problem)
{
    static const char before[] = "predicted ";
    sluice_plan *plan = plan_made(groups_gpu, problem);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    const char *chosen = strstr(text.data, ") chosen ");
    const char *at = chosen ? strstr(chosen, before) : NULL;
    assert_non_null(at);
    const double cycles = strtod(at + sizeof before - 1, NULL);
    test_free(text.data);
    sluice_plan_destroy(plan);
    return cycles;
}

/* Between a DFT of n/2 points and the pairs behind it n/2 numbers are exchanged: a part of what
 * memory takes for them, as many times more where they go by halves. */
static void check_exchange(const char *reals, const char *dft, int64_t numbers, double times)
{
    const double moved = group_unit_price.byte_cycles * 2 * 8 * (double)numbers;
    const double part = (cycles_of(reals) - cycles_of(dft)) / moved;
    const double wanted = group_unit_price.exchange * times;
    if (part < 0.9 * wanted || part > 1.1 * wanted) /* of rounded cycles */
        fail_msg("%s: an exchange is %g of a pass, not %g", reals, part, wanted);
}

static void pairs_are_exchanges(void **state)
{
    (void)state;
    check_exchange("r2c:f32:4096*64", "c2c:f32:2048*64", 2048, 1);
    check_exchange("c2r:f32:2048*64", "c2c:f32:1024*64:inverse", 1024, 1);
    check_exchange("r2c:f32:16384*16", "c2c:f32:8192*16", 8192, group_unit_price.halves);
    check_exchange("dht:f32:16384*16", "c2c:f32:8192*16", 8192, group_unit_price.halves);
}

/* As complex numbers they would be twice as many, and more exchanges of them. */
static void reals_are_not_embedded(void **state)
{
    static const struct {
        const char *problem, *rule;
    } cases[] = {{"dct1:f32:2049*128", "dct1-half"},
                 {"dst1:f32:127*2048", "dst1-half"},
                 {"dct4:f32:24*4096", "dct4-half"},
                 {"dct4:f32:64*256", "dct4-half"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = plan_made(groups_gpu, cases[i].problem);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        char chosen[64] = "chosen by ";
        strcat(chosen, cases[i].rule);
        const char *at = strstr(text.data, chosen);
        if (!at || memcmp(at - 4, "not ", 4) == 0)
            fail_msg("%s", text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
    }
}

/* One item's transform needs no exchange but on its way in and out. */
static void short_ones_are_an_items(void **state)
{
    static const char *const problems[] = {"r2c:f32:16*16384", "dct2:f32:16*4096",
                                           "dst1:f32:15*4096", "dht:f64:16*256"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(groups_gpu, problems[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        if (!strstr(text.data, ") chosen radices 1"))
            fail_msg("%s", text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
        plan_check_problem(groups_gpu, problems[i], i + 1);
    }
}

/* Predicted cycles of 2048 points where a unit has so much local memory for all of its groups. */
static double cycles_with(int64_t unit_local)
{
    const sched_place at = {
        .kind = SPL_DFT, .type = SPL_TYPE_COMPLEX, .n = 2048, .columns = 1, .batch = 4096};
    sched_target t;
    sched_list found;
    sched_target_init(&t, spl_ctx_open(), groups_gpu, SLUICE_F32);
    assert_non_null(t.ctx);
    t.groups.unit_local = unit_local;
    sched_groups_find(&t, &at, &found);
    assert_true(found.count > 0);
    const double cycles = found.tree[0]->cycles;
    spl_ctx_close(t.ctx);
    return cycles;
}

/* What it holds less of runs alone, and memory waits for it. */
static void units_run_the_groups_they_hold(void **state)
{
    static const int64_t less[] = {228 << 10, 96 << 10, 48 << 10, 20 << 10};
    (void)state;
    for (int i = 0; i < 3; i++)
        if (cycles_with(less[i + 1]) <= cycles_with(less[i]))
            fail_msg("%d KiB: %g cycles, %d KiB: %g", (int)(less[i] >> 10), cycles_with(less[i]),
                     (int)(less[i + 1] >> 10), cycles_with(less[i + 1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_exchanges),
        cmocka_unit_test(reals_are_not_embedded),
        cmocka_unit_test(short_ones_are_an_items),
        cmocka_unit_test(units_run_the_groups_they_hold),
    };
    return cmocka_run_group_tests_name("groups_price", tests, groups_setup, groups_teardown);
}
