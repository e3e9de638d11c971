// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_schedule.h"

#include "core/status.h"

enum { MAX_SLOTS = 64 };

typedef enum action { ACT_GET = 0, ACT_COMPUTE, ACT_PUT } action;

static const char *const act_name[] = {"get", "compute", "put"};

typedef struct slot {
    int64_t step; /* when it was last used, and by what */
    action by;
    int64_t block; /* what it holds; -1: nothing that is still needed */
} slot;

/* `act` uses a slot in step t. It must be alone there, and find in it either the block it wants
 * (the action before it left that) or nothing. */
static sluice_status use_slot(slot *s, const char *side, int64_t t, action act, int64_t block,
                              bool fill, sluice_diag *why)
{
    if (s->step == t)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "step %lld: %s %lld uses the %s buffer that %s uses at the same time",
                         (long long)t, act_name[act], (long long)block, side, act_name[s->by]);
    if (s->block != (fill ? -1 : block))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "step %lld: %s %lld finds block %lld in its %s buffer", (long long)t,
                         act_name[act], (long long)block, (long long)s->block, side);
    s->step = t;
    s->by = act;
    s->block = block;
    return SLUICE_OK;
}

static sluice_status run_step(slot *in, int in_slots, slot *out, int out_slots, int64_t s,
                              int64_t t, sluice_diag *why)
{
    bool in_place = out_slots == 0;
    int64_t k = t - 1;
    sluice_status status = SLUICE_OK;
    if (k >= 0) {
        slot *from = in_place ? &in[k % in_slots] : &out[k % out_slots];
        status = use_slot(from, in_place ? "input" : "output", t, ACT_PUT, k, false, why);
        from->block = -1;
    }
    if (status == SLUICE_OK && t >= 0 && t < s) {
        status = use_slot(&in[t % in_slots], "input", t, ACT_COMPUTE, t, false, why);
        if (status == SLUICE_OK && !in_place) {
            in[t % in_slots].block = -1;
            status = use_slot(&out[t % out_slots], "output", t, ACT_COMPUTE, t, true, why);
        }
    }
    if (status == SLUICE_OK && t + 1 < s)
        status = use_slot(&in[(t + 1) % in_slots], "input", t, ACT_GET, t + 1, true, why);
    return status;
}

sluice_status check_schedule(int64_t s, int in_slots, int out_slots, sluice_diag *why)
{
    slot in[MAX_SLOTS], out[MAX_SLOTS];
    if (s < 1 || in_slots < 1 || in_slots > MAX_SLOTS || out_slots < 0 || out_slots > MAX_SLOTS)
        return core_fail(why, SLUICE_E_INVALID, 0, "no such schedule");
    for (int i = 0; i < MAX_SLOTS; i++)
        in[i] = out[i] = (slot){.step = -2, .block = -1};
    sluice_status status = SLUICE_OK;
    for (int64_t t = -1; t <= s && status == SLUICE_OK; t++)
        status = run_step(in, in_slots, out, out_slots, s, t, why);
    return status;
}
