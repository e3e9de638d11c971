// SPDX-License-Identifier: BSD-3-Clause
/* For rules and the planner: views of nodes, loops around S(f) A G(f), cases as text. */
#ifndef SPL_REWRITE_H
#define SPL_REWRITE_H

#include "spl/rules/rule.h"

typedef enum spl_shape {
    SPL_SHAPE_MOVEMENT =
        0,          /* I, L, T, C, .., G, S, V, permutations, diagonals, their products: no loop */
    SPL_SHAPE_LEAF, /* a codelet                                                               */
    SPL_SHAPE_PRODUCT, /* A * B * .., or A (x) B (x) .. without outer identities                  */
    SPL_SHAPE_KRON,    /* I_a (x) A (x) I_b with a > 1 or b > 1                                   */
    SPL_SHAPE_OTHER    /* a transform to be broken down, loops, unequal direct sums               */
} spl_shape;

/* x = {base}_{rest, outer}, base = I_a (x) A_m (x) I_b. */
typedef struct spl_view {
    spl_shape shape;
    const spl *base;
    spl_tag outer; /* the outermost tag besides leaf; kind SPL_TAG_COUNT: none */
    int nrest;     /* the other tags, leaf included                            */
    const spl_tag *rest;
    int64_t a, m, b; /* m: rows of A */
    int nmid;        /* A is the Kronecker product of mid[0..nmid-1], or base if nmid is 0 */
    const spl *const *mid;
} spl_view;

spl_view spl_view_of(const spl *x);
const spl *spl_view_mid(spl_ctx *ctx, const spl_view *v); /* A; several factors: as row-column */
/* {I_a (x) A (x) I_b}_{the first nrest of v's rest} */
const spl *spl_view_inner(spl_ctx *ctx, const spl_view *v, int64_t a, int64_t b, int nrest);
bool spl_view_leaf(const spl_view *v);                              /* is A a leaf? */
const spl_tag *spl_view_rest(const spl_view *v, spl_tag_kind kind); /* outermost; NULL: none */

/* Choices of a rule whose parameter divides n, from 2 to n/2, ascending; returns their number. */
int spl_list_factors(int64_t n, spl_params *out, int max);
/* The parameter of merge rules. */
enum { SPL_OUTSIDE_LOOPS = 0, SPL_INSIDE_LOOPS };

/* Do `count` parts or blocks share the rows I_a, and not the columns I_b? */
bool spl_takes_rows(const spl_view *v, int64_t count);

bool spl_is_leaf(const spl *x); /* {A}_{leaf}, A a transform, or a kernel of pairs */
bool spl_is_data_movement(const spl *x);
bool spl_all_equal(const spl *x); /* is it I_n (x) A, written as a direct sum? */
bool spl_contains_tag(const spl *x,
                      spl_tag_kind kind); /* does x hold such a tag (spe: or a PAR loop)? */

/* I_a (x) x (x) I_b for x with spl_is_data_movement (spl/rules/movement.c). */
const spl *spl_movement_to_sigma(spl_ctx *ctx, const spl *x, int64_t a, int64_t b);
/* (K1 (x) I ..)(I (x) K2 (x) I ..) .. of the Kronecker product of kids. */
const spl *spl_row_column_of(spl_ctx *ctx, int count, const spl *const *kids);
/* The node x with other operands. */
const spl *spl_with_kids(spl_ctx *ctx, const spl *x, const spl *const *kids);
/* f applied to every kid of x; x itself if none changed. */
typedef const spl *spl_map_fn(spl_ctx *ctx, const spl *kid, const void *arg);
const spl *spl_map(spl_ctx *ctx, const spl *x, spl_map_fn *f, const void *arg);

/* The functions by which a loop's body writes and reads: it may have fewer rows than columns, or
 * more. */
typedef struct spl_ends {
    const ix *out, *in;
} spl_ends;
/* S.cls(f.out) body G.cls(f.in) */
const spl *spl_wrap(spl_ctx *ctx, spl_ends f, spl_class cls, const spl *body);
/* Ends of the var-th A of I_n (x) A, of the var-th column of A (x) I_n, and of the var-th of n div
 * w tiles of w columns of A (x) I_n, whose body is A (x) I_w. */
spl_ends spl_row_ends(spl_ctx *ctx, int64_t n, int var, const spl *body);
spl_ends spl_column_ends(spl_ctx *ctx, int64_t n, int var, const spl *body);
spl_ends spl_tile_ends(spl_ctx *ctx, int64_t n, int64_t w, int var, const spl *body);
/* tiles + S rest G: rest is A (x) I_r on the last r of n columns, which no tile contains. */
const spl *spl_with_rest(spl_ctx *ctx, const spl *tiles, int64_t n, int64_t r, const spl *rest);
/* I_n (x) body and body (x) I_n as loops, one after the other. */
const spl *spl_loop_rows(spl_ctx *ctx, int64_t n, const spl *body);
const spl *spl_loop_columns(spl_ctx *ctx, int64_t n, const spl *body);
/* DFT_1 (x) I_n: a stage that moves elements, for diagonals and moves next to it to merge into. */
const spl *spl_copy_stage(spl_ctx *ctx, int64_t n);
/* I_n; EMBED_n, RE_n: as a loop over runs (spl/rules/movement.c). */
const spl *spl_identity_in_runs(spl_ctx *ctx, int64_t n);
/* The length of the runs in which n elements are copied: the largest divisor up to 64; if that is
 * below 16, the next larger divisor up to the root of n, else n itself. */
int64_t spl_run_within(int64_t n);
/* Rule odd-columns around x, which is V^-1 times an operator on pairs of columns: maps `cols` rows
 * of l columns of reals, l odd, to `rows` rows. */
const spl *spl_between_odd_rows(spl_ctx *ctx, const spl *x, int64_t rows, int64_t cols, int64_t l);
spl_range spl_range_over(spl_loop kind, int var, int64_t n);
spl_range spl_range_shared(int var, int64_t n, int share_var, int64_t shares, int64_t grain);
/* h_{vm,1} of I_n (x) A_m */
const ix *spl_row_ix(spl_ctx *ctx, int64_t n, int64_t m, int var);

/* SUM.par(k<p) body */
const spl *spl_parts(spl_ctx *ctx, int var, int64_t p, const spl *body);
/* If v carries vec, the loop over leaf columns or rows becomes the lane loop; its shares begin at
 * multiples of nu unless they have another grain. */
void spl_range_lanes(spl_range *range, const spl_view *v);
/* 1 + the largest variable bound in x, which is the variable for a loop around x; 0 for NULL. */
int spl_height(const spl *x);
/* The variable for a loop around a formula whose own loops are made later, numbered from 0 on: half
 * of all variables remain for these, the others for loops around this one. */
enum { SPL_OUTER_VAR = IX_MAX_VARS / 2 };

/* Refusing in a guard: `return spl_unless(refusal, condition, "sentence");` */
bool spl_unless(const char **refusal, bool condition, const char *sentence);
/* test_case from a NULL-terminated list of formulas as text. */
bool spl_text_case(spl_ctx *ctx, const char *const *cases, int i, const spl **x);

/* May a loop of the one tag enclose loops of the other? `reason`: the refusal, or the rule that
 * handles it (spl/rules/nest.c). */
typedef struct spl_nest {
    bool allowed;
    const char *reason;
} spl_nest;
const spl_nest *spl_nest_of(spl_tag_kind outer, spl_tag_kind inner);
/* May v's outer tag enclose everything inside it? */
bool spl_nests(const spl_view *v, const char **refusal);

/* Shares of n rows or columns: there may be more shares than rows (some are empty), up to this
 * limit. */
enum { SPL_EMPTY_SHARES = 65536 };
bool spl_shares_fit(int64_t shares, int64_t n);

/* Guard of all rules for spe: is x = {I_a (x) A (x) I_b}_{.., spe} with no spe inside? */
bool spl_is_distributable(const spl *x, const char **refusal);

#endif
