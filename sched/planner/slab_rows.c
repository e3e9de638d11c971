// SPDX-License-Identifier: BSD-3-Clause
/* Columns whose stages write the rows that they read end with
 *
 *     G  V^-1  D  (I_a (x) F (DFT_r (x) I_l))
 *
 * where G is the order of n = a r rows, F and D are factors of rows, and V^-1 is present if the
 * rows are reals. Rows do not depend on each other, so
 *
 *     (I_n (x) row) G V^-1 D (I_a (x) F (DFT_r (x) I_l))
 *         = S  SUM(k<a, S_k (I_r (x) row) V^-1 D_k F (DFT_r (x) I_l) G_k),   S = G^-1,
 *
 * where D_k are the factors of block k, and S_k and G_k access its rows: the transpose of rule
 * slab. */
#include "sched/planner/slab_rows.h"

#include "sched/planner/rows_beside.h"
#include "sched/planner/stockham.h"
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

enum { MAX_ORDERS = 4, MAX_FACTORS = 4 };

/* The factors of such columns. */
typedef struct slabs {
    const spl *const *factor;
    int orders;       /* gathers at the beginning */
    bool view;        /* a view follows them */
    int first, stage; /* diagonals follow, then a stage */
    int64_t a, r, l;
} slabs;

static bool is_factor_of_rows(const spl *x)
{
    return x->op == SPL_DIAG_OF
           || (x->op == SPL_KRON && x->nkids == 3 && x->kid[0]->op == SPL_I
               && x->kid[1]->op == SPL_DIAG_OF);
}

static bool take_apart(const spl *x, slabs *s)
{
    if (!x || x->op != SPL_MUL)
        return false;
    s->factor = x->kid;
    while (s->orders < x->nkids && x->kid[s->orders]->op == SPL_GATH)
        s->orders++;
    s->first = s->orders;
    s->view = s->first < x->nkids && spl_is_pair_view(x->kid[s->first]);
    s->first += s->view;
    s->stage = s->first;
    while (s->stage < x->nkids && is_factor_of_rows(x->kid[s->stage]))
        s->stage++;
    if (s->stage == x->nkids || s->orders == 0 || s->orders > MAX_ORDERS
        || s->stage - s->first > MAX_FACTORS)
        return false;
    const spl *stage = spl_untagged(x->kid[s->stage]);
    if (stage->op != SPL_KRON || stage->nkids != 3 || stage->kid[0]->op != SPL_I
        || spl_untagged(stage->kid[1])->op != SPL_TRANSFORM || stage->kid[2]->op != SPL_I)
        return false;
    s->a = stage->kid[0]->rows;
    s->r = stage->kid[1]->rows;
    s->l = stage->kid[2]->rows;
    return true;
}

/* The rows of block k, of a blocks with `points` elements each. */
static const ix *rows_of_block(spl_ctx *ctx, int64_t a, int64_t points)
{
    return ix_h_var(ctx, points, a * points, SPL_OUTER_VAR, a, points, 1);
}

/* A factor of rows, restricted to block k. NULL: its digits are not those of blocks. */
static const spl *factor_of_block(spl_ctx *ctx, const spl *x, const slabs *s)
{
    if (x->op == SPL_DIAG_OF)
        return spl_diag_of(ctx, x, ix_compose(ctx, x->f, rows_of_block(ctx, s->a, s->r * s->l)));
    return x->kid[0]->rows == s->a ? spl_kron2(ctx, x->kid[1], x->kid[2]) : NULL;
}

/* The inverse of an order of n rows, on rows of `points` elements. NULL: it has no closed form. */
static const ix *order_undone(spl_ctx *ctx, const ix *f, int64_t n, int64_t points)
{
    const int64_t row = f->n / n;
    const ix_term number = {IX_INDEX, row, n, 1};
    const ix *rows = ix_compose(ctx, ix_digit(ctx, f->n, n, 0, 1, &number),
                                ix_compose(ctx, f, ix_h(ctx, n, f->n, 0, row)));
    const ix *undone = rows ? ix_inverse(ctx, rows) : NULL;

    if (!undone || undone->kind == IX_TABLE || undone->kind == IX_OPAQUE)
        return NULL;
    return ix_tensor(ctx, undone, ix_id(ctx, points));
}

/* A block: from the results of the stage before it to rows of the output, in the order of
 * stages. */
static const spl *block_formula(const sched_target *t, const spl *row, const slabs *s)
{
    spl_ctx *ctx = t->ctx;
    const spl *stage = spl_untagged(s->factor[s->stage]), *factors[MAX_FACTORS + 5];
    int count = 0;

    factors[count++] = spl_scatter(ctx, rows_of_block(ctx, s->a, s->r * row->rows), SPL_PLAIN);
    factors[count++] = sched_rows_beside(t, row, s->r, s->r, false);
    if (s->view)
        factors[count++] = spl_retyped(ctx, SPL_RETYPE_UNVIEW, s->r * s->l);
    for (int i = s->first; i < s->stage; i++) {
        factors[count] = factor_of_block(ctx, s->factor[i], s);
        if (!factors[count++])
            return NULL;
    }
    factors[count++] = sched_with_vec(t, spl_kron2(ctx, stage->kid[1], stage->kid[2]));
    factors[count++] = spl_gather(ctx, rows_of_block(ctx, s->a, s->r * s->l), SPL_PLAIN);
    return spl_mul(ctx, count, factors);
}

/* Rows of a block lie apart in the output. If they are shorter than a page, hardware cannot predict
 * the order of writes, which costs more than the pass through memory that is saved
 * (docs/log/cosines.md). */
static bool fill_pages(const sched_target *t, const spl *row)
{
    const int64_t point = sched_complex_bytes(t->precision);

    return row->rows * (row->to == SPL_TYPE_REAL ? point / 2 : point) >= SCHED_ALIAS_BYTES;
}

const spl *sched_rows_in_slabs(const sched_target *t, const spl *row, const spl *columns, int64_t n,
                               int64_t most)
{
    slabs s = {0};
    const spl *factors[MAX_ORDERS + 2];

    if (!row || row->height > 0 || !fill_pages(t, row) || !take_apart(columns, &s) || s.a * s.r != n
        || s.r * s.l > most)
        return NULL;
    for (int i = 0; i < s.orders; i++) {
        const ix *undone = order_undone(t->ctx, s.factor[i]->f, n, row->rows);
        if (!undone)
            return NULL;
        factors[i] = spl_scatter(t->ctx, undone, SPL_PLAIN);
    }
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, s.a);
    const spl *block = block_formula(t, row, &s);
    if (!block)
        return NULL;
    factors[s.orders] = sched_with_shares(t, spl_sum(t->ctx, &range, block));
    factors[s.orders + 1] =
        spl_mul(t->ctx, columns->nkids - s.stage - 1, columns->kid + s.stage + 1);
    return spl_mul(t->ctx, s.orders + 2, factors);
}
