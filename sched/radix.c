// SPDX-License-Identifier: BSD-3-Clause
/* Dynamic programming over Stockham factorisations.
 *
 * After radices with product l, a stage of radix r works on n/(l r) sets of l columns. Its cost is
 * that of its vectors, of the tails that do not fill one, and of moving n points through the level
 * of the memory hierarchy that holds them. best(l) = min over r of cost(r, l) + best(l r): as many
 * states as n has divisors. */
#include "sched/radix.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"

/* Stages have radices to 32 (all positions exist); a transform of one stage may be larger. */
enum { LARGEST = 32, MAX_DIVISORS = 4096 };

/* Cycles, where they do not come from the unit's codelets. */
static const double call_cycles = 25, set_cycles = 6, tail_cycles_per_row = 12;
static const double transpose_cycles_per_vector = 4;
static const double impossible = 1e300;

typedef struct search {
    const sched_radix_model *model;
    int64_t n;
    double kernel[LARGEST + 1]; /* cycles of one DFT_r in full vectors; 0: no codelet */
    int count;
    struct {
        int64_t l;
        double cost;
        int64_t radix;
    } state[MAX_DIVISORS]; /* sorted by l */
} search;

/* Cycles to bring one point in and out once, by the level that holds two arrays of n points. */
static double point_cycles(const search *s)
{
    const double bytes = (s->model->precision == SLUICE_F32 ? 8.0 : 16.0);
    const double set = 2 * bytes * (double)s->n * (double)s->model->columns;

    if (set <= 0.8 * (double)s->model->l1)
        return bytes / 32;
    if (set <= 0.8 * (double)s->model->l2)
        return bytes / 16;
    return bytes / 4;
}

static double vectors(double columns, double lanes, double *tail)
{
    const double whole = (double)(int64_t)(columns / lanes);

    *tail = columns - whole * lanes;
    return whole;
}

/* All n points through one stage of radix r after stages with product l. */
static double stage_cycles(const search *s, int64_t r, int64_t l)
{
    const double lanes = (double)s->model->lanes, sets = (double)(s->n / (l * r));
    const bool first = l == 1 && s->model->columns == 1;
    const double columns = first ? sets : (double)(l * s->model->columns);
    const double calls = first ? 1 : sets;
    double tail;
    double cycles = vectors(columns, lanes, &tail) * lanes * s->kernel[r];

    if (first && sets > 1)
        cycles += transpose_cycles_per_vector * (double)s->n / lanes;
    if (tail > 0)
        cycles += lanes * s->kernel[r] + (columns < lanes ? tail_cycles_per_row * (double)r : 0);
    cycles = call_cycles + calls * (cycles + set_cycles);
    return cycles + point_cycles(s) * (double)s->n * (double)s->model->columns;
}

static int find_state(const search *s, int64_t l)
{
    int lo = 0, hi = s->count - 1;

    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (s->state[mid].l < l)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Divisors of n in ascending order; false where there are too many to be worth searching. */
static bool list_divisors(search *s)
{
    int64_t small = 1;

    for (; small <= s->n / small; small++) {
        if (s->n % small != 0)
            continue;
        if (s->count == MAX_DIVISORS)
            return false;
        s->state[s->count++].l = small;
    }
    for (int i = s->count - 1; i >= 0; i--) {
        const int64_t large = s->n / s->state[i].l;
        if (large == s->state[i].l)
            continue;
        if (s->count == MAX_DIVISORS)
            return false;
        s->state[s->count++].l = large;
    }
    return true;
}

/* Fills best(l) for every divisor, largest first. */
static void solve(search *s)
{
    s->state[s->count - 1].cost = 0;
    for (int i = s->count - 2; i >= 0; i--) {
        const int64_t l = s->state[i].l, rest = s->n / l;
        s->state[i].cost = impossible;
        for (int64_t r = 2; r <= LARGEST && r <= rest; r++) {
            if (s->kernel[r] == 0 || rest % r != 0)
                continue;
            const double cost = stage_cycles(s, r, l) + s->state[find_state(s, l * r)].cost;
            if (cost >= s->state[i].cost)
                continue;
            s->state[i].cost = cost;
            s->state[i].radix = r;
        }
    }
}

/* The best list that begins with first[0..fixed-1]. */
static bool complete(const search *s, const int64_t *first, int fixed, sched_radices *out)
{
    int64_t l = 1;

    memset(out, 0, sizeof *out);
    for (int i = 0; i < fixed; i++) {
        out->cycles += stage_cycles(s, first[i], l);
        out->radix[out->count++] = first[i];
        l *= first[i];
    }
    out->cycles += s->state[find_state(s, l)].cost;
    while (l < s->n && out->cycles < impossible && out->count < SCHED_MAX_STAGES) {
        const int64_t r = s->state[find_state(s, l)].radix;
        out->radix[out->count++] = r;
        l *= r;
    }
    return l == s->n && out->cycles < impossible;
}

static bool same(const sched_radices *a, const sched_radices *b)
{
    return a->count == b->count
           && memcmp(a->radix, b->radix, (size_t)a->count * sizeof a->radix[0]) == 0;
}

/* Inserts by cost, keeping at most max and no duplicates. */
static void insert(sched_radices *out, int max, int *count, const sched_radices *r)
{
    int at = *count;

    for (int i = 0; i < *count; i++)
        if (same(&out[i], r))
            return;
    while (at > 0 && out[at - 1].cycles > r->cycles)
        at--;
    if (at >= max)
        return;
    const int kept = *count < max ? *count : max - 1;
    memmove(&out[at + 1], &out[at], (size_t)(kept - at) * sizeof *out);
    out[at] = *r;
    *count = kept + 1;
}

/* Every first radix, and every pair of first radices, each completed in the best way. */
static void enumerate(const search *s, sched_radices *out, int max, int *count)
{
    sched_radices r;

    for (int64_t a = 2; a <= LARGEST && a < s->n; a++) {
        if (s->kernel[a] == 0 || s->n % a != 0)
            continue;
        if (complete(s, &a, 1, &r))
            insert(out, max, count, &r);
        for (int64_t b = 2; b <= LARGEST && b <= s->n / a; b++) {
            const int64_t pair[2] = {a, b};
            if (s->kernel[b] == 0 || s->n / a % b != 0)
                continue;
            if (complete(s, pair, 2, &r))
                insert(out, max, count, &r);
        }
    }
}

static bool smooth(const search *s)
{
    int64_t n = s->n;

    for (int64_t r = 2; r <= LARGEST; r++)
        while (s->kernel[r] != 0 && n % r == 0)
            n /= r;
    return n == 1;
}

/* Backends that price no kernels (ref, fake) run any by definition; the sizes are those of the
 * rest. */
static double kernel_cycles(const sched_radix_model *m, int64_t n, bool alone)
{
    if (m->table->team->kernel_cycles)
        return m->table->team->kernel_cycles(m->backend, n, m->precision, alone);
    return n <= 16 ? (double)(n * n) : 0;
}

/* The whole transform as one codelet: alone, or side by side where there are columns or a batch. */
static void whole(const search *s, sched_radices *out, int max, int *count)
{
    const sched_radix_model *m = s->model;
    const bool alone = m->columns == 1 && m->batch == 1;
    const double beside = alone ? 0 : kernel_cycles(m, s->n, false);
    const double cycles = beside > 0 ? beside : kernel_cycles(m, s->n, true);
    const sched_radices r = {.count = 1,
                             .radix = {s->n},
                             .cycles = call_cycles + cycles * (alone ? 1 : (double)m->columns)};

    if (cycles > 0 && s->n <= m->largest)
        insert(out, max, count, &r);
}

sluice_status sched_radices_find(const sched_radix_model *model, int64_t n, sched_radices *out,
                                 int max, int *count, sluice_diag *why)
{
    search *s = core_calloc(1, sizeof *s);

    *count = 0;
    if (!s)
        return core_fail_memory(why);
    s->model = model;
    s->n = n;
    for (int64_t r = 2; r <= LARGEST; r++)
        s->kernel[r] = kernel_cycles(model, r, false);
    if (smooth(s) && list_divisors(s)) {
        solve(s);
        enumerate(s, out, max, count);
    }
    whole(s, out, max, count);
    core_free(s);
    return SLUICE_OK;
}
