// SPDX-License-Identifier: BSD-3-Clause
/* Drivers: begin a block if one is queued and the team has room for it, else finish one, else wait.
 * The driver of a lost team finishes what it has begun and ends; that of the last team stays to
 * fail queued blocks, so that every block is returned. */
#include "streaming/drive.h"

#include <assert.h>
#include <string.h>

#include "core/clock.h"
#include "core/status.h"

/* The result of one attempt to compute a block. */
typedef struct attempt {
    sluice_status status;
    bool has_input; /* the input is as it was submitted */
    backend_legs seconds;
    bool fell_back;
} attempt;

/* ---------------------------------------------------------------- taking ---------------- */

/* The oldest queued block that `team` may compute, or NULL. Under the lock. */
static stream_slot *queued_for(const stream_pipeline *p, int team)
{
    for (int i = 0; i < p->slots.in_flight; i++) {
        stream_slot *slot = stream_slots_at(&p->slots, i);
        if (slot->state != SLOT_QUEUED)
            continue;
        const int owner = stream_schedule_team(&p->schedule, slot->block);
        if (owner < 0 || owner == team || slot->given_back || p->drivers[owner].lost)
            return slot;
    }
    return NULL;
}

/* Blocks are returned in order, so a stream waits for its slowest team. A dynamic schedule passes
 * over a team that is TOO_SLOW times slower than a team of another kind. It tries that team again
 * when the stream has done PATIENCE times as many blocks as the team would have done meanwhile. */
enum { TOO_SLOW = 8, PATIENCE = 32 };

static bool is_passed_over(const stream_driver *d)
{
    const stream_pipeline *p = d->pipeline;
    const uint64_t since = p->totals.blocks - d->asked;
    for (int i = 0; i < p->schedule.teams && p->schedule.kind == STREAM_DYNAMIC; i++) {
        const stream_driver *other = &p->drivers[i];
        if (other->lost || other->team.owner == d->team.owner || other->seconds <= 0)
            continue;
        if (d->seconds > TOO_SLOW * other->seconds
            && (double)since < PATIENCE * d->seconds / other->seconds)
            return true;
    }
    return false;
}

/* A lost team takes blocks only to fail them, if no team is left that could compute them. */
static bool has_room(const stream_driver *d)
{
    if (d->lost)
        return d->in_flight == 0 && d->pipeline->teams_left == 0;
    return d->in_flight < (d->team.depth > 0 ? d->team.depth : 1) && !is_passed_over(d);
}

/* Will no block come, not even one that another team gives back? */
static bool is_over(const stream_driver *d)
{
    const stream_pipeline *p = d->pipeline;
    return (p->finished && p->pending == 0) || (d->lost && p->teams_left > 0);
}

/* ---------------------------------------------------------------- outcomes -------------- */

static sluice_status timed_call(const stream_driver *d, stream_compute *call, sluice_slot *slot,
                                double *seconds)
{
    const double start = core_seconds();
    const sluice_status status = call(d->team.user, d->index, slot);
    assert(status <= 0);
    *seconds += core_seconds() - start;
    return status;
}

/* Finds out whether the team is lost. Without the lock. With a fallback, that alone continues. */
static void check_team(stream_driver *d)
{
    stream_pipeline *p = d->pipeline;
    if (d->lost || d->team.is_alive == NULL || d->team.is_alive(d->team.user, d->index))
        return;
    if (p->log != NULL)
        core_log_line(p->log, CORE_LOG_STREAM, "team,%d,lost,%s", d->index,
                      d->team.fallback != NULL ? "its blocks go to the fallback"
                                               : "its blocks go to the other teams");
    d->team.is_alive = NULL;
    if (d->team.fallback != NULL) {
        d->team.depth = 0;
        d->team.compute = NULL;
        return;
    }
    pthread_mutex_lock(&p->lock);
    d->lost = true;
    p->teams_left--;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static bool may_be_repeated(const attempt *a)
{
    return (a->status == SLUICE_E_DEVICE || a->status == SLUICE_E_MEMORY) && a->has_input;
}

static void count_block(stream_totals *sum, const sluice_slot *slot, const attempt *a)
{
    if (a->status == SLUICE_OK) {
        sum->blocks++;
        sum->count += slot->count;
        sum->fallbacks += a->fell_back;
    }
    sum->get_seconds += a->seconds.get;
    sum->compute_seconds += a->seconds.compute;
    sum->put_seconds += a->seconds.put;
}

static void note_pace(stream_driver *d, const attempt *a)
{
    const backend_legs *s = &a->seconds;
    const double longer = s->get > s->put ? s->get : s->put;
    if (a->status != SLUICE_OK || a->fell_back)
        return;
    d->seconds = s->compute > longer ? s->compute : longer;
    d->asked = d->pipeline->totals.blocks;
}

static void log_block(const stream_driver *d, const stream_slot *slot, const attempt *a)
{
    if (d->pipeline->log == NULL)
        return;
    core_log_line(d->pipeline->log, CORE_LOG_STREAM,
                  "block,%llu,team,%d,count,%zu,status,%d,get_s,%.3g,compute_s,%.3g,put_s,%.3g%s",
                  (unsigned long long)slot->block, d->index, slot->public_slot.count,
                  (int)a->status, a->seconds.get, a->seconds.compute, a->seconds.put,
                  a->fell_back ? ",fallback" : "");
}

static void name_computer(const stream_driver *d, sluice_slot *slot, const attempt *a)
{
    slot->status = a->status;
    slot->unit = a->status == SLUICE_OK && !a->fell_back ? d->team.unit : -1;
    slot->get_seconds = a->seconds.get;
    slot->compute_seconds = a->seconds.compute;
    slot->put_seconds = a->seconds.put;
}

/* Ends an attempt: the fallback computes the block, or it is given back, or it is done. Called
 * without the lock, returns with it. */
static void settle_block(stream_driver *d, stream_slot *slot, attempt *a)
{
    stream_pipeline *p = d->pipeline;
    if (a->status != SLUICE_OK)
        check_team(d);
    if (may_be_repeated(a) && d->team.fallback != NULL) {
        a->fell_back = true;
        a->status = timed_call(d, d->team.fallback, &slot->public_slot, &a->seconds.compute);
    }
    log_block(d, slot, a);
    pthread_mutex_lock(&p->lock);
    if (d->lost && p->teams_left > 0 && !p->cancelled && may_be_repeated(a)) {
        slot->given_back = true;
        stream_slot_move(slot, SLOT_COMPUTING, SLOT_QUEUED);
        pthread_cond_broadcast(&p->work);
        return;
    }
    name_computer(d, &slot->public_slot, a);
    count_block(&p->totals, &slot->public_slot, a);
    note_pace(d, a);
    stream_slot_move(slot, SLOT_COMPUTING, SLOT_DONE);
    p->pending--;
    if (slot == stream_slots_at(&p->slots, 0))
        pthread_cond_broadcast(&p->ready);
    if (p->finished && p->pending == 0)
        pthread_cond_broadcast(&p->work);
}

/* ---------------------------------------------------------------- blocks ---------------- */

static void compute_block(stream_driver *d, stream_slot *slot)
{
    /* A team that cannot compute fails before it has changed anything. */
    attempt a = {.status = SLUICE_E_DEVICE, .has_input = true};
    if (!d->lost && d->team.compute != NULL) {
        sluice_slot *s = &slot->public_slot;
        a.status = timed_call(d, d->team.compute, s, &a.seconds.compute);
        a.has_input = s->in != s->out;
    }
    settle_block(d, slot, &a);
}

static void finish_block(stream_driver *d);

/* The unit is full of other teams' blocks: this one waits until a block of this team is finished.
 * Called without the lock, returns with it. */
static void postpone_block(stream_driver *d, stream_slot *slot)
{
    pthread_mutex_lock(&d->pipeline->lock);
    stream_slot_move(slot, SLOT_COMPUTING, SLOT_QUEUED);
    pthread_cond_broadcast(&d->pipeline->work);
    finish_block(d);
}

static void begin_block(stream_driver *d, stream_slot *slot)
{
    attempt a = {.has_input = true};
    stream_begun begun = {.slot = slot};
    a.status =
        d->team.begin(d->team.user, d->index, &slot->public_slot, d->in_flight == 0, &begun.ticket);
    if (a.status == SLUICE_AGAIN) {
        postpone_block(d, slot);
        return;
    }
    if (a.status != SLUICE_OK) {
        settle_block(d, slot, &a);
        return;
    }
    d->begun[d->in_flight++] = begun;
    pthread_mutex_lock(&d->pipeline->lock);
}

/* Takes a queued block. Called with the lock, which is released meanwhile. */
static void take_block(stream_driver *d, stream_slot *slot)
{
    stream_slot_move(slot, SLOT_QUEUED, SLOT_COMPUTING);
    pthread_mutex_unlock(&d->pipeline->lock);
    if (d->team.depth > 0 && !d->lost)
        begin_block(d, slot);
    else
        compute_block(d, slot);
}

/* Finishes a block that is done, else the oldest, for which it waits. Called with the lock, which
 * is released meanwhile. */
static void finish_block(stream_driver *d)
{
    attempt a = {0};
    int i = 0;
    pthread_mutex_unlock(&d->pipeline->lock);
    while (i < d->in_flight && !d->team.is_done(d->begun[i].ticket))
        i++;
    i = i < d->in_flight ? i : 0;
    const stream_begun begun = d->begun[i];
    d->in_flight--;
    memmove(&d->begun[i], &d->begun[i + 1], (size_t)(d->in_flight - i) * sizeof d->begun[0]);
    sluice_slot *slot = &begun.slot->public_slot;
    a.status = d->team.finish(d->team.user, d->index, slot, begun.ticket, &a.seconds);
    a.has_input = slot->in != slot->out;
    settle_block(d, begun.slot, &a);
}

void stream_drive(void *arg)
{
    stream_driver *d = arg;
    stream_pipeline *p = d->pipeline;
    stream_slot *slot;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        if (has_room(d) && (slot = queued_for(p, d->index)) != NULL)
            take_block(d, slot);
        else if (d->in_flight > 0)
            finish_block(d);
        else if (is_over(d))
            break;
        else
            pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

void stream_drive_oldest(stream_pipeline *p)
{
    stream_slot *slot = stream_slots_at(&p->slots, 0);
    if (slot->state != SLOT_QUEUED)
        return;
    const int team = stream_schedule_team(&p->schedule, slot->block);
    take_block(&p->drivers[team < 0 ? 0 : team], slot);
}
