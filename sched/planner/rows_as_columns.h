// SPDX-License-Identifier: BSD-3-Clause
/* Rows of real matrices computed as columns: rows_as_columns.c. */
#ifndef SCHED_ROWS_AS_COLUMNS_H
#define SCHED_ROWS_AS_COLUMNS_H

#include "sched/planner/expand.h"
#include "sched/planner/find.h"
#include "sched/planner/shape.h"

/* An axis of rows: its n points, its tree as columns (NULL: one point), and the edges that are
 * weighted on sides 0 = in, 1 = out (NULL: none). */
typedef struct sched_column_axis {
    spl_kind kind;
    int64_t n;
    const sched_tree *tree;
    const spl *edges[2];
} sched_column_axis;

/* How rows are computed as columns. */
typedef struct sched_columns {
    int axes;
    spl_type type;                           /* of the elements of several axes */
    sched_column_axis axis[SLUICE_MAX_RANK]; /* the slowest first                             */
    int64_t lanes, most;                     /* columns of a vector; rows of a block at most */
    int64_t n[2];                            /* elements of a row on sides 0 = in, 1 = out     */
    int64_t runs[2];                         /* runs of equal stride in a row; 0: a row is one */
    bool interleaved[2];                     /* rows of these sides are columns of the array */
    bool pairs_rows;                         /* pairs of reals are complex numbers            */
} sched_columns;

/* Columns in a vector. Two columns of reals can be the re and im of a complex number. */
int64_t sched_columns_lanes(const sched_target *t, spl_type type);
/* The number of these rows of a place in a block: whole vectors, at least one if that fits L2; 0:
 * none. */
int64_t sched_columns_rows(const sched_target *t, const sched_place *at, int64_t rows);
/* Prices of a block: of its moves, and of folds that are stages of their own. */
double sched_columns_moves(const bool *interleaved, int64_t points);
double sched_columns_folds(const sched_target *t, const sched_place *at, const sched_tree *x,
                           int64_t b);
/* I_rows (x) A, distributed to the parts if `distribute`. */
const spl *sched_columns_expand(const sched_target *t, const sched_columns *x, int64_t rows,
                                bool distribute);

/* Adds the trees that compute the rows of a place as columns. */
void sched_rows_columns_find(const sched_target *t, const sched_place *at, sched_list *out);
/* I_rows (x) A, dimension i of the shape, by such a tree, with its edges; distributed to the parts
 * if `distribute`. */
const spl *sched_rows_columns_expand(const sched_target *t, const sched_shape *s, int i,
                                     const sched_tree *x, int64_t rows, bool distribute);

#endif
