// SPDX-License-Identifier: BSD-3-Clause
/* Peaks of the machine, for the readers of a suite's figures. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdio.h>

#include "bench/bench_options.h"

/* Measures FMA peaks and the copy bandwidth of each memory level that the items reach, at the
 * options' worker counts, and writes one line each: {"limit":"fma",..}, {"limit":"copy",..}. False
 * if writing failed; a peak that cannot be measured is omitted. */
bool bench_limits_json(FILE *file, const bench_options *o, const bench_items *items,
                       const sluice_machine *machine);

#endif
