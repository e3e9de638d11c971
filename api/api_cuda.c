// SPDX-License-Identifier: BSD-3-Clause
/* The functions of sluice_cuda.h. */
#include <string.h>

#include "api/sluice_cuda.h"
#include "backends/opencl/opencl_calls.h"
#include "core/status.h"
#include "sched/plan/plan.h"

sluice_status sluice_cuda_machine_open(sluice_machine **out, int device, struct CUctx_st *context,
                                       const sluice_machine_options *options, sluice_diag *why)
{
    const opencl_place place = {.driver = true, .number = device, .handle = context};

    if (!out)
        return core_fail(why, SLUICE_E_INVALID, 0, "out is NULL");
    *out = NULL;
    return sched_machine_open_native(out, options, "opencl", &place, why);
}

size_t sluice_cuda_work_bytes(const sluice_plan *plan)
{
    return plan ? sched_plan_native_work_bytes(plan) : 0;
}

sluice_status sluice_cuda_enqueue(const sluice_plan *plan, const sluice_cuda_execution *execution,
                                  sluice_diag *why)
{
    static const sluice_cuda_execution zero;
    const opencl_native_run run = {.driver = true, .execution = execution};

    if (!plan || !execution)
        return core_fail(why, SLUICE_E_INVALID, 0, "plan or execution is NULL");
    if (memcmp(execution->reserved, zero.reserved, sizeof zero.reserved) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0, "the execution's reserved fields must be zero");
    return sched_plan_run_native(plan, &run, why);
}
