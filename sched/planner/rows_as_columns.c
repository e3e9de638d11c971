// SPDX-License-Identifier: BSD-3-Clause
/* Computes rows as columns: of a real matrix, a DFT or a half-spectrum, if no codelet computes
 * them. b rows are transposed, computed as columns, which fill vectors, and transposed back:
 *
 *     I_b (x) A_n = L(nb,b) (A_n (x) I_b) L(nb,n)
 *
 * A row may be a small array of several axes, A_n = A_m (x) A_k; then each axis is columns:
 *
 *     A_n (x) I_b = (A_m (x) I_kb) (I_m (x) A_k (x) I_b)
 *
 * If the rows of a side are interleaved, as are columns of an array, its L moves nothing; otherwise
 * L is a loop of moves. Transforms of reals by halves may also move pairs of reals as complex
 * numbers (rows_halves.c). Rows left over by whole blocks are a block of as many vectors as they
 * need, whose last vector repeats a row. */
#include "sched/planner/rows_as_columns.h"

#include "sched/planner/rows_beside.h"
#include "sched/planner/rows_halves.h"
#include "sched/planner/rows_moved.h"
#include "sched/planner/rows_transposed.h"
#include "sched/planner/stage_price.h"
#include "sched/problem/problem.h"
#include "spl/rules/rewrite.h"

/* A block is read, computed in two buffers, and written. */
enum { VECTORS = 8, BUFFERS = 2 };
/* Bytes of a row in a block of complex numbers: three times 128. PADDED: convolutions have two or
 * three times as many points. */
enum { ROW_BYTES = 384, PADDED = 3 };
/* At most this many candidates, to leave room for other kinds. */
enum { MOST_TREES = 2 };

/* Are rows and the columns made of them reals? */
static bool are_reals(const sched_target *t, spl_type type)
{
    return type == SPL_TYPE_REAL && !t->around.pairs_rows;
}

/* The type of the elements of columns. A half-spectrum has reals on one side, of which a vector has
 * twice as many. */
static spl_type columns_type(const sched_place *at)
{
    const spl_transform *kind = spl_transform_of(at->kind);

    return kind->from == SPL_TYPE_REAL || kind->to == SPL_TYPE_REAL ? SPL_TYPE_REAL : at->type;
}

/* Bytes of a row. */
static int64_t bytes_of(const sched_target *t, const sched_place *at)
{
    const int64_t point = sched_complex_bytes(t->precision);

    return at->n * (columns_type(at) == SPL_TYPE_REAL || t->around.pairs_rows ? point / 2 : point);
}

int64_t sched_columns_lanes(const sched_target *t, spl_type type)
{
    return are_reals(t, type) ? 2 * t->lanes : t->lanes;
}

/* The largest block, in vectors; half of L2 must hold it twice. Reals have VECTORS, since calls on
 * fewer take more time than data that leave L1 (measured). Complex numbers, whose convolutions have
 * many calls, have ROW_BYTES, which is no power of two, so that rows do not share sets. */
static int64_t most_vectors(const sched_target *t, const sched_place *at)
{
    const int64_t lanes = sched_columns_lanes(t, columns_type(at));
    const int64_t vector = lanes * bytes_of(t, at);
    const int64_t row = lanes * sched_complex_bytes(t->precision);

    if (are_reals(t, columns_type(at))) {
        const int64_t fit = sched_l2_bytes(t) / (2 * BUFFERS * vector);
        return fit < VECTORS ? fit : VECTORS;
    }
    const int64_t fit = sched_l2_bytes(t) / (2 * BUFFERS * PADDED * vector);
    return fit < ROW_BYTES / row ? fit : ROW_BYTES / row;
}

/* Rows of a block: whole vectors, at least one if that fits L2; 0: none fits. Blocks of complex
 * numbers are of equal size. */
int64_t sched_columns_rows(const sched_target *t, const sched_place *at, int64_t rows)
{
    const int64_t lanes = sched_columns_lanes(t, columns_type(at)), most = most_vectors(t, at);
    const int64_t vectors = most < 1 ? 1 : most, needed = (rows + lanes - 1) / lanes;
    const int64_t blocks = are_reals(t, columns_type(at)) ? 1 : (needed + vectors - 1) / vectors;
    const int64_t each = (needed + blocks - 1) / blocks;

    return BUFFERS * bytes_of(t, at) * lanes > sched_l2_bytes(t)
               ? 0
               : lanes * (each < vectors ? each : vectors);
}

/* ---- candidates ---- */

/* Cycles of folds that are stages of their own, because no other stage can take them: those of
 * complex columns. */
double sched_columns_folds(const sched_target *t, const sched_place *at, const sched_tree *x,
                           int64_t b)
{
    const sched_radix_model model = sched_model(t, b / 2, 1);
    const sched_prices prices = sched_prices_of(&model, at->n);
    const bool view =
        x->rule == &spl_view_columns || (t->around.pairs_rows && sched_is_real_matrix(at->kind));
    const bool folds = view && at->kind != SPL_DHT;

    return folds ? 2 * sched_pairs_stage_cycles(&prices) : 0;
}

double sched_columns_moves(const bool *interleaved, int64_t points)
{
    return (!interleaved[0] + !interleaved[1]) * sched_moved_cycles(points, price_transposed);
}

/* Rule view-columns makes a complex column of two rows. Can these belong to two transforms, or
 * depend on the division into blocks? Blocks have even numbers of rows, and with an odd number of
 * rows the last is paired with itself. So the answer is no for a single transform of two axes, and
 * if the axis before has an even number of points, as pairs then begin with each transform. */
static bool may_mix(const sched_target *t, const sched_place *at)
{
    return at->outermost || (at->before % 2 != 0 && at->batch * t->batch_scale > at->before);
}

/* Adds the tree for rows in blocks of b columns, whose tree is `kid`. The last block has only the
 * vectors that it needs. */
static void add_tree(const sched_target *t, const sched_place *at, const sched_tree *kid, int64_t b,
                     int64_t rows, sched_list *out)
{
    const int64_t lanes = sched_columns_lanes(t, columns_type(at));
    const double blocks = (double)((rows + lanes - 1) / lanes * lanes) / (double)b;
    const double block = kid->cycles + sched_columns_moves(at->interleaved, at->n * b)
                         + sched_columns_folds(t, at, kid, b);
    const sched_tree x = {.rule = &spl_rows_columns,
                          .n = at->n,
                          .block_rows = b,
                          .pairs_rows = t->around.pairs_rows,
                          .cycles = block * blocks / (double)rows,
                          .nkids = 1,
                          .kid = {kid}};

    sched_list_insert(t->ctx, out, &x);
}

/* The minimum of rows. Convolutions of a single vector cost a third more than predicted
 * (measured). */
static int64_t least_rows(const sched_target *t, const sched_place *at)
{
    const int64_t lanes = sched_columns_lanes(t, columns_type(at));

    return are_reals(t, columns_type(at)) ? lanes / 4 : lanes + 1;
}

static bool has_convolution(const sched_tree *x)
{
    bool has = x && sched_tree_convolves(x);

    for (int i = 0; x && !has && i < x->nkids; i++)
        has = has_convolution(x->kid[i]);
    return has;
}

/* Do codelets compute the rows, several at a time or, for a DFT, one by one? Stages that write a
 * row to a split side do not count: they may have fewer columns than its vectors have lanes. */
static bool has_codelets(const sched_target *t, const sched_place *at, const sched_list *rows)
{
    const sched_tree *first = rows->count > 0 ? rows->tree[0] : NULL;

    if (sched_is_real_matrix(at->kind))
        return sched_has_lanes(t, at->kind, at->n);
    if (!spl_is_dft_kind(at->kind))
        return sched_list_has_codelet(rows);
    return first && !sched_tree_convolves(first) && !(first->rule && at->split);
}

/* Adds trees by columns. If `mixed`, two columns may also be one of complex numbers; this needs the
 * whole right-hand side, so no ends are moved then. */
static void find_columns(const sched_target *t, const sched_place *at, bool mixed, sched_list *out)
{
    const int64_t rows = at->rows > 0 ? at->rows : at->batch * t->batch_scale;
    const int64_t b = sched_columns_rows(t, at, rows);
    sched_target own = *t;
    sched_place columns = *at;
    sched_list list;

    if (b == 0 || rows < least_rows(t, at))
        return;
    own.around.allow_none = true;
    own.around.contiguous = false;
    columns.columns = b;
    columns.batch = 1;
    columns.rows = 0;
    columns.as_columns = false;
    columns.rows_transposed = !mixed && !at->interleaved[0] && !at->interleaved[1];
    for (int apart = !mixed; apart < 2; apart++) {
        own.around.columns_apart = apart > 0;
        sched_find_trees(&own, &columns, &list);
        for (int i = 0; i < list.count && i < MOST_TREES; i++)
            add_tree(t, at, list.tree[i], b, rows, out);
    }
}

void sched_rows_columns_find(const sched_target *t, const sched_place *at, sched_list *out)
{
    const bool apart = !has_codelets(t, at, out);
    sched_target halves = *t;

    halves.around.pairs_rows =
        !spl_is_dft_kind(at->kind) && out->count > 0 && (apart || has_convolution(out->tree[0]));
    if (apart)
        find_columns(t, at, sched_is_real_matrix(at->kind) && !may_mix(t, at), out);
    if (halves.around.pairs_rows)
        find_columns(&halves, at, false, out);
}

/* ---- formulas ---- */

/* The moves from rows to columns or, for side 1, back. */
static const spl *transposed(spl_ctx *ctx, const sched_columns *x, int64_t rows, int64_t b,
                             int side)
{
    const int64_t n = x->n[side], runs = x->runs[side] ? x->runs[side] : 1;

    if (x->interleaved[side] && rows == b)
        return spl_stride(ctx, n * b, side ? b : n);
    return side ? sched_columns_to_rows(ctx, n, runs, rows, b)
                : sched_rows_to_columns(ctx, n, runs, rows, b);
}

/* A (x) I_b, with all edges on both sides. */
static const spl *columns_of(const sched_target *t, const sched_columns *x, int64_t b)
{
    const spl *factor[3 * SLUICE_MAX_RANK], *at[3 * SLUICE_MAX_RANK];
    int64_t before = 1, after = b;
    int count = 0;

    for (int i = 0; i < x->axes; i++)
        after *= x->axis[i].n;
    for (int i = 0; i < 3 * x->axes; i++)
        at[i] = NULL;
    for (int i = 0; i < x->axes; i++) {
        const sched_column_axis *axis = &x->axis[i];
        after /= axis->n;
        const spl *const own[] = {
            axis->edges[1] ? spl_kron2(t->ctx, axis->edges[1], spl_identity(t->ctx, after)) : NULL,
            axis->tree ? sched_expand(t, axis->tree, axis->kind, after, SCHED_LANES) : NULL,
            axis->edges[0] ? spl_kron2(t->ctx, axis->edges[0], spl_identity(t->ctx, after)) : NULL};
        for (int k = 0; k < 3; k++)
            at[k * x->axes + i] =
                own[k] ? spl_kron2(t->ctx, spl_identity(t->ctx, before), own[k]) : NULL;
        before *= axis->n;
    }
    for (int i = 0; i < 3 * x->axes; i++)
        if (at[i])
            factor[count++] = at[i];
    return spl_mul(t->ctx, count, factor);
}

/* The same if what the axis moves at its ends is part of the moves between rows and columns. */
static const spl *ends_of(const sched_target *t, const sched_columns *x, int64_t rows, int64_t b)
{
    const sched_column_axis *axis = &x->axis[0];
    const spl *row = spl_transform_node(t->ctx, axis->kind, axis->n), *factor[5];
    const spl *all =
        row ? spl_rule_apply(t->ctx, axis->tree->rule, row, &axis->tree->params) : NULL;
    sched_ends ends;
    int count = 0;

    if (!all || !sched_ends_of(t->ctx, all, &ends))
        return NULL;
    if (axis->edges[1])
        factor[count++] = spl_kron2(t->ctx, spl_identity(t->ctx, rows), axis->edges[1]);
    factor[count++] = sched_end_transposed(t->ctx, &ends, 1, x->n[1], rows, b);
    factor[count++] = sched_expand(t, axis->tree, axis->kind, b, SCHED_LANES);
    factor[count++] = sched_end_transposed(t->ctx, &ends, 0, x->n[0], rows, b);
    if (axis->edges[0])
        factor[count++] = spl_kron2(t->ctx, spl_identity(t->ctx, rows), axis->edges[0]);
    return spl_mul(t->ctx, count, factor);
}

/* I_rows (x) A by columns, always in whole vectors, so that all rows have the same bits. */
static const spl *block_of(const sched_target *t, const sched_columns *x, int64_t rows)
{
    const int64_t b = (rows + x->lanes - 1) / x->lanes * x->lanes;
    sched_target own = *t;

    own.around.is_first = own.around.is_last = true;
    const spl *halves = x->pairs_rows ? sched_halves_expand(&own, &x->axis[0], rows, b) : NULL;
    if (halves)
        return halves;
    if (x->axes == 1 && x->axis[0].tree && x->axis[0].tree->moved_ends)
        return ends_of(&own, x, rows, b);
    const spl *const factors[] = {transposed(t->ctx, x, rows, b, 1), columns_of(&own, x, b),
                                  transposed(t->ctx, x, rows, b, 0)};
    return spl_mul(t->ctx, 3, factors);
}

const spl *sched_columns_expand(const sched_target *t, const sched_columns *x, int64_t rows,
                                bool distribute)
{
    const int64_t share = distribute ? (rows + t->parts - 1) / t->parts : rows;
    const int64_t own = (share + x->lanes - 1) / x->lanes * x->lanes;
    const int64_t b = own < x->most ? own : x->most;
    const int64_t blocks = rows / b, rest = rows % b;

    return sched_row_blocks(t, blocks > 0 ? block_of(t, x, b) : NULL, blocks,
                            rest > 0 ? block_of(t, x, rest) : NULL, distribute ? blocks : 0);
}

const spl *sched_rows_columns_expand(const sched_target *t, const sched_shape *s, int i,
                                     const sched_tree *x, int64_t rows, bool distribute)
{
    const sched_place at = sched_shape_place(s, i);
    const int d = s->order.piece[i].axis;
    const sched_columns columns = {
        .axes = 1,
        .axis = {{.kind = at.kind,
                  .n = at.n,
                  .tree = x->kid[0],
                  .edges = {sched_axis_edges(t->ctx, s->p, d, 0),
                            sched_axis_edges(t->ctx, s->p, d, 1)}}},
        .lanes = x->pairs_rows ? t->lanes : sched_columns_lanes(t, columns_type(&at)),
        .most = x->block_rows,
        .pairs_rows = x->pairs_rows,
        .n = {spl_transform_cols(at.kind, at.n), spl_transform_rows(at.kind, at.n)},
        .interleaved = {at.interleaved[0], at.interleaved[1]}};

    return sched_columns_expand(t, &columns, rows, distribute);
}
