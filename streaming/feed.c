// SPDX-License-Identifier: BSD-3-Clause
/* The loop that runs a pipeline between a source and a sink. */
#include "streaming/feed.h"

#include "core/clock.h"
#include "core/status.h"

static sluice_status fail_callback(sluice_status status, const char *who, uint64_t k,
                                   sluice_diag *why)
{
    if (status == SLUICE_OK)
        return status;
    if (status > 0) /* AGAIN and END are not valid here */
        return core_fail(why, SLUICE_E_INVALID, 0, "the %s answered \"%s\" for block %llu", who,
                         core_strerror(status), (unsigned long long)k);
    return core_fail(why, status, 0, "the %s failed at block %llu: %s", who, (unsigned long long)k,
                     core_strerror(status));
}

typedef struct feed_loop {
    stream_pipeline *p;
    const stream_feed *feed;
    stream_times seconds;
    double first, last;   /* seconds of the clock at the first get and after the last put */
    uint64_t got, put;    /* blocks */
    sluice_slot *pending; /* the slot for which the source returned AGAIN; NULL: none */
    sluice_diag *why;
} feed_loop;

/* Milliseconds between two calls of a source that returned AGAIN. */
enum { FIRST_PAUSE = 1, MAX_PAUSE = 10 };

static sluice_status submit_block(feed_loop *u, sluice_slot *slot)
{
    sluice_diag reason;
    const sluice_status status = stream_pipeline_submit(u->p, slot, &reason);
    if (status != SLUICE_OK)
        return core_fail(u->why, status, 0, "block %llu does not fit the plan: %s",
                         (unsigned long long)u->got, reason.message);
    u->got++;
    return SLUICE_OK;
}

static sluice_status call_source(const feed_loop *u, sluice_slot *slot)
{
    const sluice_status status = u->feed->source(u->feed->user, slot);
    const bool answer = status == SLUICE_AGAIN || status == SLUICE_END;
    return answer ? status : fail_callback(status, "source", u->got, u->why);
}

/* Fills a slot if one is free. AGAIN: no slot is free, or the source has no block yet; END: the
 * source has ended. */
static sluice_status fill_slot(feed_loop *u)
{
    sluice_slot *slot = u->pending;
    sluice_status status = SLUICE_OK;
    if (slot == NULL)
        status = stream_pipeline_acquire(u->p, &slot, 0, u->why);
    if (status != SLUICE_OK)
        return status;
    const double start = core_seconds();
    status = call_source(u, slot);
    u->seconds.get += core_seconds() - start;
    u->pending = status == SLUICE_AGAIN ? slot : NULL;
    if (status == SLUICE_OK)
        return submit_block(u, slot);
    if (status == SLUICE_END)
        (void)stream_pipeline_release(u->p, slot, NULL); /* acquired above */
    return status;
}

/* Passes the oldest block to the sink. AGAIN: it is not done; END: the sink received all blocks. */
static sluice_status put_oldest(feed_loop *u, int timeout_ms)
{
    sluice_slot *slot;
    sluice_diag reason;
    sluice_status status = stream_pipeline_reap(u->p, &slot, timeout_ms, &reason);
    if (status < 0)
        return core_fail(u->why, status, 0, "%s", reason.message);
    if (status != SLUICE_OK)
        return status;
    status = slot->status;
    if (status != SLUICE_OK) {
        (void)core_fail(u->why, status, 0, "block %llu failed: %s", (unsigned long long)u->put,
                        reason.message);
    } else {
        const double start = core_seconds();
        status = fail_callback(u->feed->sink(u->feed->user, slot), "sink", u->put, u->why);
        u->last = core_seconds();
        u->seconds.put += u->last - start;
    }
    u->put++;
    (void)stream_pipeline_release(u->p, slot, NULL); /* reaped above */
    return status;
}

/* Milliseconds to wait for the oldest block: 0 if slots may be free, `pause` if the source has no
 * block yet. Otherwise without limit (-1): the wait ends, because a block is in flight or the
 * pipeline is finished. */
static int reap_timeout(const feed_loop *u, bool fed, int pause)
{
    if (fed)
        return 0;
    return u->pending != NULL ? pause : -1;
}

static sluice_status run_feed_loop(feed_loop *u)
{
    bool ended = false;
    int pause = FIRST_PAUSE;
    for (;;) {
        sluice_status status = ended ? SLUICE_AGAIN : fill_slot(u);
        const bool fed = status == SLUICE_OK;
        if (status < 0)
            return status;
        if (status == SLUICE_END) {
            ended = true;
            (void)stream_pipeline_finish(u->p, NULL);
        }
        status = put_oldest(u, reap_timeout(u, fed, pause));
        if (status == SLUICE_END || status < 0)
            return status;
        if (fed)
            pause = FIRST_PAUSE;
        else if (u->pending != NULL && status == SLUICE_AGAIN)
            pause = 2 * pause < MAX_PAUSE ? 2 * pause : MAX_PAUSE;
    }
}

static void drain_pipeline(stream_pipeline *p)
{
    sluice_slot *slot;
    while (stream_pipeline_reap(p, &slot, -1, NULL) == SLUICE_OK)
        (void)stream_pipeline_release(p, slot, NULL); /* reaped: cannot fail */
}

sluice_status stream_run_feed(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                              sluice_diag *why)
{
    feed_loop u = {.p = p, .feed = feed, .why = why};
    u.first = u.last = core_seconds();
    const sluice_status status = run_feed_loop(&u);
    if (status != SLUICE_END) {
        (void)stream_pipeline_cancel(p, NULL);
        drain_pipeline(p);
    }
    u.seconds.all = u.last - u.first;
    if (seconds != NULL)
        *seconds = u.seconds;
    return status == SLUICE_END ? SLUICE_OK : status;
}
