// SPDX-License-Identifier: BSD-3-Clause
/* KFR through its C interface: one thread; several dimensions if the build has them. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

/* One precision; `void *` stands for its plans and numbers. */
typedef struct kfr_api {
    bool loaded;
    void *(*create_plan)(size_t points);
    void *(*create_md_plan)(size_t rank, const unsigned *shape); /* NULL: one dimension only */
    void (*delete_plan)(void *plan);
    size_t (*get_temp_size)(void *plan);
    void (*execute)(void *plan, void *out, const void *in, unsigned char *temporary);
    void (*execute_inverse)(void *plan, void *out, const void *in, unsigned char *temporary);
} kfr_api;

static const peer_symbol symbols[] = {
    {"create_plan", offsetof(kfr_api, create_plan)},
    {"delete_plan", offsetof(kfr_api, delete_plan)},
    {"get_temp_size", offsetof(kfr_api, get_temp_size)},
    {"execute", offsetof(kfr_api, execute)},
    {"execute_inverse", offsetof(kfr_api, execute_inverse)},
    {NULL, 0},
};
static const peer_symbol md_symbol[] = {
    {"create_md_plan", offsetof(kfr_api, create_md_plan)},
    {NULL, 0},
};

static const char *const format[] = {
    [SLUICE_F32] = "kfr_dft_%s_f32", [SLUICE_F64] = "kfr_dft_%s_f64"};
static kfr_api apis[2];
static const char *(*version_string)(void); /* returns the library's version; NULL: unknown */

typedef struct kfr_plan {
    const kfr_api *api;
    void (*execute)(void *plan, void *out, const void *in, unsigned char *temporary);
    void *plan;
    unsigned char *temporary;
    peer_loop loop;
} kfr_plan;

static bool kfr_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"libkfr_capi.so", NULL};
    char file[PATH_MAX];
    (void)self;
    (void)settings;
    if (apis[0].loaded)
        return true;
    void *library = peer_library("SLUICE_PEER_KFR", names, file, sizeof file);
    if (!library) {
        peer_refuse(why, "%.239s", dlerror());
        return false;
    }
    for (int i = 0; i < 2; i++) {
        apis[i].loaded = peer_symbols(&apis[i], library, format[i], symbols);
        if (apis[i].loaded)
            peer_symbols(&apis[i], library, format[i], md_symbol);
    }
    peer_symbols(&version_string, library, "kfr_%s",
                 (const peer_symbol[]){{"version_string", 0}, {NULL, 0}});
    if (!apis[0].loaded || !apis[1].loaded)
        peer_refuse(why, "%.150s lacks the interface kfr_dft_", file);
    return apis[0].loaded && apis[1].loaded;
}

static bool kfr_is_available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
{
    (void)self;
    bool many = apis[s->problem.precision].create_md_plan != NULL;
    return peer_loop_fits(s, workers, (peer_limits){.max_rank = many ? SLUICE_MAX_RANK : 1}, why);
}

static void *kfr_create(const kfr_api *api, const sluice_problem *p)
{
    unsigned shape[SLUICE_MAX_RANK];
    if (p->rank == 1)
        return api->create_plan(p->dim[0].n);
    for (int i = 0; i < p->rank; i++) {
        if (p->dim[i].n > UINT_MAX)
            return NULL;
        shape[i] = (unsigned)p->dim[i].n;
    }
    return api->create_md_plan((size_t)p->rank, shape);
}

static void kfr_destroy(void *plan)
{
    kfr_plan *k = plan;
    if (k->plan)
        k->api->delete_plan(k->plan);
    sluice_free(k->temporary);
    free(k);
}

static void *kfr_make_plan(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                           sluice_diag *why)
{
    (void)self;
    (void)workers;
    (void)d;
    kfr_plan *k = calloc(1, sizeof *k);
    if (!k) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    k->api = &apis[s->problem.precision];
    k->execute = s->problem.direction == SLUICE_INVERSE ? k->api->execute_inverse : k->api->execute;
    k->loop = peer_loop_of(s);
    k->plan = kfr_create(k->api, &s->problem);
    if (k->plan) /* at least one byte: without a buffer KFR allocates in every call */
        k->temporary = sluice_alloc(k->api->get_temp_size(k->plan) + 1);
    if (k->plan && k->temporary)
        return k;
    peer_refuse(why, "it makes no plan for this problem");
    kfr_destroy(k);
    return NULL;
}

static bool kfr_run(void *plan, const bench_data *d, size_t reps)
{
    const kfr_plan *k = plan;
    for (size_t i = 0; i < reps; i++) {
        const char *in = d->in;
        char *out = d->out;
        for (size_t b = 0; b < k->loop.count; b++, in += k->loop.in_step, out += k->loop.out_step)
            k->execute(k->plan, out, in, k->temporary);
    }
    return true;
}

static const char *kfr_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return version_string ? version_string() : "kfr, unknown version";
}

const peer peer_kfr = {
    .name = "kfr",
    .effort = "-",
    .description = "KFR: one thread",
    .in_default_set = true,
    .load = kfr_load,
    .available = kfr_is_available,
    .plan = kfr_make_plan,
    .run = kfr_run,
    .destroy = kfr_destroy,
    .version = kfr_version,
};
