// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tool_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

sluice_status text_append(void *user, const char *bytes, size_t length)
{
    text *t = user;
    char *longer = realloc(t->bytes, t->length + length + 1);
    if (!longer)
        return SLUICE_E_MEMORY;
    memcpy(longer + t->length, bytes, length);
    *t = (text){longer, t->length + length};
    longer[t->length] = 0;
    return SLUICE_OK;
}

const char *text_bytes(char *to, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(to, TEXT_BYTES, value < 999.5 ? "%.3g %s" : "%.0f %s", value, units[unit]);
    return to;
}

/* Continuation bytes of UTF-8 take no column of their own. */
static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Control characters are 0 to 0x1f, 0x7f, and 0x80 to 0x9f (C2 80 to C2 9F in UTF-8). Terminals
 * interpret the latter as escapes too, and perhaps stray continuation bytes. */
void text_show(FILE *to, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)string[i];
        const bool c1 = c == 0xc2 && i + 1 < length && (unsigned char)string[i + 1] < 0xa0
                        && continues_character(string[i + 1]);
        const bool stray =
            continues_character(string[i]) && (i == 0 || (unsigned char)string[i - 1] < 0x80);
        fputc(c < 0x20 || c == 0x7f || c1 || stray ? '?' : c, to);
        i += c1;
    }
}

/* The start of the character `columns` columns before (step -1) or after (step 1) a place. */
static size_t move_columns(const char *string, size_t at, int columns, int step)
{
    for (; columns > 0 && (step > 0 ? string[at] != 0 : at > 0); columns--) {
        do
            at += (size_t)step;
        while (at > 0 && continues_character(string[at]));
    }
    return at;
}

void text_point(FILE *to, const char *string, size_t offset)
{
    enum { BEFORE = 44, AFTER = 28 };
    size_t length = strlen(string);
    offset = offset < length ? offset : length;
    while (offset > 0 && continues_character(string[offset]))
        offset--;
    size_t first = move_columns(string, offset, BEFORE, -1),
           end = move_columns(string, offset, AFTER, 1);
    fputs(first > 0 ? "  .." : "  ", to);
    text_show(to, string + first, end - first);
    fputs(end < length ? "..\n" : "\n", to);
    fputs(first > 0 ? "    " : "  ", to);
    for (size_t i = first; i < offset; i++) {
        if (!continues_character(string[i]))
            fputc(' ', to);
    }
    fputs("^\n", to);
}
