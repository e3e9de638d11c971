// SPDX-License-Identifier: BSD-3-Clause
/* The transform of a problem in long double, by definition. Vectors are packed re,im pairs; im of
 * reals is 0. */
#ifndef SCHED_VERIFY_ORACLE_H
#define SCHED_VERIFY_ORACLE_H

#include "sched/problem/problem.h"

/* *out: the outputs for the inputs x, to be freed by core_free. Takes ownership of x in any
 * case. */
sluice_status sched_oracle_apply(const sluice_problem *p, long double *x, long double **out);

/* Reads elements of a side. */
typedef struct sched_oracle_read {
    void (*at)(const void *user, size_t index, long double *out);
    const void *user;
} sched_oracle_read;
/* Output number k, by definition. */
typedef struct sched_oracle_sample {
    size_t k;
    long double want[2];
} sched_oracle_sample;
/* Computes all samples in one pass over the input. Fails with E_MEMORY. */
sluice_status sched_oracle_samples(const sluice_problem *p, const sched_oracle_read *in,
                                   sched_oracle_sample *samples, int count);
/* The energy of the full spectrum or the samples that a side represents. By Parseval's identity the
 * output's energy is sched_oracle_gain times the input's. */
long double sched_oracle_gain(const sluice_problem *p);
long double sched_oracle_energy(const sluice_problem *p, int side, const sched_oracle_read *read);
/* The number of elements of the full spectrum that an element represents: 2 if a conjugate one too,
 * else 1. `index`: in the last axis of a side. */
int sched_oracle_weight(const sluice_problem *p, int side, size_t index);

#endif
