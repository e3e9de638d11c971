// SPDX-License-Identifier: BSD-3-Clause
/* Computes few columns of a matrix A as rows. Few columns, as in tall and narrow arrays, do not
 * fill vectors, or leave a tail: each step is a call on a few numbers, whereas a row has whole
 * vectors of its own points. So l columns are transposed, computed as rows, and transposed back:
 *
 *     A_n (x) I_l = L(nl,n) (I_l (x) A_n) L(nl,l)
 *
 * where each L is a loop of moves. */
#include "sched/planner/columns_as_rows.h"

#include "sched/planner/rows_beside.h"
#include "sched/planner/rows_moved.h"
#include "sched/planner/stage_price.h"
#include "spl/rules/rewrite.h"

/* At most this many candidates, to leave room for other kinds. */
enum { MOST_TREES = 2 };
/* Columns are few up to this many vectors of complex numbers. With more, the tail is a small part
 * and some transforms become slower (measured). */
enum { MOST_VECTORS = 8 };

/* Are there few columns, not whole vectors, of reals of a length without a codelet, or of numbers
 * that are convolved? False inside another transform. */
static bool are_few(const sched_target *t, const sched_place *at, const sched_list *columns)
{
    const bool reals = at->type == SPL_TYPE_REAL && sched_is_real_matrix(at->kind)
                       && !sched_has_lanes(t, at->kind, at->n);
    const bool convolved =
        spl_is_dft_kind(at->kind) && columns->count > 0 && sched_tree_convolves(columns->tree[0]);
    const int64_t lanes = at->type == SPL_TYPE_REAL ? 2 * t->lanes : t->lanes;

    return sched_may_have_columns(t) && !t->around.reals && at->columns > 1
           && at->columns % lanes != 0 && at->columns < MOST_VECTORS * t->lanes
           && (reals || convolved);
}

void sched_columns_rows_find(const sched_target *t, const sched_place *at, sched_list *out)
{
    const int64_t l = at->columns;
    sched_target own = *t;
    sched_place rows = {.kind = at->kind,
                        .type = at->type,
                        .n = at->n,
                        .columns = 1,
                        .batch = at->batch * l,
                        .rows = l,
                        .before = l};
    sched_list list;

    if (!are_few(t, at, out))
        return;
    own.around.allow_none = own.around.contiguous = true;
    own.around.uniform_points = at->n * l;
    sched_find_trees(&own, &rows, &list);
    for (int i = 0; i < list.count && i < MOST_TREES; i++) {
        const sched_tree x = {.rule = &spl_columns_rows,
                              .n = at->n,
                              .cycles = (double)l * list.tree[i]->cycles
                                        + 2 * sched_moved_cycles(at->n * l, price_transposed),
                              .nkids = 1,
                              .kid = {list.tree[i]}};
        sched_list_insert(t->ctx, out, &x);
    }
}

/* Moves a column of l at a time to rows of n, or back, in a loop. */
static const spl *transposed(const sched_target *t, int64_t n, int64_t l, bool back, bool share)
{
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, l);
    const ix_term of_column[] = {{IX_INDEX, 1, n, l}, {SPL_OUTER_VAR, 1, l, 1}};
    const ix *column = ix_digit(t->ctx, n, n * l, 0, 2, of_column);
    const ix *row = spl_row_ix(t->ctx, l, n, SPL_OUTER_VAR);
    const spl *loop = spl_sum(t->ctx, &range,
                              spl_mul2(t->ctx, spl_scatter(t->ctx, back ? column : row, SPL_PLAIN),
                                       spl_gather(t->ctx, back ? row : column, SPL_PLAIN)));

    return share ? sched_with_shares(t, loop) : loop;
}

const spl *sched_columns_rows_expand(const sched_target *t, const sched_tree *tree, spl_kind kind,
                                     int64_t l, sched_tags tags)
{
    const bool share = tags == SCHED_PARTS;
    sched_target own = *t;

    own.around.is_first = own.around.is_last = true;
    const spl *row = sched_expand(&own, tree->kid[0], kind, 1, SCHED_LANES);
    const spl *const factors[] = {transposed(t, tree->n, l, true, share),
                                  sched_rows_beside(&own, row, l, 0, share),
                                  transposed(t, tree->n, l, false, share)};

    return spl_mul(t->ctx, 3, factors);
}
