// SPDX-License-Identifier: BSD-3-Clause
/* Memory bandwidth, measured by copying. */
#ifndef TOOLS_BANDWIDTH_H
#define TOOLS_BANDWIDTH_H

/* Best of a few copies by *threads threads at once: gigabytes read and written per second, counted
 * together. *threads becomes their actual number, at most one per processor. Negative: out of
 * memory. */
double bandwidth_measure(int *threads);

#endif
