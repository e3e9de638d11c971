// SPDX-License-Identifier: BSD-3-Clause
/* Columns that do not fill a vector run in codelets of shorter vectors, or in a whole vector of the
 * same codelet, so that a column's result never depends on its position. Such a whole vector either
 * starts early and repeats some columns, or it is copied through a small buffer with idle lanes.
 * Starting early requires that output and input are disjoint and that no column of another part is
 * touched; in pairs in place the vector is computed first, and its results wait in a buffer. */
#include <stdalign.h>
#include <string.h>

#include "backends/cpu/run/cpu_small.h"
#include "backends/cpu/run/cpu_tail.h"

/* Both sides of a call, copied to small buffers. */
typedef struct small_sides {
    cpu_small in, out;
} small_sides;

static small_sides sides_of(const bind_tail *t, const spl_call *call, char *in, char *out)
{
    const bool in_apart = t->pairs || t->in == SPL_MIRROR,
               out_apart = t->pairs || t->out == SPL_MIRROR;

    return (small_sides){
        cpu_small_of(t, in, t->in, t->rows_in, in_apart && call->ics1 != call->ics, t->lanes),
        cpu_small_of(t, out, t->out, t->rows_out, out_apart && call->ocs1 != call->ocs, t->lanes)};
}

/* Runs `count` columns, the first of which `call` points to and is column `at` of all, in the
 * buffers. Codelets with factored twiddles count columns from the beginning of their table. */
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
    c.set_columns = (size_t)t->lanes;
    cpu_call_by_columns(t, &c, -(ptrdiff_t)first);
    bind_run(t->run, &c, first, (size_t)(t->sets ? sides->in.sets : t->lanes));
    cpu_small_store(&sides->out, call, t, count);
}

/* Runs the last `rest` columns before hi in buffers, with zeros in idle lanes; for the sets
 * first .. first+count-1, as many sets at a time as the buffers hold. */
static void pad_columns(const bind_tail *t, spl_call *call, size_t hi, size_t rest, size_t first,
                        size_t count)
{
    alignas(64) char in[BIND_SMALL_BYTES];
    alignas(64) char out[BIND_SMALL_BYTES];
    const char *const tw = (const char *)call->tw;
    const ptrdiff_t at = (ptrdiff_t)(hi - rest);
    small_sides sides = sides_of(t, call, BIND_ARRAY(char, in), BIND_ARRAY(char, out));
    const size_t bytes = bind_padded_bytes(t), room = bind_padded_sets(t);
    const size_t end = first + (t->sets ? count : 1);

    memset(BIND_ARRAY(char, in), 0, (end - first < room ? end - first : room) * bytes);
    cpu_call_by_columns(t, call, at);
    for (size_t r = first; r < end; r += room) {
        if (t->sets)
            cpu_call_by_sets(t, call, (ptrdiff_t)r);
        if (t->tw == SPL_TW_BROADCAST)
            call->tw = tw + r * t->block * t->scalar;
        sides.in.sets = sides.out.sets = (int)(end - r < room ? end - r : room);
        sides.in.apart = sides.out.apart = (ptrdiff_t)bytes;
        run_padded(t, call, &sides, (int)rest, hi - rest);
        if (t->sets)
            cpu_call_by_sets(t, call, -(ptrdiff_t)r);
    }
    cpu_call_by_columns(t, call, -at);
}

/* The columns, of so many, that one call of the codelet computes. */
static size_t whole_columns(const bind_tail *t, size_t columns)
{
    const size_t lanes = (size_t)t->lanes;

    return t->repeats && columns >= lanes ? columns : columns / lanes * lanes;
}

/* Runs `full` columns from lo on. */
static void run_whole(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo,
                      size_t full, size_t first, size_t count)
{
    if (full && !t->sets) {
        bind_run(run, call, lo, full);
    } else if (full) {
        cpu_call_by_columns(t, call, (ptrdiff_t)lo);
        call->set_columns = full;
        bind_run(run, call, first, count);
        cpu_call_by_columns(t, call, -(ptrdiff_t)lo);
    }
}

/* Runs the last `rest` columns before hi; if the codelet counts sets, of first .. first+count-1. */
static void run_tail(const bind_tail *t, spl_call *call, size_t lo, size_t hi, size_t rest,
                     size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const void *const tw = call->tw, *const tw_shared = call->tw_shared;
    const bool starts_early = t->may_start_early && hi >= lo + lanes;

    if (starts_early && t->tw == SPL_TW_FACTORED) { /* counts its columns */
        bind_run(t->run, call, hi - lanes, lanes);
        return;
    }
    cpu_call_to_block(t, call,
                      starts_early ? (t->columns + lanes - 1) / lanes : (hi - rest) / lanes);
    if (starts_early) {
        const ptrdiff_t at = (ptrdiff_t)(hi - lanes);
        cpu_call_by_columns(t, call, at);
        call->set_columns = lanes;
        bind_run(t->run, call, t->sets ? first : 0, t->sets ? count : lanes);
        cpu_call_by_columns(t, call, -at);
    } else {
        pad_columns(t, call, hi, rest, first, count);
    }
    call->tw = tw;
    call->tw_shared = tw_shared;
}

/* Chooses the shorter vectors for the last `rest` columns before hi: the shortest that hold them
 * all, if a vector may start early, else the longest that they fill. BIND_WIDTHS: the op's own. */
static int width_of(const bind_tail *t, size_t lo, size_t hi, size_t rest)
{
    const bool early = t->may_start_early && hi >= lo + (size_t)t->lanes;
    int found = BIND_WIDTHS;

    for (int i = 0; i < BIND_WIDTHS && t->shorter[i].lanes; i++) {
        const size_t lanes = (size_t)t->shorter[i].lanes;
        if (early ? lanes >= rest : lanes <= rest && found == BIND_WIDTHS)
            found = i;
    }
    return found;
}

/* Runs the last `rest` columns before hi in shorter vectors. Returns how many are left. */
static size_t run_shorter(const bind_tail *t, spl_call *call, size_t lo, size_t hi, size_t rest,
                          size_t first, size_t count)
{
    for (int i = width_of(t, lo, hi, rest); rest && i < BIND_WIDTHS;
         i = width_of(t, lo, hi, rest)) {
        const size_t lanes = (size_t)t->shorter[i].lanes, all = lanes < rest ? rest : lanes;
        const ptrdiff_t at = (ptrdiff_t)(hi - all);
        cpu_call_by_columns(t, call, at);
        call->set_columns = lanes;
        bind_run(t->shorter[i].run, call, t->sets ? first : 0, t->sets ? count : lanes);
        cpu_call_by_columns(t, call, -at);
        rest = all - lanes;
    }
    return rest;
}

/* Runs all columns: whole vectors, shorter ones, and what is left. */
static void run_columns(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo,
                        size_t hi, size_t first, size_t count)
{
    const size_t full = whole_columns(t, hi - lo);

    run_whole(t, run, call, lo, full, first, count);
    const size_t rest = run_shorter(t, call, lo, hi, hi - lo - full, first, count);
    if (rest)
        run_tail(t, call, lo, hi, rest, first, count);
}

/* Runs `count` sets. Their last vectors are computed first, into a buffer, and stored at the
 * end. */
static void run_sets_early(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo,
                           size_t hi, size_t count, char *buffer)
{
    const size_t lanes = (size_t)t->lanes, full = (hi - lo) / lanes * lanes, rest = hi - lo - full;
    const ptrdiff_t row = 2 * (ptrdiff_t)lanes;
    spl_call last = *call;

    cpu_call_by_columns(t, &last, (ptrdiff_t)(hi - lanes));
    last.set_columns = lanes;
    last.out_re = buffer;
    last.os = row * (2 * (ptrdiff_t)count - 1);
    last.oouter = row;
    bind_run(t->run, &last, 0, count);
    run_whole(t, run, call, lo, full, 0, count);
    cpu_call_by_columns(t, call, (ptrdiff_t)(hi - rest));
    last.out_re = buffer + (size_t)(row - 2 * (ptrdiff_t)rest) * t->scalar;
    cpu_sets_store(t, &last, call, rest, count);
    cpu_call_by_columns(t, call, -(ptrdiff_t)(hi - rest));
}

static void run_early(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi,
                      size_t first, size_t count)
{
    alignas(64) char buffer[BIND_SMALL_BYTES];
    const char *const tw = (const char *)call->tw;
    const size_t set = (size_t)(t->outputs * t->lanes) * 2 * t->scalar;
    const size_t columns = (size_t)t->n * (hi - lo) * 2 * t->scalar;
    const size_t room = BIND_SMALL_BYTES / set;
    const size_t near = columns < BIND_SMALL_BYTES ? BIND_SMALL_BYTES / columns : 1;
    const size_t piece = room < near ? room : near, end = first + count;

    for (size_t k = first; k < end; k += piece) {
        cpu_call_by_sets(t, call, (ptrdiff_t)k);
        if (t->tw == SPL_TW_BROADCAST)
            call->tw = tw + k * t->block * t->scalar;
        run_sets_early(t, run, call, lo, hi, end - k < piece ? end - k : piece,
                       BIND_ARRAY(char, buffer));
        cpu_call_by_sets(t, call, -(ptrdiff_t)k);
    }
    call->tw = tw;
}

void cpu_columns(const bind_tail *t, spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi,
                 size_t first, size_t count)
{
    if (hi <= lo)
        return;
    if (bind_goes_first(t, hi - lo))
        run_early(t, run, call, lo, hi, first, count);
    else
        run_columns(t, run, call, lo, hi, first, count);
}
