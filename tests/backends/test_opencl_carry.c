// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in ordinary memory, which go to a device with memory of its own in pieces, copied by a
 * team of threads: on the first OpenCL device with buffers of its own, a host of sixteen cores
 * being described to it. */
#define _DEFAULT_SOURCE /* alarm, mkdtemp, setenv */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/copy_team.h"
#include "core/mem.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

static char folder[64];
static sluice_machine *device;

/* ---- the team */

enum { TASKS = 40, GIVERS = 3 };

typedef struct count_task {
    copy_task task; /* first */
    int times;
} count_task;

static void count_run(copy_task *task)
{
    ((count_task *)task)->times++;
}

static void *give_many(void *arg)
{
    copy_team *team = arg;
    count_task all[TASKS] = {{{0}, 0}};
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < TASKS; i++) {
            all[i].task.run = count_run;
            copy_team_give(team, &all[i].task);
        }
        for (int i = TASKS; i-- > 0;)
            copy_team_wait(team, &all[i].task);
        for (int i = 0; i < TASKS; i++)
            if (!copy_team_is_done(team, &all[i].task) || all[i].times != round + 1)
                return NULL;
    }
    return arg;
}

static void tasks_run_once(void **state)
{
    static const int threads[] = {0, 1, 5};
    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        copy_team *team = copy_team_open(threads[i]);
        pthread_t giver[GIVERS];
        void *result;
        assert_non_null(team);
        for (int g = 0; g < GIVERS; g++)
            assert_int_equal(pthread_create(&giver[g], NULL, give_many, team), 0);
        for (int g = 0; g < GIVERS; g++) {
            assert_int_equal(pthread_join(giver[g], &result), 0);
            assert_ptr_equal(result, team);
        }
        copy_team_close(team, false);
    }
    core_mem_fail_from(1);
    assert_null(copy_team_open(2));
    core_mem_fail_from(0);
}

/* ---- arrays */

/* Sizes that fill no piece, one piece, and rings more than once; sides of two arrays, in place,
 * with gaps, from one end to the other. */
static void arrays_arrive(void **state)
{
    static const char *const problems[] = {"c2c:f32:1024*129",
                                           "c2c:f32:131072",
                                           "c2c:f32:256*6007:inplace",
                                           "c2c:f64:512*777:in=split:inverse",
                                           "c2c:f32:512*900:in=split:out=split:inplace",
                                           "r2c:f32:2048*555",
                                           "c2c:f32:500@2/3*400@1001/1600",
                                           "c2c:f32:64@-1/1*4100@64/70"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        plan_check_problem(device, problems[i], i + 1);
}

static void *execute_often(void *arg)
{
    const sluice_plan *plan = arg;
    plan_data d;
    plan_data_open(&d, plan, "c2c:f32:64*4099", 0);
    for (int i = 0; i < 3; i++)
        plan_data_execute(&d, plan, (uint64_t)i + 1, NULL);
    plan_data_close(&d);
    return NULL;
}

static void callers_take_turns(void **state)
{
    sluice_plan *plan = plan_made(device, "c2c:f32:64*4099");
    pthread_t other[2];
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&other[i], NULL, execute_often, plan), 0);
    execute_often(plan);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(other[i], NULL), 0);
    sluice_plan_destroy(plan);
}

/* ---- streams */

enum { POINTS = 64, BATCH = 4096, BLOCKS = 9, SHORT = 2500 };

typedef struct feed {
    float *in, *out;
    int got, put;
    bool own;
} feed;

static sluice_status next_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    const size_t block = (size_t)POINTS * BATCH * 2;
    if (f->got == BLOCKS)
        return SLUICE_END;
    if (f->own) {
        slot->in = f->in + (size_t)f->got * block;
        slot->out = f->out + (size_t)f->got * block;
    }
    float *x = slot->in;
    slot->count = f->got == BLOCKS - 1 ? SHORT : BATCH;
    memset(x, 0, block * sizeof *x);
    for (size_t i = 0; i < slot->count; i++)
        x[i * 2 * POINTS] = (float)(i + (size_t)f->got);
    f->got++;
    return SLUICE_OK;
}

static sluice_status check_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    const float *y = slot->out;
    for (size_t i = 0; i < slot->count * POINTS; i++)
        if (y[2 * i] != (float)(i / POINTS + (size_t)f->put) || y[2 * i + 1] != 0)
            return SLUICE_E_DEVICE;
    f->put++;
    return SLUICE_OK;
}

/* Slots, which are pinned; blocks of the caller's own. */
static void streams_have_either(void **state)
{
    const size_t bytes = (size_t)POINTS * BATCH * 2 * BLOCKS * sizeof(float);
    sluice_plan *plan = plan_made(device, "c2c:f32:64*4096");
    (void)state;
    for (int own = 0; own < 2; own++) {
        feed f = {.in = sluice_alloc(bytes), .out = sluice_alloc(bytes), .own = own};
        assert_non_null(f.in);
        assert_non_null(f.out);
        assert_int_equal(sluice_stream_run(plan, next_block, check_block, &f, NULL, NULL),
                         SLUICE_OK);
        assert_int_equal(f.put, BLOCKS);
        sluice_free(f.in);
        sluice_free(f.out);
    }
    sluice_plan_destroy(plan);
}

static int check_carry(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_once),
        cmocka_unit_test(arrays_arrive),
        cmocka_unit_test(callers_take_turns),
        cmocka_unit_test(streams_have_either),
    };
    const sluice_machine_options options = {.units = "opencl:0:copy"};
    sluice_diag why = {.message = ""};
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    setenv("SLUICE_TOPOLOGY", "core:16 pu:1", 1);
    if (sluice_machine_open(&device, &options, &why) != SLUICE_OK) {
        print_message("skipped: %s\n", why.message);
        return SKIPPED;
    }
    const int failed = cmocka_run_group_tests_name("opencl carry", tests, NULL, NULL);
    sluice_machine_close(device);
    return failed;
}

int main(void)
{
    char line[128];
    alarm(TIME_LIMIT);
    snprintf(folder, sizeof folder, "/tmp/sluice-carry-XXXXXX");
    if (!mkdtemp(folder)) /* nothing is left behind */
        return 1;
    setenv("POCL_CACHE_DIR", folder, 0);
    setenv("SLUICE_KERNEL_CACHE", "", 1);
    const int failed = check_carry();
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
