// SPDX-License-Identifier: BSD-3-Clause
/* What the library's definitions need of a processor under OpenCL C (spl/emit/tape_opencl.h).
 * Memory is addressed as __global, whatever it is: a processor has one address space, so an address
 * of an array of another kind is one by way of an integer. Printed into programs, never compiled
 * with the library.
 *
 * Loads of vectors are volatile to stay where the codelet has them: compilers keep constants that
 * are loaded twice, and spill them. */

typedef long int64_t;
#define VEC_FN static inline __attribute__((always_inline, unused))
#define ANY_FLOAT __attribute__((aligned(4)))
#define ANY_DOUBLE __attribute__((aligned(8)))
typedef ANY_FLOAT float16 line_any;
#define BIND_ARRAY(type, array) ((__global type *)(uintptr_t)(array))
#define fetch_line(p) __builtin_prefetch(p, 0, 3)
#define __builtin_prefetch(p, w, level) __builtin_prefetch((const void *)(uintptr_t)(p), w, level)

static void copy_bytes(__global void *to, __global const void *from, size_t bytes)
{
    __global char *const t = (__global char *)to;
    __global const char *const f = (__global const char *)from;
    size_t i = 0;
    for (; i + 64 <= bytes; i += 64)
        *(__global line_any *)(t + i) = *(__global const line_any *)(f + i);
    for (; i + 4 <= bytes; i += 4)
        *(__global float *)(t + i) = *(__global const float *)(f + i);
}
#define memcpy(to, from, bytes) copy_bytes(to, from, bytes)

/* Value 0. */
static void clear_bytes(__global void *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4)
        *(__global float *)((__global char *)to + i) = 0;
}
#define memset(to, value, bytes) clear_bytes(to, bytes)

/* Non-temporal stores of whole lines; `lines` stands for the function of C that does it. */
static void cpu_lines_run(int lines, __global char *to, __global const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(float16))
        __builtin_nontemporal_store(*(__global const line_any *)(from + i),
                                    (__global float16 *)(to + i));
}

/* `scalar` stands for the function of C that scales reals of so many bytes. */
static void cpu_scale_run(int scalar, __global void *to, __global const void *from, size_t count,
                          double by)
{
    if (scalar == 4)
        for (size_t i = 0; i < count; i++)
            ((__global float *)to)[i] = (float)by * ((__global const float *)from)[i];
    else
        for (size_t i = 0; i < count; i++)
            ((__global double *)to)[i] = by * ((__global const double *)from)[i];
}
