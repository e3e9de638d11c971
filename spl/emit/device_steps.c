// SPDX-License-Identifier: BSD-3-Clause
/* The launches of a program as steps of the host. Loops stay loops, so neither the program nor the
 * time to make it grows with their trip counts. */
#include <string.h>

#include "core/mem.h"
#include "spl/emit/device_program.h"

/* ---- made ---- */

static bool make_room(device_program *d)
{
    device_step *more = core_realloc(d->step, ((size_t)d->nsteps + 1) * sizeof *more);

    if (more)
        d->step = more;
    return more != NULL;
}

int device_step_add(device_program *d, int kernel, const spl_range *range)
{
    if (!make_room(d))
        return -1;
    d->step[d->nsteps] = (device_step){.kernel = kernel, .end = d->nsteps};
    if (range)
        d->step[d->nsteps].range = *range;
    return d->nsteps++;
}

bool device_step_around(device_program *d, int kernel, bool before)
{
    if (!before)
        return device_step_add(d, kernel, NULL) >= 0;
    if (!make_room(d))
        return false;
    for (int i = 0; i < d->nsteps; i++)
        d->step[i].end++;
    memmove(d->step + 1, d->step, (size_t)d->nsteps++ * sizeof *d->step);
    d->step[0] = (device_step){.kernel = kernel};
    return true;
}

/* ---- walked ---- */

device_walk device_walk_begin(const device_program *d, int64_t block)
{
    device_walk w = {.program = d, .end = d->nsteps};

    if (block < 0 || d->nsteps == 0 || d->step[0].kernel >= 0)
        return w;
    w.value[d->step[0].range.var] = block;
    w.at = 1;
    w.end = d->step[0].end;
    return w;
}

/* At the end of a loop: goes to its next iteration, or leaves it. */
static void end_loops(device_walk *w)
{
    while (w->depth > 0) {
        const int loop = w->loop[w->depth - 1];
        const device_step *s = &w->program->step[loop];
        if (w->at < s->end)
            return;
        if (++w->value[s->range.var] < w->past[w->depth - 1]) {
            w->at = loop + 1;
            return;
        }
        w->depth--;
    }
}

bool device_walk_next(device_walk *w)
{
    for (end_loops(w); w->at < w->end; end_loops(w)) {
        const device_step *s = &w->program->step[w->at];
        int64_t lo, hi;
        if (s->kernel >= 0) {
            w->kernel = s->kernel;
            w->at++;
            return true;
        }
        spl_range_bounds(&s->range, w->value, &lo, &hi);
        w->loop[w->depth] = w->at++;
        w->past[w->depth++] = hi;
        w->value[s->range.var] = lo;
        if (lo >= hi)
            w->at = s->end;
    }
    return false;
}

/* ---- counted ---- */

/* Is one of the loops in steps from .. to-1 a share by the variable? */
static bool is_shared(const device_program *d, int from, int to, int var)
{
    bool shared = false;

    for (int i = from; i < to; i++)
        shared = shared || (d->step[i].kernel < 0 && d->step[i].range.share_var == var);
    return shared;
}

/* Launches of steps from .. to-1. Iterations have the same number, unless they are shares. */
static int64_t count(const device_program *d, int from, int to, int64_t *value)
{
    int64_t launches = 0;

    for (int i = from; i < to; i++) {
        const device_step *s = &d->step[i];
        int64_t lo, hi;
        if (s->kernel >= 0) {
            launches++;
            continue;
        }
        spl_range_bounds(&s->range, value, &lo, &hi);
        if (!is_shared(d, i + 1, s->end, s->range.var)) {
            launches += (hi - lo) * count(d, i + 1, s->end, value);
        } else {
            for (value[s->range.var] = lo; value[s->range.var] < hi; value[s->range.var]++)
                launches += count(d, i + 1, s->end, value);
        }
        i = s->end - 1;
    }
    return launches;
}

int64_t device_launches(const device_program *d)
{
    int64_t value[IX_MAX_VARS] = {0};

    return count(d, 0, d->nsteps, value);
}
