// SPDX-License-Identifier: BSD-3-Clause
/* Moves rows to columns of a block, in a loop over the rows:
 *
 *     L = SUM(k<b) S(column k) G(row k)
 *
 * A right-hand side may move reals at its ends: M V^-1 A or A V N, where M and N are sums of moves
 * and V views pairs of reals as complex numbers. Such pairs are adjacent in rows and in columns of
 * complex numbers, but not in columns of reals. For b rows A acts on columns, M and N become part
 * of the moves, and V acts on whole blocks:
 *
 *     I_b (x) M V_n^-1 A = (SUM(k<b) S(row k) M G(pairs of column k)) V_nb^-1 (A (x) I_b) L */
#include "sched/planner/rows_transposed.h"

#include "sched/planner/rows_moved.h"
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

static bool is_view(const spl *x, spl_retype kind)
{
    return x->op == SPL_RETYPE && x->a[1] == (int64_t)kind;
}

/* Is x a move at a constant stride, or one of two such parts? */
static bool is_run(const spl *x)
{
    return sched_is_move(x) && (x->f->kind == IX_DIGIT || x->f->kind == IX_TWO);
}

/* Is x a move, or a sum of moves, each of which may change types? */
static bool is_end(const spl *x)
{
    bool moves = x->op == SPL_PLUS || (is_run(x) && x->f->kind == IX_DIGIT);

    for (int i = 0; x->op == SPL_PLUS && i < x->nkids; i++) {
        const spl *const *kid;
        const spl *term = x->kid[i];
        const int count = spl_factors(&term, &kid);
        for (int k = 0; k < count; k++)
            moves = moves && (is_run(kid[k]) || kid[k]->op == SPL_RETYPE);
    }
    return moves;
}

static bool is_no_core(const spl *x)
{
    return spl_is_pair_view(x) || x->op == SPL_PAIRS;
}

bool sched_ends_of(spl_ctx *ctx, const spl *made, sched_ends *out)
{
    const int n = made->op == SPL_MUL ? made->nkids : 0;
    int first = 0, last = n;

    *out = (sched_ends){.core = NULL};
    if (n > 0 && is_end(made->kid[0]))
        out->end[1].moves = made->kid[first++];
    if (first > 0 && first < n && is_view(made->kid[first], SPL_RETYPE_UNVIEW)) {
        out->end[1].pairs = true;
        first++;
    }
    if (last > first && is_end(made->kid[n - 1]))
        out->end[0].moves = made->kid[--last];
    if (last < n && last > first && is_view(made->kid[last - 1], SPL_RETYPE_VIEW)) {
        out->end[0].pairs = true;
        last--;
    }
    if (first >= last || last - first == n)
        return false;
    out->core = spl_mul(ctx, last - first, made->kid + first);
    return out->core && !sched_has(out->core, is_no_core);
}

/* The variable of a loop over runs of a row. */
enum { RUN_VAR = SPL_OUTER_VAR + 1 };

/* Rows and columns of a block. */
typedef struct block {
    spl_ctx *ctx;
    int64_t n, m;      /* elements of a row, of a column */
    int64_t runs;      /* loops over a row, one for each run; 1 if there are ends */
    int64_t all, rows; /* rows of the batch; rows of a loop, the first ones */
    int64_t step, at;  /* step 0: always the last row; at: first column */
    int64_t b;
    bool pairs, back;
} block;

static const ix *row_of(const block *x)
{
    const int64_t n = x->n / x->runs;
    const ix_term digits[] = {{IX_INDEX, 1, n, 1},
                              {RUN_VAR, 1, x->runs, n},
                              {SPL_OUTER_VAR, 1, x->rows, x->step ? x->n : 0}};

    return ix_digit(x->ctx, n, x->n * x->all, x->step ? 0 : (x->all - 1) * x->n, 3, digits);
}

static const ix *column_of(const block *x)
{
    const int64_t m = x->m / x->runs;
    const ix_term number[] = {
        {IX_INDEX, 1, m, x->b}, {RUN_VAR, 1, x->runs, m * x->b}, {SPL_OUTER_VAR, 1, x->rows, 1}};
    const ix_term pairs[] = {
        {IX_INDEX, 1, 2, 1}, {IX_INDEX, 2, x->m / 2, 2 * x->b}, {SPL_OUTER_VAR, 1, x->rows, 2}};

    return x->pairs ? ix_digit(x->ctx, x->m, x->m * x->b, 2 * x->at, 3, pairs)
                    : ix_digit(x->ctx, m, x->m * x->b, x->at, 3, number);
}

/* A loop of moves of a row, or of a run of it, at a time, through `move` of the end; NULL: there is
 * no end. */
static const spl *loop_of(const block *x, const spl *move)
{
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, x->rows);
    const spl_range runs = spl_range_over(SPL_SEQ, RUN_VAR, x->runs);
    const ix *row = row_of(x), *column = column_of(x);
    const spl *factors[3] = {spl_scatter(x->ctx, x->back ? row : column, SPL_PLAIN)};
    int count = 1;

    if (move)
        factors[count++] = move;
    factors[count++] = spl_gather(x->ctx, x->back ? column : row, SPL_PLAIN);
    const spl *loop = spl_sum(x->ctx, &range, spl_mul(x->ctx, count, factors));
    return x->runs > 1 ? spl_sum(x->ctx, &runs, loop) : loop;
}

static const spl *loops_of(const block *x, const spl *moves)
{
    const int count = moves && moves->op == SPL_PLUS ? moves->nkids : 1;
    const spl *const *move = count > 1 ? moves->kid : &moves;
    const bool rest = !x->back && x->rows < x->b;
    const spl **loop = spl_ctx_get(x->ctx, (size_t)count * 2 * sizeof *loop);
    block last = *x;

    last.rows = x->b - x->rows;
    last.step = 0;
    last.at = x->rows;
    for (int i = 0; loop && i < count; i++) {
        loop[i] = loop_of(x, move[i]);
        loop[count + i] = rest ? loop_of(&last, move[i]) : NULL;
    }
    return loop ? spl_plus(x->ctx, rest ? 2 * count : count, loop) : NULL;
}

/* A block of rows without an end. */
static block plain_block(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b)
{
    return (block){
        .ctx = ctx, .n = n, .m = n, .runs = runs, .all = rows, .rows = rows, .step = 1, .b = b};
}

const spl *sched_rows_to_columns(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b)
{
    const block x = plain_block(ctx, n, runs, rows, b);

    return loops_of(&x, NULL);
}

const spl *sched_columns_to_rows(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b)
{
    block x = plain_block(ctx, n, runs, rows, b);

    x.back = true;
    return loops_of(&x, NULL);
}

const spl *sched_end_transposed(spl_ctx *ctx, const sched_ends *ends, int side, int64_t n,
                                int64_t rows, int64_t b)
{
    const sched_end *end = &ends->end[side];
    const bool back = side == 1;
    const int64_t m = !end->moves ? n : back ? end->moves->cols : end->moves->rows;
    const block x = {.ctx = ctx,
                     .n = n,
                     .m = m,
                     .runs = 1,
                     .all = rows,
                     .rows = rows,
                     .step = 1,
                     .b = b,
                     .pairs = end->pairs,
                     .back = back};
    const spl *all = loops_of(&x, end->moves);

    if (!end->pairs)
        return all;
    const spl *view = spl_retyped(ctx, back ? SPL_RETYPE_UNVIEW : SPL_RETYPE_VIEW, m / 2 * b);
    return back ? spl_mul2(ctx, all, view) : spl_mul2(ctx, view, all);
}
