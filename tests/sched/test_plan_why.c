// SPDX-License-Identifier: BSD-3-Clause
/* Why an execution failed: each refusal of sluice_execute_with in a sentence that names the
 * pointer, and nothing where it succeeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { ROOM = 4096, NO = -1 /* a NULL pointer */ };

/* Where in, in_im, out, out_im and work lie, in bytes. */
static const struct {
    const char *problem;
    int at[5];
    const char *sentence; /* NULL: it succeeds */
} cases[] = {
    {"c2c:f32:16", {0, NO, 128, NO, NO}, NULL},
    {"c2c:f32:16", {NO, NO, 128, NO, NO}, "in is NULL"},
    {"c2c:f32:16", {0, NO, NO, NO, NO}, "out is NULL"},
    {"c2c:f32:16",
     {0, 512, 128, NO, NO},
     "in_im is given, but the input is interleaved: it must be NULL"},
    {"c2c:f32:16",
     {0, NO, 128, 512, NO},
     "out_im is given, but the output is interleaved: it must be NULL"},
    {"c2c:f32:16384", {0, NO, NO, NO, NO}, "out is NULL"},
    {"c2c:f32:16", {3, NO, 128, NO, NO}, "in is misaligned: 3 bytes beyond a multiple of 4"},
    {"c2c:f64:16", {0, NO, 516, NO, NO}, "out is misaligned: 4 bytes beyond a multiple of 8"},
    {"c2c:f32:16", {0, NO, 128, NO, 520}, "work is misaligned: 8 bytes beyond a multiple of 64"},
    {"c2c:f32:16",
     {0, NO, 124, NO, NO},
     "in and out overlap by 4 bytes: in reaches over 128 bytes, out over 128, and the problem is "
     "not in place"},
    {"c2c:f32:16",
     {128, NO, 128, NO, NO},
     "in and out overlap by 128 bytes: in reaches over 128 bytes, out over 128, and the problem is "
     "not in place"},
    {"c2c:f32:16@-1/1",
     {256, NO, 200, NO, NO},
     "in and out overlap by 64 bytes: in reaches over 128 bytes, out over 128, and the problem is "
     "not in place"},
    {"c2c:f32:16:inplace", {0, NO, 0, NO, NO}, NULL},
    {"c2c:f32:16:inplace",
     {0, NO, 256, NO, NO},
     "in and out are 256 bytes apart: the problem is in place, so they must be equal"},
    {"c2c:f32:16:in=split:out=split", {0, 64, 128, 192, NO}, NULL},
    {"c2c:f32:16:in=split:out=split",
     {0, NO, 128, 192, NO},
     "in_im is NULL, but the input is split"},
    {"c2c:f32:16:in=split:out=split",
     {0, 64, 128, NO, NO},
     "out_im is NULL, but the output is split"},
    {"c2c:f32:16:in=split:out=split",
     {0, 66, 128, 192, NO},
     "in_im is misaligned: 2 bytes beyond a multiple of 4"},
    {"c2c:f32:16:in=split:out=split", {0, 64, 128, 128, NO}, "out and out_im are the same array"},
    {"c2c:f32:16:in=split:out=split",
     {0, 64, 128, 32, NO},
     "in and out_im overlap by 32 bytes: in reaches over 64 bytes, out_im over 64, and the problem "
     "is not in place"},
    {"c2c:f32:16:in=split:out=split:inplace",
     {0, 64, 0, 128, NO},
     "in_im and out_im are 64 bytes apart: the problem is in place, so they must be equal"},
    {"c2c:f32:16:in=split",
     {0, 128, 512, 1024, NO},
     "out_im is given, but the output is interleaved: it must be NULL"},
};

static void *at(char *x, int offset)
{
    return offset == NO ? NULL : x + offset;
}

static void refusals_have_sentences(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    char *x = sluice_alloc(ROOM);
    memset(x, 0, ROOM);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int *p = cases[i].at;
        sluice_plan *plan = plan_made(m, cases[i].problem);
        sluice_diag why = {.message = "untouched"};
        sluice_arrays a = {.in = at(x, p[0]),
                           .in_im = at(x, p[1]),
                           .out = at(x, p[2]),
                           .out_im = at(x, p[3]),
                           .why = &why};
        const char *want = cases[i].sentence;
        const sluice_status status = sluice_execute_with(plan, &a, at(x, p[4]));
        if (strcmp(why.message, want ? want : "untouched") != 0
            || status != (want ? SLUICE_E_INVALID : SLUICE_OK))
            fail_msg("%s (case %zu): %s", cases[i].problem, i, why.message);
        a.why = NULL;
        assert_int_equal(sluice_execute_with(plan, &a, at(x, p[4])), status);
        sluice_plan_destroy(plan);
    }
    sluice_free(x);
    sluice_machine_close(m);
}

static void so_have_calls_that_miss_something(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:16");
    sluice_diag why = {.message = ""};
    float x[64] = {0};
    sluice_arrays a = {.in = x, .out = x + 32, .why = &why};
    assert_int_equal(sluice_execute_with(NULL, &a, NULL), SLUICE_E_INVALID);
    assert_string_equal(why.message, "plan is NULL");
    assert_int_equal(sluice_execute_with(plan, NULL, NULL), SLUICE_E_INVALID);
    for (int i = 0; i < 3; i++) {
        a.reserved[i] = 1;
        assert_int_equal(sluice_execute_with(plan, &a, NULL), SLUICE_E_INVALID);
        assert_string_equal(why.message, "the arrays' reserved fields must be zero");
        a.reserved[i] = 0;
    }
    assert_int_equal(sluice_execute_with(plan, &a, NULL), SLUICE_OK);
    assert_int_equal(sizeof a, 8 * sizeof(void *)); /* as it was before `why` */
    assert_int_equal(sizeof(sluice_stream_options), 9 * sizeof(void *));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* What units fail with is said by their own name. */
static void devices_are_quoted(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("fake:2,fail=1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:16");
    sluice_diag why = {.message = ""};
    float x[64] = {0};
    const sluice_arrays a = {.in = x, .out = x + 32, .why = &why};
    assert_int_equal(sluice_execute_with(plan, &a, NULL), SLUICE_E_DEVICE);
    assert_string_equal(why.message, "unit 0: FAKE_RUN_FAILED: number 1 was told to fail");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(refusals_have_sentences, nothing_leaks),
        cmocka_unit_test_teardown(so_have_calls_that_miss_something, nothing_leaks),
        cmocka_unit_test_teardown(devices_are_quoted, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
