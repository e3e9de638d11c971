// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_spl.h"

#include <math.h>
#include <stdio.h>

#include "core/mem.h"
#include "spl/oracle/oracle.h"

int spl_test_open(void **state)
{
    *state = spl_ctx_open();
    return *state == NULL;
}

int spl_test_close(void **state)
{
    sluice_diag why = {0};
    const sluice_status status = spl_ctx_status(*state, &why);
    if (status != SLUICE_OK)
        fprintf(stderr, "refused: %s\n", why.message);
    spl_ctx_close(*state);
    return status != SLUICE_OK;
}

/* splitmix64 */
uint64_t spl_random_next(spl_random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t spl_random_below(spl_random *r, int64_t n)
{
    return (int64_t)(spl_random_next(r) % (uint64_t)n);
}

spl_radices spl_random_radices(spl_random *r, int64_t N)
{
    spl_radices all = {0};
    for (int64_t p = 2; N > 1; p++)
        for (; N % p == 0; N /= p) {
            const int at = (int)spl_random_below(r, all.count + 1);
            all.r[all.count++] = all.r[at];
            all.r[at] = p;
        }
    for (int k = 0; k + 1 < all.count; k++) /* sometimes larger digits */
        if (spl_random_below(r, 3) == 0) {
            all.r[k] *= all.r[--all.count];
        }
    return all;
}

const ix *spl_random_digits(spl_random *r, spl_ctx *ctx, const spl_radices *radices, int first_var,
                            int vars, int64_t *range)
{
    int order[16] = {0}, count = radices->count, nt = 0;
    int64_t place[16], weight = 1, n = 1, c = 0;
    ix_term t[16];
    for (int k = 0; k < count; k++) {
        const int at = (int)spl_random_below(r, k + 1);
        place[k] = weight;
        weight *= radices->r[k];
        order[k] = order[at];
        order[at] = k;
    }
    for (int v = 0; v < vars; v++)
        range[first_var + v] = 1;
    for (int k = 0; k < count; k++) {
        const int64_t ext = radices->r[order[k]];
        const bool down = spl_random_below(r, 6) == 0;
        const int src = vars > 0 && spl_random_below(r, 2) == 0
                            ? first_var + (int)spl_random_below(r, vars)
                            : IX_INDEX;
        int64_t *const div = src == IX_INDEX ? &n : &range[src];
        t[nt++] = (ix_term){src, *div, ext, down ? -place[order[k]] : place[order[k]]};
        c += down ? place[order[k]] * (ext - 1) : 0;
        *div *= ext;
    }
    return ix_digit(ctx, n, weight, c, nt, t);
}

/* Real and imaginary parts of 1 to 2, so that no entry is lost in a small one. */
static void random_numbers(spl_random *r, bool real, int64_t n, long double *x)
{
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = real && i % 2 ? 0 : 1 + (long double)(spl_random_next(r) >> 11) * 0x1p-53L;
}

static long double largest_difference(const long double *x, const long double *y, int64_t n)
{
    long double largest = 0;
    for (int64_t i = 0; i < 2 * n; i++)
        if (!(fabsl(x[i] - y[i]) <= largest))
            largest = isnan(x[i] - y[i]) ? INFINITY : fabsl(x[i] - y[i]);
    return largest;
}

static bool same_type(spl_type a, spl_type b)
{
    return a == b || a == SPL_TYPE_ANY || b == SPL_TYPE_ANY;
}

long double spl_random_distance(const spl *a, const spl *b)
{
    const bool real = a->from == SPL_TYPE_REAL || b->from == SPL_TYPE_REAL;
    spl_random r = {20261126};
    long double largest = 0;
    if (a->rows != b->rows || a->cols != b->cols || !same_type(a->from, b->from)
        || !same_type(a->to, b->to))
        return INFINITY;
    long double *x = core_calloc((size_t)(a->cols + 2 * a->rows), 2 * sizeof *x);
    for (int i = 0; i < 3 && x != NULL; i++) {
        long double *const y = x + 2 * a->cols, *const z = y + 2 * a->rows;
        random_numbers(&r, real, a->cols, x);
        const bool done = spl_apply(a, x, y) == SLUICE_OK && spl_apply(b, x, z) == SLUICE_OK;
        largest = fmaxl(largest, done ? largest_difference(y, z, a->rows) : INFINITY);
    }
    largest = x != NULL ? largest : INFINITY;
    core_free(x);
    return largest;
}
