// SPDX-License-Identifier: BSD-3-Clause
#include "tools/format.h"

#include <stdint.h>
#include <string.h>

/* memcpy, because samples in a byte buffer need not be aligned. */
#define DECODE(name, type)                                                                         \
    static void name(const void *from, size_t count, double *to)                                   \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            type number;                                                                           \
            memcpy(&number, (const char *)from + i * sizeof number, sizeof number);                \
            to[i] = (double)number;                                                                \
        }                                                                                          \
    }
DECODE(decode_f32, float)
DECODE(decode_f64, double)
DECODE(decode_i16, int16_t)
DECODE(decode_i8, int8_t)
DECODE(decode_u8, uint8_t)

/* The zero of unsigned bytes is 127.5, as in RTL-SDR receivers. */
const sample_format sample_formats[] = {
    {"f32", "f4", 4, 0, 1, decode_f32},           {"f64", "f8", 8, 0, 1, decode_f64},
    {"i16", "i2", 2, 0, 1.0 / 32768, decode_i16}, {"i8", "i1", 1, 0, 1.0 / 128, decode_i8},
    {"u8", "u1", 1, 127.5, 1 / 127.5, decode_u8}, {0},
};

void sample_decode(const sample_format *f, const void *from, size_t count, bool full_scale,
                   double *to)
{
    f->decode(from, count, to);
    for (size_t i = 0; full_scale && f->scale != 1 && i < count; i++)
        to[i] = (to[i] - f->zero) * f->scale;
}

void sample_swap(const sample_format *f, void *numbers, size_t count)
{
    unsigned char *bytes = numbers;
    for (size_t i = 0; i < count; i++, bytes += f->bytes) {
        for (size_t k = 0; k < f->bytes / 2; k++) {
            unsigned char kept = bytes[k];
            bytes[k] = bytes[f->bytes - 1 - k];
            bytes[f->bytes - 1 - k] = kept;
        }
    }
}
