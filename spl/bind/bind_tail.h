// SPDX-License-Identifier: BSD-3-Clause
/* Columns that do not fill a vector: what is needed to run them in shorter vectors, or in a whole
 * one that begins early or is padded. */
#ifndef SPL_BIND_TAIL_H
#define SPL_BIND_TAIL_H

#include "spl/codelet/codelet.h"

enum { BIND_MAX_ROWS = 64, BIND_WIDTHS = 2 };

/* A codelet with the same bits and shorter vectors. */
typedef struct bind_width {
    spl_codelet_fn *run;
    int lanes; /* 0: none */
} bind_width;

/* Describes a codelet and the loop over columns that it runs. */
typedef struct bind_tail {
    spl_codelet_fn *run;
    int n, outputs, lanes;  /* rows read and written */
    int unit;               /* adjacent scalars of a result; at position P, a row of the plane */
    spl_format in, out;     /* formats in memory */
    bool rows_in, rows_out; /* rows are adjacent there, not columns */
    bool pairs; /* row 1 has column strides of its own, and steps back from set to set */
    spl_tw tw;
    bool sets; /* `count` of the codelet counts sets, each of call->set_columns columns */
    bool may_start_early; /* the last vector, as in and out never overlap */
    bool repeats;         /* the codelet takes any number of columns, from one vector on */
    size_t columns;       /* of the whole loop */
    size_t block;         /* scalars of the table per vector of columns, or per set of twiddles */
    size_t scalar;        /* bytes */
    bind_width shorter[BIND_WIDTHS]; /* for columns that are left over, the longest first */
} bind_tail;

/* Does the last vector of pairs in place start early, although it overlaps whole vectors? It would
 * read what these wrote, so it is computed before them, into a buffer. (For transforms this takes
 * as long as computing the columns that are left over by themselves.) */
static inline bool bind_goes_first(const bind_tail *t, size_t columns)
{
    return t->pairs && t->sets && !t->may_start_early && columns > (size_t)t->lanes
           && columns % (size_t)t->lanes != 0 && t->in == SPL_INTER && t->out == SPL_INTER;
}

/* Columns that do not fill a vector are copied through small buffers of this many bytes. Several
 * sets share a buffer, so that the stores of single elements have reached the cache before whole
 * vectors load them. Sets of pairs and of mirrored sides are copied one at a time. */
enum { BIND_SMALL_BYTES = BIND_MAX_ROWS * 16 * 2 * (int)sizeof(double) };

static inline size_t bind_padded_bytes(const bind_tail *t)
{
    return (size_t)((t->n + t->outputs) * t->lanes) * 2 * t->scalar;
}

static inline size_t bind_padded_sets(const bind_tail *t)
{
    const bool alone = t->pairs || t->in == SPL_MIRROR || t->out == SPL_MIRROR;
    const size_t room = BIND_SMALL_BYTES / 4 / bind_padded_bytes(t);

    return alone || room == 0 ? 1 : room;
}

/* Results that are multiplied in place, piece by piece as they are computed. */
typedef struct bind_scaling {
    double by;
    int rows;     /* the first this many of every column; 0: none */
    size_t piece; /* columns of a piece, or sets of twiddles */
} bind_scaling;

/* OpenCL C has no pointers to functions and several address spaces, so that programs printed in it
 * define these two themselves (spl/emit/tape_opencl.h). */
static inline void bind_run(spl_codelet_fn *run, const spl_call *call, size_t first, size_t count)
{
    run(call, first, count);
}
#define BIND_ARRAY(type, array) (array)

#endif
