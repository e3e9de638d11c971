// SPDX-License-Identifier: BSD-3-Clause
/* Problems of the whole grammar, as scripts/draw-problems draws them: all are planned, and right.
 * Those that were not are kept here, and emitted too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_python.h"
#include "tests/helpers/helper_tool.h"

static char tree[TOOL_LINE / 2];

/* Strides between columns of reals that are paired as re and im: of passes with a twiddle, and of
 * transforms that have no codelet for any strides. */
static void what_was_drawn_stays_right(void **state)
{
    static const char *const problems[] = {
        "dct4*idxst*dst4:f64:158@57/1x2@26/166x9@2/332",
        "dct4*dct4*dct4:f32:7@21/18x2@10/9x9@1/1",
        "dct3*dct3:f64:4@2/1x2@-1/4",
        "dct3*dct3:f32:4@18/1x2@9/5*3@3/15",
        "dct3*dst3*dct4:f64:8@-19/25x1@-152/25x2@168/10*1@3/2",
        "dct4*idxst:f32:4@-19/24x2@81/8*3@-1/1:scale=ortho",
    };
    static const char *const of_groups[] = {"dct2:f32:1", "r2c:f64:1", "dct1:f32:33x33",
                                            "dct2*dst3:f64:32x45"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        tool_checkf(0, "$S verify --units cpu:2 '%s'", problems[i]);
        tool_checkf(0,
                    "$S emit --units cpu:1 '%s' -o p.c && "
                    "F=$(sed -n 's/.* -O3 \\(.*\\)FILE .*/\\1/p' p.c) && "
                    "${SLUICE_CC:-cc} -std=c11 -O1 $F p.c -o p -lm -lpthread && ./p",
                    problems[i]);
    }
    for (size_t i = 0; i < sizeof of_groups / sizeof *of_groups; i++)
        tool_checkf(0, "$S verify --units ref:gpu '%s'", of_groups[i]);
}

static void drawn_problems_are_right(void **state)
{
    (void)state;
    need_python();
    tool_checkf(0, "%s/scripts/draw-problems 250 1 4096 >drawn && $S verify --units cpu:4 - <drawn",
                tree);
    tool_checkf(0,
                "%s/scripts/draw-problems 100 2 2048 >drawn && $S verify --units ref:gpu - <drawn",
                tree);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_drawn_stays_right),
        cmocka_unit_test(drawn_problems_are_right),
    };
    if (!getcwd(tree, sizeof tree))
        return 1;
    const int none = tool_begin();
    return none ? none : tool_end(cmocka_run_group_tests(tests, NULL, NULL));
}
