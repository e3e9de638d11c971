// SPDX-License-Identifier: BSD-3-Clause
/* Channels of reals, interleaved on either side, and short split half-spectra: moved once each way,
 * so that no codelet gathers or scatters them, and computed as packed ones are; results, guard
 * bytes and bits as of any plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 9090 };

static const char caches[] = "pack:1 l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 "
                             "pu:1";

static const char *const problems[] = {"r2c:f32:1024@2/1*2@1/513",
                                       "r2c:f32:1024@2/2*2@1/1",
                                       "r2c:f64:1000@3/3*3@1/1",
                                       "r2c:f32:1001@2/2*2@1/1",
                                       "c2r:f32:1024@1/2*2@513/1",
                                       "c2r:f32:1024@2/2*2@1/1",
                                       "dct2:f64:1024@2/2*2@1/1",
                                       "dct3:f32:1024@1/2*2@1024/1",
                                       "dct4:f64:432@2/2*2@1/1:inplace",
                                       "dst4:f64:96@5/5*5@1/1",
                                       "dht:f64:360@2/2*2@1/1",
                                       "idxst:f32:500@2*2@1",
                                       "dct2:f32:32@64/64x32@2/2*2@1/1",
                                       "dct3:f64:24@72/72x24@3/3*3@1/1:inplace",
                                       "dct2*r2c:f32:20@80/80x40@2/2*2@1/1",
                                       "dst2:f32:18@29/29*29@1/1:inplace",
                                       "dst3:f64:40@15*15@1:inplace",
                                       "dst2:f32:22@63*63@1:inplace",
                                       "dst4:f32:14@7*7@-1:inplace",
                                       "r2c:f64:60@1/16*16@60/1",
                                       "c2r:f32:100@16/1*16@1/100",
                                       "r2c:f32:60@8/8*8@1/1:out=halfcomplex:scale=ortho",
                                       "dht:f64:70@-6/6*6@1/1",
                                       "dct2:f32:16@7/1*700@1/16",
                                       "dct3:f64:50@20/20*4@5/5*5@1/1",
                                       "r2c:f64:24@5003/1*5003@1/13",
                                       "c2c:f32:7*100:out=split",
                                       "c2c:f64:13*31:in=split:inverse",
                                       "c2c:f32:9x5*40:in=split",
                                       "c2c:f64:7@1/2*2@15/1:in=split",
                                       "r2c:f32:8*100:out=split",
                                       "r2c:f64:20x9:out=split:scale=ortho",
                                       "c2r:f32:3*41:in=split",
                                       "c2r:f64:6x12*5:in=split"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void channels_are_right(void **state)
{
    static const char *const isas[] = {NULL, "avx2", "scalar"};
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3"};

    (void)state;
    for (int i = 0; i < 3 * PROBLEMS; i++) {
        const char *problem = problems[i / 3];
        sluice_machine *m[3];
        sluice_plan *plan[3];
        for (int k = 0; k < 3; k++) {
            m[k] = structure_machine_of(caches, units[k], isas[i % 3], 0);
            if (!m[k])
                return;
            plan[k] = structure_plan(m[k], problem, 0);
            structure_check(plan[k], problem, SEED);
            structure_compare(plan[k], plan[0], problem);
        }
        for (int k = 0; k < 3; k++) {
            sluice_plan_destroy(plan[k]);
            sluice_machine_close(m[k]);
        }
    }
}

/* Does a codelet gather its elements? Rows 0, m/2 and m of m pairs are single elements, which
 * codelets of plain C take anywhere, and vectors of columns are gathered; so few do not count. */
static bool gathers(const sluice_plan *plan, const char *codelets)
{
    static const char edge[] = "edge1_", self[] = "self1_";
    const size_t before = sizeof edge - 1;
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    bool found = false;

    for (const char *at = text.data; (at = strstr(at, codelets)) != NULL; at++)
        found =
            found || at < text.data + before
            || (memcmp(at - before, edge, before) != 0 && memcmp(at - before, self, before) != 0);
    test_free(text.data);
    return found;
}

static void no_vectors_are_gathered(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_machine *m = structure_machine_of(caches, "cpu:1", "avx2", 0);
        if (!m)
            skip();
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        if (gathers(plan, "avx2_f32_G_") || gathers(plan, "avx2_f64_G_")
            || structure_places(plan, "addresses evaluated"))
            fail_msg("%s: elements are gathered one by one\n%s", problems[i], plan->line);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* A channel by itself is not moved, so that it would have other bits than with the others. */
static void no_channel_is_alone(void **state)
{
    sluice_machine *m = structure_machine_of(caches, "cpu:1", NULL, 0);
    sluice_plan *item = NULL;

    (void)state;
    for (int i = 0; i < PROBLEMS; i++) {
        if (strstr(problems[i], "split"))
            continue;
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        assert_int_equal(sched_plan_item(&item, plan, NULL), SLUICE_OK);
        if (item)
            fail_msg("%s has an item", problems[i]);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Batches in blocks of which the last one is shorter, or would be a single transform; gaps within
 * rows; several dimensions of a batch. */
static void blocks_are_right(void **state)
{
    static const char *const blocks[] = {"dct2:f64:7@30/30x15@2/2*7957@210/210:inplace",
                                         "dct2:f64:10@45/9x9@5/1*1638@450/90",
                                         "dst1:f64:15@100/100x20@5/5*1405@1500/1500",
                                         "r2c:f32:96@5/5*7@500/300",
                                         "r2c:f32:24@-2/1*3001@50/13",
                                         "dct2:f64:24@96/96x32@3/3*150@2304/2304*3@1/1"};
    static const char *const units[] = {"cpu:1", "cpu:3"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof blocks / sizeof *blocks; i++) {
        sluice_machine *m = structure_machine_of(caches, units[i % 2], NULL, 0);
        sluice_plan *plan = structure_plan(m, blocks[i / 2], 0);
        structure_check(plan, blocks[i / 2], SEED);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Lengths whose codelets take adjacent rows alone. */
static void rows_are_codelets(void **state)
{
    static const struct {
        const char *problem, *codelet;
    } whole[] = {{"r2c:f64:60@1/16*16@60/1", "rdft60_"},
                 {"r2c:f32:60@8/8*8@1/1", "rdft60_"},
                 {"c2r:f32:100@16/1*16@1/100", "irdft100_"},
                 {"r2c:f64:128@1/5*5@128/1", "rdft128_"}};

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        sluice_machine *m = structure_machine_of(caches, "cpu:1", "avx512", 0);
        if (!m)
            skip();
        sluice_plan *plan = structure_plan(m, whole[i].problem, 0);
        if (!structure_places(plan, whole[i].codelet))
            fail_msg("%s: rows are no codelets\n%s", whole[i].problem, plan->line);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(channels_are_right, nothing_leaks),
        cmocka_unit_test_teardown(no_vectors_are_gathered, nothing_leaks),
        cmocka_unit_test_teardown(no_channel_is_alone, nothing_leaks),
        cmocka_unit_test_teardown(blocks_are_right, nothing_leaks),
        cmocka_unit_test_teardown(rows_are_codelets, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
