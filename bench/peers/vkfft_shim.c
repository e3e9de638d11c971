// SPDX-License-Identifier: BSD-3-Clause
/* VkFFT's header with its OpenCL backend as a library that sluice-bench can load (peer_vkfft.c).
 * Sizes are given with the fastest dimension first. */
#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdlib.h>
#include <vkFFT.h>

typedef struct shim_plan {
    VkFFTApplication application;
    cl_device_id device;
    cl_context context;
    uint64_t bytes;
} shim_plan;

int vkfft_shim_version(void);
int vkfft_shim_version(void)
{
    return VkFFTGetVersion();
}

void vkfft_shim_destroy(void *plan);
void vkfft_shim_destroy(void *plan)
{
    deleteVkFFT(&((shim_plan *)plan)->application);
    free(plan);
}

/* Data without gaps; out of place the input is preserved. */
static VkFFTConfiguration describe(shim_plan *p, int rank, const size_t *sizes, size_t count,
                                   int f64, int in_place)
{
    VkFFTConfiguration c = {0};
    uint64_t points = 1;
    c.FFTdim = (uint64_t)rank;
    for (int i = 0; i < rank; i++) {
        c.size[i] = sizes[i];
        points *= sizes[i];
        c.inputBufferStride[i] = points;
    }
    p->bytes = points * count * (f64 ? 16 : 8);
    c.numberBatches = count;
    c.doublePrecision = f64 != 0;
    c.device = &p->device;
    c.context = &p->context;
    c.bufferSize = &p->bytes;
    c.isInputFormatted = !in_place;
    c.inputBufferSize = &p->bytes;
    return c;
}

void *vkfft_shim_plan(void *device, void *context, int rank, const size_t *sizes, size_t count,
                      int f64, int in_place);
void *vkfft_shim_plan(void *device, void *context, int rank, const size_t *sizes, size_t count,
                      int f64, int in_place)
{
    shim_plan *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->device = device;
    p->context = context;
    VkFFTConfiguration c = describe(p, rank, sizes, count, f64, in_place);
    if (initializeVkFFT(&p->application, c) == VKFFT_SUCCESS)
        return p;
    free(p); /* it has freed what it had allocated */
    return NULL;
}

int vkfft_shim_enqueue(void *plan, void *queue, void *in, void *out, int inverse);
int vkfft_shim_enqueue(void *plan, void *queue, void *in, void *out, int inverse)
{
    cl_command_queue to = queue;
    cl_mem input = in, buffer = out;
    VkFFTLaunchParams launch = {0};
    launch.commandQueue = &to;
    launch.inputBuffer = &input;
    launch.buffer = &buffer;
    return (int)VkFFTAppend(&((shim_plan *)plan)->application, inverse ? 1 : -1, &launch);
}
