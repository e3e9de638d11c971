// SPDX-License-Identifier: BSD-3-Clause
/* FFTW 3, single and double, through the 64-bit guru interface, whose strides and batches are
 * sluice's own. One library computes for several peers, which differ in how long they plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_clock.h"
#include "bench/peers/peer_fftw_form.h"
#include "bench/peers/peer_fftw_wisdom.h"
#include "bench/peers/peer_table.h"
#include "bench/report/bench_say.h"

enum {
    FFTW_MEASURE = 0,
    FFTW_PATIENT = 1 << 5,
    FFTW_ESTIMATE = 1 << 6,
    FFTW_WISDOM_ONLY = 1 << 21
};
enum { MAX_PATIENT_POINTS = 1 << 16 }; /* above, FFTW_PATIENT takes longer than most users wait */

typedef enum variant_index { MEASURE = 0, BEST, PATIENT, ESTIMATE, OTHER, VARIANTS } variant_index;

/* Efforts, the most patient first; planning that meets the time limit falls back to a later one. */
typedef struct effort {
    unsigned flags;
    const char *name;
} effort;

static const effort efforts[] = {
    {FFTW_PATIENT, "patient"}, {FFTW_MEASURE, "measure"}, {FFTW_ESTIMATE, "estimate"}, {0, NULL}};
enum { LOWEST_EFFORT = 2 };

/* The build that a peer uses, its most patient effort (index of `efforts`) and its wisdom by
 * precision. */
typedef struct variant {
    fftw_build build;
    int effort;
    bool by_size; /* patient for small problems only */
    fftw_wisdom wisdom[2];
} variant;

static variant variants[VARIANTS] = {
    [MEASURE] = {.effort = 1},
    [BEST] = {.by_size = true},
    [PATIENT] = {.effort = 0},
    [ESTIMATE] = {.effort = 2},
    [OTHER] = {.build = FFTW_OTHER, .by_size = true},
};
static const peer_settings *settings;

static const fftw_api *api_of(const peer *self, sluice_precision precision)
{
    return fftw_load(variants[self->variant].build, precision);
}

static bool fftw_load_peer(const peer *self, const peer_settings *given, sluice_diag *why)
{
    variant *f = &variants[self->variant];
    bool any = false;
    settings = given;
    for (int i = 0; i < 2; i++) {
        sluice_precision precision = (sluice_precision)i;
        const fftw_api *api = api_of(self, precision);
        any = any || api->loaded;
        if (api->loaded && given->wisdom
            && !fftw_wisdom_read(&f->wisdom[i], given->wisdom, self->name, precision))
            bench_warn_once("cannot read the wisdom of %s in %s: %s", self->name, given->wisdom,
                            strerror(errno));
    }
    if (!any)
        peer_refuse(why, "%.239s", api_of(self, SLUICE_F32)->error);
    return any;
}

static bool fftw_save(const peer *self)
{
    variant *f = &variants[self->variant];
    bool good = true;
    for (int i = 0; i < 2 && settings->wisdom; i++)
        good = fftw_wisdom_write(&f->wisdom[i], settings->wisdom, self->name, (sluice_precision)i)
               && good;
    return good;
}

static bool fftw_is_available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
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
        peer_refuse(why, "it has no such layout");
    else
        return fftw_form_fits(s, why);
    return false;
}

/* The most patient plan in wisdom, of the efforts from `first` on; NULL: none. */
static void *recall_plan(int first, fftw_plan *f, const bench_shape *s, const bench_data *d)
{
    void *found = NULL;
    for (const effort *e = &efforts[first]; e->name && !found; e++) {
        found = fftw_form_plan(f, s, d, e->flags | FFTW_WISDOM_ONLY);
        f->effort = found ? e->name : f->effort;
    }
    return found;
}

/* Plans with one effort in the remaining seconds. False if the limit was met: FFTW then falls back
 * to less effort and records that in its wisdom, which would lower the effort again the next time.
 * So the wisdom from before is restored, and the plan of the previous effort is kept. */
static bool try_effort(const effort *e, fftw_plan *f, fftw_wisdom *wisdom, const bench_shape *s,
                       const bench_data *d, double seconds)
{
    f->api->set_timelimit(seconds);
    void *found = fftw_form_plan(f, s, d, e->flags);
    void *again = fftw_form_plan(f, s, d, e->flags | FFTW_WISDOM_ONLY);
    if (found && again) {
        void *old = f->plan;
        f->plan = found;
        f->effort = e->name;
        found = old;
        fftw_wisdom_export(wisdom, f->api);
    } else
        fftw_wisdom_import(wisdom, f->api);
    bool good = again != NULL;
    if (found)
        f->api->destroy_plan(found);
    if (again)
        f->api->destroy_plan(again);
    return good;
}

/* Plans with low effort first, then higher, as FFTW itself does, until the limit. Wisdom from a
 * file takes precedence: an effort that met the limit then is not tried again. */
static void find_plan(fftw_plan *f, const peer *self, const bench_shape *s, const bench_data *d)
{
    variant *kind = &variants[self->variant];
    fftw_wisdom empty = {0},
                *wisdom = settings->wisdom ? &kind->wisdom[s->problem.precision] : &empty;
    size_t total = s->total;
    int first = kind->by_size && total > MAX_PATIENT_POINTS ? 1 : kind->effort;
    fftw_wisdom_import(wisdom,
                       f->api); /* an earlier plan of another effort would decide this one */
    f->plan = recall_plan(first, f, s, d);
    double end = bench_now() + settings->plan_seconds;
    bool go_on = f->plan == NULL;
    for (int i = LOWEST_EFFORT; go_on && i >= first && bench_now() < end; i--)
        go_on = try_effort(&efforts[i], f, wisdom, s, d, end - bench_now());
    free(empty.text);
}

/* A plan of FFTW preserves its input unless it is in place, like sluice's; c2r of one axis on
 * request, c2r of several axes never. */
static void *fftw_make_plan(const peer *self, const bench_shape *s, int workers,
                            const bench_data *d, sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    const fftw_api *api = api_of(self, p->precision);
    fftw_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->api = api;
    fftw_form_choose(f, s);
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

static const char *fftw_effort_of(const void *plan)
{
    return ((const fftw_plan *)plan)->effort;
}

static bool fftw_run(void *plan, const bench_data *d, size_t reps)
{
    const fftw_plan *f = plan;
    for (size_t i = 0; i < reps; i++)
        fftw_form_execute(f, d);
    return true;
}

static void fftw_destroy(void *plan)
{
    fftw_plan *f = plan;
    f->api->destroy_plan(f->plan);
    free(f);
}

static const char *fftw_version(const peer *self, sluice_precision precision)
{
    const fftw_api *api = api_of(self, precision);
    return api->loaded ? api->version : NULL;
}

#define FFTW_CALLS                                                                                 \
    .load = fftw_load_peer, .available = fftw_is_available, .plan = fftw_make_plan,                \
    .effort_of = fftw_effort_of, .run = fftw_run, .destroy = fftw_destroy, .save = fftw_save,      \
    .version = fftw_version

const peer peer_fftw = {
    .name = "fftw",
    .effort = "measure",
    .description = "the system's FFTW 3, planned with FFTW_MEASURE",
    .variant = MEASURE,
    FFTW_CALLS,
};
const peer peer_fftw_best = {
    .name = "fftw-best",
    .effort = "patient",
    .description = "the system's FFTW 3, FFTW_PATIENT to 2^16 points in all, beyond FFTW_MEASURE",
    .variant = BEST,
    .in_default_set = true,
    FFTW_CALLS,
};
const peer peer_fftw_patient = {
    .name = "fftw-patient",
    .effort = "patient",
    .description = "the system's FFTW 3, planned with FFTW_PATIENT",
    .variant = PATIENT,
    FFTW_CALLS,
};
const peer peer_fftw_estimate = {
    .name = "fftw-estimate",
    .effort = "estimate",
    .description = "the system's FFTW 3, planned with FFTW_ESTIMATE",
    .variant = ESTIMATE,
    FFTW_CALLS,
};
const peer peer_fftw_other = {
    .name = "fftw-other",
    .effort = "patient",
    .description = "the FFTW 3 that SLUICE_PEER_FFTW names, planned as fftw-best",
    .variant = OTHER,
    .in_default_set = true,
    FFTW_CALLS,
};
