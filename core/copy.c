// SPDX-License-Identifier: BSD-3-Clause
#include "core/copy.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE = 64 };

static void copy_line(char *to, const char *from)
{
    const __m128i *x = (const __m128i *)from;
    __m128i *y = (__m128i *)to;
    const __m128i a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1), c = _mm_loadu_si128(x + 2),
                  d = _mm_loadu_si128(x + 3);

    _mm_stream_si128(y, a);
    _mm_stream_si128(y + 1, b);
    _mm_stream_si128(y + 2, c);
    _mm_stream_si128(y + 3, d);
}

void core_copy_away(void *to, const void *from, size_t bytes)
{
    char *y = to;
    const char *x = from;
    const size_t before = (LINE - (uintptr_t)y % LINE) % LINE;
    size_t at = before < bytes ? before : bytes;

    memcpy(y, x, at);
    for (; at + LINE <= bytes; at += LINE)
        copy_line(y + at, x + at);
    memcpy(y + at, x + at, bytes - at);
    _mm_sfence();
}

#else

void core_copy_away(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif
