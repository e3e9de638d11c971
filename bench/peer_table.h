// SPDX-License-Identifier: BSD-3-Clause
/* Peers: other libraries that compute the same problems, found at run time. A peer is one file that
 * defines `const peer`s, and one line for each in peer_table.c. */
#ifndef PEER_TABLE_H
#define PEER_TABLE_H

#include "bench/bench_data.h"

typedef struct peer peer;

struct peer {
    const char *name;   /* of --peers and of the engine field                      */
    const char *effort; /* the peer's own word for how long it plans               */
    const char *what;   /* for --help                                              */
    unsigned flavour;   /* the peer's own: several peers may share their functions */
    /* Whether this peer can compute the problem with that many threads; loads the library at the
     * first call. Otherwise `why` gets a sentence. */
    bool (*available)(const peer *self, const bench_shape *s, int workers, sluice_diag *why);
    /* A plan for these arrays, whose values may be overwritten; NULL with a sentence. */
    void *(*plan)(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                  sluice_diag *why);
    /* Computes `reps` times. The arrays may lie elsewhere than in planning, equally aligned. */
    void (*run)(void *plan, const bench_data *d, size_t reps);
    void (*destroy)(void *plan);
    /* After an available() that said yes. */
    const char *(*version)(const peer *self, const bench_shape *s);
};

/* NULL-terminated. */
extern const peer *const peer_table[];

/* NULL where there is none of that name. */
const peer *peer_find(const char *name, size_t length);
void peer_refuse(sluice_diag *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const peer peer_fftw, peer_fftw_patient, peer_fftw_estimate;

#endif
