// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity whose exponents grow evenly, computed for a span of columns at a time: one root
 * times a row of powers, which later spans use again. Computing each entry of a twiddle table as a
 * root of its own would make planning a long transform take longer than running it. */
#ifndef SPL_BIND_POWERS_H
#define SPL_BIND_POWERS_H

#include "core/trig.h"
#include "spl/bind/bind_table.h"

enum { BIND_SPAN = 16 }; /* a multiple of every number of lanes */

typedef struct bind_powers bind_powers;

/* For a table of T; `roots` has T's period and stays the caller's. NULL: out of memory. */
bind_powers *bind_powers_open(const bind_table_key *key, const core_roots *roots);
void bind_powers_close(bind_powers *powers);
/* w^{e + step l} for l < count <= BIND_SPAN, times the table's scale, conjugated if its key says
 * so. */
void bind_powers_span(bind_powers *powers, int64_t e, int64_t step, int count, double *re,
                      double *im);

#endif
