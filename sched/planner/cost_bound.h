// SPDX-License-Identifier: BSD-3-Clause
/* A lower bound on the cost of any list of radices. A length whose bound exceeds the price of a
 * known list is not searched. */
#ifndef SCHED_COST_BOUND_H
#define SCHED_COST_BOUND_H

#include "sched/planner/radix.h"

typedef struct sched_cost_bound sched_cost_bound;

/* For DFT_n of n = 2^a 3^b 5^c up to `longest` points, with the codelets of the model; NULL: out of
 * memory. */
sched_cost_bound *sched_cost_bound_open(const sched_radix_model *model, int64_t longest);
void sched_cost_bound_close(sched_cost_bound *bound); /* NULL is allowed */
/* No list that sched_radices_find() returns for this model costs less. n = 2^a 3^b 5^c. */
double sched_cost_bound_cycles(sched_cost_bound *bound, const sched_radix_model *model, int64_t n);

#endif
