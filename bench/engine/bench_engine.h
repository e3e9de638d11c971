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
    /* Seconds of `reps` calls, < 0 if one of them failed. If the engine has a memory of its own,
     * transfers of data are not timed. */
    double (*time)(bench_engine *e, const bench_data *d, size_t reps);
    void (*close)(bench_engine *e); /* may be NULL */
    /* Puts the engine's spinning threads to sleep before the next engine is timed; may compute on
     * the data. NULL: it has no such threads. */
    void (*quiesce)(bench_engine *e, const bench_data *d);
} bench_calls;

struct bench_engine {
    bench_role role;
    const char *name, *effort;  /* values of the fields `engine` and `effort`; effort NULL: none */
    const bench_memory *memory; /* memory of the mirror that it computes on; NULL: the arrays */
    int workers;
    double plan_s, plan_first_s; /* seconds of planning: this time, and without wisdom */
    const bench_calls *calls;
    void *state;      /* the plan                                     */
    const void *self; /* the peer or the copy method of the plan */
    size_t reps;      /* calls in a sample, found by calibration */
    bool failed;      /* an execution failed; nothing is reported */
    bench_series series;
};

/* Takes samples of at least 50 us (calls on a device: 2 ms) for about `seconds`, at least one;
 * refills the data as needed, outside the timed calls. False if a call or an allocation failed.
 * Engines are sampled round-robin, see bench_case.c. */
bool bench_engine_sample(bench_engine *e, const bench_data *d, double seconds);
/* One call; its outputs are in the arrays afterwards. */
bool bench_engine_once(bench_engine *e, const bench_data *d);
/* Where the engine's data are while it is timed: "host" "device". */
const char *bench_engine_data(const bench_engine *e);
/* Are the data in a memory other than the host's? */
bool bench_engine_is_away(const bench_engine *e);
void bench_engine_close(bench_engine *e);

#endif
