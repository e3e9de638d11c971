// SPDX-License-Identifier: BSD-3-Clause
/* Executions in the caller's stream, on the caller's memory (api/sluice_cuda.h). A buffer is an
 * address here, so kernels get the caller's own addresses. The driver is asked about the first and
 * the last byte of an array only, because mappings of several pieces have no range to compare
 * with. */
#include <inttypes.h>

#include "api/sluice_cuda.h"
#include "backends/opencl/cuda_objects.h"
#include "backends/opencl/opencl_native.h"
#include "core/status.h"

typedef struct cuda_run {
    const opencl_program *program;
    const sluice_cuda_execution *run;
    opencl_part part[OPENCL_PARTS];
    opencl_memory memory;
    bool reads_host; /* the device reads pageable host memory, which the driver does not know */
    sluice_diag *why;
} cuda_run;

static cuda_stream stream_of(const cuda_run *r)
{
    return (cuda_stream)r->run->stream;
}

/* The caller is in the machine's context, so that default streams are those of this context.
 * Streams of contexts with a part of the device's units do not return theirs. */
static sluice_status check_stream(const cuda_run *r)
{
    const backend *b = r->program->base.owner;
    cuda_context context = NULL;
    const int result = cuda()->stream_context(stream_of(r), &context);

    if (result == CUDA_INVALID_CONTEXT || result == CUDA_INVALID_HANDLE)
        return core_fail(r->why, SLUICE_E_INVALID, 0, "the stream: %s",
                         opencl_error_name(cuda_code(result)).text);
    if (result == CUDA_OK && context != b->unit[0].context->handle)
        return core_fail(r->why, SLUICE_E_INVALID, 0,
                         "the stream is of another context than the plan's machine");
    return result == CUDA_NOT_SUPPORTED
               ? SLUICE_OK
               : opencl_check(b, 0, cuda_code(result), "cuStreamGetCtx", r->why);
}

static bool is_known(const cuda_run *r, cuda_address at)
{
    unsigned memory;

    return r->reads_host || cuda()->pointer_attribute(&memory, CUDA_OF_MEMORY, at) == CUDA_OK;
}

/* The array at `at` is used from byte low to byte high-1, relative to `at`. */
static sluice_status check_part(cuda_run *r, int role, const char *name, const void *at,
                                int64_t low, int64_t high, size_t alignment)
{
    const cuda_address from = (uintptr_t)at + (cuda_address)low,
                       to = (uintptr_t)at + (cuda_address)high;

    if (!at)
        return core_fail(r->why, SLUICE_E_INVALID, 0, "%s is NULL", name);
    if ((uintptr_t)at % alignment != 0)
        return core_fail(r->why, SLUICE_E_INVALID, 0, "%s is at no multiple of %zu bytes", name,
                         alignment);
    if (!is_known(r, from) || !is_known(r, to - 1))
        return core_fail(r->why, SLUICE_E_INVALID, 0,
                         "%s takes %" PRId64 " bytes from %" PRId64
                         " on, which are not all the device's memory",
                         name, high - low, low);
    r->memory.buffer[role] = cuda_buffer((uintptr_t)at);
    r->memory.offset[role] = low;
    r->part[role] = (opencl_part){
        .whole = cuda_buffer(1), .from = (int64_t)from, .to = (int64_t)to}; /* parts of one */
    return SLUICE_OK;
}

static sluice_status check_sides(cuda_run *r)
{
    static const char *const name[OPENCL_SIDES] = {"in", "in_im", "out", "out_im"};
    const void *const array[OPENCL_SIDES] = {r->run->in, r->run->in_im, r->run->out,
                                             r->run->out_im};
    sluice_status status = SLUICE_OK;

    for (int role = DEVICE_IN; role <= DEVICE_OUT_IM && status == SLUICE_OK; role++) {
        const device_side *s = &r->program->made.side[role / 2];
        const int64_t bytes = (int64_t)s->element_bytes;
        if (role % 2 == 0 || s->split)
            status = check_part(r, role, name[role], array[role], s->low * bytes,
                                (s->high + 1) * bytes, r->program->alignment[role / 2]);
        else if (array[role])
            status = core_fail(r->why, SLUICE_E_INVALID, 0,
                               "%s is given of a side that is one array", name[role]);
    }
    return status;
}

static sluice_status check_work(cuda_run *r)
{
    int64_t bytes;
    sluice_status status = opencl_check_work(r->program, r->run->work != NULL, &bytes, r->why);

    if (status != SLUICE_OK || bytes == 0)
        return status;
    status = check_part(r, OPENCL_WORK, "work", r->run->work, 0, bytes, OPENCL_WORK_LINE);
    opencl_share_work(r->program, &r->memory);
    return status;
}

static sluice_status check_run(cuda_run *r)
{
    int reads = 0;
    sluice_status status = check_stream(r);

    if (status == SLUICE_OK) {
        const int device = r->program->base.owner->unit[0].context->device;
        (void)cuda()->device_attribute(&reads, CUDA_READS_HOST, device);
        r->reads_host = reads;
        status = check_sides(r);
    }
    if (status == SLUICE_OK)
        status = check_work(r);
    return status == SLUICE_OK ? opencl_check_overlap(r->program, r->part, r->why) : status;
}

static sluice_status launch_all(const cuda_run *r)
{
    const backend *b = r->program->base.owner;
    device_walk at = device_walk_begin(&r->program->made, -1);
    opencl_lane *lane;

    sluice_status status = opencl_lane_take(r->program, 0, &lane);
    if (status != SLUICE_OK)
        return opencl_fail_execution(b, status, r->why);
    while (status == SLUICE_OK && device_walk_next(&at)) {
        const device_kernel *k = &r->program->made.kernel[at.kernel];
        cl_int code = opencl_set_args(lane, &at, &r->memory);
        if (code == CL_SUCCESS)
            code = cuda_code(cuda_launch(lane->kernel[at.kernel], (size_t)k->groups,
                                         (size_t)k->items, stream_of(r)));
        status = opencl_check(b, 0, code, "cuLaunchKernel", r->why);
    }
    opencl_lane_return(lane);
    return status;
}

sluice_status cuda_run_native(const opencl_program *program, const void *run, sluice_diag *why)
{
    cuda_run r = {.program = program, .run = run, .why = why};
    const backend *b = program->base.owner;

    const cl_int code = cuda_enter(b->unit[0].context);
    if (code != CL_SUCCESS)
        return opencl_check(b, 0, code, "cuCtxPushCurrent", why);
    sluice_status status = check_run(&r);
    opencl_count_elements(program, 1, 1, 0, &r.memory);
    if (status == SLUICE_OK)
        status = launch_all(&r);
    (void)cuda_leave(CUDA_OK);
    return status;
}
