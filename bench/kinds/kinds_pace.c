// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kinds/kinds_pace.h"

#include <stdbool.h>
#include <string.h>

#include "bench/engine/bench_clock.h"

enum { LEAST_BLOCKS = 100, EDGE = 32 }; /* EDGE: blocks at the start that do not count */

/* ---- streams */

typedef struct feed {
    const sluice_machine *machine;
    double seconds, start;
    size_t bytes, got, put, by_device;
    const void *slot[KINDS_SLOTS]; /* slots that were filled */
    int slots;
    bool ended;     /* no further blocks are given */
    size_t counted; /* blocks put between `begin` and `end` */
    double begin, end;
} feed;

static bool is_new(feed *f, const void *in)
{
    for (int i = 0; i < f->slots; i++)
        if (f->slot[i] == in)
            return false;
    if (f->slots == KINDS_SLOTS)
        return false;
    f->slot[f->slots++] = in;
    return true;
}

static sluice_status give_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    f->ended = f->counted >= LEAST_BLOCKS && bench_now() - f->start > f->seconds;
    if (f->ended)
        return SLUICE_END;
    if (is_new(f, slot->in))
        memset(slot->in, 0, f->bytes);
    f->got++;
    return SLUICE_OK;
}

static bool is_device(const sluice_machine *machine, int unit)
{
    sluice_unit_info info = {0};
    return unit >= 0 && sluice_machine_unit_info(machine, unit, &info) == SLUICE_OK
           && info.kind == SLUICE_UNIT_OPENCL;
}

/* Blocks that finish after the last one was given do not overlap with others, so they do not
 * count. */
static sluice_status take_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    f->put++;
    f->by_device += is_device(f->machine, slot->unit);
    if (f->put == EDGE)
        f->begin = bench_now();
    if (f->put > EDGE && !f->ended) {
        f->end = bench_now();
        f->counted++;
    }
    return slot->status;
}

sluice_status kinds_pace_stream(kinds_pace *out, const sluice_machine *machine,
                                const sluice_plan *plan, size_t block_bytes, double seconds,
                                sluice_diag *why)
{
    const sluice_stream_options options = {.why = why};
    feed f = {.machine = machine, .bytes = block_bytes, .seconds = seconds, .start = bench_now()};
    const sluice_status status =
        sluice_stream_run(plan, give_block, take_block, &f, &options, NULL);
    if (status != SLUICE_OK)
        return status;
    *out = (kinds_pace){.block_s = (f.end - f.begin) / (double)f.counted,
                        .device = (double)f.by_device / (double)f.put,
                        .slots = f.slots};
    return SLUICE_OK;
}

/* ---- without a stream */

typedef struct arrays {
    int count;
    void *in[KINDS_SLOTS], *out[KINDS_SLOTS];
} arrays;

static bool open_arrays(arrays *a, int count, size_t bytes)
{
    *a = (arrays){.count = 0};
    for (int i = 0; i < count; i++) {
        a->in[i] = sluice_alloc(bytes);
        a->out[i] = sluice_alloc(bytes);
        a->count++;
        if (!a->in[i] || !a->out[i])
            return false;
        memset(a->in[i], 0, bytes);
    }
    return true;
}

static void close_arrays(arrays *a)
{
    for (int i = 0; i < a->count; i++) {
        sluice_free(a->in[i]);
        sluice_free(a->out[i]);
    }
}

static sluice_status execute_round(const sluice_plan *plan, const arrays *a, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    for (int i = 0; i < a->count && status == SLUICE_OK; i++) {
        const sluice_arrays arrays = {.in = a->in[i], .out = a->out[i], .why = why};
        status = sluice_execute_with(plan, &arrays, NULL);
    }
    return status;
}

sluice_status kinds_pace_turns(double *block_s, const sluice_plan *plan, int slots,
                               size_t block_bytes, double seconds, sluice_diag *why)
{
    arrays a;
    double begin = bench_now(), end = begin;
    size_t done = 0;
    sluice_status status =
        open_arrays(&a, slots, block_bytes) ? execute_round(plan, &a, why) : SLUICE_E_MEMORY;
    for (begin = bench_now(); status == SLUICE_OK && (done < LEAST_BLOCKS || end - begin < seconds);
         end = bench_now()) {
        status = execute_round(plan, &a, why);
        done += (size_t)slots;
    }
    close_arrays(&a);
    *block_s = (end - begin) / (double)done;
    return status;
}
