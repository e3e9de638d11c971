// SPDX-License-Identifier: BSD-3-Clause
/* Columns in tiles that do not divide them: the last columns are a tile of their own, as narrow as
 * what is left, down to one. Between canaries, on every instruction set and on the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 827, TEXT = 2 * PLAN_TEXT_SIZE };

/* ---------------------------------------------------------------- formulas --------------- */

/* DFT_12 by stages, DFT_7 as a convolution: both products. */
#define STAGES "((DFT(4)_{leaf} (x) I(3)) * L(12,4) * T(3,4) * (DFT(3)_{leaf} (x) I(4)))", 12
#define CONVOLUTION                                                                                \
    "(C(7) * (DFT(1)_{leaf} (x) I(7)) * G(h(7,12,0,1)) * IDFT(12)_{leaf} * B(7,12) * "             \
    "(DFT(1)_{leaf} (x) I(12)) * DFT(12)_{leaf} * S(h(7,12,0,1)) * C(7) * (DFT(1)_{leaf} (x) "     \
    "I(7)))",                                                                                      \
        7

static const struct {
    const char *text;
    int n;
} transforms[] = {{STAGES}, {CONVOLUTION}};
static const char *const tags[] = {"vec(%d,inter),tile(%d)", "vec(%d,inter),tile(%d),spe(3,%d)",
                                   "vec(%d,inter),spe(2,%d)"};

/* n transforms on l columns, at odd strides, or in place with gaps between rows. */
static void rests_of(sluice_machine *m, int x, int l, int w, int turn)
{
    const int n = transforms[x].n, far = l + turn % 3;
    char formula[TEXT], list[64], name[PLAN_TEXT_SIZE];
    sluice_unit_info info;
    assert_int_equal(sluice_machine_unit_info(m, 0, &info), SLUICE_OK);
    snprintf(list, sizeof list, tags[turn % 3], turn % 2 ? info.lanes_f64 : info.lanes_f32, w, w);
    snprintf(name, sizeof name, "c2c:%s:%d@%d/%d*%d@1/1%s", turn % 2 ? "f64" : "f32", n, far,
             turn % 5 ? far + 1 : far, l, turn % 5 ? "" : ":inplace");
    snprintf(formula, sizeof formula, "%s := L(%d,%d) * (%s (x) I(%d))_{%s} * L(%d,%d)", name,
             n * l, l, transforms[x].text, l, list, n * l, n);
    sluice_plan *plan = plan_of_formula(m, formula, SLUICE_F32);
    plan_data d;
    for (size_t shift = 0; shift <= 8; shift += 8) {
        plan_data_open(&d, plan, name, shift);
        plan_data_execute(&d, plan, SEED + (uint64_t)turn, NULL);
        plan_data_close(&d);
    }
    sluice_plan_destroy(plan);
}

static void all_rests(sluice_machine *m)
{
    static const int columns[] = {3, 5, 7, 9, 11, 13, 17, 23, 29, 37}, widths[] = {2, 3, 4, 8, 16};
    int turn = 0;
    for (int x = 0; x < 2; x++)
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < 5; k++)
                if (widths[k] < columns[i])
                    rests_of(m, x, columns[i], widths[k], turn++);
}

static void rests_are_columns(void **state)
{
    (void)state;
    machines_of_all(all_rests);
}

/* ---------------------------------------------------------------- plans ------------------ */

/* Problems whose columns no tile divides: primes, odd numbers, n/2+1 of an even n. */
static const char *const problems[] = {"c2c:f32:211x257",
                                       "c2c:f64:127x131:inverse",
                                       "c2c:f32:149x263:inplace",
                                       "c2c:f64:127@131/133*131@1/1",
                                       "r2c:f32:139x512",
                                       "c2r:f64:127x260",
                                       "r2c:f64:139x258:inplace",
                                       "dct2:f32:139x522",
                                       "c2c:f32:163x281*2:in=split",
                                       "c2c:f32:3x131x257"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* Has the plan a tile of whole vectors that leaves a rest of these columns? */
static bool leaves_rest(const sluice_plan *plan)
{
    char *line = plan_line(plan);
    bool rest = false;
    for (const char *at = strstr(line, "tile("); at && !rest; at = strstr(at + 1, "tile(")) {
        const long w = strtol(at + strlen("tile("), NULL, 10);
        const char *end = at;
        while (end > line && strncmp(end, "I(", 2) != 0)
            end--;
        rest = w > 1 && strtol(end + 2, NULL, 10) % w != 0;
    }
    test_free(line);
    return rest;
}

static void plans_leave_rests(sluice_machine *m, const char *isa)
{
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        if (!leaves_rest(plan))
            fail_msg("%s, %s: no tile with a rest", problems[i], isa ? isa : "best");
        sluice_plan_destroy(plan);
        plan_check_problem(m, problems[i], SEED);
        machine_check_workers(m, problems[i], SEED);
    }
}

static void rests_are_planned(void **state)
{
    (void)state;
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:3", plan_isas[i], 0);
        if (m)
            plans_leave_rests(m, plan_isas[i]);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rests_are_columns, nothing_leaks),
        cmocka_unit_test_teardown(rests_are_planned, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
