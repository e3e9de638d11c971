// SPDX-License-Identifier: BSD-3-Clause
/* Columns on one side and rows on the other: one codelet (position A or R), or two or three stages
 * of which one transposes, instead of moves; any number of columns, strides with gaps, any number
 * of workers, every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 20261126 };

/* n points in each of `columns` transforms, on columns of the input (or output), with `gap`
 * elements behind every row of either side. */
static void print_problem(char *text, const char *precision, bool columns_in, size_t n,
                          size_t columns, size_t gap)
{
    const size_t beside = columns + gap, along = n + gap;

    if (columns_in)
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu@%zu/1*%zu@1/%zu", precision, n, beside, columns,
                 along);
    else
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu@1/%zu*%zu@%zu/1:inverse", precision, n, beside,
                 columns, along);
}

/* Compares with the definition; where vectors have lanes, nothing is moved and a stage is at
 * position A or R. */
static void check(sluice_machine *m, const char *text, const char *stage)
{
    plan_check_problem(m, text, SEED);
    sluice_plan *plan = plan_made(m, text);
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);

    const bool alone = strstr(printed.data, "isa scalar")
                       || (strstr(printed.data, "isa vec128") && strstr(text, ":f64:"));
    if (!alone && (strstr(printed.data, "moves") || !strstr(printed.data, stage)))
        fail_msg("%s: no stage %s alone\n%s", text, stage, printed.data);
    test_free(printed.data);
    sluice_plan_destroy(plan);
}

static const size_t columns_of[] = {8, 9, 11, 16, 23, 64, 67};
enum { COLUMNS = sizeof columns_of / sizeof columns_of[0] };

static void one_codelet(sluice_machine *m)
{
    static const size_t points[] = {2, 3, 4, 5, 7, 8, 12, 13, 16, 25, 32, 64};
    char text[PLAN_TEXT_SIZE];

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int k = 0; k < 4; k++) {
            print_problem(text, k % 2 ? "f64" : "f32", k < 2, points[i],
                          columns_of[(i + (size_t)k) % COLUMNS], i % 3 * 5);
            check(m, text, k < 2 ? "_A_inter_inter_none" : "_R_inter_inter_none");
        }
}

static void one_codelet_transposes(void **state)
{
    (void)state;
    machines_of_isas("cpu:1", one_codelet);
    machines_of_isas("cpu:3", one_codelet);
}

/* Not of powers of two, which some units compute faster from moved rows. */
static void two_stages(sluice_machine *m)
{
    static const size_t points[] = {30, 50, 60, 84};
    char text[PLAN_TEXT_SIZE];

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int k = 0; k < 4; k++) {
            print_problem(text, k % 2 ? "f64" : "f32", k < 2, points[i], k % 2 ? 149 : 211,
                          i % 2 * 3);
            check(m, text, k < 2 ? "_A_inter_inter_broadcast" : "_R_inter_inter_none");
        }
}

static void two_stages_transpose(void **state)
{
    (void)state;
    machines_of_isas("cpu:1", two_stages);
    machines_of_isas("cpu:2", two_stages);
}

/* Where L2 holds a block, and the codelet that transposes stores whole vectors. On other
 * instruction sets moved tiles may be cheaper. */
static void three_stages(sluice_machine *m)
{
    char text[PLAN_TEXT_SIZE];

    for (int k = 0; k < 4; k++) {
        print_problem(text, k % 2 ? "f64" : "f32", true, 960, k < 2 ? 64 : 96, (size_t)k % 3);
        plan_check_problem(m, text, SEED);
        sluice_plan *plan = plan_made(m, text);
        const plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        const bool turns = strstr(printed.data, "_A_inter_inter_broadcast")
                           && strstr(printed.data, "_B_inter_inter_broadcast")
                           && strstr(printed.data, "_C_inter_inter_none");
        if (strstr(printed.data, "isa avx512") && (!turns || strstr(printed.data, "moves")))
            fail_msg("%s: not three stages\n%s", text, printed.data);
        test_free(printed.data);
        sluice_plan_destroy(plan);
    }
}

/* A stage that transposes may have the longest codelets, the one before it twiddles. */
static void long_rows(sluice_machine *m)
{
    for (int k = 0; k < 2; k++) {
        const char *text = k ? "c2c:f64:960@1/64*64@960/1" : "c2c:f32:960@1/64*64@960/1:inverse";
        plan_check_problem(m, text, SEED);
        sluice_plan *plan = plan_made(m, text);
        const plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (strstr(printed.data, "isa avx512")
            && (!strstr(printed.data, "dft64_avx512") || strstr(printed.data, "moves")))
            fail_msg("%s: not rows of 64\n%s", text, printed.data);
        test_free(printed.data);
        sluice_plan_destroy(plan);
    }
}

static void long_rows_transpose(void **state)
{
    (void)state;
    machines_of_isas("cpu:1", long_rows);
}

static void three_stages_transpose(void **state)
{
    (void)state;
    machines_of_isas("cpu:1", three_stages);
    machines_of_isas("cpu:2", three_stages);
}

/* Numbers that no block divides go through in blocks of whole vectors and a rest, which is never a
 * single one: the bits of any number of workers. */
static void check_rest(const char *isa, const char *text)
{
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:5", "cpu:40"};
    sluice_machine *m[4];
    sluice_plan *plan[4];

    for (int k = 0; k < 4; k++) {
        m[k] = structure_machine_of(STRUCTURE_BEYOND_CACHES, units[k], isa, 0);
        if (!m[k])
            return;
        plan[k] = structure_plan(m[k], text, 0);
        structure_check(plan[k], text, SEED);
        structure_compare(plan[k], plan[0], text);
    }
    if (isa && strcmp(isa, "avx2") == 0
        && (structure_places(plan[0], "moves") || !strstr(plan[0]->line, " + (S(")))
        fail_msg("%s: no blocks with a rest\n%s", text, plan[0]->line);
    for (int k = 0; k < 4; k++) {
        sluice_plan_destroy(plan[k]);
        sluice_machine_close(m[k]);
    }
}

static void blocks_leave_rests(void **state)
{
    static const char *const isas[] = {NULL, "avx2", "vec128", "scalar"};
    static const char *const problems[] = {
        "c2c:f64:50@701/1*701@1/50", "c2c:f32:240@331/1*331@1/243:inverse",
        "c2c:f64:100@1/1103*1103@100/1", "c2c:f32:120@1/503*503@121/1",
        "c2c:f64:50@681/1*681@1/50"};

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        for (int k = 0; k < 4; k++)
            check_rest(isas[k], problems[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_codelet_transposes, nothing_leaks),
        cmocka_unit_test_teardown(two_stages_transpose, nothing_leaks),
        cmocka_unit_test_teardown(three_stages_transpose, nothing_leaks),
        cmocka_unit_test_teardown(long_rows_transpose, nothing_leaks),
        cmocka_unit_test_teardown(blocks_leave_rests, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
