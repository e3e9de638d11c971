// SPDX-License-Identifier: BSD-3-Clause
/* The price of a pass of groups, in cycles of a unit for one transform: the time for its bytes,
 * times factors for what slows copying down, and the latency that no other group hides:
 *
 *     bytes max(1, units / groups) (1 + exchanges + runs + items + alone / G + factors / cache)
 *     + launch + stages + points
 *
 * where units / groups exceeds 1 if some units have no group, and G is the number of groups that a
 * unit runs at a time. The other names stand for the functions below and the backend's constants
 * (backends/group_unit.h). */
#include <math.h>

#include "core/number.h"
#include "sched/planner/groups_pass.h"

/* Memory moves whole sectors, so elements that fill less than one cost extra. */
static double short_sector(const sched_target *t, int64_t run)
{
    return sched_group_lacking(t->groups.short_sector, (double)sched_group_line(t) / SCHED_SECTORS,
                               (double)run);
}

/* Extra cost on the sides of the first and the last stage. Columns are runs that are far apart. In
 * rows neighbouring items access neighbouring elements, and other elements of these items complete
 * the lines soon. A transform of one item without columns is copied line by line. */
static double short_runs(const sched_target *t, const sched_pass *x, int64_t l)
{
    if (!sched_group_exchanges(x, l))
        return 2 * sched_group_short_run(t, x->w);
    if (x->stages == 1)
        return 0;
    return l == x->w ? short_sector(t, x->n / x->radix[0] * l)
                           + short_sector(t, x->n / x->radix[x->stages - 1] * l)
                     : 2 * sched_group_short_run(t, x->w);
}

double sched_group_bytes_cycles(const sched_target *t, int64_t elements)
{
    return t->groups.byte_cycles * 2 * (double)(sched_complex_bytes(t->precision) * elements);
}

/* The most registers of an item in any stage. The last stage of a transform has no twiddles. */
static double pass_registers(const sched_target *t, const sched_pass *x, int64_t l)
{
    double most = 0;

    for (int q = 0; q < x->stages; q++) {
        const double registers = sched_group_registers(t, x->radix[q], l > 1 || q < x->stages - 1);
        most = registers > most ? registers : most;
    }
    return most;
}

/* For each item with work in the last stage this many may be idle. */
enum { FEW_IDLE = 4 };

/* Extra cost if the first or the last stage has more items than the stages between them, if the
 * first one, which waits for memory, has fewer, or if the last one has far fewer. */
static double uneven_items(const sched_target *t, const sched_pass *x)
{
    const double items = (double)sched_group_items_of(x);
    const double last = items / (double)(x->n / x->radix[x->stages - 1]);
    double turns = 0;

    for (int q = 0; q < x->stages; q++)
        turns += fmax(0, (double)(x->n / x->radix[q]) / items - 1);
    return t->groups.turn * turns
           + t->groups.first_idle * fmax(0, items / (double)(x->n / x->radix[0]) - 1)
           + t->groups.last_idle * fmax(0, last - FEW_IDLE);
}

/* Extra cost because all items wait: for the numbers that an item loads before it computes and, for
 * rows of one stage, for its copies. */
static double first_points(const sched_target *t, const sched_pass *x, int64_t l)
{
    const int copied = x->stages > 1 ? 1 : l == 1 ? 2 : 0;

    return t->groups.first_point * (double)(copied * x->radix[0]);
}

/* Extra cost if a core runs the items of a group one after another. A stage of r points has n/r
 * items busy, out of those that the smallest radix needs. An item keeps r numbers in a stage
 * between others, which works in place. */
static double turns_of_items(const sched_target *t, const sched_pass *x)
{
    const int last = x->stages - 1;
    const int64_t all = sched_group_smallest(x, 0, x->stages);
    double more = t->groups.apart * (double)x->radix[0]
                  + t->groups.idle * (double)(x->radix[last] - all) / (double)all;

    for (int q = 1; q < last; q++)
        more += t->groups.kept * (double)x->radix[q] / (double)all;
    return last > 0 ? more : 0;
}

double sched_group_exchange(const sched_target *t, const sched_pass *x, int64_t l, int64_t b)
{
    return t->groups.exchange * (sched_group_held(t, x, l, b).halves ? t->groups.halves : 1);
}

/* The number of groups with this many registers and bytes of local memory that a unit has at a
 * time. */
static int64_t resident_groups(const sched_target *t, double registers, int64_t bytes)
{
    const int64_t local = bytes > 0 ? bytes + t->groups.group_local : 0;
    int64_t groups = (int64_t)((double)t->unit.registers / registers);

    if (t->groups.resident_groups > 0)
        groups = core_min(groups, t->groups.resident_groups);
    if (t->groups.unit_local > 0 && local > 0)
        groups = core_min(groups, t->groups.unit_local / local);
    return groups < 1 ? 1 : groups;
}

/* The factors that the stages read, relative to the cache that local memory leaves. Limited,
 * because beyond that they come from the next cache anyway. */
static double factors_cached(const sched_target *t, const sched_pass *x, int64_t groups,
                             int64_t local)
{
    const int64_t held = core_min(groups * (local + t->groups.group_local), t->groups.unit_local);
    int64_t numbers = 0, rest = x->n;

    for (int q = 0; q < x->stages - 1; q++) {
        rest /= x->radix[q];
        numbers += rest * sched_group_turns(x->radix[q]);
    }
    return t->groups.unit_cache > held ? fmin((double)(numbers * sched_complex_bytes(t->precision))
                                                  / (double)(t->groups.unit_cache - held),
                                              t->groups.factors_most)
                                       : 0;
}

/* Latency that no other group hides. */
static double latency_of(const sched_target *t, const sched_pass *x)
{
    double points = 0;

    for (int q = 0; q < x->stages; q++)
        points += (double)x->radix[q];
    return t->groups.launch + t->groups.stage * x->stages + t->groups.point * points;
}

/* If units have less than one group each, the others are idle. */
double sched_group_pass_cycles(const sched_target *t, const sched_pass *x, const sched_place *at)
{
    const int64_t l = at->columns, all = sched_group_all(t, at),
                  b = sched_group_batch(t, x, l, sched_group_shared(t, at)),
                  points = b * x->n * x->w;
    const sched_held h = sched_group_held(t, x, l, b);
    const double units = t->unit.compute_units,
                 each = (double)(all * x->n * l) / (double)points / units;
    const int64_t whole = resident_groups(t, pass_registers(t, x, l) * (double)h.items, h.bytes);
    const int exchanged = x->stages > 1 ? x->stages - 1 : l == 1 ? 2 : 0;
    const double bytes = (double)(points * sched_complex_bytes(t->precision));

    return sched_group_bytes_cycles(t, x->n * l) * (each < 1 ? 1 / each : 1)
               * (1 + sched_group_exchange(t, x, l, b) * exchanged + short_runs(t, x, l)
                  + uneven_items(t, x) + first_points(t, x, l) + turns_of_items(t, x)
                  + t->groups.alone / (double)whole
                  + t->groups.factors * factors_cached(t, x, whole, h.bytes)
                  + sched_group_lacking(t->groups.small_group, (double)t->groups.group_bytes,
                                        bytes))
           + latency_of(t, x) / (double)all;
}
