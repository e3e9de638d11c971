// SPDX-License-Identifier: BSD-3-Clause
/* One transform of f(x) = x on one kind of unit, timed as in SYCL-FFT (Pascuzzi, Goli, 2022). */
#ifndef BENCH_PORTABLE_H
#define BENCH_PORTABLE_H

#include "bench/device/bench_device.h"
#include "bench/portability/bench_spectrum.h"

/* A unit with its machine. */
typedef struct bench_portable_unit {
    const char *name; /* as in --units */
    sluice_machine *machine;
    const bench_route *route; /* to data on a device; NULL: data are the host's arrays */
    double launch_s;          /* median time of an execution that moves a single point */
} bench_portable_unit;

typedef struct bench_portable {
    double plan_s, first_s; /* planning; the first execution */
    double *run_s;          /* the executions after the first */
    size_t runs;
    bench_moments total;
    double kernel_mean_s,
        kernel_min_s;  /* computing alone, without transfers and launches; the least
                                         * of short series */
    double *magnitude; /* |X_k| */
} bench_portable;

/* Opens the unit and times its launches, with data where the options request them. */
sluice_status bench_portable_open(bench_portable_unit *u, const char *name,
                                  const bench_options *options, sluice_diag *why);
void bench_portable_close(bench_portable_unit *u);
/* Executes a problem's plan once, then `runs` times. */
sluice_status bench_portable_measure(bench_portable *out, const bench_portable_unit *u,
                                     const bench_shape *shape, size_t runs, sluice_diag *why);
void bench_portable_free(bench_portable *p);

/* |X_k| by a peer that was loaded; NULL: `why` holds the reason. Freed by the caller. */
double *bench_portable_peer(const peer *p, const bench_shape *shape, sluice_diag *why);

#endif
