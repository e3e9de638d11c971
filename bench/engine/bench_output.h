// SPDX-License-Identifier: BSD-3-Clause
/* Where results go. Whatever could not be written after hours of measuring is refused before. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>

#include "bench/bench_exit.h"

/* What a picture's name ends in until it is whole: the same in every run, so that the next one
 * replaces what a killed one left. */
#define BENCH_PART ".sluice-part"

/* A picture: a name that ends in .png, in a folder that can be written. BENCH_USAGE or BENCH_IO with
 * a sentence otherwise. */
bench_exit bench_output_picture(const char *path);
/* A folder of pictures: one that can be written, or can be made. */
bench_exit bench_output_folder(const char *path);
/* Do both name one file, under whatever names? NULL names none. */
bool bench_output_same(const char *a, const char *b);

#endif
