// SPDX-License-Identifier: BSD-3-Clause
/* The slots of a pipeline and the order of the blocks in them. Bookkeeping only: whoever calls
 * holds the pipeline's lock.
 *
 *   FREE -> FILLING -> QUEUED -> COMPUTING -> DONE -> READING -> FREE
 *   FILLING -> FREE (given back unused)      QUEUED -> DONE (cancelled)
 */
#ifndef STREAMING_SLOTS_H
#define STREAMING_SLOTS_H

#include <stdint.h>

#include "api/sluice.h"

typedef enum slot_state {
    SLOT_FREE = 0,
    SLOT_FILLING, /* the producer's */
    SLOT_QUEUED,
    SLOT_COMPUTING, /* a team's       */
    SLOT_DONE,
    SLOT_READING /* the consumer's */
} slot_state;

typedef struct stream_slot {
    sluice_slot shown; /* what the caller holds and may change; first */
    sluice_slot home;  /* what `shown` is whenever the slot is free   */
    slot_state state;
    uint64_t block; /* from QUEUED on: which block is in it        */
} stream_slot;

typedef struct stream_slots {
    int count;
    stream_slot *slot;
    stream_slot **ring; /* blocks in flight, oldest at `head` */
    int head, flying;
} stream_slots;

/* home[i]: pointers and full count of slot i; out == in means in place. E_MEMORY. */
sluice_status stream_slots_open(stream_slots *slots, int count, const sluice_slot *home);
void stream_slots_close(stream_slots *slots);
/* The slot a caller's pointer stands for; NULL: none of these. */
stream_slot *stream_slots_find(const stream_slots *slots, const sluice_slot *shown);
/* Any free slot, or NULL. */
stream_slot *stream_slots_spare(const stream_slots *slots);
/* The i-th oldest block in flight (QUEUED, COMPUTING or DONE), i < slots->flying. */
stream_slot *stream_slots_at(const stream_slots *slots, int i);
/* FILLING -> QUEUED as the youngest; the oldest, which is DONE -> READING; any -> FREE. */
void stream_slots_push(stream_slots *slots, stream_slot *slot, uint64_t block);
stream_slot *stream_slots_pop(stream_slots *slots);
void stream_slot_reset(stream_slot *slot);
/* A transition; asserts that the slot was in `from`. */
void stream_slot_move(stream_slot *slot, slot_state from, slot_state to);
/* Checks what the producer put into its slot; in place, `out` follows a changed `in`. E_INVALID for
 * missing or surplus pointers, a count of 0 or above the full one, in place an out of its own. */
sluice_status stream_slot_check(stream_slot *slot, sluice_diag *why);

#endif
