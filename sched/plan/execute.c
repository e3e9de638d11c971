// SPDX-License-Identifier: BSD-3-Clause
/* Executions: pointers checked, then one indirect call. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/hooks.h"
#include "sched/plan/plan.h"
#include "sched/plan/sides.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"

/* Are the two sides disjoint or, in place, the same? */
static bool sides_are_placed_right(const sluice_plan *plan, const void *in, const void *out)
{
    return ((uintptr_t)out - (uintptr_t)in + plan->overlap_offset < plan->overlap_span)
           == plan->in_place;
}

sluice_status sched_plan_transform(const sluice_plan *plan, const void *in, void *out)
{
    if (!in || !out || (((uintptr_t)in | (uintptr_t)out) & plan->misaligned_mask[0])
        || !sides_are_placed_right(plan, in, out))
        return SLUICE_E_INVALID;
    if (plan->execution->run_pair)
        return plan->execution->run_pair(plan->execution, in, out, plan->workers);
    const sluice_arrays arrays = {.in = in, .out = out};
    return plan->execution->run(plan->execution, &arrays, NULL, plan->workers);
}

/* Describes which distances of the sides mean that they touch the same bytes, see sluice_plan. */
typedef struct overlap {
    uintptr_t offset, span;
} overlap;

/* Compares pointers as numbers. im must be NULL for a side that is not split; then it counts as
 * equal to the other pointer. There are few branches, since a short transform spends a good part of
 * its time here. */
static inline bool arguments_are_valid(const sluice_plan *plan, const sluice_arrays *a, overlap o)
{
    const uintptr_t in = (uintptr_t)a->in, out = (uintptr_t)a->out;
    const uintptr_t given_in = (uintptr_t)a->in_im, given_out = (uintptr_t)a->out_im;
    const uintptr_t in_im = given_in | (in & plan->im_absent_mask[0]);
    const uintptr_t out_im = given_out | (out & plan->im_absent_mask[1]);

    if (((in | given_in | out | given_out) & plan->misaligned_mask[1])
        | (given_in & plan->im_absent_mask[0]) | (given_out & plan->im_absent_mask[1]))
        return false;
    if (out == given_out)
        return false; /* both pointers are the same, or NULL */
    if (plan->in_place)
        return in && in_im && in == out && in_im == out_im;
    const uintptr_t end = out + o.offset, end_im = out_im + o.offset;
    return end - in >= o.span && end - in_im >= o.span && end_im - in >= o.span
           && end_im - in_im >= o.span && in && in_im && out && out_im;
}

sluice_status sched_plan_execute(const sluice_plan *plan, const sluice_arrays *arrays, void *work)
{
    if (!arguments_are_valid(plan, arrays, (overlap){plan->overlap_offset, plan->overlap_span})
        || ((uintptr_t)work & 63))
        return SLUICE_E_INVALID;
    return plan->execution->run(plan->execution, arrays, work, plan->workers);
}

/* ---- blocks of streams ---- */

size_t sched_plan_count(const sluice_plan *plan)
{
    return plan->problem.batch_rank ? plan->problem.batch[0].n : 1;
}

void sched_plan_block(const sluice_plan *plan, sched_block *out)
{
    const sluice_problem *p = &plan->problem;

    *out = (sched_block){.count = sched_plan_count(plan),
                         .in_bytes = plan->bytes_before[0] + plan->bytes_from[0],
                         .in_origin = plan->bytes_before[0],
                         .out_origin = plan->bytes_before[1]};
    out->in_im_bytes = sched_side_split(p, 0) ? out->in_bytes : 0;
    if (plan->in_place)
        return;
    out->out_bytes = plan->bytes_before[1] + plan->bytes_from[1];
    out->out_im_bytes = sched_side_split(p, 1) ? out->out_bytes : 0;
}

/* Are transforms of reals interleaved on a side? Then they are moved together, or are columns of a
 * block. */
static bool are_interleaved(const sluice_problem *p)
{
    const sluice_dim batch = sched_problem_dim(p, 0);
    const sluice_dim last = sched_problem_dim(p, sched_problem_dims(p) - 1);

    return !sched_all_dft(p)
           && (labs(batch.in_stride) < labs(last.in_stride)
               || labs(batch.out_stride) < labs(last.out_stride));
}

sluice_status sched_plan_item(sluice_plan **out, const sluice_plan *plan, sluice_diag *why)
{
    sluice_problem p = plan->problem;

    *out = NULL;
    if (p.batch_rank == 0 || p.batch[0].n == 1)
        return SLUICE_OK;
    /* A formula of the user's runs whole blocks only. A block may also compute its batch as
     * columns, move it in blocks, or use a tree that does not apply to a single transform; then no
     * plan for one item has the same bits. */
    if (!plan->tree || !plan->candidates->natural || plan->tree->packed_sides
        || are_interleaved(&p))
        return SLUICE_OK;
    for (int d = 0; d < sched_problem_dims(&p); d++)
        *sched_mutable_dim(&p, d) = sched_problem_dim(&plan->problem, d);
    const sched_plan_request request = {.mode = plan->mode,
                                        .tree = plan->tree,
                                        .batch_scale = p.batch[0].n,
                                        .costs_from = plan,
                                        .hooks_scale = plan->hooks_scale,
                                        .hooks = sched_plan_hooks(plan),
                                        .reproducible = plan->reproducible};
    p.batch[0] = (sluice_dim){.n = 1};
    const sluice_status status = sched_plan_build(out, plan->machine, &p, &request, why);
    if (status == SLUICE_OK && !sched_tree_equal((*out)->tree, plan->tree)) {
        sched_plan_destroy(*out);
        *out = NULL;
    }
    return status;
}

static void *offset_pointer(const void *base, ptrdiff_t bytes)
{
    return base ? (char *)(uintptr_t)base + bytes : NULL;
}

sluice_arrays sched_plan_arrays_at(const sluice_plan *plan, const sluice_arrays *a, size_t k)
{
    const sluice_dim batch = sched_problem_dim(&plan->problem, 0);
    const size_t bytes[2] = {sched_plan_element_bytes(plan, 0), sched_plan_element_bytes(plan, 1)};
    const ptrdiff_t in = (ptrdiff_t)k * batch.in_stride * (ptrdiff_t)bytes[0];
    const ptrdiff_t out = (ptrdiff_t)k * batch.out_stride * (ptrdiff_t)bytes[1];

    return (sluice_arrays){.in = offset_pointer(a->in, in),
                           .in_im = offset_pointer(a->in_im, in),
                           .out = offset_pointer(a->out, out),
                           .out_im = offset_pointer(a->out_im, out)};
}

/* The overlap of `count` transforms of the slowest batch dimension. */
static overlap overlap_of(const sluice_plan *plan, size_t count)
{
    size_t before[2], after[2];

    if (plan->in_place || count == sched_plan_count(plan))
        return (overlap){plan->overlap_offset, plan->overlap_span};
    const sluice_dim batch = sched_problem_dim(&plan->problem, 0);
    for (int side = 0; side < 2; side++) {
        const ptrdiff_t stride = side ? batch.out_stride : batch.in_stride;
        const size_t step = (size_t)(stride < 0 ? -stride : stride);
        const size_t missing = (batch.n - count) * step * sched_plan_element_bytes(plan, side);
        before[side] = plan->bytes_before[side] - (stride < 0 ? missing : 0);
        after[side] = plan->bytes_from[side] - (stride < 0 ? 0 : missing);
    }
    const uintptr_t offset = before[0] + after[1] - 1;
    return (overlap){offset, offset + before[1] + after[0]};
}

/* Is element i of the packed side within the hooks' extents? */
static bool is_present(const sluice_plan *plan, int side, size_t i)
{
    const sluice_hooks *hooks = sched_plan_hooks(plan);
    const sluice_problem *p = &plan->problem;
    bool present = true;

    for (int axis = p->rank - 1; hooks && axis >= 0; axis--) {
        const size_t extent = (side ? &hooks->out : &hooks->in)->extent[axis];
        const size_t n = sched_problem_extent(p, p->batch_rank + axis, side);
        present = present && (!extent || i % n < extent);
        i /= n;
    }
    return present;
}

/* Copies the elements of `count` transforms of the slowest batch dimension from one side to the
 * same side of other arrays, as they are stored. */
static void copy_transforms(const sluice_plan *plan, size_t count, int side,
                            const sluice_arrays *from, const sluice_arrays *to)
{
    const sched_side s = sched_side_of(plan, side);
    const size_t bytes = sched_plan_element_bytes(plan, side);
    const char *re = side ? from->out : from->in, *im = side ? from->out_im : from->in_im;
    char *to_re = side ? to->out : (char *)(uintptr_t)to->in;
    char *to_im = side ? to->out_im : (char *)(uintptr_t)to->in_im;
    size_t elements = count;

    for (int d = 1; d < s.dims; d++)
        elements *= s.n[d];
    for (size_t i = 0; i < elements; i++) {
        if (!is_present(plan, side, i))
            continue;
        const ptrdiff_t at = sched_side_offset(&s, 0, s.dims, i) * (ptrdiff_t)bytes;
        memcpy(to_re + at, re + at, bytes);
        if (s.split)
            memcpy(to_im + at, im + at, bytes);
    }
}

/* Runs a short block inside a full one in the library's own memory. */
static sluice_status run_padded(const sluice_plan *plan, const sluice_arrays *a, size_t count,
                                int workers, size_t first)
{
    sched_sides whole;

    sluice_status status = sched_sides_open(&whole, plan, 0, NULL);
    if (status != SLUICE_OK)
        return status;
    copy_transforms(plan, count, 0, a, &whole.arrays);
    whole.arrays.reserved[PROG_ARRAYS_SEEN] = count;
    status = sched_plan_run(plan, &whole.arrays, NULL, workers, first);
    if (status == SLUICE_OK)
        copy_transforms(plan, count, 1, &whole.arrays, a);
    sched_sides_close(&whole);
    return status;
}

static sluice_arrays arrays_of(const sluice_slot *slot)
{
    return (sluice_arrays){
        .in = slot->in, .in_im = slot->in_im, .out = slot->out, .out_im = slot->out_im};
}

/* Counts a block at the unit's gate; false: it would have to wait. */
static bool enter_unit(const sluice_plan *plan, int unit, bool may_wait)
{
    if (!may_wait)
        return sched_gate_try(plan->machine->gate, unit);
    sched_gate_enter(plan->machine->gate, unit);
    return true;
}

sluice_status sched_plan_begin_block(const sluice_plan *plan, const sluice_slot *slot, size_t first,
                                     int unit, bool may_wait, backend_ticket **out)
{
    backend_block block = {.arrays = arrays_of(slot),
                           .count = slot->count,
                           .full = sched_plan_count(plan),
                           .unit = unit};

    block.arrays.reserved[PROG_ARRAYS_FIRST] = first;

    if (!arguments_are_valid(plan, &block.arrays, overlap_of(plan, slot->count)))
        return SLUICE_E_INVALID;
    if (block.count != block.full && !plan->tree)
        return SLUICE_E_UNSUPPORTED;
    if (!enter_unit(plan, unit, may_wait))
        return SLUICE_AGAIN;
    const sluice_status status = plan->program->table->team->begin(plan->program, &block, out);
    if (status != SLUICE_OK)
        sched_gate_leave(plan->machine->gate, unit);
    return status;
}

sluice_status sched_plan_finish_block(const sluice_plan *plan, int unit, backend_ticket *ticket,
                                      backend_legs *seconds)
{
    const sluice_status status = plan->program->table->team->finish(ticket, seconds);

    sched_gate_leave(plan->machine->gate, unit);
    return status;
}

sluice_status sched_plan_run_block(const sluice_plan *plan, const sluice_plan *item,
                                   const sluice_slot *slot, size_t first, int workers)
{
    const sluice_arrays a = arrays_of(slot);

    if (!arguments_are_valid(plan, &a, overlap_of(plan, slot->count)))
        return SLUICE_E_INVALID;
    if (slot->count == sched_plan_count(plan))
        return sched_plan_run(plan, &a, NULL, workers, first);
    if (!item)
        return plan->tree || plan->mode == BACKEND_BLOCKS
                   ? run_padded(plan, &a, slot->count, workers, first)
                   : SLUICE_E_UNSUPPORTED;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < slot->count && status == SLUICE_OK; i++) {
        const sluice_arrays one = sched_plan_arrays_at(plan, &a, i);
        status = sched_plan_run(item, &one, NULL, workers, first + i);
    }
    return status;
}

/* ---- on the caller's objects ---- */

sluice_status sched_plan_run_native(const sluice_plan *plan, const void *run, sluice_diag *why)
{
    const backend_table *table = plan->machine->table;

    if (!table->team->run_native)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "the plan is for units of kind %s, not for a device of the caller's",
                         table->name);
    if (sched_hooks_copy(plan))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "the plan has hooks that the host applies, not the device");
    if (plan->mode == BACKEND_BLOCKS)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "the plan moves blocks between the host's memory and the device's");
    return table->team->run_native(plan->program, run, why);
}

size_t sched_plan_native_work_bytes(const sluice_plan *plan)
{
    const backend_team *team = plan->program->table->team;

    return team->native_work_bytes ? team->native_work_bytes(plan->program) : 0;
}
