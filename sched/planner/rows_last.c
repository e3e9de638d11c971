// SPDX-License-Identifier: BSD-3-Clause
/* One stage of a contiguous transform of n = r m points transposes. By rule dft-stockham it is the
 * first one, which also has twiddles (position A). By rule dft-dif
 *
 *     DFT_rm = L(r m, m) (I_r (x) DFT_m) T_{r,m} (DFT_r (x) I_m)
 *
 * it is the last one, without twiddles: it reads rows and writes columns (position R). The stages
 * before it work on columns, in position B, except that the last of these has twiddles as vectors
 * (position C). Which rule is cheaper depends on the shuffles and stores that a processor can
 * execute beside arithmetic. R cannot write where it reads, so it takes one more buffer. */
#include "sched/planner/rows_last.h"

#include "sched/planner/rows_price.h"
#include "sched/planner/search_figures.h"
#include "sched/planner/stage_price.h"

/* ---- prices ---- */

/* Extra cycles of a use of a codelet over one on columns without twiddles, for all n points;
 * sched_infeasible: there is no such codelet. */
static double use_extra(const sched_prices *s, int64_t r, backend_use use)
{
    const double cycles = sched_use_cycles(s->model, r, use);

    return cycles > 0 ? (double)(s->n / r) * (cycles - s->kernel[r]) : sched_infeasible;
}

/* Cycles of the additional buffer. If two sides, the buffer and the twiddles do not fit L1, a step
 * of many rows misses L1 with each of them, more often than stores can wait. So does the first of
 * two stages if its rows in the array and in the buffer share too few sets (docs/log/peers.md, Rows
 * last, Choices on AVX2). */
static double buffer_cycles(const sched_prices *s, int64_t m, bool two)
{
    const double bytes = s->point_bytes * (double)s->n;
    const bool misses = m > SCHED_MAX_RADIX || (two && sched_both_rows_evicted(s, s->n / m));

    return 4 * bytes > (double)s->model->l1 ? sched_search.rows_last_buffer[misses] * bytes / 32
                                            : 0;
}

/* Cycles of the stages of columns, m at a time. A single one is priced as a stage inside a
 * product. */
static double columns_cycles(const sched_prices *s, const sched_radix_model *model,
                             const sched_radices *x)
{
    const sched_step one = {.count = 1, .radix = {x->radix[0]}, .length = x->radix[0]};
    sched_prices own = *s;

    own.model = model;
    own.n = s->n / model->columns;
    return x->count > 1 ? x->cycles : sched_step_cycles(&own, &one, 1, 1);
}

/* Extra cycles, over stages of columns, of twiddles in vectors and of transposing rows as they are
 * read. With predicted cycles a constant stands for these, as it does for first stages
 * (docs/log/peers.md, Rows last). */
static double transposing_cycles(const sched_prices *s, int64_t before, int64_t m)
{
    return s->model->costs
               ? use_extra(s, before, BACKEND_FIRST_COLUMNS) + use_extra(s, m, BACKEND_ROWS_IN)
               : sched_search.rows_last_vector * (double)s->n / (double)s->model->lanes;
}

/* Cycles of stages of columns and a last one of m rows. The stage before the last works in place in
 * the buffer. */
static double list_cycles(const sched_prices *s, const sched_radix_model *model,
                          const sched_radices *columns)
{
    const int64_t m = model->columns, before = columns->radix[columns->count - 1];
    const sched_step last = {.count = 1, .radix = {m}, .length = m};
    double cycles = columns_cycles(s, model, columns) + sched_step_cycles(s, &last, s->n / m, 0)
                    + transposing_cycles(s, before, m)
                    - (double)(s->n / before) * s->twiddle_extra[0][before]
                    + buffer_cycles(s, m, columns->count == 1);

    if (columns->count > 1)
        cycles += (double)s->n * sched_buffer_rows_cost(s, before) * s->point_bytes / 32;
    return cycles;
}

/* ---- candidates ---- */

/* Streamed, distributed and weighted stages have other forms. Data in memory are left to stages of
 * columns, which prefetch and store non-temporally. */
bool sched_may_be_rows_last(const sched_target *t, const sched_place *at,
                            const sched_radix_model *m)
{
    enum { CACHED_L2S = 8 };
    const double set = 2 * (double)sched_complex_bytes(m->precision) * (double)at->n;
    const double l2 = (double)m->l2;

    return at->columns == 1 && !at->twiddled && at->n > SCHED_MAX_UNTWIDDLED && t->around.contiguous
           && !t->weighed && t->around.use_as_single == BACKEND_SINGLE && t->mode == BACKEND_FUSED
           && t->around.min_columns == 0 && set <= 0.8 * l2
           && set * (double)m->batch <= CACHED_L2S * l2 && m->table->team->kernel_cycles
           && sched_use_cycles(m, 2, BACKEND_ROWS_IN) > 0
           && sched_use_cycles(m, 2, BACKEND_FIRST_COLUMNS) > 0;
}

bool sched_hides_nothing(const sched_radix_model *m, int64_t n)
{
    enum { SHARE_OF_L2 = 8 };
    const double set = 2 * (double)sched_complex_bytes(m->precision) * (double)n;

    return set <= (double)m->l2 / SHARE_OF_L2;
}

static const sched_tree *tree_of(const sched_target *t, const sched_radices *columns, int64_t m,
                                 double cycles)
{
    const sched_tree leaf = {.n = m};
    const sched_tree *last = sched_tree_new(t->ctx, leaf), *first = sched_stockham(t, columns, m);
    const sched_tree made = {.rule = &spl_dft_dif,
                             .params = {{first ? first->n : 0}},
                             .n = first ? first->n * m : 0,
                             .cycles = cycles,
                             .nkids = 2,
                             .kid = {last, first}};

    return last && first ? sched_tree_new(t->ctx, made) : NULL;
}

/* Adds the cheapest list with a last stage of m rows. */
static sluice_status find_with_last(const sched_target *t, const sched_prices *s, int64_t m,
                                    sched_list *out, sluice_diag *why)
{
    sched_radix_model model = *s->model;
    sched_radices columns;
    int count = 0;

    model.columns = m;
    model.contiguous = false;
    model.twiddled = true;
    model.largest = SCHED_MAX_RADIX;
    const sluice_status status = sched_radices_find(&model, s->n / m, &columns, 1, &count, why);
    const double cycles = count > 0 ? list_cycles(s, &model, &columns) : sched_infeasible;
    if (cycles < sched_infeasible / 2 && !sched_list_refuses(out, cycles))
        sched_list_insert(t->ctx, out, tree_of(t, &columns, m, cycles));
    return status;
}

void sched_rows_last_find(const sched_target *t, const sched_place *at,
                          const sched_radix_model *model, sched_list *out)
{
    const sched_prices prices = sched_prices_of(model, at->n);
    sluice_diag why = {0};
    sluice_status status = SLUICE_OK;

    for (int64_t m = model->lanes; m <= SCHED_MAX_UNTWIDDLED && status == SLUICE_OK; m++)
        if (prices.kernel[m] > 0 && at->n / m >= model->lanes
            && sched_use_cycles(model, m, BACKEND_ROWS_IN) > 0)
            status = find_with_last(t, &prices, m, out, &why);
    if (status != SLUICE_OK)
        spl_refuse(t->ctx, status, "%s", why.message);
}
