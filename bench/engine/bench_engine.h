// SPDX-License-Identifier: BSD-3-Clause
/* Whatever is timed: sluice, a peer, a copy, arithmetic alone. One way to call them all, so that
 * none is favoured. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "bench/engine/bench_data.h"
#include "bench/plot/bench_series.h"

typedef enum bench_role { BENCH_SLUICE = 0, BENCH_PEER, BENCH_COPY, BENCH_PEAK } bench_role;

typedef struct bench_engine bench_engine;

typedef struct bench_calls {
    /* Seconds that `reps` calls take, < 0 where one of them failed. */
    double (*time)(bench_engine *e, const bench_data *d, size_t reps);
    void (*close)(bench_engine *e); /* may be NULL */
    /* Leaves the cores to the next engine; may compute on the data, may be NULL. */
    void (*rest)(bench_engine *e, const bench_data *d);
} bench_calls;

struct bench_engine {
    bench_role role;
    const char *name, *effort; /* as in the fields of a line; effort NULL: none */
    int workers;
    double plan_s, plan_first_s; /* now, and when it was planned without wisdom */
    const bench_calls *calls;
    void *state;      /* the plan                                     */
    const void *self; /* what kind of plan: the peer or copy method   */
    size_t reps;      /* calls a sample is made of, found while timing */
    bool failed;      /* an execution did; nothing is reported        */
    bench_series series;
};

/* Samples of at least 50 us for about `seconds`, at least one; refills the data as needed, outside
 * of the timed calls. False where a call or memory failed. Called in turns: see bench_case.c. */
bool bench_engine_turn(bench_engine *e, const bench_data *d, double seconds);
void bench_engine_close(bench_engine *e);

#endif
