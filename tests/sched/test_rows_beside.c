// SPDX-License-Identifier: BSD-3-Clause
/* Short rows of pairs and a codelet: rows without a partner are one call for a block of them, the
 * codelet is another, whatever order the rows of an axis are in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 5050 };

static const char caches[] = "pack:1 l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 "
                             "pu:1";

/* Has the machine vectors of 256 bits or more? Shorter ones hold so few rows that rows need not
 * share calls. */
static bool has_long_vectors(const sluice_machine *m)
{
    sluice_unit_info unit;

    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    return unit.lanes_f32 >= 4;
}

/* No codelet is called for a single row ("columns 1"), and no address is evaluated. */
static void check_calls(const sluice_plan *plan, const char *problem)
{
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);

    if (strstr(text.data, "addresses evaluated") != NULL)
        fail_msg("%s: addresses are evaluated\n%s\n%s", problem, plan->line, text.data);
    for (const char *line = text.data; line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t length = strcspn(line, "\n");
        char one[512];
        snprintf(one, sizeof one, "%.*s", (int)(length < 500 ? length : 500), line);
        if ((strstr(one, "edge1") || strstr(one, "edge2") || strstr(one, "self1"))
            && strstr(one, "columns 1 "))
            fail_msg("%s: a call for each row\n%s\n%s", problem, one, plan->line);
    }
    test_free(text.data);
}

static void check(const char *units, const char *problem)
{
    sluice_machine *m = structure_machine_of(caches, units, NULL, 0);
    sluice_plan *plan = structure_plan(m, problem, 0);
    sluice_plan *again = plan_of_formula(m, plan->line, SLUICE_F32);

    if (has_long_vectors(m))
        check_calls(plan, problem);
    structure_check(plan, problem, SEED);
    assert_string_equal(plan->line, again->line);
    assert_non_null(again->tree);
    sluice_plan_destroy(again);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void rows_share_calls(void **state)
{
    static const char *const problems[] = {
        "r2c:f32:100*80",    "c2r:f32:100*80",        "dct2:f32:100*80",  "dct3:f32:100*80",
        "dst2:f64:60*80",    "dst3:f32:36x50",        "dct2:f32:400x100", "dct3:f32:400x100",
        "idxst:f32:100x36",  "dct3*idxst:f32:40x100", "r2c:f32:400x100",  "c2r:f32:400x100",
        "dct2:f32:12x40x50", "dct3:f32:6x40x50"};

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        check("cpu:1", problems[i]);
        check("cpu:2", problems[i]);
    }
}

/* How often a line of a plan's placement is executed; loop[d]: iterations of the loop that is
 * printed at depth d, which a line that is a loop sets. */
enum { MOST_LOOPS = 16, INDENT = 2 };
static long executions(const char *line, long loop[MOST_LOOPS])
{
    const size_t depth = strspn(line, " ") / INDENT;
    long n = 1, times = 1;

    assert_true(depth < MOST_LOOPS);
    for (size_t d = 0; d < depth; d++)
        times *= loop[d];
    loop[depth] = sscanf(line, " loop k%*d < %ld", &n) == 1 ? n : 1;
    return times;
}

/* Moves of single elements and codelets for one column, other than for factors. A column of a block
 * is moved so too, but once for all its rows. */
static bool moves_one(const char *line)
{
    const bool factors = strstr(line, "  dft1_") != NULL;

    return !factors && (strstr(line, " x 1 elements") || strstr(line, "columns 1 "));
}

static void check_moves(const char *problem)
{
    sluice_machine *m = structure_machine_of(caches, "cpu:1", NULL, 0);
    sluice_plan *plan = structure_plan(m, problem, 0);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const sluice_problem *p = &plan->problem;
    const size_t rows = sched_problem_points(p) * sched_problem_batch(p) / p->dim[p->rank - 1].n;
    long loop[MOST_LOOPS];

    for (char *line = has_long_vectors(m) ? strtok(text.data, "\n") : NULL; line;
         line = strtok(NULL, "\n")) {
        const long times = executions(line, loop);
        if ((moves_one(line) && times > 1 && 2 * (size_t)times >= rows)
            || strstr(line, "addresses evaluated"))
            fail_msg("%s: a call for each row\n%s\n%s", problem, line, plan->line);
    }
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Rows of odd lengths, which have no codelet of their own: moves, changes of type and the codelet
 * are a call for all rows of a block. */
static void rows_share_moves(void **state)
{
    static const char *const problems[] = {"dct2:f32:7*64",
                                           "dct3:f64:25*8",
                                           "dct2:f32:14x7",
                                           "dct3:f64:4x7",
                                           "dct2:f64:21*64",
                                           "dst2:f32:9*32",
                                           "dst3:f64:15*64",
                                           "dst3:f32:14x7",
                                           "dht:f32:9*32",
                                           "dht:f64:21*30",
                                           "dct4:f32:25*64",
                                           "dst4:f64:15*16",
                                           "r2c:f32:21*64",
                                           "c2r:f64:21*9",
                                           "r2c:f64:45*30",
                                           "c2r:f32:35x63",
                                           "dct2:f32:9*3",
                                           "idxst:f32:13*64",
                                           "r2c:f32:7*59:out=halfcomplex",
                                           "c2r:f64:11*52:in=halfcomplex",
                                           "r2c:f64:25*40:out=packed",
                                           "c2r:f64:5*64:inplace:in=packed"};

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        check_moves(problems[i]);
        check("cpu:1", problems[i]);
        check("cpu:2", problems[i]);
    }
}

static bool is_row_in_lanes(const char *line)
{
    return strstr(line, "_T_") && strstr(line, "columns 1 ");
}

/* A codelet in lanes for a single row goes through buffers: rows that parts cannot divide are one
 * block, and rows that share nothing, as their moves or their number are others, have none. */
static void no_row_fills_lanes_alone(void **state)
{
    static const char *const problems[] = {
        "dct2:f64:15*31", "dst2:f64:25*7",          "dct2:f32:17*3",
        "dht:f32:15*17",  "c2r:f32:25*8:in=packed", "r2c:f64:9*16:out=halfcomplex",
        "dht:f32:128x1",  "dct2:f32:8x509x31",      "dct2:f32:2187x17"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof problems / sizeof problems[0]; i++) {
        sluice_machine *m = structure_machine_of(caches, i % 2 ? "cpu:2" : "cpu:1", NULL, 0);
        sluice_plan *plan = structure_plan(m, problems[i / 2], 0);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
            if (is_row_in_lanes(line))
                fail_msg("%s: lanes for a row\n%s\n%s", problems[i / 2], line, plan->line);
        test_free(text.data);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Whatever rows share calls: of one worker those of a batch, of more workers fewer or none. */
static void shared_rows_have_the_same_bits(void **state)
{
    static const char *const problems[] = {
        "dct3:f64:15*3",         "dct2:f64:13*3",   "dst3:f32:8x27",
        "dct2:f64:8x27",         "dct3:f64:9*9",    "dct2:f32:14x7",
        "dst2:f64:19*16",        "dht:f32:11*5",    "idxst:f32:16x25",
        "r2c:f32:21*6",          "c2r:f64:45*7",    "dct4:f32:15*11",
        "dct2:f64:15*31",        "dst3:f32:25*129", "r2c:f64:9*16:out=halfcomplex",
        "c2r:f32:25*8:in=packed"};

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        uint64_t bits[3];
        for (int k = 0; k < 3; k++) {
            static const char *const units[] = {"cpu:1", "cpu:2", "cpu:5"};
            sluice_machine *m = structure_machine_of(caches, units[k], NULL, 0);
            sluice_plan *plan = structure_plan(m, problems[i], 0);
            assert_int_equal(sluice_plan_bits(plan, &bits[k], NULL), SLUICE_OK);
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
        if (bits[1] != bits[0] || bits[2] != bits[0])
            fail_msg("%s: bits depend on the workers", problems[i]);
    }
}

/* No number of rows, in none of the orders of folds, has addresses that are evaluated. */
static void blocks_keep_folds(void **state)
{
    static const char *const kinds[] = {"dct2", "dct3", "dst3", "dct4", "dst2"};
    char problem[64];

    (void)state;
    for (int rows = 20; rows <= 100; rows += 10)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            sluice_machine *m = structure_machine_of(caches, "cpu:1", NULL, 0);
            snprintf(problem, sizeof problem, "%s:f32:%dx36", kinds[i], rows);
            sluice_plan *plan = structure_plan(m, problem, 0);
            plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            if (strstr(text.data, "addresses evaluated") != NULL)
                fail_msg("%s: addresses are evaluated\n%s\n%s", problem, plan->line, text.data);
            test_free(text.data);
            structure_check(plan, problem, SEED);
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
}

/* Rows of which few fit L1 are computed one after the other. */
static void long_rows_stay_apart(void **state)
{
    static const char *const problems[] = {"dct2:f32:1024x1024", "r2c:f32:256x1000",
                                           "dct2:f32:1000*100", "dct3:f64:512x512"};

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_machine *m = structure_machine_of(caches, "cpu:1", NULL, 0);
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        if (strstr(plan->line, ") (x) PAIRS.r") != NULL)
            fail_msg("%s: rows beside each other\n%s", problems[i], plan->line);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_share_calls, nothing_leaks),
        cmocka_unit_test_teardown(rows_share_moves, nothing_leaks),
        cmocka_unit_test_teardown(no_row_fills_lanes_alone, nothing_leaks),
        cmocka_unit_test_teardown(shared_rows_have_the_same_bits, nothing_leaks),
        cmocka_unit_test_teardown(blocks_keep_folds, nothing_leaks),
        cmocka_unit_test_teardown(long_rows_stay_apart, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
