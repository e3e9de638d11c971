// SPDX-License-Identifier: BSD-3-Clause
/* Dynamic programming over Stockham factorisations.
 *
 * After radices with product l, a stage of radix r works on n/(l r) sets of l columns. Its cost is
 * that of its vectors, of the tails that do not fill one, and of moving n points through the level
 * of the memory hierarchy that holds them. A few stages may share tiles of columns that stay in a
 * nearer level, then the n points make one trip for all of them. best(l) = min over steps x of
 * cost(x, l) + best(l x): as many states as n has divisors. */
#include "sched/planner/radix.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"

/* Stages have radices to 32 (all positions exist), the last one, which has no twiddles, to 64; a
 * transform of one stage may be larger. */
enum { LARGEST = SCHED_ANY, LARGEST_LAST = SCHED_PLAIN, MAX_DIVISORS = 4096 };
/* Of three stages that share tiles; with less, two do as well. */
enum { LEAST_OF_THREE = 4 };

/* Cycles, where they do not come from the unit's codelets. */
static const double call_cycles = 45, set_cycles = 6, tail_cycles = 30, tail_cycles_per_row = 12;
static const double transpose_cycles_per_vector = 4, straddle_cycles_per_row = 2;
/* Of a tile: a set of rows beyond the caches, more than other sets. */
static const double far_set_cycles = 40;
static const int64_t few_rows = 128;
static const double impossible = 1e300;

/* Beyond so many second levels points are in memory, which gives whole rows of tiles faster the
 * longer they are. */
static const double far_stores = 8, past_stores = 16;
/* What every doubling of a tile's rows costs, in units of bytes / 32 a point. */
static const double near_growth = 1.5, far_growth = 11;

/* A stage, or some that share tiles. */
typedef struct step {
    int count;
    int64_t radix[SCHED_MAX_JOINED];
    int64_t length; /* product of the radices */
} step;

typedef struct search {
    const sched_radix_model *model;
    int64_t n;
    double point_bytes;
    int steps, singles; /* single stages come first */
    step *step;
    double kernel[LARGEST_LAST + 1]; /* cycles of one DFT_r in full vectors; 0: no codelet */
    /* Cycles beyond that for the twiddles of one DFT_r, [1] in the first stage, which transposes;
     * only where they were measured: constants stand for them else. */
    double beyond[2][LARGEST + 1];
    int count;
    struct {
        int64_t l;
        int64_t width; /* of tiles of l columns (of `columns` each); 0: not asked for */
        double cost;
        step best;
    } state[MAX_DIVISORS]; /* sorted by l */
} search;

static double point_bytes(const sched_radix_model *m)
{
    return m->precision == SLUICE_F32 ? 8 : 16;
}

static bool is_far(const sched_radix_model *m, int64_t points)
{
    return (double)points * point_bytes(m) > far_stores * (double)m->l2;
}

/* Does a stage after stages with product l read a contiguous transform's input? */
static bool is_first(const search *s, int64_t l)
{
    return l == 1 && s->model->columns == 1;
}

/* Cycles to bring one point in and out once, by the level that holds that many bytes; beyond the
 * caches by `accesses` in long runs: to read it, to read the line that it is written to, to write
 * that, to read its twiddle. The more there is, the less of it the levels that units share hold. */
static double point_cycles(const search *s, double set, double accesses)
{
    const double bytes = s->point_bytes, l2 = (double)s->model->l2;

    if (set <= 0.8 * (double)s->model->l1)
        return s->model->costs ? 0 : bytes / 32; /* codelets are measured there */
    if (set <= 0.8 * l2)
        return s->model->costs ? bytes / 32 : bytes / 24;
    return accesses * bytes / 32 * fmin(fmax(sqrt(set / (2 * l2)), 1), 5);
}

/* Rows of the user's arrays that lie a multiple of a page apart share sets of the first cache: are
 * they more than so many times its ways, so that they push each other out? */
static bool conflict(const search *s, int64_t rows, size_t times)
{
    const double row = (double)(s->n / rows * s->model->columns) * s->point_bytes;
    const double pages = row / SCHED_PAGE_BYTES;

    return pages == (double)(int64_t)pages
           && (size_t)rows * SCHED_PAGE_BYTES > times * s->model->l1;
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

/* Columns of a group's tiles after stages with product l, out of *all. */
static int64_t width_of(const search *s, step x, int64_t l, int64_t *all)
{
    const int64_t divisor = is_first(s, l) ? s->n / x.length : l;

    *all = divisor * s->model->columns;
    return s->state[find_state(s, divisor)].width;
}

/* Columns of a matrix that no cache holds: whole rows stream from memory, tiles do not. */
static bool is_matrix(const search *s)
{
    return s->model->columns > 1 && is_far(s->model, s->n * s->model->columns);
}

/* Of short rows, those of tiles, in units of bytes / 32 a point. Many of them that are written in
 * place are no longer near when they are, which costs the more the further away they went; what is
 * stored past the caches does not ask (cpu_fill.c). */
static double row_cost(const search *s, step x, bool first, bool last)
{
    const int64_t points = s->n * s->model->columns;
    const double sets = (double)points * s->point_bytes / (double)s->model->l2;
    const bool far = is_far(s->model, points) && !is_matrix(s);
    const double growth = (last ? 1 : 2) * (far ? far_growth : near_growth);
    double cost = first ? 1 : last ? 3 : 5;

    if (first || (last && far && sets > past_stores))
        return cost;
    for (int64_t rows = far ? 2 * few_rows : few_rows; rows < x.length; rows *= 2)
        cost += growth;
    return cost;
}

/* Of every point in a trip: to read it, to read the line that it is written to, to write that. The
 * last trip works in place. The first one reads twiddles, one for every point, or, of a group, one
 * for every row of its last stage. */
static double accesses_of(step x, bool first, bool last)
{
    if (first && !last)
        return x.count == 1 ? 4 : 3 + 1.0 / (double)x.radix[x.count - 1];
    return last && !first ? 2 : 3;
}

/* All points through radices x after stages with product l. Short rows cost more than long runs,
 * more still where they push each other out (measured, as bytes / 32 a point). */
static double trip_cycles(const search *s, step x, int64_t l)
{
    const int64_t points = s->n * s->model->columns;
    const double set = 2 * s->point_bytes * (double)points;
    const bool first = is_first(s, l), last = l * x.length == s->n;
    int64_t all;
    const bool tiled = x.count > 1 && width_of(s, x, l, &all) < all;
    const bool near = set <= 2 * (double)s->model->l2, matrix = is_matrix(s);
    double more = tiled ? row_cost(s, x, first, last) : 0;

    if (tiled && first && conflict(s, x.radix[0], 1))
        more += 2;
    if (tiled && first && is_far(s->model, points) && conflict(s, x.radix[0], 2))
        more += 2;
    if (!tiled && !first && s->model->columns == 1 && set > 0.8 * (double)s->model->l2)
        more += 2;
    if (!first && conflict(s, x.radix[x.count - 1], matrix ? 2 : 1))
        more += near ? (last ? 1 : 0) : 4;
    more *= matrix ? 4 : 1;
    return (double)points
           * (point_cycles(s, set, accesses_of(x, first, last)) + more * s->point_bytes / 32);
}

static double vectors(double columns, double lanes, double *tail)
{
    const double whole = (double)(int64_t)(columns / lanes);

    *tail = columns - whole * lanes;
    return whole;
}

/* `calls` calls of the codelet of radix r with that many columns each. Vectors that do not begin at
 * a multiple of their length straddle lines. */
static double call_of(const search *s, int64_t r, double columns, double calls)
{
    const double lanes = (double)s->model->lanes;
    double tail;
    double cycles = vectors(columns, lanes, &tail) * lanes * s->kernel[r];

    if (tail > 0)
        cycles += lanes * s->kernel[r] + tail_cycles
                  + straddle_cycles_per_row * (double)r * columns / lanes
                  + (columns < lanes ? tail_cycles_per_row * (double)r : 0);
    return calls * (cycles + set_cycles);
}

static double transpose_cycles(const search *s)
{
    return s->model->costs ? 0
                           : transpose_cycles_per_vector * (double)s->n / (double)s->model->lanes;
}

/* All n points through one stage after stages with product l. */
static double stage_cycles(const search *s, step x, int64_t l)
{
    const int64_t r = x.radix[0];
    const double sets = (double)(s->n / (l * r));
    const bool first = is_first(s, l);
    double cycles =
        first ? call_of(s, r, sets, 1) : call_of(s, r, (double)(l * s->model->columns), sets);

    if (first && sets > 1)
        cycles += transpose_cycles(s);
    return call_cycles + cycles + trip_cycles(s, x, l);
}

/* Cycles to write one point of a buffer of ours and to read it again; what passes from and to the
 * user's arrays takes room in the second level too, and all of it in what is beyond. */
static double turn_cycles(const search *s, double set)
{
    const double all = 2 * s->point_bytes * (double)s->n * (double)s->model->columns;

    if (set <= 0.8 * (double)s->model->l1)
        return s->point_bytes / 32;
    if (set <= (double)s->model->l2)
        return s->point_bytes / 20;
    return point_cycles(s, all, 3);
}

/* Stages that take turns on a tile of `width` columns, without what its points cost to fetch and to
 * bring back: the first one, then a loop around the others; on a row of the tile in the first group
 * of a transform, which transposes. */
static double tile_cycles(const search *s, step x, int64_t width, bool first)
{
    const double points = (double)(x.length * width), set = 2 * s->point_bytes * points;
    const int64_t outer = first ? width : x.radix[0], last = x.radix[x.count - 1];
    double cycles = points * turn_cycles(s, set);
    int64_t l = x.radix[0];

    if (x.count > 2)
        cycles += points * turn_cycles(s, set / (double)outer);
    for (int i = 0; i < x.count; i++) {
        const bool row = first && i > 0;
        const int64_t columns = row ? l : width;
        const double sets = (double)(x.length * width / (x.radix[i] * columns));
        cycles += call_of(s, x.radix[i], (double)columns, sets)
                  + (i == 0 ? 2 : (double)outer) * call_cycles;
        l *= row ? x.radix[i] : 1;
    }
    return cycles
           + far_set_cycles * (double)(x.length / x.radix[0] + (first ? 0 : x.length / last));
}

/* Stages that share tiles, after stages with product l. */
static double group_cycles(const search *s, step x, int64_t l)
{
    const bool first = is_first(s, l);
    int64_t all;
    const int64_t width = width_of(s, x, l, &all);
    const double points = (double)s->n * (double)s->model->columns;

    if (s->model->room && (double)(x.length * width) * s->point_bytes > (double)s->model->room)
        return impossible;
    /* One tile is no tile, but for the first group, where it has the others run on rows. */
    if (width % s->model->lanes != 0 || (width == all && (!first || all == 1)))
        return impossible;
    return call_cycles + points / (double)(x.length * width) * tile_cycles(s, x, width, first)
           + (first ? transpose_cycles(s) : 0) + trip_cycles(s, x, l);
}

/* Twiddles of a stage, which the last one has none of unless a diagonal follows. */
static double twiddle_cycles(const search *s, int64_t r, int64_t l)
{
    const bool first = is_first(s, l);
    const double count = (double)(s->n / r) * (double)s->model->columns;

    return l * r == s->n && !s->model->twiddled ? 0 : count * s->beyond[first][r];
}

/* Rows a page apart would share sets of the first cache, which has not as many ways. */
static bool may_be_last(const search *s, int64_t r, int64_t l)
{
    const double row = (double)(l * s->model->columns) * s->point_bytes;

    return l * r == s->n && row < SCHED_PAGE_BYTES;
}

static double step_cycles(const search *s, step x, int64_t l)
{
    if (x.radix[0] > LARGEST && !may_be_last(s, x.radix[0], l))
        return impossible;
    double cycles = x.count == 1 ? stage_cycles(s, x, l) : group_cycles(s, x, l);
    for (int i = 0; i < x.count; l *= x.radix[i++])
        cycles += twiddle_cycles(s, x.radix[i], l);
    return cycles;
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

static void add_step(search *s, int count, int64_t a, int64_t b, int64_t c)
{
    const int64_t length = a * b * c;

    if (s->n % length == 0)
        s->step[s->steps++] = (step){count, {a, b, c}, length};
}

/* Every step there are codelets for. */
static bool list_steps(search *s, bool join)
{
    int64_t radix[LARGEST_LAST];
    int count = 0, any = 0, least = 0;

    for (int64_t r = 2; r <= LARGEST_LAST; r++)
        if (s->kernel[r] != 0 && s->n % r == 0) {
            radix[count++] = r;
            any += r <= LARGEST;
            least += r < LEAST_OF_THREE;
        }
    any = join ? any : 0;
    s->step = core_calloc((size_t)(count + any * any * (any + 1)), sizeof *s->step);
    if (!s->step)
        return false;
    for (int i = 0; i < count; i++)
        add_step(s, 1, radix[i], 1, 1);
    s->singles = s->steps;
    for (int i = 0; i < any; i++)
        for (int j = 0; j < any; j++) {
            add_step(s, 2, radix[i], radix[j], 1);
            for (int k = least; k < any && i >= least && j >= least; k++)
                add_step(s, 3, radix[i], radix[j], radix[k]);
        }
    return true;
}

/* Fills best(l) for every divisor, largest first. */
static void solve(search *s)
{
    for (int i = 0; i < s->count && s->steps > s->singles; i++)
        s->state[i].width =
            sched_tile_width(s->model, s->n * s->model->columns, s->state[i].l * s->model->columns);
    s->state[s->count - 1].cost = 0;
    for (int i = s->count - 2; i >= 0; i--) {
        const int64_t l = s->state[i].l, rest = s->n / l;
        s->state[i].cost = impossible;
        for (int k = 0; k < s->steps; k++) {
            const step *x = &s->step[k];
            if (rest % x->length != 0)
                continue;
            const double after = s->state[find_state(s, l * x->length)].cost;
            if (after >= s->state[i].cost)
                continue;
            const double cost = step_cycles(s, *x, l) + after;
            if (cost >= s->state[i].cost)
                continue;
            s->state[i].cost = cost;
            s->state[i].best = *x;
        }
    }
}

static void append(sched_radices *out, step x)
{
    for (int i = 0; i < x.count; i++) {
        out->joined[out->count] = i + 1 < x.count;
        out->radix[out->count++] = x.radix[i];
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
        l *= first[i].length;
    }
    out->cycles += s->state[find_state(s, l)].cost;
    while (l < s->n && out->cycles < impossible
           && out->count + SCHED_MAX_JOINED <= SCHED_MAX_STAGES) {
        const step x = s->state[find_state(s, l)].best;
        append(out, x);
        l *= x.length;
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
        const int64_t rest = s->n / first.length;
        if (rest == 1 && first.count == 1)
            continue; /* one stage: whole() */
        if (complete(s, &first, 1, &r))
            insert(out, max, count, &r);
        for (int k = 0; k < s->singles && first.count == 1; k++) {
            const step two[2] = {first, s->step[k]};
            if (rest % two[1].length == 0 && complete(s, two, 2, &r))
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
    const backend_use use = alone ? m->alone : BACKEND_STAGE;

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
 * for that, else one at a time; a single one that is not dense by a codelet without vectors. */
static void whole(const search *s, sched_radices *out, int max, int *count)
{
    const sched_radix_model *m = s->model;
    const bool alone = m->columns == 1 && m->batch == 1;
    const double beside = alone && m->dense ? 0 : sched_kernel_cycles(m, s->n, false);
    const double cycles = beside > 0 || !m->dense ? beside : sched_kernel_cycles(m, s->n, true);
    const int64_t many = !alone ? m->columns : m->dense ? 1 : m->lanes;
    const sched_radices r = {
        .count = 1, .radix = {s->n}, .cycles = call_cycles + cycles * (double)many};

    if (cycles > 0 && s->n <= (m->dense ? SCHED_ALONE : m->largest))
        insert(out, max, count, &r);
}

int64_t sched_tile_width(const sched_radix_model *m, int64_t points, int64_t n)
{
    const int64_t tile = is_far(m, points) ? 2 * m->tile : m->tile;
    int64_t best = 1;

    for (int64_t w = 1; w <= 4 * tile && w <= n; w++) {
        if (n % w != 0 || (m->even % w != 0 && w % m->even != 0))
            continue;
        const bool whole = w % m->lanes == 0;
        if (whole || best % m->lanes != 0)
            best = w;
        if (whole && w >= tile)
            break;
    }
    return best;
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
    s->point_bytes = point_bytes(model);
    for (int64_t r = 2; r <= LARGEST_LAST; r++)
        s->kernel[r] = r <= LARGEST || (r <= model->largest && !model->twiddled)
                           ? sched_kernel_cycles(model, r, false)
                           : 0;
    find_beyond(s);
    const double set = 2 * s->point_bytes * (double)n * (double)model->columns;
    const bool join = model->tile > 0 && set > 0.8 * (double)model->l2;
    sluice_status status = SLUICE_OK;
    if (smooth(s) && list_divisors(s)) {
        if (list_steps(s, join)) {
            solve(s);
            enumerate(s, out, max, count);
        } else {
            status = core_fail_memory(why);
        }
    }
    if (status == SLUICE_OK)
        whole(s, out, max, count);
    core_free(s->step);
    core_free(s);
    return status;
}
