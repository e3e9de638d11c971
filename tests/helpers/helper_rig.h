// SPDX-License-Identifier: BSD-3-Clause
/* Teams of the fake backend and slots for them, for tests of streaming/. A block is RIG_COUNT
 * items, an item is one complex float, "computing" copies a slot's in to its out. */
#ifndef TESTS_HELPER_RIG_H
#define TESTS_HELPER_RIG_H

#include <stdint.h>

#include "backends/backend.h"
#include "streaming/pipeline.h"

enum { RIG_TEAMS = 4, RIG_SLOTS = 16, RIG_COUNT = 24 };

typedef struct rig_item {
    float block, index;
} rig_item;

typedef struct rig {
    backend *b;
    prog body;
    backend_program *program;
    stream_team team[RIG_TEAMS];
    sluice_slot initial[RIG_SLOTS];
    rig_item in[RIG_SLOTS][RIG_COUNT], out[RIG_SLOTS][RIG_COUNT];
} rig;

/* `text` configures the fake backend. OK, or what failed. */
sluice_status rig_open(rig *r, const char *text);
void rig_close(rig *r);
/* A pipeline on the rig's first teams and slots. */
sluice_status rig_pipeline(rig *r, const stream_schedule *schedule, int slots,
                           stream_pipeline **out);
/* What block k holds, and whether these are the first `count` items of block k. */
void rig_fill(rig_item *items, uint64_t k, size_t count);
bool rig_holds(const rig_item *items, uint64_t k, size_t count);
/* The name of the backend's last fault, "" for none. */
sluice_diag rig_fault(const rig *r);

#endif
