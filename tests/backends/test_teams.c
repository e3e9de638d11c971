// SPDX-License-Identifier: BSD-3-Clause
/* Who executes: one worker what is done sooner so, all of them what is longer, or all if that is
 * asked for. The results are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

enum { ROOM = 256 };

/* Lines that a machine logs. */
static sluice_status keep(void *user, const char *text, size_t length)
{
    char *line = user;

    if (length < ROOM && memcmp(text, "sluice,1,exec", strlen("sluice,1,exec")) == 0) {
        memcpy(line, text, length);
        line[length] = '\0';
    }
    return SLUICE_OK;
}

static void expect_members(const char *teams, const char *problem, int members)
{
    char line[ROOM] = "", want[ROOM];
    const sluice_machine_options options = {.units = "cpu:2", .log = keep, .log_user = line};
    sluice_machine *m = NULL;
    sluice_diag why = {.message = ""};
    plan_data d;

    setenv("SLUICE_TEAMS", teams, 1);
    if (sluice_machine_open(&m, &options, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    sluice_plan *plan = plan_made(m, problem);
    plan_data_open(&d, plan, problem, 0);
    plan_data_execute(&d, plan, 1, NULL);
    if (!plan_data_check(&d))
        fail_msg("%s: %s", problem, d.message);
    snprintf(want, sizeof want, "members=%d,", members);
    if (!strstr(line, want))
        fail_msg("%s: %s is not in '%s'", problem, want, line);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void short_executions_are_done_alone(void **state)
{
    (void)state;
    expect_members("", "c2c:f64:60@8*8@1:inplace", 1);
    expect_members("always", "c2c:f64:60@8*8@1:inplace", 2);
    expect_members("", "c2c:f64:1024*256", 2);
    expect_members("always", "c2c:f64:1024*256", 2);
}

static void other_words_are_refused(void **state)
{
    sluice_machine *m = NULL;
    sluice_diag why = {.message = ""};
    (void)state;
    setenv("SLUICE_TEAMS", "never", 1);
    assert_int_equal(sluice_machine_open(&m, &(sluice_machine_options){.units = "cpu:2"}, &why),
                     SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "SLUICE_TEAMS 'never': expected always"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_executions_are_done_alone),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
