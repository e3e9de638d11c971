// SPDX-License-Identifier: BSD-3-Clause
/* Diagonals by definition, and a discrete Fourier transform to be trusted rather than fast:
 * recursive decimation in time in long double with radix 4 and prime factors by definition,
 *     y[q m + k] = SUM_{j<p} w_p^{jq} w_n^{jk} (DFT_m x[j::p])[k],   n = p m.
 * Every root is computed on its own, but for those that mirror others. */
#include "spl/oracle/oracle.h"

#include <math.h>

#include "core/mem.h"
#include "core/trig.h"

typedef struct cplx {
    long double re, im;
} cplx;

typedef struct oracle {
    int64_t n;
    cplx *root; /* w_n^k, conjugated for the inverse */
    cplx *temp; /* one for each summand of the largest prime factor */
} oracle;

static cplx cplx_times(cplx a, cplx b)
{
    return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static int64_t radix(int64_t n)
{
    if (n % 4 == 0)
        return 4;
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

static void butterfly4(const oracle *o, int64_t m, int64_t k, int64_t step, cplx *out)
{
    cplx *const y = out + k;
    const cplx a = y[0];
    const cplx b = cplx_times(y[m], o->root[k * step]);
    const cplx c = cplx_times(y[2 * m], o->root[2 * k * step]);
    const cplx d = cplx_times(y[3 * m], o->root[3 * k * step]);
    const cplx sum = {a.re + c.re, a.im + c.im}, difference = {a.re - c.re, a.im - c.im};
    const cplx plus = {b.re + d.re, b.im + d.im};
    const long double quarter = o->root[o->n / 4].im; /* -1, for the inverse 1; re is 0 */
    const cplx turned = {quarter * (d.im - b.im), quarter * (b.re - d.re)};
    y[0] = (cplx){sum.re + plus.re, sum.im + plus.im};
    y[m] = (cplx){difference.re + turned.re, difference.im + turned.im};
    y[2 * m] = (cplx){sum.re - plus.re, sum.im - plus.im};
    y[3 * m] = (cplx){difference.re - turned.re, difference.im - turned.im};
}

/* The sums of j and p - j, and their differences, are multiplied by what the roots of both have in
 * common; q and p - q have the same products. */
static void butterfly(const oracle *o, int64_t p, int64_t m, int64_t k, int64_t step, cplx *out)
{
    const int64_t half = (p - 1) / 2;
    for (int64_t j = 0; j < p; j++)
        o->temp[j] = cplx_times(out[j * m + k], o->root[j * k * step]);
    const cplx first = o->temp[0], middle = p == 2 ? o->temp[1] : (cplx){0, 0};
    for (int64_t j = 1; j <= half; j++) {
        const cplx a = o->temp[j], b = o->temp[p - j];
        o->temp[j] = (cplx){a.re + b.re, a.im + b.im};
        o->temp[p - j] = (cplx){a.re - b.re, a.im - b.im};
    }
    for (int64_t q = 0; q <= p / 2; q++) {
        const long double sign = q % 2 == 0 ? 1 : -1;
        cplx even = {first.re + sign * middle.re, first.im + sign * middle.im}, odd = {0, 0};
        int64_t power = q; /* jq mod p */
        for (int64_t j = 1; j <= half; j++) {
            const cplx root = o->root[power * (o->n / p)], plus = o->temp[j],
                       minus = o->temp[p - j];
            even = (cplx){even.re + root.re * plus.re, even.im + root.re * plus.im};
            odd = (cplx){odd.re - root.im * minus.im, odd.im + root.im * minus.re};
            power += power + q < p ? q : q - p;
        }
        out[q * m + k] = (cplx){even.re + odd.re, even.im + odd.im};
        if (q > 0)
            out[(p - q) * m + k] = (cplx){even.re - odd.re, even.im - odd.im};
    }
}

static void recurse(const oracle *o, int64_t n, const long double *in, int64_t stride, cplx *out)
{
    const int64_t p = radix(n), m = n / p, step = o->n / n;
    for (int64_t j = 0; j < p; j++)
        if (m == 1)
            out[j] = (cplx){in[2 * j * stride], in[2 * j * stride + 1]};
        else
            recurse(o, m, in + 2 * j * stride, stride * p, out + j * m);
    for (int64_t k = 0; k < m; k++)
        if (p == 4)
            butterfly4(o, m, k, step, out);
        else
            butterfly(o, p, m, k, step, out);
}

static void put_root(const oracle *o, int64_t k, cplx value)
{
    o->root[k] = value;
    if (k > 0)
        o->root[o->n - k] = (cplx){value.re, 0 - value.im};
}

/* Computed alone those that mirror others have the same bits. */
static void fill_roots(const oracle *o, bool inverse)
{
    const int64_t n = o->n;
    const long double sign = inverse ? -1 : 1;
    for (int64_t k = 0; k <= (n % 4 == 0 ? n / 8 : n / 2); k++) {
        cplx root;
        core_root((size_t)k, (size_t)n, &root.re, &root.im);
        root.im *= sign;
        put_root(o, k, root);
        if (n % 4 != 0)
            continue;
        const cplx across = {0 - sign * root.im, 0 - sign * root.re}; /* from n/8 */
        put_root(o, n / 4 - k, across);
        put_root(o, n / 2 - k, (cplx){0 - root.re, root.im});
        put_root(o, n / 4 + k, (cplx){0 - across.re, across.im});
    }
}

static int64_t largest_factor(int64_t n)
{
    int64_t most = 1;
    for (int64_t rest = n; rest > 1;) {
        const int64_t p = radix(rest);
        most = p > most ? p : most;
        rest /= p;
    }
    return most;
}

sluice_status spl_oracle_dft(int64_t n, bool inverse, const long double *in, long double *out)
{
    oracle o = {.n = n};
    o.root = (cplx *)core_calloc((size_t)n, sizeof *o.root);
    o.temp = (cplx *)core_calloc((size_t)largest_factor(n), sizeof *o.temp);
    cplx *result = (cplx *)core_calloc((size_t)n, sizeof *result);
    sluice_status status = SLUICE_E_MEMORY;
    if (o.root != NULL && o.temp != NULL && result != NULL) {
        fill_roots(&o, inverse);
        recurse(&o, n, in, 1, result);
        for (int64_t k = 0; k < n; k++) {
            out[2 * k] = result[k].re;
            out[2 * k + 1] = result[k].im;
        }
        status = SLUICE_OK;
    }
    core_free(o.root);
    core_free(o.temp);
    core_free(result);
    return status;
}

static void oracle_chirp(int64_t n, int64_t k, long double *re, long double *im)
{
    core_root((size_t)(k * k % (2 * n)), (size_t)(2 * n), re, im);
}

/* (1/m) SUM_j c_j^* w_m^{jt}, |j| < n: the sum by definition, each pair of -j and j at a time but
 * for those that coincide where m = 2n-2. */
static void oracle_spectrum(int64_t n, int64_t m, int64_t t, long double *re, long double *im)
{
    cplx sum = {1, 0};
    for (int64_t j = 1; j < n; j++) {
        long double cr, ci, wr, wi;
        oracle_chirp(n, j, &cr, &ci);
        core_root((size_t)(j * t % m), (size_t)m, &wr, &wi);
        const long double both = 2 * j == m ? wr : 2 * wr;
        sum.re += cr * both;
        sum.im -= ci * both;
    }
    *re = sum.re / (long double)m;
    *im = sum.im / (long double)m;
}

/* (1/n) SUM_q w_p^{g^-q} w_n^{q k}, n = p-1, by definition: g^-q is g^{n-q}. */
static void oracle_rader(int64_t p, int64_t g, int64_t k, long double *re, long double *im)
{
    const int64_t n = p - 1;
    cplx sum = {0, 0};
    int64_t power = 1;
    for (int64_t q = n; q > 0; q--) {
        cplx b, w;
        power = power * g % p;
        core_root((size_t)power, (size_t)p, &b.re, &b.im);
        core_root((size_t)((q - 1) * k % n), (size_t)n, &w.re, &w.im);
        b = cplx_times(b, w);
        sum.re += b.re;
        sum.im += b.im;
    }
    *re = sum.re / (long double)n;
    *im = sum.im / (long double)n;
}

/* Entry t of K(p); 2 and 3 are also the first two of R(p,g). */
static void oracle_corner(int64_t p, int64_t t, long double *re, long double *im)
{
    const long double s = sqrtl((long double)(p - 1));
    *re = t < 2 ? 0.5L : t == 2 ? 1 : 0;
    *im = t < 2 ? (t == 0 ? s / 2 : -s / 2) : t == 2 ? 0 : -1 / s;
}

void spl_oracle_diagonal(spl_values values, int64_t n, int64_t m, int64_t t, long double *re,
                         long double *im)
{
    switch (values) {
    case SPL_CHIRP: oracle_chirp(n, t, re, im); break;
    case SPL_SPECTRUM: oracle_spectrum(n, m, t, re, im); break;
    case SPL_RADER:
        if (t < 2)
            oracle_corner(n, t + 2, re, im);
        else
            oracle_rader(n, m, t - 1, re, im);
        break;
    case SPL_CORNER: oracle_corner(n, t, re, im); break;
    case SPL_ROOTS: core_root((size_t)(t % n), (size_t)n, re, im); break;
    case SPL_HALF:
        *re = t == 0 ? 1.0L : 2.0L;
        *im = 0;
        break;
    case SPL_SIGNS:
        *re = 2 * t < n ? 1.0L : -1.0L;
        *im = 0;
        break;
    case SPL_CONST:
        *re = spl_constant_value(m);
        *im = 0;
        break;
    default: core_root((size_t)((t / m) * (t % m)), (size_t)(n * m), re, im); break;
    }
}
