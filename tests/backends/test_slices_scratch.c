// SPDX-License-Identifier: BSD-3-Clause
/* Scratch of plans with transfers in slices: which lies in the block of the results, and that these
 * have the same bits as with scratch apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_cursor.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

static const size_t local_store = 1 << 17, no_limit = (size_t)1 << 40;
static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:2"};

/* Where results leave by ordinary stores scratch lies in their block, if the last kernel fills the
 * vectors it has: whole ones, and a shorter one, or in larger blocks two. */
static const struct {
    const char *problem;
    bool in_block; /* with AVX-512 */
} images[] = {
    {"c2c:f64:15x14*600", true},
    {"c2c:f64:15x15*600:inverse", true},
    {"c2c:f32:12x12*1500", true},
    {"c2c:f64:6x3*5003", true},
    {"c2c:f64:10@10/10x10@1/1*800@103/101", true},
    {"c2c:f64:3x5x6*900", true},
    {"c2c:f64:15x14*600:scale=n", true},
    {"c2c:f64:150*600", true},
    {"c2c:f64:15x14*600:inplace", false},
    {"c2c:f64:16x16*600", false},
    {"c2c:f32:15x15*900", false},
    {"c2c:f64:5x11*1500", false},
    {"c2c:f64:15x14*20", false},
    {"c2c:f64:3x4*3001", true},
    {"c2c:f32:8x8*1500", true},
    {"c2c:f64:4x4*5002:inverse", true},
    {"c2c:f64:25x25*60", true},
    {"c2c:f64:45x45*20", false}, /* 32 KB, no less than L1 */
    {"c2c:f64:5625*9", false},
};

static bool is_in_block(const sluice_plan *plan)
{
    const bind_tape *tape = &((const cpu_program *)plan->program)->tape;
    bool found = false;

    for (size_t i = 0; i < tape->nops; i++)
        found = found || tape->op[i].in_block;
    return found;
}

/* Sanitizers, which see no codelet, have one instruction set in turn. */
static void scratch_in_blocks_changes_no_bit(void **state)
{
    const int step = PLAN_SANITIZED ? PLAN_ISAS : 1;
    (void)state;
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        for (int u = (int)i % step; u < PLAN_ISAS; u += step) {
            const char *isa = plan_isas[u];
            sluice_machine *m =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units[u], isa, local_store);
            sluice_machine *unlimited =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units[u], isa, no_limit);
            if (m) {
                sluice_plan *plan = structure_plan(m, images[i].problem, 0);
                sluice_plan *whole =
                    plan_of_formula(unlimited, plan->line, plan->problem.precision);
                if (strcmp(isa, "avx512") == 0 && is_in_block(plan) != images[i].in_block)
                    fail_msg("%s: scratch lies %s", images[i].problem,
                             images[i].in_block ? "apart" : "in the block");
                assert_false(is_in_block(whole));
                structure_compare(plan, whole, images[i].problem);
                sluice_plan_destroy(whole);
                sluice_plan_destroy(plan);
            }
            sluice_machine_close(m);
            sluice_machine_close(unlimited);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(scratch_in_blocks_changes_no_bit, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
