// SPDX-License-Identifier: BSD-3-Clause
/* A half-spectrum X of n_1 x .. x n_d/2+1 elements represents a full one, whose other elements are
 * conjugates, X_{-k} = X_k^*, indices modulo n. If -k lies in the half-spectrum too, in columns 0
 * and n_d/2, then (X_k + X_{-k}^*)/2 counts, since transforms back to reals read no more: y_j =
 * SUM_k weight_k Re(X_k w^{-jk}). */
#include "sched/plan/verify_oracle.h"

#include <string.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/oracle/oracle.h"

/* ---- all outputs: row-column ---- */

/* The middle of three dimensions of a vector. */
typedef struct dimension {
    spl_kind kind;
    int64_t n;
    size_t outer, inner;
} dimension;

/* y may be x if there are as many rows as columns. */
static sluice_status transform_dimension(const dimension *d, const long double *x, long double *y)
{
    const size_t cols = (size_t)spl_transform_cols(d->kind, d->n);
    const size_t rows = (size_t)spl_transform_rows(d->kind, d->n);
    const size_t pair = 2 * sizeof *x;
    long double *from = core_malloc((cols + rows) * pair), *to = from ? from + 2 * cols : NULL;
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
    const spl_kind kind = sched_axis_kind(p, p->rank - 1);
    const spl_transform *t = spl_transform_of(kind);
    const size_t n = p->dim[p->rank - 1].n;
    const bool ordered = t->order && side == (t->trig == SPL_TRIG_EXP_INVERSE ? 0 : 1);
    const bool half = ordered || (side ? t->half_to : t->half_from);
    const size_t k = (size_t)spl_transform_place(kind, (int64_t)n, side == 0, (int64_t)index).k;

    return half && k > 0 && 2 * k < n ? 2 : 1;
}

/* Elements of the last axis on a side. */
static size_t last_extent(const sluice_problem *p, int side)
{
    return sched_problem_extent(p, sched_problem_dims(p) - 1, side);
}

/* The entries of one row of an axis's matrix: exp(-i x_j), where x_j are the angles of the
 * definition (spl/formula/transforms.h). An entry is the root of j mod block times the root of the
 * rest, so about 2 sqrt(n) roots are needed. Not core_roots, from which plans make their tables. */
typedef struct axis_roots {
    const spl_transform *t;
    spl_kind kind;
    size_t n;
    int part;  /* part of a half-spectrum in an order of reals: re, im */
    int shift; /* block is 2^shift */
    long double *low, *high;
} axis_roots;

typedef struct sample_roots {
    axis_roots axis[SLUICE_MAX_RANK];
} sample_roots;

static void close_roots(sample_roots *s, int rank)
{
    for (int d = 0; d < rank; d++) {
        core_free(s->axis[d].low);
        core_free(s->axis[d].high);
    }
}

/* Opens the roots of row k: angles are (2 j + j0)(2 k + k0) parts of unit (n + more). */
static bool open_axis(axis_roots *a, spl_kind kind, size_t n, size_t k)
{
    const spl_transform *t = a->t = spl_transform_of(kind);
    const size_t order = (size_t)t->unit * (size_t)((int64_t)n + t->more);
    const spl_half_place at = spl_transform_place(kind, (int64_t)n, false, (int64_t)k);
    const size_t row = 2 * (size_t)at.k + (size_t)t->k0;

    a->kind = kind;
    a->part = at.part;
    a->n = n;
    while (n >> a->shift >> a->shift > 1)
        a->shift++;
    const size_t block = (size_t)1 << a->shift, blocks = (n - 1) / block + 1;
    a->low = core_malloc(2 * block * sizeof *a->low);
    a->high = core_malloc(2 * blocks * sizeof *a->high);
    if (!a->low || !a->high)
        return false;
    for (size_t i = 0; i < block + blocks; i++) {
        long double *w = i < block ? a->low + 2 * i : a->high + 2 * (i - block);
        const size_t j = i < block ? i : (i - block) * block;
        const size_t column = 2 * j + (i < block ? 0 : (size_t)t->j0);
        core_root(column * row % order, order, w, w + 1);
    }
    return true;
}

/* Opens the roots of output number k. */
static bool open_roots(sample_roots *s, const sluice_problem *p, size_t k)
{
    bool opened = true;

    for (int d = p->rank - 1; d >= 0; d--) {
        const size_t out = sched_problem_extent(p, p->batch_rank + d, 1);
        opened = opened && open_axis(&s->axis[d], sched_axis_kind(p, d), p->dim[d].n, k % out);
        k /= out;
    }
    return opened;
}

static void multiply_complex(long double *x, const long double *w)
{
    const long double re = x[0] * w[0] - x[1] * w[1];
    x[1] = x[0] * w[1] + x[1] * w[0];
    x[0] = re;
}

/* Is column j of an axis (for the output, row j) one to which the edges apply? */
static bool at_edge(spl_edge edge, size_t j, size_t n)
{
    const bool first = edge == SPL_EDGE_FIRST || edge == SPL_EDGE_BOTH;
    const bool last = edge == SPL_EDGE_LAST || edge == SPL_EDGE_BOTH;

    return (first && j == 0) || (last && j + 1 == n);
}

/* Multiplies x by the entry of column j. */
static void multiply_by_entry(const axis_roots *a, size_t j, long double *x)
{
    const spl_transform *t = a->t;
    const spl_half_place at = spl_transform_place(a->kind, (int64_t)a->n, true, (int64_t)j);
    const size_t column = (size_t)at.k;
    const long double weight = at_edge(t->edge, j, a->n) ? 1 : t->weight;
    long double w[2] = {weight, 0};

    multiply_complex(w, a->low + 2 * (column & (((size_t)1 << a->shift) - 1)));
    multiply_complex(w, a->high + 2 * (column >> a->shift));
    const long double c = w[0], s = w[1];
    if (t->order) {
        x[0] *= a->part || at.part ? s : c;
        return;
    }
    w[0] = t->trig == SPL_TRIG_SIN ? -s : t->trig == SPL_TRIG_CAS ? c - s : c;
    w[1] = t->trig == SPL_TRIG_EXP ? s : t->trig == SPL_TRIG_EXP_INVERSE ? -s : 0;
    multiply_complex(x, w);
}

static void sum_inputs(const sluice_problem *p, const sched_oracle_read *in,
                       const sample_roots *roots, sched_oracle_sample *samples, int count)
{
    const bool real = sched_side_type(p, 1) == SPL_TYPE_REAL;
    size_t at[SLUICE_MAX_RANK] = {0};

    for (size_t j = 0; j < sched_side_elements(p, 0); j++) {
        const int weight = sched_oracle_weight(p, 0, at[p->rank - 1]);
        long double x[2];
        in->at(in->user, j, x);
        for (int s = 0; s < count; s++) {
            long double term[2] = {weight * x[0], weight * x[1]};
            for (int d = 0; d < p->rank; d++)
                multiply_by_entry(&roots[s].axis[d], at[d], term);
            samples[s].want[0] += term[0];
            samples[s].want[1] += real ? 0 : term[1];
        }
        for (int d = p->rank - 1;
             d >= 0 && ++at[d] == sched_problem_extent(p, p->batch_rank + d, 0); d--)
            at[d] = 0;
    }
}

sluice_status sched_oracle_samples(const sluice_problem *p, const sched_oracle_read *in,
                                   sched_oracle_sample *samples, int count)
{
    sample_roots *roots = core_calloc((size_t)count, sizeof *roots);
    bool opened = roots != NULL;

    for (int s = 0; s < count && roots; s++) {
        samples[s].want[0] = samples[s].want[1] = 0;
        opened = opened && open_roots(&roots[s], p, samples[s].k);
    }
    if (opened)
        sum_inputs(p, in, roots, samples, count);
    for (int s = 0; s < count && roots; s++)
        close_roots(&roots[s], p->rank);
    core_free(roots);
    return opened ? SLUICE_OK : SLUICE_E_MEMORY;
}

/* The element at opposite indices along all DFT axes but the last. */
static size_t opposite_element(const sluice_problem *p, int side, size_t index)
{
    const size_t last = last_extent(p, side);
    size_t at = index % last, below = last, rest = index / last;

    for (int axis = p->rank - 2; axis >= 0; axis--) {
        const size_t n = p->dim[axis].n, i = rest % n;
        at += (spl_is_dft_kind(sched_axis_kind(p, axis)) ? (n - i) % n : i) * below;
        below *= n;
        rest /= n;
    }
    return at;
}

/* The weight of an element in the energy of a side. The rows of a cosine or sine transform are
 * orthogonal if those that its inverse weights differently count half; its columns likewise. A
 * column of zeros does not count. */
static long double energy_weight(const sluice_problem *p, int side, size_t index)
{
    long double weight = 1;

    for (int d = p->rank - 1; d >= 0; d--) {
        const size_t extent = sched_problem_extent(p, p->batch_rank + d, side), j = index % extent;
        const spl_transform *t = spl_transform_of(sched_axis_kind(p, d));
        const bool inverted = side == 1 && t->inverse >= 0;
        const spl_transform *edges = inverted ? spl_transform_of((spl_kind)t->inverse) : t;
        if ((side == 0 || inverted) && at_edge(edges->edge, j, extent))
            weight /= 2;
        if (side == 0 && t->trig == SPL_TRIG_SIN && t->j0 == 0 && j == 0)
            weight = 0;
        index /= extent;
    }
    return weight;
}

long double sched_oracle_energy(const sluice_problem *p, int side, const sched_oracle_read *read)
{
    const size_t last = last_extent(p, side);
    const bool given = side == 0 && sched_axis_has_half_spectrum(p, p->rank - 1)
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
        sum += weight * energy_weight(p, side, i) * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}

long double sched_oracle_gain(const sluice_problem *p)
{
    long double gain = 1;

    for (int d = 0; d < p->rank; d++) {
        const spl_transform *t = spl_transform_of(sched_axis_kind(p, d));
        gain *= t->weight * (long double)((int64_t)p->dim[d].n + t->more);
    }
    return gain;
}
