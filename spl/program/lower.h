// SPDX-License-Identifier: BSD-3-Clause
/* Inside lowering: the program as a tree of statements, before it becomes the flat array of
 * program.h. The passes run in this order:
 *   lower.c          formula -> tree, a buffer between factors; lower_place.c: which factors may
 *                    read and write one buffer
 *   lower_pad.c      gaps in buffers whose rows would share cache sets
 *   lower_split.c    loops around several statements split until addresses are linear
 *   prog_coalesce.c  loops around one kernel split until addresses are linear, fused, reordered
 *   lower_bufs.c     lifetimes, offsets in the arenas
 *   lower_sync.c     barriers; the array
 * Everything lies in the context's arena. */
#ifndef SPL_LOWER_H
#define SPL_LOWER_H

#include "spl/program/program.h"

typedef struct low_node low_node;
struct low_node {
    prog_stmt s;
    low_node *kid; /* LOOP: first statement of the body */
    low_node *next;
    size_t pos, end; /* in program order, without barriers; numbered by low_place */
};

/* Where a buffer lives: statements [lo, hi) by position. */
typedef struct low_life {
    size_t lo, hi;
} low_life;

typedef struct low {
    spl_ctx *ctx;
    prog *p;
    low_node *root; /* a loop that is not in the program; its body is the program */
    low_node *at;   /* the loop whose body grows */
    low_node *tail; /* the last statement of that body; NULL: empty */
    int buf_room;
    bool in_par;
    low_life *life; /* of each buffer */
} low;

/* A stage of a product: kids [lo, hi) = scatters [lo, diag), diagonals [diag, core), then the
 * kernel or loop if has_core, then gathers [gath, hi). */
typedef struct low_stage {
    int lo, diag, core, gath, hi;
    bool has_core;
} low_stage;

/* The stage that ends before kid hi, cut from right to left; lo == hi where there is none. */
low_stage low_stage_cut(const spl *const *kid, int hi);
/* May x run where its input, seen through fin, and its output, through fout, are one place? */
bool low_in_place(spl_ctx *ctx, const spl *x, const ix *fin, const ix *fout);
/* The index functions of a kernel or transfer: its addresses, its twiddles. Returns how many. */
enum { LOW_FUNCTIONS = 2 + PROG_MAX_TWIDDLES };
int low_functions(prog_stmt *s, const ix **f[LOW_FUNCTIONS]);
/* The smallest boundary between digits of a loop's variable in f at which the loop may be split; 0:
 * none. alone: nothing else in its PAR loop counts on how its iterations are dealt. */
int64_t low_boundary(const ix *f, const spl_range *r, bool alone);
/* Who keeps the shares of r when it is split at d: the outer loop, in units of its own where the
 * grain allows or where it is long enough to be dealt anew; else the inner one. */
void low_deal(const spl_range *r, int64_t d, spl_range *outer, spl_range *inner);
/* The statement inside the perfect nest that begins at x; NULL: x begins none. */
low_node *low_nest_leaf(low_node *x);
/* Appends a zeroed statement; NULL: out of memory (recorded). */
low_node *low_add(low *l, prog_op op);
/* A new inner buffer; -1: out of memory (recorded). */
int low_buf_new(low *l, int64_t elems);
/* Elements of its arena that a buffer takes. */
int64_t low_extent(const prog_buf *b);
void low_pad(low *l);
void low_split(low *l);
void low_coalesce(low *l);
/* Positions, has_par, lifetimes, copies, offsets and arena sizes. */
void low_place(low *l);
/* Barriers, then the flat array. */
void low_flatten(low *l);

#endif
