// SPDX-License-Identifier: BSD-3-Clause
/* Prices of columns and rows that do not fill vectors. Shorter vectors compute the remainder, or
 * the last full vector begins early and repeats some columns. The remainder is copied through
 * buffers, element by element (backends/cpu/run/cpu_tail.c), where neither is possible: no shorter
 * vectors give the same bits, and the last vector may not begin early, in place or because there
 * are fewer columns than lanes. Contiguous rows may be computed one at a time instead. */
#include "sched/planner/search_figures.h"
#include "sched/planner/stage_price.h"

/* Cost of what is left of `count` columns or rows in vectors of at least `shortest` lanes: it goes
 * through buffers, unless the last vector may begin early. */
static double padding_cycles(const sched_radix_model *m, int64_t n, int64_t count, int64_t shortest)
{
    const bool early = !m->over_input && count >= shortest;

    return early || count % shortest == 0 ? 0 : sched_search.padded_row * (double)n;
}

static double padded_rows_cycles(const sched_radix_model *m, int kind, int64_t n)
{
    const backend_team *team = m->table->team;
    const spl_format format = m->split ? SPL_SPLIT : SPL_INTER;
    const int lanes =
        team->row_lanes ? team->row_lanes(m->backend, kind, n, m->precision, format) : 0;

    return lanes > 0 ? padding_cycles(m, n, m->rows, lanes) : 0;
}

bool sched_rows_go_alone(const sched_radix_model *m, int kind, int64_t n)
{
    if (!m->contiguous || m->columns > 1 || m->batch == 1)
        return false;
    const double padded = padded_rows_cycles(m, kind, n);
    const double each = sched_kernel_cycles(m, kind, n, true);
    const int64_t rows = (m->rows + m->lanes - 1) / m->lanes * m->lanes;

    return padded > 0 && each > 0
           && each * (double)m->rows
                  < padded + (double)rows * sched_kernel_cycles(m, kind, n, false);
}

/* Extra calls on shorter vectors for columns in place, where the last vector may not begin
 * early. */
static int shorter_calls(const sched_radix_model *m)
{
    int calls = m->columns < m->lanes ? -1 : 0;

    for (int64_t lanes = m->shortest; lanes < m->lanes; lanes *= 2)
        calls += m->columns / lanes % 2 != 0;
    return calls > 0 ? calls : 0;
}

double sched_single_padding(const sched_radix_model *m, int kind, int64_t n)
{
    if (m->columns > 1)
        return m->over_input ? padding_cycles(m, n, m->columns, m->shortest)
                                   + sched_search.shorter_call * shorter_calls(m)
                             : 0;
    if (m->batch == 1 || !m->contiguous)
        return 0;
    return padded_rows_cycles(m, kind, n) / (double)m->rows;
}
