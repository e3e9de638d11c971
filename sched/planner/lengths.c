// SPDX-License-Identifier: BSD-3-Clause
/* Every product 3^b 5^c 7^d up to the limit is multiplied by powers of 2 into the interval. */
#include "sched/planner/lengths.h"

typedef struct lengths {
    int64_t from, to, *n;
    int primes, count, max;
} lengths;

static void insert_length(lengths *x, int64_t n)
{
    int at = x->count;

    while (at > 0 && x->n[at - 1] > n)
        at--;
    if (at == x->max)
        return;
    const int last = x->count < x->max ? x->count++ : x->max - 1;
    for (int i = last; i > at; i--)
        x->n[i] = x->n[i - 1];
    x->n[at] = n;
}

/* Inserts the multiples of the odd product, at most `to`, by powers of 2, and those with further
 * odd primes from the i-th on. */
static void insert_products(lengths *x, int64_t product, int i)
{
    static const int64_t prime[] = {3, 5, 7};
    int64_t n = product;

    while (n < x->from && n <= x->to / 2)
        n *= 2;
    for (; n >= x->from; n *= 2) {
        insert_length(x, n);
        if (n > x->to / 2)
            break;
    }
    for (; i < x->primes; i++)
        if (product <= x->to / prime[i])
            insert_products(x, product * prime[i], i);
}

int sched_smooth_lengths(int64_t from, int64_t to, bool sevens, int max, int64_t *out)
{
    lengths x = {.from = from, .to = to, .n = out, .primes = sevens ? 3 : 2, .max = max};

    if (to > 0)
        insert_products(&x, 1, 0);
    return x.count;
}
