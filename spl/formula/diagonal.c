// SPDX-License-Identifier: BSD-3-Clause
/* Entries of diagonals. Twiddles and chirps are roots of unity, exponents reduced in integers. */
#include "spl/formula/diagonal.h"

#include <math.h>

#include "core/mem.h"
#include "core/near_roots.h"
#include "core/trig.h"
#include "spl/formula/four_step.h"

/* Roots of a run that are computed at a time. */
enum { RUN = 16 };

typedef struct wide {
    long double re, im;
} wide;

struct spl_diagonal {
    spl_values values;
    int64_t n, m;
    core_roots *roots;
    core_near_roots *near; /* for runs: of chirps, which are in no order, and for floats */
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

static spl_diagonal *open_diagonal(spl_values values, int64_t n, int64_t m, bool floats)
{
    const bool near = values == SPL_CHIRP || (floats && order_of(values, n, m) > 1);
    const bool sums = values == SPL_SPECTRUM || values == SPL_RADER;
    spl_diagonal *d = (spl_diagonal *)core_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->values = values;
    d->n = n;
    d->m = m;
    d->roots = core_roots_open((size_t)order_of(values, n, m));
    if (near)
        d->near = core_near_roots_open((size_t)order_of(values, n, m));
    if (sums)
        d->spectrum = values == SPL_RADER ? spl_sums_of_powers(n, m) : spl_sums_of_chirp(n, m);
    if (d->roots && (d->near || !near) && (d->spectrum || !sums))
        return d;
    spl_diagonal_close(d);
    return NULL;
}

spl_diagonal *spl_diagonal_open(spl_values values, int64_t n, int64_t m)
{
    return open_diagonal(values, n, m, false);
}

spl_diagonal *spl_diagonal_open_near(spl_values values, int64_t n, int64_t m)
{
    return open_diagonal(values, n, m, true);
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

/* Exponents of entries k, k + step, .. of a chirp, by differences, which grow evenly. */
typedef struct chirp_walk {
    uint64_t period, e, first, second;
} chirp_walk;

static chirp_walk chirp_from(const spl_diagonal *d, int64_t k, int64_t step)
{
    const uint64_t period = 2 * (uint64_t)d->n;
    const uint64_t s = (uint64_t)(step < 0 ? step + (int64_t)period : step);

    return (chirp_walk){period, (uint64_t)k * (uint64_t)k % period,
                        (2 * (uint64_t)k + s) % period * s % period, 2 * (s * s % period) % period};
}

static size_t next_of_chirp(chirp_walk *w)
{
    const size_t e = (size_t)w->e;

    w->e = w->e + w->first < w->period ? w->e + w->first : w->e + w->first - w->period;
    w->first =
        w->first + w->second < w->period ? w->first + w->second : w->first + w->second - w->period;
    return e;
}

/* Of T, whose rows and columns grow evenly; of roots in order there is one row. */
typedef struct grid_walk {
    int64_t m, q, r, rows, columns;
    bool in_order;
} grid_walk;

static grid_walk grid_from(const spl_diagonal *d, int64_t t, int64_t step)
{
    const bool in_order = d->values == SPL_ROOTS;
    const int64_t m = in_order ? d->n : d->m, rows = step / m - (step % m < 0);

    return (grid_walk){m, t / m, t % m, rows, step - rows * m, in_order};
}

static size_t next_of_grid(grid_walk *w)
{
    const size_t e = (size_t)(w->in_order ? w->r : w->q * w->r);

    w->q += w->rows;
    w->r += w->columns;
    w->q += w->r >= w->m;
    w->r -= w->r >= w->m ? w->m : 0;
    return e;
}

static void get_roots(const spl_diagonal *d, int count, const size_t *exponent, double *re,
                      double *im)
{
    if (d->near)
        core_near_roots_get(d->near, count, exponent, re, im);
    for (int i = 0; i < count && !d->near; i++)
        core_roots_get(d->roots, exponent[i], &re[i], &im[i]);
}

static void run_roots(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    const bool chirp = d->values == SPL_CHIRP;
    chirp_walk of_chirp = {0, 0, 0, 0};
    grid_walk of_grid = {0, 0, 0, 0, 0, false};
    size_t exponent[RUN];

    if (chirp)
        of_chirp = chirp_from(d, t, step);
    else
        of_grid = grid_from(d, t, step);
    for (int i = 0, roots; i < count; i += roots) {
        for (roots = 0; roots < RUN && i + roots < count; roots++)
            exponent[roots] = chirp ? next_of_chirp(&of_chirp) : next_of_grid(&of_grid);
        get_roots(d, roots, exponent, re + i, im + i);
    }
}

void spl_diagonal_run(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    if (d->values == SPL_CHIRP || d->values == SPL_ROOTS || d->values == SPL_TWIDDLES) {
        run_roots(d, t, step, count, re, im);
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
