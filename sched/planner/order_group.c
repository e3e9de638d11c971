// SPDX-License-Identifier: BSD-3-Clause
/* A call on few columns takes longer than its arithmetic. In a packed batch of arrays that are much
 * smaller than L1, g arrays are a block, and one call computes its rows:
 *     I_b (x) (A_m (x) I_n) (I_m (x) B_n)  =  I_b/g (x) (I_g (x) A_m (x) I_n) (I_gm (x) B_n) */
#include <string.h>

#include "core/number.h"
#include "sched/planner/groups.h"
#include "sched/planner/order.h"
#include "sched/problem/problem.h"

/* Small arrays are grouped within 1/GROUP_SHARE of L1, if a group has more than GROUP_MIN of them
 * and each part still has GROUPS_MIN groups. If the data exceed a few local stores and a share of
 * L3, a group must have more than GROUP_FAR_MIN arrays (docs/log/peers.md). */
enum {
    GROUP_SHARE = 8,
    GROUP_MIN = 4,
    GROUP_FAR_MIN = 12,
    GROUPS_MIN = 4,
    CACHED_STORES = 4,
    CACHED_SHARE = 8
};

int64_t sched_divisor_near(int64_t n, int64_t max)
{
    return n < 2 * max ? n : max > 1 ? core_largest_divisor(n, max) : 1;
}

int sched_order_lead(const sched_order *o)
{
    int lead = 0;

    while (lead < o->count && o->piece[lead].axis < 0 && !o->piece[lead].group)
        lead++;
    return lead;
}

/* Is this a packed batch of arrays with several axes? */
static bool is_packed_batch(const sched_target *t, const sched_order *o, const sluice_problem *p)
{
    const int64_t all = sched_order_points(o, 0, o->count);

    return sched_problem_axes(p) > 1 && sched_all_dft(p) && !sched_has_groups(t)
           && t->mode == BACKEND_FUSED && sched_order_adjacent(o, p, 0) == all
           && sched_order_adjacent(o, p, 1) == all;
}

int64_t sched_group_of(const sluice_unit_info *unit, int64_t bytes, int64_t n, int64_t all)
{
    const size_t total = (size_t)(bytes * all);
    const bool cached =
        total <= CACHED_STORES * unit->local_store || total <= unit->l3 / CACHED_SHARE;
    const int64_t most = (int64_t)unit->l1 / GROUP_SHARE / bytes;
    const int64_t g = sched_divisor_near(n, most);

    return most > (cached ? GROUP_MIN : GROUP_FAR_MIN) && n / g >= GROUPS_MIN ? g : 1;
}

void sched_group_arrays(const sched_target *t, sched_order *o, const sluice_problem *p)
{
    const int at = sched_order_lead(o) - 1;

    if (at < 0 || o->count == SCHED_MAX_PIECES || o->piece[at + 1].group
        || !is_packed_batch(t, o, p))
        return;
    sched_piece *x = &o->piece[at];
    const int64_t bytes =
        sched_order_points(o, at + 1, o->count) * sched_complex_bytes(t->precision);
    const int64_t g = sched_group_of(&t->unit, bytes, x->n, sched_order_points(o, 0, at + 1));
    if (g < 2 || x->n / g < GROUPS_MIN * t->parts)
        return;
    memmove(x + 1, x, (size_t)(o->count++ - at) * sizeof *x);
    x[1].n = g;
    x[1].group = true;
    x->n /= g;
    x->step *= g;
}
