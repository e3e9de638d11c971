// SPDX-License-Identifier: BSD-3-Clause
/* Growable text, always 0-terminated once anything was added. A failed allocation sets `failed`,
 * and later additions do nothing, so one check at the end suffices. Initialise with {0}. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct core_text {
    char *data;
    size_t length, capacity;
    bool failed;
} core_text;

void core_text_add(core_text *text, const char *bytes, size_t length);
void core_text_printf(core_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void core_text_vprintf(core_text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void core_text_free(core_text *text);
/* The text as a string, "" if nothing was added. */
const char *core_text_string(const core_text *text);

/* A number of bytes with a unit: "7.75 KiB", "0 bytes". For printf: core_bytes(n).text */
typedef struct core_bytes_text {
    char text[32];
} core_bytes_text;
core_bytes_text core_bytes(double bytes);
/* Reads a number with an optional suffix K, M or G. False if the text is anything else, or 0. */
bool core_bytes_read(const char *text, size_t *out);

#endif
