// SPDX-License-Identifier: BSD-3-Clause
/* The tape: a program bound to codelets, flat, with addresses that step by loop counters or digits
 * of them. What a target runs, and what is printed as C. */
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
    BIND_KERN, /* a codelet over its columns                           */
    BIND_EVAL, /* a kernel whose addresses are evaluated element by element */
    BIND_MOVE, /* single elements, at strides or by tables of places; perhaps scaled  */
    BIND_ZERO, /* zeros in an inner buffer                             */
    BIND_COPY, /* a get or a put                                       */
    BIND_SYNC
} bind_opcode;

/* Loop variable -> address, in scalars: by the variable itself, or by one digit of it. */
typedef struct bind_step {
    int var;
    int64_t div, ext; /* (var div div) mod ext; ext 0: the variable itself */
    ptrdiff_t in, out, tw;
    ptrdiff_t is, os; /* strides of rows: row 1 of a pass runs backwards */
} bind_step;

/* What a MOVE does with an element. */
typedef enum bind_moved {
    BIND_MOVED_WHOLE = 0, /* a complex number, re and im side by side on both sides */
    BIND_MOVED_PARTS,     /* first all re, then all im */
    BIND_MOVED_CONJUGATE, /* the same, im with its sign changed */
    BIND_MOVED_RE,        /* a real number; re alone of a complex one */
    BIND_MOVED_EMBED      /* a real number becomes re, im becomes 0 */
} bind_moved;

/* What addresses are relative to: the user's arrays, the program's scratch, the member's own. */
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

/* Prefetching is this many calls ahead. */
enum { BIND_PREFETCH_DISTANCE = 3 };
/* Kernels in a nest of loops with constant steps, and their steps in all of these. */
enum { BIND_MAX_STEPPED = 24, BIND_MAX_NEST_STEPS = 72 };
enum { BIND_MAX_STEPS = 32, BIND_MAX_BUFS = 64, BIND_MAX_WHOLE = 512 };

/* What an op has to do with transfers that helpers have in flight (bind_overlap.c). */
typedef struct bind_async {
    bool is_asynchronous;         /* COPY: a helper may execute it while the member goes on */
    bool may_prefetch;            /* COPY: that of the enclosing loop's next iteration may be in
                                     flight meanwhile */
    size_t enclosing_loop;        /* COPY: the op of that loop */
    bool waits_for_output_buffer; /* KERN, EVAL, ZERO: a put may still read where it writes */
    bool waits_for_puts;          /* all puts are to be done before; LOOP: after */
    int parity_var;      /* loop variable whose parity selects the copy of the buffer: that an
                                     asynchronous COPY fills or empties, or that the op writes;
                                     -1: there is one copy */
    int first_copy_step; /* from this one on, steps lead from copy to copy */
} bind_async;

typedef struct bind_op {
    bind_opcode op;
    size_t end;              /* LOOP: one past its body */
    bool par;                /* LOOP: its iterations are distributed to the members */
    bool has_par;            /* LOOP: itself or one inside is PAR */
    int var;                 /* LOOP; MOVE: the loop that it takes over, IX_INDEX: its own rows */
    spl_range range;         /* LOOP */
    bool of_columns;         /* LOOP: over blocks of the columns of the kernel inside */
    bool has_constant_steps; /* LOOP: around kernels of the same columns each time, and loops of
                                these, alone: step[k] moves the addresses of kernel k inside
                                (bind_steps.c) */
    const prog_stmt *stmt;   /* KERN, EVAL, MOVE, ZERO, COPY */
    const prog_stmt *before; /* KERN: the statement that its codelet runs first; NULL: none */
    int in, out;             /* KERN, EVAL, MOVE, ZERO, COPY: buffers */
    spl_diagonal *diagonal[PROG_MAX_TWIDDLES]; /* EVAL: of its twiddles */
    const spl_codelet *codelet;                /* KERN, EVAL of a transform */
    const spl_codelet *codelet_nt;      /* the same with non-temporal stores; NULL: not here */
    bool several_keep;                  /* .. but not where several members execute it */
    const spl_codelet *codelet_weighed; /* .. weighing the user's input; NULL: no hook, or none */
    bind_scaling scaling;               /* KERN: what no table of its scales */
    bool output_is_final;               /* KERN: it exceeds the caches, and nothing reads it */
    spl_call call;                      /* KERN: complete but for the pointers */
    bool swap;           /* split compute, inverse: re and im change places on both sides */
    ptrdiff_t in_offset; /* constant, in scalars */
    ptrdiff_t out_offset;
    ptrdiff_t in_im, out_im; /* scalars from re to im in a buffer of reals */
    bool mirrored[2];        /* of input and output: loops move im as they move row 1 */
    bind_base base[4];       /* of in_re, in_im, out_re, out_im: with offset and swap */
    int64_t run;             /* ZERO: elements that are adjacent; EVAL: that step evenly */
    int columns; /* EVAL of a matrix of reals: on so many columns, 2 are re and im; 0: of others */
    bind_moved moved;            /* MOVE */
    bool scales;                 /* MOVE: of reals, every one times .. */
    double factor;               /* .. this */
    int32_t *element_offsets[2]; /* MOVE: where each element is read and written, in ics and ocs;
                                    NULL: in order */
    size_t fixed_count; /* KERN: always this many whole columns (or rows) in one call; 0: not so */
    /* .. and then so many of the last vector of columns, which starts early: by that step, or, of
     * products, at that column; 0: no columns are left. */
    size_t last_count, last_first;
    bind_step last;
    const spl_codelet *last_codelet;
    const spl_codelet *shorter[BIND_WIDTHS]; /* those of tail.shorter, NULL: none */
    /* Columns of one call, 0: all, while prefetch_bytes are prefetched: of what a later call reads,
     * or, prefetch_offset bytes on, of what op prefetch_op reads: 0, in this iteration of the
     * enclosing loop, else in its next one. */
    size_t prefetch_columns, prefetch_bytes, prefetch_op;
    ptrdiff_t prefetch_offset;
    ptrdiff_t prefetch_step; /* from what a call prefetches to what the next one does */
    bool prefetch_apart;     /* as many bytes of im */
    bool in_block; /* LOOP: scratch lies in the block of its results (bind_slices_output.c) */
    struct bind_slices *slices; /* LOOP: transfers meanwhile, owned; NULL: none (bind_slices.h) */
    /* KERN: columns, or sets, of one call, with a slice after each; 0: none */
    size_t slice_columns;
    bool prefetch_next_set; /* fixed_count: rows of the next twiddle set are prefetched meanwhile */
    bool prefetch_to_l2;
    ptrdiff_t next_iteration_bytes; /* from the first set to the next iteration's first one */
    int nsteps;
    bind_step step[BIND_MAX_STEPS];
    spl_range cols;     /* the loop over columns */
    spl_range rows;     /* broadcast twiddles: the loop over sets of them */
    bind_tail tail;     /* of its columns */
    bind_table *table;  /* owns call.tw; NULL: none */
    bind_table *grid;   /* owns call.grid; NULL: none */
    ptrdiff_t *offsets; /* G: owns call.in_off, call.out_off */
    prog_move packets;  /* COPY */
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
    size_t shared_bytes, local_bytes, work_bytes; /* scratch: once, of a member, of all */
} bind_tape;

/* Does a program that all its members execute store an op's whole lines non-temporally? */
static inline bool bind_stores_lines(const bind_tape *tape, const bind_op *op)
{
    return op->codelet_nt && !(op->several_keep && tape->members > 1);
}
/* From now on several members are taken to execute it always. */
void bind_keep_outputs(bind_tape *tape);
/* Sizes of buffers and scratch; then the ops. `costs` and `body` are kept, not owned. After either,
 * whatever it returned, bind_release. */
sluice_status bind_open(bind_tape *tape, const bind_target *target, const double *costs,
                        const prog *body, sluice_precision precision, bool may_overlap,
                        sluice_diag *why);
sluice_status bind_program(bind_tape *tape, sluice_diag *why);
void bind_release(bind_tape *tape);
/* The placement level: what each kernel became, in tape order. */
void bind_print(const bind_tape *tape, core_text *out);
/* The name of what statement `stmt` became. */
void bind_name_stage(const bind_tape *tape, size_t stmt, core_text *out);

/* The op after op i, and after its body if it is a loop. */
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

/* How far a step moves im. */
static inline ptrdiff_t bind_im_step(const bind_op *op, const bind_step *step, bool out)
{
    return out ? step->out + (op->mirrored[1] ? step->os : 0)
               : step->in + (op->mirrored[0] ? step->is : 0);
}

/* Adds to the step of the same digit, or as a new one; false if all steps are taken. */
bool bind_add_step(bind_op *op, const bind_step *step);
/* How far one iteration of loop `var` moves the addresses of an op; false if not always by the
 * same. */
bool bind_uniform_step(const bind_op *op, int var, bind_step *out);
/* The same where addresses also move by `turn` from even iterations and back from odd ones. */
bool bind_steps_and_turns(const bind_op *op, int var, bind_step *step, bind_step *turn);

size_t bind_permutation_bytes(const bind_op *op); /* of a MOVE's tables */

#endif
