// SPDX-License-Identifier: BSD-3-Clause
/* The machines that the suite `kinds` compares. Where the device computes on the host's cores, as
 * PoCL does, the cores are as many as it has, and beside it they and it share them. */
#ifndef KINDS_MACHINES_H
#define KINDS_MACHINES_H

#include "bench/bench_options.h"

typedef enum kinds_machine {
    KINDS_CORES = 0,
    KINDS_DEVICE,  /* arrays of the host's                                                  */
    KINDS_CHAINED, /* arrays on the device, by the bench's route                            */
    KINDS_BOTH,    /* cores and the device; NULL: it has one core, which there is no other of */
    KINDS_MACHINES
} kinds_machine;

typedef struct kinds_machines {
    sluice_machine *machine[KINDS_MACHINES];
    char units[KINDS_MACHINES][192];
    int cores;             /* workers of KINDS_CORES */
    peer_settings setting; /* with the data on the device */
} kinds_machines;

/* Of the device that the options name, whose machine is `device`. What fails has been printed. */
bench_exit kinds_machines_open(kinds_machines *out, const bench_options *o, sluice_machine *device);
/* All but the device's, which stays its caller's. */
void kinds_machines_close(kinds_machines *m);

#endif
