// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_reproducible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

sluice_plan *reproducible_plan(sluice_machine *m, const char *problem, int workers)
{
    const sluice_plan_options options = {.effort = SLUICE_PATIENT, .reproducible = true};
    sluice_plan *plan = NULL;
    sluice_problem p;
    sluice_diag why = {0};

    assert_int_equal(sluice_problem_parse(&p, problem, NULL), SLUICE_OK);
    p.workers = workers;
    if (sluice_plan_create(&plan, m, &p, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    return plan;
}

uint64_t reproducible_bits(sluice_machine *m, const char *problem, int workers)
{
    sluice_plan *plan = reproducible_plan(m, problem, workers);
    uint64_t bits = 0;

    assert_int_equal(sluice_plan_bits(plan, &bits, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
    return bits;
}
