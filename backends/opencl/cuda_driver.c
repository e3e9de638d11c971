// SPDX-License-Identifier: BSD-3-Clause
#include "backends/opencl/cuda_driver.h"

#include <dlfcn.h>
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
static char missing[256]; /* of the driver; "": nothing */
static int begun;         /* what it said to that */
static bool has_compiler;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Fills a table; the name of what is not there, NULL: all is. */
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

static bool find_compiler(void)
{
#define CUDA_WANTED(member, name, arguments) {#name, offsetof(cuda_compiler, member)},
    static const wanted want[] = {CUDA_COMPILER_CALLS(CUDA_WANTED)};
#undef CUDA_WANTED
    static const char *const usual[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    const char *own = getenv("SLUICE_CUDA_COMPILER");
    void *library = own ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; i < sizeof usual / sizeof *usual && !own && !library; i++)
        library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    return library && !find_all(library, want, sizeof want / sizeof *want, &compiler);
}

static void find_both(void)
{
    const char *const what = find_driver();

    snprintf(missing, sizeof missing, "%.*s", (int)sizeof missing - 1, what ? what : "");
    begun = what ? CUDA_OK : calls.init(0);
    has_compiler = find_compiler();
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
