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
    return status == SLUICE_END ? status : callback_failed(status, "source", k, why);
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
    sluice_diag *why;
} pump;

/* Fills a slot where one is free. AGAIN: none is; END: the feed ended. */
static sluice_status pump_get(pump *u)
{
    sluice_slot *slot;
    sluice_status status = stream_pipeline_acquire(u->p, &slot, 0);
    if (status != SLUICE_OK)
        return status;
    const double start = core_seconds();
    status = u->feed->get(u->feed->self, u->got, slot, u->why);
    u->seconds.get += core_seconds() - start;
    if (status == SLUICE_OK) {
        u->got++;
        status = stream_pipeline_submit(u->p, slot);
        if (status == SLUICE_E_INVALID)
            return core_fail(u->why, status, 0,
                             "block %llu has a count of %zu or pointers that do "
                             "not fit the plan",
                             (unsigned long long)(u->got - 1), slot->count);
    }
    if (status == SLUICE_END)
        (void)stream_pipeline_release(u->p, slot); /* acquired above */
    return status;
}

/* Hands on the oldest block. AGAIN: it is not done; END: all were handed on. */
static sluice_status pump_put(pump *u, int timeout_ms)
{
    sluice_slot *slot;
    sluice_status status = stream_pipeline_reap(u->p, &slot, timeout_ms);
    if (status != SLUICE_OK)
        return status;
    status = slot->status;
    if (status != SLUICE_OK) {
        (void)core_fail(u->why, status, 0, "block %llu failed: %s", (unsigned long long)u->given,
                        core_strerror(status));
    } else {
        const double start = core_seconds();
        status = u->feed->put(u->feed->self, u->given, slot, u->why);
        u->last = core_seconds();
        u->seconds.put += u->last - start;
    }
    u->given++;
    (void)stream_pipeline_release(u->p, slot); /* reaped above */
    return status;
}

/* Never waits while there is a slot to fill. With no slot free some block is in flight, and after
 * the end the pipeline is finished, so that a wait in reap ends. */
static sluice_status pump_all(pump *u)
{
    bool ended = false;
    for (;;) {
        sluice_status status = ended ? SLUICE_AGAIN : pump_get(u);
        const bool fed = status == SLUICE_OK;
        if (status == SLUICE_END) {
            ended = true;
            stream_pipeline_finish(u->p);
        } else if (status < 0) {
            return status;
        }
        status = pump_put(u, fed ? 0 : -1);
        if (status == SLUICE_END || status < 0)
            return status;
    }
}

static void drain(stream_pipeline *p)
{
    sluice_slot *slot;
    while (stream_pipeline_reap(p, &slot, -1) == SLUICE_OK)
        (void)stream_pipeline_release(p, slot); /* reaped: cannot fail */
}

sluice_status stream_pump(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                          sluice_diag *why)
{
    pump u = {.p = p, .feed = feed, .why = why};
    u.first = u.last = core_seconds();
    const sluice_status status = pump_all(&u);
    if (status != SLUICE_END) {
        stream_pipeline_cancel(p);
        drain(p);
    }
    u.seconds.all = u.last - u.first;
    if (seconds != NULL)
        *seconds = u.seconds;
    return status == SLUICE_END ? SLUICE_OK : status;
}
