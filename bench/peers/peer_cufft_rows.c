// SPDX-License-Identifier: BSD-3-Clause
/* A baseline for cosine transforms of several axes on NVIDIA's devices, made of what a library with
 * only Fourier transforms offers. For each axis, the last one first, DCT-II is an r2c of as many
 * points (J. Makhoul, "A fast cosine transform in one and two dimensions", 1980),
 *     v_k = x_2k, v_(n-1-k) = x_(2k+1); V = r2c(v);
 *     y_k = 2 Re(w^k V_k), y_(n-k) = -2 Im(w^k V_k), w = exp(-i pi / 2n),
 * and DCT-III the inverse steps and a c2r. cuFFT computes all rows in batches. The last step of an
 * axis writes the transpose. Kernels move whole lines. After as many transposes as there are axes
 * the order of the axes is restored. This is the row-column method that Jiang, Gu, Pan, "A New
 * Acceleration Paradigm for Discrete Cosine Transform and Other Fourier-Related Transforms" (2021)
 * compare with. */
#include "bench/peers/peer_cufft_rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_cuda_kernels.h"
#include "bench/peers/peer_loop.h"

enum { TILE = 32, ROWS = 8, MOST_GROUPS = 65535 }; /* a group processes rows eight at a time */

typedef struct rows_axis {
    bool is_inverse; /* DCT-III */
    int n, rows;     /* rows of one transform */
    int plan;        /* cuFFT's */
    bool planned;
    void *weights; /* 2 w^k, k to n/2 */
} rows_axis;

typedef struct rows_plan {
    bool f64;
    int rank, count;
    rows_axis axis[SLUICE_MAX_RANK];
    peer_kernels *kernels;
    void *reorder, *weigh_and_turn, *weigh, *restore_and_turn;
    void *reals, *spectra, *between; /* scratch: before or after cuFFT, between axes */
} rows_plan;

static bool rows_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    (void)self;
    (void)settings;
    return peer_cuda_open(why) && peer_kernels_open(why);
}

static const char *rows_version(const peer *self, sluice_precision precision)
{
    static char text[160];
    (void)self;
    (void)precision;
    snprintf(text, sizeof text, "%s, kernels by %s", peer_cuda_version(), peer_kernels_version());
    return text;
}

/* ---- a problem */

static bool is_cosine(const bench_shape *s)
{
    bool good = true;
    for (int i = 0; i < s->problem.rank; i++) {
        const sluice_kind kind = bench_axis_kind(&s->problem, i);
        good = good && (kind == SLUICE_DCT2 || kind == SLUICE_DCT3);
    }
    return good;
}

static bool rows_is_available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
{
    const ptrdiff_t bytes = (ptrdiff_t)(s->points * s->scalar);
    const peer_loop loop = peer_loop_of(s);
    (void)self;
    (void)workers; /* it uses the whole device */
    if (!peer_loop_fits(s, 1, (peer_limits){SLUICE_MAX_RANK, true}, why))
        return false;
    if (!is_cosine(s))
        peer_refuse(why, "it is a baseline of dct2 and dct3");
    else if (loop.count > 1 && (loop.in_step != bytes || loop.out_step != bytes))
        peer_refuse(why, "it is timed without strides");
    else if (loop.count > MOST_GROUPS || s->total > INT_MAX)
        peer_refuse(why, "it counts by int, and transforms to 65535");
    else
        return true;
    return false;
}

/* ---- an execution */

static unsigned groups_of(int rows)
{
    const int groups = (rows + TILE - 1) / TILE;
    return (unsigned)(groups < MOST_GROUPS ? groups : MOST_GROUPS);
}

static bool launch(const rows_plan *f, const rows_axis *a, void *function, void *from, void *to,
                   int columns)
{
    const unsigned groups[3] = {(unsigned)((columns + TILE - 1) / TILE), groups_of(a->rows),
                                (unsigned)f->count};
    static const unsigned items[2] = {TILE, ROWS};
    void *weights = a->weights;
    int rows = a->rows, n = a->n;
    void *arguments[] = {&from, &to, &weights, &rows, &n};
    return peer_kernels_launch(function, groups, items, arguments);
}

static bool transform(const rows_plan *f, const rows_axis *a, void *from, void *to)
{
    cufft_exec *const exec =
        a->is_inverse ? (f->f64 ? cufft.z2d : cufft.c2r) : (f->f64 ? cufft.d2z : cufft.r2c);
    return exec(a->plan, from, to) == 0;
}

static bool run_axis(const rows_plan *f, const rows_axis *a, void *from, void *to)
{
    const int half = a->n / 2 + 1;
    if (a->is_inverse)
        return launch(f, a, f->weigh, from, f->spectra, half)
               && transform(f, a, f->spectra, f->reals)
               && launch(f, a, f->restore_and_turn, f->reals, to, a->n);
    return launch(f, a, f->reorder, from, f->reals, (a->n + 1) / 2)
           && transform(f, a, f->reals, f->spectra)
           && launch(f, a, f->weigh_and_turn, f->spectra, to, half);
}

static bool run_axes(const rows_plan *f, void *in, void *out)
{
    void *from = in;
    bool good = true;
    for (int i = f->rank; i-- > 0 && good;) {
        void *const to = i > 0 ? f->between : out;
        good = run_axis(f, &f->axis[i], from, to);
        from = to;
    }
    return good;
}

static bool rows_run(void *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    const ptrdiff_t in = (char *)d->in - (char *)d->in_block;
    const ptrdiff_t out = (char *)d->out - (char *)d->out_block;
    bool good = true;
    for (size_t i = 0; i < reps && good; i++)
        good = run_axes(plan, (char *)bench_mirror_in(m, i) + in,
                        (char *)bench_mirror_out(m, i) + out);
    return peer_cuda_wait() && good;
}

/* ---- plans */

static void rows_destroy(void *plan)
{
    const bench_memory *memory = peer_cuda_memory();
    rows_plan *f = plan;
    void *const blocks[] = {f->reals, f->spectra, f->between};
    for (int i = 0; i < f->rank; i++) {
        if (f->axis[i].planned)
            cufft.destroy(f->axis[i].plan);
        if (f->axis[i].weights)
            memory->release(f->axis[i].weights, NULL);
    }
    for (int i = 0; i < 3; i++)
        if (blocks[i])
            memory->release(blocks[i], NULL);
    peer_kernels_free(f->kernels);
    free(f);
}

static bool send_weights(const rows_plan *f, rows_axis *a)
{
    const bench_memory *memory = peer_cuda_memory();
    const size_t count = (size_t)a->n / 2 + 1, bytes = count * (f->f64 ? 16 : 8);
    void *host = malloc(bytes);
    for (size_t k = 0; host && k < count; k++) {
        const double angle = acos(-1.0) * (double)k / (2.0 * a->n);
        const double w[2] = {2 * cos(angle), -2 * sin(angle)};
        for (size_t part = 0; part < 2; part++)
            if (f->f64)
                ((double *)host)[2 * k + part] = w[part];
            else
                ((float *)host)[2 * k + part] = (float)w[part];
    }
    a->weights = host ? memory->make(NULL, bytes) : NULL;
    const bool good = a->weights && memory->write(a->weights, host, bytes);
    free(host);
    return good;
}

static bool plan_axis(rows_plan *f, const bench_shape *s, int i)
{
    rows_axis *a = &f->axis[i];
    int n = (int)s->problem.dim[i].n, half = n / 2 + 1;
    *a = (rows_axis){.is_inverse = bench_axis_kind(&s->problem, i) == SLUICE_DCT3,
                     .n = n,
                     .rows = (int)(s->points / (size_t)n)};
    int *const in = a->is_inverse ? &half : &n, *const out = a->is_inverse ? &n : &half;
    const int type =
        a->is_inverse ? (f->f64 ? CUFFT_Z2D : CUFFT_C2R) : (f->f64 ? CUFFT_D2Z : CUFFT_R2C);
    a->planned =
        cufft.plan_many(&a->plan, 1, &n, in, 1, *in, out, 1, *out, type, a->rows * f->count) == 0;
    return a->planned && send_weights(f, a);
}

static bool make_scratch(rows_plan *f, const bench_shape *s)
{
    const bench_memory *memory = peer_cuda_memory();
    const size_t reals = s->total * s->scalar;
    size_t spectra = 0;
    for (int i = 0; i < f->rank; i++) {
        const size_t pairs = s->total / (size_t)f->axis[i].n * ((size_t)f->axis[i].n / 2 + 1);
        spectra = pairs > spectra ? pairs : spectra;
    }
    f->reals = memory->make(NULL, reals);
    f->spectra = memory->make(NULL, spectra * 2 * s->scalar);
    f->between = f->rank > 1 ? memory->make(NULL, reals) : NULL;
    return f->reals && f->spectra && (f->between || f->rank == 1);
}

static bool make_kernels(rows_plan *f, sluice_diag *why)
{
    const char *const options[] = {f->f64 ? "-DREAL=double" : "-DREAL=float",
                                   f->f64 ? "-DPAIR=double2" : "-DPAIR=float2", NULL};
    f->kernels = peer_kernels_compile(peer_cufft_rows_text, options, why);
    if (!f->kernels)
        return false;
    f->reorder = peer_kernels_find(f->kernels, "reorder");
    f->weigh_and_turn = peer_kernels_find(f->kernels, "weigh_and_turn");
    f->weigh = peer_kernels_find(f->kernels, "weigh");
    f->restore_and_turn = peer_kernels_find(f->kernels, "restore_and_turn");
    if (f->reorder && f->weigh_and_turn && f->weigh && f->restore_and_turn)
        return true;
    peer_refuse(why, "the driver does not find its kernels");
    return false;
}

/* Executes once; the first execution loads kernels. */
static bool run_once(rows_plan *f, const bench_data *d, sluice_diag *why)
{
    const bench_mirror *m = bench_mirror_put(d, peer_cuda_memory());
    if (!m)
        peer_refuse(why, "the device does not take the data of this problem");
    else if (rows_run(f, m, d, 1))
        return true;
    else
        peer_refuse(why, "it does not execute this problem");
    return false;
}

static bool plan_all(rows_plan *f, const bench_shape *s, const bench_data *d, sluice_diag *why)
{
    f->f64 = s->problem.precision == SLUICE_F64;
    f->rank = s->problem.rank;
    f->count = (int)peer_loop_of(s).count;
    for (int i = 0; i < f->rank; i++)
        if (!plan_axis(f, s, i)) {
            peer_refuse(why, "it makes no plan for this problem");
            return false;
        }
    if (!make_scratch(f, s)) {
        peer_refuse(why, "the device has no memory for this problem");
        return false;
    }
    return make_kernels(f, why) && run_once(f, d, why);
}

static void *rows_make_plan(const peer *self, const bench_shape *s, int workers,
                            const bench_data *d, sluice_diag *why)
{
    (void)self;
    (void)workers;
    rows_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    if (plan_all(f, s, d, why))
        return f;
    rows_destroy(f);
    return NULL;
}

const peer peer_cufft_rows = {
    .name = "cufft-rows",
    .effort = "-",
    .description = "a baseline: dct2 and dct3 of each axis by cuFFT, and transposes",
    .load = rows_load,
    .available = rows_is_available,
    .plan = rows_make_plan,
    .memory = peer_cuda_memory,
    .run_there = rows_run,
    .destroy = rows_destroy,
    .version = rows_version,
};
