// SPDX-License-Identifier: BSD-3-Clause
/* The self-test of stand-alone programs: printed into them (spl/emit/snippets.h). Compares with a
 * matrix in long double, whose factors are functions that spl/emit/print_c.c prints. */
#ifndef SCHED_EMIT_CHECK_H
#define SCHED_EMIT_CHECK_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/alone.h"
#include "core/trig.h"
#include "spl/formula/half_order.h"
#include "spl/oracle/oracle.h"

/* y = A x; false: out of memory. */
typedef bool check_matrix(const long double *x, long double *y);

static inline void check_clear(long double *y, int64_t n)
{
    memset(y, 0, (size_t)n * 2 * sizeof *y);
}

/* y = d_t x */
static inline void check_diagonal(spl_values values, int64_t n, int64_t m, bool conjugate,
                                  int64_t t, const long double *x, long double *y)
{
    long double re, im;

    spl_oracle_diagonal(values, n, m, t, &re, &im);
    im *= conjugate ? -1 : 1;
    y[0] = re * x[0] - im * x[1];
    y[1] = re * x[1] + im * x[0];
}

/* y[i*(n/k) + j] = x[j*k + i] */
static inline void check_stride(int64_t n, int64_t k, const long double *x, long double *y)
{
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < n / k; j++)
            memcpy(y + 2 * (i * (n / k) + j), x + 2 * (j * k + i), 2 * sizeof *x);
}

/* y += A x */
static inline bool check_add(check_matrix *a, const long double *x, long double *y, int64_t rows)
{
    long double *const part = (long double *)core_calloc((size_t)rows, 2 * sizeof *part);
    const bool done = part && a(x, part);

    for (int64_t i = 0; i < 2 * rows && done; i++)
        y[i] += part[i];
    core_free(part);
    return done;
}

/* Factors one after the other, through two vectors alternately. */
typedef struct check_steps {
    long double *from, *to;
    bool failed;
} check_steps;

static inline bool check_begin(check_steps *s, int64_t room, const long double *x, int64_t n)
{
    s->from = (long double *)core_calloc((size_t)room, 2 * sizeof *s->from);
    s->to = (long double *)core_calloc((size_t)room, 2 * sizeof *s->to);
    s->failed = !s->from || !s->to;
    if (!s->failed)
        memcpy(s->from, x, (size_t)n * 2 * sizeof *x);
    return !s->failed;
}

/* I_left (x) A (x) I_right */
static inline void check_step(check_steps *s, check_matrix *a, int64_t left, int64_t rows,
                              int64_t cols, int64_t right)
{
    long double *const x = (long double *)core_calloc((size_t)(rows + cols), 2 * sizeof *x);
    long double *const y = x + 2 * cols, *const swap = s->from;

    s->failed = s->failed || !x;
    for (int64_t l = 0; l < left && !s->failed; l++)
        for (int64_t r = 0; r < right && !s->failed; r++) {
            for (int64_t i = 0; i < cols; i++)
                memcpy(x + 2 * i, s->from + 2 * ((l * cols + i) * right + r), 2 * sizeof *x);
            s->failed = !a(x, y);
            for (int64_t i = 0; i < rows; i++)
                memcpy(s->to + 2 * ((l * rows + i) * right + r), y + 2 * i, 2 * sizeof *x);
        }
    core_free(x);
    s->from = s->to;
    s->to = swap;
}

static inline bool check_end(check_steps *s, long double *y, int64_t n)
{
    if (!s->failed)
        memcpy(y, s->from, (size_t)n * 2 * sizeof *y);
    core_free(s->from);
    core_free(s->to);
    return !s->failed;
}

/* RDFT_n: the first half of DFT_n of reals. */
static inline bool check_rdft(int64_t n, const long double *x, long double *y)
{
    long double *const full = (long double *)core_calloc((size_t)n, 2 * sizeof *full);
    const bool done = full && spl_oracle_dft(n, false, x, full) == SLUICE_OK;

    if (done)
        memcpy(y, full, (size_t)(n / 2 + 1) * 2 * sizeof *y);
    core_free(full);
    return done;
}

/* IRDFT_n: of the spectrum whose other half are conjugates; y has its real parts. */
static inline bool check_irdft(int64_t n, const long double *x, long double *y)
{
    long double *const full = (long double *)core_calloc((size_t)n, 2 * sizeof *full);

    for (int64_t k = 0; full && k < n; k++) {
        const int64_t from = k <= n / 2 ? k : n - k;
        full[2 * k] = x[2 * from];
        full[2 * k + 1] = 2 * from % n == 0 ? 0 : from == k ? x[2 * from + 1] : -x[2 * from + 1];
    }
    const bool done = full && spl_oracle_dft(n, true, full, y) == SLUICE_OK;
    for (int64_t j = 0; j < n; j++)
        y[2 * j + 1] = 0;
    core_free(full);
    return done;
}

/* RDFT_n whose half-spectrum stands as n reals in an order of their own .. */
static inline bool check_to_order(spl_order order, int64_t n, const long double *x, long double *y)
{
    long double *const half = (long double *)core_calloc((size_t)n / 2 + 1, 2 * sizeof *half);
    const bool done = half && check_rdft(n, x, half);

    for (int64_t i = 0; done && i < n; i++) {
        const spl_half_place at = spl_order_place(order, n, i);
        y[2 * i] = half[2 * at.k + at.part];
        y[2 * i + 1] = 0;
    }
    core_free(half);
    return done;
}

/* .. and IRDFT_n of one. */
static inline bool check_from_order(spl_order order, int64_t n, const long double *x,
                                    long double *y)
{
    long double *const half = (long double *)core_calloc((size_t)n / 2 + 1, 2 * sizeof *half);

    for (int64_t i = 0; half && i < n; i++) {
        const spl_half_place at = spl_order_place(order, n, i);
        half[2 * at.k + at.part] = x[2 * i];
    }
    const bool done = half && check_irdft(n, half, y);
    core_free(half);
    return done;
}

/* y_k = SUM weight_j trig(2 pi J K / D) x_j, J = 2j + j0, K = 2k + k0, D = unit (n + more), as
 * spl/formula/transforms.h has it: cosines, sines, or both (-1, 1, 0: sine, cosine, their sum). */
typedef struct check_sums {
    int trig, j0, k0, unit, more;
    bool first, last; /* does the first x_j, the last, weigh 1? */
    long double weight;
} check_sums;

/* By DFTs of D points, reduced by the factors 2 of J and K, with x_j at J: a cosine is half of the
 * DFT and the inverse, a sine half of their difference over i. */
static inline bool check_real(check_sums t, int64_t n, const long double *x, long double *y)
{
    const int64_t by_j = 2 - t.j0 % 2, by_k = 2 - t.k0 % 2;
    const int64_t d = t.unit * (n + t.more) / by_j / by_k;
    long double *const spread = (long double *)core_calloc((size_t)d, 6 * sizeof *spread);
    long double *const f = spread + 2 * d, *const g = f + 2 * d;

    for (int64_t j = 0; spread && j < n; j++)
        for (int part = 0; part < 2; part++)
            spread[2 * ((2 * j + t.j0) / by_j) + part] =
                ((j == 0 && t.first) || (j == n - 1 && t.last) ? 1 : t.weight) * x[2 * j + part];
    const bool done = spread && spl_oracle_dft(d, false, spread, f) == SLUICE_OK
                      && spl_oracle_dft(d, true, spread, g) == SLUICE_OK;
    for (int64_t k = 0; done && k < n; k++) {
        const int64_t at = 2 * ((2 * k + t.k0) / by_k);
        const long double c[] = {(f[at] + g[at]) / 2, (f[at + 1] + g[at + 1]) / 2};
        const long double s[] = {(g[at + 1] - f[at + 1]) / 2, (f[at] - g[at]) / 2};
        for (int part = 0; part < 2; part++)
            y[2 * k + part] = (t.trig >= 0 ? c[part] : 0) + (t.trig <= 0 ? s[part] : 0);
    }
    core_free(spread);
    return done;
}

/* One dimension, of the batch or of a transform, on each side; strides in elements. */
typedef struct check_dim {
    int64_t n[2], stride[2];
} check_dim;

typedef struct check_task {
    const char *name;
    check_matrix *matrix;
    void (*run)(const void *in, const void *in_im, void *out, void *out_im);
    int dims; /* slowest first */
    check_dim dim[16];
    int64_t total[2];        /* elements of a side */
    double bound;            /* of the error */
    int64_t low[2], high[2]; /* elements that a side touches, relative to its pointer */
    int64_t scalars[2];      /* of an element: 1 real, 2 complex */
    bool split[2], in_place;
    size_t scalar; /* bytes */
} check_task;

/* One side in memory. */
typedef struct check_side {
    char *block[2], *re, *im;
    int64_t unit; /* bytes from element to element */
} check_side;

static inline int64_t check_unit(const check_task *t, int which)
{
    return (int64_t)t->scalar * (t->split[which] ? 1 : t->scalars[which]);
}

/* Bytes that a side touches before or from its pointer; in place: that both do. */
static inline int64_t check_bytes(const check_task *t, int which, bool from)
{
    int64_t most = 0;

    for (int side = 0; side < 2; side++) {
        const int64_t unit = check_unit(t, side);
        const int64_t bytes = from ? (t->high[side] + 1) * unit : -t->low[side] * unit;
        if ((side == which || t->in_place) && bytes > most)
            most = bytes;
    }
    return most;
}

static inline bool check_side_open(check_side *side, const check_task *t, int which)
{
    const bool split = t->split[which];
    const int64_t before = check_bytes(t, which, false);
    const size_t bytes = (size_t)(before + check_bytes(t, which, true));

    side->unit = check_unit(t, which);
    for (int part = 0; part < 1 + split; part++)
        side->block[part] = (char *)core_aligned_alloc(bytes);
    if (!side->block[0] || (split && !side->block[1]))
        return false;
    side->re = side->block[0] + before;
    side->im = split ? side->block[1] + before : side->re + t->scalar;
    memset(side->block[0], 0, bytes);
    if (split)
        memset(side->block[1], 0, bytes);
    return true;
}

/* The output in place: the input's memory in its own elements. */
static inline check_side check_same_side(const check_side *in, const check_task *t)
{
    check_side side = *in;

    side.unit = check_unit(t, 1);
    side.im = t->split[1] ? in->im : in->re + t->scalar;
    return side;
}

static inline void check_side_close(check_side *side)
{
    core_aligned_free(side->block[0]);
    core_aligned_free(side->block[1]);
}

/* Where element `index` of the packed problem is, in bytes. */
static inline int64_t check_offset(const check_task *t, const check_side *side, int which,
                                   int64_t index)
{
    int64_t at = 0;

    for (int d = t->dims - 1; d >= 0; d--) {
        at += index % t->dim[d].n[which] * t->dim[d].stride[which];
        index /= t->dim[d].n[which];
    }
    return at * side->unit;
}

static inline long double check_get(const char *at, size_t scalar)
{
    float f;
    double d;

    if (scalar == sizeof d) {
        memcpy(&d, at, sizeof d);
        return (long double)d;
    }
    memcpy(&f, at, sizeof f);
    return (long double)f;
}

/* A number between -1 and 1, with as many bits as a float has. */
static inline void check_put_random(char *at, size_t scalar, uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const float f = (float)(*state >> 40) / (float)(1 << 23) - 1;
    const double d = (double)f;

    if (scalar == sizeof d)
        memcpy(at, &d, sizeof d);
    else
        memcpy(at, &f, sizeof f);
}

static inline void check_fill(const check_task *t, const check_side *in, long double *x)
{
    uint64_t state = 1;

    for (int64_t i = 0; i < t->total[0]; i++) {
        const int64_t at = check_offset(t, in, 0, i);
        check_put_random(in->re + at, t->scalar, &state);
        if (t->scalars[0] == 2)
            check_put_random(in->im + at, t->scalar, &state);
    }
    /* Input may overlap itself: what is there in the end counts. */
    for (int64_t i = 0; i < t->total[0]; i++) {
        const int64_t at = check_offset(t, in, 0, i);
        x[2 * i] = check_get(in->re + at, t->scalar);
        x[2 * i + 1] = t->scalars[0] == 2 ? check_get(in->im + at, t->scalar) : 0;
    }
}

/* The relative error, as a ratio of Euclidean norms. */
static inline double check_error(const check_task *t, const check_side *out,
                                 const long double *want)
{
    long double difference = 0, size = 0;

    for (int64_t i = 0; i < t->total[1]; i++) {
        const int64_t at = check_offset(t, out, 1, i);
        const long double im = t->scalars[1] == 2 ? check_get(out->im + at, t->scalar) : 0;
        const long double dr = check_get(out->re + at, t->scalar) - want[2 * i];
        const long double di = im - want[2 * i + 1];
        difference += dr * dr + di * di;
        size += want[2 * i] * want[2 * i] + want[2 * i + 1] * want[2 * i + 1];
    }
    return (double)sqrtl(difference / (size > 0 ? size : 1));
}

static inline double check_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How often the time is taken. */
#ifndef CHECK_ROWS
#define CHECK_ROWS 10
#endif

/* Seconds of one run: the best of several rows of runs that take a hundredth of a second each. */
static inline double check_time(const check_task *t, const check_side *in, const check_side *out)
{
    double best = 1e30;
    long count = 1;

    for (int row = 0; row < CHECK_ROWS;) {
        const double from = check_now();
        for (long i = 0; i < count; i++)
            t->run(in->re, in->im, out->re, out->im);
        const double took = check_now() - from;
        if (took < 0.01) {
            count *= 2;
            continue;
        }
        best = took / (double)count < best ? took / (double)count : best;
        row++;
    }
    return best;
}

/* 0: the error is within its bound, 1: it is not, 2: out of memory. */
static inline int check_program(const check_task *t)
{
    check_side in = {{NULL, NULL}, NULL, NULL, 0}, out = in;
    long double *const x = (long double *)core_calloc((size_t)t->total[0], 2 * sizeof *x);
    long double *const want = (long double *)core_calloc((size_t)t->total[1], 2 * sizeof *want);
    int code = 2;

    if (x && want && check_side_open(&in, t, 0) && (t->in_place || check_side_open(&out, t, 1))) {
        const check_side same = check_same_side(&in, t);
        const check_side *const to = t->in_place ? &same : &out;
        check_fill(t, &in, x);
        t->run(in.re, in.im, to->re, to->im);
        if (t->matrix(x, want)) {
            const double error = check_error(t, to, want);
            code = error <= t->bound ? 0 : 1;
            printf("%s error=%.3g bound=%.3g %s seconds=%.4g\n", t->name, error, t->bound,
                   code ? "FAIL" : "PASS", check_time(t, &in, to));
        }
    }
    if (code == 2)
        fputs("out of memory\n", stderr);
    check_side_close(&in);
    check_side_close(&out);
    core_free(x);
    core_free(want);
    return code;
}

#endif
