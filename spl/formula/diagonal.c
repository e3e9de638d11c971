// SPDX-License-Identifier: BSD-3-Clause
/* Entries of diagonals. Twiddles and chirps are roots of unity, exponents reduced in integers. */
#include "spl/formula/diagonal.h"

#include <math.h>
#include <stdbool.h>

#include "core/mem.h"
#include "core/near_roots.h"
#include "core/trig.h"
#include "spl/formula/four_step.h"

/* Roots of a run that are computed at a time. */
enum { RUN = 64 };

typedef struct wide {
    long double re, im;
} wide;

struct spl_diagonal {
    spl_values values;
    int64_t n, m;
    core_roots *roots;
    bool is_near; /* for runs: of chirps, which are in no order, and for floats */
    core_near_roots near;
    spl_sums *spectrum;
};

static wide wide_root(const spl_diagonal *d, int64_t k)
{
    wide w;

    core_roots_get_wide(d->roots, (size_t)k, &w.re, &w.im);
    return w;
}

/* exp(-i pi k^2/n), k < 2^31. */
static wide chirp_entry(const spl_diagonal *d, int64_t k)
{
    const double narrow = (double)k;
    double re, im;

    if (d->roots)
        return wide_root(d, (int64_t)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)d->n)));
    core_near_chirps_get(&d->near, 1, &narrow, &re, &im);
    return (wide){re, im};
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

static spl_diagonal *open_diagonal(spl_values values, int64_t n, int64_t m, bool near)
{
    const bool wide = !(near && values == SPL_CHIRP);
    const bool sums = values == SPL_SPECTRUM || values == SPL_RADER;
    spl_diagonal *d = (spl_diagonal *)core_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->values = values;
    d->n = n;
    d->m = m;
    d->roots = wide ? core_roots_open((size_t)order_of(values, n, m)) : NULL;
    d->is_near = values == SPL_CHIRP || near;
    d->near = core_near_roots_of((size_t)order_of(values, n, m));
    if (sums)
        d->spectrum = values == SPL_RADER ? spl_sums_of_powers(n, m) : spl_sums_of_chirp(n, m);
    if ((d->roots || !wide) && (d->spectrum || !sums))
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
    spl_sums_close(d->spectrum);
    core_free(d);
}

static wide wide_entry(const spl_diagonal *d, int64_t t)
{
    switch (d->values) {
    case SPL_CHIRP: return chirp_entry(d, t);
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

static void run_roots(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    grid_walk walk = grid_from(d, t, step);
    double k[RUN];

    for (int i = 0, roots; i < count; i += roots) {
        roots = count - i < RUN ? count - i : (int)RUN;
        if (!d->is_near)
            for (int j = 0; j < roots; j++)
                core_roots_get(d->roots, next_of_grid(&walk), &re[i + j], &im[i + j]);
        else
            for (int j = 0; j < roots; j++)
                k[j] = (double)next_of_grid(&walk);
        if (d->is_near)
            core_near_roots_get(&d->near, roots, k, re + i, im + i);
    }
}

static void run_chirp(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    double k[RUN];

    for (int i = 0, roots; i < count; i += roots) {
        roots = count - i < RUN ? count - i : (int)RUN;
        for (int j = 0; j < roots; j++)
            k[j] = (double)(t + (i + j) * step);
        core_near_chirps_get(&d->near, roots, k, re + i, im + i);
    }
}

void spl_diagonal_run(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    if (d->values == SPL_CHIRP) {
        run_chirp(d, t, step, count, re, im);
        return;
    }
    if (d->values == SPL_ROOTS || d->values == SPL_TWIDDLES) {
        run_roots(d, t, step, count, re, im);
        return;
    }
    const int64_t corner = d->values == SPL_RADER ? 2 : 0; /* entries before the spectrum's */
    if (d->spectrum && t >= corner && t + step * (count - 1) >= corner) {
        spl_sums_run(d->spectrum, corner ? t - 1 : t, step, count, re, im);
        return;
    }
    for (int i = 0; i < count; i++, t += step) {
        const wide z = wide_entry(d, t);
        re[i] = (double)z.re;
        im[i] = (double)z.im;
    }
}
