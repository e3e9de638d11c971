// SPDX-License-Identifier: BSD-3-Clause
/* api/sluice_cuda.h: plans in streams and on device memory of this program's, on the library that
 * stands for NVIDIA's driver (tests/cuda_standin). */
#define _DEFAULT_SOURCE /* alarm, setenv */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/sluice_cuda.h"
#include "backends/opencl/cuda_driver.h"
#include "tests/cuda_standin/cuda_standin.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

static const cuda_standin *standin;
static const cuda_calls *cuda_driver;
static sluice_machine *machine; /* of the primary context */
static cuda_stream stream;

/* ---------------------------------------------------------------- memory ---------------- */

static void enter(void)
{
    assert_int_equal(cuda_driver->context_push(standin->context), CUDA_OK);
}

static void leave(void)
{
    cuda_context was;
    assert_int_equal(cuda_driver->context_pop(&was), CUDA_OK);
}

static char *memory_of(size_t bytes)
{
    cuda_address at = 0;
    enter();
    assert_int_equal(cuda_driver->memory_alloc(&at, bytes), CUDA_OK);
    leave();
    return (char *)(uintptr_t)at;
}

static void release(const void *at)
{
    enter();
    assert_int_equal(cuda_driver->memory_free((uintptr_t)at), CUDA_OK);
    leave();
}

/* The arrays of a plan_data in one allocation, one behind the other, each at an odd place. */
typedef struct on_device {
    char *all, *work;
    char *at[2][2]; /* of side, part: its array */
    sluice_cuda_execution run;
} on_device;

static void *array_at(const on_device *o, const plan_data *d, int side, int part)
{
    return d->block[side][part] ? o->at[side][part] + d->base[side] : NULL;
}

static on_device open_on_device(const sluice_plan *plan, const plan_data *d)
{
    on_device o = {.all = NULL};
    size_t bytes = 0, place[2][2];
    for (int side = 0; side < 2; side++)
        for (int part = 0; part < 2; part++) {
            const bool same = side == 1 && d->block[1][part] == d->block[0][part];
            bytes += same || !d->block[side][part] ? 0 : 3 * 16; /* complex doubles */
            place[side][part] = same ? place[0][part] : bytes;
            bytes += same || !d->block[side][part] ? 0 : (d->bytes[side] + 63) / 64 * 64;
        }
    o.all = memory_of(bytes);
    for (int i = 0; i < 4; i++)
        o.at[i / 2][i % 2] = o.all + place[i / 2][i % 2];
    o.run = (sluice_cuda_execution){.stream = (struct CUstream_st *)stream,
                                    .in = array_at(&o, d, 0, 0),
                                    .in_im = array_at(&o, d, 0, 1),
                                    .out = array_at(&o, d, 1, 0),
                                    .out_im = array_at(&o, d, 1, 1)};
    if (sluice_cuda_work_bytes(plan) > 0) {
        o.work = memory_of(sluice_cuda_work_bytes(plan) + 192);
        o.run.work = o.work + 192;
    }
    return o;
}

static void close_on_device(const on_device *o)
{
    release(o->all);
    if (o->work)
        release(o->work);
}

/* Whole arrays with the canaries around them: there, or back. */
static void move_arrays(const on_device *o, const plan_data *d, bool back)
{
    enter();
    for (int i = 0; i < 4; i++) {
        char *host = d->block[i / 2][i % 2];
        const cuda_address there = (uintptr_t)o->at[i / 2][i % 2];
        if (host)
            assert_int_equal(back ? cuda_driver->copy_from(host, there, d->bytes[i / 2], stream)
                                  : cuda_driver->copy_to(there, host, d->bytes[i / 2], stream),
                             CUDA_OK);
    }
    leave();
}

static void enqueue(const sluice_plan *plan, const sluice_cuda_execution *run)
{
    sluice_diag why = {.message = ""};
    if (sluice_cuda_enqueue(plan, run, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
}

/* ---------------------------------------------------------------- results --------------- */

static const char *const problems[] = {
    "c2c:f32:1:inplace",
    "c2c:f32:256*20",
    "c2c:f64:60:inverse",
    "c2c:f32:31*5:inplace",
    "c2c:f32:48@-2*3@100:in=split",
    "c2c:f64:100*9:out=split",
    "c2c:f32:12x20x6",
    "c2c:f32:65536",
    "c2c:f32:8192*2:inplace",
    "r2c:f32:1000*3",
    "dct2:f32:24x40",
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void check_problem(sluice_machine *m, const char *problem, uint64_t seed)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, seed);
    const on_device o = open_on_device(plan, &d);
    move_arrays(&o, &d, false);
    enqueue(plan, &o.run);
    move_arrays(&o, &d, true);
    if (!plan_data_check(&d))
        fail_msg("%s: %s", problem, d.message);
    close_on_device(&o);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

static void results_are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS; i++)
        check_problem(machine, problems[i], 1 + i);
}

static sluice_machine *opened(struct CUctx_st *context)
{
    sluice_diag why = {.message = ""};
    sluice_machine *m = NULL;
    if (sluice_cuda_machine_open(&m, 0, context, NULL, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    return m;
}

/* The caller's context is not retained, so it is not released; plans outlive their machine. */
static void contexts_of_callers_serve(void **state)
{
    const long before = standin->outstanding();
    (void)state;
    sluice_machine *m = opened(standin->context);
    check_problem(m, "c2c:f32:4096", 3);
    sluice_plan *plan = plan_made(m, "c2c:f32:64*4:inplace");
    sluice_machine_close(m);
    char *x = memory_of(2048);
    enqueue(plan,
            &(sluice_cuda_execution){.stream = (struct CUstream_st *)stream, .in = x, .out = x});
    release(x);
    sluice_plan_destroy(plan);
    assert_int_equal(standin->outstanding(), before);
}

/* So do plans of a machine that a unit string opens. */
static void unit_strings_serve(void **state)
{
    const sluice_machine_options options = {.units = "opencl:0:cuda"};
    sluice_diag why;
    sluice_machine *m = NULL;
    (void)state;
    assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_OK);
    check_problem(m, "c2c:f32:1000", 5);
    sluice_machine_close(m);
}

static void the_default_stream_serves(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:64*4:inplace");
    char *x = memory_of(2048);
    standin->let_legacy(true);
    enqueue(plan, &(sluice_cuda_execution){.in = x, .out = x});
    standin->let_legacy(false);
    release(x);
    sluice_plan_destroy(plan);
}

/* Whoever uses the machine without enqueuing uses the library's streams. */
static void host_arrays_are_computed(void **state)
{
    (void)state;
    plan_check_problem(machine, "c2c:f32:256*20", 7);
}

/* ---------------------------------------------------------------- refusals -------------- */

static void refused(const sluice_plan *plan, sluice_cuda_execution run, sluice_status status,
                    const char *words)
{
    sluice_diag why = {.message = ""};
    standin->fail_at(0);
    assert_int_equal(sluice_cuda_enqueue(plan, &run, &why), status);
    if (!strstr(why.message, words))
        fail_msg("\"%s\" has no \"%s\"", why.message, words);
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:64*16");
    sluice_plan *inplace = plan_made(machine, "c2c:f32:64*16:inplace");
    char *all = memory_of(17000), host[64];
    const sluice_cuda_execution right = {
        .stream = (struct CUstream_st *)stream, .in = all, .out = all + 8192};
    sluice_cuda_execution r = right;
    r.in = NULL;
    refused(plan, r, SLUICE_E_INVALID, "in is NULL");
    r = right, r.in = (void *)((uintptr_t)host / 64 * 64);
    refused(plan, r, SLUICE_E_INVALID, "in takes 8192 bytes from 0 on, which are not all");
    r = right, r.out = all + 8816;
    refused(plan, r, SLUICE_E_INVALID, "out takes 8192 bytes");
    r = right, r.in = all + 4;
    refused(plan, r, SLUICE_E_INVALID, "in is at no multiple of 8 bytes");
    r = right, r.out = all + 8184;
    refused(plan, r, SLUICE_E_INVALID, "in and out overlap");
    r = right, r.in_im = all;
    refused(plan, r, SLUICE_E_INVALID, "in_im is given");
    r = right, r.stream = standin->other;
    refused(plan, r, SLUICE_E_INVALID, "the stream is of another context");
    r = right, r.reserved[0] = 1;
    refused(plan, r, SLUICE_E_INVALID, "reserved");
    refused(inplace, right, SLUICE_E_INVALID, "in and out have to be the same");
    assert_int_equal(sluice_machine_fault(machine, 0, NULL), SLUICE_OK); /* the device is well */
    enqueue(plan, &right);
    release(all);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(inplace);
}

static void work_areas_are_checked(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:65536");
    const size_t bytes = sluice_cuda_work_bytes(plan), side = 65536 * 8;
    assert_true(bytes > 0);
    char *x = memory_of(side + bytes + 64), *y = memory_of(side);
    const sluice_cuda_execution right = {
        .stream = (struct CUstream_st *)stream, .in = y, .out = x, .work = x + side};
    sluice_cuda_execution r = right;
    r.work = NULL;
    refused(plan, r, SLUICE_E_INVALID, "needs a work area of");
    r = right, r.work = x + side + 8;
    refused(plan, r, SLUICE_E_INVALID, "work is at no multiple of 64");
    r = right, r.work = x + side + 128;
    refused(plan, r, SLUICE_E_INVALID, "work takes");
    r = right, r.work = x + side - 64;
    refused(plan, r, SLUICE_E_INVALID, "the work area overlaps an array");
    enqueue(plan, &right);
    release(x);
    release(y);
    sluice_plan_destroy(plan);
}

static sluice_status scale_element(void *user, size_t first, size_t count, void *data)
{
    (void)user, (void)first, (void)count, (void)data;
    return SLUICE_OK;
}

static void other_plans_are_refused(void **state)
{
    const sluice_hooks hooks = {.in = {.call = scale_element}};
    const sluice_plan_options options = {.hooks = &hooks};
    sluice_machine *cpu = plan_machine("cpu:1", NULL), *opencl = plan_machine("opencl:0", NULL);
    sluice_plan *on_cpu = plan_made(cpu, "c2c:f32:64"), *hooked = NULL,
                *on_opencl = plan_made(opencl, "c2c:f32:64");
    (void)state;
    refused(on_cpu, (sluice_cuda_execution){0}, SLUICE_E_UNSUPPORTED, "units of kind cpu");
    refused(on_opencl, (sluice_cuda_execution){0}, SLUICE_E_UNSUPPORTED,
            "for a device of OpenCL, not of NVIDIA's driver");
    assert_int_equal(sluice_cuda_work_bytes(on_cpu), 0);
    assert_int_equal(sluice_plan_from_text(&hooked, machine, "c2c:f32:64", &options, NULL),
                     SLUICE_OK);
    refused(hooked, (sluice_cuda_execution){0}, SLUICE_E_UNSUPPORTED,
            "hooks that the host applies");
    assert_int_equal(sluice_cuda_enqueue(NULL, NULL, NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_cuda_work_bytes(NULL), 0);
    sluice_plan_destroy(hooked);
    sluice_plan_destroy(on_cpu);
    sluice_plan_destroy(on_opencl);
    sluice_machine_close(cpu);
    sluice_machine_close(opencl);
}

static void refuse_machine(int device, void *context, const char *words)
{
    sluice_diag why = {.message = ""};
    sluice_machine *m = machine;
    assert_int_equal(sluice_cuda_machine_open(&m, device, context, NULL, &why), SLUICE_E_INVALID);
    assert_null(m);
    if (!strstr(why.message, words))
        fail_msg("\"%s\" has no \"%s\"", why.message, words);
}

static void other_devices_are_refused(void **state)
{
    (void)state;
    refuse_machine(1, NULL, "device 1: there are devices 0 to 0");
    refuse_machine(-1, NULL, "device -1: there are devices 0 to 0");
    refuse_machine(0, standin->other, "the context is of another device than 0");
    assert_int_equal(sluice_cuda_machine_open(NULL, 0, NULL, NULL, NULL), SLUICE_E_INVALID);
}

/* Each call of the driver's in turn; what fails is named, and nothing is left behind. */
static void any_call_may_fail(void **state)
{
    sluice_diag why, fault;
    (void)state;
    for (long call = 1, calls = 1; call <= calls; call++) {
        sluice_machine *m = opened(NULL);
        sluice_plan *plan = plan_made(m, "c2c:f32:65536");
        char *x = memory_of(65536 * 8), *y = memory_of(65536 * 8),
             *work = memory_of(sluice_cuda_work_bytes(plan));
        const sluice_cuda_execution run = {
            .stream = (struct CUstream_st *)stream, .in = x, .out = y, .work = work};
        standin->fail_at(call);
        const sluice_status status = sluice_cuda_enqueue(plan, &run, &why);
        calls = standin->calls();
        standin->fail_at(0);
        if (call <= calls && status != SLUICE_E_DEVICE)
            fail_msg("call %ld of %ld: %d", call, calls, (int)status);
        if (call <= calls && !strstr(why.message, "CUDA_ERROR_LAUNCH_FAILED"))
            fail_msg("call %ld of %ld: %s", call, calls, why.message);
        assert_int_equal(sluice_machine_fault(m, 0, &fault), SLUICE_E_DEVICE);
        enqueue(plan, &run); /* the next one goes on */
        release(x);
        release(y);
        release(work);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- main ------------------ */

static bool load_standin(void)
{
    char file[512];
    const char *folder = getenv("SLUICE_BIN_DIR");
    snprintf(file, sizeof file, "%s/tests/cuda-standin.so", folder ? folder : "build/release");
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "cuda_standin_open") : NULL;
    cuda_standin_open_fn *open = NULL;
    memcpy(&open, &symbol, sizeof open);
    standin = open ? open() : NULL;
    return standin && setenv("SLUICE_CUDA_DRIVER", file, 1) == 0
           && setenv("SLUICE_CUDA_COMPILER", file, 1) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right),         cmocka_unit_test(contexts_of_callers_serve),
        cmocka_unit_test(unit_strings_serve),        cmocka_unit_test(the_default_stream_serves),
        cmocka_unit_test(host_arrays_are_computed),  cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(work_areas_are_checked),    cmocka_unit_test(other_plans_are_refused),
        cmocka_unit_test(other_devices_are_refused), cmocka_unit_test(any_call_may_fail),
    };
    sluice_diag why;
    alarm(TIME_LIMIT);
    setenv("SLUICE_PLAN_CACHE", "0", 1);
    setenv("SLUICE_KERNEL_CACHE", "", 1);
    if (!load_standin())
        return 1;
    if (cuda_driver_open(&cuda_driver, &why) != SLUICE_OK) { /* OpenCL has no device */
        fprintf(stderr, "skipped: %s\n", why.message);
        return SKIPPED;
    }
    machine = opened(NULL);
    enter();
    if (cuda_driver->stream_create(&stream, CUDA_NON_BLOCKING) != CUDA_OK)
        return 1;
    leave();
    int failed = cmocka_run_group_tests_name("cuda native", tests, NULL, NULL);
    enter();
    (void)cuda_driver->stream_destroy(stream);
    leave();
    sluice_machine_close(machine);
    if (standin->outstanding() != 0) {
        fprintf(stderr, "%ld objects are left\n", standin->outstanding());
        failed++;
    }
    return failed;
}
