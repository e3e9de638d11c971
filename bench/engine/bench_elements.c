// SPDX-License-Identifier: BSD-3-Clause
/* An odometer over the dimensions of a side. X is the spectrum of a real array of several axes if
 * X[-k_1, .., -k_d] = X[k_1, .., k_d]*, indices modulo the lengths; along the last axis only
 * indices 0 and n/2 are stored together with their mirror images. */
#include "bench/engine/bench_elements.h"

#include <string.h>

enum { MAX_DIMS = SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK };

typedef struct walk {
    const bench_shape *s;
    bool output;
    int dims;
    size_t extent[MAX_DIMS], index[MAX_DIMS];
    ptrdiff_t stride[MAX_DIMS];
} walk;

static walk walk_begin(const bench_shape *s, bool output)
{
    const sluice_problem *p = &s->problem;
    walk w = {.s = s, .output = output, .dims = p->batch_rank + p->rank};
    for (int i = 0; i < w.dims; i++) {
        const sluice_dim *d = i < p->batch_rank ? &p->batch[i] : &p->dim[i - p->batch_rank];
        w.extent[i] = bench_extent(s, i, output);
        w.stride[i] = output ? d->out_stride : d->in_stride;
    }
    return w;
}

/* False after the last element. */
static bool walk_next(walk *w)
{
    for (int i = w->dims - 1; i >= 0; i--) {
        if (++w->index[i] < w->extent[i])
            return true;
        w->index[i] = 0;
    }
    return false;
}

/* Offset of the current element, in elements from the base. */
static ptrdiff_t walk_offset(const walk *w)
{
    ptrdiff_t at = 0;
    for (int i = 0; i < w->dims; i++)
        at += (ptrdiff_t)w->index[i] * w->stride[i];
    return at;
}

/* Offset of the mirror image: the indices of all axes but the last are mirrored. */
static ptrdiff_t walk_mirror(const walk *w)
{
    const int batch = w->s->problem.batch_rank;
    ptrdiff_t at = 0;
    for (int i = 0; i < w->dims; i++) {
        const bool turned = i >= batch && i < w->dims - 1 && w->index[i] > 0;
        at += (ptrdiff_t)(turned ? w->extent[i] - w->index[i] : w->index[i]) * w->stride[i];
    }
    return at;
}

size_t bench_output_scalars(const bench_shape *s)
{
    return s->out.elements * (s->out.real ? 1 : 2);
}

void bench_pack_output(const bench_shape *s, const bench_data *d, void *packed)
{
    const size_t element = s->out.element;
    char *to = packed;
    walk w = walk_begin(s, true);
    do {
        const ptrdiff_t at = walk_offset(&w) * (ptrdiff_t)element;
        memcpy(to, (const char *)d->out + at, element);
        to += element;
        if (d->out_im) {
            memcpy(to, (const char *)d->out_im + at, element);
            to += element;
        }
    } while (walk_next(&w));
}

/* to = from*, or im = 0 if both are the same element; re and im lie `im` bytes apart. */
static void set_conjugate(char *to, const char *from, size_t im, sluice_precision precision)
{
    if (precision == SLUICE_F64) {
        double re, part;
        memcpy(&re, from, sizeof re);
        memcpy(&part, from + im, sizeof part);
        part = to == from ? 0 : -part;
        memcpy(to, &re, sizeof re);
        memcpy(to + im, &part, sizeof part);
    } else {
        float re, part;
        memcpy(&re, from, sizeof re);
        memcpy(&part, from + im, sizeof part);
        part = to == from ? 0 : -part;
        memcpy(to, &re, sizeof re);
        memcpy(to + im, &part, sizeof part);
    }
}

void bench_make_hermitian(const bench_shape *s, const bench_data *d, void *values)
{
    const size_t n = s->problem.dim[s->problem.rank - 1].n;
    const size_t im = d->in_im ? s->in.plane_bytes : s->scalar;
    char *base = (char *)values + ((const char *)d->in - (const char *)d->in_block);
    walk w = walk_begin(s, false);
    do {
        const size_t k = w.index[w.dims - 1];
        const ptrdiff_t at = walk_offset(&w), mirror = walk_mirror(&w);
        if ((k == 0 || 2 * k == n) && mirror >= at)
            set_conjugate(base + mirror * (ptrdiff_t)s->in.element,
                          base + at * (ptrdiff_t)s->in.element, im, s->problem.precision);
    } while (walk_next(&w));
}
