// SPDX-License-Identifier: BSD-3-Clause
/* Runs any number of columns: those that do not fill a vector in shorter ones, or in a whole one
 * that begins early or is padded. */
#ifndef BACKENDS_CPU_TAIL_H
#define BACKENDS_CPU_TAIL_H

#include "spl/bind/bind_tail.h"

/* Runs columns lo .. hi-1 of a call that has its pointers; if the codelet counts sets, of the sets
 * first .. first+count-1. `run` (the tail's codelet, or its twin with non-temporal stores) computes
 * whole vectors; the rest is a vector that overlaps others or is padded, with the same arithmetic.
 * The call is changed meanwhile and restored, except `set_columns`. */
void cpu_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi,
                 size_t first, size_t count);

#endif
