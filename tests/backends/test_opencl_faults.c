// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL units where calls fail, through the layer of tests/opencl_layer: each fault is a status
 * and a sentence, no block is lost, nothing is leaked, nothing hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_faults.h"

enum { SKIPPED = 77, BLOCKS = 24, SECONDS = 280 };

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-faults-XXXXXX";

/* What plans are made with: nothing, or hooks, which are kernels of the device, that change
 * nothing. */
static double ones[FAULTS_POINTS];
static const sluice_hooks hooks = {.in = {.weight = ones, .weight_rank = 1},
                                   .out.extent = {FAULTS_POINTS}};
static const sluice_plan_options hooked = {.hooks = &hooks};
static const sluice_plan_options *planned;

static sluice_status compute(const char *units, const char *problem, const char *faults,
                             sluice_diag *why)
{
    return faults_compute(layer, units, problem, planned, faults, why);
}

static void assert_fault(const char *problem, const char *faults, sluice_status wanted,
                         const char *words)
{
    sluice_diag why;
    const sluice_status status = compute("opencl:0", problem, faults, &why);
    if (status != wanted || !strstr(why.message, words))
        print_error("%s: status %d, \"%s\"\n", faults, (int)status, why.message);
    assert_int_equal(status, wanted);
    assert_non_null(strstr(why.message, words));
}

static void without_faults_all_is_right(void **state)
{
    sluice_diag why;
    (void)state;
    assert_int_equal(compute("opencl:0", FAULTS_PROBLEM, "", &why), SLUICE_OK);
    assert_int_equal(compute("opencl:0:copy", FAULTS_PROBLEM, "", &why), SLUICE_OK);
    assert_true(layer->calls("clCreateProgramWithSource") > 0);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    assert_fault(FAULTS_PROBLEM, "no-devices", SLUICE_E_UNSUPPORTED, "there is no OpenCL device");
    assert_fault(FAULTS_PROBLEM, "clGetPlatformIDs@1+=-1001", SLUICE_E_UNSUPPORTED,
                 "CL_PLATFORM_NOT_FOUND_KHR");
    assert_fault("c2c:f64:64", "fp64=0", SLUICE_E_UNSUPPORTED, "double precision");
    assert_fault(FAULTS_PROBLEM, "fp64=0", SLUICE_OK, "");
    assert_fault(FAULTS_PROBLEM, "source@1", SLUICE_E_DEVICE, "CL_BUILD_PROGRAM_FAILURE");
    assert_fault(FAULTS_PROBLEM, "clBuildProgram@1+=CL_COMPILER_NOT_AVAILABLE", SLUICE_E_DEVICE,
                 "CL_COMPILER_NOT_AVAILABLE");
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_fault(FAULTS_PROBLEM, "clCreateBuffer@1+=CL_MEM_OBJECT_ALLOCATION_FAILURE",
                 SLUICE_E_MEMORY, "");
    assert_fault("r2c:f32:64*16384", "memory=1000000", SLUICE_E_MEMORY,
                 "CL_MEM_OBJECT_ALLOCATION_FAILURE");
}

/* How many calls open a machine. */
static long calls_to_open(const char *units)
{
    sluice_machine *machine = NULL;
    const sluice_machine_options options = {.units = units};
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, NULL), SLUICE_OK);
    const long calls = layer->calls("any");
    sluice_machine_close(machine);
    return calls;
}

/* Every step-th call from the first one on; some faults cost nothing but time. */
static void calls_fail(const char *units, long first, int step)
{
    sluice_diag why;
    int failures = 0;
    assert_int_equal(compute(units, FAULTS_PROBLEM, "", &why), SLUICE_OK); /* kernels are kept */
    assert_int_equal(compute(units, FAULTS_PROBLEM, "", &why), SLUICE_OK);
    const long calls = layer->calls("any");
    for (long k = first; k <= calls; k += step) {
        char faults[48];
        snprintf(faults, sizeof faults, "any@%ld=CL_OUT_OF_RESOURCES", k);
        failures += compute(units, FAULTS_PROBLEM, faults, &why) != SLUICE_OK;
    }
    assert_true(failures > 10);
}

/* Blocks that take slices of tables with them: one kernel argument that fails costs one execution,
 * and not the ones behind it. */
static void arguments_are_set_again(void **state)
{
    enum { LONG = 1 << 14 };
    static float in[2 * LONG], out[2 * LONG];
    const sluice_machine_options options = {.units = "opencl:0:copy:memory=200K"};
    int failures = 0;
    (void)state;
    in[0] = 1;
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0); /* compiled once for all */
    for (int k = 1; k <= 24; k++) {
        sluice_machine *machine = NULL;
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        char faults[64];
        assert_true(layer->set(""));
        assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
        assert_int_equal(sluice_plan_from_text(&plan, machine, "c2c:f32:16384", NULL, &why),
                         SLUICE_OK);
        const sluice_arrays given = {.in = in, .out = out, .why = &why};
        snprintf(faults, sizeof faults, "clSetKernelArg@%d=CL_OUT_OF_RESOURCES", k);
        assert_true(layer->set(faults));
        failures += sluice_execute_with(plan, &given, NULL) != SLUICE_OK;
        assert_true(layer->set(""));
        for (int again = 0; again < 2; again++)
            if (sluice_execute_with(plan, &given, NULL) != SLUICE_OK)
                fail_msg("%s: execution %d behind it: %s", faults, again + 1, why.message);
        assert_true(out[0] == 1 && out[2 * LONG - 2] == 1 && out[2 * LONG - 1] == 0);
        sluice_plan_destroy(plan);
        sluice_machine_close(machine);
        faults_leave_nothing(layer, faults);
    }
    assert_true(failures > 0);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
}

/* With hooks kernels are kept ones. Those of blocks are the host's, so that calls are the same as
 * without. Blocks repeat their calls, so that every fifth has all kinds of them. Machines are all
 * opened by the same calls. */
static void any_call_may_fail(void **state)
{
    static const char *const blocks = "opencl:0:copy:memory=15K";
    const long opened = calls_to_open("opencl:0");
    (void)state;
    assert_int_equal(calls_to_open("opencl:0:copy"), opened);
    assert_int_equal(calls_to_open(blocks), opened);
    calls_fail("opencl:0", 1, 1);
    calls_fail("opencl:0:copy", opened + 1, 1);
    calls_fail(blocks, opened + 1, 5);
    assert_int_equal(setenv("SLUICE_OPENCL_FORM", "gpu", 1), 0); /* one DFT an item: other texts */
    calls_fail("opencl:0:copy", opened + 1, 1);
    assert_int_equal(unsetenv("SLUICE_OPENCL_FORM"), 0);
    planned = &hooked;
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    calls_fail("opencl:0", opened + 1, 1);
    calls_fail("opencl:0:copy", opened + 1, 1);
    calls_fail(blocks, opened + 3, 5);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    planned = NULL;
}

/* ---- streams */

typedef struct tally {
    size_t sent, received, right, failed;
} tally;

static sluice_stream *open_stream(const sluice_plan *plan, const char *fallback, sluice_diag *why)
{
    sluice_stream *stream = NULL;
    const sluice_stream_options options = {.why = why, .fallback = fallback};
    assert_int_equal(sluice_stream_open(&stream, plan, &options, why), SLUICE_OK);
    return stream;
}

static void reap_block(sluice_stream *stream, tally *t, const sluice_diag *why)
{
    sluice_slot *slot;
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    t->received++;
    if (slot->status == SLUICE_OK) {
        assert_true(faults_are_right(slot->out, (size_t)(uintptr_t)slot->user, slot->count));
        t->right++;
    } else {
        assert_true(why->message[0]);
        t->failed++;
    }
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
}

/* All blocks come back, in order of submission, right or with a status and a sentence. */
static void run_blocks(sluice_stream *stream, tally *t, const sluice_diag *why)
{
    sluice_slot *slot;
    while (t->sent < BLOCKS) {
        if (sluice_stream_acquire(stream, &slot, 0) == SLUICE_AGAIN) {
            reap_block(stream, t, why);
            continue;
        }
        slot->user = (void *)(uintptr_t)t->sent;
        slot->count = t->sent + 1 == BLOCKS ? 3 : FAULTS_BATCH;
        faults_fill(slot->in, t->sent++, slot->count);
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    }
    assert_int_equal(sluice_stream_finish(stream), SLUICE_OK);
    while (t->received < BLOCKS)
        reap_block(stream, t, why);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_END);
}

/* The faults begin when the stream is open. */
static tally stream_under(const char *units, const char *fallback, const char *faults)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    tally t = {0};
    const sluice_machine_options options = {.units = units};
    assert_true(layer->set(""));
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0); /* compiled once for all */
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, planned, &why),
                     SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    sluice_stream *stream = open_stream(plan, fallback, &why);
    assert_true(layer->set(faults));
    run_blocks(stream, &t, &why);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_leave_nothing(layer, faults);
    assert_int_equal(t.right + t.failed, BLOCKS);
    return t;
}

static void blocks_fail(int step)
{
    static const char *const kinds[] = {"enqueue@%d=CL_OUT_OF_RESOURCES",
                                        "event@%d=CL_OUT_OF_RESOURCES",
                                        "clWaitForEvents@%d=CL_OUT_OF_RESOURCES"};
    static const char *const units[] = {"opencl:0", "opencl:0:copy"};
    for (size_t u = 0; u < 2; u++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            for (int k = 1; k < 12; k += step) {
                char faults[64];
                snprintf(faults, sizeof faults, kinds[i], k);
                tally t = stream_under(units[u], NULL, faults);
                if (t.failed > 3)
                    print_error("%s: %s: %zu blocks failed\n", units[u], faults, t.failed);
                assert_true(t.failed <= 3); /* what was in flight beside it, at most */
                t = stream_under(units[u], "cpu", faults);
                assert_int_equal(t.right, BLOCKS);
            }
}

static void blocks_fail_alone(void **state)
{
    (void)state;
    blocks_fail(1);
    planned = &hooked;
    blocks_fail(3);
    planned = NULL;
}

/* On a processor that computes in the host's memory blocks in flight take turns in one packed
 * memory of each side: all buffers that are made for a stream are the arrays of its blocks. */
static void packed_memory_is_one(void **state)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    sluice_unit_info u;
    tally t = {0};
    const sluice_machine_options options = {.units = "opencl:0"};
    (void)state;
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_machine_unit_info(machine, 0, &u), SLUICE_OK);
    if (!u.shares_memory) {
        sluice_machine_close(machine);
        skip();
    }
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, &hooked, &why),
                     SLUICE_OK);
    sluice_stream *stream = open_stream(plan, NULL, &why);
    const long before = (long)layer->calls("clCreateBuffer");
    run_blocks(stream, &t, &why);
    assert_int_equal(t.right, BLOCKS);
    assert_int_equal((long)layer->calls("clCreateBuffer") - before, 2 * BLOCKS);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_leave_nothing(layer, "nothing");
}

/* Slots are the driver's where blocks are copied, and any where it has none. */
static void slots_are_pinned(void **state)
{
    static const struct {
        const char *units, *faults;
        bool pinned;
    } cases[] = {{"opencl:0:copy", "", true},
                 {"opencl:0:copy", "clEnqueueMapBuffer@1+=CL_OUT_OF_RESOURCES", false},
                 {"opencl:0:copy", "clCreateBuffer@1=CL_OUT_OF_RESOURCES", true},
                 {"opencl:0", "", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_diag why = {0};
        tally t = {0};
        sluice_machine *machine = NULL;
        sluice_plan *plan = NULL;
        const sluice_machine_options options = {.units = cases[i].units};
        assert_true(layer->set(""));
        assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
        assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, NULL, &why),
                         SLUICE_OK);
        assert_true(layer->set(cases[i].faults));
        const long before = layer->outstanding("buffers");
        sluice_stream *stream = open_stream(plan, NULL, &why);
        const bool pinned = layer->outstanding("buffers") > before;
        assert_int_equal(pinned, cases[i].pinned);
        assert_true(layer->set(""));
        run_blocks(stream, &t, &why);
        assert_int_equal(t.right, BLOCKS);
        sluice_stream_close(stream);
        sluice_plan_destroy(plan);
        sluice_machine_close(machine);
        faults_leave_nothing(layer, cases[i].faults);
    }
}

/* No object of the user's memory outlives a block. */
static void arrays_are_let_go(void **state)
{
    sluice_diag why = {0};
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    const sluice_machine_options options = {.units = "opencl:0"};
    (void)state;
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, NULL, &why), SLUICE_OK);
    const long before = layer->outstanding("buffers"), made = layer->made("buffers");
    assert_int_equal(faults_execute(plan, &why), SLUICE_OK);
    assert_true(layer->made("buffers") > made);
    assert_int_equal(layer->outstanding("buffers"), before);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
}

static void lost_devices_end_cleanly(void **state)
{
    (void)state;
    for (int k = 1; k < BLOCKS; k += 4) { /* of a kernel for each block */
        char faults[32];
        snprintf(faults, sizeof faults, "lost@%d", k);
        tally t = stream_under("opencl:0", NULL, faults);
        assert_true(t.failed > 0);
        t = stream_under("opencl:0", "cpu", faults);
        assert_int_equal(t.right, BLOCKS);
        t = stream_under("cpu:1,opencl:0", NULL, faults);
        if (t.right != BLOCKS)
            print_error("%s\n", faults);
        assert_int_equal(t.right, BLOCKS);
    }
}

/* Adds the element's number. */
static sluice_status add_number(void *user, size_t first, size_t count, void *data)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        ((float *)data)[2 * i] += (float)(first + i);
    return SLUICE_OK;
}

/* Hooks of a share that the fallback computes count from the beginning of the batch. */
static void shares_are_repaired(void **state)
{
    enum { LENGTH = 4096, MANY = 200 };
    const sluice_hooks numbered = {
        .in = {.call = add_number, .opencl = "x + (float2)((float)i, 0)"}};
    const sluice_plan_options with = {.hooks = &numbered, .fallback = "cpu"};
    const sluice_machine_options options = {.units = "opencl:0:cores=1,opencl:0:copy:cores=1"};
    const size_t bytes = (size_t)LENGTH * MANY * 2 * sizeof(float);
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    float *in = calloc(1, bytes), *out[2] = {malloc(bytes), malloc(bytes)};
    (void)state;
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, machine, "c2c:f32:4096*200", &with, NULL),
                     SLUICE_OK);
    for (int time = 0; time < 2; time++) {
        assert_true(layer->set(time ? "enqueue@1+=CL_OUT_OF_RESOURCES" : ""));
        assert_int_equal(sluice_execute(plan, in, out[time]), SLUICE_OK);
    }
    assert_true(layer->set(""));
    double error = 0, norm = 0;
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
        error += (double)(out[0][i] - out[1][i]) * (out[0][i] - out[1][i]);
        norm += (double)out[0][i] * out[0][i];
    }
    assert_true(norm > 0 && error < 1e-10 * norm);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    free(in);
    free(out[0]);
    free(out[1]);
}

static void the_fault_has_a_name(void **state)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    const sluice_machine_options options = {.units = "opencl:0"};
    (void)state;
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, NULL, &why), SLUICE_OK);
    assert_int_equal(sluice_machine_fault(machine, 0, &why), SLUICE_OK);
    assert_true(layer->set("lost@1"));
    for (int i = 0; i < 3; i++) { /* it stays lost, and says so each time */
        memset(&why, 0, sizeof why);
        assert_int_equal(faults_execute(plan, &why), SLUICE_E_DEVICE);
        assert_true(why.message[0]);
    }
    assert_int_not_equal(sluice_machine_fault(machine, 0, &why), SLUICE_OK);
    assert_non_null(strstr(why.message, "CL_DEVICE_NOT_AVAILABLE"));
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_leave_nothing(layer, "lost@1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_all_is_right),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(arguments_are_set_again),
        cmocka_unit_test(any_call_may_fail),
        cmocka_unit_test(blocks_fail_alone),
        cmocka_unit_test(packed_memory_is_one),
        cmocka_unit_test(slots_are_pinned),
        cmocka_unit_test(arrays_are_let_go),
        cmocka_unit_test(lost_devices_end_cleanly),
        cmocka_unit_test(shares_are_repaired),
        cmocka_unit_test(the_fault_has_a_name),
    };
    sluice_machine *machine = NULL;
    sluice_diag why = {0};
    const sluice_machine_options options = {.units = "opencl:0"};
    for (int i = 0; i < FAULTS_POINTS; i++)
        ones[i] = 1;
    if (!mkdtemp(folder) || setenv("SLUICE_KERNEL_CACHE", "", 1) != 0) /* every plan compiles */
        return 1;
    layer = opencl_layer_load();
    if (!layer || sluice_machine_open(&machine, &options, &why) != SLUICE_OK) {
        fprintf(stderr, "skipped: %s\n", layer ? why.message : "there is no layer");
        rmdir(folder);
        return SKIPPED;
    }
    sluice_machine_close(machine);
    alarm(SECONDS); /* nothing hangs */
    const int failed = cmocka_run_group_tests_name("opencl faults", tests, NULL, NULL);
    char line[64];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
