// SPDX-License-Identifier: BSD-3-Clause
/* Roots beside a transform become factors of its stages, or stay where they are: none is lost. So
 * do signs, of the last stage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/planner/folds.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_program.h"
#include "tests/helpers/helper_spl.h"

static void check_equal(const spl *a, const spl *b, const char *text)
{
    long double distance = 1;

    assert_int_equal(spl_distance(a, b, &distance), SLUICE_OK);
    if (!(distance < 1e-15L))
        fail_msg("%s: off by %Lg", text, distance);
}

static void roots_are_shared_or_stay(void **state)
{
    static const struct {
        const char *stages;
        bool stay; /* they stand on the left as they are */
    } cases[] = {
        {"(DFT(2) (x) I(12)) * (T(2,4) (x) I(3)) * (L(8,2) (x) I(3)) * (DFT(4) (x) I(6))", false},
        {"DFT(8) (x) I(3)", true},
        {"(L(8,2) (x) I(3)) * (T(2,4) (x) I(3))", true},
        {"(L(8,2) (x) I(3)) * (I(2) (x) DFT(4) (x) I(3))", true},
        {"I(24)", true}};
    spl_ctx *ctx = (spl_ctx *)*state;
    sched_target t = {.ctx = ctx};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spl *stages = program_parsed(ctx, cases[i].stages);
        const spl *roots = program_parsed(ctx, "D.roots(16,h(8,16,0,1))");
        const spl *apart = spl_kron2(ctx, roots, spl_identity(ctx, 3));
        const spl *made = sched_with_roots(&t, roots, stages);

        assert_non_null(made);
        check_equal(spl_mul2(ctx, apart, stages), made, cases[i].stages);
        assert_true(cases[i].stay == (made == apart || made->kid[0] == apart));
    }
}

/* They have one value for each row of the last stage, whose rows are even in number. */
static void signs_are_of_the_last_stage(void **state)
{
    static const struct {
        const char *stages, *factor;
        int at; /* its place in the product */
    } cases[] = {{"(DFT(2) (x) I(12)) * (T(2,4) (x) I(3)) * (L(8,2) (x) I(3)) * (DFT(4) (x) I(6))",
                  "D.signs(8,h(2,8,0,4)) (x) I(12)", 0},
                 {"(L(8,4) (x) I(3)) * (I(2) (x) DFT(4) (x) I(3)) * (DFT(2) (x) I(12))",
                  "I(2) (x) D.signs(8,h(4,8,0,2)) (x) I(3)", 1},
                 {"DFT(8) (x) I(3)", "D.signs(8,h(8,8,0,1)) (x) I(3)", 0}};
    spl_ctx *ctx = (spl_ctx *)*state;
    sched_target t = {.ctx = ctx};
    const spl *signs = program_parsed(ctx, "Q(8)"), *columns = spl_identity(ctx, 3);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spl *stages = program_parsed(ctx, cases[i].stages);
        const spl *made = sched_with_signs(&t, signs, stages);

        assert_non_null(made);
        assert_ptr_equal(made->kid[cases[i].at], program_parsed(ctx, cases[i].factor));
        check_equal(spl_mul2(ctx, spl_kron2(ctx, signs, columns), stages), made, cases[i].stages);
    }
    assert_null(sched_with_signs(&t, signs, program_parsed(ctx, "I(24)")));
    assert_null(sched_with_signs(&t, program_parsed(ctx, "D.roots(16,h(8,16,0,1))"),
                                 program_parsed(ctx, cases[0].stages)));
    assert_null(sched_with_signs(&t, program_parsed(ctx, "Q(9)"), /* of nine rows */
                                 program_parsed(ctx, "DFT(9)")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(roots_are_shared_or_stay, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(signs_are_of_the_last_stage, spl_test_open, spl_test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
