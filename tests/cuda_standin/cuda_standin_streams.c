// SPDX-License-Identifier: BSD-3-Clause
/* Streams and events of the library that stands for NVIDIA's driver: a command is done when its
 * call returns. */
#define _GNU_SOURCE /* clock_gettime */
#include <CL/cl.h>
#include <stdlib.h>
#include <time.h>

#include "backends/opencl/cuda_driver.h"
#include "tests/cuda_standin/cuda_standin_inside.h"

static int make(void **out)
{
    const int code = standin_call_inside();
    if (code == CUDA_OK) {
        *out = malloc(1);
        standin_made(1);
    }
    return code;
}

int cuStreamCreate(cuda_stream *out, unsigned flags)
{
    return flags == CUDA_NON_BLOCKING ? make((void **)out) : WRONG;
}

int cuStreamGetCtx(cuda_stream stream, cuda_context *out)
{
    *out = stream == (cuda_stream)&standin_other ? (cuda_context)&standin_other
                                                 : (cuda_context)&standin_primary;
    return standin_call_inside();
}

int cuStreamDestroy_v2(cuda_stream stream)
{
    return standin_drop(stream);
}

int cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags)
{
    return stream && event && flags == 0 ? standin_call_inside() : WRONG;
}

/* NULL: what copies that return at once have begun. */
int cuStreamSynchronize(cuda_stream stream)
{
    (void)stream;
    return standin_call_inside();
}

struct cuda_event {
    bool timed;
    cl_ulong at; /* ns; 0: not yet recorded */
};

int cuEventCreate(cuda_event *out, unsigned flags)
{
    const int code =
        flags == CUDA_TIMING || flags == CUDA_NO_TIMING ? standin_call_inside() : WRONG;
    if (code == CUDA_OK) {
        *out = calloc(1, sizeof **out);
        (*out)->timed = flags == CUDA_TIMING;
        standin_made(1);
    }
    return code;
}

int cuEventRecord(cuda_event event, cuda_stream stream)
{
    struct timespec now;
    const int code = event && stream ? standin_call_inside() : WRONG;
    if (code == CUDA_OK && clock_gettime(CLOCK_MONOTONIC, &now) == 0)
        event->at = (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
    return code;
}

int cuEventQuery(cuda_event event)
{
    return event && event->at ? standin_call_inside() : WRONG;
}

int cuEventSynchronize(cuda_event event)
{
    return event && event->at ? standin_call_inside() : WRONG;
}

int cuEventElapsedTime(float *milliseconds, cuda_event begin, cuda_event end)
{
    const bool right = begin && end && begin->timed && end->timed && begin->at && end->at;
    if (right)
        *milliseconds = 1e-6F * (float)(cl_long)(end->at - begin->at);
    return right ? standin_call_inside() : WRONG;
}

int cuEventDestroy_v2(cuda_event event)
{
    return standin_drop(event);
}

int cuGetErrorName(int code, const char **out)
{
    *out = code == FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_VALUE";
    return CUDA_OK;
}
