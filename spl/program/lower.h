// SPDX-License-Identifier: BSD-3-Clause
/* Inside lowering: the program as a tree of statements, before it becomes the flat array of
 * program.h. The passes run in this order:
 *   lower.c          formula -> tree (lower_tree.c), a buffer between factors; lower_side.c: where
 *                    each lies and what it counts; lower_in_place.c: which factors may read and
 *                    write one buffer; lower_apart.c: iterations that stay apart; lower_zero.c:
 *                    what a scatter leaves out
 *   lower_halves.c   buffers through which items exchange re, then im
 *   lower_pad.c      gaps in buffers whose rows would share cache sets; lower_mirror.c: loops over
 *                    mirrored rows, which are counted across these
 *   lower_split.c    loops around several statements split until addresses are linear
 *   lower_coalesce.c loops around one kernel split until addresses are linear, fused, reordered;
 *                    lower_peel.c: loops that two functions share become two
 *   lower_bufs.c     lifetimes, offsets in the arenas
 *   lower_sync.c     barriers; the array
 * Everything lies in the context's arena. */
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
    int sum; /* it is all of a term of this sum, which needs no other term's results; 0: is not */
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
    int sums; /* so far */
    bool in_par;
    bool at_once;         /* the kernel that comes next: prog_stmt.at_once */
    const spl *whole;     /* the formula */
    bool typed;           /* some vector inside is of another type than the sides */
    low_live_range *live; /* of each buffer */
} low;

/* A stage of a product: kids [lo, hi) = scatters [lo, diag), diagonals [diag, core), then the
 * kernel or loop if has_core, then gathers [gath, hi). */
typedef struct low_stage {
    int lo, diag, core, gath, hi;
    bool has_core;
    bool at_once; /* works in place, as its iterations run at once */
} low_stage;

/* Where local element i lies: at f(i) of a buffer. type: of the local elements. Complex ones in a
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
 * complex, so does the program: of an array of twice as many elements. */
bool low_open_side(low *l, const spl *x, bool out);
/* A new buffer for n elements of a type, counted as reals or not. */
low_side low_new_side(low *l, int64_t n, spl_type type, bool reals);
/* Complex numbers in a buffer of reals? */
bool low_is_paired(const low *l, const low_side *s);
/* The side through a gather or scatter by g. */
low_side low_through(low *l, low_side s, const ix *g);
/* A side's function; where the buffer is the user's, with the layout of the user's array. */
const ix *low_in_array(low *l, low_side s);
/* Do the factors kid[from .. to - 1] count reals at their input or output, where that is
 * complex? */
bool low_counts_reals(const spl *const *kid, int from, int to, bool in);
/* Sides between the n stages of a product, from the last one on: a stage that may works in place;
 * else the output serves if it may, alternating with new buffers. to[n - 1] is given. */
void low_choose_sides(low *l, const spl *const *kid, low_stage *st, int n, low_side in,
                      low_side *to);
/* Zeros where the statements from x on leave out elements of an inner buffer: before and after what
 * is written, and runs alike between. */
void low_clear_rest(low *l, const low_node *x, low_side to);

/* The stage that ends before kid hi, cut from right to left; lo == hi if there is none. */
low_stage low_stage_cut(const spl *const *kid, int hi);
/* Where elements are: at f; complex ones that f counts as reals are two of its elements each. */
typedef struct low_address {
    const ix *f;
    bool paired;
} low_address;

/* Through the gathers of a stage, or its scatters, down to the kernel. */
low_address low_through_stage(spl_ctx *ctx, low_address p, const spl *const *kid,
                              const low_stage *st, bool in);
/* Iterations of the loops around x that read and write through these places: does each stay away
 * from what the others reach? */
bool low_apart(spl_ctx *ctx, const spl *x, low_address in, low_address out);
/* Iterations of a stage that is one DFT in loops; 0: it is something else. */
int64_t low_iterations(const spl *const *kid, const low_stage *st);
/* May x run where these sides, with the layouts of the user's arrays, are one place? */
bool low_in_place(low *l, const spl *x, low_side in, low_side out);
/* The index functions of a kernel or transfer: its addresses, its twiddles. Returns how many. */
enum { LOW_FUNCTIONS = 2 + PROG_MAX_TWIDDLES };
int low_functions(prog_stmt *s, const ix **f[LOW_FUNCTIONS]);
/* The statements from x on, with all inside; NULL: memory ran out. */
low_node *low_copy(low *l, const low_node *x);
/* The variables of loops in statements from x on, a bit each. */
uint32_t low_bound_variables(const low_node *x);
/* The smallest boundary between digits of a loop's variable in f at which the loop may be split; 0:
 * none. alone: nothing else in its PAR loop depends on how its iterations are distributed. */
int64_t low_boundary(const ix *f, const spl_range *r, bool alone);
/* Which loop keeps the shares of r when it is split at d: the outer one, in units of its own if the
 * grain allows, if it is long enough to be distributed anew, or not the shorter of both; else the
 * inner one. */
void low_distribute(const spl_range *r, int64_t d, spl_range *outer, spl_range *inner);
/* The statement inside the perfect nest that begins at x; NULL: x begins none. */
low_node *low_nest_leaf(low_node *x);
/* Does a loop of x or after it run over shares that `var` counts? */
bool low_is_shared(const low_node *x, int var);
/* The smallest loop variable that is not taken, which takes it; -1: none. */
int low_free_var(uint32_t *taken);
/* Appends a zeroed statement; NULL: out of memory (recorded). */
low_node *low_add(low *l, prog_op op);
/* A new inner buffer; -1: out of memory (recorded). */
int low_buf_new(low *l, int64_t elems, spl_type type);
/* Which LOCAL buffers are passed in halves. */
void low_halve(low *l);
void low_pad(low *l);
/* Splits loops over mirrored rows between a buffer and others so that no row is counted across one
 * of its runs. False: there is none. */
bool low_split_mirrored(low *l, int buffer, int64_t run);
void low_split(low *l);
/* Where the digit of a loop's variable in f, or in a branch of it, turns from 0 to 1 for the last
 * time; 0: nowhere. */
int64_t low_turn_of(const ix *f, const spl_range *r);
/* Did any loop become two? */
bool low_peel(low *l);
void low_coalesce(low *l);
/* Positions, has_par, lifetimes, copies, offsets and arena sizes. */
void low_place_buffers(low *l);
/* Barriers, then the flat array. */
void low_flatten(low *l);

#endif
