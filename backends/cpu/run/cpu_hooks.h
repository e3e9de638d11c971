// SPDX-License-Identifier: BSD-3-Clause
/* Kernels whose sides have hooks (functions of the user, weights, other types): blocks of their
 * columns go through buffers in L1, which the hook fills from the user's array or writes to it. */
#ifndef BACKENDS_CPU_HOOKS_H
#define BACKENDS_CPU_HOOKS_H

#include <stdatomic.h>

#include "backends/backend.h"
#include "backends/cpu/run/cpu_scale.h"
#include "backends/cpu/run/cpu_weigh.h"
#include "spl/bind/bind_tape.h"
#include "spl/program/hook.h"

/* The hooks of one execution: those of IN and OUT that the program takes; NULL: none. */
typedef struct cpu_hooked {
    const prog_hook *hook[2];
    atomic_int *status; /* of the first function that failed; later ops are then skipped */
    const sluice_arrays *arrays;
    size_t transform;       /* index, in the slowest batch dimension, of the arrays' first one */
    cpu_scale_fn *scale;    /* of the program's ISA and precision */
    cpu_weigh_fn *weigh[2]; /* the side's only hook is weights, on the array itself; else NULL */
    int scalar_shift;       /* log2 of the bytes of a scalar */
    char *base[2]; /* the array's start if weigh is set, else a fake address that is not accessed */
} cpu_hooked;

/* Sets everything but the status, for one execution of a program with this tape. */
void cpu_hooks_open(cpu_hooked *h, const bind_tape *tape, const backend_hook_place takes[2],
                    const sluice_arrays *arrays);
/* Can all ops of a tape that access a side (0: IN, 1: OUT) execute its hooks? */
bool cpu_hook_fits(const bind_tape *tape, bool out);
/* Does a side of the op have hooks? */
bool cpu_hook_of(const cpu_hooked *h, const bind_op *op);
/* Runs columns lo .. hi-1 of sets first .. last-1 of a kernel. The call's pointers into sides with
 * hooks count from base. Returns the status of a function that failed. */
sluice_status cpu_hooked_columns(const cpu_hooked *h, const bind_op *op, const spl_call *call,
                                 size_t lo, size_t hi, size_t first, size_t last);

#endif
