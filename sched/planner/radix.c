// SPDX-License-Identifier: BSD-3-Clause
/* Dynamic programming over Stockham factorisations of DFT_n.
 *
 * A step is one stage or a few fused ones. After steps whose radices have the product l, a stage of
 * radix r works on n/(l r) sets of l columns, at a price that stage_price.c knows. The cheapest
 * completion is
 *
 *     best(l) = min over steps x of cost(x, l) + best(l x)
 *
 * There are two states for each divisor of n, because the cost of a step depends on whether the
 * number of steps after it is even: stages alternate between two arrays. */
#include "sched/planner/radix.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/planner/stage_price.h"

enum { MAX_DIVISORS = 4096 };
/* The smallest radix in a step of three fused stages; with smaller ones three gain nothing over
 * two. */
enum { MIN_RADIX_OF_THREE = 4 };

/* The cheapest completions after steps with product l. */
typedef struct state {
    int64_t l;
    int64_t width;  /* columns of a tile of l columns; 0: no fused stages */
    double cost[2]; /* [0]: with an even number of steps to come, [1]: odd */
    sched_step best[2];
} state;

typedef struct search {
    sched_prices prices;
    int64_t n;
    int steps, singles; /* single stages come first in `step` */
    sched_step *step;
    int count;
    state *state; /* sorted by l */
} search;

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

/* Divisors of n in ascending order; 0: there are too many to search. */
static int list_divisors(int64_t n, int64_t divisor[MAX_DIVISORS])
{
    int count = 0;

    for (int64_t small = 1; small <= n / small; small++) {
        if (n % small != 0)
            continue;
        if (count == MAX_DIVISORS)
            return 0;
        divisor[count++] = small;
    }
    for (int i = count - 1; i >= 0; i--) {
        if (n / divisor[i] == divisor[i])
            continue;
        if (count == MAX_DIVISORS)
            return 0;
        divisor[count++] = n / divisor[i];
    }
    return count;
}

/* A state for each divisor; false: out of memory. */
static bool open_states(search *s, const int64_t *divisor, int count)
{
    s->state = (state *)core_calloc((size_t)count, sizeof *s->state);
    s->count = count;
    for (int i = 0; s->state && i < count; i++)
        s->state[i].l = divisor[i];
    return s->state != NULL;
}

static void add_step(search *s, int count, int64_t a, int64_t b, int64_t c)
{
    const int64_t length = a * b * c;

    if (s->n % length == 0)
        s->step[s->steps++] = (sched_step){.count = count, .radix = {a, b, c}, .length = length};
}

/* Lists every step for which there are codelets. */
static bool list_steps(search *s, bool fuse)
{
    int64_t radix[SCHED_MAX_UNTWIDDLED];
    int count = 0, any = 0, small = 0;

    for (int64_t r = 2; r <= SCHED_MAX_UNTWIDDLED; r++)
        if (s->prices.kernel[r] != 0 && s->n % r == 0) {
            radix[count++] = r;
            any += r <= SCHED_MAX_RADIX;
            small += r < MIN_RADIX_OF_THREE;
        }
    any = fuse ? any : 0;
    s->step = core_calloc((size_t)(count + any * any * (any + 1)), sizeof *s->step);
    if (!s->step)
        return false;
    for (int i = 0; i < count; i++)
        add_step(s, 1, radix[i], 1, 1);
    s->singles = s->steps;
    for (int i = 0; i < any; i++)
        for (int j = 0; j < any; j++) {
            add_step(s, 2, radix[i], radix[j], 1);
            for (int k = small; k < any && i >= small && j >= small; k++)
                add_step(s, 3, radix[i], radix[j], radix[k]);
        }
    return true;
}

/* The tile width at each divisor, computed once because most steps need the same ones. */
static void measure_tiles(search *s)
{
    const sched_radix_model *m = s->prices.model;

    for (int i = 0; i < s->count; i++)
        s->state[i].width = sched_tile_width(m, s->n * m->columns, s->state[i].l * m->columns);
}

static double step_cycles(const search *s, const sched_step *x, int64_t l, int after)
{
    sched_step placed = *x;

    if (x->count > 1)
        placed.width = s->state[find_state(s, sched_step_sets(&s->prices, x, l))].width;
    return sched_step_cycles(&s->prices, &placed, l, after);
}

/* Tries step x before the best steps after it. The parity of their number changes only the price of
 * a single stage. */
static void try_step(search *s, int i, const sched_step *x)
{
    const int next = find_state(s, s->state[i].l * x->length);
    double own = 0;

    for (int after = 0; after < 2; after++) {
        if (s->state[next].cost[after] >= sched_infeasible)
            continue;
        if (own == 0 || x->count == 1)
            own = step_cycles(s, x, s->state[i].l, after);
        const double cost = own + s->state[next].cost[after];
        if (cost >= s->state[i].cost[!after])
            continue;
        s->state[i].cost[!after] = cost;
        s->state[i].best[!after] = *x;
    }
}

/* The number of steps that may follow stages with product l. No fused step may if a tile is not
 * whole vectors. */
static int steps_at(const search *s, int i)
{
    const bool tiles = i == 0 || s->state[i].width % s->prices.model->lanes == 0;

    return tiles ? s->steps : s->singles;
}

/* Fills best(l) for every divisor, largest first. */
static void price_suffixes(search *s)
{
    s->state[s->count - 1].cost[1] = sched_infeasible;
    for (int i = s->count - 2; i >= 0; i--) {
        s->state[i].cost[0] = s->state[i].cost[1] = sched_infeasible;
        const int64_t rest = s->n / s->state[i].l;
        for (int k = 0, steps = steps_at(s, i); k < steps; k++)
            if (rest % s->step[k].length == 0)
                try_step(s, i, &s->step[k]);
    }
}

static void append_step(sched_radices *out, sched_step x)
{
    for (int i = 0; i < x.count; i++) {
        out->fused_with_next[out->count] = i + 1 < x.count;
        out->radix[out->count++] = x.radix[i];
    }
}

/* Cycles of first[0..fixed-1], with an even or an odd number of steps after them. */
static double first_cycles(const search *s, const sched_step *first, int fixed, int after)
{
    double cycles = 0;
    int64_t l = 1;

    for (int i = 0; i < fixed; l *= first[i++].length)
        cycles += step_cycles(s, &first[i], l, after + fixed - 1 - i);
    return cycles;
}

/* The best list that begins with first[0..fixed-1]. */
static bool complete_radices(const search *s, const sched_step *first, int fixed,
                             sched_radices *out)
{
    int64_t l = 1;
    double cycles[2];

    memset(out, 0, sizeof *out);
    for (int i = 0; i < fixed; l *= first[i++].length)
        append_step(out, first[i]);
    for (int after = 0; after < 2; after++)
        cycles[after] =
            first_cycles(s, first, fixed, after) + s->state[find_state(s, l)].cost[after];
    int after = cycles[1] < cycles[0];
    out->cycles = cycles[after];
    for (; l < s->n && out->cycles < sched_infeasible
           && out->count + SCHED_MAX_FUSED <= SCHED_MAX_STAGES;
         after = !after) {
        const sched_step x = s->state[find_state(s, l)].best[after];
        append_step(out, x);
        l *= x.length;
    }
    return l == s->n && out->cycles < sched_infeasible;
}

static bool same_radices(const sched_radices *a, const sched_radices *b)
{
    return a->count == b->count
           && memcmp(a->radix, b->radix, (size_t)a->count * sizeof a->radix[0]) == 0
           && memcmp(a->fused_with_next, b->fused_with_next, sizeof a->fused_with_next) == 0;
}

/* Inserts by cost, keeping at most max and no duplicates. */
static void insert_radices(sched_radices *out, int max, int *count, const sched_radices *r)
{
    int at = *count;

    for (int i = 0; i < *count; i++)
        if (same_radices(&out[i], r))
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

/* The single best list; one codelet for the whole transform is not considered here. */
static bool take_best(const search *s, sched_radices *out, int *count)
{
    *count = s->n > SCHED_MAX_UNTWIDDLED && complete_radices(s, NULL, 0, out);
    return *count > 0;
}

/* Every first step, and every pair of first stages, each with its cheapest completion. */
static void list_candidates(const search *s, sched_radices *out, int max, int *count)
{
    sched_radices r;

    for (int i = 0; i < s->steps; i++) {
        const sched_step first = s->step[i];
        const int64_t rest = s->n / first.length;
        if (rest == 1 && first.count == 1)
            continue; /* one stage: add_single_codelet() */
        if (complete_radices(s, &first, 1, &r))
            insert_radices(out, max, count, &r);
        for (int k = 0; k < s->singles && first.count == 1; k++) {
            const sched_step two[2] = {first, s->step[k]};
            if (rest % two[1].length == 0 && complete_radices(s, two, 2, &r))
                insert_radices(out, max, count, &r);
        }
    }
}

static bool is_smooth(const search *s)
{
    int64_t n = s->n;

    for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++)
        while (s->prices.kernel[r] != 0 && n % r == 0)
            n /= r;
    return n == 1;
}

/* The whole transform as one codelet. */
static void add_single_codelet(const search *s, sched_radices *out, int max, int *count)
{
    const sched_radices r = {
        .count = 1, .radix = {s->n}, .cycles = sched_single_cycles(&s->prices, SPL_DFT)};

    if (r.cycles > 0)
        insert_radices(out, max, count, &r);
}

sluice_status sched_radices_find(const sched_radix_model *model, int64_t n, sched_radices *out,
                                 int max, int *count, sluice_diag *why)
{
    search s = {.n = n, .prices = sched_prices_of(model, n)};
    const bool fuse = model->tile > 0 && sched_exceeds_l2(&s.prices);
    int64_t divisor[MAX_DIVISORS];
    const int divisors = is_smooth(&s) ? list_divisors(n, divisor) : 0;
    bool allocated = true;

    *count = 0;
    if (divisors > 0) {
        allocated = open_states(&s, divisor, divisors) && list_steps(&s, fuse);
        if (allocated && fuse)
            measure_tiles(&s);
        if (allocated) {
            price_suffixes(&s);
            if (max > 1 || !take_best(&s, out, count))
                list_candidates(&s, out, max, count);
        }
    }
    if (allocated)
        add_single_codelet(&s, out, max, count);
    core_free(s.step);
    core_free(s.state);
    return allocated ? SLUICE_OK : core_fail_memory(why);
}
