// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/phase.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/mem.h"
#include "core/status.h"

typedef struct phase_run {
    const stream_phase *phase;
    /* The next block of a DYNAMIC deal. Relaxed: it hands out numbers and orders nothing else. */
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
    uint64_t from; /* where to look for this team's next block */
    size_t full;   /* the count that slots come with */
    backend_thread *thread;
} phase_team;

/* Remembers the first failure only. */
static sluice_status note(phase_run *run, sluice_status status, const sluice_diag *why)
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

static bool take(phase_team *t, uint64_t *k)
{
    phase_run *run = t->run;
    const stream_deal *deal = &run->phase->deal;
    if (atomic_load_explicit(&run->failed, memory_order_relaxed))
        return false;
    if (deal->kind == STREAM_DYNAMIC) {
        *k = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        return *k < deal->total;
    }
    if (!stream_deal_next(deal, t->index, t->from, k))
        return false;
    t->from = *k + 1;
    return true;
}

static sluice_status verb(phase_team *t, stream_verb *what, const char *name, uint64_t k,
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
    return note(t->run, status, &why);
}

static sluice_status get(phase_team *t, uint64_t k, sluice_slot *slot)
{
    const stream_phase *phase = t->run->phase;
    sluice_diag why = {0};
    sluice_status status = phase->feed->get(phase->feed->self, k, slot, &why);
    if (status > 0)
        status = core_fail(&why, SLUICE_E_INVALID, 0, "the feed %s block %llu of %llu",
                           status == SLUICE_END ? "ended before" : "is not ready for",
                           (unsigned long long)k, (unsigned long long)phase->deal.total);
    if (note(t->run, status, &why) != SLUICE_OK)
        return status;
    return verb(t, phase->team[t->index].get, "get", k, slot);
}

static sluice_status put(phase_team *t, uint64_t k, sluice_slot *slot)
{
    const stream_phase *phase = t->run->phase;
    sluice_diag why = {0};
    sluice_status status = verb(t, phase->team[t->index].put, "put", k, slot);
    if (status != SLUICE_OK)
        return status;
    status = phase->feed->put(phase->feed->self, k, slot, &why);
    slot->count = t->full;
    return note(t->run, status, &why);
}

/* i counts this team's blocks: block k is the i-th, in slot i mod d; `next` is the (i+1)-th. */
static void run_team(void *arg)
{
    phase_team *t = arg;
    const stream_phase *phase = t->run->phase;
    const uint64_t d = (uint64_t)phase->slots;
    sluice_slot *slot = phase->slot + (size_t)t->index * d;
    uint64_t last = 0, k, next = 0;
    bool have = take(t, &k) && get(t, k, &slot[0]) == SLUICE_OK;
    for (uint64_t i = 0; have; i++) {
        sluice_slot *now = &slot[i % d], *ahead = &slot[(i + 1) % d];
        if (d > 1 && i > 0 && put(t, last, &slot[(i - 1) % d]) != SLUICE_OK)
            return;
        bool more = d > 1 && take(t, &next);
        if (more && get(t, next, ahead) != SLUICE_OK)
            return;
        if (verb(t, phase->team[t->index].compute, "compute", k, now) != SLUICE_OK)
            return;
        if (!more && put(t, k, now) != SLUICE_OK)
            return;
        if (d == 1)
            more = take(t, &next) && get(t, next, now) == SLUICE_OK;
        last = k;
        k = next;
        have = more;
    }
}

/* Team 0 is the caller's, as are those that found no thread. */
static void run_teams(phase_team *team, int count)
{
    const stream_team *verbs = team->run->phase->team;
    for (int i = 1; i < count; i++)
        team[i].thread = verbs[i].threads->start(verbs[i].owner, run_team, &team[i]);
    for (int i = 0; i < count; i++)
        if (team[i].thread == NULL)
            run_team(&team[i]);
    for (int i = 1; i < count; i++)
        if (team[i].thread != NULL)
            verbs[i].threads->join(team[i].thread);
}

sluice_status stream_run_phase(const stream_phase *phase, sluice_diag *why)
{
    phase_run run = {.phase = phase, .why = why};
    phase_team alone, *team = &alone; /* one team allocates nothing */
    const int count = phase->deal.teams;
    const sluice_status status = stream_deal_check(&phase->deal, why);
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
        run_teams(team, count);
        pthread_mutex_destroy(&run.lock);
    }
    if (count > 1)
        core_free(team);
    return run.status;
}
