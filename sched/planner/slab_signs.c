// SPDX-License-Identifier: BSD-3-Clause
#include "sched/planner/slab_signs.h"

#include "sched/planner/rows_beside.h"
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

static bool is_twiddle(const spl *x)
{
    return x->op == SPL_DIAGONAL && spl_diagonal_values(x) == SPL_TWIDDLES;
}

/* Is x of the form I (x) y (x) I with is(y)? */
static bool holds(const spl *x, bool (*is)(const spl *))
{
    bool found = false;

    x = spl_untagged(x);
    for (int i = 0; x->op == SPL_KRON && i < x->nkids; i++)
        found = found || is(spl_untagged(x->kid[i]));
    return found || is(x);
}

/* The index of the factor of a row that takes a sign: twiddles, else a DFT; -1: none. */
static int place_of_sign(const spl *row)
{
    int dft = -1;

    for (int i = 0; row->op == SPL_MUL && i < row->nkids; i++) {
        if (holds(row->kid[i], is_twiddle))
            return i;
        dft = dft < 0 && holds(row->kid[i], spl_is_dft) ? i : dft;
    }
    return dft;
}

static const spl *negated(spl_ctx *ctx, const spl *x)
{
    return spl_mul2(ctx, spl_kron2(ctx, spl_identity(ctx, x->rows), spl_constant(ctx, -1)), x);
}

static const spl *negated_row(spl_ctx *ctx, const spl *row)
{
    const int at = place_of_sign(row);

    if (at < 0)
        return negated(ctx, row);
    const spl *factor = negated(ctx, row->kid[at]);
    return spl_splice(ctx, row, at, 1, 1, &factor);
}

/* Are `rows` I_r (x) row, or factors of this form, with an even r? */
static bool has_halves(const spl *rows)
{
    const int at = rows->op == SPL_MUL ? place_of_sign(rows) : -1;
    const spl *all = at < 0 ? rows : rows->kid[at];

    return all->op == SPL_KRON && all->kid[0]->op == SPL_I && all->kid[0]->rows % 2 == 0;
}

/* I_k (x) x, with another x in the second half. */
static const spl *halves(spl_ctx *ctx, const spl *all, const spl *(*other)(spl_ctx *, const spl *))
{
    const spl *x = spl_kron(ctx, all->nkids - 1, all->kid + 1);
    const spl *half = spl_identity(ctx, all->kid[0]->rows / 2);
    const spl *const kids[] = {spl_kron2(ctx, half, x), spl_kron2(ctx, half, other(ctx, x))};

    return spl_dsum(ctx, 2, kids);
}

/* Q_r (x) I on the left of `rows`. */
static const spl *with_half_negated(spl_ctx *ctx, const spl *rows)
{
    const int at = place_of_sign(rows);

    if (rows->op != SPL_MUL)
        return halves(ctx, rows, negated_row);
    const spl *factor = halves(ctx, rows->kid[at], negated);
    return spl_splice(ctx, rows, at, 1, 1, &factor);
}

const spl *sched_slab_rows(const sched_target *t, const spl *row, int64_t r, bool signs)
{
    const spl *rows = sched_rows_beside(t, row, r, r, false);

    if (signs && rows && !has_halves(rows))
        rows = spl_kron2(t->ctx, spl_identity(t->ctx, r), row);
    return signs && rows ? with_half_negated(t->ctx, rows) : rows;
}

const spl *sched_signs_past_order(const sched_target *t, const spl *signs, const spl *x, int64_t l)
{
    const spl *order = x->kid[0];
    const ix_term row = {IX_INDEX, l, order->rows / l, 1};
    const ix *f = ix_compose(t->ctx, ix_digit(t->ctx, order->rows, order->rows / l, 0, 1, &row),
                             ix_inverse(t->ctx, order->f));
    const spl *const factors[] = {order, spl_diag_of(t->ctx, signs, f),
                                  spl_mul(t->ctx, x->nkids - 1, x->kid + 1)};

    return spl_mul(t->ctx, 3, factors);
}
