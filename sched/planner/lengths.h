// SPDX-License-Identifier: BSD-3-Clause
/* Lengths to pad to, whose stages all have codelets: products of small primes. */
#ifndef SCHED_LENGTHS_H
#define SCHED_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

/* The smallest products of 2, 3, 5 and, if `sevens`, 7 in from .. to, in ascending order; returns
 * their number, at most `max`. */
int sched_smooth_lengths(int64_t from, int64_t to, bool sevens, int max, int64_t *out);

#endif
