// SPDX-License-Identifier: BSD-3-Clause
/* Stands for NVIDIA's driver and its compiler at run time: memory is the host's, "machine code" is
 * the CUDA C++ that was compiled, which runs on OpenCL's first device, a launch at a time. Objects
 * are counted, a call can be made to fail, and what is not as it has to be fails by itself. */
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/cuda_driver.h"
#include "tests/cuda_standin/cuda_standin.h"
#include "tests/cuda_standin/cuda_standin_inside.h"

enum { ROOM = 4096, ARCHITECTURE = 8 };
enum { USUAL_LOCAL = 48 << 10, MOST_LOCAL = 163 << 10, UNIT_LOCAL = 164 << 10 };

static struct block {
    char *at;
    size_t bytes;
    cl_mem buffer; /* NULL: the host's */
} blocks[ROOM];
static atomic_long outstanding, calls, failing; /* failing: the number of the call, 0: none */
static _Thread_local int entered;
static _Thread_local bool is_other;                      /* the other context is entered */
static atomic_bool legacy;                               /* the legacy default stream may be used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the tables, launches */
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
char standin_primary, standin_other;

void standin_made(int objects)
{
    outstanding += objects;
}

static long get_outstanding(void)
{
    return outstanding;
}

static void fail_at(long call)
{
    failing = call;
    calls = 0;
}

static long get_calls(void)
{
    return calls;
}

static void let_legacy(bool may)
{
    legacy = may;
}

const cuda_standin *cuda_standin_open(void)
{
    static const cuda_standin standin = {get_outstanding, fail_at,          get_calls,
                                         let_legacy,      &standin_primary, &standin_other};
    return &standin;
}

int standin_call(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == failing ? FAILED : CUDA_OK;
}

int standin_call_inside(void)
{
    return entered > 0 ? standin_call() : WRONG;
}

int standin_drop(void *object)
{
    outstanding--;
    free(object);
    return entered > 0 ? CUDA_OK : WRONG;
}

/* Under the lock. */
static struct block *find_block(cuda_address at, size_t bytes)
{
    const char *from = (const char *)(uintptr_t)at;
    for (int i = 0; i < ROOM; i++)
        if (blocks[i].at && from >= blocks[i].at && from + bytes <= blocks[i].at + blocks[i].bytes)
            return &blocks[i];
    return NULL;
}

static struct block *block_of(cuda_address at, size_t bytes)
{
    pthread_mutex_lock(&lock);
    struct block *b = find_block(at, bytes);
    pthread_mutex_unlock(&lock);
    return b;
}

/* ---- devices ---- */

int cuInit(unsigned flags)
{
    cl_platform_id platform;
    cl_int code;
    if (flags != 0 || context)
        return flags != 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS
        || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return FAILED;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    queue = context ? clCreateCommandQueue(context, device, 0, &code) : NULL;
    return queue ? CUDA_OK : FAILED;
}

int cuDriverGetVersion(int *out)
{
    *out = 12040;
    return CUDA_OK;
}

int cuDeviceGetCount(int *out)
{
    *out = 1;
    return standin_call();
}

int cuDeviceGetName(char *out, int length, int number)
{
    strncpy(out, "Stand-in", (size_t)length);
    return number;
}

int cuDeviceTotalMem_v2(size_t *out, int number)
{
    *out = (size_t)1 << 30;
    return number;
}

int cuDeviceGetAttribute(int *out, int attribute, int number)
{
    *out = attribute == CUDA_LARGEST_BLOCK            ? 1024
           : attribute == CUDA_SHARED_MEMORY          ? USUAL_LOCAL
           : attribute == CUDA_MULTIPROCESSORS        ? 16
           : attribute == CUDA_LEVEL2                 ? 4 << 20
           : attribute == CUDA_MAJOR                  ? ARCHITECTURE
           : attribute == CUDA_MOST_SHARED_MEMORY     ? MOST_LOCAL
           : attribute == CUDA_UNIT_SHARED_MEMORY     ? UNIT_LOCAL
           : attribute == CUDA_RESERVED_SHARED_MEMORY ? 1 << 10
                                                      : 0;
    return number;
}

int cuDevicePrimaryCtxRetain(cuda_context *out, int number)
{
    const int code = standin_call();
    *out = (cuda_context)&standin_primary;
    outstanding += code == CUDA_OK;
    return code + number;
}

int cuDevicePrimaryCtxRelease_v2(int number)
{
    outstanding--;
    return number;
}

int cuCtxPushCurrent_v2(cuda_context wanted)
{
    is_other = wanted == (cuda_context)&standin_other;
    if (wanted != (cuda_context)&standin_primary && !is_other)
        return WRONG;
    entered++;
    return CUDA_OK;
}

int cuCtxPopCurrent_v2(cuda_context *out)
{
    *out = (cuda_context)&standin_primary;
    is_other = false;
    return --entered < 0 ? WRONG : CUDA_OK;
}

int cuCtxGetDevice(int *out)
{
    *out = is_other;
    return standin_call_inside();
}

/* ---- memory ---- */

static int add_block(size_t bytes, bool of_host, void **out)
{
    const int code = standin_call_inside();
    cl_int state = CL_SUCCESS;
    int i = 0;
    struct block b = {.at = aligned_alloc(256, (bytes + 255) / 256 * 256), .bytes = bytes};
    if (!of_host)
        b.buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, b.at, &state);
    pthread_mutex_lock(&lock);
    while (i < ROOM && blocks[i].at)
        i++;
    const bool added = code == CUDA_OK && i < ROOM && state == CL_SUCCESS;
    if (added)
        blocks[i] = b;
    pthread_mutex_unlock(&lock);
    outstanding += added;
    *out = b.at;
    if (added)
        return CUDA_OK;
    if (b.buffer)
        clReleaseMemObject(b.buffer);
    free(b.at);
    return code ? code : CUDA_NO_MEMORY;
}

static int remove_block(const void *at, bool of_host)
{
    struct block gone = {.at = NULL};
    pthread_mutex_lock(&lock);
    struct block *b = find_block((uintptr_t)at, 1);
    if (b && b->at == at && of_host == (b->buffer == NULL)) {
        gone = *b;
        b->at = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!gone.at)
        return WRONG;
    if (gone.buffer)
        clReleaseMemObject(gone.buffer);
    return standin_drop(gone.at);
}

int cuMemAlloc_v2(cuda_address *out, size_t bytes)
{
    void *at = NULL;
    const int code = add_block(bytes, false, &at);
    *out = (uintptr_t)at;
    return code;
}

int cuMemAllocHost_v2(void **out, size_t bytes)
{
    return add_block(bytes, true, out);
}

int cuMemFree_v2(cuda_address at)
{
    return remove_block((const void *)(uintptr_t)at, false);
}

int cuMemFreeHost(void *at)
{
    return remove_block(at, true);
}

int cuPointerGetAttribute(void *out, int attribute, cuda_address at)
{
    const struct block *b = block_of(at, 1);
    const cuda_context ours = (cuda_context)&standin_primary;
    const unsigned memory = b && b->buffer ? CUDA_HOST + 1 : CUDA_HOST;
    if (b)
        memcpy(out, attribute == CUDA_OF_CONTEXT ? (const void *)&ours : &memory,
               attribute == CUDA_OF_CONTEXT ? sizeof ours : sizeof memory);
    return b ? CUDA_OK : WRONG;
}

int cuMemcpyHtoD_v2(cuda_address to, const void *from, size_t bytes)
{
    const int code = block_of(to, bytes) ? standin_call_inside() : WRONG;
    if (code == CUDA_OK)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return code;
}

int cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes, cuda_stream stream)
{
    return stream ? cuMemcpyHtoD_v2(to, from, bytes) : WRONG;
}

int cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, cuda_stream stream)
{
    const int code = stream && block_of(from, bytes) ? standin_call_inside() : WRONG;
    if (code == CUDA_OK)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return code;
}

int cuMemcpyDtoDAsync_v2(cuda_address to, cuda_address from, size_t bytes, cuda_stream stream)
{
    const bool held = stream && block_of(to, bytes) && block_of(from, bytes);
    const int code = held ? standin_call_inside() : WRONG;
    if (code == CUDA_OK)
        memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return code;
}

/* ---- kernels ---- */

/* The text behind the words of CUDA, which the options mean. */
int cuModuleLoadData(cuda_module *out, const void *image)
{
    static const char last[] = "typedef unsigned int uint;\n",
                      words[] = "#define local_array(type, name, count) __local type name[count]\n",
                      options[] = "-cl-std=CL1.2 -cl-kernel-arg-info "
                                  "-Dmake_float2(x,y)=((float2)((x),(y))) "
                                  "-Dmake_double2(x,y)=((double2)((x),(y)))";
    const char *text = strstr(image, last);
    cl_int code = standin_call_inside();
    if (code != CUDA_OK || !text)
        return code ? code : WRONG;
    const char *const part[] = {words, text + sizeof last - 1};
    cl_program program =
        clCreateProgramWithSource(context, 2, (const char **)(uintptr_t)part, NULL, &code);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(program);
        return FAILED;
    }
    outstanding++;
    *out = (cuda_module)program;
    return CUDA_OK;
}

/* Functions go with their module. */
static struct function {
    cuda_module module;
    cl_kernel kernel;
    int local; /* bytes that it was allowed besides the usual ones */
} functions[ROOM];

int cuModuleUnload(cuda_module module)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ROOM; i++)
        if (module && functions[i].module == module) {
            clReleaseKernel(functions[i].kernel);
            functions[i].module = NULL;
        }
    pthread_mutex_unlock(&lock);
    outstanding--;
    return clReleaseProgram((cl_program)module);
}

int cuModuleGetFunction(cuda_function *out, cuda_module module, const char *name)
{
    cl_int code = standin_call_inside();
    int i = 0;
    if (code != CUDA_OK)
        return code;
    const struct function made = {module, clCreateKernel((cl_program)module, name, &code), 0};
    pthread_mutex_lock(&lock);
    while (i < ROOM && functions[i].module)
        i++;
    if (code == CL_SUCCESS && i < ROOM)
        functions[i] = made;
    pthread_mutex_unlock(&lock);
    *out = (cuda_function)made.kernel;
    return code ? code : i == ROOM ? WRONG : CUDA_OK;
}

/* Under the lock. */
static struct function *function_of(cuda_function function)
{
    for (int i = 0; i < ROOM; i++)
        if (functions[i].module && functions[i].kernel == (cl_kernel)function)
            return &functions[i];
    return NULL;
}

int cuFuncSetAttribute(cuda_function function, int attribute, int value)
{
    const int code = standin_call_inside();
    pthread_mutex_lock(&lock);
    struct function *f = function_of(function);
    const bool right = f && attribute == CUDA_DYNAMIC_SHARED_MEMORY && value <= MOST_LOCAL;
    if (right && code == CUDA_OK)
        f->local = value;
    pthread_mutex_unlock(&lock);
    return code ? code : right ? CUDA_OK : WRONG;
}

/* Is it what the kernel's array takes, and was it asked for? */
static bool has_local(cuda_function function, unsigned bytes)
{
    const struct function *f = function_of(function);
    cl_ulong uses = 0;
    return f
           && clGetKernelWorkGroupInfo(f->kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof uses,
                                       &uses, NULL)
                  == CL_SUCCESS
           && uses <= bytes && (bytes <= USUAL_LOCAL || (int)bytes <= f->local);
}

/* A pointer into a block is the block, and more of the offset behind it. */
static int set_argument(cl_kernel kernel, cl_uint i, const void *value, cl_long *into)
{
    cl_kernel_arg_address_qualifier where;
    char type[64];
    cuda_address at;
    if (clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL)
            != CL_SUCCESS
        || clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL)
               != CL_SUCCESS)
        return WRONG;
    if (where == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
        const bool narrow = strcmp(type, "int") == 0;
        cl_long wide = *into;
        if (narrow)
            return *into ? WRONG : clSetKernelArg(kernel, i, sizeof(cl_int), value);
        memcpy(&at, value, sizeof at);
        wide += (cl_long)at;
        *into = 0;
        return clSetKernelArg(kernel, i, sizeof wide, &wide);
    }
    memcpy(&at, value, sizeof at);
    const struct block *b = at ? find_block(at, 1) : NULL;
    if (*into || (at && (!b || !b->buffer)))
        return WRONG;
    *into = b ? (cl_long)(at - (uintptr_t)b->at) : 0;
    return clSetKernelArg(kernel, i, sizeof(cl_mem), b ? (const void *)&b->buffer : NULL);
}

int cuLaunchKernel(cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                   unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared,
                   cuda_stream stream, void **arguments, void **extra)
{
    const size_t items = items_x, all = items * groups_x;
    cl_kernel kernel = (cl_kernel)function;
    cl_uint count = 0;
    cl_long into = 0;
    int code = standin_call_inside();
    if (groups_y * groups_z * items_y * items_z != 1 || (!stream && !legacy) || extra)
        return WRONG;
    if (clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) != CL_SUCCESS)
        return WRONG;
    pthread_mutex_lock(&lock);
    if (!has_local(function, shared))
        code = WRONG;
    for (cl_uint i = 0; i < count && code == CUDA_OK; i++)
        code = set_argument(kernel, i, arguments[i], &into);
    if (code == CUDA_OK)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL);
    pthread_mutex_unlock(&lock);
    return code == CUDA_OK ? clFinish(queue) : code;
}
