// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL units where calls of opening, planning and executing fail, through the layer of
 * tests/opencl_layer: each fault is a status and a sentence, nothing is leaked, nothing hangs. */
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

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-faults-XXXXXX";

static const sluice_plan_options *planned; /* NULL, or hooks that change nothing */

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
static void calls_of(const char *problem, const char *units, long first, int step)
{
    sluice_diag why;
    int failures = 0;
    assert_int_equal(compute(units, problem, "", &why), SLUICE_OK); /* kernels are kept */
    assert_int_equal(compute(units, problem, "", &why), SLUICE_OK);
    const long calls = layer->calls("any");
    for (long k = first; k <= calls; k += step) {
        char faults[48];
        snprintf(faults, sizeof faults, "any@%ld=CL_OUT_OF_RESOURCES", k);
        failures += compute(units, problem, faults, &why) != SLUICE_OK;
    }
    assert_true(failures > 10);
}

static void calls_fail(const char *units, long first, int step)
{
    calls_of(FAULTS_PROBLEM, units, first, step);
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

/* Kernels are compiled each time in the first case and kept in the others: building is the same for
 * all. With hooks those of blocks are the host's, so that calls are the same as without. Blocks
 * repeat their calls, so that every fifth has all kinds of them. Machines are all opened by the
 * same calls. */
static void any_call_may_fail(void **state)
{
    static const char *const blocks = "opencl:0:copy:memory=15K";
    const long opened = calls_to_open("opencl:0");
    (void)state;
    assert_int_equal(calls_to_open("opencl:0:copy"), opened);
    assert_int_equal(calls_to_open(blocks), opened);
    calls_fail("opencl:0", 1, 1);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    calls_fail("opencl:0:copy", opened + 1, 1);
    calls_fail(blocks, opened + 1, 5);
    assert_int_equal(setenv("SLUICE_OPENCL_FORM", "gpu", 1), 0); /* one DFT an item: other texts */
    calls_fail("opencl:0:copy", opened + 1, 1);
    calls_of(FAULTS_LARGE, "opencl:0:copy", opened + 1, 3);
    assert_int_equal(unsetenv("SLUICE_OPENCL_FORM"), 0);
    planned = faults_hooked();
    calls_fail("opencl:0", opened + 1, 1);
    calls_fail("opencl:0:copy", opened + 1, 1);
    calls_fail(blocks, opened + 3, 5);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    planned = NULL;
}

/* Candidates are timed with their data on the device, sent there once each; what comes back are the
 * blocks that shares between kinds go by, of the one that is chosen. */
static void measuring_moves_nothing(void **state)
{
    enum { BLOCKS = 6 };
    static const sluice_plan_options measured = {.effort = SLUICE_MEASURE};
    sluice_diag why;
    (void)state;
    planned = &measured;
    if (compute("opencl:0", "c2c:f32:60*16", "unified=0", &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    const long candidates = layer->calls("clCreateProgramWithSource");
    assert_true(candidates > 1);
    assert_int_equal(layer->calls("clEnqueueReadBuffer"), BLOCKS);
    assert_int_equal(layer->calls("clEnqueueWriteBuffer"), BLOCKS + candidates);
    assert_int_equal(layer->calls("clEnqueueMapBuffer"), 0);
    assert_int_equal(layer->calls("clReleaseEvent"), 3 * BLOCKS);
    assert_true(layer->calls("clEnqueueNDRangeKernel") >= 6 * candidates);
    planned = NULL;
}

static void measuring_may_fail(void **state)
{
    static const sluice_plan_options measured = {.effort = SLUICE_MEASURE};
    static const char *const faults[] = {
        "clCreateCommandQueue@4=CL_OUT_OF_HOST_MEMORY", /* behind those of the unit */
        "clCreateBuffer@1+=CL_MEM_OBJECT_ALLOCATION_FAILURE",
        "clEnqueueWriteBuffer@1=CL_OUT_OF_RESOURCES",
        "clSetKernelArg@9=CL_OUT_OF_RESOURCES",
        "clEnqueueNDRangeKernel@1=CL_OUT_OF_RESOURCES",
        "clEnqueueNDRangeKernel@70=CL_OUT_OF_RESOURCES",
        "clFlush@2=CL_OUT_OF_RESOURCES",
        "clFinish@1=CL_OUT_OF_RESOURCES",
        "clFinish@3=CL_OUT_OF_RESOURCES",
        "lost@40",
    };
    sluice_diag why;
    (void)state;
    planned = &measured;
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0); /* compiled once for all */
    assert_int_equal(compute("opencl:0:copy", FAULTS_PROBLEM, "", &why), SLUICE_OK);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (compute("opencl:0:copy", FAULTS_PROBLEM, faults[i], &why) == SLUICE_OK)
            fail_msg("%s costs nothing", faults[i]);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    planned = NULL;
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
        cmocka_unit_test(measuring_moves_nothing),
        cmocka_unit_test(measuring_may_fail),
        cmocka_unit_test(arrays_are_let_go),
        cmocka_unit_test(shares_are_repaired),
        cmocka_unit_test(the_fault_has_a_name),
    };
    return faults_run("opencl faults", tests, sizeof tests / sizeof *tests, folder, &layer);
}
