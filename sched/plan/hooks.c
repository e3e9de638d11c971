// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/hooks.h"

#include <math.h>

#include "core/status.h"

static sluice_status check_reserved(const uintptr_t *reserved, sluice_diag *why)
{
    for (int i = 0; i < 8; i++)
        if (reserved[i])
            return core_fail(why, SLUICE_E_INVALID, 0, "the hooks' reserved fields must be zero");
    return SLUICE_OK;
}

/* What could not be meant. */
static sluice_status check_fields(const sluice_side_hooks *side, const char *name, sluice_diag *why)
{
    if ((int)side->storage < 0 || side->storage > SLUICE_STORE_I16)
        return core_fail(why, SLUICE_E_INVALID, 0, "hooks: %s.storage is out of range", name);
    if (!side->weight != !side->weight_rank || side->weight_rank < 0
        || side->weight_rank > SLUICE_MAX_RANK)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "hooks: %s.weight_rank is the number of axes that %s.weight has factors "
                         "for, 0 without it",
                         name, name);
    if (side->user && !side->call)
        return core_fail(why, SLUICE_E_INVALID, 0, "hooks: %s.user belongs to %s.call", name, name);
    return check_reserved(side->reserved, why);
}

static sluice_status check_side(const sluice_side_hooks *side, const char *name, sluice_diag *why)
{
    bool extent = false;
    const sluice_status status = check_fields(side, name, why);

    if (status != SLUICE_OK)
        return status;
    for (int d = 0; d < SLUICE_MAX_RANK; d++)
        extent = extent || side->extent[d];
    const struct {
        bool given;
        const char *field;
    } later[] = {{extent, "extent"},
                 {side->weight != NULL, "weight"},
                 {side->storage != SLUICE_STORE_SAME, "storage"},
                 {side->call != NULL, "call"},
                 {side->opencl != NULL, "opencl"}};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (later[i].given)
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "hooks: %s.%s is not in this version, which has scale", name,
                             later[i].field);
    return SLUICE_OK;
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
