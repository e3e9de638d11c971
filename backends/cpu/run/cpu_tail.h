// SPDX-License-Identifier: BSD-3-Clause
/* Columns by whole vectors, whatever their number. */
#ifndef BACKENDS_CPU_TAIL_H
#define BACKENDS_CPU_TAIL_H

#include "spl/bind/bind_tail.h"

/* By `run`, the codelet of the tail or its twin with non-temporal stores: columns lo..hi-1 (with
 * broadcast twiddles: of the sets first..first+count-1) of a call that has its pointers: whole
 * vectors by the codelet, the rest by an overlapped or a padded vector with the same arithmetic.
 * The call is moved meanwhile; but for `lanes` it is left as it was. */
void cpu_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi,
                 size_t first, size_t count);

#endif
