// SPDX-License-Identifier: BSD-3-Clause
/* Exit statuses, the same for every command of the project. */
#ifndef BENCH_EXIT_H
#define BENCH_EXIT_H

#include "api/sluice.h"

typedef enum bench_exit {
    BENCH_DONE = 0,
    BENCH_CHECK_FAILED = 1,
    BENCH_USAGE = 2, /* wrong usage, or a problem that is refused */
    BENCH_IO = 3,    /* a file, a device or memory failed */
    BENCH_STOP = 4,  /* no failure, but nothing more to do (--help); main returns BENCH_DONE */
    BENCH_INTERRUPTED = 130 /* as shells report it: 128 + SIGINT */
} bench_exit;

/* A request that the user can change is a usage error; everything else is a failure of the machine.
 */
static inline bench_exit bench_exit_of(sluice_status status)
{
    switch (status) {
    case SLUICE_E_INVALID:
    case SLUICE_E_PARSE:
    case SLUICE_E_UNSUPPORTED: return BENCH_USAGE;
    default: return status == SLUICE_OK ? BENCH_DONE : BENCH_IO;
    }
}

#endif
