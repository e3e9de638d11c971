// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

void machines_of_isas(const char *units, machine_test *test)
{
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine(units, plan_isas[i]);
        if (m == NULL)
            continue;
        test(m);
        sluice_machine_close(m);
    }
}

void machines_of_all(machine_test *test)
{
    sluice_machine *m = plan_machine("ref:2", NULL);
    test(m);
    sluice_machine_close(m);
    machines_of_isas("cpu:3", test);
}

void machine_verify(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_verify(plan, problem);
    sluice_plan_destroy(plan);
}
