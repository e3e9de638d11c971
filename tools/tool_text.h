// SPDX-License-Identifier: BSD-3-Clause
/* Text: what a plan prints, collected; figures for people; strings of users made fit to show. */
#ifndef TOOLS_TOOL_TEXT_H
#define TOOLS_TOOL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "api/sluice.h"

typedef struct text {
    char *bytes; /* with a 0 at the end; NULL: nothing yet. To be freed */
    size_t length;
} text;

/* A sink for a `text`. */
sluice_write text_append;

enum { TEXT_BYTES = 32 };
/* "512 bytes", "48 KiB", "1.27 MiB": to[TEXT_BYTES], which is returned. */
const char *text_bytes(char *to, uint64_t bytes);

/* Writes a string on one line: control bytes as `?`. */
void text_show(FILE *to, const char *string, size_t length);
/* Writes `string` and below it a caret under its byte `offset`, both indented; of a long one only
 * what stands around the place. */
void text_point(FILE *to, const char *string, size_t offset);

#endif
