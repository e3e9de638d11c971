// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of sides: weights, extents, storage and functions, of every kind, verified; what functions
 * see and how they end an execution; what is not touched; how numbers are stored; short blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { MOST = HOOK_WEIGHTS, STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* ---------------------------------------------------------------- every kind ------------- */

static void verify_cases(const char *units, const char *isa)
{
    sluice_machine *m = plan_machine(units, isa);
    for (int i = 0; m != NULL && i < HOOK_CASES; i++) {
        for (int which = i % STEP; which < HOOK_SETS; which += STEP) {
            hook_verify(m, &hook_cases[i], which, 0);
            hook_verify(m, &hook_cases[i], 0, which);
        }
        hook_verify(m, &hook_cases[i], HOOK_SETS - 1, HOOK_SETS - 1);
    }
    sluice_machine_close(m);
}

static void every_hook_of_every_kind(void **state)
{
    (void)state;
    hook_fill_weights();
    for (int i = 0; i < PLAN_ISAS; i++)
        verify_cases("cpu:2", plan_isas[i]);
}

static void other_units(void **state)
{
    (void)state;
    hook_fill_weights();
    verify_cases("ref", NULL);
    verify_cases("cpu:2/worker", NULL);
}

/* ---------------------------------------------------------------- weights ---------------- */

/* Codelets that weigh as they load, tiles and pairs have the bits of an input multiplied before, by
 * the same formula. */
static void reproducible(sluice_machine *m, const char *problem, size_t scalars, size_t period)
{
    const sluice_hooks hooks = {.in = {.weight = hook_weights, .weight_rank = 1}};
    sluice_plan *weighed = hook_plan(m, problem, &hooks);
    char *formula = plan_line(weighed);
    sluice_plan *plain = plan_of_formula(m, formula, SLUICE_F32);
    plan_data before, after;
    plan_data_open(&before, plain, problem, 0);
    plan_data_open(&after, weighed, problem, 0);
    plan_data_fill(&before, 1);
    plan_data_fill(&after, 1);
    for (size_t i = 0; i < before.elements[0]; i++)
        for (size_t part = 0; part < scalars; part++)
            *(float *)(void *)plan_data_at(&before, 0, i, (int)part) *=
                (float)hook_weights[i % period];
    assert_int_equal(sluice_execute_with(plain, &before.arrays, NULL), SLUICE_OK);
    assert_int_equal(sluice_execute_with(weighed, &after.arrays, NULL), SLUICE_OK);
    if (!plan_data_same(&before, &after))
        fail_msg("%s: weighed, other bits", problem);
    plan_data_close(&before);
    plan_data_close(&after);
    test_free(formula);
    sluice_plan_destroy(plain);
    sluice_plan_destroy(weighed);
}

static void weights_are_factors_of_the_input(void **state)
{
    static const struct {
        const char *problem;
        size_t scalars, period;
    } of[] = {
        {"c2c:f32:4*9", 2, 4},       {"c2c:f32:5*8", 2, 5},           {"c2c:f32:16", 2, 16},
        {"c2c:f32:64", 2, 64},       {"c2c:f32:100:inverse", 2, 100}, {"c2c:f32:128*3", 2, 128},
        {"c2c:f32:256", 2, 256},     {"c2c:f32:60*7", 2, 60},         {"c2c:f32:400*2", 2, 400},
        {"c2c:f32:1024*3", 2, 1024}, {"c2c:f32:4096", 2, 4096},       {"c2c:f32:16x32", 2, 32},
        {"c2c:f32:64x64*2", 2, 64},  {"c2c:f32:12x20", 2, 20},        {"r2c:f32:64*3", 1, 64},
        {"r2c:f32:128", 1, 128},     {"r2c:f32:12*9", 1, 12},         {"r2c:f32:2048", 1, 2048},
        {"c2r:f32:64", 2, 33},       {"c2r:f32:256*2", 2, 129},       {"r2c:f32:16x32", 1, 32},
    };
    (void)state;
    hook_fill_weights();
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:2", plan_isas[i]);
        for (size_t k = 0; m != NULL && k < sizeof of / sizeof of[0]; k++)
            reproducible(m, of[k].problem, of[k].scalars, of[k].period);
        sluice_machine_close(m);
    }
}

/* Reproducible plans compute the half-spectrum of reals as a DFT of half the length, whose codelet
 * across rows has one weight for re and im. */
static void reals_are_weighed_one_by_one(void **state)
{
    static const char *const problems[] = {"r2c:f32:8*100:out=packed", "r2c:f32:64*900:out=split"};
    const sluice_hooks hooks = {.in = {.weight = hook_weights, .weight_rank = 1}};

    (void)state;
    hook_fill_weights();
    for (int k = 0; k < 2 * PLAN_ISAS; k++) {
        const char *problem = problems[k % 2];
        const size_t period = k % 2 ? 64 : 8;
        sluice_machine *m = plan_machine("cpu:1", plan_isas[k / 2]);
        sluice_plan *plan[2];
        plan_data data[2];
        for (int i = 0; m != NULL && i < 2; i++) {
            const sluice_plan_options options = {.hooks = i ? &hooks : NULL, .reproducible = true};
            assert_int_equal(sluice_plan_from_text(&plan[i], m, problem, &options, NULL),
                             SLUICE_OK);
            plan_data_open(&data[i], plan[i], problem, 0);
            plan_data_fill(&data[i], 1);
            for (size_t e = 0; i == 0 && e < data[0].elements[0]; e++)
                *(float *)(void *)plan_data_at(&data[0], 0, e, 0) *=
                    (float)hook_weights[e % period];
            assert_int_equal(sluice_execute_with(plan[i], &data[i].arrays, NULL), SLUICE_OK);
        }
        if (m != NULL && !plan_data_same(&data[0], &data[1]))
            fail_msg("%s: other numbers than of an input multiplied before", problem);
        for (int i = 0; m != NULL && i < 2; i++) {
            plan_data_close(&data[i]);
            sluice_plan_destroy(plan[i]);
        }
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- functions -------------- */

typedef struct seen {
    atomic_int count[MOST];
    atomic_int calls;
} seen;

static sluice_status count_elements(void *user, size_t first, size_t count, void *data)
{
    seen *s = user;
    (void)data;
    for (size_t i = first; i < first + count; i++)
        atomic_fetch_add(&s->count[i], 1);
    atomic_fetch_add(&s->calls, 1);
    return SLUICE_OK;
}

static void functions_see_each_element_once(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:512",
        "c2c:f32:60*7",
        "c2c:f64:16x16*3",
        "r2c:f32:100*4",
        "r2c:f32:82*40", /* pairs are moved to columns, and back */
        "c2r:f32:82*40",
        "c2r:f64:30x20",
        "dct2:f32:1000",
        "dct3:f32:8x64",
        "c2c:f32:251*3",
        "c2c:f32:128@2/3*2@400/500",
        "dst2:f32:33*7",
        "c2c:f32:1024:inplace",
        "dct1*dst3*idxst:f64:12@8/16x8@1/2x2@96/1" /* its first stage reads most of them twice */};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        static seen in, out;
        plan_data d;
        memset(&in, 0, sizeof in);
        memset(&out, 0, sizeof out);
        const sluice_hooks hooks = {.in = {.call = count_elements, .user = &in},
                                    .out = {.call = count_elements, .user = &out}};
        sluice_plan *plan = hook_plan(m, problems[i], &hooks);
        plan_data_open(&d, plan, problems[i], 0);
        plan_data_execute(&d, plan, 1 + i, NULL);
        for (size_t e = 0; e < MOST; e++)
            if (in.count[e] != (e < d.elements[0]) || out.count[e] != (e < d.elements[1]))
                fail_msg("%s: element %zu: %d, %d of %zu, %zu", problems[i], e, in.count[e],
                         out.count[e], d.elements[0], d.elements[1]);
        plan_data_close(&d);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static sluice_status end_at(void *user, size_t first, size_t count, void *data)
{
    const size_t at = *(const size_t *)user;
    (void)data;
    return first <= at && at < first + count ? SLUICE_E_CANCELLED : SLUICE_OK;
}

static void a_function_ends_the_execution(void **state)
{
    static float in[2 * MOST], out[2 * MOST];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t at = 0; at < 2 * MOST; at += 1000)
        for (int side = 0; side < 2; side++) {
            sluice_hooks hooks = {0};
            *(side ? &hooks.out : &hooks.in) = (sluice_side_hooks){.call = end_at, .user = &at};
            sluice_plan *plan = hook_plan(m, "c2c:f32:1024*4", &hooks);
            assert_int_equal(sluice_execute(plan, in, out),
                             at < MOST ? SLUICE_E_CANCELLED : SLUICE_OK);
            sluice_plan_destroy(plan);
        }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- memory ----------------- */

/* What is beyond the extents is neither read, where it is not a number, nor written. */
static void what_lies_beyond_is_left(void **state)
{
    enum { N = 96, BATCH = 5, IN = 70, OUT = 11 };
    static float in[BATCH * N * 2], out[BATCH * N * 2], part[BATCH * N * 2], whole[BATCH * N * 2];
    const sluice_hooks hooks = {.in.extent = {IN}, .out.extent = {OUT}};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = hook_plan(m, "c2c:f32:96*5", &hooks), *plain = plan_made(m, "c2c:f32:96*5");
    for (int i = 0; i < 2 * BATCH * N; i++) {
        const bool inside = i / 2 % N < IN;
        part[i] = inside ? (float)(i * 37 % 101 - 50) : 0;
        in[i] = inside ? part[i] : NAN;
        out[i] = 12345;
    }
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    assert_int_equal(sluice_execute(plain, part, whole), SLUICE_OK);
    for (int i = 0; i < 2 * BATCH * N; i++)
        if (out[i] != (i / 2 % N < OUT ? whole[i] : 12345))
            fail_msg("%d: %g, %g", i, (double)out[i], (double)whole[i]);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(plain);
    sluice_machine_close(m);
}

/* A transform of one point leaves numbers as they are. */
static void numbers_are_stored(void **state)
{
    static const double x[] = {0,           -1,           1,   0.5, -2,   3e9, 1.0 / 65536,
                               3.0 / 65536, -1.0 / 65536, 0.1, NAN, 65519};
    static const int16_t i16[] = {0, -32768, 32767, 16384, -32768, 32767, 0, 2, 0, 3277, 0, 32767};
    static const uint16_t f16[] = {0,      0xBC00, 0x3C00, 0x3800, 0xC000, 0x7C00,
                                   0x0100, 0x0300, 0x8100, 0x2E66, 0x7E00, 0x7BFF};
    enum { N = sizeof x / sizeof x[0] };
    int16_t as_i16[N];
    uint16_t as_f16[N];
    double back[N];
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const sluice_hooks to_i16 = {.in.storage = SLUICE_STORE_F64, .out.storage = SLUICE_STORE_I16};
    const sluice_hooks to_f16 = {.in.storage = SLUICE_STORE_F64, .out.storage = SLUICE_STORE_F16};
    const sluice_hooks from_i16 = {.in.storage = SLUICE_STORE_I16, .out.storage = SLUICE_STORE_F64};
    const sluice_hooks from_f16 = {.in.storage = SLUICE_STORE_F16, .out.storage = SLUICE_STORE_F64};
    sluice_plan *plan[] = {
        hook_plan(m, "c2c:f64:1*6", &to_i16), hook_plan(m, "c2c:f64:1*6", &to_f16),
        hook_plan(m, "c2c:f32:1*6", &from_i16), hook_plan(m, "c2c:f32:1*6", &from_f16)};
    assert_int_equal(sluice_execute(plan[0], x, as_i16), SLUICE_OK);
    assert_int_equal(sluice_execute(plan[1], x, as_f16), SLUICE_OK);
    for (int i = 0; i < N; i++)
        if (as_i16[i] != i16[i] || as_f16[i] != f16[i])
            fail_msg("%g: %d, %#x", x[i], as_i16[i], as_f16[i]);
    assert_int_equal(sluice_execute(plan[2], as_i16, back), SLUICE_OK);
    for (int i = 0; i < N; i++)
        assert_true(back[i] == as_i16[i] / 32768.0);
    assert_int_equal(sluice_execute(plan[3], as_f16, back), SLUICE_OK);
    assert_true(back[1] == -1 && isnan(back[10]) && isinf(back[5]) && back[11] == 65504);
    assert_true(back[6] == x[6] && back[8] == x[8]);
    for (int i = 0; i < 4; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- plans ------------------ */

static void plans_with_functions_are_not_kept(void **state)
{
    (void)state;
    hook_fill_weights();
    sluice_machine *m = plan_machine("cpu:2", NULL);
    const sluice_hooks hooks = {.in = {.weight = hook_weights, .weight_rank = 1}};
    sluice_plan *a = hook_plan(m, "c2c:f32:256", &hooks), *b = hook_plan(m, "c2c:f32:256", &hooks);
    sluice_plan *plain = plan_made(m, "c2c:f32:256");
    assert_ptr_not_equal(a, b);
    assert_ptr_not_equal(a, plain);
    plan_text text = plan_printed(plain, SLUICE_LEVEL_FORMULA);
    assert_null(strstr(text.data, "hooks"));
    test_free(text.data);
    text = plan_printed(a, SLUICE_LEVEL_FORMULA);
    assert_non_null(strstr(text.data, "# hooks of the input: 256 weights, "));
    test_free(text.data);
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
    sluice_plan_destroy(plain);
    sluice_machine_close(m);
}

static sluice_status ignore(void *user, const char *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return SLUICE_OK;
}

static void sources_are_refused(void **state)
{
    (void)state;
    hook_fill_weights();
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const sluice_hooks hooks = {.in = {.weight = hook_weights, .weight_rank = 1}};
    sluice_plan *plan = hook_plan(m, "c2c:f32:256", &hooks);
    assert_int_equal(sluice_plan_print(plan, SLUICE_LEVEL_C, ignore, NULL), SLUICE_E_UNSUPPORTED);
    assert_int_equal(sluice_plan_print(plan, SLUICE_LEVEL_OPENCL, ignore, NULL),
                     SLUICE_E_UNSUPPORTED);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- streams ---------------- */

/* A short block of 3 of 8 transforms: functions count from the block's first element. */
static void short_blocks_have_hooks(void **state)
{
    enum { N = 64, BATCH = 8, SHORT = 3 };
    static seen in;
    (void)state;
    memset(&in, 0, sizeof in);
    const sluice_hooks hooks = {
        .in = {.call = count_elements, .user = &in, .storage = SLUICE_STORE_F64}};
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = hook_plan(m, "c2c:f32:64*8", &hooks), *plain = plan_made(m, "c2c:f32:64*3");
    sluice_stream *stream;
    sluice_slot *slot;
    float x[SHORT * N * 2], y[SHORT * N * 2];
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    for (int i = 0; i < SHORT * N * 2; i++)
        ((double *)slot->in)[i] = x[i] = (float)(i * 37 % 101 - 50);
    slot->count = SHORT;
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    assert_int_equal(sluice_execute(plain, x, y), SLUICE_OK);
    assert_memory_equal(slot->out, y, sizeof y);
    for (int e = 0; e < N * BATCH; e++)
        assert_int_equal(in.count[e], e < N * SHORT);
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(plain);
    sluice_machine_close(m);
}

static const double column_weights[64] = {[0] = 2, [7] = 3};

/* Blocks of columns have no plan for one of them: short ones run inside a whole one, whose other
 * transforms functions do not see. */
static void short_blocks_of_columns_have_hooks(void **state)
{
    enum { N = 9, BATCH = 31, SHORT = 13, KEPT = 7 };
    static seen in, out;
    (void)state;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    const sluice_hooks hooks = {
        .in = {.call = count_elements, .user = &in, .extent = {KEPT}, .storage = SLUICE_STORE_F64},
        .out = {.call = count_elements, .user = &out, .weight = column_weights, .weight_rank = 1}};
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = hook_plan(m, "c2c:f32:9@31/40*31@1/1", &hooks);
    sluice_stream *stream;
    sluice_slot *slot;
    /* nothing lies behind the last element of the extents */
    double x[2 * ((KEPT - 1) * BATCH + SHORT)];
    float whole[2 * ((N - 1) * 40 + BATCH)], y[2 * ((N - 1) * 40 + SHORT)];
    double all[2 * KEPT * BATCH];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i] = (double)(i * 37 % 101) - 50;
    memcpy(x, all, sizeof x);
    assert_int_equal(sluice_execute(plan, all, whole), SLUICE_OK);
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    memset(y, 0x5A, sizeof y);
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    slot->in = x;
    slot->out = y;
    slot->count = SHORT;
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    for (size_t i = 0; i < N; i++)
        assert_memory_equal(y + 80 * i, whole + 80 * i, sizeof(float[2 * SHORT]));
    for (int e = 0; e < N * BATCH; e++) {
        assert_int_equal(in.count[e], e < N * SHORT && e % N < KEPT);
        assert_int_equal(out.count[e], e < N * SHORT);
    }
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_hook_of_every_kind, nothing_leaks),
        cmocka_unit_test_teardown(other_units, nothing_leaks),
        cmocka_unit_test_teardown(weights_are_factors_of_the_input, nothing_leaks),
        cmocka_unit_test_teardown(reals_are_weighed_one_by_one, nothing_leaks),
        cmocka_unit_test_teardown(functions_see_each_element_once, nothing_leaks),
        cmocka_unit_test_teardown(a_function_ends_the_execution, nothing_leaks),
        cmocka_unit_test_teardown(what_lies_beyond_is_left, nothing_leaks),
        cmocka_unit_test_teardown(numbers_are_stored, nothing_leaks),
        cmocka_unit_test_teardown(plans_with_functions_are_not_kept, nothing_leaks),
        cmocka_unit_test_teardown(sources_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(short_blocks_have_hooks, nothing_leaks),
        cmocka_unit_test_teardown(short_blocks_of_columns_have_hooks, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
