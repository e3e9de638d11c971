// SPDX-License-Identifier: BSD-3-Clause
/* Inside lowering: the program as a tree of statements, before it becomes the flat array of
 * program.h. The passes run in this order:
 *   lower.c          formula -> tree, one buffer for each interface between factors
 *   prog_coalesce.c  loops around one kernel split until addresses are linear, fused, reordered
 *   lower_bufs.c     lifetimes, offsets in the arenas
 *   lower_sync.c     barriers; the array
 * Everything lies in the context's arena. */
#ifndef SPL_LOWER_H
#define SPL_LOWER_H

#include "spl/program.h"

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

/* Appends a zeroed statement; NULL: out of memory (recorded). */
low_node *low_add(low *l, prog_op op);
/* A new inner buffer; -1: out of memory (recorded). */
int low_buf_new(low *l, int64_t elems);
/* Elements of its arena that a buffer takes. */
int64_t low_extent(const prog_buf *b);
void low_coalesce(low *l);
/* Positions, has_par, lifetimes, copies, offsets and arena sizes. */
void low_place(low *l);
/* Barriers, then the flat array. */
void low_flatten(low *l);

#endif
