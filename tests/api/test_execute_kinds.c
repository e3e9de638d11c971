// SPDX-License-Identifier: BSD-3-Clause
/* Executions that units of several kinds share. What fake units "compute" is a copy, so that each
 * transform tells who did it. */
#define _DEFAULT_SOURCE /* alarm */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/fake/fake_backend.h"
#include "core/mem.h"
#include "sched/plan/plan_kinds.h"
#include "tests/helpers/helper_plan.h"

enum { TIME_LIMIT = 240, POINTS = 16, COUNT = 200 };
typedef float item[POINTS][2];

static item source_data[COUNT], cpu_data[COUNT];
static const char problem[] = "c2c:f32:16*200";
/* A device that has a quarter to three quarters of `problem`, by prediction, and its transfers. */
#define DEVICE "depth=2,delay=20"

static atomic_int warnings;

static sluice_status count_warnings(void *user, const char *text, size_t length)
{
    (void)user;
    for (size_t i = 0; i + 8 < length; i++)
        warnings += memcmp(text + i, " failed:", 8) == 0;
    return SLUICE_OK;
}

static sluice_machine *open_machine(const char *units)
{
    const sluice_machine_options options = {.units = units, .log = count_warnings};
    sluice_machine *m;
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    warnings = 0;
    return m;
}

static sluice_plan *plan_with(sluice_machine *m, const char *text, const char *fallback)
{
    const sluice_plan_options options = {.fallback = fallback};
    sluice_diag why = {.message = ""};
    sluice_plan *plan;
    if (sluice_plan_from_text(&plan, m, text, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

static int make_data(void **state)
{
    uint64_t seed = 7;
    sluice_machine *m = open_machine("cpu:1");
    sluice_plan *plan = plan_with(m, problem, NULL);
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof source_data / sizeof(float); i++)
        (&source_data[0][0][0])[i] = (float)plan_below(&seed, 1000) / 500 - 1;
    assert_int_equal(sluice_execute(plan, source_data, cpu_data), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return 0;
}

/* Transforms that the k-th kind computes. */
static size_t share_of(const sluice_plan *plan, int k)
{
    return plan->kinds->kind[k].count;
}

/* Is every transform from `first` on that of `expected`? */
static bool same_items(item *result, item *expected, size_t first, size_t count)
{
    return memcmp(result[first], expected[first], count * sizeof *result) == 0;
}

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
    static item result[COUNT];
    (void)state;
    for (size_t i = 0; i < sizeof ratio / sizeof ratio[0]; i++) {
        char units[128];
        snprintf(units, sizeof units, "fake:1,depth=1,compute=%d,fake:1,depth=1,get=%d,compute=%d",
                 SLOW, SLOW / ratio[i] / 4, SLOW / ratio[i] * 3 / 4);
        sluice_machine *m = open_machine(units);
        sluice_plan *plan = plan_with(m, problem, NULL);
        const backend *const b[] = {m->backend, m->next->backend};
        memset(result, 0, sizeof result);
        const double took = execute_clock(plan, b, source_data, result);
        const double ideal = 1e-6 * SLOW / (1 + ratio[i]);
        print_message("rates 1:%d: shares %zu and %zu, %.3f of the summed rates\n", ratio[i],
                      share_of(plan, 0), share_of(plan, 1), ideal / took);
        assert_true(ideal / took >= 0.95 && ideal / took <= 1.001);
        assert_memory_equal(result, source_data, sizeof result);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Units of one kind share as well. */
static void units_of_a_kind_share(void **state)
{
    static item result[COUNT];
    sluice_machine *m = open_machine("fake:3,depth=2,compute=3000");
    sluice_plan *plan = plan_with(m, problem, NULL);
    (void)state;
    assert_int_equal(sluice_execute(plan, source_data, result), SLUICE_OK);
    assert_memory_equal(result, source_data, sizeof result);
    for (int unit = 0; unit < 3; unit++)
        assert_true(fake_clock(m->backend, unit) > 0.9e-3 && fake_clock(m->backend, unit) < 1.1e-3);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Each kind computes its share, in order, whatever the layout. */
static void shares_lie_where_they_should(void **state)
{
    static const char *const units[] = {"cpu:1,fake:1," DEVICE, "fake:2," DEVICE ",cpu:2"};
    static item result[COUNT];
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            sluice_machine *m = open_machine(units[i]);
            sluice_plan *plan = plan_with(m, in_place ? "c2c:f32:16*200:inplace" : problem, NULL);
            const int cpu = m->gate != NULL, fake = !cpu;
            const size_t own = share_of(plan, cpu), other = share_of(plan, fake);
            const size_t first = cpu == 0 ? 0 : other;
            assert_true(own > COUNT / 8 && other > COUNT / 8 && own + other == COUNT);
            memcpy(result, source_data, sizeof result);
            assert_int_equal(sluice_execute(plan, in_place ? result : source_data, result),
                             SLUICE_OK);
            assert_true(same_items(result, cpu_data, first, own));
            assert_true(same_items(result, source_data, cpu == 0 ? own : 0, other));
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
}

static void split_sides_are_shared(void **state)
{
    static float in[2][COUNT][POINTS], out[2][COUNT][POINTS];
    sluice_machine *m = open_machine("cpu:1,fake:1," DEVICE);
    sluice_plan *plan = plan_with(m, "c2c:f32:16*200:in=split:out=split", NULL);
    const sluice_arrays arrays = {.in = in[0], .in_im = in[1], .out = out[0], .out_im = out[1]};
    const size_t own = share_of(plan, 0);
    (void)state;
    for (size_t i = 0; i < COUNT * POINTS; i++)
        for (int part = 0; part < 2; part++)
            in[part][i / POINTS][i % POINTS] = source_data[i / POINTS][i % POINTS][part];
    assert_true(own > 0 && own < COUNT);
    assert_int_equal(sluice_execute_with(plan, &arrays, NULL), SLUICE_OK);
    for (int part = 0; part < 2; part++)
        assert_memory_equal(out[part][own], in[part][own], (COUNT - own) * sizeof in[0][0]);
    for (size_t i = 0; i < own * POINTS; i++)
        for (int part = 0; part < 2; part++) {
            const float d =
                out[part][i / POINTS][i % POINTS] - cpu_data[i / POINTS][i % POINTS][part];
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
        {"cpu:1,fake:1,depth=2", "c2c:f32:64", "one transform is not shared, and cpu is faster"},
        {"cpu:1,fake:1,depth=2", "c2c:f32:1048576",
         "one transform is not shared, and fake is faster"},
        {"cpu:1,ref:1", "c2c:f32:16*200", "on the calling thread, where cpu is faster"},
        {"cpu:1,fake:1,depth=2,cores=5000", "c2c:f32:16*200", "on 5000 of the host's"},
        {"cpu:1,fake:1,depth=2", "r2c:f32:16*200", "fake copies complex numbers only"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_machine *m = open_machine(cases[i].units);
        sluice_plan *plan = plan_with(m, cases[i].problem, NULL);
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
    sluice_machine *m = open_machine("fake:1,depth=2,cpu:1");
    sluice_plan *plan = plan_with(m, "r2c:f32:16*8", NULL);
    double error = 1, bound = 0;
    (void)state;
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
    sluice_machine_close(m);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
}

/* ---- failures ---- */

static const char *const failing[] = {"begin=1", "finish=1", "die=1", "die=2"};
enum { FAILING = sizeof failing / sizeof failing[0] };

/* The fallback computes the share, with the CPU's bits; the log has one line, however often. */
static void a_fallback_stands_behind(void **state)
{
    static item result[COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++)
        for (int alone = 0; alone < 2; alone++) {
            char units[96];
            snprintf(units, sizeof units, "%sfake:1," DEVICE ",%s", alone ? "" : "cpu:1,",
                     failing[i]);
            sluice_machine *m = open_machine(units);
            sluice_plan *plan = plan_with(m, problem, "cpu:1");
            assert_int_equal(sluice_execute(plan, source_data, result), SLUICE_OK);
            assert_memory_equal(result, cpu_data, sizeof result);
            assert_int_equal(warnings, 1);
            for (int k = 0; k < 5; k++)
                assert_int_equal(sluice_execute(plan, source_data, result), SLUICE_OK);
            assert_int_equal(warnings, 1);
            assert_memory_equal(result, i < 2 && alone ? source_data : cpu_data, sizeof result[0]);
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
}

/* What stands behind a plan with hooks has them too. */
static void a_fallback_has_the_hooks(void **state)
{
    static item result[COUNT];
    const sluice_hooks hooks = {.scale = 2};
    const sluice_plan_options options = {.hooks = &hooks, .fallback = "cpu:1"};
    sluice_machine *m = open_machine("fake:1," DEVICE ",die=1");
    sluice_plan *plan;
    (void)state;
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_execute(plan, source_data, result), SLUICE_OK);
    for (size_t i = 0; i < sizeof result / sizeof(float); i++) {
        const float d = (&result[0][0][0])[i] - 2 * (&cpu_data[0][0][0])[i];
        assert_true(d < 1e-4f && d > -1e-4f);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A child has no devices: what stands behind them computes there, on the calling thread. */
static void a_forked_child_falls_back(void **state)
{
    static item result[COUNT];
    sluice_machine *m = open_machine("cpu:1,fake:1," DEVICE);
    sluice_plan *plan[] = {plan_with(m, problem, "cpu:1"), plan_with(m, problem, NULL)};
    int code = 0;
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool right = sluice_execute(plan[0], source_data, result) == SLUICE_OK
                           && memcmp(result, cpu_data, sizeof result) == 0
                           && sluice_execute(plan[1], source_data, result) == SLUICE_E_DEVICE;
        _exit(right ? 7 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 7);
    for (int i = 0; i < 2; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
}

/* In place a begin that failed leaves the input whole, a finish that failed does not. */
static void in_place_only_a_begin_is_repaired(void **state)
{
    static item result[COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++) {
        char units[96];
        snprintf(units, sizeof units, "cpu:1,fake:1," DEVICE ",%s", failing[i]);
        sluice_machine *m = open_machine(units);
        sluice_plan *plan = plan_with(m, "c2c:f32:16*200:inplace", "cpu:1");
        const bool begun = strcmp(failing[i], "finish=1") == 0 || strcmp(failing[i], "die=2") == 0;
        sluice_diag why = {.message = ""};
        const sluice_arrays arrays = {.in = result, .out = result, .why = &why};
        memcpy(result, source_data, sizeof result);
        assert_int_equal(sluice_execute_with(plan, &arrays, NULL),
                         begun ? SLUICE_E_DEVICE : SLUICE_OK);
        if (begun)
            assert_non_null(strstr(why.message, "FAKE_"));
        else
            assert_memory_equal(result, cpu_data, sizeof result);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

static void a_failure_has_a_sentence(void **state)
{
    static const char *const says[FAILING] = {"FAKE_BEGIN_FAILED", "FAKE_FINISH_FAILED",
                                              "FAKE_UNIT_LOST", "FAKE_UNIT_LOST"};
    static item result[COUNT];
    (void)state;
    for (int i = 0; i < FAILING; i++) {
        char units[96];
        snprintf(units, sizeof units, "cpu:1,fake:1," DEVICE ",%s", failing[i]);
        sluice_machine *m = open_machine(units);
        sluice_plan *plan = plan_with(m, problem, NULL);
        sluice_diag why = {.message = ""};
        const sluice_arrays arrays = {.in = source_data, .out = result, .why = &why};
        assert_int_equal(sluice_execute_with(plan, &arrays, NULL), SLUICE_E_DEVICE);
        assert_non_null(strstr(why.message, says[i]));
        assert_true(same_items(result, cpu_data, 0, share_of(plan, 0))); /* the CPU did its own */
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

static void bad_fallbacks(void **state)
{
    static const struct {
        const char *fallback, *says;
    } cases[] = {{"nonsense", "units 'nonsense'"}, {"cpu:0", "1 to 1024 units"}};
    const long alive = core_mem_live();
    sluice_machine *m = open_machine("fake:1,depth=2");
    sluice_diag why = {.message = ""};
    sluice_plan_options options = {.fallback = "cpu:1"};
    sluice_plan *plan;
    (void)state;
    assert_int_equal(
        sluice_plan_from_formula(&plan, m, "DFT(16)_{leaf}", SLUICE_F32, &options, &why),
        SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "made of a formula"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.fallback = cases[i].fallback;
        assert_int_equal(sluice_plan_from_text(&plan, m, problem, &options, &why),
                         SLUICE_E_INVALID);
        assert_null(plan);
        assert_non_null(strstr(why.message, cases[i].says));
    }
    sluice_machine_close(m);
    assert_int_equal(core_mem_live(), alive);
}

/* ---- at once ---- */

static void *execute_often(void *arg)
{
    const sluice_plan *plan = arg;
    item *result = malloc(sizeof cpu_data);
    bool right = result != NULL;
    for (int i = 0; i < 20 && right; i++) {
        const size_t own = share_of(plan, 0);
        right = sluice_execute(plan, source_data, result) == SLUICE_OK
                && same_items(result, cpu_data, 0, own)
                && same_items(result, source_data, own, COUNT - own);
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
        memcpy(slot->in, source_data, sizeof source_data);
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
        assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
        assert_int_equal(slot->status, SLUICE_OK);
        assert_true(same_items(slot->out, cpu_data, 0, COUNT)
                    || same_items(slot->out, source_data, 0, COUNT));
        assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    }
    sluice_stream_close(stream);
}

static void threads_and_streams_share_units(void **state)
{
    enum { THREADS = 4 };
    sluice_machine *m = open_machine("cpu:1,fake:2,depth=1,delay=20");
    sluice_plan *plan = plan_with(m, problem, NULL);
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
    sluice_machine *m = open_machine("cpu:1,fake:1," DEVICE);
    sluice_plan *a = plan_with(m, problem, NULL), *b = plan_with(m, problem, "cpu:1");
    sluice_plan *c = plan_with(m, problem, "cpu:1");
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
        cmocka_unit_test(a_fallback_stands_behind),
        cmocka_unit_test(a_fallback_has_the_hooks),
        cmocka_unit_test(a_forked_child_falls_back),
        cmocka_unit_test(in_place_only_a_begin_is_repaired),
        cmocka_unit_test(a_failure_has_a_sentence),
        cmocka_unit_test(bad_fallbacks),
        cmocka_unit_test(threads_and_streams_share_units),
        cmocka_unit_test(plans_are_kept_by_fallback),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
