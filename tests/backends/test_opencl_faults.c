// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL units where calls fail, through the layer of tests/opencl_layer: each fault is a status
 * and a sentence, no block is lost, nothing is leaked, nothing hangs. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_opencl.h"

enum { SKIPPED = 77, POINTS = 64, BATCH = 16, BLOCKS = 24, SECONDS = 280 };

#define PROBLEM "c2c:f32:64*16"

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-faults-XXXXXX";

/* What plans are made with: nothing, or hooks, which are kernels of the device, that change
 * nothing. */
static double ones[POINTS];
static const sluice_hooks hooks = {.in = {.weight = ones, .weight_rank = 1},
                                   .out.extent = {POINTS}};
static const sluice_plan_options hooked = {.hooks = &hooks};
static const sluice_plan_options *planned;

/* ---- transforms of impulses, whose values are known */

typedef struct arrays {
    float in[BATCH * POINTS * 2], out[BATCH * POINTS * 2];
} arrays;

/* Transform i of block b has b + i + 1 as its first element, and so as all of its spectrum. */
static void fill(float *in, size_t block, size_t count)
{
    memset(in, 0, count * POINTS * 2 * sizeof *in);
    for (size_t i = 0; i < count; i++)
        in[i * POINTS * 2] = (float)(block + i + 1);
}

static bool is_right(const float *out, size_t block, size_t count)
{
    bool right = true;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < POINTS; k++, out += 2)
            right = right && out[0] == (float)(block + i + 1) && out[1] == 0;
    return right;
}

/* ---- one execution */

static void assert_no_leaks(const char *faults)
{
    const char *leaks = opencl_layer_leaks(layer);
    if (*leaks)
        print_error("%s leaves%s\n", faults, leaks);
    assert_string_equal(leaks, "");
}

static void assert_sentence(const char *faults, sluice_status status, const sluice_diag *why)
{
    if (status != SLUICE_OK && !why->message[0])
        print_error("%s: status %d without a sentence\n", faults, (int)status);
    assert_true(status == SLUICE_OK || why->message[0]);
}

static sluice_status execute(const sluice_plan *plan, sluice_diag *why)
{
    static arrays a;
    fill(a.in, 0, BATCH);
    memset(a.out, 0xff, sizeof a.out);
    const sluice_arrays given = {.in = a.in, .out = a.out, .why = why};
    const sluice_status status = sluice_execute_with(plan, &given, NULL);
    if (status == SLUICE_OK)
        assert_true(is_right(a.out, 0, BATCH));
    return status;
}

/* Opens, plans and executes twice; the first failure, after which nothing is left. */
static sluice_status compute(const char *units, const char *problem, const char *faults,
                             sluice_diag *why)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    const sluice_machine_options options = {.units = units};
    memset(why, 0, sizeof *why);
    assert_true(layer->set(faults));
    sluice_status status = sluice_machine_open(&machine, &options, why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, problem, planned, why);
    for (int i = 0; i < 2 && status == SLUICE_OK && strcmp(problem, PROBLEM) == 0; i++)
        status = execute(plan, why);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    assert_sentence(faults, status, why);
    assert_no_leaks(faults);
    return status;
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
    assert_int_equal(compute("opencl:0", PROBLEM, "", &why), SLUICE_OK);
    assert_int_equal(compute("opencl:0:copy", PROBLEM, "", &why), SLUICE_OK);
    assert_true(layer->calls("clCreateProgramWithSource") > 0);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    assert_fault(PROBLEM, "no-devices", SLUICE_E_UNSUPPORTED, "there is no OpenCL device");
    assert_fault(PROBLEM, "clGetPlatformIDs@1+=-1001", SLUICE_E_UNSUPPORTED,
                 "CL_PLATFORM_NOT_FOUND_KHR");
    assert_fault("c2c:f64:64", "fp64=0", SLUICE_E_UNSUPPORTED, "double precision");
    assert_fault(PROBLEM, "fp64=0", SLUICE_OK, "");
    assert_fault(PROBLEM, "source@1", SLUICE_E_DEVICE, "CL_BUILD_PROGRAM_FAILURE");
    assert_fault(PROBLEM, "clBuildProgram@1+=CL_COMPILER_NOT_AVAILABLE", SLUICE_E_DEVICE,
                 "CL_COMPILER_NOT_AVAILABLE");
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_fault(PROBLEM, "clCreateBuffer@1+=CL_MEM_OBJECT_ALLOCATION_FAILURE", SLUICE_E_MEMORY,
                 "");
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
    assert_int_equal(compute(units, PROBLEM, "", &why), SLUICE_OK); /* kernels are kept */
    assert_int_equal(compute(units, PROBLEM, "", &why), SLUICE_OK);
    const long calls = layer->calls("any");
    for (long k = first; k <= calls; k += step) {
        char faults[48];
        snprintf(faults, sizeof faults, "any@%ld=CL_OUT_OF_RESOURCES", k);
        failures += compute(units, PROBLEM, faults, &why) != SLUICE_OK;
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
        assert_no_leaks(faults);
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
        assert_true(is_right(slot->out, (size_t)(uintptr_t)slot->user, slot->count));
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
        slot->count = t->sent + 1 == BLOCKS ? 3 : BATCH;
        fill(slot->in, t->sent++, slot->count);
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
    assert_int_equal(sluice_plan_from_text(&plan, machine, PROBLEM, planned, &why), SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    sluice_stream *stream = open_stream(plan, fallback, &why);
    assert_true(layer->set(faults));
    run_blocks(stream, &t, &why);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    assert_no_leaks(faults);
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
    assert_int_equal(sluice_plan_from_text(&plan, machine, PROBLEM, &hooked, &why), SLUICE_OK);
    sluice_stream *stream = open_stream(plan, NULL, &why);
    const long before = (long)layer->calls("clCreateBuffer");
    run_blocks(stream, &t, &why);
    assert_int_equal(t.right, BLOCKS);
    assert_int_equal((long)layer->calls("clCreateBuffer") - before, 2 * BLOCKS);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    assert_no_leaks("nothing");
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
        assert_int_equal(sluice_plan_from_text(&plan, machine, PROBLEM, NULL, &why), SLUICE_OK);
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
        assert_no_leaks(cases[i].faults);
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
    assert_int_equal(sluice_plan_from_text(&plan, machine, PROBLEM, NULL, &why), SLUICE_OK);
    const long before = layer->outstanding("buffers"), made = layer->made("buffers");
    assert_int_equal(execute(plan, &why), SLUICE_OK);
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
    assert_int_equal(sluice_plan_from_text(&plan, machine, PROBLEM, NULL, &why), SLUICE_OK);
    assert_int_equal(sluice_machine_fault(machine, 0, &why), SLUICE_OK);
    assert_true(layer->set("lost@1"));
    for (int i = 0; i < 3; i++) { /* it stays lost, and says so each time */
        memset(&why, 0, sizeof why);
        assert_int_equal(execute(plan, &why), SLUICE_E_DEVICE);
        assert_true(why.message[0]);
    }
    assert_int_not_equal(sluice_machine_fault(machine, 0, &why), SLUICE_OK);
    assert_non_null(strstr(why.message, "CL_DEVICE_NOT_AVAILABLE"));
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    assert_no_leaks("lost@1");
}

/* ---- kernels that are kept */

/* Plans and executes with a folder of kernels; how many programs were made of text. */
static long compiled_with(const char *folder)
{
    sluice_diag why;
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    assert_int_equal(compute("opencl:0", PROBLEM, "", &why), SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    return layer->calls("clCreateProgramWithSource");
}

/* The files in a folder, whose last one's path is written. */
static int files_in(const char *folder, char *path, size_t size)
{
    char pattern[320];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    const int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    if (count > 0)
        snprintf(path, size, "%s", found.gl_pathv[count - 1]);
    globfree(&found);
    return count;
}

static void kept_kernels_are_used(void **state)
{
    char path[300], own[300];
    (void)state;
    snprintf(own, sizeof own, "%s/own", folder);
    assert_true(compiled_with(own) > 0);
    const int files = files_in(own, path, sizeof path);
    assert_true(files > 0);
    assert_int_equal(compiled_with(own), 0);
    assert_int_equal(files_in(own, path, sizeof path), files);
}

/* Cut or changed files are not used, but replaced. */
static void damaged_kernels_are_replaced(void **state)
{
    char path[300], own[300];
    struct stat whole, now;
    (void)state;
    snprintf(own, sizeof own, "%s/own", folder);
    (void)compiled_with(own);
    assert_int_equal(files_in(own, path, sizeof path), 1);
    assert_int_equal(stat(path, &whole), 0);
    for (int damage = 0; damage < 3; damage++) {
        FILE *file = fopen(path, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, damage == 2 ? 20 : whole.st_size / 2, SEEK_SET), 0);
        assert_int_equal(damage == 0 ? ftruncate(fileno(file), whole.st_size / 2)
                                     : fputs("damage", file) < 0,
                         0);
        assert_int_equal(fclose(file), 0);
        assert_true(compiled_with(own) > 0);
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_size, whole.st_size);
        assert_int_equal(compiled_with(own), 0);
    }
}

/* Binaries that the device does not take are compiled anew. */
static void refused_binaries_are_compiled(void **state)
{
    sluice_diag why;
    (void)state;
    (void)compiled_with(folder);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    assert_int_equal(
        compute("opencl:0", PROBLEM, "clCreateProgramWithBinary@1+=CL_INVALID_BINARY", &why),
        SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    assert_true(layer->calls("clCreateProgramWithSource") > 0);
}

/* Where nothing is kept nobody asks for what was compiled: PoCL would compile it once more. What
 * cannot be had costs time only. */
static void binaries_are_asked_for_where_they_are_kept(void **state)
{
    char faults[64], path[300], own[300];
    sluice_diag why;
    (void)state;
    assert_true(compiled_with("") > 0);
    assert_int_equal(layer->calls("clGetProgramInfo"), 0);
    snprintf(own, sizeof own, "%s/asked", folder);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", own, 1), 0);
    for (int k = 1; k <= 3; k++) {
        snprintf(faults, sizeof faults, "clGetProgramInfo@%d=CL_OUT_OF_RESOURCES", k);
        assert_int_equal(compute("opencl:0", PROBLEM, faults, &why), SLUICE_OK);
        assert_int_equal(files_in(own, path, sizeof path), 0);
    }
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    assert_true(compiled_with(own) > 0);
    assert_int_equal(layer->calls("clGetProgramInfo"), 3);
    assert_int_equal(files_in(own, path, sizeof path), 1);
}

/* A folder that is a file, or cannot be made, costs time only. */
static void useless_folders_cost_time_only(void **state)
{
    char file[300];
    (void)state;
    snprintf(file, sizeof file, "%s-file", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(compiled_with(file) > 0);
        assert_true(compiled_with("/proc/no/such/folder") > 0);
    }
    assert_int_equal(unlink(file), 0);
}

/* ---- other processes: this program with one argument */

static sluice_status compute_once(sluice_diag *why)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_status status = sluice_machine_open(&machine, &options, why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, PROBLEM, NULL, why);
    if (status == SLUICE_OK)
        status = execute(plan, why);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    return status;
}

/* The exit code says how it went. */
static int compute_as_told(void)
{
    sluice_diag why = {0};
    alarm(SECONDS);
    const sluice_status status = compute_once(&why);
    printf("%s\n", why.message);
    return -status;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A command line of two such processes at most, with their environment; the exit code. */
static int run_processes(const char *format, const char *where, char *output, size_t size)
{
    char line[1400], self[300];
    snprintf(self, sizeof self, "%s/tests/test_opencl_faults", getenv("SLUICE_BIN_DIR"));
    snprintf(line, sizeof line, format, where, self, where, self);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void no_icd_is_said(void **state)
{
    char output[600];
    (void)state;
    assert_int_equal(run_processes("OPENCL_LAYERS= OCL_ICD_VENDORS=%s/none '%s' compute", folder,
                                   output, sizeof output),
                     -SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(output, "there is no OpenCL device"));
}

/* A disk of 8 KiB, which a process may mount where it may make a view of disks of its own. */
static void a_full_disk_costs_time_only(void **state)
{
    static const char disk[] = "unshare -rm sh -c 'mount -t tmpfs -o size=8k none \"$0\" && ";
    char output[600], full[300], line[600];
    (void)state;
    snprintf(full, sizeof full, "%s/full", folder);
    assert_int_equal(mkdir(full, 0777), 0);
    snprintf(line, sizeof line, "%sdf \"$0\" >/dev/null' '%s' 2>/dev/null", disk, full);
    if (system(line) != 0)
        skip();
    snprintf(line, sizeof line,
             "%sSLUICE_KERNEL_CACHE=\"$0\" \"$1\" compute && ls \"$0\"' '%%s' '%%s'", disk);
    assert_int_equal(run_processes(line, full, output, sizeof output), 0);
    assert_string_equal(output, "\n"); /* no reason, and no file that is left */
}

/* Two that find nothing compile at once; both are right, and what they leave is whole. */
static void two_processes_compile_at_once(void **state)
{
    char output[600], both[300], path[300];
    (void)state;
    snprintf(both, sizeof both, "%s/both", folder);
    assert_int_equal(
        run_processes("export POCL_KERNEL_CACHE=0; SLUICE_KERNEL_CACHE='%s' '%s' compute & one=$!;"
                      " SLUICE_KERNEL_CACHE='%s' '%s' compute; two=$?;"
                      " wait $one && exit $two",
                      both, output, sizeof output),
        0);
    assert_true(files_in(both, path, sizeof path) > 0);
    assert_int_equal(compiled_with(both), 0);
}

int main(int argc, char **argv)
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
        cmocka_unit_test(kept_kernels_are_used),
        cmocka_unit_test(damaged_kernels_are_replaced),
        cmocka_unit_test(refused_binaries_are_compiled),
        cmocka_unit_test(binaries_are_asked_for_where_they_are_kept),
        cmocka_unit_test(useless_folders_cost_time_only),
        cmocka_unit_test(no_icd_is_said),
        cmocka_unit_test(a_full_disk_costs_time_only),
        cmocka_unit_test(two_processes_compile_at_once),
    };
    if (argc > 1 && strcmp(argv[1], "compute") == 0)
        return compute_as_told();
    sluice_machine *machine = NULL;
    sluice_diag why = {0};
    const sluice_machine_options options = {.units = "opencl:0"};
    for (int i = 0; i < POINTS; i++)
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
