// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of plans: the scale of the caller's, beside the problem's, in formulas, streams, the cache
 * of plans and wisdom; and the sentence of every field that is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 577215 };

static sluice_plan *hooked(sluice_machine *m, const char *problem, double scale)
{
    const sluice_hooks hooks = {.scale = scale};
    const sluice_plan_options options = {.hooks = &hooks};
    sluice_diag why = {.message = ""};
    sluice_plan *plan = NULL;
    if (sluice_plan_from_text(&plan, m, problem, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    return plan;
}

/* A power of two leaves all digits as they are. */
static void four_times(sluice_machine *m, const char *problem)
{
    sluice_plan *plain = plan_made(m, problem), *scaled = hooked(m, problem, 4);
    float in[2 * 130] = {0}, out[2][2 * 130] = {{0}};
    for (int i = 0; i < 2 * 130; i++)
        in[i] = (float)(i * 37 % 101 - 50);
    assert_int_equal(sluice_execute(plain, in, out[0]), SLUICE_OK);
    assert_int_equal(sluice_execute(scaled, in, out[1]), SLUICE_OK);
    for (int i = 0; i < 2 * 130; i++)
        if (out[1][i] != 4 * out[0][i])
            fail_msg("%s: %d: %g, %g", problem, i, (double)out[1][i], (double)out[0][i]);
    plan_verify(scaled, problem);
    sluice_plan_destroy(plain);
    sluice_plan_destroy(scaled);
}

static void results_are_multiplied(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:64",  "c2c:f32:16*8", "c2c:f32:8x16",  "c2c:f32:64:scale=n",
        "r2c:f32:128", "c2r:f32:128",  "r2c:f32:10x12", "c2c:f32:60:inverse"};
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:2", plan_isas[i]);
        for (size_t k = 0; m != NULL && k < sizeof problems / sizeof problems[0]; k++)
            four_times(m, problems[k]);
        sluice_machine_close(m);
    }
}

static void any_finite_number_will_do(void **state)
{
    static const double scales[] = {-1, 1e-30, 3, 0, 1, 0.1, 1e20};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        for (int k = 0; k < 2; k++) {
            sluice_plan *plan =
                hooked(m, k ? "c2c:f64:1000*3:scale=ortho" : "c2c:f64:4096", scales[i]);
            plan_verify(plan, "scaled");
            sluice_plan_destroy(plan);
        }
    sluice_machine_close(m);
}

/* Each scale has plans of its own; equal requests share one. */
static void plans_are_kept_by_their_hooks(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plain = plan_made(m, "c2c:f32:256"), *twice = hooked(m, "c2c:f32:256", 2);
    sluice_plan *again = hooked(m, "c2c:f32:256", 2), *other = hooked(m, "c2c:f32:256", 3);
    sluice_plan *none = hooked(m, "c2c:f32:256", 0);
    assert_ptr_equal(twice, again);
    assert_ptr_equal(plain, none);
    assert_ptr_not_equal(plain, twice);
    assert_ptr_not_equal(other, twice);
    sluice_plan_destroy(plain);
    sluice_plan_destroy(twice);
    sluice_plan_destroy(again);
    sluice_plan_destroy(other);
    sluice_plan_destroy(none);
    sluice_machine_close(m);
}

/* On top of what the formula has; verified by the formula's own meaning, or by the problem's. */
static void formulas_are_scaled_too(void **state)
{
    static const char *const formulas[] = {
        "DFT(64)", "(I(64) (x) D.const(3)) * DFT(64)_{leaf}",
        "c2c:f32:64:scale=n := (I(64) (x) D.const(0.015625)) * DFT(64)_{leaf}"};
    const sluice_hooks hooks = {.scale = 0.75};
    const sluice_plan_options options = {.hooks = &hooks};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan = NULL;
        assert_int_equal(
            sluice_plan_from_formula(&plan, m, formulas[i], SLUICE_F32, &options, NULL), SLUICE_OK);
        plan_verify(plan, formulas[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        const char *const factor[] = {"D.const(0.75)", "D.const(2.25)", "D.const(0.01171875)"};
        if (strstr(text.data, factor[i]) == NULL)
            fail_msg("%s: %s", formulas[i], text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Measuring with a scale leaves no wisdom; a formula of wisdom takes the scale. */
static void wisdom_is_read_and_not_written(void **state)
{
    const sluice_hooks hooks = {.scale = 0.5};
    const sluice_plan_options measured = {.effort = SLUICE_MEASURE},
                              both = {.effort = SLUICE_MEASURE, .hooks = &hooks};
    char file[PLAN_TEXT_SIZE];
    (void)state;
    assert_true(plan_file(file));
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = NULL;
    assert_int_equal(sluice_plan_from_text(&plan, m, "c2c:f32:384", &both, NULL), SLUICE_OK);
    plan_verify(plan, "measured with a scale");
    sluice_plan_destroy(plan);
    assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
    FILE *f = fopen(file, "r");
    char line[4096];
    while (fgets(line, sizeof line, f) != NULL)
        assert_null(strstr(line, "c2c:f32:384"));
    fclose(f);
    assert_int_equal(sluice_plan_from_text(&plan, m, "c2c:f32:384", &measured, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
    plan = hooked(m, "c2c:f32:384", 0.5);
    plan_verify(plan, "from wisdom");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    remove(file);
}

/* ---------------------------------------------------------------- refused ---------------- */

static void refused(sluice_machine *m, const sluice_hooks *hooks, sluice_status want,
                    const char *word)
{
    const sluice_plan_options options = {.hooks = hooks};
    sluice_diag why = {.message = ""};
    sluice_plan *plan = NULL;
    const sluice_status status = sluice_plan_from_text(&plan, m, "c2c:f32:16", &options, &why);
    if (status != want || plan != NULL || strstr(why.message, word) == NULL)
        fail_msg("%s: %s, expected '%s'", sluice_strerror(status), why.message, word);
    assert_int_equal(sluice_plan_from_formula(&plan, m, "DFT(16)", SLUICE_F32, &options, &why),
                     want);
}

static void what_cannot_be_is_refused(void **state)
{
    static const double weight[16];
    static int user;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (int side = 0; side < 2; side++) {
        sluice_hooks h[8] = {{0}};
        static const struct {
            sluice_status status;
            const char *word;
        } want[] = {{SLUICE_E_INVALID, ".extent"},      {SLUICE_E_INVALID, ".extent"},
                    {SLUICE_E_INVALID, ".opencl says"}, {SLUICE_E_INVALID, ".storage"},
                    {SLUICE_E_INVALID, ".weight_rank"}, {SLUICE_E_INVALID, ".weight_rank"},
                    {SLUICE_E_INVALID, ".user"},        {SLUICE_E_INVALID, "reserved"}};
        sluice_side_hooks *s[8];
        for (int i = 0; i < 8; i++)
            s[i] = side ? &h[i].out : &h[i].in;
        s[0]->extent[0] = 17;
        s[1]->extent[1] = 1;
        s[2]->opencl = "x";
        s[3]->storage = (sluice_storage)5;
        s[4]->weight = weight;
        s[5]->weight = weight, s[5]->weight_rank = 2;
        s[6]->user = &user;
        s[7]->reserved[7] = 1;
        for (int i = 0; i < 8; i++)
            refused(m, &h[i], want[i].status, want[i].word);
    }
    refused(m, &(sluice_hooks){.scale = NAN}, SLUICE_E_INVALID, "finite");
    refused(m, &(sluice_hooks){.scale = INFINITY}, SLUICE_E_INVALID, "finite");
    refused(m, &(sluice_hooks){.reserved = {1}}, SLUICE_E_INVALID, "reserved");
    sluice_machine_close(m);
}

/* Calls that follow each other without loops have their weights beforehand, as a single one has. */
static void calls_of_a_list_weigh(void **state)
{
    static double weight[2048];
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const sluice_plan_options options = {
        .hooks = &(sluice_hooks){.in = {.weight = weight, .weight_rank = 1}}};
    (void)state;
    for (size_t i = 0; i < 2048; i++)
        weight[i] = 1 + (double)(i % 5) / 8;
    static const char *const problems[] = {"c2c:f32:1024", "c2c:f64:2048", "r2c:f32:2048"};
    for (int i = 0; i < 3; i++) {
        sluice_plan *plan;
        sluice_diag why;
        if (sluice_plan_from_text(&plan, m, problems[i], &options, &why) != SLUICE_OK)
            fail_msg("%s: %s", problems[i], why.message);
        plan_text placement = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (strstr(placement.data, "isa avx") && !strstr(placement.data, "_weighed"))
            fail_msg("%s weighs in its calls only where it is executed\n%s", problems[i],
                     placement.data);
        test_free(placement.data);
        plan_verify(plan, problems[i]);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(calls_of_a_list_weigh, nothing_leaks),
        cmocka_unit_test_teardown(results_are_multiplied, nothing_leaks),
        cmocka_unit_test_teardown(any_finite_number_will_do, nothing_leaks),
        cmocka_unit_test_teardown(plans_are_kept_by_their_hooks, nothing_leaks),
        cmocka_unit_test_teardown(formulas_are_scaled_too, nothing_leaks),
        cmocka_unit_test_teardown(wisdom_is_read_and_not_written, nothing_leaks),
        cmocka_unit_test_teardown(what_cannot_be_is_refused, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
