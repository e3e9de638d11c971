// SPDX-License-Identifier: BSD-3-Clause
/* A row of reals without a codelet is computed by another transform C between moves of single
 * elements M, changes of type and stages of factors F: several calls on few numbers. b rows share
 * the calls:
 *
 *     I_b (x) M C F = (SUM(k<b) S(h_{kn,1}) M G(h_{km,1})) {I_b (x) C}_vec (I_b (x) F)
 *
 * The moves are one call for b rows, and C computes several rows in lanes. The sum is a loop,
 * because I_b (x) M as one permutation would have addresses without a constant stride. */
#include "sched/planner/rows_moved.h"

#include "sched/planner/groups.h"
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

/* An array of rows may fill 1/QUARTER of L1. */
enum { QUARTER = 4 };

/* At most `rows`, such that any rows left over are enough to share calls; 1: there is no such
 * number. */
static int64_t some_rows(int64_t rows, int64_t n)
{
    while (rows > 1 && n % rows != 0 && n % rows < SCHED_LEAST_MOVED_ROWS)
        rows--;
    return rows;
}

/* Rows may be folded: even ones from the front and odd ones from the back, or the first half next
 * to the second half. */
int64_t sched_rows_of_unit(int64_t rows, int64_t n, int64_t unit)
{
    if (unit == 0)
        return some_rows(rows < n ? rows : n, n);
    while (rows > 1 && rows != n && (rows % 2 != 0 || unit % (2 * rows) != 0))
        rows--;
    return rows;
}

int64_t sched_moved_rows(const sched_target *t, int64_t bytes, int64_t n, int64_t unit, bool shared)
{
    const int64_t most = (int64_t)t->unit.l1 / (QUARTER * bytes);
    const int64_t all = shared && t->parts > 1 ? n / t->parts : n;
    const int64_t some = sched_rows_of_unit(most < all ? most : all, n, unit);
    const int64_t rows = some < SCHED_LEAST_MOVED_ROWS || all == n ? n : some;

    if (n <= QUARTER * most && rows >= SCHED_LEAST_MOVED_ROWS)
        return rows;
    return some >= SCHED_LEAST_MOVED_ROWS ? some : 1;
}

bool sched_may_share_calls(const sched_target *t, int64_t n, const sched_place *at)
{
    const int64_t point = sched_complex_bytes(t->precision), rows = at->batch * t->batch_scale;
    const int64_t unit = at->one_batch ? 0 : at->batch > 1 ? at->before : rows;

    return !sched_has_groups(t) && n > 1
           && QUARTER * SCHED_LEAST_MOVED_ROWS * n * point <= (int64_t)t->unit.l1
           && sched_moved_rows(t, (n + 1) * point / 2, rows, unit, false) > 1;
}

bool sched_is_move(const spl *x)
{
    return x->op == SPL_PERM || x->op == SPL_GATH || x->op == SPL_SCAT;
}

bool sched_moves_in_runs(const spl *x)
{
    const ix *f = x->f;

    return f->kind == IX_DIGIT
           || (f->kind == IX_TWO && f->t->src == IX_INDEX && 2 * f->t->div >= f->n);
}

/* Is x a sum of moves, each of which writes elements of its own? */
static bool are_runs(const spl *x)
{
    bool are = x->op == SPL_PLUS;

    for (int i = 0; i < x->nkids && are; i++) {
        const spl *const *kid;
        const spl *run = x->kid[i];
        const int count = spl_factors(&run, &kid);
        for (int k = 0; k < count; k++)
            are = are && (sched_is_move(kid[k]) || kid[k]->op == SPL_RETYPE);
    }
    return are;
}

/* Is x a diagonal of factors, or the copy stage that multiplies by them? */
static bool is_factor(const spl *x)
{
    const spl *bare = spl_untagged(x);

    if (bare->op == SPL_KRON)
        return bare->nkids == 2
               && ((bare->kid[0]->op == SPL_I && is_factor(bare->kid[1]))
                   || (bare->kid[1]->op == SPL_I && is_factor(bare->kid[0])));
    return bare->op == SPL_DIAG_OF || bare->op == SPL_DIAGONAL || sched_is_trivial(bare);
}

static bool is_whole(const spl *x)
{
    const spl *bare = spl_untagged(x);

    return bare->op == SPL_TRANSFORM && spl_has_tag(x, SPL_TAG_LEAF) && !sched_is_trivial(bare);
}

bool sched_is_beside(const spl *x)
{
    return (sched_is_move(x) && sched_moves_in_runs(x)) || are_runs(x) || x->op == SPL_RETYPE
           || is_factor(x);
}

/* Do factors read what move i writes? */
static bool is_read_by_factors(const spl *x, int i)
{
    while (i > 0 && sched_is_move(x->kid[i - 1]))
        i--;
    return i > 0 && is_factor(x->kid[i - 1]);
}

bool sched_is_part_of_factors(const spl *x, int i)
{
    int end = i + 1;

    while (end < x->nkids && sched_is_move(x->kid[end]))
        end++;
    return is_read_by_factors(x, i) || (end < x->nkids && is_factor(x->kid[end]));
}

bool sched_is_padding_of_factors(const spl *x, int i)
{
    return x->kid[i]->op == SPL_SCAT && x->kid[i]->rows > x->kid[i]->cols
           && is_read_by_factors(x, i);
}

bool sched_is_moved_codelet(const spl *row)
{
    int whole = 0, moves = 0, others = 0;

    for (int i = 0; row->op == SPL_MUL && i < row->nkids; i++) {
        const spl *x = row->kid[i];
        if (is_whole(x))
            whole++;
        else if ((sched_is_move(x) && sched_moves_in_runs(x)) || are_runs(x))
            moves++;
        else
            others += !sched_is_beside(x);
    }
    return whole == 1 && moves > 0 && others == 0;
}

const spl *sched_loop_over_rows(spl_ctx *ctx, int64_t b, const spl *x)
{
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, b);

    if (!x)
        return NULL;
    const spl *const factors[] = {
        spl_scatter(ctx, spl_row_ix(ctx, b, x->rows, SPL_OUTER_VAR), SPL_PLAIN), x,
        spl_gather(ctx, spl_row_ix(ctx, b, x->cols, SPL_OUTER_VAR), SPL_PLAIN)};

    return spl_sum(ctx, &range, spl_mul(ctx, 3, factors));
}

/* Move i of a row as a gather: a loop goes through its output in order. If the next factor is a
 * move too and both together go through runs, they become one, and *end advances. */
static const spl *gathered(spl_ctx *ctx, const spl *row, int i, int *end)
{
    const spl *x = row->kid[i], *next = *end < row->nkids ? row->kid[*end] : x;
    const bool both =
        x->op != SPL_SCAT && next != x && (next->op == SPL_PERM || next->op == SPL_GATH);
    const spl *all = both ? spl_gather(ctx, ix_compose(ctx, next->f, x->f), SPL_PLAIN) : NULL;

    if (all && sched_moves_in_runs(all)) {
        ++*end;
        return all;
    }
    return x->op == SPL_PERM ? spl_gather(ctx, x->f, SPL_PLAIN) : x;
}

static const spl *runs_beside(spl_ctx *ctx, const spl *x, int64_t b)
{
    const spl **kid = spl_ctx_get(ctx, (size_t)x->nkids * sizeof *kid);

    for (int i = 0; kid && i < x->nkids; i++)
        kid[i] = sched_loop_over_rows(ctx, b, x->kid[i]);
    return kid ? spl_plus(ctx, x->nkids, kid) : NULL;
}

/* A DFT keeps a codelet that computes a row at a time, whose sums differ from those in lanes, so
 * that results do not depend on the number of rows. */
static const spl *whole_beside(const sched_target *t, const spl *x, const spl *rows)
{
    const spl *bare = spl_untagged(x);
    const spl *all = spl_kron2(t->ctx, rows, spl_mark_leaves(t->ctx, bare));

    return spl_is_dft(bare) ? all : sched_with_vec(t, all);
}

/* The end of the factors from i on that are one stage: factors of elements with the adjacent moves.
 * i if there is no such stage. */
static int stage_end(const spl *row, int i)
{
    int end = i;
    bool factor = false;

    for (; end < row->nkids && (sched_is_move(row->kid[end]) || is_factor(row->kid[end])); end++)
        factor = factor || is_factor(row->kid[end]);
    return factor ? end : i;
}

const spl *sched_moves_beside(const sched_target *t, const spl *row, int64_t b)
{
    spl_ctx *ctx = t->ctx;
    const spl *rows = spl_identity(ctx, b);
    const spl **made = spl_ctx_get(ctx, (size_t)row->nkids * sizeof *made);
    int count = 0;

    for (int i = 0, end; made && i < row->nkids; i = end) {
        const spl *x = row->kid[i];
        const int stage = stage_end(row, i);
        end = stage > i ? stage : i + 1;
        if (stage > i)
            made[count++] = spl_kron2(ctx, rows, spl_mul(ctx, stage - i, row->kid + i));
        else if (x->op == SPL_RETYPE)
            made[count++] = spl_retyped(ctx, (spl_retype)x->a[1], b * x->a[0]);
        else if (is_whole(x))
            made[count++] = whole_beside(t, x, rows);
        else
            made[count++] = are_runs(x) ? runs_beside(ctx, x, b)
                                        : sched_loop_over_rows(ctx, b, gathered(ctx, row, i, &end));
    }
    return made ? spl_mul(ctx, count, made) : NULL;
}
