// SPDX-License-Identifier: BSD-3-Clause
/* Computes rows with gaps, such as interleaved channels, as packed rows: rows of reals or of
 * half-spectra, also those of arrays. Stages that read such rows in place access single elements,
 * while most fast methods need adjacent rows: codelets of a whole row, pairs in vectors, rows as
 * columns. Loops may move the rows,
 *
 *     I_b (x) A = (SUM(k<b) S G) (I_b (x) A) (SUM(k<b) S G),
 *
 * and the transforms between them are planned for packed sides: for the whole batch, or for blocks
 * of it that stay in L2. Both ways are candidates and are compared as programs
 * (sched/plan/plan_price.c). */
#include "sched/planner/sides_packed.h"

#include "sched/planner/expand.h"
#include "sched/planner/order.h"
#include "sched/planner/sides_moved.h"
#include "sched/planner/stage_price.h"
#include "sched/planner/transposed.h"
#include "sched/problem/problem.h"

/* Adjacent rows of a block are whole lines. A block should be 1/SHARE of L2, which also holds its
 * results, and is at most 1/MOST_SHARE. */
enum { LINE_ROWS = 16, SHARE = 8, MOST_SHARE = 2 };

/* A side without strides is packed. */
static void pack_side(sluice_problem *p, int side)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        sluice_dim *x = sched_mutable_dim(p, d);
        *(side ? &x->out_stride : &x->in_stride) = 0;
    }
}

/* Bytes of a transform on its larger side. */
static int64_t bytes_of(const sluice_problem *p)
{
    const size_t in = sched_side_elements(p, 0) * sched_side_bytes(p, 0);
    const size_t out = sched_side_elements(p, 1) * sched_side_bytes(p, 1);

    return (int64_t)(in > out ? in : out);
}

/* Is the batch one dimension on both sides: does each of its dimensions continue the next one? */
static bool is_one_batch(const sluice_problem *p)
{
    bool one = p->batch_rank > 0;

    for (int d = 0; d + 1 < p->batch_rank; d++) {
        const sluice_dim x = sched_problem_dim(p, d), next = sched_problem_dim(p, d + 1);
        one = one && x.in_stride == (ptrdiff_t)next.n * next.in_stride
              && x.out_stride == (ptrdiff_t)next.n * next.out_stride;
    }
    return one;
}

/* Transforms of a block: equal shares of the batch, in whole lines, except for the last block. The
 * last one is never a single transform, as that has no batch and not every tree of a block would
 * apply. */
static int64_t block_of(const sched_target *t, const sluice_problem *p, int64_t all)
{
    const int64_t rows =
        (int64_t)(sched_problem_points(p) / sched_problem_dim(p, sched_problem_row_dim(p)).n);
    const int64_t line = (LINE_ROWS + rows - 1) / rows, l2 = sched_l2_bytes(t);
    const int64_t fit = l2 / SHARE / bytes_of(p), most = fit < line ? line : fit;
    const int64_t blocks = (all + most - 1) / most, share = (all + blocks - 1) / blocks;
    int64_t block = (share + line - 1) / line * line;

    while (block < all && all % block == 1)
        block += line;
    return is_one_batch(p) && MOST_SHARE * block * bytes_of(p) <= l2 && block < all && block > 1
               ? block
               : all;
}

sched_packed sched_packed_block(const sched_packed *x, int64_t count)
{
    sched_packed block = *x;
    const sluice_dim batch = sched_given_dim(&x->problem, x->problem.batch_rank - 1);

    block.problem.batch_rank = 1;
    block.problem.batch[0] = batch;
    block.problem.batch[0].n = (size_t)count;
    block.target.parts = 1;
    return block;
}

bool sched_pack_sides(const sched_target *t, const sluice_problem *p, sched_packed *out)
{
    const sluice_dim row = sched_problem_dim(p, sched_problem_row_dim(p));

    *out = (sched_packed){.problem = *p, .target = *t};
    if (sched_all_dft(p) || !sched_may_have_columns(t) || row.n == 1)
        return false;
    for (int side = 0; side < 2; side++) {
        out->moved[side] = (side ? row.out_stride : row.in_stride) != 1;
        if (sched_side_split(p, side) || sched_problem_cyclic(p, side).parts != 0)
            return false;
        if (out->moved[side])
            pack_side(&out->problem, side);
    }
    if (p->in_place) {
        out->problem.in_place = out->target.in_place = false;
        out->target.around.in_place_points = 0;
    }
    out->all = (int64_t)sched_problem_batch(p);
    out->block = block_of(t, &out->problem, out->all);
    if (out->block < out->all)
        *out = sched_packed_block(out, out->block);
    return out->moved[0] || out->moved[1];
}

void sched_add_packed(const sched_target *t, const sched_packed *x, const sched_list *packed,
                      sched_list *all)
{
    const int64_t points = (int64_t)sched_problem_points(&x->problem) * x->all;
    unsigned had = 0;

    for (int i = 0; i < packed->count; i++) {
        const unsigned kind = 1U << sched_transposed_of(packed->tree[i]);
        sched_tree tree = *packed->tree[i];
        if (had & kind)
            continue;
        had |= kind;
        tree.packed_sides = true;
        tree.cycles *= (double)x->all / (double)x->block;
        tree.cycles += (x->moved[0] + x->moved[1]) * sched_moved_cycles(points, price_moved_evenly);
        all->count -= all->count == SCHED_MAX_CANDIDATES;
        sched_list_insert(t->ctx, all, &tree);
    }
}

/* The moves of one side, if it is moved. */
static const spl *moves_of(const sched_target *t, const sched_packed *x, int side, int64_t all)
{
    const int64_t row =
        (int64_t)sched_problem_extent(&x->problem, sched_problem_row_dim(&x->problem), side);

    return sched_moves_of_rows(t, all / row, row, all);
}

const spl *sched_with_packed_sides(const sched_target *t, const sched_packed *x, const spl *a)
{
    const spl *factor[3];
    int count = 0;

    if (!a)
        return NULL;
    if (x->moved[1])
        factor[count++] = moves_of(t, x, 1, a->rows);
    factor[count++] = a;
    if (x->moved[0])
        factor[count++] = moves_of(t, x, 0, a->cols);
    return spl_mul(t->ctx, count, factor);
}
