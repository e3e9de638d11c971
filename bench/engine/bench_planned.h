// SPDX-License-Identifier: BSD-3-Clause
/* How long peers planned when they did so for the first time: with wisdom kept in files they hardly
 * plan at all, which says nothing about them. */
#ifndef BENCH_PLANNED_H
#define BENCH_PLANNED_H

#include <stdbool.h>

/* The longest planning of that problem that is known, this one included; a new one is kept in
 * WISDOM.seconds. `wisdom` NULL: `seconds`. */
double bench_planned(const char *wisdom, const char *engine, const char *problem, int workers,
                     double seconds);
void bench_planned_free(void);

#endif
