// SPDX-License-Identifier: BSD-3-Clause
/* Teams of the fake backend and slots for them, for tests of streaming/. A block is FIXTURE_COUNT
 * items, an item is one complex float, "computing" copies a slot's in to its out. */
#ifndef TESTS_HELPER_FIXTURE_H
#define TESTS_HELPER_FIXTURE_H

#include <stdint.h>

#include "backends/backend.h"
#include "streaming/pipeline.h"

enum { FIXTURE_TEAMS = 4, FIXTURE_SLOTS = 16, FIXTURE_COUNT = 24 };

typedef struct fixture_item {
    float block, index;
} fixture_item;

typedef struct stream_fixture {
    backend *b;
    prog body;
    backend_program *program;
    stream_team team[FIXTURE_TEAMS];
    sluice_slot initial[FIXTURE_SLOTS];
    fixture_item in[FIXTURE_SLOTS][FIXTURE_COUNT], out[FIXTURE_SLOTS][FIXTURE_COUNT];
} stream_fixture;

/* `text` configures the fake backend, whose unit i is team i; it has as many units as teams are
 * used. OK, or the failure. */
sluice_status fixture_open(stream_fixture *r, const char *text);
void fixture_close(stream_fixture *r);
/* Opens a pipeline on the fixture's first teams and slots. */
sluice_status fixture_pipeline(stream_fixture *r, const stream_schedule *schedule, int slots,
                               stream_pipeline **out);
/* Writes the first `count` items of block k; checks that these are they. */
void fixture_fill(fixture_item *items, uint64_t k, size_t count);
bool fixture_holds(const fixture_item *items, uint64_t k, size_t count);
/* The backend's last fault by name, "" if none. */
sluice_diag fixture_fault(const stream_fixture *r);

#endif
