// SPDX-License-Identifier: BSD-3-Clause
/* Measures the costs of memory and of calls on a unit. */
#ifndef BACKENDS_CPU_TUNE_UNIT_H
#define BACKENDS_CPU_TUNE_UNIT_H

#include "backends/cpu/cost/cpu_cost.h"

/* The side of a codelet that stays in L1: its rows, the lines of a row, bytes from row to row, and
 * bytes of all. The second half of these is for output, at other page offsets than the rows of the
 * input, because stores delay loads with the same offset (4K aliasing). Twiddles follow. */
enum {
    CPU_CACHED_ROWS = 16,
    CPU_CACHED_LINES = 8,
    CPU_CACHED_ROW = (CPU_CACHED_LINES + 1) * PRICE_LINE,
    CPU_CACHED_BYTES = 64 << 10,
    CPU_CACHED_OUT = CPU_CACHED_BYTES / 2 + 4 * PRICE_LINE
};

/* ---- calls (cpu_tune_calls.c) ---- */
enum { CPU_CALL_KINDS = 6, CPU_WHOLE = 6 };

typedef struct cpu_calls {
    const spl_codelet *codelet;
    const spl_codelet *whole[CPU_WHOLE]; /* short transforms in registers; NULL: none */
    char *cached;
    /* Minima of all rounds in picoseconds; of whole transforms: independent, and each waiting for
     * the one before. */
    double least[CPU_CALL_KINDS], apart[CPU_WHOLE], waiting[CPU_WHOLE];
} cpu_calls;

/* `codelet` has CPU_CACHED_ROWS rows and one twiddle per row. */
void cpu_calls_open(cpu_calls *calls, const cpu_state *owner, const spl_codelet *codelet,
                    char *cached);
/* Measures another round; sets the figures of calls, waits, sets, tails and short rows. */
void cpu_calls_measure(cpu_calls *calls, double *figure);

/* ---- the whole (cpu_tune_unit.c) ---- */
enum { CPU_BENCH_ROUNDS = 7 };
typedef struct cpu_bench cpu_bench;

/* *out must be closed, whatever the status is; NULL allowed. */
sluice_status cpu_bench_open(cpu_bench **out, const cpu_state *b, sluice_diag *why);
void cpu_bench_close(cpu_bench *t);
/* Measures one round, of at most CPU_BENCH_ROUNDS; takes about half a second. */
void cpu_bench_measure(cpu_bench *t);
/* Fills in the PRICE_FIGURES, as `measure` of backend.h does, with the medians of all rounds. */
void cpu_bench_result(cpu_bench *t, double *figure);

#endif
