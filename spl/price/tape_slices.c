// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the loops that move their data in slices: those that are cheaper with them. */
#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_slices.h"
#include "spl/price/tape.h"

/* Slices must lower the program's price by more than this share, the error of prices. */
static const double least_gain = 0.1;
/* If the arrays fit this share of L3, results are not put in slices, which bypass L3. */
static const double held_share = 0.75;

static sluice_status price_all(const bind_tape *tape, const price_unit *unit, double *seconds)
{
    double memory = 0;
    const sluice_status status = price_tape(tape, unit, seconds, &memory);

    *seconds += memory;
    return status;
}

/* Bytes of the arrays that an execution reads and writes. */
static double array_bytes(const bind_tape *tape)
{
    double bytes = 0;

    for (int b = 0; b < tape->nbufs; b++)
        if (tape->body->buf[b].space != PROG_LOCAL)
            bytes += (double)bind_buffer_bytes(tape, b);
    return bytes;
}

/* Finds the cheapest way for a loop to move its input and output in slices, if one is cheaper than
 * `seconds`. */
static sluice_status choose_kinds(bind_tape *tape, const price_unit *unit, size_t loop,
                                  bind_slices *best, bool *found, double *seconds)
{
    static const bind_slice_kinds kinds[] = {BIND_SLICE_GET, BIND_SLICE_PUT, BIND_SLICE_BOTH};
    sluice_status status = SLUICE_OK;
    const bool held = array_bytes(tape) <= held_share * unit->figure[PRICE_L3];
    bind_slices one;

    *found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == SLUICE_OK; i++) {
        double now = 0;
        if ((held && kinds[i] != BIND_SLICE_GET) || !bind_slices_find(tape, loop, kinds[i], &one))
            continue;
        if (*seconds == 0)
            status = price_all(tape, unit, seconds);
        tape->op[loop].slices = &one;
        status = status == SLUICE_OK ? price_all(tape, unit, &now) : status;
        tape->op[loop].slices = NULL;
        if (status != SLUICE_OK || now >= *seconds * (*found ? 1 : 1 - least_gain))
            continue;
        *found = true;
        *seconds = now;
        *best = one;
    }
    return status;
}

sluice_status price_choose_slices(bind_tape *tape, const price_unit *unit, sluice_diag *why)
{
    double seconds = 0;
    bind_slices best;
    bind_op kernel;
    bool found;

    for (size_t i = 0; i < tape->nops; i++) {
        const bool split = bind_slices_split(tape, i, &kernel);
        const sluice_status status = choose_kinds(tape, unit, i, &best, &found, &seconds);
        if (split && !found)
            bind_slices_join(tape, i, &kernel);
        if (status != SLUICE_OK || (found && !bind_slices_use(tape, i, &best)))
            return core_fail_memory(why);
        i = found ? tape->op[i].end - 1 : i;
    }
    return SLUICE_OK;
}
