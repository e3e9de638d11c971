// SPDX-License-Identifier: BSD-3-Clause
/* Scaled plans: the published factors, every way in which a stage takes one, there and back, lines
 * that plan again, what is multiplied where, and constants in formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 161803 };

/* ---------------------------------------------------------------- the table -------------- */

static void factors_are_those_published(void **state)
{
    static const struct {
        const char *problem;
        double factor;
    } table[] = {
        {"c2c:f32:8", 1},
        {"c2c:f32:8:scale=n", 1.0 / 8},
        {"c2c:f32:16:scale=ortho", 1.0 / 4},
        {"c2c:f64:10x10*7:inverse:scale=n", 1.0 / 100},
        {"c2c:f64:10x10*7:scale=ortho", 1.0 / 10},
        {"r2c:f64:6x6:scale=ortho", 1.0 / 6},
        {"r2c:f32:7:scale=n", 1.0 / 7},
        {"c2r:f32:7:scale=n", 1.0 / 7},
        {"dct2:f32:8:scale=n", 1.0 / 16},
        {"dct3:f32:8:scale=n", 1.0 / 16},
        {"dct4*dst4:f32:8x8:scale=ortho", 1.0 / 16},
        {"dst2*dst3:f32:2x8:scale=n", 1.0 / 64},
        {"idxst:f32:8:scale=ortho", 1.0 / 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        sluice_problem p;
        assert_int_equal(sluice_problem_parse(&p, table[i].problem, NULL), SLUICE_OK);
        assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
        if (fabs(sched_problem_factor(&p) - table[i].factor) > 1e-16)
            fail_msg("%s: %.17g", table[i].problem, sched_problem_factor(&p));
    }
}

static void ortho_weighs_edges(void **state)
{
    const double root2 = sqrt(2);
    const struct {
        const char *problem;
        double in[2], out[2]; /* of the first and the last of 8 elements */
    } table[] = {{"dct1:f32:8:scale=ortho", {root2, root2}, {1 / root2, 1 / root2}},
                 {"dct2:f32:8:scale=ortho", {1, 1}, {1 / root2, 1}},
                 {"dct3:f32:8:scale=ortho", {root2, 1}, {1, 1}},
                 {"dst2:f32:8:scale=ortho", {1, 1}, {1, 1 / root2}},
                 {"dst3:f32:8:scale=ortho", {1, root2}, {1, 1}},
                 {"dct4:f32:8:scale=ortho", {1, 1}, {1, 1}},
                 {"dst1:f32:8:scale=ortho", {1, 1}, {1, 1}},
                 {"idxst:f32:8:scale=ortho", {1, 1}, {1, 1}},
                 {"dct1:f32:8:scale=n", {1, 1}, {1, 1}},
                 {"dct3:f32:8", {1, 1}, {1, 1}}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        sluice_problem p;
        assert_int_equal(sluice_problem_parse(&p, table[i].problem, NULL), SLUICE_OK);
        assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
        for (size_t k = 0; k < 8; k++) {
            const double in = k == 0 ? table[i].in[0] : k == 7 ? table[i].in[1] : 1;
            const double out = k == 0 ? table[i].out[0] : k == 7 ? table[i].out[1] : 1;
            if (fabs(sched_side_edge(&p, 0, k) - in) > 1e-15
                || fabs(sched_side_edge(&p, 1, k) - out) > 1e-15)
                fail_msg("%s: %zu", table[i].problem, k);
        }
    }
}

/* ---------------------------------------------------------------- every way -------------- */

static const char *const rests[] = {"1",       "2",
                                    "3",       "5*7",
                                    "8",       "12*5",
                                    "16*9",    "31",
                                    "37",      "64",
                                    "64*33",   "100*3",
                                    "120",     "192*5",
                                    "256",     "360*2",
                                    "500",     "512*3",
                                    "1000",    "1024",
                                    "1024*3",  "2017",
                                    "4096",    "6000",
                                    "16384",   "4x6*3",
                                    "16x16*5", "30x7",
                                    "64x64",   "128x128",
                                    "2x3x4*5", "12x10x6",
                                    "33x65",   "64@3/5*4@200/400",
                                    "8@5*5@1", "7@/-1*16@/7"};
static const char *const layouts[] = {
    "", ":inplace", ":in=split", ":out=split", ":in=split:out=split", ":inverse"};

static void complex_kinds(sluice_machine *m)
{
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        const char *layout = layouts[i % 6];
        if (strchr(rests[i], '@') != NULL && strcmp(layout, ":inplace") == 0)
            layout = "";
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "c2c:%s:%s%s:scale=%s", k ? "f32" : "f64", rests[i],
                     k ? layout : "", i % 3 ? "n" : "ortho");
            plan_check_problem(m, text, SEED);
        }
    }
}

static void real_kinds(sluice_machine *m)
{
    static const char *const real[] = {"1",     "2",     "7",       "15*3",   "16*9",
                                       "63",    "64*5",  "100",     "128",    "256*3",
                                       "1000",  "1024",  "2018",    "4096*2", "8x12",
                                       "9x7*2", "64x64", "16x9x10", "65536",  "30:inplace"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "%s:%s:%s:scale=%s", k ? "r2c" : "c2r",
                     i % 2 ? "f32" : "f64", real[i], i % 3 ? "n" : "ortho");
            plan_check_problem(m, text, SEED);
        }
}

/* Cosines, sines and Hartley. */
static void cosine_kinds(sluice_machine *m)
{
    static const char *const kind[] = {"dct1", "dct2", "dct3", "dct4", "dst1",
                                       "dst2", "dst3", "dst4", "dht",  "idxst"};
    static const char *const size[] = {"8",     "16*9",   "37",         "60*2",
                                       "128",   "9x15*2", "24x40",      "2",
                                       "3x2x5", "8x2",    "64:inplace", "8@3/5*4@40/60"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
            snprintf(text, sizeof text, "%s:%s:%s:scale=%s", kind[i], (i + k) % 2 ? "f32" : "f64",
                     size[k], (i + k / 2) % 2 ? "ortho" : "n");
            plan_check_problem(m, text, SEED);
        }
}

static void results_are_scaled(void **state)
{
    (void)state;
    machines_of_all(complex_kinds);
    machines_of_all(real_kinds);
    machines_of_all(cosine_kinds);
}

/* With ortho a kind is an orthogonal matrix, which its inverse undoes. */
static void back_and_forth(sluice_machine *m, const char *kind, const char *inverse, int n)
{
    char text[2][PLAN_TEXT_SIZE];
    double x[3][128], energy[2] = {0, 0};
    sluice_plan *plan[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], "%s:f64:%d:scale=ortho", i ? inverse : kind, n);
        plan[i] = plan_made(m, text[i]);
    }
    for (int i = 0; i < n; i++)
        x[0][i] = i * 37 % 101 - 50;
    assert_int_equal(sluice_execute(plan[0], x[0], x[1]), SLUICE_OK);
    assert_int_equal(sluice_execute(plan[1], x[1], x[2]), SLUICE_OK);
    for (int i = 0; i < n; i++) {
        energy[0] += x[0][i] * x[0][i];
        energy[1] += x[1][i] * x[1][i];
        if (fabs(x[2][i] - x[0][i]) > 1e-11)
            fail_msg("%s and back at %d: %g, not %g", text[0], i, x[2][i], x[0][i]);
    }
    if (fabs(energy[1] - energy[0]) > 1e-9 * energy[0])
        fail_msg("%s: energy %g, not %g", text[0], energy[1], energy[0]);
    sluice_plan_destroy(plan[0]);
    sluice_plan_destroy(plan[1]);
}

static void ortho_is_orthogonal(void **state)
{
    static const char *const pair[][2] = {{"dct1", "dct1"}, {"dct2", "dct3"}, {"dct3", "dct2"},
                                          {"dct4", "dct4"}, {"dst1", "dst1"}, {"dst2", "dst3"},
                                          {"dst3", "dst2"}, {"dst4", "dst4"}, {"dht", "dht"}};
    static const int n[] = {2, 3, 8, 15, 16, 64, 100, 128};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        for (size_t k = 0; k < sizeof n / sizeof n[0]; k++)
            back_and_forth(m, pair[i][0], pair[i][1], n[k]);
    sluice_machine_close(m);
}

/* Batches that leave the caches, which are small so that the batches are: slices, lines of whole
 * transforms. */
static void large_batches_are_scaled(void **state)
{
    static const char caches[] = "pack:1 l3:1(size=524288) l2:2(size=262144) l1d:1(size=32768) "
                                 "core:1 pu:1";
    static const char *const problems[] = {"c2c:f32:64*4000:scale=n", "c2c:f64:1024*150:scale=n",
                                           "c2c:f32:20*9000:scale=ortho",
                                           "c2c:f32:1024*150:inplace:scale=n"};
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = structure_machine_of(caches, "cpu:2", plan_isas[i], 0);
        for (size_t k = 0; m != NULL && k < sizeof problems / sizeof problems[0]; k++) {
            sluice_plan *plan = plan_made(m, problems[k]);
            plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            if (k == 1 && strncmp(plan_isas[i], "avx", 3) == 0)
                assert_non_null(strstr(placed.data, "slices: put"));
            plan_verify(plan, problems[k]);
            test_free(placed.data);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- formulas --------------- */

/* The line of a scaled plan plans again, to the same bits. */
static void replan(sluice_machine *m, const char *problem)
{
    plan_data first, second;
    sluice_plan *plan = plan_made(m, problem);
    char *line = plan_line(plan);
    if (strstr(line, "D.const(") == NULL)
        fail_msg("%s: no constant in %s", problem, line);
    sluice_plan *again = plan_of_formula(m, line, SLUICE_F32);
    char *second_line = plan_line(again);
    assert_string_equal(line, second_line);
    plan_data_open(&first, plan, problem, 0);
    plan_data_open(&second, again, problem, 0);
    plan_data_execute(&first, plan, SEED, NULL);
    plan_data_execute(&second, again, SEED, NULL);
    assert_true(plan_data_same(&first, &second));
    plan_data_close(&first);
    plan_data_close(&second);
    test_free(line);
    test_free(second_line);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(again);
}

static void lines_plan_again(void **state)
{
    static const char *const problems[] = {"c2c:f32:64:scale=n",
                                           "c2c:f64:1000*3:scale=ortho",
                                           "r2c:f32:96:scale=ortho",
                                           "c2c:f32:37:scale=n",
                                           "dct2:f32:64*3:scale=ortho",
                                           "dst3:f64:12x20:scale=ortho",
                                           "c2c:f32:64x48:inverse:scale=ortho"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        replan(m, problems[i]);
    sluice_machine_close(m);
}

/* Constants anywhere in a formula, which is its own oracle. */
static void constants_stand_anywhere(void **state)
{
    static const char *const formulas[] = {
        "I(8) (x) D.const(-2.5)",
        "(I(8) (x) D.const(3)) * DFT(8)_{leaf}",
        "DFT(8)_{leaf} * (I(8) (x) D.const(0.3333333333333333))",
        "(DFT(8) (x) I(8)) * (D.const(1e-3) (x) I(64)) * T(8,8) * (I(8) (x) DFT(8)) * L(64,8)",
        "(I(4) (x) (D.const(7) (x) DFT(4)_{leaf})) * L(16,4)",
        ("SUM(k0<4, S(h(4,16,4*k0%4,1)) * D.const(0.5,h(4,1,0,0)) * DFT(4)_{leaf} * "
         "G(h(4,16,k0%4,4)))"),
    };
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan = plan_of_formula(m, formulas[i], i % 2 ? SLUICE_F32 : SLUICE_F64);
        plan_verify(plan, formulas[i]);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void numbers_that_are_none_are_refused(void **state)
{
    static const char *const formulas[] = {"I(2) (x) D.const()", "I(2) (x) D.const(1e)",
                                           "I(2) (x) D.const(1e999)", "I(2) (x) D.const(--1)",
                                           "D.const(1,h(2,2,0,1))"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan = NULL;
        sluice_diag why = {.message = ""};
        const sluice_status status =
            sluice_plan_from_formula(&plan, m, formulas[i], SLUICE_F32, NULL, &why);
        assert_true(status == SLUICE_E_PARSE || status == SLUICE_E_INVALID);
        assert_null(plan);
        assert_true(strlen(why.message) > 0);
    }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- where ------------------ */

/* Twiddles take the factor where there are some; what has none is scaled after the codelet. */
static void tables_take_the_factor(void **state)
{
    static const struct {
        const char *problem, *words; /* NULL: twiddles of all rows take it */
    } cases[] = {{"c2c:f32:8192:scale=n", "  1 of "},
                 {"c2c:f32:64:scale=n", "64 of 64 rows scaled"},
                 {"c2c:f32:16384:scale=n", "  1 of "},
                 {"c2c:f32:1024:scale=n", NULL}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", "avx512");
    for (size_t i = 0; m != NULL && i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = plan_made(m, cases[i].problem);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        const char *words = cases[i].words ? cases[i].words : "rows scaled";
        const bool said = strstr(text.data, words) != NULL;
        if (said != (cases[i].words != NULL) || strstr(text.data, "evaluated") != NULL)
            fail_msg("%s: %s", cases[i].problem, text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Edges are moves that multiply, alone in their loops: no address is evaluated, as each would take
 * fifty times as long. */
static void edges_are_moves(void **state)
{
    static const char *const problems[] = {
        "dct2:f32:8x8*64:scale=ortho",    "dct3:f32:8x8*64:scale=ortho",
        "dct3:f64:16*100:scale=ortho",    "dct1:f64:65*20:scale=ortho",
        "dct3:f32:64x64:scale=ortho",     "dst3:f32:12x10x7:scale=ortho",
        "dct1*dct3:f64:9x8*5:scale=ortho"};
    sluice_machine *m = structure_machine("cpu:1", NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        structure_check(plan, problems[i], SEED);
        if (structure_places(plan, "evaluated") || !structure_places(plan, " scales ")
            || structure_places(plan, " scales 1 x 1 "))
            fail_msg("%s: its edges are no moves\n%s", problems[i], plan->line);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* A constant 0 is a constant. */
static void zeros_are_constants(void **state)
{
    sluice_machine *m = structure_machine("cpu:1", NULL, 0);
    sluice_plan *plan = plan_of_formula(
        m, "dct2:f64:8*4 := (I(4) (x) (D.const(0) (+) I(7))) * (I(4) (x) DCT2(8)_{leaf})",
        SLUICE_F64);
    double in[32], out[32];

    (void)state;
    for (int i = 0; i < 32; i++)
        in[i] = 1 + i;
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    for (int row = 0; row < 4; row++)
        assert_true(out[8 * row] == 0 && out[8 * row + 1] != 0);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_published),
        cmocka_unit_test(ortho_weighs_edges),
        cmocka_unit_test_teardown(results_are_scaled, nothing_leaks),
        cmocka_unit_test_teardown(ortho_is_orthogonal, nothing_leaks),
        cmocka_unit_test_teardown(large_batches_are_scaled, nothing_leaks),
        cmocka_unit_test_teardown(lines_plan_again, nothing_leaks),
        cmocka_unit_test_teardown(constants_stand_anywhere, nothing_leaks),
        cmocka_unit_test_teardown(numbers_that_are_none_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(tables_take_the_factor, nothing_leaks),
        cmocka_unit_test_teardown(edges_are_moves, nothing_leaks),
        cmocka_unit_test_teardown(zeros_are_constants, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
