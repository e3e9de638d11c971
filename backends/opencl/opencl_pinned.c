// SPDX-License-Identifier: BSD-3-Clause
/* Host memory from and to which a device copies fastest, for slots and pieces: buffers that the
 * driver allocates there, mapped as long as they live. In a transfer a driver recognises this
 * memory by its address; it stages arrays elsewhere itself. A device that shares the host's memory
 * needs no such memory. */
#include <stdint.h>

#include "backends/opencl/opencl_state.h"
#include "core/mem.h"

struct opencl_pinned {
    opencl_pinned *next;
    cl_mem buffer;
    char *at;
    size_t bytes;
    int unit; /* whose context has it */
};

/* The queue of transfers to the device, in which no command waits long. */
static cl_command_queue queue_of(const backend *b, const opencl_pinned *p)
{
    return b->unit[p->unit].queue[OPENCL_GET];
}

static void release(const backend *b, opencl_pinned *p)
{
    if (p->at
        && b->cl->clEnqueueUnmapMemObject(queue_of(b, p), p->buffer, p->at, 0, NULL, NULL)
               == CL_SUCCESS)
        (void)b->cl->clFinish(queue_of(b, p));
    if (p->buffer)
        b->cl->clReleaseMemObject(p->buffer);
    core_free(p);
}

/* False: the driver allocates no such memory, or none that is aligned. */
static bool map_buffer(const backend *b, opencl_pinned *p)
{
    cl_int code;

    p->buffer = b->cl->clCreateBuffer(
        b->unit[p->unit].context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, p->bytes, NULL, &code);
    if (code != CL_SUCCESS) {
        p->buffer = NULL;
        return false;
    }
    p->at =
        b->cl->clEnqueueMapBuffer(queue_of(b, p), p->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                  p->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        p->at = NULL;
    return p->at && (uintptr_t)p->at % 64 == 0;
}

static void *alloc_pinned(backend *b, int unit, size_t bytes)
{
    opencl_pinned *p = core_calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->unit = unit;
    p->bytes = bytes;
    if (!map_buffer(b, p)) {
        release(b, p);
        return NULL;
    }
    pthread_mutex_lock(&b->lock);
    p->next = b->pinned;
    b->pinned = p;
    pthread_mutex_unlock(&b->lock);
    return p->at;
}

void *opencl_alloc_for(backend *b, int unit, size_t bytes)
{
    void *at = opencl_shares(b) || core_forked(b->mark) ? NULL : alloc_pinned(b, unit, bytes);

    return at ? at : core_aligned_alloc(bytes);
}

void *opencl_alloc(backend *b, size_t bytes)
{
    return opencl_alloc_for(b, 0, bytes);
}

bool opencl_is_pinned(const backend *b, const void *at, size_t bytes)
{
    backend *self = (backend *)(uintptr_t)b; /* the lock changes */
    bool found = false;

    pthread_mutex_lock(&self->lock);
    for (const opencl_pinned *p = b->pinned; p && !found; p = p->next)
        found = (const char *)at >= p->at && (const char *)at + bytes <= p->at + p->bytes;
    pthread_mutex_unlock(&self->lock);
    return found;
}

void opencl_free(backend *b, void *block)
{
    opencl_pinned **at = &b->pinned, *p;

    pthread_mutex_lock(&b->lock);
    while (*at && (*at)->at != block)
        at = &(*at)->next;
    p = block ? *at : NULL;
    if (p)
        *at = p->next;
    pthread_mutex_unlock(&b->lock);
    if (!p)
        core_aligned_free(block);
    else if (core_forked(b->mark)) /* the driver's memory is left as it is */
        core_free(p);
    else
        release(b, p);
}
