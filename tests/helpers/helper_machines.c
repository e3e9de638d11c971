// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

void machine_check_workers(sluice_machine *m, const char *problem, uint64_t seed)
{
    enum { MOST = 3 };
    sluice_plan *plan[MOST];
    plan_data d[MOST];
    for (int k = 0; k < MOST; k++) {
        char text[PLAN_TEXT_SIZE];
        snprintf(text, sizeof text, "%s:workers=%d", problem, k + 1);
        plan[k] = plan_made(m, text);
        plan_data_open(&d[k], plan[k], problem, 0);
        plan_data_execute(&d[k], plan[k], seed, NULL);
        if (!plan_data_same(&d[0], &d[k]))
            fail_msg("%s: other bits by %d workers", problem, k + 1);
    }
    for (int k = 0; k < MOST; k++) {
        plan_data_close(&d[k]);
        sluice_plan_destroy(plan[k]);
    }
}
