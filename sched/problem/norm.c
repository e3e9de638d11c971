// SPDX-License-Identifier: BSD-3-Clause
/* Norms of the transforms along axes, one table: the logical length L of n points, by which `scale=n`
 * divides, and whose root `scale=ortho` divides by (docs/FAMILY.md). */
#include <math.h>

#include "sched/problem/problem.h"

/* L = times n + plus */
typedef struct length {
    int times, plus;
} length;

static const length lengths[SPL_KIND_COUNT] = {
    [SPL_DFT] = {1, 0},  [SPL_IDFT] = {1, 0},  [SPL_RDFT] = {1, 0}, [SPL_IRDFT] = {1, 0},
    [SPL_DHT] = {1, 0},  [SPL_DCT1] = {2, -2}, [SPL_DCT2] = {2, 0}, [SPL_DCT3] = {2, 0},
    [SPL_DCT4] = {2, 0}, [SPL_DST1] = {2, 2},  [SPL_DST2] = {2, 0}, [SPL_DST3] = {2, 0},
    [SPL_DST4] = {2, 0}, [SPL_IDXST] = {2, 0},
};

double sched_problem_factor(const sluice_problem *p)
{
    long double all = 1;

    if (p->scale == SLUICE_SCALE_NONE)
        return 1;
    for (int axis = 0; axis < p->rank; axis++) {
        const length l = lengths[sched_axis_kind(p, axis)];
        all *= (long double)l.times * (long double)p->dim[axis].n + (long double)l.plus;
    }
    return (double)(1 / (p->scale == SLUICE_SCALE_N ? all : sqrtl(all)));
}
