// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of a problem. Each call of a transform that overwrites its input multiplies the energy of
 * the data by N, a cosine or sine transform by up to 4 more along each axis. So such values start
 * small, and are refilled before they can overflow. */
#include "bench/engine/bench_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_elements.h"

typedef struct range {
    double start;    /* values are random in [-start, start]          */
    double headroom; /* bits that values may grow by before they leave the range */
} range;

/* The starts keep the smallest products normal numbers: denormal arithmetic would distort the
 * timing. */
static const range overwritten_range[] = {
    [SLUICE_F32] = {0x1p-60, 120},
    [SLUICE_F64] = {0x1p-500, 1000},
};

static void *base_of(void *block, const bench_side *side)
{
    return (char *)block + side->below * side->element;
}

/* The array of imaginary parts of a split side. */
static void *parts_of(void *base, const bench_side *side, sluice_layout layout)
{
    return layout == SLUICE_SPLIT && !side->real ? (char *)base + side->plane_bytes : NULL;
}

static size_t safe_reps(const bench_shape *s)
{
    if (!bench_overwrites(s))
        return SIZE_MAX;
    double bits = 0.5 * log2((double)s->points) + (s->in.real && s->out.real ? s->problem.rank : 0);
    if (bits <= 0)
        return SIZE_MAX;
    /* One transform fewer: a single output may hold all of the energy. */
    double reps = floor(overwritten_range[s->problem.precision].headroom / bits) - 1;
    return reps < 1 ? 1 : (size_t)reps;
}

/* Places are whole pairs of lines apart, which devices may require; in eight places the two sides
 * have seven distances. */
enum { PLACES = 8, STEP = 9 * 128, PAGE = 4096 };

static void *open_block(void **memory, size_t bytes, size_t place)
{
    *memory = bytes <= SIZE_MAX - PAGE ? sluice_alloc(bytes + PAGE) : NULL;
    return *memory ? (char *)*memory + place % PLACES * STEP % PAGE : NULL;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

bool bench_data_open(bench_data *d, const bench_shape *s, size_t place)
{
    const sluice_problem *p = &s->problem;
    const size_t both = larger(s->in.block_bytes, s->out.block_bytes);
    memset(d, 0, sizeof *d);
    d->in_bytes = p->in_place ? both : s->in.block_bytes;
    d->out_bytes = p->in_place ? both : s->out.block_bytes;
    d->data_bytes = s->data_bytes;
    d->safe_reps = safe_reps(s);
    d->in_block = open_block(&d->in_memory, d->in_bytes, place);
    d->out_block = p->in_place ? d->in_block
                               : open_block(&d->out_memory, d->out_bytes, place * (place + 1) / 2);
    d->pristine = bench_overwrites(s) ? sluice_alloc(d->in_bytes) : NULL;
    d->mirrors = calloc(1, sizeof(bench_mirror *));
    if (!d->in_block || !d->out_block || !d->mirrors || (bench_overwrites(s) && !d->pristine)) {
        bench_data_close(d);
        return false;
    }
    d->in = base_of(d->in_block, &s->in);
    d->out = base_of(d->out_block, &s->out);
    d->in_im = parts_of(d->in, &s->in, p->in_layout);
    d->out_im = parts_of(d->out, &s->out, p->out_layout);
    return true;
}

void bench_data_close(bench_data *d)
{
    bench_mirrors_free(d);
    free(d->mirrors);
    sluice_free(d->out_memory);
    sluice_free(d->in_memory);
    sluice_free(d->pristine);
    memset(d, 0, sizeof *d);
}

/* xorshift64*: fast enough for gigabytes, the same everywhere. */
static double random_unit(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((int64_t)(*state * UINT64_C(0x2545F4914F6CDD1D))) * 0x1p-63;
}

static void fill_random(void *block, size_t bytes, sluice_precision precision, double amplitude)
{
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    if (precision == SLUICE_F64) {
        double *x = block;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            x[i] = amplitude * random_unit(&state);
    } else {
        float *x = block;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            x[i] = (float)(amplitude * random_unit(&state));
    }
}

void bench_data_fill(bench_data *d, const bench_shape *s)
{
    static unsigned long fillings;
    sluice_precision precision = s->problem.precision;
    d->filling = ++fillings;
    void *values = d->pristine ? d->pristine : d->in_block;
    fill_random(values, d->in_bytes, precision,
                d->pristine ? overwritten_range[precision].start : 1.0);
    if (bench_reads_spectra(s))
        bench_make_hermitian(s, d, values);
    if (d->out_block != d->in_block)
        memset(d->out_block, 0, d->out_bytes);
    bench_data_refill(d);
}

void bench_data_refill(const bench_data *d)
{
    if (d->pristine)
        memcpy(d->in_block, d->pristine, d->in_bytes);
}
