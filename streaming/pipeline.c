// SPDX-License-Identifier: BSD-3-Clause
/* One lock protects everything except the contents of slots, whose owner follows from the slot's
 * state. States change under the lock, so each owner sees the writes of the previous one. Blocks
 * take microseconds or more, so one lock and broadcasts are cheap enough. */
#include "streaming/pipeline.h"

#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"
#include "streaming/drive.h"

/* ---------------------------------------------------------------- waiting --------------- */

/* Waits under the lock; at == NULL: without limit. False after the deadline. */
static bool wait_until(stream_pipeline *p, pthread_cond_t *cond, const struct timespec *at)
{
    if (at == NULL)
        return pthread_cond_wait(cond, &p->lock) == 0;
    return pthread_cond_timedwait(cond, &p->lock, at) != ETIMEDOUT;
}

/* ---------------------------------------------------------------- open, close ----------- */

static bool open_sync(stream_pipeline *p)
{
    pthread_condattr_t clock;
    pthread_cond_t *const cond[] = {&p->slot_freed, &p->ready, &p->work};
    int made = 0;
    if (pthread_condattr_init(&clock) != 0)
        return false;
    if (pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0)
        while (made < 3 && pthread_cond_init(cond[made], &clock) == 0)
            made++;
    pthread_condattr_destroy(&clock);
    if (made == 3 && pthread_mutex_init(&p->lock, NULL) == 0)
        return true;
    while (made > 0)
        pthread_cond_destroy(cond[--made]);
    return false;
}

static void close_sync(stream_pipeline *p)
{
    pthread_cond_destroy(&p->slot_freed);
    pthread_cond_destroy(&p->ready);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

/* The most blocks that a team has in flight. If there are few slots, it leaves one to each other
 * team, and one to producer and consumer, since a longer queue would keep the other teams' queues
 * empty. */
static int depth_of(const stream_config *config, int i)
{
    const int others = config->schedule.teams - 1, depth = config->team[i].depth;
    const int left = config->slots - others - (others > 0);
    if (depth <= left)
        return depth;
    return left > 0 ? left : depth > 0;
}

/* A team on the calling thread has no queue of blocks in flight, and no other team can take over
 * its blocks. */
static bool open_driver(stream_pipeline *p, const stream_config *config, int i)
{
    stream_driver *d = &p->drivers[i];
    *d = (stream_driver){.pipeline = p, .team = config->team[i], .index = i};
    d->team.depth = p->on_caller ? 0 : depth_of(config, i);
    if (p->on_caller)
        d->team.is_alive = NULL;
    if (d->team.depth > 0)
        d->begun = core_calloc((size_t)d->team.depth, sizeof *d->begun);
    return d->team.depth == 0 || d->begun != NULL;
}

static bool copy_rates(stream_pipeline *p, const stream_schedule *schedule)
{
    const size_t bytes = (size_t)schedule->teams * sizeof *schedule->rate;
    p->schedule = *schedule;
    if (schedule->rate == NULL)
        return true;
    p->schedule.rate = p->rates = core_malloc(bytes);
    if (p->rates != NULL)
        memcpy(p->rates, schedule->rate, bytes);
    return p->rates != NULL;
}

static sluice_status open_drivers(stream_pipeline *p, const stream_config *config)
{
    p->teams_left = config->schedule.teams;
    if (!copy_rates(p, &config->schedule))
        return SLUICE_E_MEMORY;
    p->drivers = core_calloc((size_t)config->schedule.teams, sizeof *p->drivers);
    for (int i = 0; p->drivers != NULL && i < config->schedule.teams; i++)
        if (!open_driver(p, config, i))
            return SLUICE_E_MEMORY;
    return p->drivers != NULL ? SLUICE_OK : SLUICE_E_MEMORY;
}

static sluice_status start_drivers(stream_pipeline *p, sluice_diag *why)
{
    const int teams = p->on_caller ? 0 : p->schedule.teams;
    for (int i = 0; i < teams; i++) {
        stream_driver *d = &p->drivers[i];
        d->thread = d->team.threads->start(d->team.owner, stream_drive, d);
        if (d->thread == NULL)
            return core_fail(why, SLUICE_E_MEMORY, 0, "no thread to be had for team %d of %d", i,
                             teams);
        p->drivers_started++;
    }
    return SLUICE_OK;
}

static void close_drivers(stream_pipeline *p)
{
    for (int i = 0; p->drivers != NULL && i < p->schedule.teams; i++)
        core_free(p->drivers[i].begun);
    core_free(p->drivers);
    core_free(p->rates);
}

sluice_status stream_pipeline_open(stream_pipeline **out, const stream_config *config,
                                   sluice_diag *why)
{
    *out = NULL;
    sluice_status status = stream_schedule_check(&config->schedule, why);
    if (status != SLUICE_OK)
        return status;
    if (config->slots < 1)
        return core_fail(why, SLUICE_E_INVALID, 0, "a stream needs a slot, not %d", config->slots);
    stream_pipeline *p = core_calloc(1, sizeof *p);
    if (p == NULL)
        return core_fail_memory(why);
    p->mark = core_fork_open();
    if (p->mark == NULL || !open_sync(p)) {
        core_fork_close(p->mark);
        core_free(p);
        return core_fail_memory(why);
    }
    p->on_caller = config->on_caller;
    p->log = config->log;
    status = open_drivers(p, config);
    if (status == SLUICE_OK)
        status = stream_slots_open(&p->slots, config->slots, config->initial);
    if (status != SLUICE_OK)
        status = core_fail_memory(why);
    else
        status = start_drivers(p, why);
    if (status != SLUICE_OK) {
        stream_pipeline_close(p);
        return status;
    }
    *out = p;
    return SLUICE_OK;
}

/* In a forked child the lock may be held and there are no driver threads: both are left as they
 * are. */
void stream_pipeline_close(stream_pipeline *p)
{
    if (p == NULL)
        return;
    if (!core_forked(p->mark)) {
        (void)stream_pipeline_cancel(p, NULL);
        for (int i = 0; i < p->drivers_started; i++)
            p->drivers[i].team.threads->join(p->drivers[i].thread);
        close_sync(p);
    }
    stream_slots_close(&p->slots);
    core_fork_close(p->mark);
    close_drivers(p);
    core_free(p);
}

/* ---------------------------------------------------------------- callers --------------- */

/* Begins every call: acquires the lock, or fails with E_INVALID in a forked child. */
static sluice_status lock_pipeline(stream_pipeline *p, sluice_diag *why)
{
    if (core_forked(p->mark))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the stream was opened before fork: a child opens streams of its own");
    pthread_mutex_lock(&p->lock);
    return SLUICE_OK;
}

/* Calls `attempt` under the lock until it returns something other than AGAIN or the time is up. */
static sluice_status wait_for_result(stream_pipeline *p, pthread_cond_t *cond, int timeout_ms,
                                     sluice_slot **slot, sluice_diag *why,
                                     sluice_status (*attempt)(stream_pipeline *p,
                                                              sluice_slot **slot, sluice_diag *why))
{
    struct timespec deadline = {0};
    bool expired = timeout_ms == 0;
    *slot = NULL;
    sluice_status status = lock_pipeline(p, why);
    if (status != SLUICE_OK)
        return status;
    if (timeout_ms > 0)
        deadline = core_deadline(timeout_ms);
    status = attempt(p, slot, why);
    while (status == SLUICE_AGAIN && !expired) {
        expired = !wait_until(p, cond, timeout_ms < 0 ? NULL : &deadline);
        status = attempt(p, slot, why);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* OK while the pipeline accepts blocks, else the producer's failure. Under the lock. */
static sluice_status check_open(const stream_pipeline *p, sluice_diag *why)
{
    if (p->cancelled)
        return core_fail(why, SLUICE_E_CANCELLED, 0, "the stream was cancelled");
    if (p->finished)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the stream is finished: it takes no more blocks");
    return SLUICE_OK;
}

static sluice_status try_acquire(stream_pipeline *p, sluice_slot **slot, sluice_diag *why)
{
    const sluice_status status = check_open(p, why);
    if (status != SLUICE_OK)
        return status;
    stream_slot *free_slot = stream_slots_find_free(&p->slots);
    if (free_slot == NULL)
        return SLUICE_AGAIN;
    stream_slot_move(free_slot, SLOT_FREE, SLOT_FILLING);
    *slot = &free_slot->public_slot;
    return SLUICE_OK;
}

sluice_status stream_pipeline_acquire(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                      sluice_diag *why)
{
    return wait_for_result(p, &p->slot_freed, timeout_ms, slot, why, try_acquire);
}

static sluice_status submit_slot(stream_pipeline *p, sluice_slot *public_slot, sluice_diag *why)
{
    stream_slot *slot = stream_slots_find(&p->slots, public_slot);
    if (slot == NULL || slot->state != SLOT_FILLING)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the slot is not one that was acquired from this stream");
    sluice_status status = check_open(p, why);
    if (status == SLUICE_OK)
        status = stream_slot_check(slot, why);
    if (status == SLUICE_OK) {
        stream_slots_push(&p->slots, slot, p->submitted++);
        p->pending++;
        pthread_cond_broadcast(p->on_caller ? &p->ready : &p->work);
    }
    return status;
}

sluice_status stream_pipeline_submit(stream_pipeline *p, sluice_slot *public_slot, sluice_diag *why)
{
    sluice_status status = lock_pipeline(p, why);
    if (status != SLUICE_OK)
        return status;
    status = submit_slot(p, public_slot, why);
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Writes the reason of a block's failure. Cancelled blocks have not reached a team. */
static void explain_failure(const stream_pipeline *p, const sluice_slot *slot, sluice_diag *why)
{
    const stream_team *team = &p->drivers[0].team;
    if (slot->status == SLUICE_OK)
        return;
    if (slot->status != SLUICE_E_CANCELLED && team->explain != NULL)
        team->explain(team->user, slot, why);
    else
        (void)core_fail(why, slot->status, 0, "%s", core_strerror(slot->status));
}

static sluice_status try_reap(stream_pipeline *p, sluice_slot **slot, sluice_diag *why)
{
    if (p->slots.in_flight == 0)
        return p->finished ? SLUICE_END : SLUICE_AGAIN;
    if (p->on_caller)
        stream_drive_oldest(p);
    if (stream_slots_at(&p->slots, 0)->state != SLOT_DONE)
        return SLUICE_AGAIN;
    *slot = &stream_slots_pop(&p->slots)->public_slot;
    explain_failure(p, *slot, why);
    return SLUICE_OK;
}

sluice_status stream_pipeline_reap(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                   sluice_diag *why)
{
    return wait_for_result(p, &p->ready, timeout_ms, slot, why, try_reap);
}

sluice_status stream_pipeline_release(stream_pipeline *p, sluice_slot *public_slot,
                                      sluice_diag *why)
{
    sluice_status status = lock_pipeline(p, why);
    if (status != SLUICE_OK)
        return status;
    stream_slot *slot = stream_slots_find(&p->slots, public_slot);
    if (slot != NULL && (slot->state == SLOT_READING || slot->state == SLOT_FILLING)) {
        stream_slot_reset(slot);
        pthread_cond_broadcast(&p->slot_freed);
    } else {
        status = core_fail(why, SLUICE_E_INVALID, 0,
                           "the slot is not one that was acquired or reaped from this stream");
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Wakes all waiting threads. Under the lock. */
static void finish_locked(stream_pipeline *p)
{
    p->finished = true;
    pthread_cond_broadcast(&p->work);
    pthread_cond_broadcast(&p->slot_freed);
    pthread_cond_broadcast(&p->ready);
}

sluice_status stream_pipeline_finish(stream_pipeline *p, sluice_diag *why)
{
    const sluice_status status = lock_pipeline(p, why);
    if (status != SLUICE_OK)
        return status;
    finish_locked(p);
    pthread_mutex_unlock(&p->lock);
    return SLUICE_OK;
}

sluice_status stream_pipeline_cancel(stream_pipeline *p, sluice_diag *why)
{
    const sluice_status status = lock_pipeline(p, why);
    if (status != SLUICE_OK)
        return status;
    p->cancelled = true;
    for (int i = 0; i < p->slots.in_flight; i++) {
        stream_slot *slot = stream_slots_at(&p->slots, i);
        if (slot->state == SLOT_QUEUED) {
            slot->public_slot.status = SLUICE_E_CANCELLED;
            stream_slot_move(slot, SLOT_QUEUED, SLOT_DONE);
            p->pending--;
        }
    }
    finish_locked(p);
    pthread_mutex_unlock(&p->lock);
    return SLUICE_OK;
}

void stream_pipeline_totals(stream_pipeline *p, stream_totals *out)
{
    pthread_mutex_lock(&p->lock);
    *out = p->totals;
    pthread_mutex_unlock(&p->lock);
}
