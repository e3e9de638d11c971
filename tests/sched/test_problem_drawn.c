// SPDX-License-Identifier: BSD-3-Clause
/* Drawn problems: spans and overlap against brute force, strings that come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

static void round_trip(const sluice_problem *p)
{
    core_text out = {0};
    assert_int_equal(sched_problem_print(p, &out), SLUICE_OK);
    const sluice_problem again = plan_parsed(core_text_string(&out));
    if (memcmp(&again, p, sizeof again) != 0)
        fail_msg("%s parses back to something else", core_text_string(&out));
    core_text_free(&out);
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

static int below(uint64_t *seed, int n)
{
    return (int)(plan_random(seed) >> 33) % n;
}

/* Small problems with any strides: accepted exactly where no output element is written twice. */
static void shapes_are_those_of_brute_force(void **state)
{
    (void)state;
    static walk w;
    uint64_t seed = 7;
    int clashes = 0;
    for (int i = 0; i < 20000; i++) {
        sluice_problem p;
        memset(&p, 0, sizeof p);
        p.dim[0].n = (size_t)(1 + below(&seed, 5));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shapes_are_those_of_brute_force, nothing_leaks),
        cmocka_unit_test_teardown(random_problems_come_back, nothing_leaks),
    };
    return cmocka_run_group_tests_name("problem drawn", tests, NULL, NULL);
}
