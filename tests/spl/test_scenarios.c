// SPDX-License-Identifier: BSD-3-Clause
/* The usage scenarios of Spiral for the Cell: every formula is the transform, on `ref`, which gets
 * and puts explicitly, and on CPUs; and its loops are of the kinds that docs/SCENARIOS.md
 * claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/program/program.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_scenario.h"

/* p, s and mu divide, or do not. */
static const scenario_size sizes[] = {
    {8, 8, 8, 2, 4, 4},    {16, 16, 16, 4, 4, 8}, {16, 8, 12, 2, 2, 3}, {4, 32, 6, 2, 2, 2},
    {12, 10, 9, 3, 2, 5},  {7, 9, 5, 2, 1, 3},    {5, 16, 7, 3, 4, 2},  {32, 16, 4, 4, 1, 4},
    {15, 11, 11, 4, 3, 7}, {6, 6, 3, 3, 1, 2},    {16, 64, 5, 5, 4, 3}, {13, 12, 10, 7, 1, 11},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static sluice_plan *verified(sluice_machine *m, const char *line)
{
    sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
    double error = 1, bound = 0;
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    if (!(error <= 2 * bound)) /* the bound is one of many points */
        fail_msg("%s: error %g, bound %g", line, error, bound);
    return plan;
}

static bool holds(const sluice_plan *plan, prog_op op, spl_loop kind)
{
    for (size_t i = 0; i < plan->body->nstmts; i++) {
        const prog_stmt *s = &plan->body->stmt[i];
        if (s->op == op && (op != PROG_LOOP || s->range.kind == kind))
            return true;
    }
    return false;
}

static bool is_even(const scenario_size *z)
{
    return z->n % z->p == 0 && z->m % z->p == 0 && z->m / z->p % z->mu == 0;
}

static void check_stores(sluice_machine *m, const scenario *x, const scenario_size *z,
                         const char *line)
{
    const char *nest_of = x->uneven == NULL || is_even(z) ? x->nest : x->uneven;
    core_text nest = {0};
    sluice_diag why = {0};
    sluice_plan *plan = verified(m, line);
    scenario_nest(plan->body, &nest);
    if (strcmp(core_text_string(&nest), nest_of) != 0)
        fail_msg("%s: %s is %s, not %s", line, x->name, core_text_string(&nest), nest_of);
    if (prog_check(plan->body, 0, 8, &why) != SLUICE_OK)
        fail_msg("%s: %s", line, why.message);
    core_text_free(&nest);
    sluice_plan_destroy(plan);
}

/* Caches fetch by themselves: the same parts and barriers, no transfers. */
static void check_caches(sluice_machine *m, const scenario *x, const char *line)
{
    sluice_plan *plan = verified(m, line);
    assert_false(holds(plan, PROG_COPY, SPL_SEQ));
    assert_true(holds(plan, PROG_LOOP, SPL_PAR) == (strstr(x->nest, "par") != NULL));
    assert_true(holds(plan, PROG_SYNC, SPL_SEQ) == (strstr(x->nest, "sync") != NULL));
    sluice_plan_destroy(plan);
}

static void every_scenario_is_its_transform(void **state)
{
    char line[SCENARIO_TEXT_SIZE];
    (void)state;
    sluice_machine *stores = plan_machine("ref:4", NULL), *caches = plan_machine("cpu:4", NULL);
    for (int x = 0; x < SCENARIOS; x++)
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < 2; k++) {
                scenario_line(&scenarios[x], &sizes[i], k ? "f64" : "f32", line);
                check_stores(stores, &scenarios[x], &sizes[i], line);
                check_caches(caches, &scenarios[x], line);
            }
    sluice_machine_close(stores);
    sluice_machine_close(caches);
}

/* Table 3(b) rows 2 and 3 differ in the order of tags alone. */
static void the_order_of_tags_is_the_order_of_loops(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"(I(8) (x) ((DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}) * L(16,4)))"
         "_{stream(2),spe(2,1)}",
         "par(stream(get k put))"},
        {"(I(8) (x) ((DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}) * L(16,4)))"
         "_{spe(2,1),stream(8)}",
         "stream(par(get k) sync par(k put) sync)"},
    };
    sluice_machine *m = plan_machine("ref:2", NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        core_text nest = {0};
        sluice_plan *plan = verified(m, pairs[i][0]);
        scenario_nest(plan->body, &nest);
        assert_string_equal(core_text_string(&nest), pairs[i][1]);
        core_text_free(&nest);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Three passes where a column does not fit: three stages, each streamed by all parts. */
static void three_passes_stream_too(void **state)
{
    (void)state;
    static const char line[] =
        "c2c:f64:1680 := ((DFT(14)_{leaf} (x) I(120)) * (L(168,14) (x) I(10)) * (T(12,14) (x) "
        "I(10)) * (DFT(12)_{leaf} (x) I(140)) * L(1680,168) * T(10,168) * (DFT(10)_{leaf} (x) "
        "I(168)))_{stream(4),spe(3,2)}";
    core_text nest = {0};
    sluice_machine *m = plan_machine("ref:3", NULL);
    sluice_plan *plan = verified(m, line);
    scenario_nest(plan->body, &nest);
    assert_string_equal(core_text_string(&nest),
                        "par(stream(get k put)) sync par(stream(get k put)) sync "
                        "par(stream(get k put))");
    core_text_free(&nest);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A transform that tags are to split is broken down so that its stages have the columns for that;
 * shares that are not equal are named. */
static void bare_transforms_are_broken_for_their_tags(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *has;
    } cases[] = {
        {"DFT(64)_{spe(2,4)}", "((DFT(8)_{leaf} (x) I(8))"},
        {"DFT(64)_{stream(4),spe(2,2)}", "((DFT(8)_{leaf} (x) I(8))"},
        {"DFT(64)_{spe(2,4),stream(1)}", "((DFT(8)_{leaf} (x) I(8))"},
        {"DFT(64)_{stream(1)}", "DFT(64)_{leaf,stream(1)}"},
        {"(I(3) (x) DFT(64)_{spe(2,4)})_{stream(3)}", "((DFT(8)_{leaf} (x) I(8))"},
        {"DFT(35)_{spe(2,1)}", "# uneven: 5 iterations in 2 shares by multiples of "},
        {"(I(7) (x) DFT(16)_{leaf})_{stream(3),spe(2,1)}", "# uneven: 7 iterations in 6 shares"},
    };
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = verified(m, cases[i].formula);
        const plan_text t = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        const char *has = cases[i].has;
        char *bare = test_malloc(t.length + 1); /* without lanes, which machines differ in */
        size_t n = 0;
        for (const char *c = t.data; *c != '\0'; c++) {
            if (strncmp(c, "_{vec(", 6) == 0)
                c += strcspn(c, "}");
            else
                bare[n++] = *c;
        }
        bare[n] = '\0';
        if (strstr(bare, has) == NULL)
            fail_msg("%s: no \"%s\" in\n%s", cases[i].formula, has, bare);
        test_free(bare);
        test_free(t.data);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* s from the local store: what is derived fits, a store that holds no row or column refuses. */
static void local_stores_derive_s(void **state)
{
    (void)state;
    static const char *const formulas[] = {
        "(I(64) (x) DFT(32)_{leaf})_{local(%zu)}",
        "(DFT(32)_{leaf} (x) I(60))_{local(%zu),spe(3,2)}",
        "(I(7) (x) DFT(16)_{leaf} (x) I(3))_{local(%zu),spe(2,1)}",
        "((DFT(32)_{leaf} (x) I(64)) * T(32,64) * (I(32) (x) DFT(64)_{leaf}) * L(2048,32))"
        "_{local(%zu)}",
        "((DFT(32)_{leaf} (x) I(64)) * T(32,64) * (I(32) (x) DFT(64)_{leaf}) * L(2048,32))"
        "_{local(%zu),spe(4,2)}",
        "(I(9) (x) ((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8)))"
        "_{spe(2,4),local(%zu)}",
        "(DFT(16) (x) DFT(32))_{local(%zu)}",
    };
    int derived = 0, refused = 0;
    for (size_t bytes = 1024; bytes <= 65536; bytes *= 2) {
        const sluice_machine_options options = {.units = "ref:4", .local_store = bytes};
        sluice_machine *m = NULL;
        assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
        for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
            char text[SCENARIO_TEXT_SIZE];
            sluice_plan *plan = NULL;
            sluice_diag why = {0};
            snprintf(text, sizeof text, formulas[i], bytes);
            const sluice_status status =
                sluice_plan_from_formula(&plan, m, text, SLUICE_F32, NULL, &why);
            if (status == SLUICE_OK) {
                char *line = plan_line(plan);
                assert_null(strstr(line, "local"));
                assert_non_null(strstr(line, "stream("));
                sluice_plan_destroy(verified(m, line));
                test_free(line);
                derived++;
            } else if (strstr(why.message, "rule local: a row or column does not fit") != NULL) {
                refused++;
            } else {
                fail_msg("%s: %s", text, why.message);
            }
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
    assert_true(derived > 25 && refused > 2);
}

/* What `sluice explain` calls a plan. */
static void plans_name_their_scenario(void **state)
{
    (void)state;
    static const struct {
        const char *units, *line, *name;
    } cases[] = {
        {"cpu:2", "c2c:f32:65536", "a1"},
        {"cpu:1", "c2c:f32:65536", "a2"},
        {"cpu:2", "c2c:f32:1024", "a2"},
        {"cpu:2", "c2c:f64:131072", "a3"},
        {"cpu:2", "c2c:f32:1024x1024", "a4"},
        {"cpu:1", "c2c:f32:1024x1024", "a4"},
        {"cpu:2", "c2c:f32:512x256", "a3"},
        {"cpu:2", "c2c:f32:1048576", "LP"},
        {"cpu:1", "c2c:f32:1000*20", "b1"},
        {"cpu:2", "c2c:f32:1000*20", "b2"},
        {"cpu:4", "c2c:f32:65536*2:latency", "b3"},
        {"ref:2", "DFT(64)_{stream(1)}", "a2"},
        {"ref:2",
         "((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8))"
         "_{spe(2,4)}",
         "a1"},
        {"ref:2", "DFT(64)_{spe(2,4),stream(1)}", "a3"},
        {"ref:2", "(DFT(8) (x) DFT(16))_{stream(4)}", "a4"},
        {"ref:2", "DFT(256)_{stream(4),spe(2,4)}", "LP"},
        {"ref:2", "(I(8) (x) DFT(16))_{stream(4)}", "b1"},
        {"ref:2", "(I(8) (x) DFT(16))_{stream(4),spe(2,1)}", "b2"},
        {"ref:2", "(I(8) (x) DFT(64)_{spe(2,4)})_{stream(8)}", "b3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sluice_machine_options options = {.units = cases[i].units,
                                                .local_store = (size_t)1 << 20};
        char expected[32];
        sluice_machine *m = NULL;
        assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
        const bool problem = strncmp(cases[i].line, "c2c", 3) == 0;
        sluice_plan *plan =
            problem ? plan_made(m, cases[i].line) : plan_of_formula(m, cases[i].line, SLUICE_F32);
        const plan_text t = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        snprintf(expected, sizeof expected, "# scenario %s: ", cases[i].name);
        if (strncmp(t.data, expected, strlen(expected)) != 0)
            fail_msg("%s on %s is no %s: %.60s", cases[i].line, cases[i].units, cases[i].name,
                     t.data);
        test_free(t.data);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* What a part holds must fit its local store, with the buffers that rotate. */
static void a_local_store_that_is_too_small_refuses(void **state)
{
    (void)state;
    const sluice_machine_options options = {.units = "ref", .local_store = 16384};
    sluice_machine *m = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_plan_from_formula(&plan, m, "(I(8) (x) DFT(512)_{leaf})_{stream(8)}",
                                              SLUICE_F32, NULL, &why),
                     SLUICE_OK);
    sluice_plan_destroy(plan);
    plan = NULL;
    assert_int_equal(sluice_plan_from_formula(&plan, m, "(I(8) (x) DFT(512)_{leaf})_{stream(4)}",
                                              SLUICE_F32, NULL, &why),
                     SLUICE_E_UNSUPPORTED);
    assert_null(plan);
    assert_non_null(strstr(why.message, "rule local: 4096 elements of 8 bytes do not fit"));
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scenario_is_its_transform),
        cmocka_unit_test(the_order_of_tags_is_the_order_of_loops),
        cmocka_unit_test(three_passes_stream_too),
        cmocka_unit_test(bare_transforms_are_broken_for_their_tags),
        cmocka_unit_test(local_stores_derive_s),
        cmocka_unit_test(plans_name_their_scenario),
        cmocka_unit_test(a_local_store_that_is_too_small_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
