// SPDX-License-Identifier: BSD-3-Clause
#include "core/half.h"

#include <math.h>

/* Bits of the fraction, the exponent of the smallest normal number, and all ones as exponent. */
enum { FRACTION = 10, LEAST_EXPONENT = -14, SPECIAL = 31 };

double core_half_read(uint16_t half)
{
    const int exponent = half >> FRACTION & SPECIAL, fraction = half & ((1 << FRACTION) - 1);
    double size;

    if (exponent == SPECIAL)
        size = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(fraction, LEAST_EXPONENT - FRACTION);
    else
        size = ldexp(fraction + (1 << FRACTION), exponent - 1 + LEAST_EXPONENT - FRACTION);
    return half & 0x8000 ? -size : size;
}

/* The magnitude in units of the last place; a fraction that rounds up to the next power of two is
 * carried into the exponent by addition. */
static unsigned magnitude_of(double size)
{
    int exponent = LEAST_EXPONENT + 1;

    if (size >= ldexp(1, LEAST_EXPONENT))
        (void)frexp(size, &exponent);
    exponent--;
    const unsigned units = (unsigned)rint(ldexp(size, FRACTION - exponent));
    return ((unsigned)(exponent - LEAST_EXPONENT) << FRACTION) + units;
}

uint16_t core_half_write(double value)
{
    const unsigned sign = signbit(value) ? 0x8000 : 0, most = SPECIAL << FRACTION;

    if (isnan(value))
        return (uint16_t)(sign | most | 1U << (FRACTION - 1));
    const unsigned size = fabs(value) >= 65536 ? most : magnitude_of(fabs(value));
    return (uint16_t)(sign | (size < most ? size : most));
}
