// SPDX-License-Identifier: BSD-3-Clause
/* Planes of reals whose both axes are one codelet (spl/bind/bind_plane.c): which they are, and that
 * they are right; their bits are test_codelets's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 20261126 };

/* Both axes of a plane that fits registers, alone, in batches, in place, in parts, as blocks of a
 * picture, and scaled; other kinds and sizes are stages as ever. */
static void planes_are_codelets(void **state)
{
    static const struct {
        const char *problem;
        bool plane;
    } cases[] = {{"dct2:f32:8x8", true},
                 {"dct2:f32:8x8*37", true},
                 {"dct3:f32:8x8*100:inplace", true},
                 {"dct3:f64:4x4*33", true},
                 {"dct2:f32:8@48/64x8@1/1*3@384/512*6@8/8", true},
                 {"dct2:f32:8x8*37:scale=n", true},
                 {"dct3:f64:4x4*33:inplace:scale=n", true},
                 {"dct2:f32:8@48/64x8@1/1*3@384/512*6@8/8:scale=n", true},
                 {"dct3:f32:8@8/9x8@1/1*40@64/80:scale=n", true},
                 {"dct2:f32:8x8*5:scale=ortho", true},
                 {"dct2:f32:5x8x8", false},
                 {"dct2*dct3:f32:8x8*5", false},
                 {"dct4:f32:8x8*5", false},
                 {"dct2:f32:8x12*5", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int units = 1; units < 4; units += 2) {
            sluice_machine *m = structure_machine(units == 1 ? "cpu:1" : "cpu:3", "avx2", 1048576);
            if (m == NULL)
                return;
            sluice_plan *plan = plan_made(m, cases[i].problem);
            plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            if ((strstr(placed.data, "_P_real_real_none_1") != NULL) != cases[i].plane)
                fail_msg("%s:\n%s", cases[i].problem, placed.data);
            test_free(placed.data);
            sluice_plan_destroy(plan);
            plan_check_problem(m, cases[i].problem, SEED + i);
            sluice_machine_close(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(planes_are_codelets, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
