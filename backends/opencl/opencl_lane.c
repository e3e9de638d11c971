// SPDX-License-Identifier: BSD-3-Clause
/* Lanes: kernel objects with their arguments, and buffers, for one block at a time. Since a kernel
 * object keeps its arguments, no two blocks may share one. Lanes that are not in use wait for the
 * program's next block. */
#include <string.h>

#include "backends/opencl/opencl_state.h"
#include "core/mem.h"
#include "core/status.h"

bool opencl_takes_turns(const opencl_program *p)
{
    const backend *b = p->base.owner;

    return (p->made.packed_bytes[0] > 0 || p->made.packed_bytes[1] > 0) && opencl_shares(b)
           && b->about.is_cpu && !b->is_callers;
}

static sluice_status make_buffer(const opencl_lane *lane, int64_t bytes, const char *what,
                                 cl_mem *out)
{
    const backend *b = lane->program->base.owner;
    cl_int code;

    if (!opencl_reserve(b, lane->unit, (size_t)bytes))
        return opencl_check(b, lane->unit, CL_MEM_OBJECT_ALLOCATION_FAILURE, what, NULL);
    *out = b->cl->clCreateBuffer(b->unit[lane->unit].context, CL_MEM_READ_WRITE, (size_t)bytes,
                                 NULL, &code);
    if (code != CL_SUCCESS) {
        *out = NULL;
        opencl_give_back(b, lane->unit, (size_t)bytes);
    }
    return opencl_check(b, lane->unit, code, "clCreateBuffer", NULL);
}

/* Releases a buffer; returns its bytes. */
static size_t release_buffer(const opencl_program *p, cl_mem *buffer, int64_t bytes)
{
    if (!*buffer)
        return 0;
    p->base.owner->cl->clReleaseMemObject(*buffer);
    *buffer = NULL;
    return (size_t)bytes;
}

static size_t release_buffers(opencl_lane *lane)
{
    const device_program *made = &lane->program->made;
    size_t bytes = release_buffer(lane->program, &lane->scratch, made->scratch_bytes)
                   + release_buffer(lane->program, &lane->spill, made->spill_bytes);

    for (int i = 0; i < OPENCL_SIDES; i++)
        bytes += release_buffer(lane->program, &lane->array[i].own,
                                device_side_bytes(&made->side[i / 2]));
    for (int side = 0; side < 2 && !opencl_takes_turns(lane->program); side++)
        bytes += release_buffer(lane->program, &lane->packed[side], made->packed_bytes[side]);
    for (int i = 0; lane->slice && i < made->ntables; i++)
        bytes += release_buffer(lane->program, &lane->slice[i],
                                (int64_t)opencl_slice_bytes(&made->table[i]));
    return bytes;
}

size_t opencl_drop_packed(const opencl_program *p, int unit)
{
    size_t bytes = 0;

    for (int side = 0; side < 2; side++)
        bytes += release_buffer(p, &p->built[unit].packed[side], p->made.packed_bytes[side]);
    return bytes;
}

size_t opencl_drop_idle(backend *b, int unit)
{
    size_t bytes = 0;

    for (const opencl_program *p = b->programs; p; p = p->next) {
        for (opencl_lane *lane = p->built[unit].idle; lane; lane = lane->next)
            bytes += release_buffers(lane);
        if (p->built[unit].busy == 0)
            bytes += opencl_drop_packed(p, unit);
    }
    return bytes;
}

sluice_status opencl_own_buffer(opencl_lane *lane, int array)
{
    opencl_array *a = &lane->array[array];

    return a->own ? SLUICE_OK
                  : make_buffer(lane, device_side_bytes(&lane->program->made.side[array / 2]),
                                "the memory budget", &a->own);
}

static sluice_status make_packed(const opencl_lane *lane, cl_mem packed[2])
{
    const int64_t *bytes = lane->program->made.packed_bytes;
    sluice_status status = SLUICE_OK;

    for (int side = 0; side < 2 && status == SLUICE_OK; side++)
        if (bytes[side] > 0 && !packed[side])
            status = make_buffer(lane, bytes[side], "the memory budget", &packed[side]);
    return status;
}

/* Makes the lane's packed buffers, or takes those that the unit's lanes share. */
static sluice_status own_packed(opencl_lane *lane)
{
    opencl_built *built = &lane->program->built[lane->unit];

    if (!opencl_takes_turns(lane->program))
        return make_packed(lane, lane->packed);
    pthread_mutex_lock(&built->turn);
    const sluice_status status = make_packed(lane, built->packed);
    memcpy((void *)lane->packed, (const void *)built->packed, sizeof lane->packed);
    pthread_mutex_unlock(&built->turn);
    return status;
}

/* Sets the table as an argument of each kernel that reads it. */
static sluice_status set_table(const opencl_lane *lane, int table, const cl_mem *buffer)
{
    const device_program *made = &lane->program->made;
    cl_int code = CL_SUCCESS;

    for (int k = 0; k < made->nkernels; k++)
        for (int a = 0; a < made->kernel[k].nargs && code == CL_SUCCESS; a++)
            if (made->kernel[k].arg[a].role == DEVICE_TABLE
                && made->kernel[k].arg[a].number == table)
                code = opencl_owner(lane)->cl->clSetKernelArg(lane->kernel[k], (cl_uint)a,
                                                              sizeof *buffer, buffer);
    return opencl_check(opencl_owner(lane), lane->unit, code, "clSetKernelArg", NULL);
}

/* Buffers for slices of tables that are not on the device as a whole. */
static sluice_status own_slices(opencl_lane *lane)
{
    const device_program *made = &lane->program->made;
    sluice_status status = SLUICE_OK;

    for (int i = 0; i < made->ntables && status == SLUICE_OK; i++) {
        if (made->table[i].slices <= 1 || lane->slice[i])
            continue;
        status = make_buffer(lane, (int64_t)opencl_slice_bytes(&made->table[i]),
                             "the memory budget", &lane->slice[i]);
        if (status == SLUICE_OK)
            status = set_table(lane, i, &lane->slice[i]);
        if (status != SLUICE_OK) /* the next block tries again */
            opencl_give_back(opencl_owner(lane), lane->unit,
                             release_buffer(lane->program, &lane->slice[i],
                                            (int64_t)opencl_slice_bytes(&made->table[i])));
    }
    return status;
}

sluice_status opencl_own_scratch(opencl_lane *lane)
{
    const device_program *made = &lane->program->made;
    sluice_status status = SLUICE_OK;

    if (made->scratch_bytes > 0 && !lane->scratch)
        status = make_buffer(lane, made->scratch_bytes, "the memory budget", &lane->scratch);
    if (status == SLUICE_OK && made->spill_bytes > 0 && !lane->spill)
        status = make_buffer(lane, made->spill_bytes, "the memory budget", &lane->spill);
    if (status == SLUICE_OK)
        status = own_slices(lane);
    return status == SLUICE_OK ? own_packed(lane) : status;
}

/* ---- arguments ---- */

static cl_int set_integer(const opencl_lane *lane, int kernel, int a, int64_t value)
{
    const device_program *made = &lane->program->made;
    const cl_long wide = value;
    const cl_int narrow = (cl_int)value;
    const bool is_wide = made->index_bytes == sizeof wide;

    return opencl_owner(lane)->cl->clSetKernelArg(lane->kernel[kernel], (cl_uint)a,
                                                  is_wide ? sizeof wide : sizeof narrow,
                                                  is_wide ? (const void *)&wide : &narrow);
}

static cl_int set_arg(const opencl_lane *lane, const device_walk *launch, int a,
                      const opencl_memory *memory)
{
    const opencl_calls *cl = opencl_owner(lane)->cl;
    const device_arg *arg = &lane->program->made.kernel[launch->kernel].arg[a];
    const cl_kernel kernel = lane->kernel[launch->kernel];

    if (arg->role == DEVICE_LOOP)
        return set_integer(lane, launch->kernel, a, launch->value[arg->number]);
    const cl_long *number = arg->role == DEVICE_OFFSET     ? &memory->offset[arg->number]
                            : arg->role == DEVICE_ELEMENTS ? &memory->elements[arg->number]
                            : arg->role == DEVICE_FIRST    ? &memory->first[arg->number]
                                                           : NULL;
    if (number)
        return cl->clSetKernelArg(kernel, (cl_uint)a, sizeof *number, number);
    return cl->clSetKernelArg(kernel, (cl_uint)a, sizeof(cl_mem), &memory->buffer[arg->role]);
}

cl_int opencl_set_args(const opencl_lane *lane, const device_walk *launch,
                       const opencl_memory *memory)
{
    const device_kernel *k = &lane->program->made.kernel[launch->kernel];
    cl_int code = CL_SUCCESS;

    for (int a = 0; a < k->nargs && code == CL_SUCCESS; a++)
        if (k->arg[a].role != DEVICE_TABLE)
            code = set_arg(lane, launch, a, memory);
    return code;
}

/* ---- lanes ---- */

static sluice_status make_kernels(opencl_lane *lane)
{
    const opencl_program *p = lane->program;
    const backend *b = p->base.owner;
    cl_int code = CL_SUCCESS;

    for (int k = 0; k < p->made.nkernels; k++) {
        lane->kernel[k] = b->cl->clCreateKernel(p->built[lane->unit].program,
                                                core_text_string(&p->made.kernel[k].name), &code);
        if (code != CL_SUCCESS) {
            lane->kernel[k] = NULL;
            return opencl_check(b, lane->unit, code, "clCreateKernel", NULL);
        }
        if (b->cl->give_local)
            code = b->cl->give_local(lane->kernel[k], (size_t)p->made.kernel[k].local_bytes);
        if (code != CL_SUCCESS)
            return opencl_check(b, lane->unit, code, "a kernel's local memory", NULL);
    }
    return SLUICE_OK;
}

/* Tables on the device are arguments that stay the same for all blocks. */
static sluice_status set_tables(const opencl_lane *lane)
{
    const cl_mem *table = lane->program->built[lane->unit].table;
    sluice_status status = SLUICE_OK;

    for (int i = 0; i < lane->program->made.ntables && status == SLUICE_OK; i++)
        status = table[i] ? set_table(lane, i, &table[i]) : SLUICE_OK;
    return status;
}

static sluice_status make_lane(const opencl_program *p, int unit, opencl_lane **out)
{
    opencl_lane *lane = core_calloc(1, sizeof *lane);
    sluice_status status = SLUICE_OK;

    *out = NULL;
    if (!lane)
        return SLUICE_E_MEMORY;
    lane->program = p;
    lane->unit = unit;
    lane->kernel = core_calloc((size_t)p->made.nkernels + 1, sizeof(cl_kernel));
    lane->slice = core_calloc((size_t)p->made.ntables + 1, sizeof(cl_mem));
    if (!lane->kernel || !lane->slice)
        status = SLUICE_E_MEMORY;
    if (status == SLUICE_OK)
        status = make_kernels(lane);
    if (status == SLUICE_OK)
        status = set_tables(lane);
    if (status == SLUICE_OK)
        *out = lane;
    else
        opencl_lane_free(lane);
    return status;
}

void opencl_lane_free(opencl_lane *lane)
{
    const opencl_program *p = lane->program;
    const opencl_calls *cl = p->base.owner->cl;

    for (int k = 0; lane->kernel && k < p->made.nkernels; k++)
        if (lane->kernel[k])
            cl->clReleaseKernel(lane->kernel[k]);
    for (int i = 0; i < OPENCL_SIDES; i++)
        core_aligned_free(lane->array[i].staged);
    opencl_give_back(p->base.owner, lane->unit, release_buffers(lane));
    core_free((void *)lane->kernel);
    core_free((void *)lane->slice);
    core_free(lane);
}

void opencl_lane_empty(opencl_lane *lane)
{
    opencl_give_back(opencl_owner(lane), lane->unit, release_buffers(lane));
}

sluice_status opencl_lane_take(const opencl_program *p, int unit, opencl_lane **out)
{
    backend *b = p->base.owner;
    opencl_built *built = &p->built[unit];

    pthread_mutex_lock(&b->lock);
    *out = built->idle;
    if (*out)
        built->idle = (*out)->next;
    built->busy++;
    pthread_mutex_unlock(&b->lock);
    const sluice_status status = *out ? SLUICE_OK : make_lane(p, unit, out);
    if (status != SLUICE_OK) {
        pthread_mutex_lock(&b->lock);
        built->busy--;
        pthread_mutex_unlock(&b->lock);
    }
    return status;
}

void opencl_lane_return(opencl_lane *lane)
{
    backend *b = lane->program->base.owner;
    opencl_built *built = &lane->program->built[lane->unit];

    pthread_mutex_lock(&b->lock);
    lane->next = built->idle;
    built->idle = lane;
    built->busy--;
    pthread_mutex_unlock(&b->lock);
}
