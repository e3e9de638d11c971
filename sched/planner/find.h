// SPDX-License-Identifier: BSD-3-Clause
/* Which trees there are for a transform in its place. */
#ifndef SCHED_FIND_H
#define SCHED_FIND_H

#include "sched/planner/stockham.h"

/* A transform and its position in the problem. All else that its price depends on (precision,
 * lanes, formats of the sides, caches, transfer mode) is in the target. */
typedef struct sched_place {
    spl_kind kind;
    spl_type type;             /* of the elements that it reads */
    int64_t n, columns, batch; /* points, transforms adjacent in memory, one after another */
    /* Of the latter those that one loop has inside all others, in every plan of the problem and of
     * one of its batch; 0: all. */
    int64_t rows;
    int64_t before; /* of the latter those of the dimension before; 1: there is none */
    bool outermost; /* no axis is before it, .. */
    bool one_batch; /* .. and at most one dimension of a batch */
    bool twiddled;  /* its last stage multiplies by a diagonal that follows */
    bool rows_in;   /* what stores its input may store rows in any order */
    bool rows_out;  /* what reads its output may read rows in any order */
    /* BACKEND_ROWS_IN, _OUT: two stages may transpose, so that nothing is moved */
    backend_use pair;
    backend_use turned;  /* BACKEND_ROWS_IN, _OUT: it must be one codelet, which transposes */
    bool as_columns;     /* its rows may be columns (rows_columns.c), .. */
    bool interleaved[2]; /* .. which those of reals are on these sides */
    bool split;          /* .. and are written to a split side */
    bool ends;           /* columns that are rows before and after: rows_transposed.c */
    int64_t strided;     /* it must be one codelet, of one column at a time, in so many calls */
} sched_place;

/* The type of the elements that a factor reads if it leaves this one. */
static inline spl_type sched_type_before(const spl *factor, spl_type left)
{
    return factor->from != SPL_TYPE_ANY ? factor->from : left;
}

/* Does a transform act on re and im of complex numbers alike? */
static inline bool sched_is_real_matrix(spl_kind kind)
{
    return spl_transform_of(kind)->from == SPL_TYPE_ANY;
}

/* May real kinds without a codelet be computed as columns: rows in blocks, sums of two? By cores,
 * which move rows by vectors; not in plans that are the same everywhere. */
bool sched_may_have_columns(const sched_target *t);
/* Does the codelet of a transform compute rows side by side, in lanes? */
bool sched_has_lanes(const sched_target *t, spl_kind kind, int64_t n);
/* Are vectors of several transforms at this place, which are a codelet each? */
bool sched_fills_lanes(const sched_target *t, const sched_place *at);
/* Candidates for a place, cheapest first. If no rule applies: none if the target allows that, else
 * the context fails. */
void sched_find(sched_target *t, const sched_place *place, sched_list *out);
/* Adds those by rules of the group SPL_PLANNED. */
void sched_find_by_rules(const sched_target *t, const sched_place *place, sched_list *out);

#endif
