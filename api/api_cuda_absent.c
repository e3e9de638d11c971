// SPDX-License-Identifier: BSD-3-Clause
/* sluice_cuda.h in a build without the headers of OpenCL. It lacks the OpenCL backend, which also
 * loads NVIDIA's driver. */
#include "api/sluice_cuda.h"
#include "core/status.h"
#include "sched/plan/plan.h"

/* The backend refuses. */
sluice_status sluice_cuda_machine_open(sluice_machine **out, int device, struct CUctx_st *context,
                                       const sluice_machine_options *options, sluice_diag *why)
{
    (void)device, (void)context;
    if (!out)
        return core_fail(why, SLUICE_E_INVALID, 0, "out is NULL");
    *out = NULL;
    return sched_machine_open_native(out, options, "opencl", NULL, why);
}

size_t sluice_cuda_work_bytes(const sluice_plan *plan)
{
    (void)plan;
    return 0;
}

sluice_status sluice_cuda_enqueue(const sluice_plan *plan, const sluice_cuda_execution *execution,
                                  sluice_diag *why)
{
    if (!plan || !execution)
        return core_fail(why, SLUICE_E_INVALID, 0, "plan or execution is NULL");
    return sched_plan_run_native(plan, execution, why);
}
