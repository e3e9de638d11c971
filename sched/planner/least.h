// SPDX-License-Identifier: BSD-3-Clause
/* The least that any list of radices can cost. What is dearer than a known list even so is not
 * searched. */
#ifndef SCHED_LEAST_H
#define SCHED_LEAST_H

#include "sched/planner/radix.h"

typedef struct sched_least sched_least;

/* For DFT_n of n = 2^a 3^b 5^c up to `longest` points; NULL: out of memory. The stages' codelets
 * are those of the model. */
sched_least *sched_least_open(const sched_radix_model *model, int64_t longest);
void sched_least_close(sched_least *least); /* NULL is allowed */
/* No list that sched_radices_find() has for this model costs less. Of n = 2^a 3^b 5^c. */
double sched_least_cycles(sched_least *least, const sched_radix_model *model, int64_t n);

#endif
