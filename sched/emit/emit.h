// SPDX-License-Identifier: BSD-3-Clause
/* A plan as a stand-alone source file. */
#ifndef SCHED_EMIT_H
#define SCHED_EMIT_H

#include "sched/plan/plan.h"

/* E_UNSUPPORTED where the plan's units print no programs, E_MEMORY. */
sluice_status sched_emit(const sluice_plan *plan, core_text *out);
/* As OpenCL C (spl/emit/print_opencl.h). E_UNSUPPORTED with a sentence, E_MEMORY. */
sluice_status sched_emit_opencl(const sluice_plan *plan, core_text *out, sluice_diag *why);

#endif
