// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/frame.h"

#include "sched/planner/edges.h"
#include "spl/rules/scale.h"

const spl *sched_framed(spl_ctx *ctx, const sluice_problem *p, const spl *core, double scale)
{
    return spl_scaled(ctx, sched_with_edges(ctx, p, 0, core), scale);
}
