// SPDX-License-Identifier: BSD-3-Clause
/* cc on_device.c $(pkg-config --cflags --libs sluice) -lOpenCL -o on_device
 *
 * Circular convolutions of 256 rows with one filter each, on an OpenCL device: rows stay in its
 * memory between the transforms and a kernel of the program. */
#define CL_TARGET_OPENCL_VERSION 120
#include <sluice_opencl.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1024, ROWS = 256, VALUES = POINTS * ROWS * 2 };

static const char product[] =
    "__kernel void product(__global float2 *x) {\n"
    "    const size_t i = get_global_id(0);\n" /* delays row r by r: exp(-2 pi i k r/1024) */
    "    const float angle = -6.2831853f * (float)((i % 1024) * (i / 1024) % 1024) / 1024;\n"
    "    x[i] = (float2)(x[i].x * cos(angle) - x[i].y * sin(angle),\n"
    "                    x[i].x * sin(angle) + x[i].y * cos(angle));\n"
    "}\n";

static int fail(const char *what, sluice_status status, const sluice_diag *why)
{
    fprintf(stderr, "on_device: %s: %s (%s)\n", what, sluice_strerror(status), why->message);
    return 1;
}

/* Transforms, multiplies and transforms back in one queue; nothing waits for the device. */
static sluice_status convolve(cl_command_queue queue, cl_mem x, cl_kernel kernel,
                              const sluice_plan *there, const sluice_plan *back, sluice_diag *why)
{
    const size_t all = (size_t)POINTS * ROWS;
    const sluice_opencl_execution run = {.queue = queue, .in = {x, 0}, .out = {x, 0}};
    sluice_status status = sluice_opencl_enqueue(there, &run, why);
    if (status == SLUICE_OK
        && clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, NULL, 0, NULL, NULL) != CL_SUCCESS)
        status = SLUICE_E_DEVICE;
    return status == SLUICE_OK ? sluice_opencl_enqueue(back, &run, why) : status;
}

int main(void)
{
    static float rows[VALUES]; /* each an impulse at 0 */
    sluice_machine *machine = NULL;
    sluice_plan *there = NULL, *back = NULL;
    sluice_diag why = {.message = "a call of OpenCL"};
    const char *text = product;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS
        || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return fail("there is no device", SLUICE_E_DEVICE, &why);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof rows, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "product", NULL);
    clSetKernelArg(kernel, 0, sizeof x, &x);
    for (size_t row = 0; row < ROWS; row++)
        rows[row * POINTS * 2] = 1;

    sluice_status status = sluice_opencl_machine_open(&machine, context, device, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&there, machine, "c2c:f32:1024*256:inplace", NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&back, machine, "c2c:f32:1024*256:inverse:inplace:scale=n",
                                       NULL, &why);
    clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, sizeof rows, rows, 0, NULL, NULL);
    if (status == SLUICE_OK)
        status = convolve(queue, x, kernel, there, back, &why);
    clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof rows, rows, 0, NULL, NULL);
    size_t wrong = 0; /* the impulse of row r is at r now */
    for (size_t i = 0; i < (size_t)POINTS * ROWS; i++) {
        const float error = rows[2 * i] - (i % POINTS == i / POINTS);
        wrong += error * error + rows[2 * i + 1] * rows[2 * i + 1] > 1e-8F;
    }
    if (status == SLUICE_OK)
        printf("%d rows of %d points, %zu values wrong\n", ROWS, POINTS, wrong);

    sluice_plan_destroy(there);
    sluice_plan_destroy(back);
    sluice_machine_close(machine);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(x);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return status == SLUICE_OK && wrong == 0 ? 0 : fail("the device", status, &why);
}
