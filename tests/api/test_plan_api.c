// SPDX-License-Identifier: BSD-3-Clause
/* The contract of sluice.h: refused calls, allowed calls, invariants. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

#define INVALID(call) assert_int_equal(call, SLUICE_E_INVALID)

static sluice_status discard_text(void *user, const char *text, size_t length)
{
    (void)text, (void)length;
    return user == NULL ? SLUICE_OK : SLUICE_E_CANCELLED;
}

/* ---------------------------------------------------------------- NULL, reserved --------- */

static void null_machines_and_problems_are_refused(void **state)
{
    (void)state;
    sluice_problem p = plan_parsed("c2c:f32:8");
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_unit_info info;
    sluice_diag why;
    char text[64];
    INVALID(sluice_machine_open(NULL, NULL, NULL));
    sluice_machine_close(NULL);
    assert_int_equal(sluice_machine_unit_count(NULL), 0);
    INVALID(sluice_machine_unit_info(NULL, 0, &info));
    INVALID(sluice_machine_unit_info(m, 0, NULL));
    INVALID(sluice_machine_unit_info(m, -1, &info));
    INVALID(sluice_machine_unit_info(m, 1, &info));
    INVALID(sluice_machine_fault(NULL, 0, &why));
    INVALID(sluice_machine_fault(m, 1, &why));
    assert_int_equal(sluice_machine_fault(m, 0, &why), SLUICE_OK);
    INVALID(sluice_problem_parse(NULL, "c2c:f32:8", NULL));
    INVALID(sluice_problem_parse(&p, NULL, NULL));
    INVALID(sluice_problem_print(NULL, text, sizeof text));
    INVALID(sluice_problem_print(&p, NULL, sizeof text));
    INVALID(sluice_problem_print(&p, text, 0));
    INVALID(sluice_problem_print(&p, text, strlen("c2c:f32:8")));
    INVALID(sluice_wisdom_save(NULL, "x"));
    INVALID(sluice_wisdom_save(m, NULL));
    INVALID(sluice_wisdom_load(NULL, "x", NULL));
    INVALID(sluice_wisdom_load(m, NULL, NULL));
    sluice_free(NULL);
    sluice_machine_close(m);
}

static void null_plans_and_arrays_are_refused(void **state)
{
    (void)state;
    const sluice_problem p = plan_parsed("c2c:f32:8");
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:8"), *none = plan;
    sluice_problem out;
    float x[16] = {0}, y[16];
    double error, bound;
    uint64_t bits;
    INVALID(sluice_plan_create(NULL, m, &p, NULL, NULL));
    INVALID(sluice_plan_create(&none, m, NULL, NULL, NULL));
    INVALID(sluice_plan_create(&none, NULL, &p, NULL, NULL));
    INVALID(sluice_plan_from_text(NULL, m, "c2c:f32:8", NULL, NULL));
    INVALID(sluice_plan_from_text(&none, NULL, "c2c:f32:8", NULL, NULL));
    INVALID(sluice_plan_from_text(&none, m, NULL, NULL, NULL));
    INVALID(sluice_plan_from_formula(NULL, m, "DFT(8)", SLUICE_F32, NULL, NULL));
    INVALID(sluice_plan_from_formula(&none, NULL, "DFT(8)", SLUICE_F32, NULL, NULL));
    INVALID(sluice_plan_from_formula(&none, m, NULL, SLUICE_F32, NULL, NULL));
    INVALID(sluice_plan_from_formula(&none, m, "DFT(8)", (sluice_precision)2, NULL, NULL));
    assert_null(none);
    sluice_plan_destroy(NULL);
    INVALID(sluice_plan_print(NULL, SLUICE_LEVEL_FORMULA, discard_text, NULL));
    INVALID(sluice_plan_print(plan, SLUICE_LEVEL_FORMULA, NULL, NULL));
    INVALID(sluice_plan_print(plan, (sluice_level)-1, discard_text, NULL));
    INVALID(sluice_plan_print(plan, (sluice_level)(SLUICE_LEVEL_COUNTS + 1), discard_text, NULL));
    INVALID(sluice_plan_problem(NULL, &out));
    INVALID(sluice_plan_problem(plan, NULL));
    INVALID(sluice_plan_verify(NULL, &error, &bound, NULL));
    INVALID(sluice_plan_verify(plan, NULL, &bound, NULL));
    INVALID(sluice_plan_verify(plan, &error, NULL, NULL));
    INVALID(sluice_plan_bits(NULL, &bits, NULL));
    INVALID(sluice_plan_bits(plan, NULL, NULL));
    assert_int_equal(sluice_plan_work_bytes(NULL), 0);
    INVALID(sluice_execute(NULL, x, y));
    INVALID(sluice_execute(plan, NULL, y));
    INVALID(sluice_execute(plan, x, NULL));
    INVALID(sluice_execute_with(plan, NULL, NULL));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A non-zero reserved field, a number out of its range. */
static void options_are_checked(void **state)
{
    (void)state;
    const sluice_problem p = plan_parsed("c2c:f32:8");
    sluice_machine *m = plan_machine("cpu:1", NULL), *other = m;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    const sluice_machine_options machines[] = {
        {.reserved = {[7] = 1}}, {.callers = -1},    {.large_callers = -1}, {.callers = 1 << 30},
        {.units = "gpu"},        {.units = "cpu:0"}, {.units = "cpu:x"},    {.units = "cpu:2:2"}};
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        why.message[0] = '\0';
        INVALID(sluice_machine_open(&other, &machines[i], &why));
        assert_null(other);
        assert_true(strlen(why.message) > 8);
    }
    const sluice_plan_options plans[] = {{.reserved = {1}},
                                         {.effort = (sluice_effort)3},
                                         {.effort = (sluice_effort)-1},
                                         {.time_limit = -1},
                                         {.time_limit = NAN}};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        why.message[0] = '\0';
        INVALID(sluice_plan_create(&plan, m, &p, &plans[i], &why));
        INVALID(sluice_plan_from_text(&plan, m, "c2c:f32:8", &plans[i], &why));
        INVALID(sluice_plan_from_formula(&plan, m, "DFT(8)", SLUICE_F32, &plans[i], &why));
        assert_null(plan);
        assert_true(strlen(why.message) > 8);
    }
    for (int i = 0; i < 8; i++) {
        sluice_problem bad = p;
        bad.reserved[i] = 1;
        INVALID(sluice_plan_create(&plan, m, &bad, NULL, &why));
    }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- unsupported ------------ */

static void refused(sluice_machine *m, const char *text, const char *word)
{
    const sluice_problem p = plan_parsed(text);
    sluice_diag why = {0};
    sluice_plan *plan = NULL;
    const sluice_status status = sluice_plan_create(&plan, m, &p, NULL, &why);
    if (status != SLUICE_E_UNSUPPORTED || plan != NULL || strstr(why.message, word) == NULL)
        fail_msg("%s: %s, expected '%s' in '%s'", text, sluice_strerror(status), word, why.message);
    assert_int_equal(sluice_plan_create(&plan, m, &p, NULL, NULL), SLUICE_E_UNSUPPORTED);
}

/* Sizes with any factors can be planned; the remaining refusals give a reason. */
static void large_primes_plan(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    char text[64];
    for (size_t n = 1; n <= 400; n++) {
        snprintf(text, sizeof text, "c2c:f32:%zu", n);
        sluice_plan_destroy(plan_made(m, text));
    }
    sluice_plan_destroy(plan_made(m, "c2c:f64:8x74"));
    sluice_plan_destroy(plan_made(m, "c2c:f64:37x8*3"));
    refused(m, "c2c:f32:4294967311", "DFT_4294967311 has a prime factor without codelet");
    sluice_machine_close(m);
}

static void bad_formulas_are_refused(void **state)
{
    static const struct {
        const char *text;
        sluice_status status;
    } cases[] = {{"", SLUICE_E_PARSE},
                 {"DFT(", SLUICE_E_PARSE},
                 {"c2c:f32:8 := ", SLUICE_E_PARSE},
                 {"c2c:f32:8 := DFT(8) DFT(8)", SLUICE_E_PARSE},
                 {"c2c:f99:8 := DFT(8)", SLUICE_E_PARSE},
                 {":= DFT(8)", SLUICE_E_PARSE},
                 {"c2c:f32:8 := DFT(16)", SLUICE_E_INVALID},
                 {"c2c:f32:8*2 := DFT(8)", SLUICE_E_INVALID},
                 {"r2c:f32:8 := DFT(8)", SLUICE_E_INVALID},
                 {"r2c:f32:1 := I(1)", SLUICE_E_INVALID},
                 {"dct2:f32:8 := DFT(8)", SLUICE_E_INVALID},
                 {"DFT(4294967311)", SLUICE_E_UNSUPPORTED},
                 {"(DFT(2) (+) DFT(4))_{spe(2,1)}", SLUICE_E_UNSUPPORTED},
                 {"c2c:f32:12 := DFT(4) (x) DFT(37)", SLUICE_E_INVALID},
                 {"DFT(4) * DFT(8)", SLUICE_E_INVALID}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        const sluice_status status =
            sluice_plan_from_formula(&plan, m, cases[i].text, SLUICE_F32, NULL, &why);
        if (status != cases[i].status || plan != NULL || why.message[0] == '\0')
            fail_msg("%s: %s: %s", cases[i].text, sluice_strerror(status), why.message);
        assert_true(why.offset <= strlen(cases[i].text));
    }
    sluice_machine_close(m);
}

/* A string gives the same plan as its struct; refusals give the offset in the string and the
 * reason. */
static void strings_plan(void **state)
{
    static const char *const good[] = {"c2c:f32:1024", "c2c:f64:12x10*3:inverse:in=split",
                                       "c2c:f32:64*9:inplace:workers=1"};
    static const struct {
        const char *text;
        sluice_status status;
        size_t offset;
    } bad[] = {{"", SLUICE_E_PARSE, 0},
               {"c2c:f99:8", SLUICE_E_PARSE, 4},
               {"c2c:f32:8:sideways", SLUICE_E_PARSE, 10},
               {"c2c:f32:8 := DFT(8)", SLUICE_E_PARSE, 9},
               {"c2c:f32:0", SLUICE_E_INVALID, 0},
               {"c2c:f32:4294967311", SLUICE_E_UNSUPPORTED, 0}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const sluice_problem p = plan_parsed(good[i]);
        sluice_plan *plan = NULL, *same = NULL;
        assert_int_equal(sluice_plan_create(&plan, m, &p, NULL, NULL), SLUICE_OK);
        assert_int_equal(sluice_plan_from_text(&same, m, good[i], NULL, NULL), SLUICE_OK);
        char *line = plan_line(plan), *same_line = plan_line(same);
        assert_string_equal(line, same_line);
        test_free(line);
        test_free(same_line);
        sluice_plan_destroy(plan);
        sluice_plan_destroy(same);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sluice_plan *plan = (sluice_plan *)m;
        sluice_diag why = {.offset = 999};
        const sluice_status status = sluice_plan_from_text(&plan, m, bad[i].text, NULL, &why);
        if (status != bad[i].status || why.offset != bad[i].offset || why.message[0] == '\0')
            fail_msg("'%s': %d at %zu: %s", bad[i].text, (int)status, why.offset, why.message);
        assert_null(plan);
    }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- text ------------------- */

static void versions_and_statuses_have_words(void **state)
{
    char version[32];
    (void)state;
    snprintf(version, sizeof version, "%d.%d.%d", SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR,
             SLUICE_VERSION_PATCH);
    assert_string_equal(sluice_version(), version);
    for (int a = SLUICE_E_CANCELLED; a <= SLUICE_END; a++) {
        assert_true(strlen(sluice_strerror((sluice_status)a)) > 1);
        for (int b = a + 1; b <= SLUICE_END; b++)
            assert_string_not_equal(sluice_strerror((sluice_status)a),
                                    sluice_strerror((sluice_status)b));
    }
    assert_non_null(sluice_strerror((sluice_status)99));
    assert_non_null(sluice_strerror((sluice_status)-99));
}

/* The problem that a plan reports can be planned again, to the same problem and the same line. */
static void problems_round_trip(void **state)
{
    static const char *const cases[] = {"c2c:f32:1",
                                        "c2c:f64:8:inverse",
                                        "c2c:f32:8*3:inplace",
                                        "c2c:f32:64@80/64*16@5120/4096",
                                        "c2c:f64:8x6*4:in=split",
                                        "c2c:f32:16:latency:workers=2",
                                        "c2c:f32:16*2:latency",
                                        "c2c:f32:1024:throughput:out=split",
                                        "c2c:f32:5x4x3*2*2:in=split:out=split:inplace",
                                        "c2c:f32:12@-2/3*7@-30/40:workers=65536"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[PLAN_TEXT_SIZE], again[PLAN_TEXT_SIZE];
        sluice_problem p;
        sluice_plan *plan = plan_made(m, cases[i]);
        assert_int_equal(sluice_plan_problem(plan, &p), SLUICE_OK);
        assert_int_equal(sluice_problem_print(&p, text, sizeof text), SLUICE_OK);
        sluice_plan *second = plan_made(m, text);
        assert_int_equal(sluice_plan_problem(second, &p), SLUICE_OK);
        assert_int_equal(sluice_problem_print(&p, again, sizeof again), SLUICE_OK);
        assert_string_equal(text, again);
        char *line = plan_line(plan), *line_again = plan_line(second);
        assert_string_equal(line, line_again);
        assert_memory_equal(line, text, strlen(text));
        test_free(line);
        test_free(line_again);
        sluice_plan_destroy(plan);
        sluice_plan_destroy(second);
    }
    sluice_machine_close(m);
}

/* The line of the formula level can be planned, with and without its problem, to the same plan. */
static void lines_replan(void **state)
{
    static const char *const cases[] = {
        "c2c:f32:8", "c2c:f32:1024*7",        "c2c:f64:60x48:inverse", "c2c:f32:65536",
        "c2c:f32:7", "c2c:f32:512*9:inplace", "c2c:f64:16x12x10*2"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_problem p;
        sluice_plan *plan = plan_made(m, cases[i]);
        assert_int_equal(sluice_plan_problem(plan, &p), SLUICE_OK);
        char *line = plan_line(plan), *formula = strstr(line, ":= ") + 3;
        sluice_plan *with = plan_of_formula(m, line, SLUICE_F32);
        sluice_plan *without = plan_of_formula(m, formula, p.precision);
        char *with_line = plan_line(with), *without_line = plan_line(without);
        plan_text whole = plan_printed(with, SLUICE_LEVEL_FORMULA);
        assert_string_equal(with_line, line);
        assert_string_equal(without_line, formula);
        assert_null(strstr(whole.data, "chosen"));
        plan_text a = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        plan_text b = plan_printed(with, SLUICE_LEVEL_PLACEMENT);
        assert_string_equal(a.data, b.data);
        char *const texts[] = {line, with_line, without_line, whole.data, a.data, b.data};
        for (int t = 0; t < 6; t++)
            test_free(texts[t]);
        sluice_plan_destroy(plan);
        sluice_plan_destroy(with);
        sluice_plan_destroy(without);
    }
    sluice_machine_close(m);
}

static void levels_are_printed(void **state)
{
    static const char *const word[] = {"c2c:f32:4096*5 := ", "SUM",           "DFT", "cpu",
                                       "\"problem\":",       "int main(void)"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:4096*5");
    for (int level = SLUICE_LEVEL_FORMULA; level <= SLUICE_LEVEL_C; level++) {
        int stop = 0;
        plan_text text = plan_printed(plan, (sluice_level)level);
        assert_int_equal(text.length, strlen(text.data));
        if (strstr(text.data, word[level]) == NULL)
            fail_msg("level %d without '%s':\n%s", level, word[level], text.data);
        test_free(text.data);
        assert_int_equal(sluice_plan_print(plan, (sluice_level)level, discard_text, &stop),
                         SLUICE_E_CANCELLED);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(null_machines_and_problems_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(null_plans_and_arrays_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(options_are_checked, nothing_leaks),
        cmocka_unit_test_teardown(large_primes_plan, nothing_leaks),
        cmocka_unit_test_teardown(bad_formulas_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(strings_plan, nothing_leaks),
        cmocka_unit_test_teardown(versions_and_statuses_have_words, nothing_leaks),
        cmocka_unit_test_teardown(problems_round_trip, nothing_leaks),
        cmocka_unit_test_teardown(lines_replan, nothing_leaks),
        cmocka_unit_test_teardown(levels_are_printed, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
