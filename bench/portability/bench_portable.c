// SPDX-License-Identifier: BSD-3-Clause
#include "bench/portability/bench_portable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_clock.h"

enum { SERIES = 20 }; /* executions whose computing time is known */

/* ---- executions */

typedef struct runner {
    const sluice_plan *plan;
    const bench_data *data;
    const bench_route *route; /* NULL: none */
    const bench_mirror *mirror;
} runner;

static sluice_status time_run(const runner *r, double *seconds)
{
    const bench_data *d = r->data;
    const double start = bench_now();
    const sluice_status status = !r->route ? sluice_execute(r->plan, d->in, d->out)
                                 : r->route->run(r->plan, r->mirror, d, 1) ? SLUICE_OK
                                                                           : SLUICE_E_DEVICE;
    *seconds = bench_now() - start;
    return status;
}

/* The data are on the device before the first execution, and the outputs are read after the
 * last. */
static sluice_status time_runs(bench_portable *p, const sluice_plan *plan, const bench_data *d,
                               const bench_route *route, sluice_diag *why)
{
    runner r = {.plan = plan, .data = d, .route = route};
    sluice_status status = route ? route->prepare(plan, why) : SLUICE_OK;
    if (status == SLUICE_OK && route)
        r.mirror = bench_mirror_put(d, route->memory());
    if (status == SLUICE_OK && route && !r.mirror)
        status = SLUICE_E_DEVICE;
    if (status == SLUICE_OK)
        status = time_run(&r, &p->first_s);
    for (size_t i = 0; i < p->runs && status == SLUICE_OK; i++)
        status = time_run(&r, &p->run_s[i]);
    if (r.mirror && !bench_mirror_back(d, route->memory(), true) && status == SLUICE_OK)
        status = SLUICE_E_DEVICE;
    if (status == SLUICE_OK)
        p->total = bench_moments_of(p->run_s, p->runs);
    return status;
}

/* ---- computing only, as reported by a stream ---- */

typedef struct feed {
    const bench_data *d;
    size_t bytes, left;
} feed;

static sluice_status fill_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    if (f->left == 0)
        return SLUICE_END;
    f->left--;
    memcpy(slot->in, f->d->in, f->bytes);
    slot->count = 1;
    return SLUICE_OK;
}

static sluice_status drop_block(void *user, sluice_slot *slot)
{
    (void)user;
    return slot->status;
}

static sluice_status time_kernels(bench_portable *p, const sluice_plan *plan, const bench_data *d,
                                  sluice_diag *why)
{
    const size_t blocks = (p->runs + SERIES - 1) / SERIES;
    sluice_status status = SLUICE_OK;
    p->kernel_min_s = INFINITY;
    for (int i = 0; i < SERIES && status == SLUICE_OK; i++) {
        feed f = {.d = d, .bytes = d->data_bytes, .left = blocks};
        const sluice_stream_options options = {.slots = 1, .why = why};
        sluice_stream_stats stats = {0};
        status = sluice_stream_run(plan, fill_block, drop_block, &f, &options, &stats);
        const double seconds = stats.compute_seconds / (double)blocks;
        p->kernel_mean_s += seconds / SERIES;
        p->kernel_min_s = fmin(p->kernel_min_s, seconds);
    }
    return status;
}

/* ---- one problem */

void bench_portable_free(bench_portable *p)
{
    free(p->run_s);
    free(p->magnitude);
    memset(p, 0, sizeof *p);
}

/* The problem without the strides that a shape fills in, which not every unit accepts. */
static sluice_problem packed_problem(const bench_shape *shape)
{
    sluice_problem problem = shape->problem;
    problem.dim[0] = (sluice_dim){.n = shape->points};
    problem.batch_rank = 0;
    return problem;
}

static sluice_status measure_plan(bench_portable *p, const sluice_plan *plan,
                                  const bench_shape *shape, const bench_data *d,
                                  const bench_route *route, sluice_diag *why)
{
    sluice_status status = time_runs(p, plan, d, route, why);
    if (status == SLUICE_OK)
        bench_spectrum_magnitudes(shape, d->out, p->magnitude);
    return status == SLUICE_OK ? time_kernels(p, plan, d, why) : status;
}

sluice_status bench_portable_measure(bench_portable *out, const bench_portable_unit *u,
                                     const bench_shape *shape, size_t runs, sluice_diag *why)
{
    const sluice_problem problem = packed_problem(shape);
    sluice_plan *plan = NULL;
    bench_data d;
    *out = (bench_portable){.runs = runs,
                            .run_s = calloc(runs, sizeof *out->run_s),
                            .magnitude = calloc(shape->points, sizeof *out->magnitude)};
    if (!out->run_s || !out->magnitude || !bench_data_open(&d, shape, 0)) {
        bench_portable_free(out);
        return SLUICE_E_MEMORY;
    }
    bench_spectrum_fill(shape, d.in);
    const double start = bench_now();
    sluice_status status = sluice_plan_create(&plan, u->machine, &problem, NULL, why);
    out->plan_s = bench_now() - start;
    if (status == SLUICE_OK)
        status = measure_plan(out, plan, shape, &d, u->route, why);
    sluice_plan_destroy(plan);
    bench_data_close(&d);
    if (status != SLUICE_OK)
        bench_portable_free(out);
    return status;
}

/* ---- units */

static int compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A transform of one point computes nothing, so it times the launch. */
static sluice_status time_launches(bench_portable_unit *u, size_t runs, sluice_diag *why)
{
    sluice_problem problem;
    bench_shape shape;
    bench_portable p;
    sluice_status status = sluice_problem_parse(&problem, "c2c:f32:1", why);
    if (status == SLUICE_OK)
        status = bench_shape_make(&shape, &problem, why);
    if (status == SLUICE_OK)
        status = bench_portable_measure(&p, u, &shape, runs, why);
    if (status != SLUICE_OK)
        return status;
    qsort(p.run_s, p.runs, sizeof *p.run_s, compare_seconds);
    u->launch_s = p.run_s[p.runs / 2];
    bench_portable_free(&p);
    return SLUICE_OK;
}

/* Chooses where data are; cores always use the host's arrays. */
static sluice_status place_data(bench_portable_unit *u, bench_options o, sluice_diag *why)
{
    sluice_unit_info unit;
    const sluice_status status = sluice_machine_unit_info(u->machine, 0, &unit);
    o.units = o.peer.units = u->name;
    if (status != SLUICE_OK || unit.kind != SLUICE_UNIT_OPENCL)
        return status;
    if (bench_device_choose(&o, &u->machine) != BENCH_DONE) {
        snprintf(why->message, sizeof why->message, "its data cannot be on the device");
        return SLUICE_E_UNSUPPORTED;
    }
    u->route = bench_device_route(u->machine);
    return SLUICE_OK;
}

sluice_status bench_portable_open(bench_portable_unit *u, const char *name,
                                  const bench_options *options, sluice_diag *why)
{
    const sluice_machine_options units = {.units = name};
    *u = (bench_portable_unit){.name = name};
    sluice_status status = sluice_machine_open(&u->machine, &units, why);
    if (status == SLUICE_OK)
        status = place_data(u, *options, why);
    if (status == SLUICE_OK)
        status = time_launches(u, (size_t)options->runs, why);
    if (status != SLUICE_OK)
        bench_portable_close(u);
    return status;
}

void bench_portable_close(bench_portable_unit *u)
{
    bench_device_close(u->machine);
    u->machine = NULL;
}

/* ---- peers */

double *bench_portable_peer(const peer *p, const bench_shape *shape, sluice_diag *why)
{
    bench_data d;
    double *magnitude = calloc(shape->points, sizeof *magnitude);
    if (!p->available(p, shape, 1, why) || !magnitude || !bench_data_open(&d, shape, 0)) {
        free(magnitude);
        return NULL;
    }
    void *plan = p->plan(p, shape, 1, &d, why);
    bench_spectrum_fill(shape, d.in);
    const bool good = plan && p->run(plan, &d, 1);
    if (good)
        bench_spectrum_magnitudes(shape, d.out, magnitude);
    if (plan)
        p->destroy(plan);
    bench_data_close(&d);
    if (good)
        return magnitude;
    free(magnitude);
    return NULL;
}
