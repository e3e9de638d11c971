// SPDX-License-Identifier: BSD-3-Clause
/* Times a peer in the same way as sluice. */
#include "bench/engine/bench_peer.h"

#include <string.h>

#include "bench/engine/bench_clock.h"

static double time_peer(bench_engine *e, const bench_data *d, size_t reps)
{
    const peer *p = e->self;
    double start = bench_now();
    bool good = p->run(e->state, d, reps);
    double end = bench_now();
    return good ? end - start : -1;
}

/* The data are on the device before the clock starts. */
static double time_there(bench_engine *e, const bench_data *d, size_t reps)
{
    const peer *p = e->self;
    const bench_mirror *m = bench_mirror_put(d, e->memory);
    if (!m)
        return -1;
    double start = bench_now();
    bool good = p->run_there(e->state, m, d, reps);
    double end = bench_now();
    return bench_mirror_back(d, e->memory, false) && good ? end - start : -1;
}

static void quiesce_peer(bench_engine *e, const bench_data *d)
{
    const peer *p = e->self;
    if (p->quiesce)
        p->quiesce(e->state, d);
}

static void close_peer(bench_engine *e)
{
    const peer *p = e->self;
    p->destroy(e->state);
}

static const bench_calls peer_calls = {
    .time = time_peer, .close = close_peer, .quiesce = quiesce_peer};
static const bench_calls there_calls = {
    .time = time_there, .close = close_peer, .quiesce = quiesce_peer};

bool bench_peer_open(bench_engine *e, const peer *p, const bench_shape *shape, int workers,
                     const bench_data *d, sluice_diag *why)
{
    if (!p->available(p, shape, workers, why))
        return false;
    double start = bench_now();
    void *plan = p->plan(p, shape, workers, d, why);
    double end = bench_now();
    if (!plan)
        return false;
    memset(e, 0, sizeof *e);
    e->role = p->is_part ? BENCH_STEP : BENCH_PEER;
    e->name = p->name;
    e->effort = p->effort_of ? p->effort_of(plan) : p->effort;
    e->workers = workers;
    e->plan_s = e->plan_first_s = end - start;
    e->memory = p->memory ? p->memory() : NULL;
    e->calls = e->memory ? &there_calls : &peer_calls;
    e->state = plan;
    e->self = p;
    return true;
}
