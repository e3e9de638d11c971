// SPDX-License-Identifier: BSD-3-Clause
/* A stage of radix r costs at least what its codelet costs on full vectors, r^-1 kernel(r) a point,
 * and a step costs at least a pass through memory (stage_price.c). So a list of k stages for n
 * points costs at least
 *
 *     n (cost(k, n) + passes),    cost(k, n) = min over r of r^-1 kernel(r) + cost(k-1, n/r)
 *
 * where `passes` is the cost a point of the fewest steps that k stages can make. The table `cost`
 * serves transforms of all lengths. */
#include "sched/planner/cost_bound.h"

#include <math.h>

#include "core/mem.h"
#include "sched/planner/stage_price.h"

/* Stages that are counted exactly; a list with more is charged the passes of this many. */
enum { MAX_COUNTED = 6, PRIMES = 3 };

static const int64_t prime[PRIMES] = {2, 3, 5};
/* A multiple of all radices that are products of these primes. */
static const int64_t all_radices = 32 * 27 * 25;

struct sched_cost_bound {
    int64_t longest;
    int extent[PRIMES]; /* number of exponents of each prime in the table */
    double *cost;       /* [c][b][a][stages]; the last entry is for MAX_COUNTED or more stages */
    /* for the length in question; its kernels stay unpriced, since pricing takes longer than the
     * bound */
    sched_prices passes;
};

/* A codelet and its place in the table. */
typedef struct radix {
    int64_t size;
    int offset;  /* number of entries between n/r and n */
    double cost; /* cycles a point */
} radix;

enum { MAX_RADICES = SCHED_MAX_RADIX };

/* Index of the entry for n; -1 if n has other prime factors. */
static int place_of(const sched_cost_bound *x, int64_t n)
{
    int place = 0, stride = 1;

    for (int i = 0; i < PRIMES; stride *= x->extent[i++])
        for (; n % prime[i] == 0; n /= prime[i])
            place += stride;
    return n == 1 ? place : -1;
}

static int list_codelets(const sched_cost_bound *x, const sched_radix_model *model, radix *out)
{
    const sched_prices prices = sched_prices_of(model, all_radices);
    int count = 0;

    for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
        const double cost = sched_min_codelet_cycles(&prices, r) / (double)r;
        const int offset = place_of(x, r);
        if (cost > 0 && offset > 0)
            out[count++] = (radix){.size = r, .offset = offset, .cost = cost};
    }
    return count;
}

/* Fills the entry for n points from those of its divisors. One point takes no stages. */
static void fill_entry(double *entry, int64_t n, const radix *codelet, int count)
{
    for (int k = 0; k <= MAX_COUNTED; k++)
        entry[k] = n > 1 || k > 0 ? HUGE_VAL : 0;
    for (int i = 0; i < count; i++) {
        if (n % codelet[i].size != 0)
            continue;
        const double *rest = entry - (ptrdiff_t)codelet[i].offset * (MAX_COUNTED + 1);
        for (int k = 1; k <= MAX_COUNTED; k++)
            entry[k] = fmin(entry[k], codelet[i].cost + rest[k - 1]);
        entry[MAX_COUNTED] = fmin(entry[MAX_COUNTED], codelet[i].cost + rest[MAX_COUNTED]);
    }
}

static void fill(sched_cost_bound *x, const sched_radix_model *model)
{
    radix codelet[MAX_RADICES];
    const int count = list_codelets(x, model, codelet);
    double *entry = x->cost;

    for (int64_t c = 0, five = 1; c < x->extent[2]; c++, five *= 5) {
        int64_t odd = five;
        for (int b = 0; b < x->extent[1]; b++, odd *= odd <= x->longest ? 3 : 1) {
            int64_t n = odd;
            for (int a = 0; a < x->extent[0]; a++, entry += MAX_COUNTED + 1) {
                if (n <= x->longest)
                    fill_entry(entry, n, codelet, count);
                n *= n <= x->longest ? 2 : 1;
            }
        }
    }
}

sched_cost_bound *sched_cost_bound_open(const sched_radix_model *model, int64_t longest)
{
    sched_cost_bound *x = core_calloc(1, sizeof *x);
    size_t entries = MAX_COUNTED + 1;

    if (!x)
        return NULL;
    x->longest = longest;
    for (int i = 0; i < PRIMES; entries *= (size_t)x->extent[i++])
        for (int64_t n = 1; n <= longest; n *= prime[i])
            x->extent[i]++;
    x->cost = core_malloc(entries * sizeof *x->cost);
    if (!x->cost) {
        sched_cost_bound_close(x);
        return NULL;
    }
    fill(x, model);
    return x;
}

void sched_cost_bound_close(sched_cost_bound *x)
{
    if (!x)
        return;
    core_free(x->cost);
    core_free(x);
}

double sched_cost_bound_cycles(sched_cost_bound *x, const sched_radix_model *model, int64_t n)
{
    const double *entry = x->cost + (ptrdiff_t)place_of(x, n) * (MAX_COUNTED + 1);
    const double points = (double)n * (double)model->columns;
    double bound = HUGE_VAL;

    x->passes.model = model;
    x->passes.n = n;
    x->passes.point_bytes = (double)sched_complex_bytes(model->precision);
    for (int k = 1; k <= MAX_COUNTED; k++)
        bound = fmin(bound, points * entry[k] + sched_min_pass_cycles(&x->passes, k));
    return bound;
}
