// SPDX-License-Identifier: BSD-3-Clause
/* Sizes with large prime factors: every size plans and is right, on any side, any number of
 * workers, in any direction; what is refused is named. Factors: test_prime_diagonals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* Options in turn: which of them go together is not the sizes' business. */
static void all_sizes(const char *units, int largest)
{
    static const char *const options[] = {
        "",           ":inplace",  ":inverse", "*3", ":in=split:out=split", ":inverse:inplace",
        ":out=split", "*2:inverse"};
    char text[PLAN_TEXT_SIZE];
    sluice_machine *m = plan_machine(units, NULL);
    for (int n = 1; n <= largest; n += STEP) {
        snprintf(text, sizeof text, "c2c:%s:%d%s", n / 8 % 2 ? "f64" : "f32", n, options[n % 8]);
        machine_verify(m, text);
    }
    sluice_machine_close(m);
}

static void every_size_by_cpu(void **state)
{
    (void)state;
    all_sizes("cpu:2", 512);
}

static void every_size_by_ref(void **state)
{
    (void)state;
    all_sizes("ref:2", 128);
}

/* Data between canaries, aligned and not, compared with the definition element by element. */
static const char *const shapes[] = {"c2c:f32:37",
                                     "c2c:f64:37:inverse",
                                     "c2c:f32:67*5:inplace",
                                     "c2c:f32:31*11",
                                     "c2c:f64:29*7:in=split:out=split",
                                     "c2c:f32:17@3/-2*9@80/50",
                                     "c2c:f32:101@3/-2*7@400/300",
                                     "c2c:f64:43@2/3*6@-100/150:inverse",
                                     "c2c:f32:37x16",
                                     "c2c:f32:37x17",
                                     "c2c:f64:41x32:inplace",
                                     "c2c:f32:16x41:in=split",
                                     "c2c:f32:53x5x47*2",
                                     "c2c:f32:61@70/64x59@1/1:inverse",
                                     "c2c:f64:74*3:out=split",
                                     "c2c:f32:257:in=split:out=split:inplace",
                                     "c2c:f32:1009*3:inverse",
                                     "c2c:f32:1009@1/2:latency",
                                     "c2c:f64:509x8*2:inplace",
                                     "c2c:f32:1517*4"};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void shapes_and_strides(void **state)
{
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:3", plan_isas[i]);
        for (int k = 0; m && k < SHAPES; k++)
            plan_check_problem(m, shapes[k], (uint64_t)k + 17);
        sluice_machine_close(m);
    }
    sluice_machine *m = plan_machine("ref", NULL);
    for (int k = 0; k < SHAPES; k++)
        plan_check_problem(m, shapes[k], (uint64_t)k + 17);
    sluice_machine_close(m);
}

static void large_sizes(void **state)
{
    static const char *const large[] = {"c2c:f32:10007",
                                        "c2c:f64:65537:inverse",
                                        "c2c:f32:100014:inplace",
                                        "c2c:f32:2368*40",
                                        "c2c:f32:104729:latency",
                                        "c2c:f64:999983",
                                        "c2c:f32:1000003:in=split:out=split"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    /* Sanitizers leave out the two of a million points. */
    for (size_t i = 0; i < sizeof large / sizeof large[0] - (PLAN_SANITIZED ? 2 : 0); i++)
        machine_verify(m, large[i]);
    sluice_machine_close(m);
}

/* The workers change no bit. */
static void workers_agree(void **state)
{
    static const char *const many[] = {"c2c:f32:65537", "c2c:f32:40009:inplace", "c2c:f64:1009*40",
                                       "c2c:f32:211x64", "c2c:f32:211x67"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        plan_data data[3];
        for (int w = 0; w < 3; w++) {
            char text[PLAN_TEXT_SIZE];
            snprintf(text, sizeof text, "%s:workers=%d", many[i], w + 1);
            sluice_plan *plan = plan_made(m, text);
            plan_data_open(&data[w], plan, many[i], 0);
            plan_data_fill(&data[w], 99);
            assert_int_equal(sluice_execute_with(plan, &data[w].arrays, NULL), SLUICE_OK);
            sluice_plan_destroy(plan);
        }
        for (int w = 1; w < 3; w++)
            if (!plan_data_same(&data[0], &data[w]))
                fail_msg("%s: %d workers have other bits", many[i], w + 1);
        for (int w = 0; w < 3; w++)
            plan_data_close(&data[w]);
    }
    sluice_machine_close(m);
}

/* What the planner writes reads back as the same formula, and is complete. */
static void formulas_read_back(void **state)
{
    static const char *const problems[] = {"c2c:f32:37", "c2c:f64:101:inverse", "c2c:f32:131x16",
                                           "c2c:f32:1009*9", "c2c:f32:65537"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        char *line = plan_line(plan);
        assert_true(strstr(line, "B(") || strstr(line, "D.spectrum(") || strstr(line, "R("));
        sluice_plan *again = plan_of_formula(m, line, SLUICE_F32);
        char *same = plan_line(again);
        assert_string_equal(line, same);
        test_free(line);
        test_free(same);
        sluice_plan_destroy(plan);
        sluice_plan_destroy(again);
    }
    sluice_machine_close(m);
}

/* A convolution under tags, by hand: programs that hold a ZERO, right by the checker, which knows
 * what is read but never written, and by what the formula means. */
static void tags_around_convolutions(void **state)
{
    static const char *const tags[] = {"",
                                       "_{spe(2,1)}",
                                       "_{spe(3,2)}",
                                       "_{tile(4)}",
                                       "_{tile(3),spe(2,3)}",
                                       "_{vec(1,inter)}",
                                       "_{vec(1,inter),spe(2,4)}",
                                       "_{vec(1,inter),tile(8)}",
                                       "_{stream(2)}"};
    static const char *const around[][2] = {{"", ""}, {"I(5) (x) ", ""}, {"", " (x) I(12)"}};
    static const char *const units[] = {"cpu:3", "ref:2"};
    (void)state;
    for (int u = 0; u < 2; u++) {
        sluice_machine *m = plan_machine(units[u], "scalar");
        for (size_t i = 0; i < 3 * sizeof tags / sizeof tags[0]; i++) {
            char text[PLAN_TEXT_SIZE];
            snprintf(text, sizeof text,
                     "(%s(C(7) * (DFT(1)_{leaf} (x) I(7)) * G(h(7,12,0,1)) * IDFT(12)_{leaf} * "
                     "B(7,12) * DFT(12)_{leaf} * S(h(7,12,0,1)) * C(7) * "
                     "(DFT(1)_{leaf} (x) I(7)))%s)%s",
                     around[i % 3][0], around[i % 3][1], tags[i / 3]);
            sluice_plan *plan = NULL;
            const sluice_status status =
                sluice_plan_from_formula(&plan, m, text, SLUICE_F64, NULL, NULL);
            if (status == SLUICE_E_UNSUPPORTED && i % 3 == 0)
                continue; /* a single transform, with nothing to deal */
            assert_int_equal(status, SLUICE_OK);
            plan_verify(plan, text);
            plan_text program = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
            if (strstr(program.data, "= 0, i < ") == NULL)
                fail_msg("%s: nothing is cleared", text);
            test_free(program.data);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* Three blocks of 16 of a convolution of 48, dealt or not, alone and beside others. */
static void blocks_by_hand(void **state)
{
    static const char *const loops[][2] = {
        {"SUM(k16<3, ", ")"},
        {"SUM.par(k17<2, SUM(k16<3@k17/2, ", "))"},
        {"SUM.par(k17<5, SUM(k16<3@k17/5, ", "))"},
    };
    static const char *const around[] = {"", "I(5) (x) "};
    static const char *const units[] = {"cpu:3", "ref:2"};
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const char *const *loop = loops[i / 4];
        char text[1024];
        sluice_machine *m = plan_machine(units[i / 2 % 2], "scalar");
        snprintf(text, sizeof text,
                 "%s(C(23) * (DFT(1)_{leaf} (x) I(23)) * G(h(23,48,0,1)) * (IDFT(3)_{leaf} (x) "
                 "I(16)) * T(3,16)^-1 * %sS(h(16,48,16*k16%%3,1)) * IDFT(16)_{leaf} * "
                 "D.spectrum(23,48,h(16,48,k16%%3,3)) * DFT(16)_{leaf} * "
                 "G(h(16,48,16*k16%%3,1))%s * T(3,16) * (DFT(3)_{leaf} (x) I(16)) * "
                 "S(h(23,48,0,1)) * C(23) * (DFT(1)_{leaf} (x) I(23)))",
                 around[i % 2], loop[0], loop[1]);
        sluice_plan *plan = plan_of_formula(m, text, SLUICE_F64);
        plan_verify(plan, text);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Units with little cache cut convolutions into blocks early; the result is the same DFT. */
static void blocks_are_chosen(void **state)
{
    static const char *const problems[] = {"c2c:f32:16061", "c2c:f64:16007:inverse:inplace",
                                           "c2c:f32:16033*3:in=split", "c2c:f64:16057@3/2:latency"};
    (void)state;
    sluice_machine *m = structure_machine("cpu:2", NULL, 65536);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        char *line = plan_line(plan);
        if (strstr(line, "SUM") == NULL)
            fail_msg("%s: no blocks in %s", problems[i], line);
        test_free(line);
        sluice_plan_destroy(plan);
        machine_verify(m, problems[i]);
    }
    sluice_machine_close(m);
}

/* Ends of blocks in tiles: whatever is left over of rows and of columns. */
static void ends_in_tiles(void **state)
{
    (void)state;
    sluice_machine *m = structure_machine("cpu:2", NULL, 16384);
    int tiled = 0;
    for (int n = 4001; n < 4301; n += 14) {
        char text[PLAN_TEXT_SIZE];
        snprintf(text, sizeof text, "c2c:%s:%d%s", n % 4 == 1 ? "f32" : "f64", n,
                 n % 6 == 1   ? ":latency"
                 : n % 6 == 3 ? ":inverse:inplace"
                              : ":in=split");
        sluice_plan *plan = plan_made(m, text);
        char *line = plan_line(plan);
        tiled += strstr(line, "D.chirp(") != NULL;
        test_free(line);
        sluice_plan_destroy(plan);
        machine_verify(m, text);
    }
    sluice_machine_close(m);
    assert_true(tiled > 4);
}

/* Primes before smooth numbers are convolutions by powers, and right in every shape. */
static void powers_are_chosen(void **state)
{
    static const char *const problems[] = {"c2c:f64:41",
                                           "c2c:f32:257",
                                           "c2c:f64:257*5:inverse",
                                           "c2c:f64:257:inplace",
                                           "c2c:f32:1009:in=split",
                                           "c2c:f64:1009@3/-2*3@4000/2500:out=split",
                                           "c2c:f64:8009:inverse:in=split:out=split",
                                           "c2c:f32:12289*2:latency",
                                           "c2c:f64:18433"};
    enum { JUDGED = 6 }; /* element by element, which takes n^2 */
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:2", plan_isas[i]);
        for (size_t k = 0; m && k < sizeof problems / sizeof problems[0]; k++) {
            sluice_plan *plan = plan_made(m, problems[k]);
            char *line = plan_line(plan);
            if (strstr(line, "R(") == NULL)
                fail_msg("%s: %s", problems[k], line);
            test_free(line);
            sluice_plan_destroy(plan);
            if (k < JUDGED)
                plan_check_problem(m, problems[k], k + 5);
            else
                machine_verify(m, problems[k]);
        }
        sluice_machine_close(m);
    }
}

/* The rule as a formula that is typed, on units that evaluate addresses and on ones with tables;
 * direct sums of other things; sums written out. */
static void sums_by_hand(void **state)
{
    static const char *const formulas[] = {
        "S(power(13,7)) * (DFT(1) (+) IDFT(12)) * ((D.corner(13,h(2,4,2,1)) * DFT(2) * "
        "D.corner(13,h(2,4,0,1)) * DFT(2)) (+) I(11)) * R(13,2) * (DFT(1) (+) DFT(12)) * "
        "G(power(13,2))",
        "(I(6) (x) DFT(8))_{spe(2,1)} (+) DFT(16) (+) T(4,4)", "(DFT(4) (+) I(140)) * DFT(144)",
        "I(3) (x) (DFT(4) (+) DFT(5))", "(DFT(4) (+) DFT(5)) (x) I(8)",
        "(I(6) (x) (DFT(4) (+) DFT(5)))_{stream(3),spe(2,1)}",
        "((DFT(4) (+) DFT(5)) * DFT(9))_{stream(1)}",
        /* terms that read each other's rows are not done in place */
        "(S(h(8,16,0,1)) * (DFT(2)_{leaf} (x) I(4)) * (I(4) (x) DFT(2)_{leaf}) * G(h(8,16,8,1)) + "
        "S(h(8,16,8,1)) * (DFT(2)_{leaf} (x) I(4)) * (I(4) (x) DFT(2)_{leaf}) * G(h(8,16,0,1))) * "
        "(DFT(2)_{leaf} (x) I(8))",
        ("S(h(4,9,0,1)) * DFT(4)_{leaf} * G(h(4,9,0,1)) + S(h(5,9,4,1)) * DFT(5)_{leaf} * "
         "G(h(5,9,4,1))")};
    static const char *const units[] = {"ref:2", "cpu:2"};
    (void)state;
    for (int u = 0; u < 2; u++) {
        sluice_machine *m = plan_machine(units[u], NULL);
        for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
            sluice_plan *plan = plan_of_formula(m, formulas[i], SLUICE_F64);
            plan_verify(plan, formulas[i]);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- refusals --------------- */

/* Refused by what they would take, before tables are begun; or planned, where there is that
 * much. */
/* It takes seconds under sanitizers, which leave it out. */
static void the_longest_are_refused_with_bytes(void **state)
{
    (void)state;
    if (PLAN_SANITIZED)
        skip();
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {.message = ""};
    sluice_plan *plan = NULL;
    if (core_mem_limit() < (size_t)100 << 30) {
        assert_int_equal(sluice_plan_from_text(&plan, m, "c2c:f64:2147483647", NULL, &why),
                         SLUICE_E_MEMORY);
        assert_non_null(strstr(why.message, " GiB of tables and scratch"));
    }
    sluice_machine_close(m);
}

static void refusals_are_named(void **state)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        {"C(2147483649)", "2^31"},
        {"B(9,15)", "2n - 2"},
        {"DFT(4294967311)", "without codelet"},
        {"D.chirp(5,h(5,6,1,1))", "beyond 0..4"},
        {"D.spectre(5,8,h(8,8,0,1))",
         "'chirp', 'spectrum', 'rader', 'corner', 'roots', 'half', 'signs' or 'const'"},
        {"R(9,2)", "no primitive root of a prime 9"},
        {"R(7,2)", "no primitive root of a prime 7"},
        {"G(power(1000003,1000003))", "a prime from 3 to 2^26"},
        {"K(1)", "2 to 2^40"},
        {"DFT(3) + DFT(4)", "3 x 3 on the left of +"},
        {"S(h(4,6,0,1)) * DFT(4)_{leaf} * G(h(4,6,0,1)) + S(h(3,6,3,1)) * DFT(3)_{leaf} * "
         "G(h(3,6,3,1))",
         "is written twice"},
        {"DFT(4)_{leaf} + DFT(4)_{leaf}", "is written twice"},
        {"G(h(4,16,0,4)) * (DFT(16)_{leaf}) * S(table(16: 0,2,5,9)) * DFT(4)_{leaf}", "between"}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        assert_int_not_equal(
            sluice_plan_from_formula(&plan, m, cases[i].text, SLUICE_F32, NULL, &why), SLUICE_OK);
        if (strstr(why.message, cases[i].cause) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, why.message, cases[i].cause);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_size_by_cpu, nothing_leaks),
        cmocka_unit_test_teardown(every_size_by_ref, nothing_leaks),
        cmocka_unit_test_teardown(shapes_and_strides, nothing_leaks),
        cmocka_unit_test_teardown(large_sizes, nothing_leaks),
        cmocka_unit_test_teardown(workers_agree, nothing_leaks),
        cmocka_unit_test_teardown(formulas_read_back, nothing_leaks),
        cmocka_unit_test_teardown(tags_around_convolutions, nothing_leaks),
        cmocka_unit_test_teardown(blocks_by_hand, nothing_leaks),
        cmocka_unit_test_teardown(blocks_are_chosen, nothing_leaks),
        cmocka_unit_test_teardown(ends_in_tiles, nothing_leaks),
        cmocka_unit_test_teardown(powers_are_chosen, nothing_leaks),
        cmocka_unit_test_teardown(sums_by_hand, nothing_leaks),
        cmocka_unit_test_teardown(the_longest_are_refused_with_bytes, nothing_leaks),
        cmocka_unit_test_teardown(refusals_are_named, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
