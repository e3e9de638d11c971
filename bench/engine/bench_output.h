// SPDX-License-Identifier: BSD-3-Clause
/* Output files. A file that could not be written after hours of measuring is refused before them.
 */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>

#include "bench/bench_exit.h"

/* Suffix of a picture's name until it is complete. It is the same in every run, so that the next
 * run replaces the file of one that was killed. */
#define BENCH_PART ".sluice-part"

/* Checks a picture's path: the name ends in .png, the folder can be written. Else BENCH_USAGE or
 * BENCH_IO, and the reason has been printed. */
bench_exit bench_output_picture(const char *path);
/* Checks a folder of pictures: it can be written, or created. */
bench_exit bench_output_folder(const char *path);
/* Do both paths name one file? NULL names none. */
bool bench_output_same(const char *a, const char *b);

#endif
