// SPDX-License-Identifier: BSD-3-Clause
/* A half-spectrum X of n_1 x .. x n_d/2+1 elements stands for a full one whose other elements are
 * conjugates, X_{-k} = X_k^*, indices modulo n. Where -k lies in the half-spectrum as well, in the
 * columns 0 and n_d/2, it is (X_k + X_{-k}^*)/2 that counts, for transforms back to reals read no
 * more: y_j = SUM_k weight_k Re(X_k w^{-jk}). */
#include "sched/plan/oracle.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"

/* ---- all outputs: row-column ---- */

/* The middle one of three dimensions of a vector. */
typedef struct dimension {
    spl_kind kind;
    int64_t n;
    size_t outer, inner;
} dimension;

/* y may be x if rows and columns are as many. */
static sluice_status transform_dimension(const dimension *d, const long double *x, long double *y)
{
    const size_t cols = (size_t)spl_transform_cols(d->kind, d->n);
    const size_t rows = (size_t)spl_transform_rows(d->kind, d->n);
    const size_t pair = 2 * sizeof *x;
    long double *from = core_malloc((cols + rows) * pair), *to = from + 2 * cols;
    sluice_status status = from ? SLUICE_OK : SLUICE_E_MEMORY;

    for (size_t i = 0; i < d->outer * d->inner && status == SLUICE_OK; i++) {
        const size_t outer = i / d->inner, inner = i % d->inner;
        for (size_t k = 0; k < cols; k++)
            memcpy(from + 2 * k, x + 2 * ((outer * cols + k) * d->inner + inner), pair);
        status = spl_oracle_transform(d->kind, d->n, from, to);
        for (size_t k = 0; k < rows; k++)
            memcpy(y + 2 * ((outer * rows + k) * d->inner + inner), to + 2 * k, pair);
    }
    core_free(from);
    return status;
}

sluice_status sched_oracle_apply(const sluice_problem *p, long double *x, long double **out)
{
    size_t extent[SLUICE_MAX_RANK];
    sluice_status status = SLUICE_OK;

    for (int axis = 0; axis < p->rank; axis++)
        extent[axis] = sched_problem_extent(p, p->batch_rank + axis, 0);
    for (int i = 0; i < p->rank && status == SLUICE_OK; i++) {
        const int axis = sched_axis_order(p, i);
        dimension d = {sched_axis_kind(p, axis), (int64_t)p->dim[axis].n, 1, 1};
        for (int e = 0; e < p->rank; e++)
            *(e < axis ? &d.outer : &d.inner) *= e == axis ? 1 : extent[e];
        const size_t rows = sched_problem_extent(p, p->batch_rank + axis, 1);
        long double *y = x;
        if (rows != extent[axis])
            y = core_malloc(2 * d.outer * rows * d.inner * sizeof *y);
        status = y ? transform_dimension(&d, x, y) : SLUICE_E_MEMORY;
        extent[axis] = rows;
        if (y != x)
            core_free(x);
        x = y;
    }
    if (status != SLUICE_OK) {
        core_free(x);
        x = NULL;
    }
    *out = x;
    return status;
}

/* ---- one output, energy ---- */

int sched_oracle_weight(const sluice_problem *p, int side, size_t index)
{
    const size_t n = p->dim[p->rank - 1].n;
    const size_t extent = sched_problem_extent(p, p->batch_rank + p->rank - 1, side);

    return extent < n && index > 0 && 2 * index < n ? 2 : 1;
}

/* Elements of the last axis of a side. */
static size_t last_extent(const sluice_problem *p, int side)
{
    return sched_problem_extent(p, p->batch_rank + p->rank - 1, side);
}

/* w^{jk} of input j and output k, conjugated if the transform is inverse. */
static void kernel_entry(const sluice_problem *p, size_t j, size_t k, long double *w)
{
    const size_t unit = (size_t)1 << 62;
    long double angle = 0;

    for (int axis = p->rank - 1; axis >= 0; axis--) {
        const size_t n = p->dim[axis].n;
        const size_t in = sched_problem_extent(p, p->batch_rank + axis, 0);
        const size_t out = sched_problem_extent(p, p->batch_rank + axis, 1);
        angle += (long double)((j % in) * (k % out) % n) / (long double)n;
        j /= in;
        k /= out;
    }
    core_root((size_t)((angle - floorl(angle)) * (long double)unit), unit, &w[0], &w[1]);
    if (spl_transform_of(sched_axis_kind(p, p->rank - 1))->trig == SPL_TRIG_EXP_INVERSE)
        w[1] = -w[1];
}

void sched_oracle_output(const sluice_problem *p, const sched_oracle_read *in, size_t k,
                         long double *out)
{
    const bool real = sched_side_type(p, 1) == SPL_TYPE_REAL;

    out[0] = out[1] = 0;
    for (size_t j = 0; j < sched_side_elements(p, 0); j++) {
        const int weight = sched_oracle_weight(p, 0, j % last_extent(p, 0));
        long double x[2], w[2];
        kernel_entry(p, j, k, w);
        in->at(in->user, j, x);
        out[0] += weight * (x[0] * w[0] - x[1] * w[1]);
        out[1] += real ? 0 : x[0] * w[1] + x[1] * w[0];
    }
}

/* The element at the opposite indices in all axes but the last. */
static size_t opposite_element(const sluice_problem *p, int side, size_t index)
{
    const size_t last = last_extent(p, side);
    size_t at = index % last, below = last, rest = index / last;

    for (int axis = p->rank - 2; axis >= 0; axis--) {
        const size_t n = p->dim[axis].n;
        at += (n - rest % n) % n * below;
        below *= n;
        rest /= n;
    }
    return at;
}

long double sched_oracle_energy(const sluice_problem *p, int side, const sched_oracle_read *read)
{
    const size_t last = last_extent(p, side);
    const bool given = side == 0 && sched_axis_halves(p, p->rank - 1)
                       && sched_side_type(p, side) == SPL_TYPE_COMPLEX;
    long double sum = 0;

    for (size_t i = 0; i < sched_side_elements(p, side); i++) {
        const int weight = sched_oracle_weight(p, side, i % last);
        long double x[2], opposite[2];
        read->at(read->user, i, x);
        if (given && weight == 1) {
            read->at(read->user, opposite_element(p, side, i), opposite);
            x[0] = (x[0] + opposite[0]) / 2;
            x[1] = (x[1] - opposite[1]) / 2;
        }
        sum += weight * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}
