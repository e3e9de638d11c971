// SPDX-License-Identifier: BSD-3-Clause
/* Executions that units of several kinds share. What fake units "compute" is a copy, so that each
 * transform tells who did it. Units that fail: test_execute_kinds_faults. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/fake/fake_backend.h"
#include "core/mem.h"
#include "tests/helpers/helper_kinds.h"
#include "tests/helpers/helper_plan.h"

/* ---- shares ---- */

static double execute_clock(sluice_plan *plan, const backend *const *b, const void *in, void *out)
{
    double before[2], longest = 0;
    for (int k = 0; k < 2; k++)
        before[k] = fake_clock(b[k], 0);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    for (int k = 0; k < 2; k++) {
        const double passed = fake_clock(b[k], 0) - before[k];
        longest = passed > longest ? passed : longest;
    }
    return longest;
}

/* On one virtual clock two kinds reach what their rates add up to. */
static void rates_add_up(void **state)
{
    enum { SLOW = 700000 };
    static const int ratio[] = {1, 3, 7};
    static kinds_item result[KINDS_COUNT];
    (void)state;
    for (size_t i = 0; i < sizeof ratio / sizeof ratio[0]; i++) {
        char units[128];
        snprintf(units, sizeof units, "fake:1,depth=1,compute=%d,fake:1,depth=1,get=%d,compute=%d",
                 SLOW, SLOW / ratio[i] / 4, SLOW / ratio[i] * 3 / 4);
        sluice_machine *m = kinds_open(units);
        sluice_plan *plan = kinds_plan(m, kinds_problem, NULL);
        const backend *const b[] = {m->backend, m->next->backend};
        memset(result, 0, sizeof result);
        const double took = execute_clock(plan, b, kinds_source, result);
        const double ideal = 1e-6 * SLOW / (1 + ratio[i]);
        print_message("rates 1:%d: shares %zu and %zu, %.3f of the summed rates\n", ratio[i],
                      kinds_share(plan, 0), kinds_share(plan, 1), ideal / took);
        assert_true(ideal / took >= 0.95 && ideal / took <= 1.001);
        assert_memory_equal(result, kinds_source, sizeof result);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Units of one kind share as well. */
static void units_of_a_kind_share(void **state)
{
    static kinds_item result[KINDS_COUNT];
    sluice_machine *m = kinds_open("fake:3,depth=2,compute=3000");
    sluice_plan *plan = kinds_plan(m, kinds_problem, NULL);
    (void)state;
    assert_int_equal(sluice_execute(plan, kinds_source, result), SLUICE_OK);
    assert_memory_equal(result, kinds_source, sizeof result);
    for (int unit = 0; unit < 3; unit++)
        assert_true(fake_clock(m->backend, unit) > 0.9e-3 && fake_clock(m->backend, unit) < 1.1e-3);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Each kind computes its share, in order, whatever the layout. */
static void shares_lie_where_they_should(void **state)
{
    static const char *const units[] = {"cpu:1,fake:1," KINDS_DEVICE,
                                        "fake:2," KINDS_DEVICE ",cpu:2"};
    static kinds_item result[KINDS_COUNT];
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            sluice_machine *m = kinds_open(units[i]);
            sluice_plan *plan =
                kinds_plan(m, in_place ? "c2c:f32:16*200:inplace" : kinds_problem, NULL);
            const int cpu = m->gate != NULL, fake = !cpu;
            const size_t own = kinds_share(plan, cpu), other = kinds_share(plan, fake);
            const size_t first = cpu == 0 ? 0 : other;
            assert_true(own > KINDS_COUNT / 8 && other > KINDS_COUNT / 8
                        && own + other == KINDS_COUNT);
            memcpy(result, kinds_source, sizeof result);
            assert_int_equal(sluice_execute(plan, in_place ? result : kinds_source, result),
                             SLUICE_OK);
            assert_true(kinds_same(result, kinds_by_cpu, first, own));
            assert_true(kinds_same(result, kinds_source, cpu == 0 ? own : 0, other));
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
}

static void split_sides_are_shared(void **state)
{
    static float in[2][KINDS_COUNT][KINDS_POINTS], out[2][KINDS_COUNT][KINDS_POINTS];
    sluice_machine *m = kinds_open("cpu:1,fake:1," KINDS_DEVICE);
    sluice_plan *plan = kinds_plan(m, "c2c:f32:16*200:in=split:out=split", NULL);
    const sluice_arrays arrays = {.in = in[0], .in_im = in[1], .out = out[0], .out_im = out[1]};
    const size_t own = kinds_share(plan, 0);
    (void)state;
    for (size_t i = 0; i < KINDS_COUNT * KINDS_POINTS; i++)
        for (int part = 0; part < 2; part++)
            in[part][i / KINDS_POINTS][i % KINDS_POINTS] =
                kinds_source[i / KINDS_POINTS][i % KINDS_POINTS][part];
    assert_true(own > 0 && own < KINDS_COUNT);
    assert_int_equal(sluice_execute_with(plan, &arrays, NULL), SLUICE_OK);
    for (int part = 0; part < 2; part++)
        assert_memory_equal(out[part][own], in[part][own], (KINDS_COUNT - own) * sizeof in[0][0]);
    for (size_t i = 0; i < own * KINDS_POINTS; i++)
        for (int part = 0; part < 2; part++) {
            const float d = out[part][i / KINDS_POINTS][i % KINDS_POINTS]
                            - kinds_by_cpu[i / KINDS_POINTS][i % KINDS_POINTS][part];
            assert_true(d < 1e-4f && d > -1e-4f);
        }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---- left alone ---- */

static void explain_says_why(void **state)
{
    static const struct {
        const char *units, *problem, *says;
    } cases[] = {
        {"cpu:1,fake:1,depth=2,compute=1000", "c2c:f32:16*200", "less than an eighth"},
        {"cpu:1,fake:1,depth=2,launch=1000", "c2c:f32:16*200", "less than an eighth"},
        {"cpu:1,fake:1,depth=2,get=1000", "c2c:f32:16*200", "ways there and back included"},
        {"cpu:1,fake:1,depth=2,launch=1", "c2c:f32:64",
         "one transform is not shared, and cpu is faster"},
        {"cpu:1,fake:1,depth=2", "c2c:f32:1048576",
         "one transform is not shared, and fake is faster"},
        {"cpu:1,ref:1", "c2c:f32:16*200", "on the calling thread, where cpu is faster"},
        {"cpu:1,fake:1,depth=2,cores=5000", "c2c:f32:16*200", "on 5000 of the host's"},
        {"cpu:1,fake:1,depth=2", "r2c:f32:16*200", "fake copies complex numbers only"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_machine *m = kinds_open(cases[i].units);
        sluice_plan *plan = kinds_plan(m, cases[i].problem, NULL);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        if (strstr(text.data, cases[i].says) == NULL)
            fail_msg("%s %s: %s", cases[i].units, cases[i].problem, text.data);
        test_free(text.data);
        text = plan_printed(plan, SLUICE_LEVEL_JSON);
        assert_non_null(strstr(text.data, ",\"kinds\":[{\"kind\":\"cpu\",\"units\":1,"));
        assert_non_null(strstr(text.data, cases[i].says));
        test_free(text.data);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* The first kind cannot, another can. */
static void the_first_kind_may_refuse(void **state)
{
    sluice_machine *m = kinds_open("fake:1,depth=2,cpu:1");
    sluice_plan *plan = kinds_plan(m, "r2c:f32:16*8", NULL);
    double error = 1, bound = 0;
    (void)state;
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
    sluice_machine_close(m);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
}

/* ---- at once ---- */

static void *execute_often(void *arg)
{
    const sluice_plan *plan = arg;
    kinds_item *result = malloc(sizeof kinds_by_cpu);
    bool right = result != NULL;
    for (int i = 0; i < 20 && right; i++) {
        const size_t own = kinds_share(plan, 0);
        right = sluice_execute(plan, kinds_source, result) == SLUICE_OK
                && kinds_same(result, kinds_by_cpu, 0, own)
                && kinds_same(result, kinds_source, own, KINDS_COUNT - own);
    }
    free(result);
    return right ? arg : NULL;
}

/* A stream's blocks, each some kind's, while others execute the plan. */
static void stream_blocks(const sluice_plan *plan)
{
    sluice_stream *stream;
    sluice_slot *slot;
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
        memcpy(slot->in, kinds_source, sizeof kinds_source);
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
        assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
        assert_int_equal(slot->status, SLUICE_OK);
        assert_true(kinds_same(slot->out, kinds_by_cpu, 0, KINDS_COUNT)
                    || kinds_same(slot->out, kinds_source, 0, KINDS_COUNT));
        assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    }
    sluice_stream_close(stream);
}

static void threads_and_streams_share_units(void **state)
{
    enum { THREADS = 4 };
    sluice_machine *m = kinds_open("cpu:1,fake:2,depth=1,delay=20");
    sluice_plan *plan = kinds_plan(m, kinds_problem, NULL);
    pthread_t thread[THREADS];
    void *right;
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, execute_often, plan), 0);
    stream_blocks(plan);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &right), 0);
        assert_non_null(right);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---- kept ---- */

/* Equal requests return one plan, those with another fallback do not; nothing is left. */
static void plans_are_kept_by_fallback(void **state)
{
    const long alive = core_mem_live();
    sluice_machine *m = kinds_open("cpu:1,fake:1," KINDS_DEVICE);
    sluice_plan *a = kinds_plan(m, kinds_problem, NULL), *b = kinds_plan(m, kinds_problem, "cpu:1");
    sluice_plan *c = kinds_plan(m, kinds_problem, "cpu:1");
    (void)state;
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(b, c);
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
    sluice_machine_close(m);
    sluice_plan_destroy(c);
    assert_int_equal(core_mem_live(), alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_add_up),
        cmocka_unit_test(units_of_a_kind_share),
        cmocka_unit_test(shares_lie_where_they_should),
        cmocka_unit_test(split_sides_are_shared),
        cmocka_unit_test(explain_says_why),
        cmocka_unit_test(the_first_kind_may_refuse),
        cmocka_unit_test(threads_and_streams_share_units),
        cmocka_unit_test(plans_are_kept_by_fallback),
    };
    return cmocka_run_group_tests(tests, kinds_setup, NULL);
}
