// SPDX-License-Identifier: BSD-3-Clause
/* The machines that the suite `kinds` compares. If the device computes on the host's cores, as PoCL
 * does, KINDS_CORES has as many cores as the device, and in KINDS_BOTH the device has one of
 * them. */
#ifndef KINDS_MACHINES_H
#define KINDS_MACHINES_H

#include "bench/bench_options.h"

typedef enum kinds_machine {
    KINDS_CORES = 0,
    KINDS_DEVICE,  /* with arrays in the host's memory */
    KINDS_CHAINED, /* with arrays on the device, by the bench's route */
    /* Cores and the device; NULL: the device has a single core, and none is left. */
    KINDS_BOTH,
    KINDS_MACHINES
} kinds_machine;

typedef struct kinds_machines {
    sluice_machine *machine[KINDS_MACHINES];
    char units[KINDS_MACHINES][192];
    int cores;             /* workers of KINDS_CORES */
    peer_settings setting; /* for data on the device */
} kinds_machines;

/* Opens the machines for the device that the options name, whose machine is `device`. Failures have
 * been reported. */
bench_exit kinds_machines_open(kinds_machines *out, const bench_options *o, sluice_machine *device);
/* Closes all machines except the device's, which belongs to the caller. */
void kinds_machines_close(kinds_machines *m);

#endif
