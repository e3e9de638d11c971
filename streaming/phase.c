// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/phase.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/mem.h"
#include "core/status.h"

typedef struct phase_run {
    const stream_phase *phase;
    /* The next block of a DYNAMIC schedule. Relaxed: only the number is shared. */
    _Atomic uint64_t next;
    /* Set (relaxed) under `lock` with the first failure; read (relaxed) by teams only to stop
     * early: the failure itself is read after their threads were joined. */
    atomic_bool failed;
    pthread_mutex_t lock; /* protects status and why */
    sluice_status status;
    sluice_diag *why;
} phase_run;

typedef struct phase_team {
    phase_run *run;
    int index;
    uint64_t from; /* first block that may be this team's next */
    size_t full;   /* full count of a slot */
    backend_thread *thread;
} phase_team;

/* Records the first failure only. */
static sluice_status record_failure(phase_run *run, sluice_status status, const sluice_diag *why)
{
    if (status == SLUICE_OK)
        return status;
    pthread_mutex_lock(&run->lock);
    if (run->status == SLUICE_OK) {
        run->status = status;
        if (run->why != NULL)
            *run->why = *why;
        atomic_store_explicit(&run->failed, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&run->lock);
    return status;
}

static bool claim_block(phase_team *t, uint64_t *k)
{
    phase_run *run = t->run;
    const stream_schedule *schedule = &run->phase->schedule;
    if (atomic_load_explicit(&run->failed, memory_order_relaxed))
        return false;
    if (schedule->kind == STREAM_DYNAMIC) {
        *k = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        return *k < schedule->total;
    }
    if (!stream_schedule_next(schedule, t->index, t->from, k))
        return false;
    t->from = *k + 1;
    return true;
}

static sluice_status call_team(phase_team *t, stream_team_call *what, const char *name, uint64_t k,
                               sluice_slot *slot)
{
    const stream_team *team = &t->run->phase->team[t->index];
    sluice_diag why;
    if (what == NULL)
        return SLUICE_OK;
    sluice_status status = what(team->user, t->index, slot);
    if (status == SLUICE_OK)
        return SLUICE_OK;
    status = core_fail(&why, status, 0, "team %d failed to %s block %llu: %s", t->index, name,
                       (unsigned long long)k, core_strerror(status));
    return record_failure(t->run, status, &why);
}

static sluice_status get_block(phase_team *t, uint64_t k, sluice_slot *slot)
{
    const stream_phase *phase = t->run->phase;
    sluice_diag why = {0};
    sluice_status status = phase->feed->get(phase->feed->self, k, slot, &why);
    if (status > 0)
        status = core_fail(&why, SLUICE_E_INVALID, 0, "the feed %s block %llu of %llu",
                           status == SLUICE_END ? "ended before" : "is not ready for",
                           (unsigned long long)k, (unsigned long long)phase->schedule.total);
    if (record_failure(t->run, status, &why) != SLUICE_OK)
        return status;
    return call_team(t, phase->team[t->index].get, "get", k, slot);
}

static sluice_status put_block(phase_team *t, uint64_t k, sluice_slot *slot)
{
    const stream_phase *phase = t->run->phase;
    sluice_diag why = {0};
    sluice_status status = call_team(t, phase->team[t->index].put, "put", k, slot);
    if (status != SLUICE_OK)
        return status;
    status = phase->feed->put(phase->feed->self, k, slot, &why);
    slot->count = t->full;
    return record_failure(t->run, status, &why);
}

/* i counts this team's blocks: block k is the i-th, in slot i mod d; `next` is the (i+1)-th. */
static void run_phase_team(void *arg)
{
    phase_team *t = arg;
    const stream_phase *phase = t->run->phase;
    const uint64_t d = (uint64_t)phase->slots;
    sluice_slot *slot = phase->slot + (size_t)t->index * d;
    uint64_t last = 0, k, next = 0;
    bool have = claim_block(t, &k) && get_block(t, k, &slot[0]) == SLUICE_OK;
    for (uint64_t i = 0; have; i++) {
        sluice_slot *slot_now = &slot[i % d], *next_slot = &slot[(i + 1) % d];
        if (d > 1 && i > 0 && put_block(t, last, &slot[(i - 1) % d]) != SLUICE_OK)
            return;
        bool more = d > 1 && claim_block(t, &next);
        if (more && get_block(t, next, next_slot) != SLUICE_OK)
            return;
        if (call_team(t, phase->team[t->index].compute, "compute", k, slot_now) != SLUICE_OK)
            return;
        if (!more && put_block(t, k, slot_now) != SLUICE_OK)
            return;
        if (d == 1)
            more = claim_block(t, &next) && get_block(t, next, slot_now) == SLUICE_OK;
        last = k;
        k = next;
        have = more;
    }
}

/* The caller runs team 0 and the teams for which no thread could be started. */
static void run_phase_teams(phase_team *team, int count)
{
    const stream_team *teams = team->run->phase->team;
    for (int i = 1; i < count; i++)
        team[i].thread = teams[i].threads->start(teams[i].owner, run_phase_team, &team[i]);
    for (int i = 0; i < count; i++)
        if (team[i].thread == NULL)
            run_phase_team(&team[i]);
    for (int i = 1; i < count; i++)
        if (team[i].thread != NULL)
            teams[i].threads->join(team[i].thread);
}

sluice_status stream_run_phase(const stream_phase *phase, sluice_diag *why)
{
    phase_run run = {.phase = phase, .why = why};
    phase_team alone, *team = &alone; /* a single team needs no allocation */
    const int count = phase->schedule.teams;
    const sluice_status status = stream_schedule_check(&phase->schedule, why);
    if (status != SLUICE_OK)
        return status;
    if (phase->slots < 1)
        return core_fail(why, SLUICE_E_INVALID, 0, "a phase needs a slot, not %d", phase->slots);
    if (count > 1 && (team = core_malloc((size_t)count * sizeof *team)) == NULL)
        return core_fail_memory(why);
    if (pthread_mutex_init(&run.lock, NULL) != 0) {
        run.status = core_fail_memory(why);
    } else {
        for (int i = 0; i < count; i++)
            team[i] = (phase_team){.run = &run,
                                   .index = i,
                                   .full = phase->slot[(size_t)i * (size_t)phase->slots].count};
        run_phase_teams(team, count);
        pthread_mutex_destroy(&run.lock);
    }
    if (count > 1)
        core_free(team);
    return run.status;
}
