// SPDX-License-Identifier: BSD-3-Clause
/* The command line of sluice-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "bench/bench_exit.h"
#include "bench/peers/peer_table.h"
#include "bench/suites/bench_suite.h"

enum { BENCH_MAX_WORKERS = 16, BENCH_MAX_PEERS = 16 };

typedef enum bench_place { BENCH_ANYWHERE = 0, BENCH_ON_HOST, BENCH_ON_DEVICE } bench_place;

typedef struct bench_options {
    char **problem; /* points into argv */
    int problems;
    const char *suite; /* names separated by commas; NULL: the problems above */
    bench_filter filter;
    int workers[BENCH_MAX_WORKERS];
    int worker_counts;  /* 0: each problem's own workers=, else 1; suites: 1 and all units */
    const char *units;  /* NULL: the library's default                                        */
    bench_place data;   /* where sluice's data are while it is timed; later peer.on_device */
    const char *wisdom; /* sluice's own wisdom file, read first; NULL: none */
    sluice_effort effort;
    const peer *peers[BENCH_MAX_PEERS];
    int peer_count;
    bool peers_given;
    peer_settings peer;
    const char *json, *plot, *from; /* NULL: none                                       */
    bool resume;                    /* `json` is read first and its rows are kept */
    int windows;
    int address;    /* offset of the first window's arrays, see bench_data_open */
    int runs;       /* executions of each length by the suite portability */
    double seconds; /* time of each engine in each window */
    bool check, help, list, version;
} bench_options;

/* Rearranges argv so that the problems come together. If the result is not BENCH_DONE, the reason
 * or the requested help has been printed. */
bench_exit bench_options_read(bench_options *o, int argc, char **argv);

#endif
