// SPDX-License-Identifier: BSD-3-Clause
/* Rules that break one real transform down into one product. Their guards, test cases and most of
 * the record are the same. A file defines
 *     static const spl *NAME_of(spl_ctx *ctx, int64_t n)
 * which builds the right-hand side, before it uses SPL_RECIPE. */
#ifndef SPL_RECIPE_H
#define SPL_RECIPE_H

#include "spl/rules/rewrite.h"

#include <stddef.h>

typedef enum spl_sizes {
    SPL_SIZES_ALL = 0,
    SPL_SIZES_EVEN,
    SPL_SIZES_ODD,
    SPL_SIZES_ODD_FROM_3
} spl_sizes;

typedef struct spl_recipe {
    spl_kind kind;
    spl_sizes sizes;
} spl_recipe;

bool spl_recipe_fits(const spl_recipe *r, const spl *x, const char **refusal);
/* Every size to 33, and a transform of another kind. */
bool spl_recipe_case(const spl_recipe *r, spl_ctx *ctx, int i, const spl **x, spl_params *p);

/* The first n of `all` elements. */
const spl *spl_first_rows(spl_ctx *ctx, int64_t n, int64_t all);
/* J: reverses the order of the elements */
const spl *spl_reversal(spl_ctx *ctx, int64_t n);
/* diag(1, -1, 1, ..) of 2m reals: V^-1 CONJ V */
const spl *spl_alternating(spl_ctx *ctx, int64_t m);
/* PAIRS DFT_m V_m, and V_m^-1 IDFT_m PAIRS; if the outer side of the pairs has complex rows, with
 * V_m^-1 before the first product, or V_m after the second. */
const spl *spl_recipe_pairs_last(spl_ctx *ctx, spl_pairs_kind kind, int64_t m);
const spl *spl_recipe_pairs_first(spl_ctx *ctx, spl_pairs_kind kind, int64_t m);

/* Exponents first + step k, k < rows, of roots of order `period`. They are in order if no product
 * overflows; otherwise sums of multiples of k mod 2 and of k div 2 modulo the period. */
const ix *spl_recipe_exponents(spl_ctx *ctx, int64_t rows, int64_t period, int64_t first,
                               int64_t step);

/* Two runs of reals: `first` reals of a run from b0 on with step s, the others of one from b1 on
 * with step -s. The output is in order; with `from_order` the input is. */
typedef struct spl_two_runs {
    int64_t n, first, all; /* on the side that is in order; elements of the other side */
    int64_t b0, b1, s;
    bool from_order;
} spl_two_runs;

const spl *spl_moved_runs(spl_ctx *ctx, const spl_two_runs *r);
/* Reals from re of rows k and im of rows n-k of a half-spectrum. With `back` the inverse, which
 * sets the imaginary parts of rows 0 and n/2 to 0. */
const spl *spl_half_parts(spl_ctx *ctx, int64_t n, bool back);

/* The functions of a rule. */
#define SPL_RECIPE(id, transform, which)                                                           \
    static const spl_recipe id = {transform, which};                                               \
    static bool id##_guard(const spl *x, const spl_params *p, const char **refusal)                \
    {                                                                                              \
        (void)p;                                                                                   \
        return spl_recipe_fits(&id, x, refusal);                                                   \
    }                                                                                              \
    static const spl *id##_build(spl_ctx *ctx, const spl *x, const spl_params *p)                  \
    {                                                                                              \
        (void)p;                                                                                   \
        return id##_of(ctx, spl_transform_size(x));                                                \
    }                                                                                              \
    static bool id##_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)                       \
    {                                                                                              \
        return spl_recipe_case(&id, ctx, i, x, p);                                                 \
    }

/* The fields of its record besides name, formula and reference: for a rule that the planner prices,
 * and for one that is only typed by users. */
#define SPL_RECIPE_FIELDS(id) .guard = id##_guard, .build = id##_build, .test_case = id##_case
#define SPL_RECIPE_OF(id) .group = SPL_PLANNED, SPL_RECIPE_FIELDS(id)
#define SPL_RECIPE_TYPED(id) .group = SPL_BREAKDOWN, SPL_RECIPE_FIELDS(id)

#endif
