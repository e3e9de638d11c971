// SPDX-License-Identifier: BSD-3-Clause
/* cuFFT on the first NVIDIA device, with memory of the runtime library. cufft-wait waits for every
 * transform before the next, cufft only when a sample ends; data are on the device, as those of the
 * OpenCL peers are. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

/* As cufft.h and driver_types.h have them. */
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { FORWARD = -1, BACKWARD = 1, TO_DEVICE = 1, TO_HOST = 2, WITHIN = 3, MAX_RANK = 3 };

/* Of all six kinds of execution: that of complex numbers has a direction behind. */
typedef int cufft_exec(int plan, void *in, void *out);
typedef int cufft_exec_complex(int plan, void *in, void *out, int direction);

typedef struct cufft_api {
    bool loaded;
    int (*get_version)(int *version);
    int (*plan_many)(int *plan, int rank, int *n, int *in_embed, int in_stride, int in_step,
                     int *out_embed, int out_stride, int out_step, int type, int batch);
    int (*destroy)(int plan);
    cufft_exec_complex *c2c, *z2z;
    cufft_exec *r2c, *c2r, *d2z, *z2d;
} cufft_api;

static const peer_symbol cufft_symbols[] = {
    {"GetVersion", offsetof(cufft_api, get_version)},
    {"PlanMany", offsetof(cufft_api, plan_many)},
    {"Destroy", offsetof(cufft_api, destroy)},
    {"ExecC2C", offsetof(cufft_api, c2c)},
    {"ExecZ2Z", offsetof(cufft_api, z2z)},
    {"ExecR2C", offsetof(cufft_api, r2c)},
    {"ExecC2R", offsetof(cufft_api, c2r)},
    {"ExecD2Z", offsetof(cufft_api, d2z)},
    {"ExecZ2D", offsetof(cufft_api, z2d)},
    {NULL, 0},
};

typedef struct cuda_api {
    int (*allocate)(void **out, size_t bytes);
    int (*release)(void *memory);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*wait)(void);
    const char *(*describe)(int error);
} cuda_api;

static const peer_symbol cuda_symbols[] = {
    {"Malloc", offsetof(cuda_api, allocate)},
    {"Free", offsetof(cuda_api, release)},
    {"Memcpy", offsetof(cuda_api, copy)},
    {"DeviceSynchronize", offsetof(cuda_api, wait)},
    {"GetErrorString", offsetof(cuda_api, describe)},
    {NULL, 0},
};

static cufft_api api;
static cuda_api cuda;

typedef struct cufft_plan {
    int handle;
    bool planned, waits;
    int type, direction;
} cufft_plan;

/* ---- the libraries */

static bool load_library(const char *variable, const char *const *names, const char *format,
                         const peer_symbol *symbols, void *to, sluice_diag *why)
{
    char file[PATH_MAX];
    void *library = peer_library(variable, names, file, sizeof file);
    if (library && peer_symbols(to, library, format, symbols))
        return true;
    if (library)
        peer_refuse(why, "%.100s lacks functions", file);
    else
        peer_refuse(why, "%.239s", dlerror());
    return false;
}

/* Is there a device? The runtime starts with the first call. */
static bool starts(sluice_diag *why)
{
    void *memory = NULL;
    const int error = cuda.allocate(&memory, 64);
    if (error == 0)
        cuda.release(memory);
    else
        peer_refuse(why, "the device does not start: %.100s", cuda.describe(error));
    return error == 0;
}

static bool cufft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const cufft_names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                              "libcufft.so", NULL};
    static const char *const cuda_names[] = {"libcudart.so.13", "libcudart.so.12",
                                             "libcudart.so.11.0", "libcudart.so", NULL};
    (void)self;
    (void)settings;
    if (!api.loaded)
        api.loaded =
            load_library("SLUICE_PEER_CUDART", cuda_names, "cuda%s", cuda_symbols, &cuda, why)
            && load_library("SLUICE_PEER_CUFFT", cufft_names, "cufft%s", cufft_symbols, &api, why)
            && starts(why);
    return api.loaded;
}

static const char *cufft_version(const peer *self, sluice_precision precision)
{
    static char text[64];
    int version = 0; /* 12000: 12.0.0 */
    (void)self;
    (void)precision;
    if (api.get_version(&version) != 0)
        return "cuFFT";
    snprintf(text, sizeof text, "cuFFT %d.%d.%d", version / 1000, version / 100 % 10,
             version % 100);
    return text;
}

/* ---- memory */

static void *make_block(void *host, size_t bytes)
{
    void *block = NULL;
    (void)host;
    return cuda.allocate(&block, bytes) == 0 ? block : NULL;
}

static void release_block(void *block, void *host)
{
    (void)host;
    cuda.release(block);
}

static bool write_block(void *block, void *host, size_t bytes)
{
    return cuda.copy(block, host, bytes, TO_DEVICE) == 0;
}

static bool read_block(void *host, void *block, size_t bytes)
{
    return cuda.copy(host, block, bytes, TO_HOST) == 0;
}

static bool copy_block(void *to, void *from, size_t bytes)
{
    return cuda.copy(to, from, bytes, WITHIN) == 0;
}

static bool wait_for_device(void)
{
    return cuda.wait() == 0;
}

static const bench_memory *cufft_memory(void)
{
    static const bench_memory memory = {.data = "device",
                                        .make = make_block,
                                        .release = release_block,
                                        .write = write_block,
                                        .read = read_block,
                                        .copy = copy_block,
                                        .wait = wait_for_device};
    return &memory;
}

/* ---- a problem */

/* The type of a transform, whose last axis may be one of reals; 0: there is none. */
static int type_of(const bench_shape *s)
{
    const int last = s->problem.rank - 1;
    const bool f64 = s->problem.precision == SLUICE_F64;
    for (int i = 0; i < last; i++)
        if (bench_axis_kind(&s->problem, i) != SLUICE_C2C)
            return 0;
    switch (bench_axis_kind(&s->problem, last)) {
    case SLUICE_C2C: return f64 ? Z2Z : C2C;
    case SLUICE_R2C: return f64 ? D2Z : R2C;
    case SLUICE_C2R: return f64 ? Z2D : C2R;
    default: return 0;
    }
}

static bool cufft_is_available(const peer *self, const bench_shape *s, int workers,
                               sluice_diag *why)
{
    const bool reals = s->in.real || s->out.real;
    (void)self;
    (void)workers; /* it uses the whole device */
    if (!peer_loop_fits(s, 1, (peer_limits){MAX_RANK, true}, why))
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

/* One batch dimension with any step: numbers of elements, those of each axis as they lie. */
static int plan_many(cufft_plan *f, const bench_shape *s)
{
    const sluice_problem *p = &s->problem;
    const peer_loop loop = peer_loop_of(s);
    int n[MAX_RANK], embed[2][MAX_RANK], step[2] = {1, 1};
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
    return api.plan_many(&f->handle, p->rank, n, embed[0], 1, step[0], embed[1], 1, step[1],
                         f->type, (int)loop.count);
}

static int execute(const cufft_plan *f, char *in, char *out)
{
    switch (f->type) {
    case C2C: return api.c2c(f->handle, in, out, f->direction);
    case Z2Z: return api.z2z(f->handle, in, out, f->direction);
    case R2C: return api.r2c(f->handle, in, out);
    case C2R: return api.c2r(f->handle, in, out);
    case D2Z: return api.d2z(f->handle, in, out);
    default: return api.z2d(f->handle, in, out);
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
            good = cuda.wait() == 0 && good;
    }
    return cuda.wait() == 0 && good;
}

static void cufft_destroy(void *plan)
{
    cufft_plan *f = plan;
    if (f->planned)
        api.destroy(f->handle);
    free(f);
}

/* The first execution loads its kernels. */
static bool run_once(cufft_plan *f, const bench_data *d, sluice_diag *why)
{
    const bench_mirror *m = bench_mirror_put(d, cufft_memory());
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
    f->direction = s->problem.direction == SLUICE_INVERSE ? BACKWARD : FORWARD;
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
    .memory = cufft_memory, .run_there = cufft_run, .destroy = cufft_destroy,                      \
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
