// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/slots.h"

#include <assert.h>

#include "core/mem.h"

sluice_status stream_slots_open(stream_slots *slots, int count, const sluice_slot *home)
{
    *slots = (stream_slots){.count = count};
    slots->slot = core_calloc((size_t)count, sizeof *slots->slot);
    slots->ring = core_calloc((size_t)count, sizeof *slots->ring);
    if (slots->slot == NULL || slots->ring == NULL) {
        stream_slots_close(slots);
        return SLUICE_E_MEMORY;
    }
    for (int i = 0; i < count; i++)
        slots->slot[i].home = slots->slot[i].shown = home[i];
    return SLUICE_OK;
}

void stream_slots_close(stream_slots *slots)
{
    core_free(slots->slot);
    core_free(slots->ring);
    *slots = (stream_slots){0};
}

stream_slot *stream_slots_find(const stream_slots *slots, const sluice_slot *shown)
{
    for (int i = 0; i < slots->count; i++)
        if (&slots->slot[i].shown == shown)
            return &slots->slot[i];
    return NULL;
}

stream_slot *stream_slots_spare(const stream_slots *slots)
{
    for (int i = 0; i < slots->count; i++)
        if (slots->slot[i].state == SLOT_FREE)
            return &slots->slot[i];
    return NULL;
}

stream_slot *stream_slots_at(const stream_slots *slots, int i)
{
    assert(i < slots->flying);
    return slots->ring[(slots->head + i) % slots->count];
}

void stream_slots_push(stream_slots *slots, stream_slot *slot, uint64_t block)
{
    assert(slots->flying < slots->count);
    stream_slot_move(slot, SLOT_FILLING, SLOT_QUEUED);
    slot->block = block;
    slots->ring[(slots->head + slots->flying) % slots->count] = slot;
    slots->flying++;
}

stream_slot *stream_slots_pop(stream_slots *slots)
{
    stream_slot *slot = stream_slots_at(slots, 0);
    stream_slot_move(slot, SLOT_DONE, SLOT_READING);
    slots->head = (slots->head + 1) % slots->count;
    slots->flying--;
    return slot;
}

void stream_slot_reset(stream_slot *slot)
{
    slot->shown = slot->home;
    slot->state = SLOT_FREE;
}

static bool may_move(slot_state from, slot_state to)
{
    switch (from) {
    case SLOT_FREE: return to == SLOT_FILLING;
    case SLOT_FILLING: return to == SLOT_QUEUED;
    case SLOT_QUEUED: return to == SLOT_COMPUTING || to == SLOT_DONE;
    case SLOT_COMPUTING: return to == SLOT_DONE;
    case SLOT_DONE: return to == SLOT_READING;
    case SLOT_READING: break; /* ends in a reset */
    }
    return false;
}

void stream_slot_move(stream_slot *slot, slot_state from, slot_state to)
{
    assert(slot->state == from && may_move(from, to));
    (void)from;
    (void)may_move;
    slot->state = to;
}

/* In place a new input alone means: the output goes there too. False: it goes elsewhere. */
static bool follow(void **out, void *in, const void *home_out, const void *home_in)
{
    if (home_in == NULL || home_out != home_in)
        return true;
    if (*out == home_out)
        *out = in;
    return *out == in;
}

static bool both_or_neither(const void *a, const void *b)
{
    return (a == NULL) == (b == NULL);
}

sluice_status stream_slot_check(stream_slot *slot)
{
    sluice_slot s = slot->shown;
    const sluice_slot *home = &slot->home;
    if (!follow(&s.out, s.in, home->out, home->in)
        || !follow(&s.out_im, s.in_im, home->out_im, home->in_im))
        return SLUICE_E_INVALID;
    if (s.in == NULL || s.out == NULL || !both_or_neither(s.in_im, home->in_im)
        || !both_or_neither(s.out_im, home->out_im))
        return SLUICE_E_INVALID;
    if (s.count == 0 || s.count > home->count)
        return SLUICE_E_INVALID;
    slot->shown = s;
    return SLUICE_OK;
}
