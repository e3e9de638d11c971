// SPDX-License-Identifier: BSD-3-Clause
/* A lower bound on the cost of any list of radices. A length whose bound exceeds the price of a
 * known list is not searched. */
#ifndef SCHED_LEAST_H
#define SCHED_LEAST_H

#include "sched/planner/radix.h"

typedef struct sched_least sched_least;

/* For DFT_n of n = 2^a 3^b 5^c up to `longest` points, with the codelets of the model; NULL: out of
 * memory. */
sched_least *sched_least_open(const sched_radix_model *model, int64_t longest);
void sched_least_close(sched_least *least); /* NULL is allowed */
/* No list that sched_radices_find() returns for this model costs less. n = 2^a 3^b 5^c. */
double sched_least_cycles(sched_least *least, const sched_radix_model *model, int64_t n);

#endif
