// SPDX-License-Identifier: BSD-3-Clause
/* The loader finds the system's FFTW. Another build, which $SLUICE_PEER_FFTW names, has the same
 * sonames, so it gets a namespace of its own: its threads library finds its own FFTW, and the
 * builds cannot be confused. */
#include "bench/peers/peer_fftw_load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/peers/peer_symbol.h"

static const peer_symbol base_symbols[] = {
    {"plan_guru64_dft", offsetof(fftw_api, plan_guru64_dft)},
    {"plan_guru64_split_dft", offsetof(fftw_api, plan_guru64_split_dft)},
    {"plan_guru64_dft_r2c", offsetof(fftw_api, plan_guru64_dft_r2c)},
    {"plan_guru64_dft_c2r", offsetof(fftw_api, plan_guru64_dft_c2r)},
    {"plan_guru64_split_dft_r2c", offsetof(fftw_api, plan_guru64_split_dft_r2c)},
    {"plan_guru64_split_dft_c2r", offsetof(fftw_api, plan_guru64_split_dft_c2r)},
    {"plan_guru64_r2r", offsetof(fftw_api, plan_guru64_r2r)},
    {"execute_r2r", offsetof(fftw_api, execute_r2r)},
    {"execute_dft_r2c", offsetof(fftw_api, execute_dft_r2c)},
    {"execute_dft_c2r", offsetof(fftw_api, execute_dft_c2r)},
    {"execute_split_dft_r2c", offsetof(fftw_api, execute_split_dft_r2c)},
    {"execute_split_dft_c2r", offsetof(fftw_api, execute_split_dft_c2r)},
    {"execute_dft", offsetof(fftw_api, execute_dft)},
    {"execute_split_dft", offsetof(fftw_api, execute_split_dft)},
    {"destroy_plan", offsetof(fftw_api, destroy_plan)},
    {"forget_wisdom", offsetof(fftw_api, forget_wisdom)},
    {"import_wisdom_from_string", offsetof(fftw_api, import_wisdom_from_string)},
    {"export_wisdom", offsetof(fftw_api, export_wisdom)},
    {"set_timelimit", offsetof(fftw_api, set_timelimit)},
    {"version", offsetof(fftw_api, version)},
    {NULL, 0},
};
static const peer_symbol thread_symbols[] = {
    {"init_threads", offsetof(fftw_api, init_threads)},
    {"plan_with_nthreads", offsetof(fftw_api, plan_with_nthreads)},
    {NULL, 0},
};

static const char *const stem[] = {[SLUICE_F32] = "libfftw3f", [SLUICE_F64] = "libfftw3"};
static const char *const symbol_format[] = {[SLUICE_F32] = "fftwf_%s", [SLUICE_F64] = "fftw_%s"};
static const char variable[] = "SLUICE_PEER_FFTW";

/* Location of a build's files: FOLDER/STEM[_threads]TAIL; the folder ends with its slash. */
typedef struct place {
    char folder[PATH_MAX];
    const char *tail;
} place;

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void name_library(char *out, size_t size, const place *p, sluice_precision precision,
                         const char *suffix)
{
    int used = snprintf(out, size, "%s%s%s%s", p->folder, stem[precision], suffix, p->tail);
    if (used < 0 || (size_t)used >= size)
        out[0] = 0; /* a truncated path: dlopen fails */
}

/* Finds the suffix of a folder's libraries: one precision may be missing, and so may the links with
 * a version. */
static void find_tail(place *p)
{
    char file[PATH_MAX];
    p->tail = ".so.3";
    for (int precision = 0; precision < 2; precision++) {
        name_library(file, sizeof file, p, (sluice_precision)precision, "");
        if (access(file, F_OK) == 0)
            return;
    }
    p->tail = ".so";
}

/* False with the error if the variable does not name a build of FFTW. */
static bool find_other(place *p, char *error, size_t size)
{
    const char *where = getenv(variable);
    if (!where || !*where) {
        snprintf(error, size, "%s does not name another build", variable);
        return false;
    }
    if (is_folder(where)) {
        snprintf(p->folder, sizeof p->folder, "%s/", where);
        find_tail(p);
        return true;
    }
    const char *slash = strrchr(where, '/');
    const char *base = slash ? slash + 1 : where;
    bool known = strncmp(base, stem[SLUICE_F64], strlen(stem[SLUICE_F64])) == 0;
    p->tail = known ? base + strlen(stem[SLUICE_F64]) : base;
    p->tail += known && *p->tail == 'f';
    known = known && *p->tail == '.';
    snprintf(p->folder, sizeof p->folder, "%.*s", (int)(base - where), where);
    if (!known)
        snprintf(error, size, "%s names neither a folder nor a libfftw3f or libfftw3", variable);
    return known;
}

/* Both precisions and their threads share the other build's namespace. */
static void *open_library(fftw_build build, const char *file)
{
#ifdef __GLIBC__
    static Lmid_t space = LM_ID_NEWLM;
    if (build == FFTW_OTHER) {
        void *library = dlmopen(space, file, RTLD_NOW | RTLD_LOCAL);
        if (library && space == LM_ID_NEWLM)
            dlinfo(library, RTLD_DI_LMID, &space);
        return library;
    }
#else
    (void)build;
#endif
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

/* Threads come in the library itself (--with-combined-threads) or in a library of their own. */
static void load_threads(fftw_api *api, void *library, fftw_build build, const place *p,
                         sluice_precision precision)
{
    char file[PATH_MAX];
    bool found = peer_symbols(api, library, symbol_format[precision], thread_symbols);
    if (!found) {
        name_library(file, sizeof file, p, precision, "_threads");
        void *threads = open_library(build, file);
        found = threads && peer_symbols(api, threads, symbol_format[precision], thread_symbols);
    }
    api->threaded = found && api->init_threads() != 0;
}

static void load_precision(fftw_api *api, fftw_build build, sluice_precision precision)
{
    char file[PATH_MAX];
    place p = {.tail = ".so.3"};
    if (build == FFTW_OTHER && !find_other(&p, api->error, sizeof api->error))
        return;
    name_library(file, sizeof file, &p, precision, "");
    void *library = open_library(build, file);
    if (!library)
        snprintf(api->error, sizeof api->error, "%s", dlerror());
    else if (!peer_symbols(api, library, symbol_format[precision], base_symbols))
        snprintf(api->error, sizeof api->error, "%.150s lacks the guru64 interface", file);
    else
        api->loaded = true;
    if (api->loaded)
        load_threads(api, library, build, &p, precision);
}

const fftw_api *fftw_load(fftw_build build, sluice_precision precision)
{
    static fftw_api apis[FFTW_BUILDS][2];
    fftw_api *api = &apis[build][precision];
    if (!api->tried) {
        api->tried = true;
        load_precision(api, build, precision);
    }
    return api;
}
