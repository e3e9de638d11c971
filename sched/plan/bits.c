// SPDX-License-Identifier: BSD-3-Clause
/* The bits of a plan's results as one number. The input is the same on any machine, and only the
 * values of elements count, not their layout in memory. */
#include "core/status.h"
#include "sched/plan/sides.h"
#include "sched/plan/verify_hooks.h"
#include "sched/problem/problem.h"

#include <string.h>

static const uint64_t input_seed = 88172645463325252ull;

/* FNV-1a by words of 64 bits. A number of any precision is hashed as a double; zero has no sign. */
static uint64_t hash_number(uint64_t hash, long double x)
{
    const double number = x == 0 ? 0 : (double)x;
    uint64_t word;

    memcpy(&word, &number, sizeof word);
    hash = (hash ^ word) * 0x100000001b3ull;
    return hash ^ hash >> 32;
}

static uint64_t hash_output(const sluice_plan *plan, const sluice_arrays *arrays)
{
    const sluice_problem *p = &plan->problem;
    const sched_side side = sched_side_of(plan, 1);
    const size_t batch = sched_problem_batch(p), elements = sched_side_elements(p, 1);
    uint64_t hash = 0xcbf29ce484222325ull;

    for (size_t which = 0; which < batch; which++) {
        const ptrdiff_t from = sched_side_batch_offset(&side, which);
        for (size_t i = 0; i < elements; i++) {
            long double x[2];
            if (!sched_hooks_reach(plan, 1, i))
                continue;
            sched_side_get(&side, arrays, from + sched_side_element_offset(&side, i), x);
            hash = hash_number(hash_number(hash, x[0]), x[1]);
        }
    }
    return hash;
}

/* Elements are filled in packed order, so that the same numbers are the same input in any
 * layout. */
static void fill_input(const sluice_plan *plan, const sluice_arrays *arrays)
{
    const sluice_problem *p = &plan->problem;
    const sched_side side = sched_side_of(plan, 0);
    const size_t batch = sched_problem_batch(p), elements = sched_side_elements(p, 0);
    uint64_t state = input_seed;

    for (size_t which = 0; which < batch; which++) {
        const ptrdiff_t from = sched_side_batch_offset(&side, which);
        for (size_t i = 0; i < elements; i++) {
            double x[2];
            x[0] = sched_sides_random(&state);
            x[1] = sched_sides_random(&state);
            if (sched_hooks_reach(plan, 0, i))
                sched_side_put(&side, arrays, from + sched_side_element_offset(&side, i), x);
        }
    }
}

sluice_status sched_plan_bits(const sluice_plan *plan, uint64_t *bits, sluice_diag *why)
{
    const backend_program *execution = plan->execution;
    sched_sides sides;

    sluice_status status = sched_sides_open(&sides, plan, 0, why);
    if (status != SLUICE_OK)
        return status;
    fill_input(plan, &sides.arrays);
    status = execution->run(execution, &sides.arrays, NULL, plan->workers);
    if (status == SLUICE_OK)
        *bits = hash_output(plan, &sides.arrays);
    sched_sides_close(&sides);
    return status == SLUICE_OK ? status : core_fail(why, status, 0, "the plan did not execute");
}
