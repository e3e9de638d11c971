// SPDX-License-Identifier: BSD-3-Clause
/* Peers: other libraries that compute the same problems, found at run time. A peer is one file that
 * defines `const peer`s, and one line for each in peer_table.c. */
#ifndef PEER_TABLE_H
#define PEER_TABLE_H

#include "bench/engine/bench_data.h"

typedef struct peer peer;

/* The user's settings for all peers. */
typedef struct peer_settings {
    double plan_seconds;     /* time limit of planning one problem, if the peer has one */
    const char *wisdom;      /* prefix of the files that keep wisdom; NULL: wisdom is not kept */
    sluice_machine *machine; /* for baselines that use sluice's own plans */
    const char *units;       /* --units, which names an OpenCL device; NULL: not given */
    bool on_device;          /* sluice's data are on that device, see bench/device/ */
    bool without_order; /* on_device, and calls that do not depend on each other have no order */
} peer_settings;

struct peer {
    const char *name;        /* name in --peers and in the field `engine` */
    const char *effort;      /* the peer's own term for its planning effort */
    const char *description; /* text for --help */
    unsigned variant;        /* private to the peer: several peers may share their functions */
    bool in_default_set;     /* suites compare with it if there is no --peers */
    bool is_part;            /* computes a part of the problem: not checked, and no rival */
    /* Loads the library, both precisions if it has both; `settings` outlive the peer. Called for
     * all peers in the table's order before anything is measured. False: `why` holds the reason. */
    bool (*load)(const peer *self, const peer_settings *settings, sluice_diag *why);
    /* Can this peer compute the problem with `workers` threads? If not, `why` holds the reason. */
    bool (*available)(const peer *self, const bench_shape *s, int workers, sluice_diag *why);
    /* A plan for these arrays, whose values may be overwritten. NULL: `why` holds the reason. */
    void *(*plan)(const peer *self, const bench_shape *s, int workers, const bench_data *d,
                  sluice_diag *why);
    /* The effort of a plan; NULL: `effort` applies to all plans. */
    const char *(*effort_of)(const void *plan);
    /* Computes `reps` times; false if a call failed. The arrays may have other addresses than in
     * planning, with the same alignment. */
    bool (*run)(void *plan, const bench_data *d, size_t reps);
    /* Peers on devices have these instead of `run`: the memory where they compute, and `reps`
     * computations there, which are finished on return. */
    const bench_memory *(*memory)(void);
    bool (*run_there)(void *plan, const bench_mirror *m, const bench_data *d, size_t reps);
    /* Puts threads to sleep that would still spin while the next engine is timed; may compute on
     * `d`. NULL: there are none. */
    void (*quiesce)(void *plan, const bench_data *d);
    void (*destroy)(void *plan);
    /* Writes the peer's wisdom, see `wisdom`; NULL: it has none. False if writing failed. */
    bool (*save)(const peer *self);
    /* Version of the loaded library; NULL if it lacks that precision. */
    const char *(*version)(const peer *self, sluice_precision precision);
};

/* NULL-terminated. */
extern const peer *const peer_table[];

/* NULL if there is no peer of that name. */
const peer *peer_find(const char *name, size_t length);
void peer_refuse(sluice_diag *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const peer peer_fftw, peer_fftw_best, peer_fftw_patient, peer_fftw_estimate, peer_fftw_other;
extern const peer peer_mkl, peer_kfr, peer_pffft, peer_pocketfft;
extern const peer peer_clfft, peer_clfft_wait, peer_vkfft, peer_vkfft_wait;
extern const peer peer_cufft, peer_cufft_wait, peer_cufft_rows;
extern const peer peer_route_longest, peer_route_mirrored, peer_route_padded, peer_route_short;
extern const peer peer_row_column, peer_reorder_gather, peer_reorder_scatter;

#endif
