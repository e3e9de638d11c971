// SPDX-License-Identifier: BSD-3-Clause
/* Between re and im in two arrays and complex numbers, without gaps on either side. */
#ifndef BACKENDS_CPU_ZIP_H
#define BACKENDS_CPU_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* `count` numbers whose parts have `scalar` bytes, 4 or 8; sides do not overlap. */
void cpu_zip(const char *re, const char *im, char *out, int64_t count, size_t scalar);
void cpu_unzip(const char *in, char *re, char *im, int64_t count, size_t scalar);

#endif
