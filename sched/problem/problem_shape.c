// SPDX-License-Identifier: BSD-3-Clause
/* Shapes of normalised problems: elements, strides and bytes of each side. */
#include "sched/problem/problem.h"

#include "core/status.h"

static ptrdiff_t given_stride(const sluice_problem *p, int d, int side)
{
    const sluice_dim dim = sched_given_dim(p, d);

    return side ? dim.out_stride : dim.in_stride;
}

/* The last axis runs first in r2c and last in c2r. */
spl_type sched_side_type(const sluice_problem *p, int side)
{
    const int last = p->rank - 1;
    const spl_type to = spl_transform_of(sched_axis_kind(p, last))->to;

    return side && to != SPL_TYPE_ANY ? to : sched_axis_type(p, last);
}

size_t sched_side_scalars(const sluice_problem *p, int side)
{
    return sched_side_type(p, side) == SPL_TYPE_REAL ? 1 : 2;
}

size_t sched_scalar_bytes(const sluice_problem *p)
{
    return p->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
}

size_t sched_side_bytes(const sluice_problem *p, int side)
{
    return sched_side_scalars(p, side) * sched_scalar_bytes(p);
}

size_t sched_problem_extent(const sluice_problem *p, int d, int side)
{
    const int64_t n = (int64_t)sched_given_dim(p, d).n;
    if (d < p->batch_rank)
        return (size_t)n;
    const spl_kind kind = sched_axis_kind(p, d - p->batch_rank);
    return (size_t)(side ? spl_transform_rows(kind, n) : spl_transform_cols(kind, n));
}

/* Elements that dimension d takes in packed memory. In place, a row of n reals has room for its
 * half-spectrum. */
static size_t packed_extent(const sluice_problem *p, int d, int side)
{
    const bool halves = d >= p->batch_rank && sched_axis_has_half_spectrum(p, d - p->batch_rank);

    if (p->in_place && halves && sched_side_type(p, side) == SPL_TYPE_REAL)
        return 2 * sched_problem_extent(p, d, !side);
    return sched_problem_extent(p, d, side);
}

bool sched_side_split(const sluice_problem *p, int side)
{
    return (side ? p->out_layout : p->in_layout) == SLUICE_SPLIT;
}

size_t sched_side_step(const sluice_problem *p, int side)
{
    return sched_side_split(p, side) ? sched_scalar_bytes(p) : sched_side_bytes(p, side);
}

bool sched_problem_packed(const sluice_problem *p, int side)
{
    for (int d = 0; d < sched_problem_dims(p); d++)
        if (given_stride(p, d, side) != 0)
            return false;
    return true;
}

sluice_dim sched_problem_dim(const sluice_problem *p, int d)
{
    sluice_dim out = sched_given_dim(p, d);
    ptrdiff_t *const stride[2] = {&out.in_stride, &out.out_stride};

    for (int side = 0; side < 2; side++) {
        if (!sched_problem_packed(p, side))
            continue;
        *stride[side] = 1;
        for (int e = d + 1; e < sched_problem_dims(p); e++)
            *stride[side] *= (ptrdiff_t)packed_extent(p, e, side);
    }
    return out;
}

int sched_problem_row_dim(const sluice_problem *p)
{
    int d = sched_problem_dims(p) - 1;

    while (d > p->batch_rank && sched_given_dim(p, d).n == 1)
        d--;
    return d;
}

bool sched_side_in_order(const sluice_problem *p, int side)
{
    const int last = sched_problem_dims(p) - 1;

    return sched_problem_packed(p, side) && sched_problem_cyclic(p, side).parts == 0
           && packed_extent(p, last, side) == sched_problem_extent(p, last, side);
}

sluice_cyclic sched_problem_cyclic(const sluice_problem *p, int side)
{
    return side ? p->out_cyclic : p->in_cyclic;
}

size_t sched_problem_points(const sluice_problem *p)
{
    size_t n = 1;

    for (int d = 0; d < p->rank; d++)
        n *= p->dim[d].n;
    return n;
}

size_t sched_problem_batch(const sluice_problem *p)
{
    size_t n = 1;

    for (int d = 0; d < p->batch_rank; d++)
        n *= p->batch[d].n;
    return n;
}

size_t sched_side_elements(const sluice_problem *p, int side)
{
    size_t n = 1;

    for (int d = p->batch_rank; d < sched_problem_dims(p); d++)
        n *= sched_problem_extent(p, d, side);
    return n;
}

int sched_problem_axes(const sluice_problem *p)
{
    int axes = 0;

    for (int d = 0; d < p->rank; d++)
        axes += p->dim[d].n > 1;
    return axes;
}

void sched_problem_span(const sluice_problem *p, int side, ptrdiff_t *lo, ptrdiff_t *hi)
{
    *lo = *hi = 0;
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        const ptrdiff_t reach = (ptrdiff_t)(sched_problem_extent(p, d, side) - 1)
                                * (side ? dim.out_stride : dim.in_stride);
        if (reach < 0)
            *lo += reach;
        else
            *hi += reach;
    }
}

void sched_problem_bytes(const sluice_problem *p, int side, size_t *before, size_t *after)
{
    const size_t element = sched_side_step(p, side);
    ptrdiff_t lo, hi;

    sched_problem_span(p, side, &lo, &hi);
    *before = (size_t)-lo * element;
    *after = ((size_t)hi + 1) * element;
}

sluice_status sched_problem_fits(const sluice_problem *p, const spl *x, sluice_diag *why)
{
    static const char *const word[] = {"either", "reals", "complex numbers"};
    const size_t batch = sched_problem_batch(p);
    const int64_t rows = (int64_t)(sched_side_elements(p, 1) * batch);
    const int64_t cols = (int64_t)(sched_side_elements(p, 0) * batch);
    const spl_type from = sched_side_type(p, 0), to = sched_side_type(p, 1);

    if (x->rows != rows || x->cols != cols)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the formula is %lld x %lld, the problem %lld x %lld", (long long)x->rows,
                         (long long)x->cols, (long long)rows, (long long)cols);
    if (x->from == SPL_TYPE_ANY ? from == to : x->from == from && x->to == to)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_INVALID, 0, "the formula takes %s to %s, the problem %s to %s",
                     word[x->from], word[x->to], word[from], word[to]);
}
