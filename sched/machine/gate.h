// SPDX-License-Identifier: BSD-3-Clause
/* Units with a depth are shared by all plans of a machine, by executions and streams: a gate counts
 * the blocks that each has in flight. Who waits at a gate either has no block in flight, or only on
 * units that come before it in the machine, so that no thread waits for ever. */
#ifndef SCHED_GATE_H
#define SCHED_GATE_H

#include <stdbool.h>

typedef struct sched_gate sched_gate;

/* NULL: out of memory. */
sched_gate *sched_gate_open(int units, int depth);
void sched_gate_close(sched_gate *gate); /* NULL is allowed */
/* Counts one block more, as soon as there is room for it and for those that waited before. */
void sched_gate_enter(sched_gate *gate, int unit);
/* The same, if it need not wait. */
bool sched_gate_try(sched_gate *gate, int unit);
void sched_gate_leave(sched_gate *gate, int unit);

#endif
