// SPDX-License-Identifier: BSD-3-Clause
/* The pace of blocks: in the middle of a stream, from block to block; and of executions that use in
 * turn as many arrays as the stream had slots, so that the data of both are in the same caches. */
#ifndef KINDS_PACE_H
#define KINDS_PACE_H

#include "api/sluice.h"

enum { KINDS_SLOTS = 256 };

typedef struct kinds_pace {
    double block_s;
    double device; /* the share of all blocks that devices computed */
    int slots;     /* number of slots used, at most KINDS_SLOTS */
} kinds_pace;

/* Runs blocks of the plan in the stream's own slots for about `seconds`, at least 100. */
sluice_status kinds_pace_stream(kinds_pace *out, const sluice_machine *machine,
                                const sluice_plan *plan, size_t block_bytes, double seconds,
                                sluice_diag *why);

/* Executes the plan, out of place, on `slots` pairs of arrays in turn, for about `seconds`, at
 * least 100 times; the first round does not count. */
sluice_status kinds_pace_turns(double *block_s, const sluice_plan *plan, int slots,
                               size_t block_bytes, double seconds, sluice_diag *why);

#endif
