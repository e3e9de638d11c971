// SPDX-License-Identifier: BSD-3-Clause
/* Feeds from memory and from functions, and the pump that runs any of them. */
#include "streaming/feed.h"

#include "core/clock.h"
#include "core/status.h"

/* ---------------------------------------------------------------- arrays ---------------- */

/* A slot's input is not const, for slots of the library's are filled through it; blocks that stay
 * where the user has them are only read (in place aside). */
static void *block_at(const char *base, uint64_t k, ptrdiff_t stride)
{
    return base == NULL ? NULL : (void *)(uintptr_t)(base + (ptrdiff_t)k * stride);
}

static sluice_status array_get(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    const stream_array *a = self;
    (void)why;
    if (k >= a->blocks)
        return SLUICE_END;
    slot->in = block_at(a->in, k, a->in_stride);
    slot->in_im = block_at(a->in_im, k, a->in_stride);
    slot->out = block_at(a->out, k, a->out_stride);
    slot->out_im = block_at(a->out_im, k, a->out_stride);
    if (k + 1 == a->blocks && a->last_count != 0)
        slot->count = a->last_count;
    return SLUICE_OK;
}

static sluice_status array_put(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    (void)self, (void)k, (void)slot, (void)why; /* it is there already */
    return SLUICE_OK;
}

stream_feed stream_feed_array(stream_array *array)
{
    return (stream_feed){array_get, array_put, array};
}

/* ---------------------------------------------------------------- callbacks ------------- */

static sluice_status callback_failed(sluice_status status, const char *who, uint64_t k,
                                     sluice_diag *why)
{
    if (status == SLUICE_OK)
        return status;
    if (status > 0) /* neither OK nor a failure is an answer that the run can use */
        return core_fail(why, SLUICE_E_INVALID, 0, "the %s answered \"%s\" for block %llu", who,
                         core_strerror(status), (unsigned long long)k);
    return core_fail(why, status, 0, "the %s failed at block %llu: %s", who, (unsigned long long)k,
                     core_strerror(status));
}

static sluice_status callback_get(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    const stream_callbacks *c = self;
    const sluice_status status = c->source(c->user, slot);
    const bool answer = status == SLUICE_AGAIN || status == SLUICE_END;
    return answer ? status : callback_failed(status, "source", k, why);
}

static sluice_status callback_put(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    const stream_callbacks *c = self;
    return callback_failed(c->sink(c->user, slot), "sink", k, why);
}

stream_feed stream_feed_callbacks(stream_callbacks *callbacks)
{
    return (stream_feed){callback_get, callback_put, callbacks};
}

/* ---------------------------------------------------------------- pump ------------------ */

typedef struct pump {
    stream_pipeline *p;
    const stream_feed *feed;
    stream_times seconds;
    double first, last; /* clock at the first get and after the last put */
    uint64_t got, given;
    sluice_slot *asked; /* the slot that the feed had nothing for yet; NULL: none */
    sluice_diag *why;
} pump;

/* Milliseconds between two questions to a feed that has nothing yet. */
enum { FIRST_PAUSE = 1, LONGEST_PAUSE = 10 };

static sluice_status pump_submit(pump *u, sluice_slot *slot)
{
    sluice_diag said;
    const sluice_status status = stream_pipeline_submit(u->p, slot, &said);
    if (status != SLUICE_OK)
        return core_fail(u->why, status, 0, "block %llu does not fit the plan: %s",
                         (unsigned long long)u->got, said.message);
    u->got++;
    return SLUICE_OK;
}

/* Fills a slot where one is free. AGAIN: none is, or the feed has nothing yet; END: the feed
 * ended. */
static sluice_status pump_get(pump *u)
{
    sluice_slot *slot = u->asked;
    sluice_status status = SLUICE_OK;
    if (slot == NULL)
        status = stream_pipeline_acquire(u->p, &slot, 0, u->why);
    if (status != SLUICE_OK)
        return status;
    const double start = core_seconds();
    status = u->feed->get(u->feed->self, u->got, slot, u->why);
    u->seconds.get += core_seconds() - start;
    u->asked = status == SLUICE_AGAIN ? slot : NULL;
    if (status == SLUICE_OK)
        return pump_submit(u, slot);
    if (status == SLUICE_END)
        (void)stream_pipeline_release(u->p, slot, NULL); /* acquired above */
    return status;
}

/* Hands on the oldest block. AGAIN: it is not done; END: all were handed on. */
static sluice_status pump_put(pump *u, int timeout_ms)
{
    sluice_slot *slot;
    sluice_diag said;
    sluice_status status = stream_pipeline_reap(u->p, &slot, timeout_ms, &said);
    if (status < 0)
        return core_fail(u->why, status, 0, "%s", said.message);
    if (status != SLUICE_OK)
        return status;
    status = slot->status;
    if (status != SLUICE_OK) {
        (void)core_fail(u->why, status, 0, "block %llu failed: %s", (unsigned long long)u->given,
                        said.message);
    } else {
        const double start = core_seconds();
        status = u->feed->put(u->feed->self, u->given, slot, u->why);
        u->last = core_seconds();
        u->seconds.put += u->last - start;
    }
    u->given++;
    (void)stream_pipeline_release(u->p, slot, NULL); /* reaped above */
    return status;
}

/* How long to wait for the oldest block: not at all while there may be a slot to fill, for a moment
 * while the feed has nothing yet. Else some block is in flight, or after the end the pipeline is
 * finished, so that the wait ends. */
static int patience(const pump *u, bool fed, int pause)
{
    if (fed)
        return 0;
    return u->asked != NULL ? pause : -1;
}

static sluice_status pump_all(pump *u)
{
    bool ended = false;
    int pause = FIRST_PAUSE;
    for (;;) {
        sluice_status status = ended ? SLUICE_AGAIN : pump_get(u);
        const bool fed = status == SLUICE_OK;
        if (status < 0)
            return status;
        if (status == SLUICE_END) {
            ended = true;
            (void)stream_pipeline_finish(u->p, NULL);
        }
        status = pump_put(u, patience(u, fed, pause));
        if (status == SLUICE_END || status < 0)
            return status;
        if (fed)
            pause = FIRST_PAUSE;
        else if (u->asked != NULL && status == SLUICE_AGAIN)
            pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
}

static void drain(stream_pipeline *p)
{
    sluice_slot *slot;
    while (stream_pipeline_reap(p, &slot, -1, NULL) == SLUICE_OK)
        (void)stream_pipeline_release(p, slot, NULL); /* reaped: cannot fail */
}

sluice_status stream_pump(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                          sluice_diag *why)
{
    pump u = {.p = p, .feed = feed, .why = why};
    u.first = u.last = core_seconds();
    const sluice_status status = pump_all(&u);
    if (status != SLUICE_END) {
        (void)stream_pipeline_cancel(p, NULL);
        drain(p);
    }
    u.seconds.all = u.last - u.first;
    if (seconds != NULL)
        *seconds = u.seconds;
    return status == SLUICE_END ? SLUICE_OK : status;
}
