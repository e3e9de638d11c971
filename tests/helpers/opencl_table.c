// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/opencl_table.h"

#include <math.h>

static const long double two_pi = 6.283185307179586476925286766559005768L;

/* exp(-2 pi i k/n) */
static void root_of_unity(long k, long n, long double *re, long double *im)
{
    const long double angle = -two_pi * (long double)(k % n) / (long double)n;
    *re = cosl(angle);
    *im = sinl(angle);
}

static void chirp_spectrum(long n, long m, long t, long double *re, long double *im)
{
    long double cr, ci, wr, wi;

    *re = *im = 0;
    for (long j = 1 - n; j < n; j++) {
        if (2 * j == -m) /* equal to -j */
            continue;
        root_of_unity(j * j % (2 * n), 2 * n, &cr, &ci);
        root_of_unity(((j * t) % m + m) % m, m, &wr, &wi);
        *re += (cr * wr + ci * wi) / (long double)m;
        *im += (cr * wi - ci * wr) / (long double)m;
    }
}

/* Powers upwards: m^-q is m^(n-1-q). */
static void power_spectrum(long n, long m, long t, long double *re, long double *im)
{
    long double br, bi, wr, wi;
    long power = 1;

    *re = *im = 0;
    for (long q = n - 1; q > 0; q--) {
        root_of_unity(power, n, &br, &bi);
        root_of_unity(q * (t - 1) % (n - 1), n - 1, &wr, &wi);
        *re += (br * wr - bi * wi) / (long double)(n - 1);
        *im += (br * wi + bi * wr) / (long double)(n - 1);
        power = power * m % n;
    }
}

static void corner_entry(long n, long t, long double *re, long double *im)
{
    const long double s = sqrtl((long double)(n - 1));
    const long double entries[4][2] = {{0.5L, s / 2}, {0.5L, -s / 2}, {1, 0}, {0, -1 / s}};

    *re = entries[t][0];
    *im = entries[t][1];
}

void opencl_table_entry(char diagonal, long n, long m, long t, long double *re, long double *im)
{
    switch (diagonal) {
    case 'T': root_of_unity(t / m * (t % m), n * m, re, im); break;
    case 'C': root_of_unity(t * t % (2 * n), 2 * n, re, im); break;
    case 'B': chirp_spectrum(n, m, t, re, im); break;
    case 'R':
        if (t < 2)
            corner_entry(n, t + 2, re, im);
        else
            power_spectrum(n, m, t, re, im);
        break;
    case 'W': root_of_unity(t, n, re, im); break;
    case 'H': *re = t ? 2 : 1, *im = 0; break;
    case 'Q': *re = 2 * t < n ? 1 : -1, *im = 0; break;
    default: corner_entry(n, t, re, im); break;
    }
}
