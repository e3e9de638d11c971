// SPDX-License-Identifier: BSD-3-Clause
/* The CPU backend's state, its programs (a tape and how to start it), and the functions that run
 * them. */
#ifndef BACKENDS_CPU_STATE_H
#define BACKENDS_CPU_STATE_H

#include "backends/backend.h"
#include "backends/cpu/run/cpu_dma.h"
#include "backends/cpu/run/cpu_scale.h"
#include "backends/cpu/run/cpu_scratch.h"
#include "backends/cpu/threads/cpu_pool.h"
#include "spl/bind/bind_tape.h"

typedef struct cpu_state {
    const backend_table *table;
    core_topology *topology;
    core_isa isa;
    int units;
    size_t local_store;
    bind_target target; /* what the fields above give */
    bind_target alike;  /* the same for reproducible plans */
    const cpu_pool_table *pool_table;
    cpu_pool *pool;
    cpu_scratch *small, *large; /* for work up to, and beyond, local_store * units */
    backend_transfers transfers;
    cpu_helpers *helpers; /* NULL: not requested */
    bool always_teams;    /* SLUICE_TEAMS */
    const core_log *log;
    const spl_codelet **kernel; /* codelets by their numbers in cpu_tuning */
    int kernels;
} cpu_state;

/* The one codelet call of a program that needs no tape, apart from what each execution reads. */
typedef struct cpu_direct {
    spl_codelet_fn *run;
    size_t count;
    spl_call call; /* complete but for the pointers */
    struct {       /* enclosing loops, the inner one first */
        int64_t times;
        ptrdiff_t in, out; /* bytes to the next iteration; outer loop: from the end of the inner */
    } loop[2];
} cpu_direct;

typedef struct cpu_program {
    struct backend_program base; /* first */
    cpu_direct direct;
    cpu_state *owner;
    bind_tape tape;
    cpu_scratch *scratch; /* for executions whose caller brings no work area */
    size_t copied;        /* bytes, if the program only copies */
    cpu_scale_fn *scale;  /* scales the results of the one call, `scaled` adjacent scalars */
    size_t scaled;
    bool has_weights; /* a list whose calls weigh; nothing else is left to hooks */
    bool alone;       /* one member executes it, whatever the team's size */
} cpu_program;

backend_run cpu_run_any;                /* executes the tape */
backend_run cpu_run_arrays;             /* one codelet call on the user's pointers */
backend_run_pair cpu_run_direct;        /* the same with one pointer per side */
backend_run_pair cpu_run_whole;         /* .. of one transform in registers */
backend_run_pair cpu_run_repeated;      /* .. inside one or two loops */
backend_run_pair cpu_run_direct_scaled; /* .. followed by scaling the results */
backend_run cpu_run_weighed_arrays;     /* .. by the codelet that weighs its input */
backend_run_pair cpu_run_weighed;
backend_run cpu_run_copy_arrays; /* a program that only copies */
backend_run_pair cpu_run_copy;   /* the same with one pointer per side */
sluice_status cpu_run_timed(const backend_program *program, const sluice_arrays *arrays,
                            double *seconds);

/* One side of a kernel with evaluated addresses: pointers to the buffer's first element. */
typedef struct cpu_re_im {
    char *re, *im;
    ptrdiff_t unit; /* scalars per element */
} cpu_re_im;
/* Runs a kernel, evaluating its addresses. */
void cpu_eval(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
              cpu_re_im out);
/* Moves columns columns[0] .. columns[1]-1 of rows rows[0] .. rows[1]-1 of a MOVE. Of the call only
 * pointers and strides are read. */
void cpu_move(const cpu_program *p, const bind_op *op, const spl_call *call,
              const int64_t columns[2], const int64_t rows[2]);
/* The same for real numbers that become complex with im 0. */
void cpu_embed(const cpu_program *p, const bind_op *op, const spl_call *call,
               const int64_t columns[2], const int64_t rows[2]);
/* The same for real numbers that are multiplied by the op's factor. */
void cpu_move_scaled(const cpu_program *p, const bind_op *op, const spl_call *call,
                     const int64_t columns[2], const int64_t rows[2]);
/* Clears the elements that an op's statement addresses. */
void cpu_zero(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im out);

#endif
