// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

sluice_machine *groups_gpu;
sluice_unit_info groups_unit;

int groups_setup(void **state)
{
    (void)state;
    groups_gpu = plan_machine("ref:gpu", NULL);
    return sluice_machine_unit_info(groups_gpu, 0, &groups_unit) == SLUICE_OK ? 0 : -1;
}

int groups_teardown(void **state)
{
    (void)state;
    sluice_machine_close(groups_gpu);
    return 0;
}

device_program groups_kernels(const sluice_plan *plan)
{
    const spl_opencl how = {.title = "kernels",
                            .precision = plan->packed.precision,
                            .local_bytes = (int64_t)groups_unit.local_memory,
                            .items = SPL_OPENCL_ITEMS};
    device_program made;
    assert_int_equal(spl_device_item(plan->body, &how, &made, NULL), SLUICE_OK);
    return made;
}

void groups_check_kernels(const char *name, const device_program *made)
{
    for (int i = 0; i < made->nkernels; i++) {
        const device_kernel *k = &made->kernel[i];
        if (k->fallbacks != 0)
            fail_msg("%s: kernel %s leaves %d to the printer", name, core_text_string(&k->name),
                     k->fallbacks);
        assert_in_range(k->items, 1, SPL_OPENCL_ITEMS);
        assert_in_range(k->local_bytes, 0, groups_unit.local_memory);
    }
}

void groups_check_plan(const char *problem, sluice_plan *plan, int launches)
{
    device_program made = groups_kernels(plan);
    assert_int_equal(device_launches(&made), launches);
    groups_check_kernels(problem, &made);
    plan_verify(plan, problem);
    device_program_free(&made);
    sluice_plan_destroy(plan);
}

void groups_check(const char *problem, int launches)
{
    groups_check_plan(problem, plan_made(groups_gpu, problem), launches);
}
