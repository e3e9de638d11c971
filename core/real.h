// SPDX-License-Identifier: BSD-3-Clause
/* Real numbers as text, whatever the locale. */
#ifndef CORE_REAL_H
#define CORE_REAL_H

#include <stddef.h>

typedef struct core_real_text {
    char text[32];
} core_real_text;

/* A finite number as text that reads back exactly. For printf: core_real(x).text */
core_real_text core_real(double x);
/* Reads such a number from the start of a text. Returns how many bytes it takes, 0 if none. */
size_t core_real_read(const char *text, double *x);

#endif
