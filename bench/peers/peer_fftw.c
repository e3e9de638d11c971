// SPDX-License-Identifier: BSD-3-Clause
/* FFTW 3, single and double, through the 64-bit guru interface, whose strides and batches are
 * sluice's own. One library computes for several peers, which differ in how long they plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_clock.h"
#include "bench/peers/peer_fftw_wisdom.h"
#include "bench/peers/peer_table.h"
#include "bench/report/bench_say.h"

enum {
    FFTW_MEASURE = 0,
    FFTW_PATIENT = 1 << 5,
    FFTW_ESTIMATE = 1 << 6,
    FFTW_WISDOM_ONLY = 1 << 21
};
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1 };
enum { MOST_PATIENT_POINTS = 1 << 16 }; /* beyond, patience meets the limit of most people's */

typedef enum flavour_index { MEASURE = 0, BEST, PATIENT, ESTIMATE, OTHER, FLAVOURS } flavour_index;

/* From the most patient on; planning that meets its limit ends at a later one. */
typedef struct effort {
    unsigned flags;
    const char *name;
} effort;

static const effort efforts[] = {
    {FFTW_PATIENT, "patient"}, {FFTW_MEASURE, "measure"}, {FFTW_ESTIMATE, "estimate"}, {0, NULL}};
enum { LEAST_EFFORT = 2 };

/* Which build a peer uses and the first of the efforts; the rest is remembered by precision. */
typedef struct flavour {
    fftw_build build;
    int effort;
    bool by_size; /* patient for small problems only */
    fftw_wisdom wisdom[2];
} flavour;

static flavour flavours[FLAVOURS] = {
    [MEASURE] = {.effort = 1},
    [BEST] = {.by_size = true},
    [PATIENT] = {.effort = 0},
    [ESTIMATE] = {.effort = 2},
    [OTHER] = {.build = FFTW_OTHER, .by_size = true},
};
static const peer_settings *settings;

typedef struct fftw_plan {
    const fftw_api *api;
    void *plan;
    const char *effort;
    bool split, inverse;
    ptrdiff_t in_step, out_step; /* bytes from a real to its imaginary part; 0: its own array */
} fftw_plan;

static const fftw_api *api_of(const peer *self, sluice_precision precision)
{
    return fftw_load(flavours[self->flavour].build, precision);
}

static bool load(const peer *self, const peer_settings *asked, sluice_diag *why)
{
    flavour *f = &flavours[self->flavour];
    bool any = false;
    settings = asked;
    for (int i = 0; i < 2; i++) {
        sluice_precision precision = (sluice_precision)i;
        const fftw_api *api = api_of(self, precision);
        any = any || api->loaded;
        if (api->loaded && asked->wisdom
            && !fftw_wisdom_read(&f->wisdom[i], asked->wisdom, self->name, precision))
            bench_say_once("cannot read the wisdom of %s in %s: %s", self->name, asked->wisdom,
                           strerror(errno));
    }
    if (!any)
        peer_refuse(why, "%.239s", api_of(self, SLUICE_F32)->error);
    return any;
}

static bool save(const peer *self)
{
    flavour *f = &flavours[self->flavour];
    bool good = true;
    for (int i = 0; i < 2 && settings->wisdom; i++)
        good = fftw_wisdom_write(&f->wisdom[i], settings->wisdom, self->name, (sluice_precision)i)
               && good;
    return good;
}

static bool available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    const fftw_api *api = api_of(self, p->precision);
    if (!api->loaded)
        peer_refuse(why, "%.239s", api->error);
    else if (workers > 1 && !api->threaded)
        peer_refuse(why, "its threads library is not there");
    else if (p->in_cyclic.parts || p->out_cyclic.parts)
        peer_refuse(why, "it has no block-cyclic order");
    else if (p->scale != SLUICE_SCALE_NONE)
        peer_refuse(why, "it does not scale");
    else if (p->in_layout > SLUICE_SPLIT || p->out_layout > SLUICE_SPLIT)
        peer_refuse(why, "it has no such layout for c2c");
    else
        return true;
    return false;
}

/* The guru split interface counts strides in reals, the other one in complex numbers. */
static void copy_dims(fftw_guru64_dim *out, const sluice_dim *in, int count, ptrdiff_t in_unit,
                      ptrdiff_t out_unit)
{
    for (int i = 0; i < count; i++)
        out[i] = (fftw_guru64_dim){.n = (ptrdiff_t)in[i].n,
                                   .is = in[i].in_stride * in_unit,
                                   .os = in[i].out_stride * out_unit};
}

typedef struct split_pointers {
    void *in_re, *in_im, *out_re, *out_im;
} split_pointers;

/* FFTW's split transforms are forward; swapping real and imaginary parts on both sides inverts. */
static split_pointers split_of(const fftw_plan *f, const bench_data *d)
{
    split_pointers p = {.in_re = d->in,
                        .in_im = f->in_step ? (char *)d->in + f->in_step : d->in_im,
                        .out_re = d->out,
                        .out_im = f->out_step ? (char *)d->out + f->out_step : d->out_im};
    if (f->inverse)
        p = (split_pointers){p.in_im, p.in_re, p.out_im, p.out_re};
    return p;
}

static void *make(const fftw_plan *f, const bench_shape *s, const bench_data *d, unsigned flags)
{
    const sluice_problem *p = &s->problem;
    fftw_guru64_dim dims[SLUICE_MAX_RANK], batch[SLUICE_MAX_BATCH_RANK];
    ptrdiff_t in_unit = f->split && f->in_step ? 2 : 1, out_unit = f->split && f->out_step ? 2 : 1;
    copy_dims(dims, p->dim, p->rank, in_unit, out_unit);
    copy_dims(batch, p->batch, p->batch_rank, in_unit, out_unit);
    if (!f->split)
        return f->api->plan_guru64_dft(p->rank, dims, p->batch_rank, batch, d->in, d->out,
                                       f->inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags);
    split_pointers a = split_of(f, d);
    return f->api->plan_guru64_split_dft(p->rank, dims, p->batch_rank, batch, a.in_re, a.in_im,
                                         a.out_re, a.out_im, flags);
}

/* The most patient plan, from the effort `first` on, that wisdom has; NULL: none. */
static void *recall(int first, fftw_plan *f, const bench_shape *s, const bench_data *d)
{
    void *found = NULL;
    for (const effort *e = &efforts[first]; e->name && !found; e++) {
        found = make(f, s, d, e->flags | FFTW_WISDOM_ONLY);
        f->effort = found ? e->name : f->effort;
    }
    return found;
}

/* Plans with one effort in the seconds that are left. False where it met the limit: FFTW then falls
 * back to less, and keeps in its wisdom that it did; the next time that would be even less. So what
 * it knew before is put back, and the plan of the effort before stays. */
static bool try_effort(const effort *e, fftw_plan *f, fftw_wisdom *wisdom, const bench_shape *s,
                       const bench_data *d, double seconds)
{
    f->api->set_timelimit(seconds);
    void *found = make(f, s, d, e->flags);
    void *again = make(f, s, d, e->flags | FFTW_WISDOM_ONLY);
    if (found && again) {
        void *old = f->plan;
        f->plan = found;
        f->effort = e->name;
        found = old;
        fftw_wisdom_take(wisdom, f->api);
    } else
        fftw_wisdom_give(wisdom, f->api);
    bool good = again != NULL;
    if (found)
        f->api->destroy_plan(found);
    if (again)
        f->api->destroy_plan(again);
    return good;
}

/* From little effort to much, as FFTW itself does it, until the limit. Wisdom that was read decides
 * first: what met the limit then is not tried again. */
static void find_plan(fftw_plan *f, const peer *self, const bench_shape *s, const bench_data *d)
{
    flavour *kind = &flavours[self->flavour];
    fftw_wisdom empty = {0},
                *wisdom = settings->wisdom ? &kind->wisdom[s->problem.precision] : &empty;
    size_t total = s->data_bytes / (2 * s->scalar);
    int first = kind->by_size && total > MOST_PATIENT_POINTS ? 1 : kind->effort;
    fftw_wisdom_give(wisdom, f->api); /* an earlier plan of another effort would decide this one */
    f->plan = recall(first, f, s, d);
    double end = bench_now() + settings->plan_seconds;
    bool go_on = f->plan == NULL;
    for (int i = LEAST_EFFORT; go_on && i >= first && bench_now() < end; i--)
        go_on = try_effort(&efforts[i], f, wisdom, s, d, end - bench_now());
    free(empty.text);
}

/* A c2c plan of FFTW preserves its input unless it is in place, like sluice's. */
static void *plan(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                  sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    const fftw_api *api = api_of(self, p->precision);
    fftw_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->api = api;
    f->split = p->in_layout == SLUICE_SPLIT || p->out_layout == SLUICE_SPLIT;
    f->inverse = p->direction == SLUICE_INVERSE;
    f->in_step = p->in_layout == SLUICE_SPLIT ? 0 : (ptrdiff_t)s->scalar;
    f->out_step = p->out_layout == SLUICE_SPLIT ? 0 : (ptrdiff_t)s->scalar;
    if (api->threaded)
        api->plan_with_nthreads(workers);
    find_plan(f, self, s, d);
    if (!f->plan) {
        peer_refuse(why, "it makes no plan for this problem");
        free(f);
        return NULL;
    }
    return f;
}

static const char *effort_of(const void *plan)
{
    return ((const fftw_plan *)plan)->effort;
}

static bool run(void *plan, const bench_data *d, size_t reps)
{
    const fftw_plan *f = plan;
    if (f->split) {
        split_pointers a = split_of(f, d);
        for (size_t i = 0; i < reps; i++)
            f->api->execute_split_dft(f->plan, a.in_re, a.in_im, a.out_re, a.out_im);
    } else {
        for (size_t i = 0; i < reps; i++)
            f->api->execute_dft(f->plan, d->in, d->out);
    }
    return true;
}

static void destroy(void *plan)
{
    fftw_plan *f = plan;
    f->api->destroy_plan(f->plan);
    free(f);
}

static const char *version(const peer *self, sluice_precision precision)
{
    const fftw_api *api = api_of(self, precision);
    return api->loaded ? api->version : NULL;
}

#define FFTW_CALLS                                                                                 \
    .load = load, .available = available, .plan = plan, .effort_of = effort_of, .run = run,        \
    .destroy = destroy, .save = save, .version = version

const peer peer_fftw = {
    .name = "fftw",
    .effort = "measure",
    .what = "the system's FFTW 3, planned with FFTW_MEASURE",
    .flavour = MEASURE,
    FFTW_CALLS,
};
const peer peer_fftw_best = {
    .name = "fftw-best",
    .effort = "patient",
    .what = "the system's FFTW 3, FFTW_PATIENT to 2^16 points in all, beyond FFTW_MEASURE",
    .flavour = BEST,
    .usual = true,
    FFTW_CALLS,
};
const peer peer_fftw_patient = {
    .name = "fftw-patient",
    .effort = "patient",
    .what = "the system's FFTW 3, planned with FFTW_PATIENT",
    .flavour = PATIENT,
    FFTW_CALLS,
};
const peer peer_fftw_estimate = {
    .name = "fftw-estimate",
    .effort = "estimate",
    .what = "the system's FFTW 3, planned with FFTW_ESTIMATE",
    .flavour = ESTIMATE,
    FFTW_CALLS,
};
const peer peer_fftw_other = {
    .name = "fftw-other",
    .effort = "patient",
    .what = "the FFTW 3 that SLUICE_PEER_FFTW names, planned as fftw-best",
    .flavour = OTHER,
    .usual = true,
    FFTW_CALLS,
};
