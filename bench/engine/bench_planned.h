// SPDX-License-Identifier: BSD-3-Clause
/* Planning times of peers at their first planning: with wisdom from files they hardly plan at all,
 * so later times would mislead. */
#ifndef BENCH_PLANNED_H
#define BENCH_PLANNED_H

#include <stdbool.h>

/* The longest known planning time of the problem, including this one; a longer one is appended to
 * WISDOM.seconds. `wisdom` NULL: returns `seconds`. */
double bench_planned(const char *wisdom, const char *engine, const char *problem, int workers,
                     double seconds);
void bench_planned_free(void);

#endif
