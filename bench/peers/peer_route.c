// SPDX-License-Identifier: BSD-3-Clause
/* Four ways to compute a DCT-II of N points by a transform of reals, as baselines: algorithm 1 and
 * table IV of Jiang, Gu, Pan, "A New Acceleration Paradigm for Discrete Cosine Transform and Other
 * Fourier-Related Transforms". Each orders the input, runs sluice's r2c, and makes a pass over the
 * half-spectrum, one after the other:
 *   4n        x at the odd ones of 4 N points, mirrored; real parts
 *   mirrored  x and its mirror image, 2 N points; real parts, turned
 *   padded    x and N zeros; real parts, turned
 *   n         even elements upwards, odd ones downwards, N points; real and imaginary parts, turned
 * One worker. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_loop.h"

typedef enum way { LONGEST, MIRRORED, PADDED, SHORT } way;

static const size_t multiple[] = {[LONGEST] = 4, [MIRRORED] = 2, [PADDED] = 2, [SHORT] = 1};

typedef struct route {
    way way;
    bool f64;
    size_t n;
    sluice_plan *plan;
    void *input, *spectrum; /* of the transform of reals */
    void *roots;            /* exp(-pi i k / 2 N), k = 0 .. N */
} route;

static const peer_settings *settings;

static bool route_load(const peer *self, const peer_settings *given, sluice_diag *why)
{
    (void)self;
    (void)why;
    settings = given;
    return true;
}

static bool route_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    (void)self;
    if (!peer_loop_fits(s, workers, (peer_limits){1, true}, why))
        return false;
    if (bench_axis_kind(&s->problem, 0) != SLUICE_DCT2 || s->total != s->points)
        peer_refuse(why, "it is a baseline of one dct2 of one axis");
    else
        return true;
    return false;
}

static void route_destroy(void *plan)
{
    route *f = plan;
    sluice_plan_destroy(f->plan);
    sluice_free(f->input);
    sluice_free(f->spectrum);
    sluice_free(f->roots);
    free(f);
}

static void fill_roots(route *f)
{
    const double step = -2 * atan(1) / (double)f->n; /* -pi / 2 N */
    for (size_t k = 0; k <= f->n; k++)
        for (size_t part = 0; part < 2; part++) {
            const double value = part ? sin(step * (double)k) : cos(step * (double)k);
            if (f->f64)
                ((double *)f->roots)[2 * k + part] = value;
            else
                ((float *)f->roots)[2 * k + part] = (float)value;
        }
}

static bool allocate(route *f, size_t scalar)
{
    const size_t length = f->n * multiple[f->way];
    f->input = sluice_alloc(length * scalar);
    f->spectrum = sluice_alloc((length / 2 + 1) * 2 * scalar);
    f->roots = sluice_alloc((f->n + 1) * 2 * scalar);
    if (!f->input || !f->spectrum || !f->roots)
        return false;
    memset(f->input, 0, length * scalar); /* zeros stay zero */
    fill_roots(f);
    return true;
}

static void *route_make_plan(const peer *self, const bench_shape *s, int workers,
                             const bench_data *d, sluice_diag *why)
{
    (void)workers;
    (void)d;
    route *f = calloc(1, sizeof *f);
    bool good = f != NULL;
    if (good) {
        *f = (route){
            .way = (way)self->variant, .f64 = s->problem.precision == SLUICE_F64, .n = s->points};
        good = allocate(f, s->scalar);
    }
    if (!good)
        peer_refuse(why, "there is no memory");
    const sluice_problem reals = {.kind = {SLUICE_R2C},
                                  .precision = s->problem.precision,
                                  .rank = 1,
                                  .dim = {{.n = s->points * multiple[self->variant]}},
                                  .workers = 1};
    if (good && sluice_plan_create(&f->plan, settings->machine, &reals, NULL, why) == SLUICE_OK)
        return f;
    if (f)
        route_destroy(f);
    return NULL;
}

#define ROUTE(T, SUFFIX)                                                                           \
    static void order_##SUFFIX(const route *f, const T *restrict x)                                \
    {                                                                                              \
        const size_t n = f->n;                                                                     \
        T *restrict to = f->input;                                                                 \
        for (size_t j = 0; j < n && f->way == LONGEST; j++)                                        \
            to[2 * j + 1] = to[4 * n - 1 - 2 * j] = x[j];                                          \
        for (size_t j = 0; j < n && f->way == MIRRORED; j++)                                       \
            to[j] = to[2 * n - 1 - j] = x[j];                                                      \
        if (f->way == PADDED)                                                                      \
            memcpy(to, x, n * sizeof *x);                                                          \
        for (size_t j = 0; j < n && f->way == SHORT; j++)                                          \
            to[j] = x[2 * j < n ? 2 * j : 2 * n - 1 - 2 * j];                                      \
    }                                                                                              \
    static void turn_##SUFFIX(const route *f, T *restrict y)                                       \
    {                                                                                              \
        const size_t n = f->n;                                                                     \
        const T *restrict z = f->spectrum, *restrict w = f->roots;                                 \
        const T scale = f->way == MIRRORED ? 1 : 2;                                                \
        if (f->way == LONGEST)                                                                     \
            for (size_t k = 0; k < n; k++)                                                         \
                y[k] = z[2 * k];                                                                   \
        else                                                                                       \
            for (size_t k = 0; k < (f->way == SHORT ? n / 2 + 1 : n); k++)                         \
                y[k] = scale * (w[2 * k] * z[2 * k] - w[2 * k + 1] * z[2 * k + 1]);                \
        for (size_t k = 1; k < (n + 1) / 2 && f->way == SHORT; k++)                                \
            y[n - k] = -2 * (w[2 * k] * z[2 * k + 1] + w[2 * k + 1] * z[2 * k]);                   \
    }
ROUTE(float, floats)
ROUTE(double, doubles)

static bool route_run(void *plan, const bench_data *d, size_t reps)
{
    const route *f = plan;
    bool good = true;
    for (size_t i = 0; i < reps; i++) {
        if (f->f64)
            order_doubles(f, d->in);
        else
            order_floats(f, d->in);
        good = sluice_execute(f->plan, f->input, f->spectrum) == SLUICE_OK && good;
        if (f->f64)
            turn_doubles(f, d->out);
        else
            turn_floats(f, d->out);
    }
    return good;
}

static const char *route_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return "sluice's r2c between two passes";
}

#define ROUTE_CALLS                                                                                \
    .effort = "estimate", .load = route_load, .available = route_is_available,                     \
    .plan = route_make_plan, .run = route_run, .destroy = route_destroy, .version = route_version

const peer peer_route_longest = {
    .name = "route-4n",
    .description = "a baseline: dct2 by an r2c of 4 N points",
    .variant = LONGEST,
    ROUTE_CALLS,
};
const peer peer_route_mirrored = {
    .name = "route-mirrored",
    .description = "a baseline: dct2 by an r2c of 2 N points, mirrored",
    .variant = MIRRORED,
    ROUTE_CALLS,
};
const peer peer_route_padded = {
    .name = "route-padded",
    .description = "a baseline: dct2 by an r2c of 2 N points, half of them zero",
    .variant = PADDED,
    ROUTE_CALLS,
};
const peer peer_route_short = {
    .name = "route-n",
    .description = "a baseline: dct2 by an r2c of N points",
    .variant = SHORT,
    ROUTE_CALLS,
};
