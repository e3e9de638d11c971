// SPDX-License-Identifier: BSD-3-Clause
#include "core/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CUT = 2 }; /* ".." */

static bool is_utf8_tail(const char *bytes, size_t count, size_t length)
{
    for (size_t i = 1; i < count; i++)
        if (i >= length || ((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Length of the printable character that begins here; 0: none. Overlong forms, surrogates and the
 * control characters U+0080 to U+009F are not printable. */
static size_t printable_length(const char *bytes, size_t length)
{
    const unsigned char first = (unsigned char)bytes[0];
    const unsigned char second = length > 1 ? (unsigned char)bytes[1] : 0;

    if (first < 0x80)
        return first >= ' ' && first != 0x7f ? 1 : 0;
    if (first >= 0xc2 && first <= 0xdf)
        return is_utf8_tail(bytes, 2, length) && (first != 0xc2 || second >= 0xa0) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef)
        return is_utf8_tail(bytes, 3, length) && (first != 0xe0 || second >= 0xa0)
                       && (first != 0xed || second < 0xa0)
                   ? 3
                   : 0;
    if (first >= 0xf0 && first <= 0xf4)
        return is_utf8_tail(bytes, 4, length) && (first != 0xf0 || second >= 0x90)
                       && (first != 0xf4 || second < 0x90)
                   ? 4
                   : 0;
    return 0;
}

core_quoted core_quote(const char *bytes, size_t length)
{
    core_quoted q = {.text = ""};
    const size_t room = sizeof q.text - 1;
    size_t used = 0, safe = 0; /* safe: the longest prefix that leaves space for ".." */

    length = strnlen(bytes, length);
    for (size_t at = 0, step; at < length; at += step) {
        const size_t whole = printable_length(bytes + at, length - at);
        const size_t need = whole > 0 ? whole : sizeof "\\xNN" - 1;
        step = whole > 0 ? whole : 1;
        if (used + need > room) {
            snprintf(q.text + safe, sizeof q.text - safe, "..");
            return q;
        }
        if (whole > 0)
            memcpy(q.text + used, bytes + at, whole);
        else
            snprintf(q.text + used, sizeof q.text - used, "\\x%02x", (unsigned char)bytes[at]);
        used += need;
        if (used + CUT <= room)
            safe = used;
    }
    q.text[used] = '\0';
    return q;
}
