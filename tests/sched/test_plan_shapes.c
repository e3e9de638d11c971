// SPDX-License-Identifier: BSD-3-Clause
/* Executions: pointers that are refused, scratch, and data of every shape and layout, with every
 * byte between and around the elements watched. */
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

enum { SEED = 4711 };

/* ---------------------------------------------------------------- pointers --------------- */

typedef struct pair {
    const char *problem;
    ptrdiff_t in, out; /* scalars from the middle of one array */
    bool allowed;
} pair;

static void overlap_is_refused(void **state)
{
    /* 16 points are 32 scalars */
    static const pair pairs[] = {{"c2c:f32:16", 0, 0, false},
                                 {"c2c:f32:16", 0, 16, false},
                                 {"c2c:f32:16", 0, 31, false},
                                 {"c2c:f32:16", 0, 32, true},
                                 {"c2c:f32:16", 0, -31, false},
                                 {"c2c:f32:16", 0, -32, true},
                                 {"c2c:f32:16:inplace", 0, 0, true},
                                 {"c2c:f32:16:inplace", 0, 1, false},
                                 {"c2c:f32:16:inplace", 0, 64, false},
                                 {"c2c:f32:16:inplace", 0, -32, false},
                                 {"c2c:f32:16@-1/1", 0, 0, false},
                                 {"c2c:f32:16@-1/1", 0, 2, true},
                                 {"c2c:f32:16@-1/1", 0, -61, false},
                                 {"c2c:f32:16@-1/1", 0, -62, true},
                                 {"c2c:f32:16@2/1", 0, 61, false},
                                 {"c2c:f32:16@2/1", 0, 62, true},
                                 {"c2c:f32:16@1/1*1@100/100", 0, 31, false},
                                 {"c2c:f32:16@1/1*1@100/100", 0, 32, true}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    float *middle = (float *)sluice_alloc(1024 * sizeof *middle) + 512;
    memset(middle - 512, 0, 1024 * sizeof *middle);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const pair *p = &pairs[i];
        sluice_plan *plan = plan_made(m, p->problem);
        const sluice_status status = sluice_execute(plan, middle + p->in, middle + p->out);
        if (status != (p->allowed ? SLUICE_OK : SLUICE_E_INVALID))
            fail_msg("%s, out %td scalars beyond in: %s", p->problem, p->out - p->in,
                     sluice_strerror(status));
        sluice_plan_destroy(plan);
    }
    sluice_free(middle - 512);
    sluice_machine_close(m);
}

enum { NO = -1 }; /* a NULL pointer */

/* Where in, in_im, out and out_im begin, in scalars; 16 points of split sides are 16 scalars. */
static const struct {
    const char *problem;
    int at[4];
    bool allowed;
} split_cases[] = {{"c2c:f32:16:in=split:out=split", {0, 16, 32, 48}, true},
                   {"c2c:f32:16:in=split:out=split", {0, 16, 48, 32}, true},
                   {"c2c:f32:16:in=split:out=split", {0, 0, 32, 48}, true}, /* read twice */
                   {"c2c:f32:16:in=split:out=split", {0, 16, 32, 32}, false},
                   {"c2c:f32:16:in=split:out=split", {0, 16, 32, 16}, false},
                   {"c2c:f32:16:in=split:out=split", {0, 16, 8, 48}, false},
                   {"c2c:f32:16:in=split:out=split", {0, NO, 32, 48}, false},
                   {"c2c:f32:16:in=split:out=split", {0, 16, 32, NO}, false},
                   {"c2c:f32:16:in=split:out=split", {NO, 16, 32, 48}, false},
                   {"c2c:f32:16:in=split:out=split", {0, 16, NO, 48}, false},
                   {"c2c:f32:16:in=split:out=split:inplace", {0, 16, 0, 16}, true},
                   {"c2c:f32:16:in=split:out=split:inplace", {0, 16, 0, 32}, false},
                   {"c2c:f32:16:in=split:out=split:inplace", {0, 16, 16, 0}, false},
                   {"c2c:f32:16:in=split:out=split:inplace", {0, 0, 0, 0}, false},
                   {"c2c:f32:16:in=split", {0, 16, 32, NO}, true},
                   {"c2c:f32:16:in=split", {0, 40, 32, NO}, false},
                   {"c2c:f32:16:out=split", {0, NO, 32, 48}, true},
                   {"c2c:f32:16:out=split", {0, NO, 31, 48}, false},
                   {"c2c:f32:16:out=split", {0, NO, 48, 16}, false}};

static void split_sides_are_checked(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    float *x = sluice_alloc(256 * sizeof *x);
    memset(x, 0, 256 * sizeof *x);
    for (size_t i = 0; i < sizeof split_cases / sizeof split_cases[0]; i++) {
        const int *at = split_cases[i].at;
        float *p[4];
        for (int k = 0; k < 4; k++)
            p[k] = at[k] == NO ? NULL : x + at[k];
        sluice_plan *plan = plan_made(m, split_cases[i].problem);
        sluice_arrays a = {.in = p[0], .in_im = p[1], .out = p[2], .out_im = p[3]};
        const sluice_status status = sluice_execute_with(plan, &a, NULL);
        if (status != (split_cases[i].allowed ? SLUICE_OK : SLUICE_E_INVALID))
            fail_msg("%s at %d %d %d %d: %s", split_cases[i].problem, at[0], at[1], at[2], at[3],
                     sluice_strerror(status));
        a.reserved[i % 3] = 1;
        assert_int_equal(sluice_execute_with(plan, &a, NULL), SLUICE_E_INVALID);
        assert_int_equal(sluice_execute(plan, x, x + 64), SLUICE_E_INVALID); /* split: never */
        sluice_plan_destroy(plan);
    }
    sluice_free(x);
    sluice_machine_close(m);
}

static void misaligned_pointers_are_refused(void **state)
{
    static const char *const problems[] = {"c2c:f32:16", "c2c:f64:16", "c2c:f64:16:inplace"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    char *x = sluice_alloc(4096);
    memset(x, 0, 4096);
    for (int i = 0; i < 3; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        const bool place = strstr(problems[i], "inplace") != NULL;
        const int scalar = strstr(problems[i], "f32") ? 4 : 8;
        for (int shift = 0; shift < 64; shift++) {
            const sluice_status want = shift % scalar == 0 ? SLUICE_OK : SLUICE_E_INVALID;
            assert_int_equal(sluice_execute(plan, x + shift, x + shift + (place ? 0 : 2048)), want);
            if (place)
                continue;
            assert_int_equal(sluice_execute(plan, x, x + 2048 + shift), want);
            assert_int_equal(sluice_execute(plan, x + shift, x + 2048), want);
        }
        const sluice_arrays a = {.in = x, .out = place ? x : x + 2048};
        assert_int_equal(sluice_execute_with(plan, &a, x + 1024 + 8), SLUICE_E_INVALID);
        assert_int_equal(sluice_execute_with(plan, &a, x + 1024), SLUICE_OK);
        sluice_plan_destroy(plan);
    }
    sluice_free(x);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- scratch, lifetime ------ */

/* Canaries around the caller's scratch; its contents do not matter. */
static void own_scratch(sluice_machine *m)
{
    static const char *const problems[] = {
        "c2c:f32:4096",          "c2c:f64:1000*3",  "c2c:f32:131072",
        "c2c:f32:64x48:inplace", "c2c:f64:40x3x32", "c2c:f32:1024*2:in=split:out=split:inplace"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        const size_t bytes = sluice_plan_work_bytes(plan);
        char *work = sluice_alloc(bytes + 128);
        plan_data a, b;
        memset(work, 0xff, bytes + 128); /* NaNs */
        plan_data_open(&a, plan, problems[i], 0);
        plan_data_open(&b, plan, problems[i], 0);
        plan_data_execute(&a, plan, SEED, NULL);
        plan_data_execute(&b, plan, SEED, work + 64);
        if (!plan_data_same(&a, &b))
            fail_msg("%s: other bits with the caller's scratch", problems[i]);
        for (size_t k = 0; k < 64; k++)
            if ((work[k] & work[bytes + 64 + k] & 0xff) != 0xff)
                fail_msg("%s: scratch written beyond its %zu bytes", problems[i], bytes);
        plan_data_close(&a);
        plan_data_close(&b);
        sluice_free(work);
        sluice_plan_destroy(plan);
    }
}

static void own_scratch_gives_the_same_bits(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", own_scratch);
}

static void plans_outlive_their_machine(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    sluice_plan *plan[2] = {plan_made(m, "c2c:f32:8192*3"), plan_made(m, "c2c:f64:48x40")};
    plan_data d;
    double error = 1, bound = 0;
    sluice_machine_close(m);
    for (int i = 0; i < 2; i++) {
        plan_data_open(&d, plan[i], "after close", 0);
        plan_data_execute(&d, plan[i], SEED, NULL);
        plan_data_close(&d);
        assert_int_equal(sluice_plan_verify(plan[i], &error, &bound, NULL), SLUICE_OK);
        assert_true(error <= bound);
        plan_text text = plan_printed(plan[i], SLUICE_LEVEL_JSON);
        test_free(text.data);
        sluice_plan_destroy(plan[i]);
    }
}

/* ---------------------------------------------------------------- shapes ----------------- */

static void strides(sluice_machine *m)
{
    static const char *const problems[] = {
        /* odd, negative, both; sides of their own */
        "c2c:f32:16@3/5", "c2c:f64:16@-3/7", "c2c:f32:30@-1/-2", "c2c:f64:64@1/9",
        "c2c:f32:128@2/1", "c2c:f32:1000@-7/3", "c2c:f64:4096@3/3", "c2c:f32:4096@-1/1",
        "c2c:f32:2048@5/5:inplace",
        /* rows with gaps, columns (batch innermost), both */
        "c2c:f32:16@1/1*5@19/23", "c2c:f32:16@5/5*5@1/1", "c2c:f64:24@7/7*6@1/1:inplace",
        "c2c:f32:60@17/1*17@1/61", "c2c:f32:64@1/20*19@67/1", "c2c:f32:8@-9/11*9@1/-100",
        "c2c:f64:15@40/3*3@-700/50*2@1/1", "c2c:f32:512@9/9*9@1/1", "c2c:f32:13@8/8*8@1/1",
        "c2c:f32:1@7/7*9@2/3", "c2c:f32:1*1", "c2c:f64:1@1/1*5@-1/1",
        /* 2-D and 3-D with pitch */
        "c2c:f32:12@20/24x16@1/1", "c2c:f32:12@20/20x16@1/1:inplace",
        "c2c:f64:9@-40/33x32@1/1*3@500/400", "c2c:f32:16@1/1x12@17/19",
        "c2c:f64:4@300/320x6@40/44x8@3/5", "c2c:f32:32@34/34x32@1/1*2@1100/1100:inplace",
        "c2c:f32:7@21/7x7@3/1*3@1/49"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        plan_check_problem(m, problems[i], SEED + i);
        snprintf(text, sizeof text, "%s:inverse", problems[i]);
        plan_check_problem(m, text, SEED - i);
    }
}

static void strided_sides_keep_their_gaps(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", strides);
}

static const char *const shapes[] = {
    "1",     "2",       "3*7",   "4*9",     "5*33",    "7",         "8*17",    "11*3",  "13*20",
    "16",    "24*5",    "27*2",  "32*9",    "64*3",    "77",        "100*3",   "128",   "143*2",
    "256*5", "360",     "512",   "1001",    "1024*3",  "2048",      "6000",    "16384", "1x8",
    "8x1",   "2x2",     "4x6*3", "13x11",   "16x16*5", "30x7",      "64x64",   "3x100", "100x3",
    "2x3x4", "8x8x8*2", "5x1x9", "12x10x6", "1x1x1",   "2x2x2x2x2", "40*3*2*2"};

static void layouts(sluice_machine *m)
{
    static const char *const sides[] = {"",           ":in=split",
                                        ":out=split", ":in=split:out=split",
                                        ":inplace",   ":in=split:out=split:inplace"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int s = 0; s < 6; s++) {
            const size_t which = i + (size_t)s;
            snprintf(text, sizeof text, "c2c:%s:%s%s%s", which % 2 ? "f32" : "f64", shapes[i],
                     which / 2 % 2 ? ":inverse" : "", sides[s]);
            plan_check_problem(m, text, SEED + which);
        }
    }
}

static void every_layout_of_every_shape(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", layouts);
}

/* inverse(forward(x)) = N x, in place on the same array. */
static void round_trips(sluice_machine *m)
{
    static const char *const problems[] = {"c2c:f64:16*7", "c2c:f64:360", "c2c:f64:65536",
                                           "c2c:f64:48x36*2", "c2c:f64:12x10x14"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        char text[2][PLAN_TEXT_SIZE];
        snprintf(text[0], PLAN_TEXT_SIZE, "%s:inplace", problems[i]);
        snprintf(text[1], PLAN_TEXT_SIZE, "%s:inplace:inverse", problems[i]);
        sluice_plan *plan[2] = {plan_made(m, text[0]), plan_made(m, text[1])};
        plan_data d;
        double points = 1, worst = 0;
        plan_data_open(&d, plan[0], text[0], 0);
        plan_data_fill(&d, SEED);
        for (int k = 0; k < d.p.rank; k++)
            points *= (double)d.p.dim[k].n;
        for (int k = 0; k < 2; k++)
            assert_int_equal(sluice_execute(plan[k], d.arrays.in, d.arrays.out), SLUICE_OK);
        const double *now = d.arrays.in;
        const double *before = (const void *)(d.kept[0][0] + d.base[0]);
        for (size_t k = 0; k < 2 * d.total; k++) {
            const double e = now[k] / points - before[k];
            worst = e > worst ? e : -e > worst ? -e : worst;
        }
        if (!(worst < 1e-14))
            fail_msg("%s and back, seed %d: off by %g", text[0], SEED, worst);
        plan_data_close(&d);
        sluice_plan_destroy(plan[0]);
        sluice_plan_destroy(plan[1]);
    }
}

static void inverse_of_forward_is_n_times(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", round_trips);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(overlap_is_refused, nothing_leaks),
        cmocka_unit_test_teardown(split_sides_are_checked, nothing_leaks),
        cmocka_unit_test_teardown(misaligned_pointers_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(own_scratch_gives_the_same_bits, nothing_leaks),
        cmocka_unit_test_teardown(plans_outlive_their_machine, nothing_leaks),
        cmocka_unit_test_teardown(strided_sides_keep_their_gaps, nothing_leaks),
        cmocka_unit_test_teardown(every_layout_of_every_shape, nothing_leaks),
        cmocka_unit_test_teardown(inverse_of_forward_is_n_times, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
