// SPDX-License-Identifier: BSD-3-Clause
/* Figures of the planner's search: what its closed forms of single stages cost besides codelets,
 * whose cycles the unit's table gives. They only order and prune candidates; what is chosen is
 * decided by prices of whole programs (sched/plan/plan_price.c, spl/price), which are measured on
 * the unit by `sluice tune` or modelled from its caches. So there is one table for all units. */
#ifndef SCHED_SEARCH_FIGURES_H
#define SCHED_SEARCH_FIGURES_H

#include <stdint.h>

/* Cycles of a nominal 3 GHz clock unless another unit is given. Rows that evict each other cost
 * `..._rows` in units of (bytes of a point / 32) cycles, for each point. Index [far]: 0 in L2, 1
 * beyond. */
typedef struct sched_search_figures {
    /* calls and vectors (stage_price.c, padding.c) */
    double call;           /* a call of a codelet: its start, its results, its successor's wait */
    double strided_call;   /* a call on single columns, whose results wait for each other */
    double set;            /* a set of columns inside a call */
    double tail, tail_row; /* the call for columns left over; each row of vectors cut short */
    double straddled_row;  /* a row of vectors across two lines */
    double transposed_vector; /* a vector that a first stage transposes */
    double padded_row;        /* a row of a vector that goes through buffers */
    double shorter_call;      /* a call of shorter vectors for the columns left over */
    double paired_vectors;    /* two vectors of a stage of pairs */
    double padded_pair;       /* the same of two partial vectors, through a small buffer */
    double single_pair;       /* a number in complex-linear pairs without columns (cosines.md) */
    /* memory (stage_price.c) */
    double memory_set;          /* a set of a tile's rows that come from memory */
    double memory_l2s;          /* data of more L2s than this are in memory */
    double nt_store_l2s;        /* results of more L2s than this are stored non-temporally */
    double tile_rows_growth[2]; /* for each doubling of a tile's rows: in caches, in memory */
    int64_t tile_rows_free;     /* rows of a tile that cost nothing more */
    double tile_first_rows, tile_last_rows, tile_rows; /* rows of tiles shorter than long runs */
    double tile_evicted_rows; /* a first tile whose rows share sets; twice that in memory */
    double evicted_rows;      /* a stage beyond L2 whose rows share sets */
    double row_rows;          /* a later stage of a single transform beyond L2 */
    double matrix_factor;     /* of all of these along the columns of a matrix in memory */
    /* rows that share sets of L1 (rows_price.c) */
    double last_evicted, last_evicted_more; /* a last stage in L2; for each further share of ways */
    double written_evicted;                 /* a middle stage that writes such rows */
    double last_piece;     /* pieces of a line, as a multiple of the last stage's */
    double piece;          /* pieces of a line in other stages */
    double burst;          /* a last stage with more rows than half the buffer */
    double far_evicted[2]; /* rows of a batch: beyond L2, in memory */
    double far_l2s;        /* batches of more L2s than this are in memory */
    /* stages in other orders (rows_last.c, order.c) */
    double rows_last_vector;    /* twiddles as vectors and rows transposed as they are read */
    double rows_last_buffer[2]; /* the additional buffer; if its rows miss L1 */
    double moved_alone;         /* factor of moves of one transform at a time */
    double moved_wait;          /* until elements stored one by one can be loaded as a vector */
    /* transforms of reals (find_rules.c); in calls unless named cycles */
    int copied_row;       /* a copy of a row */
    int stored_row;       /* from moves one by one until the codelet can load vectors */
    double factor_row;    /* cycles of a call for a row of factors, besides vectors (reals.md) */
    double shared_calls;  /* calls of pairs and a codelet that short rows share, .. */
    double shared_cycles; /* .. and the cycles that stay */
    /* points of one transform that several workers share: out of place, in place (formula.c) */
    int64_t parallel_points[2];
    /* convolutions (bluestein.c) */
    double copied_vector;       /* a copy stage over one vector, besides memory */
    double bytes_moved[2];      /* bytes that move in a cycle [far] */
    double strided_element[2];  /* an element read or written at a stride [far] */
    double page;                /* another page, beyond L2 */
    double permuted_element[3]; /* an element at random: in L1, in L2, beyond */
    double zero_frequency;      /* the 2x2 block of the zero frequency (rule dft-rader) */
    double cached_blocks;       /* factor of blocks inside L2, which save nothing and share sets */
    double l2_of_block;         /* share of L2 besides the tables of transforms and spectrum */
} sched_search_figures;

extern const sched_search_figures sched_search;

#endif
