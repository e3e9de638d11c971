// SPDX-License-Identifier: BSD-3-Clause
/* 1000 random legal tagged formulas (sizes, p, s, mu, nu, sides, precision), each against the
 * oracle on `ref` and on CPUs; and random illegal ones, which are refused in a sentence.
 * Reproducible from the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "sched/plan/plan.h"
#include "tests/helpers/helper_net.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 20261122, LEGAL = 1000, ILLEGAL = 1000, ROOM = 4096, POINTS = 1500 };

typedef struct draw {
    uint64_t state;
    bool inverse, twice, split; /* f64; both sides split */
    sluice_unit_info unit;
    core_text out;
} draw;

static size_t below(draw *d, size_t n)
{
    return plan_below(&d->state, n);
}

static bool chance(draw *d, size_t one_in)
{
    return below(d, one_in) == 0;
}

/* ---------------------------------------------------------------- transforms ------------ */

static void add_leaf(draw *d, size_t n)
{
    core_text_printf(&d->out, "%s(%zu)%s", d->inverse ? "IDFT" : "DFT", n,
                     chance(d, 4) ? "" : "_{leaf}");
}

static size_t codelet(draw *d)
{
    static const size_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 20, 24, 25, 32};
    return sizes[below(d, sizeof sizes / sizeof sizes[0])];
}

/* DFT_nm in one of the breakdowns; n m columns or rows can be dealt and streamed. */
static void add_broken(draw *d, size_t n, size_t m)
{
    const char *conjugate = d->inverse ? "^-1" : "";
    const size_t N = n * m;
    core_text_printf(&d->out, "((");
    switch (below(d, 3)) {
    case 0: /* dft-ct */
        add_leaf(d, n);
        core_text_printf(&d->out, " (x) I(%zu)) * T(%zu,%zu)%s * (I(%zu) (x) ", m, n, m, conjugate,
                         n);
        add_leaf(d, m);
        core_text_printf(&d->out, ") * L(%zu,%zu))", N, n);
        break;
    case 1: /* dft-stockham */
        add_leaf(d, m);
        core_text_printf(&d->out, " (x) I(%zu)) * L(%zu,%zu) * T(%zu,%zu)%s * (", n, N, m, n, m,
                         conjugate);
        add_leaf(d, n);
        core_text_printf(&d->out, " (x) I(%zu)))", m);
        break;
    default: /* dft-sixstep */
        core_text_printf(&d->out, "L(%zu,%zu)) * (I(%zu) (x) ", N, n, m);
        add_leaf(d, n);
        core_text_printf(&d->out, ") * L(%zu,%zu) * T(%zu,%zu)%s * (I(%zu) (x) ", N, m, n, m,
                         conjugate, n);
        add_leaf(d, m);
        core_text_printf(&d->out, ") * L(%zu,%zu))", N, n);
    }
}

/* ---------------------------------------------------------------- tags ------------------ */

/* s for a stream around spe, whose blocks must have columns or rows to deal: of a batch any, else a
 * divisor of both sizes that leaves some. */
static size_t around_parts(draw *d, size_t n, size_t m, size_t batch)
{
    if (batch > 1)
        return 1 + below(d, batch + 2);
    const size_t s = 1 + below(d, 4);
    return n % s == 0 && m % s == 0 && n > s && m > s ? s : 1;
}

static void add_stream(draw *d, size_t s)
{
    if (chance(d, 5))
        core_text_printf(&d->out, "local(%zu)", (size_t)65536 << below(d, 3));
    else
        core_text_printf(&d->out, "stream(%zu)", s);
}

/* Tags of a legal nest around a transform of n x m points, or a batch of them. */
static void add_tags(draw *d, size_t n, size_t m, size_t batch)
{
    const int lanes = d->twice ? d->unit.lanes_f64 : d->unit.lanes_f32;
    const size_t least = n < m ? n : m, s = around_parts(d, n, m, batch), p = 1 + below(d, 6);
    const size_t left = batch > 1 ? least : least / s; /* columns in a block */
    core_text_printf(&d->out, "_{");
    if (lanes > 1 && chance(d, 2))
        core_text_printf(&d->out, "vec(%d,%s),", d->split ? 2 * lanes : lanes,
                         d->split ? "split" : "inter");
    if (chance(d, 4))
        core_text_printf(&d->out, "tile(%zu),", 1 + below(d, 12));
    switch (below(d, 4)) {
    case 0: core_text_printf(&d->out, "spe(%zu,%zu)", p, 1 + below(d, least)); break;
    case 1: add_stream(d, 1 + below(d, 9)); break;
    case 2:
        add_stream(d, 1 + below(d, 9));
        core_text_printf(&d->out, ",spe(%zu,%zu)", p, 1 + below(d, least));
        break;
    default: core_text_printf(&d->out, "spe(%zu,%zu),", p, 1 + below(d, left)); add_stream(d, s);
    }
    core_text_printf(&d->out, "}");
}

static size_t divisor(draw *d, size_t n)
{
    size_t k;
    do
        k = 1 + below(d, n);
    while (n % k != 0);
    return k;
}

/* Precision, direction, layouts, block-cyclic orders, in place. */
static void add_options(draw *d, size_t points, bool batch)
{
    static const char *const layouts[] = {"",
                                          ":in=split",
                                          ":out=split",
                                          ":inplace",
                                          ":in=split:out=split",
                                          "",
                                          ":inplace:in=split:out=split"};
    const char *layout = layouts[below(d, sizeof layouts / sizeof layouts[0])];
    d->split = strstr(layout, "in=split:out=split") != NULL;
    core_text_printf(&d->out, "%s%s", d->inverse ? ":inverse" : "", layout);
    for (int side = 0; side < 2 && !batch; side++)
        if (chance(d, 3)) {
            const size_t block = divisor(d, points);
            core_text_printf(&d->out, ":%s_cyclic=%zu/%zu", side ? "out" : "in", block,
                             divisor(d, points / block));
        }
    core_text_printf(&d->out, " := ");
}

/* A legal "PROBLEM := FORMULA" of at most POINTS points. */
static void add_legal(draw *d)
{
    const bool batch = chance(d, 3), planes = chance(d, 4);
    size_t n, m, b;
    do {
        n = codelet(d);
        m = codelet(d);
        b = batch ? 2 + below(d, 12) : 1;
    } while (n * m * b > POINTS);
    d->inverse = chance(d, 2);
    d->twice = chance(d, 2);
    core_text_printf(&d->out, "c2c:%s:", d->twice ? "f64" : "f32");
    if (planes)
        core_text_printf(&d->out, "%zux%zu", n, m);
    else
        core_text_printf(&d->out, "%zu", n * m);
    if (batch)
        core_text_printf(&d->out, "*%zu", b);
    add_options(d, n * m, batch);
    if (batch)
        core_text_printf(&d->out, "(I(%zu) (x) ", b);
    if (planes) {
        core_text_printf(&d->out, "(");
        add_leaf(d, n);
        core_text_printf(&d->out, " (x) ");
        add_leaf(d, m);
        core_text_printf(&d->out, ")");
    } else {
        add_broken(d, n, m);
    }
    if (batch)
        core_text_printf(&d->out, ")");
    add_tags(d, n, m, b);
}

/* ---------------------------------------------------------------- checks ---------------- */

static void check(sluice_machine *m, const char *line)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    double error = 1, bound = 0;
    if (sluice_plan_from_formula(&plan, m, line, SLUICE_F32, NULL, &why) != SLUICE_OK)
        fail_msg("%s: at %zu: %s", line, why.offset, why.message);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    if (!(error <= 2 * bound)) /* the bound is one of many points */
        fail_msg("%s: error %g, bound %g", line, error, bound);
    net_check(plan->body, line);
    sluice_plan_destroy(plan);
}

static void legal_formulas_hold(void **state)
{
    draw d = {.state = SEED};
    (void)state;
    sluice_machine *m[] = {plan_machine("ref:3", NULL), plan_machine("cpu:1", "scalar"),
                           plan_machine("cpu:3", NULL), plan_machine("cpu:2/helper", NULL)};
    int with[4] = {0};
    for (int i = 0; i < LEGAL; i++) {
        d.out = (core_text){0};
        assert_int_equal(sluice_machine_unit_info(m[1 + i % 3], 0, &d.unit), SLUICE_OK);
        add_legal(&d);
        const char *line = core_text_string(&d.out);
        with[0] += strstr(line, "spe(") != NULL;
        with[1] += strstr(line, "stream(") != NULL;
        with[2] += strstr(line, "spe(") && strstr(line, "stream(");
        with[3] += strstr(line, "cyclic=") != NULL;
        check(m[0], line);
        check(m[1 + i % 3], line);
        core_text_free(&d.out);
    }
    for (int k = 0; k < 4; k++)
        assert_true(with[k] > LEGAL / 5); /* what is drawn is what is meant */
    for (size_t k = 0; k < sizeof m / sizeof m[0]; k++)
        sluice_machine_close(m[k]);
}

/* Transforms inside of vec that no codelet computes get trees without a vec of their own: products,
 * cosines, and without tiles, which hold vec. */
static void vectors_hold_trees(void **state)
{
    static const char *const columns[] = {"DFT(100)", "DFT(131072)", "DCT2(100)"};
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_unit_info u;
    char line[ROOM];
    (void)state;
    assert_int_equal(sluice_machine_unit_info(m, 0, &u), SLUICE_OK);
    for (int i = 0; i < 3 && u.lanes_f32 > 1; i++) {
        snprintf(line, sizeof line, "(%s (x) I(8))_{vec(%d,inter)}", columns[i], u.lanes_f32);
        check(m, line);
    }
    snprintf(line, sizeof line,
             "c2c:f32:1000:in=split:out=split := ((DFT(100) (x) I(10)) * L(1000,100) * T(10,100)"
             " * (DFT(10) (x) I(100)))_{vec(%d,split)}",
             2 * u.lanes_f32);
    if (u.lanes_f32 > 1)
        check(m, line);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- illegal --------------- */

/* Tags of any kind, any order, any size, on anything. */
static void add_any(draw *d, int depth)
{
    static const size_t large[] = {1, 2, 3, 64, 1000, 65537, (size_t)1 << 30, (size_t)1 << 40};
    static const char *const atoms[] = {"DFT(7)_{leaf}", "L(12,3)", "T(4,4)",
                                        "IDFT(16)",      "I(5)",    "DFT(8)_{leaf}",
                                        "G(h(4,8,0,1))", "DFT(1)"};
    const size_t shape = depth > 3 ? 4 : below(d, 6);
    core_text_printf(&d->out, "(");
    switch (shape) {
    case 0:
        core_text_printf(&d->out, "I(%zu) (x) ", 1 + below(d, 9));
        add_any(d, depth + 1);
        break;
    case 1:
        add_any(d, depth + 1);
        core_text_printf(&d->out, " (x) I(%zu)", 1 + below(d, 9));
        break;
    case 2:
        add_any(d, depth + 1);
        core_text_printf(&d->out, chance(d, 2) ? " * " : " (x) ");
        add_any(d, depth + 1);
        break;
    case 3: add_broken(d, codelet(d), codelet(d)); break;
    default: core_text_printf(&d->out, "%s", atoms[below(d, sizeof atoms / sizeof atoms[0])]);
    }
    core_text_printf(&d->out, ")");
    for (size_t k = below(d, 4); k > 0; k--) {
        const size_t a = large[below(d, 8)], b = large[below(d, 8)];
        switch (below(d, 6)) {
        case 0: core_text_printf(&d->out, "_{spe(%zu,%zu)}", a, b); break;
        case 1: core_text_printf(&d->out, "_{stream(%zu)}", a); break;
        case 2: core_text_printf(&d->out, "_{tile(%zu)}", a); break;
        case 3: core_text_printf(&d->out, "_{vec(%zu,%s)}", a, b % 2 ? "inter" : "split"); break;
        case 4: core_text_printf(&d->out, "_{local(%zu)}", a); break;
        default: core_text_printf(&d->out, "_{leaf}");
        }
    }
}

static void illegal_formulas_are_refused_in_a_sentence(void **state)
{
    draw d = {.state = SEED + 1};
    int refused = 0;
    (void)state;
    sluice_machine *m[] = {plan_machine("ref:3", NULL), plan_machine("cpu:2", NULL)};
    for (int i = 0; i < ILLEGAL; i++) {
        d.out = (core_text){0};
        add_any(&d, 0);
        for (size_t k = 0; k < 2; k++) {
            sluice_plan *plan = NULL;
            sluice_diag why = {0};
            double error = 1, bound = 0;
            const sluice_status status = sluice_plan_from_formula(
                &plan, m[k], core_text_string(&d.out), SLUICE_F64, NULL, &why);
            if (status != SLUICE_OK) {
                assert_null(plan);
                assert_true(status == SLUICE_E_UNSUPPORTED || status == SLUICE_E_INVALID);
                if (strlen(why.message) < 15 || strchr(why.message, ' ') == NULL)
                    fail_msg("%s: \"%s\" is no sentence", core_text_string(&d.out), why.message);
                refused++;
                continue;
            }
            assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
            if (!(error <= 4 * bound))
                fail_msg("%s: error %g, bound %g", core_text_string(&d.out), error, bound);
            sluice_plan_destroy(plan);
        }
        core_text_free(&d.out);
    }
    assert_true(refused > ILLEGAL / 2);
    for (size_t k = 0; k < 2; k++)
        sluice_machine_close(m[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legal_formulas_hold),
        cmocka_unit_test(vectors_hold_trees),
        cmocka_unit_test(illegal_formulas_are_refused_in_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
