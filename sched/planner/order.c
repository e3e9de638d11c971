// SPDX-License-Identifier: BSD-3-Clause
/* A formula acts on the packed problem, in which the last axis is adjacent and batches are slowest.
 * In memory any dimension may be the adjacent one: the planner computes in an order of dimensions
 * that follows the strides, and permutations of the packed points stand on both sides of what it
 * makes. For a batch of b transforms of n points whose batch dimension has stride 1:
 *     I_b (x) A_n  =  L(b n, b) (A_n (x) I_b) L(b n, n)
 * so that the batch is the columns of all stages. The permutations merge into the first gather and
 * the last scatter, where they cancel what strides permute. Axes commute (rule row-column), so
 * they are ordered as batch dimensions are.
 *
 * Where the sides have different orders, one of them is computed in, and the elements of the other
 * side are moved: DFT(1) (x) I, a stage of single elements. */
#include "sched/planner/order.h"

#include <stdlib.h>
#include <string.h>

#include "sched/problem/problem.h"

/* Fewer columns than these fill no vectors. */
enum { FEW_COLUMNS = 16 };
/* Of an element that is moved alone. */
static const double move_cycles = 2;
/* Transforms that are moved together: so many, or so many points if that is more, in this share of
 * a local store. */
enum { MOVED_ROWS = 16, MOVED_POINTS = 1024, MOVED_SHARE = 4 };

static ptrdiff_t stride_of(const sluice_problem *p, int d, int side)
{
    const sluice_dim dim = sched_problem_dim(p, d);

    return side ? dim.out_stride : dim.in_stride;
}

static size_t distance(const sluice_problem *p, int d, int side)
{
    const ptrdiff_t stride = stride_of(p, d, side);

    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

static void insert_dim(sched_order *o, int at, int dim)
{
    for (int i = o->count++; i > at; i--)
        o->dim[i] = o->dim[i - 1];
    o->dim[at] = dim;
}

/* Dimensions by the strides of a side, the longest first; equal ones as the problem has them. */
static sched_order order_by(const sluice_problem *p, int side)
{
    sched_order o = {.count = 0};

    for (int d = 0; d < p->batch_rank + p->rank; d++) {
        int at = o.count;
        if (sched_problem_dim(p, d).n == 1)
            continue;
        while (at > 0 && distance(p, o.dim[at - 1], side) < distance(p, d, side))
            at--;
        insert_dim(&o, at, d);
    }
    return o;
}

/* Axes of unlike kinds stay in the order in which the problem's transforms follow each other. */
static bool is_ordered(const sluice_problem *p)
{
    for (int d = 0; d < p->rank; d++)
        if (p->kind[d] != SLUICE_C2C)
            return false;
    return true;
}

/* Fills in what follows from the dimensions. */
static void complete_order(sched_order *o, const sluice_problem *p)
{
    o->natural = true;
    o->lead = -1;
    for (int i = 0; i < o->count; i++) {
        o->n[i] = (int64_t)sched_problem_dim(p, o->dim[i]).n;
        o->axis[i] = o->dim[i] < p->batch_rank ? -1 : o->dim[i] - p->batch_rank;
        o->natural = o->natural && (i == 0 || o->dim[i] > o->dim[i - 1]);
        if (o->lead < 0 && o->axis[i] >= 0)
            o->lead = i;
    }
    if (o->lead < 0)
        o->lead = o->count;
    for (int side = 0; side < 2; side++)
        o->moved[side] = is_ordered(p) && o->lead < o->count
                         && sched_problem_cyclic(p, side).parts == 0
                         && stride_of(p, o->dim[o->count - 1], side) != 1;
}

/* With the last axis behind the columns that follow it. */
static sched_order with_axis_last(const sched_order *o, const sluice_problem *p)
{
    sched_order made = *o;
    int at = made.count - 1;

    while (at > 0 && made.dim[at] < p->batch_rank)
        at--;
    const int axis = made.dim[at];
    memmove(made.dim + at, made.dim + at + 1, (size_t)(made.count - 1 - at) * sizeof *made.dim);
    made.dim[made.count - 1] = axis;
    return made;
}

static int add_order(sched_order *out, int count, sched_order o, const sluice_problem *p)
{
    for (int i = 0; i < count; i++)
        if (memcmp(out[i].dim, o.dim, (size_t)o.count * sizeof *o.dim) == 0)
            return count;
    complete_order(&o, p);
    out[count] = o;
    return count + 1;
}

/* The natural order: as if all strides were equal. */
static sched_order natural_order(const sluice_problem *p)
{
    sched_order o = {.count = 0};

    for (int d = 0; d < p->batch_rank + p->rank; d++)
        if (sched_problem_dim(p, d).n > 1)
            insert_dim(&o, o.count, d);
    return o;
}

int sched_orders_of(const sluice_problem *p, sched_order *out)
{
    int count = 0;

    if (!is_ordered(p))
        return add_order(out, 0, natural_order(p), p);
    for (int side = 0; side < 2; side++)
        count = add_order(out, count, order_by(p, side), p);
    for (int side = 0, sides = count; side < sides; side++) {
        const sched_order *o = &out[side];
        const int last = o->count - 1;
        if (last > 0 && o->axis[last] < 0 && o->lead < last && o->n[last] < FEW_COLUMNS)
            count = add_order(out, count, with_axis_last(o, p), p);
    }
    return count;
}

int64_t sched_order_points(const sched_order *o, int first, int end)
{
    int64_t points = 1;

    for (int i = first; i < end; i++)
        points *= o->n[i];
    return points;
}

/* Points of a block of either side, at most `points`. */
static int64_t block_points(const sluice_problem *p, int64_t points)
{
    for (int side = 0; side < 2; side++) {
        const sluice_cyclic c = sched_problem_cyclic(p, side);
        if (c.parts > 1 && (int64_t)c.block < points)
            points = (int64_t)c.block;
    }
    return points;
}

int64_t sched_order_uniform(const sched_order *o, const sluice_problem *p)
{
    int64_t points = 1;
    ptrdiff_t in = 0, out = 0; /* strides that continue those of the dimensions so far */

    for (int i = o->count - 1; i >= o->lead; i--) {
        const sluice_dim dim = sched_problem_dim(p, o->dim[i]);
        const bool goes_on =
            (o->moved[0] || dim.in_stride == in) && (o->moved[1] || dim.out_stride == out);
        if (points > 1 && !goes_on)
            break;
        points *= (int64_t)dim.n;
        in = (ptrdiff_t)dim.n * dim.in_stride;
        out = (ptrdiff_t)dim.n * dim.out_stride;
    }
    return block_points(p, points);
}

bool sched_order_contiguous(const sched_order *o, const sluice_problem *p)
{
    const int last = o->count - 1;

    return p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0 && last >= 0 && o->axis[last] >= 0;
}

double sched_order_cycles(const sched_order *o)
{
    return move_cycles * (double)(o->moved[0] + o->moved[1])
           * (double)sched_order_points(o, 0, o->count);
}

/* ---- moves ---- */

bool sched_order_moves(const sched_order *o, int i, int side)
{
    bool outermost = true; /* no axis is read before it, or written after it */

    for (int k = side ? 0 : i + 1; k < (side ? i : o->count); k++)
        outermost = outermost && o->axis[k] < 0;
    return o->moved[side] && outermost;
}

/* The largest divisor of n, at most `most`. */
static int64_t largest_divisor(int64_t n, int64_t most)
{
    int64_t d = most < n ? most : n;

    while (d > 1 && n % d != 0)
        d--;
    return d > 1 ? d : 1;
}

int64_t sched_order_rows(const sched_target *t, const sched_order *o, int first, int i,
                         bool distribute)
{
    const int64_t points = sched_order_points(o, i, o->count);
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    int64_t most = MOVED_ROWS * points < MOVED_POINTS ? MOVED_POINTS / points : MOVED_ROWS;
    int64_t rows = 1;

    if (distribute && most > sched_order_points(o, first, i) / t->parts)
        most = sched_order_points(o, first, i) / t->parts;
    if (most * points > store / MOVED_SHARE)
        most = store / MOVED_SHARE / points;
    for (int k = i - 1; k >= first; k--) {
        const int64_t r = largest_divisor(o->n[k], most / rows);
        rows *= r;
        if (r < o->n[k])
            break;
    }
    return rows;
}

const spl *sched_order_with_moves(sched_target *t, const sched_order *o, int i, const spl *x,
                                  sched_tags tags)
{
    const spl *one = x ? spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false)) : NULL;
    const spl *const moves =
        x ? sched_with_columns(t, spl_kron2(t->ctx, one, spl_identity(t->ctx, x->rows)), 0, tags)
          : NULL;
    const spl *factor[3];
    int count = 0;

    if (sched_order_moves(o, i, 1))
        factor[count++] = moves;
    factor[count++] = x;
    if (sched_order_moves(o, i, 0))
        factor[count++] = moves;
    return spl_mul(t->ctx, count, factor);
}

/* ---- permutations ---- */

/* The permutation that takes the packed order of a side to this one, or back. Dimension by
 * dimension: (A, n) -> (n, A) is L(A n, n) and its inverse L(A n, A). */
static const spl *permutation(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                              bool back)
{
    const spl *factor[SCHED_MAX_DIMS];
    sched_order now = natural_order(p);
    int count = 0;

    complete_order(&now, p);
    for (int i = 0; i < o->count; i++) {
        int from = i;
        while (now.dim[from] != o->dim[i])
            from++;
        if (from == i)
            continue;
        const int64_t n = now.n[from], over = sched_order_points(&now, i, from);
        const spl *const kron[] = {spl_identity(ctx, sched_order_points(&now, 0, i)),
                                   spl_stride(ctx, over * n, back ? over : n),
                                   spl_identity(ctx, sched_order_points(&now, from + 1, o->count))};
        factor[back ? count : SCHED_MAX_DIMS - 1 - count] = spl_kron(ctx, 3, kron);
        count++;
        memmove(now.dim + i + 1, now.dim + i, (size_t)(from - i) * sizeof *now.dim);
        memmove(now.n + i + 1, now.n + i, (size_t)(from - i) * sizeof *now.n);
        now.dim[i] = o->dim[i];
        now.n[i] = n;
    }
    return spl_mul(ctx, count, factor + (back ? 0 : SCHED_MAX_DIMS - count));
}

const spl *sched_order_packed(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                              const spl *x)
{
    if (!x || o->natural)
        return x;
    const spl *const factor[] = {permutation(ctx, o, p, true), x, permutation(ctx, o, p, false)};
    return spl_mul(ctx, 3, factor);
}
