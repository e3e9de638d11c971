// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_zip.h"

#include <string.h>

/* Vectors of single or double precision, or pairs of single-precision numbers moved as doubles,
 * which are permuted in registers. */
typedef float floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(16), aligned(4), may_alias));
/* Bytes of a number, and numbers of a vector. */
enum { HALF = sizeof(double), WORD = sizeof(float), FOUR = 4 };

void cpu_zip(const char *re, const char *im, char *out, int64_t count, size_t scalar)
{
    int64_t k = 0;

    for (; scalar == WORD && k + FOUR <= count; k += FOUR) {
        const floats x = *(const floats *)(const void *)(re + k * WORD);
        const floats y = *(const floats *)(const void *)(im + k * WORD);
        *(floats *)(void *)(out + 2 * k * WORD) = (floats){x[0], y[0], x[1], y[1]};
        *(floats *)(void *)(out + (2 * k + FOUR) * WORD) = (floats){x[2], y[2], x[3], y[3]};
    }
    for (; scalar == HALF && k + 2 <= count; k += 2) {
        const doubles x = *(const doubles *)(const void *)(re + k * HALF);
        const doubles y = *(const doubles *)(const void *)(im + k * HALF);
        *(doubles *)(void *)(out + 2 * k * HALF) = (doubles){x[0], y[0]};
        *(doubles *)(void *)(out + (2 * k + 2) * HALF) = (doubles){x[1], y[1]};
    }
    for (; scalar == HALF && k < count; k++) {
        memcpy(out + 2 * k * HALF, re + k * HALF, HALF);
        memcpy(out + (2 * k + 1) * HALF, im + k * HALF, HALF);
    }
    for (; k < count; k++) {
        memcpy(out + 2 * k * WORD, re + k * WORD, WORD);
        memcpy(out + (2 * k + 1) * WORD, im + k * WORD, WORD);
    }
}

void cpu_unzip(const char *in, char *re, char *im, int64_t count, size_t scalar)
{
    int64_t k = 0;

    for (; scalar == WORD && k + FOUR <= count; k += FOUR) {
        const floats x = *(const floats *)(const void *)(in + 2 * k * WORD);
        const floats y = *(const floats *)(const void *)(in + (2 * k + FOUR) * WORD);
        *(floats *)(void *)(re + k * WORD) = (floats){x[0], x[2], y[0], y[2]};
        *(floats *)(void *)(im + k * WORD) = (floats){x[1], x[3], y[1], y[3]};
    }
    for (; scalar == HALF && k + 2 <= count; k += 2) {
        const doubles x = *(const doubles *)(const void *)(in + 2 * k * HALF);
        const doubles y = *(const doubles *)(const void *)(in + (2 * k + 2) * HALF);
        *(doubles *)(void *)(re + k * HALF) = (doubles){x[0], y[0]};
        *(doubles *)(void *)(im + k * HALF) = (doubles){x[1], y[1]};
    }
    for (; scalar == HALF && k < count; k++) {
        memcpy(re + k * HALF, in + 2 * k * HALF, HALF);
        memcpy(im + k * HALF, in + (2 * k + 1) * HALF, HALF);
    }
    for (; k < count; k++) {
        memcpy(re + k * WORD, in + 2 * k * WORD, WORD);
        memcpy(im + k * WORD, in + (2 * k + 1) * WORD, WORD);
    }
}

bool cpu_zip_rows(const char *in, char *out, const ptrdiff_t in_step[2],
                  const ptrdiff_t out_step[2], int64_t count, size_t scalar)
{
    const ptrdiff_t one = (ptrdiff_t)scalar;

    if (scalar > HALF)
        return false;
    if (in_step[0] == 2 * one && in_step[1] == one && out_step[0] == one)
        cpu_unzip(in, out, out + out_step[1], count, scalar);
    else if (out_step[0] == 2 * one && out_step[1] == one && in_step[0] == one)
        cpu_zip(in, in + in_step[1], out, count, scalar);
    else
        return false;
    return true;
}
