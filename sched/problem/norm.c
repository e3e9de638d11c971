// SPDX-License-Identifier: BSD-3-Clause
/* Norms of the transforms along axes in one table: the logical length L for n points. `scale=n`
 * divides by L, `scale=ortho` by its square root (docs/FAMILY.md). */
#include <math.h>

#include "sched/problem/problem.h"

/* Edges that ortho weights: the first element of an axis, the last one. */
enum { FIRST = 1, LAST = 2 };

/* L = times n + plus; the edges that ortho multiplies by sqrt2 in the input and divides by it in
 * the output. */
typedef struct norm {
    int times, plus, edges[2];
} norm;

static const norm norms[SPL_KIND_COUNT] = {
    [SPL_DFT] = {1, 0, {0, 0}},      [SPL_IDFT] = {1, 0, {0, 0}},
    [SPL_RDFT] = {1, 0, {0, 0}},     [SPL_IRDFT] = {1, 0, {0, 0}},
    [SPL_DHT] = {1, 0, {0, 0}},      [SPL_DCT1] = {2, -2, {FIRST | LAST, FIRST | LAST}},
    [SPL_DCT2] = {2, 0, {0, FIRST}}, [SPL_DCT3] = {2, 0, {FIRST, 0}},
    [SPL_DCT4] = {2, 0, {0, 0}},     [SPL_DST1] = {2, 2, {0, 0}},
    [SPL_DST2] = {2, 0, {0, LAST}},  [SPL_DST3] = {2, 0, {LAST, 0}},
    [SPL_DST4] = {2, 0, {0, 0}},     [SPL_IDXST] = {2, 0, {0, 0}},
    [SPL_HC] = {1, 0, {0, 0}},       [SPL_IHC] = {1, 0, {0, 0}},
    [SPL_PACKED] = {1, 0, {0, 0}},   [SPL_IPACKED] = {1, 0, {0, 0}},
};

size_t sched_axis_length(const sluice_problem *p, int axis)
{
    const norm l = norms[sched_axis_kind(p, axis)];

    return (size_t)l.times * p->dim[axis].n + (size_t)l.plus;
}

long double sched_problem_length(const sluice_problem *p)
{
    long double all = 1;

    for (int axis = 0; axis < p->rank; axis++)
        all *= (long double)sched_axis_length(p, axis);
    return all;
}

/* The edges of an axis that ortho weights. */
static int edges_of(const sluice_problem *p, int axis, int side)
{
    return p->scale == SLUICE_SCALE_ORTHO ? norms[sched_axis_kind(p, axis)].edges[side] : 0;
}

/* Are the weighted edges all elements of the axis? Then the weight is a scale. */
static bool weighs_all(const sluice_problem *p, int axis, int side)
{
    const int edges = edges_of(p, axis, side);
    const size_t n = p->dim[axis].n;

    return (n == 1 && edges) || (n == 2 && edges == (FIRST | LAST));
}

static long double weight_of(int side)
{
    const long double root2 = 1.41421356237309504880168872420969808L;

    return side ? 1 / root2 : root2;
}

double sched_problem_factor(const sluice_problem *p)
{
    const long double length = sched_problem_length(p);
    long double factor = 1 / (p->scale == SLUICE_SCALE_N ? length : sqrtl(length));

    if (p->scale == SLUICE_SCALE_NONE)
        return 1;
    for (int axis = 0; axis < p->rank; axis++)
        for (int side = 0; side < 2; side++)
            factor *= weighs_all(p, axis, side) ? weight_of(side) : 1;
    return (double)factor;
}

double sched_axis_edge(const sluice_problem *p, int axis, int side, size_t i)
{
    const int edges = weighs_all(p, axis, side) ? 0 : edges_of(p, axis, side);
    const bool first = (edges & FIRST) && i == 0;
    const bool last = (edges & LAST) && i + 1 == p->dim[axis].n;

    return first || last ? (double)weight_of(side) : 1;
}

double sched_side_edge(const sluice_problem *p, int side, size_t index)
{
    double all = 1;

    for (int axis = p->rank - 1; axis >= 0 && p->scale == SLUICE_SCALE_ORTHO; axis--) {
        const size_t n = sched_problem_extent(p, p->batch_rank + axis, side);
        all *= sched_axis_edge(p, axis, side, index % n);
        index /= n;
    }
    return all;
}

const spl *sched_axis_edges(spl_ctx *ctx, const sluice_problem *p, int axis, int side)
{
    const int64_t n = (int64_t)p->dim[axis].n;
    const double first = sched_axis_edge(p, axis, side, 0),
                 last = sched_axis_edge(p, axis, side, (size_t)n - 1);
    const bool ends = n > 1 && last != 1;
    const int64_t inner = n - (first != 1) - ends;
    const spl *term[3];
    int terms = 0;

    if (first == 1 && last == 1)
        return NULL;
    if (first != 1)
        term[terms++] = spl_constant(ctx, first);
    if (inner > 0)
        term[terms++] = spl_identity(ctx, inner);
    if (ends)
        term[terms++] = spl_constant(ctx, last);
    return spl_dsum(ctx, terms, term);
}

int sched_problem_edges(spl_ctx *ctx, const sluice_problem *p, int side, unsigned without,
                        const spl **out)
{
    int64_t before = (int64_t)sched_problem_batch(p);
    int count = 0;

    for (int axis = 0; axis < p->rank; axis++) {
        const spl *edges = without & 1U << axis ? NULL : sched_axis_edges(ctx, p, axis, side);
        int64_t after = 1;
        for (int a = axis + 1; a < p->rank; a++)
            after *= (int64_t)sched_problem_extent(p, p->batch_rank + a, side);
        const spl *kid[] = {spl_identity(ctx, before), edges, spl_identity(ctx, after)};
        if (edges)
            out[count++] = spl_kron(ctx, 3, kid);
        before *= (int64_t)sched_problem_extent(p, p->batch_rank + axis, side);
    }
    return count;
}
