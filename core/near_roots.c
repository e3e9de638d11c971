// SPDX-License-Identifier: BSD-3-Clause
/* The angle k/n of a turn is split into q quarter turns, q being the nearest whole number, and a
 * remainder t = r h, where r = 4k - qn and h is a quarter turn divided by n. r is exact. So is its
 * product with the high part of h, which has no more bits than r leaves of 53. Cosine and sine of
 * t, which is at most pi/4, are sums of the first terms of their series; the rounding errors of the
 * sums are added last. */
#include "core/near_roots.h"

#include <math.h>

#include "core/wide.h"

core_near_roots core_near_roots_of(size_t n)
{
    const long double angle = 1.570796326794896619231321691639751442L / (long double)n;
    int bits = 52, exponent;

    for (size_t rest = n; rest > 0; rest /= 2)
        bits--;
    (void)frexpl(angle, &exponent);
    const long double high = ldexpl(rintl(ldexpl(angle, bits - exponent)), exponent - bits);
    return (core_near_roots){(double)n, 4 / (double)n, (double)high, (double)(angle - high)};
}

/* Cosine and sine of t + rest, |t| <= pi/4. */
static inline void cosine_and_sine(double t, double rest, double *cosine, double *sine)
{
    const double z = t * t, half = z / 2, near = 1 - half;
    double odd = 1. / 355687428096000, even = 1. / 20922789888000;

    odd = odd * z - 1. / 1307674368000;
    odd = odd * z + 1. / 6227020800;
    odd = odd * z - 1. / 39916800;
    odd = odd * z + 1. / 362880;
    odd = odd * z - 1. / 5040;
    odd = odd * z + 1. / 120;
    odd = odd * z - 1. / 6;
    even = even * z - 1. / 87178291200;
    even = even * z + 1. / 479001600;
    even = even * z - 1. / 3628800;
    even = even * z + 1. / 40320;
    even = even * z - 1. / 720;
    even = even * z + 1. / 24;
    *sine = t + (t * z * odd + rest * near);
    *cosine = near + ((1 - near) - half + (z * z * even - t * rest));
}

/* w_n^k = exp(-i (q pi/2 + t)), q from 0 to 4. `+ 0` and `0 -` prevent negative zeros. */
static inline void near_root_of(const core_near_roots *x, double k, double *re, double *im)
{
    const double q = (k * x->quarters + core_whole) - core_whole, r = 4 * k - q * x->order;
    const double high = r * x->high, low = r * x->low, t = high + low;
    const double quarter_cosine = fabs(q - 2) - 1, quarter_sine = fabs(fabs(q - 1) - 2) - 1;
    double cosine, sine;

    cosine_and_sine(t, low - (t - high), &cosine, &sine);
    *re = quarter_cosine * cosine - quarter_sine * sine + 0;
    *im = 0 - (quarter_sine * cosine + quarter_cosine * sine);
}

CORE_WIDE void core_near_roots_get(const core_near_roots *roots, int count, const double *k,
                                   double *re, double *im)
{
    const core_near_roots own = *roots;

    CORE_APART
    for (int i = 0; i < count; i++)
        near_root_of(&own, k[i], &re[i], &im[i]);
}

/* k^2 mod n with k = high 2^16 + low: the sum (high k mod n) 2^16 + low k is exact. */
static inline double square_rest(double k, double n, double by_n)
{
    static const double part = 0x1p16;
    const double high = (k * (1 / part) + core_whole) - core_whole, low = k - high * part;

    return core_near_rest(core_near_rest(high * k, n, by_n) * part + low * k, n, by_n);
}

CORE_WIDE void core_near_chirps_get(const core_near_roots *roots, int count, const double *k,
                                    double *re, double *im)
{
    const core_near_roots own = *roots;
    const double by_n = own.quarters / 4;

    CORE_APART
    for (int i = 0; i < count; i++)
        near_root_of(&own, square_rest(k[i], own.order, by_n), &re[i], &im[i]);
}
