// SPDX-License-Identifier: BSD-3-Clause
#define _DEFAULT_SOURCE /* mkdtemp, setenv */
#include "tests/helpers/helper_opencl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/helpers/helper_docs.h"

const char *opencl_layer_file(void)
{
    static char file[PATH_MAX];
    const char *folder = getenv("SLUICE_BIN_DIR");
    if (!folder)
        return NULL;
    snprintf(file, sizeof file, "%s/tests/opencl-layer.so", folder);
    return access(file, R_OK) == 0 ? file : NULL;
}

const opencl_layer *opencl_layer_load(void)
{
    const char *file = opencl_layer_file();
    void *library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "opencl_layer_open") : NULL;
    opencl_layer_open_fn *open = NULL;
    memcpy(&open, &symbol, sizeof open);
    if (!open || setenv("OPENCL_LAYERS", file, 1) != 0)
        return NULL;
    return open();
}

void opencl_compile_plainly(bool plainly)
{
    setenv("POCL_EXTRA_BUILD_FLAGS", plainly ? "-cl-opt-disable" : "", 1);
}

int opencl_run_alone(int (*tests)(void))
{
    char folder[] = "/tmp/sluice-opencl-XXXXXX", line[64];
    if (!mkdtemp(folder) || setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0)
        return 1;
    setenv("POCL_CACHE_DIR", folder, 0);
    setenv("SLUICE_KERNEL_CACHE", "", 1);
    setenv("SLUICE_PLAN_CACHE", "0", 1); /* each plan compiles its kernels, or PoCL has them */
    const int failed = tests();
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}

const char *opencl_layer_leaks(const opencl_layer *layer)
{
    static const char *const kinds[] = {"contexts", "queues", "programs",   "kernels",
                                        "buffers",  "events", "sub-devices"};
    static char text[256];
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (layer->outstanding(kinds[i]) != 0)
            length += (size_t)snprintf(text + length, sizeof text - length, " %ld %s",
                                       layer->outstanding(kinds[i]), kinds[i]);
    return text;
}
