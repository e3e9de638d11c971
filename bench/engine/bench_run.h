// SPDX-License-Identifier: BSD-3-Clause
/* From a list of problems to rows. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/report/bench_row.h"

typedef struct bench_run {
    const bench_options *options;
    sluice_machine *machine;
    const bench_items *items;
    bench_rows *rows; /* grows */
    /* Called with rows->row[first ..] as soon as their problems are done. */
    bench_exit (*finished)(void *user, int first);
    /* Called with a problem that is not measured and the reason; `offset`: position of the byte
     * that could not be parsed, or NULL. */
    bench_exit (*refused)(void *user, const char *problem, const char *why, const size_t *offset);
    void *user;
} bench_run;

/* Failures have been reported. Problems of the command line end the run with their failure; a suite
 * continues and returns the worst status. */
bench_exit bench_run_all(const bench_run *r);

#endif
