// SPDX-License-Identifier: BSD-3-Clause
/* Checks and completes problems: everything that can be refused without a machine is refused
 * here. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"

/* The limit of points, and of the elements that strides span, as formulas count them. */
static const size_t max_points = (size_t)spl_max_size;
/* If no order of the strides decides whether they overlap, offsets are counted, up to this many. */
static const size_t max_exact_span = (size_t)1 << 26;

#define REFUSE(...) core_fail(why, SLUICE_E_INVALID, 0, __VA_ARGS__)

static const char *const side_name[] = {"input", "output"};

static sluice_status check_sizes(const sluice_problem *p, sluice_diag *why)
{
    size_t total = 1;

    if (p->rank < 1 || p->rank > SLUICE_MAX_RANK)
        return REFUSE("the rank is %d, it must be 1 to %d", p->rank, SLUICE_MAX_RANK);
    if (p->batch_rank < 0 || p->batch_rank > SLUICE_MAX_BATCH_RANK)
        return REFUSE("the batch rank is %d, it must be 0 to %d", p->batch_rank,
                      SLUICE_MAX_BATCH_RANK);
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const size_t n = sched_given_dim(p, d).n;
        if (n == 0)
            return REFUSE("size 0: every size must be at least 1");
        if (!core_mul(total, n, &total) || total > max_points)
            return REFUSE("the product of the sizes is too large (limit 2^40 points)");
    }
    return SLUICE_OK;
}

/* Strides of a dimension of size 1 have no meaning. */
static void drop_strides_of_one(sluice_problem *p)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        sluice_dim *dim = sched_mutable_dim(p, d);
        if (dim->n == 1)
            dim->in_stride = dim->out_stride = 0;
    }
}

/* A side has all strides or none; their reach must fit. */
static sluice_status check_strides(const sluice_problem *p, int side, sluice_diag *why)
{
    size_t reach = 0;

    if (sched_problem_packed(p, side))
        return SLUICE_OK;
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim dim = sched_given_dim(p, d);
        const ptrdiff_t stride = side ? dim.out_stride : dim.in_stride;
        const size_t n = sched_problem_extent(p, d, side);
        size_t step = 0;
        if (n > 1 && stride == 0)
            return REFUSE(
                "every dimension of a side has a stride or none has (%s, dimension of %zu)",
                side_name[side], n);
        const size_t size = stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
        if (size > max_points || !core_mul(n - 1, size, &step) || !core_add(reach, step, &reach)
            || reach > max_points)
            return REFUSE("the strides reach too far (limit 2^40 elements)");
    }
    return SLUICE_OK;
}

static int by_stride(const void *a, const void *b)
{
    const size_t x = ((const sluice_dim *)a)->n, y = ((const sluice_dim *)b)->n;
    const ptrdiff_t sx = ((const sluice_dim *)a)->out_stride,
                    sy = ((const sluice_dim *)b)->out_stride;

    if (sx != sy)
        return sx < sy ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Counts every offset once; *clash is set if two are equal. */
static sluice_status count_offsets(const sluice_dim *dim, int count, size_t span, bool *clash,
                                   sluice_diag *why)
{
    unsigned char *seen = core_calloc(span / 8 + 1, 1);
    size_t index[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK] = {0};
    size_t at = 0;
    int d = 0;

    if (!seen)
        return core_fail_memory(why);
    *clash = false;
    while (d < count && !*clash) {
        if (seen[at / 8] >> (at % 8) & 1)
            *clash = true;
        seen[at / 8] |= (unsigned char)(1 << at % 8);
        for (d = 0; d < count; d++) {
            at += (size_t)dim[d].out_stride;
            if (++index[d] < dim[d].n)
                break;
            at -= dim[d].n * (size_t)dim[d].out_stride;
            index[d] = 0;
        }
    }
    core_free(seen);
    return SLUICE_OK;
}

/* No element of the output may be written twice. This is proven if each of the sorted strides
 * exceeds the reach of the smaller ones; otherwise offsets are counted. */
static sluice_status check_overlap(const sluice_problem *p, sluice_diag *why)
{
    sluice_dim dim[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    int count = 0;
    size_t reach = 0;
    bool proven = true, clash = false;

    for (int d = 0; d < sched_problem_dims(p); d++) {
        sluice_dim e = sched_problem_dim(p, d);
        e.n = sched_problem_extent(p, d, 1);
        if (e.n == 1)
            continue;
        dim[count] = e;
        if (e.out_stride < 0)
            dim[count].out_stride = -e.out_stride;
        count++;
    }
    qsort(dim, (size_t)count, sizeof dim[0], by_stride);
    for (int d = 0; d < count; d++) {
        if ((size_t)dim[d].out_stride <= reach)
            proven = false;
        reach += (dim[d].n - 1) * (size_t)dim[d].out_stride;
    }
    if (proven)
        return SLUICE_OK;
    if (reach > max_exact_span)
        return REFUSE("the output's strides overlap, or cannot be shown not to");
    const sluice_status status = count_offsets(dim, count, reach + 1, &clash, why);
    if (status != SLUICE_OK)
        return status;
    return clash ? REFUSE("the output's strides overlap: an element would be written twice")
                 : SLUICE_OK;
}

/* In place, strides of rows of reals are twice those of their half-spectra. */
static ptrdiff_t row_unit(const sluice_problem *p, int d, int side)
{
    const bool reals = sched_side_scalars(p, side) < sched_side_scalars(p, !side);

    return reals && d < sched_problem_dims(p) - 1 ? 2 : 1;
}

/* In place, a side without strides takes the other's; if both are given they must agree in
 * bytes. */
static sluice_status share_strides(sluice_problem *p, sluice_diag *why)
{
    const bool given[] = {!sched_problem_packed(p, 0), !sched_problem_packed(p, 1)};
    const bool halves = sched_axis_has_half_spectrum(p, p->rank - 1);

    if (sched_side_split(p, 0) != sched_side_split(p, 1))
        return REFUSE(
            "in place, both sides have one layout: give in= and out= alike, and of r2c and "
            "c2r none, as reals are one array");
    for (int d = 0; d < sched_problem_dims(p) && (given[0] || given[1]); d++) {
        sluice_dim *dim = sched_mutable_dim(p, d);
        ptrdiff_t *const stride[] = {&dim->in_stride, &dim->out_stride};
        const ptrdiff_t unit[] = {row_unit(p, d, 0), row_unit(p, d, 1)};
        for (int side = 0; side < 2; side++)
            if (!given[side])
                *stride[side] = *stride[!side] / unit[!side] * unit[side];
        if (halves && d == sched_problem_dims(p) - 1 && dim->n > 1
            && (*stride[0] != 1 || *stride[1] != 1))
            return REFUSE("in place, both sides of r2c and c2r have stride 1 on the last axis");
        if (*stride[0] * unit[1] == *stride[1] * unit[0])
            continue;
        if (halves)
            return REFUSE("in place, rows of reals lie as far apart as their half-spectra: their "
                          "strides are twice those of the complex numbers");
        return REFUSE("in place, both sides have the same strides");
    }
    return SLUICE_OK;
}

static bool enums_valid(const sluice_problem *p)
{
    for (int d = 0; d < SLUICE_MAX_RANK; d++)
        if ((int)p->kind[d] < 0 || (int)p->kind[d] > sched_kind_count)
            return false;
    return (int)p->precision >= 0 && p->precision <= SLUICE_F64 && (int)p->direction >= 0
           && p->direction <= SLUICE_INVERSE && (int)p->in_layout >= 0
           && p->in_layout <= SLUICE_HALFCOMPLEX && (int)p->out_layout >= 0
           && p->out_layout <= SLUICE_HALFCOMPLEX && (int)p->scale >= 0
           && p->scale <= SLUICE_SCALE_ORTHO && (int)p->mode >= 0 && p->mode <= SLUICE_THROUGHPUT;
}

/* Fills in kinds. If a kind for the last axis only is given for every axis, the others become
 * c2c. */
static sluice_status complete_kinds(sluice_problem *p, sluice_diag *why)
{
    const int last = p->rank - 1;
    bool all = true;

    for (int d = 0; d <= last; d++)
        if (p->kind[d] == SLUICE_KIND_SAME)
            p->kind[d] = d ? p->kind[d - 1] : SLUICE_C2C;
    for (int d = 0; d < last; d++)
        all = all && p->kind[d] == p->kind[last];
    for (int d = 0; d < last; d++) {
        const sluice_kind kind = p->kind[d];
        if (all && sched_kind_of(kind)->stands_last)
            p->kind[d] = SLUICE_C2C;
        else if (sched_kind_of(kind)->stands_last)
            return REFUSE("axis %d is %s, which is for the last axis alone", d,
                          sched_keyword_text(sched_kind_keywords, sched_kind_count, kind));
    }
    return SLUICE_OK;
}

/* A half-spectrum stored as n reals leaves no complex numbers for the other axes. */
static sluice_status check_half_layout(const sluice_problem *p, int side, sluice_diag *why)
{
    const sched_kind *last = sched_kind_of(p->kind[p->rank - 1]);

    if (!last->stands_last)
        return REFUSE("the layouts packed and halfcomplex belong to r2c and c2r");
    if (side != last->half)
        return REFUSE("the %s is real numbers in one array: layouts are for complex numbers",
                      side_name[side]);
    for (int axis = 0; axis < p->rank - 1; axis++)
        if (p->kind[axis] == SLUICE_C2C)
            return REFUSE("axis %d is c2c, which needs complex numbers: the layouts packed and "
                          "halfcomplex are for one axis, or for axes of cosine, sine and Hartley "
                          "transforms before it",
                          axis);
    return SLUICE_OK;
}

/* Refuses a side of reals with a layout of complex numbers. */
static sluice_status check_layout(const sluice_problem *p, int side, sluice_diag *why)
{
    const sluice_layout layout = side ? p->out_layout : p->in_layout;

    if (layout >= SLUICE_PACKED)
        return check_half_layout(p, side, why);
    if (layout == SLUICE_SPLIT && sched_side_type(p, side) == SPL_TYPE_REAL)
        return REFUSE("the %s is real numbers in one array: layouts are for complex numbers",
                      side_name[side]);
    return SLUICE_OK;
}

/* Checks that every axis has the points that its kind needs. */
static sluice_status check_points(const sluice_problem *p, sluice_diag *why)
{
    for (int d = 0; d < p->rank; d++) {
        const int64_t min = spl_transform_of(sched_axis_kind(p, d))->least;
        if (p->dim[d].n < (size_t)min)
            return REFUSE("axis %d has %zu point, %s needs %lld", d, p->dim[d].n,
                          sched_keyword_text(sched_kind_keywords, sched_kind_count, p->kind[d]),
                          (long long)min);
    }
    return SLUICE_OK;
}

/* Does `direction` apply? It is that of c2c axes; r2c and c2r have their own. */
static bool has_direction(const sluice_problem *p)
{
    bool found = false;

    for (int d = 0; d < p->rank; d++)
        found = found || p->kind[d] == SLUICE_C2C;
    return found && !sched_kind_of(p->kind[p->rank - 1])->stands_last;
}

/* Checks that the options fit the kinds. */
static sluice_status check_options(const sluice_problem *p, sluice_diag *why)
{
    if (p->direction == SLUICE_INVERSE && !has_direction(p))
        return REFUSE("'inverse' belongs to c2c; other kinds name their inverse");
    for (int side = 0; side < 2; side++) {
        const sluice_status status = check_layout(p, side, why);
        if (status != SLUICE_OK)
            return status;
    }
    if (p->workers < 0 || p->workers > 65536)
        return REFUSE("the number of workers is %d, it must be 0 (all) to 65536", p->workers);
    return SLUICE_OK;
}

/* Blocks of B distributed cyclically to P parts: one packed transform, whose number of points B*P
 * must divide. */
static sluice_status check_cyclic(const sluice_problem *p, int side, sluice_diag *why)
{
    const sluice_cyclic c = sched_problem_cyclic(p, side);
    size_t round = 0;

    if (c.block == 0 && c.parts == 0)
        return SLUICE_OK;
    if (!sched_all_dft(p))
        return REFUSE("block-cyclic sides belong to c2c");
    if (c.block == 0 || c.parts == 0)
        return REFUSE("a block-cyclic side has at least one part and blocks of at least 1");
    if (!core_mul(c.block, c.parts, &round) || sched_problem_points(p) % round != 0)
        return REFUSE("block-cyclic %zu/%zu: block times parts must divide the %zu points", c.block,
                      c.parts, sched_problem_points(p));
    if (sched_problem_batch(p) != 1)
        return REFUSE("a block-cyclic side holds one transform, no batch");
    if (!sched_problem_packed(p, side))
        return REFUSE("a block-cyclic side has no strides");
    return SLUICE_OK;
}

sluice_status sched_problem_normalise(sluice_problem *p, sluice_diag *why)
{
    if (!enums_valid(p))
        return REFUSE("a field of the problem holds no value of its type");
    for (size_t i = 0; i < sizeof p->reserved / sizeof p->reserved[0]; i++)
        if (p->reserved[i])
            return REFUSE("the problem's reserved fields must be zero");
    sluice_status status = check_sizes(p, why);
    if (status != SLUICE_OK)
        return status;
    drop_strides_of_one(p);
    status = complete_kinds(p, why);
    if (status == SLUICE_OK)
        status = check_points(p, why);
    if (status == SLUICE_OK)
        status = check_options(p, why);
    for (int side = 0; side < 2 && status == SLUICE_OK; side++)
        status = check_strides(p, side, why);
    if (status == SLUICE_OK && p->in_place)
        status = share_strides(p, why);
    for (int side = 0; side < 2 && status == SLUICE_OK; side++)
        status = check_cyclic(p, side, why);
    if (status == SLUICE_OK)
        status = check_overlap(p, why);
    if (status == SLUICE_OK && p->mode == SLUICE_MODE_AUTO)
        p->mode = sched_problem_batch(p) == 1 ? SLUICE_LATENCY : SLUICE_THROUGHPUT;
    return status;
}
