// SPDX-License-Identifier: BSD-3-Clause
/* Reproducible plans have the same bits on every instruction set of this processor, for any number
 * of workers, in any place of a batch, in any layout (on devices: test_opencl_bits.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_reproducible.h"

enum { SEED = 20261123, DRAWN = PLAN_SANITIZED ? 12 : 100 };

static const char *const fixed[] = {
    "c2c:f32:8",
    "c2c:f32:16*3",
    "c2c:f32:32*40",
    "c2c:f64:64",
    "c2c:f32:96*5:inverse",
    "c2c:f32:1024",
    "c2c:f64:4096:inplace",
    "c2c:f32:37",
    "c2c:f64:1009:scale=n",
    "c2c:f32:4099",
    "c2c:f32:65536",
    "c2c:f64:131072:scale=ortho",
    "c2c:f32:17*9",
    "c2c:f32:961:in=split:out=split",
    "c2c:f64:1000*7:in=split",
    "c2c:f32:30x20x7:out=split:inverse",
    "c2c:f64:64x64:inplace",
    "c2c:f32:16@17/17*17@1/1",
    "c2c:f64:360@-1/2*4@500/1000",
    "c2c:f32:4096:in_cyclic=16/4:out_cyclic=16/4",
    "c2c:f32:1024*5:latency",
    "r2c:f32:100",
    "c2r:f64:1024*3",
    "r2c:f32:30x64:inplace",
    "r2c:f64:101",
    "r2c:f32:64*5:out=halfcomplex",
    "c2r:f32:96:in=packed",
    "dct1:f64:33",
    "dct2:f32:128x96:scale=ortho",
    "dct3:f64:480",
    "dct4:f32:64*7",
    "dst2:f32:15*9",
    "dst4:f64:1024",
    "dht:f32:360:scale=n",
    "idxst:f32:128",
    "dct2*r2c:f32:96x64",
    "dct2:f64:24x10",
    "dct3:f32:40x9:inplace",
    "idxst:f64:36x6",
    "dct4:f32:33x12",
    "dst3:f32:512*3",
    "r2c:f64:480:out=packed",
};
enum { FIXED = sizeof fixed / sizeof *fixed };

static const char *drawn_kind(uint64_t *state)
{
    static const char *const kinds[] = {"r2c",  "c2r",  "dct1", "dct2", "dct3",  "dct4",
                                        "dst1", "dst2", "dst3", "dst4", "idxst", "dht"};

    return plan_below(state, 2) ? "c2c" : kinds[plan_below(state, sizeof kinds / sizeof *kinds)];
}

/* Sizes of small factors and of any, batches, a second axis, options. */
static void draw(uint64_t *state, char *text, size_t size)
{
    static const char *const options[] = {"",          ":inverse", ":inplace",
                                          ":in=split", ":scale=n", ":out=split:inverse"};
    const bool smooth = plan_below(state, 3) > 0;
    size_t n = 2 + plan_below(state, 700);
    char more[64] = "";

    if (smooth)
        for (n = 2 + plan_below(state, 15); n < 3000 && plan_below(state, 4) > 0;)
            n *= 2 + plan_below(state, 6);
    if (plan_below(state, 3) == 0)
        snprintf(more, sizeof more, "x%zu", 2 + plan_below(state, 40));
    const size_t used = strlen(more);
    if (plan_below(state, 2) == 0)
        snprintf(more + used, sizeof more - used, "*%zu", 2 + plan_below(state, 20));
    const char *kind = drawn_kind(state);
    const char *option = options[plan_below(state, sizeof options / sizeof *options)];
    if (strcmp(kind, "c2c") != 0)
        option = strcmp(option, ":scale=n") == 0 ? option : "";
    snprintf(text, size, "%s:%s:%zu%s%s", kind, plan_below(state, 2) ? "f32" : "f64", n, more,
             option);
}

static const char *problem_of(int i, uint64_t *state, char *text, size_t size)
{
    if (i < FIXED)
        return fixed[i];
    draw(state, text, size);
    return text;
}

/* The bits of all problems on a machine, with 1, 2, 3 workers in turn. */
static void fill(sluice_machine *m, int count, uint64_t *bits)
{
    uint64_t state = SEED;
    char text[128];

    for (int i = 0; i < count; i++)
        bits[i] = reproducible_bits(m, problem_of(i, &state, text, sizeof text), 1 + i % 3);
}

/* On the isa-th instruction set, so that on four of them every problem has 0 (all) to 3 workers. */
static void compare(sluice_machine *m, int isa, int count, const uint64_t *want)
{
    uint64_t state = SEED;
    char text[128];

    for (int i = 0; i < count; i++) {
        const char *problem = problem_of(i, &state, text, sizeof text);
        const int workers = (i + isa) % 4;
        if (reproducible_bits(m, problem, workers) != want[i])
            fail_msg("%s, %d workers: other bits on %s", problem, workers, plan_isas[isa]);
    }
}

static void all_isas_agree(void **state)
{
    uint64_t bits[FIXED + DRAWN];
    bool filled = false;
    (void)state;

    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:3", plan_isas[i]);
        if (m == NULL)
            continue;
        if (!filled)
            fill(m, FIXED + DRAWN, bits);
        compare(m, i, FIXED + DRAWN, bits);
        filled = true;
        sluice_machine_close(m);
    }
    assert_true(filled);
}

/* Weights, a scale, arrays of other types. */
static uint64_t hooked_bits(const char *isa, const char *problem, sluice_storage storage)
{
    static double weight[1000];
    sluice_hooks hooks = {.scale = 1.0 / 7,
                          .in = {.weight = weight, .weight_rank = 1, .storage = storage},
                          .out = {.weight = weight, .weight_rank = 1}};
    const sluice_plan_options options = {.hooks = &hooks, .reproducible = true};
    sluice_machine *m = plan_machine("cpu:2", isa);
    sluice_plan *plan = NULL;
    uint64_t bits = 0;

    for (int i = 0; i < 1000; i++)
        weight[i] = 0.3 + i % 97 / 131.0;
    if (m == NULL)
        return 0;
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_plan_bits(plan, &bits, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return bits;
}

static void hooks_agree(void **state)
{
    static const char *const problems[] = {"c2c:f32:1000*3", "c2c:f64:96*5:scale=n", "c2c:f32:37"};
    (void)state;

    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int storage = SLUICE_STORE_SAME; storage <= SLUICE_STORE_F16; storage++) {
            const uint64_t want = hooked_bits("scalar", problems[i], (sluice_storage)storage);
            for (int k = 1; k < PLAN_ISAS; k++) {
                const uint64_t bits =
                    hooked_bits(plan_isas[k], problems[i], (sluice_storage)storage);
                if (bits != 0 && bits != want)
                    fail_msg("%s, storage %d: other bits on %s", problems[i], storage,
                             plan_isas[k]);
            }
        }
}

/* The same input in every place. */
static void any_place_of_a_batch(void **state)
{
    static const struct {
        const char *problem;
        size_t points;
    } batches[] = {{"c2c:f32:7*11", 7}, {"c2c:f32:32*13", 32}, {"c2c:f64:100*9", 100}};
    (void)state;

    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        sluice_machine *m = plan_machine("cpu:2", NULL);
        sluice_plan *plan = reproducible_plan(m, batches[b].problem, 0);
        const size_t points = batches[b].points;
        plan_data d;
        plan_data_open(&d, plan, batches[b].problem, 0);
        plan_data_fill(&d, SEED);
        for (size_t i = points; i < d.total; i++)
            for (int part = 0; part < 2; part++)
                memcpy(plan_data_at(&d, 0, i, part), plan_data_at(&d, 0, i % points, part),
                       d.scalar);
        assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
        for (size_t i = points; i < d.total; i++)
            for (int part = 0; part < 2; part++)
                assert_memory_equal(plan_data_at(&d, 1, i, part),
                                    plan_data_at(&d, 1, i % points, part), d.scalar);
        plan_data_close(&d);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* The control: other plans have the bits of their processor. */
static void free_plans_differ(void **state)
{
    static const char *const isas[] = {"scalar", "avx2"};
    uint64_t bits[2] = {0, 0};
    (void)state;

    for (int i = 0; i < 2; i++) {
        sluice_machine *m = plan_machine("cpu:1", isas[i]);
        if (m == NULL)
            skip();
        sluice_plan *plan = plan_made(m, "c2c:f32:64");
        assert_int_equal(sluice_plan_bits(plan, &bits[i], NULL), SLUICE_OK);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    assert_true(bits[0] != bits[1]);
}

/* No stage of this many pairs runs in plain C where there are vectors. */
static void pairs_run_in_vectors(void **state)
{
    static const char *const problems[] = {"dct2:f32:256",   "dct3:f64:480",  "dct4:f32:1024",
                                           "dst2:f64:2048",  "dst3:f32:512",  "dst4:f32:512",
                                           "idxst:f32:512",  "dht:f32:1024",  "dct2:f64:24x16",
                                           "dct3:f32:24x16", "dct4:f32:24x16"};
    sluice_machine *m = plan_machine("cpu:1", "avx2");
    (void)state;

    if (m == NULL)
        skip();
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        sluice_plan *plan = reproducible_plan(m, problems[i], 0);
        const plan_text placement = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        assert_non_null(strstr(placement.data, "pair2_avx2_"));
        if (strstr(placement.data, "pair2_fma_"))
            fail_msg("%s: %s", problems[i], placement.data);
        test_free(placement.data);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* The results are the transform's. */
static void results_are_right(void **state)
{
    static const char *const isas[] = {"scalar", NULL};
    (void)state;

    for (size_t k = 0; k < 2; k++) {
        sluice_machine *m = plan_machine("cpu:2", isas[k]);
        for (int i = 0; i < FIXED; i++) {
            sluice_plan *plan = reproducible_plan(m, fixed[i], 0);
            plan_verify(plan, fixed[i]);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

static void units_without_them_refuse(void **state)
{
    const sluice_plan_options options = {.reproducible = true};
    sluice_machine *ref = plan_machine("ref", NULL);
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    (void)state;

    assert_int_equal(sluice_plan_from_text(&plan, ref, "c2c:f32:64", &options, &why),
                     SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "ref units"));
    assert_null(plan);
    sluice_machine_close(ref);
}

/* SLUICE_REPRODUCIBLE makes all plans of a machine so; what is kept for one is not used for the
 * other. */
static void the_environment_asks(void **state)
{
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_diag why = {0};
    (void)state;

    const uint64_t want = reproducible_bits(m, "c2c:f32:64", 0);
    sluice_plan *plan = plan_made(m, "c2c:f32:64");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    setenv("SLUICE_REPRODUCIBLE", "1", 1);
    m = plan_machine("cpu:1", NULL);
    plan = plan_made(m, "c2c:f32:64");
    uint64_t bits = 0;
    assert_int_equal(sluice_plan_bits(plan, &bits, NULL), SLUICE_OK);
    assert_true(bits == want);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    setenv("SLUICE_REPRODUCIBLE", "yes", 1);
    assert_int_equal(sluice_machine_open(&m, NULL, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "expected 0 or 1"));
    unsetenv("SLUICE_REPRODUCIBLE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_isas_agree, nothing_leaks),
        cmocka_unit_test_teardown(hooks_agree, nothing_leaks),
        cmocka_unit_test_teardown(any_place_of_a_batch, nothing_leaks),
        cmocka_unit_test_teardown(free_plans_differ, nothing_leaks),
        cmocka_unit_test_teardown(pairs_run_in_vectors, nothing_leaks),
        cmocka_unit_test_teardown(results_are_right, nothing_leaks),
        cmocka_unit_test_teardown(units_without_them_refuse, nothing_leaks),
        cmocka_unit_test_teardown(the_environment_asks, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
