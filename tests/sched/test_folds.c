// SPDX-License-Identifier: BSD-3-Clause
/* Roots beside a transform become factors of its stages, or stay where they are: none is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/planner/folds.h"
#include "tests/helpers/helper_program.h"
#include "tests/helpers/helper_spl.h"

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
        long double distance = 1;

        assert_non_null(made);
        assert_int_equal(spl_distance(spl_mul2(ctx, apart, stages), made, &distance), SLUICE_OK);
        if (!(distance < 1e-15L))
            fail_msg("%s: off by %Lg", cases[i].stages, distance);
        assert_true(cases[i].stay == (made == apart || made->kid[0] == apart));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(roots_are_shared_or_stay, spl_test_open, spl_test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
