// SPDX-License-Identifier: BSD-3-Clause
/* Kernels whose input is weighed and has no other hooks: the short way of cpu_hooks.h. */
#ifndef BACKENDS_CPU_WEIGHED_H
#define BACKENDS_CPU_WEIGHED_H

#include "backends/cpu/run/cpu_hooks.h"

/* Could a codelet that weighs what it loads run these columns at once? Then the call gets its
 * weights. */
bool cpu_weigh_call(const cpu_hooked *h, const bind_op *op, spl_call *call, size_t lo, size_t hi,
                    size_t first, size_t last);
/* Runs columns lo .. hi-1 of sets first .. last-1 by `run`, and says how many of the columns it
 * ran, whole vectors from lo on; the rest, maybe all, is for cpu_hooked_columns. */
size_t cpu_weighed_columns(const cpu_hooked *h, const bind_op *op, spl_codelet_fn *run,
                           const spl_call *call, size_t lo, size_t hi, size_t first, size_t last);

#endif
