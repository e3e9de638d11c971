// SPDX-License-Identifier: BSD-3-Clause
/* Prices of stages in cycles. A price has three parts: the codelets on full vectors, partial
 * vectors, and moving n points through the level of the memory hierarchy that holds them. Stages
 * may be fused on tiles of columns that stay in a higher level: then the n points make one pass
 * through memory for all of them. */
#include "sched/planner/stage_price.h"

#include "sched/planner/order.h"
#include "sched/planner/rows_price.h"
#include "sched/planner/search_figures.h"
#include "spl/price/price.h"

#include <math.h>

/* Larger data are taken to be in memory, where the bandwidth of tile rows grows with their
 * length. */
static bool is_memory_resident(const sched_radix_model *m, int64_t points)
{
    return (double)points * (double)sched_complex_bytes(m->precision)
           > sched_search.memory_l2s * (double)m->l2;
}

/* Is a stage after stages with product l the first one of a contiguous transform? */
static bool is_first(const sched_prices *s, int64_t l)
{
    return l == 1 && s->model->columns == 1;
}

/* Cycles to read and write one point once, in the level that holds `set` bytes. Beyond L2 this is a
 * number of `accesses` in long runs: reading the point, reading the line to be written, writing
 * that line, reading the twiddle. The larger the set, the less of it L3 holds. */
static double point_cycles(const sched_prices *s, double set, double accesses)
{
    const double bytes = s->point_bytes, l2 = (double)s->model->l2;

    if (set <= 0.8 * (double)s->model->l1)
        return s->model->costs ? 0 : bytes / 32; /* included in measured costs */
    if (set <= 0.8 * l2)
        return s->model->costs ? bytes / 32 : bytes / 24;
    return accesses * bytes / 32 * fmin(fmax(sqrt(set / (2 * l2)), 1), 5);
}

int64_t sched_step_sets(const sched_prices *s, const sched_step *x, int64_t l)
{
    return is_first(s, l) ? s->n / x->length : l;
}

/* Columns of fused stages; a tile has some of them. */
static int64_t columns_of(const sched_prices *s, sched_step x, int64_t l)
{
    return sched_step_sets(s, &x, l) * s->model->columns;
}

/* Is this a transform along the columns of a matrix in memory, where tiles read short runs? */
static bool is_large_matrix(const sched_prices *s)
{
    return s->model->columns > 1 && is_memory_resident(s->model, s->n * s->model->columns);
}

/* Extra cost of a tile's short rows, in bytes / 32 cycles a point. With many rows, lines written in
 * place have been evicted and are read again, which costs more the lower the level; non-temporal
 * stores avoid it (spl/bind/bind_memory.c). */
static double short_row_cost(const sched_prices *s, sched_step x, bool first, bool last)
{
    const int64_t points = s->n * s->model->columns;
    const double sets = (double)points * s->point_bytes / (double)s->model->l2;
    const bool in_memory = is_memory_resident(s->model, points) && !is_large_matrix(s);
    const double growth = (last ? 1 : 2) * sched_search.tile_rows_growth[in_memory];
    double cost = first  ? sched_search.tile_first_rows
                  : last ? sched_search.tile_last_rows
                         : sched_search.tile_rows;
    const int64_t few = sched_search.tile_rows_free;

    if (first || (last && in_memory && sets > sched_search.nt_store_l2s))
        return cost;
    for (int64_t rows = in_memory ? 2 * few : few; rows < x.length; rows *= 2)
        cost += growth;
    return cost;
}

/* Memory accesses of every point in a pass: reading it, reading the line that it is written to,
 * writing that line. The last pass works in place. The first one also reads twiddles: one for every
 * point or, if stages are fused, one for every row of the last of them. */
static double accesses_of(const sched_prices *s, sched_step x, bool first, bool last)
{
    if (s->model->in_place)
        return 2;
    if (first && !last)
        return x.count == 1 ? 4 : 3 + 1.0 / (double)x.radix[x.count - 1];
    return last && !first ? 2 : 3;
}

/* Does a stage of columns access rows of the user's array, which have no gaps? The last stage does,
 * as it writes the results. If a transform of the rows follows, the first stage does so instead,
 * unless in place: it may read what pairs left there. */
static bool works_on_array(const sched_radix_model *m, bool first, bool last)
{
    return m->rows_follow ? first && !m->in_place : last;
}

/* Extra cost of rows of a stage or tile that evict each other, in bytes / 32 cycles a point. */
static double conflict_cost(const sched_prices *s, sched_step x, int64_t l, int after, bool tiled)
{
    const int64_t points = s->n * s->model->columns, r = x.radix[x.count - 1];
    const double set = 2 * s->point_bytes * (double)points;
    const bool first = is_first(s, l), last = l * x.length == s->n;
    const bool in_l2s = set <= 2 * (double)s->model->l2;
    double cost = 0;

    if (tiled && first && sched_rows_conflict(s, x.radix[0], 1))
        cost += sched_search.tile_evicted_rows;
    if (tiled && first && is_memory_resident(s->model, points)
        && sched_rows_conflict(s, x.radix[0], 2))
        cost += sched_search.tile_evicted_rows;
    if (first && !last && !tiled)
        cost += sched_first_rows_cost(s, r);
    if (!first && works_on_array(s->model, l == 1, last))
        cost += sched_last_rows_cost(s, r, in_l2s);
    if (!first && !last && !tiled && in_l2s && set > 0.8 * (double)s->model->l1)
        cost += sched_middle_rows_cost(s, r, l, after);
    if (!first && !in_l2s && s->model->gap > 0)
        cost += sched_gap_cost(s, r, l);
    else if (!first && !in_l2s && sched_rows_conflict(s, r, is_large_matrix(s) ? 2 : 1))
        cost += s->model->in_place ? sched_in_place_cost(s, r) : sched_search.evicted_rows;
    return cost;
}

/* Cycles of moving all points through radices x after stages with product l. Short rows cost more
 * than long runs, and rows that evict each other still more (measured, in bytes / 32 cycles a
 * point). */
static double memory_pass_cycles(const sched_prices *s, sched_step x, int64_t l, int after)
{
    const int64_t points = s->n * s->model->columns;
    const double set = 2 * s->point_bytes * (double)points;
    const bool first = is_first(s, l), last = l * x.length == s->n;
    const bool tiled = x.count > 1 && x.width < columns_of(s, x, l);
    double more = conflict_cost(s, x, l, after, tiled);

    if (tiled)
        more += short_row_cost(s, x, first, last);
    if (!tiled && !first && s->model->columns == 1 && set > 0.8 * (double)s->model->l2)
        more += sched_search.row_rows;
    more *= is_large_matrix(s) ? sched_search.matrix_factor : 1;
    if (last && x.radix[x.count - 1] > SCHED_MAX_RADIX)
        more += sched_burst_cost(s, set * (double)s->model->batch);
    return (double)points
           * (point_cycles(s, set, accesses_of(s, x, first, last)) + more * s->point_bytes / 32);
}

/* Cycles of a codelet call of n rows on `columns`, where full vectors of `lanes` take `kernel`
 * cycles a column. Columns that do not fill a vector run in shorter ones, each of which takes as
 * long. Vectors that do not begin at a multiple of their length straddle lines, shorter ones less
 * often. */
static double columns_cycles(int64_t n, double kernel, double lanes, double shortest,
                             double columns)
{
    const double vector = lanes * kernel, full = lanes;
    for (; columns < lanes && lanes > shortest; lanes /= 2)
        ;
    const double whole = (double)(int64_t)(columns / lanes), tail = columns - whole * lanes;
    double cycles = whole * vector;

    if (tail > 0)
        cycles += vector + sched_search.straddled_row * (double)n * columns / full
                  + (columns < lanes ? sched_search.tail_row * (double)n : 0);
    return cycles + sched_search.set;
}

/* Remaining columns have a call of their own, one for all sets. */
static double tail_call(double columns, double lanes)
{
    return (int64_t)columns % (int64_t)lanes != 0 ? sched_search.tail : 0;
}

/* Cycles of `calls` calls, or sets, of the codelet of radix r with this many columns each. */
static double codelet_cycles(const sched_prices *s, int64_t r, double columns, double calls)
{
    const sched_radix_model *m = s->model;

    return calls * columns_cycles(r, s->kernel[r], (double)m->lanes, (double)m->shortest, columns)
           + tail_call(columns, (double)m->lanes);
}

static double transpose_cycles(const sched_prices *s)
{
    return s->model->costs
               ? 0
               : sched_search.transposed_vector * (double)s->n / (double)s->model->lanes;
}

/* Cycles of all n points through one stage after stages with product l. */
static double stage_cycles(const sched_prices *s, sched_step x, int64_t l, int after)
{
    const int64_t r = x.radix[0];
    const double sets = (double)(s->n / (l * r));
    const bool first = is_first(s, l);
    double cycles = first ? codelet_cycles(s, r, sets, 1)
                          : codelet_cycles(s, r, (double)(l * s->model->columns), sets);

    if (first && sets > 1)
        cycles += transpose_cycles(s);
    return sched_search.call + cycles + memory_pass_cycles(s, x, l, after);
}

/* Cycles to write one point of an internal buffer and read it back. L2 is shared with data
 * streaming to and from the user's arrays; beyond L2 the size of the whole problem decides. */
static double buffer_point_cycles(const sched_prices *s, double set)
{
    const double all = 2 * s->point_bytes * (double)s->n * (double)s->model->columns;

    if (set <= 0.8 * (double)s->model->l1)
        return s->point_bytes / 32;
    if (set <= (double)s->model->l2)
        return s->point_bytes / 20;
    return point_cycles(s, all, 3);
}

/* Cycles of stages fused on a tile of `width` columns, without moving the tile from and to memory.
 * The first stage runs on the whole tile, then a loop over its rows runs the others. In the first
 * step of a transform the first stage transposes, so the others work along the row. */
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
        cycles += codelet_cycles(s, x.radix[i], (double)columns, sets)
                  + (i == 0 ? 2 : (double)outer) * sched_search.call;
        l *= row ? x.radix[i] : 1;
    }
    return cycles
           + sched_search.memory_set
                 * (double)(x.length / x.radix[0] + (first ? 0 : x.length / last));
}

/* Cycles of fused stages, after stages with product l. */
static double fused_cycles(const sched_prices *s, sched_step x, int64_t l, int after)
{
    const bool first = is_first(s, l);
    const int64_t width = x.width, all = columns_of(s, x, l);
    const double points = (double)s->n * (double)s->model->columns;

    if (s->model->tile_bytes_max
        && (double)(x.length * width) * s->point_bytes > (double)s->model->tile_bytes_max)
        return sched_infeasible;
    /* A single tile fuses nothing, except in the first step, where it lets the other stages run on
     * rows. */
    if (width % s->model->lanes != 0 || (width == all && (!first || all == 1)))
        return sched_infeasible;
    return sched_search.call + points / (double)(x.length * width) * tile_cycles(s, x, width, first)
           + (first ? transpose_cycles(s) : 0) + memory_pass_cycles(s, x, l, after);
}

/* Cycles of the twiddles of a stage; the last one has none unless a diagonal follows. */
static double twiddle_cycles(const sched_prices *s, int64_t r, int64_t l)
{
    const bool first = is_first(s, l);
    const double count = (double)(s->n / r) * (double)s->model->columns;

    return l * r == s->n && !s->model->twiddled ? 0 : count * s->twiddle_extra[first][r];
}

/* A stage of pairs computes these in vectors, and the two rows that have no partner. */
double sched_pairs_stage_cycles(const sched_prices *s)
{
    const double points = (double)s->n * (double)s->model->columns;
    const double set = 2 * s->point_bytes * points;

    return 3 * sched_search.call
           + (double)s->n / 2 * sched_pair_row_cycles(s->model, sched_search.set)
           + points * point_cycles(s, set, 3);
}

/* Radices above SCHED_MAX_RADIX serve only as the last stage, with rows so close that they map to
 * different L1 sets. */
static bool may_be_last(const sched_prices *s, int64_t r, int64_t l)
{
    const double row = (double)(l * s->model->columns) * s->point_bytes;

    return l * r == s->n && row < SCHED_ALIAS_BYTES;
}

double sched_step_cycles(const sched_prices *s, const sched_step *step, int64_t l, int after)
{
    const sched_step x = *step;

    if (x.radix[0] > SCHED_MAX_RADIX && !may_be_last(s, x.radix[0], l))
        return sched_infeasible;
    double cycles = x.count == 1 ? stage_cycles(s, x, l, after) : fused_cycles(s, x, l, after);
    for (int i = 0; i < x.count; l *= x.radix[i++])
        cycles += twiddle_cycles(s, x.radix[i], l);
    return cycles;
}

double sched_min_codelet_cycles(const sched_prices *s, int64_t r)
{
    return s->kernel[r] == 0 ? 0
                             : s->kernel[r] + fmin(s->twiddle_extra[0][r], s->twiddle_extra[1][r]);
}

/* Passes through memory, and through the buffers of tiles between fused stages. */
double sched_min_pass_cycles(const sched_prices *s, int stages)
{
    const double points = (double)s->n * (double)s->model->columns;
    const bool fuse = s->model->tile > 0 && sched_exceeds_l2(s);
    const int steps = fuse ? (stages + SCHED_MAX_FUSED - 1) / SCHED_MAX_FUSED : stages;
    const double accesses = steps == 1 || s->model->in_place ? 2 : 3 - 1.0 / steps;
    const double pass = point_cycles(s, 2 * s->point_bytes * points, accesses);

    return steps * (sched_search.call + points * pass)
           + (stages - steps) * points * s->point_bytes / 32
           + (s->model->columns == 1 && steps > 1 ? transpose_cycles(s) : 0);
}

/* With columns or a batch, and a codelet for it, several transforms share a vector; otherwise they
 * run one at a time. A single transform that is not contiguous runs on a scalar codelet. */
double sched_single_cycles(const sched_prices *s, int kind)
{
    const sched_radix_model *m = s->model;
    const bool single = (m->columns == 1 && m->batch == 1) || sched_rows_go_alone(m, kind, s->n);
    const double columns = single && m->contiguous ? 0 : sched_kernel_cycles(m, kind, s->n, false);
    const double cycles =
        columns > 0 || !m->contiguous ? columns : sched_kernel_cycles(m, kind, s->n, true);
    const int64_t many = !single ? m->columns : m->contiguous ? 1 : m->lanes;

    if (cycles <= 0 || s->n > (m->contiguous ? SCHED_MAX_SINGLE : m->largest)
        || (m->columns > 1 && s->n > SCHED_MAX_RADIX && sched_rows_conflict(s, s->n, 1)))
        return 0;
    const sched_step one = {.count = 1, .radix = {s->n}, .length = s->n};
    const double pass = m->columns > 1 ? memory_pass_cycles(s, one, 1, 0) : 0;
    const double padding = single ? 0 : sched_single_padding(m, kind, s->n);
    return sched_search.call + cycles * (double)many + padding + pass;
}

/* Cycles are those of a nominal 3 GHz clock. */
double sched_moved_cycles(int64_t points, double each)
{
    return sched_search.call + 3e9 * each * (double)points;
}

double sched_reals_cycles(const sched_prices *s, int kind)
{
    const sched_radix_model *m = s->model;
    const double kernel = sched_kernel_cycles(m, kind, s->n, false);
    const double lanes = 2 * (double)m->lanes, shortest = 2 * (double)m->shortest;
    const double points = (double)(s->n * m->columns);

    if (kernel <= 0)
        return 0;
    return sched_search.call + columns_cycles(s->n, kernel, lanes, shortest, (double)m->columns)
           + tail_call((double)m->columns, lanes)
           + points / 2 * point_cycles(s, s->point_bytes * points, 3);
}

double sched_transposing_codelet_cycles(const sched_prices *s, backend_use use)
{
    const sched_radix_model *m = s->model;
    const double points = (double)(s->n * m->columns), kernel = sched_use_cycles(m, s->n, use);

    const double point = point_cycles(s, 2 * s->point_bytes * points, 3)
                         + sched_first_rows_cost(s, s->n) * s->point_bytes / 32;

    return sched_search.call + points * point
           + columns_cycles(s->n, kernel, (double)m->lanes, (double)m->shortest,
                            (double)m->columns);
}

double sched_strided_cycles(const sched_prices *s, int64_t calls)
{
    const double kernel = sched_use_cycles(s->model, s->n, BACKEND_STRIDED);

    return sched_search.call + (double)s->model->columns * kernel
           + (double)calls * sched_search.strided_call;
}

/* Cycles of a stage of radix r on rows, whose columns are the other points of the row. */
static double rows_stage_cycles(const sched_prices *s, int64_t r, backend_use use)
{
    const sched_radix_model *m = s->model;
    const double kernel = sched_use_cycles(m, r, use), lanes = (double)m->lanes;
    const double shortest = use == BACKEND_FIRST ? lanes : (double)m->shortest;

    return kernel > 0 ? columns_cycles(r, kernel, lanes, shortest, (double)(s->n / r))
                      : sched_infeasible;
}

double sched_transposing_stages_cycles(const sched_prices *s, int64_t turns, int64_t q,
                                       backend_use use)
{
    const bool out = use == BACKEND_ROWS_OUT;
    const double turning = sched_use_cycles(s->model, turns, out ? BACKEND_FIRST : BACKEND_ROWS_IN);
    const double set = 2 * s->point_bytes * (double)(s->n * SCHED_MOVED_ROWS);
    const double stages = q > 1 ? 3 : 2;

    if (turning <= 0)
        return sched_infeasible;
    return turning * (double)(s->n / turns)
           + rows_stage_cycles(s, s->n / turns / q, out ? BACKEND_STAGE : BACKEND_FIRST)
           + (q > 1 ? rows_stage_cycles(s, q, BACKEND_MIDDLE) : 0)
           + stages * (double)s->n * point_cycles(s, set, 3)
           + stages * sched_search.call / SCHED_MOVED_ROWS;
}

double sched_rest_cycles(const sched_prices *s, int64_t rows)
{
    const sched_radix_model *m = s->model;
    const double kernel = sched_kernel_cycles(m, SPL_DFT, s->n, false);

    return kernel > 0
               ? columns_cycles(s->n, kernel, (double)m->lanes, (double)m->shortest, (double)rows)
                     - kernel * (double)rows
               : 0;
}

bool sched_exceeds_l2(const sched_prices *s)
{
    const double set = 2 * s->point_bytes * (double)s->n * (double)s->model->columns;

    return set > 0.8 * (double)s->model->l2;
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
