// SPDX-License-Identifier: BSD-3-Clause
/* Executions that units of several kinds share, where units fail: with and without a fallback, in
 * place, in a child after fork, with hooks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helpers/helper_kinds.h"

static const char *const failing[] = {"begin=1", "finish=1", "die=1", "die=2"};
enum { FAILING = sizeof failing / sizeof failing[0] };

/* Units before a device that fails so. */
static sluice_machine *open_failing(const char *before, const char *how)
{
    char units[96];
    snprintf(units, sizeof units, "%sfake:1," KINDS_DEVICE ",%s", before, how);
    return kinds_open(units);
}

/* The fallback computes the share, with the CPU's bits; the log has one line, however often. */
static void a_fallback_stands_behind(void **state)
{
    static kinds_item result[KINDS_COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++)
        for (int alone = 0; alone < 2; alone++) {
            sluice_machine *m = open_failing(alone ? "" : "cpu:1,", failing[i]);
            sluice_plan *plan = kinds_plan(m, kinds_problem, "cpu:1");
            assert_int_equal(sluice_execute(plan, kinds_source, result), SLUICE_OK);
            assert_memory_equal(result, kinds_by_cpu, sizeof result);
            assert_int_equal(kinds_warnings, 1);
            for (int k = 0; k < 5; k++)
                assert_int_equal(sluice_execute(plan, kinds_source, result), SLUICE_OK);
            assert_int_equal(kinds_warnings, 1);
            assert_memory_equal(result, i < 2 && alone ? kinds_source : kinds_by_cpu,
                                sizeof result[0]);
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
}

/* What stands behind a plan with hooks has them too. */
static void a_fallback_has_the_hooks(void **state)
{
    static kinds_item result[KINDS_COUNT];
    const sluice_hooks hooks = {.scale = 2};
    const sluice_plan_options options = {.hooks = &hooks, .fallback = "cpu:1"};
    sluice_machine *m = kinds_open("fake:1," KINDS_DEVICE ",die=1");
    sluice_plan *plan;
    (void)state;
    assert_int_equal(sluice_plan_from_text(&plan, m, kinds_problem, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_execute(plan, kinds_source, result), SLUICE_OK);
    for (size_t i = 0; i < sizeof result / sizeof(float); i++) {
        const float d = (&result[0][0][0])[i] - 2 * (&kinds_by_cpu[0][0][0])[i];
        assert_true(d < 1e-4f && d > -1e-4f);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A child has no devices: what stands behind them computes there, on the calling thread. */
static void a_forked_child_falls_back(void **state)
{
    static kinds_item result[KINDS_COUNT];
    sluice_machine *m = kinds_open("cpu:1,fake:1," KINDS_DEVICE);
    sluice_plan *plan[] = {kinds_plan(m, kinds_problem, "cpu:1"),
                           kinds_plan(m, kinds_problem, NULL)};
    int code = 0;
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool right = sluice_execute(plan[0], kinds_source, result) == SLUICE_OK
                           && memcmp(result, kinds_by_cpu, sizeof result) == 0
                           && sluice_execute(plan[1], kinds_source, result) == SLUICE_E_DEVICE;
        _exit(right ? 7 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 7);
    for (int i = 0; i < 2; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
}

/* In place a begin that failed leaves the input whole, a finish that failed does not. */
static void in_place_only_a_begin_is_repaired(void **state)
{
    static kinds_item result[KINDS_COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++) {
        sluice_machine *m = open_failing("cpu:1,", failing[i]);
        sluice_plan *plan = kinds_plan(m, "c2c:f32:16*200:inplace", "cpu:1");
        const bool begun = strcmp(failing[i], "finish=1") == 0 || strcmp(failing[i], "die=2") == 0;
        sluice_diag why = {.message = ""};
        const sluice_arrays arrays = {.in = result, .out = result, .why = &why};
        memcpy(result, kinds_source, sizeof result);
        assert_int_equal(sluice_execute_with(plan, &arrays, NULL),
                         begun ? SLUICE_E_DEVICE : SLUICE_OK);
        if (begun)
            assert_non_null(strstr(why.message, "FAKE_"));
        else
            assert_memory_equal(result, kinds_by_cpu, sizeof result);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

static void a_failure_has_a_sentence(void **state)
{
    static const char *const says[FAILING] = {"FAKE_BEGIN_FAILED", "FAKE_FINISH_FAILED",
                                              "FAKE_UNIT_LOST", "FAKE_UNIT_LOST"};
    static kinds_item result[KINDS_COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++) {
        sluice_machine *m = open_failing("cpu:1,", failing[i]);
        sluice_plan *plan = kinds_plan(m, kinds_problem, NULL);
        sluice_diag why = {.message = ""};
        const sluice_arrays arrays = {.in = kinds_source, .out = result, .why = &why};
        assert_int_equal(sluice_execute_with(plan, &arrays, NULL), SLUICE_E_DEVICE);
        assert_non_null(strstr(why.message, says[i]));
        assert_true(
            kinds_same(result, kinds_by_cpu, 0, kinds_share(plan, 0))); /* the CPU did its own */
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

static void bad_fallbacks(void **state)
{
    static const struct {
        const char *fallback, *says;
    } cases[] = {{"nonsense", "units 'nonsense'"}, {"cpu:0", "1 to 1024 units"}};
    const long alive = core_mem_live();
    sluice_machine *m = kinds_open("fake:1,depth=2");
    sluice_diag why = {.message = ""};
    sluice_plan_options options = {.fallback = "cpu:1"};
    sluice_plan *plan;
    (void)state;
    assert_int_equal(
        sluice_plan_from_formula(&plan, m, "DFT(16)_{leaf}", SLUICE_F32, &options, &why),
        SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "made of a formula"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.fallback = cases[i].fallback;
        assert_int_equal(sluice_plan_from_text(&plan, m, kinds_problem, &options, &why),
                         SLUICE_E_INVALID);
        assert_null(plan);
        assert_non_null(strstr(why.message, cases[i].says));
    }
    sluice_machine_close(m);
    assert_int_equal(core_mem_live(), alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fallback_stands_behind),
        cmocka_unit_test(a_fallback_has_the_hooks),
        cmocka_unit_test(a_forked_child_falls_back),
        cmocka_unit_test(in_place_only_a_begin_is_repaired),
        cmocka_unit_test(a_failure_has_a_sentence),
        cmocka_unit_test(bad_fallbacks),
    };
    return cmocka_run_group_tests(tests, kinds_setup, NULL);
}
