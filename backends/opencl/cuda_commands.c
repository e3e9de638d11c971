// SPDX-License-Identifier: BSD-3-Clause
/* Buffers and commands in queues. An event is recorded after its command and, in queues that
 * profile, another one before it. */
#include "backends/opencl/cuda_objects.h"
#include "core/mem.h"

/* ---- buffers ---- */

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                        void *from, cl_int *code)
{
    const bool of_host = flags & CL_MEM_ALLOC_HOST_PTR;
    cuda_address at = 0;
    void *host = NULL;

    *code = cuda_enter(context);
    if (*code != CL_SUCCESS)
        return NULL;
    int result = of_host ? cuda()->host_alloc(&host, bytes) : cuda()->memory_alloc(&at, bytes);
    if (result == CUDA_OK && flags & CL_MEM_COPY_HOST_PTR) {
        result = cuda()->copy_now(at, from, bytes);
        if (result == CUDA_OK) /* a copy from pageable memory may still be in flight */
            result = cuda()->stream_finish(NULL);
        if (result != CUDA_OK)
            (void)cuda()->memory_free(at);
    }
    *code = cuda_leave(result);
    return *code != CL_SUCCESS ? NULL : of_host ? (cl_mem)host : cuda_buffer(at);
}

/* The driver knows by the address whether it is the device's or the host's memory. */
static cl_int CL_API_CALL release_buffer(cl_mem buffer)
{
    struct _cl_context context = {0};
    unsigned memory = 0;
    int result = cuda()->pointer_attribute(&context.handle, CUDA_OF_CONTEXT, cuda_at(buffer));

    if (result == CUDA_OK)
        result = cuda()->pointer_attribute(&memory, CUDA_OF_MEMORY, cuda_at(buffer));
    const cl_int code = result == CUDA_OK ? cuda_enter(&context) : cuda_code(result);
    if (code != CL_SUCCESS)
        return code;
    return cuda_leave(memory == CUDA_HOST ? cuda()->host_free((void *)buffer)
                                          : cuda()->memory_free(cuda_at(buffer)));
}

/* Only buffers in the host's memory are mapped, and their address is already the host's. */
static void *CL_API_CALL map(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                             cl_map_flags flags, size_t from, size_t bytes, cl_uint waits,
                             const cl_event *list, cl_event *event, cl_int *code)
{
    (void)queue, (void)wait, (void)flags, (void)bytes, (void)waits, (void)list, (void)event;
    *code = CL_SUCCESS;
    return (char *)buffer + from;
}

static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem buffer, void *at, cl_uint waits,
                                const cl_event *list, cl_event *event)
{
    (void)queue, (void)buffer, (void)at, (void)waits, (void)list, (void)event;
    return CL_SUCCESS;
}

/* ---- commands ---- */

static int make_events(cl_command_queue queue, cl_event event)
{
    int result = cuda()->event_create(&event->end, queue->profiles ? CUDA_TIMING : CUDA_NO_TIMING);

    if (result == CUDA_OK && queue->profiles)
        result = cuda()->event_create(&event->begin, CUDA_TIMING);
    return result;
}

/* Before a command: enters the queue's context and makes its events. */
static cl_int begin(cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event)
{
    int result = CUDA_OK;

    if (event) {
        *event = core_calloc(1, sizeof **event);
        if (!*event)
            return CL_OUT_OF_HOST_MEMORY;
        (*event)->context = queue->context;
        atomic_init(&(*event)->holders, 1);
    }
    const cl_int code = cuda_enter(queue->context);
    if (code == CL_SUCCESS && event)
        result = make_events(queue, *event);
    for (cl_uint i = 0; i < waits && code == CL_SUCCESS && result == CUDA_OK; i++)
        result = cuda()->stream_wait(queue->stream, list[i]->end, 0);
    if (code == CL_SUCCESS && result == CUDA_OK && event && queue->profiles)
        result = cuda()->event_record((*event)->begin, queue->stream);
    return code == CL_SUCCESS && result != CUDA_OK ? cuda_leave(result) : code;
}

static cl_int CL_API_CALL retain_event(cl_event event)
{
    atomic_fetch_add(&event->holders, 1);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
    cl_int code = CL_SUCCESS;
    int result = CUDA_OK;

    if (atomic_fetch_sub(&event->holders, 1) > 1)
        return CL_SUCCESS;
    if (event->end) {
        code = cuda_enter(event->context);
        if (code == CL_SUCCESS && event->begin)
            result = cuda()->event_destroy(event->begin);
        if (code == CL_SUCCESS) {
            const int last = cuda()->event_destroy(event->end);
            code = cuda_leave(result == CUDA_OK ? last : result);
        }
    }
    core_free(event);
    return code;
}

/* After a command: records its event and leaves the context. */
static cl_int end(cl_command_queue queue, int result, cl_event *event)
{
    if (result == CUDA_OK && event)
        result = cuda()->event_record((*event)->end, queue->stream);
    return cuda_leave(result);
}

typedef struct command {
    cl_kernel kernel; /* NULL: a copy */
    size_t groups, items;
    cuda_address device;
    char *to; /* a copy to the host; NULL: a copy from `from` to the device */
    const char *from;
    size_t bytes;
} command;

static int put_command(const command *c, cuda_stream stream)
{
    if (c->kernel)
        return cuda_launch(c->kernel, c->groups, c->items, stream);
    return c->to ? cuda()->copy_from(c->to, c->device, c->bytes, stream)
                 : cuda()->copy_to(c->device, c->from, c->bytes, stream);
}

static cl_int enqueue(const command *c, cl_command_queue queue, cl_uint waits, const cl_event *list,
                      cl_event *event)
{
    cl_int code = begin(queue, waits, list, event);

    if (code == CL_SUCCESS)
        code = end(queue, put_command(c, queue->stream), event);
    if (code != CL_SUCCESS && event && *event) {
        (void)release_event(*event);
        *event = NULL;
    }
    return code;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint axes,
                                 const size_t *offset, const size_t *all, const size_t *items,
                                 cl_uint waits, const cl_event *list, cl_event *event)
{
    const command c = {.kernel = kernel, .groups = *all / *items, .items = *items};

    (void)axes, (void)offset;
    return enqueue(&c, queue, waits, list, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                       size_t from, size_t bytes, const void *user, cl_uint waits,
                                       const cl_event *list, cl_event *event)
{
    const command c = {.device = cuda_at(buffer) + from, .from = user, .bytes = bytes};

    (void)wait;
    return enqueue(&c, queue, waits, list, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                      size_t from, size_t bytes, void *user, cl_uint waits,
                                      const cl_event *list, cl_event *event)
{
    const command c = {.device = cuda_at(buffer) + from, .to = user, .bytes = bytes};

    (void)wait;
    return enqueue(&c, queue, waits, list, event);
}

/* ---- events ---- */

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *event)
{
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++) {
        code = cuda_enter(event[i]->context);
        if (code == CL_SUCCESS)
            code = cuda_leave(cuda()->event_wait(event[i]->end));
    }
    return code;
}

static cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info what, size_t size, void *out,
                                         size_t *length)
{
    const cl_int entered = cuda_enter(event->context);

    (void)what, (void)size, (void)length;
    if (entered != CL_SUCCESS)
        return entered;
    const int result = cuda()->event_query(event->end);
    const cl_int code = cuda_leave(result);
    *(cl_int *)out = result == CUDA_NOT_READY ? CL_RUNNING : code;
    return CL_SUCCESS;
}

static double seconds_between(cl_event first, cl_event last)
{
    float milliseconds = 0;

    if (!first->begin || cuda_enter(first->context) != CL_SUCCESS)
        return 0;
    const cl_int code = cuda_leave(cuda()->event_elapsed(&milliseconds, first->begin, last->end));
    return code == CL_SUCCESS && milliseconds > 0 ? 1e-3 * (double)milliseconds : 0;
}

/* The driver starts enqueued commands without being told. */
static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    const cl_int code = cuda_enter(queue->context);

    return code == CL_SUCCESS ? cuda_leave(cuda()->stream_finish(queue->stream)) : code;
}

void cuda_fill_commands(opencl_calls *table)
{
    table->clCreateBuffer = create_buffer;
    table->clReleaseMemObject = release_buffer;
    table->clEnqueueMapBuffer = map;
    table->clEnqueueUnmapMemObject = unmap;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueReadBuffer = read_buffer;
    table->clWaitForEvents = wait_for_events;
    table->clGetEventInfo = get_event_info;
    table->seconds_between = seconds_between;
    table->clRetainEvent = retain_event;
    table->clReleaseEvent = release_event;
    table->clFlush = flush;
    table->clFinish = finish;
}
