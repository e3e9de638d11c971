// SPDX-License-Identifier: BSD-3-Clause
/* One lock guards everything but the contents of slots, which belong to whoever the slot's state
 * says; a state changes under the lock, so what one holder wrote the next one sees. Blocks are
 * large (microseconds and up), so one lock and broadcasts are cheap enough. */
#include "streaming/pipeline.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

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
    core_fork *mark;      /* of the process whose threads drive it */
    pthread_mutex_t lock; /* protects all that follows except what open fixes: on_caller, log,
                           * drivers[] */
    pthread_cond_t room;  /* a slot became free, or no more will be given     (producer waits)  */
    pthread_cond_t ready; /* the oldest block is done, or no more will come   (consumer waits)  */
    pthread_cond_t work;  /* a block was queued, or no more will come         (drivers wait)    */
    stream_slots slots;
    uint64_t submitted;
    bool finished, cancelled;
    stream_totals totals;
    stream_deal deal;
    bool on_caller;
    const core_log *log;
    int drivers_started;
    driver *drivers;
};

/* ---------------------------------------------------------------- waiting --------------- */

static struct timespec deadline_after(int ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

/* Waits under the lock; at == NULL: for ever. False once the time is up. */
static bool wait_until(stream_pipeline *p, pthread_cond_t *cond, const struct timespec *at)
{
    if (at == NULL)
        return pthread_cond_wait(cond, &p->lock) == 0;
    return pthread_cond_timedwait(cond, &p->lock, at) != ETIMEDOUT;
}

/* ---------------------------------------------------------------- drivers --------------- */

/* The oldest queued block that `team` may take, or NULL. Under the lock. */
static stream_slot *queued_for(const stream_pipeline *p, int team)
{
    for (int i = 0; i < p->slots.flying; i++) {
        stream_slot *slot = stream_slots_at(&p->slots, i);
        if (slot->state != SLOT_QUEUED)
            continue;
        const int owner = stream_deal_team(&p->deal, slot->block);
        if (owner < 0 || owner == team)
            return slot;
    }
    return NULL;
}

/* Waits for a block; NULL: none will come any more. Under the lock. */
static stream_slot *next_block(stream_pipeline *p, int team)
{
    stream_slot *slot;
    while ((slot = queued_for(p, team)) == NULL && !p->finished)
        pthread_cond_wait(&p->work, &p->lock);
    if (slot != NULL)
        stream_slot_move(slot, SLOT_QUEUED, SLOT_COMPUTING);
    return slot;
}

static sluice_status timed_verb(const driver *d, stream_verb *verb, sluice_slot *slot,
                                double *seconds)
{
    if (verb == NULL)
        return SLUICE_OK;
    const double start = core_seconds();
    const sluice_status status = verb(d->team.user, d->index, slot);
    assert(status <= 0);
    *seconds += core_seconds() - start;
    return status;
}

/* Runs one block, without the lock: the slot is this team's. */
static stream_totals run_block(const driver *d, stream_slot *slot)
{
    stream_totals took = {0};
    sluice_slot *s = &slot->shown;
    sluice_status status = timed_verb(d, d->team.get, s, &took.get_seconds);
    if (status == SLUICE_OK)
        status = timed_verb(d, d->team.compute, s, &took.compute_seconds);
    if (status == SLUICE_OK)
        status = timed_verb(d, d->team.put, s, &took.put_seconds);
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

/* A block that is COMPUTING becomes DONE. Under the lock, which is open meanwhile. */
static void compute_block(const driver *d, stream_slot *slot)
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

static void drive(void *arg)
{
    const driver *d = arg;
    stream_pipeline *p = d->pipeline;
    stream_slot *slot;
    pthread_mutex_lock(&p->lock);
    while ((slot = next_block(p, d->index)) != NULL)
        compute_block(d, slot);
    pthread_mutex_unlock(&p->lock);
}

/* The oldest block, on the thread that asks for it. Under the lock. */
static void compute_oldest(stream_pipeline *p)
{
    stream_slot *slot = stream_slots_at(&p->slots, 0);
    if (slot->state != SLOT_QUEUED)
        return;
    const int team = stream_deal_team(&p->deal, slot->block);
    stream_slot_move(slot, SLOT_QUEUED, SLOT_COMPUTING);
    compute_block(&p->drivers[team < 0 ? 0 : team], slot);
}

/* ---------------------------------------------------------------- open, close ----------- */

static bool open_sync(stream_pipeline *p)
{
    pthread_condattr_t clock;
    pthread_cond_t *const cond[] = {&p->room, &p->ready, &p->work};
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
    pthread_cond_destroy(&p->room);
    pthread_cond_destroy(&p->ready);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

static sluice_status start_drivers(stream_pipeline *p, const stream_config *config,
                                   sluice_diag *why)
{
    for (int i = 0; i < config->deal.teams; i++) {
        driver *d = &p->drivers[i];
        *d = (driver){.pipeline = p, .team = config->team[i], .index = i};
        if (p->on_caller)
            continue;
        d->thread = d->team.threads->start(d->team.owner, drive, d);
        if (d->thread == NULL)
            return core_fail(why, SLUICE_E_MEMORY, 0, "no thread to be had for team %d of %d", i,
                             config->deal.teams);
        p->drivers_started++;
    }
    return SLUICE_OK;
}

sluice_status stream_pipeline_open(stream_pipeline **out, const stream_config *config,
                                   sluice_diag *why)
{
    *out = NULL;
    sluice_status status = stream_deal_check(&config->deal, why);
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
    p->deal = config->deal;
    p->on_caller = config->on_caller;
    p->log = config->log;
    p->drivers = core_calloc((size_t)config->deal.teams, sizeof *p->drivers);
    if (p->drivers != NULL)
        status = stream_slots_open(&p->slots, config->slots, config->home);
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

/* In a child the lock may be taken, and what waits on it waits for ever: it is left as it is, and so
 * are the drivers, which are the parent's. */
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

/* Every call begins here: with the lock, or with E_INVALID in a child. */
static sluice_status enter(stream_pipeline *p, sluice_diag *why)
{
    if (core_forked(p->mark))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the stream was opened before fork: a child opens streams of its own");
    pthread_mutex_lock(&p->lock);
    return SLUICE_OK;
}

/* Asks `answer` under the lock until it says something else than AGAIN or the time is up. */
static sluice_status
ask(stream_pipeline *p, pthread_cond_t *cond, int timeout_ms, sluice_slot **slot, sluice_diag *why,
    sluice_status (*answer)(stream_pipeline *p, sluice_slot **slot, sluice_diag *why))
{
    struct timespec deadline = {0};
    bool expired = timeout_ms == 0;
    *slot = NULL;
    sluice_status status = enter(p, why);
    if (status != SLUICE_OK)
        return status;
    if (timeout_ms > 0)
        deadline = deadline_after(timeout_ms);
    status = answer(p, slot, why);
    while (status == SLUICE_AGAIN && !expired) {
        expired = !wait_until(p, cond, timeout_ms < 0 ? NULL : &deadline);
        status = answer(p, slot, why);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* What a producer hears once no more blocks are taken; OK before that. Under the lock. */
static sluice_status closed_to_producer(const stream_pipeline *p, sluice_diag *why)
{
    if (p->cancelled)
        return core_fail(why, SLUICE_E_CANCELLED, 0, "the stream was cancelled");
    if (p->finished)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the stream is finished: it takes no more blocks");
    return SLUICE_OK;
}

static sluice_status answer_acquire(stream_pipeline *p, sluice_slot **slot, sluice_diag *why)
{
    const sluice_status status = closed_to_producer(p, why);
    if (status != SLUICE_OK)
        return status;
    stream_slot *spare = stream_slots_spare(&p->slots);
    if (spare == NULL)
        return SLUICE_AGAIN;
    stream_slot_move(spare, SLOT_FREE, SLOT_FILLING);
    *slot = &spare->shown;
    return SLUICE_OK;
}

sluice_status stream_pipeline_acquire(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                      sluice_diag *why)
{
    return ask(p, &p->room, timeout_ms, slot, why, answer_acquire);
}

static sluice_status submit(stream_pipeline *p, sluice_slot *shown, sluice_diag *why)
{
    stream_slot *slot = stream_slots_find(&p->slots, shown);
    if (slot == NULL || slot->state != SLOT_FILLING)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the slot is not one that was acquired from this stream");
    sluice_status status = closed_to_producer(p, why);
    if (status == SLUICE_OK)
        status = stream_slot_check(slot, why);
    if (status == SLUICE_OK) {
        stream_slots_push(&p->slots, slot, p->submitted++);
        pthread_cond_broadcast(p->on_caller ? &p->ready : &p->work);
    }
    return status;
}

sluice_status stream_pipeline_submit(stream_pipeline *p, sluice_slot *shown, sluice_diag *why)
{
    sluice_status status = enter(p, why);
    if (status != SLUICE_OK)
        return status;
    status = submit(p, shown, why);
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* A block's failure, in words; cancelled ones have been given to nobody. */
static void explain(const stream_pipeline *p, const sluice_slot *slot, sluice_diag *why)
{
    const stream_team *team = &p->drivers[0].team;
    if (slot->status == SLUICE_OK || why == NULL)
        return;
    if (slot->status != SLUICE_E_CANCELLED && team->explain != NULL)
        team->explain(team->user, slot, why);
    else
        (void)core_fail(why, slot->status, 0, "%s", core_strerror(slot->status));
}

static sluice_status answer_reap(stream_pipeline *p, sluice_slot **slot, sluice_diag *why)
{
    if (p->slots.flying == 0)
        return p->finished ? SLUICE_END : SLUICE_AGAIN;
    if (p->on_caller)
        compute_oldest(p);
    if (stream_slots_at(&p->slots, 0)->state != SLOT_DONE)
        return SLUICE_AGAIN;
    *slot = &stream_slots_pop(&p->slots)->shown;
    explain(p, *slot, why);
    return SLUICE_OK;
}

sluice_status stream_pipeline_reap(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                   sluice_diag *why)
{
    return ask(p, &p->ready, timeout_ms, slot, why, answer_reap);
}

sluice_status stream_pipeline_release(stream_pipeline *p, sluice_slot *shown, sluice_diag *why)
{
    sluice_status status = enter(p, why);
    if (status != SLUICE_OK)
        return status;
    stream_slot *slot = stream_slots_find(&p->slots, shown);
    if (slot != NULL && (slot->state == SLOT_READING || slot->state == SLOT_FILLING)) {
        stream_slot_reset(slot);
        pthread_cond_broadcast(&p->room);
    } else {
        status = core_fail(why, SLUICE_E_INVALID, 0,
                           "the slot is not one that was acquired or reaped from this stream");
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Under the lock: all who wait look again. */
static void finish_locked(stream_pipeline *p)
{
    p->finished = true;
    pthread_cond_broadcast(&p->work);
    pthread_cond_broadcast(&p->room);
    pthread_cond_broadcast(&p->ready);
}

sluice_status stream_pipeline_finish(stream_pipeline *p, sluice_diag *why)
{
    const sluice_status status = enter(p, why);
    if (status != SLUICE_OK)
        return status;
    finish_locked(p);
    pthread_mutex_unlock(&p->lock);
    return SLUICE_OK;
}

sluice_status stream_pipeline_cancel(stream_pipeline *p, sluice_diag *why)
{
    const sluice_status status = enter(p, why);
    if (status != SLUICE_OK)
        return status;
    p->cancelled = true;
    for (int i = 0; i < p->slots.flying; i++) {
        stream_slot *slot = stream_slots_at(&p->slots, i);
        if (slot->state == SLOT_QUEUED) {
            slot->shown.status = SLUICE_E_CANCELLED;
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
