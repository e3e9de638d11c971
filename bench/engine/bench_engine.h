// SPDX-License-Identifier: BSD-3-Clause
/* An engine is what is timed: sluice, a peer, a copy or bare arithmetic. All are called in the same
 * way, so that none is favoured. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "bench/engine/bench_data.h"
#include "bench/plot/bench_series.h"

typedef enum bench_role {
    BENCH_SLUICE = 0,
    BENCH_PEER,
    BENCH_STEP, /* a part of the work, see peer.is_part */
    BENCH_COPY,
    BENCH_PEAK
} bench_role;

typedef struct bench_engine bench_engine;

typedef struct bench_calls {
    /* Seconds of `reps` calls, < 0 if one of them failed. Of an engine with a memory: what moves
     * data lies outside of them. */
    double (*time)(bench_engine *e, const bench_data *d, size_t reps);
    void (*close)(bench_engine *e); /* may be NULL */
    /* Puts the engine's spinning threads to sleep before the next engine is timed; may compute on
     * the data. NULL: there are none. */
    void (*quiesce)(bench_engine *e, const bench_data *d);
} bench_calls;

struct bench_engine {
    bench_role role;
    const char *name, *effort;  /* values of the fields `engine` and `effort`; effort NULL: none */
    const bench_memory *memory; /* where it computes on a mirror of the arrays; NULL: on these */
    int workers;
    double plan_s, plan_first_s; /* seconds of planning: now, and without wisdom */
    const bench_calls *calls;
    void *state;      /* the plan                                     */
    const void *self; /* the peer or the copy method of the plan */
    size_t reps;      /* calls in a sample, found by calibration */
    bool failed;      /* an execution failed; nothing is reported */
    bench_series series;
};

/* Takes samples of at least 50 us (of calls on a device 2 ms) for about `seconds`, at least
 * one; refills the data as needed, outside the timed calls. False if a call or an allocation
 * failed. Engines are sampled round-robin, see bench_case.c. */
bool bench_engine_sample(bench_engine *e, const bench_data *d, double seconds);
/* One call, whose outputs are in the arrays afterwards. */
bool bench_engine_once(bench_engine *e, const bench_data *d);
/* Where its data are while it is timed: "host" "device". */
const char *bench_engine_data(const bench_engine *e);
/* Are they in a memory apart from the host's? */
bool bench_engine_is_away(const bench_engine *e);
void bench_engine_close(bench_engine *e);

#endif
