// SPDX-License-Identifier: BSD-3-Clause
/* Prices of codelets by their use, in cycles of full vectors, as the backend reports them. */
#include "sched/planner/search_figures.h"
#include "sched/planner/stage_price.h"

/* Backends without priced kernels (ref, fake) compute transforms by definition. Pretending codelets
 * up to 16 points gives their plans the usual formulas. */
double sched_kernel_cycles(const sched_radix_model *m, int kind, int64_t n, bool single)
{
    const bool rows = !spl_is_dft_kind(kind) && m->columns == 1;
    const backend_use use = single ? m->use_as_single : rows ? BACKEND_ROWS : BACKEND_STAGE;

    if (m->table->team->kernel_cycles)
        return m->table->team->kernel_cycles(m->backend, m->costs, kind, n, m->precision, use);
    return n <= 16 ? (double)(n * n) : 0;
}

double sched_use_cycles(const sched_radix_model *m, int64_t n, backend_use use)
{
    return m->table->team->kernel_cycles(m->backend, m->costs, SPL_DFT, n, m->precision, use);
}

/* With predicted cycles the first stage's extra stays 0, since a constant stands for twiddles and
 * transposition; so does that of middle stages, unless they are exposed (not hidden by memory). */
static void measure_twiddle_extra(sched_prices *s)
{
    static const backend_use use[2] = {BACKEND_MIDDLE, BACKEND_FIRST};
    const sched_radix_model *m = s->model;
    const int uses = !m->table->team->kernel_cycles ? 0
                     : m->costs                     ? 2
                     : m->exposes_twiddles          ? 1
                                                    : 0;

    for (int i = 0; i < uses; i++)
        for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
            if (s->kernel[r] == 0)
                continue;
            const double cycles = sched_use_cycles(m, r, use[i]);
            s->twiddle_extra[i][r] = cycles > s->kernel[r] ? cycles - s->kernel[r] : 0;
        }
}

sched_prices sched_prices_of(const sched_radix_model *model, int64_t n)
{
    sched_prices s = {
        .model = model, .n = n, .point_bytes = (double)sched_complex_bytes(model->precision)};

    for (int64_t r = 2; r <= SCHED_MAX_UNTWIDDLED; r++)
        if (n % r == 0 && (r <= SCHED_MAX_RADIX || (r <= model->largest && !model->twiddled)))
            s.kernel[r] = sched_kernel_cycles(model, SPL_DFT, r, false);
    measure_twiddle_extra(&s);
    return s;
}

double sched_pair_row_cycles(const sched_radix_model *m, double set)
{
    const int64_t half = m->lanes / 2;

    if (m->columns == 1 || m->columns >= m->lanes)
        return sched_search.paired_vectors * (double)m->columns / (double)m->lanes;
    return m->columns < half
               ? sched_search.padded_pair
               : set + sched_search.paired_vectors * (double)((m->columns + half - 1) / half);
}
