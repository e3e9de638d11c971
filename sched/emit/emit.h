// SPDX-License-Identifier: BSD-3-Clause
/* A plan as text at every level, and as a stand-alone source file. */
#ifndef SCHED_EMIT_H
#define SCHED_EMIT_H

#include "sched/plan/plan.h"

sluice_status sched_plan_print(const sluice_plan *plan, sluice_level level, sluice_write *write,
                               void *user);
/* As C. E_UNSUPPORTED if the plan's backend prints no programs, or, with a sentence, if the plan
 * has no form in C; E_MEMORY. */
sluice_status sched_emit(const sluice_plan *plan, core_text *out, sluice_diag *why);
/* As OpenCL C (spl/emit/print_opencl.h). E_UNSUPPORTED with a sentence, E_MEMORY. */
sluice_status sched_emit_opencl(const sluice_plan *plan, core_text *out, sluice_diag *why);
/* What these kernels take on a GPU (spl/emit/ocl_count.h). */
sluice_status sched_emit_counts(const sluice_plan *plan, core_text *out, sluice_diag *why);

#endif
