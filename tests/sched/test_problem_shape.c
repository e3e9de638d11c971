// SPDX-License-Identifier: BSD-3-Clause
/* Problems as structs: defaults, strides, overlap, refusals, extents of sides. Drawn ones:
 * test_problem_drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

/* A c2c problem of one axis, and no more. */
static sluice_problem line(size_t n)
{
    sluice_problem p;
    memset(&p, 0, sizeof p);
    p.rank = 1;
    p.dim[0].n = n;
    return p;
}

static void refused(sluice_problem p, const char *word)
{
    sluice_diag why = {0};
    assert_int_equal(sched_problem_normalise(&p, &why), SLUICE_E_INVALID);
    if (strstr(why.message, word) == NULL)
        fail_msg("expected '%s' in '%s'", word, why.message);
}

static void refused_text(const char *text, const char *word)
{
    sluice_problem p;
    sluice_diag why = {0};
    if (sched_problem_parse(&p, text, &why) != SLUICE_E_INVALID || !strstr(why.message, word))
        fail_msg("%s: expected '%s' in '%s'", text, word, why.message);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    sluice_problem p = line(8);
    p.rank = 3;
    p.dim[1].n = p.dim[2].n = 2;
    p.kind[1] = SLUICE_DCT4;
    assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
    assert_int_equal(p.kind[0], SLUICE_C2C);
    assert_int_equal(p.kind[1], SLUICE_DCT4);
    assert_int_equal(p.kind[2], SLUICE_DCT4);
    assert_int_equal(p.mode, SLUICE_LATENCY);
    p.mode = SLUICE_MODE_AUTO;
    p.batch_rank = 2;
    p.batch[0].n = p.batch[1].n = 1;
    assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
    assert_int_equal(p.mode, SLUICE_LATENCY);
    p.mode = SLUICE_MODE_AUTO;
    p.batch[1].n = 2;
    assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
    assert_int_equal(p.mode, SLUICE_THROUGHPUT);
    assert_int_equal(sched_problem_points(&p), 32);
    assert_int_equal(sched_problem_batch(&p), 2);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    const size_t wide = (size_t)1 << 32;
    sluice_problem p = line(8);
    refused(line(0), "size 0");
    refused(line(((size_t)1 << 40) + 1), "too large");
    refused(line(SIZE_MAX), "too large");
    p.rank = 0;
    refused(p, "rank is 0");
    p.rank = SLUICE_MAX_RANK + 1;
    refused(p, "rank is 9");
    p.rank = 1;
    p.batch_rank = SLUICE_MAX_BATCH_RANK + 1;
    refused(p, "batch rank is 9");
    p.batch_rank = 1;
    refused(p, "size 0"); /* of the batch */
    p.rank = 4;           /* 2^128: wraps to 0 */
    p.dim[0].n = p.dim[1].n = p.dim[2].n = p.dim[3].n = wide;
    p.batch[0].n = 1;
    refused(p, "too large");
    p.rank = 1;
    p.batch[0].n = wide;
    refused(p, "too large");
    refused_text("c2c:f32:4294967296x4294967296x4294967296", "too large");
    refused_text("c2c:f32:4*0", "size 0");
    assert_int_equal(plan_parsed("c2c:f32:1099511627776").dim[0].n, (size_t)1 << 40);
}

static void every_field_must_hold_a_value(void **state)
{
    (void)state;
    for (int field = 0; field < 8; field++)
        for (int bad = -1; bad <= SLUICE_DHT + 1; bad += SLUICE_DHT + 2) {
            sluice_problem p = line(8);
            switch (field) {
            case 0: p.kind[0] = (sluice_kind)bad; break;
            case 1: p.kind[SLUICE_MAX_RANK - 1] = (sluice_kind)bad; break;
            case 2: p.precision = (sluice_precision)bad; break;
            case 3: p.direction = (sluice_direction)bad; break;
            case 4: p.in_layout = (sluice_layout)bad; break;
            case 5: p.out_layout = (sluice_layout)bad; break;
            case 6: p.scale = (sluice_scale)bad; break;
            default: p.mode = (sluice_mode)bad; break;
            }
            refused(p, "no value of its type");
        }
    for (size_t i = 0; i < sizeof line(1).reserved / sizeof line(1).reserved[0]; i++) {
        sluice_problem p = line(8);
        p.reserved[i] = 1;
        refused(p, "reserved");
    }
    sluice_problem p = line(8);
    p.workers = -1;
    refused(p, "workers");
    p.workers = 65537;
    refused(p, "workers");
}

static void options_must_fit(void **state)
{
    (void)state;
    refused_text("r2c:f32:8:inverse", "inverse");
    refused_text("dht*dct2:f32:8x8:inverse", "inverse");
    refused_text("c2c*r2c:f32:8x8:inverse", "inverse");
    refused_text("dht*dct1:f32:8x1", "axis 1 has 1 point, dct1 needs 2");
    refused_text("c2c*dct2:f32:8x8:in_cyclic=4/2", "block-cyclic");
    refused_text("c2c:f32:8:in=packed", "r2c");
    refused_text("dct2:f32:8:out=halfcomplex", "r2c");
    refused_text("c2c:f32:8:inplace:in=split", "one layout");
    refused_text("r2c*c2c:f64:4x4", "axis 0 is r2c");
    refused_text("c2c*c2r*c2c:f64:4x4x4", "axis 1 is c2r");
    refused_text("r2c*c2r:f64:4x4", "axis 0 is r2c");
    refused_text("r2c:f32:8:in=split", "the input is real");
    refused_text("c2r:f32:8:out=packed", "the output is real");
    refused_text("r2c:f32:8:inplace:out=split", "one layout");
    refused_text("r2c:f32:8x8:out=packed", "one axis");
    refused_text("r2c:f32:64:in_cyclic=4/4", "belong to c2c");
    refused_text("c2r:f32:64:out_cyclic=4/4", "belong to c2c");
    refused_text("c2c:f32:64:in_cyclic=0/8", "at least");
    refused_text("c2c:f32:64:in_cyclic=8/0", "at least");
    refused_text("c2c:f32:64:out_cyclic=4/3", "divide");
    refused_text("c2c:f32:64:out_cyclic=128/1", "divide");
    refused_text("c2c:f32:64:out_cyclic=4294967296/4294967296", "divide");
    refused_text("c2c:f32:64*2:in_cyclic=4/4", "batch");
    refused_text("c2c:f32:64@2:in_cyclic=4/4", "strides");
    assert_int_equal(plan_parsed("c2c:f32:64@2:out_cyclic=4/4").out_cyclic.parts, 4);
}

static void strides_are_checked(void **state)
{
    (void)state;
    refused_text("c2c:f32:8x8@8", "input");
    refused_text("c2c:f32:8@/8x8", "output");
    refused_text("c2c:f32:8@1*4", "input");
    refused_text("c2c:f32:8@9223372036854775807", "too far");
    refused_text("c2c:f32:2@9223372036854775807", "too far");
    refused_text("c2c:f32:8@8796093022208x4@8796093022208", "too far");
    refused_text("c2c:f32:8@1/2:inplace", "same strides");
    refused_text("c2c:f32:8@1/1*4@8/9:inplace", "same strides");
    refused_text("r2c:f32:8@1/1*4@8/8:inplace", "twice");
    refused_text("r2c:f32:8@1*4@11:inplace", "twice");
    refused_text("c2r:f32:8@1/1*4@10/10:inplace", "twice");
    refused_text("r2c:f32:8@2:inplace", "stride 1");
    refused_text("r2c:f32:8@-1/-1:inplace", "stride 1");
    refused_text("c2r:f32:8@1/2:inplace", "stride 1");
    sluice_problem p = line(1);
    p.dim[0].out_stride = PTRDIFF_MIN;
    p.dim[0].n = 2;
    refused(p, "too far");
    p = plan_parsed("c2c:f32:8@3*1*4@-24:inplace");
    assert_int_equal(p.dim[0].out_stride, 3);
    assert_int_equal(p.batch[1].out_stride, -24);
    p = plan_parsed("c2c:f32:8@/3*1*4@/-24:inplace");
    assert_int_equal(p.dim[0].in_stride, 3);
    assert_int_equal(p.batch[1].in_stride, -24);
}

static void overlapping_output_is_refused(void **state)
{
    (void)state;
    refused_text("c2c:f32:8@/1*4@/7", "written twice");
    refused_text("c2c:f32:8@/1*4@/-7", "written twice");
    refused_text("c2c:f32:4@/2*3@/4", "written twice");
    refused_text("c2c:f32:4@/1x4@/1", "written twice");
    refused_text("c2c:f32:8@1*4@7:inplace", "written twice");
    refused_text("c2c:f32:100000@/3*100000@/1001", "cannot be shown");
    (void)plan_parsed("c2c:f32:8@1*4@1"); /* overlapping input is legal */
    (void)plan_parsed("c2c:f32:2@/3x3@/2");
    (void)plan_parsed("c2c:f32:3@/-2*2@/3");
    sluice_problem p = line(2);
    sluice_diag why;
    p.batch_rank = 1;
    p.batch[0].n = 3;
    p.dim[0].out_stride = 3;
    p.batch[0].out_stride = 2;
    core_mem_fail_from(1);
    assert_int_equal(sched_problem_normalise(&p, &why), SLUICE_E_MEMORY);
}

/* Elements, spans and bytes of a side, by the table of transforms. */
static void sides_have_extents_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t extent[2], scalars[2], bytes[2]; /* of the last axis; of all */
    } cases[] = {
        {"c2c:f32:8*6", {8, 8}, {2, 2}, {384, 384}},
        {"r2c:f32:8*6", {8, 5}, {1, 2}, {192, 240}},
        {"c2r:f64:9*6", {5, 9}, {2, 1}, {480, 432}},
        {"dct2:f64:9", {9, 9}, {1, 1}, {72, 72}},
        {"c2c*r2c:f32:4x6", {6, 4}, {1, 2}, {96, 128}},
        {"r2c:f32:8*6:inplace", {8, 5}, {1, 2}, {232, 240}},
        {"c2r:f64:4x9:inplace", {5, 9}, {2, 1}, {320, 312}},
        {"r2c:f32:7@16x6@1:inplace", {6, 4}, {1, 2}, {408, 416}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sluice_problem p = plan_parsed(cases[i].text);
        for (int side = 0; side < 2; side++) {
            size_t before, after;
            sched_problem_bytes(&p, side, &before, &after);
            const int last = p.batch_rank + p.rank - 1;
            if (sched_problem_extent(&p, last, side) != cases[i].extent[side]
                || sched_side_scalars(&p, side) != cases[i].scalars[side] || before != 0
                || after != cases[i].bytes[side])
                fail_msg("%s, side %d: %zu elements, %zu bytes", cases[i].text, side,
                         sched_problem_extent(&p, last, side), after);
        }
    }
}

static void formulas_have_the_types_of_the_problem(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *formula, *why; /* NULL: it fits */
    } cases[] = {
        {"c2c:f32:8", "DFT(8)", NULL},
        {"c2c:f32:8", "L(8,2)", NULL},
        {"c2c:f32:8", "V(8) * DCT2(16) * V(8)^-1", NULL},
        {"c2c:f32:8", "V(8)", "the formula is 8 x 16"},
        {"c2c:f32:8", "RE(8) * EMBED(8)", "takes reals to reals, the problem complex numbers to"},
        {"c2c:f32:8", "EMBED(8)", "takes reals to complex numbers"},
        {"c2c:f32:4", "DCT2(5) * RE(5) * RDFT(8) * L(8,2)", "5 x 8"},
        {"r2c:f32:8", "RDFT(8)", NULL},
        {"c2r:f32:9", "IRDFT(9)", NULL},
    };
    spl_ctx *ctx = spl_ctx_open();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sluice_problem p = plan_parsed(cases[i].problem);
        sluice_diag why = {0};
        const spl *x;
        assert_int_equal(spl_parse(ctx, cases[i].formula, &x, &why), SLUICE_OK);
        const sluice_status status = sched_problem_fits(&p, x, &why);
        assert_int_equal(status, cases[i].why == NULL ? SLUICE_OK : SLUICE_E_INVALID);
        if (cases[i].why != NULL && strstr(why.message, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].formula, why.message);
    }
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(defaults_are_filled_in, nothing_leaks),
        cmocka_unit_test_teardown(sizes_are_checked, nothing_leaks),
        cmocka_unit_test_teardown(every_field_must_hold_a_value, nothing_leaks),
        cmocka_unit_test_teardown(options_must_fit, nothing_leaks),
        cmocka_unit_test_teardown(strides_are_checked, nothing_leaks),
        cmocka_unit_test_teardown(overlapping_output_is_refused, nothing_leaks),
        cmocka_unit_test_teardown(sides_have_extents_of_their_own, nothing_leaks),
        cmocka_unit_test_teardown(formulas_have_the_types_of_the_problem, nothing_leaks),
    };
    return cmocka_run_group_tests_name("problem shape", tests, NULL, NULL);
}
