// SPDX-License-Identifier: BSD-3-Clause
/* Entries of diagonals. Twiddles and chirps are roots of unity, exponents reduced in integers. */
#include "spl/formula/diagonal.h"

#include <math.h>

#include "core/mem.h"
#include "core/near_roots.h"
#include "core/trig.h"
#include "spl/formula/four_step.h"

/* Entries of a chirp that are computed at a time. */
enum { CHIRPS = 16 };

typedef struct wide {
    long double re, im;
} wide;

struct spl_diagonal {
    spl_values values;
    int64_t n, m;
    core_roots *roots;
    core_near_roots *near; /* of chirps, whose runs are in no order */
    spl_sums *spectrum;
};

static wide wide_root(const spl_diagonal *d, int64_t k)
{
    wide w;

    core_roots_get_wide(d->roots, (size_t)k, &w.re, &w.im);
    return w;
}

/* exp(-i pi k^2/n) is this root of 2n; k < 2^31. */
static int64_t chirp_exponent(const spl_diagonal *d, int64_t k)
{
    return (int64_t)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)d->n));
}

static wide spectrum_entry(const spl_diagonal *d, int64_t t)
{
    double re, im;

    spl_sums_run(d->spectrum, t, 0, 1, &re, &im);
    return (wide){re, im};
}

/* K(n); its last two entries are the first two of R(n,g). */
static wide wide_corner(const spl_diagonal *d, int64_t t)
{
    const long double s = sqrtl((long double)(d->n - 1));

    if (t < 2)
        return (wide){0.5L, t == 0 ? s / 2 : -s / 2};
    return t == 2 ? (wide){1, 0} : (wide){0, -1 / s};
}

/* The order of the roots. */
static int64_t order_of(spl_values values, int64_t n, int64_t m)
{
    switch (values) {
    case SPL_TWIDDLES: return n * m;
    case SPL_CHIRP: return 2 * n;
    case SPL_ROOTS: return n;
    default: return 1;
    }
}

spl_diagonal *spl_diagonal_open(spl_values values, int64_t n, int64_t m)
{
    const bool sums = values == SPL_SPECTRUM || values == SPL_RADER;
    spl_diagonal *d = (spl_diagonal *)core_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->values = values;
    d->n = n;
    d->m = m;
    d->roots = core_roots_open((size_t)order_of(values, n, m));
    if (values == SPL_CHIRP)
        d->near = core_near_roots_open((size_t)order_of(values, n, m));
    if (sums)
        d->spectrum = values == SPL_RADER ? spl_sums_of_powers(n, m) : spl_sums_of_chirp(n, m);
    if (d->roots && (d->near || values != SPL_CHIRP) && (d->spectrum || !sums))
        return d;
    spl_diagonal_close(d);
    return NULL;
}

void spl_diagonal_close(spl_diagonal *d)
{
    if (!d)
        return;
    core_roots_close(d->roots);
    core_near_roots_close(d->near);
    spl_sums_close(d->spectrum);
    core_free(d);
}

static wide wide_entry(const spl_diagonal *d, int64_t t)
{
    switch (d->values) {
    case SPL_CHIRP: return wide_root(d, chirp_exponent(d, t));
    case SPL_SPECTRUM: return spectrum_entry(d, t);
    case SPL_RADER: return t < 2 ? wide_corner(d, t + 2) : spectrum_entry(d, t - 1);
    case SPL_CORNER: return wide_corner(d, t);
    case SPL_ROOTS: return wide_root(d, t % d->n);
    case SPL_HALF: return (wide){t == 0 ? 1.0L : 2.0L, 0};
    case SPL_SIGNS: return (wide){t < d->n - d->n / 2 ? 1.0L : -1.0L, 0};
    case SPL_CONST: return (wide){spl_constant_value(d->m), 0};
    default: return wide_root(d, t / d->m * (t % d->m) % (d->n * d->m));
    }
}

void spl_diagonal_get(const spl_diagonal *d, int64_t t, long double *re, long double *im)
{
    const wide z = wide_entry(d, t);

    *re = z.re;
    *im = z.im;
}

/* Entries k, k + step, .. of a chirp: exponents by differences, which grow evenly. */
static void run_chirp(const spl_diagonal *d, int64_t k, int64_t step, int count, double *re,
                      double *im)
{
    const uint64_t period = 2 * (uint64_t)d->n;
    const uint64_t s = (uint64_t)(step < 0 ? step + (int64_t)period : step);
    const uint64_t second = 2 * (s * s % period) % period;
    uint64_t e = (uint64_t)k * (uint64_t)k % period;
    uint64_t first = (2 * (uint64_t)k + s) % period * s % period;
    size_t exponent[CHIRPS];

    for (int i = 0, chirps; i < count; i += chirps) {
        for (chirps = 0; chirps < CHIRPS && i + chirps < count; chirps++) {
            exponent[chirps] = (size_t)e;
            e = e + first < period ? e + first : e + first - period;
            first = first + second < period ? first + second : first + second - period;
        }
        core_near_roots_get(d->near, chirps, exponent, re + i, im + i);
    }
}

void spl_diagonal_run(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    if (d->values == SPL_CHIRP) {
        run_chirp(d, t, step, count, re, im);
        return;
    }
    if (d->values == SPL_SPECTRUM) {
        spl_sums_run(d->spectrum, t, step, count, re, im);
        return;
    }
    for (int i = 0; i < count; i++, t += step) {
        const wide z = wide_entry(d, t);
        re[i] = (double)z.re;
        im[i] = (double)z.im;
    }
}
