// SPDX-License-Identifier: BSD-3-Clause
/* Entries of diagonals. Twiddles and chirps are roots of unity, with exponents reduced in integers;
 * the spectra of a chirp and of Rader's sequence are transformed once, in long double, by the
 * four-step method (Bailey 1990):
 *     X[k1 + a k2] = SUM_j2 w_b^{j2 k2} (w_ab^{j2 k1} SUM_j1 w_a^{j1 k1} x[j1 b + j2])
 * with a near the root of the length, so that both sums stay near and the points pass through memory
 * twice. A chirp is even, so its X is: rows k1 to a/2 are all that is computed and kept. The sums
 * are Stockham FFTs: radix 4 and prime factors by definition, with roots of one table. */
#include "spl/formula/diagonal.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"

typedef struct wide {
    long double re, im;
} wide;

struct spl_diagonal {
    spl_values values;
    int64_t n, m;
    core_roots *roots;
    int64_t length;  /* of the transform, and of the roots */
    int64_t a, rows; /* (k1, k2) of k1 + a k2 is entry[k1 length/a + k2], k1 < rows */
    wide *entry;
};

static wide wide_times(wide a, wide b)
{
    return (wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static wide wide_root(const spl_diagonal *d, int64_t k)
{
    wide w;

    core_roots_get_wide(d->roots, (size_t)k, &w.re, &w.im);
    return w;
}

/* exp(-i pi k^2/n) of roots of 2n; k < 2^31. */
static wide wide_chirp(const spl_diagonal *d, int64_t k)
{
    return wide_root(d, (int64_t)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)d->n)));
}

/* ---- the transform of a spectrum ---- */

typedef struct wide_stage {
    const spl_diagonal *d;         /* roots of its length */
    int64_t base, points, l, step; /* DFT_base on `points` that are left, beside l columns */
    const wide *in;
    wide *out;
    const wide *inside; /* w_base^k */
} wide_stage;

static void wide_butterfly4(const wide *x, const wide *w, wide *y, int64_t next)
{
    const wide s = {x[0].re + x[2].re, x[0].im + x[2].im},
               e = {x[0].re - x[2].re, x[0].im - x[2].im};
    const wide p = {x[1].re + x[3].re, x[1].im + x[3].im},
               t = {x[1].im - x[3].im, x[3].re - x[1].re};

    y[0] = (wide){s.re + p.re, s.im + p.im};
    y[next] = wide_times((wide){e.re + t.re, e.im + t.im}, w[1]);
    y[2 * next] = wide_times((wide){s.re - p.re, s.im - p.im}, w[2]);
    y[3 * next] = wide_times((wide){e.re - t.re, e.im - t.im}, w[3]);
}

enum { MAX_RADIX = 64 };

/* An odd prime, or 2: of x[j] + x[-j] and x[j] - x[-j], whose factors are real. */
static void wide_butterfly(const wide_stage *s, const wide *x, const wide *w, wide *y)
{
    const int64_t r = s->base, half = (r - 1) / 2;
    wide sum[MAX_RADIX / 2], difference[MAX_RADIX / 2];

    if (r == 2) {
        y[0] = (wide){x[0].re + x[1].re, x[0].im + x[1].im};
        y[s->l] = wide_times((wide){x[0].re - x[1].re, x[0].im - x[1].im}, w[1]);
        return;
    }
    y[0] = x[0];
    for (int64_t j = 1; j <= half; j++) {
        sum[j] = (wide){x[j].re + x[r - j].re, x[j].im + x[r - j].im};
        difference[j] = (wide){x[j].re - x[r - j].re, x[j].im - x[r - j].im};
        y[0] = (wide){y[0].re + sum[j].re, y[0].im + sum[j].im};
    }
    for (int64_t k = 1; k <= half; k++) {
        wide even = x[0], odd = {0, 0}; /* odd: times i */
        for (int64_t j = 1; j <= half; j++) {
            const wide c = s->inside[j * k % r];
            even = (wide){even.re + c.re * sum[j].re, even.im + c.re * sum[j].im};
            odd = (wide){odd.re + c.im * difference[j].re, odd.im + c.im * difference[j].im};
        }
        y[k * s->l] = wide_times((wide){even.re - odd.im, even.im + odd.re}, w[k]);
        y[(r - k) * s->l] = wide_times((wide){even.re + odd.im, even.im - odd.re}, w[r - k]);
    }
}

/* Rows i of the set b: inputs rest apart, outputs next to each other, times w_points^{ik}. */
static void run_stage(const wide_stage *s)
{
    const int64_t rest = s->points / s->base;

    for (int64_t i = 0; i < rest; i++) {
        wide w[MAX_RADIX], x[MAX_RADIX];
        for (int64_t k = 0; k < s->base; k++)
            w[k] = wide_root(s->d, i * k * s->l * s->step);
        for (int64_t c = 0; c < s->l; c++) {
            wide *y = s->out + i * s->base * s->l + c;
            for (int64_t j = 0; j < s->base; j++)
                x[j] = s->in[(i + j * rest) * s->l + c];
            if (s->base == 4)
                wide_butterfly4(x, w, y, s->l);
            else
                wide_butterfly(s, x, w, y);
        }
    }
}

static int64_t radix_of(int64_t n)
{
    if (n % 4 == 0)
        return 4;
    for (int64_t p = 2; p < MAX_RADIX && p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

/* Do stages reach every factor of n? */
static bool has_stages(int64_t n)
{
    while (n > 1 && radix_of(n) <= MAX_RADIX)
        n /= radix_of(n);
    return n == 1;
}

/* DFT_n of *x, which changes places with *y; n divides its length. */
static void wide_transform(const spl_diagonal *d, int64_t n, wide **x, wide **y)
{
    wide inside[MAX_RADIX];

    for (int64_t points = n, l = 1; points > 1;) {
        const int64_t r = radix_of(points);
        const wide_stage s = {.d = d,
                              .base = r,
                              .points = points,
                              .l = l,
                              .step = d->length / n,
                              .in = *x,
                              .out = *y,
                              .inside = inside};
        for (int64_t k = 0; k < r; k++)
            inside[k] = wide_root(d, k * (d->length / r));
        run_stage(&s);
        wide *const swap = *x;
        *x = *y;
        *y = swap;
        points /= r;
        l *= r;
    }
}

/* By definition, for the lengths of formulas that were typed. */
static void wide_sums_slowly(const spl_diagonal *d, int64_t n, wide **x, wide **y)
{
    wide *const in = *x, *const out = *y;

    for (int64_t k = 0; k < n; k++) {
        out[k] = (wide){0, 0};
        for (int64_t j = 0, e = 0; j < n; j++, e = (e + k) % n) {
            const wide term = wide_times(in[j], wide_root(d, e * (d->length / n)));
            out[k] = (wide){out[k].re + term.re, out[k].im + term.im};
        }
    }
    *x = out;
    *y = in;
}

static void wide_sums(const spl_diagonal *d, int64_t n, wide **x, wide **y)
{
    (has_stages(n) ? wide_transform : wide_sums_slowly)(d, n, x, y);
}

/* Columns that are written together, whole cache lines; lengths that are one row. */
enum { WIDE_COLUMNS = 8, WIDE_SHORT = 4096 };

typedef struct wide_four_step {
    const spl_diagonal *d, *terms; /* terms: roots that the sequence is made of */
    const int64_t *power;          /* R(p,g): g^-q mod p */
    int64_t a, b;
    wide *x, *y;
    wide *columns; /* WIDE_COLUMNS of a points */
} wide_four_step;

/* Entry t of the sequence, divided by its length: the conjugated chirp wrapped around, from -(n-1)
 * to n-1, or w_p^{g^-t}. */
static wide wide_term(const wide_four_step *f, int64_t t)
{
    const int64_t m = f->d->length, k = t < m - t ? t : m - t;
    wide c = {0, 0};

    if (f->power)
        c = wide_root(f->terms, f->power[t]);
    else if (k < f->terms->n)
        c = wide_chirp(f->terms, k);
    return (wide){c.re / (long double)m, (f->power ? c.im : -c.im) / (long double)m};
}

/* The sums over j1 for `count` neighbours from j2 on, times their twiddles. */
static void wide_run_columns(wide_four_step *f, int64_t j2, int64_t count)
{
    for (int64_t c = 0; c < count; c++) {
        for (int64_t j1 = 0; j1 < f->a; j1++)
            f->x[j1] = wide_term(f, j1 * f->b + j2 + c);
        wide_sums(f->d, f->a, &f->x, &f->y);
        for (int64_t k1 = 0; k1 < f->d->rows; k1++)
            f->columns[k1 * WIDE_COLUMNS + c] =
                wide_times(f->x[k1 % f->a], wide_root(f->d, k1 * (j2 + c)));
    }
    for (int64_t k1 = 0; k1 < f->d->rows; k1++)
        memcpy(f->d->entry + k1 * f->b + j2, f->columns + k1 * WIDE_COLUMNS,
               (size_t)count * sizeof(wide));
}

static void wide_run_row(wide_four_step *f, wide *row)
{
    memcpy(f->x, row, (size_t)f->b * sizeof *row);
    wide_sums(f->d, f->b, &f->x, &f->y);
    memcpy(row, f->x, (size_t)f->b * sizeof *row);
}

/* A factor of m near its root, which is not worth while below WIDE_SHORT: 1. */
static int64_t wide_near_root(int64_t m)
{
    int64_t a = 1;

    for (int64_t k = 1; m > WIDE_SHORT && k <= m / k; k++)
        if (m % k == 0)
            a = k;
    return a;
}

/* g^-q mod p for q < p-1; NULL: out of memory. */
static int64_t *wide_powers(int64_t p, int64_t g)
{
    int64_t *power = (int64_t *)core_calloc((size_t)(p - 1), sizeof *power);

    for (int64_t q = p - 1, last = 1; power && q > 0; q--)
        power[q - 1] = last = last * g % p;
    return power;
}

static bool make_spectrum(spl_diagonal *d)
{
    const bool rader = d->values == SPL_RADER;
    const int64_t a = wide_near_root(d->length), b = d->length / a, rows = rader ? a : a / 2 + 1;
    spl_diagonal *terms =
        rader ? spl_diagonal_open(SPL_TWIDDLES, d->n, 1) : spl_diagonal_open(SPL_CHIRP, d->n, 1);
    int64_t *power = rader ? wide_powers(d->n, d->m) : NULL;
    wide_four_step f = {.d = d,
                        .terms = terms,
                        .power = power,
                        .a = a,
                        .b = b,
                        .x = (wide *)core_calloc((size_t)b, sizeof *f.x),
                        .y = (wide *)core_calloc((size_t)b, sizeof *f.y),
                        .columns =
                            (wide *)core_calloc((size_t)rows * WIDE_COLUMNS, sizeof *f.columns)};

    d->a = a;
    d->rows = rows;
    d->entry = (wide *)core_calloc((size_t)(rows * b), sizeof *d->entry);
    const bool room = terms && f.x && f.y && f.columns && d->entry && (power || !rader);
    for (int64_t j2 = 0; room && j2 < b; j2 += WIDE_COLUMNS)
        wide_run_columns(&f, j2, b - j2 < WIDE_COLUMNS ? b - j2 : (int64_t)WIDE_COLUMNS);
    for (int64_t k1 = 0; room && k1 < rows; k1++)
        wide_run_row(&f, d->entry + k1 * b);
    core_free(f.x);
    core_free(f.y);
    core_free(f.columns);
    core_free(power);
    spl_diagonal_close(terms);
    return room;
}

static wide wide_spectrum(const spl_diagonal *d, int64_t t)
{
    const int64_t u = t % d->a >= d->rows ? d->length - t : t;

    return d->entry[u % d->a * (d->length / d->a) + u / d->a];
}

/* K(n); its last two entries are the first two of R(n,g). */
static wide wide_corner(const spl_diagonal *d, int64_t t)
{
    const long double s = sqrtl((long double)(d->n - 1));

    if (t < 2)
        return (wide){0.5L, t == 0 ? s / 2 : -s / 2};
    return t == 2 ? (wide){1, 0} : (wide){0, -1 / s};
}

/* Points of the transform and order of the roots. */
static int64_t wide_length(spl_values values, int64_t n, int64_t m)
{
    switch (values) {
    case SPL_CHIRP: return 2 * n;
    case SPL_SPECTRUM: return m;
    case SPL_RADER: return n - 1;
    case SPL_CORNER: return 1;
    default: return n * m;
    }
}

spl_diagonal *spl_diagonal_open(spl_values values, int64_t n, int64_t m)
{
    spl_diagonal *d = (spl_diagonal *)core_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    *d = (spl_diagonal){.values = values, .n = n, .m = m, .length = wide_length(values, n, m)};
    d->roots = core_roots_open((size_t)d->length);
    const bool sums = values == SPL_SPECTRUM || values == SPL_RADER;
    if (d->roots && (!sums || make_spectrum(d)))
        return d;
    spl_diagonal_close(d);
    return NULL;
}

void spl_diagonal_close(spl_diagonal *d)
{
    if (!d)
        return;
    core_roots_close(d->roots);
    core_free(d->entry);
    core_free(d);
}

static wide wide_entry(const spl_diagonal *d, int64_t t)
{
    switch (d->values) {
    case SPL_CHIRP: return wide_chirp(d, t);
    case SPL_SPECTRUM: return wide_spectrum(d, t);
    case SPL_RADER: return t < 2 ? wide_corner(d, t + 2) : wide_spectrum(d, t - 1);
    case SPL_CORNER: return wide_corner(d, t);
    default: return wide_root(d, t / d->m * (t % d->m) % (d->n * d->m));
    }
}

void spl_diagonal_get(const spl_diagonal *d, int64_t t, long double *re, long double *im)
{
    const wide z = wide_entry(d, t);

    *re = z.re;
    *im = z.im;
}
