// SPDX-License-Identifier: BSD-3-Clause
/* clFFT on the OpenCL device. clfft-wait waits for every transform before the next, clfft only when
 * a sample ends. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_device.h"
#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

/* As in clFFT.h. */
enum { SINGLE = 1, TWICE = 2, INTERLEAVED = 1, IN_PLACE = 1, OUT_OF_PLACE = 2 };
enum { FORWARD = -1, BACKWARD = 1 };
typedef size_t clfft_handle;
typedef struct clfft_setup {
    unsigned major, minor, patch;
    uint64_t flags;
} clfft_setup;

typedef struct clfft_api {
    bool loaded;
    int (*setup)(const clfft_setup *data);
    int (*teardown)(void);
    int (*get_version)(unsigned *major, unsigned *minor, unsigned *patch);
    int (*create)(clfft_handle *out, void *context, int rank, const size_t *sizes);
    int (*destroy)(clfft_handle *handle);
    int (*precision)(clfft_handle handle, int precision);
    int (*layout)(clfft_handle handle, int in, int out);
    int (*location)(clfft_handle handle, int place);
    int (*batch)(clfft_handle handle, size_t count);
    int (*distance)(clfft_handle handle, size_t in, size_t out);
    int (*scale)(clfft_handle handle, int direction, float factor);
    int (*bake)(clfft_handle handle, unsigned queues, void *const *queue, void *notify, void *user);
    int (*enqueue)(clfft_handle handle, int direction, unsigned queues, void *const *queue,
                   unsigned events, void *const *list, void **event, void *const *in,
                   void *const *out, void *scratch);
} clfft_api;

static const peer_symbol symbols[] = {
    {"Setup", offsetof(clfft_api, setup)},
    {"Teardown", offsetof(clfft_api, teardown)},
    {"GetVersion", offsetof(clfft_api, get_version)},
    {"CreateDefaultPlan", offsetof(clfft_api, create)},
    {"DestroyPlan", offsetof(clfft_api, destroy)},
    {"SetPlanPrecision", offsetof(clfft_api, precision)},
    {"SetLayout", offsetof(clfft_api, layout)},
    {"SetResultLocation", offsetof(clfft_api, location)},
    {"SetPlanBatchSize", offsetof(clfft_api, batch)},
    {"SetPlanDistance", offsetof(clfft_api, distance)},
    {"SetPlanScale", offsetof(clfft_api, scale)},
    {"BakePlan", offsetof(clfft_api, bake)},
    {"EnqueueTransform", offsetof(clfft_api, enqueue)},
    {NULL, 0},
};

static clfft_api api;
static const peer_device *device;

typedef struct clfft_plan {
    clfft_handle handle;
    int direction;
    bool waits;
} clfft_plan;

/* clFFT complains on stderr if teardown is not called. */
static void leave_clfft(void)
{
    api.teardown();
}

static bool clfft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"libclFFT.so.2", "libclFFT.so", NULL};
    char file[PATH_MAX];
    (void)self;
    if (api.loaded)
        return true;
    void *library = peer_library("SLUICE_PEER_CLFFT", names, file, sizeof file);
    if (!library) {
        peer_refuse(why, "%.239s", dlerror());
        return false;
    }
    if (!peer_symbols(&api, library, "clfft%s", symbols)) {
        peer_refuse(why, "%.100s lacks functions of clFFT", file);
        return false;
    }
    device = peer_device_open(settings, why);
    clfft_setup data = {0};
    api.get_version(&data.major, &data.minor, &data.patch);
    if (device && api.setup(&data) == 0)
        return api.loaded = atexit(leave_clfft) == 0;
    if (device)
        peer_refuse(why, "it does not start");
    return false;
}

static bool clfft_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    (void)self;
    (void)workers; /* it uses the whole device */
    return peer_device_fits(s, why);
}

/* 0, or the sum of the errors. */
static int describe_plan(clfft_plan *f, const bench_shape *s)
{
    size_t sizes[3];
    const int rank = s->problem.rank;
    for (int i = 0; i < rank; i++)
        sizes[i] = s->problem.dim[rank - 1 - i].n; /* the fastest dimension first */
    const int created = api.create(&f->handle, device->context, rank, sizes);
    if (created != 0)
        return created;
    return api.precision(f->handle, s->problem.precision == SLUICE_F64 ? TWICE : SINGLE)
           | api.layout(f->handle, INTERLEAVED, INTERLEAVED)
           | api.location(f->handle, s->problem.in_place ? IN_PLACE : OUT_OF_PLACE)
           | api.batch(f->handle, peer_loop_of(s).count)
           | api.distance(f->handle, s->points, s->points) | api.scale(f->handle, BACKWARD, 1)
           | api.bake(f->handle, 1, &device->queue, NULL, NULL);
}

static bool enqueue_transform(void *plan, void *in, void *out)
{
    const clfft_plan *f = plan;
    return api.enqueue(f->handle, f->direction, 1, &device->queue, 0, NULL, NULL, &in,
                       in == out ? NULL : &out, NULL)
           == 0;
}

static bool clfft_run(void *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    const clfft_plan *f = plan;
    (void)d;
    return peer_device_run(m, reps, f->waits ? PEER_WAITED : PEER_CHAINED, enqueue_transform, plan);
}

static void clfft_destroy(void *plan)
{
    clfft_plan *f = plan;
    if (f->handle)
        api.destroy(&f->handle);
    free(f);
}

static void *clfft_make_plan(const peer *self, const bench_shape *s, int workers,
                             const bench_data *d, sluice_diag *why)
{
    (void)workers;
    clfft_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->waits = self->variant != 0;
    f->direction = s->problem.direction == SLUICE_INVERSE ? BACKWARD : FORWARD;
    if (describe_plan(f, s) == 0
        && peer_device_first(d, enqueue_transform, f)) /* the first one compiles */
        return f;
    peer_refuse(why, "it makes no plan for this problem");
    clfft_destroy(f);
    return NULL;
}

static const char *clfft_version(const peer *self, sluice_precision precision)
{
    static char text[192];
    unsigned major = 0, minor = 0, patch = 0;
    (void)self;
    (void)precision;
    api.get_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "clFFT %u.%u.%u on %s", major, minor, patch, device->name);
    return text;
}

#define CLFFT_CALLS                                                                                \
    .effort = "-", .load = clfft_load, .available = clfft_is_available, .plan = clfft_make_plan,   \
    .memory = peer_device_memory, .run_there = clfft_run, .destroy = clfft_destroy,                \
    .version = clfft_version

const peer peer_clfft = {
    .name = "clfft",
    .description = "clFFT on the OpenCL device, calls chained",
    CLFFT_CALLS,
};
const peer peer_clfft_wait = {
    .name = "clfft-wait",
    .description = "the same, each call waited for",
    .variant = 1,
    CLFFT_CALLS,
};
