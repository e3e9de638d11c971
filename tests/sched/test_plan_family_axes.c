// SPDX-License-Identifier: BSD-3-Clause
/* Cosine, sine and Hartley transforms of several axes: columns and rows that share slabs, columns
 * in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 314159, STEP = PLAN_SANITIZED ? 7 : 1 /* sanitizers see a part */ };

/* Beyond a local store the rows run with the first radix of the columns, whose fold is in what the
 * rows read; the pairs come last. */
static const struct {
    const char *problem, *end;
} slabs[] = {
    {"dct2:f64:64x64", " * (T(8,8) (x) I(32)) * "},
    {"dct2:f64:64x64", "))) * (L(64,8) (x) I(64)) * (P(fold(64)) (x) I(64))"},
    {"dct2*dct3:f32:128x48", " * (L(128,16) (x) I(48)) * (P(fold(128)) (x) I(48))"},
    {"dct2*r2c:f32:96x64", " * (L(96,12) (x) I(64)) * (P(fold(96)) (x) I(64))"},
    {"dct2*c2c:f32:96x64", " * (L(96,12) (x) I(64)) * (P(fold(96)) (x) I(64))"},
    {"dct2:f64:50x64", " * (L(50,25) (x) I(64)) * (P(fold(50)) (x) I(64))"}, /* not 5 slabs */
    {"dht:f32:96x128", " * (L(96,12) (x) I(128))"},
    {"dct2:f32:64x16x20", " * (L(64,8) (x) I(320)) * (P(fold(64)) (x) I(320))"},
    {"dct2:f32:3x64x128", " * (I(3) (x) L(64,8) (x) I(128)) * (I(3) (x) P(fold(64)) (x) I(128))"},
};

/* Every ISA, with such a local store, plans the problem with `part` in its formula, without
 * evaluated addresses, and it is right; of many points every `step`-th ISA computes them. */
static void check_planned(const char *problem, const char *part, size_t store, uint64_t seed,
                          size_t step)
{
    for (size_t isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = structure_machine("cpu:3", plan_isas[isa], store);
        if (m == NULL)
            continue;
        sluice_plan *plan = plan_made(m, problem);
        char *line = plan_line(plan);
        plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (!strstr(line, part) || strstr(placed.data, "addresses evaluated"))
            fail_msg("%s\n%s", line, placed.data);
        test_free(placed.data);
        test_free(line);
        sluice_plan_destroy(plan);
        if ((seed + isa) % step == 0)
            plan_check_problem(m, problem, seed + isa);
        sluice_machine_close(m);
    }
}

/* Slabs have the rows that fill vectors of reals, 8 at least of such length, in each half of a
 * fold: 16, or the 8 there are otherwise. */
static void slabs_fill_vectors(void **state)
{
    (void)state;
    for (size_t isa = 0; isa < PLAN_ISAS; isa++) {
        const bool wide = strncmp(plan_isas[isa], "avx", 3) == 0;
        sluice_machine *m = structure_machine("cpu:3", plan_isas[isa], 8192);
        if (m == NULL)
            continue;
        sluice_plan *plan = plan_made(m, "dct2:f32:64x64");
        char *line = plan_line(plan);
        if (!strstr(line, wide ? "(I(16) (x) DCT2(64)_" : "(I(8) (x) DCT2(64)_"))
            fail_msg("%s: %s", plan_isas[isa], line);
        test_free(line);
        sluice_plan_destroy(plan);
        plan_check_problem(m, "dct2:f32:64x64", SEED + isa);
        sluice_machine_close(m);
    }
}

static void columns_share_slabs_with_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slabs / sizeof slabs[0]; i++)
        check_planned(slabs[i].problem, slabs[i].end, 8192, SEED + i * PLAN_ISAS, 1);
    /* of 16, not 8: two stages of 4 are left, whose rows fit the ways of a set */
    check_planned("dct2:f32:256x1024", " * (L(256,16) (x) I(1024))", 131072, SEED, PLAN_ISAS);
}

/* What stores or reads rows anyhow orders them, so that the stages of the columns work in place:
 * after a slab by rule dft-ct, before folded rows by rule dft-dif, which signs and roots of rows
 * pass. */
static const struct {
    const char *problem, *part;
} orders[] = {
    {"c2c:f32:480x50", " (x) I(400)) * (T(60,8) (x) I(50))"},
    {"dct2:f32:480x100", " (x) I(400)) * (T(60,8) (x) I(50))"},
    {"r2c:f64:480x50", " (x) I(208)) * (T(60,8) (x) I(26))"},
    {"dct3:f32:256x1024", " * G([262144->262144: i%1024 + "},
    {"idxst*dct3:f32:256x1024", " * D.signs(256,[131072->256: "},
    {"dct4:f64:512x512", " * D.signs(512,[131072->512: "},
    {"dst3*dst4:f32:256x1024:inplace", " * G([262144->262144: i%1024 + "},
    {"idxst*dct4*dct3:f32:288x16x24", " * G([110592->110592: i%384 + "}, /* blocks are rows */
    {"dct3:f32:250x1024", " * G([256000->256000: i%1024 + "}, /* the last radix is even */
};

static void columns_work_in_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i += STEP)
        check_planned(orders[i].problem, orders[i].part, 8192, SEED + i, PLAN_ISAS);
}

/* The blocks that the last of such stages leaves are slabs of the rows, where they fit. */
static void rows_share_slabs_with_columns(void **state)
{
    static const char *const problems[] = {"dct3:f32:256x1024",
                                           "idxst*dct3:f32:256x1024",
                                           "dct4:f64:256x512",
                                           "dst3*dst4:f32:256x1024:inplace",
                                           "dst3*dct2:f32:256x1024",
                                           "dct3*c2r:f32:256x1024",
                                           "dct4:f32:256x1024:scale=ortho",
                                           "dct3:f32:288x32x64"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i += STEP)
        check_planned(problems[i], "SUM(k16<", 280000, SEED + i, PLAN_ISAS);
}

/* A plane that a buffer holds, not two, is a block where its columns run before its rows too: all
 * of it before the next plane. */
static void planes_are_blocks(void **state)
{
    static const char *const problems[] = {"c2r:f32:6x24x48", "c2r:f64:6x20x40", "c2r:f32:24x56*6",
                                           "dct3:f32:24x24*6", "dct4:f64:16x24*6"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        check_planned(problems[i], ":= (I(6) (x) (", 8192, SEED + i, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(columns_share_slabs_with_rows, nothing_leaks),
        cmocka_unit_test_teardown(slabs_fill_vectors, nothing_leaks),
        cmocka_unit_test_teardown(columns_work_in_place, nothing_leaks),
        cmocka_unit_test_teardown(rows_share_slabs_with_columns, nothing_leaks),
        cmocka_unit_test_teardown(planes_are_blocks, nothing_leaks),
    };
    return cmocka_run_group_tests_name("plans of the family", tests, NULL, NULL);
}
