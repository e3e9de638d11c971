// SPDX-License-Identifier: BSD-3-Clause
/* One lock protects everything except the contents of slots, whose owner follows from the slot's
 * state. States change under the lock, so each owner sees the writes of the previous one. Blocks
 * take microseconds or more, so one lock and broadcasts are cheap enough. */
#include "streaming/pipeline.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "core/clock.h"
#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"
#include "streaming/slots.h"

typedef struct driver {
    stream_pipeline *pipeline;
    stream_team team;
    int index;
    backend_thread *thread;
} driver;

struct stream_pipeline {
    core_fork *mark;      /* marks the process that owns the threads */
    pthread_mutex_t lock; /* protects the fields below except on_caller, log, drivers[] */
    pthread_cond_t
        slot_freed;       /* a slot became free, or no more will become free (producer waits) */
    pthread_cond_t ready; /* the oldest block is done, or no more will come   (consumer waits)  */
    pthread_cond_t work;  /* a block was queued, or no more will come         (drivers wait)    */
    stream_slots slots;
    uint64_t submitted;
    bool finished, cancelled;
    stream_totals totals;
    stream_schedule schedule;
    bool on_caller;
    const core_log *log;
    int drivers_started;
    driver *drivers;
};

/* ---------------------------------------------------------------- waiting --------------- */

/* Waits under the lock; at == NULL: without limit. False after the deadline. */
static bool wait_until(stream_pipeline *p, pthread_cond_t *cond, const struct timespec *at)
{
    if (at == NULL)
        return pthread_cond_wait(cond, &p->lock) == 0;
    return pthread_cond_timedwait(cond, &p->lock, at) != ETIMEDOUT;
}

/* ---------------------------------------------------------------- drivers --------------- */

/* The oldest queued block that `team` may compute, or NULL. Under the lock. */
static stream_slot *queued_for(const stream_pipeline *p, int team)
{
    for (int i = 0; i < p->slots.in_flight; i++) {
        stream_slot *slot = stream_slots_at(&p->slots, i);
        if (slot->state != SLOT_QUEUED)
            continue;
        const int owner = stream_schedule_team(&p->schedule, slot->block);
        if (owner < 0 || owner == team)
            return slot;
    }
    return NULL;
}

/* Waits for a block; NULL: there will be no more. Under the lock. */
static stream_slot *next_block(stream_pipeline *p, int team)
{
    stream_slot *slot;
    while ((slot = queued_for(p, team)) == NULL && !p->finished)
        pthread_cond_wait(&p->work, &p->lock);
    if (slot != NULL)
        stream_slot_move(slot, SLOT_QUEUED, SLOT_COMPUTING);
    return slot;
}

static sluice_status timed_call(const driver *d, stream_team_call *call, sluice_slot *slot,
                                double *seconds)
{
    if (call == NULL)
        return SLUICE_OK;
    const double start = core_seconds();
    const sluice_status status = call(d->team.user, d->index, slot);
    assert(status <= 0);
    *seconds += core_seconds() - start;
    return status;
}

/* Computes one block, without the lock: the team owns the slot. */
static stream_totals run_block(const driver *d, stream_slot *slot)
{
    stream_totals took = {0};
    sluice_slot *s = &slot->public_slot;
    sluice_status status = timed_call(d, d->team.get, s, &took.get_seconds);
    if (status == SLUICE_OK)
        status = timed_call(d, d->team.compute, s, &took.compute_seconds);
    if (status == SLUICE_OK)
        status = timed_call(d, d->team.put, s, &took.put_seconds);
    s->status = status;
    if (status == SLUICE_OK) {
        took.blocks = 1;
        took.count = s->count;
    }
    if (d->pipeline->log != NULL)
        core_log_line(d->pipeline->log, CORE_LOG_STREAM,
                      "block,%llu,team,%d,count,%zu,status,%d,get_s,%.3g,compute_s,%.3g,put_s,%.3g",
                      (unsigned long long)slot->block, d->index, s->count, (int)status,
                      took.get_seconds, took.compute_seconds, took.put_seconds);
    return took;
}

static void add_totals(stream_totals *sum, const stream_totals *took)
{
    sum->blocks += took->blocks;
    sum->count += took->count;
    sum->get_seconds += took->get_seconds;
    sum->compute_seconds += took->compute_seconds;
    sum->put_seconds += took->put_seconds;
}

/* Computes a block and moves it from COMPUTING to DONE. Called with the lock, which is released
 * meanwhile. */
static void complete_block(const driver *d, stream_slot *slot)
{
    stream_pipeline *p = d->pipeline;
    pthread_mutex_unlock(&p->lock);
    const stream_totals took = run_block(d, slot);
    pthread_mutex_lock(&p->lock);
    add_totals(&p->totals, &took);
    stream_slot_move(slot, SLOT_COMPUTING, SLOT_DONE);
    if (slot == stream_slots_at(&p->slots, 0))
        pthread_cond_broadcast(&p->ready);
}

static void run_driver(void *arg)
{
    const driver *d = arg;
    stream_pipeline *p = d->pipeline;
    stream_slot *slot;
    pthread_mutex_lock(&p->lock);
    while ((slot = next_block(p, d->index)) != NULL)
        complete_block(d, slot);
    pthread_mutex_unlock(&p->lock);
}

/* Computes the oldest block on the consumer's thread. Under the lock. */
static void compute_oldest(stream_pipeline *p)
{
    stream_slot *slot = stream_slots_at(&p->slots, 0);
    if (slot->state != SLOT_QUEUED)
        return;
    const int team = stream_schedule_team(&p->schedule, slot->block);
    stream_slot_move(slot, SLOT_QUEUED, SLOT_COMPUTING);
    complete_block(&p->drivers[team < 0 ? 0 : team], slot);
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

static sluice_status start_drivers(stream_pipeline *p, const stream_config *config,
                                   sluice_diag *why)
{
    for (int i = 0; i < config->schedule.teams; i++) {
        driver *d = &p->drivers[i];
        *d = (driver){.pipeline = p, .team = config->team[i], .index = i};
        if (p->on_caller)
            continue;
        d->thread = d->team.threads->start(d->team.owner, run_driver, d);
        if (d->thread == NULL)
            return core_fail(why, SLUICE_E_MEMORY, 0, "no thread to be had for team %d of %d", i,
                             config->schedule.teams);
        p->drivers_started++;
    }
    return SLUICE_OK;
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
    p->schedule = config->schedule;
    p->on_caller = config->on_caller;
    p->log = config->log;
    p->drivers = core_calloc((size_t)config->schedule.teams, sizeof *p->drivers);
    if (p->drivers != NULL)
        status = stream_slots_open(&p->slots, config->slots, config->initial);
    if (p->drivers == NULL || status != SLUICE_OK)
        status = core_fail_memory(why);
    else
        status = start_drivers(p, config, why);
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
    core_free(p->drivers);
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

/* Writes the reason of a block's failure; cancelled blocks have not reached a team. */
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
        compute_oldest(p);
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
