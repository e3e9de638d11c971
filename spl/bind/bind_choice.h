// SPDX-License-Identifier: BSD-3-Clause
/* Declarations shared by the files that bind a stage: what has been chosen so far (bind_choice),
 * and the steps of the choice. bind_select.c calls them in order: read sides and twiddles, choose
 * the columns, the ISA and the codelet, fill in the op. */
#ifndef SPL_BIND_CHOICE_H
#define SPL_BIND_CHOICE_H

#include "spl/bind/bind_tape.h"
#include "spl/program/stage.h"

/* One side (input or output) of a kernel: where its rows are, and how complex numbers lie there. */
typedef struct bind_side {
    prog_access at;     /* in elements of the buffer; of pairs: row 0 */
    prog_access second; /* row 1 of pairs; of a mirrored side with one row: its im */
    spl_format format;
    ptrdiff_t unit; /* scalars in an element */
    ptrdiff_t im;   /* scalars from re to im in a buffer of reals */
} bind_side;

typedef struct bind_choice {
    bind_tape *tape;
    const prog_stage *stage;
    bind_op *op;
    bind_side in, out;
    prog_access tw;
    prog_access also[PROG_MAX_TWIDDLES - 1]; /* of the diagonals after the first */
    /* The kernel's diagonals except constants; `scale` is the product of the constants. */
    const prog_twiddle *factor[PROG_MAX_TWIDDLES];
    int nfactors;
    double scale;
    bool has_tw;
    bool parts;            /* a real matrix on complex numbers: re and im are adjacent columns */
    const prog_stmt *cols; /* the loop over columns; NULL: one column */
    /* The loop outside it: over sets of columns, or over the rows of a move; NULL: one. */
    const prog_stmt *outer;
    core_isa isa;
    spl_format format; /* of the computation, as the VEC loop says */
    int lanes;         /* complex numbers in a vector of that format */
} bind_choice;

/* Loops over parts, and over blocks that run one at a time, enclose stages and belong to none. */
static inline bool bind_encloses_stages(const bind_choice *ch, const prog_stmt *loop)
{
    return loop->range.kind == SPL_PAR
           || (ch->tape->body->blocks > 0 && loop->range.kind == SPL_STREAM);
}

/* Chooses the codelet of a stage and the loops that it takes over, and fills `op` (bind_select.c).
 * Sets taken[i] for these loops. Without linear addresses the op becomes EVAL and takes none. */
sluice_status bind_select(bind_tape *p, const prog_stage *stage, bind_op *op, bool *taken,
                          sluice_diag *why);
/* Binds a transfer (get or put) inside the stage's outer loops: COPY in packets, or EVAL. */
sluice_status bind_select_transfer(bind_tape *p, const prog_stage *stage, bind_op *op,
                                   sluice_diag *why);

/* The key of the kernel's codelet for the sides as they were read; try looks it up, sets
 * op->codelet and says whether there is one. */
spl_key bind_key_of(const bind_choice *choice, spl_position position, spl_tw tw,
                    spl_format compute);
bool bind_try_codelet(bind_choice *choice, const spl_key *key);
/* May an op take over a loop of its stage? */
bool bind_may_take(const bind_choice *choice, const prog_stmt *loop);
/* Is the next iteration the adjacent complex number? True if there is no loop (NULL). */
bool bind_is_adjacent(const bind_side *side, const prog_access *row, const prog_stmt *loop);
/* Cycles of a column, to compare codelets whose bits differ. Unless they were measured, these are
 * the numbers of the codelets' table, regardless of the unit's data path, so that the bits of a
 * plan depend on the instruction set alone. */
double bind_cycles_of_bits(const bind_choice *choice, const spl_codelet *codelet);
/* In a vector loop, may `whole` (position W) replace the codelet of position T, which may become D?
 * Yes if it stores all its results as vectors in the order of addresses, which suits memory and
 * slices better, and takes no more cycles than D (or T if there is no D). */
bool bind_writes_vectors(const bind_choice *choice, const spl_codelet *whole);
/* Returns the codelet of position S if a single transform in place is faster with it than with
 * `whole` (position W), else `whole` (bind_single.c). */
const spl_codelet *bind_prefer_elements(bind_choice *choice, const spl_codelet *whole);
/* A codelet that computes one column at a time with any strides, for stages without a vector loop
 * (bind_strided.c); false: there is none. */
bool bind_try_strided(bind_choice *choice);
/* The codelet of a step of pairs (bind_pairs.c), and of one whose addresses are evaluated; false:
 * there is none. */
bool bind_choose_pairs(bind_choice *choice);
bool bind_try_pairs_alone(bind_choice *choice);

/* Chooses the loop over columns: the VEC loop, else the longest one. PAR loops, and loops of which
 * another loop runs over shares, stay loops (bind_columns.c). */
void bind_choose_columns(bind_choice *choice);
/* Does another loop of the stage run over shares of this one? Then its variable is needed. */
bool bind_is_shared(const prog_stage *stage, const prog_stmt *loop);
/* Among the loops that an op may take over, except `other`, the one with the shortest stride on a
 * side; NULL: none. */
const prog_stmt *bind_nearest_loop(const bind_choice *choice, const prog_access *side,
                                   const prog_stmt *other);
/* May the iterations of a loop be the rows of a move of single elements? On mirrored sides only if
 * the loop moves im by as much as re. */
bool bind_moves_by_rows(const bind_choice *choice, const prog_stmt *loop);
/* Derives ISA, format and lanes from the VEC loop. E_UNSUPPORTED names the lanes that there are. */
sluice_status bind_choose_isa(bind_choice *choice, sluice_diag *why);
/* Do columns follow each other without gaps on both sides, as position D wants them? */
bool bind_columns_are_dense(const bind_choice *choice);
/* Replaces the chosen codelet by one with the same bits and shorter vectors, if only these are
 * filled by the columns, or if they cost less. */
void bind_narrow_vectors(bind_choice *choice);
/* Finds codelets of shorter vectors for the columns that are left over. */
void bind_find_shorter(const bind_choice *choice);

/* Reads a side (bind_side.c); false: its addresses are not linear. */
bool bind_read_side(const bind_choice *choice, int buffer, const ix *f, bind_side *side);
/* Has the side a second address function: of row 1 of pairs, or of im if it is mirrored? */
static inline bool bind_has_second(const bind_choice *choice, const bind_side *side)
{
    return choice->stage->stmt->kernel == SPL_PAIR || side->format == SPL_MIRROR;
}
/* The kind of a kernel's codelet, and the rows that it writes. */
int bind_codelet_kind(const prog_stmt *kernel);
int bind_codelet_outputs(const prog_stmt *kernel);
int bind_codelet_inputs(const prog_stmt *kernel); /* rows that it reads */
/* Has a kernel of pairs no factors except its own and constants? For plain: no constants either, at
 * most one factor, and no mirrored side. */
bool bind_has_own_factors(const prog_stmt *kernel);
bool bind_is_plain_pairs(const prog_stmt *kernel);
/* Elements from one complex number to an adjacent one. */
int64_t bind_adjacent(const bind_side *side);

/* A loop's range with its grain set, which programs may leave 0. */
static inline spl_range bind_range_of(const spl_range *r)
{
    spl_range range = *r;

    range.grain = r->grain > 0 ? r->grain : 1;
    return range;
}

/* A range of n iterations that is not distributed. */
static inline spl_range bind_range_alone(int64_t n)
{
    return (spl_range){.n = n, .share_var = -1, .shares = 1, .grain = 1};
}

/* Reads the address functions of the twiddles (bind_twiddles.c). False: no table serves them,
 * because an address does not step evenly from row to row and column to column, or depends on
 * digits of loops in a way that a table cannot have. */
bool bind_read_twiddles(bind_choice *choice);
/* The table of vector twiddles that the chosen codelet reads. */
bind_table_form bind_vector_form(const bind_choice *choice);
/* Does a factor depend on the loop? */
bool bind_factors_use(const bind_choice *choice, const prog_stmt *loop);
/* The key of the kernel's twiddles as a table; false if they depend on too many loops. */
bool bind_table_key_of(const bind_choice *choice, bind_table_form form, bind_table_key *key);
/* Fills in the op once codelet, columns and sets are chosen (bind_fill.c). */
sluice_status bind_fill(bind_choice *choice, bool *taken, sluice_diag *why);
/* The same for single elements: the op becomes a MOVE over columns and, if there are any, rows. */
sluice_status bind_fill_move(bind_choice *choice, bool *taken, sluice_diag *why);
/* Adds a step of addresses for each loop that the op does not take over. */
sluice_status bind_fill_steps(bind_choice *choice, sluice_diag *why);

/* Separates the constants at a kernel from its other diagonals (bind_scale.c). */
void bind_read_factors(bind_choice *choice);
/* Applies the part of the scale that no table holds: rows of the results are scaled in place. */
void bind_fill_scale(bind_choice *choice);

/* Chooses non-temporal stores and prefetching within an op (bind_memory.c). */
void bind_choose_memory(bind_choice *choice);
/* Will the output have been evicted before it is read again? */
bool bind_output_is_evicted(const bind_choice *choice);
/* Adapts an op that now writes where it reads: no vector may start early. */
void bind_stay_in_place(bind_op *op);
/* Finds the loops that move addresses by constant steps (bind_steps.c). */
void bind_constant_steps(bind_tape *p);
/* Chooses prefetching across ops, once all ops are bound. */
void bind_prefetch_batches(bind_tape *p);
/* Does a kernel of the loop read data that no cache holds: the input, or a large buffer that the
 * loop does not write? */
bool bind_reads_uncached(const bind_tape *p, const bind_op *loop, const bind_op *op);
/* Prefetching for kernels in a loop, or in loops inside it, that read separate rows
 * (bind_rows_apart.c). */
void bind_prefetch_rows_apart(const bind_tape *p, const bind_op *around);

/* Binds the two stages from statement `at` on, before `end`, as one codelet (bind_plane.c). They
 * are inside `depth` open loops; `planes`, the last of these, becomes the columns (NULL: one
 * plane). False: they are not the two stages of a plane. */
bool bind_plane(bind_tape *p, size_t at, size_t end, int depth, const prog_stmt *const *open,
                const prog_stmt *planes, bind_op *op);

/* Replaces a complete MOVE between sides of these formats by a codelet if there is one
 * (bind_fold.c). */
void bind_prefer_fold(bind_choice *choice, spl_format in, spl_format out);
/* Fills in op->tail: what is needed to run columns that do not fill a vector. Shares of columns
 * then begin at whole vectors. */
void bind_fill_tail(bind_choice *choice);

/* Does the kernel move two adjacent reals? Then the sides are read as those of a complex number. */
bool bind_moves_pair(bind_choice *choice);
/* Does the kernel move elements and no more (bind_permute.c)? */
bool bind_is_move(const bind_choice *choice);
/* What a MOVE does with an element, from the formats of both sides. */
bind_moved bind_moved_of(const prog_stmt *kernel, spl_format in, spl_format out);
/* Makes the op a MOVE and sets *filled if its addresses are linear in enclosing loops. E_MEMORY. */
sluice_status bind_fill_offsets(bind_choice *choice, bool *taken, bool *filled, sluice_diag *why);

/* Schedules an op whose statement is inside `outer` loops, whose ops are `loop`: which copy of a
 * rotating buffer it uses, and which transfers it waits for (bind_overlap.c). False: too many
 * steps. */
bool bind_overlap(bind_tape *p, bind_op *op, int outer, const prog_stmt *const *open,
                  const size_t *loop);
/* Must all puts be done when this loop ends? Later ops may reuse the memory of its buffers. */
bool bind_overlap_ends(const bind_tape *p, const prog_stmt *loop);

#endif
