// SPDX-License-Identifier: BSD-3-Clause
/* Measuring, and the wisdom it leaves: kept, used by later plans, by other numbers of units, tried
 * where it is wrong. Of other machines:
 * test_plan_wisdom_machines; damaged: test_plan_wisdom_damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

enum { SEED = 99 };

static void measuring_keeps_what_it_found(void **state)
{
    static const char *const problems[] = {"c2c:f32:960*2",
                                           "c2c:f64:512",
                                           "c2c:f32:2048:inplace",
                                           "c2c:f64:32x60:inverse",
                                           "c2c:f32:100@3/5*4@300/500",
                                           "c2c:f32:720:in=split:out=split"};
    char text[2][16384];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *other = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan =
            wisdom_measured(m, problems[i], i % 2 ? SLUICE_PATIENT : SLUICE_MEASURE, 0.3);
        char *line = plan_line(plan);
        wisdom_judge(plan, problems[i]);
        wisdom_plans_to(m, problems[i], line);
        assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
        assert_int_equal(sluice_wisdom_load(other, wisdom_file, NULL), SLUICE_OK);
        wisdom_plans_to(other, problems[i], line);
        test_free(line);
        sluice_plan_destroy(plan);
    }
    wisdom_read(text[0], sizeof text[0]);
    assert_int_equal(sluice_wisdom_save(other, wisdom_file), SLUICE_OK);
    wisdom_read(text[1], sizeof text[1]);
    assert_string_equal(text[0], text[1]);
    sluice_machine_close(m);
    sluice_machine_close(other);
}

static void wisdom_is_used(void **state)
{
    char text[2 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    wisdom_signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", wisdom_odd);
    snprintf(text + strlen(text), sizeof text - strlen(text), "# a comment\n\n%s\r\n", line);
    wisdom_write(text);
    wisdom_avoids(m, "c2c:f32:64");
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
    assert_string_equal(why.message, "1 formula will be checked on first use");
    wisdom_plans_to(m, "c2c:f32:64", line);
    wisdom_plans_to(m, "c2c:f32:64:workers=1", line); /* keys leave workers out */
    wisdom_plans_to(m, "c2c:f32:64:latency", line);   /* the default, spelled out */
    wisdom_avoids(m, "c2c:f64:64");                   /* other problems */
    wisdom_avoids(m, "c2c:f32:64:inplace");
    sluice_plan *again = wisdom_measured(m, "c2c:f32:64", SLUICE_MEASURE, 0);
    char *third = plan_line(again);
    assert_string_equal(strstr(third, ":= "), strstr(line, ":= ")); /* known: not measured anew */
    test_free(third);
    sluice_plan_destroy(again);
    sluice_machine_close(m);
}

/* However a problem is spelt. */
static void keys_are_normalised(void **state)
{
    static const char *const spellings[] = {
        "c2c:f32:0064",        "c2c:f32:64:forward", "c2c:f32:64@1/1",
        "c2c:f32:64*1",        "c2c:f32:64@1",       "c2c:f32:64:scale=none:in=interleaved",
        "c2c:f32:64:workers=3"};
    char text[2 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    (void)state;
    snprintf(line, sizeof line, "c2c:f32:64 := %s", wisdom_odd);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        sluice_machine *m = plan_machine("cpu:1", NULL);
        wisdom_signature(m, text);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s := %s\n", spellings[i],
                 wisdom_odd);
        wisdom_write(text);
        assert_int_equal(sluice_wisdom_load(m, wisdom_file, NULL), SLUICE_OK);
        wisdom_plans_to(m, "c2c:f32:64", line);
        for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++)
            wisdom_plans_to(m, spellings[k], line);
        assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
        wisdom_read(text, sizeof text);
        assert_non_null(strstr(text, "\nc2c:f32:64 := "));
        sluice_machine_close(m);
    }
}

static void sizes_are_checked_at_load(void **state)
{
    static const char *const lines[] = {"c2c:f32:16 := DFT(2147483647)\n",
                                        "c2c:f32:16*2 := DFT(16)\n",
                                        "c2c:f32:4x4 := I(4) (x) DFT(8)\n"};
    char text[2 * PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = NULL;
    sluice_diag why;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        wisdom_signature(m, text);
        strcat(text, lines[i]);
        wisdom_write(text);
        assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
        if (!strstr(why.message, "the formula is "))
            fail_msg("%s: %s", lines[i], why.message);
    }
    assert_int_equal(
        sluice_plan_from_formula(&plan, m, "c2c:f32:16 := DFT(2147483647)", SLUICE_F32, NULL, &why),
        SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "2147483647 x 2147483647"));
    sluice_machine_close(m);
}

typedef struct told {
    char text[4 * PLAN_TEXT_SIZE];
} told;

static sluice_status tell(void *user, const char *text, size_t length)
{
    told *t = user;
    strncat(t->text, text,
            length < sizeof t->text - 1 - strlen(t->text) ? length
                                                          : sizeof t->text - 1 - strlen(t->text));
    return SLUICE_OK;
}

/* Formulas of the right size that are something else: dropped, with a word, at their first plan. */
static void wrong_formulas_are_rejected(void **state)
{
    static const char *const wrong[][2] = {
        {"c2c:f32:16", "I(16)"},
        {"c2c:f32:1000", "(DFT(5)_{leaf} (x) I(200))"},
        {"c2c:f32:64", "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf})"},
        {"c2c:f64:64:inverse", "DFT(64)"},
        {"c2c:f32:16x32", "DFT(512)"},
        {"c2c:f32:16*16:inplace", "DFT(16) (x) I(16)"},
        {"c2c:f32:32:in=split:out=split", "L(32,2) * DFT(32)"},
        {"c2c:f64:60@2/3", "DFT(60) * (I(58) (+) L(2,1) (+) I(0))"},
        {"c2c:f32:67", "DFT(67)_{leaf}"}, /* cannot be planned */
        {"c2c:f32:17", "I(16) (+) DFT(1)"},
    };
    char text[2 * PLAN_TEXT_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        told t = {.text = ""};
        const sluice_machine_options options = {.units = "cpu:2", .log = tell, .log_user = &t};
        sluice_machine *m = NULL;
        assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
        wisdom_signature(m, text);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s := %s\n", wrong[i][0],
                 wrong[i][1]);
        wisdom_write(text);
        if (sluice_wisdom_load(m, wisdom_file, NULL) == SLUICE_OK) {
            t.text[0] = '\0';
            sluice_plan *plan = plan_made(m, wrong[i][0]);
            wisdom_judge(plan, wrong[i][0]);
            sluice_plan_destroy(plan);
            if (!strstr(t.text, "sluice,1,plan,wisdom ") || !strstr(t.text, wrong[i][1]))
                fail_msg("%s: nothing was said: %s", wrong[i][0], t.text);
        }
        sluice_machine_close(m);
    }
}

/* ---- machines ---- */

static bool has_parts(const char *line)
{
    return strstr(line, "spe(") || strstr(line, "SUM.par");
}

/* A file that two units made serves one and four: the same breakdown, dealt to as many. */
static void files_serve_any_number_of_units(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:65536",         "c2c:f64:64x64*4", "c2c:f32:128*300",         "c2c:f64:37333",
        "c2c:f32:32768:inverse", "c2c:f32:1000",    "c2c:f64:36x40x30:inplace"};
    static const char *const units[] = {"cpu:2", "cpu:1", "cpu:4"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        plan_data data[3];
        bool parts[3];
        for (int u = 0; u < 3; u++) {
            sluice_machine *m = plan_machine(units[u], NULL);
            sluice_diag why = {.message = ""};
            if (u > 0)
                assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
            assert_string_equal(why.message, "");
            sluice_plan *plan = u == 0 ? wisdom_measured(m, problems[i], SLUICE_MEASURE, 0.2)
                                       : plan_made(m, problems[i]);
            char *line = plan_line(plan);
            parts[u] = has_parts(line);
            test_free(line);
            plan_data_open(&data[u], plan, problems[i], 0);
            plan_data_execute(&data[u], plan, SEED, NULL);
            if (u == 0)
                assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
            else
                assert_true(plan_data_same(&data[0], &data[u]));
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
        assert_false(parts[1]);
        assert_int_equal(parts[0], parts[2]);
        for (int u = 0; u < 3; u++)
            plan_data_close(&data[u]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(measuring_keeps_what_it_found, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(wisdom_is_used, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(keys_are_normalised, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(sizes_are_checked_at_load, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(wrong_formulas_are_rejected, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(files_serve_any_number_of_units, wisdom_setup,
                                        wisdom_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
