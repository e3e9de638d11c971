// SPDX-License-Identifier: BSD-3-Clause
/* Few short transforms of which nothing is adjacent: that they are computed where they lie and not
 * moved, that they are right, also by loops around one call, and that workers change no bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 14142 };

/* On an ISA with vectors of 256 bits or more. */
static const struct {
    const char *problem;
    bool strided;
} expected[] = {
    {"c2c:f64:16@2", true},
    {"c2c:f32:4@2*2@8", true},
    {"c2c:f64:8@2*8@16", true},
    {"c2c:f64:8@2/1*5@16/8:inverse", true},
    {"c2c:f64:16@2:inplace", true},
    {"c2c:f32:5@7*7@1:inplace", true},
    {"c2c:f64:16@2:scale=n", true},
    /* vectors pay, columns are whole vectors, or one codelet transposes */
    {"c2c:f32:16@2*16@32", false},
    {"c2c:f64:16@4*4@1:inplace", false},
    {"c2c:f64:9@1/2*2@9/1", false},
    /* each call would be scaled by itself */
    {"c2c:f64:8@2*8@16:scale=n", false},
    {"c2c:f64:4@3*4@13:inverse:scale=ortho", false},
    /* no codelet */
    {"c2c:f64:128@2", false},
};

static void few_stay_where_they_lie(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        const bool longer = strncmp(plan_isas[isa], "avx", 3) == 0;
        sluice_machine *m = longer ? plan_machine("cpu:1", plan_isas[isa]) : NULL;
        for (size_t i = 0; m && i < sizeof expected / sizeof *expected; i++) {
            sluice_plan *plan = plan_made(m, expected[i].problem);
            const bool strided = structure_places(plan, "_C_inter_inter_none_1 ");
            if (strided != expected[i].strided || (strided && structure_places(plan, "moves")))
                fail_msg("%s on %s: one column at a time is %s expected", expected[i].problem,
                         plan_isas[isa], expected[i].strided ? "" : "not");
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* Strides of points, columns and batches, with and without gaps, backwards, one side packed. */
static void write_problem(char *out, size_t size, int n, int i)
{
    static const char *const forms[] = {"%d@%d", "%d@%d*3@%d", "%d@%d/1*3@%d/%d", "%d@1/%d*3@%d/%d",
                                        "%d@%d*2@%d*2@1"};
    static const int strides[] = {2, 3, -2};
    const int s = strides[i / 5 % 3], far = n * abs(s) + i / 15 % 2;
    char sizes[100];

    switch (i % 5) {
    case 0: snprintf(sizes, sizeof sizes, forms[0], n, s); break;
    case 1: snprintf(sizes, sizeof sizes, forms[1], n, s, far); break;
    case 2: snprintf(sizes, sizeof sizes, forms[2], n, s, far, n); break;
    case 3: snprintf(sizes, sizeof sizes, forms[3], n, s, n, far); break;
    default: snprintf(sizes, sizeof sizes, forms[4], n, s, far + 1); break;
    }
    const bool inplace = i % 5 != 2 && i % 5 != 3 && i / 30 % 2;
    snprintf(out, size, "c2c:f%d:%s%s%s", i % 2 ? 64 : 32, sizes, i / 15 % 2 ? ":inverse" : "",
             inplace ? ":inplace" : "");
}

static void all_are_right(void **state)
{
    static const int sizes[] = {2, 3, 5, 8, 13, 16, 27, 32, 64};
    char problem[PLAN_TEXT_SIZE];
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (size_t k = 0; m && k < sizeof sizes / sizeof *sizes; k++)
            for (int i = 0; i < 60; i++) {
                write_problem(problem, sizeof problem, sizes[k], i);
                plan_check_problem(m, problem, SEED + (uint64_t)i);
            }
        sluice_machine_close(m);
    }
}

/* A loop of one worker is a loop of calls, of several a tape. */
static void workers_change_no_bit(void **state)
{
    static const char *const problems[] = {"c2c:f64:8@2*8@16", "c2c:f64:12@3/3*2@37/39:inverse",
                                           "c2c:f32:4@2*2@8", "c2c:f64:5@7*7@1:inplace",
                                           "c2c:f64:4@2*4@8*2@1:inplace"};
    (void)state;
    sluice_machine *one = plan_machine("cpu:1", NULL), *two = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        sluice_plan *a = plan_made(one, problems[i]), *b = plan_made(two, problems[i]);
        plan_data x, y;
        plan_data_open(&x, a, problems[i], 0);
        plan_data_open(&y, b, problems[i], 8);
        plan_data_execute(&y, b, SEED, NULL);
        plan_data_repeat(&x, a, &y);
        plan_data_close(&x);
        plan_data_close(&y);
        sluice_plan_destroy(a);
        sluice_plan_destroy(b);
    }
    sluice_machine_close(one);
    sluice_machine_close(two);
}

/* Loops around one call whose twiddles differ from iteration to iteration, and whose do not. */
static void loops_move_twiddles(void **state)
{
    static const char *const formulas[] = {
        "(T(4,24) * (I(3) (x) DFT(4)_{leaf} (x) I(8)))_{vec(%d,inter)}",
        "I(3) (x) (T(4,8) * (DFT(4)_{leaf} (x) I(8)))_{vec(%d,inter)}"};
    sluice_unit_info u;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_machine_unit_info(m, 0, &u), SLUICE_OK);
    for (int i = 0; i < 4; i++) {
        const int lanes = i % 2 == SLUICE_F64 ? u.lanes_f64 : u.lanes_f32;
        char formula[PLAN_TEXT_SIZE];
        plan_data x, y;
        snprintf(formula, sizeof formula, formulas[i / 2], lanes < 4 ? lanes : 4);
        sluice_plan *plan = plan_of_formula(m, formula, (sluice_precision)(i % 2));
        plan_data_open(&x, plan, formula, 0);
        plan_data_open(&y, plan, formula, 8);
        plan_data_fill(&x, SEED);
        assert_int_equal(sluice_execute_with(plan, &x.arrays, NULL), SLUICE_OK);
        plan_data_repeat(&y, plan, &x);
        plan_data_close(&x);
        plan_data_close(&y);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static sluice_status forget_output(const backend_program *program, const void *in, void *out,
                                   int workers)
{
    (void)program, (void)in, (void)out, (void)workers;
    return SLUICE_OK;
}

/* Verifying executes by pairs of arrays too, where a program has a way of its own for them, as all
 * of these have with vectors of 256 bits or more. */
static void verifying_takes_both_ways(void **state)
{
    static const char *const problems[] = {"c2c:f32:16", "c2c:f64:16@2", "c2c:f32:8*5:inplace"};
    sluice_unit_info unit;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        backend_program *execution = (backend_program *)plan->execution;
        backend_run_pair *const right = execution->run_pair;
        double error = -1, bound = 0;
        plan_verify(plan, problems[i]);
        assert_true(right || unit.lanes_f32 < 4);
        if (right) {
            execution->run_pair = forget_output;
            assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
            assert_false(error <= bound);
            execution->run_pair = right;
        }
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(few_stay_where_they_lie, nothing_leaks),
        cmocka_unit_test_teardown(all_are_right, nothing_leaks),
        cmocka_unit_test_teardown(workers_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(loops_move_twiddles, nothing_leaks),
        cmocka_unit_test_teardown(verifying_takes_both_ways, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
