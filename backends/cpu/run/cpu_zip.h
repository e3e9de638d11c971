// SPDX-License-Identifier: BSD-3-Clause
/* Conversion between separate arrays of re and im and complex numbers, without gaps on either
 * side. */
#ifndef BACKENDS_CPU_ZIP_H
#define BACKENDS_CPU_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` numbers, re and im of `scalar` bytes (4 or 8) each; the sides must not overlap. */
void cpu_zip(const char *re, const char *im, char *out, int64_t count, size_t scalar);
void cpu_unzip(const char *in, char *re, char *im, int64_t count, size_t scalar);
/* Interleaves two rows of `count` numbers, or the reverse. Steps in bytes: from number to number,
 * from row to row. False: the steps are not those of such rows, and nothing is moved. */
bool cpu_zip_rows(const char *in, char *out, const ptrdiff_t in_step[2],
                  const ptrdiff_t out_step[2], int64_t count, size_t scalar);

#endif
