// SPDX-License-Identifier: BSD-3-Clause
/* What codelets cost by their use, in cycles of full vectors: as the backend says. */
#include "sched/planner/stage_price.h"

/* Of stages on vectors of re and of im; 0: they have no codelet of that length. */
static double split_cycles(const sched_radix_model *m, int kind, int64_t n, backend_use use)
{
    const backend_use own = use == BACKEND_STAGE    ? BACKEND_STAGE_SPLIT
                            : use == BACKEND_MIDDLE ? BACKEND_MIDDLE_SPLIT
                            : use == BACKEND_FIRST  ? BACKEND_FIRST_SPLIT
                                                    : use;

    return m->split && own != use
               ? m->table->team->kernel_cycles(m->backend, m->costs, kind, n, m->precision, own)
               : 0;
}

static double use_cycles(const sched_radix_model *m, int kind, int64_t n, backend_use use)
{
    const double cycles = split_cycles(m, kind, n, use);

    return cycles > 0
               ? cycles
               : m->table->team->kernel_cycles(m->backend, m->costs, kind, n, m->precision, use);
}

/* Backends without priced kernels (ref, fake) run transforms by definition; codelets up to 16 give
 * them the usual formulas. */
double sched_kernel_cycles(const sched_radix_model *m, int kind, int64_t n, bool single)
{
    const bool rows = kind > SPL_IDFT && m->columns == 1;
    const backend_use use = single ? m->use_as_single : rows ? BACKEND_ROWS : BACKEND_STAGE;

    if (m->table->team->kernel_cycles)
        return use_cycles(m, kind, n, use);
    return n <= 16 ? (double)(n * n) : 0;
}

double sched_use_cycles(const sched_radix_model *m, int64_t n, backend_use use)
{
    return use_cycles(m, SPL_DFT, n, use);
}

/* With predicted cycles those of middle stages stay 0 where memory hides them, and those of
 * interleaved first stages, as a constant stands for them and for what transposes. */
static void measure_twiddle_extra(sched_prices *s)
{
    static const backend_use use[2] = {BACKEND_MIDDLE, BACKEND_FIRST};
    const sched_radix_model *m = s->model;
    const bool counts[2] = {m->costs || m->exposed, m->costs || m->split};

    for (int i = 0; i < 2; i++)
        for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
            if (!counts[i] || !m->table->team->kernel_cycles || s->kernel[r] == 0)
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
