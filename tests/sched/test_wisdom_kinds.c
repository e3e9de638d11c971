// SPDX-License-Identifier: BSD-3-Clause
/* What machines of several kinds of units learn: a section of wisdom for each kind, rates by which
 * executions are shared, costs of codelets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/machine/wisdom.h"
#include "sched/plan/plan_kinds.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

#define FAKE "fake:1,depth=2,get=7,compute=40,put=9,launch=3"
static const char units[] = "cpu:1," FAKE, problem[] = "c2c:f32:256*4096";
static char text[1 << 16];

static sluice_plan *plan_by(sluice_machine *m, sluice_effort effort)
{
    const sluice_plan_options options = {.effort = effort};
    sluice_plan *plan;
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, &options, NULL), SLUICE_OK);
    return plan;
}

/* A plan of `units` measured and its wisdom in the file; the machine, which the caller closes. */
static sluice_machine *measured_machine(sluice_plan **plan)
{
    sluice_machine *m = plan_machine(units, NULL);
    *plan = plan_by(m, SLUICE_MEASURE);
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    return m;
}

/* A machine that reads the wisdom deals the same shares, and saves the same. */
static void measured_rates_are_kept(void **state)
{
    static char again[sizeof text];
    sluice_diag why = {.message = "?"};
    sluice_plan *plan[2];
    (void)state;
    sluice_machine *m = measured_machine(&plan[0]), *other = plan_machine(units, NULL);
    assert_int_equal(sluice_wisdom_load(other, wisdom_file, &why), SLUICE_OK);
    assert_string_equal(why.message, "");
    plan[1] = plan_by(other, SLUICE_ESTIMATE);
    for (int i = 0; i < 2; i++) {
        assert_true(plan[i]->rate.measured && plan[i]->next->rate.measured);
        assert_true(plan[i]->next->rate.seconds >= 59e-6);
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(plan[0]->kinds->kind[k].count, plan[1]->kinds->kind[k].count);
    wisdom_read(text, sizeof text);
    assert_int_equal(sluice_wisdom_save(other, wisdom_file), SLUICE_OK);
    wisdom_read(again, sizeof again);
    assert_string_equal(text, again);
    for (int i = 0; i < 2; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
    sluice_machine_close(other);
}

/* Wisdom knows problems only: what a plan with weights takes is no rate of its problem. */
static void rates_with_hooks_are_not_kept(void **state)
{
    static double weight[256];
    const sluice_hooks hooks = {.in = {.weight = weight, .weight_rank = 1}};
    const sluice_plan_options options = {.effort = SLUICE_MEASURE, .hooks = &hooks};
    sluice_plan *hooked = NULL, *plain;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_plan_from_text(&hooked, m, problem, &options, NULL), SLUICE_OK);
    plain = plan_by(m, SLUICE_ESTIMATE);
    assert_false(plain->rate.measured);
    sluice_plan_destroy(plain);
    sluice_plan_destroy(hooked);
    sluice_machine_close(m);
}

/* Every machine takes the sections of its kinds, whatever their order. */
static void machines_take_their_sections(void **state)
{
    static const struct {
        const char *units;
        sluice_status status;
        bool rated; /* its first kind */
    } cases[] = {{"cpu:1", SLUICE_OK, true},
                 {FAKE, SLUICE_OK, true},
                 {FAKE ",cpu:1", SLUICE_OK, true},
                 {"ref,cpu:1", SLUICE_OK, false},
                 {"fake:1,depth=2,compute=41", SLUICE_E_INVALID, false},
                 {"ref", SLUICE_E_INVALID, false}};
    sluice_plan *plan;
    sluice_machine *m = measured_machine(&plan);
    (void)state;
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_diag why = {.message = ""};
        m = plan_machine(cases[i].units, NULL);
        assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), cases[i].status);
        if (cases[i].status != SLUICE_OK)
            assert_non_null(strstr(why.message, "wisdom of other units or codelets: 'cpu:"));
        else
            assert_string_equal(why.message, "");
        sched_rate rate;
        assert_int_equal(sched_wisdom_rate(m, problem, &rate), cases[i].rated);
        sluice_machine_close(m);
    }
}

/* A rate whose line was changed, or of another machine; a section cut off. */
static void damaged_sections(void **state)
{
    sluice_diag why = {.message = ""};
    sluice_plan *plan;
    sched_rate rate;
    sluice_machine *m = measured_machine(&plan);
    (void)state;
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    wisdom_read(text, sizeof text);
    char *pace = strstr(text, "pace="); /* of the CPU */
    assert_non_null(pace);
    pace[5] = pace[5] == '9' ? '8' : '9';
    char *second = strstr(text + 1, "sluice-wisdom ");
    assert_non_null(second);
    second[15] = '#';
    wisdom_write(text);
    m = plan_machine(units, NULL);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
    assert_non_null(strstr(why.message, "rejected"));
    assert_false(sched_wisdom_rate(m, problem, &rate));
    assert_false(sched_wisdom_rate(m->next, problem, &rate));
    sluice_machine_close(m);
}

static void bad_rates(void **state)
{
    static const char *const bad[] = {"",
                                      "seconds=1",
                                      "seconds=1 latency=0",
                                      "seconds=0 latency=0 pace=1",
                                      "seconds=1 latency=2 pace=1",
                                      "seconds=1 latency=0 pace=0",
                                      "seconds=1 latency=0 pace=1 ",
                                      "seconds=-1 latency=0 pace=1",
                                      "seconds=1e3 latency=0 pace=1",
                                      "seconds=9999999999999999999999 latency=0 pace=1"};
    sched_rate rate;
    (void)state;
    assert_int_equal(sched_rate_read("seconds=5 latency=2 pace=3", &rate, NULL), SLUICE_OK);
    assert_true(rate.measured && rate.seconds > 4.9e-12 && rate.seconds < 5.1e-12);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sluice_diag why = {.message = ""};
        assert_int_equal(sched_rate_read(bad[i], &rate, &why), SLUICE_E_PARSE);
        assert_non_null(strstr(why.message, "expected seconds=N"));
    }
}

static sluice_status stop(void *user, size_t done, size_t total)
{
    size_t *const last = user;
    last[0] = done;
    last[1] = total;
    return SLUICE_E_CANCELLED;
}

/* Codelets are those of all kinds; the CPU is tuned though it is not the first. */
static void every_kind_is_tuned(void **state)
{
    size_t last[2] = {0};
    const sluice_tune_options options = {.progress = stop, .user = last};
    sluice_machine *cpu = plan_machine("cpu:1", NULL), *m = plan_machine("fake,cpu:1,ref", NULL);
    sluice_codelet_info a, b;
    (void)state;
    const int count = sluice_machine_codelet_count(cpu);
    assert_int_equal(sluice_machine_codelet_count(m), count);
    assert_int_equal(sluice_machine_codelet_info(cpu, count - 1, &a), SLUICE_OK);
    assert_int_equal(sluice_machine_codelet_info(m, count - 1, &b), SLUICE_OK);
    assert_string_equal(a.name, b.name);
    assert_int_equal(sluice_machine_codelet_info(m, count, &b), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_tune(m, &options, NULL), SLUICE_E_CANCELLED);
    assert_true(last[1] > 0);
    sluice_machine_close(m);
    m = plan_machine("fake,ref", NULL);
    assert_int_equal(sluice_machine_tune(m, NULL, NULL), SLUICE_E_UNSUPPORTED);
    sluice_machine_close(m);
    sluice_machine_close(cpu);
}

/* "all" has every core. */
static void all_has_every_core(void **state)
{
    sluice_machine *cpu = plan_machine("cpu", NULL), *all = plan_machine("all", NULL);
    sluice_unit_info unit;
    (void)state;
    assert_true(sluice_machine_unit_count(all) >= sluice_machine_unit_count(cpu));
    assert_int_equal(sluice_machine_unit_info(all, sluice_machine_unit_count(cpu) - 1, &unit),
                     SLUICE_OK);
    assert_int_equal(unit.kind, SLUICE_UNIT_CPU);
    sluice_machine_close(all);
    sluice_machine_close(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_rates_are_kept),
        cmocka_unit_test(rates_with_hooks_are_not_kept),
        cmocka_unit_test(machines_take_their_sections),
        cmocka_unit_test(damaged_sections),
        cmocka_unit_test(bad_rates),
        cmocka_unit_test(every_kind_is_tuned),
        cmocka_unit_test(all_has_every_core),
    };
    return cmocka_run_group_tests(tests, wisdom_setup, wisdom_teardown);
}
