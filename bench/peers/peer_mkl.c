// SPDX-License-Identifier: BSD-3-Clause
/* Intel's MKL through its single dynamic library and the DFTI interface, whose prototypes are
 * declared here. Its threads are OpenMP's, which spin for a while after a call and would occupy
 * cores while the next engine is timed. */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_symbol.h"
#include "bench/peers/peer_table.h"

enum {
    DFTI_NUMBER_OF_TRANSFORMS = 7,
    DFTI_COMPLEX_STORAGE = 8,
    DFTI_CONJUGATE_EVEN_STORAGE = 10,
    DFTI_PLACEMENT = 11,
    DFTI_INPUT_STRIDES = 12,
    DFTI_OUTPUT_STRIDES = 13,
    DFTI_INPUT_DISTANCE = 14,
    DFTI_OUTPUT_DISTANCE = 15,
    DFTI_THREAD_LIMIT = 27,
    DFTI_COMPLEX = 32,
    DFTI_REAL = 33,
    DFTI_COMPLEX_COMPLEX = 39,
    DFTI_REAL_REAL = 42,
    DFTI_INPLACE = 43,
    DFTI_NOT_INPLACE = 44
};
enum { SEQUENTIAL_LAYER = 1, GNU_LAYER = 3 }; /* of MKL_Set_Threading_Layer */

typedef struct mkl_api {
    bool tried, threaded;
    char error[240], version[200]; /* an empty error: the library is loaded */
    long (*create_s_1d)(void **plan, int domain, ...);
    long (*create_s_md)(void **plan, int domain, long rank, ...);
    long (*create_d_1d)(void **plan, int domain, ...);
    long (*create_d_md)(void **plan, int domain, long rank, ...);
    long (*set_value)(void *plan, int what, ...);
    long (*commit)(void *plan);
    long (*forward)(void *plan, void *data, ...);
    long (*backward)(void *plan, void *data, ...);
    long (*free)(void **plan);
    char *(*error_message)(long status);
    void (*set_threads)(int count);
    int (*set_layer)(int layer);
    void (*get_version)(char *text, int size);
    int (*get_blocktime)(void); /* functions of Intel's OpenMP; NULL: another runtime is used */
    void (*set_blocktime)(int milliseconds);
} mkl_api;

static const peer_symbol symbols[] = {
    {"DftiCreateDescriptor_s_1d", offsetof(mkl_api, create_s_1d)},
    {"DftiCreateDescriptor_s_md", offsetof(mkl_api, create_s_md)},
    {"DftiCreateDescriptor_d_1d", offsetof(mkl_api, create_d_1d)},
    {"DftiCreateDescriptor_d_md", offsetof(mkl_api, create_d_md)},
    {"DftiSetValue", offsetof(mkl_api, set_value)},
    {"DftiCommitDescriptor", offsetof(mkl_api, commit)},
    {"DftiComputeForward", offsetof(mkl_api, forward)},
    {"DftiComputeBackward", offsetof(mkl_api, backward)},
    {"DftiFreeDescriptor", offsetof(mkl_api, free)},
    {"DftiErrorMessage", offsetof(mkl_api, error_message)},
    {"MKL_Set_Num_Threads", offsetof(mkl_api, set_threads)},
    {"MKL_Set_Threading_Layer", offsetof(mkl_api, set_layer)},
    {"MKL_Get_Version_String", offsetof(mkl_api, get_version)},
    {NULL, 0},
};
static const peer_symbol openmp_symbols[] = {
    {"kmp_get_blocktime", offsetof(mkl_api, get_blocktime)},
    {"kmp_set_blocktime", offsetof(mkl_api, set_blocktime)},
    {NULL, 0},
};

static mkl_api api;

typedef struct mkl_plan {
    void *descriptor;
    long (*compute)(void *plan, void *data, ...);
    int workers;
    bool in_place, split;
} mkl_plan;

/* MKL ends the process if the runtime of its threading layer is missing, so the runtime is sought
 * first: Intel's in the library's folder or on the loader's path, then GNU's. */
static void choose_layer(const char *library)
{
    char file[PATH_MAX];
    const char *slash = strrchr(library, '/');
    int length = slash ? (int)(slash - library) + 1 : 0;
    snprintf(file, sizeof file, "%.*s%s", length, library, "libiomp5.so");
    void *openmp = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!openmp)
        openmp = dlopen("libiomp5.so", RTLD_NOW | RTLD_LOCAL);
    api.threaded = true;
    if (openmp && peer_symbols(&api, openmp, "%s", openmp_symbols))
        return; /* MKL's default layer */
    api.get_blocktime = NULL;
    api.threaded = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL) != NULL;
    api.set_layer(api.threaded ? GNU_LAYER : SEQUENTIAL_LAYER);
}

/* "Intel(R) oneAPI Math Kernel Library Version 2025.3-Product Build ... for ... applications" */
static void read_version(void)
{
    memset(api.version, ' ', sizeof api.version - 1);
    api.get_version(api.version, (int)sizeof api.version - 1);
    for (size_t i = strlen(api.version); i > 0 && api.version[i - 1] == ' '; i--)
        api.version[i - 1] = 0;
}

static bool mkl_load(const peer *self, const peer_settings *settings, sluice_diag *why)
{
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1",
                                        "libmkl_rt.so", NULL};
    char file[PATH_MAX];
    (void)self;
    (void)settings;
    if (!api.tried) {
        api.tried = true;
        void *library = peer_library("SLUICE_PEER_MKL", names, file, sizeof file);
        if (!library)
            snprintf(api.error, sizeof api.error, "%s", dlerror());
        else if (!peer_symbols(&api, library, "%s", symbols))
            snprintf(api.error, sizeof api.error, "%.150s lacks the DFTI interface", file);
        else {
            choose_layer(file);
            read_version();
        }
    }
    if (api.error[0])
        peer_refuse(why, "%.239s", api.error);
    return api.error[0] == 0;
}

/* Batch dimensions of one element do not count. */
static int mkl_batch_dims(const sluice_problem *p, sluice_dim *found)
{
    int count = 0;
    for (int i = 0; i < p->batch_rank; i++)
        if (p->batch[i].n > 1 && count++ == 0)
            *found = p->batch[i];
    return count;
}

static bool is_real(const bench_shape *s)
{
    return s->in.real || s->out.real;
}

/* Does DFTI have the kinds? It has c2c, r2c and c2r. */
static bool has_kinds(const bench_shape *s)
{
    for (int i = 0; i < s->problem.rank; i++)
        if (bench_axis_kind(&s->problem, i) > SLUICE_C2R)
            return false;
    return true;
}

static bool mkl_is_available(const peer *self, const bench_shape *s, int workers, sluice_diag *why)
{
    (void)self;
    const sluice_problem *p = &s->problem;
    sluice_dim batch;
    if (workers > 1 && !api.threaded)
        peer_refuse(why, "its threads need libiomp5 or libgomp");
    else if (p->in_cyclic.parts || p->out_cyclic.parts)
        peer_refuse(why, "it has no block-cyclic order");
    else if (p->scale != SLUICE_SCALE_NONE)
        peer_refuse(why, "it is timed without scaling");
    else if (p->in_layout != p->out_layout || p->in_layout > SLUICE_SPLIT)
        peer_refuse(why, "both sides must be interleaved, or both split");
    else if (!has_kinds(s))
        peer_refuse(why, "it has cosine and sine transforms of single axes only, through another "
                         "interface");
    else if (is_real(s) && p->in_layout == SLUICE_SPLIT)
        peer_refuse(why, "it has no split spectra of reals");
    else if (mkl_batch_dims(p, &batch) > 1)
        peer_refuse(why, "it has one batch dimension");
    else
        return true;
    return false;
}

static long create_descriptor(void **descriptor, const bench_shape *s)
{
    const sluice_problem *p = &s->problem;
    const int domain = is_real(s) ? DFTI_REAL : DFTI_COMPLEX;
    long lengths[SLUICE_MAX_RANK];
    bool f64 = p->precision == SLUICE_F64;
    for (int i = 0; i < p->rank; i++)
        lengths[i] = (long)p->dim[i].n;
    if (p->rank == 1)
        return (f64 ? api.create_d_1d : api.create_s_1d)(descriptor, domain, lengths[0]);
    return (f64 ? api.create_d_md : api.create_s_md)(descriptor, domain, (long)p->rank, lengths);
}

/* Returns the first status that is not 0. */
static long configure_descriptor(void *h, const bench_shape *s, int workers)
{
    const sluice_problem *p = &s->problem;
    long in[SLUICE_MAX_RANK + 1] = {0}, out[SLUICE_MAX_RANK + 1] = {0};
    sluice_dim batch = {.n = 1};
    bool many = mkl_batch_dims(p, &batch) > 0;
    for (int i = 0; i < p->rank; i++) {
        in[i + 1] = (long)p->dim[i].in_stride;
        out[i + 1] = (long)p->dim[i].out_stride;
    }
    long status = api.set_value(h, DFTI_PLACEMENT, p->in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE);
    if (status == 0 && is_real(s))
        status = api.set_value(h, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX);
    else if (status == 0)
        status =
            api.set_value(h, DFTI_COMPLEX_STORAGE,
                          p->in_layout == SLUICE_SPLIT ? DFTI_REAL_REAL : DFTI_COMPLEX_COMPLEX);
    if (status == 0)
        status = api.set_value(h, DFTI_INPUT_STRIDES, in);
    if (status == 0)
        status = api.set_value(h, DFTI_OUTPUT_STRIDES, out);
    if (status == 0 && many)
        status = api.set_value(h, DFTI_NUMBER_OF_TRANSFORMS, (long)batch.n);
    if (status == 0 && many)
        status = api.set_value(h, DFTI_INPUT_DISTANCE, (long)batch.in_stride);
    if (status == 0 && many)
        status = api.set_value(h, DFTI_OUTPUT_DISTANCE, (long)batch.out_stride);
    return status != 0 ? status : api.set_value(h, DFTI_THREAD_LIMIT, (long)workers);
}

static void *mkl_make_plan(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                           sluice_diag *why)
{
    (void)self;
    (void)d;
    const sluice_problem *p = &s->problem;
    mkl_plan *m = calloc(1, sizeof *m);
    if (!m) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    m->compute = p->direction == SLUICE_INVERSE || s->out.real ? api.backward : api.forward;
    m->workers = workers;
    m->in_place = p->in_place;
    m->split = p->in_layout == SLUICE_SPLIT;
    api.set_threads(workers);
    long status = create_descriptor(&m->descriptor, s);
    if (status == 0)
        status = configure_descriptor(m->descriptor, s, workers);
    if (status == 0)
        status = api.commit(m->descriptor);
    if (status == 0)
        return m;
    peer_refuse(why, "%.200s", api.error_message(status));
    if (m->descriptor)
        api.free(&m->descriptor);
    free(m);
    return NULL;
}

static long mkl_compute(const mkl_plan *m, const bench_data *d)
{
    if (m->in_place)
        return m->split ? m->compute(m->descriptor, d->in, d->in_im)
                        : m->compute(m->descriptor, d->in);
    return m->split ? m->compute(m->descriptor, d->in, d->in_im, d->out, d->out_im)
                    : m->compute(m->descriptor, d->in, d->out);
}

static bool mkl_run(void *plan, const bench_data *d, size_t reps)
{
    const mkl_plan *m = plan;
    long failed = 0;
    api.set_threads(m->workers);
    for (size_t i = 0; i < reps; i++)
        failed |= mkl_compute(m, d);
    return failed == 0;
}

/* Puts the threads to sleep by a call with block time 0, which they adopt at the fork. */
static void mkl_quiesce(void *plan, const bench_data *d)
{
    const mkl_plan *m = plan;
    if (m->workers == 1 || !api.get_blocktime)
        return;
    int in_default_set = api.get_blocktime();
    api.set_blocktime(0);
    api.set_threads(m->workers);
    mkl_compute(m, d);
    api.set_blocktime(in_default_set);
}

static void mkl_destroy(void *plan)
{
    mkl_plan *m = plan;
    api.free(&m->descriptor);
    free(m);
}

static const char *mkl_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return api.version;
}

const peer peer_mkl = {
    .name = "mkl",
    .effort = "-",
    .description = "Intel's MKL, through DFTI",
    .in_default_set = true,
    .load = mkl_load,
    .available = mkl_is_available,
    .plan = mkl_make_plan,
    .run = mkl_run,
    .quiesce = mkl_quiesce,
    .destroy = mkl_destroy,
    .version = mkl_version,
};
