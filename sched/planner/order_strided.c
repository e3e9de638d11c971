// SPDX-License-Identifier: BSD-3-Clause
/* Sides without adjacent elements, such as every other point or a few interleaved channels, are
 * read and written in place by the codelet for one column, which takes rows of any stride, one
 * transform at a time. Moving or padding a few short transforms takes longer than that. */
#include "sched/planner/groups.h"
#include "sched/planner/order.h"
#include "sched/planner/radix.h"
#include "sched/problem/problem.h"

/* The largest problem, in points, for which single calls are considered: the codelets' strides
 * decide its time, not the caches. */
enum { MAX_POINTS = 4096 };

static int first_axis(const sched_order *o)
{
    int i = 0;

    while (i < o->count && o->piece[i].axis < 0)
        i++;
    return i;
}

/* Are the columns after the axis so few that they do not fill vectors? In place the last vector may
 * not begin early. */
static bool has_few_columns(const sched_target *t, const sched_order *o, int axis)
{
    const int64_t columns = sched_order_points(o, axis + 1, o->count);

    return t->in_place && columns > 1 && columns < 2 * t->lanes && columns % t->lanes != 0;
}

/* In place a transform must be written where it was read. */
static bool has_same_strides(const sluice_problem *p)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim x = sched_problem_dim(p, d);
        if (x.n > 1 && x.in_stride != x.out_stride)
            return false;
    }
    return true;
}

/* The number of calls for the columns after the axis. */
static int64_t calls_of(const sched_order *o, const sluice_problem *p, int axis)
{
    const int64_t columns = sched_order_points(o, axis + 1, o->count);
    const bool adjacent =
        sched_order_adjacent(o, p, 0) >= columns && sched_order_adjacent(o, p, 1) >= columns;

    return adjacent ? 1 : columns;
}

/* Results are scaled call by call, which takes longer than the calls if there are several. */
static bool is_scaled_apart(const sluice_problem *p, const sched_order *o, int axis)
{
    return sched_problem_factor(p) != 1
           && (sched_order_points(o, 0, axis) > 1 || calls_of(o, p, axis) > 1);
}

static bool suits(const sched_target *t, const sluice_problem *p, const sched_order *o)
{
    const int axis = first_axis(o);

    return t->lanes > 1 && sched_problem_axes(p) == 1 && axis < o->count && !sched_has_groups(t)
           && t->mode == BACKEND_FUSED && t->table->team->kernel_cycles && !sched_side_split(p, 0)
           && !sched_side_split(p, 1) && p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0
           && sched_order_points(o, 0, o->count) <= MAX_POINTS
           && o->piece[axis].n <= SCHED_MAX_UNTWIDDLED && (!p->in_place || has_same_strides(p))
           && (o->moved[0] || o->moved[1] || has_few_columns(t, o, axis))
           && !is_scaled_apart(p, o, axis)
           && t->table->team->kernel_cycles(t->backend, t->costs, SPL_DFT, o->piece[axis].n,
                                            t->precision, BACKEND_STRIDED)
                  > 0;
}

int sched_add_strided(const sched_target *t, const sluice_problem *p, sched_order *out, int count)
{
    for (int i = 0; i < count; i++) {
        if (out[i].codelet_transposes[0] || out[i].codelet_transposes[1] || !suits(t, p, &out[i]))
            continue;
        out[count] = out[i];
        out[count].strided = calls_of(&out[i], p, first_axis(&out[i]));
        out[count].moved[0] = out[count].moved[1] = false;
        out[count].codelet_transposes[0] = out[count].codelet_transposes[1] = false;
        out[count].transposing_stages = SCHED_NOT_TRANSPOSING;
        return count + 1;
    }
    return count;
}
