// SPDX-License-Identifier: BSD-3-Clause
/* Transforms that a device's memory does not hold, in passes through the host's: on the first
 * OpenCL device with a budget that is less than the arrays, in both forms of kernels. */
#define _DEFAULT_SOURCE /* alarm, setenv */
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

#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

/* Of 512 KiB in formulas for groups of items; of 512, 124 and 4 KiB in the device's own form. */
static sluice_machine *groups, *codelets, *tight, *tiny;

static sluice_machine *machine_of(const char *units, sluice_diag *why)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    return sluice_machine_open(&m, &options, why) == SLUICE_OK ? m : NULL;
}

static int passes_of(const sluice_plan *plan)
{
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    int passes = 0;
    for (const char *at = text.data; (at = strstr(at, "through the host's memory")); at++)
        passes++;
    test_free(text.data);
    return passes;
}

static void check_passes(sluice_machine *m, const char *problem, int wanted)
{
    sluice_plan *plan = plan_made(m, problem);
    const int passes = passes_of(plan);
    sluice_plan_destroy(plan);
    if (passes != wanted)
        fail_msg("%s: %d passes through the host's memory, not %d", problem, passes, wanted);
    plan_check_problem(m, problem, 7);
}

static void long_transforms_are_two_passes(void **state)
{
    (void)state;
    check_passes(groups, "c2c:f32:4096", 0);
    check_passes(groups, "c2c:f64:16384:inverse", 2);
    check_passes(groups, "c2c:f32:59049", 2);
    check_passes(groups, "c2c:f32:65536:inplace", 2);
}

static void axes_and_batches_are_passes(void **state)
{
    (void)state;
    check_passes(groups, "c2c:f32:256x256:inplace", 2);
    check_passes(groups, "c2c:f64:16x32x64:inverse", 2);
    check_passes(groups, "c2c:f32:4096*16", 1);
    check_passes(groups, "c2c:f32:64*1031", 1); /* a block for each of a prime number of rows */
    check_passes(groups, "c2c:f32:256x277", 2); /* a prime number of columns */
}

/* A prime number of rows that are columns of a pass is one, and no factor of its own with factors
 * of 1 after it. */
static void primes_have_no_factors(void **state)
{
    sluice_plan *plan = plan_made(groups, "c2c:f32:277x256");
    plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    (void)state;
    assert_int_equal(passes_of(plan), 2);
    assert_null(strstr(text.data, "D(277,1,"));
    test_free(text.data);
    sluice_plan_destroy(plan);
    plan_check_problem(groups, "c2c:f32:277x256", 3);
}

static void layouts_are_got_and_put(void **state)
{
    (void)state;
    check_passes(groups, "c2c:f32:16384@2/3*4@40000/60000", 2);
    check_passes(groups, "c2c:f32:256@-1x200@300:in=split", 2);
    check_passes(groups, "c2c:f32:240x200:in=split:out=split:inplace", 2);
}

/* Codelets have a table of as many factors as a pass has points, of which each block gets its
 * slice. */
static void tables_go_in_slices(void **state)
{
    sluice_machine *m = machine_of("opencl:0:copy:memory=200K", NULL);
    (void)state;
    check_passes(m, "c2c:f32:16384:inverse", 3);
    sluice_machine_close(m);
    /* Of several transforms blocks have the same slices. */
    m = machine_of("opencl:0:copy:memory=400K", NULL);
    check_passes(m, "c2c:f32:65536*3", 3);
    sluice_machine_close(m);
    check_passes(tiny, "c2c:f32:8192", 13);
}

static void codelets_compute_blocks(void **state)
{
    (void)state;
    check_passes(codelets, "c2c:f32:256x256", 2);
    check_passes(codelets, "c2c:f32:1009x64", 2);
}

static void refused(sluice_machine *m, const char *problem, const char *words)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {.message = ""};
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, NULL, &why), SLUICE_E_MEMORY);
    assert_null(plan);
    if (!strstr(why.message, words))
        fail_msg("%s: \"%s\" has no \"%s\"", problem, why.message, words);
}

static void too_little_memory_is_said(void **state)
{
    (void)state;
    refused(tiny, "c2c:f32:8191", "has 4 KiB of memory: of the 64 KiB of one transform no factor");
    refused(groups, "c2c:f32:1000003", "of the 7.63 MiB of one transform no factor fits blocks of");
    refused(groups, "r2c:f32:262144", "has 512 KiB of memory");
    refused(groups, "r2c:f32:262144", "not in blocks: only complex transforms");
    refused(codelets, "c2c:f64:1000003", "has 512 KiB of memory");
}

/* Two passes, each of which fits by itself, have tables at the same time. */
static void tables_of_all_passes_count(void **state)
{
    (void)state;
    refused(tight, "c2c:f32:251x509", "the plan needs ");
}

/* The largest blocks leave no place for the tables of both passes; smaller ones do. */
static void tables_make_blocks_smaller(void **state)
{
    sluice_machine *m = machine_of("opencl:0:copy:memory=300K", NULL);
    (void)state;
    check_passes(m, "c2c:f32:277x256", 2);
    sluice_machine_close(m);
}

/* What is measured without a function fits as a whole, the plan with it does not: it goes in
 * blocks. */
static void functions_that_do_not_fit_go_in_blocks(void **state)
{
    const sluice_hooks hooks = {
        .in = {.call = hook_halve, .opencl = hook_halve_text},
    };
    const sluice_plan_options options = {.effort = SLUICE_MEASURE, .hooks = &hooks};
    sluice_plan *plan = NULL;
    sluice_diag why = {.message = ""};
    double error, bound;
    (void)state;
    if (sluice_plan_from_text(&plan, groups, "c2c:f32:16*1600", &options, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    assert_int_equal(passes_of(plan), 1);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, &why), SLUICE_OK);
    sluice_plan_destroy(plan);
}

/* A formula of the user's that is a product of streams. */
static void typed_streams_are_passes(void **state)
{
#define STAGE "(DFT(16)_{leaf} (x) I(16))"
#define COLUMNS "(DFT(16)_{leaf} (x) I(256))_{spe(16,1)}"
    static const char typed[] =
        "c2c:f32:256x256 := (L(4096,256) (x) I(16)) "
        "* (I(16) (x) (" COLUMNS " * ((L(256,16) * T(16,16)) (x) I(16)) * " COLUMNS
        "))_{stream(16)} "
        "* (L(4096,16) (x) I(16)) "
        "* (I(16) (x) (I(16) (x) (" STAGE " * L(256,16) * T(16,16) * " STAGE
        "))_{spe(16,1)})_{stream(16)}";
    sluice_plan *plan = plan_of_formula(groups, typed, SLUICE_F32);
    plan_data d;
    (void)state;
    assert_int_equal(passes_of(plan), 2);
    plan_data_open(&d, plan, "two passes as they were typed", 0);
    plan_data_execute(&d, plan, 11, NULL);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

/* Blocks have no candidates to be timed. */
static void every_effort_plans(void **state)
{
    const sluice_plan_options options = {.effort = SLUICE_MEASURE};
    sluice_plan *plan = NULL;
    (void)state;
    assert_int_equal(sluice_plan_from_text(&plan, groups, "c2c:f32:256*256", &options, NULL),
                     SLUICE_OK);
    assert_int_equal(passes_of(plan), 1);
    sluice_plan_destroy(plan);
}

/* Two callers of one plan, whose blocks take the same lanes in turn. */
static void *call_often(void *arg)
{
    const sluice_plan *plan = arg;
    plan_data d;
    plan_data_open(&d, plan, "c2c:f32:256x256", 0);
    for (int i = 0; i < 4; i++)
        plan_data_execute(&d, plan, (uint64_t)i + 1, NULL);
    plan_data_close(&d);
    return NULL;
}

static void callers_share_the_memory(void **state)
{
    sluice_plan *plan = plan_made(groups, "c2c:f32:256x256");
    pthread_t other;
    (void)state;
    assert_int_equal(pthread_create(&other, NULL, call_often, plan), 0);
    call_often(plan);
    assert_int_equal(pthread_join(other, NULL), 0);
    sluice_plan_destroy(plan);
}

/* What one plan's lanes keep for its next execution goes when another one needs it. */
static void idle_plans_give_their_buffers(void **state)
{
    sluice_plan *one = plan_made(groups, "c2c:f32:128*128"),
                *other = plan_made(groups, "c2c:f32:256*64");
    plan_data d[2];
    (void)state;
    plan_data_open(&d[0], one, "c2c:f32:128*128", 0);
    plan_data_open(&d[1], other, "c2c:f32:256*64", 0);
    for (int i = 0; i < 4; i++)
        plan_data_execute(&d[i % 2], i % 2 ? other : one, (uint64_t)i + 1, NULL);
    for (int i = 0; i < 2; i++)
        plan_data_close(&d[i]);
    sluice_plan_destroy(other);
    sluice_plan_destroy(one);
}

/* The same of what hooks pack where device and host share memory. */
static void idle_plans_give_their_packed_memory(void **state)
{
    enum { POINTS = 2048, MOST = 64 };
    static double weight[POINTS];
    static float in[POINTS * MOST], out[(POINTS + 2) * MOST];
    const sluice_hooks hooks = {.in = {.weight = weight, .weight_rank = 1}};
    const sluice_plan_options options = {.hooks = &hooks};
    sluice_machine *m = machine_of("opencl:0:memory=800K", NULL);
    sluice_unit_info unit;
    sluice_plan *plan[2] = {NULL, NULL};
    (void)state;
    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    if (unit.shares_memory) {
        assert_int_equal(sluice_plan_from_text(&plan[0], m, "r2c:f32:2048*64", &options, NULL),
                         SLUICE_OK);
        assert_int_equal(sluice_plan_from_text(&plan[1], m, "r2c:f32:2048*60", &options, NULL),
                         SLUICE_OK);
    }
    for (int i = 0; i < 4 && plan[0]; i++)
        assert_int_equal(sluice_execute(plan[i % 2], in, out), SLUICE_OK);
    for (int i = 0; i < 2; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
    if (!unit.shares_memory)
        skip();
}

/* A stream of such transforms, the last block of which is short. */
static void streams_run_them(void **state)
{
    enum { POINTS = 256, BATCH = 256, SHORT = 3 };
    sluice_plan *plan = plan_made(groups, "c2c:f32:256*256");
    sluice_stream *stream = NULL;
    sluice_slot *slot;
    (void)state;
    assert_int_equal(passes_of(plan), 1);
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    for (int block = 0; block < 3; block++) {
        const size_t count = block < 2 ? BATCH : SHORT;
        assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
        float *x = slot->in;
        memset(x, 0, sizeof *x * 2 * POINTS * BATCH);
        for (size_t i = 0; i < count; i++)
            x[i * 2 * POINTS] = (float)(i + 1);
        slot->count = count;
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
        assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
        assert_int_equal(slot->status, SLUICE_OK);
        const float *y = slot->out;
        for (size_t i = 0; i < count * POINTS; i++)
            assert_true(y[2 * i] == (float)(i / POINTS + 1) && y[2 * i + 1] == 0);
        assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    }
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
}

static int check_blocks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_transforms_are_two_passes),
        cmocka_unit_test(axes_and_batches_are_passes),
        cmocka_unit_test(primes_have_no_factors),
        cmocka_unit_test(layouts_are_got_and_put),
        cmocka_unit_test(codelets_compute_blocks),
        cmocka_unit_test(tables_go_in_slices),
        cmocka_unit_test(too_little_memory_is_said),
        cmocka_unit_test(tables_of_all_passes_count),
        cmocka_unit_test(tables_make_blocks_smaller),
        cmocka_unit_test(functions_that_do_not_fit_go_in_blocks),
        cmocka_unit_test(typed_streams_are_passes),
        cmocka_unit_test(every_effort_plans),
        cmocka_unit_test(callers_share_the_memory),
        cmocka_unit_test(idle_plans_give_their_buffers),
        cmocka_unit_test(idle_plans_give_their_packed_memory),
        cmocka_unit_test(streams_run_them),
    };
    sluice_diag why = {.message = ""};
    codelets = machine_of("opencl:0:copy:memory=512K", &why);
    tight = codelets ? machine_of("opencl:0:copy:memory=124K", &why) : NULL;
    tiny = tight ? machine_of("opencl:0:copy:memory=4K", &why) : NULL;
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    groups = tiny ? machine_of("opencl:0:copy:memory=512K", &why) : NULL;
    unsetenv("SLUICE_OPENCL_FORM");
    if (!groups)
        fprintf(stderr, "skipped: %s\n", why.message);
    const int failed =
        groups ? cmocka_run_group_tests_name("opencl_blocks", tests, NULL, NULL) : SKIPPED;
    sluice_machine_close(groups);
    sluice_machine_close(tiny);
    sluice_machine_close(tight);
    sluice_machine_close(codelets);
    return failed;
}

/* What a compiler optimizes is other tests' subject. */
int main(void)
{
    alarm(TIME_LIMIT);
    opencl_compile_plainly(true);
    return opencl_run_alone(check_blocks);
}
