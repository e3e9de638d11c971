// SPDX-License-Identifier: BSD-3-Clause
/* Adjacent columns are loops, which become vectors. */
#include "spl/formula/adjacent_fft.h"

#include <stdbool.h>

#include "core/wide.h"

enum { MAX_RADIX = 64 };

typedef struct sum_stage {
    int64_t n, base, points, l; /* DFT_base on `points` that are left of n, with l columns */
    const spl_narrow *root;     /* w_n^k */
} sum_stage;

static inline void put_product(double re, double im, spl_narrow w, double *to_re, double *to_im)
{
    *to_re = re * w.re - im * w.im;
    *to_im = re * w.im + im * w.re;
}

/* Rows i of the set b: inputs rest apart, outputs next to each other, times w_points^{ik}. */
static CORE_WIDE void sum_fours(const sum_stage *s, const double *re, const double *im,
                                double *to_re, double *to_im)
{
    const int64_t rest = s->points / 4, next = s->l * SPL_ADJACENT, from = rest * next;

    for (int64_t i = 0; i < rest; i++) {
        const spl_narrow *const w = s->root;
        const spl_narrow w1 = w[i * s->l], w2 = w[2 * i * s->l], w3 = w[3 * i * s->l];
        CORE_APART
        for (int64_t c = 0; c < next; c++) {
            const int64_t at = i * next + c, to = 4 * i * next + c;
            const double ar = re[at], br = re[at + from], cr = re[at + 2 * from];
            const double ai = im[at], bi = im[at + from], ci = im[at + 2 * from];
            const double dr = re[at + 3 * from], di = im[at + 3 * from];
            const double sr = ar + cr, si = ai + ci, er = ar - cr, ei = ai - ci;
            const double pr = br + dr, pi = bi + di, tr = bi - di, ti = dr - br;
            to_re[to] = sr + pr;
            to_im[to] = si + pi;
            put_product(er + tr, ei + ti, w1, &to_re[to + next], &to_im[to + next]);
            put_product(sr - pr, si - pi, w2, &to_re[to + 2 * next], &to_im[to + 2 * next]);
            put_product(er - tr, ei - ti, w3, &to_re[to + 3 * next], &to_im[to + 3 * next]);
        }
    }
}

static CORE_WIDE void sum_twos(const sum_stage *s, const double *re, const double *im,
                               double *to_re, double *to_im)
{
    const int64_t rest = s->points / 2, next = s->l * SPL_ADJACENT, from = rest * next;

    for (int64_t i = 0; i < rest; i++) {
        const spl_narrow w = s->root[i * s->l];
        CORE_APART
        for (int64_t c = 0; c < next; c++) {
            const int64_t at = i * next + c, to = 2 * i * next + c;
            to_re[to] = re[at] + re[at + from];
            to_im[to] = im[at] + im[at + from];
            put_product(re[at] - re[at + from], im[at] - im[at + from], w, &to_re[to + next],
                        &to_im[to + next]);
        }
    }
}

/* Of x[j] + x[-j] and x[j] - x[-j], whose factors are real: re and im of rows of columns. */
typedef struct sum_pair {
    double sum_re[SPL_ADJACENT], sum_im[SPL_ADJACENT], apart_re[SPL_ADJACENT],
        apart_im[SPL_ADJACENT];
} sum_pair;

/* The pairs of a set of r rows; their sum, with the first row, is the first result. */
static inline void pair_rows(int r, const double *re, const double *im, int64_t from,
                             sum_pair *pairs, double *all_re, double *all_im)
{
    for (int l = 0; l < SPL_ADJACENT; l++) {
        all_re[l] = re[l];
        all_im[l] = im[l];
    }
    for (int j = 1; 2 * j < r; j++) {
        sum_pair *const p = &pairs[j];
        for (int l = 0; l < SPL_ADJACENT; l++) {
            const double ar = re[j * from + l], br = re[(r - j) * from + l];
            const double ai = im[j * from + l], bi = im[(r - j) * from + l];
            p->sum_re[l] = ar + br;
            p->sum_im[l] = ai + bi;
            p->apart_re[l] = ar - br;
            p->apart_im[l] = ai - bi;
        }
        for (int l = 0; l < SPL_ADJACENT; l++) {
            all_re[l] += p->sum_re[l];
            all_im[l] += p->sum_im[l];
        }
    }
}

/* Results k and r-k: of even and odd, which is to be times i. */
static inline void sum_row(int r, int k, const spl_narrow *root, const sum_pair *pairs,
                           double *even_re, double *even_im, double *odd_re, double *odd_im)
{
    for (int j = 1, e = k; 2 * j < r; j++, e = e + k < r ? e + k : e + k - r) {
        const sum_pair *const p = &pairs[j];
        const spl_narrow w = root[e];
        for (int l = 0; l < SPL_ADJACENT; l++) {
            even_re[l] += w.re * p->sum_re[l];
            even_im[l] += w.re * p->sum_im[l];
            odd_re[l] += w.im * p->apart_re[l];
            odd_im[l] += w.im * p->apart_im[l];
        }
    }
}

/* An odd prime r, a line of columns at a time. */
static inline void sum_set(const int r, const spl_narrow *root, const spl_narrow *w,
                           const double *re, const double *im, int64_t from, double *to_re,
                           double *to_im, int64_t next)
{
    sum_pair pairs[MAX_RADIX / 2 + 1];
    double all_re[SPL_ADJACENT], all_im[SPL_ADJACENT];

    pair_rows(r, re, im, from, pairs, all_re, all_im);
    for (int l = 0; l < SPL_ADJACENT; l++) {
        to_re[l] = all_re[l];
        to_im[l] = all_im[l];
    }
    for (int k = 1; 2 * k < r; k++) {
        double even_re[SPL_ADJACENT], even_im[SPL_ADJACENT];
        double odd_re[SPL_ADJACENT] = {0}, odd_im[SPL_ADJACENT] = {0};
        for (int l = 0; l < SPL_ADJACENT; l++) {
            even_re[l] = re[l];
            even_im[l] = im[l];
        }
        sum_row(r, k, root, pairs, even_re, even_im, odd_re, odd_im);
        for (int l = 0; l < SPL_ADJACENT; l++)
            put_product(even_re[l] - odd_im[l], even_im[l] + odd_re[l], w[k], &to_re[k * next + l],
                        &to_im[k * next + l]);
        for (int l = 0; l < SPL_ADJACENT; l++)
            put_product(even_re[l] + odd_im[l], even_im[l] - odd_re[l], w[r - k],
                        &to_re[(r - k) * next + l], &to_im[(r - k) * next + l]);
    }
}

static CORE_WIDE void sum_primes(const sum_stage *s, const double *re, const double *im,
                                 double *to_re, double *to_im)
{
    const int r = (int)s->base;
    const int64_t rest = s->points / r, next = s->l * SPL_ADJACENT, from = rest * next;
    spl_narrow root[MAX_RADIX], w[MAX_RADIX];

    for (int k = 0; k < r; k++)
        root[k] = s->root[k * (s->n / r)];
    for (int64_t i = 0; i < rest; i++) {
        for (int k = 0; k < r; k++)
            w[k] = s->root[i * k * s->l];
        for (int64_t c = 0; c < next; c += SPL_ADJACENT) {
            const int64_t at = i * next + c, to = r * i * next + c;
            if (r == 3)
                sum_set(3, root, w, re + at, im + at, from, to_re + to, to_im + to, next);
            else if (r == 5)
                sum_set(5, root, w, re + at, im + at, from, to_re + to, to_im + to, next);
            else
                sum_set(r, root, w, re + at, im + at, from, to_re + to, to_im + to, next);
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
    while (n > 1 && radix_of(n) < MAX_RADIX)
        n /= radix_of(n);
    return n == 1;
}

/* By definition, for the lengths of formulas that were typed. */
static CORE_WIDE void sum_slowly(const sum_stage *s, const double *re, const double *im,
                                 double *to_re, double *to_im)
{
    for (int64_t k = 0; k < s->n; k++) {
        double sum_re[SPL_ADJACENT] = {0}, sum_im[SPL_ADJACENT] = {0};
        for (int64_t j = 0, e = 0; j < s->n; j++, e = (e + k) % s->n)
            for (int l = 0; l < SPL_ADJACENT; l++) {
                const double x = re[j * SPL_ADJACENT + l], y = im[j * SPL_ADJACENT + l];
                sum_re[l] += x * s->root[e].re - y * s->root[e].im;
                sum_im[l] += x * s->root[e].im + y * s->root[e].re;
            }
        for (int l = 0; l < SPL_ADJACENT; l++) {
            to_re[k * SPL_ADJACENT + l] = sum_re[l];
            to_im[k * SPL_ADJACENT + l] = sum_im[l];
        }
    }
}

static void run_sum_stage(const sum_stage *s, const spl_points *in, const spl_points *out)
{
    if (s->base == 4)
        sum_fours(s, in->re, in->im, out->re, out->im);
    else if (s->base == 2)
        sum_twos(s, in->re, in->im, out->re, out->im);
    else if (s->base < MAX_RADIX)
        sum_primes(s, in->re, in->im, out->re, out->im);
    else
        sum_slowly(s, in->re, in->im, out->re, out->im);
}

void spl_adjacent_fft(const spl_narrow *root, int64_t n, spl_points *x, spl_points *y)
{
    const bool staged = has_stages(n);
    int64_t r = 0;

    for (int64_t points = n, l = 1; points > 1; points /= r, l *= r) {
        const spl_points in = *x, out = *y;
        r = staged ? radix_of(points) : n;
        const sum_stage s = {n, r, points, l, root};
        run_sum_stage(&s, &in, &out);
        *x = out;
        *y = in;
    }
}
