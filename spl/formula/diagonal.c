// SPDX-License-Identifier: BSD-3-Clause
/* Entries of diagonals. Twiddles and chirps are roots of unity, with exponents reduced in integers;
 * the spectra of a chirp and of Rader's sequence are transformed once, in double precision, by the
 * four-step method (Bailey 1990):
 *     X[k1 + a k2] = SUM_j2 w_b^{j2 k2} (w_ab^{j2 k1} SUM_j1 w_a^{j1 k1} x[j1 b + j2])
 * with a near the root of the length, so that both sums stay near and the points pass through memory
 * twice. A chirp is even, and so is its X: rows k1 to a/2 are all that is computed and kept, and
 * column b-j2 is column j2 backwards, whose sums are those of row -k1. The sums are Stockham FFTs,
 * some beside each other: radix 4 and prime factors by definition, with roots of one table. */
#include "spl/formula/diagonal.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"

typedef struct wide {
    long double re, im;
} wide;

typedef struct narrow {
    double re, im;
} narrow;

struct spl_diagonal {
    spl_values values;
    int64_t n, m;
    core_roots *roots;
    int64_t length; /* of the transform, and of the roots */
    int64_t kept;   /* entries; of an even spectrum one half, entry k being entry length-k too */
    narrow *entry;
};

static narrow narrow_times(narrow a, narrow b)
{
    return (narrow){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static narrow narrow_root(const spl_diagonal *d, int64_t k)
{
    narrow w;

    core_roots_get(d->roots, (size_t)k, &w.re, &w.im);
    return w;
}

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

/* ---- the transform of a spectrum ---- */

/* A point of two transforms, in a vector of any machine. BESIDE transforms run together. */
typedef double two __attribute__((vector_size(16)));
typedef struct point {
    two re, im;
} point;
enum { POINTS = 2, BESIDE = 2 * POINTS, MAX_RADIX = 64 };

static point point_times(two re, two im, narrow w)
{
    return (point){re * w.re - im * w.im, re * w.im + im * w.re};
}

typedef struct spectrum_stage {
    int64_t n, base, points, l; /* DFT_base on `points` that are left of n, beside l columns */
    const point *in;
    point *out;
    const narrow *root; /* w_n^k */
} spectrum_stage;

static void butterfly4_beside(const point *x, int64_t from, const narrow *w, point *y, int64_t next)
{
    const point a = x[0], b = x[from], c = x[2 * from], d = x[3 * from];
    const point s = {a.re + c.re, a.im + c.im}, e = {a.re - c.re, a.im - c.im};
    const point p = {b.re + d.re, b.im + d.im}, t = {b.im - d.im, d.re - b.re};

    y[0] = (point){s.re + p.re, s.im + p.im};
    y[next] = point_times(e.re + t.re, e.im + t.im, w[1]);
    y[2 * next] = point_times(s.re - p.re, s.im - p.im, w[2]);
    y[3 * next] = point_times(e.re - t.re, e.im - t.im, w[3]);
}

/* An odd prime, or 2: of x[j] + x[-j] and x[j] - x[-j], whose factors are real. */
static void butterfly_beside(const spectrum_stage *s, const point *x, int64_t from, const narrow *w,
                             point *y, int64_t next)
{
    const int64_t r = s->base, half = (r - 1) / 2;
    point sum[MAX_RADIX / 2], difference[MAX_RADIX / 2];

    if (r == 2) {
        const point a = x[0], b = x[from];
        y[0] = (point){a.re + b.re, a.im + b.im};
        y[next] = point_times(a.re - b.re, a.im - b.im, w[1]);
        return;
    }
    point all = x[0];
    for (int64_t j = 1; j <= half; j++) {
        const point a = x[j * from], b = x[(r - j) * from];
        sum[j] = (point){a.re + b.re, a.im + b.im};
        difference[j] = (point){a.re - b.re, a.im - b.im};
        all = (point){all.re + sum[j].re, all.im + sum[j].im};
    }
    y[0] = all;
    for (int64_t k = 1; k <= half; k++) {
        point even = x[0], odd = {{0, 0}, {0, 0}}; /* odd: times i */
        for (int64_t j = 1; j <= half; j++) {
            const narrow c = s->root[j * k % r * (s->n / r)];
            even = (point){even.re + c.re * sum[j].re, even.im + c.re * sum[j].im};
            odd = (point){odd.re + c.im * difference[j].re, odd.im + c.im * difference[j].im};
        }
        y[k * next] = point_times(even.re - odd.im, even.im + odd.re, w[k]);
        y[(r - k) * next] = point_times(even.re + odd.im, even.im - odd.re, w[r - k]);
    }
}

/* Rows i of the set b: inputs rest apart, outputs next to each other, times w_points^{ik}. */
static void run_stage(const spectrum_stage *s)
{
    const int64_t rest = s->points / s->base, columns = s->l * POINTS, from = rest * columns;

    for (int64_t i = 0; i < rest; i++) {
        narrow w[MAX_RADIX];
        const point *x = s->in + i * columns;
        point *y = s->out + i * s->base * columns;
        for (int64_t k = 0; k < s->base; k++)
            w[k] = s->root[i * k * s->l];
        for (int64_t c = 0; c < columns; c++)
            if (s->base == 4)
                butterfly4_beside(x + c, from, w, y + c, columns);
            else
                butterfly_beside(s, x + c, from, w, y + c, columns);
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

/* By definition, for the lengths of formulas that were typed. */
static void sum_slowly(const narrow *root, int64_t n, const point *in, point *out)
{
    for (int64_t k = 0; k < n * POINTS; k++) {
        out[k] = (point){{0, 0}, {0, 0}};
        for (int64_t j = 0, e = 0; j < n; j++, e = (e + k / POINTS) % n) {
            const point x = in[j * POINTS + k % POINTS], term = point_times(x.re, x.im, root[e]);
            out[k] = (point){out[k].re + term.re, out[k].im + term.im};
        }
    }
}

/* DFT_n of *x, which changes places with *y. */
static void transform_beside(const narrow *root, int64_t n, point **x, point **y)
{
    int64_t r = 0;

    for (int64_t points = n, l = 1; points > 1; points /= r, l *= r) {
        point *const in = *x, *const out = *y;
        r = has_stages(n) ? radix_of(points) : n;
        const spectrum_stage s = {n, r, points, l, in, out, root};
        if (r == n && n > MAX_RADIX)
            sum_slowly(root, n, in, out);
        else
            run_stage(&s);
        *x = out;
        *y = in;
    }
}

/* Lengths up to this one are one row. Roots of a row of twiddles are products of two of FINE. */
enum { SHORT = 64, FINE_LOG = 6, FINE = 1 << FINE_LOG };

typedef struct four_step {
    const spl_diagonal *d, *terms; /* terms: roots that the sequence is made of */
    const int64_t *power;          /* R(p,g): g^-q mod p; else the sequence is even */
    int64_t a, b, rows;            /* rows: k1 that are computed */
    narrow *sum;                   /* over j1: k1 and j2 at k1 b + j2 */
    narrow *root[2];               /* of a and of b */
    narrow *coarse;                /* of one column */
    point *x, *y;
} four_step;

/* Entry t of the sequence, divided by its length: the conjugated chirp wrapped around, from -(n-1)
 * to n-1, or w_p^{g^-t}. */
static narrow term_of(const four_step *f, int64_t t)
{
    const int64_t m = f->d->length, k = t < m - t ? t : m - t;
    narrow c = {0, 0};

    if (f->power)
        c = narrow_root(f->terms, f->power[t]);
    else if (k < f->terms->n)
        c = narrow_root(f->terms, chirp_exponent(f->terms, k));
    return (narrow){c.re / (double)m, (f->power ? c.im : -c.im) / (double)m};
}

static narrow get_point(const point *x, int64_t i, int c)
{
    const point *p = x + i * POINTS + c / 2;

    return (narrow){p->re[c % 2], p->im[c % 2]};
}

static void put_point(point *x, int64_t i, int c, narrow value)
{
    point *p = x + i * POINTS + c / 2;

    p->re[c % 2] = value.re;
    p->im[c % 2] = value.im;
}

/* Column j2, the c-th of those in x, times its twiddles; and column b-j2 where the sequence is even. */
static void store_column(const four_step *f, int64_t j2, int c)
{
    narrow fine[FINE], *to = f->sum + j2;
    const int64_t back = f->power || 2 * j2 == f->b || j2 == 0 ? 0 : f->b - 2 * j2;

    for (int64_t k = 0; k < FINE; k++)
        fine[k] = narrow_root(f->d, k * j2 % f->d->length);
    for (int64_t k = 0; k < f->rows; k += FINE)
        f->coarse[k >> FINE_LOG] = narrow_root(f->d, k * j2);
    for (int64_t k = 0; k < f->rows; k++) {
        const narrow w = narrow_times(f->coarse[k >> FINE_LOG], fine[k % FINE]);
        to[k * f->b] = narrow_times(get_point(f->x, k, c), w);
        if (back)
            to[k * f->b + back] =
                narrow_times(get_point(f->x, k ? f->a - k : 0, c), (narrow){w.re, -w.im});
    }
}

/* The sums over j1 for neighbours from j2 on, as many as there are before `end`. */
static void run_columns(four_step *f, int64_t j2, int64_t end)
{
    const int count = end - j2 < BESIDE ? (int)(end - j2) : (int)BESIDE;

    for (int64_t j1 = 0; j1 < f->a; j1++)
        for (int c = 0; c < count; c++)
            put_point(f->x, j1, c, term_of(f, j1 * f->b + j2 + c));
    transform_beside(f->root[0], f->a, &f->x, &f->y);
    for (int c = 0; c < count; c++)
        store_column(f, j2 + c, c);
}

static void run_rows(four_step *f, int64_t k1)
{
    const int64_t rest = f->rows - k1, b = f->b, length = f->d->length;
    const int count = rest < BESIDE ? (int)rest : (int)BESIDE;
    const narrow *row = f->sum + k1 * b;

    for (int64_t j = 0; j < b; j++)
        for (int c = 0; c < count; c++)
            put_point(f->x, j, c, row[c * b + j]);
    transform_beside(f->root[1], b, &f->x, &f->y);
    for (int64_t k2 = 0; k2 < b; k2++)
        for (int c = 0; c < count; c++) {
            const int64_t t = k1 + c + f->a * k2;
            f->d->entry[t < f->d->kept ? t : length - t] = get_point(f->x, k2, c);
        }
}

/* A factor of m near its root, which is not worth while up to SHORT: 1. */
static int64_t near_root(int64_t m)
{
    int64_t a = 1;

    for (int64_t k = 1; m > SHORT && k <= m / k; k++)
        if (m % k == 0)
            a = k;
    return a;
}

/* g^-q mod p for q < p-1; NULL: out of memory. */
static int64_t *powers_of_root(int64_t p, int64_t g)
{
    int64_t *power = (int64_t *)core_calloc((size_t)(p - 1), sizeof *power);

    for (int64_t q = p - 1, last = 1; power && q > 0; q--)
        power[q - 1] = last = last * g % p;
    return power;
}

/* All roots of n, which divides the length; NULL: out of memory. */
static narrow *roots_of(const spl_diagonal *d, int64_t n)
{
    narrow *root = (narrow *)core_calloc((size_t)n, sizeof *root);

    for (int64_t k = 0; root && k < n; k++)
        root[k] = narrow_root(d, k * (d->length / n));
    return root;
}

static bool open_four_step(four_step *f)
{
    const int64_t a = f->a, b = f->b;

    f->sum = (narrow *)core_aligned_alloc((size_t)(f->rows * b) * sizeof *f->sum);
    f->root[0] = roots_of(f->d, a);
    f->root[1] = roots_of(f->d, b);
    f->coarse = (narrow *)core_calloc((size_t)(f->rows / FINE + 1), sizeof *f->coarse);
    f->x = (point *)core_calloc((size_t)(b * POINTS), sizeof *f->x);
    f->y = (point *)core_calloc((size_t)(b * POINTS), sizeof *f->y);
    return f->sum && f->root[0] && f->root[1] && f->coarse && f->x && f->y;
}

static void close_four_step(four_step *f)
{
    core_aligned_free(f->sum);
    core_free(f->root[0]);
    core_free(f->root[1]);
    core_free(f->coarse);
    core_free(f->x);
    core_free(f->y);
}

static bool make_spectrum(spl_diagonal *d)
{
    const bool rader = d->values == SPL_RADER;
    const int64_t a = near_root(d->length), b = d->length / a, end = rader ? b : b / 2 + 1;
    int64_t *power = rader ? powers_of_root(d->n, d->m) : NULL;
    spl_diagonal *terms = spl_diagonal_open(rader ? SPL_TWIDDLES : SPL_CHIRP, d->n, 1);
    const int64_t rows = rader ? a : a / 2 + 1;
    four_step f = {.d = d, .terms = terms, .power = power, .a = a, .b = b, .rows = rows};

    d->kept = rader ? d->length : d->length / 2 + 1;
    d->entry = (narrow *)core_aligned_alloc((size_t)d->kept * sizeof *d->entry);
    const bool allocated = terms && (power || !rader) && d->entry && open_four_step(&f);
    for (int64_t j2 = 0; allocated && j2 < end; j2 += BESIDE)
        run_columns(&f, j2, end);
    for (int64_t k1 = 0; allocated && k1 < f.rows; k1 += BESIDE)
        run_rows(&f, k1);
    close_four_step(&f);
    core_free(power);
    spl_diagonal_close(terms);
    return allocated;
}

static wide spectrum_entry(const spl_diagonal *d, int64_t t)
{
    const narrow x = d->entry[t < d->kept ? t : d->length - t];

    return (wide){x.re, x.im};
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
static int64_t length_of(spl_values values, int64_t n, int64_t m)
{
    switch (values) {
    case SPL_CHIRP: return 2 * n;
    case SPL_SPECTRUM: return m;
    case SPL_RADER: return n - 1;
    case SPL_CORNER:
    case SPL_CONST:
    case SPL_SIGNS:
    case SPL_HALF: return 1;
    case SPL_ROOTS: return n;
    default: return n * m;
    }
}

spl_diagonal *spl_diagonal_open(spl_values values, int64_t n, int64_t m)
{
    spl_diagonal *d = (spl_diagonal *)core_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    *d = (spl_diagonal){.values = values, .n = n, .m = m, .length = length_of(values, n, m)};
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
    core_aligned_free(d->entry);
    core_free(d);
}

static wide wide_entry(const spl_diagonal *d, int64_t t)
{
    switch (d->values) {
    case SPL_CHIRP: return wide_root(d, chirp_exponent(d, t));
    case SPL_SPECTRUM: return spectrum_entry(d, t);
    case SPL_RADER: return t < 2 ? wide_corner(d, t + 2) : spectrum_entry(d, t - 1);
    case SPL_CORNER: return wide_corner(d, t);
    case SPL_ROOTS: return wide_root(d, t);
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

void spl_diagonal_run(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im)
{
    for (int i = 0; i < count; i++, t += step) {
        const wide z = wide_entry(d, t);
        re[i] = (double)z.re;
        im[i] = (double)z.im;
    }
}
