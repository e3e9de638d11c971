// SPDX-License-Identifier: BSD-3-Clause
/* The time that a unit takes for a problem, for sharing the problem between kinds of units; as text
 * in wisdom. */
#ifndef SCHED_RATES_H
#define SCHED_RATES_H

#include <stdbool.h>

#include "api/sluice.h"
#include "core/text.h"

/* All in seconds, for one unit. */
typedef struct sched_rate {
    double seconds; /* of the whole problem, with transfers to and from the unit; 0: unknown */
    double latency; /* part of `seconds` that any share of the problem takes */
    double pace;    /* from block to block in a stream */
    bool measured;  /* false: predicted */
} sched_rate;

/* "seconds=N latency=N pace=N", in whole picoseconds. */
void sched_rate_print(const sched_rate *rate, core_text *out);
/* E_PARSE. A rate that was read counts as measured. */
sluice_status sched_rate_read(const char *text, sched_rate *out, sluice_diag *why);

#endif
