// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/peer_cuda_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As cuda.h has them. */
enum { MAJOR = 75, MINOR = 76, MOST_OPTIONS = 8 };

typedef struct driver_api {
    int (*init)(unsigned flags);
    int (*current_device)(int *out);
    int (*attribute)(int *out, int attribute, int device);
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*find)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                  unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
                  void *stream, void **arguments, void **extra);
} driver_api;

static const peer_symbol driver_symbols[] = {
    {"Init", offsetof(driver_api, init)},
    {"CtxGetDevice", offsetof(driver_api, current_device)},
    {"DeviceGetAttribute", offsetof(driver_api, attribute)},
    {"ModuleLoadData", offsetof(driver_api, load)},
    {"ModuleUnload", offsetof(driver_api, unload)},
    {"ModuleGetFunction", offsetof(driver_api, find)},
    {"LaunchKernel", offsetof(driver_api, launch)},
    {NULL, 0},
};

typedef struct compiler_api {
    int (*version)(int *major, int *minor);
    int (*create)(void **program, const char *text, const char *name, int headers,
                  const char *const *header, const char *const *header_name);
    int (*compile)(void *program, int options, const char *const *option);
    int (*binary_size)(void *program, size_t *out);
    int (*binary)(void *program, char *out);
    int (*log_size)(void *program, size_t *out);
    int (*log)(void *program, char *out);
    int (*destroy)(void **program);
} compiler_api;

static const peer_symbol compiler_symbols[] = {
    {"Version", offsetof(compiler_api, version)},
    {"CreateProgram", offsetof(compiler_api, create)},
    {"CompileProgram", offsetof(compiler_api, compile)},
    {"GetCUBINSize", offsetof(compiler_api, binary_size)},
    {"GetCUBIN", offsetof(compiler_api, binary)},
    {"GetProgramLogSize", offsetof(compiler_api, log_size)},
    {"GetProgramLog", offsetof(compiler_api, log)},
    {"DestroyProgram", offsetof(compiler_api, destroy)},
    {NULL, 0},
};

static driver_api driver;
static compiler_api compiler;
static bool is_open;
static char architecture[40]; /* --gpu-architecture=sm_90 */

struct peer_kernels {
    void *module;
};

/* Finds the architecture of the device whose context the runtime made current. */
static bool find_architecture(sluice_diag *why)
{
    int device, major = 0, minor = 0;
    if (driver.init(0) == 0 && driver.current_device(&device) == 0
        && driver.attribute(&major, MAJOR, device) == 0
        && driver.attribute(&minor, MINOR, device) == 0) {
        snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", major, minor);
        return true;
    }
    peer_refuse(why, "the driver does not say which device it is");
    return false;
}

bool peer_kernels_open(sluice_diag *why)
{
    static const char *const drivers[] = {"libcuda.so.1", NULL};
    static const char *const compilers[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                            "libnvrtc.so", NULL};
    if (!is_open)
        is_open =
            peer_cuda_library("SLUICE_CUDA_DRIVER", drivers, "cu%s", driver_symbols, &driver, why)
            && peer_cuda_library("SLUICE_CUDA_COMPILER", compilers, "nvrtc%s", compiler_symbols,
                                 &compiler, why)
            && find_architecture(why);
    return is_open;
}

const char *peer_kernels_version(void)
{
    static char text[64];
    int major = 0, minor = 0;
    (void)compiler.version(&major, &minor);
    snprintf(text, sizeof text, "NVRTC %d.%d for %s", major, minor, strchr(architecture, '=') + 1);
    return text;
}

/* ---- programs */

static void say_log(void *program, sluice_diag *why)
{
    size_t length = 0;
    char *text = compiler.log_size(program, &length) == 0 ? calloc(length + 1, 1) : NULL;
    if (text && compiler.log(program, text) == 0) {
        const char *error = strstr(text, "error");
        peer_refuse(why, "its kernels do not compile: %.180s", error ? error : text);
    }
    free(text);
}

/* The machine code, freed by the caller; NULL: `why` holds the reason. */
static char *compile(const char *text, const char *const *options, sluice_diag *why)
{
    const char *all[MOST_OPTIONS] = {architecture};
    int count = 1;
    void *program = NULL;
    char *binary = NULL;
    size_t length = 0;
    peer_refuse(why, "its kernels do not compile");
    while (count < MOST_OPTIONS && options[count - 1]) {
        all[count] = options[count - 1];
        count++;
    }
    if (compiler.create(&program, text, "peer.cu", 0, NULL, NULL) != 0)
        return NULL;
    if (compiler.compile(program, count, all) != 0)
        say_log(program, why);
    else if (compiler.binary_size(program, &length) == 0)
        binary = malloc(length + 1);
    if (binary && compiler.binary(program, binary) != 0) {
        free(binary);
        binary = NULL;
    }
    (void)compiler.destroy(&program);
    return binary;
}

peer_kernels *peer_kernels_compile(const char *text, const char *const *options, sluice_diag *why)
{
    peer_kernels *k = calloc(1, sizeof *k);
    char *binary = k ? compile(text, options, why) : NULL;
    const int error = binary ? driver.load(&k->module, binary) : 0;
    if (error)
        peer_refuse(why, "the driver does not load its kernels: error %d", error);
    free(binary);
    if (k && k->module)
        return k;
    free(k);
    return NULL;
}

void peer_kernels_free(peer_kernels *k)
{
    if (k)
        (void)driver.unload(k->module);
    free(k);
}

void *peer_kernels_find(const peer_kernels *k, const char *name)
{
    void *function = NULL;
    return driver.find(&function, k->module, name) == 0 ? function : NULL;
}

bool peer_kernels_launch(void *function, const unsigned groups[3], const unsigned items[2],
                         void **arguments)
{
    return driver.launch(function, groups[0], groups[1], groups[2], items[0], items[1], 1, 0, NULL,
                         arguments, NULL)
           == 0;
}
