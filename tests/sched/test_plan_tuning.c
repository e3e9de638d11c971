// SPDX-License-Identifier: BSD-3-Clause
/* What codelets and the unit cost: described, measured, kept with wisdom, rejected; a plan costs
 * what its stages do. What is chosen by it: test_plan_costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/text.h"
#include "spl/formula/pairs.h"
#include "spl/formula/transforms.h"
#include "spl/price/price.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

static int measured_codelets(const sluice_machine *m)
{
    int count = 0;
    for (int i = 0; i < sluice_machine_codelet_count(m); i++)
        count += wisdom_codelet(m, i).measured > 0;
    return count;
}

/* ---------------------------------------------------------------- codelets -------------- */

/* "dft16_..", "rdct2pair2_..": a transform or pairs. */
static bool names_transform(const char *name)
{
    bool named = false;
    for (int kind = 0; kind < SPL_KIND_COUNT && !named; kind++) {
        const char *word = spl_transform_of((spl_kind)kind)->word;
        named = strncasecmp(name, word, strlen(word)) == 0;
    }
    for (int pairs = 0; pairs < SPL_PAIRS_KINDS && !named; pairs++) {
        const char *word = spl_pairs_def_of((spl_pairs_kind)pairs)->word;
        named = strncmp(name, word, strlen(word)) == 0;
    }
    return named;
}

static void codelets_are_described(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL), *ref = plan_machine("ref", NULL);
    const int count = sluice_machine_codelet_count(m);
    sluice_codelet_info info;
    assert_true(count > 100);
    for (int i = 0; i < count; i++) {
        info = wisdom_codelet(m, i);
        assert_true(names_transform(info.name) && strlen(info.name) + 1 < sizeof info.name);
        assert_true(info.columns >= 1 && info.loads > 0 && info.stores > 0 && info.predicted > 0);
        assert_true(info.measured == 0);
        assert_string_not_equal(info.name, wisdom_codelet(m, i == 0 ? 1 : 0).name);
    }
    assert_int_equal(sluice_machine_codelet_info(m, -1, &info), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_codelet_info(m, count, &info), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_codelet_info(m, 0, NULL), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_codelet_info(NULL, 0, &info), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_codelet_count(NULL), 0);
    assert_int_equal(sluice_machine_codelet_count(ref), 0);
    assert_int_equal(sluice_machine_codelet_info(ref, 0, &info), SLUICE_E_INVALID);
    sluice_machine_close(m);
    sluice_machine_close(ref);
}

static void tuning_is_refused(void **state)
{
    const sluice_tune_options wrong = {.reserved = {0, 1}};
    sluice_diag why = {0};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL), *ref = plan_machine("ref", NULL);
    assert_int_equal(sluice_machine_tune(NULL, NULL, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_tune(m, &wrong, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_tune(ref, NULL, &why), SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "ref"));
    for (long nth = 1; nth <= 2; nth++) {
        core_mem_fail_from(nth);
        const sluice_status status = sluice_machine_tune(m, NULL, &why);
        core_mem_fail_from(0);
        assert_int_equal(status, SLUICE_E_MEMORY);
    }
    assert_int_equal(measured_codelets(m), 0);
    sluice_machine_close(m);
    sluice_machine_close(ref);
}

typedef struct told {
    size_t calls, last, total, until;
} told;

static sluice_status tell(void *user, size_t done, size_t total)
{
    told *t = user;
    assert_true(done < total && (t->calls == 0 || (done > t->last && total == t->total)));
    t->last = done;
    t->total = total;
    return ++t->calls > t->until ? SLUICE_E_CANCELLED : SLUICE_OK;
}

static void tuning_can_be_cancelled(void **state)
{
    told t = {.until = 3};
    const sluice_tune_options options = {.progress = tell, .user = &t};
    sluice_diag why = {0};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_machine_tune(m, &options, &why), SLUICE_E_CANCELLED);
    assert_int_equal(t.calls, 4);
    assert_int_equal(measured_codelets(m), 0);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- the unit -------------- */

/* The next number called `key` of a JSON text; *at moves behind it, NULL: there is none. */
static double next_number(const char **at, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    *at = strstr(*at, quoted);
    if (*at == NULL)
        return 0;
    *at += strlen(quoted);
    return strtod(*at, NULL);
}

static double predicted(const sluice_plan *plan)
{
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_JSON);
    const char *at = text.data;
    const double all = next_number(&at, "predicted_s");
    double sum = 2e-9; /* of an execution */
    for (double stage; (stage = next_number(&at, "predicted_s")), at != NULL;)
        sum += stage;
    assert_true(all > 0 && fabs(all - sum) < 1e-6 * all);
    test_free(text.data);
    return all;
}

/* Every figure `number`, but what levels hold. */
static void load_unit(sluice_machine *m, const char *number)
{
    core_text line = {0};
    core_text_printf(&line, "unit");
    for (int i = 0; i < PRICE_FIGURES; i++)
        core_text_printf(&line, " %s=%s", price_figure_names[i], i <= PRICE_L3 ? "1024" : number);
    core_text_printf(&line, "\n");
    wisdom_load_lines(m, line.data);
    core_text_free(&line);
}

static void a_plan_costs_what_its_stages_do(void **state)
{
    static const char *const problems[] = {"c2c:f32:65536", "c2c:f64:100x60:inplace",
                                           "c2c:f32:7*35:in=split", "c2c:f64:37333"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        static const char *const numbers[] = {"0", "100", "100000"};
        double last = 0;
        sluice_machine *m = plan_machine("cpu:2", NULL);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            load_unit(m, numbers[k]);
            sluice_plan *plan = plan_made(m, problems[i]);
            const double now = predicted(plan);
            assert_true(now > last);
            last = now;
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

static void loops_are_measured(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:65536");
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_MEASURED_JSON);
    const char *at = text.data;
    const double all = next_number(&at, "measured_s");
    double sum = 0;
    for (double loop; (loop = next_number(&at, "measured_s")), at != NULL;)
        sum += loop;
    assert_true(all > 0 && sum > all / 4 && sum < 4 * all);
    const plan_text lines = plan_printed(plan, SLUICE_LEVEL_MEASURED);
    assert_non_null(strstr(lines.data, "# measured "));
    test_free(text.data);
    test_free(lines.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- wisdom ---------------- */

/* What `m` has measured, in a file and in another machine of the same ISA. */
static void costs_go_there_and_back(sluice_machine *m, const char *isa)
{
    sluice_machine *other = plan_machine("cpu:2", isa);
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    core_text first = wisdom_text();
    for (int time = 0; time < 2; time++)
        assert_int_equal(sluice_wisdom_load(other, wisdom_file, NULL), SLUICE_OK);
    for (int i = 0; i < sluice_machine_codelet_count(m); i++)
        assert_true(wisdom_codelet(m, i).measured == wisdom_codelet(other, i).measured);
    assert_int_equal(sluice_wisdom_save(other, wisdom_file), SLUICE_OK);
    core_text second = wisdom_text();
    assert_string_equal(first.data, second.data);
    sluice_plan *a = plan_made(m, "c2c:f64:4096"), *b = plan_made(other, "c2c:f64:4096");
    char *line[2] = {plan_line(a), plan_line(b)};
    assert_string_equal(line[0], line[1]);
    for (int i = 0; i < 2; i++)
        test_free(line[i]);
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
    core_text_free(&first);
    core_text_free(&second);
    sluice_machine_close(other);
}

/* Tuning takes seconds, so the widest vectors and plain C are tuned; the sanitizers' builds, whose
 * codelets are those of the release build, tune the widest alone. */
static void machines_are_tuned(void **state)
{
    bool tuned = false;
    (void)state;
    for (int i = PLAN_ISAS - 1; i >= 0 && !(PLAN_SANITIZED && tuned); i--) {
        told t = {.until = SIZE_MAX};
        const sluice_tune_options options = {.progress = tell, .user = &t};
        sluice_machine *m = tuned && i > 0 ? NULL : plan_machine("cpu:2", plan_isas[i]);
        if (m == NULL)
            continue;
        assert_int_equal(sluice_machine_tune(m, &options, NULL), SLUICE_OK);
        assert_int_equal(measured_codelets(m), sluice_machine_codelet_count(m));
        costs_go_there_and_back(m, plan_isas[i]);
        plan_check_problem(m, "c2c:f32:1024*3", 11);
        plan_check_problem(m, "c2c:f64:720", 12);
        sluice_machine_close(m);
        tuned = true;
    }
    assert_true(tuned);
}

static void bad_costs_are_rejected_with_a_sentence(void **state)
{
    static const char *const bad[][2] = {
        {"codelet", "PROBLEM := FORMULA"},
        {"codelet dft2_", "NAME CYCLES"},
        {"codelet nothing 3", "nothing"},
        {"codelet %s", "NAME CYCLES"},
        {"codelet %s ", "NAME CYCLES"},
        {"codelet %s nan", "'nan'"},
        {"codelet %s inf", "'inf'"},
        {"codelet %s -1", "'-1'"},
        {"codelet %s 0", "'0'"},
        {"codelet %s 0.001", "'0.001'"},
        {"codelet %s 1e3", "'1e3'"},
        {"codelet %s 3,5", "'3,5'"},
        {"codelet %s 12x", "'12x'"},
        {"codelet %s 10000001", "'10000001'"},
        {"codelet %s 9999999999999999999999999999", "no number"},
        {"codelet %s 0x10", "'0x10'"},
        {"codelet %s .5", "'.5'"},
        {"codelet  %s 5", "NAME CYCLES"},
        {"codelets are fine", "expected"},
        {"unit", "expected"},
        {"unit l1=0 l2=5", "l1=NUMBER"},
        {"unit l1=40000 l2=x", "l2=NUMBER"},
        {"unit l1=40000 l2=2000000 l3=9 read_l2=-1", "read_l2=NUMBER"},
        {"unit l1=40000 l2=2000000 l3=99999999999999999999", "l3=NUMBER"},
    };
    char line[256], lines[1024];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sluice_machine *m = plan_machine("cpu:1", NULL);
        sluice_diag why = {0};
        const sluice_codelet_info c = wisdom_codelet(m, 3), d = wisdom_codelet(m, 4);
        const char *gap = strstr(bad[i][0], "%s");
        snprintf(line, sizeof line, "%.*s%s%s", gap ? (int)(gap - bad[i][0]) : 200, bad[i][0],
                 gap ? c.name : "", gap ? gap + 2 : "");
        snprintf(lines, sizeof lines, "%s\ncodelet %s 7.5\n", line, d.name);
        wisdom_write_lines(m, lines);
        assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
        if (!strstr(why.message, "1 lines rejected, line 2") || !strstr(why.message, bad[i][1]))
            fail_msg("'%s' was rejected so: %s", line, why.message);
        assert_true(wisdom_codelet(m, 3).measured == 0);
        assert_true(wisdom_codelet(m, 4).measured == 7.5);
        sluice_machine_close(m);
    }
}

static void loading_costs_starves(void **state)
{
    sluice_status status = SLUICE_E_MEMORY;
    core_text lines = {0};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    wisdom_price(m, 5, "12.5", &lines);
    wisdom_write_lines(m, lines.data);
    core_text_free(&lines);
    for (long nth = 1; status != SLUICE_OK; nth++) {
        assert_true(nth < 1000 && measured_codelets(m) == 0);
        core_mem_fail_from(nth);
        status = sluice_wisdom_load(m, wisdom_file, NULL);
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
    }
    assert_true(measured_codelets(m) > 0);
    sluice_machine_close(m);
}

/* The first line's fourth word says which codelets there are. */
static void costs_of_other_codelets_are_rejected(void **state)
{
    char line[2 * PLAN_TEXT_SIZE], kind[64];
    sluice_diag why = {0};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    core_text text = wisdom_text();
    assert_int_equal(sscanf(text.data, "sluice-wisdom 6 0.1.0 %63s", kind), 1);
    char *end = kind + strlen(kind) - 1;
    *end = *end == '0' ? '1' : '0';
    snprintf(line, sizeof line, "sluice-wisdom 6 0.1.0 %s 1:2:3:4\ncodelet %s 5\n", kind,
             wisdom_codelet(m, 0).name);
    FILE *f = fopen(wisdom_file, "w");
    assert_non_null(f);
    fputs(line, f);
    fclose(f);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "other units or codelets"));
    assert_int_equal(measured_codelets(m), 0);
    core_text_free(&text);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(codelets_are_described, nothing_leaks),
        cmocka_unit_test_teardown(tuning_is_refused, nothing_leaks),
        cmocka_unit_test_teardown(tuning_can_be_cancelled, nothing_leaks),
        cmocka_unit_test_setup_teardown(a_plan_costs_what_its_stages_do, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_teardown(loops_are_measured, nothing_leaks),
        cmocka_unit_test_setup_teardown(machines_are_tuned, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(bad_costs_are_rejected_with_a_sentence, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(loading_costs_starves, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(costs_of_other_codelets_are_rejected, wisdom_setup,
                                        wisdom_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
