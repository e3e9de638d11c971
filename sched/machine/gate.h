// SPDX-License-Identifier: BSD-3-Clause
/* A gate counts the blocks that each unit with a depth has in flight, since all plans of a machine,
 * their executions and streams, share these units. A thread that waits at a gate has blocks in
 * flight only on units that come earlier in the machine, if at all, so no thread waits forever. */
#ifndef SCHED_GATE_H
#define SCHED_GATE_H

#include <stdbool.h>

typedef struct sched_gate sched_gate;

/* NULL: out of memory. */
sched_gate *sched_gate_open(int units, int depth);
void sched_gate_close(sched_gate *gate); /* NULL is allowed */
/* Waits until there is room for one more block, after those that waited before, and counts it. */
void sched_gate_enter(sched_gate *gate, int unit);
/* The same if no waiting is needed; else returns false. */
bool sched_gate_try(sched_gate *gate, int unit);
void sched_gate_leave(sched_gate *gate, int unit);

#endif
