// SPDX-License-Identifier: BSD-3-Clause
/* Strides, spans and counts of a problem, in checked arithmetic: strides come from the user. */
#include "bench/engine/bench_shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BASE_STEP = 16 }; /* elements; 16 floats are 64 bytes, so any element type stays aligned */

static sluice_status refuse_shape(sluice_diag *why, sluice_status status, const char *text)
{
    if (why) {
        why->offset = 0;
        snprintf(why->message, sizeof why->message, "%s", text);
    }
    return status;
}

sluice_kind bench_axis_kind(const sluice_problem *p, int axis)
{
    while (axis > 0 && p->kind[axis] == SLUICE_KIND_SAME)
        axis--;
    return p->kind[axis] == SLUICE_KIND_SAME ? SLUICE_C2C : p->kind[axis];
}

/* Dimension i of both lists, slowest first: the batch, then the axes. */
static sluice_dim *dim_at(sluice_problem *p, int i)
{
    return i < p->batch_rank ? &p->batch[i] : &p->dim[i - p->batch_rank];
}

static ptrdiff_t *stride_of(sluice_dim *d, bool output)
{
    return output ? &d->out_stride : &d->in_stride;
}

static bool side_is_open(sluice_problem *p, bool output)
{
    for (int i = 0; i < p->batch_rank + p->rank; i++)
        if (*stride_of(dim_at(p, i), output) != 0)
            return false;
    return true;
}

size_t bench_extent(const bench_shape *s, int i, bool output)
{
    const sluice_problem *p = &s->problem;
    const int axis = i - p->batch_rank;
    if (axis < 0)
        return p->batch[i].n;
    return axis == p->rank - 1 ? (output ? s->out : s->in).last : p->dim[axis].n;
}

/* Row-major strides from the last axis outwards. In place, rows of reals are as long as those of
 * complex numbers. */
static bool fill_packed(bench_shape *s, bool output)
{
    sluice_problem *p = &s->problem;
    const bool padded = p->in_place && s->in.real != s->out.real && (output ? s->out : s->in).real;
    const int last = p->batch_rank + p->rank - 1;
    ptrdiff_t stride = 1;
    for (int i = last; i >= 0; i--) {
        size_t n =
            padded && i == last ? 2 * bench_extent(s, i, !output) : bench_extent(s, i, output);
        *stride_of(dim_at(p, i), output) = stride;
        if (n > PTRDIFF_MAX || __builtin_mul_overflow(stride, (ptrdiff_t)n, &stride))
            return false;
    }
    return true;
}

/* In place, a side without strides takes the other side's. */
static bool complete_strides(bench_shape *s)
{
    sluice_problem *p = &s->problem;
    const bool open[2] = {side_is_open(p, false), side_is_open(p, true)};
    for (int side = 0; side < 2; side++) {
        if (open[side] && p->in_place && !open[!side])
            for (int i = 0; i < p->batch_rank + p->rank; i++)
                *stride_of(dim_at(p, i), side == 1) = *stride_of(dim_at(p, i), side == 0);
        else if (open[side] && !fill_packed(s, side == 1))
            return false;
    }
    return true;
}

/* The lowest and highest element of a side, relative to its base pointer. */
static bool find_reach(bench_shape *s, bool output, ptrdiff_t *low, ptrdiff_t *high)
{
    sluice_problem *p = &s->problem;
    *low = *high = 0;
    for (int i = 0; i < p->batch_rank + p->rank; i++) {
        const size_t n = bench_extent(s, i, output);
        ptrdiff_t far, stride = *stride_of(dim_at(p, i), output);
        if (n == 0 || n > PTRDIFF_MAX || __builtin_mul_overflow((ptrdiff_t)(n - 1), stride, &far))
            return false;
        ptrdiff_t *end = far < 0 ? low : high;
        if (__builtin_add_overflow(*end, far, end))
            return false;
    }
    return true;
}

/* Sets the size and the number of a side's elements. */
static bool count_side(bench_shape *s, bool output, bool real)
{
    sluice_problem *p = &s->problem;
    bench_side *side = output ? &s->out : &s->in;
    const bool half = s->in.real != s->out.real && !real;
    const size_t n = p->dim[p->rank - 1].n;
    const bool split = (output ? p->out_layout : p->in_layout) == SLUICE_SPLIT;
    size_t bytes;
    side->last = half ? n / 2 + 1 : n;
    side->element = real || split ? s->scalar : 2 * s->scalar;
    side->elements = s->total / n;
    if (__builtin_mul_overflow(side->elements, side->last, &side->elements)
        || __builtin_mul_overflow(side->elements, (real ? 1 : 2) * s->scalar, &bytes))
        return false;
    s->data_bytes = bytes > s->data_bytes ? bytes : s->data_bytes;
    return true;
}

static bool make_side(bench_shape *s, bool output)
{
    bench_side *side = output ? &s->out : &s->in;
    const sluice_layout layout = output ? s->problem.out_layout : s->problem.in_layout;
    ptrdiff_t low, high;
    if (!find_reach(s, output, &low, &high) || low == PTRDIFF_MIN)
        return false;
    size_t below = (size_t)-low, elements, bytes;
    if (__builtin_add_overflow(below, BASE_STEP - 1, &below))
        return false;
    side->below = below / BASE_STEP * BASE_STEP;
    if (__builtin_add_overflow(side->below, (size_t)high + BASE_STEP, &elements)
        || __builtin_mul_overflow(elements / BASE_STEP * BASE_STEP, side->element, &bytes))
        return false;
    side->plane_bytes = bytes;
    if (__builtin_mul_overflow(bytes, !side->real && layout == SLUICE_SPLIT ? 2u : 1u,
                               &side->block_bytes))
        return false;
    /* An input that overlaps itself spans fewer bytes than it has elements; copies need the latter.
     */
    if (side->block_bytes < s->data_bytes)
        side->block_bytes = s->data_bytes;
    return true;
}

static bool count_elements(bench_shape *s)
{
    sluice_problem *p = &s->problem;
    s->points = s->total = 1;
    for (int i = 0; i < p->batch_rank + p->rank; i++) {
        size_t n = dim_at(p, i)->n;
        if (__builtin_mul_overflow(s->total, n, &s->total))
            return false;
        if (i >= p->batch_rank)
            s->points *= n; /* divides the total, which did not overflow */
    }
    if (s->total == 0 || !count_side(s, false, s->in.real) || !count_side(s, true, s->out.real))
        return false;
    s->flops = (s->in.real || s->out.real ? 2.5 : 5.0) * (double)s->total * log2((double)s->points);
    return true;
}

sluice_status bench_shape_make(bench_shape *out, const sluice_problem *problem, sluice_diag *why)
{
    memset(out, 0, sizeof *out);
    out->problem = *problem;
    out->scalar = problem->precision == SLUICE_F64 ? sizeof(double) : sizeof(float);
    const sluice_kind kind = bench_axis_kind(problem, problem->rank - 1);
    const bool reals = problem->in_layout > SLUICE_SPLIT || problem->out_layout > SLUICE_SPLIT;
    if (problem->in_place && !reals && problem->in_layout != problem->out_layout)
        return refuse_shape(why, SLUICE_E_UNSUPPORTED,
                            "the bench does not time in-place problems that change their layout");
    out->in.real = reals || (kind != SLUICE_C2C && kind != SLUICE_C2R);
    out->out.real = reals || (kind != SLUICE_C2C && kind != SLUICE_R2C);
    if (!count_elements(out) || !complete_strides(out) || !make_side(out, false)
        || !make_side(out, true))
        return refuse_shape(why, SLUICE_E_UNSUPPORTED,
                            "the sizes or strides exceed the address space");
    return SLUICE_OK;
}
