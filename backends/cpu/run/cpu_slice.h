// SPDX-License-Identifier: BSD-3-Clause
/* Transfers in slices (spl/bind/bind_slices.h): moves data while a block is computed. */
#ifndef BACKENDS_CPU_SLICE_H
#define BACKENDS_CPU_SLICE_H

#include "backends/cpu/run/cpu_tail.h"
#include "core/cpu.h"

#ifdef __x86_64__
#define CPU_USES(instructions) __attribute__((target(instructions)))
#else
#define CPU_USES(instructions)
#endif

/* Stores whole lines non-temporally: `to` and `bytes` are multiples of a line. */
typedef void cpu_lines_fn(char *to, const char *from, size_t bytes);
void cpu_lines_scalar(char *to, const char *from, size_t bytes);
void cpu_lines_vec128(char *to, const char *from, size_t bytes);
void cpu_lines_avx2(char *to, const char *from, size_t bytes) CPU_USES("avx2");
void cpu_lines_avx512(char *to, const char *from, size_t bytes) CPU_USES("avx512f");
static inline void cpu_lines_run(cpu_lines_fn *lines, char *to, const char *from, size_t bytes)
{
    lines(to, from, bytes);
}
extern cpu_lines_fn *const cpu_lines[CORE_ISA_COUNT];

typedef struct cpu_slices {
    size_t get_slice, put_slice;
    cpu_lines_fn *lines;
    const char *get;  /* where the next prefetch begins */
    size_t get_left;  /* bytes of the block still to be prefetched */
    const char *from; /* where the next copy begins, and where it goes */
    char *to;
    size_t put_left;
} cpu_slices;

/* Starts prefetching the block of `bytes` at `get`. */
void cpu_slices_get(cpu_slices *s, const char *get, size_t bytes);
/* Stores what is left of the previous block, and starts copying `bytes` from `from` to `to`. */
void cpu_slices_put(cpu_slices *s, char *to, const char *from, size_t bytes);
/* Stores all that is left. */
void cpu_slices_end(cpu_slices *s);
/* cpu_columns with a slice after every `columns` sets of broadcast twiddles or, if there is only
 * one set, after every `columns` columns. */
void cpu_slice_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call, size_t columns,
                       size_t lo, size_t hi, size_t first, size_t last, cpu_slices *s);

#endif
