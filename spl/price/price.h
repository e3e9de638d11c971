// SPDX-License-Identifier: BSD-3-Clause
/* What a program costs on a unit, in seconds: the sum of the prices of its stages.
 *
 * A stage takes time for arithmetic and for moving lines of 64 bytes. Where each access finds its
 * lines follows from the program alone (reuse.c); what a line costs from there is a property of the
 * unit, measured or modelled (model.c). Neither depends on the number of workers: a program is
 * priced as one unit runs it. */
#ifndef SPL_PRICE_H
#define SPL_PRICE_H

#include "spl/program/program.h"

enum { PRICE_LINE = 64, PRICE_PAGE = 4096, PRICE_MAX_SLICES = 8, PRICE_WAIT_ROWS = 8 };

/* A cache: `sets` sets of `ways` lines. ways 0: unknown; lines then never evict each other. */
typedef struct price_sets {
    int64_t ways, sets;
} price_sets;

/* ---- what the backend chose ---- */
typedef enum price_table {
    PRICE_TABLE_NONE = 0,
    PRICE_TABLE_ELEMENTS, /* an entry per element: read as the data are */
    PRICE_TABLE_ROWS,     /* an entry per row */
    PRICE_TABLE_FACTORS   /* small tables whose entries are multiplied */
} price_table;

/* Does the first step of a call wait for results of an earlier call? FIRST: only in the program's
 * first stage, which in place reads what the previous execution wrote. EACH: in every call, because
 * it reads what another call stored in the same iteration. */
typedef enum price_waits { PRICE_WAITS_NOT = 0, PRICE_WAITS_FIRST, PRICE_WAITS_EACH } price_waits;

/* How a statement is executed. A step is what the codelet computes at a time: `lanes` columns. */
typedef struct price_binding {
    bool runs;       /* false: a loop, a SYNC */
    int columns_var; /* variable of the loop over columns; -1: one column */
    int sets_var;    /* .. of that over sets of columns, or rows of a move, in a call; -1: none */
    bool together;   /* .. whose iterations cost nothing except what they move */
    int64_t lanes;   /* columns of a step */
    double step;     /* seconds of a step whose data are all in L1 */
    double scaling;  /* seconds that a call takes to scale its results */
    price_table table;
    double table_bytes;
    bool non_temporal;   /* its stores bypass the caches */
    bool ahead_in_l2;    /* lines that later calls read are prefetched into L2, not into L1 */
    int slices;          /* number of the loop that moves its data in slices, from 1; 0: none */
    bool gets, puts;     /* .. these are its input, its output */
    int64_t padded_sets; /* sets whose partial last steps share a buffer; 0: they need none */
    bool transforms;     /* a step is whole transforms: one in each lane, or .. */
    bool whole;          /* .. a single one, which touches its lines out of order */
    price_waits waits;
} price_binding;

/* A loop that moves data in slices between the calls of codelets. */
typedef struct price_slices {
    double calls;                /* in an execution of the program */
    double get_burst, put_burst; /* bytes that are prefetched, and stored, between two calls */
    double iteration_bytes;      /* touched in an iteration, local buffers included */
} price_slices;

typedef struct price_program {
    const prog *body;
    const price_binding *binding; /* by statement */
    int nslices;
    const price_slices *slices; /* by number - 1 */
    const bool *split;          /* by buffer: re and im are in two arrays */
    price_sets l1, l2;          /* caches whose lines of one set evict each other */
    size_t scalar;              /* bytes */
} price_program;

/* ---- where lines come from (reuse.c) ---- */
typedef enum price_side { PRICE_READ = 0, PRICE_WRITE, PRICE_TABLE } price_side;

/* Lines that a statement touches in a whole execution, all with one reuse distance: the bytes of
 * other data touched since they were touched last. */
typedef struct price_entry {
    size_t stmt;
    price_side side;
    double lines;
    double distance; /* bytes; see above */
    /* Three quarters of the bytes of data, spread evenly over L1 and over L2, that put as many
     * lines into every set as these lines put into theirs (as of `distance`). 0: ways unknown, or
     * no other statement touched them last. */
    double fill_l1, fill_l2;
    double run;     /* bytes of a row without a gap */
    double part;    /* .. of which one step touches so many */
    bool streamed;  /* one row per step, of at least a page */
    bool pieces;    /* several rows per step */
    bool mirrored;  /* .. that run towards each other */
    bool rewritten; /* the statement writes the lines where it read them */
    bool whole;     /* all are in one row of a step, touched out of order */
    int64_t rows;   /* rows of a step, `stride` bytes apart */
    int64_t stride;
} price_entry;

/* What a statement does in a whole execution, apart from memory accesses. */
typedef struct price_work {
    double steps, calls, sets; /* sets: iterations of the loop over sets inside calls */
    double tail_rows;   /* rows of partial last steps (shorter, or starting early), over all sets */
    double short_rows;  /* rows of those that go through a buffer, .. */
    double short_steps; /* .. and how often that happens */
    double split_lines; /* lines touched in excess of those of aligned rows */
} price_work;

typedef struct price_reuse {
    price_work *work; /* by statement */
    size_t count;
    price_entry *entry; /* in the order of statements */
} price_reuse;

/* False: out of memory. The caller frees *out with price_reuse_free. */
bool price_reuse_find(price_reuse *out, const price_program *program);
void price_reuse_free(price_reuse *reuse);

/* ---- what they cost (price.c, model.c) ---- */
/* The figures of a unit: sizes in bytes, times in picoseconds. Times of lines are in addition to
 * their cost in L1. */
typedef enum price_figure {
    PRICE_L1 = 0, /* bytes at which half of a program's data is lost from this level */
    PRICE_L2,
    PRICE_L3,
    PRICE_READ_L2, /* a line read from that level */
    PRICE_READ_L3,
    PRICE_READ_MEMORY,
    PRICE_WRITE_L2, /* a line read and written back */
    PRICE_WRITE_L3,
    PRICE_WRITE_MEMORY,
    PRICE_NT_STORE,      /* a line stored non-temporally */
    PRICE_NT_STORE_ROWS, /* .. if a step stores several rows, in addition */
    PRICE_BUS_READ,      /* the least that a line from memory takes, however little is computed */
    PRICE_BUS_STORE,     /* .. a line stored non-temporally */
    PRICE_JUMP_L3,       /* a line of a short run, in addition */
    PRICE_JUMP_MEMORY,
    PRICE_EVICTED_REWRITE, /* a line of rows that share cache sets: 32 rows rewritten in place */
    PRICE_EVICTED_READ,    /* .. 32 rows read in whole lines */
    PRICE_EVICTED_WRITE,   /* .. rows written, or read in pieces of lines */
    PRICE_CALL,
    PRICE_WAIT, /* a step of PRICE_WAIT_ROWS rows or more that reads what the one before stored */
    PRICE_SET,
    PRICE_TAIL,
    PRICE_SHORT_ROW,
    PRICE_SPLIT_LINE,
    PRICE_FIGURES
} price_figure;

extern const char *const price_figure_names[PRICE_FIGURES]; /* "l1" .. */

/* The figures of a unit that was not measured: from its vectors (bytes), whether it says that it
 * computes longer ones in parts, whether the program's arrays fit L2, its L1, and the bytes of L2
 * and L3 (0: none, or unknown). */
void price_model(double figure[PRICE_FIGURES], size_t vector, bool parts, bool in_l2, price_sets l1,
                 size_t l2, size_t l3);
/* The number of rows of one set with which figures were measured, for rewritten lines and for
 * reads. */
enum { PRICE_TUNED_ROWS = 32 };
/* The share of so many rows of one set that are evicted before they are touched again, if the way
 * to replace is chosen at random. */
double price_evicted_share(double rows, double ways);
/* The sets of a cache of so many bytes with `ways` lines per set (0: unknown). */
price_sets price_sets_of(size_t bytes, size_t ways);

/* The share of lines with a reuse distance that a level of so many bytes has lost. */
double price_beyond(double bytes, double distance, price_figure level);
/* What a line of a run of so many bytes costs, in jumps; level 0: L2, 1: L3, 2: memory. */
double price_jumps(int level, double run);

/* Factor from counted cycles to the cost of codelets that were not measured; seconds of an element
 * whose address is evaluated, of an element moved by tables, and of starting an execution. */
extern const double price_counted, price_evaluated, price_moved, price_execution;

/* Seconds until data reach L1 that are loaded in another shape than they were just stored in:
 * single elements loaded as vectors, or the reverse. */
extern const double price_stored;

/* Seconds of moving one element: by strides; transposed in vectors, and if elements have 16 bytes;
 * in rows that stay rows. */
extern const double price_moved_evenly, price_transposed, price_transposed_wide, price_moved_rows;
/* Factor on the first and the last for pairs of re and im, which vectors do not transpose. */
extern const double price_moved_numbers;

typedef struct price_stage {
    size_t stmt;
    double cpu, memory; /* seconds; together what the stage takes */
} price_stage;

/* Fills in stage[i] for each statement i, with zeros if it does not run; false: out of memory. */
bool price_of(price_stage *stage, const price_program *program, const double *figure);

#endif
