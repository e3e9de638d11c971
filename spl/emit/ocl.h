// SPDX-License-Identifier: BSD-3-Clause
/* Programs as OpenCL C: what the files that print them share.
 *
 * ocl_choose.c     what of a kernel is distributed to groups and items, and where its scratch is
 * ocl_order.c      how a stage's iterations are numbered for items
 * ocl_kernel.c     nests of loops as one kernel, with barriers between statements
 * ocl_items.c      a stage as work of items
 * ocl_place.c      where rows, elements and factors lie, as text
 * ocl_number.c     numbers between registers and memory, with their factors
 * ocl_stmt.c       a statement as code of one work-item
 * print_opencl.c   which kernels there are, launches, buffers: the program for hosts
 * ocl_describe.c   the same as a file that describes itself
 *
 * Statements at top level are kernels, since SYNC, a barrier of all parts, is the end of a kernel.
 * In a kernel
 *   PAR loop          groups, one iteration each; those of the next one follow where no SYNC is
 *                     between
 *   other loops around several statements
 *                     loops that all items of a group execute together, with barriers between
 *                     statements; without a PAR loop the outermost is distributed to groups where
 *                     its iterations share no scratch
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

/* How many arguments may be no tables: those of the roles before DEVICE_TABLE. */
enum { OCL_ARGS = DEVICE_TABLE };

/* A table of numbers on a diagonal, times a scale: entries first + i step, i < count; or of the
 * products of a statement's factors. */
typedef struct ocl_table {
    bind_factor_table product; /* stmt NULL: a diagonal's */
    spl_values values;
    int64_t n, m, first, step, count;
    double scale;
} ocl_table;

typedef struct ocl_kernel {
    size_t at, end; /* its statements: one, or loops distributed to groups without a SYNC between */
    core_text name;
    int64_t groups, items;
    /* The statement in work, its loop that is distributed to groups (nstmts: none), the first of
     * these. */
    size_t statement, group_loop;
    int64_t first_group;
    bool spread; /* the items of all groups share one nest */
    int stages;  /* statements besides loops */
    /* The scratch that is each group's own: elements lo..hi-1 of an arena; none if lo == hi. */
    prog_space store;
    int64_t lo, hi;
    bool spilled;
    int fallbacks; /* DEVICE_GROUPS_OF_LOOP .. */
    bool arg[OCL_ARGS];
    bool *table; /* by number */
    bool var[IX_MAX_VARS];
} ocl_kernel;

typedef struct ocl {
    const prog *p;
    const spl_opencl *options;
    device_program *out;
    const char *value;     /* f32 or f64 */
    int64_t element_bytes; /* of a complex number */
    spl_c c;               /* c.text: statements of the kernel in work; c.data: tables of indices */
    core_text kernels;
    ocl_kernel *kernel;
    int nkernels;
    ocl_table *table;
    int ntables;
    ocl_kernel *current_kernel;
    /* Of the stage in work, if they run at once, and of these an item's, one after the other. */
    int64_t iterations, turns;
    int64_t range[IX_MAX_VARS];     /* of the loops around */
    int hosts[IX_MAX_VARS], nhosts; /* .. that the host walks */
    int64_t spill;                  /* elements */
    sluice_status status;
    sluice_diag *why;
} ocl;

/* ---- ocl_choose.c ---- */

/* Keeps the first failure. */
void ocl_fail(ocl *o, sluice_status status);
/* Does a statement move elements, each on its own? Else it computes on its rows together. */
bool ocl_moves(const prog_stmt *s);
/* Elements of a statement that are items of their own; 1: it is one item's. */
int64_t ocl_elements(const ocl *o, const prog_stmt *s);
/* Does a statement count reals in a side, which its buffer then has too? Else complex numbers,
 * which are two elements each of a buffer of reals. */
bool ocl_counts_reals(const ocl *o, const prog_stmt *s, bool out);
/* Are elements 2i and 2i + 1 of a function side by side, the first at an even place? */
bool ocl_has_pairs(const ix *f);
/* Does a statement compute, and not only move? */
bool ocl_computes(const prog_stmt *s);
/* How many turns of a loop over a statement's iterations have their loads on their way together: so
 * many that half of what local memory holds is. */
int64_t ocl_unrolled(const ocl *o, const prog_stmt *s);
/* Fills in all but the kernel's name and arguments, from its first statement on. */
void ocl_choose(ocl *o, ocl_kernel *k);
/* Where a kernel that begins with a statement ends. */
size_t ocl_kernel_end(const prog *p, size_t at);
/* The kernel's next statement comes into work, or its first one. */
void ocl_begin_statement(ocl *o, ocl_kernel *k, size_t at);
/* From which of a stage's loops on are they distributed to items? Not those distributed to groups
 * or around them, nor one that a later one takes shares by. */
int ocl_first_item_loop(const ocl *o, const prog_stage *stage);
bool ocl_touches(const ocl *o, const ocl_kernel *k, int buf);
/* Is the input the output's memory with elements of another type? */
bool ocl_views_output(const ocl *o);
/* Is memory outside the local one both written and read by the kernel? */
bool ocl_reads_what_it_writes(const ocl *o, const ocl_kernel *k);

/* Is the factor of a row one, whatever the loops around are at? Their ranges are o->range. */
bool ocl_factor_is_one(const ocl *o, const prog_twiddle *w, int64_t row);

/* ---- ocl_order.c ---- */

/* The stage with its loops in the order in which items are numbered, the last one the fastest: that
 * with the fewest lines of memory and wavefronts of local memory. */
prog_stage ocl_in_order(const ocl *o, const prog_stage *stage);

/* ---- ocl_kernel.c ---- */

/* Prints the kernel of the statement `at`. */
void ocl_print_kernel(ocl *o, size_t at);
/* Items wait for what the others of their group read or wrote in local memory, or where it is
 * spilled. */
void ocl_print_wait(ocl *o, int depth);

/* ---- ocl_items.c ---- */

/* "seq" "par" "stream" "vec" */
const char *ocl_kind_name(const spl_range *r);
/* The bounds of a loop over shares. */
void ocl_print_share(ocl *o, const spl_range *r, int depth);
/* Do places or factors in a loop follow it, or shares of it? */
bool ocl_is_followed(const prog *p, size_t loop);
/* again: a loop goes through the stage more than once. */
void ocl_print_items(ocl *o, const prog_stage *stage, bool again, int depth);
/* A stage whose iterations run at once, one for each item, or of pairs in halves several. */
void ocl_print_at_once(ocl *o, const prog_stage *stage, int depth);
/* Statements one behind the other that leave what is to be passed in halves, or that take it. */
typedef struct ocl_phase {
    size_t at, end;
} ocl_phase;
/* re, then im of what one phase has left, through memory to the registers of the next. */
void ocl_print_exchange(ocl *o, ocl_phase from, ocl_phase to, int depth);

/* ---- ocl_place.c ---- */

/* Where the rows of a side lie, or an element of what moves: a part that the loops give, computed
 * once under a name, and a constant for every row; of a function of branches a name for each. */
enum { OCL_BRANCHES = 4 };
typedef struct ocl_place {
    const ix *f;
    char name[OCL_BRANCHES][16];
    int64_t shift;   /* the index of what the function calls 0 */
    bool is_list;    /* indices have no such form: they are in an array of that name */
    bool is_element; /* an index for each part of the element */
} ocl_place;

/* The factors of rows or of an element. */
typedef struct ocl_factor {
    prog_twiddle w; /* those of a table of products are roots, whose function is its own */
    ocl_table table;
    ocl_place at;  /* in the table */
    gen_name once; /* of all rows, as it is loaded once; empty: each has its own */
    ix own;
    ix_term term[IX_MAX_TERMS];
} ocl_factor;

void ocl_print_rows(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift, int depth);
/* Element i of one part, or of two, f(2i) and f(2i+1), of which so many are wanted. */
void ocl_print_element(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift,
                       int parts, int wanted, int depth);
/* The index of a row, or of a part of the element. */
gen_name ocl_index(const ocl_place *at, int64_t row);
bool ocl_is_real_factor(const prog_twiddle *w); /* entries have no imaginary part */
/* Have all rows, two or more, the same entry? */
bool ocl_is_one_factor(const prog_twiddle *w);
/* Are factors computed, not read? */
bool ocl_computes_factor(const ocl *o, const prog_twiddle *w);
/* Is factor k of a statement part of another's table? */
bool ocl_is_folded(const ocl *o, const prog_stmt *s, int k);
/* Which entries of which table the factors k of a statement are: the function, in the table. */
const ix *ocl_place_factor(const ocl *o, ocl_factor *at, const prog_stmt *s, int k);
void ocl_print_factor(ocl *o, ocl_factor *at, const char *name, const prog_stmt *s, int k,
                      int depth);
/* The entry of a table; empty: it is one. */
gen_name ocl_factor_at(ocl *o, const ocl_factor *at, int64_t row);

/* ---- ocl_number.c ---- */

/* A number is complex or real; a complex one has a name for each part. */
typedef struct ocl_side {
    int buf;
    bool reals;  /* the statement counts reals */
    bool paired; /* complex numbers in a buffer of reals: two elements each */
    bool whole;  /* .. which lie side by side, at even places: they are moved together */
    bool split;  /* re and im in arrays of their own */
    bool halves; /* re and im pass through one place, from and to registers: prog_buf.halves */
    ocl_place at;
} ocl_side;

typedef struct ocl_job {
    ocl *o;
    const prog_stmt *s;
    ocl_side in, out;
    ocl_factor factor[PROG_MAX_TWIDDLES];
    /* Of an expression of reals: what was read, and parts of what is to be written. */
    gen_var read[GEN_OUTPUTS], written[GEN_OUTPUTS];
} ocl_job;

ocl_side ocl_side_of(const ocl *o, const prog_stmt *s, bool out);
gen_name ocl_buffer_name(ocl *o, int buf, bool im);
/* What the first element of a user's array has as index. */
int64_t ocl_shift_of(const ocl *o, int buf);
/* A number's two elements of a buffer of reals, moved together. */
gen_name ocl_whole(ocl *o, const ocl_side *side, int i, bool out);
/* The inverse is the forward transform of re and im exchanged. */
bool ocl_exchanges_re_im(const prog_stmt *s);
void ocl_swap_re_im(gen_var *x);
gen_var ocl_new_parts(gen_emit *e); /* names of two reals */
/* Number i of the input; of the output, times its factors. */
gen_var ocl_load_number(gen_emit *e, const ocl_job *j, int i);
void ocl_finish_number(gen_emit *e, ocl_job *j, int i, gen_var x);

/* ---- ocl_stmt.c ---- */

/* The statement for one item; `i` is the item's element of what moves. */
void ocl_print_statement(ocl *o, const prog_stmt *s, int depth);
/* Part x or y of all numbers of a side that is in halves, from registers to memory or back. */
void ocl_print_half(ocl *o, const prog_stmt *s, bool out, char part, int depth);
/* The registers that hold what a statement at once reads, or what it leaves to be handed on in
 * halves; how many numbers they are, of all an item's turns, and which one is number i of a
 * turn. */
gen_name ocl_held_name(const ocl *o, const prog_stmt *s, bool out);
int64_t ocl_held_numbers(const ocl *o, const prog_stmt *s, bool out);
gen_name ocl_held_index(const ocl *o, const prog_stmt *s, bool out, int i);
/* Does it read memory that it writes as well, into such registers? */
bool ocl_holds(const ocl *o, const prog_stmt *s);

#endif
