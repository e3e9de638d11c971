// SPDX-License-Identifier: BSD-3-Clause
/* Programs as OpenCL C: shared by the files that print them.
 *
 * ocl_choose.c     which loops are distributed to groups and items, where scratch is
 * ocl_order.c      how a stage's iterations are numbered for items
 * ocl_kernel.c     nests of loops as one kernel, with barriers between statements
 * ocl_items.c      a stage as work of items
 * ocl_place.c      indices of rows, elements and factors, as text
 * ocl_number.c     numbers between registers and memory, with their factors
 * ocl_stmt.c       a statement as code of one work-item
 * print_opencl.c   kernels, launches, buffers: the program for hosts
 * ocl_describe.c   the same as a file with a description for other hosts
 *
 * Statements at top level are kernels, since SYNC, a barrier of all parts, is the end of a kernel.
 * In a kernel
 *   PAR loop          groups, one iteration each; the groups of a PAR loop that follows without a
 *                     SYNC are numbered after them
 *   other loops around several statements
 *                     loops that all items of a group execute together, with barriers between
 *                     statements; without a PAR loop the outermost is distributed to groups if its
 *                     iterations share no scratch
 *   loops around one statement
 *                     work-items
 *   LOCAL buffers     __local if they fit, else a part of __global scratch for each group */
#ifndef SPL_OCL_H
#define SPL_OCL_H

#include "spl/bind/bind_factors.h"
#include "spl/codelet/gen.h"
#include "spl/emit/c_text.h"
#include "spl/emit/print_opencl.h"
#include "spl/program/stage.h"

/* Arguments other than tables have the roles before DEVICE_TABLE. */
enum { OCL_ARGS = DEVICE_TABLE };

/* A table of numbers: entries first + i step, i < count, of a diagonal, times a scale; or the
 * products of a statement's factors. */
typedef struct ocl_table {
    bind_factor_table product; /* stmt NULL: a table of a diagonal */
    spl_values values;
    int64_t n, m, first, step, count;
    double scale;
} ocl_table;

typedef struct ocl_kernel {
    size_t at, end; /* its statements: one, or loops distributed to groups without a SYNC between */
    core_text name;
    int64_t groups, items;
    /* The statement that is being printed, its loop that is distributed to groups (nstmts: none),
     * and the first of the groups of that loop. */
    size_t statement, group_loop;
    int64_t first_group;
    bool spread; /* one nest is distributed to the items of all groups */
    int stages;  /* statements other than loops */
    /* The scratch of which each group has its own: elements lo..hi-1 of an arena; none if lo ==
     * hi. */
    prog_space store;
    int64_t lo, hi;
    bool spilled;
    int fallbacks; /* DEVICE_GROUPS_OF_LOOP .. */
    bool arg[OCL_ARGS];
    bool *table; /* is the table used, by number */
    bool var[IX_MAX_VARS];
} ocl_kernel;

typedef struct ocl {
    const prog *p;
    const spl_opencl *options;
    device_program *out;
    const char *value;     /* f32 or f64 */
    int64_t element_bytes; /* bytes of a complex number */
    spl_c c;               /* c.text: statements of the current kernel; c.data: tables of indices */
    core_text kernels;
    ocl_kernel *kernel;
    int nkernels;
    ocl_table *table;
    int ntables;
    ocl_kernel *current_kernel;
    /* Iterations of the current stage if they run at once; how many of them an item has in turn. */
    int64_t iterations, turns;
    int64_t range[IX_MAX_VARS];     /* iterations of the enclosing loops, by variable */
    int hosts[IX_MAX_VARS], nhosts; /* variables of loops of the host */
    int64_t spill;                  /* elements of all groups */
    sluice_status status;
    sluice_diag *why;
} ocl;

/* ---- ocl_choose.c ---- */

/* Keeps the first failure. */
void ocl_fail(ocl *o, sluice_status status);
/* Does a statement move elements, each by itself? Else it computes on its rows together. */
bool ocl_moves(const prog_stmt *s);
/* Elements of a statement, if each is the work of an item; 1: the statement is one item's work. */
int64_t ocl_elements(const ocl *o, const prog_stmt *s);
/* Does a statement count reals on a side, whose buffer then has reals too? Else it counts complex
 * numbers, each of which is two elements of a buffer of reals. */
bool ocl_counts_reals(const ocl *o, const prog_stmt *s, bool out);
/* Are elements 2i and 2i + 1 of a function adjacent, the first at an even index? */
bool ocl_has_pairs(const ix *f);
/* Does a statement compute, instead of only moving elements? */
bool ocl_computes(const prog_stmt *s);
/* How many iterations of an item's loop over a statement have their loads in flight together: so
 * many that they load half of what local memory holds. */
int64_t ocl_unrolled(const ocl *o, const prog_stmt *s);
/* Fills in the kernel, which begins at k->at, except its name and arguments. */
void ocl_choose(ocl *o, ocl_kernel *k);
/* The end of the kernel that begins with a statement. */
size_t ocl_kernel_end(const prog *p, size_t at);
/* Makes the kernel's first or next statement the current one. */
void ocl_begin_statement(ocl *o, ocl_kernel *k, size_t at);
/* The first of a stage's loops that are distributed to items: after loops that are distributed to
 * groups or enclose these, and after those by which a later loop takes shares. */
int ocl_first_item_loop(const ocl *o, const prog_stage *stage);
bool ocl_touches(const ocl *o, const ocl_kernel *k, int buf);
/* Is the input in the output's memory, with elements of another type? */
bool ocl_views_output(const ocl *o);
/* Does the kernel both write and read the same global memory? */
bool ocl_reads_what_it_writes(const ocl *o, const ocl_kernel *k);

/* Is the factor of a row 1 in all iterations of the enclosing loops? Their ranges are o->range. */
bool ocl_factor_is_one(const ocl *o, const prog_twiddle *w, int64_t row);

/* ---- ocl_order.c ---- */

/* The stage with its loops in the order in which items are numbered, the last one fastest: the
 * order with the fewest lines of global memory and wavefronts of local memory. */
prog_stage ocl_in_order(const ocl *o, const prog_stage *stage);

/* ---- ocl_kernel.c ---- */

/* Prints the kernel of the statement `at`. */
void ocl_print_kernel(ocl *o, size_t at);
/* Prints a barrier: items wait for what others of their group read or wrote in local memory, or in
 * the memory to which it is spilled. */
void ocl_print_wait(ocl *o, int depth);

/* ---- ocl_items.c ---- */

/* The name of a loop's kind: "seq" "par" "stream" "vec". */
const char *ocl_kind_name(const spl_range *r);
/* Declares the bounds of a loop over shares. */
void ocl_print_share(ocl *o, const spl_range *r, int depth);
/* Do indices or factors in a loop depend on its variable, or loops take shares by it? */
bool ocl_is_followed(const prog *p, size_t loop);
/* Prints a stage. again: an enclosing loop executes the stage more than once. */
void ocl_print_items(ocl *o, const prog_stage *stage, bool again, int depth);
/* Prints a stage whose iterations run at once: one for each item, or, for pairs in halves,
 * several. */
void ocl_print_at_once(ocl *o, const prog_stage *stage, int depth);
/* Consecutive statements that produce what is exchanged in halves, or that consume it. */
typedef struct ocl_phase {
    size_t at, end;
} ocl_phase;
/* Prints an exchange in halves: the results of one phase pass through local memory to the registers
 * of the next, all real parts first, then all imaginary parts. */
void ocl_print_exchange(ocl *o, ocl_phase from, ocl_phase to, int depth);

/* ---- ocl_place.c ---- */

/* The indices of a side's rows, or of an element that moves. The part that depends on loops is
 * computed once, as a variable of that name; each row adds a constant. A function of branches has a
 * name for each branch. */
enum { OCL_BRANCHES = 4 };
typedef struct ocl_place {
    const ix *f;
    char name[OCL_BRANCHES][16];
    int64_t shift;   /* the index of the function's element 0 */
    bool is_list;    /* indices without such a form are in an array of that name */
    bool is_element; /* there is an index for each part of an element */
} ocl_place;

/* The factor of rows or of an element. */
typedef struct ocl_factor {
    prog_twiddle w; /* entries of a table of products are treated as roots with f = &own */
    ocl_table table;
    ocl_place at;  /* indices in the table */
    gen_name once; /* the factor of all rows, loaded once; empty: each row has its own */
    ix own;
    ix_term term[IX_MAX_TERMS];
} ocl_factor;

void ocl_print_rows(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift, int depth);
/* Declares the index of element i, which has one part, or two parts f(2i) and f(2i+1), of which
 * `wanted` are needed. */
void ocl_print_element(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift,
                       int parts, int wanted, int depth);
/* The text of the index of a row, or of a part of the element. */
gen_name ocl_index(const ocl_place *at, int64_t row);
bool ocl_is_real_factor(const prog_twiddle *w); /* entries have no imaginary part */
/* Do all rows, two or more, have the same entry? */
bool ocl_is_one_factor(const prog_twiddle *w);
/* Are factors computed instead of read from a table? */
bool ocl_computes_factor(const ocl *o, const prog_twiddle *w);
/* Is factor k of a statement included in the table of another factor? */
bool ocl_is_folded(const ocl *o, const prog_stmt *s, int k);
/* Finds the table of factor k of a statement; returns its index function within that table. */
const ix *ocl_place_factor(const ocl *o, ocl_factor *at, const prog_stmt *s, int k);
void ocl_print_factor(ocl *o, ocl_factor *at, const char *name, const prog_stmt *s, int k,
                      int depth);
/* The text of a row's factor; empty: the factor is 1. */
gen_name ocl_factor_at(ocl *o, const ocl_factor *at, int64_t row);

/* ---- ocl_number.c ---- */

/* One side of a statement. Its numbers are complex or real; a complex one has a name for each
 * part. */
typedef struct ocl_side {
    int buf;
    bool reals;  /* the statement counts reals */
    bool paired; /* complex numbers in a buffer of reals: two elements each */
    bool whole;  /* .. adjacent ones, at even indices: they are moved together */
    bool split;  /* re and im in arrays of their own */
    bool halves; /* re and im pass one buffer in turn, between registers: prog_buf.halves */
    ocl_place at;
} ocl_side;

typedef struct ocl_job {
    ocl *o;
    const prog_stmt *s;
    ocl_side in, out;
    ocl_factor factor[PROG_MAX_TWIDDLES];
    /* For an expression of reals: numbers read, and numbers to be written, part by part. */
    gen_var read[GEN_OUTPUTS], written[GEN_OUTPUTS];
} ocl_job;

ocl_side ocl_side_of(const ocl *o, const prog_stmt *s, bool out);
gen_name ocl_buffer_name(ocl *o, int buf, bool im);
/* The index of element 0 of a user's array in its buffer. */
int64_t ocl_shift_of(const ocl *o, int buf);
/* The text of a number that is two elements of a buffer of reals, accessed together. */
gen_name ocl_whole(ocl *o, const ocl_side *side, int i, bool out);
/* Is it an inverse transform, computed as the forward one with re and im exchanged? */
bool ocl_exchanges_re_im(const prog_stmt *s);
void ocl_swap_re_im(gen_var *x);
gen_var ocl_new_parts(gen_emit *e); /* names of two reals */
/* Loads number i of the input; multiplies number i of the output by its factors and stores it. */
gen_var ocl_load_number(gen_emit *e, const ocl_job *j, int i);
void ocl_finish_number(gen_emit *e, ocl_job *j, int i, gen_var x);

/* ---- ocl_stmt.c ---- */

/* Prints the statement for one item; if it moves elements, `i` is the item's element. */
void ocl_print_statement(ocl *o, const prog_stmt *s, int depth);
/* Copies part x or y of all numbers of a side in halves from registers to memory, or back. */
void ocl_print_half(ocl *o, const prog_stmt *s, bool out, char part, int depth);
/* The registers that hold what a statement that runs at once has read, or what it leaves for an
 * exchange in halves: their name, the count of numbers over all turns of an item, and the index of
 * number i of a turn. */
gen_name ocl_held_name(const ocl *o, const prog_stmt *s, bool out);
int64_t ocl_held_numbers(const ocl *o, const prog_stmt *s, bool out);
gen_name ocl_held_index(const ocl *o, const prog_stmt *s, bool out, int i);
/* Does the statement read all its input into such registers first, as it may overwrite it? */
bool ocl_holds(const ocl *o, const prog_stmt *s);

#endif
