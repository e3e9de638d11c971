// SPDX-License-Identifier: BSD-3-Clause
/* FFTW 3, single and double, through the 64-bit guru interface, whose strides and batches are
 * sluice's own. Its prototypes are declared here: its header is no requirement of the build.
 * $SLUICE_PEER_FFTW names another build's libfftw3f; its siblings lie beside it. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peer_table.h"

enum { FFTW_MEASURE = 0, FFTW_PATIENT = 1 << 5, FFTW_ESTIMATE = 1 << 6 };
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1 };

typedef struct guru64_dim {
    ptrdiff_t n, is, os;
} guru64_dim;

typedef void *plan_dft(int rank, const guru64_dim *dims, int batch_rank, const guru64_dim *batch,
                       void *in, void *out, int sign, unsigned flags);
typedef void *plan_split(int rank, const guru64_dim *dims, int batch_rank, const guru64_dim *batch,
                         void *ri, void *ii, void *ro, void *io, unsigned flags);

/* One precision of the library. */
typedef struct fftw_api {
    bool tried, loaded, threaded;
    char error[200]; /* why it is not loaded */
    plan_dft *plan_guru64_dft;
    plan_split *plan_guru64_split_dft;
    void (*execute_dft)(const void *plan, void *in, void *out);
    void (*execute_split_dft)(const void *plan, void *ri, void *ii, void *ro, void *io);
    void (*destroy_plan)(void *plan);
    void (*forget_wisdom)(void);
    const char *version;
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int count);
} fftw_api;

typedef struct fftw_plan {
    const fftw_api *api;
    void *plan;
    bool split, inverse;
    ptrdiff_t in_step, out_step; /* bytes from a real to its imaginary part; 0: its own array */
} fftw_plan;

typedef struct symbol {
    const char *name;
    size_t offset;
} symbol;

static const symbol base_symbols[] = {
    {"plan_guru64_dft", offsetof(fftw_api, plan_guru64_dft)},
    {"plan_guru64_split_dft", offsetof(fftw_api, plan_guru64_split_dft)},
    {"execute_dft", offsetof(fftw_api, execute_dft)},
    {"execute_split_dft", offsetof(fftw_api, execute_split_dft)},
    {"destroy_plan", offsetof(fftw_api, destroy_plan)},
    {"forget_wisdom", offsetof(fftw_api, forget_wisdom)},
    {"version", offsetof(fftw_api, version)},
    {NULL, 0},
};
static const symbol thread_symbols[] = {
    {"init_threads", offsetof(fftw_api, init_threads)},
    {"plan_with_nthreads", offsetof(fftw_api, plan_with_nthreads)},
    {NULL, 0},
};

/* Names and the loaded libraries by precision; the process loads each at most once. */
static const char *const stem[] = {[SLUICE_F32] = "libfftw3f", [SLUICE_F64] = "libfftw3"};
static const char *const prefix[] = {[SLUICE_F32] = "fftwf_", [SLUICE_F64] = "fftw_"};
static fftw_api apis[2];

static bool load_symbols(fftw_api *api, void *library, const char *before, const symbol *wanted)
{
    for (const symbol *s = wanted; s->name; s++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", before, s->name);
        void *address = dlsym(library, name);
        if (!address)
            return false;
        memcpy((char *)api + s->offset, &address, sizeof address);
    }
    return true;
}

/* The file of a precision, with a suffix to its stem: the soname, or a sibling of the file that
 * the environment names. False where that name has no known siblings. */
static bool file_name(char *out, size_t size, sluice_precision precision, const char *suffix)
{
    const char *single = getenv("SLUICE_PEER_FFTW");
    if (!single || !*single)
        single = "libfftw3f.so.3";
    const char *slash = strrchr(single, '/');
    const char *base = slash ? slash + 1 : single;
    const char *tail = base + strlen(stem[SLUICE_F32]);
    if (strncmp(base, stem[SLUICE_F32], strlen(stem[SLUICE_F32])) != 0) {
        snprintf(out, size, "%s", single);
        return precision == SLUICE_F32 && *suffix == 0;
    }
    int used = snprintf(out, size, "%.*s%s%s%s", (int)(base - single), single, stem[precision],
                        suffix, tail);
    return used >= 0 && (size_t)used < size;
}

/* Threads come in the library itself (--with-combined-threads) or in a library of their own. */
static void load_threads(fftw_api *api, void *library, sluice_precision precision)
{
    char file[PATH_MAX];
    bool found = load_symbols(api, library, prefix[precision], thread_symbols);
    if (!found && file_name(file, sizeof file, precision, "_threads")) {
        void *threads = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        found = threads && load_symbols(api, threads, prefix[precision], thread_symbols);
    }
    api->threaded = found && api->init_threads() != 0;
}

static fftw_api *load(sluice_precision precision)
{
    fftw_api *api = &apis[precision];
    char file[PATH_MAX];
    if (api->tried)
        return api;
    api->tried = true;
    void *library = NULL;
    if (!file_name(file, sizeof file, precision, ""))
        snprintf(api->error, sizeof api->error, "SLUICE_PEER_FFTW has no sibling named %s...",
                 stem[precision]);
    else if (!(library = dlopen(file, RTLD_NOW | RTLD_LOCAL)))
        snprintf(api->error, sizeof api->error, "%s", dlerror());
    else if (!load_symbols(api, library, prefix[precision], base_symbols))
        snprintf(api->error, sizeof api->error, "%.150s lacks the guru64 interface", file);
    else
        api->loaded = true;
    if (api->loaded)
        load_threads(api, library, precision);
    return api;
}

static bool available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
{
    (void)self;
    const sluice_problem *p = &s->problem;
    const fftw_api *api = load(p->precision);
    if (!api->loaded)
        peer_refuse(why, "%s", api->error);
    else if (workers > 1 && !api->threaded)
        peer_refuse(why, "its threads library (%s_threads) is not there", stem[p->precision]);
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
static void copy_dims(guru64_dim *out, const sluice_dim *in, int count, ptrdiff_t in_unit,
                      ptrdiff_t out_unit)
{
    for (int i = 0; i < count; i++)
        out[i] = (guru64_dim){.n = (ptrdiff_t)in[i].n,
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
    guru64_dim dims[SLUICE_MAX_RANK], batch[SLUICE_MAX_BATCH_RANK];
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

/* A c2c plan of FFTW preserves its input unless it is in place, like sluice's. */
static void *plan(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                  sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    const fftw_api *api = load(p->precision);
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
    api->forget_wisdom(); /* an earlier plan of another effort would decide this one */
    if (api->threaded)
        api->plan_with_nthreads(workers);
    f->plan = make(f, s, d, self->flavour);
    if (!f->plan) {
        peer_refuse(why, "it makes no plan for this problem");
        free(f);
        return NULL;
    }
    return f;
}

static void run(void *plan, const bench_data *d, size_t reps)
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
}

static void destroy(void *plan)
{
    fftw_plan *f = plan;
    f->api->destroy_plan(f->plan);
    free(f);
}

static const char *version(const peer *self, const bench_shape *s)
{
    (void)self;
    return load(s->problem.precision)->version;
}

const peer peer_fftw = {
    .name = "fftw",
    .effort = "measure",
    .flavour = FFTW_MEASURE,
    .what = "FFTW 3, planned with FFTW_MEASURE",
    .available = available,
    .plan = plan,
    .run = run,
    .destroy = destroy,
    .version = version,
};
const peer peer_fftw_patient = {
    .name = "fftw-patient",
    .effort = "patient",
    .flavour = FFTW_PATIENT,
    .what = "FFTW 3, planned with FFTW_PATIENT",
    .available = available,
    .plan = plan,
    .run = run,
    .destroy = destroy,
    .version = version,
};
const peer peer_fftw_estimate = {
    .name = "fftw-estimate",
    .effort = "estimate",
    .flavour = FFTW_ESTIMATE,
    .what = "FFTW 3, planned with FFTW_ESTIMATE",
    .available = available,
    .plan = plan,
    .run = run,
    .destroy = destroy,
    .version = version,
};
