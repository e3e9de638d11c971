// SPDX-License-Identifier: BSD-3-Clause
/* api/sluice_opencl.h: plans on a context, queues and buffers of this program's, seen by the layer
 * of tests/opencl_layer, which counts objects and makes calls fail. */
#define CL_TARGET_OPENCL_VERSION 120
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

#include "api/sluice_opencl.h"
#include "sched/plan/sides.h"
#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, SECONDS = 120 };

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-native-XXXXXX";
static cl_device_id device;
static cl_context context;
static cl_command_queue queue, unordered;
static sluice_machine *machine, *items; /* of that context; with kernels of the other form */

/* ---------------------------------------------------------------- buffers --------------- */

static cl_mem buffer_of(size_t bytes, cl_mem_flags flags)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, flags, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

/* The arrays of a plan_data in one buffer, one behind the other, each at an odd place. */
typedef struct on_device {
    cl_mem all, work;
    size_t at[2][2]; /* of side, part: where its array begins */
    sluice_opencl_execution run;
} on_device;

static sluice_opencl_array array_at(const on_device *o, const plan_data *d, int side, int part)
{
    return d->block[side][part] ? (sluice_opencl_array){.buffer = o->all,
                                                        .offset = o->at[side][part] + d->base[side]}
                                : (sluice_opencl_array){.buffer = NULL};
}

static on_device open_on_device(const sluice_plan *plan, const plan_data *d)
{
    on_device o = {.all = NULL};
    size_t bytes = 0;
    for (int side = 0; side < 2; side++)
        for (int part = 0; part < 2; part++) {
            const bool same = side == 1 && d->block[1][part] == d->block[0][part];
            bytes += same || !d->block[side][part] ? 0 : 3 * 16; /* complex doubles */
            o.at[side][part] = same ? o.at[0][part] : bytes;
            bytes += same || !d->block[side][part] ? 0 : (d->bytes[side] + 63) / 64 * 64;
        }
    o.all = buffer_of(bytes, CL_MEM_READ_WRITE);
    o.run = (sluice_opencl_execution){.queue = queue,
                                      .in = array_at(&o, d, 0, 0),
                                      .in_im = array_at(&o, d, 0, 1),
                                      .out = array_at(&o, d, 1, 0),
                                      .out_im = array_at(&o, d, 1, 1)};
    if (sluice_opencl_work_bytes(plan) > 0) {
        o.work = buffer_of(sluice_opencl_work_bytes(plan) + 192, CL_MEM_READ_WRITE);
        o.run.work = (sluice_opencl_array){.buffer = o.work, .offset = 192};
    }
    return o;
}

static void close_on_device(const on_device *o)
{
    clReleaseMemObject(o->all);
    if (o->work)
        clReleaseMemObject(o->work);
}

/* Whole arrays with the canaries around them: there, or back. */
static void move_arrays(const on_device *o, const plan_data *d, bool back)
{
    for (int side = 0; side < 2; side++)
        for (int part = 0; part < 2; part++)
            if (d->block[side][part])
                assert_int_equal(
                    back
                        ? clEnqueueReadBuffer(queue, o->all, CL_TRUE, o->at[side][part],
                                              d->bytes[side], d->block[side][part], 0, NULL, NULL)
                        : clEnqueueWriteBuffer(queue, o->all, CL_TRUE, o->at[side][part],
                                               d->bytes[side], d->block[side][part], 0, NULL, NULL),
                    CL_SUCCESS);
}

static void enqueue(const sluice_plan *plan, const sluice_opencl_execution *run)
{
    sluice_diag why = {.message = ""};
    if (sluice_opencl_enqueue(plan, run, &why) != SLUICE_OK)
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

static void parts_of_buffers_are_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++)
        check_problem(machine, problems[i], (uint64_t)i + 1);
    for (int i = 0; i < PROBLEMS; i++)
        if (strncmp(problems[i], "c2c", 3) == 0)
            check_problem(items, problems[i], (uint64_t)i + 1);
}

enum { POINTS = 1024, BATCH = 20, VALUES = POINTS * BATCH * 2, BYTES = VALUES * 4, GAP = 64 };
static float given[VALUES], got[VALUES];

static void fill_given(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < VALUES; i++)
        given[i] = (float)plan_below(&seed, 2000) / 1000 - 1;
}

static void assert_near(const float *x, const float *y)
{
    double error = 0, norm = 0;
    for (int i = 0; i < VALUES; i++) {
        error += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        norm += (double)x[i] * x[i];
    }
    assert_true(error < 1e-12 * norm);
}

static sluice_opencl_array part(cl_mem buffer, size_t offset)
{
    return (sluice_opencl_array){.buffer = buffer, .offset = offset};
}

/* There and back again, and nothing waits before the end. */
static void data_stay_on_the_device(void **state)
{
    (void)state;
    sluice_plan *there = plan_made(machine, "c2c:f32:1024*20");
    sluice_plan *back = plan_made(machine, "c2c:f32:1024*20:inverse:inplace:scale=n");
    cl_mem all = buffer_of(2 * (size_t)BYTES + GAP, CL_MEM_READ_WRITE);
    fill_given();
    assert_int_equal(clEnqueueWriteBuffer(queue, all, CL_FALSE, 8, BYTES, given, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(sluice_opencl_work_bytes(there), 0);
    const sluice_opencl_array x = part(all, 8), y = part(all, BYTES + GAP);
    enqueue(there, &(sluice_opencl_execution){.queue = queue, .in = x, .out = y});
    enqueue(back, &(sluice_opencl_execution){.queue = queue, .in = y, .out = y});
    assert_int_equal(layer->set(""), true);
    enqueue(there, &(sluice_opencl_execution){.queue = queue, .in = y, .out = x});
    enqueue(back, &(sluice_opencl_execution){.queue = queue, .in = x, .out = x});
    assert_int_equal(layer->calls("clWaitForEvents") + layer->calls("clFinish")
                         + layer->calls("clFlush") + layer->calls("clCreateBuffer")
                         + layer->calls("clCreateKernel"),
                     0);
    assert_int_equal(clEnqueueReadBuffer(queue, all, CL_TRUE, 8, BYTES, got, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_near(given, got);
    clReleaseMemObject(all);
    sluice_plan_destroy(there);
    sluice_plan_destroy(back);
}

/* Commands of any order, held back by an event of this program's; a plan of several kernels. */
static void events_order_a_queue_without_order(void **state)
{
    static const char *const names[] = {"c2c:f32:20480", "c2c:f32:20480:inverse:scale=n"};
    cl_event gate, done[2];
    cl_int code, before;
    (void)state;
    sluice_plan *there = plan_made(machine, names[0]), *back = plan_made(machine, names[1]);
    const size_t bytes = sluice_opencl_work_bytes(there) + sluice_opencl_work_bytes(back);
    cl_mem x = buffer_of(BYTES, CL_MEM_READ_WRITE), y = buffer_of(BYTES, CL_MEM_READ_WRITE);
    cl_mem work = bytes > 0 ? buffer_of(bytes, CL_MEM_READ_WRITE) : NULL; /* in turns */
    fill_given();
    assert_int_equal(clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, BYTES, given, 0, NULL, NULL),
                     CL_SUCCESS);
    gate = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    sluice_opencl_execution run = {.queue = unordered,
                                   .in = part(x, 0),
                                   .out = part(y, 0),
                                   .work = part(work, 0),
                                   .waits = 1,
                                   .wait_for = &gate,
                                   .done = &done[0]};
    enqueue(there, &run);
    run = (sluice_opencl_execution){.queue = unordered,
                                    .in = part(y, 0),
                                    .out = part(x, 0),
                                    .work = part(work, 0),
                                    .waits = 1,
                                    .wait_for = &done[0],
                                    .done = &done[1]};
    enqueue(back, &run);
    assert_int_equal(clFlush(unordered), CL_SUCCESS);
    usleep(20000);
    clGetEventInfo(done[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof before, &before, NULL);
    assert_true(before > CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(unordered, x, CL_TRUE, 0, BYTES, got, 1, &done[1], NULL),
                     CL_SUCCESS);
    assert_near(given, got);
    clReleaseEvent(gate);
    clReleaseEvent(done[0]);
    clReleaseEvent(done[1]);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    if (work)
        clReleaseMemObject(work);
    sluice_plan_destroy(there);
    sluice_plan_destroy(back);
}

/* ---------------------------------------------------------------- hooks ----------------- */

static sluice_status double_elements(void *user, size_t first, size_t count, void *data)
{
    (void)user, (void)first;
    for (size_t i = 0; i < 2 * count; i++)
        ((float *)data)[i] *= 2;
    return SLUICE_OK;
}

/* A side of the host's there, or back, where no element of two floats may begin. */
enum { BEFORE = 4 };
static void move_side(cl_mem buffer, void *block, size_t bytes, bool back)
{
    assert_int_equal(
        back ? clEnqueueReadBuffer(queue, buffer, CL_TRUE, BEFORE, bytes, block, 0, NULL, NULL)
             : clEnqueueWriteBuffer(queue, buffer, CL_TRUE, BEFORE, bytes, block, 0, NULL, NULL),
        CL_SUCCESS);
}

/* On buffers what the library's own execution does on the host's arrays, to the last byte. */
static void check_hooked(sluice_machine *m, const char *problem, const sluice_hooks *hooks)
{
    sluice_plan *plan = hook_plan(m, problem, hooks);
    const int out = plan->in_place ? 0 : 1;
    const size_t bytes[2] = {plan->bytes_before[0] + plan->bytes_from[0],
                             plan->bytes_before[1] + plan->bytes_from[1]};
    sched_sides host, ours;
    cl_mem side[2] = {buffer_of(bytes[0] + BEFORE, CL_MEM_READ_WRITE),
                      buffer_of(bytes[1] + BEFORE, CL_MEM_READ_WRITE)};
    cl_mem work = buffer_of(sluice_opencl_work_bytes(plan) + 64, CL_MEM_READ_WRITE);
    assert_int_equal(sched_sides_open(&host, plan, 0, NULL), SLUICE_OK);
    assert_int_equal(sched_sides_open(&ours, plan, 0, NULL), SLUICE_OK);
    sched_sides_fill(&host, plan, 11);
    sched_sides_fill(&ours, plan, 11);
    for (int i = 0; i <= out; i++)
        move_side(side[i], ours.block[2 * i], bytes[i], false);
    enqueue(plan, &(sluice_opencl_execution){.queue = queue,
                                             .in = {side[0], BEFORE + plan->bytes_before[0]},
                                             .out = {side[out], BEFORE + plan->bytes_before[out]},
                                             .work = {work, 64}});
    move_side(side[out], ours.block[2 * out], bytes[out], true);
    assert_int_equal(sluice_execute_with(plan, &host.arrays, NULL), SLUICE_OK);
    assert_memory_equal(ours.block[2 * out], host.block[2 * out], bytes[out]);
    clReleaseMemObject(side[0]);
    clReleaseMemObject(side[1]);
    clReleaseMemObject(work);
    sched_sides_close(&host);
    sched_sides_close(&ours);
    sluice_plan_destroy(plan);
}

static void hooks_are_kernels(void **state)
{
    static const struct {
        const char *problem;
        sluice_hooks hooks;
    } cases[] = {
        {"c2c:f32:256*20",
         {.in = {.weight = hook_weights, .weight_rank = 1, .storage = SLUICE_STORE_I16},
          .out = {.call = double_elements, .opencl = "2 * x", .storage = SLUICE_STORE_F16}}},
        {"c2c:f32:100@-3/2*5@300/201", {.in.extent = {64}, .out.extent = {99}}},
        {"c2c:f32:128*6:inplace",
         {.in.storage = SLUICE_STORE_I16, .out.storage = SLUICE_STORE_I16, .out.extent = {50}}},
    };
    (void)state;
    hook_fill_weights();
    for (int i = 0; i < 3; i++) {
        check_hooked(machine, cases[i].problem, &cases[i].hooks);
        check_hooked(items, cases[i].problem, &cases[i].hooks);
    }
}

/* ---------------------------------------------------------------- callers --------------- */

typedef struct caller {
    pthread_t id;
    const sluice_plan *plan;
    int number;
    bool failed;
} caller;

/* Each with its own queue and buffers, one plan. */
static void *call_often(void *arg)
{
    enum { VALUES_OF_ONE = 256 * 20 * 2, TIMES = 40 };
    caller *c = arg;
    cl_int code;
    float *x = calloc(VALUES_OF_ONE, sizeof *x);
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &code);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, VALUES_OF_ONE * sizeof *x, NULL, &code);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, VALUES_OF_ONE * sizeof *x, NULL, &code);
    const sluice_opencl_execution run = {.queue = own, .in = {a, 0}, .out = {b, 0}};
    for (int t = 0; t < TIMES; t++) {
        x[0] = (float)(100 * c->number + t); /* the spectrum of an impulse is flat */
        clEnqueueWriteBuffer(own, a, CL_TRUE, 0, VALUES_OF_ONE * sizeof *x, x, 0, NULL, NULL);
        c->failed |= sluice_opencl_enqueue(c->plan, &run, NULL) != SLUICE_OK;
        float flat[2 * 256];
        clEnqueueReadBuffer(own, b, CL_TRUE, 0, sizeof flat, flat, 0, NULL, NULL);
        for (int k = 0; k < 256; k++)
            c->failed |= flat[2 * k] != x[0] || flat[2 * k + 1] != 0;
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseCommandQueue(own);
    free(x);
    return NULL;
}

static void callers_do_not_disturb_each_other(void **state)
{
    enum { CALLERS = 4 };
    caller c[CALLERS];
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:256*20");
    for (int i = 0; i < CALLERS; i++) {
        c[i] = (caller){.plan = plan, .number = i + 1};
        assert_int_equal(pthread_create(&c[i].id, NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(c[i].id, NULL);
        assert_false(c[i].failed);
    }
    sluice_plan_destroy(plan);
}

/* Such a machine is one like others: the host's arrays, and verifying. */
static void the_host_may_execute_too(void **state)
{
    double error, bound;
    (void)state;
    plan_check_problem(machine, "c2c:f32:256*20", 9);
    sluice_plan *plan = plan_made(machine, "c2c:f32:256*20");
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
    sluice_plan_destroy(plan);
}

static void the_example_is_right(void **state)
{
    char command[512], text[128];
    (void)state;
    snprintf(command, sizeof command, "OPENCL_LAYERS= '%s/examples/on_device' 2>&1",
             getenv("SLUICE_BIN_DIR"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(text, "256 rows of 1024 points, 0 values wrong\n");
}

/* ---------------------------------------------------------------- refusals -------------- */

static void refused(const sluice_plan *plan, sluice_opencl_execution run, sluice_status status,
                    const char *words)
{
    sluice_diag why = {.message = ""};
    cl_event done = (cl_event)&why;
    run.done = &done;
    assert_true(layer->set(""));
    assert_int_equal(sluice_opencl_enqueue(plan, &run, &why), status);
    assert_int_equal(layer->calls("clEnqueueNDRangeKernel"), 0);
    assert_null(done);
    if (!strstr(why.message, words))
        fail_msg("\"%s\" has no \"%s\"", why.message, words);
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:64*16");
    sluice_plan *inplace = plan_made(machine, "c2c:f32:64*16:inplace");
    cl_mem small = buffer_of(8191, CL_MEM_READ_WRITE), all = buffer_of(17000, CL_MEM_READ_WRITE);
    cl_mem read = buffer_of(8192, CL_MEM_READ_ONLY), write = buffer_of(8192, CL_MEM_WRITE_ONLY);
    const sluice_opencl_execution right = {
        .queue = queue, .in = part(all, 0), .out = part(all, 8192)};
    sluice_opencl_execution r = right;
    r.in.buffer = NULL;
    refused(plan, r, SLUICE_E_INVALID, "in is no buffer: CL_INVALID_MEM_OBJECT");
    r = right, r.in.buffer = small;
    refused(plan, r, SLUICE_E_INVALID, "in at byte 0 takes bytes 0 to 8192 of a buffer of 8191");
    r = right, r.out.offset = 8816;
    refused(plan, r, SLUICE_E_INVALID, "out at byte 8816 takes bytes 8816 to 17008");
    r = right, r.out.offset = SIZE_MAX - 7;
    refused(plan, r, SLUICE_E_INVALID, "out at byte");
    r = right, r.in.offset = 2;
    refused(plan, r, SLUICE_E_INVALID, "no multiple of ");
    r = right, r.out.offset = 8184;
    refused(plan, r, SLUICE_E_INVALID, "in and out overlap");
    r = right, r.in_im = part(all, 0);
    refused(plan, r, SLUICE_E_INVALID, "in_im is given");
    r = right, r.in.buffer = write;
    refused(plan, r, SLUICE_E_INVALID, "kernels may not read the buffer of in");
    r = right, r.out = part(read, 0);
    refused(plan, r, SLUICE_E_INVALID, "kernels may not write the buffer of out");
    r = right, r.waits = 1;
    refused(plan, r, SLUICE_E_INVALID, "wait_for");
    r = right, r.reserved[0] = 1;
    refused(plan, r, SLUICE_E_INVALID, "reserved");
    refused(inplace, right, SLUICE_E_INVALID, "in and out have to be the same");
    const cl_buffer_region region = {.origin = 0, .size = 8192};
    cl_mem sub = clCreateSubBuffer(all, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    r = right, r.in.buffer = sub, r.out.offset = 4096;
    refused(plan, r, SLUICE_E_INVALID, "in and out overlap");
    cl_mem all_of_it[] = {small, all, read, write, sub};
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(all_of_it[i]);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(inplace);
}

static void other_contexts_are_refused(void **state)
{
    cl_int code;
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:64*16");
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue foreign = clCreateCommandQueue(other, device, 0, &code);
    cl_mem theirs = clCreateBuffer(other, CL_MEM_READ_WRITE, 8192, NULL, &code);
    cl_mem x = buffer_of(8192, CL_MEM_READ_WRITE), y = buffer_of(8192, CL_MEM_READ_WRITE);
    cl_event event = clCreateUserEvent(other, &code);
    const sluice_opencl_execution right = {.queue = queue, .in = part(x, 0), .out = part(y, 0)};
    sluice_opencl_execution r = right;
    r.queue = NULL;
    refused(plan, r, SLUICE_E_INVALID, "the queue: CL_INVALID_COMMAND_QUEUE");
    r.queue = foreign;
    refused(plan, r, SLUICE_E_INVALID, "the queue is of another context");
    r = right, r.in.buffer = theirs;
    refused(plan, r, SLUICE_E_INVALID, "in is of another context");
    r = right, r.waits = 1, r.wait_for = &event;
    refused(plan, r, SLUICE_E_INVALID, "event 0 to wait for is of another context");
    const cl_event none = NULL;
    r.wait_for = &none;
    refused(plan, r, SLUICE_E_INVALID, "event 0 to wait for: CL_INVALID_EVENT");
    assert_int_equal(sluice_machine_fault(machine, 0, NULL), SLUICE_OK); /* the device is well */
    enqueue(plan, &right);
    clFinish(queue);
    clReleaseEvent(event);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseMemObject(theirs);
    clReleaseCommandQueue(foreign);
    clReleaseContext(other);
    sluice_plan_destroy(plan);
}

static void work_areas_are_checked(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(machine, "c2c:f32:65536");
    const size_t bytes = sluice_opencl_work_bytes(plan), side = 65536 * 8;
    assert_true(bytes > 0);
    cl_mem x = buffer_of(side + bytes + 64, CL_MEM_READ_WRITE),
           y = buffer_of(side, CL_MEM_READ_WRITE);
    const sluice_opencl_execution right = {
        .queue = queue, .in = part(y, 0), .out = part(x, 0), .work = part(x, side)};
    sluice_opencl_execution r = right;
    r.work.buffer = NULL;
    refused(plan, r, SLUICE_E_INVALID, "needs a work area of");
    r = right, r.work.offset = side + 8;
    refused(plan, r, SLUICE_E_INVALID, "no multiple of 64");
    r = right, r.work.offset = side + 128;
    refused(plan, r, SLUICE_E_INVALID, "work at byte");
    r = right, r.work.offset = side - 64;
    refused(plan, r, SLUICE_E_INVALID, "the work area overlaps an array");
    enqueue(plan, &right);
    clFinish(queue);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    sluice_plan_destroy(plan);
}

static sluice_status scale_element(void *user, size_t first, size_t count, void *data)
{
    (void)user, (void)first, (void)count, (void)data;
    return SLUICE_OK;
}

static void other_plans_are_refused(void **state)
{
    (void)state;
    const sluice_hooks hooks = {.in = {.call = scale_element}};
    const sluice_plan_options options = {.hooks = &hooks};
    sluice_machine *cpu = plan_machine("cpu:1", NULL);
    sluice_plan *on_cpu = plan_made(cpu, "c2c:f32:64"), *hooked = NULL;
    refused(on_cpu, (sluice_opencl_execution){.queue = queue}, SLUICE_E_UNSUPPORTED,
            "units of kind cpu");
    assert_int_equal(sluice_opencl_work_bytes(on_cpu), 0);
    assert_int_equal(sluice_plan_from_text(&hooked, machine, "c2c:f32:64", &options, NULL),
                     SLUICE_OK);
    refused(hooked, (sluice_opencl_execution){.queue = queue}, SLUICE_E_UNSUPPORTED,
            "hooks that the host applies");
    assert_int_equal(sluice_opencl_enqueue(NULL, NULL, NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_opencl_work_bytes(NULL), 0);
    sluice_plan_destroy(hooked);
    sluice_plan_destroy(on_cpu);
    sluice_machine_close(cpu);
}

static void other_devices_are_refused(void **state)
{
    const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id sub[2] = {NULL, NULL};
    cl_int code;
    sluice_machine *m = NULL;
    sluice_diag why;
    (void)state;
    assert_int_equal(sluice_opencl_machine_open(&m, NULL, device, NULL, &why), SLUICE_E_INVALID);
    if (clCreateSubDevices(device, by, 2, sub, NULL) != CL_SUCCESS)
        skip();
    assert_true(layer->set("clGetContextInfo@1=-34"));
    assert_int_equal(sluice_opencl_machine_open(&m, context, sub[0], NULL, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "the context: CL_INVALID_CONTEXT"));
    assert_null(m);
    assert_true(layer->set(""));
    /* A context of two: the machine is of one, queues of the other are refused. */
    cl_context two = clCreateContext(NULL, 2, sub, NULL, NULL, &code);
    cl_command_queue first = clCreateCommandQueue(two, sub[0], 0, &code);
    cl_command_queue second = clCreateCommandQueue(two, sub[1], 0, &code);
    cl_mem x = clCreateBuffer(two, CL_MEM_READ_WRITE, 8192, NULL, &code);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    for (int time = 0; time < 2; time++) { /* its kernels are compiled, then found */
        if (sluice_opencl_machine_open(&m, two, sub[1], NULL, &why) != SLUICE_OK)
            fail_msg("%s", why.message);
        sluice_unit_info info;
        assert_int_equal(sluice_machine_unit_info(m, 0, &info), SLUICE_OK);
        assert_int_equal(info.compute_units, 1);
        assert_true(layer->set(""));
        sluice_plan *plan = plan_made(m, "c2c:f32:32*32:inplace");
        assert_int_equal(layer->calls("clCreateProgramWithSource"), time == 0);
        const sluice_opencl_execution right = {
            .queue = second, .in = part(x, 0), .out = part(x, 0)};
        sluice_opencl_execution wrong = right;
        wrong.queue = first;
        refused(plan, wrong, SLUICE_E_INVALID, "the queue is of another device");
        enqueue(plan, &right);
        clFinish(second);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    clReleaseMemObject(x);
    clReleaseCommandQueue(first);
    clReleaseCommandQueue(second);
    clReleaseContext(two);
    clReleaseDevice(sub[0]);
    clReleaseDevice(sub[1]);
}

/* Units say how the device is used, not which it is. */
static void settings_are_the_callers(void **state)
{
    static const char *const others[] = {"cpu",          "opencl2",      "opencl:0",
                                         "opencl:pocl",  "opencl:cuda",  "opencl:copy:cores=1",
                                         "opencl,cpu:1", "opencl:colour"};
    sluice_machine_options options = {.units = "opencl:copy:memory=64M"};
    sluice_machine *m = NULL;
    sluice_unit_info info;
    sluice_diag why;
    (void)state;
    assert_int_equal(sluice_opencl_machine_open(&m, context, device, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_machine_unit_info(m, 0, &info), SLUICE_OK);
    assert_int_equal(info.memory, 64 << 20);
    assert_int_equal(info.shares_memory, 0);
    sluice_machine_close(m);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        options.units = others[i];
        why.message[0] = 0;
        if (sluice_opencl_machine_open(&m, context, device, &options, &why) != SLUICE_E_INVALID)
            fail_msg("%s is opened", others[i]);
        assert_null(m);
        assert_true(why.message[0]);
    }
}

/* ---------------------------------------------------------------- faults ---------------- */

/* Every call in turn, also of the second kernel: a status, a sentence, nothing left over. */
static void any_call_fails(sluice_plan *plan, const char *problem)
{
    int failures = 0, spared = 0;
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, 5);
    on_device o = open_on_device(plan, &d);
    move_arrays(&o, &d, false);
    o.run.queue = unordered;
    clFinish(queue);
    const long events = layer->outstanding("events");
    for (int k = 1; spared < 5; k++) {
        char faults[48];
        sluice_diag why = {.message = ""};
        cl_event done = NULL;
        o.run.done = &done;
        snprintf(faults, sizeof faults, "any@%d=CL_OUT_OF_RESOURCES", k);
        assert_true(layer->set(faults));
        const sluice_status status = sluice_opencl_enqueue(plan, &o.run, &why);
        assert_true(layer->set(""));
        assert_true((status == SLUICE_OK) == (done != NULL));
        assert_true(status == SLUICE_OK || strstr(why.message, "CL_OUT_OF_RESOURCES"));
        if (done)
            clReleaseEvent(done);
        clFinish(unordered);
        assert_int_equal(layer->outstanding("events"), events);
        failures += status != SLUICE_OK;
        spared = status != SLUICE_OK ? 0 : spared + 1;
    }
    assert_true(failures > 20);
    o.run.done = NULL;
    enqueue(plan, &o.run);
    clFinish(unordered);
    move_arrays(&o, &d, true);
    assert_true(plan_data_check(&d));
    close_on_device(&o);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

static void any_call_may_fail(void **state)
{
    double ones[256];
    (void)state;
    for (int i = 0; i < 256; i++)
        ones[i] = 1;
    const sluice_hooks hooks = {.in = {.weight = ones, .weight_rank = 1}, .out.extent = {256}};
    any_call_fails(plan_made(machine, "c2c:f32:65536"), "c2c:f32:65536");
    any_call_fails(hook_plan(machine, "c2c:f32:256x256", &hooks), "c2c:f32:256x256");
}

/* ---------------------------------------------------------------- main ------------------ */

static bool find_device(void)
{
    cl_platform_id platform[8];
    cl_uint platforms = 0;
    if (clGetPlatformIDs(8, platform, &platforms) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < platforms && i < 8; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return true;
    return false;
}

static int open_all(void **state)
{
    cl_int code[3];
    sluice_diag why;
    (void)state;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code[0]);
    queue = clCreateCommandQueue(context, device, 0, &code[1]);
    unordered =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code[2]);
    for (int i = 0; i < 3; i++)
        assert_int_equal(code[i], CL_SUCCESS);
    assert_int_equal(sluice_opencl_machine_open(&machine, context, device, NULL, &why), SLUICE_OK);
    setenv("SLUICE_OPENCL_FORM", "item", 1);
    assert_int_equal(sluice_opencl_machine_open(&items, context, device, NULL, &why), SLUICE_OK);
    unsetenv("SLUICE_OPENCL_FORM");
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    clReleaseCommandQueue(queue);
    clReleaseCommandQueue(unordered);
    clReleaseContext(context); /* the machines have theirs */
    sluice_machine_close(items);
    sluice_machine_close(machine);
    assert_string_equal(opencl_layer_leaks(layer), "");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_buffers_are_arrays),
        cmocka_unit_test(data_stay_on_the_device),
        cmocka_unit_test(events_order_a_queue_without_order),
        cmocka_unit_test(hooks_are_kernels),
        cmocka_unit_test(callers_do_not_disturb_each_other),
        cmocka_unit_test(the_host_may_execute_too),
        cmocka_unit_test(the_example_is_right),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(other_contexts_are_refused),
        cmocka_unit_test(work_areas_are_checked),
        cmocka_unit_test(other_plans_are_refused),
        cmocka_unit_test(other_devices_are_refused),
        cmocka_unit_test(settings_are_the_callers),
        cmocka_unit_test(any_call_may_fail),
    };
    char line[64];
    alarm(SECONDS); /* nothing hangs */
    layer = opencl_layer_load();
    if (!layer || !find_device()) {
        fprintf(stderr, "skipped: %s\n", layer ? "there is no device" : "there is no layer");
        return SKIPPED;
    }
    if (!mkdtemp(folder) || setenv("SLUICE_KERNEL_CACHE", "", 1) != 0
        || setenv("POCL_CACHE_DIR", folder, 0) != 0 || setenv("SLUICE_PLAN_CACHE", "0", 1) != 0
        || setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0)
        return 1;
    const int failed = cmocka_run_group_tests_name("opencl native", tests, open_all, close_all);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
