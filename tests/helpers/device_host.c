// SPDX-License-Identifier: BSD-3-Clause
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/helpers/device_host.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
};

enum { SIDES = 4, MAX_BUFFERS = 300 };

struct device_run {
    const device_host *host;
    const device_program *d;
    cl_program program;
    cl_kernel *kernel;
    cl_mem side[SIDES], scratch, spill, table[MAX_BUFFERS];
};

device_host *device_host_open(const char **why)
{
    cl_platform_id platform;
    device_host *host = calloc(1, sizeof *host);

    *why = "there is no OpenCL platform";
    if (host && clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS) {
        *why = "the OpenCL platform has no device";
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &host->device, NULL) == CL_SUCCESS) {
            host->context = clCreateContext(NULL, 1, &host->device, NULL, NULL, NULL);
            host->queue =
                host->context ? clCreateCommandQueue(host->context, host->device, 0, NULL) : NULL;
        }
    }
    if (host && host->queue)
        return host;
    device_host_close(host);
    return NULL;
}

void device_host_close(device_host *host)
{
    if (host && host->queue)
        clReleaseCommandQueue(host->queue);
    if (host && host->context)
        clReleaseContext(host->context);
    free(host);
}

static bool build(device_run *r, char *message, size_t size)
{
    const char *text = core_text_string(&r->d->source);
    char log[1500] = "";
    cl_int error;

    r->program = clCreateProgramWithSource(r->host->context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error =
            clBuildProgram(r->program, 1, &r->host->device, "-cl-std=CL1.2 -Werror", NULL, NULL);
    if (error == CL_SUCCESS)
        return true;
    clGetProgramBuildInfo(r->program, r->host->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    snprintf(message, size, "it does not build: %d\n%s", error, log);
    return false;
}

static cl_mem buffer_of(const device_run *r, void *memory, size_t bytes)
{
    return clCreateBuffer(r->host->context, CL_MEM_READ_WRITE | (memory ? CL_MEM_USE_HOST_PTR : 0),
                          bytes, memory, NULL);
}

static bool make_buffers(device_run *r, const sluice_arrays *a)
{
    char *const array[SIDES] = {(char *)(size_t)a->in, (char *)(size_t)a->in_im, a->out, a->out_im};
    const device_program *d = r->d;
    bool made = d->ntables <= MAX_BUFFERS;

    for (int i = d->in_place ? 2 : 0; i < SIDES; i++) {
        const device_side *s = &d->side[i / 2];
        if (!array[i])
            continue;
        r->side[i] = buffer_of(r, array[i] + s->low * (int64_t)s->element_bytes,
                               (size_t)device_side_bytes(s));
        made = made && r->side[i];
    }
    if (d->scratch_bytes)
        made = (r->scratch = buffer_of(r, NULL, (size_t)d->scratch_bytes)) && made;
    if (d->spill_bytes)
        made = (r->spill = buffer_of(r, NULL, (size_t)d->spill_bytes)) && made;
    for (int t = 0; t < d->ntables && made; t++)
        made = (r->table[t] = buffer_of(r, d->table[t].data, d->table[t].bytes)) != NULL;
    return made;
}

static bool set_arg(device_run *r, const device_walk *launch, int i)
{
    const device_arg *arg = &r->d->kernel[launch->kernel].arg[i];
    const cl_kernel kernel = r->kernel[launch->kernel];
    const cl_mem memory = arg->role <= DEVICE_OUT_IM    ? r->side[arg->role]
                          : arg->role == DEVICE_SCRATCH ? r->scratch
                          : arg->role == DEVICE_SPILL   ? r->spill
                          : arg->role == DEVICE_TABLE   ? r->table[arg->number]
                                                        : NULL;

    if (arg->role == DEVICE_LOOP)
        return clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_long), &launch->value[arg->number])
               == CL_SUCCESS;
    return clSetKernelArg(kernel, (cl_uint)i, sizeof memory, &memory) == CL_SUCCESS;
}

static bool make_kernels(device_run *r)
{
    r->kernel = calloc((size_t)r->d->nkernels + 1, sizeof *r->kernel);
    for (int k = 0; r->kernel && k < r->d->nkernels; k++) {
        r->kernel[k] = clCreateKernel(r->program, core_text_string(&r->d->kernel[k].name), NULL);
        if (!r->kernel[k])
            return false;
    }
    return r->kernel != NULL;
}

device_run *device_run_open(device_host *host, const device_program *program,
                            const sluice_arrays *arrays, char *message, size_t size)
{
    device_run *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->host = host;
    r->d = program;
    if (build(r, message, size)) {
        if (make_buffers(r, arrays) && make_kernels(r))
            return r;
        snprintf(message, size, "buffers or kernels cannot be made");
    }
    device_run_close(r);
    return NULL;
}

bool device_run_times(device_run *r, int times)
{
    bool done = true;

    for (int i = 0; i < times; i++) {
        device_walk launch = device_walk_begin(r->d, -1);
        while (done && device_walk_next(&launch)) {
            const device_kernel *kernel = &r->d->kernel[launch.kernel];
            const size_t items = (size_t)kernel->items, all = (size_t)kernel->groups * items;
            for (int a = 0; a < kernel->nargs && done; a++)
                done = set_arg(r, &launch, a);
            done = done
                   && clEnqueueNDRangeKernel(r->host->queue, r->kernel[launch.kernel], 1, NULL,
                                             &all, &items, 0, NULL, NULL)
                          == CL_SUCCESS;
        }
    }
    return clFinish(r->host->queue) == CL_SUCCESS && done;
}

void device_run_close(device_run *r)
{
    for (int k = 0; r->kernel && k < r->d->nkernels; k++)
        if (r->kernel[k])
            clReleaseKernel(r->kernel[k]);
    for (int i = 0; i < SIDES; i++)
        if (r->side[i])
            clReleaseMemObject(r->side[i]);
    for (int i = 0; i < MAX_BUFFERS; i++)
        if (r->table[i])
            clReleaseMemObject(r->table[i]);
    if (r->scratch)
        clReleaseMemObject(r->scratch);
    if (r->spill)
        clReleaseMemObject(r->spill);
    if (r->program)
        clReleaseProgram(r->program);
    free(r->kernel);
    free(r);
}
