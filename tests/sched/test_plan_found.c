// SPDX-License-Identifier: BSD-3-Clause
/* What fuzzing and review found, kept: formulas and problems that once crashed, were miscomputed,
 * refused without reason or planned without the codelets they deserve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_plan.h"

static sluice_machine *open_units(const char *units)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *machine = NULL;
    sluice_diag why = {0};

    if (sluice_machine_open(&machine, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", units, why.message);
    return machine;
}

static void expect_right(sluice_plan *plan, const char *text)
{
    plan_verify(plan, text);
    sluice_plan_destroy(plan);
}

static void formulas_compute(void **state)
{
    static const char *const formulas[] = {
        "((DFT(8) (x) T(9,5)) * (L(40,20) (x) L(9,3)))",
        "((IDFT(96)) * (DFT(96)_{stream(1)}))_{spe(2,4),stream(1)}",
        "c2c:f32:1@3/3*3@1/1:in=split := (DFT(1)_{leaf} (x) I(3))_{stream(3),spe(2,1)}",
        "DFT(128) (x) I(4)",
        "dct3:f64:9 := P(two(i%2, [9->9: i/2], [9->9: 8 - i/2])) * RE(9) * DFT(9) * S(h(5,9,0,1)) "
        "* "
        "D.roots(36,h(5,36,0,1)) * H(5) * (DFT(1)_{leaf} (x) I(5)) * V(5) * "
        "G(two(i%2, [10->10: i/2], [10->10: 9 - i/2])) * S(h(9,10,0,1))",
        "SUM.par(k1<2, SUM(k0<4@k1/2, S(h(2,8,k0%4,4)) * DFT(2)_{leaf} * G(h(2,8,k0%4,4))))"};
    static const char *const units[] = {"cpu:3", "ref"};

    (void)state;
    for (size_t u = 0; u < 2; u++) {
        sluice_machine *machine = open_units(units[u]);
        for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
            sluice_plan *plan = NULL;
            sluice_diag why = {0};
            if (sluice_plan_from_formula(&plan, machine, formulas[i], SLUICE_F64, NULL, &why)
                != SLUICE_OK)
                fail_msg("%s: %s", formulas[i], why.message);
            expect_right(plan, formulas[i]);
        }
        sluice_machine_close(machine);
    }
}

/* A sum whose terms overlap adds, a program would overwrite; one with holes leaves them. */
static void overlapping_sums_are_refused(void **state)
{
    static const char *const formulas[] = {"SUM(k0<2, S(h(4,8,0,2)) * G(h(4,8,0,2)))",
                                           "S(h(4,8,0,2)) * G(h(4,8,0,2))"};
    sluice_machine *machine = open_units("cpu:2");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        assert_int_equal(
            sluice_plan_from_formula(&plan, machine, formulas[i], SLUICE_F32, NULL, &why),
            SLUICE_E_INVALID);
        assert_null(plan);
        assert_true(strlen(why.message) > 0);
    }
    sluice_machine_close(machine);
}

static sluice_status note_evaluated(void *user, const char *text, size_t length)
{
    (void)length;
    if (strstr(text, "addresses evaluated"))
        *(int *)user = 1;
    return SLUICE_OK;
}

/* Strides that do not collapse keep their codelets, as do rows of reals of twice a prime. */
static void strided_problems_use_codelets(void **state)
{
    static const char *const problems[] = {"c2c:f32:24@13000x64@200x52@1",
                                           "c2c:f32:252@/630x14@/1x45@/14",
                                           "c2c:f64:55@1/1*8@55/-61*5@440/-488:inverse:in=split",
                                           "c2c:f32:8@3/3*2@-40/30",
                                           "c2c:f32:512@1x128@512x1@1",
                                           "c2c:f64:256@/3x1@/1x1@/1:inplace:latency",
                                           "r2c:f32:758*3",
                                           "c2r:f64:5x758"};
    sluice_machine *machine = open_units("cpu:3");

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_problem problem;
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        int evaluated = 0;
        assert_int_equal(sluice_problem_parse(&problem, problems[i], &why), SLUICE_OK);
        if (sluice_plan_create(&plan, machine, &problem, NULL, &why) != SLUICE_OK)
            fail_msg("%s: %s", problems[i], why.message);
        sluice_plan_print(plan, SLUICE_LEVEL_PLACEMENT, note_evaluated, &evaluated);
        if (evaluated)
            fail_msg("%s: addresses evaluated", problems[i]);
        expect_right(plan, problems[i]);
    }
    sluice_machine_close(machine);
}

/* Elements of a batch that are copied first, in order on both sides, as a stage of their own. */
static void primes_run_in_place(void **state)
{
    sluice_machine *machine = open_units("cpu:2");
    sluice_problem problem;
    sluice_plan *plan = NULL;

    (void)state;
    assert_int_equal(sluice_problem_parse(&problem, "c2c:f32:97*101:inplace", NULL), SLUICE_OK);
    assert_int_equal(sluice_plan_create(&plan, machine, &problem, NULL, NULL), SLUICE_OK);
    expect_right(plan, "c2c:f32:97*101:inplace");
    sluice_machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_compute), cmocka_unit_test(overlapping_sums_are_refused),
        cmocka_unit_test(strided_problems_use_codelets), cmocka_unit_test(primes_run_in_place)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
