// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/slots.h"

#include <assert.h>

#include "core/mem.h"
#include "core/status.h"

sluice_status stream_slots_open(stream_slots *slots, int count, const sluice_slot *initial)
{
    *slots = (stream_slots){.count = count};
    slots->slot = core_calloc((size_t)count, sizeof *slots->slot);
    slots->ring = core_calloc((size_t)count, sizeof *slots->ring);
    if (slots->slot == NULL || slots->ring == NULL) {
        stream_slots_close(slots);
        return SLUICE_E_MEMORY;
    }
    for (int i = 0; i < count; i++)
        slots->slot[i].initial = slots->slot[i].public_slot = initial[i];
    return SLUICE_OK;
}

void stream_slots_close(stream_slots *slots)
{
    core_free(slots->slot);
    core_free(slots->ring);
    *slots = (stream_slots){0};
}

stream_slot *stream_slots_find(const stream_slots *slots, const sluice_slot *public_slot)
{
    for (int i = 0; i < slots->count; i++)
        if (&slots->slot[i].public_slot == public_slot)
            return &slots->slot[i];
    return NULL;
}

stream_slot *stream_slots_find_free(const stream_slots *slots)
{
    for (int i = 0; i < slots->count; i++)
        if (slots->slot[i].state == SLOT_FREE)
            return &slots->slot[i];
    return NULL;
}

stream_slot *stream_slots_at(const stream_slots *slots, int i)
{
    assert(i < slots->in_flight);
    return slots->ring[(slots->head + i) % slots->count];
}

void stream_slots_push(stream_slots *slots, stream_slot *slot, uint64_t block)
{
    assert(slots->in_flight < slots->count);
    stream_slot_move(slot, SLOT_FILLING, SLOT_QUEUED);
    slot->block = block;
    slot->public_slot.unit = -1;
    slots->ring[(slots->head + slots->in_flight) % slots->count] = slot;
    slots->in_flight++;
}

stream_slot *stream_slots_pop(stream_slots *slots)
{
    stream_slot *slot = stream_slots_at(slots, 0);
    stream_slot_move(slot, SLOT_DONE, SLOT_READING);
    slots->head = (slots->head + 1) % slots->count;
    slots->in_flight--;
    return slot;
}

void stream_slot_reset(stream_slot *slot)
{
    slot->public_slot = slot->initial;
    slot->state = SLOT_FREE;
    slot->given_back = false;
}

static bool may_move(slot_state from, slot_state to)
{
    switch (from) {
    case SLOT_FREE: return to == SLOT_FILLING;
    case SLOT_FILLING: return to == SLOT_QUEUED;
    case SLOT_QUEUED: return to == SLOT_COMPUTING || to == SLOT_DONE;
    case SLOT_COMPUTING: return to == SLOT_DONE || to == SLOT_QUEUED;
    case SLOT_DONE: return to == SLOT_READING;
    case SLOT_READING: break; /* left by a reset only */
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

/* In place, a new input without a new output sets the output too. False: the output differs from
 * the input. */
static bool output_follows_input(void **out, void *in, const void *initial_out,
                                 const void *initial_in)
{
    if (initial_in == NULL || initial_out != initial_in)
        return true;
    if (*out == initial_out)
        *out = in;
    return *out == in;
}

/* The imaginary part of a side must be given if and only if the plan's side is split. */
static sluice_status check_im(const char *name, const void *im, const void *initial_im,
                              sluice_diag *why)
{
    if ((im == NULL) == (initial_im == NULL))
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_INVALID, 0,
                     initial_im == NULL
                         ? "%s is given, but its side is interleaved: it must be NULL"
                         : "%s is NULL, but its side is split",
                     name);
}

sluice_status stream_slot_check(stream_slot *slot, sluice_diag *why)
{
    sluice_slot s = slot->public_slot;
    const sluice_slot *initial = &slot->initial;
    if (s.count == 0 || s.count > initial->count)
        return core_fail(why, SLUICE_E_INVALID, 0, "count is %zu: a block has 1 to %zu transforms",
                         s.count, initial->count);
    if (s.in == NULL || s.out == NULL)
        return core_fail(why, SLUICE_E_INVALID, 0, "%s is NULL", s.in == NULL ? "in" : "out");
    sluice_status status = check_im("in_im", s.in_im, initial->in_im, why);
    if (status == SLUICE_OK)
        status = check_im("out_im", s.out_im, initial->out_im, why);
    if (status != SLUICE_OK)
        return status;
    if (!output_follows_input(&s.out, s.in, initial->out, initial->in)
        || !output_follows_input(&s.out_im, s.in_im, initial->out_im, initial->in_im))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "input and output differ: the problem is in place, so they must be equal");
    slot->public_slot = s;
    return SLUICE_OK;
}
