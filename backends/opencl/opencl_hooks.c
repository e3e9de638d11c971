// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of plans as kernels of the device. It takes a hook if it has the hook's numbers, and if the
 * hook's function, if any, is there as text. The host applies all other hooks. */
#include <string.h>

#include "backends/opencl/opencl_state.h"
#include "core/status.h"
#include "spl/emit/device_hooks.h"

const prog_hook *opencl_hook_of(const opencl_program *p, int side)
{
    return p->base.takes_hook[side] ? p->body->sides.hook[side] : NULL;
}

/* A user's OpenCL C may mention what NVIDIA's compiler of CUDA C++ does not know. */
static bool can_take(const backend *b, const prog_hook *h)
{
    return (h->storage != SLUICE_STORE_F64 || b->about.has_f64)
           && (!h->call || (h->opencl && !b->config.driver));
}

/* A device that does not report a number reports 0. */
static int64_t known(int64_t count)
{
    return count > 0 ? count : 1;
}

sluice_status opencl_take_hooks(opencl_program *p, sluice_diag *why)
{
    const backend *b = p->base.owner;
    const prog_hook *const *all = p->body->sides.hook;
    const prog_hook *taken[2] = {NULL, NULL};
    const device_hooks_how how = {.items = b->has_codelets ? 1 : known(opencl_items(b)),
                                  .groups = known(opencl_groups(b)),
                                  .offsets = true};

    for (int side = 0; side < 2; side++)
        if (all[side] && can_take(b, all[side]))
            taken[side] = all[side];
    for (int side = 0; side < 2; side++)
        if (taken[side] && taken[side]->in_place && !taken[1 - side])
            taken[side] = NULL;
    if (!taken[0] && !taken[1])
        return SLUICE_OK;
    for (int side = 0; side < 2; side++) {
        p->base.takes_hook[side] = taken[side] ? BACKEND_HOOK_KERNEL : BACKEND_HOOK_OUTSIDE;
        if (taken[side])
            p->alignment[side] = prog_storage_bytes(taken[side]->storage);
    }
    return device_hooks_add(&p->made, taken, &how, why);
}

void opencl_count_elements(const opencl_program *p, size_t count, size_t full, size_t transform,
                           opencl_memory *out)
{
    for (int side = 0; side < 2; side++) {
        const prog_hook *h = opencl_hook_of(p, side);
        out->elements[side] = h ? h->elements / (int64_t)full * (int64_t)count : 0;
        out->first[side] = h ? h->each * (int64_t)transform : 0;
    }
}

sluice_status opencl_blame_hooks(const opencl_program *p, const char *log, sluice_diag *why)
{
    for (int side = 0; side < 2; side++) {
        const prog_hook *h = opencl_hook_of(p, side);
        const char *const at = h && h->call ? strstr(log, device_hooks_text_name(side)) : NULL;
        if (at)
            return core_fail(why, SLUICE_E_INVALID, 0, "hooks: %s does not compile: %.160s",
                             device_hooks_text_name(side), at);
    }
    return SLUICE_OK;
}
