// SPDX-License-Identifier: BSD-3-Clause
/* Is a number of buffers enough for the multibuffered schedule? Found out by running it. */
#ifndef HELPER_SCHEDULE_H
#define HELPER_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"

/* In step t, from -1 to s, these run at once: get block t+1, compute block t, put block t-1. Block
 * k uses slot k mod slots on each side; out_slots 0: in place. OK if no slot is used by two at
 * once. */
sluice_status check_schedule(int64_t s, int in_slots, int out_slots, sluice_diag *why);

#endif
