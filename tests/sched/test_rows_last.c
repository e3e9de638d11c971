// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages whose last one transposes (positions C and R): right at every instruction set,
 * in place, in batches and within transforms of reals; chosen in caches alone, and not where the
 * input is weighed, by reproducible plans or beside split sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 20261127 };

static bool has_stage(const sluice_plan *plan, const char *stage)
{
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const bool has = strstr(printed.data, stage) != NULL;

    test_free(printed.data);
    return has;
}

/* Is the last stage of its plan at position R? */
static bool is_rows_last(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    const bool last = has_stage(plan, "_R_inter_inter_none");

    sluice_plan_destroy(plan);
    return last;
}

static const size_t lengths[] = {96,   250,  343,  640,  750,  800,  1000, 1024,
                                 1331, 1536, 2025, 2197, 2401, 3000, 5040, 7875};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Compares with the definition; how many of the plans are rows last. */
static int check_lengths(sluice_machine *m)
{
    static const char *const forms[] = {"c2c:%s:%zu", "c2c:%s:%zu:inverse:inplace",
                                        "c2c:%s:%zu*3:inplace", "r2c:%s:%zu*2", "dct2:%s:%zu"};
    char text[PLAN_TEXT_SIZE];
    int last = 0;

    for (size_t i = 0; i < LENGTHS; i++)
        for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
            const char *precision = (i + k) % 2 ? "f64" : "f32";
            snprintf(text, sizeof text, forms[k], precision, k < 3 ? lengths[i] : 2 * lengths[i]);
            plan_check_problem(m, text, SEED);
            last += is_rows_last(m, text);
        }
    return last;
}

static void any_length_is_right(void **state)
{
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine(i % 2 ? "cpu:1" : "cpu:3", plan_isas[i]);
        if (m == NULL)
            continue;
        const int last = check_lengths(m);
        const bool lanes = strcmp(plan_isas[i], "avx2") == 0 || strcmp(plan_isas[i], "avx512") == 0;
        if (lanes && last == 0)
            fail_msg("%s: no product transposes last", plan_isas[i]);
        if (strcmp(plan_isas[i], "scalar") == 0)
            assert_int_equal(last, 0);
        sluice_machine_close(m);
    }
}

static void others_transpose_first(void **state)
{
    static const char *const problems[] = {"c2c:f32:1000*30000", "c2c:f32:1000:in=split",
                                           "c2c:f32:1000:out=split"};
    static double weight[1000];
    const sluice_plan_options options[] = {
        {.hooks = &(sluice_hooks){.in = {.weight = weight, .weight_rank = 1}}},
        {.reproducible = true}};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    (void)state;

    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        assert_false(is_rows_last(m, problems[i]));
    for (size_t i = 0; i < 1000; i++)
        weight[i] = 1;
    for (size_t i = 0; i < 2; i++) {
        sluice_plan *plan;
        sluice_diag why;
        if (sluice_plan_from_text(&plan, m, "c2c:f32:1000", &options[i], &why) != SLUICE_OK)
            fail_msg("%s", why.message);
        assert_false(has_stage(plan, "_R_inter_inter_none"));
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(any_length_is_right, nothing_leaks),
        cmocka_unit_test_teardown(others_transpose_first, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
