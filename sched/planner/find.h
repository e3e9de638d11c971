// SPDX-License-Identifier: BSD-3-Clause
/* The candidate trees for a transform in its place. */
#ifndef SCHED_FIND_H
#define SCHED_FIND_H

#include "sched/planner/stockham.h"

/* A transform and its position in the problem. Everything else that its price depends on
 * (precision, lanes, formats of the sides, caches, transfer mode) is in the target. */
typedef struct sched_place {
    spl_kind kind;
    spl_type type; /* of the elements that it reads */
    /* points; transforms adjacent in memory ("columns"); transforms one after another ("rows") */
    int64_t n, columns, batch;
    /* Rows in the innermost loop: the same number in every plan of the whole batch and of a single
     * transform of it. 0: all rows. */
    int64_t rows;
    int64_t before; /* rows along the dimension directly before this one; 1: there is none */
    bool outermost; /* no axis is before this one */
    bool one_batch; /* outermost, and at most one dimension of a batch */
    bool twiddled;  /* its last stage multiplies by a diagonal that follows */
    bool rows_in;   /* the stage that stores its input may store rows in any order */
    bool rows_out;  /* the stage that reads its output may read rows in any order */
    /* BACKEND_ROWS_IN, _OUT: two stages may transpose, so that no elements are moved */
    backend_use transposing_stages;
    /* BACKEND_ROWS_IN, _OUT: it must be one codelet, which transposes */
    backend_use transposing_codelet;
    bool as_columns;      /* its rows may be computed as columns (rows_as_columns.c) */
    bool interleaved[2];  /* as_columns: the rows of reals are interleaved on these sides */
    bool split;           /* as_columns: the results go to a split side */
    bool rows_transposed; /* columns that are rows before and afterwards: rows_transposed.c */
    /* above 0: it must be one codelet, of one column at a time, in this many calls */
    int64_t strided;
} sched_place;

/* The type of the elements that a factor reads if the next one to its left reads type `left`. */
static inline spl_type sched_type_before(const spl *factor, spl_type left)
{
    return factor->from != SPL_TYPE_ANY ? factor->from : left;
}

/* Does a transform act on re and im of complex numbers alike? */
static inline bool sched_is_real_matrix(spl_kind kind)
{
    return spl_transform_of(kind)->from == SPL_TYPE_ANY;
}

/* May real kinds without a codelet be computed as columns: as rows in blocks, or as sums of two
 * transforms? Only by cores, which move rows with vectors, and not in plans that are the same
 * everywhere. */
bool sched_may_have_columns(const sched_target *t);
/* Does the codelet of a transform compute several rows at a time, one in each lane? */
bool sched_has_lanes(const sched_target *t, spl_kind kind, int64_t n);
/* Does this place have vectors of several transforms, each of which is a codelet? */
bool sched_fills_lanes(const sched_target *t, const sched_place *at);
/* Candidates for a place, cheapest first. If no rule applies, the list is empty if the target
 * allows that; otherwise the context fails. */
void sched_find_trees(const sched_target *t, const sched_place *place, sched_list *out);
/* Adds candidates by the rules of the group SPL_PLANNED. */
void sched_find_by_rules(const sched_target *t, const sched_place *place, sched_list *out);

#endif
