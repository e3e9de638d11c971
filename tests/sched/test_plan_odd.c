// SPDX-License-Identifier: BSD-3-Clause
/* Cosine and sine transforms of odd lengths, of odd numbers of columns and of type 1: no address is
 * evaluated, columns of reals are pairs, and results are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 20261127 };

static const char *const problems[] = {
    "dct1:f32:1025",   "dct1:f32:100",   "dct1:f64:129",    "dst1:f32:1000",
    "dst1:f32:127",    "dct4:f32:99",    "dct4:f32:99x101", "dct4:f32:101x64",
    "dst2:f32:33x65",  "dst3:f32:99",    "dst4:f64:45",     "idxst:f32:33x35*3",
    "dct2:f32:100x99", "dct3:f64:33x31", "dht:f32:9x7x5",   "dct1:f32:9x17x5",
    "dst1:f64:31x15",  "dst2:f32:15*6",  "dct4:f32:65x129", "dct1*dst1:f32:17x15",
    "dst4:f32:100x99", "idxst:f32:999",  "dst2:f64:1001",   "dct4*dct2:f32:100x99",
    "dst3:f32:64x99",  "dst4:f32:9*100"};

static void no_address_is_evaluated(void **state)
{
    sluice_machine *m = plan_machine("cpu:3", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        const plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (!strstr(placed.data, "isa scalar") && strstr(placed.data, "evaluated"))
            fail_msg("%s\n%s", problems[i], placed.data);
        test_free(placed.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, problems[i], SEED + i);
    }
    sluice_machine_close(m);
}

/* Along the last axis no kind has pairs of numbers that are reals, which have codelets of columns
 * alone: folds, signs and factors are stages of their own. */
static void odd_rows_have_no_pairs(void **state)
{
    static const char *const kinds[] = {"dct2", "dct3", "dct4", "dst2", "dst3", "dst4", "idxst"};
    static const int sizes[] = {99, 101, 999, 1001};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    (void)state;
    for (size_t i = 0; i < 4 * sizeof kinds / sizeof kinds[0]; i++) {
        char problem[32];
        snprintf(problem, sizeof problem, "%s:f%d:%d", kinds[i / 4], i % 2 ? 32 : 64, sizes[i % 4]);
        sluice_plan *plan = plan_made(m, problem);
        const plan_text formula = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        if (strstr(formula.data, "PAIRS."))
            fail_msg("%s\n%s", problem, formula.data);
        test_free(formula.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, problem, SEED + i);
    }
    sluice_machine_close(m);
}

/* EMBED_n (x) I_l: as complex numbers with imaginary part 0. */
static bool embeds_columns(const char *formula)
{
    static const char columns[] = ") (x) I(";
    for (const char *at = strstr(formula, "EMBED("); at; at = strstr(at + 1, "EMBED(")) {
        const char *end = strchr(at, ')');
        if (end && strncmp(end, columns, sizeof columns - 1) == 0)
            return true;
    }
    return false;
}

/* An odd number of columns of reals is half as many of complex numbers, in one transform of a batch
 * as in the next: what is beside the last column is never of another one. (Five columns of single
 * precision take 0.6 of that time embedded.) */
static void odd_columns_are_pairs(void **state)
{
    static const char *const pairs[] = {"dct2:f32:99x7", "dct1:f32:33x33", "dst4:f64:33x3*3",
                                        "dct3:f32:45x15"};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        sluice_plan *plan = plan_made(m, pairs[i]);
        const plan_text formula = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        if (embeds_columns(formula.data))
            fail_msg("%s\n%s", pairs[i], formula.data);
        test_free(formula.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, pairs[i], SEED + i);
    }
    sluice_machine_close(m);
}

/* Kernels of reals whose addresses have no strides are evaluated, scaled ones and complex ones
 * too. */
static void evaluated_reals_are_right(void **state)
{
    static const char *const of[] = {"dct2:f32:4@6/1x2@1/-5:scale=n",
                                     "dst2*dct1:f32:4@2/1x2@8/4:scale=n",
                                     "dct2*dct1:f64:2@3/3x2@177/177*22@8/8:inplace:scale=n",
                                     "idxst*dht:f32:12@8/4x2@3/-1:scale=ortho",
                                     "dht*idxst*dht:f32:2@60/1x4@1/5x3@4/20",
                                     "dht*dst3*dct1:f64:4@60/944x4@-240/236x11@-5/-21*2@-968/-4",
                                     "dct2*dct1*dst1*dst3:f32:128x2x2x1"};
    (void)state;
    for (size_t i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:2", plan_isas[i]);
        for (size_t k = 0; m && k < sizeof of / sizeof of[0]; k++)
            plan_check_problem(m, of[k], SEED + k);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_address_is_evaluated, nothing_leaks),
        cmocka_unit_test_teardown(odd_rows_have_no_pairs, nothing_leaks),
        cmocka_unit_test_teardown(odd_columns_are_pairs, nothing_leaks),
        cmocka_unit_test_teardown(evaluated_reals_are_right, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
