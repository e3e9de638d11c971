// SPDX-License-Identifier: BSD-3-Clause
/* A group drawn as one picture. */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "bench/suites/bench_panel.h"

/* Draws FOLDER/GROUP.png: Gflop/s over N. */
bench_exit bench_figure_draw(const char *folder, const bench_contents *c, const char *group,
                             const bench_figure *figure);

#endif
