// SPDX-License-Identifier: BSD-3-Clause
/* Kernels whose input is weighed and has no other hooks: faster than the general cpu_hooks.h. */
#ifndef BACKENDS_CPU_WEIGHED_H
#define BACKENDS_CPU_WEIGHED_H

#include "backends/cpu/run/cpu_hooks.h"

/* Can a codelet that weighs its input run these columns in one call? Then sets the weights of the
 * call. */
bool cpu_weigh_call(const cpu_hooked *h, const bind_op *op, spl_call *call, size_t lo, size_t hi,
                    size_t first, size_t last);
/* Runs columns lo .. hi-1 of sets first .. last-1 by `run`, after weighing them into a tile.
 * Returns how many columns it ran, whole vectors from lo on; cpu_hooked_columns does the rest, or
 * all. */
size_t cpu_weighed_columns(const cpu_hooked *h, const bind_op *op, spl_codelet_fn *run,
                           const spl_call *call, size_t lo, size_t hi, size_t first, size_t last);

#endif
