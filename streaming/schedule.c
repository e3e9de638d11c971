// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/schedule.h"

#include "core/status.h"

sluice_status stream_schedule_check(const stream_schedule *schedule, sluice_diag *why)
{
    if (schedule->teams < 1)
        return core_fail(why, SLUICE_E_INVALID, 0, "blocks cannot be distributed over %d teams",
                         schedule->teams);
    if (schedule->kind != STREAM_DYNAMIC && schedule->kind != STREAM_CYCLIC)
        return core_fail(why, SLUICE_E_INVALID, 0, "there is no schedule of kind %d",
                         (int)schedule->kind);
    for (int t = 0; schedule->rate != NULL && t < schedule->teams; t++)
        if (schedule->rate[t] < 1)
            return core_fail(why, SLUICE_E_INVALID, 0, "team %d has a rate of %d", t,
                             schedule->rate[t]);
    return SLUICE_OK;
}

/* The number of blocks of a round. */
static uint64_t round_length(const stream_schedule *schedule)
{
    uint64_t sum = 0;
    if (schedule->rate == NULL)
        return (uint64_t)schedule->teams;
    for (int t = 0; t < schedule->teams; t++)
        sum += (uint64_t)schedule->rate[t];
    return sum;
}

int stream_schedule_team(const stream_schedule *schedule, uint64_t k)
{
    int team = 0;
    if (schedule->kind == STREAM_DYNAMIC)
        return -1;
    uint64_t place = k % round_length(schedule);
    if (schedule->rate == NULL)
        return (int)place;
    while (place >= (uint64_t)schedule->rate[team])
        place -= (uint64_t)schedule->rate[team++];
    return team;
}
