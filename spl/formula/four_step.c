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
#include "spl/formula/beside.h"

struct spl_sums {
    int64_t m, a, b;
    int64_t columns, pitch; /* columns: k1 that are kept */
    bool even;
    spl_narrow *x; /* k1 and k2 at k2 pitch + k1 */
};

static spl_narrow root_of(const core_near_roots *roots, int64_t k)
{
    const size_t exponent = (size_t)k;
    spl_narrow w;

    core_near_roots_get(roots, 1, &exponent, &w.re, &w.im);
    return w;
}

/* ---- the sequence ---- */

/* Roots of a row of twiddles are products of two of FINE. Lengths up to SHORT are one row. */
enum { FINE = 64, SHORT = 64 };
/* Terms of the sequence that are computed at a time. */
enum { TERMS = 16 };

typedef struct four_step {
    spl_sums *s;
    int64_t n;              /* of the chirp; of powers, the prime */
    int64_t generator;      /* of powers, g^-1; 0: a chirp */
    core_near_roots *roots; /* of m */
    core_near_roots *terms; /* that the sequence is made of */
    spl_narrow *root[2];    /* of a and of b */
    spl_point *x, *y;
} four_step;

static void put_point(spl_point *x, int64_t i, int c, spl_narrow value)
{
    spl_point *p = x + i * SPL_POINTS + c / 2;

    p->re[c % 2] = value.re;
    p->im[c % 2] = value.im;
}

/* Terms of the sequence as points j1, j1+step, .. of a column; their imaginary parts have a
 * sign. */
static void put_terms(const four_step *f, int c, int64_t j1, int64_t step, const size_t *exponent,
                      int count, double sign)
{
    double re[TERMS], im[TERMS];

    core_near_roots_get(f->terms, count, exponent, re, im);
    for (int i = 0; i < count; i++, j1 += step)
        put_point(f->x, j1, c, (spl_narrow){re[i], sign * im[i]});
}

/* The conjugated chirp w_2n^{-k^2} of k, k+b, .. into points j1, j1+step, ..: exponents by
 * differences, which grow evenly. */
static void put_chirp(const four_step *f, int c, int64_t k, int64_t j1, int64_t step)
{
    const int64_t period = 2 * f->n, b = f->s->b, second = 2 * (b * (b % period) % period) % period;
    const int64_t end = f->s->m / 2 < f->n ? f->s->m / 2 + 1 : f->n;
    int64_t e = (int64_t)((uint64_t)k * (uint64_t)k % (uint64_t)period);
    int64_t first = (int64_t)((uint64_t)b * (uint64_t)(2 * k + b) % (uint64_t)period);
    size_t exponent[TERMS];

    while (k < end) {
        int count = 0;
        for (; count < TERMS && k < end; k += b) {
            exponent[count++] = (size_t)e;
            e = e + first < period ? e + first : e + first - period;
            first = first + second < period ? first + second : first + second - period;
        }
        put_terms(f, c, j1, step, exponent, count, -1);
        j1 += step * count;
    }
}

/* Points j1 b + j2 of the sequence. */
static void put_column(const four_step *f, int c, int64_t j2)
{
    const spl_sums *s = f->s;

    if (f->generator == 0) {
        for (int64_t j1 = 0; j1 < s->a; j1++)
            put_point(f->x, j1, c, (spl_narrow){0, 0});
        put_chirp(f, c, j2, 0, 1);
        put_chirp(f, c, s->b - j2, s->a - 1, -1);
        return;
    }
    const core_multiplier step = core_multiplier_of(core_power_mod(f->generator, s->b, f->n), f->n);
    int64_t e = core_power_mod(f->generator, j2, f->n);
    for (int64_t j1 = 0; j1 < s->a;) {
        size_t exponent[TERMS];
        int count = 0;
        for (; count < TERMS && j1 + count < s->a; e = core_multiply_mod(&step, e))
            exponent[count++] = (size_t)e;
        put_terms(f, c, j1, 1, exponent, count, 1);
        j1 += count;
    }
}

/* ---- rows and columns ---- */

static spl_point times_points(spl_point a, spl_point b)
{
    return (spl_point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* w_m^{k (j2 + c)} of all columns c, times a factor. */
static void put_twiddles(const four_step *f, int64_t k, int64_t j2, double factor, spl_point *w)
{
    for (int c = 0; c < SPL_BESIDE; c++) {
        const spl_narrow root = root_of(f->roots, k * (j2 + c) % f->s->m);
        put_point(w, 0, c, (spl_narrow){factor * root.re, factor * root.im});
    }
}

/* Row j2 of a column's sums, and row b-j2 of an even sequence. */
static void store_sums(const spl_sums *s, int64_t j2, int64_t k, int lane, spl_point sum,
                       spl_point back)
{
    spl_narrow *const to = s->x + k;

    to[j2 * s->pitch] = (spl_narrow){sum.re[lane], sum.im[lane]};
    if (s->even && j2 > 0)
        to[(s->b - j2) * s->pitch] = (spl_narrow){back.re[lane], back.im[lane]};
}

/* Rows j2 .. j2+count-1 from the sums over j1, times their twiddles. */
static void store_rows(const four_step *f, int64_t j2, int count)
{
    const spl_sums *s = f->s;
    spl_point fine[FINE][SPL_POINTS], coarse[SPL_POINTS];

    for (int k = 0; k < FINE && k < s->columns; k++)
        put_twiddles(f, k, j2, 1, fine[k]);
    for (int64_t k = 0; k < s->columns; k++) {
        const spl_point *x = f->x + k * SPL_POINTS,
                        *mirror = f->x + (k ? s->a - k : 0) * SPL_POINTS;
        if (k % FINE == 0)
            put_twiddles(f, k, j2, 1 / (double)s->m, coarse);
        for (int v = 0; v < SPL_POINTS; v++) {
            const spl_point w = times_points(coarse[v], fine[k % FINE][v]),
                            conjugate = {w.re, -w.im};
            const spl_point sum = times_points(x[v], w), back = times_points(mirror[v], conjugate);
            for (int l = 0; l < 2 && 2 * v + l < count; l++)
                store_sums(s, j2 + 2 * v + l, k, l, sum, back);
        }
    }
}

/* The sums over j1 for neighbours from j2 on, as many as there are before `end`. */
static void sum_columns(four_step *f, int64_t j2, int64_t end)
{
    const int count = end - j2 < SPL_BESIDE ? (int)(end - j2) : (int)SPL_BESIDE;

    for (int c = 0; c < count; c++)
        put_column(f, c, j2 + c);
    spl_transform_beside(f->root[0], f->s->a, &f->x, &f->y);
    store_rows(f, j2, count);
}

/* The sums over j2 of columns from k1 on, in place. */
static void sum_rows(four_step *f, int64_t k1)
{
    const spl_sums *s = f->s;
    const int64_t rest = s->columns - k1;
    const int count = rest < SPL_BESIDE ? (int)rest : (int)SPL_BESIDE;

    for (int64_t j2 = 0; j2 < s->b; j2++)
        for (int c = 0; c < count; c++)
            put_point(f->x, j2, c, s->x[j2 * s->pitch + k1 + c]);
    spl_transform_beside(f->root[1], s->b, &f->x, &f->y);
    for (int64_t k2 = 0; k2 < s->b; k2++)
        for (int c = 0; c < count; c++) {
            const spl_point *p = f->x + k2 * SPL_POINTS + c / 2;
            s->x[k2 * s->pitch + k1 + c] = (spl_narrow){p->re[c % 2], p->im[c % 2]};
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

/* All roots of n, which divides m; NULL: out of memory. */
static spl_narrow *roots_of(const four_step *f, int64_t n)
{
    spl_narrow *root = (spl_narrow *)core_calloc((size_t)n, sizeof *root);

    for (int64_t k = 0; root && k < n; k++)
        root[k] = root_of(f->roots, k * (f->s->m / n));
    return root;
}

static bool open_four_step(four_step *f)
{
    const int64_t a = f->s->a, b = f->s->b, order = f->generator ? f->n : 2 * f->n;

    f->terms = core_near_roots_open((size_t)order);
    f->roots = core_near_roots_open((size_t)f->s->m);
    if (!f->terms || !f->roots)
        return false;
    f->root[0] = roots_of(f, a);
    f->root[1] = roots_of(f, b);
    f->x = (spl_point *)core_calloc((size_t)(b * SPL_POINTS), sizeof *f->x);
    f->y = (spl_point *)core_calloc((size_t)(b * SPL_POINTS), sizeof *f->y);
    return f->root[0] && f->root[1] && f->x && f->y;
}

static void close_four_step(four_step *f)
{
    core_near_roots_close(f->terms);
    core_near_roots_close(f->roots);
    core_free(f->root[0]);
    core_free(f->root[1]);
    core_free(f->x);
    core_free(f->y);
}

/* A row is whole lines, an odd number of them: columns would share sets of the cache else. */
static int64_t pitch_of(int64_t columns)
{
    return ((columns + SPL_BESIDE - 1) / SPL_BESIDE | 1) * SPL_BESIDE;
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
    s->pitch = s->a > 1 ? pitch_of(s->columns) : 1;
    s->x = (spl_narrow *)core_aligned_alloc((size_t)(s->b * s->pitch) * sizeof *s->x);
    return s;
}

static spl_sums *make_spectrum(four_step *f)
{
    spl_sums *s = f->s;
    const int64_t end = !s ? 0 : s->even ? s->b / 2 + 1 : s->b;
    const bool allocated = s && s->x && open_four_step(f);

    for (int64_t j2 = 0; allocated && j2 < end; j2 += SPL_BESIDE)
        sum_columns(f, j2, end);
    for (int64_t k1 = 0; allocated && k1 < s->columns; k1 += SPL_BESIDE)
        sum_rows(f, k1);
    close_four_step(f);
    if (allocated)
        return s;
    spl_sums_close(s);
    return NULL;
}

spl_sums *spl_sums_of_chirp(int64_t n, int64_t m)
{
    four_step f = {open_spectrum(m, true), n, 0, NULL, NULL, {NULL, NULL}, NULL, NULL};
    return make_spectrum(&f);
}

spl_sums *spl_sums_of_powers(int64_t p, int64_t g)
{
    const int64_t inverse = core_power_mod(g, p - 2, p);
    four_step f = {open_spectrum(p - 1, false), p, inverse, NULL, NULL, {NULL, NULL}, NULL, NULL};
    return make_spectrum(&f);
}

void spl_sums_close(spl_sums *s)
{
    if (!s)
        return;
    core_aligned_free(s->x);
    core_free(s);
}

/* Entry k1 + a row, or the one that mirrors it; neighbours are *step apart. */
static const spl_narrow *entry_at(const spl_sums *s, int64_t row, int64_t k1, int64_t *step)
{
    const bool kept = k1 < s->columns;
    const int64_t at_row = kept ? row : s->b - 1 - row, column = kept ? k1 : s->a - k1;

    *step = kept ? 1 : -1;
    return s->x + (at_row * s->pitch + column);
}

/* Neighbours from an entry on. Returns how many of `count` there are before the end of the row, or
 * of what is kept of it. */
static int run_along(const spl_sums *s, int64_t row, int64_t k1, int count, double *re, double *im)
{
    int64_t step;
    const spl_narrow *x = entry_at(s, row, k1, &step);
    const int64_t rest = (step > 0 ? s->columns : s->a) - k1;
    const int all = rest < count ? (int)rest : count;

    for (int i = 0; i < all; i++, x += step) {
        re[i] = x->re;
        im[i] = x->im;
    }
    return all;
}

/* Entries apart, by rows and columns that grow evenly. */
static void run_apart(const spl_sums *s, int64_t t, int64_t step, int count, double *re, double *im)
{
    const int64_t rows = step / s->a - (step % s->a < 0), columns = step - rows * s->a;
    int64_t row = t / s->a, k1 = t % s->a;

    for (int i = 0; i < count; i++) {
        int64_t next;
        const spl_narrow *x = entry_at(s, row, k1, &next);
        re[i] = x->re;
        im[i] = x->im;
        k1 += columns;
        row += rows + (k1 >= s->a);
        k1 -= k1 >= s->a ? s->a : 0;
    }
}

void spl_sums_run(const spl_sums *s, int64_t t, int64_t step, int count, double *re, double *im)
{
    if (step != 1) {
        run_apart(s, t, step, count, re, im);
        return;
    }
    for (int i = 0, done; i < count; i += done, t += done)
        done = run_along(s, t / s->a, t % s->a, count - i, re + i, im + i);
}
