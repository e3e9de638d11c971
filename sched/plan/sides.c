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
    /* NaNs reveal outputs that the plan does not write. */
    for (int part = 2; part < 4; part++)
        if (s->block[part])
            memset(s->block[part], 0xFF, plan->bytes_before[1] + plan->bytes_from[1]);
}

sched_side sched_side_of(const sluice_plan *plan, int side)
{
    const sluice_problem *p = &plan->problem;
    sched_side s = {.batch_rank = p->batch_rank,
                    .dims = sched_problem_dims(p),
                    .cyclic = sched_problem_cyclic(p, side),
                    .points = sched_problem_points(p),
                    .storage = sched_plan_storage(plan, side),
                    .scalars = (ptrdiff_t)sched_side_scalars(p, side),
                    .split = sched_side_split(p, side),
                    .output = side == 1};

    for (int d = 0; d < s.dims; d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        s.n[d] = sched_problem_extent(p, d, side);
        s.stride[d] = side ? dim.out_stride : dim.in_stride;
    }
    return s;
}

void sched_side_get(const sched_side *s, const sluice_arrays *arrays, ptrdiff_t at,
                    long double *out)
{
    const char *re = s->output ? arrays->out : arrays->in;
    const char *im = s->output ? arrays->out_im : arrays->in_im;

    out[0] = prog_storage_get(re, s->storage, s->split ? at : s->scalars * at);
    out[1] = s->scalars == 1 ? 0
             : s->split      ? prog_storage_get(im, s->storage, at)
                             : prog_storage_get(re, s->storage, s->scalars * at + 1);
}

void sched_side_put(const sched_side *s, const sluice_arrays *arrays, ptrdiff_t at, const double *x)
{
    char *re = s->output ? arrays->out : (char *)(uintptr_t)arrays->in;
    char *im = s->output ? arrays->out_im : (char *)(uintptr_t)arrays->in_im;

    prog_storage_put(re, s->storage, s->split ? at : s->scalars * at, x[0]);
    if (s->split)
        prog_storage_put(im, s->storage, at, x[1]);
    else if (s->scalars > 1)
        prog_storage_put(re, s->storage, s->scalars * at + 1, x[1]);
}

/* Offset of the index-th of n elements in block-cyclic order: n / parts elements for each part
 * before its own, and a block for each earlier round. */
static ptrdiff_t cyclic_offset(sluice_cyclic c, size_t n, size_t index)
{
    const size_t number = index / c.block, part = number % c.parts, round = number / c.parts;

    return (ptrdiff_t)(part * (n / c.parts) + round * c.block + index % c.block);
}

ptrdiff_t sched_side_offset(const sched_side *s, int first, int last, size_t index)
{
    ptrdiff_t at = 0;

    if (s->cyclic.parts && last > s->batch_rank)
        return cyclic_offset(s->cyclic, s->points, index);
    for (int d = last - 1; d >= first; d--) {
        at += (ptrdiff_t)(index % s->n[d]) * s->stride[d];
        index /= s->n[d];
    }
    return at;
}
