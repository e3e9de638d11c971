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

/* Bytes of UTF-8 that continue a character take no column of their own. */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Control characters come from 0 to 0x1f, as 0x7f, and as 0x80 to 0x9f: C2 80 to C2 9F in UTF-8, which
 * terminals take for escapes too, as they may a continuation that continues nothing. */
void text_show(FILE *to, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)string[i];
        const bool c1 = c == 0xc2 && i + 1 < length && (unsigned char)string[i + 1] < 0xa0
                        && continues(string[i + 1]);
        const bool stray = continues(string[i]) && (i == 0 || (unsigned char)string[i - 1] < 0x80);
        fputc(c < 0x20 || c == 0x7f || c1 || stray ? '?' : c, to);
        i += c1;
    }
}

/* The start of a character `columns` columns before (-1) or after (1) a place. */
static size_t move(const char *string, size_t at, int columns, int step)
{
    for (; columns > 0 && (step > 0 ? string[at] != 0 : at > 0); columns--) {
        do
            at += (size_t)step;
        while (at > 0 && continues(string[at]));
    }
    return at;
}

void text_point(FILE *to, const char *string, size_t offset)
{
    enum { BEFORE = 44, AFTER = 28 };
    size_t length = strlen(string);
    offset = offset < length ? offset : length;
    while (offset > 0 && continues(string[offset]))
        offset--;
    size_t first = move(string, offset, BEFORE, -1), end = move(string, offset, AFTER, 1);
    fputs(first > 0 ? "  .." : "  ", to);
    text_show(to, string + first, end - first);
    fputs(end < length ? "..\n" : "\n", to);
    fputs(first > 0 ? "    " : "  ", to);
    for (size_t i = first; i < offset; i++) {
        if (!continues(string[i]))
            fputc(' ', to);
    }
    fputs("^\n", to);
}
