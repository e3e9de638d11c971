// SPDX-License-Identifier: BSD-3-Clause
/* Quoting of input in messages. Input may contain control bytes that a terminal would execute, or
 * be a megabyte long, so every message quotes input by this function. */
#ifndef CORE_QUOTE_H
#define CORE_QUOTE_H

#include <stddef.h>
#include <stdint.h> /* SIZE_MAX */

typedef struct core_quoted {
    char text[64];
} core_quoted;

/* Quotes at most `length` bytes, up to the first 0. Control bytes and invalid UTF-8 are written
 * \xNN; text that does not fit is truncated and ends in "..". For printf: core_quote(text,
 * SIZE_MAX).text */
core_quoted core_quote(const char *bytes, size_t length);

#endif
