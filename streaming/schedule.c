// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/schedule.h"

#include "core/status.h"

sluice_status stream_schedule_check(const stream_schedule *schedule, sluice_diag *why)
{
    if (schedule->teams < 1)
        return core_fail(why, SLUICE_E_INVALID, 0, "blocks cannot be distributed over %d teams",
                         schedule->teams);
    if (schedule->kind != STREAM_DYNAMIC && schedule->kind != STREAM_CYCLIC
        && schedule->kind != STREAM_STATIC)
        return core_fail(why, SLUICE_E_INVALID, 0, "there is no schedule of kind %d",
                         (int)schedule->kind);
    return SLUICE_OK;
}

/* total = q T + r: the first r teams have q + 1 blocks, the others q. */
static int static_team(const stream_schedule *schedule, uint64_t k)
{
    const uint64_t teams = (uint64_t)schedule->teams;
    const uint64_t q = schedule->total / teams, r = schedule->total % teams;
    if (k >= schedule->total)
        return schedule->teams - 1;
    if (k < r * (q + 1))
        return (int)(k / (q + 1));
    return (int)(r + (k - r * (q + 1)) / q); /* q > 0: with q = 0 every k < total = r is above */
}

int stream_schedule_team(const stream_schedule *schedule, uint64_t k)
{
    const uint64_t run = schedule->block == 0 ? 1 : schedule->block;
    switch (schedule->kind) {
    case STREAM_CYCLIC: return (int)(k / run % (uint64_t)schedule->teams);
    case STREAM_STATIC: return static_team(schedule, k);
    case STREAM_DYNAMIC: break;
    }
    return -1;
}
