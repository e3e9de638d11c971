// SPDX-License-Identifier: BSD-3-Clause
/* Columns that do not fill a vector run the same codelet on a whole vector, so that a column's
 * result never depends on its position: either the vector starts early and repeats some columns (if
 * output and input are disjoint and no column of another part is touched), or the columns go
 * through a small buffer with idle lanes. */
#include <stdalign.h>
#include <string.h>

#include "backends/cpu/run/cpu_small.h"
#include "backends/cpu/run/cpu_tail.h"

/* `count` columns from where `call` points, through buffers with idle (zero) lanes. */
static void run_padded(const bind_tail *t, const spl_call *call, int count)
{
    enum { BYTES = BIND_MAX_ROWS * 16 * 2 * (int)sizeof(double) };
    alignas(64) char in[BYTES];
    alignas(64) char out[BYTES];
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];
    const int rows = t->n + t->outputs; /* more than any side takes */
    const bool in_apart = t->pass || t->in == SPL_MIRROR,
               out_apart = t->pass || t->out == SPL_MIRROR;
    const cpu_small from = cpu_small_of(t, BIND_ARRAY(char, in), t->in, t->rows_in,
                                        in_apart && call->ics1 != call->ics, t->lanes);
    const cpu_small to = cpu_small_of(t, BIND_ARRAY(char, out), t->out, t->rows_out,
                                      out_apart && call->ocs1 != call->ocs, t->lanes);
    spl_call c = *call;

    memset(BIND_ARRAY(char, in), 0, (size_t)(rows * t->lanes) * 2 * t->scalar);
    cpu_small_load(&from, call, t, count);
    cpu_call_use(t, &c, &from, false, in_off);
    cpu_call_use(t, &c, &to, true, out_off);
    c.lanes = (size_t)t->lanes;
    bind_run(t->run, &c, 0, t->sets ? 1 : (size_t)t->lanes);
    cpu_small_store(&to, call, t, count);
}

/* The last `rest` columns before hi, of the sets of twiddles first..first+count-1. */
static void pad_columns(const bind_tail *t, spl_call *call, size_t hi, size_t rest, size_t first,
                        size_t count)
{
    const char *const tw = call->tw;
    const ptrdiff_t at = (ptrdiff_t)(hi - rest);

    cpu_call_by_columns(t, call, at);
    for (size_t r = first; r < first + (t->sets ? count : 1); r++) {
        if (t->sets)
            cpu_call_by_sets(t, call, (ptrdiff_t)r);
        if (t->tw == SPL_TW_BROADCAST)
            call->tw = tw + r * t->block * t->scalar;
        run_padded(t, call, (int)rest);
        if (t->sets)
            cpu_call_by_sets(t, call, -(ptrdiff_t)r);
    }
    cpu_call_by_columns(t, call, -at);
}

/* The last `rest` columns before hi; broadcast: of the sets of twiddles first..first+count-1. */
static void run_tail(const bind_tail *t, spl_call *call, size_t lo, size_t hi, size_t rest,
                     size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const void *const tw = call->tw, *const grid = call->grid;
    const bool overlaps = t->overlap && hi >= lo + lanes;

    cpu_call_to_block(t, call, overlaps ? (t->columns + lanes - 1) / lanes : (hi - rest) / lanes);
    if (overlaps) {
        const ptrdiff_t at = (ptrdiff_t)(hi - lanes);
        cpu_call_by_columns(t, call, at);
        call->lanes = lanes;
        bind_run(t->run, call, t->sets ? first : 0, t->sets ? count : lanes);
        cpu_call_by_columns(t, call, -at);
    } else {
        pad_columns(t, call, hi, rest, first, count);
    }
    call->tw = tw;
    call->grid = grid;
}

void cpu_columns(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi,
                 size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const bool repeats = t->repeats && hi >= lo + lanes;
    const size_t full = repeats ? hi - lo : (hi - lo) / lanes * lanes;

    if (hi <= lo)
        return;
    if (!t->sets) {
        if (full)
            bind_run(run, call, lo, full);
    } else if (full) {
        cpu_call_by_columns(t, call, (ptrdiff_t)lo);
        call->lanes = full;
        bind_run(run, call, first, count);
        cpu_call_by_columns(t, call, -(ptrdiff_t)lo);
    }
    if (full != hi - lo)
        run_tail(t, call, lo, hi, hi - lo - full, first, count);
}
