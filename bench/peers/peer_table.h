// SPDX-License-Identifier: BSD-3-Clause
/* Peers: other libraries that compute the same problems, found at run time. A peer is one file that
 * defines `const peer`s, and one line for each in peer_table.c. */
#ifndef PEER_TABLE_H
#define PEER_TABLE_H

#include "bench/engine/bench_data.h"

typedef struct peer peer;

/* What the user asked of all peers. */
typedef struct peer_settings {
    double plan_seconds; /* limit of planning one problem, where the peer has one */
    const char *wisdom;  /* files that begin so keep what planning found; NULL: nothing is kept */
} peer_settings;

struct peer {
    const char *name;   /* of --peers and of the engine field                      */
    const char *effort; /* the peer's own word for how long it plans               */
    const char *what;   /* for --help                                              */
    unsigned flavour;   /* the peer's own: several peers may share their functions */
    bool usual;         /* suites compare with it unless --peers says otherwise    */
    /* Finds the library, for both precisions where it has both; `settings` outlive the peer. Called
     * for all peers in the table's order before anything is measured. False with a sentence. */
    bool (*load)(const peer *self, const peer_settings *settings, sluice_diag *why);
    /* Whether this peer can compute the problem with that many threads, else a sentence. */
    bool (*available)(const peer *self, const bench_shape *s, int workers, sluice_diag *why);
    /* A plan for these arrays, whose values may be overwritten; NULL with a sentence. */
    void *(*plan)(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                  sluice_diag *why);
    /* How long a plan was thought about; NULL: `effort` says it for all of them. */
    const char *(*effort_of)(const void *plan);
    /* Computes `reps` times; false where a call failed. The arrays may lie elsewhere than in
     * planning, equally aligned. */
    bool (*run)(void *plan, const bench_data *d, size_t reps);
    /* Sends threads to sleep that would still spin, beside the next engine; NULL: there are none.
     * May compute on `d`. */
    void (*rest)(void *plan, const bench_data *d);
    void (*destroy)(void *plan);
    /* Keeps what planning found, see `wisdom`; NULL: nothing. False where writing failed. */
    bool (*save)(const peer *self);
    /* What was loaded; NULL where it has not that precision. */
    const char *(*version)(const peer *self, sluice_precision precision);
};

/* NULL-terminated. */
extern const peer *const peer_table[];

/* NULL where there is none of that name. */
const peer *peer_find(const char *name, size_t length);
void peer_refuse(sluice_diag *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const peer peer_fftw, peer_fftw_best, peer_fftw_patient, peer_fftw_estimate, peer_fftw_other;
extern const peer peer_mkl, peer_kfr, peer_pffft, peer_pocketfft;

#endif
