// SPDX-License-Identifier: BSD-3-Clause
/* Short transforms between split sides: which codelets they get, one at a time and in batches, and
 * that a transform has the same bits in either, where it is one of many; images of few columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 3141 };

typedef struct expectation {
    const char *problem;
    const char *vectors, *scalar; /* of the codelet's name, with vectors and without; "" is any */
} expectation;

static const expectation expected[] = {
    {"c2c:f32:4:in=split:out=split", "W_split_split_none_1", "G_split_split_none_1"},
    {"c2c:f32:32:in=split:out=split", "W_split_split_none_1", "G_split_split_none_1"},
    {"c2c:f64:32:inverse:in=split:out=split", "W_split_split_none_1", "G_split_split_none_1"},
    {"c2c:f64:64:inplace:in=split:out=split", "W_split_split_none_1", ""},
    {"c2c:f32:20:in=split", "W_split_inter_none_1", "G_split_split_none_1"},
    {"c2c:f64:64:inverse:out=split", "W_inter_split_none_1", ""},
    /* a prime: without vectors, which take any strides and formats */
    {"c2c:f32:7:in=split:out=split", "G_split_split_none_1", "G_split_split_none_1"},
    {"c2c:f32:7:out=split", "G_split_split_none_1", "G_split_split_none_1"},
    /* others beside it: in vectors of them where there is such a codelet */
    {"c2c:f32:32*16:in=split:out=split", "T_split_split_none_", "G_split_split_none_1"},
    {"c2c:f64:64*16:in=split:out=split", "W_split_split_none_1", ""},
    {"c2c:f32:32*16:in=split", "W_split_inter_none_1", ""},
    {"c2c:f64:16*50:inverse:out=split", "W_inter_split_none_1", ""},
};

static void check_codelet(const sluice_plan *plan, const expectation *e, bool vectors)
{
    const char *const wanted = vectors ? e->vectors : e->scalar;
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    int kernels = 0;
    for (const char *at = text.data; (at = strstr(at, " <- ")) != NULL; at++)
        kernels++;
    if (*wanted && (kernels != 1 || strstr(text.data, wanted) == NULL))
        fail_msg("%s: no %s alone in\n%s", e->problem, wanted, text.data);
    test_free(text.data);
}

static void codelets_of_the_sides_formats(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (size_t i = 0; m && i < sizeof expected / sizeof *expected; i++) {
            sluice_plan *plan = plan_made(m, expected[i].problem);
            check_codelet(plan, &expected[i], strcmp(plan_isas[isa], "scalar") != 0);
            sluice_plan_destroy(plan);
            plan_check_problem(m, expected[i].problem, SEED + i);
        }
        sluice_machine_close(m);
    }
}

/* ---- a block of a stream that is not full is run one by one ---- */

typedef struct feed {
    const plan_data *whole; /* computed in one execution */
    size_t points, count;   /* of a transform; transforms in a block that is not full */
    bool given;
} feed;

static sluice_status give(void *user, sluice_slot *slot)
{
    feed *f = user;
    void *const to[2] = {slot->in, slot->in_im};
    if (f->given)
        return SLUICE_END;
    f->given = true;
    slot->count = f->count;
    for (int part = 0; part < 2; part++)
        memcpy(to[part], plan_data_at(f->whole, 0, 0, part),
               f->count * f->points * f->whole->scalar);
    return SLUICE_OK;
}

static sluice_status take(void *user, sluice_slot *slot)
{
    const feed *f = user;
    const void *const got[2] = {slot->out, slot->out_im};
    for (int part = 0; part < 2; part++)
        if (memcmp(got[part], plan_data_at(f->whole, 1, 0, part),
                   f->count * f->points * f->whole->scalar)
            != 0)
            fail_msg("%s: %zu transforms have other bits than in a full block", f->whole->name,
                     f->count);
    return SLUICE_OK;
}

static void one_by_one(sluice_machine *m, const char *problem, size_t points, size_t count)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_data whole;
    plan_data_open(&whole, plan, problem, 0);
    plan_data_fill(&whole, SEED);
    assert_int_equal(sluice_execute_with(plan, &whole.arrays, NULL), SLUICE_OK);
    feed f = {.whole = &whole, .points = points, .count = count};
    assert_int_equal(sluice_stream_run(plan, give, take, &f, NULL, NULL), SLUICE_OK);
    plan_data_close(&whole);
    sluice_plan_destroy(plan);
}

static void short_blocks_change_no_bit(void **state)
{
    static const size_t sizes[] = {4, 7, 12, 16, 32, 48, 64, 100, 128, 240};
    char problem[PLAN_TEXT_SIZE];
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (size_t i = 0; m && i < 2 * sizeof sizes / sizeof *sizes; i++) {
            const size_t n = sizes[i / 2];
            snprintf(problem, sizeof problem, "c2c:%s:%zu*19:in=split:out=split",
                     i % 2 ? "f32" : "f64", n);
            one_by_one(m, problem, n, 7);
        }
        sluice_machine_close(m);
    }
}

/* Columns or rows fewer than vectors of re and of im have lanes, with vectors of 256 bits or
 * more. */
static const struct {
    const char *problem;
    size_t points;
    bool zipped;
} images[] = {
    {"c2c:f32:20x7:in=split:out=split", 140, true},
    {"c2c:f32:5x3*21:in=split:out=split", 15, true},
    {"c2c:f32:9x6x5*3:inverse:inplace:in=split:out=split", 270, true},
    {"c2c:f64:14x3*11:in=split:out=split", 42, true},
    {"c2c:f64:100x2:inplace:in=split:out=split", 200, true},
    /* rows, of images that do not go together */
    {"c2c:f32:6x27*7:in=split:out=split", 162, true},
    {"c2c:f64:3x15*97:in=split:out=split", 45, true},
    {"c2c:f32:5x9*64:in=split:out=split", 45, false},
    {"c2c:f32:20x8*3:in=split:out=split", 160, false},
    {"c2c:f64:14x4*11:in=split:out=split", 56, false},
};

static void few_columns_are_zipped(void **state)
{
    (void)state;
    for (int isa = 0; isa < PLAN_ISAS; isa++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[isa]);
        for (size_t i = 0; m && i < sizeof images / sizeof *images; i++) {
            sluice_plan *plan = plan_made(m, images[i].problem);
            const plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            const bool zipped = strstr(text.data, "moves") && !strstr(text.data, "split_split");
            if (strncmp(plan_isas[isa], "avx", 3) == 0 && zipped != images[i].zipped)
                fail_msg("%s: moved is %s expected in\n%s", images[i].problem,
                         images[i].zipped ? "" : "not", text.data);
            test_free(text.data);
            sluice_plan_destroy(plan);
            plan_check_problem(m, images[i].problem, SEED + i);
            if (!strstr(images[i].problem, "inplace") && strchr(images[i].problem, '*'))
                one_by_one(m, images[i].problem, images[i].points, 2);
        }
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(codelets_of_the_sides_formats, nothing_leaks),
        cmocka_unit_test_teardown(short_blocks_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(few_columns_are_zipped, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
