// SPDX-License-Identifier: BSD-3-Clause
#define _DEFAULT_SOURCE /* alarm */
#include "tests/helpers/helper_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

enum { TIME_LIMIT = 240 };

const char kinds_problem[] = "c2c:f32:16*200";
kinds_item kinds_source[KINDS_COUNT], kinds_by_cpu[KINDS_COUNT];
atomic_int kinds_warnings;

static sluice_status count_warnings(void *user, const char *text, size_t length)
{
    (void)user;
    for (size_t i = 0; i + 8 < length; i++)
        kinds_warnings += memcmp(text + i, " failed:", 8) == 0;
    return SLUICE_OK;
}

sluice_machine *kinds_open(const char *units)
{
    const sluice_machine_options options = {.units = units, .log = count_warnings};
    sluice_machine *m;
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    kinds_warnings = 0;
    return m;
}

sluice_plan *kinds_plan(sluice_machine *m, const char *text, const char *fallback)
{
    const sluice_plan_options options = {.fallback = fallback};
    sluice_diag why = {.message = ""};
    sluice_plan *plan;
    if (sluice_plan_from_text(&plan, m, text, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

int kinds_setup(void **state)
{
    uint64_t seed = 7;
    sluice_machine *m = kinds_open("cpu:1");
    sluice_plan *plan = kinds_plan(m, kinds_problem, NULL);
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof kinds_source / sizeof(float); i++)
        (&kinds_source[0][0][0])[i] = (float)plan_below(&seed, 1000) / 500 - 1;
    assert_int_equal(sluice_execute(plan, kinds_source, kinds_by_cpu), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return 0;
}

size_t kinds_share(const sluice_plan *plan, int k)
{
    return plan->kinds->kind[k].count;
}

bool kinds_same(kinds_item *result, kinds_item *expected, size_t first, size_t count)
{
    return memcmp(result[first], expected[first], count * sizeof *result) == 0;
}
