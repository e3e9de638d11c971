// SPDX-License-Identifier: BSD-3-Clause
/* sluice_opencl.h in a build without the headers of OpenCL, whose types are pointers here. */
#include "core/status.h"
#include "sched/plan/plan.h"

sluice_status sluice_opencl_machine_open(sluice_machine **out, void *context, void *device,
                                         const sluice_machine_options *options, sluice_diag *why);
size_t sluice_opencl_work_bytes(const sluice_plan *plan);
sluice_status sluice_opencl_enqueue(const sluice_plan *plan, const void *execution,
                                    sluice_diag *why);

/* The backend refuses. */
sluice_status sluice_opencl_machine_open(sluice_machine **out, void *context, void *device,
                                         const sluice_machine_options *options, sluice_diag *why)
{
    (void)context, (void)device;
    if (!out)
        return core_fail(why, SLUICE_E_INVALID, 0, "out is NULL");
    *out = NULL;
    return sched_machine_open_native(out, options, "opencl", NULL, why);
}

size_t sluice_opencl_work_bytes(const sluice_plan *plan)
{
    (void)plan;
    return 0;
}

sluice_status sluice_opencl_enqueue(const sluice_plan *plan, const void *execution,
                                    sluice_diag *why)
{
    if (!plan || !execution)
        return core_fail(why, SLUICE_E_INVALID, 0, "plan or execution is NULL");
    return sched_plan_run_native(plan, execution, why);
}
