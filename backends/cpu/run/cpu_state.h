// SPDX-License-Identifier: BSD-3-Clause
/* The CPU backend's state, its programs, and what runs them. */
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
    bind_target target; /* of the above */
    bind_target alike;  /* the same for reproducible plans */
    const cpu_pool_table *pool_table;
    cpu_pool *pool;
    cpu_scratch *small, *large; /* for work up to, and beyond, local_store * units */
    backend_transfers transfers;
    cpu_helpers *helpers; /* NULL: not requested */
    bool always_teams;    /* SLUICE_TEAMS */
    const core_log *log;
    const spl_codelet **kernel; /* by the numbers of cpu_tuning */
    int kernels;
} cpu_state;

/* The one codelet call of a program without a tape, beside what each execution reads. */
typedef struct cpu_direct {
    spl_codelet_fn *run;
    size_t count;
    spl_call call; /* complete but for the pointers */
    struct {       /* around it, the inner one first */
        int64_t times;
        ptrdiff_t in, out; /* bytes to the next iteration, of the outer loop from the inner's end */
    } loop[2];
} cpu_direct;

typedef struct cpu_program {
    struct backend_program base; /* first */
    cpu_direct direct;
    cpu_state *owner;
    bind_tape tape;
    cpu_scratch *scratch; /* for executions without work of the caller's */
    size_t copied;        /* bytes of a program that only copies */
    cpu_scale_fn *scale;  /* of one call: of so many scalars, all that it leaves */
    size_t scaled;
    bool has_weights; /* a list whose calls weigh, and nothing else is left to hooks */
    bool alone;       /* by one member, whatever the team */
} cpu_program;

/* ---- planning (cpu_prepare.c) ---- */
sluice_status cpu_sketch(backend *b, const double *costs, const prog *body,
                         backend_transfer_mode mode, sluice_precision precision,
                         backend_program **out, sluice_diag *why);
sluice_status cpu_prepare(backend *b, const double *costs, const prog *body,
                          backend_transfer_mode mode, sluice_precision precision,
                          backend_program **out, sluice_diag *why);
void cpu_release(backend_program *program);

/* ---- execution ---- */
backend_run cpu_run_any;
backend_run cpu_run_arrays;             /* one codelet call on the user's pointers as they are */
backend_run_pair cpu_run_direct;        /* the same if there are two */
backend_run_pair cpu_run_whole;         /* .. and it is one transform in registers */
backend_run_pair cpu_run_repeated;      /* .. and one or two loops are around it */
backend_run_pair cpu_run_direct_scaled; /* .. and its results are scaled */
backend_run cpu_run_weighed_arrays;     /* .. by its codelet that weighs, of two */
backend_run_pair cpu_run_weighed;
backend_run cpu_run_copy_arrays; /* a program that only copies */
backend_run_pair cpu_run_copy;   /* the same if there are two pointers */
sluice_status cpu_run_timed(const backend_program *program, const sluice_arrays *arrays,
                            double *seconds);

/* One kernel by evaluated addresses; pointers to the buffers' first elements, as for codelets. */
typedef struct cpu_re_im {
    char *re, *im;
    ptrdiff_t unit; /* scalars per element */
} cpu_re_im;
void cpu_eval(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
              cpu_re_im out);
/* Columns and rows, each from [0] to [1]-1, of a MOVE; reads pointers and strides of the call. */
void cpu_move(const cpu_program *p, const bind_op *op, const spl_call *call,
              const int64_t columns[2], const int64_t rows[2]);
/* The same of real numbers that become re, im 0. */
void cpu_embed(const cpu_program *p, const bind_op *op, const spl_call *call,
               const int64_t columns[2], const int64_t rows[2]);
/* The same of real numbers times the op's factor. */
void cpu_move_scaled(const cpu_program *p, const bind_op *op, const spl_call *call,
                     const int64_t columns[2], const int64_t rows[2]);
/* Zeros at the addresses of an op's statement. */
void cpu_zero(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im out);

#endif
