// SPDX-License-Identifier: BSD-3-Clause
/* Prices of stages in cycles: those of the codelets' vectors, of the tails that do not fill one, and
 * of moving n points through the level of the memory hierarchy that holds them. A few stages may
 * share tiles of columns that stay in a nearer level, then the n points make one pass through memory
 * for all of them. */
#include "sched/planner/stage_price.h"

#include <math.h>

/* Cycles, where they do not come from the unit's codelets. */
static const double call_cycles = 45, set_cycles = 6, tail_cycles = 30, tail_cycles_per_row = 12;
static const double transpose_cycles_per_vector = 4, straddle_cycles_per_row = 2;
/* Of a tile: a set of rows in memory, more than other sets. */
static const double memory_set_cycles = 40;
static const int64_t few_rows = 128;

/* Beyond so many times L2 points are in memory, which gives whole rows of tiles faster the longer
 * they are; beyond the second, stores are non-temporal. */
static const double memory_min_l2s = 8, nt_min_l2s = 16;
/* What every doubling of a tile's rows costs, in units of bytes / 32 a point. */
static const double cache_row_growth = 1.5, memory_row_growth = 11;

static double point_bytes(const sched_radix_model *m)
{
    return m->precision == SLUICE_F32 ? 8 : 16;
}

static bool is_memory_resident(const sched_radix_model *m, int64_t points)
{
    return (double)points * point_bytes(m) > memory_min_l2s * (double)m->l2;
}

/* Does a stage after stages with product l read a contiguous transform's input? */
static bool is_first(const sched_prices *s, int64_t l)
{
    return l == 1 && s->model->columns == 1;
}

/* Cycles to bring one point in and out once, by the level that holds that many bytes; beyond the
 * caches by `accesses` in long runs: to read it, to read the line that it is written to, to write
 * that, to read its twiddle. The more there is, the less of it the levels that units share hold. */
static double point_cycles(const sched_prices *s, double set, double accesses)
{
    const double bytes = s->point_bytes, l2 = (double)s->model->l2;

    if (set <= 0.8 * (double)s->model->l1)
        return s->model->costs ? 0 : bytes / 32; /* codelets are measured there */
    if (set <= 0.8 * l2)
        return s->model->costs ? bytes / 32 : bytes / 24;
    return accesses * bytes / 32 * fmin(fmax(sqrt(set / (2 * l2)), 1), 5);
}

/* Rows of the user's arrays that lie a multiple of a page apart map to the same sets of L1: are they
 * more than so many times its ways, so that they evict each other? */
static bool conflict(const sched_prices *s, int64_t rows, size_t times)
{
    const double row = (double)(s->n / rows * s->model->columns) * s->point_bytes;
    const double pages = row / SCHED_ALIAS_BYTES;

    return pages == (double)(int64_t)pages
           && (size_t)rows * SCHED_ALIAS_BYTES > times * s->model->l1;
}

/* Columns of a group's tiles after stages with product l, out of *all. */
static int64_t width_of(const sched_prices *s, sched_step x, int64_t l, int64_t *all)
{
    const bool first = is_first(s, l);

    *all = first ? s->n / x.length : l * s->model->columns;
    return sched_tile_width(s->model, s->n * s->model->columns, *all);
}

/* Columns of a matrix that no cache holds: whole rows stream from memory, tiles do not. */
static bool is_matrix(const sched_prices *s)
{
    return s->model->columns > 1 && is_memory_resident(s->model, s->n * s->model->columns);
}

/* Of short rows, those of tiles, in units of bytes / 32 a point. Many of them that are written in
 * place have left the near caches by then, which costs the more the further away they are;
 * non-temporal stores do not read them (cpu_fill.c). */
static double row_cost(const sched_prices *s, sched_step x, bool first, bool last)
{
    const int64_t points = s->n * s->model->columns;
    const double sets = (double)points * s->point_bytes / (double)s->model->l2;
    const bool in_memory = is_memory_resident(s->model, points) && !is_matrix(s);
    const double growth = (last ? 1 : 2) * (in_memory ? memory_row_growth : cache_row_growth);
    double cost = first ? 1 : last ? 3 : 5;

    if (first || (last && in_memory && sets > nt_min_l2s))
        return cost;
    for (int64_t rows = in_memory ? 2 * few_rows : few_rows; rows < x.length; rows *= 2)
        cost += growth;
    return cost;
}

/* Of every point in a pass: to read it, to read the line that it is written to, to write that. The
 * last pass works in place. The first one reads twiddles, one for every point, or, of a group, one
 * for every row of its last stage. */
static double accesses_of(sched_step x, bool first, bool last)
{
    if (first && !last)
        return x.count == 1 ? 4 : 3 + 1.0 / (double)x.radix[x.count - 1];
    return last && !first ? 2 : 3;
}

/* All points through radices x after stages with product l. Short rows cost more than long runs,
 * more still where they evict each other (measured, as bytes / 32 a point). */
static double memory_pass_cycles(const sched_prices *s, sched_step x, int64_t l)
{
    const int64_t points = s->n * s->model->columns;
    const double set = 2 * s->point_bytes * (double)points;
    const bool first = is_first(s, l), last = l * x.length == s->n;
    int64_t all;
    const bool tiled = x.count > 1 && width_of(s, x, l, &all) < all;
    const bool in_l2s = set <= 2 * (double)s->model->l2, matrix = is_matrix(s);
    double more = tiled ? row_cost(s, x, first, last) : 0;

    if (tiled && first && conflict(s, x.radix[0], 1))
        more += 2;
    if (tiled && first && is_memory_resident(s->model, points) && conflict(s, x.radix[0], 2))
        more += 2;
    if (!tiled && !first && s->model->columns == 1 && set > 0.8 * (double)s->model->l2)
        more += 2;
    if (!first && conflict(s, x.radix[x.count - 1], matrix ? 2 : 1))
        more += in_l2s ? (last ? 1 : 0) : 4;
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
static double call_of(const sched_prices *s, int64_t r, double columns, double calls)
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

static double transpose_cycles(const sched_prices *s)
{
    return s->model->costs ? 0
                           : transpose_cycles_per_vector * (double)s->n / (double)s->model->lanes;
}

/* All n points through one stage after stages with product l. */
static double stage_cycles(const sched_prices *s, sched_step x, int64_t l)
{
    const int64_t r = x.radix[0];
    const double sets = (double)(s->n / (l * r));
    const bool first = is_first(s, l);
    double cycles =
        first ? call_of(s, r, sets, 1) : call_of(s, r, (double)(l * s->model->columns), sets);

    if (first && sets > 1)
        cycles += transpose_cycles(s);
    return call_cycles + cycles + memory_pass_cycles(s, x, l);
}

/* Cycles to write one point of a buffer of ours and to read it again; what passes from and to the
 * user's arrays takes room in L2 too, and all of it in what is beyond. */
static double buffer_point_cycles(const sched_prices *s, double set)
{
    const double all = 2 * s->point_bytes * (double)s->n * (double)s->model->columns;

    if (set <= 0.8 * (double)s->model->l1)
        return s->point_bytes / 32;
    if (set <= (double)s->model->l2)
        return s->point_bytes / 20;
    return point_cycles(s, all, 3);
}

/* Stages that are fused on a tile of `width` columns, without what its points cost to fetch and to
 * bring back: the first one, then a loop around the others; on a row of the tile in the first group
 * of a transform, which transposes. */
static double tile_cycles(const sched_prices *s, sched_step x, int64_t width, bool first)
{
    const double points = (double)(x.length * width), set = 2 * s->point_bytes * points;
    const int64_t outer = first ? width : x.radix[0], last = x.radix[x.count - 1];
    double cycles = points * buffer_point_cycles(s, set);
    int64_t l = x.radix[0];

    if (x.count > 2)
        cycles += points * buffer_point_cycles(s, set / (double)outer);
    for (int i = 0; i < x.count; i++) {
        const bool row = first && i > 0;
        const int64_t columns = row ? l : width;
        const double sets = (double)(x.length * width / (x.radix[i] * columns));
        cycles += call_of(s, x.radix[i], (double)columns, sets)
                  + (i == 0 ? 2 : (double)outer) * call_cycles;
        l *= row ? x.radix[i] : 1;
    }
    return cycles
           + memory_set_cycles * (double)(x.length / x.radix[0] + (first ? 0 : x.length / last));
}

/* Stages that share tiles, after stages with product l. */
static double group_cycles(const sched_prices *s, sched_step x, int64_t l)
{
    const bool first = is_first(s, l);
    int64_t all;
    const int64_t width = width_of(s, x, l, &all);
    const double points = (double)s->n * (double)s->model->columns;

    if (s->model->tile_bytes_max
        && (double)(x.length * width) * s->point_bytes > (double)s->model->tile_bytes_max)
        return sched_infeasible;
    /* One tile is no tile, but for the first group, where it has the others run on rows. */
    if (width % s->model->lanes != 0 || (width == all && (!first || all == 1)))
        return sched_infeasible;
    return call_cycles + points / (double)(x.length * width) * tile_cycles(s, x, width, first)
           + (first ? transpose_cycles(s) : 0) + memory_pass_cycles(s, x, l);
}

/* Twiddles of a stage, which the last one has none of unless a diagonal follows. */
static double twiddle_cycles(const sched_prices *s, int64_t r, int64_t l)
{
    const bool first = is_first(s, l);
    const double count = (double)(s->n / r) * (double)s->model->columns;

    return l * r == s->n && !s->model->twiddled ? 0 : count * s->twiddle_extra[first][r];
}

/* Rows that far apart would map to the same sets of L1, which has not as many ways. */
static bool may_be_last(const sched_prices *s, int64_t r, int64_t l)
{
    const double row = (double)(l * s->model->columns) * s->point_bytes;

    return l * r == s->n && row < SCHED_ALIAS_BYTES;
}

double sched_step_cycles(const sched_prices *s, const sched_step *step, int64_t l)
{
    const sched_step x = *step;

    if (x.radix[0] > SCHED_MAX_RADIX && !may_be_last(s, x.radix[0], l))
        return sched_infeasible;
    double cycles = x.count == 1 ? stage_cycles(s, x, l) : group_cycles(s, x, l);
    for (int i = 0; i < x.count; l *= x.radix[i++])
        cycles += twiddle_cycles(s, x.radix[i], l);
    return cycles;
}

/* Backends that price no kernels (ref, fake) run any by definition; the sizes are those of the
 * rest. */
double sched_kernel_cycles(const sched_radix_model *m, int64_t n, bool single)
{
    const backend_use use = single ? m->use_as_single : BACKEND_STAGE;

    if (m->table->team->kernel_cycles)
        return m->table->team->kernel_cycles(m->backend, m->costs, n, m->precision, use);
    return n <= 16 ? (double)(n * n) : 0;
}

/* With predictions, which do not compare between positions, all stay 0. */
static void measure_twiddle_extra(sched_prices *s)
{
    static const backend_use use[2] = {BACKEND_MIDDLE, BACKEND_FIRST};
    const sched_radix_model *m = s->model;
    const bool measured = m->costs && m->table->team->kernel_cycles;

    for (int i = 0; i < 2 && measured; i++)
        for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
            const double cycles =
                m->table->team->kernel_cycles(m->backend, m->costs, r, m->precision, use[i]);
            s->twiddle_extra[i][r] = cycles > s->kernel[r] ? cycles - s->kernel[r] : 0;
        }
}

/* Side by side where there are columns or a batch and a codelet for that, else one at a time; a
 * single one that is not contiguous by a codelet without vectors. */
double sched_single_cycles(const sched_prices *s)
{
    const sched_radix_model *m = s->model;
    const bool single = m->columns == 1 && m->batch == 1;
    const double columns = single && m->contiguous ? 0 : sched_kernel_cycles(m, s->n, false);
    const double cycles =
        columns > 0 || !m->contiguous ? columns : sched_kernel_cycles(m, s->n, true);
    const int64_t many = !single ? m->columns : m->contiguous ? 1 : m->lanes;

    if (cycles <= 0 || s->n > (m->contiguous ? SCHED_MAX_SINGLE : m->largest))
        return 0;
    return call_cycles + cycles * (double)many;
}

bool sched_exceeds_l2(const sched_prices *s)
{
    const double set = 2 * s->point_bytes * (double)s->n * (double)s->model->columns;

    return set > 0.8 * (double)s->model->l2;
}

sched_prices sched_prices_of(const sched_radix_model *model, int64_t n)
{
    sched_prices s = {.model = model, .n = n, .point_bytes = point_bytes(model)};

    for (int64_t r = 2; r <= SCHED_MAX_UNTWIDDLED; r++)
        s.kernel[r] = r <= SCHED_MAX_RADIX || (r <= model->largest && !model->twiddled)
                          ? sched_kernel_cycles(model, r, false)
                          : 0;
    measure_twiddle_extra(&s);
    return s;
}

int64_t sched_tile_width(const sched_radix_model *m, int64_t points, int64_t n)
{
    const int64_t tile = is_memory_resident(m, points) ? 2 * m->tile : m->tile;
    int64_t best = 1;

    for (int64_t w = 1; w <= 4 * tile && w <= n; w++) {
        if (n % w != 0 || (m->uniform_points % w != 0 && w % m->uniform_points != 0))
            continue;
        const bool whole = w % m->lanes == 0;
        if (whole || best % m->lanes != 0)
            best = w;
        if (whole && w >= tile)
            break;
    }
    return best;
}
