// SPDX-License-Identifier: BSD-3-Clause
/* What the process answers, the same for every command of the project. */
#ifndef BENCH_EXIT_H
#define BENCH_EXIT_H

#include "api/sluice.h"

typedef enum bench_exit {
    BENCH_DONE = 0,
    BENCH_CHECK_FAILED = 1,
    BENCH_USAGE = 2, /* wrong usage, or a problem that is refused */
    BENCH_IO = 3,    /* a file, a device, memory                  */
    BENCH_STOP = 4,  /* no failure, but nothing more to do (--help); main answers BENCH_DONE */
    BENCH_INTERRUPTED = 130 /* as a shell says it: 128 + SIGINT */
} bench_exit;

/* What could be asked differently is the asker's mistake; all else is the machine's. */
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
