// SPDX-License-Identifier: BSD-3-Clause
/* The memory of a plan is computed, and refused, before its tables are made. The system
 * overcommits, so an allocation that is too large would fail only when it is used. */
#include <math.h>

#include "core/mem.h"
#include "core/status.h"
#include "core/text.h"
#include "sched/plan/plan.h"
#include "sched/problem/problem.h"

/* Bytes of tables with an entry per point: the longest chirp, the longest spectrum, and the
 * computation of the latter in double precision. */
static double table_bytes(const prog *p, double element)
{
    double chirp = 0, spectrum = 0;

    for (size_t i = 0; i < p->nstmts; i++)
        for (int k = 0; k < p->stmt[i].ntwiddles; k++) {
            const prog_twiddle *w = &p->stmt[i].twiddle[k];
            if (w->values == SPL_CHIRP)
                chirp = fmax(chirp, (double)w->n);
            if (w->values == SPL_SPECTRUM || w->values == SPL_RADER)
                spectrum = fmax(spectrum, (double)(w->values == SPL_RADER ? w->n : w->m));
        }
    return chirp * element + spectrum * (element + 2 * sizeof(double));
}

sluice_status sched_plan_check_memory(const sluice_plan *plan, sluice_diag *why)
{
    const double element = 2 * (double)sched_scalar_bytes(&plan->problem);
    const double scratch = (double)plan->body->shared_elems * element;
    const double bytes = scratch + table_bytes(plan->body, element);

    if (bytes <= (double)core_mem_limit())
        return SLUICE_OK;
    const core_bytes_text max = core_bytes((double)core_mem_limit());
    return core_fail(why, SLUICE_E_MEMORY, 0,
                     "the plan would take %s of tables and scratch, there are %s in all",
                     core_bytes(bytes).text, max.text);
}
