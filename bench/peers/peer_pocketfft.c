// SPDX-License-Identifier: BSD-3-Clause
/* pocketfft, built as a shared library in one of two ways. Its C++ header behind two C functions
 * (bench/peers/pocketfft_shim.cpp) computes everything, with threads, as in scipy. Its C version
 * has f64, one thread and one dimension, in place; out of place the input is copied first, and the
 * copy is timed. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

enum { MAX_DIMS = SLUICE_MAX_RANK + 1 }; /* with the batch */

typedef int pocketfft_f32(size_t rank, const size_t *shape, size_t axis_count, const size_t *axes,
                          int which, const void *in, void *out, float factor, size_t threads);
typedef int pocketfft_f64(size_t rank, const size_t *shape, size_t axis_count, const size_t *axes,
                          int which, const void *in, void *out, double factor, size_t threads);

typedef struct pocketfft_api {
    bool loaded;
    /* C++; `which`: c2c and r2c forward 1, c2c and c2r backward 0; types of cosine transforms 1 to
     * 4, of sine transforms -1 to -4. NULL: an older shim */
    pocketfft_f32 *c2c_f32, *real_f32, *cosine_f32;
    pocketfft_f64 *c2c_f64, *real_f64, *cosine_f64;
    /* C */
    void *(*make_plan)(size_t points);
    void (*destroy_plan)(void *plan);
    int (*forward)(void *plan, double *data, double factor);
    int (*backward)(void *plan, double *data, double factor);
} pocketfft_api;

static const peer_symbol cpp_symbols[] = {
    {"pocketfft_c2c_f32", offsetof(pocketfft_api, c2c_f32)},
    {"pocketfft_c2c_f64", offsetof(pocketfft_api, c2c_f64)},
    {NULL, 0},
};
static const peer_symbol real_symbols[] = {
    {"pocketfft_real_f32", offsetof(pocketfft_api, real_f32)},
    {"pocketfft_real_f64", offsetof(pocketfft_api, real_f64)},
    {NULL, 0},
};
static const peer_symbol cosine_symbols[] = {
    {"pocketfft_cosine_f32", offsetof(pocketfft_api, cosine_f32)},
    {"pocketfft_cosine_f64", offsetof(pocketfft_api, cosine_f64)},
    {NULL, 0},
};
static const peer_symbol c_symbols[] = {
    {"make_cfft_plan", offsetof(pocketfft_api, make_plan)},
    {"destroy_cfft_plan", offsetof(pocketfft_api, destroy_plan)},
    {"cfft_forward", offsetof(pocketfft_api, forward)},
    {"cfft_backward", offsetof(pocketfft_api, backward)},
    {NULL, 0},
};

static pocketfft_api api;

/* `which` of real kinds; 0: there is no such function. */
static const int cosine_types[] = {
    [SLUICE_DCT1] = 1,  [SLUICE_DCT2] = 2,  [SLUICE_DCT3] = 3,  [SLUICE_DCT4] = 4,
    [SLUICE_DST1] = -1, [SLUICE_DST2] = -2, [SLUICE_DST3] = -3, [SLUICE_DST4] = -4,
    [SLUICE_DHT] = 0,   [SLUICE_IDXST] = 0,
};

typedef struct pocketfft_plan {
    bool f64, inverse;
    int which;
    pocketfft_f32 *f32_function;
    pocketfft_f64 *f64_function;
    /* C++: the first call plans the transform and keeps the plan in a cache of the library */
    size_t shape[MAX_DIMS], axes[MAX_DIMS], rank, axis_count, threads;
    /* C */
    void *plan;
    peer_loop loop;
    size_t bytes; /* size of one transform; 0: in place */
} pocketfft_plan;

static bool pocketfft_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"libpocketfft_cpp.so", "libpocketfft.so", NULL};
    char file[PATH_MAX];
    (void)self;
    (void)settings;
    if (api.loaded)
        return true;
    void *library = peer_library("SLUICE_PEER_POCKETFFT", names, file, sizeof file);
    if (library && !peer_symbols(&api, library, "%s", cpp_symbols))
        api.c2c_f32 = NULL;
    if (api.c2c_f32 && !peer_symbols(&api, library, "%s", real_symbols))
        api.real_f32 = NULL;
    if (api.c2c_f32 && !peer_symbols(&api, library, "%s", cosine_symbols))
        api.cosine_f32 = NULL;
    api.loaded = library && (api.c2c_f32 || peer_symbols(&api, library, "%s", c_symbols));
    if (!library)
        peer_refuse(why, "%.239s", dlerror());
    else if (!api.loaded)
        peer_refuse(why, "%.100s has neither pocketfft_c2c_f32 nor make_cfft_plan", file);
    return api.loaded;
}

/* Are the arrays without gaps, as the C++ functions require? */
static bool is_contiguous(const bench_shape *s)
{
    peer_loop loop = peer_loop_of(s);
    size_t in = s->in.elements / loop.count * s->in.element;
    size_t out = s->out.elements / loop.count * s->out.element;
    return loop.count == 1 || (loop.in_step == (ptrdiff_t)in && loop.out_step == (ptrdiff_t)out);
}

/* `which` if all axes have one kind that the library has, else 0. */
static int cosine_type(const sluice_problem *p)
{
    const sluice_kind kind = bench_axis_kind(p, 0);
    for (int i = 1; i < p->rank; i++)
        if (bench_axis_kind(p, i) != kind)
            return 0;
    return cosine_types[kind];
}

static bool has_kinds(const bench_shape *s)
{
    if (s->in.real && s->out.real)
        return api.cosine_f32 && cosine_type(&s->problem) != 0;
    for (int i = 0; i < s->problem.rank; i++)
        if (bench_axis_kind(&s->problem, i) > SLUICE_C2R)
            return false;
    return (!s->in.real && !s->out.real) || api.real_f32;
}

static bool pocketfft_is_available(const peer *self, const bench_shape *s, int workers,
                                   sluice_diag *why)
{
    (void)self;
    bool cpp = api.c2c_f32 != NULL;
    const peer_limits limits = {cpp ? SLUICE_MAX_RANK : 1, cpp};
    if (!peer_loop_fits(s, cpp ? 1 : workers, limits, why))
        return false;
    if (cpp && !has_kinds(s))
        peer_refuse(why, "it, or its shim, has no such kinds of axes");
    else if (cpp && !is_contiguous(s))
        peer_refuse(why, "it is timed without strides");
    else if (!cpp && s->problem.precision == SLUICE_F32)
        peer_refuse(why, "its C version has double precision only");
    else
        return true;
    return false;
}

static void set_shape(pocketfft_plan *f, const sluice_problem *p)
{
    if (f->loop.count > 1)
        f->shape[f->rank++] = f->loop.count;
    for (int i = 0; i < p->rank; i++) {
        f->axes[f->axis_count++] = f->rank;
        f->shape[f->rank++] = p->dim[i].n;
    }
}

/* Chooses the function for the kinds of a problem, and its arguments. */
static void choose_function(pocketfft_plan *f, const bench_shape *s)
{
    const bool half = s->in.real != s->out.real, cosine = s->in.real && s->out.real;
    f->f32_function = cosine ? api.cosine_f32 : half ? api.real_f32 : api.c2c_f32;
    f->f64_function = cosine ? api.cosine_f64 : half ? api.real_f64 : api.c2c_f64;
    f->inverse = s->problem.direction == SLUICE_INVERSE || bench_reads_spectra(s);
    f->which = cosine ? cosine_type(&s->problem) : !f->inverse;
}

static bool pocketfft_compute(const pocketfft_plan *f, const bench_data *d)
{
    const int status = f->f64 ? f->f64_function(f->rank, f->shape, f->axis_count, f->axes, f->which,
                                                d->in, d->out, 1.0, f->threads)
                              : f->f32_function(f->rank, f->shape, f->axis_count, f->axes, f->which,
                                                d->in, d->out, 1.0f, f->threads);
    return status == 0;
}

static void *pocketfft_make_plan(const peer *self, const bench_shape *s, int workers,
                                 const bench_data *d, sluice_diag *why)
{
    (void)self;
    pocketfft_plan *f = calloc(1, sizeof *f);
    bool cpp = api.c2c_f32 != NULL, good = f != NULL;
    if (good) {
        f->f64 = s->problem.precision == SLUICE_F64;
        choose_function(f, s);
        f->loop = peer_loop_of(s);
        f->bytes = s->problem.in_place ? 0 : s->points * 2 * s->scalar;
        f->threads = (size_t)workers;
        set_shape(f, &s->problem);
        f->plan = cpp ? NULL : api.make_plan(s->points);
        good = cpp ? pocketfft_compute(f, d) : f->plan != NULL;
    }
    if (good)
        return f;
    peer_refuse(why, "it makes no plan for this problem");
    free(f);
    return NULL;
}

static bool compute_loop(const pocketfft_plan *f, const bench_data *d)
{
    const char *in = d->in;
    char *out = d->out;
    int failed = 0;
    for (size_t k = 0; k < f->loop.count; k++, in += f->loop.in_step, out += f->loop.out_step) {
        if (f->bytes)
            memcpy(out, in, f->bytes);
        failed |= (f->inverse ? api.backward : api.forward)(f->plan, (double *)(void *)out, 1.0);
    }
    return failed == 0;
}

static bool pocketfft_run(void *plan, const bench_data *d, size_t reps)
{
    const pocketfft_plan *f = plan;
    bool good = true;
    for (size_t i = 0; i < reps; i++)
        good = (f->plan ? compute_loop(f, d) : pocketfft_compute(f, d)) && good;
    return good;
}

static void pocketfft_destroy(void *plan)
{
    pocketfft_plan *f = plan;
    if (f->plan)
        api.destroy_plan(f->plan);
    free(f);
}

static const char *pocketfft_version(const peer *self, sluice_precision precision)
{
    (void)self;
    if (api.c2c_f32)
        return "pocketfft, the C++ version";
    return precision == SLUICE_F64 ? "pocketfft, the C version" : NULL;
}

const peer peer_pocketfft = {
    .name = "pocketfft",
    .effort = "-",
    .description = "pocketfft: C++ through bench/peers/pocketfft_shim.cpp, or C (f64, one thread)",
    .in_default_set = true,
    .load = pocketfft_load,
    .available = pocketfft_is_available,
    .plan = pocketfft_make_plan,
    .run = pocketfft_run,
    .destroy = pocketfft_destroy,
    .version = pocketfft_version,
};
