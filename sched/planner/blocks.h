// SPDX-License-Identifier: BSD-3-Clause
/* Transforms that the memory of a device does not hold. */
#ifndef SCHED_BLOCKS_H
#define SCHED_BLOCKS_H

#include "sched/planner/formula.h"

/* A formula of a problem in passes through the host's memory, each a stream of blocks of which the
 * unit's memory holds what is in flight; they are `part` times less than that where it is more than
 * 1. NULL: the context failed, E_UNSUPPORTED for kinds other than c2c, E_MEMORY where no block
 * would fit, both with a sentence. */
const spl *sched_blocks(sched_target *t, const sluice_problem *p, int part);

#endif
