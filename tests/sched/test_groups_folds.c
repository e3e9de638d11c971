// SPDX-License-Identifier: BSD-3-Clause
/* Kernels of cosine and sine transforms of odd lengths on groups of work-items, whose folds have
 * halves that differ: as many launches for any number of transforms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_groups.h"
#include "tests/helpers/helper_plan.h"

enum { STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* The launches of a plan, which keeps nothing in memory of the groups' own. */
static int launches_of(const char *problem)
{
    sluice_plan *plan = plan_made(groups_gpu, problem);
    device_program made = groups_kernels(plan);
    const int launches = (int)device_launches(&made);
    if (made.spill_bytes != 0)
        fail_msg("%s: %d bytes of groups' own in memory", problem, (int)made.spill_bytes);
    device_program_free(&made);
    sluice_plan_destroy(plan);
    return launches;
}

/* A loop of launches for each transform would be eleven times as many for 11. What is cleared
 * between transforms and behind the last one are two launches where one transform has one, and a
 * fold that is a stage's addresses for one transform is a copy for several. */
static void launches_are_of_all_transforms(void **state)
{
    static const struct {
        const char *before, *after; /* the number of transforms */
    } cases[] = {{"dct2:f32:20011*", ""}, {"dct3:f32:20011*", ""},  {"dst2:f64:4099*", ""},
                 {"dst3:f32:4099*", ""},  {"dct4:f32:4099*", ""},   {"dst4:f32:5003*", ""},
                 {"idxst:f32:5003*", ""}, {"dct2:f32:4099x2*", ""}, {"r2c:f32:20011*", ""},
                 {"dht:f32:20011*", ""},  {"dct3:f32:", "x4099x3"}, {"c2c:f32:65537*", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += STEP) {
        const int number[] = {1, 3, 150};
        int launches[3];
        for (int k = 0; k < 3; k++) {
            char problem[64];
            snprintf(problem, sizeof problem, "%s%d%s", cases[i].before, number[k], cases[i].after);
            launches[k] = launches_of(problem);
        }
        if (launches[1] > 2 * launches[0] || launches[2] > 2 * launches[0])
            fail_msg("%s: %d, %d, %d launches of 1, 3, 150", cases[i].before, launches[0],
                     launches[1], launches[2]);
    }
}

static void they_are_right(void **state)
{
    static const char *const problems[] = {
        "dct2:f32:4099*5", "dct3:f64:4099*2", "dst2:f32:1663@3/2*3@7000/5000",
        "dst3:f32:2053*3:inplace", "dct4:f64:2053x2*2", "idxst:f32:2053*3", "dct2:f32:3x2053x3",
        /* odd lengths of several passes, of which the first one's input is padded */
        "idxst:f32:5775", "dct3:f64:3465*2", "dst3:f32:6561*3:inplace"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i += STEP)
        plan_check_problem(groups_gpu, problems[i], i + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_of_all_transforms),
        cmocka_unit_test(they_are_right),
    };
    return cmocka_run_group_tests_name("groups_folds", tests, groups_setup, groups_teardown);
}
