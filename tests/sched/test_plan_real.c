// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of reals as plans: every small size, shapes, strides, layouts, in place, both
 * precisions. There and back, by workers, streams: test_plan_real_runs. */
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

enum { SEED = 271828, STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

static void check(sluice_machine *m, const char *kind, const char *precision, const char *rest)
{
    char text[PLAN_TEXT_SIZE];
    snprintf(text, sizeof text, "%s:%s:%s", kind, precision, rest);
    plan_check_problem(m, text, SEED);
}

static void both_kinds(sluice_machine *m, const char *rest, size_t turn)
{
    check(m, "r2c", turn % 2 ? "f32" : "f64", rest);
    check(m, "c2r", turn % 2 ? "f64" : "f32", rest);
}

/* ---------------------------------------------------------------- sizes, shapes ---------- */

/* Odd sizes with factors are not embedded in complex numbers: half of those would be 0. */
static void radices_of_odd_sizes(sluice_machine *m)
{
    static const char *const problems[] = {"r2c:f32:405",
                                           "c2r:f32:405",
                                           "r2c:f64:1155",
                                           "c2r:f64:1155",
                                           "r2c:f32:3375*2",
                                           "c2r:f32:3375:in=split",
                                           "r2c:f64:1125@3",
                                           "r2c:f32:6x1125",
                                           "c2r:f64:6x1125",
                                           "dct2*r2c:f32:4x1155:out=packed",
                                           "r2c:f32:19683:inplace:scale=n"};

    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        char *line = plan_line(plan);
        plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        const bool packed = strchr(problems[i], '@') == NULL;
        if (strstr(line, "EMBED(") || !strstr(line, "CONJ(")
            || (packed && strstr(placed.data, "addresses evaluated")))
            fail_msg("%s\n%s", line, placed.data);
        test_free(placed.data);
        test_free(line);
        sluice_plan_destroy(plan);
        plan_check_problem(m, problems[i], SEED + i);
    }
}

static void odd_sizes_break_down_by_a_radix(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", radices_of_odd_sizes);
}

static void sizes(sluice_machine *m)
{
    char rest[64];
    for (size_t n = 1; n <= 128; n++) {
        snprintf(rest, sizeof rest, "%zu%s", n, n % 3 == 0 ? "*3" : "");
        both_kinds(m, rest, n / 2);
    }
}

static void every_small_size(void **state)
{
    (void)state;
    machines_of_all(sizes);
}

static void larger(sluice_machine *m)
{
    static const size_t n[] = {144,  200,  243,  256,  257,  360,   498,   512,  1000,
                               1009, 1022, 2048, 4096, 4099, 10000, 16384, 30030};
    char text[64];
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        snprintf(text, sizeof text, "%s:%s:%zu", i % 2 ? "r2c" : "c2r", i / 2 % 2 ? "f32" : "f64",
                 n[i]);
        machine_verify(m, text);
    }
    machine_verify(m, "r2c:f32:65536");
    machine_verify(m, "c2r:f32:65536");
}

static void a_sample_of_larger_sizes(void **state)
{
    (void)state;
    machines_of_all(larger);
}

/* One transform of few numbers: what is random about its error is within the bound, too. */
static void few(sluice_machine *m)
{
    static const char *const forms[] = {"r2c:f32:%d",  "c2r:f32:%d",
                                        "dht:f32:%d",  "dst4:f32:%d:scale=ortho",
                                        "dct2:f32:%d", "c2c:f32:%d"};
    char text[64];
    for (int n = 1; n <= 40; n++)
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            snprintf(text, sizeof text, forms[i], n);
            machine_verify(m, text);
        }
}

static void few_numbers_verify(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", few);
}

static const char *const shapes[] = {
    "1x1", "1x8", "8x1", "2x2", "4x6*3", "6x4", "13x11", "16x16*5", "30x7", "7x30", "64x64",
    "3x100", "100x3*2", "2x3x4", "8x8x8*2", "5x1x9", "5x9x1", "12x10x6", "1x1x1", "1x7x1",
    "2x3x2x5", "48x96*3", "33x65", "40*3*2*2", "4096*3", "8x1000",
    /* a last axis of one point beside axes that are one codelet without twiddles */
    "18x1*3", "26x1", "36x1*5", "96x1", "60x1:inplace"};

static void shaped(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        both_kinds(m, shapes[i], i);
}

static void every_shape(void **state)
{
    (void)state;
    machines_of_all(shaped);
}

/* Beyond a local store: blocks, slabs of them, long columns. */
static void beyond_the_store(sluice_machine *m)
{
    static const char *const problems[] = {"r2c:f32:512x512",   "c2r:f32:512x512",
                                           "r2c:f32:100x96x80", "c2r:f64:100x96x40",
                                           "r2c:f64:1000x333",  "c2r:f32:96x2000"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i += STEP)
        machine_verify(m, problems[i]);
}

static void shapes_beyond_the_store(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", beyond_the_store);
}

/* ---------------------------------------------------------------- strides, layouts ------- */

static void strided(sluice_machine *m)
{
    static const char *const problems[] = {
        "r2c:f32:16@3/5", "c2r:f32:16@5/3", "r2c:f64:15@-3/7", "c2r:f64:15@7/-3",
        "r2c:f32:64@-1/-2", "c2r:f32:1000@2/-1",
        /* rows with gaps, columns */
        "r2c:f32:16@1/1*5@19/11", "c2r:f32:16@1/1*5@11/19", "r2c:f32:16@5/5*5@1/1",
        "c2r:f64:24@7/7*6@1/1", "r2c:f64:13@8/8*8@1/1", "c2r:f32:60@1/17*17@31/1",
        /* several axes with pitch; one side packed */
        "r2c:f32:12@20/24x16@1/1", "c2r:f64:12@24/20x16@1/1", "r2c:f32:9@40/17x32@1/1*3@500/400",
        "c2r:f32:4@300/320x6@40/44x8@3/5", "r2c:f32:12@20x16@1*3@300",
        "c2r:f32:12@/20x16@/1*3@/300",
        /* windows that overlap */
        "r2c:f32:256@1*20@64",
        /* in place: rows as far apart as their half-spectra */
        "r2c:f32:16@1/1*5@20/10:inplace", "c2r:f32:16@1/1*5@10/20:inplace",
        "r2c:f64:15@12x9@1:inplace", "c2r:f64:9@8/16x12@1/1*3@-80/-160:inplace"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        plan_check_problem(m, problems[i], SEED + i);
}

static void strided_sides_keep_their_gaps(void **state)
{
    (void)state;
    machines_of_all(strided);
}

static void in_place(sluice_machine *m)
{
    static const char *const rests[] = {
        "1",    "2",    "3",      "8",   "9",     "1*5",     "2*3",   "7*4",    "16*9",    "100*3",
        "1024", "6x10", "10x6*2", "5x7", "4x6x8", "3x1x5*2", "64x48", "4096*2", "1000*2*2"};
    char rest[64];
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        snprintf(rest, sizeof rest, "%s:inplace", rests[i]);
        both_kinds(m, rest, i);
    }
}

static void in_place_with_padding(void **state)
{
    (void)state;
    machines_of_all(in_place);
}

static void split(sluice_machine *m)
{
    static const char *const rests[] = {"8", "9*3", "64*2", "100", "12x10*2", "1024", "5x7"};
    char rest[64];
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        snprintf(rest, sizeof rest, "%s:out=split", rests[i]);
        check(m, "r2c", i % 2 ? "f32" : "f64", rest);
        snprintf(rest, sizeof rest, "%s:in=split", rests[i]);
        check(m, "c2r", i % 2 ? "f32" : "f64", rest);
    }
}

static void split_half_spectra(void **state)
{
    (void)state;
    machines_of_all(split);
}

/* ---------------------------------------------------------------- moves ------------------ */

static void expect_no_evaluation(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    if (strstr(text.data, "addresses evaluated"))
        fail_msg("%s:\n%s", problem, text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

/* Batches, columns, strides, axes, one in place; %1$zu is n, %2$zu a distance beyond n. */
static const char *const moved[] = {
    "%1$zu",           "%1$zu*7",   "%1$zu@2",       "%1$zu@-3/2",
    "%1$zu@5/5*5@1/1", "6x%1$zu*3", "%1$zu:inplace", "%1$zu@3/2*4@%2$zu/%2$zu"};
/* Smooth numbers, and primes of the rules of Rader and of Bluestein. */
static const size_t factors[] = {1, 2, 3, 4, 5, 8, 12, 37 * 37, 45, 67, 101, 257, 379, 499, 1009};

/* Even and odd multiples of each factor in every form; a third of them is computed too. */
static void drawn(sluice_machine *m)
{
    uint64_t state = SEED;
    for (size_t i = 0; i < 2 * sizeof moved / sizeof moved[0]; i++)
        for (size_t k = i % STEP; k < sizeof factors / sizeof factors[0]; k += STEP) {
            char rest[64], text[PLAN_TEXT_SIZE];
            const size_t n = factors[k] * (1 + plan_below(&state, factors[k] < 100 ? 16 : 4));
            snprintf(rest, sizeof rest, moved[i / 2], n, 4 * n);
            snprintf(text, sizeof text, "%s:%s:%s", i % 2 ? "c2r" : "r2c",
                     plan_below(&state, 2) ? "f32" : "f64", rest);
            expect_no_evaluation(m, text);
            if (plan_below(&state, 3) == 0)
                plan_check_problem(m, text, SEED + i);
        }
}

static void elements_move_at_strides_or_by_tables(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(odd_sizes_break_down_by_a_radix, nothing_leaks),
        cmocka_unit_test_teardown(every_small_size, nothing_leaks),
        cmocka_unit_test_teardown(a_sample_of_larger_sizes, nothing_leaks),
        cmocka_unit_test_teardown(few_numbers_verify, nothing_leaks),
        cmocka_unit_test_teardown(every_shape, nothing_leaks),
        cmocka_unit_test_teardown(shapes_beyond_the_store, nothing_leaks),
        cmocka_unit_test_teardown(strided_sides_keep_their_gaps, nothing_leaks),
        cmocka_unit_test_teardown(in_place_with_padding, nothing_leaks),
        cmocka_unit_test_teardown(split_half_spectra, nothing_leaks),
        cmocka_unit_test_teardown(elements_move_at_strides_or_by_tables, nothing_leaks),
    };
    return cmocka_run_group_tests_name("plans of reals", tests, NULL, NULL);
}
