// SPDX-License-Identifier: BSD-3-Clause
/* The transform of a sequence by the four-step method (Bailey 1990), in one array:
 *     X[k1 + a k2] = SUM_j2 w_b^{j2 k2} (w_ab^{j2 k1} SUM_j1 w_a^{j1 k1} x[j1 b + j2])
 * with a near the root of the length m = a b, so that both sums stay near. Row j2 of the array
 * takes the inner sums of column j2, and a column k1 of it the outer ones in place, after which it
 * holds X[k1 + a k2] in row k2: the points pass through memory three times, and stand almost in
 * order. A chirp is even, and so is its X: columns k1 to a/2 are all that is computed and kept, and
 * row b-j2 is row j2 backwards, whose sums are those of -k1. The sums are Stockham FFTs, some
 * beside each other: radix 4 and prime factors by definition. */
#include "spl/formula/four_step.h"

#include <stdbool.h>

#include "core/mem.h"
#include "core/trig.h"

typedef struct narrow {
    double re, im;
} narrow;

struct spl_sums {
    int64_t m, a, b;
    int64_t columns, pitch; /* columns: k1 that are kept */
    bool even;
    narrow *x; /* k1 and k2 at k2 pitch + k1 */
};

static narrow root_of(const core_roots *roots, int64_t k)
{
    narrow w;

    core_roots_get(roots, (size_t)k, &w.re, &w.im);
    return w;
}

/* ---- sums beside each other ---- */

/* A point of two transforms, in a vector of any machine. BESIDE transforms run together: a cache
 * line of the array. */
typedef double two __attribute__((vector_size(16)));
typedef struct point {
    two re, im;
} point;
enum { POINTS = 2, BESIDE = 2 * POINTS, MAX_RADIX = 64 };

static point point_times(two re, two im, narrow w)
{
    return (point){re * w.re - im * w.im, re * w.im + im * w.re};
}

typedef struct sum_stage {
    int64_t n, base, points, l; /* DFT_base on `points` that are left of n, beside l columns */
    const point *in;
    point *out;
    const narrow *root;          /* w_n^k */
    narrow base_root[MAX_RADIX]; /* w_base^k */
} sum_stage;

static inline void butterfly4_beside(const point *x, int64_t from, const narrow *w, point *y,
                                     int64_t next)
{
    const point a = x[0], b = x[from], c = x[2 * from], d = x[3 * from];
    const point s = {a.re + c.re, a.im + c.im}, e = {a.re - c.re, a.im - c.im};
    const point p = {b.re + d.re, b.im + d.im}, t = {b.im - d.im, d.re - b.re};

    y[0] = (point){s.re + p.re, s.im + p.im};
    y[next] = point_times(e.re + t.re, e.im + t.im, w[1]);
    y[2 * next] = point_times(s.re - p.re, s.im - p.im, w[2]);
    y[3 * next] = point_times(e.re - t.re, e.im - t.im, w[3]);
}

static inline void butterfly2_beside(const point *x, int64_t from, narrow w, point *y, int64_t next)
{
    const point a = x[0], b = x[from];

    y[0] = (point){a.re + b.re, a.im + b.im};
    y[next] = point_times(a.re - b.re, a.im - b.im, w);
}

/* An odd prime r: of x[j] + x[-j] and x[j] - x[-j], whose factors are real. */
static inline void butterfly_beside(const int r, const narrow *root, const point *x, int64_t from,
                                    const narrow *w, point *y, int64_t next)
{
    const int half = (r - 1) / 2;
    point sum[MAX_RADIX / 2], difference[MAX_RADIX / 2], all = x[0];

    for (int j = 1; j <= half; j++) {
        const point a = x[j * from], b = x[(r - j) * from];
        sum[j] = (point){a.re + b.re, a.im + b.im};
        difference[j] = (point){a.re - b.re, a.im - b.im};
        all = (point){all.re + sum[j].re, all.im + sum[j].im};
    }
    y[0] = all;
    for (int k = 1; k <= half; k++) {
        point even = x[0], odd = {{0, 0}, {0, 0}}; /* odd: times i */
        for (int j = 1, e = k; j <= half; j++, e = e + k < r ? e + k : e + k - r) {
            even = (point){even.re + root[e].re * sum[j].re, even.im + root[e].re * sum[j].im};
            odd = (point){odd.re + root[e].im * difference[j].re,
                          odd.im + root[e].im * difference[j].im};
        }
        y[k * next] = point_times(even.re - odd.im, even.im + odd.re, w[k]);
        y[(r - k) * next] = point_times(even.re + odd.im, even.im - odd.re, w[r - k]);
    }
}

/* Rows i of the set b: inputs rest apart, outputs next to each other, times w_points^{ik}. */
static void run_stage(const sum_stage *s)
{
    const int64_t rest = s->points / s->base, columns = s->l * POINTS, from = rest * columns;

    for (int64_t i = 0; i < rest; i++) {
        narrow w[MAX_RADIX];
        const point *x = s->in + i * columns;
        point *y = s->out + i * s->base * columns;
        for (int64_t k = 0; k < s->base; k++)
            w[k] = s->root[i * k * s->l];
        for (int64_t c = 0; c < columns; c++)
            switch (s->base) {
            case 4: butterfly4_beside(x + c, from, w, y + c, columns); break;
            case 2: butterfly2_beside(x + c, from, w[1], y + c, columns); break;
            case 3: butterfly_beside(3, s->base_root, x + c, from, w, y + c, columns); break;
            case 5: butterfly_beside(5, s->base_root, x + c, from, w, y + c, columns); break;
            default: butterfly_beside((int)s->base, s->base_root, x + c, from, w, y + c, columns);
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
        if (r == n && n > MAX_RADIX) {
            sum_slowly(root, n, in, out);
        } else {
            sum_stage s = {n, r, points, l, in, out, root, {{0, 0}}};
            for (int64_t k = 0; k < r; k++)
                s.base_root[k] = root[k * (n / r)];
            run_stage(&s);
        }
        *x = out;
        *y = in;
    }
}

/* ---- the sequence ---- */

/* Roots of a row of twiddles are products of two of FINE. Lengths up to SHORT are one row. */
enum { FINE = 64, SHORT = 64 };

typedef struct four_step {
    spl_sums *s;
    int64_t n;         /* of the chirp; of powers, the prime */
    int64_t generator; /* of powers, g^-1; 0: a chirp */
    core_roots *roots; /* of m */
    core_roots *terms; /* that the sequence is made of */
    narrow *root[2];   /* of a and of b */
    point *x, *y;
} four_step;

static void put_point(point *x, int64_t i, int c, narrow value)
{
    point *p = x + i * POINTS + c / 2;

    p->re[c % 2] = value.re;
    p->im[c % 2] = value.im;
}

/* The conjugated chirp w_2n^{-k^2} of k, k+b, .. into points j1, j1+step, ..: exponents by
 * differences, which grow evenly. */
static void put_chirp(const four_step *f, int c, int64_t k, int64_t j1, int64_t step)
{
    const int64_t period = 2 * f->n, b = f->s->b, second = 2 * (b * (b % period) % period) % period;
    int64_t e = (int64_t)((uint64_t)k * (uint64_t)k % (uint64_t)period);
    int64_t first = (int64_t)((uint64_t)b * (uint64_t)(2 * k + b) % (uint64_t)period);

    for (; k < f->n && 2 * k <= f->s->m; k += b, j1 += step) {
        const narrow w = root_of(f->terms, e);
        put_point(f->x, j1, c, (narrow){w.re, -w.im});
        e = e + first < period ? e + first : e + first - period;
        first = first + second < period ? first + second : first + second - period;
    }
}

static int64_t power_mod(int64_t x, int64_t q, int64_t p)
{
    int64_t y = 1;

    for (; q > 0; q /= 2, x = x * x % p)
        if (q % 2)
            y = y * x % p;
    return y;
}

/* Points j1 b + j2 of the sequence. */
static void put_column(const four_step *f, int c, int64_t j2)
{
    const spl_sums *s = f->s;

    if (f->generator == 0) {
        for (int64_t j1 = 0; j1 < s->a; j1++)
            put_point(f->x, j1, c, (narrow){0, 0});
        put_chirp(f, c, j2, 0, 1);
        put_chirp(f, c, s->b - j2, s->a - 1, -1);
        return;
    }
    const int64_t step = power_mod(f->generator, s->b, f->n);
    int64_t e = power_mod(f->generator, j2, f->n);
    for (int64_t j1 = 0; j1 < s->a; j1++, e = e * step % f->n)
        put_point(f->x, j1, c, root_of(f->terms, e));
}

/* ---- rows and columns ---- */

static point times_points(point a, point b)
{
    return (point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* w_m^{k (j2 + c)} of all columns c, times a factor. */
static void put_twiddles(const four_step *f, int64_t k, int64_t j2, double factor, point *w)
{
    for (int c = 0; c < BESIDE; c++) {
        const narrow root = root_of(f->roots, k * (j2 + c) % f->s->m);
        put_point(w, 0, c, (narrow){factor * root.re, factor * root.im});
    }
}

/* Row j2 of a column's sums, and row b-j2 of an even sequence. */
static void store_sums(const spl_sums *s, int64_t j2, int64_t k, int lane, point sum, point back)
{
    narrow *const to = s->x + k;

    to[j2 * s->pitch] = (narrow){sum.re[lane], sum.im[lane]};
    if (s->even && j2 > 0)
        to[(s->b - j2) * s->pitch] = (narrow){back.re[lane], back.im[lane]};
}

/* Rows j2 .. j2+count-1 from the sums over j1, times their twiddles. */
static void store_rows(const four_step *f, int64_t j2, int count)
{
    const spl_sums *s = f->s;
    point fine[FINE][POINTS], coarse[POINTS];

    for (int k = 0; k < FINE && k < s->columns; k++)
        put_twiddles(f, k, j2, 1, fine[k]);
    for (int64_t k = 0; k < s->columns; k++) {
        const point *x = f->x + k * POINTS, *mirror = f->x + (k ? s->a - k : 0) * POINTS;
        if (k % FINE == 0)
            put_twiddles(f, k, j2, 1 / (double)s->m, coarse);
        for (int v = 0; v < POINTS; v++) {
            const point w = times_points(coarse[v], fine[k % FINE][v]), conjugate = {w.re, -w.im};
            const point sum = times_points(x[v], w), back = times_points(mirror[v], conjugate);
            for (int l = 0; l < 2 && 2 * v + l < count; l++)
                store_sums(s, j2 + 2 * v + l, k, l, sum, back);
        }
    }
}

/* The sums over j1 for neighbours from j2 on, as many as there are before `end`. */
static void sum_columns(four_step *f, int64_t j2, int64_t end)
{
    const int count = end - j2 < BESIDE ? (int)(end - j2) : (int)BESIDE;

    for (int c = 0; c < count; c++)
        put_column(f, c, j2 + c);
    transform_beside(f->root[0], f->s->a, &f->x, &f->y);
    store_rows(f, j2, count);
}

/* The sums over j2 of columns from k1 on, in place. */
static void sum_rows(four_step *f, int64_t k1)
{
    const spl_sums *s = f->s;
    const int64_t rest = s->columns - k1;
    const int count = rest < BESIDE ? (int)rest : (int)BESIDE;

    for (int64_t j2 = 0; j2 < s->b; j2++)
        for (int c = 0; c < count; c++)
            put_point(f->x, j2, c, s->x[j2 * s->pitch + k1 + c]);
    transform_beside(f->root[1], s->b, &f->x, &f->y);
    for (int64_t k2 = 0; k2 < s->b; k2++)
        for (int c = 0; c < count; c++) {
            const point *p = f->x + k2 * POINTS + c / 2;
            s->x[k2 * s->pitch + k1 + c] = (narrow){p->re[c % 2], p->im[c % 2]};
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
static narrow *roots_of(const four_step *f, int64_t n)
{
    narrow *root = (narrow *)core_calloc((size_t)n, sizeof *root);

    for (int64_t k = 0; root && k < n; k++)
        root[k] = root_of(f->roots, k * (f->s->m / n));
    return root;
}

static bool open_four_step(four_step *f)
{
    const int64_t a = f->s->a, b = f->s->b, order = f->generator ? f->n : 2 * f->n;

    f->terms = core_roots_open((size_t)order);
    f->roots = core_roots_open((size_t)f->s->m);
    if (!f->terms || !f->roots)
        return false;
    f->root[0] = roots_of(f, a);
    f->root[1] = roots_of(f, b);
    f->x = (point *)core_calloc((size_t)(b * POINTS), sizeof *f->x);
    f->y = (point *)core_calloc((size_t)(b * POINTS), sizeof *f->y);
    return f->root[0] && f->root[1] && f->x && f->y;
}

static void close_four_step(four_step *f)
{
    core_roots_close(f->terms);
    core_roots_close(f->roots);
    core_free(f->root[0]);
    core_free(f->root[1]);
    core_free(f->x);
    core_free(f->y);
}

/* A row is whole lines, an odd number of them: columns would share sets of the cache else. */
static int64_t pitch_of(int64_t columns)
{
    return ((columns + BESIDE - 1) / BESIDE | 1) * BESIDE;
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
    s->x = (narrow *)core_aligned_alloc((size_t)(s->b * s->pitch) * sizeof *s->x);
    return s;
}

static spl_sums *make_spectrum(four_step *f)
{
    spl_sums *s = f->s;
    const int64_t end = !s ? 0 : s->even ? s->b / 2 + 1 : s->b;
    const bool allocated = s && s->x && open_four_step(f);

    for (int64_t j2 = 0; allocated && j2 < end; j2 += BESIDE)
        sum_columns(f, j2, end);
    for (int64_t k1 = 0; allocated && k1 < s->columns; k1 += BESIDE)
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
    const int64_t inverse = power_mod(g, p - 2, p);
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

/* Neighbours t, t+1, .. in row `row` from column k1 on, or backwards in the row that mirrors it.
 * Returns how many of `count` there are before the end of either. */
static int run_along(const spl_sums *s, int64_t row, int64_t k1, int count, double *re, double *im)
{
    const bool kept = k1 < s->columns;
    const int64_t rest = (kept ? s->columns : s->a) - k1, step = kept ? 1 : -1;
    const narrow *x = s->x + (kept ? row * s->pitch + k1 : (s->b - 1 - row) * s->pitch + s->a - k1);
    const int all = rest < count ? (int)rest : count;

    for (int i = 0; i < all; i++, x += step) {
        re[i] = x->re;
        im[i] = x->im;
    }
    return all;
}

void spl_sums_run(const spl_sums *s, int64_t t, int64_t step, int count, double *re, double *im)
{
    for (int i = 0, done; i < count; i += done, t += step * done) {
        const int64_t row = t / s->a;
        done = run_along(s, row, t - row * s->a, step == 1 ? count - i : 1, re + i, im + i);
    }
}
