// SPDX-License-Identifier: BSD-3-Clause
/* PFFFT: complex transforms of 2^a 3^b 5^c points, a >= 4, in natural order, one thread. Double
 * precision if the build has the pffftd_ functions. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

enum { PFFFT_COMPLEX = 1 };
enum { PFFFT_FORWARD = 0, PFFFT_BACKWARD = 1 };
enum { MIN_POINTS = 16 };

/* One precision; `void *` stands for its real numbers. */
typedef struct pffft_api {
    bool loaded;
    void *(*new_setup)(int points, int kind);
    void (*destroy_setup)(void *setup);
    void (*transform_ordered)(void *setup, const void *in, void *out, void *work, int direction);
    const char *(*simd_arch)(void);
} pffft_api;

static const peer_symbol symbols[] = {
    {"new_setup", offsetof(pffft_api, new_setup)},
    {"destroy_setup", offsetof(pffft_api, destroy_setup)},
    {"transform_ordered", offsetof(pffft_api, transform_ordered)},
    {NULL, 0},
};
/* Missing in older versions. */
static const peer_symbol arch_symbol[] = {
    {"simd_arch", offsetof(pffft_api, simd_arch)},
    {NULL, 0},
};

static const char *const format[] = {[SLUICE_F32] = "pffft_%s", [SLUICE_F64] = "pffftd_%s"};
static pffft_api apis[2];

typedef struct pffft_plan {
    const pffft_api *api;
    void *setup, *work;
    peer_loop loop;
    int direction;
} pffft_plan;

static bool pffft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"libpffft.so", NULL};
    char file[PATH_MAX];
    (void)self;
    (void)settings;
    if (apis[0].loaded || apis[1].loaded)
        return true;
    void *library = peer_library("SLUICE_PEER_PFFFT", names, file, sizeof file);
    if (!library) {
        peer_refuse(why, "%.239s", dlerror());
        return false;
    }
    for (int i = 0; i < 2; i++) {
        apis[i].loaded = peer_symbols(&apis[i], library, format[i], symbols);
        if (apis[i].loaded)
            peer_symbols(&apis[i], library, format[i], arch_symbol);
    }
    if (!apis[0].loaded && !apis[1].loaded)
        peer_refuse(why, "%.150s lacks pffft_transform_ordered", file);
    return apis[0].loaded || apis[1].loaded;
}

/* In double precision its butterflies of 3 and 5 use constants of single precision (2026), so
 * errors of 1e-8 would fail the check. */
static bool pffft_has_size(size_t n, sluice_precision precision)
{
    if (n % MIN_POINTS != 0 || n > INT_MAX)
        return false;
    for (size_t factor = 2; factor <= (precision == SLUICE_F64 ? 2 : 5); factor++)
        while (n % factor == 0)
            n /= factor;
    return n == 1;
}

static bool pffft_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    (void)self;
    if (!peer_loop_fits(s, workers, (peer_limits){.max_rank = 1}, why))
        return false;
    if (!apis[s->problem.precision].loaded)
        peer_refuse(why, "this build has not that precision");
    else if (!pffft_has_size(s->points, s->problem.precision))
        peer_refuse(why, "it computes 2^a 3^b 5^c points, a >= 4; f64 exactly powers of two only");
    else
        return true;
    return false;
}

static void pffft_destroy(void *plan)
{
    pffft_plan *f = plan;
    if (f->setup)
        f->api->destroy_setup(f->setup);
    sluice_free(f->work);
    free(f);
}

static void *pffft_make_plan(const peer *self, const bench_shape *s, int workers,
                             const bench_data *d, sluice_diag *why)
{
    (void)self;
    (void)workers;
    (void)d;
    pffft_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->api = &apis[s->problem.precision];
    f->loop = peer_loop_of(s);
    f->direction = s->problem.direction == SLUICE_INVERSE ? PFFFT_BACKWARD : PFFFT_FORWARD;
    f->work = sluice_alloc(s->points * 2 * s->scalar);
    f->setup = f->api->new_setup((int)s->points, PFFFT_COMPLEX);
    if (f->work && f->setup)
        return f;
    peer_refuse(why, "it makes no plan for this problem");
    pffft_destroy(f);
    return NULL;
}

static bool pffft_run(void *plan, const bench_data *d, size_t reps)
{
    const pffft_plan *f = plan;
    for (size_t i = 0; i < reps; i++) {
        const char *in = d->in;
        char *out = d->out;
        for (size_t k = 0; k < f->loop.count; k++, in += f->loop.in_step, out += f->loop.out_step)
            f->api->transform_ordered(f->setup, in, out, f->work, f->direction);
    }
    return true;
}

static const char *pffft_version(const peer *self, sluice_precision precision)
{
    static char text[2][64];
    (void)self;
    const pffft_api *api = &apis[precision];
    snprintf(text[precision], sizeof text[precision], "pffft, %.40s",
             api->loaded && api->simd_arch ? api->simd_arch() : "unknown SIMD");
    return api->loaded ? text[precision] : NULL;
}

const peer peer_pffft = {
    .name = "pffft",
    .effort = "-",
    .description = "PFFFT: one thread, one dimension, sizes 2^a 3^b 5^c from 16 on",
    .in_default_set = true,
    .load = pffft_load,
    .available = pffft_is_available,
    .plan = pffft_make_plan,
    .run = pffft_run,
    .destroy = pffft_destroy,
    .version = pffft_version,
};
