// SPDX-License-Identifier: BSD-3-Clause
/* Stands for NVIDIA's driver and its compiler at run time, as the bench's peers call them: kernels
 * are compiled by the C compiler, the items of a group are threads, and groups run one after the
 * other. All kernels have the arguments of peer_cufft_rows.c. CUFFT_STANDIN_FAIL names a function,
 * whose calls then fail; what is not released is said on stderr at the end. */
#define _GNU_SOURCE /* mkdtemp, strdup */
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 5, MAJOR = 75, ROOM = 4096 };

static int outstanding;

static int fails(const char *name)
{
    const char *wanted = getenv("CUFFT_STANDIN_FAIL");
    return wanted && strcmp(wanted, name) == 0 ? FAILED : 0;
}

static void __attribute__((destructor)) say_what_is_left(void)
{
    if (outstanding)
        fprintf(stderr, "kernel stand-in: %d programs or modules are not released\n", outstanding);
}

/* ---- the compiler: machine code is the name of a library */

static const char prologue[] = "#include <pthread.h>\n"
                               "#define __global__\n"
                               "#define __shared__ static\n"
                               "#define __syncthreads() pthread_barrier_wait(&barrier)\n"
                               "typedef struct float2 { float x, y; } float2;\n"
                               "typedef struct double2 { double x, y; } double2;\n"
                               "typedef struct index3 { unsigned x, y, z; } index3;\n"
                               "static _Thread_local index3 threadIdx, blockIdx;\n"
                               "static index3 gridDim, blockDim;\n"
                               "static pthread_barrier_t barrier;\n";

static const char launcher[] =
    "static struct { void (*kernel)(const void *, void *, const void *, int, int);\n"
    "                void **arguments; } what;\n"
    "static void *run_item(void *item)\n"
    "{\n"
    "    void **a = what.arguments;\n"
    "    const unsigned i = (unsigned)(unsigned long)item;\n"
    "    threadIdx = (index3){i % blockDim.x, i / blockDim.x, 0};\n"
    "    for (unsigned g = 0; g < gridDim.x * gridDim.y * gridDim.z; g++) {\n"
    "        blockIdx = (index3){g % gridDim.x, g / gridDim.x % gridDim.y,\n"
    "                            g / gridDim.x / gridDim.y};\n"
    "        what.kernel(*(void **)a[0], *(void **)a[1], *(void **)a[2], *(int *)a[3],\n"
    "                    *(int *)a[4]);\n"
    "        pthread_barrier_wait(&barrier);\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "int launch(void *kernel, const unsigned *groups, const unsigned *items, void **arguments)\n"
    "{\n"
    "    const unsigned count = items[0] * items[1];\n"
    "    pthread_t thread[count];\n"
    "    gridDim = (index3){groups[0], groups[1], groups[2]};\n"
    "    blockDim = (index3){items[0], items[1], 1};\n"
    "    what.kernel = kernel;\n"
    "    what.arguments = arguments;\n"
    "    pthread_barrier_init(&barrier, 0, count);\n"
    "    for (unsigned i = 0; i < count; i++)\n"
    "        if (pthread_create(&thread[i], 0, run_item, (void *)(unsigned long)i))\n"
    "            return 1;\n"
    "    for (unsigned i = 0; i < count; i++)\n"
    "        pthread_join(thread[i], 0);\n"
    "    return pthread_barrier_destroy(&barrier);\n"
    "}\n";

static void remove_files(const char *folder)
{
    static const char *const names[] = {"kernels.c", "kernels.so"};
    char path[64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%.30s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

typedef struct program {
    char *text, folder[32];
} program;

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(void **out, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name);
int nvrtcCompileProgram(void *program, int options, const char *const *option);
int nvrtcGetCUBINSize(void *program, size_t *out);
int nvrtcGetCUBIN(void *program, char *out);
int nvrtcGetProgramLogSize(void *program, size_t *out);
int nvrtcGetProgramLog(void *program, char *out);
int nvrtcDestroyProgram(void **program);

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}

int nvrtcCreateProgram(void **out, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name)
{
    program *p = calloc(1, sizeof *p);
    if (!p || !name || headers || header || header_name || fails("nvrtcCreateProgram")) {
        free(p);
        return FAILED;
    }
    *p = (program){.text = strdup(text), .folder = "/tmp/kernels.XXXXXX"};
    *out = p;
    outstanding++;
    return 0;
}

/* The first option is the device's architecture. */
int nvrtcCompileProgram(void *of, int options, const char *const *option)
{
    program *p = of;
    char path[64], command[512] = "";
    if (fails("nvrtcCompileProgram") || strcmp(option[0], "--gpu-architecture=sm_90") != 0
        || !mkdtemp(p->folder))
        return FAILED;
    snprintf(path, sizeof path, "%s/kernels.c", p->folder);
    FILE *file = fopen(path, "w");
    fprintf(file, "%s%s%s", prologue, p->text, launcher);
    fclose(file);
    snprintf(command, sizeof command, "cc -shared -fPIC -pthread -O1 -w -o %s/kernels.so %s",
             p->folder, path);
    for (int i = 1; i < options; i++)
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s", option[i]);
    return system(command) == 0 ? 0 : FAILED;
}

int nvrtcGetCUBINSize(void *of, size_t *out)
{
    *out = strlen(((program *)of)->folder) + 1;
    return 0;
}

int nvrtcGetCUBIN(void *of, char *out)
{
    memcpy(out, ((program *)of)->folder, strlen(((program *)of)->folder) + 1);
    if (fails("nvrtcGetCUBIN"))
        remove_files(out);
    return fails("nvrtcGetCUBIN");
}

static const char complaint[] = "peer.cu(1): error: a made-up one\n";

int nvrtcGetProgramLogSize(void *of, size_t *out)
{
    (void)of;
    *out = sizeof complaint;
    return 0;
}

int nvrtcGetProgramLog(void *of, char *out)
{
    (void)of;
    memcpy(out, complaint, sizeof complaint);
    return 0;
}

int nvrtcDestroyProgram(void **of)
{
    program *p = *of;
    free(p->text);
    free(p);
    outstanding--;
    return 0;
}

/* ---- the driver */

int cuInit(unsigned flags);
int cuCtxGetDevice(int *out);
int cuDeviceGetAttribute(int *out, int attribute, int device);
int cuModuleLoadData(void **out, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **out, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                   unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
                   void *stream, void **arguments, void **extra);

int cuInit(unsigned flags)
{
    return flags ? FAILED : fails("cuInit");
}

int cuCtxGetDevice(int *out)
{
    *out = 3;
    return fails("cuCtxGetDevice");
}

int cuDeviceGetAttribute(int *out, int attribute, int device)
{
    *out = attribute == MAJOR ? 9 : 0;
    return device == 3 ? 0 : FAILED;
}

typedef int launch_fn(void *kernel, const unsigned *groups, const unsigned *items,
                      void **arguments);
static launch_fn *launcher_of; /* the module's that was loaded last */

int cuModuleLoadData(void **out, const void *image)
{
    char path[64];
    if (fails("cuModuleLoadData")) {
        remove_files(image);
        return FAILED;
    }
    snprintf(path, sizeof path, "%.30s/kernels.so", (const char *)image);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        return FAILED;
    *(void **)&launcher_of = dlsym(module, "launch");
    remove_files(image);
    outstanding++;
    *out = module;
    return 0;
}

int cuModuleUnload(void *module)
{
    outstanding--;
    return dlclose(module);
}

int cuModuleGetFunction(void **out, void *module, const char *name)
{
    *out = dlsym(module, name);
    return *out ? fails("cuModuleGetFunction") : FAILED;
}

int cuLaunchKernel(void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                   unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
                   void *stream, void **arguments, void **extra)
{
    const unsigned groups[] = {groups_x, groups_y, groups_z}, items[] = {items_x, items_y};
    if (groups_x * groups_y * groups_z == 0 || groups_y > 65535 || groups_z > 65535
        || items_x * items_y > 1024 || items_z != 1 || shared || stream || extra)
        return FAILED;
    return fails("cuLaunchKernel") ? FAILED : launcher_of(function, groups, items, arguments);
}
