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
    for (int t = 0; schedule->rate != NULL && t < schedule->teams; t++)
        if (schedule->rate[t] < 1)
            return core_fail(why, SLUICE_E_INVALID, 0, "team %d has a rate of %d", t,
                             schedule->rate[t]);
    return SLUICE_OK;
}

/* Shares of a round. */
static uint64_t shares(const stream_schedule *schedule)
{
    uint64_t sum = 0;
    if (schedule->rate == NULL)
        return (uint64_t)schedule->teams;
    for (int t = 0; t < schedule->teams; t++)
        sum += (uint64_t)schedule->rate[t];
    return sum;
}

/* The team of place `at` < total, if every team has a range of places in proportion to its rate. */
static int team_at(const stream_schedule *schedule, uint64_t at, uint64_t total)
{
    const uint64_t sum = shares(schedule);
    uint64_t below = 0;
    int team = 0;
    if (schedule->rate == NULL)
        return (int)(at * sum / total);
    while ((below += (uint64_t)schedule->rate[team]) * total <= at * sum)
        team++;
    return team;
}

int stream_schedule_team(const stream_schedule *schedule, uint64_t k)
{
    const uint64_t run = schedule->block == 0 ? 1 : schedule->block;
    switch (schedule->kind) {
    case STREAM_CYCLIC: {
        const uint64_t round = shares(schedule);
        return team_at(schedule, k / run % round, round);
    }
    case STREAM_STATIC:
        return k < schedule->total ? team_at(schedule, k, schedule->total) : schedule->teams - 1;
    case STREAM_DYNAMIC: break;
    }
    return -1;
}
