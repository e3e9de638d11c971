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
    pthread_mutex_t lock; /* protects all that follows except drivers[] and log, fixed by open */
    pthread_cond_t room;  /* a slot became free, or no more will be given     (producer waits)  */
    pthread_cond_t ready; /* the oldest block is done, or no more will come   (consumer waits)  */
    pthread_cond_t work;  /* a block was queued, or no more will come         (drivers wait)    */
    stream_slots slots;
    uint64_t submitted;
    bool finished, cancelled;
    stream_totals totals;
    stream_deal deal;
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

/* Asks `answer` under the lock until it says something else than AGAIN or the time is up. */
static sluice_status ask(stream_pipeline *p, pthread_cond_t *cond, int timeout_ms,
                         sluice_slot **slot,
                         sluice_status (*answer)(stream_pipeline *p, sluice_slot **slot))
{
    struct timespec deadline = {0};
    bool expired = timeout_ms == 0;
    if (timeout_ms > 0)
        deadline = deadline_after(timeout_ms);
    *slot = NULL;
    pthread_mutex_lock(&p->lock);
    sluice_status status = answer(p, slot);
    while (status == SLUICE_AGAIN && !expired) {
        expired = !wait_until(p, cond, timeout_ms < 0 ? NULL : &deadline);
        status = answer(p, slot);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
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

static void drive(void *arg)
{
    const driver *d = arg;
    stream_pipeline *p = d->pipeline;
    stream_slot *slot;
    pthread_mutex_lock(&p->lock);
    while ((slot = next_block(p, d->index)) != NULL) {
        pthread_mutex_unlock(&p->lock);
        const stream_totals took = run_block(d, slot);
        pthread_mutex_lock(&p->lock);
        add_totals(&p->totals, &took);
        stream_slot_move(slot, SLOT_COMPUTING, SLOT_DONE);
        if (slot == stream_slots_at(&p->slots, 0))
            pthread_cond_broadcast(&p->ready);
    }
    pthread_mutex_unlock(&p->lock);
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
    if (!open_sync(p)) {
        core_free(p);
        return core_fail_memory(why);
    }
    p->deal = config->deal;
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

void stream_pipeline_close(stream_pipeline *p)
{
    if (p == NULL)
        return;
    stream_pipeline_cancel(p);
    for (int i = 0; i < p->drivers_started; i++)
        p->drivers[i].team.threads->join(p->drivers[i].thread);
    stream_slots_close(&p->slots);
    close_sync(p);
    core_free(p->drivers);
    core_free(p);
}

/* ---------------------------------------------------------------- callers --------------- */

/* What a producer hears once no more blocks are taken; OK before that. Under the lock. */
static sluice_status closed_to_producer(const stream_pipeline *p)
{
    if (p->cancelled)
        return SLUICE_E_CANCELLED;
    return p->finished ? SLUICE_E_INVALID : SLUICE_OK;
}

static sluice_status answer_acquire(stream_pipeline *p, sluice_slot **slot)
{
    const sluice_status status = closed_to_producer(p);
    if (status != SLUICE_OK)
        return status;
    stream_slot *spare = stream_slots_spare(&p->slots);
    if (spare == NULL)
        return SLUICE_AGAIN;
    stream_slot_move(spare, SLOT_FREE, SLOT_FILLING);
    *slot = &spare->shown;
    return SLUICE_OK;
}

sluice_status stream_pipeline_acquire(stream_pipeline *p, sluice_slot **slot, int timeout_ms)
{
    return ask(p, &p->room, timeout_ms, slot, answer_acquire);
}

sluice_status stream_pipeline_submit(stream_pipeline *p, sluice_slot *shown)
{
    pthread_mutex_lock(&p->lock);
    stream_slot *slot = stream_slots_find(&p->slots, shown);
    sluice_status status = SLUICE_E_INVALID;
    if (slot != NULL && slot->state == SLOT_FILLING)
        status = closed_to_producer(p);
    if (status == SLUICE_OK)
        status = stream_slot_check(slot);
    if (status == SLUICE_OK) {
        stream_slots_push(&p->slots, slot, p->submitted++);
        pthread_cond_broadcast(&p->work);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static sluice_status answer_reap(stream_pipeline *p, sluice_slot **slot)
{
    if (p->slots.flying == 0)
        return p->finished ? SLUICE_END : SLUICE_AGAIN;
    if (stream_slots_at(&p->slots, 0)->state != SLOT_DONE)
        return SLUICE_AGAIN;
    *slot = &stream_slots_pop(&p->slots)->shown;
    return SLUICE_OK;
}

sluice_status stream_pipeline_reap(stream_pipeline *p, sluice_slot **slot, int timeout_ms)
{
    return ask(p, &p->ready, timeout_ms, slot, answer_reap);
}

sluice_status stream_pipeline_release(stream_pipeline *p, sluice_slot *shown)
{
    sluice_status status = SLUICE_E_INVALID;
    pthread_mutex_lock(&p->lock);
    stream_slot *slot = stream_slots_find(&p->slots, shown);
    if (slot != NULL && (slot->state == SLOT_READING || slot->state == SLOT_FILLING)) {
        stream_slot_reset(slot);
        pthread_cond_broadcast(&p->room);
        status = SLUICE_OK;
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

void stream_pipeline_finish(stream_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    finish_locked(p);
    pthread_mutex_unlock(&p->lock);
}

void stream_pipeline_cancel(stream_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
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
}

void stream_pipeline_totals(stream_pipeline *p, stream_totals *out)
{
    pthread_mutex_lock(&p->lock);
    *out = p->totals;
    pthread_mutex_unlock(&p->lock);
}
