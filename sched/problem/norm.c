// SPDX-License-Identifier: BSD-3-Clause
/* Norms of the transforms along axes, one table: the logical length L of n points, by which `scale=n`
 * divides, and whose root `scale=ortho` divides by (docs/FAMILY.md). */
#include <math.h>

#include "sched/problem/problem.h"

/* L = times n + plus; `edges`: ortho weighs an element at the edge besides. */
typedef struct norm {
    int times, plus;
    bool edges;
} norm;

static const norm norms[SPL_KIND_COUNT] = {
    [SPL_DFT] = {1, 0, false},   [SPL_IDFT] = {1, 0, false},  [SPL_RDFT] = {1, 0, false},
    [SPL_IRDFT] = {1, 0, false}, [SPL_DHT] = {1, 0, false},   [SPL_DCT1] = {2, -2, true},
    [SPL_DCT2] = {2, 0, true},   [SPL_DCT3] = {2, 0, true},   [SPL_DCT4] = {2, 0, false},
    [SPL_DST1] = {2, 2, false},  [SPL_DST2] = {2, 0, true},   [SPL_DST3] = {2, 0, true},
    [SPL_DST4] = {2, 0, false},  [SPL_IDXST] = {2, 0, false},
};

double sched_problem_factor(const sluice_problem *p)
{
    long double all = 1;

    if (p->scale == SLUICE_SCALE_NONE)
        return 1;
    for (int axis = 0; axis < p->rank; axis++) {
        const norm l = norms[sched_axis_kind(p, axis)];
        all *= (long double)l.times * (long double)p->dim[axis].n + (long double)l.plus;
    }
    return (double)(1 / (p->scale == SLUICE_SCALE_N ? all : sqrtl(all)));
}

bool sched_axis_weighs_edges(const sluice_problem *p, int axis)
{
    return p->scale == SLUICE_SCALE_ORTHO && norms[sched_axis_kind(p, axis)].edges;
}
