// SPDX-License-Identifier: BSD-3-Clause
/* Transforms that exceed the memory of a device. */
#ifndef SCHED_BLOCKS_H
#define SCHED_BLOCKS_H

#include "sched/planner/formula.h"

/* A formula of a problem in passes through the host's memory. Each pass is a stream of blocks; the
 * unit's memory holds those in flight. Blocks are `part` times smaller than possible if part > 1.
 * NULL: the context failed, with a sentence: E_UNSUPPORTED for kinds other than c2c, E_MEMORY if no
 * block fits. */
const spl *sched_blocks(const sched_target *t, const sluice_problem *p, int part);

#endif
