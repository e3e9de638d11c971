// SPDX-License-Identifier: BSD-3-Clause
/* The transform of a problem in long double, by definition. Vectors are packed re,im pairs; im of
 * reals is 0. */
#ifndef SCHED_VERIFY_ORACLE_H
#define SCHED_VERIFY_ORACLE_H

#include "sched/problem/problem.h"

/* *out: its outputs for the inputs x; both are freed by core_free. Takes x, whatever happens. */
sluice_status sched_oracle_apply(const sluice_problem *p, long double *x, long double **out);

/* What is needed of an element of a side. */
typedef struct sched_oracle_read {
    void (*at)(const void *user, size_t index, long double *out);
    const void *user;
} sched_oracle_read;
/* Output number k by definition. */
typedef struct sched_oracle_sample {
    size_t k;
    long double want[2];
} sched_oracle_sample;
/* All samples in one pass over the input. E_MEMORY. */
sluice_status sched_oracle_samples(const sluice_problem *p, const sched_oracle_read *in,
                                   sched_oracle_sample *samples, int count);
/* The energy of the full spectrum or of the samples that a side stands for. By Parseval's identity
 * that of the output is sched_oracle_gain times that of the input. */
long double sched_oracle_gain(const sluice_problem *p);
long double sched_oracle_energy(const sluice_problem *p, int side, const sched_oracle_read *read);
/* Does it stand for two elements of the full spectrum: a conjugate one besides? Index in the last
 * axis of a side; 2 or 1. */
int sched_oracle_weight(const sluice_problem *p, int side, size_t index);

#endif
