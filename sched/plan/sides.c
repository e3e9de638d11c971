// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/sides.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/hooks.h"
#include "sched/problem/problem.h"

/* ---- memory ---- */

static void *allocate_zeroed(size_t bytes)
{
    void *block = core_aligned_alloc(bytes);

    if (block)
        memset(block, 0, bytes);
    return block;
}

sluice_status sched_sides_open(sched_sides *s, const sluice_plan *plan, size_t slack,
                               sluice_diag *why)
{
    memset(s, 0, sizeof *s);
    for (int side = 0; side < 2; side++) {
        const sluice_layout layout = side ? plan->problem.out_layout : plan->problem.in_layout;
        const int parts = layout == SLUICE_SPLIT ? 2 : 1;
        for (int part = 0; part < parts && !(side == 1 && plan->in_place); part++) {
            void *block =
                allocate_zeroed(plan->bytes_before[side] + plan->bytes_from[side] + slack);
            if (!block) {
                sched_sides_close(s);
                return core_fail_memory(why);
            }
            s->block[2 * side + part] = block;
        }
    }
    sched_sides_move(s, plan, 0, 0);
    return SLUICE_OK;
}

void sched_sides_move(sched_sides *s, const sluice_plan *plan, size_t in, size_t out)
{
    char *const *block = (char *const *)s->block;
    const size_t from[2] = {plan->bytes_before[0] + in, plan->bytes_before[1] + out};

    s->arrays.in = block[0] + from[0];
    s->arrays.in_im = block[1] ? block[1] + from[0] : NULL;
    if (plan->in_place) {
        s->arrays.out = block[0] + from[0];
        s->arrays.out_im = block[1] ? block[1] + from[0] : NULL;
    } else {
        s->arrays.out = block[2] + from[1];
        s->arrays.out_im = block[3] ? block[3] + from[1] : NULL;
    }
}

void sched_sides_close(sched_sides *s)
{
    for (int i = 0; i < 4; i++)
        core_aligned_free(s->block[i]);
}

/* ---- elements ---- */

/* xorshift64*: Vigna 2016. */
double sched_sides_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(int64_t)(*state * 0x2545F4914F6CDD1Dull) / 9223372036854775808.0;
}

void sched_sides_fill(const sched_sides *s, const sluice_plan *plan, uint64_t seed)
{
    const sluice_storage storage = sched_plan_storage(plan, 0);
    const size_t bytes = plan->bytes_before[0] + plan->bytes_from[0];
    uint64_t state = seed;

    for (int part = 0; part < 2; part++) {
        char *block = s->block[part];
        for (size_t i = 0; block && i < bytes / prog_storage_bytes(storage); i++)
            prog_storage_put(block, storage, (ptrdiff_t)i, sched_sides_random(&state));
    }
    /* NaN: outputs that the plan does not write are found. */
    for (int part = 2; part < 4; part++)
        if (s->block[part])
            memset(s->block[part], 0xFF, plan->bytes_before[1] + plan->bytes_from[1]);
}

void sched_sides_get(const sluice_plan *plan, const sluice_arrays *arrays, int side, ptrdiff_t at,
                     long double *out)
{
    const sluice_problem *p = &plan->problem;
    const sluice_storage storage = sched_plan_storage(plan, side);
    const ptrdiff_t scalars = (ptrdiff_t)sched_side_scalars(p, side);
    const bool split = sched_side_split(p, side);
    const char *re = side ? arrays->out : arrays->in;
    const char *im = side ? arrays->out_im : arrays->in_im;

    out[0] = prog_storage_get(re, storage, split ? at : scalars * at);
    out[1] = scalars == 1 ? 0
             : split      ? prog_storage_get(im, storage, at)
                          : prog_storage_get(re, storage, scalars * at + 1);
}

void sched_sides_put(const sluice_plan *plan, const sluice_arrays *arrays, int side, ptrdiff_t at,
                     const double *x)
{
    const sluice_problem *p = &plan->problem;
    const sluice_storage storage = sched_plan_storage(plan, side);
    const ptrdiff_t scalars = (ptrdiff_t)sched_side_scalars(p, side);
    const bool split = sched_side_split(p, side);
    char *re = side ? arrays->out : (char *)(uintptr_t)arrays->in;
    char *im = side ? arrays->out_im : (char *)(uintptr_t)arrays->in_im;

    prog_storage_put(re, storage, split ? at : scalars * at, x[0]);
    if (split)
        prog_storage_put(im, storage, at, x[1]);
    else if (scalars > 1)
        prog_storage_put(re, storage, scalars * at + 1, x[1]);
}

static ptrdiff_t stride_of(const sluice_dim *d, int side)
{
    return side ? d->out_stride : d->in_stride;
}

/* Offset of the index-th of n elements in block-cyclic order: n / parts elements of each part
 * before its own, and a block of each earlier round. */
static ptrdiff_t cyclic_offset(sluice_cyclic c, size_t n, size_t index)
{
    const size_t number = index / c.block, part = number % c.parts, round = number / c.parts;

    return (ptrdiff_t)(part * (n / c.parts) + round * c.block + index % c.block);
}

ptrdiff_t sched_sides_offset(const sluice_problem *p, int first, int last, size_t index, int side)
{
    const sluice_cyclic cyclic = sched_problem_cyclic(p, side);
    ptrdiff_t at = 0;

    if (cyclic.parts && last > p->batch_rank)
        return cyclic_offset(cyclic, sched_problem_points(p), index);
    for (int d = last - 1; d >= first; d--) {
        const sluice_dim dim = sched_problem_dim(p, d);
        const size_t n = sched_problem_extent(p, d, side);
        at += (ptrdiff_t)(index % n) * stride_of(&dim, side);
        index /= n;
    }
    return at;
}
