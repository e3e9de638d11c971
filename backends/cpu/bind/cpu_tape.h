// SPDX-License-Identifier: BSD-3-Clause
/* The tape: a program bound to codelets, flat, with addresses that step by loop counters or digits
 * of them. */
#ifndef BACKENDS_CPU_TAPE_H
#define BACKENDS_CPU_TAPE_H

#include "backends/backend.h"
#include "backends/cpu/bind/cpu_table.h"
#include "backends/cpu/run/cpu_fetch.h"
#include "backends/cpu/run/cpu_packets.h"
#include "backends/cpu/run/cpu_scratch.h"
#include "spl/codelet/codelet.h"
#include "spl/formula/diagonal.h"

typedef enum cpu_opcode {
    CPU_LOOP = 0,
    CPU_KERN, /* a codelet over its columns                                            */
    CPU_EVAL, /* a kernel whose addresses are evaluated element by element (cpu_eval.c) */
    CPU_MOVE, /* a permutation of single elements, by tables (cpu_move.c)              */
    CPU_ZERO, /* zeros in an inner buffer (cpu_eval.c)                                 */
    CPU_COPY, /* a get or a put                                                        */
    CPU_SYNC
} cpu_opcode;

/* A loop's range: 0..n-1, or the share_var-th of `shares` shares of it. */
typedef struct cpu_range {
    int64_t n;
    int share_var; /* -1: whole */
    int64_t shares, grain;
} cpu_range;

/* Loop variable -> address, in scalars: by the variable itself, or by one digit of it. */
typedef struct cpu_step {
    int var;
    int64_t div, ext; /* (var div div) mod ext; ext 0: the variable itself */
    ptrdiff_t in, out, tw;
} cpu_step;

/* What addresses begin in: the user's arrays, the program's scratch, the member's own. */
typedef enum cpu_arena {
    CPU_ARENA_IN = 0,
    CPU_ARENA_IN_IM,
    CPU_ARENA_OUT,
    CPU_ARENA_OUT_IM,
    CPU_ARENA_SHARED,
    CPU_ARENA_LOCAL,
    CPU_ARENAS
} cpu_arena;

typedef struct cpu_begin {
    cpu_arena arena;
    ptrdiff_t bytes;
} cpu_begin;

/* Batches beyond so many local stores outgrow the caches, and so do data read in tiles of so short
 * rows. */
enum { CPU_FAR_STORES = 4, CPU_TILE_STORES = 8, CPU_TILE_BYTES = 1024, CPU_PAGE_BYTES = 4096 };
/* So much is prefetched during a call, for the one so many calls later. */
enum { CPU_AHEAD_BYTES = 1024, CPU_AHEAD_CALLS = 3 };
enum { CPU_MAX_STEPS = 32, CPU_MAX_BUFS = 64, CPU_MAX_WHOLE = 512 };

/* What an op has to do with transfers that helpers have under way (cpu_overlap.c). */
typedef struct cpu_part {
    bool hands;    /* COPY: a helper may do it while the member goes on */
    bool early;    /* COPY: that of the next turn of the loop around may be under way meanwhile */
    size_t around; /* COPY: the op of that loop */
    bool waits;    /* KERN, EVAL, ZERO: a put may still read where it writes */
    bool drains;   /* all puts are to be done before; LOOP: after */
    int turn;      /* COPY that hands: loop variable whose parity tells the copy; `waits`: of the
                      buffer it writes; -1: there is one copy */
    int steps;     /* from this one on they lead from copy to copy */
} cpu_part;

typedef struct cpu_op {
    cpu_opcode op;
    size_t end;      /* LOOP: one past its body */
    bool par;        /* LOOP: its iterations are dealt to the members */
    bool has_par;    /* LOOP: itself or one inside is PAR */
    int var;         /* LOOP; MOVE: the loop that it takes over */
    cpu_range range; /* LOOP */
    bool strip;      /* LOOP: around one steady kernel, whose addresses move by step[0] a turn */
    const prog_stmt *stmt;                     /* KERN, EVAL, MOVE, ZERO, COPY */
    int in, out;                               /* KERN, EVAL, MOVE, ZERO, COPY: buffers */
    spl_diagonal *diagonal[PROG_MAX_TWIDDLES]; /* EVAL: of its twiddles */
    /* KERN: `call` is complete but for the pointers */
    const spl_codelet *codelet;
    const spl_codelet *codelet_nt; /* the same, storing past the caches; NULL: not here */
    spl_call call;
    bool swap;               /* split compute, inverse: re and im change places on both sides */
    ptrdiff_t in_at, out_at; /* constant offsets */
    cpu_begin begin[4];      /* of in_re, in_im, out_re, out_im: with offset and swap */
    int64_t run;             /* ZERO: elements that are adjacent; EVAL: that step evenly */
    int32_t *place[2];       /* MOVE: where each element is read and written; NULL: in order */
    size_t steady;           /* always so many whole columns (or rows): one call; 0: not so.
                                EVAL that is all of a program and copies: bytes */
    /* Columns of one call, 0: all, while so many bytes are prefetched: of what a later call
     * reads, or of what op `next` reads in the next turn of the loop around both, so many bytes
     * on. */
    size_t ahead, ahead_bytes, next, next_bytes;
    bool sets;      /* steady: rows of the next set of twiddles are prefetched meanwhile */
    bool far;       /* from memory */
    ptrdiff_t turn; /* bytes from the first set to the first one of the next turn */
    int nsteps;
    cpu_step step[CPU_MAX_STEPS];
    cpu_range cols;      /* the loop over columns */
    cpu_range rows;      /* broadcast twiddles: the loop over sets of them */
    cpu_tail tail;       /* of its columns */
    cpu_table *table;    /* owns call.tw; NULL: none */
    cpu_table *grid;     /* owns call.grid; NULL: none */
    ptrdiff_t *offsets;  /* G: owns call.in_off, call.out_off */
    cpu_packets packets; /* COPY */
    cpu_part dma;
} cpu_op;

typedef struct cpu_buf {
    prog_space space;
    spl_format format;
    size_t offset; /* bytes from the start of its arena */
    ptrdiff_t im;  /* scalars from re to im; IN, OUT split: not used */
} cpu_buf;

typedef struct cpu_state cpu_state; /* cpu_backend.h */

typedef struct cpu_program {
    struct backend_program base; /* first */
    cpu_state *owner;
    const double *costs; /* of kernels, see backend.h */
    const prog *body;
    sluice_precision precision;
    backend_way way;
    size_t scalar; /* bytes */
    int nbufs;
    cpu_buf buf[CPU_MAX_BUFS];
    size_t nops;
    cpu_op *op;
    int members;  /* threads at most */
    bool syncs;   /* members wait for each other */
    bool streams; /* some op stores past the caches */
    bool helped;  /* some transfers may be handed over */
    bool is_list; /* kernels and zeros one after the other and nothing else */
    size_t shared_bytes, local_bytes, work_bytes;
    cpu_scratch *scratch; /* where the library takes work from */
} cpu_program;

/* ---- planning ---- */
sluice_status cpu_prepare(backend *b, const double *costs, const prog *body, backend_way way,
                          sluice_precision precision, backend_program **out, sluice_diag *why);
void cpu_release(backend_program *program);

/* A nest of loops around one kernel, outermost first; `outer` loops are open around the nest. */
typedef struct cpu_nest {
    const prog_stmt *kern;
    int count;
    const prog_stmt *loop[IX_MAX_VARS];
    int outer_count;
    const prog_stmt *outer[IX_MAX_VARS];
} cpu_nest;

cpu_range cpu_range_of(const spl_range *range);
/* Chooses codelet and loops for a nest and fills `op` (cpu_select.c). taken[i] is set for the loops
 * that the op absorbs. Without linear addresses the op becomes EVAL and absorbs none. */
sluice_status cpu_select(cpu_program *p, const cpu_nest *nest, cpu_op *op, bool *taken,
                         sluice_diag *why);
/* A get or put inside the nest's outer loops as an op: packets, or EVAL (cpu_select.c). */
sluice_status cpu_select_transfer(cpu_program *p, const cpu_nest *nest, cpu_op *op,
                                  sluice_diag *why);
/* An op whose statement stands inside `outer` loops, opened by the ops `loop`: copies of buffers in
 * rotation, and what it has to wait for. False: too many steps. (cpu_overlap.c) */
bool cpu_overlap(cpu_program *p, cpu_op *op, int outer, const prog_stmt *const *open,
                 const size_t *loop);
/* Are puts to be done when this loop ends? What follows may use the memory of its buffers. */
bool cpu_overlap_ends(const cpu_program *p, const prog_stmt *loop);
/* All codelets of an ISA and a precision; the last one has no name. */
const spl_codelet *cpu_codelets(core_isa isa, int precision);
/* The codelet of a key (name and counts aside), or NULL. */
const spl_codelet *cpu_codelet_find(const spl_key *key);
/* Complex lanes per vector of an ISA: interleaved, or twice as many split. */
int cpu_lanes(core_isa isa, sluice_precision precision, spl_format format);

void cpu_print(const backend_program *program, core_text *out);
sluice_status cpu_emit(const backend_program *program, backend_source *out, sluice_diag *why);
backend_cost cpu_estimate(const backend_program *program); /* cpu_cost.c */

/* ---- execution ---- */
backend_run cpu_run_any;
backend_run cpu_run_arrays;      /* one steady kernel on the user's pointers as they are */
backend_run_pair cpu_run_direct; /* the same where they are two */
backend_run cpu_run_copy_arrays; /* all that there is to do is to copy */
backend_run_pair cpu_run_copy;

/* One kernel by evaluated addresses; pointers as for codelets, of the buffers' first elements. */
typedef struct cpu_place {
    char *re, *im;
    ptrdiff_t unit; /* scalars per element */
} cpu_place;
void cpu_eval(const cpu_program *p, const cpu_op *op, const int64_t *vars, cpu_place in,
              cpu_place out);
/* The codelet that it does so with. */
const spl_codelet *cpu_eval_codelet(const cpu_program *p, const prog_stmt *s);
size_t cpu_move_bytes(const cpu_op *op); /* of a MOVE's tables */
/* Elements lo .. hi-1 of a MOVE; of the call pointers and strides around are read. */
void cpu_move(const cpu_program *p, const cpu_op *op, const spl_call *call, int64_t lo, int64_t hi);
/* Zeros at the addresses of an op's statement. */
void cpu_zero(const cpu_program *p, const cpu_op *op, const int64_t *vars, cpu_place out);

#endif
