// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL devices as units by several callers, in streams of whole and short blocks, in a child
 * after fork, on the first device there is. */
#define _DEFAULT_SOURCE /* alarm */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

static sluice_machine *device, *copying; /* as it comes; in buffers */
static const char problem[] = "c2c:f32:256*20";

/* What follows a block's transforms in memory stays, and they are all there: shares of groups may
 * be uneven. */
static void short_blocks_are_whole(void **state)
{
    static const char *const names[] = {"c2c:f32:64*16", "c2c:f32:64*10", "c2c:f64:256*6"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (size_t count = 1; count < 6; count++) {
            sluice_plan *plan = plan_made(i % 2 ? copying : device, names[i]);
            sluice_stream *stream = NULL;
            sluice_slot *slot = NULL;
            plan_data want;
            plan_data_open(&want, plan, names[i], 0);
            plan_data_execute(&want, plan, count, NULL);
            const size_t bytes = want.elements[1] / want.p.batch[0].n * count * 2 * want.scalar;
            assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
            assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
            slot->count = count;
            memcpy(slot->in, want.arrays.in, bytes);
            memset(slot->out, 0, bytes);
            assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
            assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
            assert_int_equal(slot->status, SLUICE_OK);
            assert_memory_equal(slot->out, want.arrays.out, bytes);
            sluice_stream_release(stream, slot);
            sluice_stream_close(stream);
            plan_data_close(&want);
            sluice_plan_destroy(plan);
        }
}

static int count_slots(const char *text)
{
    sluice_plan *plan = plan_made(device, text);
    sluice_stream *stream = NULL;
    sluice_slot *slot;
    int count = 0;
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    while (sluice_stream_acquire(stream, &slot, 0) == SLUICE_OK)
        count++;
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    return count;
}

/* Three blocks in flight and two outside, unless they leave the cache in which units compute that
 * share the host's memory: then one is computed. */
static void slots_stay_in_the_cache(void **state)
{
    enum { LARGEST = 64 << 20, TRANSFORM = 2 * 8 * 1024 };
    sluice_unit_info unit;
    char large[64];
    (void)state;
    assert_int_equal(sluice_machine_unit_info(device, 0, &unit), SLUICE_OK);
    assert_int_equal(count_slots("c2c:f32:64*16"), 5);
    if (unit.l3 == 0 || unit.l3 > LARGEST)
        return;
    snprintf(large, sizeof large, "c2c:f32:1024*%zu", unit.l3 / 2 / TRANSFORM + 1);
    assert_int_equal(count_slots(large), 3);
}

typedef struct caller {
    pthread_t id;
    const sluice_plan *plan;
    plan_data data;
    int number;
    bool failed;
} caller;

static void *call_often(void *arg)
{
    caller *c = arg;
    for (int i = 0; i < 20; i++) {
        plan_data_fill(&c->data, (uint64_t)(100 * c->number + i + 1));
        c->failed |= sluice_execute_with(c->plan, &c->data.arrays, NULL) != SLUICE_OK
                     || !plan_data_check(&c->data);
    }
    return NULL;
}

static void callers_do_not_disturb_each_other(void **state)
{
    enum { CALLERS = 4 };
    sluice_machine *const machine[] = {device, copying};
    caller c[CALLERS];
    (void)state;
    for (int m = 0; m < 2; m++) {
        sluice_plan *plan = plan_made(machine[m], problem);
        for (int i = 0; i < CALLERS; i++) {
            c[i] = (caller){.plan = plan, .number = i};
            plan_data_open(&c[i].data, plan, problem, 0);
            assert_int_equal(pthread_create(&c[i].id, NULL, call_often, &c[i]), 0);
        }
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(c[i].id, NULL);
            assert_false(c[i].failed);
            plan_data_close(&c[i].data);
        }
        sluice_plan_destroy(plan);
    }
}

enum { POINTS = 256, COUNT = 20, BLOCKS = 40, LAST = 7 };
typedef float block_data[COUNT][POINTS][2];
static block_data given[BLOCKS], expected[BLOCKS], taken[BLOCKS];
static int gets, puts_done;

static sluice_status give_block(void *user, sluice_slot *slot)
{
    (void)user;
    if (gets == BLOCKS)
        return SLUICE_END;
    if (gets == BLOCKS - 1)
        slot->count = LAST;
    memcpy(slot->in, given[gets++], slot->count * sizeof given[0][0]);
    return SLUICE_OK;
}

static sluice_status take_block(void *user, sluice_slot *slot)
{
    (void)user;
    memcpy(taken[puts_done++], slot->out, slot->count * sizeof given[0][0]);
    return slot->status;
}

/* Each block by itself. */
static void compute_expected(const sluice_plan *plan)
{
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof given / sizeof(float); i++)
        (&given[0][0][0][0])[i] = (float)plan_below(&seed, 2000) / 1000 - 1;
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(sluice_execute(plan, given[i], expected[i]), SLUICE_OK);
}

static double distance(int block, int count)
{
    double error = 0, norm = 0;
    for (int i = 0; i < count * POINTS * 2; i++) {
        const double d = (&taken[block][0][0][0])[i] - (&expected[block][0][0][0])[i];
        error += d * d;
        norm += (&expected[block][0][0][0])[i] * (&expected[block][0][0][0])[i];
    }
    return error / norm;
}

static void stream_is_right(const char *units)
{
    sluice_machine *m = plan_machine(units, NULL);
    sluice_plan *plan = plan_made(m, problem);
    sluice_stream_stats stats;
    gets = puts_done = 0;
    memset(taken, 0, sizeof taken);
    assert_int_equal(sluice_stream_run(plan, give_block, take_block, NULL, NULL, &stats),
                     SLUICE_OK);
    assert_int_equal(puts_done, BLOCKS);
    assert_int_equal(stats.blocks, BLOCKS);
    for (int i = 0; i < BLOCKS; i++)
        assert_true(distance(i, i < BLOCKS - 1 ? COUNT : LAST) < 1e-12);
    for (int i = LAST; i < COUNT; i++) /* of the last block's slot nothing more was taken */
        assert_true(taken[BLOCKS - 1][i][0][0] == 0);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void streams_are_in_order(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(device, problem);
    compute_expected(plan);
    sluice_plan_destroy(plan);
    stream_is_right("opencl:0");
    stream_is_right("opencl:0:copy");
    stream_is_right("cpu:1,opencl:0:cores=1");
}

static void a_child_is_refused(void **state)
{
    static float in[32], out[32];
    int ended;
    (void)state;
    sluice_plan *plan = plan_made(device, "c2c:f32:16");
    const pid_t id = fork();
    assert_true(id >= 0);
    if (id == 0) {
        alarm(20);
        const bool right = sluice_execute(plan, in, out) == SLUICE_E_DEVICE;
        sluice_plan_destroy(plan);
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(id, &ended, 0), id);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    sluice_plan_destroy(plan);
}

static sluice_machine *machine_of(const char *units, sluice_diag *why)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    return sluice_machine_open(&m, &options, why) == SLUICE_OK ? m : NULL;
}

static int check_callers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_blocks_are_whole),
        cmocka_unit_test(slots_stay_in_the_cache),
        cmocka_unit_test(callers_do_not_disturb_each_other),
        cmocka_unit_test(streams_are_in_order),
        cmocka_unit_test(a_child_is_refused),
    };
    sluice_diag why = {.message = ""};
    device = machine_of("opencl:0", &why);
    copying = device ? machine_of("opencl:0:memory=8M:copy", &why) : NULL;
    if (!copying)
        fprintf(stderr, "skipped: %s\n", why.message);
    const int failed =
        copying ? cmocka_run_group_tests_name("opencl callers", tests, NULL, NULL) : SKIPPED;
    sluice_machine_close(copying);
    sluice_machine_close(device);
    return failed;
}

int main(void)
{
    alarm(TIME_LIMIT);
    return opencl_run_alone(check_callers);
}
