// SPDX-License-Identifier: BSD-3-Clause
#include "spl/formula/beside.h"

#include <stdbool.h>

enum { MAX_RADIX = 64 };

static spl_point point_times(spl_two re, spl_two im, spl_narrow w)
{
    return (spl_point){re * w.re - im * w.im, re * w.im + im * w.re};
}

typedef struct sum_stage {
    int64_t n, base, points, l; /* DFT_base on `points` that are left of n, beside l columns */
    const spl_point *in;
    spl_point *out;
    const spl_narrow *root;          /* w_n^k */
    spl_narrow base_root[MAX_RADIX]; /* w_base^k */
} sum_stage;

static inline void butterfly4_beside(const spl_point *x, int64_t from, const spl_narrow *w,
                                     spl_point *y, int64_t next)
{
    const spl_point a = x[0], b = x[from], c = x[2 * from], d = x[3 * from];
    const spl_point s = {a.re + c.re, a.im + c.im}, e = {a.re - c.re, a.im - c.im};
    const spl_point p = {b.re + d.re, b.im + d.im}, t = {b.im - d.im, d.re - b.re};

    y[0] = (spl_point){s.re + p.re, s.im + p.im};
    y[next] = point_times(e.re + t.re, e.im + t.im, w[1]);
    y[2 * next] = point_times(s.re - p.re, s.im - p.im, w[2]);
    y[3 * next] = point_times(e.re - t.re, e.im - t.im, w[3]);
}

static inline void butterfly2_beside(const spl_point *x, int64_t from, spl_narrow w, spl_point *y,
                                     int64_t next)
{
    const spl_point a = x[0], b = x[from];

    y[0] = (spl_point){a.re + b.re, a.im + b.im};
    y[next] = point_times(a.re - b.re, a.im - b.im, w);
}

/* An odd prime r: of x[j] + x[-j] and x[j] - x[-j], whose factors are real. */
static inline void butterfly_beside(const int r, const spl_narrow *root, const spl_point *x,
                                    int64_t from, const spl_narrow *w, spl_point *y, int64_t next)
{
    const int half = (r - 1) / 2;
    spl_point sum[MAX_RADIX / 2], difference[MAX_RADIX / 2], all = x[0];

    for (int j = 1; j <= half; j++) {
        const spl_point a = x[j * from], b = x[(r - j) * from];
        sum[j] = (spl_point){a.re + b.re, a.im + b.im};
        difference[j] = (spl_point){a.re - b.re, a.im - b.im};
        all = (spl_point){all.re + sum[j].re, all.im + sum[j].im};
    }
    y[0] = all;
    for (int k = 1; k <= half; k++) {
        spl_point even = x[0], odd = {{0, 0}, {0, 0}}; /* odd: times i */
        for (int j = 1, e = k; j <= half; j++, e = e + k < r ? e + k : e + k - r) {
            even = (spl_point){even.re + root[e].re * sum[j].re, even.im + root[e].re * sum[j].im};
            odd = (spl_point){odd.re + root[e].im * difference[j].re,
                              odd.im + root[e].im * difference[j].im};
        }
        y[k * next] = point_times(even.re - odd.im, even.im + odd.re, w[k]);
        y[(r - k) * next] = point_times(even.re + odd.im, even.im - odd.re, w[r - k]);
    }
}

/* Rows i of the set b: inputs rest apart, outputs next to each other, times w_points^{ik}. */
static void run_stage(const sum_stage *s)
{
    const int64_t rest = s->points / s->base, columns = s->l * SPL_POINTS, from = rest * columns;

    for (int64_t i = 0; i < rest; i++) {
        spl_narrow w[MAX_RADIX];
        const spl_point *x = s->in + i * columns;
        spl_point *y = s->out + i * s->base * columns;
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
static void sum_slowly(const spl_narrow *root, int64_t n, const spl_point *in, spl_point *out)
{
    for (int64_t k = 0; k < n * SPL_POINTS; k++) {
        out[k] = (spl_point){{0, 0}, {0, 0}};
        for (int64_t j = 0, e = 0; j < n; j++, e = (e + k / SPL_POINTS) % n) {
            const spl_point x = in[j * SPL_POINTS + k % SPL_POINTS],
                            term = point_times(x.re, x.im, root[e]);
            out[k] = (spl_point){out[k].re + term.re, out[k].im + term.im};
        }
    }
}

void spl_transform_beside(const spl_narrow *root, int64_t n, spl_point **x, spl_point **y)
{
    int64_t r = 0;

    for (int64_t points = n, l = 1; points > 1; points /= r, l *= r) {
        spl_point *const in = *x, *const out = *y;
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
