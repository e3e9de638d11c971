// SPDX-License-Identifier: BSD-3-Clause
/* Units: the devices that a unit string selects, or one of the caller's. The devices of a machine
 * are of one model, so that one plan serves all. */
#include <stdio.h>
#include <string.h>

#include "backends/opencl/cuda_objects.h"
#include "backends/opencl/opencl_state.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

/* ---- which are selected ---- */

static bool is_meant(const backend *b, const opencl_devices *all, int i)
{
    const opencl_config *c = &b->config;

    if (c->number >= 0)
        return i == c->number;
    return !c->name[0] || strstr(opencl_describe(all->cl[i], all->device[i]).name, c->name);
}

static sluice_status fail_unknown(const backend *b, const opencl_devices *all, sluice_diag *why)
{
    const int most = all->count - 1;

    if (b->config.number >= 0)
        return core_fail(why, SLUICE_E_INVALID, 0, "opencl:%d: there are devices 0 to %d",
                         b->config.number, most);
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "opencl:%s: that is no part of the name of a device; device 0 is %s",
                     core_quote(b->config.name, SIZE_MAX).text,
                     opencl_describe(all->cl[0], all->device[0]).name);
}

/* Moves the selected devices to the front of the list. */
static sluice_status choose(backend *b, opencl_devices *all, sluice_diag *why)
{
    int count = 0;

    for (int i = 0; i < all->count; i++) {
        if (!is_meant(b, all, i))
            continue;
        const opencl_about about = opencl_describe(all->cl[i], all->device[i]);
        if (count == 0) {
            b->about = about;
            b->cl = all->cl[i];
        }
        if (b->cl != all->cl[i] || strcmp(about.name, b->about.name) != 0)
            return core_fail(why, SLUICE_E_INVALID, 0,
                             "the OpenCL devices are of several models, %s and %s: name each, as "
                             "in opencl:0,opencl:1",
                             b->about.name, about.name);
        all->device[count++] = all->device[i];
    }
    if (count == 0)
        return fail_unknown(b, all, why);
    all->count = count;
    return SLUICE_OK;
}

/* ---- units ---- */

/* Replaces a device by a part of it with some of its compute units. */
static sluice_status open_part(backend *b, int unit, sluice_diag *why)
{
    const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_COUNTS, b->config.cores,
                                               CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    opencl_unit *u = &b->unit[unit];
    cl_device_id part;

    const cl_int code = b->cl->clCreateSubDevices(u->device, by, 1, &part, NULL);
    if (code != CL_SUCCESS)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "opencl: %s is not to be had with %d of %d compute units: %s",
                         b->about.name, b->config.cores, (int)b->about.compute_units,
                         opencl_error_name(code).text);
    u->device = part;
    u->is_held = true;
    return SLUICE_OK;
}

static sluice_status open_queues(const backend *b, int unit, sluice_diag *why)
{
    opencl_unit *u = &b->unit[unit];
    sluice_status status = SLUICE_OK;
    cl_int code;

    for (int leg = 0; leg < OPENCL_LEGS && status == SLUICE_OK; leg++) {
        const cl_command_queue_properties order = leg == OPENCL_COMPUTE && b->about.any_order
                                                      ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                                      : 0;
        u->queue[leg] = b->cl->clCreateCommandQueue(u->context, u->device,
                                                    CL_QUEUE_PROFILING_ENABLE | order, &code);
        status = opencl_check(b, unit, code, "clCreateCommandQueue", why);
    }
    return status;
}

static sluice_status open_unit(backend *b, int unit, sluice_diag *why)
{
    opencl_unit *u = &b->unit[unit];
    cl_int code;

    if (b->config.cores > 0) {
        const sluice_status status = open_part(b, unit, why);
        if (status != SLUICE_OK)
            return status;
    }
    u->context = b->cl->clCreateContext(NULL, 1, &u->device, NULL, NULL, &code);
    const sluice_status status = opencl_check(b, unit, code, "clCreateContext", why);
    return status == SLUICE_OK ? open_queues(b, unit, why) : status;
}

sluice_status opencl_units_open(backend *b, sluice_diag *why)
{
    opencl_devices all;

    sluice_status status = opencl_devices_find(b->config.driver, &all, why);
    if (status == SLUICE_OK)
        status = choose(b, &all, why);
    if (status != SLUICE_OK)
        return status;
    b->unit = core_calloc((size_t)all.count, sizeof *b->unit);
    if (!b->unit)
        return core_fail_memory(why);
    for (int i = 0; i < all.count; i++)
        b->unit[i].device = all.device[i];
    b->units = all.count;
    for (int i = 0; i < all.count && status == SLUICE_OK; i++)
        status = open_unit(b, i, why);
    if (b->config.cores > 0)
        b->about.compute_units = (cl_uint)b->config.cores;
    return status;
}

/* Is the device one of the context's, or a part of one? */
static sluice_status check_place(const opencl_calls *cl, const opencl_place *place,
                                 sluice_diag *why)
{
    cl_device_id all[OPENCL_DEVICES], device = place->device;
    size_t bytes = 0;
    const cl_int code =
        cl->clGetContextInfo(place->context, CL_CONTEXT_DEVICES, sizeof all, (void *)all, &bytes);

    if (code != CL_SUCCESS)
        return core_fail(why, SLUICE_E_INVALID, 0, "the context: %s", opencl_error_name(code).text);
    while (device) {
        for (size_t i = 0; i < bytes / sizeof *all; i++)
            if (all[i] == device)
                return SLUICE_OK;
        if (cl->clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof device, (void *)&device,
                                NULL)
            != CL_SUCCESS)
            break;
    }
    return core_fail(why, SLUICE_E_INVALID, 0, "the device is none of the context's");
}

/* Device and context are retained until the backend is closed. */
static cl_int open_place(backend *b, const opencl_place *place)
{
    cl_int code = b->cl->clRetainDevice(place->device);

    b->about = opencl_describe(b->cl, place->device);
    b->unit->device = place->device;
    b->unit->is_held = code == CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = b->cl->clRetainContext(place->context);
    if (code == CL_SUCCESS)
        b->unit->context = place->context;
    return code;
}

/* A device of NVIDIA's driver. */
static sluice_status open_driver_place(backend *b, const opencl_place *place, sluice_diag *why)
{
    opencl_devices all;
    cl_int code;
    const sluice_status status = opencl_devices_find(true, &all, why);

    if (status != SLUICE_OK)
        return status;
    if (place->number < 0 || place->number >= all.count)
        return core_fail(why, SLUICE_E_INVALID, 0, "device %d: there are devices 0 to %d",
                         place->number, all.count - 1);
    b->cl = all.cl[place->number];
    b->about = opencl_describe(b->cl, all.device[place->number]);
    b->unit->device = all.device[place->number];
    b->unit->context = cuda_context_of(place->number, place->handle, &code);
    return code == CL_INVALID_CONTEXT ? core_fail(
               why, SLUICE_E_INVALID, 0, "the context is of another device than %d", place->number)
                                      : opencl_check(b, 0, code, "the context", why);
}

sluice_status opencl_place_open(backend *b, const opencl_place *place, sluice_diag *why)
{
    sluice_status status = place->driver ? SLUICE_OK : opencl_calls_open(&b->cl, why);

    if (status == SLUICE_OK && !place->driver)
        status = check_place(b->cl, place, why);
    if (status != SLUICE_OK)
        return status;
    b->unit = core_calloc(1, sizeof *b->unit);
    if (!b->unit)
        return core_fail_memory(why);
    b->units = 1;
    b->is_callers = true;
    status = place->driver ? open_driver_place(b, place, why)
                           : opencl_check(b, 0, open_place(b, place), "clRetainContext", why);
    return status == SLUICE_OK ? open_queues(b, 0, why) : status;
}

void opencl_units_close(backend *b)
{
    for (int i = 0; i < b->units; i++) {
        opencl_unit *u = &b->unit[i];
        for (int leg = 0; leg < OPENCL_LEGS; leg++)
            if (u->queue[leg])
                b->cl->clReleaseCommandQueue(u->queue[leg]);
        if (u->context)
            b->cl->clReleaseContext(u->context);
        if (u->is_held)
            b->cl->clReleaseDevice(u->device);
    }
}

/* ---- failures, memory ---- */

/* Casts const away: only the lock and what it protects change. */
static backend *lock_units(const backend *b)
{
    backend *self = (backend *)(uintptr_t)b;

    pthread_mutex_lock(&self->lock);
    return self;
}

static bool is_final(cl_int code)
{
    return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_DEVICE
           || code == CL_INVALID_CONTEXT || code == CL_INVALID_COMMAND_QUEUE;
}

sluice_status opencl_check(const backend *b, int unit, cl_int code, const char *call,
                           sluice_diag *why)
{
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    const sluice_status status = memory ? SLUICE_E_MEMORY : SLUICE_E_DEVICE;

    if (code == CL_SUCCESS)
        return SLUICE_OK;
    backend *self = lock_units(b);
    opencl_unit *u = &self->unit[unit];
    (void)core_fail(&u->fault, status, 0, "%s: %s", call, opencl_error_name(code).text);
    u->lost = u->lost || is_final(code);
    core_log_line(b->log, CORE_LOG_EXEC, "opencl,unit=%d,%s", unit, u->fault.message);
    pthread_mutex_unlock(&self->lock);
    return core_fail(why, status, 0, "%s: %s of %s", b->about.name, opencl_error_name(code).text,
                     call);
}

sluice_status opencl_fault(const backend *b, int unit, sluice_diag *out)
{
    backend *self = lock_units(b);
    const sluice_diag *fault = &self->unit[unit].fault;
    const bool faulty = fault->message[0] != '\0';
    if (faulty && out)
        *out = *fault;
    pthread_mutex_unlock(&self->lock);
    return faulty ? SLUICE_E_DEVICE : SLUICE_OK;
}

void opencl_note_block(const backend *b, int unit, sluice_status status)
{
    enum { MOST_FAILURES = 3 };
    backend *self = lock_units(b);
    opencl_unit *u = &self->unit[unit];

    u->failures = status == SLUICE_OK ? 0 : u->failures + 1;
    u->lost = u->lost || u->failures == MOST_FAILURES;
    pthread_mutex_unlock(&self->lock);
}

bool opencl_reserve(const backend *b, int unit, size_t bytes)
{
    backend *self = lock_units(b);
    opencl_unit *u = &self->unit[unit];

    if (bytes > b->budget || u->allocated > b->budget - bytes)
        u->allocated -= opencl_drop_idle(self, unit);
    const bool fits = bytes <= b->budget && u->allocated <= b->budget - bytes;
    if (fits)
        u->allocated += bytes;
    pthread_mutex_unlock(&self->lock);
    return fits;
}

void opencl_give_back(const backend *b, int unit, size_t bytes)
{
    backend *self = lock_units(b);

    self->unit[unit].allocated -= bytes;
    pthread_mutex_unlock(&self->lock);
}
