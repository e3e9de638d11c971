// SPDX-License-Identifier: BSD-3-Clause
/* VkFFT on the OpenCL device, through bench/peers/vkfft_shim.c, which is built next to sluice-bench
 * if VkFFT's header is installed. vkfft-wait waits for every transform before the next, vkfft only
 * when a sample ends. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_device.h"
#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

typedef struct vkfft_api {
    bool loaded;
    int (*get_version)(void);
    void *(*make_plan)(void *device, void *context, int rank, const size_t *sizes, size_t count,
                       int f64, int in_place);
    int (*enqueue)(void *plan, void *queue, void *in, void *out, int inverse);
    void (*destroy_plan)(void *plan);
} vkfft_api;

static const peer_symbol symbols[] = {
    {"version", offsetof(vkfft_api, get_version)},
    {"plan", offsetof(vkfft_api, make_plan)},
    {"enqueue", offsetof(vkfft_api, enqueue)},
    {"destroy", offsetof(vkfft_api, destroy_plan)},
    {NULL, 0},
};

static vkfft_api api;
static const peer_device *device;

typedef struct vkfft_plan {
    void *plan;
    bool inverse, waits;
} vkfft_plan;

static bool vkfft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"sluice-vkfft.so", NULL};
    char file[PATH_MAX];
    (void)self;
    if (api.loaded)
        return true;
    void *library = peer_library("SLUICE_PEER_VKFFT", names, file, sizeof file);
    if (!library) {
        peer_refuse(why, "%.239s", dlerror());
        return false;
    }
    if (!peer_symbols(&api, library, "vkfft_shim_%s", symbols)) {
        peer_refuse(why, "%.100s is not bench/peers/vkfft_shim.c", file);
        return false;
    }
    device = peer_device_open(settings, why);
    return api.loaded = device != NULL;
}

static bool vkfft_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    (void)self;
    (void)workers; /* it uses the whole device */
    if (!peer_device_fits(s, why))
        return false;
    if (s->problem.direction == SLUICE_INVERSE && !s->problem.in_place) {
        peer_refuse(why, "its inverse transforms are in place");
        return false;
    }
    return true;
}

static bool enqueue_transform(void *plan, void *in, void *out)
{
    const vkfft_plan *f = plan;
    return api.enqueue(f->plan, device->queue, in, out, f->inverse) == 0;
}

static bool vkfft_run(void *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    const vkfft_plan *f = plan;
    (void)d;
    return peer_device_run(m, reps, f->waits ? PEER_WAITED : PEER_CHAINED, enqueue_transform, plan);
}

static void vkfft_destroy(void *plan)
{
    vkfft_plan *f = plan;
    if (f->plan)
        api.destroy_plan(f->plan);
    free(f);
}

static void *vkfft_make_plan(const peer *self, const bench_shape *s, int workers,
                             const bench_data *d, sluice_diag *why)
{
    size_t sizes[3];
    (void)workers;
    vkfft_plan *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    f->waits = self->variant != 0;
    f->inverse = s->problem.direction == SLUICE_INVERSE;
    for (int i = 0; i < s->problem.rank; i++)
        sizes[i] = s->problem.dim[s->problem.rank - 1 - i].n; /* the fastest first */
    f->plan = api.make_plan(device->device, device->context, s->problem.rank, sizes,
                            peer_loop_of(s).count, s->problem.precision == SLUICE_F64,
                            s->problem.in_place);
    if (f->plan && peer_device_first(d, enqueue_transform, f))
        return f;
    peer_refuse(why, "it makes no plan for this problem");
    vkfft_destroy(f);
    return NULL;
}

static const char *vkfft_version(const peer *self, sluice_precision precision)
{
    static char text[192];
    const int version = api.get_version(); /* 10226: 1.2.26 */
    (void)self;
    (void)precision;
    snprintf(text, sizeof text, "VkFFT %d.%d.%d on %s", version / 10000, version / 100 % 100,
             version % 100, device->name);
    return text;
}

#define VKFFT_CALLS                                                                                \
    .effort = "-", .load = vkfft_load, .available = vkfft_is_available, .plan = vkfft_make_plan,   \
    .memory = peer_device_memory, .run_there = vkfft_run, .destroy = vkfft_destroy,                \
    .version = vkfft_version

const peer peer_vkfft = {
    .name = "vkfft",
    .description = "VkFFT on the OpenCL device, calls chained",
    VKFFT_CALLS,
};
const peer peer_vkfft_wait = {
    .name = "vkfft-wait",
    .description = "the same, each call waited for",
    .variant = 1,
    VKFFT_CALLS,
};
