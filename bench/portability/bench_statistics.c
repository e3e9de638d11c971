// SPDX-License-Identifier: BSD-3-Clause
#include "bench/portability/bench_statistics.h"

#include <math.h>

bench_moments bench_moments_of(const double *value, size_t count)
{
    bench_moments m = {.min = value[0], .max = value[0]};
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        m.min = fmin(m.min, value[i]);
        m.max = fmax(m.max, value[i]);
        m.mean += value[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        squares += (value[i] - m.mean) * (value[i] - m.mean);
    m.deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    return m;
}

/* ---- the incomplete gamma function; a term counts while it changes the sum */

static const double smallest_share = 1e-16;
enum { MAX_TERMS = 1000000 };

/* x^a exp(-x) / gamma(a) */
static double gamma_factor(double a, double x)
{
    return exp(a * log(x) - x - lgamma(a));
}

/* The lower function by its power series, for x below a + 1. */
static double gamma_below(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < MAX_TERMS && term > sum * smallest_share; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum * gamma_factor(a, x);
}

/* The upper function by its continued fraction, evaluated from the front (Lentz), for x from a + 1
 * on. */
static double gamma_above(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
    for (int k = 1; k < MAX_TERMS; k++) {
        const double numerator = -k * (k - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        const double change = c * d;
        value *= change;
        if (fabs(change - 1) < smallest_share * 10)
            break;
    }
    return value * gamma_factor(a, x);
}

double bench_chi_square_p(double x, double degrees)
{
    const double a = degrees / 2, half = x / 2;
    if (isnan(x))
        return 0;
    if (x <= 0)
        return 1;
    return half < a + 1 ? 1 - gamma_below(a, half) : gamma_above(a, half);
}

bench_agreement bench_agreement_of(const double *s, const double *n, size_t count)
{
    bench_agreement a = {0};
    const double degrees = (double)(count - 1);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs(s[i] - n[i]);
        sum += difference * difference / n[i];
        if (!isnan(a.largest) && !(difference / n[i] <= a.largest))
            a.largest = difference / n[i]; /* NaN stays NaN */
    }
    a.chi_square = sum / degrees;
    a.p = bench_chi_square_p(sum, degrees);
    return a;
}
