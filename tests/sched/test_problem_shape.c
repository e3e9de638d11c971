// SPDX-License-Identifier: BSD-3-Clause
/* Problems as structs: defaults, strides, spans and overlap against brute force, refusals, and
 * random problems through print and parse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"

/* A c2c problem of one axis, and no more. */
static sluice_problem line(size_t n)
{
    sluice_problem p;
    memset(&p, 0, sizeof p);
    p.rank = 1;
    p.dim[0].n = n;
    return p;
}

static sluice_problem parsed(const char *text)
{
    sluice_problem p;
    sluice_diag why = {0};
    memset(&p, 0, sizeof p);
    if (sched_problem_parse(&p, text, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return p;
}

static void round_trip(const sluice_problem *p)
{
    core_text out = {0};
    assert_int_equal(sched_problem_print(p, &out), SLUICE_OK);
    const sluice_problem again = parsed(core_text_string(&out));
    if (memcmp(&again, p, sizeof again) != 0)
        fail_msg("%s parses back to something else", core_text_string(&out));
    core_text_free(&out);
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
    assert_int_equal(parsed("c2c:f32:1099511627776").dim[0].n, (size_t)1 << 40);
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
    assert_int_equal(parsed("c2c:f32:64@2:out_cyclic=4/4").out_cyclic.parts, 4);
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
    p = parsed("c2c:f32:8@3*1*4@-24:inplace");
    assert_int_equal(p.dim[0].out_stride, 3);
    assert_int_equal(p.batch[1].out_stride, -24);
    p = parsed("c2c:f32:8@/3*1*4@/-24:inplace");
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
    (void)parsed("c2c:f32:8@1*4@1"); /* overlapping input is legal */
    (void)parsed("c2c:f32:2@/3x3@/2");
    (void)parsed("c2c:f32:3@/-2*2@/3");
    sluice_problem p = line(2);
    sluice_diag why;
    p.batch_rank = 1;
    p.batch[0].n = 3;
    p.dim[0].out_stride = 3;
    p.batch[0].out_stride = 2;
    core_mem_fail_from(1);
    assert_int_equal(sched_problem_normalise(&p, &why), SLUICE_E_MEMORY);
}

/* Element offset of the point `index` of a side, and its bounds over all points, by enumeration. */
typedef struct walk {
    int dims;
    sluice_dim dim[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    ptrdiff_t lo, hi;
    unsigned char seen[4096];
    bool twice;
} walk;

static void visit(walk *w, int d, int side, ptrdiff_t at)
{
    if (d < w->dims) {
        const ptrdiff_t stride = side ? w->dim[d].out_stride : w->dim[d].in_stride;
        for (size_t i = 0; i < w->dim[d].n; i++)
            visit(w, d + 1, side, at + (ptrdiff_t)i * stride);
        return;
    }
    w->lo = at < w->lo ? at : w->lo;
    w->hi = at > w->hi ? at : w->hi;
    assert_true(at > -2048 && at < 2048);
    if (w->seen[at + 2048]++)
        w->twice = true;
}

/* The strides that the struct says, or those of a dense array, slowest first. */
static void lay_out(walk *w, const sluice_problem *p, int side)
{
    ptrdiff_t dense = 1;
    bool any = false;
    memset(w, 0, sizeof *w);
    w->dims = p->batch_rank + p->rank;
    for (int d = w->dims - 1; d >= 0; d--) {
        w->dim[d] = d < p->batch_rank ? p->batch[d] : p->dim[d - p->batch_rank];
        any = any || (side ? w->dim[d].out_stride : w->dim[d].in_stride) != 0;
    }
    assert_int_equal(sched_problem_packed(p, side), !any);
    for (int d = w->dims - 1; d >= 0 && !any; d--) {
        *(side ? &w->dim[d].out_stride : &w->dim[d].in_stride) = dense;
        dense *= (ptrdiff_t)w->dim[d].n;
    }
}

static void check_side(const sluice_problem *p, int side)
{
    static walk w;
    ptrdiff_t lo, hi;
    lay_out(&w, p, side);
    for (int d = 0; d < w.dims; d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        assert_int_equal(dim.n, w.dim[d].n);
        if (side)
            assert_int_equal(dim.out_stride, w.dim[d].out_stride);
        else
            assert_int_equal(dim.in_stride, w.dim[d].in_stride);
    }
    visit(&w, 0, side, 0);
    sched_problem_span(p, side, &lo, &hi);
    assert_int_equal(lo, w.lo);
    assert_int_equal(hi, w.hi);
}

/* xorshift64* (Vigna 2016): any seed but 0. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1DU;
}

static int below(uint64_t *seed, int n)
{
    return (int)(next_random(seed) >> 33) % n;
}

/* Small problems with any strides: accepted exactly where no output element is written twice. */
static void shapes_are_those_of_brute_force(void **state)
{
    (void)state;
    static walk w;
    uint64_t seed = 7;
    int clashes = 0;
    for (int i = 0; i < 20000; i++) {
        sluice_problem p = line((size_t)(1 + below(&seed, 5)));
        p.rank = 1 + below(&seed, 2);
        p.dim[1].n = (size_t)(1 + below(&seed, 4));
        p.batch_rank = below(&seed, 2);
        p.batch[0].n = (size_t)(1 + below(&seed, 3));
        sluice_dim *const dim[] = {&p.dim[0], p.batch_rank ? &p.batch[0] : &p.dim[p.rank - 1],
                                   &p.dim[p.rank - 1]};
        const bool in = below(&seed, 3), out = below(&seed, 3);
        for (int d = 0; d < 3; d++) {
            const ptrdiff_t sign = below(&seed, 2) ? 1 : -1;
            dim[d]->in_stride = in ? sign * (1 + below(&seed, 9)) : 0;
            dim[d]->out_stride = out ? sign * (1 + below(&seed, 13)) : 0;
        }
        lay_out(&w, &p, 1);
        visit(&w, 0, 1, 0);
        const sluice_status status = sched_problem_normalise(&p, NULL);
        assert_int_equal(status, w.twice ? SLUICE_E_INVALID : SLUICE_OK);
        clashes += w.twice;
        check_side(&p, 0);
        check_side(&p, 1);
    }
    assert_true(clashes > 1000 && clashes < 19000);
}

/* Output strides that never overlap: dimensions in any order, each beyond the ones before. */
static void random_strides(sluice_problem *p, uint64_t *seed)
{
    const bool in = below(seed, 2), out = below(seed, 2);
    const int dims = p->rank + p->batch_rank;
    const int first = below(seed, dims), turn = below(seed, 2) ? 1 : dims - 1;
    ptrdiff_t beyond = 1;
    for (int i = 0; i < dims; i++) {
        const int d = (first + i * turn) % dims;
        sluice_dim *dim = d < p->rank ? &p->dim[d] : &p->batch[d - p->rank];
        if (out)
            dim->out_stride = (below(seed, 2) ? -1 : 1) * (beyond + below(seed, 3));
        beyond += (ptrdiff_t)dim->n * (dim->out_stride < 0 ? -dim->out_stride : dim->out_stride);
        if (in)
            dim->in_stride = 1 + below(seed, 1000) - (below(seed, 2) ? 1001 : 0);
        if (p->in_place && in && out)
            dim->in_stride = dim->out_stride;
    }
}

/* r2c and c2r stand last. */
static sluice_kind random_kind(bool c2c, bool last, uint64_t *seed)
{
    const sluice_kind kind = (sluice_kind)below(seed, c2c ? 2 : SLUICE_DHT + 1);
    return !last && (kind == SLUICE_R2C || kind == SLUICE_C2R) ? SLUICE_C2C : kind;
}

static sluice_problem random_problem(uint64_t *seed)
{
    sluice_problem p;
    memset(&p, 0, sizeof p);
    p.rank = 1 + below(seed, SLUICE_MAX_RANK);
    p.batch_rank = below(seed, SLUICE_MAX_BATCH_RANK + 1);
    const bool c2c = below(seed, 2);
    for (int d = 0; d < p.rank; d++) {
        p.kind[d] = random_kind(c2c, d == p.rank - 1, seed);
        p.dim[d].n = (size_t)(1 + below(seed, 4));
    }
    for (int d = 0; d < p.batch_rank; d++)
        p.batch[d].n = (size_t)(1 + below(seed, 3));
    p.precision = (sluice_precision)below(seed, 2);
    p.direction = (sluice_direction)(c2c && below(seed, 2));
    p.in_place = below(seed, 2);
    p.in_layout = c2c ? (sluice_layout)below(seed, 2) : SLUICE_INTERLEAVED;
    p.out_layout = p.in_place || !c2c ? p.in_layout : (sluice_layout)below(seed, 2);
    p.scale = (sluice_scale)below(seed, 3);
    p.mode = (sluice_mode)below(seed, 3);
    p.workers = below(seed, 3);
    if (below(seed, 2))
        random_strides(&p, seed);
    return p;
}

static void random_problems_come_back(void **state)
{
    (void)state;
    uint64_t seed = 20240611;
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        sluice_problem p = random_problem(&seed);
        if (sched_problem_normalise(&p, NULL) != SLUICE_OK)
            continue; /* in place, strides of its own random input that overlap */
        accepted++;
        round_trip(&p);
        sluice_problem again = p;
        assert_int_equal(sched_problem_normalise(&again, NULL), SLUICE_OK);
        assert_memory_equal(&again, &p, sizeof p); /* normalising twice changes nothing */
    }
    assert_true(accepted > 15000);
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
        const sluice_problem p = parsed(cases[i].text);
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
        const sluice_problem p = parsed(cases[i].problem);
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
        cmocka_unit_test_teardown(shapes_are_those_of_brute_force, nothing_leaks),
        cmocka_unit_test_teardown(random_problems_come_back, nothing_leaks),
        cmocka_unit_test_teardown(sides_have_extents_of_their_own, nothing_leaks),
        cmocka_unit_test_teardown(formulas_have_the_types_of_the_problem, nothing_leaks),
    };
    return cmocka_run_group_tests_name("problem shape", tests, NULL, NULL);
}
