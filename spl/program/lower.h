// SPDX-License-Identifier: BSD-3-Clause
/* Inside lowering: the program as a tree of statements, before it becomes the flat array of
 * program.h. The passes run in this order:
 *   lower.c          formula -> tree (lower_tree.c), a buffer between factors. lower_side.c:
 *                    where each buffer is and what its elements are; lower_in_place.c: factors that
 *                    may read and write one buffer; lower_apart.c: iterations that access disjoint
 *                    slots; lower_zero.c: elements that a scatter leaves out
 *   lower_halves.c   buffers through which items exchange re, then im
 *   lower_pad.c      gaps in buffers whose rows would share cache sets; lower_mirror.c: loops over
 *                    mirrored rows, which would be counted across these gaps
 *   lower_split.c    loops around several statements split until addresses are linear
 *   lower_coalesce.c loops around one kernel split until addresses are linear, fused, reordered;
 *                    lower_peel.c: a loop whose variable selects one of two functions becomes two
 *   lower_bufs.c     live ranges, offsets in the arenas
 *   lower_sync.c     barriers; the array
 * All memory is from the context's arena. */
#ifndef SPL_LOWER_H
#define SPL_LOWER_H

#include "spl/program/program.h"
#include "spl/rules/factors.h"

typedef struct low_node low_node;
struct low_node {
    prog_stmt s;
    low_node *kid; /* LOOP: first statement of the body */
    low_node *next;
    size_t pos, end; /* in program order, without barriers; numbered by low_place_buffers */
    int sum; /* it is a whole term of this sum, needing no other term's results; 0: is not */
};

/* Where a buffer lives: statements [lo, hi) by position. */
typedef struct low_live_range {
    size_t lo, hi;
} low_live_range;

typedef struct low {
    spl_ctx *ctx;
    prog *p;
    low_node *root; /* a loop that is not in the program; its body is the program */
    low_node *at;   /* the loop whose body grows */
    low_node *tail; /* the last statement of that body; NULL: empty */
    int buf_capacity;
    int sums; /* sums numbered so far */
    bool in_par;
    bool at_once;         /* prog_stmt.at_once of the next kernel */
    const spl *whole;     /* the formula */
    bool counts_reals;    /* in some vector inside, as the formula is not complex-linear */
    low_live_range *live; /* of each buffer */
} low;

/* A stage of a product that merge rules have left, cut off from the right, as stages run:
 * spl_next_stage() finds those of any product, from the left, whose cores are not converted yet.
 * Kids [lo, hi) = scatters [lo, diag), diagonals [diag, core), then the
 * kernel or loop if has_core, then gathers [gath, hi). */
typedef struct low_stage {
    int lo, diag, core, gath, hi;
    bool has_core;
    bool at_once; /* works in place, because its iterations run at once */
} low_stage;

/* Local element i is at f(i) of a buffer. type: that of the local elements. Complex elements in a
 * buffer of reals are pairs, re of element i at f(2i), im at f(2i+1). */
enum { LOW_IN = 0, LOW_OUT = 1 };
typedef struct low_side {
    int buf;
    const ix *f;
    spl_type type;
} low_side;

/* The type of a side of the whole formula. */
spl_type low_side_type(spl_type type, const prog_sides *sides);
/* The user's buffer of a side of formula x. If the formula counts reals where its vector is
 * complex, so does the program: the array then has twice as many elements. */
bool low_open_side(low *l, const spl *x, bool out);
/* A new buffer for n elements of a type, counted as reals or not. */
low_side low_new_side(low *l, int64_t n, spl_type type, bool reals);
/* Complex numbers in a buffer of reals? */
bool low_is_paired(const low *l, const low_side *s);
/* The side through a gather or scatter by g. */
low_side low_through(low *l, low_side s, const ix *g);
/* A side's function; if the buffer is the user's, with the layout of the user's array. */
const ix *low_in_array(low *l, low_side s);
/* Do the factors kid[from .. to - 1] count reals at their input or output although that is
 * complex? */
bool low_counts_reals(const spl *const *kid, int from, int to, bool in);
/* Chooses the sides between the n stages of a product, from the last one on: a stage works in place
 * if it may; otherwise the output serves if it may, alternating with new buffers. to[n - 1] is
 * given. */
void low_choose_sides(low *l, const spl *const *kid, low_stage *st, int n, low_side in,
                      low_side *to);
/* Adds zeros for elements of an inner buffer that the statements from x on leave out: before and
 * after the written elements, and in equal runs between them. */
void low_zero_unwritten(low *l, const low_node *x, low_side to);

/* The stage that ends before kid hi, cut from right to left; lo == hi if there is none. */
low_stage low_stage_cut(const spl *const *kid, int hi);
/* Elements are at f; complex ones that f counts as reals are two of its elements each. */
typedef struct low_address {
    const ix *f;
    bool paired;
} low_address;

/* Through the gathers of a stage, or its scatters, down to the kernel. */
low_address low_through_stage(spl_ctx *ctx, low_address p, const spl *const *kid,
                              const low_stage *st, bool in);
/* The loops around x read and write through these places: does each iteration stay away from the
 * places that the others access? */
bool low_apart(spl_ctx *ctx, const spl *x, low_address in, low_address out);
/* Iterations of a stage that is one DFT in loops; 0: the stage is something else. */
int64_t low_iterations(const spl *const *kid, const low_stage *st);
/* May x run in place on these sides, with the layouts of the user's arrays? */
bool low_in_place(low *l, const spl *x, low_side in, low_side out);
/* The index functions of a kernel or transfer: its addresses, its twiddles. Returns how many. */
enum { LOW_FUNCTIONS = 2 + PROG_MAX_TWIDDLES };
int low_functions(prog_stmt *s, const ix **f[LOW_FUNCTIONS]);
/* Copies the statements from x on, with their bodies; NULL: out of memory. */
low_node *low_copy(low *l, const low_node *x);
/* The variables of loops in statements from x on, as a bit mask. */
uint32_t low_bound_variables(const low_node *x);
/* The smallest boundary between digits of a loop's variable in f at which the loop may be split; 0:
 * none. alone: no other statement of its PAR loop depends on how its iterations are distributed. */
int64_t low_boundary(const ix *f, const spl_range *r, bool alone);
/* Decides which loop keeps the shares of r when it is split at d: the outer loop, in units of its
 * own if the grain allows that, if it is long enough to be distributed anew or not the shorter of
 * both; else the inner one. */
void low_distribute(const spl_range *r, int64_t d, spl_range *outer, spl_range *inner);
/* The statement inside the perfect nest that begins at x; NULL: x begins none. */
low_node *low_nest_leaf(low_node *x);
/* Does a loop of x or after it run over shares of variable `var`? */
bool low_is_shared(const low_node *x, int var);
/* The smallest free loop variable, which is then taken; -1: none. */
int low_free_var(uint32_t *taken);
/* Appends a zeroed statement; NULL: out of memory (recorded). */
low_node *low_add(low *l, prog_op op);
/* A new inner buffer; -1: out of memory (recorded). */
int low_buf_new(low *l, int64_t elems, spl_type type);
/* Decides which LOCAL buffers pass their elements in halves. */
void low_halve(low *l);
/* Puts gaps between rows of buffers that share cache sets, or banks (lower_pad.c). */
void low_pad(low *l);
/* Splits loops over mirrored rows between a buffer and others so that no row is counted across a
 * run of the buffer. False: there is no such loop. */
bool low_split_mirrored(low *l, int buffer, int64_t run);
/* Splits loops around several statements where a digit of their variable ends (lower_split.c). */
void low_split(low *l);
/* The value of a loop's variable at which the digit in f, or in a branch of it, changes from 0 to 1
 * for the last time; 0: none. */
int64_t low_switch_iteration(const ix *f, const spl_range *r);
/* Splits loops in two as described in lower_peel.c. Did any loop become two? */
bool low_peel(low *l);
/* Splits, exchanges and fuses the loops around single statements (lower_coalesce.c). */
void low_coalesce(low *l);
/* Positions, has_par, live ranges, copies, offsets and arena sizes. */
void low_place_buffers(low *l);
/* Barriers, then the flat array. */
void low_flatten(low *l);

#endif
