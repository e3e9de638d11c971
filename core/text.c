// SPDX-License-Identifier: BSD-3-Clause
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Ensures capacity for `length` more bytes and the terminating 0. */
static bool grow_text(core_text *text, size_t length)
{
    size_t need;
    if (text->failed)
        return false;
    if (!core_add(text->length, length, &need) || !core_add(need, 1, &need)) {
        text->failed = true;
        return false;
    }
    if (need <= text->capacity)
        return true;
    size_t capacity = text->capacity < 64 ? 64 : text->capacity;
    while (capacity < need && core_mul(capacity, 2, &capacity))
        ;
    char *data = capacity < need ? NULL : core_realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void core_text_add(core_text *text, const char *bytes, size_t length)
{
    if (!grow_text(text, length))
        return;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

/* Most pieces fit the free capacity and are formatted only once. */
void core_text_vprintf(core_text *text, const char *format, va_list args)
{
    va_list again;
    if (!grow_text(text, 0))
        return;
    const size_t room = text->capacity - text->length;
    va_copy(again, args);
    const int length = vsnprintf(text->data + text->length, room, format, args);
    const bool fits = length >= 0 && (size_t)length < room;
    if (!fits)
        text->data[text->length] = '\0'; /* discards the truncated piece */
    text->failed = length < 0;
    if (!text->failed && !fits && grow_text(text, (size_t)length))
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    if (!text->failed)
        text->length += (size_t)length;
    va_end(again);
}

void core_text_printf(core_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    core_text_vprintf(text, format, args);
    va_end(args);
}

void core_text_free(core_text *text)
{
    core_free(text->data);
    *text = (core_text){0};
}

core_bytes_text core_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    enum { UNITS = sizeof units / sizeof units[0] };
    core_bytes_text out;
    int unit = 0;

    for (; bytes >= 1024 && unit + 1 < UNITS; unit++)
        bytes /= 1024;
    (void)snprintf(out.text, sizeof out.text, bytes < 999.5 ? "%.3g %s" : "%.0f %s", bytes,
                   units[unit]);
    return out;
}

const char *core_text_string(const core_text *text)
{
    return text->data == NULL ? "" : text->data;
}

bool core_bytes_read(const char *text, size_t *out)
{
    static const char units[] = "KMG";
    char *end;
    int shift = 0;

    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno || value == 0)
        return false;
    const char *const unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end || value > (SIZE_MAX >> 1) >> shift)
        return false;
    *out = (size_t)value << shift;
    return true;
}
