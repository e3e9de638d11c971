// SPDX-License-Identifier: BSD-3-Clause
/* Candidates for a place come from these sources. A place that one codelet transposes, and one
 * whose elements lie apart, have only their own. Otherwise, in this order:
 * - of DFTs chains of stages (rules dft-stockham, dft-dif and dft-tiles, whose choices a dynamic
 *   program searches, radix.c)
 * - two stages that transpose (transposing_stages.c)
 * - of DFTs convolutions, if there are none so far, as n has a prime factor without a codelet
 *   (rules dft-bluestein and dft-rader, bluestein.c)
 * - of other kinds a codelet
 * - the rules of the target's table that belong to the group SPL_PLANNED, with their own choices
 *   (find_rules.c)
 * - rows computed as columns (rows_as_columns.c), columns as rows (columns_as_rows.c) */
#include "sched/planner/find.h"

#include "core/status.h"
#include "sched/planner/bluestein.h"
#include "sched/planner/columns_as_rows.h"
#include "sched/planner/groups.h"
#include "sched/planner/rows_as_columns.h"
#include "sched/planner/rows_last.h"
#include "sched/planner/rows_moved.h"
#include "sched/planner/rows_price.h"
#include "sched/planner/transposing_stages.h"

/* Keeps the lists whose stages all have at least min_columns columns; keeps all lists if none
 * does. */
static int keep_wide_stages(const sched_target *t, int64_t n, sched_radices *list, int count)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        bool fits = list[i].count > 1;
        for (int q = 0; q < list[i].count; q++)
            fits = fits && n / list[i].radix[q] >= t->around.min_columns;
        if (fits)
            list[kept++] = list[i];
    }
    return kept > 0 ? kept : count;
}

/* Should stages leave rows where they are? Yes beyond L2, and if rows share sets of L1. The last
 * radix must be even: the middle of a fold must lie between two rows of the last stage. */
static bool keeps_rows(const sched_radix_model *model, int64_t n, const sched_radices *x)
{
    const sched_prices prices = sched_prices_of(model, n);

    return x->count > 1 && x->radix[x->count - 1] % 2 == 0
           && (sched_exceeds_l2(&prices) || sched_rows_conflict(&prices, x->radix[0], 0));
}

/* Beyond L2 stages that go through scratch alone are priced as if their rows were those of the
 * array (measured). */
static bool rows_follow(const sched_radix_model *model, const sched_place *at)
{
    const sched_prices prices = sched_prices_of(model, at->n);

    return at->rows_out && !sched_exceeds_l2(&prices);
}

/* Chains whose stages work in place. For two stages, what stores their input orders the rows; for
 * any number, what reads their output finds the rows in their order. */
static void find_chains_in_place(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_radices list[SCHED_MAX_CANDIDATES];
    sched_radix_model model = sched_model(t, at->columns, at->batch);
    sluice_diag why = {0};
    int count = 0;

    model.in_place = true;
    model.gap = at->rows_out ? (int64_t)t->unit.line : 0;
    model.rows_follow = rows_follow(&model, at);
    model.tile = 0;
    const sluice_status status =
        sched_radices_find(&model, at->n, list, SCHED_MAX_CANDIDATES, &count, &why);
    if (status != SLUICE_OK)
        spl_refuse(t->ctx, status, "%s", why.message);
    for (int i = 0; i < count; i++)
        if (at->rows_out ? keeps_rows(&model, at->n, &list[i]) : list[i].count == 2)
            sched_list_insert(t->ctx, out, sched_in_place(t, &list[i], at->rows_out));
}

/* Split sides of small images are grouped by the number of parts (order_group.c), so the length of
 * the innermost loop depends on the parts. As choices must not, all rows count then. */
static sched_radix_model place_model(const sched_target *t, const sched_place *at)
{
    sched_radix_model model = sched_model(t, at->columns, at->batch);

    model.contiguous = t->around.contiguous && at->columns == 1;
    model.over_input = t->around.in_place_points == at->n;
    if (at->rows > 0 && !model.split)
        model.rows = at->rows;
    return model;
}

static sched_radix_model chain_model(const sched_target *t, const sched_place *at)
{
    sched_radix_model model = place_model(t, at);

    if (at->columns == 1 && !model.contiguous) /* its columns are not adjacent */
        model.shortest = model.lanes;
    model.use_as_single = t->around.use_as_single;
    model.largest = t->around.same_layout && !at->twiddled ? SCHED_MAX_UNTWIDDLED : SCHED_MAX_RADIX;
    model.twiddled = at->twiddled;
    model.rows_follow = rows_follow(&model, at);
    return model;
}

static void find_chains(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_radices list[SCHED_MAX_CANDIDATES];
    sched_radix_model model = chain_model(t, at);
    const bool rows_last = sched_may_be_rows_last(t, at, &model);
    sluice_diag why = {0};
    int count = 0;

    model.exposes_twiddles = rows_last && sched_hides_nothing(&model, at->n);
    const sluice_status status =
        sched_radices_find(&model, at->n, list, SCHED_MAX_CANDIDATES, &count, &why);
    if (status != SLUICE_OK)
        spl_refuse(t->ctx, status, "%s", why.message);
    if (t->around.min_columns > 0 && count > 0)
        count = keep_wide_stages(t, at->n, list, count);
    const sched_prices prices = sched_prices_of(&model, at->n);
    if (at->rows_out || (at->rows_in && sched_exceeds_l2(&prices)))
        find_chains_in_place(t, at, out); /* at the same price they go through scratch alone */
    for (int i = 0; i < count; i++)
        sched_list_insert(t->ctx, out, sched_stockham(t, &list[i], at->columns));
    if (rows_last)
        sched_rows_last_find(t, at, &model, out);
}

bool sched_may_have_columns(const sched_target *t)
{
    return t->backend && t->unit.groups == 0 && t->mode == BACKEND_FUSED && t->lanes > 1;
}

bool sched_has_lanes(const sched_target *t, spl_kind kind, int64_t n)
{
    const sched_radix_model model = sched_model(t, 1, t->lanes);

    return !sched_is_real_matrix(kind) || sched_kernel_cycles(&model, (int)kind, n, false) > 0;
}

bool sched_fills_lanes(const sched_target *t, const sched_place *at)
{
    const sched_radix_model model = chain_model(t, at);

    return at->strided == 0
           && (at->columns > 1
               || (model.batch > 1 && sched_has_lanes(t, at->kind, at->n)
                   && !sched_rows_go_alone(&model, (int)at->kind, at->n)));
}

/* A transform as one codelet, if its elements lie side by side. A real matrix acts on re and im of
 * complex numbers alike: complex columns count as twice as many columns of reals; a single complex
 * column is two columns that are not adjacent. */
static double leaf_cycles(const sched_radix_model *model, const sched_place *at)
{
    const bool real = sched_is_real_matrix(at->kind), parts = real && at->type == SPL_TYPE_COMPLEX;
    sched_radix_model own = *model;

    own.columns *= parts ? 2 : 1;
    if (parts && at->columns == 1) /* a scalar codelet takes a vector's time for each */
        return 4 * (double)model->lanes * sched_kernel_cycles(&own, (int)at->kind, at->n, false);
    const sched_prices prices = sched_prices_of(&own, at->n);
    return real && own.columns > 1 ? sched_reals_cycles(&prices, (int)at->kind)
                                   : sched_single_cycles(&prices, (int)at->kind);
}

static void find_leaf(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_radix_model model = place_model(t, at);

    if (t->around.use_as_single != BACKEND_SINGLE)
        return;
    if (!sched_is_real_matrix(at->kind) && t->around.reals && t->around.reals->columns == 1
        && at->columns == 1 && sched_may_share_calls(t, at->n, t->around.reals))
        model.batch = model.rows = t->around.reals->batch * t->batch_scale;
    model.use_as_single = BACKEND_SINGLE;
    model.largest = SCHED_MAX_UNTWIDDLED;
    sched_tree leaf = {.n = at->n, .cycles = leaf_cycles(&model, at)};
    if (leaf.cycles > 0 && sched_has_groups(t))
        leaf.cycles = sched_group_leaf_cycles(t, at);
    if (leaf.cycles > 0)
        sched_list_insert(t->ctx, out, &leaf);
}

/* The codelet that reads rows and writes columns, or the reverse. */
static void find_transposing_codelet(const sched_target *t, const sched_place *at, sched_list *out)
{
    const sched_radix_model model = sched_model(t, at->columns, at->batch);
    const sched_prices prices = sched_prices_of(&model, at->n);
    const sched_tree leaf = {
        .n = at->n, .cycles = sched_transposing_codelet_cycles(&prices, at->transposing_codelet)};

    sched_list_insert(t->ctx, out, &leaf);
}

/* The codelet that computes one column at a time. */
static void find_strided(const sched_target *t, const sched_place *at, sched_list *out)
{
    const sched_radix_model model = sched_model(t, at->columns, at->batch);
    const sched_prices prices = sched_prices_of(&model, at->n);
    const sched_tree leaf = {.n = at->n, .cycles = sched_strided_cycles(&prices, at->strided)};

    sched_list_insert(t->ctx, out, &leaf);
}

static void find_stages(const sched_target *t, const sched_place *at, sched_list *out)
{
    if (sched_has_groups(t))
        sched_groups_find(t, at, out);
    else
        find_chains(t, at, out);
}

static void find_convolutions(const sched_target *t, const sched_place *at, sched_list *out)
{
    if (sched_has_groups(t))
        sched_group_convolutions(t, at, out);
    if (out->count == 0 && spl_ctx_status(t->ctx, NULL) == SLUICE_OK)
        sched_find_convolutions(t, at->n, at->columns, out);
}

static void refuse_place(const sched_target *t, const sched_place *at)
{
    if (spl_is_dft_kind(at->kind))
        spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED,
                   "DFT_%lld has a prime factor without codelet and is too long for a chirp",
                   (long long)at->n);
    else
        spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "%s(%lld): no rule breaks it down yet",
                   spl_transform_of(at->kind)->word, (long long)at->n);
}

void sched_find_trees(const sched_target *t, const sched_place *at, sched_list *out)
{
    const bool is_dft = spl_is_dft_kind(at->kind);

    out->count = 0;
    if (at->transposing_codelet != SCHED_NOT_TRANSPOSING) {
        find_transposing_codelet(t, at, out);
        return;
    }
    if (at->strided > 0) {
        find_strided(t, at, out);
        return;
    }
    if (is_dft)
        find_stages(t, at, out);
    if (at->transposing_stages != SCHED_NOT_TRANSPOSING)
        sched_transposing_find(t, at, out);
    if (is_dft && out->count == 0)
        find_convolutions(t, at, out);
    if (!is_dft)
        find_leaf(t, at, out);
    sched_find_by_rules(t, at, out);
    if (at->as_columns)
        sched_rows_columns_find(t, at, out);
    sched_columns_rows_find(t, at, out);
    if (out->count == 0 && !t->around.allow_none)
        refuse_place(t, at);
}
