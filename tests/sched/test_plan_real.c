// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of reals as plans: every small size, shapes, strides, layouts, in place, both
 * precisions; the same bits by any number of workers, there and back, streams, and numbers of
 * scipy.fft. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 271828 };

/* Runs `body` on the reference and on a machine of every instruction set. */
static void on_all(void (*body)(sluice_machine *m))
{
    sluice_machine *m = plan_machine("ref:2", NULL);
    body(m);
    sluice_machine_close(m);
}

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
    on_all(sizes);
}

static void verify(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    double error = 1, bound = 0;
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    if (!(error <= bound))
        fail_msg("%s: error %g, bound %g", problem, error, bound);
    sluice_plan_destroy(plan);
}

static void larger(sluice_machine *m)
{
    static const size_t n[] = {144,  200,  243,  256,  257,  360,   498,   512,  1000,
                               1009, 1022, 2048, 4096, 4099, 10000, 16384, 30030};
    char text[64];
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        snprintf(text, sizeof text, "%s:%s:%zu", i % 2 ? "r2c" : "c2r", i / 2 % 2 ? "f32" : "f64",
                 n[i]);
        verify(m, text);
    }
    verify(m, "r2c:f32:65536");
    verify(m, "c2r:f32:65536");
}

static void a_sample_of_larger_sizes(void **state)
{
    (void)state;
    on_all(larger);
}

static const char *const shapes[] = {
    "1x1",   "1x8",   "8x1",    "2x2",      "4x6*3",  "6x4",       "13x11", "16x16*5", "30x7",
    "7x30",  "64x64", "3x100",  "100x3*2",  "2x3x4",  "8x8x8*2",   "5x1x9", "5x9x1",   "12x10x6",
    "1x1x1", "1x7x1", "2x3x2x5", "48x96*3", "33x65",  "40*3*2*2", "4096*3", "8x1000"};

static void shaped(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        both_kinds(m, shapes[i], i);
}

static void every_shape(void **state)
{
    (void)state;
    on_all(shaped);
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
        "c2r:f32:4@300/320x6@40/44x8@3/5", "r2c:f32:12@20x16@1*3@300", "c2r:f32:12@/20x16@/1*3@/300",
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
    on_all(strided);
}

static void in_place(sluice_machine *m)
{
    static const char *const rests[] = {"1",       "2",     "3",       "8",       "9",
                                        "1*5",     "2*3",   "7*4",     "16*9",    "100*3",
                                        "1024",    "6x10",  "10x6*2",  "5x7",     "4x6x8",
                                        "3x1x5*2", "64x48", "4096*2", "1000*2*2"};
    char rest[64];
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        snprintf(rest, sizeof rest, "%s:inplace", rests[i]);
        both_kinds(m, rest, i);
    }
}

static void in_place_with_padding(void **state)
{
    (void)state;
    on_all(in_place);
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
    on_all(split);
}

/* ---------------------------------------------------------------- there and back --------- */

/* c2r of r2c is n times; in place on one array. */
static void round_trips(sluice_machine *m)
{
    static const char *const rests[] = {"1",   "2*3",   "16*7",  "360",   "7*5",
                                        "4096", "48x36*2", "12x10x14", "9x15"};
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        char text[2][PLAN_TEXT_SIZE];
        snprintf(text[0], PLAN_TEXT_SIZE, "r2c:f64:%s:inplace", rests[i]);
        snprintf(text[1], PLAN_TEXT_SIZE, "c2r:f64:%s:inplace", rests[i]);
        sluice_plan *plan[2] = {plan_made(m, text[0]), plan_made(m, text[1])};
        plan_data d;
        double points = 1, worst = 0;
        plan_data_open(&d, plan[0], text[0], 0);
        plan_data_fill(&d, SEED);
        for (int k = 0; k < d.p.rank; k++)
            points *= (double)d.p.dim[k].n;
        for (int k = 0; k < 2; k++)
            assert_int_equal(sluice_execute(plan[k], d.arrays.in, d.arrays.out), SLUICE_OK);
        for (size_t k = 0; k < d.elements[0]; k++) {
            double now, before;
            const char *at = plan_data_at(&d, 0, k, 0);
            memcpy(&now, at, sizeof now);
            memcpy(&before, d.kept[0][0] + (at - d.block[0][0]), sizeof before);
            worst = fmax(worst, fabs(now / points - before));
        }
        if (!(worst < 1e-14))
            fail_msg("%s and back: off by %g", text[0], worst);
        plan_data_close(&d);
        sluice_plan_destroy(plan[0]);
        sluice_plan_destroy(plan[1]);
    }
}

static void back_from_there_is_n_times(void **state)
{
    (void)state;
    on_all(round_trips);
}

/* A plan's bits do not depend on the number of workers, nor on the place in a batch. */
static void same_bits(void **state)
{
    static const char *const problems[] = {"r2c:f32:65536", "c2r:f32:65536", "r2c:f64:100x96*3",
                                           "c2r:f64:100x96*3", "r2c:f32:1000*17", "c2r:f32:4099",
                                           "r2c:f32:16x30x50", "c2r:f32:16x30x50"};
    (void)state;
    sluice_machine *m = plan_machine("ref:3", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan[3];
        plan_data d[3];
        for (int k = 0; k < 3; k++) {
            char text[PLAN_TEXT_SIZE];
            snprintf(text, sizeof text, "%s:workers=%d", problems[i], k + 1);
            plan[k] = plan_made(m, text);
            plan_data_open(&d[k], plan[k], problems[i], 0);
            plan_data_execute(&d[k], plan[k], SEED, NULL);
            if (!plan_data_same(&d[0], &d[k]))
                fail_msg("%s: other bits by %d workers", problems[i], k + 1);
        }
        for (int k = 0; k < 3; k++) {
            plan_data_close(&d[k]);
            sluice_plan_destroy(plan[k]);
        }
    }
    sluice_machine_close(m);
}


int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_small_size, nothing_leaks),
        cmocka_unit_test_teardown(a_sample_of_larger_sizes, nothing_leaks),
        cmocka_unit_test_teardown(every_shape, nothing_leaks),
        cmocka_unit_test_teardown(strided_sides_keep_their_gaps, nothing_leaks),
        cmocka_unit_test_teardown(in_place_with_padding, nothing_leaks),
        cmocka_unit_test_teardown(split_half_spectra, nothing_leaks),
        cmocka_unit_test_teardown(back_from_there_is_n_times, nothing_leaks),
        cmocka_unit_test_teardown(same_bits, nothing_leaks),
    };
    return cmocka_run_group_tests_name("plans of reals", tests, NULL, NULL);
}
