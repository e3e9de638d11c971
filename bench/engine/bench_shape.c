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

static bool is_c2c(const sluice_problem *p)
{
    for (int i = 0; i < p->rank; i++)
        if (p->kind[i] != SLUICE_C2C && p->kind[i] != SLUICE_KIND_SAME)
            return false;
    return true;
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

/* Row-major from the last axis outwards; `same` takes the other side's strides instead. */
static bool fill_strides(sluice_problem *p, bool output, bool same)
{
    ptrdiff_t stride = 1;
    for (int i = p->batch_rank + p->rank - 1; i >= 0; i--) {
        sluice_dim *d = dim_at(p, i);
        *stride_of(d, output) = same ? *stride_of(d, !output) : stride;
        if (d->n > PTRDIFF_MAX || __builtin_mul_overflow(stride, (ptrdiff_t)d->n, &stride))
            return false;
    }
    return true;
}

static bool complete_strides(sluice_problem *p)
{
    bool open[2] = {side_is_open(p, false), side_is_open(p, true)};
    for (int side = 0; side < 2; side++) {
        bool same = p->in_place && !open[!side];
        if (open[side] && !fill_strides(p, side == 1, same))
            return false;
    }
    return true;
}

/* The lowest and highest element of a side, relative to its base pointer. */
static bool find_reach(sluice_problem *p, bool output, ptrdiff_t *low, ptrdiff_t *high)
{
    *low = *high = 0;
    for (int i = 0; i < p->batch_rank + p->rank; i++) {
        sluice_dim *d = dim_at(p, i);
        ptrdiff_t far, stride = *stride_of(d, output);
        if (d->n == 0 || d->n > PTRDIFF_MAX
            || __builtin_mul_overflow((ptrdiff_t)(d->n - 1), stride, &far))
            return false;
        ptrdiff_t *end = far < 0 ? low : high;
        if (__builtin_add_overflow(*end, far, end))
            return false;
    }
    return true;
}

static bool make_side(bench_side *side, bench_shape *s, bool output, sluice_layout layout)
{
    ptrdiff_t low, high;
    if (!find_reach(&s->problem, output, &low, &high) || low == PTRDIFF_MIN)
        return false;
    size_t below = (size_t)-low, elements, bytes;
    if (__builtin_add_overflow(below, BASE_STEP - 1, &below))
        return false;
    side->below = below / BASE_STEP * BASE_STEP;
    if (__builtin_add_overflow(side->below, (size_t)high + BASE_STEP, &elements)
        || __builtin_mul_overflow(elements / BASE_STEP * BASE_STEP, bench_element(s, layout),
                                  &bytes))
        return false;
    side->plane_bytes = bytes;
    if (__builtin_mul_overflow(bytes, layout == SLUICE_SPLIT ? 2u : 1u, &side->block_bytes))
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
    size_t total = 1;
    s->points = 1;
    for (int i = 0; i < p->batch_rank + p->rank; i++) {
        size_t n = dim_at(p, i)->n;
        if (__builtin_mul_overflow(total, n, &total))
            return false;
        if (i >= p->batch_rank)
            s->points *= n; /* divides the total, which did not overflow */
    }
    if (total == 0 || __builtin_mul_overflow(total, 2 * s->scalar, &s->data_bytes))
        return false;
    s->flops = 5.0 * (double)total * log2((double)s->points);
    return true;
}

sluice_status bench_shape_make(bench_shape *out, const sluice_problem *problem, sluice_diag *why)
{
    memset(out, 0, sizeof *out);
    out->problem = *problem;
    out->scalar = problem->precision == SLUICE_F64 ? sizeof(double) : sizeof(float);
    if (!is_c2c(problem))
        return refuse_shape(why, SLUICE_E_UNSUPPORTED, "the bench times c2c problems only, so far");
    if (problem->in_place && problem->in_layout != problem->out_layout)
        return refuse_shape(why, SLUICE_E_UNSUPPORTED,
                            "the bench does not time in-place problems that change their layout");
    if (!count_elements(out) || !complete_strides(&out->problem)
        || !make_side(&out->in, out, false, problem->in_layout)
        || !make_side(&out->out, out, true, problem->out_layout))
        return refuse_shape(why, SLUICE_E_UNSUPPORTED,
                            "the sizes or strides exceed the address space");
    return SLUICE_OK;
}
