// SPDX-License-Identifier: BSD-3-Clause
/* Streams through the public API: the bits of sluice_execute, in order, also after failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "core/mem.h"
#include "sched/problem/problem.h"

enum { BLOCKS = 7 };

static sluice_machine *machine_of(const char *units)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *machine;
    sluice_diag why = {0};
    if (sluice_machine_open(&machine, &options, &why) != SLUICE_OK) {
        print_message("units %s: %s\n", units, why.message);
        skip();
    }
    return machine;
}

static sluice_plan *plan_of(sluice_machine *machine, const char *text)
{
    sluice_problem problem;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (sluice_problem_parse(&problem, text, &why) != SLUICE_OK
        || sluice_plan_create(&plan, machine, &problem, NULL, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

/* A packed problem of one batch dimension, or c2c of one axis, its data and the output of
 * sluice_execute. */
typedef struct job {
    sluice_plan *plan;
    bool split[2], in_place; /* [0]: in, [1]: out */
    size_t count, last;      /* transforms in a block, in the last one */
    size_t bytes[2];         /* of one transform, in one array, in and out */
    char *in[2], *want[2];   /* re and im, or one array and NULL; BLOCKS * count transforms */
    char *got[2];
    size_t given, taken;                  /* blocks */
    sluice_status source_says, sink_says; /* at block 3 */
} job;

static size_t block_bytes(const job *j, int side)
{
    return j->count * j->bytes[side];
}

static void *block_of(char *const array[2], int part, const job *j, size_t k)
{
    return array[part] == NULL ? NULL : array[part] + k * block_bytes(j, array != j->in);
}

static void fill_random(const job *j, sluice_precision precision)
{
    uint32_t state = 12345;
    for (int part = 0; part <= j->split[0]; part++)
        for (size_t i = 0; i < BLOCKS * block_bytes(j, 0) / (precision == SLUICE_F32 ? 4 : 8);
             i++) {
            state = state * 1664525u + 1013904223u;
            const double x = (double)state / 4294967296.0 - 0.5;
            if (precision == SLUICE_F32)
                ((float *)(void *)j->in[part])[i] = (float)x;
            else
                ((double *)(void *)j->in[part])[i] = x;
        }
}

static char *array_of(const job *j, int side)
{
    char *array = sluice_alloc(BLOCKS * block_bytes(j, side));
    assert_non_null(array);
    return array;
}

static void set_side(job *j, const sluice_problem *p, int side)
{
    const sluice_dim batch = sched_problem_dim(p, 0);
    const ptrdiff_t stride = side ? batch.out_stride : batch.in_stride;
    const size_t elements = p->batch_rank > 0 ? (size_t)stride : sched_side_elements(p, side);
    j->split[side] = sched_side_split(p, side);
    j->bytes[side] = elements * sched_side_bytes(p, side) / (j->split[side] ? 2 : 1);
}

static void job_open(job *j, sluice_machine *machine, const char *text)
{
    sluice_problem p;
    *j = (job){.plan = plan_of(machine, text)};
    assert_int_equal(sluice_plan_problem(j->plan, &p), SLUICE_OK);
    j->in_place = p.in_place;
    j->count = p.batch_rank > 0 ? p.batch[0].n : 1;
    j->last = j->count > 2 ? j->count / 2 : 1;
    for (int side = 0; side < 2; side++)
        set_side(j, &p, side);
    for (int part = 0; part <= j->split[0]; part++)
        j->in[part] = array_of(j, 0);
    for (int part = 0; part <= j->split[1]; part++) {
        j->want[part] = array_of(j, 1);
        j->got[part] = array_of(j, 1);
    }
    fill_random(j, p.precision);
    for (size_t k = 0; k < BLOCKS; k++) {
        if (j->in_place)
            memcpy(block_of(j->want, 0, j, k), block_of(j->in, 0, j, k), block_bytes(j, 0));
        const sluice_arrays a = {.in = block_of(j->in_place ? j->want : j->in, 0, j, k),
                                 .in_im = block_of(j->in, 1, j, k),
                                 .out = block_of(j->want, 0, j, k),
                                 .out_im = block_of(j->want, 1, j, k)};
        assert_int_equal(sluice_execute_with(j->plan, &a, NULL), SLUICE_OK);
    }
}

static void job_close(job *j)
{
    for (int part = 0; part < 2; part++) {
        sluice_free(j->in[part]);
        sluice_free(j->want[part]);
        sluice_free(j->got[part]);
    }
    sluice_plan_destroy(j->plan);
}

static sluice_status fill_block(void *user, sluice_slot *slot)
{
    job *j = user;
    const size_t k = j->given;
    if (k == BLOCKS)
        return SLUICE_END;
    assert_int_equal(slot->count, j->count);
    if (k == BLOCKS - 1)
        slot->count = j->last;
    memcpy(slot->in, block_of(j->in, 0, j, k), slot->count * j->bytes[0]);
    if (j->split[0])
        memcpy(slot->in_im, block_of(j->in, 1, j, k), slot->count * j->bytes[0]);
    return j->given++ == 3 ? j->source_says : SLUICE_OK;
}

static sluice_status collect_block(void *user, sluice_slot *slot)
{
    job *j = user;
    const size_t bytes = slot->count * j->bytes[1];
    assert_int_equal(slot->status, SLUICE_OK);
    assert_memory_equal(slot->out, block_of(j->want, 0, j, j->taken), bytes);
    if (j->split[1])
        assert_memory_equal(slot->out_im, block_of(j->want, 1, j, j->taken), bytes);
    return j->taken++ == 3 ? j->sink_says : SLUICE_OK;
}

/* ---------------------------------------------------------------- tests ----------------- */

static const char *const problems[] = {
    "c2c:f32:64*16",        "c2c:f64:48*5:inverse", "c2c:f32:16*9:in=split:out=split",
    "c2c:f64:32*8:inplace", "c2c:f32:1024",         "c2c:f32:256*6:latency",
};
static const char *const real_problems[] = {
    "r2c:f32:64*16",           "c2r:f64:48*5",
    "r2c:f32:15*9:out=split",  "c2r:f64:100*7:in=split",
    "r2c:f64:64*8:inplace",    "c2r:f32:64*8:inplace",
    "r2c:f32:64*8:out=packed", "c2r:f32:63*8:in=halfcomplex",
    "r2c:f32:24x10*6",         "dct2:f32:256*6:latency",
    "dct3:f64:40*5:inplace",   "dct1:f32:17*6",
    "idxst:f32:32*4",          "dht:f64:30*8",
    "dct2:f32:8x8*9",          "idxst*dct3:f32:64x48*3",
    "dct2*r2c:f64:12x20*3",    "c2c*dst4:f32:6x10*4:in=split:out=split",
};

static void run_gives_the_bits_of_execute(sluice_machine *machine, const char *text, int slots)
{
    const sluice_stream_options options = {.slots = slots};
    sluice_stream_stats stats;
    job j;
    job_open(&j, machine, text);
    assert_int_equal(sluice_stream_run(j.plan, fill_block, collect_block, &j, &options, &stats),
                     SLUICE_OK);
    assert_int_equal(j.taken, BLOCKS);
    assert_int_equal(stats.blocks, BLOCKS);
    assert_int_equal(stats.transforms, (BLOCKS - 1) * j.count + j.last);
    assert_int_equal(stats.bytes_in, stats.transforms * j.bytes[0] * (j.split[0] ? 2 : 1));
    assert_int_equal(stats.bytes_out, stats.transforms * j.bytes[1] * (j.split[1] ? 2 : 1));
    assert_true(stats.seconds > 0 && stats.compute_seconds > 0);
    job_close(&j);
}

static void runs_give_the_bits_of_execute(void **state)
{
    sluice_machine *machine = machine_of(*state);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        for (int slots = 0; slots <= 5; slots++)
            run_gives_the_bits_of_execute(machine, problems[i], slots);
    sluice_machine_close(machine);
}

static void real_kinds_are_streamed(void **state)
{
    sluice_machine *machine = machine_of(*state);
    for (size_t i = 0; i < sizeof real_problems / sizeof real_problems[0]; i++)
        for (int slots = 0; slots <= 3; slots += 3)
            run_gives_the_bits_of_execute(machine, real_problems[i], slots);
    sluice_machine_close(machine);
}

static void zero_copy_blocks(void **state)
{
    sluice_machine *machine = machine_of(*state);
    sluice_stream *s;
    sluice_slot *slot;
    size_t given = 0, taken = 0;
    job j;
    job_open(&j, machine, "c2c:f32:64*16");
    assert_int_equal(sluice_stream_open(&s, j.plan, NULL, NULL), SLUICE_OK);
    while (taken < BLOCKS) {
        if (given < BLOCKS && sluice_stream_acquire(s, &slot, 0) == SLUICE_OK) {
            slot->in = block_of(j.in, 0, &j, given);
            slot->out = block_of(j.got, 0, &j, given++);
            assert_int_equal(sluice_stream_submit(s, slot), SLUICE_OK);
            continue;
        }
        assert_int_equal(sluice_stream_reap(s, &slot, -1), SLUICE_OK);
        assert_int_equal(slot->status, SLUICE_OK);
        assert_ptr_equal(slot->out, block_of(j.got, 0, &j, taken++));
        assert_int_equal(sluice_stream_release(s, slot), SLUICE_OK);
    }
    assert_memory_equal(j.got[0], j.want[0], BLOCKS * block_bytes(&j, 1));
    sluice_stream_close(s);
    job_close(&j);
    sluice_machine_close(machine);
}

static void first_failure_ends_a_run(void **state)
{
    sluice_machine *machine = machine_of(*state);
    job j;
    job_open(&j, machine, "c2c:f32:64*16");
    job_close(&j); /* from here on the machine allocates no more */
    const long alive = core_mem_live();
    job_open(&j, machine, "c2c:f32:64*16");
    j.source_says = SLUICE_E_IO;
    assert_int_equal(sluice_stream_run(j.plan, fill_block, collect_block, &j, NULL, NULL),
                     SLUICE_E_IO);
    job_close(&j);
    job_open(&j, machine, "c2c:f32:64*16");
    j.sink_says = SLUICE_E_CANCELLED;
    assert_int_equal(sluice_stream_run(j.plan, fill_block, collect_block, &j, NULL, NULL),
                     SLUICE_E_CANCELLED);
    job_close(&j);
    assert_int_equal(core_mem_live(), alive);
    sluice_machine_close(machine);
}

static void misuse_is_refused(void **state)
{
    sluice_machine *machine = machine_of(*state);
    const sluice_stream_options few = {.slots = -1}, later = {.reserved = {1}}, two = {.slots = 2};
    sluice_plan *plan = plan_of(machine, "c2c:f32:64*16");
    sluice_stream *s;
    sluice_slot *slot, foreign = {0};
    sluice_diag why;
    assert_int_equal(sluice_stream_open(NULL, plan, NULL, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_open(&s, NULL, NULL, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_open(&s, plan, &few, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_open(&s, plan, &later, &why), SLUICE_E_INVALID);
    assert_null(s);
    assert_int_equal(sluice_stream_run(plan, NULL, collect_block, NULL, NULL, NULL),
                     SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_run(plan, fill_block, NULL, NULL, NULL, NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_run(NULL, fill_block, collect_block, NULL, NULL, NULL),
                     SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_acquire(NULL, &slot, 0), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_finish(NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_cancel(NULL), SLUICE_E_INVALID);
    sluice_stream_close(NULL);

    assert_int_equal(sluice_stream_open(&s, plan, &two, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(s, NULL, 0), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_submit(s, NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_submit(s, &foreign), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_reap(s, &slot, 0), SLUICE_AGAIN);
    assert_int_equal(sluice_stream_acquire(s, &slot, 0), SLUICE_OK);
    assert_int_equal((uintptr_t)slot->in % 64, 0);
    assert_int_equal((uintptr_t)slot->out % 64, 0);
    slot->count = 17;
    assert_int_equal(sluice_stream_submit(s, slot), SLUICE_E_INVALID);
    assert_int_equal(sluice_stream_acquire(s, &slot, 0), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(s, &slot, 5), SLUICE_AGAIN);
    assert_int_equal(sluice_stream_finish(s), SLUICE_OK);
    assert_int_equal(sluice_stream_finish(s), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(s, &slot, -1), SLUICE_END);
    sluice_stream_close(s);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
}

static void cancelled_blocks_come_back(void **state)
{
    sluice_machine *machine = machine_of(*state);
    sluice_plan *plan = plan_of(machine, "c2c:f32:4096*16");
    const sluice_stream_options options = {.slots = 8};
    sluice_stream *s;
    sluice_slot *slot;
    int back = 0;
    assert_int_equal(sluice_stream_open(&s, plan, &options, NULL), SLUICE_OK);
    while (sluice_stream_acquire(s, &slot, 0) == SLUICE_OK) {
        memset(slot->in, 0, (size_t)16 * 4096 * 8);
        assert_int_equal(sluice_stream_submit(s, slot), SLUICE_OK);
    }
    assert_int_equal(sluice_stream_cancel(s), SLUICE_OK);
    for (; sluice_stream_reap(s, &slot, -1) == SLUICE_OK; back++) {
        assert_true(slot->status == SLUICE_OK || slot->status == SLUICE_E_CANCELLED);
        assert_int_equal(sluice_stream_release(s, slot), SLUICE_OK);
    }
    assert_int_equal(back, 8);
    sluice_stream_close(s);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
}

static void without_memory(void **state)
{
    sluice_machine *machine = machine_of(*state);
    sluice_status status = SLUICE_E_MEMORY;
    job j;
    job_open(&j, machine, "c2c:f32:64*16");
    const long alive = core_mem_live();
    for (long nth = 1; status != SLUICE_OK; nth++) {
        sluice_stream *s;
        core_mem_fail_from(nth);
        status = sluice_stream_open(&s, j.plan, NULL, NULL);
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
        assert_true((s != NULL) == (status == SLUICE_OK));
        sluice_stream_close(s);
        assert_int_equal(core_mem_live(), alive);
    }
    job_close(&j);
    sluice_machine_close(machine);
}

int main(void)
{
    static char cpu[] = "cpu", ref[] = "ref:3";
    static char one[] = "cpu:1", two[] = "cpu:2/helper", three[] = "cpu:3/worker";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(runs_give_the_bits_of_execute, cpu),
        cmocka_unit_test_prestate(runs_give_the_bits_of_execute, ref),
        cmocka_unit_test_prestate(real_kinds_are_streamed, one),
        cmocka_unit_test_prestate(real_kinds_are_streamed, two),
        cmocka_unit_test_prestate(real_kinds_are_streamed, three),
        cmocka_unit_test_prestate(zero_copy_blocks, cpu),
        cmocka_unit_test_prestate(first_failure_ends_a_run, cpu),
        cmocka_unit_test_prestate(misuse_is_refused, cpu),
        cmocka_unit_test_prestate(cancelled_blocks_come_back, cpu),
        cmocka_unit_test_prestate(without_memory, cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
