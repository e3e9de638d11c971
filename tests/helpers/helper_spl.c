// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_spl.h"

#include <stdio.h>

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
