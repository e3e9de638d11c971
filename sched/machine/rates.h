// SPDX-License-Identifier: BSD-3-Clause
/* What a unit takes for a problem, for sharing it between kinds of units; as text in wisdom. */
#ifndef SCHED_RATES_H
#define SCHED_RATES_H

#include <stdbool.h>

#include "api/sluice.h"
#include "core/text.h"

/* All in seconds, of one unit. */
typedef struct sched_rate {
    double seconds; /* of the whole problem, ways there and back included; 0: not known */
    double latency; /* of these, what any part of it takes */
    double pace;    /* from block to block of a stream */
    bool measured;  /* else predicted */
} sched_rate;

/* "seconds=N latency=N pace=N", in whole picoseconds. */
void sched_rate_print(const sched_rate *rate, core_text *out);
/* E_PARSE. What was read counts as measured. */
sluice_status sched_rate_read(const char *text, sched_rate *out, sluice_diag *why);

#endif
