// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/peer_cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* As driver_types.h has them. */
enum { TO_DEVICE = 1, TO_HOST = 2, WITHIN = 3 };

static const peer_symbol cufft_symbols[] = {
    {"GetVersion", offsetof(cufft_calls, get_version)},
    {"PlanMany", offsetof(cufft_calls, plan_many)},
    {"Destroy", offsetof(cufft_calls, destroy)},
    {"ExecC2C", offsetof(cufft_calls, c2c)},
    {"ExecZ2Z", offsetof(cufft_calls, z2z)},
    {"ExecR2C", offsetof(cufft_calls, r2c)},
    {"ExecC2R", offsetof(cufft_calls, c2r)},
    {"ExecD2Z", offsetof(cufft_calls, d2z)},
    {"ExecZ2D", offsetof(cufft_calls, z2d)},
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

cufft_calls cufft;
static cuda_api cuda;
static bool is_open;

/* ---- the libraries */

bool peer_cuda_library(const char *variable, const char *const *names, const char *format,
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

bool peer_cuda_open(sluice_diag *why)
{
    static const char *const cufft_names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                              "libcufft.so", NULL};
    static const char *const cuda_names[] = {"libcudart.so.13", "libcudart.so.12",
                                             "libcudart.so.11.0", "libcudart.so", NULL};
    if (!is_open)
        is_open =
            peer_cuda_library("SLUICE_PEER_CUDART", cuda_names, "cuda%s", cuda_symbols, &cuda, why)
            && peer_cuda_library("SLUICE_PEER_CUFFT", cufft_names, "cufft%s", cufft_symbols, &cufft,
                                 why)
            && starts(why);
    return is_open;
}

const char *peer_cuda_version(void)
{
    static char text[64];
    int version = 0; /* 12000: 12.0.0 */
    if (cufft.get_version(&version) != 0)
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

bool peer_cuda_wait(void)
{
    return cuda.wait() == 0;
}

const bench_memory *peer_cuda_memory(void)
{
    static const bench_memory memory = {.data = "device",
                                        .make = make_block,
                                        .release = release_block,
                                        .write = write_block,
                                        .read = read_block,
                                        .copy = copy_block,
                                        .wait = peer_cuda_wait};
    return &memory;
}
