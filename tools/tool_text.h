// SPDX-License-Identifier: BSD-3-Clause
/* Text: collects what a plan prints, formats sizes, makes users' strings printable. */
#ifndef TOOLS_TOOL_TEXT_H
#define TOOLS_TOOL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "api/sluice.h"

typedef struct text {
    char *bytes; /* ends with a 0; NULL: empty. Freed by the user */
    size_t length;
} text;

/* A sluice_write whose user is a `text`. */
sluice_write text_append;

enum { TEXT_BYTES = 32 };
/* Writes "512 bytes", "48 KiB" or "1.27 MiB" to `to` and returns it. */
const char *text_bytes(char *to, uint64_t bytes);

/* Writes a string on one line: control bytes as `?`. */
void text_show(FILE *to, const char *string, size_t length);
/* Writes `string` and below it a caret under its byte `offset`, both indented; of a long string
 * only the part around the caret. */
void text_point(FILE *to, const char *string, size_t offset);

#endif
