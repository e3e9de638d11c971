// SPDX-License-Identifier: BSD-3-Clause
/* Kernels whose sides have hooks: blocks of their columns pass through buffers in L1, which are
 * filled from the user's array, or written to it, by the hook. */
#ifndef BACKENDS_CPU_HOOKS_H
#define BACKENDS_CPU_HOOKS_H

#include <stdatomic.h>

#include "backends/backend.h"
#include "backends/cpu/run/cpu_scale.h"
#include "backends/cpu/run/cpu_weigh.h"
#include "spl/bind/bind_tape.h"
#include "spl/program/hook.h"

/* Of an execution: the hooks of IN and OUT that the program has taken, NULL: none. */
typedef struct cpu_hooked {
    const prog_hook *hook[2];
    atomic_int *status; /* of the first function that failed: nothing more is executed */
    const sluice_arrays *arrays;
    size_t transform;       /* of the slowest batch dimension that the arrays begin with */
    cpu_scale_fn *scale;    /* of the program's ISA and precision */
    cpu_weigh_fn *weigh[2]; /* a side is weighed where it lies, and nothing else; NULL: not so */
    int scalar_shift;       /* log2 of the bytes of a scalar */
    char *base[2]; /* what calls count from: then the user's array; else no pointer is followed */
} cpu_hooked;

/* Fills it in but for the status: of a program's body, for one execution. */
void cpu_hooks_open(cpu_hooked *h, const bind_tape *tape, const backend_hook_place takes[2],
                    const sluice_arrays *arrays);
/* Can the ops of a tape that reach a side, 0: IN, 1: OUT, do what its hooks say? */
bool cpu_hook_fits(const bind_tape *tape, bool out);
/* Does a side of the op have hooks? */
bool cpu_hook_of(const cpu_hooked *h, const bind_op *op);
/* Columns lo .. hi-1 of sets first .. last-1 of a kernel; the call's pointers into sides with hooks
 * count from base. The status of a function that failed. */
sluice_status cpu_hooked_columns(const cpu_hooked *h, const bind_op *op, const spl_call *call,
                                 size_t lo, size_t hi, size_t first, size_t last);

#endif
