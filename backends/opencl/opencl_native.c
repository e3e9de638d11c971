// SPDX-License-Identifier: BSD-3-Clause
/* Executions in the caller's queue, on the caller's buffers. Errors that can be detected are
 * refused before anything is enqueued. Kernels get arrays as buffers with offsets, so no object is
 * made for them. */
#include <inttypes.h>
#include <string.h>

#include "api/sluice_opencl.h"
#include "backends/opencl/opencl_native.h"
#include "core/status.h"

typedef struct native_run {
    const opencl_program *program;
    const sluice_opencl_execution *run;
    opencl_part part[OPENCL_PARTS];
    opencl_memory memory;
    bool any_order; /* of the queue's commands */
    sluice_diag *why;
} native_run;

static int64_t whole_lines(int64_t bytes)
{
    return (bytes + OPENCL_WORK_LINE - 1) / OPENCL_WORK_LINE * OPENCL_WORK_LINE;
}

size_t opencl_native_work_bytes(const backend_program *program)
{
    const device_program *made = &((const opencl_program *)program)->made;

    return (size_t)(whole_lines(made->scratch_bytes) + whole_lines(made->spill_bytes)
                    + whole_lines(made->packed_bytes[0]) + made->packed_bytes[1]);
}

/* ---- what the caller gives ---- */

static sluice_status check_queue(native_run *n)
{
    const backend *b = n->program->base.owner;
    cl_command_queue queue = n->run->queue;
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    cl_device_id device = NULL;

    cl_int code =
        b->cl->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = b->cl->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (code == CL_SUCCESS)
        code = b->cl->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                            &properties, NULL);
    if (code != CL_SUCCESS)
        return core_fail(n->why, SLUICE_E_INVALID, 0, "the queue: %s",
                         opencl_error_name(code).text);
    if (context != b->unit[0].context)
        return core_fail(n->why, SLUICE_E_INVALID, 0,
                         "the queue is of another context than the plan's machine");
    if (device != b->unit[0].device)
        return core_fail(n->why, SLUICE_E_INVALID, 0,
                         "the queue is of another device than the plan's machine");
    n->any_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    return SLUICE_OK;
}

/* What OpenCL says of a buffer. */
typedef struct buffer_facts {
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t bytes, begin; /* begin: offset in the buffer that it is a part of */
    cl_mem whole;
} buffer_facts;

static cl_int ask_buffer(const opencl_calls *cl, cl_mem buffer, buffer_facts *out)
{
    const struct {
        cl_mem_info what;
        size_t size;
        void *at;
    } fact[] = {
        {CL_MEM_CONTEXT, sizeof out->context, &out->context},
        {CL_MEM_TYPE, sizeof out->type, &out->type},
        {CL_MEM_FLAGS, sizeof out->flags, &out->flags},
        {CL_MEM_SIZE, sizeof out->bytes, &out->bytes},
        {CL_MEM_OFFSET, sizeof out->begin, &out->begin},
        {CL_MEM_ASSOCIATED_MEMOBJECT, sizeof out->whole, (void *)&out->whole},
    };
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; i < sizeof fact / sizeof *fact && code == CL_SUCCESS; i++)
        code = cl->clGetMemObjectInfo(buffer, fact[i].what, fact[i].size, fact[i].at, NULL);
    if (code == CL_SUCCESS && !out->whole)
        *out = (buffer_facts){out->context, out->type, out->flags, out->bytes, 0, buffer};
    return code;
}

/* Is the object a buffer of the machine's context that kernels may use in this role? */
static sluice_status check_buffer(const native_run *n, int role, const char *name, cl_int code,
                                  const buffer_facts *facts)
{
    const cl_mem_flags useless = role == OPENCL_WORK ? CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY
                                 : role < DEVICE_OUT ? CL_MEM_WRITE_ONLY
                                                     : CL_MEM_READ_ONLY;

    if (code != CL_SUCCESS || facts->type != CL_MEM_OBJECT_BUFFER)
        return core_fail(n->why, SLUICE_E_INVALID, 0, "%s is no buffer%s%s", name,
                         code != CL_SUCCESS ? ": " : "",
                         code != CL_SUCCESS ? opencl_error_name(code).text : "");
    if (facts->context != n->program->base.owner->unit[0].context)
        return core_fail(n->why, SLUICE_E_INVALID, 0,
                         "%s is of another context than the plan's machine", name);
    if (facts->flags & useless)
        return core_fail(n->why, SLUICE_E_INVALID, 0, "kernels may not %s the buffer of %s",
                         facts->flags & useless & CL_MEM_READ_ONLY ? "write" : "read", name);
    return SLUICE_OK;
}

/* The array is used from byte low to byte high-1, relative to its element 0. */
static sluice_status check_part(native_run *n, int role, const char *name, sluice_opencl_array a,
                                int64_t low, int64_t high, size_t alignment)
{
    buffer_facts facts = {0};
    const cl_int code = ask_buffer(n->program->base.owner->cl, a.buffer, &facts);
    const sluice_status status = check_buffer(n, role, name, code, &facts);

    if (status != SLUICE_OK)
        return status;
    if (a.offset % alignment != 0)
        return core_fail(n->why, SLUICE_E_INVALID, 0,
                         "%s is %zu bytes from its buffer's beginning: no multiple of %zu", name,
                         a.offset, alignment);
    if (a.offset > facts.bytes || (int64_t)a.offset + low < 0
        || (int64_t)a.offset + high > (int64_t)facts.bytes)
        return core_fail(n->why, SLUICE_E_INVALID, 0,
                         "%s at byte %zu takes bytes %" PRId64 " to %" PRId64 " of a buffer of %zu",
                         name, a.offset, (int64_t)a.offset + low, (int64_t)a.offset + high,
                         facts.bytes);
    n->memory.buffer[role] = a.buffer;
    n->memory.offset[role] = (cl_long)a.offset + low;
    n->part[role] = (opencl_part){.whole = facts.whole,
                                  .from = (int64_t)(facts.begin + a.offset) + low,
                                  .to = (int64_t)(facts.begin + a.offset) + high};
    return SLUICE_OK;
}

static sluice_status check_side(native_run *n, int role, sluice_opencl_array a)
{
    static const char *const name[] = {"in", "in_im", "out", "out_im"};
    const device_side *s = &n->program->made.side[role / 2];

    if (role % 2 == 0 || s->split)
        return check_part(n, role, name[role], a, s->low * (int64_t)s->element_bytes,
                          (s->high + 1) * (int64_t)s->element_bytes,
                          n->program->alignment[role / 2]);
    return !a.buffer ? SLUICE_OK
                     : core_fail(n->why, SLUICE_E_INVALID, 0,
                                 "%s is given of a side that is one array", name[role]);
}

void opencl_share_work(const opencl_program *p, opencl_memory *m)
{
    const device_program *made = &p->made;
    int64_t at = m->offset[OPENCL_WORK];
    const int64_t part[] = {[DEVICE_SCRATCH] = made->scratch_bytes,
                            [DEVICE_SPILL] = made->spill_bytes,
                            [DEVICE_IN_PACKED] = made->packed_bytes[0],
                            [DEVICE_OUT_PACKED] = made->packed_bytes[1]};
    for (int role = DEVICE_SCRATCH; role <= DEVICE_OUT_PACKED; role++) {
        m->buffer[role] = m->buffer[OPENCL_WORK];
        m->offset[role] = at;
        at += whole_lines(part[role]);
    }
}

sluice_status opencl_check_work(const opencl_program *p, bool given, int64_t *bytes,
                                sluice_diag *why)
{
    *bytes = (int64_t)opencl_native_work_bytes(&p->base);
    return given || *bytes == 0
               ? SLUICE_OK
               : core_fail(why, SLUICE_E_INVALID, 0,
                           "the plan needs a work area of %" PRId64 " bytes", *bytes);
}

static sluice_status check_work(native_run *n)
{
    int64_t bytes;
    sluice_status status =
        opencl_check_work(n->program, n->run->work.buffer != NULL, &bytes, n->why);

    if (status != SLUICE_OK || bytes == 0)
        return status;
    status = check_part(n, OPENCL_WORK, "work", n->run->work, 0, bytes, OPENCL_WORK_LINE);
    opencl_share_work(n->program, &n->memory);
    return status;
}

static bool overlap(const opencl_part *a, const opencl_part *b)
{
    return a->whole && a->whole == b->whole && a->from < b->to && b->from < a->to;
}

static bool are_same(const opencl_part *a, const opencl_part *b)
{
    return a->whole == b->whole && a->from == b->from;
}

sluice_status opencl_check_overlap(const opencl_program *program, const opencl_part *p,
                                   sluice_diag *why)
{
    for (int i = 0; i < OPENCL_WORK; i++)
        if (overlap(&p[i], &p[OPENCL_WORK]))
            return core_fail(why, SLUICE_E_INVALID, 0, "the work area overlaps an array");
    if (p[DEVICE_OUT_IM].whole && are_same(&p[DEVICE_OUT], &p[DEVICE_OUT_IM]))
        return core_fail(why, SLUICE_E_INVALID, 0, "out and out_im are the same");
    for (int in = DEVICE_IN; in <= DEVICE_IN_IM; in++)
        for (int out = DEVICE_OUT; out <= DEVICE_OUT_IM; out++) {
            const bool same = program->made.in_place && out - DEVICE_OUT == in;
            if (same ? !are_same(&p[in], &p[out]) : overlap(&p[in], &p[out]))
                return core_fail(why, SLUICE_E_INVALID, 0,
                                 program->made.in_place
                                     ? "the problem is in place: in and out have to be the same"
                                     : "in and out overlap");
        }
    return SLUICE_OK;
}

/* A command that waits for another context's event may never begin. */
static sluice_status check_events(const native_run *n)
{
    const backend *b = n->program->base.owner;
    const sluice_opencl_execution *r = n->run;

    if ((r->waits == 0) != (r->wait_for == NULL))
        return core_fail(n->why, SLUICE_E_INVALID, 0, "waits and wait_for do not agree");
    for (cl_uint i = 0; i < r->waits; i++) {
        cl_context context = NULL;
        const cl_int code =
            b->cl->clGetEventInfo(r->wait_for[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (code != CL_SUCCESS)
            return core_fail(n->why, SLUICE_E_INVALID, 0, "event %u to wait for: %s", (unsigned)i,
                             opencl_error_name(code).text);
        if (context != b->unit[0].context)
            return core_fail(n->why, SLUICE_E_INVALID, 0,
                             "event %u to wait for is of another context than the plan's machine",
                             (unsigned)i);
    }
    return SLUICE_OK;
}

static sluice_status check_run(native_run *n)
{
    const sluice_opencl_execution *r = n->run;
    const sluice_opencl_array side[] = {r->in, r->in_im, r->out, r->out_im};
    sluice_status status = check_queue(n);

    if (status == SLUICE_OK)
        status = check_events(n);
    for (int role = DEVICE_IN; role <= DEVICE_OUT_IM && status == SLUICE_OK; role++)
        status = check_side(n, role, side[role]);
    if (status == SLUICE_OK)
        status = check_work(n);
    return status == SLUICE_OK ? opencl_check_overlap(n->program, n->part, n->why) : status;
}

/* ---- commands ---- */

sluice_status opencl_fail_execution(const backend *b, sluice_status status, sluice_diag *why)
{
    sluice_diag fault = {.message = "out of memory"};

    (void)opencl_fault(b, 0, &fault);
    return core_fail(why, status, 0, "%s computes nothing: %.160s", b->about.name, fault.message);
}

static sluice_status fail_command(const native_run *n, cl_int code, const char *call)
{
    return opencl_check(n->program->base.owner, 0, code, call, n->why);
}

typedef enum place { FIRST_LAUNCH = 1, LAST_LAUNCH = 2 } place;

/* A launch after the one before, whose event is *before if the queue keeps no order. */
static sluice_status launch(const native_run *n, const opencl_lane *lane, const device_walk *at,
                            int place, cl_event *before)
{
    const opencl_calls *cl = n->program->base.owner->cl;
    const device_kernel *k = &n->program->made.kernel[at->kernel];
    const size_t items = (size_t)k->items, all = (size_t)k->groups * items;
    const bool first = place & FIRST_LAUNCH, last = place & LAST_LAUNCH;
    const cl_uint waits = first ? n->run->waits : *before != NULL;
    const cl_event *list = first ? n->run->wait_for : waits ? before : NULL;
    cl_event event = NULL, *const wanted = last ? n->run->done : n->any_order ? &event : NULL;

    cl_int code = opencl_set_args(lane, at, &n->memory);
    if (code != CL_SUCCESS)
        return fail_command(n, code, "clSetKernelArg");
    code = cl->clEnqueueNDRangeKernel(n->run->queue, lane->kernel[at->kernel], 1, NULL, &all,
                                      &items, waits, list, wanted);
    if (*before)
        cl->clReleaseEvent(*before);
    *before = event;
    return fail_command(n, code, "clEnqueueNDRangeKernel");
}

static sluice_status launch_all(const native_run *n)
{
    device_walk walk = device_walk_begin(&n->program->made, -1);
    bool more = device_walk_next(&walk);
    int place = FIRST_LAUNCH;
    cl_event before = NULL;
    opencl_lane *lane;

    sluice_status status = opencl_lane_take(n->program, 0, &lane);
    if (status != SLUICE_OK)
        return opencl_fail_execution(n->program->base.owner, status, n->why);
    for (; more && status == SLUICE_OK; place = 0) {
        const device_walk at = walk;
        more = device_walk_next(&walk);
        status = launch(n, lane, &at, more ? place : place | LAST_LAUNCH, &before);
    }
    if (before) /* left over if a later launch failed */
        n->program->base.owner->cl->clReleaseEvent(before);
    opencl_lane_return(lane);
    return status;
}

static sluice_status run_in_queue(const opencl_program *program, const void *run, sluice_diag *why)
{
    native_run n = {.program = program, .run = run, .why = why};
    const sluice_status status = check_run(&n);

    opencl_count_elements(n.program, 1, 1, 0, &n.memory);
    return status == SLUICE_OK ? launch_all(&n) : status;
}

sluice_status opencl_run_native(const backend_program *program, const void *run, sluice_diag *why)
{
    const opencl_native_run *native = run;
    const opencl_program *p = (const opencl_program *)program;
    const backend *b = program->owner;

    if (native->driver != opencl_is_driver(b))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the plan is for a device of %s, not of %s",
                         opencl_is_driver(b) ? "NVIDIA's driver" : "OpenCL",
                         native->driver ? "NVIDIA's driver" : "OpenCL");
    if (core_forked(b->mark))
        return core_fail(why, SLUICE_E_DEVICE, 0,
                         "a device does not follow its process into a fork");
    if (!opencl_is_alive(b, 0))
        return opencl_fail_execution(b, SLUICE_E_DEVICE, why);
    return native->driver ? cuda_run_native(p, native->execution, why)
                          : run_in_queue(p, native->execution, why);
}
