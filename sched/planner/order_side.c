// SPDX-License-Identifier: BSD-3-Clause
/* How a side of the problem is read or written in an order. There are three ways: columns as they
 * lie; rows, by a codelet of the axis that transposes vectors of columns (position A: columns in,
 * rows out; position R: the reverse); or moves. */
#include "sched/planner/groups.h"
#include "sched/planner/order.h"
#include "sched/planner/radix.h"
#include "sched/problem/problem.h"

ptrdiff_t sched_piece_stride(const sluice_problem *p, const sched_piece *x, int side)
{
    const sluice_dim dim = sched_problem_dim(p, x->dim);

    return (side ? dim.out_stride : dim.in_stride) * (ptrdiff_t)x->step;
}

int64_t sched_order_adjacent(const sched_order *o, const sluice_problem *p, int side)
{
    int64_t points = 1;

    for (int i = o->count - 1; i >= 0; i--) {
        if (sched_piece_stride(p, &o->piece[i], side) != (ptrdiff_t)points)
            break;
        points *= o->piece[i].n;
    }
    return points;
}

/* Do the pieces from `first` on have one stride on a side? */
static bool is_uniform(const sched_order *o, const sluice_problem *p, int first, int side)
{
    bool uniform = true;

    for (int i = first; i + 1 < o->count; i++)
        uniform =
            uniform
            && sched_piece_stride(p, &o->piece[i], side)
                   == (ptrdiff_t)o->piece[i + 1].n * sched_piece_stride(p, &o->piece[i + 1], side);
    return uniform;
}

/* Does a side of an axis have adjacent rows, which one codelet reads or writes in vectors of the
 * columns after the axis? */
static bool codelet_transposes(const sched_target *t, const sched_order *o, const sluice_problem *p,
                               int axis, int side)
{
    const sched_piece *x = &o->piece[axis];
    const backend_use use = side ? BACKEND_ROWS_OUT : BACKEND_ROWS_IN;

    return axis + 1 < o->count && sched_piece_stride(p, x, side) == 1
           && is_uniform(o, p, axis + 1, 0) && is_uniform(o, p, axis + 1, 1)
           && !sched_side_split(p, 0) && !sched_side_split(p, 1) && t->table->team->kernel_cycles
           && x->n <= SCHED_MAX_UNTWIDDLED
           && t->table->team->kernel_cycles(t->backend, t->costs, SPL_DFT, x->n, t->precision, use)
                  > 0;
}

/* The axis whose stage reads (side 0) or writes (side 1) a side. */
static int axis_of(const sched_order *o, int side)
{
    int axis = side ? 0 : o->count - 1;

    while (o->piece[axis].axis < 0)
        axis += side ? 1 : -1;
    return axis;
}

/* Must a side be moved, because neither its rows nor whole vectors of its columns are adjacent? */
static bool is_moved(const sched_target *t, const sched_order *o, const sluice_problem *p, int side)
{
    const int last = o->count - 1, axis = axis_of(o, side);
    const int64_t points = sched_order_adjacent(o, p, side);

    if (t->interleaves_sides && sched_side_split(p, side))
        return true;
    /* No stage of columns with twiddles reads split numbers and writes interleaved ones. */
    if (!side && sched_side_split(p, 0) && !sched_side_split(p, 1) && axis != last
        && o->piece[axis].n > SCHED_MAX_RADIX)
        return true;
    return points == 1
           || (axis != last && points < t->lanes && points < sched_order_points(o, 0, o->count));
}

/* Decides how a side is read or written. If axes have different kinds, they stay in the order in
 * which their transforms must run. */
static void place_side(const sched_target *t, sched_order *o, const sluice_problem *p, int side)
{
    o->moved[side] = o->codelet_transposes[side] = false;
    if (!sched_all_dft(p) || o->lead == o->count || sched_problem_cyclic(p, side).parts != 0)
        return;
    o->codelet_transposes[side] = codelet_transposes(t, o, p, axis_of(o, side), side);
    o->moved[side] = !o->codelet_transposes[side] && is_moved(t, o, p, side);
}

backend_use sched_order_transposing_codelet(const sched_order *o, int i)
{
    if (o->codelet_transposes[0] && axis_of(o, 0) == i)
        return BACKEND_ROWS_IN;
    return o->codelet_transposes[1] && axis_of(o, 1) == i ? BACKEND_ROWS_OUT
                                                          : SCHED_NOT_TRANSPOSING;
}

/* On a side that is moved, is the batch dimension before the axis adjacent, so that it can be
 * columns: in whole vectors, or all of it? */
static bool is_beside(const sched_target *t, const sched_order *o, const sluice_problem *p, int i,
                      int side)
{
    const sched_piece *x = &o->piece[i - 1];
    const bool all = x->n == (int64_t)sched_problem_dim(p, x->dim).n && x->n >= t->lanes;

    return (all || (x->n % t->lanes == 0 && x->n >= SCHED_MOVED_ROWS)) && o->moved[side]
           && !o->moved[!side] && sched_piece_stride(p, x, side) == 1;
}

static backend_use transposing_stages_of(const sched_target *t, const sched_order *o,
                                         const sluice_problem *p)
{
    const int i = o->count - 1;

    if (i < 1 || o->piece[i].axis < 0 || sched_problem_axes(p) > 1 || t->lanes == 1
        || sched_has_groups(t) || !t->table->team->kernel_cycles || sched_side_split(p, 0)
        || sched_side_split(p, 1))
        return SCHED_NOT_TRANSPOSING;
    if (is_beside(t, o, p, i, 0))
        return BACKEND_ROWS_OUT;
    return is_beside(t, o, p, i, 1) ? BACKEND_ROWS_IN : SCHED_NOT_TRANSPOSING;
}

void sched_order_place_sides(const sched_target *t, sched_order *o, const sluice_problem *p)
{
    for (int side = 0; side < 2; side++)
        place_side(t, o, p, side);
    o->transposing_stages = transposing_stages_of(t, o, p);
}
