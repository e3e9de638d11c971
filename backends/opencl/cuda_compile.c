// SPDX-License-Identifier: BSD-3-Clause
/* Kernels for NVIDIA's driver: the OpenCL C that other devices get, translated to CUDA C++. A
 * prologue of definitions does most of it; vectors in parentheses and arrays of local memory are
 * rewritten. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/cuda_driver.h"
#include "core/hash.h"
#include "core/mem.h"

static const char prologue[] =
    "#define __kernel extern \"C\" __global__\n"
    "#define __global\n"
    "#define __constant\n"
    "#define __local\n"
    "#define restrict __restrict__\n"
    "#define reqd_work_group_size(x, y, z) launch_bounds(x)\n"
    "#define CLK_LOCAL_MEM_FENCE 1\n"
    "#define CLK_GLOBAL_MEM_FENCE 2\n"
    "#define barrier(fences) __syncthreads()\n"
    "#define get_group_id(axis) ((size_t)blockIdx.x)\n"
    "#define get_num_groups(axis) ((size_t)gridDim.x)\n"
    "#define get_local_id(axis) ((size_t)threadIdx.x)\n"
    "#define get_local_size(axis) ((size_t)blockDim.x)\n"
    "#define get_global_id(axis) ((size_t)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define get_global_size(axis) ((size_t)gridDim.x * blockDim.x)\n"
    "#define as_float(bits) __uint_as_float(bits)\n"
    "#define as_uint(number) __float_as_uint(number)\n"
    "#define convert_float_rtz(number) __double2float_rz(number)\n"
    "typedef unsigned short half;\n"
    "static inline float vload_half(size_t i, const half *from)\n"
    "{ float x; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(from[i])); return x; }\n"
    "static inline void vstore_half_rte(float x, size_t i, half *to)\n"
    "{ half h; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x)); to[i] = h; }\n"
    "#define native_cos(x) __cosf(x)\n"
    "#define native_sin(x) __sinf(x)\n"
    /* A kernel gets more than 48 KB only as dynamic shared memory of a launch. A second array in a
     * kernel does not compile, since both would begin at the same address. */
    "#define local_array(type, name, count) enum { one_local_array }; \\\n"
    "    extern __shared__ double2 memory_of_group[]; type *const name = (type *)memory_of_group\n"
    "typedef unsigned int uint;\n";

uint32_t cuda_text_hash(void)
{
    return core_hash(CORE_HASH_START, prologue, sizeof prologue);
}

/* Is it an array, not a pointer? */
static bool declares_array(const char *at)
{
    const size_t length = strcspn(at, ";=*(");

    return at[length] == ';' && memchr(at, '[', length);
}

/* Prints "TYPE NAME[COUNT]" as an array of the group's; returns the length of the declaration. */
static size_t print_array(const char *at, core_text *out)
{
    const size_t type = strcspn(at, " "), name = strcspn(at, "["), count = strcspn(at, "]");

    core_text_printf(out, "local_array(%.*s, %.*s, %.*s)", (int)type, at, (int)(name - type - 1),
                     at + type + 1, (int)(count - name - 1), at + name + 1);
    return count + 1;
}

void cuda_text(const char *opencl, core_text *out)
{
    static const char array[] = "__local ";
    static const struct {
        const char *from, *to;
    } word[] = {{"(float2)(", "make_float2("}, {"(double2)(", "make_double2("}};
    enum { WORDS = sizeof word / sizeof *word };

    core_text_printf(out, "%s", prologue);
    for (const char *at = opencl; *at;) {
        int i = 0;
        while (i < WORDS && strncmp(at, word[i].from, strlen(word[i].from)) != 0)
            i++;
        if (i < WORDS) {
            core_text_printf(out, "%s", word[i].to);
            at += strlen(word[i].from);
        } else if (strncmp(at, array, sizeof array - 1) == 0
                   && declares_array(at + sizeof array - 1)) {
            at += sizeof array - 1 + print_array(at + sizeof array - 1, out);
        } else {
            core_text_add(out, at++, 1);
        }
    }
}

static void read_log(const cuda_compiler *c, cuda_program program, core_text *log)
{
    size_t length = 0;
    char *text = c->log_size(program, &length) == CUDA_OK ? core_calloc(length + 1, 1) : NULL;

    if (text && c->log(program, text) == CUDA_OK) {
        const char *error = strstr(text, "error");
        core_text_printf(log, "%s", error ? error : text);
    }
    core_free(text);
}

static char *read_binary(const cuda_compiler *c, cuda_program program, size_t *length)
{
    char *binary = c->binary_size(program, length) == CUDA_OK ? core_malloc(*length + 1) : NULL;

    if (binary && c->binary(program, binary) == CUDA_OK)
        return binary;
    core_free(binary);
    return NULL;
}

/* As OpenCL does by `FP_CONTRACT OFF`: products and sums are rounded one by one. */
char *cuda_compile(const char *opencl, const char *architecture, size_t *length, core_text *log)
{
    const cuda_compiler *c = cuda_compiler_open();
    core_text text = {0}, target = {0};
    cuda_program program = NULL;
    char *binary = NULL;

    if (!c) {
        core_text_printf(log, "neither libnvrtc was found nor kernels that were compiled before");
        return NULL;
    }
    cuda_text(opencl, &text);
    core_text_printf(&target, "--gpu-architecture=%s", architecture);
    const char *const option[] = {core_text_string(&target), "--fmad=false",
                                  "--device-as-default-execution-space"};
    enum { OPTIONS = sizeof option / sizeof *option };
    if (!text.failed && !target.failed
        && c->create(&program, core_text_string(&text), "kernels.cu", 0, NULL, NULL) == CUDA_OK) {
        if (c->compile(program, OPTIONS, option) == CUDA_OK)
            binary = read_binary(c, program, length);
        else
            read_log(c, program, log);
        (void)c->destroy(&program);
    }
    core_text_free(&text);
    core_text_free(&target);
    return binary;
}
