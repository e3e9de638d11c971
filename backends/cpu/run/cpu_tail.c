// SPDX-License-Identifier: BSD-3-Clause
/* Columns that do not fill a vector run the same codelet on a whole vector, so that a column's
 * result never depends on its position: either the vector starts early and repeats some columns (if
 * output and input are disjoint and no column of another part is touched), or the columns go
 * through a small buffer with idle lanes. */
#include <stdalign.h>
#include <string.h>

#include "backends/cpu/run/cpu_small.h"
#include "backends/cpu/run/cpu_tail.h"

/* Buffers, and sets that go through them together: so many that what was moved there has left for the
 * cache before it is loaded as vectors. */
enum { SMALL_BYTES = BIND_MAX_ROWS * 16 * 2 * (int)sizeof(double), SETS_BYTES = SMALL_BYTES / 4 };

/* Both sides of a call in buffers. */
typedef struct small_sides {
    cpu_small in, out;
} small_sides;

static small_sides sides_of(const bind_tail *t, const spl_call *call, char *in, char *out)
{
    const bool in_apart = t->pass || t->in == SPL_MIRROR,
               out_apart = t->pass || t->out == SPL_MIRROR;

    return (small_sides){
        cpu_small_of(t, in, t->in, t->rows_in, in_apart && call->ics1 != call->ics, t->lanes),
        cpu_small_of(t, out, t->out, t->rows_out, out_apart && call->ocs1 != call->ocs, t->lanes)};
}

/* `count` columns from where `call` points, column `at` of all, which the buffers hold. Products count
 * their columns from the beginning of the table. */
static void run_padded(const bind_tail *t, const spl_call *call, const small_sides *sides,
                       int count, size_t at)
{
    const size_t first = t->tw == SPL_TW_FACTORED ? at : 0;
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];
    spl_call c = *call;

    cpu_small_load(&sides->in, call, t, count);
    cpu_call_use(t, &c, &sides->in, false, in_off);
    cpu_call_use(t, &c, &sides->out, true, out_off);
    c.iouter = c.oouter = sides->in.apart / (ptrdiff_t)t->scalar;
    c.lanes = (size_t)t->lanes;
    if (first)
        c = cpu_call_at_column(t, &c, -(ptrdiff_t)first);
    bind_run(t->run, &c, first, (size_t)(t->sets ? sides->in.sets : t->lanes));
    cpu_small_store(&sides->out, call, t, count);
}

/* The same through buffers with idle (zero) lanes; of the sets first..first+sets-1, as many at a time
 * as there is room for. */
static void padded(const bind_tail *t, const spl_call *call, int count, size_t at, size_t first,
                   size_t sets)
{
    alignas(64) char in[SMALL_BYTES];
    alignas(64) char out[SMALL_BYTES];
    small_sides sides = sides_of(t, call, BIND_ARRAY(char, in), BIND_ARRAY(char, out));
    const size_t bytes = (size_t)((t->n + t->outputs) * t->lanes) * 2 * t->scalar;
    const bool alone = t->pass || t->in == SPL_MIRROR || t->out == SPL_MIRROR || bytes > SETS_BYTES;
    const size_t room = alone ? 1 : SETS_BYTES / bytes;

    memset(BIND_ARRAY(char, in), 0, (sets < room ? sets : room) * bytes);
    for (size_t k = 0; k < sets; k += room) {
        spl_call c = t->sets ? cpu_call_at_set(t, call, (ptrdiff_t)(first + k)) : *call;
        if (t->tw == SPL_TW_BROADCAST)
            c.tw = (const char *)call->tw + (first + k) * t->block * t->scalar;
        sides.in.sets = sides.out.sets = (int)(sets - k < room ? sets - k : room);
        sides.in.apart = sides.out.apart = (ptrdiff_t)bytes;
        run_padded(t, &c, &sides, count, at);
    }
}

/* The last `rest` columns before hi; broadcast: of the sets of twiddles first..first+count-1. */
static void run_tail(const bind_tail *t, const spl_call *call, size_t lo, size_t hi, size_t rest,
                     size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const bool rows = t->sets;

    if (t->overlap && hi >= lo + lanes && t->tw == SPL_TW_FACTORED) {
        bind_run(t->run, call, hi - lanes, lanes);
        return;
    }
    if (t->overlap && hi >= lo + lanes) {
        spl_call c = cpu_call_at_column(t, call, (ptrdiff_t)(hi - lanes));
        cpu_call_to_block(t, &c, (t->columns + lanes - 1) / lanes);
        c.lanes = lanes;
        bind_run(t->run, &c, rows ? first : 0, rows ? count : lanes);
        return;
    }
    spl_call c = cpu_call_at_column(t, call, (ptrdiff_t)(hi - rest));
    if (t->tw != SPL_TW_BROADCAST)
        cpu_call_to_block(t, &c, (hi - rest) / lanes);
    padded(t, &c, (int)rest, hi - rest, first, rows ? count : 1);
}

void cpu_columns(const bind_tail *t, spl_codelet_fn *run, const spl_call *call, size_t lo,
                 size_t hi, size_t first, size_t count)
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
        spl_call c = cpu_call_at_column(t, call, (ptrdiff_t)lo);
        c.lanes = full;
        bind_run(run, &c, first, count);
    }
    if (full != hi - lo)
        run_tail(t, call, lo, hi, hi - lo - full, first, count);
}
