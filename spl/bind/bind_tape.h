// SPDX-License-Identifier: BSD-3-Clause
/* The tape: a program bound to codelets, as a flat list of ops (bind_op). Addresses are offsets
 * that step with loop counters, or with digits of them. A backend runs the tape (backends/cpu/run),
 * and spl/emit prints it as C. */
#ifndef SPL_BIND_TAPE_H
#define SPL_BIND_TAPE_H

#include "core/text.h"
#include "spl/bind/bind_tail.h"
#include "spl/bind/bind_target.h"
#include "spl/formula/diagonal.h"
#include "spl/program/move.h"
#include "spl/program/program.h"

typedef enum bind_opcode {
    BIND_LOOP = 0,
    BIND_KERN, /* calls a codelet on its columns                       */
    BIND_EVAL, /* a kernel whose addresses are evaluated element by element */
    BIND_MOVE, /* moves single elements, by strides or tables of offsets; may scale them */
    BIND_ZERO, /* zeros in an intermediate buffer                      */
    BIND_COPY, /* a transfer: get or put                               */
    BIND_SYNC
} bind_opcode;

/* How a loop variable, or one digit of it, moves the addresses of an op: scalars per unit of it. */
typedef struct bind_step {
    int var;
    int64_t div, ext; /* the digit (var div div) mod ext; ext 0: the variable itself */
    ptrdiff_t in, out, tw;
    ptrdiff_t is, os; /* added to the strides of rows: row 1 of pairs runs backwards */
} bind_step;

/* What a MOVE does with an element. */
typedef enum bind_moved {
    BIND_MOVED_WHOLE = 0, /* a complex number, re and im side by side on both sides */
    BIND_MOVED_PARTS,     /* a complex number, re and im at separate addresses */
    BIND_MOVED_CONJUGATE, /* the same, im with its sign changed */
    BIND_MOVED_RE,        /* a real number; re alone of a complex one */
    BIND_MOVED_EMBED      /* a real number becomes re, im becomes 0 */
} bind_moved;

/* What addresses are relative to: the user's arrays, shared scratch, or the member's scratch. */
typedef enum bind_arena {
    BIND_ARENA_IN = 0,
    BIND_ARENA_IN_IM,
    BIND_ARENA_OUT,
    BIND_ARENA_OUT_IM,
    BIND_ARENA_SHARED,
    BIND_ARENA_LOCAL,
    BIND_ARENAS
} bind_arena;

typedef struct bind_base {
    bind_arena arena;
    ptrdiff_t bytes;
} bind_base;

/* Prefetches are issued this many calls ahead. */
enum { BIND_PREFETCH_DISTANCE = 3 };
/* Limits of a nest of loops with constant steps: its kernels, and their steps in all its loops. */
enum { BIND_MAX_STEPPED = 24, BIND_MAX_NEST_STEPS = 72 };
enum { BIND_MAX_STEPS = 32, BIND_MAX_BUFS = 64, BIND_MAX_WHOLE = 512 };

/* How an op depends on transfers that helpers execute asynchronously (bind_overlap.c). */
typedef struct bind_async {
    bool is_asynchronous;         /* COPY: a helper may execute it while the member goes on */
    bool may_prefetch;            /* COPY: may be posted one iteration of the enclosing loop
                                     early */
    size_t enclosing_loop;        /* COPY: the op of that loop */
    bool waits_for_output_buffer; /* KERN, EVAL, ZERO: a put may still read where it writes */
    bool waits_for_puts;          /* all puts must be done before it; LOOP: after it */
    int parity_var;      /* loop variable whose parity selects the copy of the buffer that an
                                     asynchronous COPY fills or empties, or that the op writes;
                                     -1: there is one copy */
    int first_copy_step; /* the steps from this one on lead from copy to copy */
} bind_async;

typedef struct bind_op {
    bind_opcode op;
    size_t end;              /* LOOP: one past its body */
    bool par;                /* LOOP: its iterations are distributed to the members */
    bool has_par;            /* LOOP: itself or one inside is PAR */
    int var;                 /* LOOP; MOVE: the loop that it takes over, or IX_INDEX: rows */
    spl_range range;         /* LOOP */
    bool of_columns;         /* LOOP: over blocks of the columns of the kernel inside */
    bool has_constant_steps; /* LOOP: holds only kernels of a fixed number of columns, and loops of
                                such: step[k] moves the addresses of kernel k inside
                                (bind_steps.c) */
    const prog_stmt *stmt;   /* KERN, EVAL, MOVE, ZERO, COPY */
    const prog_stmt *before; /* KERN: the statement that its codelet runs first; NULL: none */
    int in, out;             /* KERN, EVAL, MOVE, ZERO, COPY: buffers */
    spl_diagonal *diagonal[PROG_MAX_TWIDDLES]; /* EVAL: of its twiddles */
    const spl_codelet *codelet;                /* KERN, EVAL of a transform */
    const spl_codelet *codelet_nt;      /* the same with non-temporal stores; NULL: not used */
    bool nt_needs_one_member;           /* .. and not used if several members execute the op */
    const spl_codelet *codelet_weighed; /* .. that weighs the input; NULL: no hook, or none */
    bind_scaling scaling;               /* KERN: results that no table scales */
    bool output_is_final;               /* KERN: its output exceeds the caches and is not read */
    spl_call call;                      /* KERN: complete but for the pointers */
    bool swap;           /* split compute, inverse: re and im are exchanged on both sides */
    ptrdiff_t in_offset; /* constant, in scalars */
    ptrdiff_t out_offset;
    ptrdiff_t in_im, out_im; /* scalars from re to im in a buffer of reals */
    bool mirrored[2];        /* input, output: loops move im as they move row 1 */
    bind_base base[4];       /* of in_re, in_im, out_re, out_im, after offset and swap */
    int64_t run;             /* ZERO: adjacent elements; EVAL: elements with one stride */
    int columns;      /* EVAL of a real matrix: its columns, 2: re and im; 0: another kernel */
    bind_moved moved; /* MOVE */
    bool scales;      /* MOVE: of reals, each multiplied by .. */
    double factor;    /* .. this */
    int32_t *element_offsets[2]; /* MOVE: of each element on the input and on the output, in units
                                    of ics and ocs; NULL: in order */
    size_t fixed_count; /* KERN: whole columns (or sets) of its one call; 0: the count varies */
    /* .. followed by a call of last_codelet for the last_count columns (or sets) that are left over
     * (0: none). Its vector may start early: at the first column moved by `last`, or, with factored
     * twiddles, at column last_first. */
    size_t last_count, last_first;
    bind_step last;
    const spl_codelet *last_codelet;
    const spl_codelet *shorter[BIND_WIDTHS]; /* the codelets of tail.shorter; NULL: none */
    /* Each call computes prefetch_columns columns (0: all) and prefetches prefetch_bytes:
     * prefetch_op 0: of what a later call of this op reads. Else of what op prefetch_op reads,
     * prefetch_offset bytes further on (0: in this iteration of the enclosing loop). */
    size_t prefetch_columns, prefetch_bytes, prefetch_op;
    ptrdiff_t prefetch_offset;
    ptrdiff_t prefetch_step; /* from what a call prefetches to what the next one does */
    bool prefetch_apart;     /* as many bytes of im are prefetched as well */
    bool in_block; /* LOOP: scratch lies in the block of its results (bind_slices_output.c) */
    struct bind_slices *slices; /* LOOP: transfers in slices, owned; NULL: none (bind_slices.h) */
    /* KERN: columns, or sets, of one call, with a slice after each call; 0: none */
    size_t slice_columns;
    bool prefetch_next_set; /* fixed_count: prefetches the rows of the next twiddle set */
    bool prefetch_to_l2;
    ptrdiff_t next_iteration_bytes; /* from the first set to the first one of the next iteration */
    int nsteps;
    bind_step step[BIND_MAX_STEPS];
    spl_range cols;           /* the loop over columns */
    spl_range outer;          /* the loop outside it: over sets of columns; MOVE: over rows */
    bind_tail tail;           /* how columns that do not fill a vector run */
    bind_table *table;        /* owns call.tw; NULL: none */
    bind_table *shared_table; /* owns call.tw_shared; NULL: none */
    ptrdiff_t *offsets;       /* G: owns call.in_off, call.out_off */
    prog_move packets;        /* COPY */
    bind_async async;
} bind_op;

typedef struct bind_buf {
    prog_space space;
    spl_format format;
    size_t offset; /* bytes from the start of its arena */
    ptrdiff_t im;  /* scalars from re to im; IN, OUT split: not used */
} bind_buf;

typedef struct bind_tape {
    const bind_target *target;
    const double *costs; /* see bind_target.cycles */
    const prog *body;
    sluice_precision precision;
    size_t scalar; /* bytes */
    int nbufs;
    bind_buf buf[BIND_MAX_BUFS];
    size_t nops;
    bind_op *op;
    int members;        /* threads at most */
    bool may_overlap;   /* helpers may execute transfers */
    bool sketch;        /* to be priced, not run: tables have no data (set after bind_open) */
    bool syncs;         /* members wait for each other */
    bool has_nt_stores; /* a store fence is needed */
    bool has_async;     /* some transfers may be asynchronous */
    bool is_list;       /* kernels, moves and zeros one after the other and nothing else */
    size_t shared_bytes, local_bytes, work_bytes; /* scratch: shared, per member, in all */
} bind_tape;

/* Bytes of the op's twiddles. */
static inline size_t bind_tables_bytes(const bind_op *op)
{
    return (op->table ? op->table->bytes : 0) + (op->shared_table ? op->shared_table->bytes : 0);
}
/* Does the op store whole lines non-temporally if all members of the program execute it? */
static inline bool bind_stores_lines(const bind_tape *tape, const bind_op *op)
{
    return op->codelet_nt && !(op->nt_needs_one_member && tape->members > 1);
}
/* Assumes from now on that several members execute the program. */
void bind_assume_several_members(bind_tape *tape);
/* bind_open sets the sizes of buffers and scratch, bind_program makes the ops. `costs` and `body`
 * are kept, not owned. Call bind_release after either, whatever it returned. */
sluice_status bind_open(bind_tape *tape, const bind_target *target, const double *costs,
                        const prog *body, sluice_precision precision, bool may_overlap,
                        sluice_diag *why);
sluice_status bind_program(bind_tape *tape, sluice_diag *why);
void bind_release(bind_tape *tape);
/* The placement level: what each kernel became, in tape order. */
void bind_print(const bind_tape *tape, core_text *out);
/* The name of the codelet, or what else statement `stmt` became. */
void bind_name_stage(const bind_tape *tape, size_t stmt, core_text *out);

/* The op after op i; after the end of its body if op i is a loop. */
static inline size_t bind_next_op(const bind_tape *tape, size_t i)
{
    return tape->op[i].op == BIND_LOOP ? tape->op[i].end : i + 1;
}

/* Bytes of a buffer's elements. */
static inline size_t bind_buffer_bytes(const bind_tape *p, int buffer)
{
    const prog_buf *b = &p->body->buf[buffer];

    return (size_t)(b->elems * prog_scalars(b)) * p->scalar;
}

/* How far a step moves im, in scalars. */
static inline ptrdiff_t bind_im_step(const bind_op *op, const bind_step *step, bool out)
{
    return out ? step->out + (op->mirrored[1] ? step->os : 0)
               : step->in + (op->mirrored[0] ? step->is : 0);
}

/* Adds to the step of the same digit, or appends a new one; false if all steps are taken. */
bool bind_add_step(bind_op *op, const bind_step *step);
/* How far one iteration of loop `var` moves an op's addresses; false if the distance varies. */
bool bind_uniform_step(const bind_op *op, int var, bind_step *out);
/* The same for addresses that also move by `turn` after even iterations and back after odd ones. */
bool bind_alternating_steps(const bind_op *op, int var, bind_step *step, bind_step *turn);

size_t bind_permutation_bytes(const bind_op *op); /* of a MOVE's tables */

#endif
