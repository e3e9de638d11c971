// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of plans as kernels of an OpenCL device, on the first there is: of every kind and layout in
 * every form of kernels, in short blocks and in shares of a batch. */
#define _DEFAULT_SOURCE /* alarm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/plan/sides.h"
#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 280 };

static hook_devices devices;

typedef struct hooked_problem {
    const char *problem;
    sluice_hooks hooks;
} hooked_problem;

#define WEIGHTS .weight = hook_weights, .weight_rank = 1
#define STORED(kind) .storage = SLUICE_STORE_##kind
#define HALVED .call = hook_halve, .opencl = hook_halve_text

/* ---------------------------------------------------------------- every kind ------------- */

/* A draw of sets of hooks, all of them in every fourth case: each plan is compiled. */
static void every_kind(sluice_machine *m, int step)
{
    enum { ALL = HOOK_SETS - 1 };
    for (int i = 0; i < HOOK_CASES; i += step)
        hook_verify(m, &hook_cases[i], i % 4 ? 1 + i % ALL : ALL, i % 4 ? i * 7 % ALL : ALL);
}

static void hooks_are_right(void **state)
{
    (void)state;
    every_kind(devices.whole, 3);
}

static void hooks_are_right_in_buffers(void **state)
{
    (void)state;
    every_kind(devices.copying, 6);
}

static void hooks_are_right_in_items(void **state)
{
    (void)state;
    every_kind(devices.items, 9);
}

static void hooks_are_right_in_groups(void **state)
{
    (void)state;
    every_kind(devices.groups, 9);
}

/* ---------------------------------------------------------------- streams ---------------- */

/* The first transforms of a block, and no byte of others; elements count from its beginning. */
static void short_block(sluice_machine *m, const hooked_problem *c, size_t count)
{
    sluice_plan *plan = hook_plan(m, c->problem, &c->hooks);
    sluice_stream *stream;
    sluice_slot *slot;
    sched_sides whole;
    assert_int_equal(sched_sides_open(&whole, plan, 0, NULL), SLUICE_OK);
    sched_sides_fill(&whole, plan, count);
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    slot->count = count;
    memcpy(slot->in, whole.arrays.in, plan->bytes_from[0]);
    memset(slot->out, 0x5A, plan->bytes_from[1]);
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    memset(whole.block[2], 0x5A, plan->bytes_from[1]);
    assert_int_equal(sluice_execute_with(plan, &whole.arrays, NULL), SLUICE_OK);
    const size_t end = plan->bytes_from[1] / plan->problem.batch[0].n * count;
    assert_memory_equal(slot->out, whole.arrays.out, end);
    for (size_t i = end; i < plan->bytes_from[1]; i++)
        assert_int_equal(((const unsigned char *)slot->out)[i], 0x5A);
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    sched_sides_close(&whole);
    sluice_plan_destroy(plan);
}

static void short_blocks_are_whole(void **state)
{
    static const hooked_problem blocks[] = {
        {"c2c:f32:64*30", {.in = {WEIGHTS, STORED(I16)}, .out = {HALVED, STORED(F16)}}},
        {"c2c:f32:256*6", {.in = {HALVED}}},
        {"c2c:f32:100*7", {.out = {WEIGHTS, .extent = {31}}}},
        {"r2c:f32:100*7", {.in = {STORED(I16), .extent = {70}}, .out = {STORED(F16)}}}};
    sluice_machine *const machine[] = {devices.whole, devices.copying, devices.items};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            short_block(machine[m], &blocks[i], 1);
            short_block(machine[m], &blocks[i], 5);
        }
}

/* Elements of a share count from the beginning of the batch. */
static void shares_count_from_the_batch(void **state)
{
    static const hooked_problem shared = {"c2c:f32:4096*200", {.in = {HALVED}}};
    (void)state;
    sluice_machine *both = plan_machine("opencl:0:cores=1,opencl:0:copy:cores=1", NULL);
    sluice_machine *one = plan_machine("opencl:0", NULL);
    hook_compare(both, one, shared.problem, &shared.hooks, 3);
    sluice_machine_close(both);
    sluice_machine_close(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_are_right),          cmocka_unit_test(hooks_are_right_in_buffers),
        cmocka_unit_test(hooks_are_right_in_items), cmocka_unit_test(hooks_are_right_in_groups),
        cmocka_unit_test(short_blocks_are_whole),   cmocka_unit_test(shares_count_from_the_batch),
    };
    alarm(TIME_LIMIT);
    opencl_compile_plainly(true);
    hook_fill_weights();
    const int failed = hook_devices_open(&devices)
                           ? cmocka_run_group_tests_name("opencl hook sides", tests, NULL, NULL)
                           : SKIPPED;
    return hook_devices_close(&devices) ? failed : 1;
}
