// SPDX-License-Identifier: BSD-3-Clause
/* The transform of a sequence by the four-step method (Bailey 1990), in one array:
 *     X[k1 + a k2] = SUM_j2 w_b^{j2 k2} (w_ab^{j2 k1} SUM_j1 w_a^{j1 k1} x[j1 b + j2])
 * with a near the root of the length m = a b, so that both sums stay near. Row j2 of the array
 * takes the inner sums of column j2, and a column k1 of it the outer ones in place, after which it
 * holds X[k1 + a k2] in row k2: the points pass through memory three times, and stand almost in
 * order. A chirp is even, and so is its X: columns k1 to a/2 are all that is computed and kept, and
 * row b-j2 is row j2 backwards, whose sums are those of -k1. */
#include "spl/formula/four_step.h"

#include <stdbool.h>

#include "core/mem.h"
#include "core/near_roots.h"
#include "core/number.h"
#include "core/wide.h"
#include "spl/formula/adjacent_fft.h"

struct spl_sums {
    int64_t m, a, b;
    int64_t columns, pitch; /* columns: k1 that are kept */
    bool even;
    spl_points x; /* k1 and k2 at k2 pitch + k1 */
};

/* Terms of the sequence that are computed at a time, and rows of them. Lengths up to SHORT are one
 * row. */
enum { TERMS = 64, TERM_ROWS = TERMS / SPL_ADJACENT, SHORT = 64 };

typedef struct four_step {
    spl_sums *s;
    int64_t n;             /* of the chirp; of powers, the prime */
    int64_t generator;     /* of powers, g^-1; 0: a chirp */
    core_near_roots roots; /* of m */
    core_near_roots terms; /* that the sequence is made of */
    spl_narrow *root[2];   /* of a and of b */
    spl_points x, y;
} four_step;

static spl_narrow root_of(const core_near_roots *roots, int64_t k)
{
    const double exponent = (double)k;
    spl_narrow w;

    core_near_roots_get(roots, 1, &exponent, &w.re, &w.im);
    return w;
}

static int rows_from(int64_t row, int64_t rows)
{
    return rows - row < TERM_ROWS ? (int)(rows - row) : (int)TERM_ROWS;
}

/* ---- the sequence ---- */

/* Terms i b + j2 + l of rows i from `row` on, as distances from 0 and m. */
static CORE_WIDE void place_terms(const spl_sums *s, int64_t row, int64_t j2, double *k)
{
    const double m = (double)s->m, b = (double)s->b, first = (double)(row * s->b + j2);

    for (int i = 0; i < TERM_ROWS; i++)
        for (int l = 0; l < SPL_ADJACENT; l++) {
            const double at = first + i * b + l;
            k[i * SPL_ADJACENT + l] = at < m - at ? at : m - at;
        }
}

/* Terms conjugated, and none from n on. */
static CORE_WIDE void end_chirp(double n, int count, const double *k, double *re, double *im)
{
    CORE_APART
    for (int i = 0; i < count; i++) {
        re[i] = k[i] < n ? re[i] : 0;
        im[i] = k[i] < n ? -im[i] : 0;
    }
}

/* The conjugated chirp w_2n^{-k^2}, whose columns from j2 on are neighbours in each row. */
static void put_chirp(const four_step *f, int64_t j2)
{
    const spl_sums *s = f->s;
    double k[TERMS];

    for (int64_t row = 0; row < s->a; row += TERM_ROWS) {
        const int count = SPL_ADJACENT * rows_from(row, s->a);
        double *const re = f->x.re + row * SPL_ADJACENT, *const im = f->x.im + row * SPL_ADJACENT;
        place_terms(s, row, j2, k);
        core_near_chirps_get(&f->terms, count, k, re, im);
        end_chirp((double)f->n, count, k, re, im);
    }
}

/* The next terms' exponents: e, which is left at those after them. */
static CORE_WIDE void place_powers(double by, double p, double *e, double *k)
{
    const double by_p = 1 / p;

    for (int i = 0; i < TERM_ROWS; i++) {
        CORE_APART
        for (int l = 0; l < SPL_ADJACENT; l++) {
            k[i * SPL_ADJACENT + l] = e[l];
            e[l] = core_near_rest(e[l] * by, p, by_p);
        }
    }
}

/* Powers of the generator as exponents, below 2^26. */
static void put_powers(const four_step *f, int64_t j2)
{
    const spl_sums *s = f->s;
    const double by = (double)core_power_mod(f->generator, s->b, f->n);
    double k[TERMS], e[SPL_ADJACENT];

    for (int l = 0; l < SPL_ADJACENT; l++)
        e[l] = (double)core_power_mod(f->generator, j2 + l, f->n);
    for (int64_t row = 0; row < s->a; row += TERM_ROWS) {
        place_powers(by, (double)f->n, e, k);
        core_near_roots_get(&f->terms, SPL_ADJACENT * rows_from(row, s->a), k,
                            f->x.re + row * SPL_ADJACENT, f->x.im + row * SPL_ADJACENT);
    }
}

/* ---- rows and columns ---- */

/* Rows k of x times w_m^{kj}, j = j2 + l, divided by m; backwards, those of -k times w_m^{-kj}. */
static CORE_WIDE void turn_rows(const spl_points *x, int64_t from, int64_t by, int rows,
                                const double *wr, const double *wi, double scale, double *re,
                                double *im)
{
    for (int i = 0; i < rows; i++) {
        CORE_APART
        for (int l = 0; l < SPL_ADJACENT; l++) {
            const int64_t at = (from + i * by) * SPL_ADJACENT + l, to = i * SPL_ADJACENT + l;
            const double xr = x->re[at], xi = x->im[at], y = (double)by * wi[to];
            re[to] = scale * (xr * wr[to] - xi * y);
            im[to] = scale * (xr * y + xi * wr[to]);
        }
    }
}

/* Column l of some rows as entries of a row. */
static void store_column(const double *re, const double *im, int l, int rows, spl_points to,
                         int64_t at)
{
    for (int i = 0; i < rows; i++) {
        to.re[at + i] = re[i * SPL_ADJACENT + l];
        to.im[at + i] = im[i * SPL_ADJACENT + l];
    }
}

/* Exponents k (j2 + l), which are below m. */
static CORE_WIDE void place_twiddles(int64_t k, int64_t j2, double *exponent)
{
    for (int i = 0; i < TERM_ROWS; i++)
        for (int l = 0; l < SPL_ADJACENT; l++)
            exponent[i * SPL_ADJACENT + l] = (double)(k + i) * (double)(j2 + l);
}

/* Rows j2 .. j2+count-1 from the sums over j1, times their twiddles, and those that mirror them. */
static void store_rows(const four_step *f, int64_t j2, int count)
{
    const spl_sums *s = f->s;
    double exponent[TERMS], wr[TERMS], wi[TERMS], re[TERMS], im[TERMS];

    for (int64_t k = 0; k < s->columns; k += TERM_ROWS) {
        const int rows = rows_from(k, s->columns);
        place_twiddles(k, j2, exponent);
        core_near_roots_get(&f->roots, TERMS, exponent, wr, wi);
        turn_rows(&f->x, k, 1, rows, wr, wi, 1 / (double)s->m, re, im);
        for (int l = 0; l < count; l++)
            store_column(re, im, l, rows, s->x, (j2 + l) * s->pitch + k);
        if (!s->even)
            continue;
        turn_rows(&f->x, s->a - k, -1, rows, wr, wi, 1 / (double)s->m, re, im);
        for (int l = j2 == 0; l < count; l++)
            store_column(re, im, l, rows, s->x, (s->b - j2 - l) * s->pitch + k);
    }
}

/* The sums over j1 for neighbours from j2 on, as many as there are before `end`. */
static void sum_columns(four_step *f, int64_t j2, int64_t end)
{
    const int64_t a = f->s->a;

    if (f->generator == 0)
        put_chirp(f, j2);
    else
        put_powers(f, j2);
    spl_adjacent_fft(f->root[0], a, &f->x, &f->y);
    for (int l = 0; l < SPL_ADJACENT; l++) { /* -k of k = 0 */
        f->x.re[a * SPL_ADJACENT + l] = f->x.re[l];
        f->x.im[a * SPL_ADJACENT + l] = f->x.im[l];
    }
    store_rows(f, j2, end - j2 < SPL_ADJACENT ? (int)(end - j2) : (int)SPL_ADJACENT);
}

static CORE_WIDE void copy_lines(int64_t rows, const double *from, int64_t pitch, double *to,
                                 int64_t to_pitch)
{
    for (int64_t i = 0; i < rows; i++) {
        CORE_APART
        for (int l = 0; l < SPL_ADJACENT; l++)
            to[i * to_pitch + l] = from[i * pitch + l];
    }
}

/* The sums over j2 of columns from k1 on, in place. */
static void sum_rows(four_step *f, int64_t k1)
{
    const spl_sums *s = f->s;

    copy_lines(s->b, s->x.re + k1, s->pitch, f->x.re, SPL_ADJACENT);
    copy_lines(s->b, s->x.im + k1, s->pitch, f->x.im, SPL_ADJACENT);
    spl_adjacent_fft(f->root[1], s->b, &f->x, &f->y);
    copy_lines(s->b, f->x.re, SPL_ADJACENT, s->x.re + k1, s->pitch);
    copy_lines(s->b, f->x.im, SPL_ADJACENT, s->x.im + k1, s->pitch);
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

/* All roots of n, which divides m; NULL: out of memory. */
static spl_narrow *roots_of(const four_step *f, int64_t n)
{
    spl_narrow *root = (spl_narrow *)core_calloc((size_t)n, sizeof *root);

    for (int64_t k = 0; root && k < n; k++)
        root[k] = root_of(&f->roots, k * (f->s->m / n));
    return root;
}

/* Lines of some rows, and TERM_ROWS more, which are computed and not used. */
static spl_points points_of(int64_t rows)
{
    const size_t bytes = (size_t)((rows + TERM_ROWS) * SPL_ADJACENT) * sizeof(double);
    spl_points x;

    x.re = (double *)core_aligned_alloc(bytes);
    x.im = (double *)core_aligned_alloc(bytes);
    return x;
}

static void free_points(spl_points x)
{
    core_aligned_free(x.re);
    core_aligned_free(x.im);
}

static bool open_four_step(four_step *f)
{
    const int64_t a = f->s->a, b = f->s->b, order = f->generator ? f->n : 2 * f->n;

    f->terms = core_near_roots_of((size_t)order);
    f->roots = core_near_roots_of((size_t)f->s->m);
    f->root[0] = roots_of(f, a);
    f->root[1] = roots_of(f, b);
    f->x = points_of(b);
    f->y = points_of(b);
    return f->root[0] && f->root[1] && f->x.re && f->x.im && f->y.re && f->y.im;
}

static void close_four_step(four_step *f)
{
    core_free(f->root[0]);
    core_free(f->root[1]);
    free_points(f->x);
    free_points(f->y);
}

/* A row is whole lines, an odd number of them: columns would share sets of the cache else. */
static int64_t pitch_of(int64_t columns)
{
    return ((columns + SPL_ADJACENT - 1) / SPL_ADJACENT | 1) * SPL_ADJACENT;
}

static spl_sums *open_spectrum(int64_t m, bool even)
{
    spl_sums *s = (spl_sums *)core_calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->m = m;
    s->a = near_root(m);
    s->b = m / s->a;
    s->even = even;
    s->columns = even ? s->a / 2 + 1 : s->a;
    s->pitch = pitch_of(s->columns);
    const size_t bytes = (size_t)(s->b * s->pitch) * sizeof *s->x.re;
    s->x.re = (double *)core_aligned_alloc(bytes);
    s->x.im = (double *)core_aligned_alloc(bytes);
    return s;
}

static spl_sums *make_spectrum(four_step *f)
{
    spl_sums *s = f->s;
    const int64_t end = !s ? 0 : s->even ? s->b / 2 + 1 : s->b;
    const bool allocated = s && s->x.re && s->x.im && open_four_step(f);

    for (int64_t j2 = 0; allocated && j2 < end; j2 += SPL_ADJACENT)
        sum_columns(f, j2, end);
    for (int64_t k1 = 0; allocated && k1 < s->columns; k1 += SPL_ADJACENT)
        sum_rows(f, k1);
    close_four_step(f);
    if (allocated)
        return s;
    spl_sums_close(s);
    return NULL;
}

spl_sums *spl_sums_of_chirp(int64_t n, int64_t m)
{
    four_step f = {.s = open_spectrum(m, true), .n = n};
    return make_spectrum(&f);
}

spl_sums *spl_sums_of_powers(int64_t p, int64_t g)
{
    four_step f = {
        .s = open_spectrum(p - 1, false), .n = p, .generator = core_power_mod(g, p - 2, p)};
    return make_spectrum(&f);
}

void spl_sums_close(spl_sums *s)
{
    if (!s)
        return;
    free_points(s->x);
    core_free(s);
}

/* Entries k1 + a row and on, `step` >= 0 apart, as far as neither the row nor what is kept of it
 * ends: of `count` so many. What mirrors them goes backwards. */
static int run_along(const spl_sums *s, int64_t row, int64_t k1, int64_t step, int count,
                     double *re, double *im)
{
    const bool kept = k1 < s->columns;
    const int64_t last = (kept ? s->columns : s->a) - 1;
    const int64_t rest = step == 0 ? count : (last - k1) / step + 1;
    const int64_t at = kept ? row * s->pitch + k1 : (s->b - 1 - row) * s->pitch + s->a - k1;
    const int64_t by = kept ? step : -step;
    const int all = rest < count ? (int)rest : count;
    const double *const x = s->x.re + at, *const y = s->x.im + at;

    for (int i = 0; i < all; i++) {
        re[i] = x[i * by];
        im[i] = y[i * by];
    }
    return all;
}

void spl_sums_run(const spl_sums *s, int64_t t, int64_t step, int count, double *re, double *im)
{
    const int64_t rows = step / s->a - (step % s->a < 0), columns = step - rows * s->a;
    int64_t row = t / s->a, k1 = t % s->a;

    for (int i = 0, done; i < count; i += done) {
        done = run_along(s, row, k1, columns, rows == 0 ? count - i : 1, re + i, im + i);
        row += rows * done;
        k1 += columns * done;
        row += k1 >= s->a;
        k1 -= k1 >= s->a ? s->a : 0;
    }
}
