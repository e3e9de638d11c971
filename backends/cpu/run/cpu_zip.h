// SPDX-License-Identifier: BSD-3-Clause
/* Between re and im in two arrays and complex numbers, without gaps on either side. */
#ifndef BACKENDS_CPU_ZIP_H
#define BACKENDS_CPU_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` numbers whose parts have `scalar` bytes, 4 or 8; sides do not overlap. */
void cpu_zip(const char *re, const char *im, char *out, int64_t count, size_t scalar);
void cpu_unzip(const char *in, char *re, char *im, int64_t count, size_t scalar);
/* Two rows of `count` numbers that are interleaved on one side, by steps in bytes from number to
 * number and from row to row: false, and nothing is moved, if they are not. */
bool cpu_zip_rows(const char *in, char *out, const ptrdiff_t in_step[2],
                  const ptrdiff_t out_step[2], int64_t count, size_t scalar);

#endif
