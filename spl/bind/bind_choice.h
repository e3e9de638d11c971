// SPDX-License-Identifier: BSD-3-Clause
/* What the files that bind a stage share. */
#ifndef SPL_BIND_CHOICE_H
#define SPL_BIND_CHOICE_H

#include "spl/bind/bind_tape.h"
#include "spl/program/stage.h"

/* One side of a kernel: its rows, and complex numbers in memory. */
typedef struct bind_side {
    prog_access at;     /* in elements of the buffer; of a pass: row 0 */
    prog_access second; /* row 1 of a pass; mirrored, im of row 0 moves as it does */
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
    /* The kernel's diagonals but for constants, whose product is `scale`. */
    const prog_twiddle *factor[PROG_MAX_TWIDDLES];
    int nfactors;
    double scale;
    bool has_tw;
    bool parts;            /* re and im are columns side by side */
    const prog_stmt *cols; /* the loop over columns; NULL: one column */
    const prog_stmt *rows; /* the loop over sets of broadcast twiddles; NULL: one */
    core_isa isa;
    spl_format format; /* of computation, as the VEC loop has it */
    int lanes;         /* complex numbers in a vector of that format */
} bind_choice;

/* Loops over parts, and over blocks that run one at a time, are no stage's own. */
static inline bool bind_is_outer(const bind_choice *ch, const prog_stmt *loop)
{
    return loop->range.kind == SPL_PAR
           || (ch->tape->body->blocks > 0 && loop->range.kind == SPL_STREAM);
}

/* Chooses codelet and loops for a stage and fills `op` (bind_select.c). taken[i] is set for the
 * loops that the op absorbs. Without linear addresses the op becomes EVAL and absorbs none. */
sluice_status bind_select(bind_tape *p, const prog_stage *stage, bind_op *op, bool *taken,
                          sluice_diag *why);
/* A get or put inside the stage's outer loops as an op: packets, or EVAL. */
sluice_status bind_select_transfer(bind_tape *p, const prog_stage *stage, bind_op *op,
                                   sluice_diag *why);

/* A key of the kernel on sides as they are, and whether there is such a codelet, which the op
 * gets. */
spl_key bind_key_of(const bind_choice *choice, spl_position position, spl_tw tw,
                    spl_format compute);
bool bind_try_codelet(bind_choice *choice, const spl_key *key);
/* May an op take over a loop of its stage? */
bool bind_may_take(const bind_choice *choice, const prog_stmt *loop);
/* Does the loop step by one complex number? No loop (NULL) does. */
bool bind_is_adjacent(const bind_side *side, const prog_access *row, const prog_stmt *loop);
/* Cycles of a column of codelets that compute other bits: as the codelets' table has them, not for
 * the unit's data path, unless they are measured, so that bits follow from the instruction set. */
double bind_cycles_of_bits(const bind_choice *choice, const spl_codelet *codelet);
/* In a vector loop `whole`, at position W, takes the place of T, which may become D, where it
 * writes all its results in vectors, one after the other, and takes no more than D (or T, where
 * there is no D): memory and slices like its order better. */
bool bind_writes_vectors(const bind_choice *choice, const spl_codelet *whole);
/* Instead of `whole`, at position W, the codelet of position S where a single transform in place is
 * done sooner by it (bind_single.c). */
const spl_codelet *bind_prefer_elements(bind_choice *choice, const spl_codelet *whole);
/* The codelet of one column at a time, whatever the strides, where no vector loop asks for more
 * (bind_strided.c); false: there is none. */
bool bind_try_strided(bind_choice *choice);
/* The codelet of a step of a pass (bind_pass.c); false: there is none. */
bool bind_choose_pass(bind_choice *choice);
bool bind_try_pass_alone(bind_choice *choice);

/* The VEC loop, or else the longest one; PAR loops and those that others share stay loops
 * (bind_columns.c). */
void bind_choose_columns(bind_choice *choice);
/* Does another loop of the stage run over shares of this one? Then its variable is needed. */
bool bind_is_shared(const prog_stage *stage, const prog_stmt *loop);
/* The loop, besides `other`, with the shortest stride on a side that an op may take over; NULL:
 * none. */
const prog_stmt *bind_nearest_loop(const bind_choice *choice, const prog_access *side,
                                   const prog_stmt *other);
/* May the iterations of a loop be the rows of a move of single elements? Of mirrored sides if im
 * moves by the loop as re does. */
bool bind_moves_by_rows(const bind_choice *choice, const prog_stmt *loop);
/* ISA, format and lanes by the VEC loop. E_UNSUPPORTED with the lanes that there are. */
sluice_status bind_choose_isa(bind_choice *choice, sluice_diag *why);
/* Do columns follow each other without gaps on both sides, as position D wants them? */
bool bind_columns_are_dense(const bind_choice *choice);
/* Instead of the chosen codelet one whose vectors the columns fill, if there is, or one of shorter
 * vectors that costs less. */
void bind_narrow_vectors(bind_choice *choice);
/* Those of its tail. */
void bind_find_shorter(const bind_choice *choice);

/* Reads a side (bind_side.c); false: its addresses are not linear. */
bool bind_read_side(const bind_choice *choice, int buffer, const ix *f, bind_side *side);
/* Do its addresses have a second row or, mirrored, an im that moves by itself? */
static inline bool bind_has_second(const bind_choice *choice, const bind_side *side)
{
    return choice->stage->stmt->kernel == SPL_PAIR || side->format == SPL_MIRROR;
}
/* What a kernel's codelet computes, and the rows that it writes. */
int bind_codelet_kind(const prog_stmt *kernel);
int bind_codelet_outputs(const prog_stmt *kernel);
int bind_codelet_inputs(const prog_stmt *kernel); /* rows that it reads */
/* A kernel of a pass with no factor but those of its own and constants; with no constant either,
 * one factor at most, on rows of complex numbers. */
bool bind_has_own_factors(const prog_stmt *kernel);
bool bind_is_plain_pass(const prog_stmt *kernel);
/* Elements from one complex number to an adjacent one. */
int64_t bind_adjacent(const bind_side *side);

/* With a grain, which loops of programs need not have. */
static inline spl_range bind_range_of(const spl_range *r)
{
    spl_range range = *r;

    range.grain = r->grain > 0 ? r->grain : 1;
    return range;
}

/* A range of n iterations that nothing shares. */
static inline spl_range bind_range_alone(int64_t n)
{
    return (spl_range){.n = n, .share_var = -1, .shares = 1, .grain = 1};
}

/* Reads the twiddles (bind_twiddles.c); false: no table of theirs steps evenly in the index and in
 * the columns, by digits in loops that stay loops. */
bool bind_read_twiddles(bind_choice *choice);
/* The table of vector twiddles that the chosen codelet reads. */
bind_table_form bind_vector_form(const bind_choice *choice);
/* Does a factor depend on the loop? */
bool bind_factors_use(const bind_choice *choice, const prog_stmt *loop);
/* The key of the kernel's twiddles as a table; false if they depend on too many loops. */
bool bind_table_key_of(const bind_choice *choice, bind_table_form form, bind_table_key *key);
/* Fills in the op once codelet, columns and rows are chosen (bind_fill.c). */
sluice_status bind_fill(bind_choice *choice, bool *taken, sluice_diag *why);
/* The same of single elements: the op becomes a MOVE of columns, and of rows if there are. */
sluice_status bind_fill_move(bind_choice *choice, bool *taken, sluice_diag *why);
/* The loops that the op does not take over step its addresses. */
sluice_status bind_fill_steps(bind_choice *choice, sluice_diag *why);

/* The constants that stand at a kernel apart from its other diagonals (bind_scale.c). */
void bind_read_factors(bind_choice *choice);
/* What no table of the chosen codelet takes of the scale: rows of the results, scaled in place. */
void bind_fill_scale(bind_choice *choice);

/* How memory is reached (bind_memory.c): non-temporal stores, prefetching within an op. */
void bind_choose_memory(bind_choice *choice);
/* Will the output have been evicted before it is read again? */
bool bind_output_is_evicted(const bind_choice *choice);
/* The kernel writes what it reads: no vector may start early. */
void bind_stay_in_place(bind_op *op);
/* Which loops move addresses by constant steps (bind_steps.c). */
void bind_constant_steps(bind_tape *p);
/* Prefetching across ops, once all are bound. */
void bind_prefetch_batches(bind_tape *p);
/* Does a kernel of the loop read what no cache holds: the input, or a buffer that the loop does not
 * write? */
bool bind_reads_far(const bind_tape *p, const bind_op *loop, const bind_op *op);
/* Of kernels in a loop, or in loops inside it, that read rows apart. */
void bind_prefetch_rows_apart(const bind_tape *p, const bind_op *around);

/* The two stages from statement `at` on, before `end`, as one codelet (bind_plane.c); they stand in
 * `depth` open loops, of which `planes`, the last one, becomes its columns (NULL: none). False:
 * they are none. */
bool bind_plane(bind_tape *p, size_t at, size_t end, int depth, const prog_stmt *const *open,
                const prog_stmt *planes, bind_op *op);

/* A MOVE, complete, between such sides becomes a codelet if there is one (bind_fold.c). */
void bind_prefer_fold(bind_choice *choice, spl_format in, spl_format out);
/* What has to be known of the op's codelet to run columns that do not fill vectors; its shares
 * begin at whole ones. */
void bind_fill_tail(bind_choice *choice);

/* Does the kernel move two adjacent reals? They are a complex number then, as which it reads the
 * sides. */
bool bind_moves_pair(bind_choice *choice);
/* Does the kernel move elements and no more (bind_permute.c)? */
bool bind_is_move(const bind_choice *choice);
/* What a MOVE does with elements that lie so on either side. */
bind_moved bind_moved_of(const prog_stmt *kernel, spl_format in, spl_format out);
/* Makes the op a MOVE, if loops around add evenly to its addresses: *filled. E_MEMORY. */
sluice_status bind_fill_places(bind_choice *choice, bool *taken, bool *filled, sluice_diag *why);

/* An op whose statement stands inside `outer` loops, opened by the ops `loop`: copies of buffers in
 * rotation, and what it has to wait for. False: too many steps. (bind_overlap.c) */
bool bind_overlap(bind_tape *p, bind_op *op, int outer, const prog_stmt *const *open,
                  const size_t *loop);
/* Are puts to be done when this loop ends? What follows may use the memory of its buffers. */
bool bind_overlap_ends(const bind_tape *p, const prog_stmt *loop);

#endif
