// SPDX-License-Identifier: BSD-3-Clause
/* A short row that is pairs P and a transform A takes a codelet call for each, some on a single
 * element. The factors of b rows share calls instead:
 *
 *     I_n (x) {P}_vec A = I_(n/b) (x) {I_b (x) P}_vec (I_b (x) A)
 *
 * The elements of P that do not fill a vector take one call for b rows instead of one call a row,
 * and so does a codelet that computes a whole row. b is such that four times b rows (read, folded,
 * transformed, written) fit L1. */
#include "sched/planner/rows_beside.h"

#include "sched/planner/rows_moved.h"
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

enum {
    QUARTER = 4,
    ENOUGH_BLOCKS = 8, /* for each part */
    /* rows of a block, at least, if it is read in order; twice that beyond L2, and for rows of
     * pairs only, where the block is fetched in a burst that computing waits for (measured) */
    LEAST_ROWS = 16
};

static bool is_pairs(const spl *x)
{
    return spl_untagged(x)->op == SPL_PAIRS;
}

/* Is a factor a codelet of the whole row? */
static bool is_whole(const spl *x)
{
    return spl_untagged(x)->op == SPL_TRANSFORM && spl_is_leaf(x);
}

/* Must a factor stay in the loop over rows, whose stages take it? Diagonals, and reals as complex
 * numbers. */
static bool stays(const spl *x)
{
    return x->op == SPL_DIAG_OF || x->op == SPL_DIAGONAL
           || (x->op == SPL_RETYPE && !spl_is_pair_view(x) && x->from != x->to);
}

/* Does a row consist of PAIRS and one codelet, besides folds? */
static bool is_short_calls(const spl *row)
{
    int pairs = 0, whole = 0, others = 0;

    for (int i = 0; row->op == SPL_MUL && i < row->nkids; i++) {
        pairs += is_pairs(row->kid[i]);
        whole += is_whole(row->kid[i]);
        others += stays(row->kid[i]);
    }
    return pairs > 0 && whole == 1 && others == 0;
}

static bool has_single_rows(const spl *row)
{
    bool has = false;

    for (int i = 0; i < row->nkids; i++) {
        const spl *x = spl_untagged(row->kid[i]);
        has = has || (x->op == SPL_PAIRS && spl_pairs_first(spl_pairs_kind_of(x)) > 0);
    }
    return has;
}

static int64_t bytes_of_row(const sched_target *t, const spl *row)
{
    const int64_t point = sched_complex_bytes(t->precision);

    return row->rows * (row->to == SPL_TYPE_REAL ? point / 2 : point);
}

static int64_t rows_of_block(const sched_target *t, const spl *row, int64_t n, int64_t unit,
                             bool shared)
{
    const int64_t bytes = bytes_of_row(t, row);
    const int64_t most = (int64_t)t->unit.l1 / (QUARTER * bytes);
    const int64_t blocks = shared && t->parts > 1 ? ENOUGH_BLOCKS * t->parts : 1;
    const bool far = 2 * n * bytes > sched_l2_bytes(t);
    const int64_t least = LEAST_ROWS * (has_single_rows(row) && !far ? 1 : 2);

    if (most < least && most < n)
        return 1;
    return sched_rows_of_unit(most < n / blocks ? most : n / blocks, n, unit);
}

static const spl *factor_beside(spl_ctx *ctx, const spl *x, const void *arg)
{
    const spl *const rows = spl_identity(ctx, *(const int64_t *)arg);

    return is_pairs(x) && x->op == SPL_TAG
               ? spl_tagged(ctx, spl_kron2(ctx, rows, spl_untagged(x)), x->ntags, x->tag)
               : spl_kron2(ctx, rows, x);
}

static const spl *block_of(const sched_target *t, const spl *row, int64_t rows, bool moved)
{
    return moved ? sched_moves_beside(t, row, rows) : spl_map(t->ctx, row, factor_beside, &rows);
}

/* x as a map from the run of `cols` elements at first_col to the run of `rows` elements at
 * first_row. */
static const spl *on_run(spl_ctx *ctx, const spl *x, int64_t first_row, int64_t first_col,
                         int64_t rows, int64_t cols)
{
    const spl *const factors[] = {
        spl_scatter(ctx, ix_h(ctx, x->rows, rows, first_row, 1), SPL_PLAIN), x,
        spl_gather(ctx, ix_h(ctx, x->cols, cols, first_col, 1), SPL_PLAIN)};

    return spl_mul(ctx, 3, factors);
}

const spl *sched_row_blocks(const sched_target *t, const spl *block, int64_t count, const spl *last,
                            int64_t shared)
{
    const spl *all = block ? spl_kron2(t->ctx, spl_identity(t->ctx, count), block) : NULL;

    all = all && shared > 0 && count > 1 ? sched_with_batch_spe(t, all, shared) : all;
    if (!all || !last)
        return all ? all : last;
    const int64_t rows = all->rows + last->rows, cols = all->cols + last->cols;
    const spl *const terms[] = {on_run(t->ctx, all, 0, 0, rows, cols),
                                on_run(t->ctx, last, all->rows, all->cols, rows, cols)};
    return spl_plus(t->ctx, 2, terms);
}

const spl *sched_rows_beside(const sched_target *t, const spl *row, int64_t n, int64_t unit,
                             bool shared)
{
    const bool moved = row && sched_is_moved_codelet(row);
    const bool may =
        t->mode == BACKEND_FUSED && t->unit.groups == 0 && (moved || (row && is_short_calls(row)));
    const int64_t rows = !may    ? 1
                         : moved ? sched_moved_rows(t, bytes_of_row(t, row), n, unit, shared)
                                 : rows_of_block(t, row, n, unit, shared);

    if (rows < 2)
        return sched_row_blocks(t, row, n, NULL, shared ? n : 0);
    const int64_t rest = n % rows;
    return sched_row_blocks(t, block_of(t, row, rows, moved), n / rows,
                            rest > 0 ? block_of(t, row, rest, moved) : NULL, shared ? n : 0);
}
