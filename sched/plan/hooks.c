// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/hooks.h"

#include <math.h>

#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/problem/problem.h"

static sluice_status check_reserved(const uintptr_t *reserved, sluice_diag *why)
{
    for (int i = 0; i < 8; i++)
        if (reserved[i])
            return core_fail(why, SLUICE_E_INVALID, 0, "the hooks' reserved fields must be zero");
    return SLUICE_OK;
}

/* Refuses contradictory hooks. */
static sluice_status check_side(const sluice_side_hooks *side, const char *name, sluice_diag *why)
{
    if ((int)side->storage < 0 || side->storage > SLUICE_STORE_F16)
        return core_fail(why, SLUICE_E_INVALID, 0, "hooks: %s.storage is out of range", name);
    if (!side->weight != !side->weight_rank || side->weight_rank < 0
        || side->weight_rank > SLUICE_MAX_RANK)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "hooks: %s.weight_rank is the number of axes that %s.weight has factors "
                         "for, 0 without it",
                         name, name);
    if (side->user && !side->call)
        return core_fail(why, SLUICE_E_INVALID, 0, "hooks: %s.user belongs to %s.call", name, name);
    if (side->opencl && !side->call)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "hooks: %s.opencl says what %s.call does: it needs that function", name,
                         name);
    return check_reserved(side->reserved, why);
}

sluice_status sched_hooks_check(const sluice_hooks *hooks, sluice_diag *why)
{
    if (!hooks)
        return SLUICE_OK;
    if (!isfinite(hooks->scale))
        return core_fail(why, SLUICE_E_INVALID, 0, "hooks: scale is not a finite number");
    sluice_status status = check_reserved(hooks->reserved, why);
    if (status == SLUICE_OK)
        status = check_side(&hooks->in, "in", why);
    return status == SLUICE_OK ? check_side(&hooks->out, "out", why) : status;
}

double sched_hooks_scale(const sluice_hooks *hooks)
{
    return hooks && hooks->scale != 0 ? hooks->scale : 1;
}

static bool has_extents(const sluice_side_hooks *side)
{
    bool any = false;

    for (int d = 0; d < SLUICE_MAX_RANK; d++)
        any = any || side->extent[d];
    return any;
}

static bool is_on(const sluice_side_hooks *side)
{
    return has_extents(side) || side->weight || side->storage != SLUICE_STORE_SAME || side->call;
}

bool sched_hooks_sides(const sluice_hooks *hooks)
{
    return hooks && (is_on(&hooks->in) || is_on(&hooks->out));
}

bool sched_hooks_call(const sluice_hooks *hooks)
{
    return hooks && (hooks->in.call || hooks->out.call);
}

/* In place the two sides are one array, so both have hooks or none. */
static bool side_is_on(const sluice_hooks *hooks, const sluice_problem *p, int side)
{
    return p->in_place ? sched_hooks_sides(hooks) : is_on(side ? &hooks->out : &hooks->in);
}

sluice_problem sched_hooks_core(const sluice_problem *problem, const sluice_hooks *hooks)
{
    sluice_problem p = *problem;

    if (!sched_hooks_sides(hooks))
        return p;
    for (int side = 0; side < 2; side++) {
        if (!side_is_on(hooks, problem, side))
            continue;
        sluice_layout *const layout = side ? &p.out_layout : &p.in_layout;
        *layout = *layout == SLUICE_SPLIT ? SLUICE_INTERLEAVED : *layout;
        *(side ? &p.out_cyclic : &p.in_cyclic) = (sluice_cyclic){0, 0};
        for (int d = 0; d < p.rank; d++)
            *(side ? &p.dim[d].out_stride : &p.dim[d].in_stride) = 0;
        for (int d = 0; d < p.batch_rank; d++)
            *(side ? &p.batch[d].out_stride : &p.batch[d].in_stride) = 0;
    }
    p.in_place = false;
    return p;
}

/* ---- of a problem ---- */

static sluice_status check_extents(const sluice_side_hooks *h, const sluice_problem *p, int side,
                                   sluice_diag *why)
{
    const char *const name = side ? "out" : "in";

    if (has_extents(h) && sched_problem_cyclic(p, side).parts)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "hooks: %s.extent goes with natural order, not with block-cyclic", name);
    for (int d = 0; d < SLUICE_MAX_RANK; d++) {
        const size_t n = d < p->rank ? sched_problem_extent(p, p->batch_rank + d, side) : 0;
        if (h->extent[d] > n)
            return core_fail(why, SLUICE_E_INVALID, 0,
                             "hooks: %s.extent[%d] is %zu, axis %d has %zu elements", name, d,
                             h->extent[d], d, n);
    }
    return SLUICE_OK;
}

static sluice_status check_of_problem(const sluice_hooks *hooks, const sluice_problem *p,
                                      sluice_diag *why)
{
    sluice_status status = SLUICE_OK;

    for (int side = 0; side < 2 && status == SLUICE_OK; side++) {
        const sluice_side_hooks *h = side ? &hooks->out : &hooks->in;
        if (h->weight_rank > p->rank)
            return core_fail(why, SLUICE_E_INVALID, 0,
                             "hooks: %s.weight_rank is %d, the problem has %d axes",
                             side ? "out" : "in", h->weight_rank, p->rank);
        status = check_extents(h, p, side, why);
    }
    if (status == SLUICE_OK && p->in_place && hooks->in.storage != hooks->out.storage)
        status = core_fail(why, SLUICE_E_INVALID, 0,
                           "hooks: in place both sides are one array, of one storage");
    return status;
}

/* Block-cyclic order: rounds of parts of blocks. */
static void add_cyclic_dims(prog_hook *h, sluice_cyclic c, int64_t n)
{
    const int64_t block = (int64_t)c.block, parts = (int64_t)c.parts, rounds = n / (block * parts);

    h->dim[h->dims++] = (prog_hook_dim){rounds, rounds, (ptrdiff_t)block};
    h->dim[h->dims++] = (prog_hook_dim){parts, parts, (ptrdiff_t)(n / parts)};
    h->dim[h->dims++] = (prog_hook_dim){block, block, 1};
}

static void add_dims(prog_hook *h, const sluice_side_hooks *s, const sluice_problem *p, int side)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        const int64_t n = (int64_t)sched_problem_extent(p, d, side);
        const size_t given = d < p->batch_rank ? 0 : s->extent[d - p->batch_rank];
        h->dim[h->dims++] =
            (prog_hook_dim){n, given ? (int64_t)given : n, side ? dim.out_stride : dim.in_stride};
    }
}

static void set_shape(sched_hooked *all, const sluice_problem *p, int side)
{
    prog_hook *h = &all->side[side];
    const sluice_side_hooks *s = side ? &all->spec.out : &all->spec.in;
    const sluice_storage same = prog_storage_of(p->precision);
    const sluice_cyclic cyclic = sched_problem_cyclic(p, side);
    const size_t batch = p->batch_rank ? p->batch[0].n : 1;
    int64_t low, high;

    *h = (prog_hook){.elements = (int64_t)(sched_side_elements(p, side) * sched_problem_batch(p)),
                     .scalars = (int)sched_side_scalars(p, side),
                     .split = sched_side_split(p, side),
                     .precision = p->precision,
                     .storage = s->storage == SLUICE_STORE_SAME ? same : s->storage,
                     .call = s->call,
                     .user = s->user,
                     .opencl = s->opencl,
                     .in_place = p->in_place};
    h->split = h->split && h->scalars == 2;
    h->each = h->elements / (int64_t)batch;
    if (cyclic.parts)
        add_cyclic_dims(h, cyclic, h->elements);
    else
        add_dims(h, s, p, side);
    prog_hook_reach(h, &low, &high);
    const size_t scalar = prog_storage_bytes(h->storage);
    const size_t element = scalar * (h->split ? 1 : (size_t)h->scalars);
    all->before[side] = (size_t)-low * element;
    all->from[side] = ((size_t)high + 1) * element;
    all->packed[side] = (size_t)h->elements * (size_t)h->scalars * prog_storage_bytes(same);
    prog_hook_merge(h);
}

/* Copies text that the caller may free, since other plans are made from the same hooks. */
static bool copy_text(sched_hooked *all, int side)
{
    sluice_side_hooks *s = side ? &all->spec.out : &all->spec.in;

    if (!s->opencl)
        return true;
    const size_t bytes = strlen(s->opencl) + 1;
    char *const own = core_malloc(bytes);
    if (own)
        memcpy(own, s->opencl, bytes);
    s->opencl = all->side[side].opencl = own;
    return own != NULL;
}

/* Keeps the weights twice: as given, and in the program's precision, one for each scalar, for
 * multiplication of vectors. */
static bool copy_weights(sched_hooked *all, const sluice_problem *p, int side)
{
    sluice_side_hooks *s = side ? &all->spec.out : &all->spec.in;
    prog_hook *h = &all->side[side];
    size_t count = 1;

    if (!s->weight)
        return true;
    for (int d = p->rank - s->weight_rank; d < p->rank; d++)
        count *= sched_problem_extent(p, p->batch_rank + d, side);
    const size_t scalars = count * (size_t)h->scalars;
    double *given = core_malloc(count * sizeof *given);
    void *own = core_aligned_alloc(scalars * prog_storage_bytes(SLUICE_STORE_F64));
    if (given)
        memcpy(given, s->weight, count * sizeof *given);
    for (size_t i = 0; given && own && i < scalars; i++)
        prog_storage_put(own, prog_storage_of(p->precision), (ptrdiff_t)i,
                         given[i / (size_t)h->scalars]);
    s->weight = given;
    h->weight = own;
    h->weights = (int64_t)scalars;
    return given && own;
}

sched_hooked *sched_hooks_open(const sluice_hooks *hooks, const sluice_problem *p,
                               sluice_status *status, sluice_diag *why)
{
    *status = SLUICE_OK;
    if (!sched_hooks_sides(hooks))
        return NULL;
    *status = check_of_problem(hooks, p, why);
    if (*status != SLUICE_OK)
        return NULL;
    sched_hooked *all = core_calloc(1, sizeof *all);
    bool made = all != NULL;
    if (made)
        all->spec = *hooks;
    for (int side = 0; side < 2 && all; side++) {
        all->on[side] = side_is_on(hooks, p, side);
        set_shape(all, p, side);
        made = copy_weights(all, p, side) && made;
        made = copy_text(all, side) && made;
    }
    if (made)
        return all;
    sched_hooks_close(all);
    *status = core_fail_memory(why);
    return NULL;
}

sluice_storage sched_plan_storage(const sluice_plan *plan, int side)
{
    if (plan->hooked)
        return plan->hooked->side[side].storage;
    return prog_storage_of(plan->problem.precision);
}

size_t sched_plan_element_bytes(const sluice_plan *plan, int side)
{
    const size_t scalar = prog_storage_bytes(sched_plan_storage(plan, side));

    return plan->split[side] ? scalar : scalar * sched_side_scalars(&plan->problem, side);
}

size_t sched_plan_min_scalar(const sluice_plan *plan)
{
    size_t min = sched_scalar_bytes(&plan->problem);

    for (int side = 0; side < 2 && plan->hooked; side++) {
        const size_t bytes = prog_storage_bytes(plan->hooked->side[side].storage);
        min = bytes < min ? bytes : min;
    }
    return min;
}

const sluice_hooks *sched_plan_hooks(const sluice_plan *plan)
{
    return plan->hooked ? &plan->hooked->spec : NULL;
}

void sched_hooks_close(sched_hooked *all)
{
    for (int side = 0; side < 2 && all; side++) {
        const sluice_side_hooks *s = side ? &all->spec.out : &all->spec.in;
        core_free((void *)(uintptr_t)s->weight);
        core_free((void *)(uintptr_t)s->opencl);
        core_aligned_free((void *)(uintptr_t)all->side[side].weight);
    }
    core_free(all);
}
