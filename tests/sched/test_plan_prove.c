// SPDX-License-Identifier: BSD-3-Clause
/* sched_plan_prove: right formulas pass, wrong ones do not, and what is too large is not tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/plan/plan.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

static bool passes(const sluice_plan *plan, const char *name)
{
    sluice_diag why = {0};
    bool right = false;
    if (sched_plan_prove(plan, &right, &why) != SLUICE_OK)
        fail_msg("%s: %s", name, why.message);
    return right;
}

static void right_formulas_pass(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:1",
        "c2c:f64:2:inverse",
        "c2c:f32:1000",
        "c2c:f64:1000:inverse:inplace",
        "c2c:f32:262144",
        "c2c:f64:65536*3",
        "c2c:f32:10007",
        "c2c:f64:1021*5:inverse",
        "c2c:f64:64x48x20",
        "c2c:f32:12x1x35x1*7*1:inverse",
        "c2c:f32:100@3/5*4@300/500",
        "c2c:f64:20@-1/2*3@-20/40*5@-60/120",
        "c2c:f32:720*4:in=split:out=split",
        "c2c:f64:240:out=split",
        "c2c:f32:512:inplace:in=split:out=split",
        "c2c:f32:4096:in_cyclic=16/4:out_cyclic=8/2",
        "c2c:f32:2*50000",
        "dct2:f32:1000",
        "dct3:f64:105*7",
        "dht:f32:360:inplace",
        "dct2*dct3:f64:48x35",
        "dht*dct2*dct3:f32:6x1x16*3",
        "c2c*dct2:f64:12x20:inverse:in=split",
        "dct3*c2c*r2c:f32:6x10x24",
        "dct2*c2c*c2r:f64:6x10x15",
    };
    static const char *const units[] = {"cpu:2", "ref"};
    const size_t step = PLAN_SANITIZED ? 2 : 1; /* sanitizers see the units in turn */
    (void)state;
    for (size_t u = 0; u < 2; u++) {
        sluice_machine *m = plan_machine(units[u], NULL);
        for (size_t i = u % step; i < sizeof problems / sizeof problems[0]; i += step) {
            sluice_plan *plan = plan_made(m, problems[i]);
            if (!passes(plan, problems[i]))
                fail_msg("%s on %s: a right formula is told wrong", problems[i], units[u]);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

static void wrong_formulas_do_not(void **state)
{
    static const char *const formulas[] = {
        "c2c:f32:16 := I(16)",
        "c2c:f64:2 := L(2,1)",
        "c2c:f32:64 := IDFT(64)",
        "c2c:f32:64:inverse := DFT(64)",
        "c2c:f32:1024 := (I(510) (+) L(4,2) (+) I(510)) * DFT(1024)", /* two outputs swapped */
        "c2c:f64:1024 := DFT(1024) * (I(510) (+) L(4,2) (+) I(510))", /* two inputs */
        "c2c:f32:65536 := (I(65532) (+) L(4,2)) * DFT(65536)",
        "c2c:f32:65536 := (I(65532) (+) T(2,2)) * DFT(65536)", /* one output times -i */
        "c2c:f64:65536 := DFT(65536) * (I(65532) (+) T(2,2))",
        /* one output that is small in the first input */
        "c2c:f32:1048576 := (I(168692) (+) T(2,2) (+) I(879880)) * DFT(1048576)",
        "c2c:f32:64x64 := L(4096,64) * (DFT(64) (x) DFT(64))", /* transposed */
        "c2c:f32:64x32 := DFT(32) (x) DFT(64)",
        "c2c:f32:32*64 := DFT(64) (x) I(32)",
        "c2c:f64:32*4 := L(128,4) * (I(4) (x) DFT(32))",
        "c2c:f64:32*4 := (L(4,2) (x) I(32)) * (I(4) (x) DFT(32))", /* of another in the batch */
        "c2c:f32:60:inplace := DFT(60) * L(60,59)",
        "c2c:f32:60:in=split:out=split := T(4,15) * DFT(60)",
        "c2c:f32:64:in_cyclic=8/2 := L(64,32) * DFT(64)",
        "dct2:f32:64 := DCT3(64)",
        "dct2:f32:64 := DCT2(64) * (I(60) (+) L(4,2))",
        "dct3*dct2:f64:8x8 := DCT2(8) (x) DCT3(8)",
        "dht:f64:30 := L(30,3) * DHT(30)",
        "dct2*r2c:f32:8x8 := DCT3(8) (x) RDFT(8)",
    };
    int tried = 0;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan = NULL;
        if (sluice_plan_from_formula(&plan, m, formulas[i], SLUICE_F32, NULL, NULL) != SLUICE_OK)
            continue;
        tried++;
        if (passes(plan, formulas[i]))
            fail_msg("%s: believed", formulas[i]);
        sluice_plan_destroy(plan);
    }
    assert_true(tried >= 14);
    sluice_machine_close(m);
}

static void large_problems_are_not_tried(void **state)
{
    sluice_diag why;
    bool right;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f64:4@100000000");
    assert_int_equal(sched_plan_prove(plan, &right, &why), SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "1024 MiB"));
    sluice_plan_destroy(plan);
    plan = plan_made(m, "c2c:f32:64");
    for (long nth = 1; nth <= 3; nth++) {
        core_mem_fail_from(nth);
        const sluice_status status = sched_plan_prove(plan, &right, NULL);
        core_mem_fail_from(0);
        assert_int_equal(status, SLUICE_E_MEMORY);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(right_formulas_pass, nothing_leaks),
        cmocka_unit_test_teardown(wrong_formulas_do_not, nothing_leaks),
        cmocka_unit_test_teardown(large_problems_are_not_tried, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
