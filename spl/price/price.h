// SPDX-License-Identifier: BSD-3-Clause
/* What a program costs on a unit, in seconds: the one price of stages.
 *
 * A stage is arithmetic and the movement of lines of 64 bytes. Where each access finds its lines
 * follows from the program alone (reuse.c); what a line costs from there is the unit's, measured or
 * modelled (price.c). Neither depends on workers: a program is priced as one unit runs it. */
#ifndef SPL_PRICE_H
#define SPL_PRICE_H

#include "spl/program/program.h"

enum { PRICE_LINE = 64, PRICE_PAGE = 4096, PRICE_MAX_SLICES = 8, PRICE_WAIT_ROWS = 8 };

/* A cache: sets of so many lines; no ways: not known, and lines never evict others of their set. */
typedef struct price_sets {
    int64_t ways, sets;
} price_sets;

/* ---- what the backend chose ---- */
typedef enum price_table {
    PRICE_TABLE_NONE = 0,
    PRICE_TABLE_ELEMENTS, /* an entry for each element: read as the data are */
    PRICE_TABLE_ROWS,     /* one for each row */
    PRICE_TABLE_FACTORS   /* small ones that are multiplied */
} price_table;

/* For the results of the call before, in the first step: of the first call, whose arrays the
 * execution before has written where a program is in place, or of each, which reads what another
 * one has stored in the same iteration. */
typedef enum price_waits { PRICE_WAITS_NOT = 0, PRICE_WAITS_FIRST, PRICE_WAITS_EACH } price_waits;

/* How a statement is executed. A step is what the kernel's code does at a time: `lanes` columns. */
typedef struct price_binding {
    bool runs;      /* false: a loop, a SYNC */
    int columns;    /* the variable of the loop over columns; -1: one column */
    int rows;       /* of the loop over sets of rows inside a call; -1: none */
    bool together;  /* .. whose iterations take no time beside what they move */
    int64_t lanes;  /* columns of a step */
    double step;    /* seconds of a step whose data are all in L1 */
    double scaling; /* seconds of a call that scales its results, more */
    price_table table;
    double table_bytes;
    bool non_temporal;   /* its stores bypass the caches */
    bool fetched_ahead;  /* kernels before it prefetch the lines that it reads */
    bool ahead_in_l2;    /* the lines that the next calls read are fetched into L2, not into L1 */
    int slices;          /* number of the loop that moves its data in slices, from 1; 0: none */
    bool gets, puts;     /* .. what it reads, what it writes */
    int64_t padded_sets; /* whose last steps, not full, go through a buffer together; 0: none do */
    bool transforms;     /* a step is whole transforms: one in each lane, or */
    bool whole;          /* .. a single one, whose lines are touched out of order */
    price_waits waits;
} price_binding;

/* A loop that moves data in slices between calls of codelets, while they compute. */
typedef struct price_slices {
    double calls;                /* in a run */
    double get_burst, put_burst; /* bytes that are fetched, and stored, between two calls */
    double near; /* bytes that an iteration touches, buffers between memory and kernels included */
} price_slices;

typedef struct price_program {
    const prog *body;
    const price_binding *binding; /* by statement */
    int nslices;
    const price_slices *slices; /* by number - 1 */
    const bool *split;          /* by buffer: re and im lie apart */
    price_sets l1, l2;          /* whose lines evict others; no ways: unknown */
    size_t scalar;              /* bytes */
} price_program;

/* ---- where lines come from (reuse.c) ---- */
typedef enum price_side { PRICE_READ = 0, PRICE_WRITE, PRICE_TABLE } price_side;

/* Lines that a statement touches in a whole run, each last touched so many bytes of other data
 * before. */
typedef struct price_entry {
    size_t stmt;
    price_side side;
    double lines;
    double distance; /* bytes touched since */
    double run;      /* bytes of a row without a gap */
    double part;     /* .. of a step */
    bool streamed;   /* one row a step, of at least a page */
    bool pieces;     /* several rows a step */
    bool mirrored;   /* .. which run towards each other */
    bool rewritten;  /* the statement writes them where it read them */
    bool whole;      /* all in one row of a step, out of order */
    int64_t rows;    /* rows of a step, `stride` bytes apart */
    int64_t stride;
} price_entry;

/* What a statement does in a whole run, memory aside. */
typedef struct price_work {
    double steps, calls, sets; /* sets: iterations of the loop over rows inside calls */
    double tail_rows;   /* of last steps that are shorter or start early, for all sets of a call */
    double short_rows;  /* .. that go through a buffer, */
    double short_steps; /* so often */
    double split_lines; /* lines touched beyond those of aligned rows */
} price_work;

typedef struct price_reuse {
    price_work *work; /* by statement */
    size_t count;
    price_entry *entry; /* in the order of statements */
} price_reuse;

/* False: out of memory. Freed by its owner. */
bool price_reuse_find(price_reuse *out, const price_program *program);
void price_reuse_free(price_reuse *reuse);

/* ---- what they cost (price.c) ---- */
/* A unit: sizes in bytes, times in picoseconds, of lines beyond what they cost in the first
 * level. */
typedef enum price_figure {
    PRICE_L1 = 0, /* what a level holds of a program's data before half of it is gone */
    PRICE_L2,
    PRICE_L3,
    PRICE_READ_L2, /* a line from that level */
    PRICE_READ_L3,
    PRICE_READ_MEMORY,
    PRICE_WRITE_L2, /* a line read and written back */
    PRICE_WRITE_L3,
    PRICE_WRITE_MEMORY,
    PRICE_PAST,      /* a line stored non-temporally */
    PRICE_PAST_ROWS, /* .. more, of several rows a step */
    PRICE_JUMP_L3,   /* a line of short runs, more */
    PRICE_JUMP_MEMORY,
    PRICE_CLASH_REWRITE, /* a line of rows that share cache sets, more: 32 rewritten in place */
    PRICE_CLASH_READ,    /* .. 32 read in whole lines */
    PRICE_CLASH_WRITE,   /* .. written, or read in pieces */
    PRICE_CALL,
    PRICE_WAIT, /* a step of PRICE_WAIT_ROWS rows or more that reads what the one before stored */
    PRICE_SET,
    PRICE_TAIL,
    PRICE_SHORT_ROW,
    PRICE_SPLIT_LINE,
    PRICE_FIGURES
} price_figure;

extern const char *const price_figure_names[PRICE_FIGURES]; /* "l1" .. */

/* The figures of a unit that was not measured, from its vectors, whether it says that it computes
 * longer ones in parts, its L1 and the bytes of other caches (0: none, unknown). */
void price_model(double figure[PRICE_FIGURES], size_t vector, bool parts, price_sets l1, size_t l2,
                 size_t l3);
/* Of an L1 of so many bytes and lines a set (0: unknown). */
price_sets price_sets_of(size_t bytes, size_t ways);

/* The share of lines at a distance that a level of so many bytes has lost. */
double price_beyond(double bytes, double distance, price_figure level);
/* What a line of such a run costs, in prices of a jump; level 0: L2, 1: L3, 2: memory. */
double price_jumps(int level, double run);

/* What codelets that were not measured cost of the cycles that were counted; elements whose
 * addresses are evaluated, and such that are moved by tables, in seconds; an execution. */
extern const double price_counted, price_evaluated, price_moved, price_execution;

/* Seconds until what was stored in another shape than it is loaded in, which the processor still
 * holds, has reached L1: single elements that are loaded as vectors, or the reverse. */
extern const double price_stored;

/* Single elements that are moved at strides, in seconds; rows of them that become columns, by
 * vectors, and of those of 16 bytes; rows as they are. */
extern const double price_moved_evenly, price_transposed, price_transposed_wide, price_moved_rows;
/* Those and rows times so much if they are pairs of re and im that vectors do not transpose. */
extern const double price_moved_numbers;

typedef struct price_stage {
    size_t stmt;
    double cpu, memory; /* seconds; together what the stage takes */
} price_stage;

/* stage[i] of statement i, zero if it does not run; false: out of memory. */
bool price_of(price_stage *stage, const price_program *program, const double *figure);

#endif
