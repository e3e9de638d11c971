// SPDX-License-Identifier: BSD-3-Clause
/* Dynamic programming over Stockham factorisations.
 *
 * After radices with product l, a stage of radix r works on n/(l r) sets of l columns. Its cost is
 * that of its vectors, of the tails that do not fill one, and of moving n points through the level
 * of the memory hierarchy that holds them. Two stages may share tiles of columns that stay in a
 * nearer level, then the n points make one trip for both. best(l) = min over steps r of
 * cost(r, l) + best(l r): as many states as n has divisors. */
#include "sched/radix.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"

/* Stages have radices to 32 (all positions exist), the last one, which has no twiddles, to 64; a
 * transform of one stage may be larger. */
enum { LARGEST = SCHED_ANY, LARGEST_LAST = SCHED_PLAIN, MAX_DIVISORS = 4096 };

/* Cycles, where they do not come from the unit's codelets. */
static const double call_cycles = 45, set_cycles = 6, tail_cycles = 30, tail_cycles_per_row = 12;
static const double transpose_cycles_per_vector = 4;
static const double impossible = 1e300;

/* A stage, or two that share tiles. */
typedef struct step {
    int64_t radix, second; /* second 0: one stage */
} step;

typedef struct search {
    const sched_radix_model *model;
    int64_t n;
    double point_bytes;
    int steps;
    step step[LARGEST * LARGEST + LARGEST_LAST];
    double kernel[LARGEST_LAST + 1]; /* cycles of one DFT_r in full vectors; 0: no codelet */
    /* Cycles beyond that for the twiddles of one DFT_r, [1] in the first stage, which transposes;
     * only where they were measured: constants stand for them else. */
    double beyond[2][LARGEST + 1];
    int count;
    struct {
        int64_t l;
        double cost;
        step best;
    } state[MAX_DIVISORS]; /* sorted by l */
} search;

/* Cycles to bring one point in and out once, by the level that holds that many bytes. */
static double point_cycles(const search *s, double set)
{
    const double bytes = s->point_bytes;

    if (set <= 0.8 * (double)s->model->l1)
        return s->model->costs ? 0 : bytes / 32; /* codelets are measured there */
    if (set <= 0.8 * (double)s->model->l2)
        return s->model->costs ? bytes / 32 : bytes / 16;
    return bytes / 4;
}

/* One array read, another written. */
static double trip_cycles(const search *s)
{
    const double points = (double)s->n * (double)s->model->columns;

    return points * point_cycles(s, 2 * s->point_bytes * points);
}

static double vectors(double columns, double lanes, double *tail)
{
    const double whole = (double)(int64_t)(columns / lanes);

    *tail = columns - whole * lanes;
    return whole;
}

/* `calls` calls of the codelet of radix r with that many columns each. */
static double call_of(const search *s, int64_t r, double columns, double calls)
{
    const double lanes = (double)s->model->lanes;
    double tail;
    double cycles = vectors(columns, lanes, &tail) * lanes * s->kernel[r];

    if (tail > 0)
        cycles += lanes * s->kernel[r] + tail_cycles
                  + (columns < lanes ? tail_cycles_per_row * (double)r : 0);
    return calls * (cycles + set_cycles);
}

static double transpose_cycles(const search *s)
{
    return s->model->costs ? 0
                           : transpose_cycles_per_vector * (double)s->n / (double)s->model->lanes;
}

/* All n points through one stage of radix r after stages with product l. */
static double stage_cycles(const search *s, int64_t r, int64_t l)
{
    const double sets = (double)(s->n / (l * r));
    const bool first = l == 1 && s->model->columns == 1;
    double cycles =
        first ? call_of(s, r, sets, 1) : call_of(s, r, (double)(l * s->model->columns), sets);

    if (first && sets > 1)
        cycles += transpose_cycles(s);
    return call_cycles + cycles + trip_cycles(s);
}

/* Stages of radix r and q that share tiles, after stages with product l. */
static double pair_cycles(const search *s, int64_t r, int64_t q, int64_t l)
{
    const bool first = l == 1 && s->model->columns == 1;
    const int64_t all = first ? s->n / (r * q) : l * s->model->columns;
    const int64_t width = sched_tile_width(s->model, all);
    const double points = (double)s->n * (double)s->model->columns;
    const double tiles = points / (double)(r * q * width);

    if (width % s->model->lanes != 0)
        return impossible;
    double tile = call_of(s, r, (double)width, (double)q) + 2 * call_cycles;
    tile +=
        first ? call_of(s, q, (double)r, (double)width) : call_of(s, q, (double)width, (double)r);
    tile += (double)(first ? width : r) * call_cycles;
    const double points_of_tile = (double)(r * q * width), bytes = s->point_bytes;
    const bool near = 2 * bytes * points_of_tile <= 0.8 * (double)s->model->l1;
    tile += points_of_tile * (near ? bytes / 32 : bytes / 5);
    /* Rows of the user's arrays often lie a multiple of a cache's way apart. */
    const bool last = l * r * q == s->n;
    const double again = (first && r > 16) || last ? 1.4 : 1;
    return call_cycles + tiles * tile + (first ? transpose_cycles(s) : 0) + again * trip_cycles(s);
}

/* Twiddles of a stage, which the last one has none of. */
static double twiddle_cycles(const search *s, int64_t r, int64_t l)
{
    const bool first = l == 1 && s->model->columns == 1;
    const double count = (double)(s->n / r) * (double)s->model->columns;

    return l * r == s->n ? 0 : count * s->beyond[first][r];
}

/* Rows a page apart would share sets of the first cache, which has not as many ways. */
static bool may_be_last(const search *s, int64_t r, int64_t l)
{
    const double row = (double)(l * s->model->columns) * s->point_bytes;

    return l * r == s->n && row < SCHED_PAGE_BYTES;
}

static double step_cycles(const search *s, step x, int64_t l)
{
    if (x.radix > LARGEST && !may_be_last(s, x.radix, l))
        return impossible;
    if (x.second == 0)
        return stage_cycles(s, x.radix, l) + twiddle_cycles(s, x.radix, l);
    return pair_cycles(s, x.radix, x.second, l) + twiddle_cycles(s, x.radix, l)
           + twiddle_cycles(s, x.second, l * x.radix);
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

static int64_t length(step x)
{
    return x.second ? x.radix * x.second : x.radix;
}

/* Every step there are codelets for. */
static void list_steps(search *s, bool join)
{
    for (int64_t r = 2; r <= LARGEST_LAST; r++) {
        if (s->kernel[r] == 0)
            continue;
        s->step[s->steps++] = (step){r, 0};
        for (int64_t q = 2; q <= LARGEST && r <= LARGEST && join; q++)
            if (s->kernel[q] != 0)
                s->step[s->steps++] = (step){r, q};
    }
}

/* Fills best(l) for every divisor, largest first. */
static void solve(search *s)
{
    s->state[s->count - 1].cost = 0;
    for (int i = s->count - 2; i >= 0; i--) {
        const int64_t l = s->state[i].l;
        s->state[i].cost = impossible;
        for (int k = 0; k < s->steps; k++) {
            const step x = s->step[k];
            if (s->n / l % length(x) != 0)
                continue;
            const double cost = step_cycles(s, x, l) + s->state[find_state(s, l * length(x))].cost;
            if (cost >= s->state[i].cost)
                continue;
            s->state[i].cost = cost;
            s->state[i].best = x;
        }
    }
}

static void append(sched_radices *out, step x)
{
    out->radix[out->count++] = x.radix;
    if (x.second) {
        out->joined[out->count - 1] = true;
        out->radix[out->count++] = x.second;
    }
}

/* The best list that begins with first[0..fixed-1]. */
static bool complete(const search *s, const step *first, int fixed, sched_radices *out)
{
    int64_t l = 1;

    memset(out, 0, sizeof *out);
    for (int i = 0; i < fixed; i++) {
        out->cycles += step_cycles(s, first[i], l);
        append(out, first[i]);
        l *= length(first[i]);
    }
    out->cycles += s->state[find_state(s, l)].cost;
    while (l < s->n && out->cycles < impossible && out->count + 2 <= SCHED_MAX_STAGES) {
        const step x = s->state[find_state(s, l)].best;
        append(out, x);
        l *= length(x);
    }
    return l == s->n && out->cycles < impossible;
}

static bool same(const sched_radices *a, const sched_radices *b)
{
    return a->count == b->count
           && memcmp(a->radix, b->radix, (size_t)a->count * sizeof a->radix[0]) == 0
           && memcmp(a->joined, b->joined, sizeof a->joined) == 0;
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

/* Every first step, and every pair of first stages, each completed in the best way. */
static void enumerate(const search *s, sched_radices *out, int max, int *count)
{
    sched_radices r;

    for (int i = 0; i < s->steps; i++) {
        const step first = s->step[i];
        const int64_t rest = s->n / length(first);
        if (s->n % length(first) != 0 || (rest == 1 && !first.second))
            continue; /* one stage: whole() */
        if (complete(s, &first, 1, &r))
            insert(out, max, count, &r);
        for (int k = 0; k < s->steps && first.second == 0; k++) {
            const step two[2] = {first, s->step[k]};
            if (s->step[k].second == 0 && rest % s->step[k].radix == 0 && complete(s, two, 2, &r))
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
double sched_kernel_cycles(const sched_radix_model *m, int64_t n, bool alone)
{
    const backend_use use = alone ? BACKEND_ALONE : BACKEND_STAGE;

    if (m->table->team->kernel_cycles)
        return m->table->team->kernel_cycles(m->backend, m->costs, n, m->precision, use);
    return n <= 16 ? (double)(n * n) : 0;
}

/* With predictions, which do not compare between positions, all stay 0. */
static void find_beyond(search *s)
{
    static const backend_use use[2] = {BACKEND_MIDDLE, BACKEND_FIRST};
    const sched_radix_model *m = s->model;
    const bool measured = m->costs && m->table->team->kernel_cycles;

    for (int i = 0; i < 2 && measured; i++)
        for (int64_t r = 2; r <= LARGEST; r++) {
            const double cycles =
                m->table->team->kernel_cycles(m->backend, m->costs, r, m->precision, use[i]);
            s->beyond[i][r] = cycles > s->kernel[r] ? cycles - s->kernel[r] : 0;
        }
}

/* The whole transform as one codelet: side by side where there are columns or a batch and a codelet
 * for that, else one at a time. */
static void whole(const search *s, sched_radices *out, int max, int *count)
{
    const sched_radix_model *m = s->model;
    const bool alone = m->columns == 1 && m->batch == 1;
    const double beside = alone && m->dense ? 0 : sched_kernel_cycles(m, s->n, false);
    const double cycles = beside > 0 || !m->dense ? beside : sched_kernel_cycles(m, s->n, true);
    const sched_radices r = {.count = 1,
                             .radix = {s->n},
                             .cycles = call_cycles + cycles * (alone ? 1 : (double)m->columns)};

    if (cycles > 0 && s->n <= m->largest)
        insert(out, max, count, &r);
}

int64_t sched_tile_width(const sched_radix_model *m, int64_t n)
{
    int64_t best = 1, best_whole = 0;

    for (int64_t w = 1; w <= 2 * m->tile && w <= n; w++) {
        if (n % w != 0 || (m->even % w != 0 && w % m->even != 0))
            continue;
        best = w;
        if (w % m->lanes == 0 && (w <= m->tile || best_whole == 0))
            best_whole = w;
    }
    return best_whole ? best_whole : best;
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
    s->point_bytes = model->precision == SLUICE_F32 ? 8 : 16;
    for (int64_t r = 2; r <= LARGEST_LAST; r++)
        s->kernel[r] =
            r <= LARGEST || r <= model->largest ? sched_kernel_cycles(model, r, false) : 0;
    find_beyond(s);
    const double set = 2 * s->point_bytes * (double)n * (double)model->columns;
    list_steps(s, model->tile > 0 && set > 0.8 * (double)model->l2);
    if (smooth(s) && list_divisors(s)) {
        solve(s);
        enumerate(s, out, max, count);
    }
    whole(s, out, max, count);
    core_free(s);
    return SLUICE_OK;
}
