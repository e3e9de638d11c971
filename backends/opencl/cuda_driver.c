// SPDX-License-Identifier: BSD-3-Clause
#include "backends/opencl/cuda_driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

typedef struct wanted {
    const char *name;
    size_t offset;
} wanted;

/* Filled in once; the libraries are never closed. */
static cuda_calls calls;
static cuda_compiler compiler;
static char missing[256]; /* what was not found of the driver; "": all was */
static int begun;         /* result of cuInit */
static bool has_compiler;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Fills a table; returns the name of a missing function, NULL: all are there. */
static const char *find_all(void *library, const wanted *want, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *const symbol = dlsym(library, want[i].name);
        if (!symbol)
            return want[i].name;
        memcpy((char *)table + want[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

static const char *find_driver(void)
{
#define CUDA_WANTED(member, name, arguments) {#name, offsetof(cuda_calls, member)},
    static const wanted want[] = {CUDA_CALLS(CUDA_WANTED)};
#undef CUDA_WANTED
    const char *own = getenv("SLUICE_CUDA_DRIVER"), *file = own ? own : "libcuda.so.1";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    return library ? find_all(library, want, sizeof want / sizeof *want, &calls) : file;
}

/* A version that compiles for a later driver than this one is not tried, as its code may not load.
 * `folder` NULL: where the loader looks. */
static void *open_compiler(const char *folder, int version)
{
    static const struct {
        const char *name;
        int version; /* of the driver that its code needs */
    } usual[] = {{"libnvrtc.so.13", 13000},
                 {"libnvrtc.so.12", 12000},
                 {"libnvrtc.so.11.2", 11020},
                 {"libnvrtc.so", 0}};
    void *library = NULL;

    for (size_t i = 0; i < sizeof usual / sizeof *usual && !library; i++) {
        char file[1024];
        const int length = snprintf(file, sizeof file, "%s%s%s", folder ? folder : "",
                                    folder ? "/" : "", usual[i].name);
        if (usual[i].version <= version && length < (int)sizeof file)
            library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* `root` is a folder of CUDA's; NULL, "": none. */
static void *open_compiler_below(const char *root, int version)
{
    static const char *const part[] = {"lib64", "targets/x86_64-linux/lib",
                                       "targets/sbsa-linux/lib"};
    void *library = NULL;

    for (size_t i = 0; i < sizeof part / sizeof *part && root && *root && !library; i++) {
        char folder[512];
        if (snprintf(folder, sizeof folder, "%s/%s", root, part[i]) < (int)sizeof folder)
            library = open_compiler(folder, version);
    }
    return library;
}

/* In the folders that the user names, where the loader looks, where NVIDIA's packages put it. */
static void *search_compiler(int version)
{
    void *library = open_compiler_below(getenv("CUDA_PATH"), version);

    if (!library)
        library = open_compiler_below(getenv("CUDA_HOME"), version);
    if (!library)
        library = open_compiler(NULL, version);
    return library ? library : open_compiler_below("/usr/local/cuda", version);
}

/* Finds a compiler for a driver of this version; false: there is none. */
static bool find_compiler(int version)
{
#define CUDA_WANTED(member, name, arguments) {#name, offsetof(cuda_compiler, member)},
    static const wanted want[] = {CUDA_COMPILER_CALLS(CUDA_WANTED)};
#undef CUDA_WANTED
    const char *own = getenv("SLUICE_CUDA_COMPILER");
    void *library = own ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : search_compiler(version);

    return library && !find_all(library, want, sizeof want / sizeof *want, &compiler);
}

static void find_both(void)
{
    const char *const what = find_driver();
    int version = INT_MAX; /* without a driver any will do */

    snprintf(missing, sizeof missing, "%.*s", (int)sizeof missing - 1, what ? what : "");
    begun = what ? CUDA_OK : calls.init(0);
    if (!what)
        (void)calls.driver_version(&version);
    has_compiler = find_compiler(version);
}

sluice_status cuda_driver_open(const cuda_calls **out, sluice_diag *why)
{
    pthread_once(&once, find_both);
    *out = &calls;
    if (missing[0])
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "there is no driver of NVIDIA's: %s was not found", missing);
    return begun == CUDA_OK
               ? SLUICE_OK
               : core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                           "NVIDIA's driver does not begin: error %d of cuInit", begun);
}

const cuda_compiler *cuda_compiler_open(void)
{
    pthread_once(&once, find_both);
    return has_compiler ? &compiler : NULL;
}
