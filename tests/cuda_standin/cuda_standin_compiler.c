// SPDX-License-Identifier: BSD-3-Clause
/* Stands for NVIDIA's compiler at run time: machine code is the text. */
#define _GNU_SOURCE /* strdup */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/cuda_driver.h"
#include "tests/cuda_standin/cuda_standin_inside.h"

int nvrtcCreateProgram(cuda_program *out, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name)
{
    const int code = standin_call();
    if (!name || headers != 0 || header || header_name || code != CUDA_OK)
        return code ? code : WRONG;
    *out = (cuda_program)strdup(text);
    standin_made(1);
    return CUDA_OK;
}

int nvrtcCompileProgram(cuda_program program, int options, const char *const *option)
{
    const bool right = program && options == 3 && strcmp(option[0], "--gpu-architecture=sm_80") == 0
                       && strcmp(option[1], "--fmad=false") == 0;
    return right ? standin_call() : WRONG;
}

int nvrtcGetCUBINSize(cuda_program program, size_t *out)
{
    *out = strlen((const char *)program) + 1;
    return standin_call();
}

int nvrtcGetCUBIN(cuda_program program, char *out)
{
    memcpy(out, program, strlen((const char *)program) + 1);
    return standin_call();
}

int nvrtcGetProgramLogSize(cuda_program program, size_t *out)
{
    *out = program ? sizeof "error: it was to fail" : 0;
    return CUDA_OK;
}

int nvrtcGetProgramLog(cuda_program program, char *out)
{
    memcpy(out, "error: it was to fail", sizeof "error: it was to fail");
    return program ? CUDA_OK : WRONG;
}

int nvrtcDestroyProgram(cuda_program *program)
{
    standin_made(-1);
    free(*program);
    *program = NULL;
    return CUDA_OK;
}
