// SPDX-License-Identifier: BSD-3-Clause
/* The pace of blocks: of a stream, from block to block in its middle, and of executions that take
 * as many arrays in turn as the stream had slots, so that both have what lies in the same caches. */
#ifndef KINDS_PACE_H
#define KINDS_PACE_H

#include "api/sluice.h"

enum { KINDS_SLOTS = 256 };

typedef struct kinds_pace {
    double block_s;
    double device; /* the share of all blocks that devices computed */
    int slots;     /* which were used, up to KINDS_SLOTS */
} kinds_pace;

/* Blocks of the plan from the stream's own slots, for about `seconds`, at least 100. */
sluice_status kinds_pace_stream(kinds_pace *out, const sluice_machine *machine,
                                const sluice_plan *plan, size_t block_bytes, double seconds,
                                sluice_diag *why);

/* Executions of the plan on `slots` pairs of arrays in turn, out of place, for about `seconds`, at
 * least 100, and none before the first round. */
sluice_status kinds_pace_turns(double *block_s, const sluice_plan *plan, int slots,
                               size_t block_bytes, double seconds, sluice_diag *why);

#endif
