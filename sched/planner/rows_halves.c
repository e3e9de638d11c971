// SPDX-License-Identifier: BSD-3-Clause
/* A row of reals by a rule such as rdft-half is a DFT of m complex numbers, half as many, with
 * stages of pairs P and Q on one side or both, and moves of reals M and N on either side, which
 * contain views of pairs as complex numbers. For b rows the DFT and its pairs act on columns of
 * complex numbers and all else on rows, so that pairs are moved whole:
 *
 *     I_b (x) M P DFT_m Q N = (I_b (x) M) L (P (x) I_b) (DFT_m (x) I_b) (Q (x) I_b) L' (I_b (x) N)
 */
#include "sched/planner/rows_halves.h"

#include "sched/planner/rows_transposed.h"

/* The index of the DFT among the factors of a row; -1: there is none. */
static int dft_at(const spl *row)
{
    for (int i = 0; row && row->op == SPL_MUL && i < row->nkids; i++) {
        const spl *x = spl_untagged(row->kid[i]);
        if (spl_is_dft(x) && !sched_is_trivial(x))
            return i;
    }
    return -1;
}

static bool is_pairs(const spl *row, int i)
{
    return i >= 0 && i < row->nkids && spl_untagged(row->kid[i])->op == SPL_PAIRS;
}

/* The factors of a row as if its DFT were a codelet; NULL: it has other transforms. */
static const spl *row_of(const sched_target *t, const sched_column_axis *a)
{
    const sched_tree codelet = {.n = a->tree->rule && a->tree->nkids == 1 ? a->tree->kid[0]->n : 0};
    sched_tree row = *a->tree;

    row.kid[0] = &codelet;
    return codelet.n > 0 ? sched_expand_rule(t, &row, a->kind, 1, SCHED_LANES) : NULL;
}

static const spl *of_rows(spl_ctx *ctx, const spl *x, int64_t rows)
{
    return spl_kron2(ctx, spl_identity(ctx, rows), x);
}

/* Factor i of a row on b columns: the DFT by its tree, or pairs. */
static const spl *of_columns(const sched_target *t, const sched_column_axis *a, const spl *row,
                             int i, int64_t b)
{
    const spl *x = spl_untagged(row->kid[i]);

    return x->op == SPL_PAIRS
               ? sched_with_columns(t, spl_kron2(t->ctx, x, spl_identity(t->ctx, b)), 0,
                                    SCHED_LANES)
               : sched_expand(t, a->tree->kid[0], spl_transform_kind(x), b, SCHED_LANES);
}

const spl *sched_halves_expand(const sched_target *t, const sched_column_axis *a, int64_t rows,
                               int64_t b)
{
    enum { EDGES = 2, MOVES = 2 };
    const spl *row = row_of(t, a);
    const int dft = dft_at(row);
    const spl **factor =
        dft < 0 ? NULL : spl_ctx_get(t->ctx, (size_t)(row->nkids + EDGES + MOVES) * sizeof *factor);
    int count = 0;

    if (!factor)
        return NULL;
    const int first = dft - is_pairs(row, dft - 1), last = dft + is_pairs(row, dft + 1);
    if (a->edges[1])
        factor[count++] = of_rows(t->ctx, a->edges[1], rows);
    for (int i = 0; i < row->nkids; i++) {
        if (i == first)
            factor[count++] = sched_columns_to_rows(t->ctx, row->kid[i]->rows, 1, rows, b);
        factor[count++] = i < first || i > last ? of_rows(t->ctx, row->kid[i], rows)
                                                : of_columns(t, a, row, i, b);
        if (i == last)
            factor[count++] = sched_rows_to_columns(t->ctx, row->kid[i]->cols, 1, rows, b);
    }
    if (a->edges[0])
        factor[count++] = of_rows(t->ctx, a->edges[0], rows);
    return spl_mul(t->ctx, count, factor);
}
