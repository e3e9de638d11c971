// SPDX-License-Identifier: BSD-3-Clause
/* The unit that reproducible plans are made for: typical of current cores, so that the formulas are
 * good on most of them, and the same on all. */
#include "backends/isa_target.h"
#include "sched/planner/formula.h"

static double alike_cycles(const backend *b, const double *costs, int kind, int64_t n,
                           sluice_precision precision, backend_use use)
{
    (void)b, (void)costs;
    return isa_target_alike_cycles(kind, n, precision, use);
}

void sched_target_make_alike(sched_target *t, int64_t vec_lanes)
{
    static const backend_team team = {.kernel_cycles = alike_cycles};
    static const backend_table table = {.name = "alike", .team = &team};
    static const sluice_unit_info unit = {.l1 = 32 << 10,
                                          .l2 = 1 << 20,
                                          .line = 64,
                                          .local_store = 512 << 10,
                                          .lanes_f32 = 8,
                                          .lanes_f64 = 4};
    const int groups = t->unit.groups;

    t->table = &table;
    t->backend = NULL;
    t->costs = NULL;
    t->unit = unit;
    t->unit.groups = groups;
    t->lanes = t->precision == SLUICE_F32 ? unit.lanes_f32 : unit.lanes_f64;
    t->vec_lanes = vec_lanes;
}
