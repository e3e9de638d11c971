// SPDX-License-Identifier: BSD-3-Clause
/* Compiles kernels, or finds them compiled. Some devices compile a kernel at its first launch. This
 * file triggers that by a launch of one group for each kernel, on memory that is nobody's; binaries
 * that are kept then hold this code too. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backends/opencl/opencl_state.h"
#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"

enum { MOST_OF_CONTEXT = 64, MOST_OF_LOG = 1 << 16 }; /* devices, bytes */

static opencl_cache_key key_of(const opencl_program *p)
{
    return (opencl_cache_key){.source = core_text_string(&p->made.source),
                              .options = p->options,
                              .about = &p->base.owner->about};
}

/* ---- programs ---- */

/* The compiler's log, on one line; core_free. NULL: out of memory. */
static char *read_log(const opencl_program *p, int unit)
{
    const backend *b = p->base.owner;
    char *log = core_calloc(MOST_OF_LOG, 1);

    if (log)
        (void)b->cl->clGetProgramBuildInfo(p->built[unit].program, b->unit[unit].device,
                                           CL_PROGRAM_BUILD_LOG, MOST_OF_LOG - 1, log, NULL);
    for (char *at = log; at && *at; at++)
        *at = isprint((unsigned char)*at) ? *at : ' ';
    return log;
}

static sluice_status fail_build(const opencl_program *p, int unit, cl_int code, sluice_diag *why)
{
    const backend *b = p->base.owner;
    char *const log = read_log(p, unit);

    const sluice_status blamed = opencl_blame_hooks(p, log ? log : "", why);
    if (blamed == SLUICE_OK) {
        (void)opencl_check(b, unit, code, "clBuildProgram", NULL);
        (void)core_fail(why, SLUICE_E_DEVICE, 0, "%s does not build the kernels: %s: %.120s",
                        b->about.name, opencl_error_name(code).text, log ? log : "");
    }
    core_free(log);
    return blamed == SLUICE_OK ? SLUICE_E_DEVICE : blamed;
}

static sluice_status build_source(opencl_program *p, int unit, sluice_diag *why)
{
    const backend *b = p->base.owner;
    const char *const source = core_text_string(&p->made.source);
    cl_int code;

    p->built[unit].program = b->cl->clCreateProgramWithSource(b->unit[unit].context, 1,
                                                              (const char **)&source, NULL, &code);
    if (code != CL_SUCCESS) {
        p->built[unit].program = NULL;
        return opencl_check(b, unit, code, "clCreateProgramWithSource", why);
    }
    code = b->cl->clBuildProgram(p->built[unit].program, 1, &b->unit[unit].device, p->options, NULL,
                                 NULL);
    return code == CL_SUCCESS ? SLUICE_OK : fail_build(p, unit, code, why);
}

/* Builds kept kernels. False: there are none, or the device does not accept them. */
static bool build_kept(opencl_program *p, int unit)
{
    const backend *b = p->base.owner;
    const opencl_cache_key key = key_of(p);
    size_t length;
    unsigned char *binary = opencl_cache_find(&key, &length);
    cl_int state, code;

    if (!binary)
        return false;
    cl_program program =
        b->cl->clCreateProgramWithBinary(b->unit[unit].context, 1, &b->unit[unit].device, &length,
                                         (const unsigned char **)&binary, &state, &code);
    core_free(binary);
    if (code != CL_SUCCESS)
        return false;
    if (state != CL_SUCCESS
        || b->cl->clBuildProgram(program, 1, &b->unit[unit].device, p->options, NULL, NULL)
               != CL_SUCCESS) {
        b->cl->clReleaseProgram(program);
        return false;
    }
    p->built[unit].program = program;
    return true;
}

/* The index of the first unit's device among the devices of its program, which are all devices of
 * the context. -1: not known. */
static int device_of(const opencl_program *p, size_t *devices)
{
    const backend *b = p->base.owner;
    cl_device_id device[MOST_OF_CONTEXT];

    if (b->cl->clGetProgramInfo(p->built[0].program, CL_PROGRAM_DEVICES, sizeof device, device,
                                devices)
        != CL_SUCCESS)
        return -1;
    *devices /= sizeof *device;
    for (size_t i = 0; i < *devices; i++)
        if (device[i] == b->unit[0].device || *devices == 1) /* PoCL: a part's parent */
            return (int)i;
    return -1;
}

/* When the binary is requested PoCL compiles all kernels once more. */
static void keep_binary(const opencl_program *p)
{
    const opencl_calls *cl = p->base.owner->cl;
    const opencl_cache_key key = key_of(p);
    cl_program program = p->built[0].program;
    size_t length[MOST_OF_CONTEXT], devices;
    unsigned char *binary[MOST_OF_CONTEXT] = {NULL}; /* NULL: not wanted */
    const int i = opencl_cache_keeps() ? device_of(p, &devices) : -1;

    if (i < 0
        || cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, length, NULL)
               != CL_SUCCESS
        || length[i] == 0)
        return;
    binary[i] = core_malloc(length[i]);
    if (binary[i]
        && cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, devices * sizeof *binary,
                                (void *)binary, NULL)
               == CL_SUCCESS)
        opencl_cache_keep(&key, binary[i], length[i]);
    core_free(binary[i]);
}

/* ---- tables ---- */

/* If the device shares the host's memory, its tables are there and were not reserved. */
static void give_back_table(const opencl_program *p, int unit, int table)
{
    if (!opencl_shares(p->base.owner))
        opencl_give_back(p->base.owner, unit, p->made.table[table].bytes);
}

static sluice_status make_tables(opencl_program *p, int unit, sluice_diag *why)
{
    const backend *b = p->base.owner;
    sluice_status status = SLUICE_OK;

    p->built[unit].table = core_calloc((size_t)p->made.ntables + 1, sizeof(cl_mem));
    if (!p->built[unit].table)
        return core_fail_memory(why);
    for (int i = 0; i < p->made.ntables && status == SLUICE_OK; i++) {
        const device_table *t = &p->made.table[i];
        cl_int code;
        if (t->slices > 1)
            continue;
        if (!opencl_shares(b) && !opencl_reserve(b, unit, t->bytes))
            return core_fail(why, SLUICE_E_MEMORY, 0, "%s has no memory left for tables of %s",
                             b->about.name, core_bytes((double)t->bytes).text);
        p->built[unit].table[i] =
            b->cl->clCreateBuffer(b->unit[unit].context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  t->bytes, t->data, &code);
        if (code != CL_SUCCESS) {
            p->built[unit].table[i] = NULL;
            give_back_table(p, unit, i);
        }
        status = opencl_check(b, unit, code, "clCreateBuffer", why);
    }
    return status;
}

static void release_tables(opencl_program *p, int unit)
{
    const backend *b = p->base.owner;

    for (int i = 0; p->built[unit].table && i < p->made.ntables; i++)
        if (p->built[unit].table[i]) {
            b->cl->clReleaseMemObject(p->built[unit].table[i]);
            give_back_table(p, unit, i);
        }
    core_free((void *)p->built[unit].table);
}

/* ---- first launches ---- */

static cl_int launch_group(const opencl_lane *lane, int number, const opencl_memory *memory)
{
    const device_walk launch = {.kernel = number};
    const backend *b = lane->program->base.owner;
    const size_t items = (size_t)lane->program->made.kernel[number].items;
    const cl_int code = opencl_set_args(lane, &launch, memory);

    return code != CL_SUCCESS
               ? code
               : b->cl->clEnqueueNDRangeKernel(b->unit[lane->unit].queue[OPENCL_COMPUTE],
                                               lane->kernel[number], 1, NULL, &items, &items, 0,
                                               NULL, NULL);
}

/* One group of each kernel, with `any` for both sides; kernels of hooks get no elements. */
static sluice_status launch_groups(opencl_lane *lane, cl_mem any, sluice_diag *why)
{
    const opencl_program *p = lane->program;
    const backend *b = p->base.owner;
    sluice_status status = opencl_own_scratch(lane);
    const opencl_memory memory = {.buffer = {any, any, any, any, lane->scratch, lane->spill,
                                             lane->packed[0], lane->packed[1]}};
    cl_int code = CL_SUCCESS;

    if (status != SLUICE_OK)
        return core_fail(why, status, 0, "%s has no memory left for a block of the plan",
                         b->about.name);
    for (int k = 0; k < p->made.nkernels && code == CL_SUCCESS; k++)
        code = launch_group(lane, k, &memory);
    if (code == CL_SUCCESS)
        code = b->cl->clFinish(b->unit[lane->unit].queue[OPENCL_COMPUTE]);
    return opencl_check(b, lane->unit, code, "a first launch", why);
}

/* Tries all kernels on one buffer as long as the longer side; a failure shows here before it
 * matters. The first block reuses the lane's buffers and kernels; if the caller brings memory of
 * his own it reuses the kernels only. */
static sluice_status try_kernels(const opencl_program *p, int unit, sluice_diag *why)
{
    const backend *b = p->base.owner;
    const int64_t in = device_side_bytes(&p->made.side[0]),
                  out = device_side_bytes(&p->made.side[1]);
    opencl_lane *lane;
    cl_int code;

    cl_mem any = b->cl->clCreateBuffer(b->unit[unit].context, CL_MEM_READ_WRITE,
                                       (size_t)(in > out ? in : out), NULL, &code);
    if (code != CL_SUCCESS)
        return opencl_check(b, unit, code, "clCreateBuffer", why);
    sluice_status status = opencl_lane_take(p, unit, &lane);
    if (status == SLUICE_OK) {
        status = launch_groups(lane, any, why);
        if (b->is_callers)
            opencl_lane_empty(lane);
        opencl_lane_return(lane);
    } else {
        (void)core_fail(why, status, 0, "%s gives no kernels to a block of the plan",
                        b->about.name);
    }
    b->cl->clReleaseMemObject(any);
    return status;
}

/* ---- the whole ---- */

static sluice_status build_unit(opencl_program *p, int unit, sluice_diag *why)
{
    const bool kept = build_kept(p, unit);
    sluice_status status = kept ? SLUICE_OK : build_source(p, unit, why);

    if (status == SLUICE_OK)
        status = make_tables(p, unit, why);
    if (status == SLUICE_OK)
        status = try_kernels(p, unit, why);
    if (status == SLUICE_OK && !kept && unit == 0)
        keep_binary(p);
    p->was_cached = unit == 0 ? kept : p->was_cached;
    return status;
}

/* Adds the program to the backend's list, or removes it. */
static void list_program(opencl_program *p, bool built)
{
    backend *b = p->base.owner;
    opencl_program **at = &b->programs;

    pthread_mutex_lock(&b->lock);
    while (*at && *at != p)
        at = &(*at)->next;
    if (built) {
        p->next = NULL;
        *at = p;
    } else if (*at) {
        *at = p->next;
    }
    pthread_mutex_unlock(&b->lock);
}

sluice_status opencl_build(opencl_program *p, sluice_diag *why)
{
    const backend *b = p->base.owner;
    const double begin = core_seconds();
    sluice_status status = device_fill_tables(&p->made, why);

    p->built = core_calloc((size_t)b->units, sizeof *p->built);
    if (status == SLUICE_OK && !p->built)
        status = core_fail_memory(why);
    for (int unit = 0; p->built && unit < b->units; unit++)
        pthread_mutex_init(&p->built[unit].turn, NULL);
    if (p->built)
        list_program(p, true);
    for (int unit = 0; unit < b->units && status == SLUICE_OK; unit++)
        status = build_unit(p, unit, why);
    p->seconds_to_build = core_seconds() - begin;
    core_log_line(b->log, CORE_LOG_PLAN, "opencl,kernels=%d,bytes=%zu,%s,seconds=%.3f",
                  p->made.nkernels, p->made.source.length, p->was_cached ? "kept" : "compiled",
                  p->seconds_to_build);
    return status;
}

void opencl_built_release(opencl_program *p)
{
    const backend *b = p->base.owner;

    list_program(p, false);
    for (int unit = 0; p->built && unit < b->units; unit++) {
        opencl_built *built = &p->built[unit];
        while (built->idle) {
            opencl_lane *lane = built->idle;
            built->idle = lane->next;
            opencl_lane_free(lane);
        }
        release_tables(p, unit);
        opencl_give_back(b, unit, opencl_drop_packed(p, unit));
        if (built->program)
            b->cl->clReleaseProgram(built->program);
        pthread_mutex_destroy(&built->turn);
    }
    core_free(p->built);
}
