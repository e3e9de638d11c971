// SPDX-License-Identifier: BSD-3-Clause
/* What stands around a transform's formula: a constant, and the edges that ortho weighs. */
#ifndef SCHED_FRAME_H
#define SCHED_FRAME_H

#include "api/sluice.h"
#include "spl/formula/spl.h"

/* D.const(scale) edges core edges, of the whole batch. */
const spl *sched_framed(spl_ctx *ctx, const sluice_problem *problem, const spl *core, double scale);

#endif
