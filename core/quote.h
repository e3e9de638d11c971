// SPDX-License-Identifier: BSD-3-Clause
/* Input quoted in messages. What somebody typed, set or stored may hold anything: control bytes that
 * a terminal would obey, or a megabyte in front of the sentence's end. Every message that quotes
 * input quotes it through here. */
#ifndef CORE_QUOTE_H
#define CORE_QUOTE_H

#include <stddef.h>
#include <stdint.h> /* SIZE_MAX */

typedef struct core_quoted {
    char text[64];
} core_quoted;

/* At most `length` bytes, up to the first 0. Control bytes and what is no UTF-8 are written \xNN;
 * what does not fit is cut and ends in "..". For printf: core_quote(text, SIZE_MAX).text */
core_quoted core_quote(const char *bytes, size_t length);

#endif
