// SPDX-License-Identifier: BSD-3-Clause
/* Where a block computes: in the user's memory if the device shares it and the kernels touch
 * nothing but the block; else in buffers of the device's own. If these hold elements that are not
 * the block's, the output is copied back by way of staging memory. */
#include <string.h>

#include "backends/opencl/opencl_state.h"
#include "core/mem.h"

bool opencl_has_array(const opencl_lane *lane, int array)
{
    const device_program *made = &lane->program->made;
    const int side = array / 2;

    return (side == 1 || !made->in_place) && (array % 2 == 0 || made->side[side].split);
}

/* Do the kernels touch nothing but the block? If a block is not full, kernels of a formula may
 * touch more; kernels of hooks do not. */
static bool keeps_to_block(const opencl_lane *lane)
{
    const opencl_program *p = lane->program;
    const device_kernel *k = &p->made.kernel[0];
    const bool whole = k->by_count && (size_t)k->groups * lane->count % lane->full == 0;
    const bool hooked = opencl_hook_of(p, 0) && opencl_hook_of(p, 1);

    return lane->count == lane->full
           || ((whole || hooked) && lane->span[0].from == 0 && lane->span[1].from == 0);
}

static bool may_share(const opencl_lane *lane)
{
    const backend *b = opencl_owner(lane);
    bool may = opencl_shares(b) && !lane->carry.get && keeps_to_block(lane);

    for (int i = 0; i < OPENCL_SIDES; i++)
        if (opencl_has_array(lane, i))
            may = may && (uintptr_t)lane->array[i].user % lane->program->alignment[i / 2] == 0;
    return may;
}

/* The user's memory as a buffer, for this block alone: the user may free or write that memory when
 * the block is done, and a buffer that lived longer would not see it on a device with caches. */
static sluice_status share_array(opencl_lane *lane, int array)
{
    const backend *b = opencl_owner(lane);
    opencl_array *a = &lane->array[array];
    cl_int code;

    a->shared =
        b->cl->clCreateBuffer(b->unit[lane->unit].context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                              lane->span[array / 2].bytes, a->user, &code);
    if (code != CL_SUCCESS)
        a->shared = NULL;
    return opencl_check(b, lane->unit, code, "clCreateBuffer", NULL);
}

void opencl_drop_memory(opencl_lane *lane)
{
    for (int i = 0; i < OPENCL_SIDES; i++) {
        opencl_array *a = &lane->array[i];
        if (a->shared)
            opencl_owner(lane)->cl->clReleaseMemObject(a->shared);
        a->shared = NULL;
    }
}

static sluice_status stage_array(opencl_lane *lane, int array)
{
    opencl_array *a = &lane->array[array];

    if (!a->staged)
        a->staged = core_aligned_alloc((size_t)device_side_bytes(&lane->program->made.side[1]));
    return a->staged ? SLUICE_OK : SLUICE_E_MEMORY;
}

sluice_status opencl_get_memory(opencl_lane *lane)
{
    opencl_memory *m = &lane->memory;
    sluice_status status = opencl_own_scratch(lane);

    m->buffer[DEVICE_SCRATCH] = lane->scratch;
    m->buffer[DEVICE_SPILL] = lane->spill;
    m->buffer[DEVICE_IN_PACKED] = lane->packed[0];
    m->buffer[DEVICE_OUT_PACKED] = lane->packed[1];
    opencl_count_elements(lane->program, lane->count, lane->full, lane->transform, m);
    for (int i = 0; i < OPENCL_SIDES && status == SLUICE_OK; i++) {
        if (!opencl_has_array(lane, i))
            continue;
        status = lane->shares ? share_array(lane, i) : opencl_own_buffer(lane, i);
        m->buffer[i] = lane->shares ? lane->array[i].shared : lane->array[i].own;
        if (status == SLUICE_OK && lane->stages && i >= DEVICE_OUT)
            status = stage_array(lane, i);
    }
    return status;
}

/* The lowest byte of a side's array that the plan touches. */
static char *first_byte(const device_side *s, const void *user)
{
    return (char *)(uintptr_t)user + s->low * (int64_t)s->element_bytes;
}

void opencl_set_block(opencl_lane *lane, const backend_block *block)
{
    const device_program *made = &lane->program->made;
    const sluice_arrays *a = &block->arrays;
    const void *const user[OPENCL_SIDES] = {a->in, a->in_im, a->out, a->out_im};

    for (int side = 0; side < 2 && (lane->count != block->count || lane->full != block->full);
         side++)
        lane->span[side] = opencl_span_of(lane->program, side, block->count, block->full);
    lane->count = block->count;
    lane->full = block->full;
    lane->transform = a->reserved[PROG_ARRAYS_FIRST];
    lane->iteration = block->iteration;
    lane->carry = block->carry;
    lane->status = SLUICE_OK;
    memset((void *)lane->first, 0, sizeof lane->first);
    memset((void *)lane->last, 0, sizeof lane->last);
    for (int i = 0; i < OPENCL_SIDES; i++)
        lane->array[i].user =
            opencl_has_array(lane, i) ? first_byte(&made->side[i / 2], user[i]) : NULL;
    lane->shares = may_share(lane);
    lane->stages = !lane->shares && !lane->span[1].dense;
}
