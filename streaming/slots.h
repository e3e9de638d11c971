// SPDX-License-Identifier: BSD-3-Clause
/* The slots of a pipeline and the order of the blocks in them. Bookkeeping only: callers hold the
 * pipeline's lock.
 *
 *   FREE -> FILLING -> QUEUED -> COMPUTING -> DONE -> READING -> FREE
 *   FILLING -> FREE (released unused)        QUEUED -> DONE (cancelled)
 *   COMPUTING -> QUEUED (given back by a lost team, or by one whose unit has no room yet)
 */
#ifndef STREAMING_SLOTS_H
#define STREAMING_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"

typedef enum slot_state {
    SLOT_FREE = 0,
    SLOT_FILLING, /* owned by the producer */
    SLOT_QUEUED,
    SLOT_COMPUTING, /* owned by a team */
    SLOT_DONE,
    SLOT_READING /* owned by the consumer */
} slot_state;

typedef struct stream_slot {
    sluice_slot public_slot; /* the caller's view, which it may change; first member */
    sluice_slot initial;     /* value of `public_slot` while the slot is free */
    slot_state state;
    uint64_t block;  /* number of its block, from QUEUED on */
    bool given_back; /* by a team that was lost: any team may take it, whatever the schedule */
} stream_slot;

typedef struct stream_slots {
    int count;
    stream_slot *slot;
    stream_slot **ring; /* blocks in flight, oldest at `head` */
    int head, in_flight;
} stream_slots;

/* initial[i]: pointers and full count of slot i; out == in means in place. E_MEMORY. */
sluice_status stream_slots_open(stream_slots *slots, int count, const sluice_slot *initial);
void stream_slots_close(stream_slots *slots);
/* The slot of a caller's pointer; NULL: not one of these. */
stream_slot *stream_slots_find(const stream_slots *slots, const sluice_slot *public_slot);
/* Any free slot, or NULL. */
stream_slot *stream_slots_find_free(const stream_slots *slots);
/* The i-th oldest block in flight (QUEUED, COMPUTING or DONE), i < slots->in_flight. */
stream_slot *stream_slots_at(const stream_slots *slots, int i);
/* push: FILLING -> QUEUED, as the youngest block. pop: returns the oldest, DONE -> READING. reset:
 * any state -> FREE. */
void stream_slots_push(stream_slots *slots, stream_slot *slot, uint64_t block);
stream_slot *stream_slots_pop(stream_slots *slots);
void stream_slot_reset(stream_slot *slot);
/* Changes the state from `from`, which is asserted, to `to`. */
void stream_slot_move(stream_slot *slot, slot_state from, slot_state to);
/* Checks the producer's slot; in place, `out` follows a changed `in`. E_INVALID for missing or
 * surplus pointers, a count of 0 or above the full count, and in place an `out` that differs from
 * `in`. */
sluice_status stream_slot_check(stream_slot *slot, sluice_diag *why);

#endif
