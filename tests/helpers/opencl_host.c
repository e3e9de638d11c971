// SPDX-License-Identifier: BSD-3-Clause
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/helpers/opencl_host.h"

#include <CL/cl.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/helpers/opencl_table.h"

struct opencl_host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
};

enum { MAX_OBJECTS = 64, MAX_LOOPS = 64 }; /* max buffers, kernels, and arguments of a kernel */

typedef struct run {
    const opencl_host *host;
    opencl_program *out;
    cJSON *about;
    cl_program program;
    cl_kernel kernel[MAX_OBJECTS];
    cl_mem buffer[MAX_OBJECTS];
    bool single;
    cl_long loop[MAX_LOOPS]; /* values of loops around launches */
} run;

static bool fail_run(run *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(r->out->message, sizeof r->out->message, format, args);
    va_end(args);
    return false;
}

opencl_host *opencl_open(const char **why)
{
    cl_platform_id platform;
    cl_device_id device;
    opencl_host *host = calloc(1, sizeof *host);

    *why = "there is no OpenCL platform";
    if (!host || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) {
        free(host);
        return NULL;
    }
    *why = "the OpenCL platform has no device";
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
        host->device = device;
        host->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        host->queue = host->context ? clCreateCommandQueue(host->context, device, 0, NULL) : NULL;
    }
    if (host->queue)
        return host;
    opencl_close(host);
    return NULL;
}

void opencl_close(opencl_host *host)
{
    if (host && host->queue)
        clReleaseCommandQueue(host->queue);
    if (host && host->context)
        clReleaseContext(host->context);
    free(host);
}

/* ---- the description ---- */

static const char *json_word(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return text ? text : "";
}

static long json_number(const cJSON *object, const char *key)
{
    return (long)cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

static bool read_description(run *r, const char *text)
{
    static const char begin[] = "/* sluice-opencl\n";
    const char *from = strstr(text, begin), *to = from ? strstr(from, "\n*/") : NULL;

    if (!to)
        return fail_run(r, "there is no description");
    from += sizeof begin - 1;
    r->about = cJSON_ParseWithLength(from, (size_t)(to - from));
    if (!r->about)
        return fail_run(r, "the description is no JSON near %.40s", cJSON_GetErrorPtr());
    r->single = strcmp(json_word(r->about, "precision"), "f32") == 0;
    return json_number(r->about, "version") == 2
           || fail_run(r, "the description has another version");
}

/* ---- tables ---- */

static void fill_constant(const run *r, double value, void *data)
{
    for (int part = 0; part < 2; part++)
        if (r->single)
            ((float *)data)[part] = part ? 0 : (float)value;
        else
            ((double *)data)[part] = part ? 0 : value;
}

static void fill_values(const run *r, const cJSON *values, void *data)
{
    size_t i = 0;

    for (const cJSON *x = values->child; x; x = x->next, i++)
        if (r->single)
            ((float *)data)[i] = (float)x->valuedouble;
        else
            ((double *)data)[i] = x->valuedouble;
}

static void fill_table(const run *r, const cJSON *buffer, void *data)
{
    if (cJSON_HasObjectItem(buffer, "values")) {
        fill_values(r, cJSON_GetObjectItem(buffer, "values"), data);
        return;
    }
    const char diagonal = json_word(buffer, "diagonal")[0];
    if (diagonal == 'X') {
        fill_constant(r, cJSON_GetObjectItem(buffer, "value")->valuedouble, data);
        return;
    }
    const long n = json_number(buffer, "n"), m = json_number(buffer, "m");
    const long first = json_number(buffer, "first"), step = json_number(buffer, "step");
    const long entries = json_number(buffer, "bytes") / (r->single ? 8 : 16);
    const cJSON *scale = cJSON_GetObjectItem(buffer, "scale");
    const long double by = scale ? scale->valuedouble : 1;

    for (long t = 0; t < entries; t++) {
        long double z[2];
        opencl_table_entry(diagonal, n, m, first + t * step, &z[0], &z[1]);
        for (int part = 0; part < 2; part++)
            if (r->single)
                ((float *)data)[2 * t + part] = (float)(by * z[part]);
            else
                ((double *)data)[2 * t + part] = (double)(by * z[part]);
    }
}

/* ---- buffers ---- */

/* The host memory of a side's buffer; NULL: it is not a side. */
static char *side_memory(const cJSON *buffer, const sluice_arrays *a)
{
    static const char *const name[] = {"in", "in_im", "out", "out_im"};
    char *const array[] = {(char *)(size_t)a->in, (char *)(size_t)a->in_im, a->out, a->out_im};

    for (int i = 0; i < 4; i++)
        if (strcmp(json_word(buffer, "name"), name[i]) == 0)
            return array[i] - json_number(buffer, "origin") * json_number(buffer, "element_bytes");
    return NULL;
}

static bool make_buffer(run *r, int i, const cJSON *buffer, const sluice_arrays *a)
{
    const size_t bytes = (size_t)json_number(buffer, "bytes");
    char *memory = side_memory(buffer, a), *own = NULL;
    cl_int error;

    if (!memory)
        memory = own = malloc(bytes);
    if (!memory)
        return fail_run(r, "out of memory");
    if (own)
        memset(own, 0xff, bytes); /* NaN: scratch must be written before it is read */
    if (strcmp(json_word(buffer, "role"), "table") == 0)
        fill_table(r, buffer, own);
    if (strcmp(json_word(buffer, "role"), "scratch") == 0)
        r->out->scratch_bytes += (long)bytes;
    r->buffer[i] = clCreateBuffer(r->host->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                  memory, &error);
    free(own);
    return error == CL_SUCCESS || fail_run(r, "no buffer %s: %d", json_word(buffer, "name"), error);
}

static bool make_buffers(run *r, const sluice_arrays *a)
{
    const cJSON *const all = cJSON_GetObjectItem(r->about, "buffers");

    if (cJSON_GetArraySize(all) > MAX_OBJECTS)
        return fail_run(r, "more than %d buffers", MAX_OBJECTS);
    for (int i = 0; i < cJSON_GetArraySize(all); i++)
        if (!make_buffer(r, i, cJSON_GetArrayItem(all, i), a))
            return false;
    return true;
}

static bool read_back(run *r, const sluice_arrays *a)
{
    const cJSON *const all = cJSON_GetObjectItem(r->about, "buffers");

    for (int i = 0; i < cJSON_GetArraySize(all); i++) {
        const cJSON *buffer = cJSON_GetArrayItem(all, i);
        if (!strstr(json_word(buffer, "role"), "out"))
            continue;
        const cl_int error = clEnqueueReadBuffer(r->host->queue, r->buffer[i], CL_TRUE, 0,
                                                 (size_t)json_number(buffer, "bytes"),
                                                 side_memory(buffer, a), 0, NULL, NULL);
        if (error != CL_SUCCESS)
            return fail_run(r, "cannot read %s: %d", json_word(buffer, "name"), error);
    }
    return true;
}

/* ---- kernels ---- */

static bool build_program(run *r, const char *text)
{
    char log[1500] = "";
    cl_int error;

    r->program = clCreateProgramWithSource(r->host->context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error =
            clBuildProgram(r->program, 1, &r->host->device, "-cl-std=CL1.2 -Werror", NULL, NULL);
    if (error == CL_SUCCESS)
        return true;
    clGetProgramBuildInfo(r->program, r->host->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    return fail_run(r, "it does not build: %d\n%.1400s", error, log);
}

static int buffer_number(const run *r, const char *name)
{
    const cJSON *const all = cJSON_GetObjectItem(r->about, "buffers");

    for (int i = 0; i < cJSON_GetArraySize(all); i++)
        if (strcmp(json_word(cJSON_GetArrayItem(all, i), "name"), name) == 0)
            return i;
    return -1;
}

static bool make_kernel(run *r, int i, const cJSON *about)
{
    const cJSON *const names = cJSON_GetObjectItem(about, "buffers");
    cl_ulong local = 0;
    cl_int error;

    r->kernel[i] = clCreateKernel(r->program, json_word(about, "name"), &error);
    for (int b = 0; b < cJSON_GetArraySize(names) && error == CL_SUCCESS; b++) {
        const int at = buffer_number(r, cJSON_GetStringValue(cJSON_GetArrayItem(names, b)));
        error = at < 0 ? CL_INVALID_VALUE
                       : clSetKernelArg(r->kernel[i], (cl_uint)b, sizeof(cl_mem), &r->buffer[at]);
    }
    if (error != CL_SUCCESS)
        return fail_run(r, "no kernel %s: %d", json_word(about, "name"), error);
    clGetKernelWorkGroupInfo(r->kernel[i], r->host->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                             &local, NULL);
    const long said = json_number(about, "local_bytes"), groups = json_number(about, "groups");
    r->out->local_bytes = said > r->out->local_bytes ? said : r->out->local_bytes;
    r->out->groups = groups > r->out->groups ? groups : r->out->groups;
    return (long)local >= said
           || fail_run(r, "%s uses %ld bytes of local memory, not %ld", json_word(about, "name"),
                       (long)local, said);
}

static bool make_kernels(run *r)
{
    const cJSON *const all = cJSON_GetObjectItem(r->about, "kernels");

    r->out->kernels = cJSON_GetArraySize(all);
    if (r->out->kernels > MAX_OBJECTS)
        return fail_run(r, "more than %d kernels", MAX_OBJECTS);
    for (int i = 0; i < r->out->kernels; i++)
        if (!make_kernel(r, i, cJSON_GetArrayItem(all, i)))
            return false;
    return true;
}

/* The value of "k3". */
static cl_long *loop_value(run *r, const char *name)
{
    return &r->loop[atoi(name + 1) % MAX_LOOPS];
}

static bool launch_kernel(run *r, const cJSON *about)
{
    const int k = (int)json_number(about, "kernel");
    const cJSON *const kernel = cJSON_GetArrayItem(cJSON_GetObjectItem(r->about, "kernels"), k);
    const cJSON *const loops = cJSON_GetObjectItem(about, "loops");
    const int buffers = cJSON_GetArraySize(cJSON_GetObjectItem(kernel, "buffers"));
    const size_t items = (size_t)json_number(kernel, "items");
    const size_t all = (size_t)json_number(kernel, "groups") * items;
    cl_int error = CL_SUCCESS;

    for (int l = 0; l < cJSON_GetArraySize(loops) && error == CL_SUCCESS; l++) {
        const cl_long value = *loop_value(r, cJSON_GetStringValue(cJSON_GetArrayItem(loops, l)));
        const cl_int small = (cl_int)value;
        const bool wide = json_number(r->about, "index_bytes") == 8;
        error =
            clSetKernelArg(r->kernel[k], (cl_uint)(buffers + l), wide ? sizeof value : sizeof small,
                           wide ? (const void *)&value : &small);
    }
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(r->host->queue, r->kernel[k], 1, NULL, &all, &items, 0, NULL,
                                       NULL);
    r->out->launches++;
    return error == CL_SUCCESS || fail_run(r, "cannot launch kernel %d: %d", k, error);
}

static bool launch_all(run *r, const cJSON *about);

static long smaller(long a, long b)
{
    return a < b ? a : b;
}

static bool launch_loop(run *r, const cJSON *about)
{
    const char *const share = json_word(about, "share");
    const long n = json_number(about, "n");
    cl_long *const value = loop_value(r, json_word(about, "loop"));
    long lo = 0, hi = n;

    if (*share) {
        const long shares = json_number(about, "shares"), grain = json_number(about, "grain");
        const long units = (n + grain - 1) / grain, s = (long)*loop_value(r, share);
        lo = smaller(units * s / shares * grain, n);
        hi = smaller(units * (s + 1) / shares * grain, n);
    }
    for (*value = lo; *value < hi; ++*value)
        if (!launch_all(r, about))
            return false;
    return true;
}

static bool launch_all(run *r, const cJSON *about)
{
    const cJSON *const all = cJSON_GetObjectItem(about, "launches"), *one;

    cJSON_ArrayForEach(one, all)
    {
        const bool loops = cJSON_HasObjectItem(one, "loop");
        if (!(loops ? launch_loop : launch_kernel)(r, one))
            return false;
    }
    return true;
}

static void close_run(run *r)
{
    for (int i = 0; i < MAX_OBJECTS; i++) {
        if (r->kernel[i])
            clReleaseKernel(r->kernel[i]);
        if (r->buffer[i])
            clReleaseMemObject(r->buffer[i]);
    }
    if (r->program)
        clReleaseProgram(r->program);
    cJSON_Delete(r->about);
}

bool opencl_run_text(opencl_host *host, const char *text, const sluice_arrays *arrays,
                     opencl_program *out)
{
    run r = {.host = host, .out = out};

    memset(out, 0, sizeof *out);
    const bool done = read_description(&r, text) && build_program(&r, text)
                      && make_buffers(&r, arrays) && make_kernels(&r) && launch_all(&r, r.about)
                      && read_back(&r, arrays);
    close_run(&r);
    return done;
}

bool opencl_builds(opencl_host *host, const char *text, opencl_program *out)
{
    run r = {.host = host, .out = out};

    memset(out, 0, sizeof *out);
    const bool done = build_program(&r, text);
    close_run(&r);
    return done;
}
