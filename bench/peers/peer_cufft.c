// SPDX-License-Identifier: BSD-3-Clause
/* cuFFT on the first NVIDIA device, with memory of the runtime library. cufft-wait waits for every
 * transform before the next, cufft only when a sample ends. Data are on the device, like those of
 * the OpenCL peers. */
#include <limits.h>
#include <stdlib.h>

#include "bench/peers/peer_cuda.h"
#include "bench/peers/peer_loop.h"

typedef struct cufft_plan {
    int handle;
    bool planned, waits;
    int type, direction;
} cufft_plan;

static bool cufft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    (void)self;
    (void)settings;
    return peer_cuda_open(why);
}

static const char *cufft_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return peer_cuda_version();
}

/* ---- a problem */

/* The type of a transform, whose last axis may be real; 0: cuFFT has none. */
static int type_of(const bench_shape *s)
{
    const int last = s->problem.rank - 1;
    const bool f64 = s->problem.precision == SLUICE_F64;
    for (int i = 0; i < last; i++)
        if (bench_axis_kind(&s->problem, i) != SLUICE_C2C)
            return 0;
    switch (bench_axis_kind(&s->problem, last)) {
    case SLUICE_C2C: return f64 ? CUFFT_Z2Z : CUFFT_C2C;
    case SLUICE_R2C: return f64 ? CUFFT_D2Z : CUFFT_R2C;
    case SLUICE_C2R: return f64 ? CUFFT_Z2D : CUFFT_C2R;
    default: return 0;
    }
}

static bool cufft_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    const bool reals = s->in.real || s->out.real;
    (void)self;
    (void)workers; /* it uses the whole device */
    if (!peer_loop_fits(s, 1, (peer_limits){CUFFT_MAX_RANK, true}, why))
        return false;
    if (type_of(s) == 0)
        peer_refuse(why, "it has no such transforms");
    else if (reals && s->problem.in_place)
        peer_refuse(why, "transforms of reals are timed out of place");
    else if (s->total > INT_MAX)
        peer_refuse(why, "its plans count elements by int");
    else
        return true;
    return false;
}

/* Plans one batch dimension with any step. Strides count elements, in the layout of each axis. */
static int plan_many(cufft_plan *f, const bench_shape *s)
{
    const sluice_problem *p = &s->problem;
    const peer_loop loop = peer_loop_of(s);
    int n[CUFFT_MAX_RANK], embed[2][CUFFT_MAX_RANK], step[2] = {1, 1};
    for (int i = 0; i < p->rank; i++) {
        n[i] = (int)p->dim[i].n;
        for (int side = 0; side < 2; side++) {
            embed[side][i] = (int)bench_extent(s, p->batch_rank + i, side);
            step[side] *= embed[side][i];
        }
    }
    if (loop.count > 1) {
        step[0] = (int)(loop.in_step / (ptrdiff_t)s->in.element);
        step[1] = (int)(loop.out_step / (ptrdiff_t)s->out.element);
    }
    return cufft.plan_many(&f->handle, p->rank, n, embed[0], 1, step[0], embed[1], 1, step[1],
                           f->type, (int)loop.count);
}

static int execute(const cufft_plan *f, char *in, char *out)
{
    switch (f->type) {
    case CUFFT_C2C: return cufft.c2c(f->handle, in, out, f->direction);
    case CUFFT_Z2Z: return cufft.z2z(f->handle, in, out, f->direction);
    case CUFFT_R2C: return cufft.r2c(f->handle, in, out);
    case CUFFT_C2R: return cufft.c2r(f->handle, in, out);
    case CUFFT_D2Z: return cufft.d2z(f->handle, in, out);
    default: return cufft.z2d(f->handle, in, out);
    }
}

static bool cufft_run(void *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    const cufft_plan *f = plan;
    const ptrdiff_t in = (char *)d->in - (char *)d->in_block;
    const ptrdiff_t out = (char *)d->out - (char *)d->out_block;
    bool good = true;
    for (size_t i = 0; i < reps && good; i++) {
        good = execute(f, (char *)bench_mirror_in(m, i) + in, (char *)bench_mirror_out(m, i) + out)
               == 0;
        if (f->waits)
            good = peer_cuda_wait() && good;
    }
    return peer_cuda_wait() && good;
}

static void cufft_destroy(void *plan)
{
    cufft_plan *f = plan;
    if (f->planned)
        cufft.destroy(f->handle);
    free(f);
}

/* Executes once; the first execution loads cuFFT's kernels. */
static bool run_once(cufft_plan *f, const bench_data *d, sluice_diag *why)
{
    const bench_mirror *m = bench_mirror_put(d, peer_cuda_memory());
    if (!m)
        peer_refuse(why, "the device does not take the data of this problem");
    else if (cufft_run(f, m, d, 1))
        return true;
    else
        peer_refuse(why, "it does not execute this problem");
    return false;
}

static void *cufft_make_plan(const peer *self, const bench_shape *s, int workers,
                             const bench_data *d, sluice_diag *why)
{
    (void)workers;
    cufft_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->waits = self->variant != 0;
    f->type = type_of(s);
    f->direction = s->problem.direction == SLUICE_INVERSE ? CUFFT_BACKWARD : CUFFT_FORWARD;
    const int error = plan_many(f, s);
    f->planned = error == 0;
    if (error != 0)
        peer_refuse(why, "it makes no plan for this problem: error %d", error);
    else if (run_once(f, d, why))
        return f;
    cufft_destroy(f);
    return NULL;
}

#define CUFFT_CALLS                                                                                \
    .effort = "-", .load = cufft_load, .available = cufft_is_available, .plan = cufft_make_plan,   \
    .memory = peer_cuda_memory, .run_there = cufft_run, .destroy = cufft_destroy,                  \
    .version = cufft_version

const peer peer_cufft = {
    .name = "cufft",
    .description = "cuFFT on the first NVIDIA device, calls chained",
    CUFFT_CALLS,
};
const peer peer_cufft_wait = {
    .name = "cufft-wait",
    .description = "the same, each call waited for",
    .variant = 1,
    CUFFT_CALLS,
};
