// SPDX-License-Identifier: BSD-3-Clause
/* Programs and kernels: machine code for one device, compiled from text or kept from before. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "backends/opencl/cuda_objects.h"
#include "core/mem.h"

enum { MOST_ARGUMENTS = 4096 / 8 }; /* the driver's limit in bytes, over the widest argument's */

struct _cl_program {
    cl_context context;
    core_text source, log;
    char *binary;
    size_t length;
    cuda_module module;
};

struct _cl_kernel {
    cl_context context;
    cuda_function function;
    unsigned local_bytes; /* of a group */
    cl_ulong value[MOST_ARGUMENTS];
    void *argument[MOST_ARGUMENTS];
};

/* ---- programs ---- */

static cl_program new_program(cl_context context, cl_int *code)
{
    cl_program program = core_calloc(1, sizeof *program);

    *code = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (program)
        program->context = context;
    return program;
}

static cl_int CL_API_CALL release_program(cl_program program)
{
    cl_int code = program->module ? cuda_enter(program->context) : CL_SUCCESS;

    if (program->module && code == CL_SUCCESS)
        code = cuda_leave(cuda()->module_unload(program->module));
    core_text_free(&program->source);
    core_text_free(&program->log);
    core_free(program->binary);
    core_free(program);
    return code;
}

/* The program, or NULL if memory ran out for its contents. */
static cl_program checked(cl_program program, bool whole, cl_int *code)
{
    if (whole)
        return program;
    *code = CL_OUT_OF_HOST_MEMORY;
    (void)release_program(program);
    return NULL;
}

static cl_program CL_API_CALL with_source(cl_context context, cl_uint count, const char **text,
                                          const size_t *lengths, cl_int *code)
{
    cl_program program = new_program(context, code);

    (void)count, (void)lengths;
    if (!program)
        return NULL;
    core_text_printf(&program->source, "%s", *text);
    return checked(program, !program->source.failed, code);
}

static cl_program CL_API_CALL with_binary(cl_context context, cl_uint count,
                                          const cl_device_id *device, const size_t *length,
                                          const unsigned char **binary, cl_int *state, cl_int *code)
{
    cl_program program = new_program(context, code);

    (void)count, (void)device;
    *state = *code;
    if (!program)
        return NULL;
    program->binary = core_malloc(*length + 1);
    program->length = *length;
    if (program->binary)
        memcpy(program->binary, *binary, *length);
    return checked(program, program->binary != NULL, code);
}

static cl_int compile(cl_program program)
{
    int major = 0, minor = 0;
    char architecture[32];

    (void)cuda()->device_attribute(&major, CUDA_MAJOR, program->context->device);
    (void)cuda()->device_attribute(&minor, CUDA_MINOR, program->context->device);
    snprintf(architecture, sizeof architecture, "sm_%d%d", major, minor);
    program->binary = cuda_compile(core_text_string(&program->source), architecture,
                                   &program->length, &program->log);
    return program->binary        ? CL_SUCCESS
           : cuda_compiler_open() ? CL_BUILD_PROGRAM_FAILURE
                                  : CL_COMPILER_NOT_AVAILABLE;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *device,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data)
{
    cl_int code = program->binary ? CL_SUCCESS : compile(program);

    (void)count, (void)device, (void)options, (void)notify, (void)data;
    if (code == CL_SUCCESS)
        code = cuda_enter(program->context);
    return code == CL_SUCCESS ? cuda_leave(cuda()->module_load(&program->module, program->binary))
                              : code;
}

static cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id device,
                                         cl_program_build_info what, size_t size, void *out,
                                         size_t *length)
{
    (void)device, (void)what, (void)length;
    snprintf(out, size, "%.*s", (int)size - 1, core_text_string(&program->log));
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_info(cl_program program, cl_program_info what, size_t size, void *out,
                                   size_t *length)
{
    const cl_device_id device = (cl_device_id)(uintptr_t)(program->context->device + 1);

    (void)size;
    if (what == CL_PROGRAM_DEVICES)
        memcpy(out, &device, sizeof device);
    else if (what == CL_PROGRAM_BINARY_SIZES)
        memcpy(out, &program->length, sizeof program->length);
    else
        memcpy(*(unsigned char **)out, program->binary, program->length);
    if (length)
        *length = sizeof device;
    return CL_SUCCESS;
}

/* ---- kernels ---- */

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *code)
{
    cl_kernel kernel = core_calloc(1, sizeof *kernel);

    *code = kernel ? cuda_enter(program->context) : CL_OUT_OF_HOST_MEMORY;
    if (*code == CL_SUCCESS)
        *code = cuda_leave(cuda()->module_function(&kernel->function, program->module, name));
    if (*code != CL_SUCCESS) {
        core_free(kernel);
        return NULL;
    }
    kernel->context = program->context;
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        kernel->argument[i] = &kernel->value[i];
    return kernel;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    core_free(kernel);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint number, size_t size,
                                       const void *value)
{
    if (number >= MOST_ARGUMENTS || size > sizeof *kernel->value)
        return CL_INVALID_ARG_SIZE;
    memcpy(&kernel->value[number], value, size);
    return CL_SUCCESS;
}

/* A function has to ask for more local memory than the usual limit. */
static cl_int give_local(cl_kernel kernel, size_t bytes)
{
    enum { USUAL = 48 << 10 };
    cl_int code = bytes > INT_MAX ? CL_OUT_OF_RESOURCES : CL_SUCCESS;

    if (code == CL_SUCCESS && bytes > USUAL)
        code = cuda_enter(kernel->context);
    if (code == CL_SUCCESS && bytes > USUAL)
        code = cuda_leave(
            cuda()->function_set(kernel->function, CUDA_DYNAMIC_SHARED_MEMORY, (int)bytes));
    if (code == CL_SUCCESS)
        kernel->local_bytes = (unsigned)bytes;
    return code;
}

int cuda_launch(cl_kernel kernel, size_t groups, size_t items, cuda_stream stream)
{
    if (groups > INT_MAX || items > INT_MAX)
        return CUDA_INVALID;
    return cuda()->launch(kernel->function, (unsigned)groups, 1, 1, (unsigned)items, 1, 1,
                          kernel->local_bytes, stream, kernel->argument, NULL);
}

void cuda_fill_kernels(opencl_calls *table)
{
    table->clCreateProgramWithSource = with_source;
    table->clCreateProgramWithBinary = with_binary;
    table->clBuildProgram = build;
    table->clGetProgramBuildInfo = get_build_info;
    table->clGetProgramInfo = get_info;
    table->clReleaseProgram = release_program;
    table->clCreateKernel = create_kernel;
    table->clReleaseKernel = release_kernel;
    table->clSetKernelArg = set_argument;
    table->give_local = give_local;
}
