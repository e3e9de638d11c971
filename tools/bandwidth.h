// SPDX-License-Identifier: BSD-3-Clause
/* Memory bandwidth, measured by copying. */
#ifndef TOOLS_BANDWIDTH_H
#define TOOLS_BANDWIDTH_H

/* Best of a few copies by *threads threads at once: gigabytes read and written a second, counted
 * together. *threads becomes how many there were: at most one a processor. Negative: no memory. */
double bandwidth_measure(int *threads);

#endif
