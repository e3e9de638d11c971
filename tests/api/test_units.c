// SPDX-License-Identifier: BSD-3-Clause
/* Machines of several kinds of units, and streams through all of them. What fake units "compute" is
 * a copy, so that each block tells who did it. */
#define _DEFAULT_SOURCE /* alarm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/plan/plan.h"
#include "tests/helpers/helper_plan.h"

enum { TIME_LIMIT = 120, POINTS = 64, COUNT = 5, BLOCKS = 300 };
typedef float block_data[COUNT][POINTS][2];

static block_data source_data[BLOCKS], cpu_data[BLOCKS], result[BLOCKS];
static size_t given, taken;
static int computed_by[BLOCKS]; /* units, as slots name them */
static const char problem[] = "c2c:f32:64*5";

static sluice_status give_block(void *user, sluice_slot *slot)
{
    (void)user;
    if (given == BLOCKS)
        return SLUICE_END;
    memcpy(slot->in, source_data[given++], sizeof source_data[0]);
    return SLUICE_OK;
}

static sluice_status take_block(void *user, sluice_slot *slot)
{
    (void)user;
    computed_by[taken] = slot->unit;
    memcpy(result[taken++], slot->out, sizeof result[0]);
    return SLUICE_OK;
}

static sluice_status run_stream(const char *units, const char *text,
                                const sluice_stream_options *options)
{
    sluice_machine *m = plan_machine(units, NULL);
    sluice_plan *plan = plan_made(m, text);
    given = taken = 0;
    memset(result, 0, sizeof result);
    const sluice_status status =
        sluice_stream_run(plan, give_block, take_block, NULL, options, NULL);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return status;
}

static int make_data(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < sizeof source_data / sizeof(float); i++)
        (&source_data[0][0][0][0])[i] = (float)plan_below(&seed, 1000) / 500 - 1;
    assert_int_equal(run_stream("cpu:1", problem, NULL), SLUICE_OK);
    memcpy(cpu_data, result, sizeof cpu_data);
    return 0;
}

static void a_machine_lists_all_its_units(void **state)
{
    static const char *const names[] = {"cpu:0", "cpu:1", "fake:0", "fake:1", "fake:2", "ref:0"};
    sluice_machine *m = plan_machine("cpu:2,fake:2,depth=3,late=5,fake,ref", NULL);
    sluice_unit_info unit;
    sluice_diag fault;
    (void)state;
    assert_int_equal(sluice_machine_unit_count(m), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sluice_machine_unit_info(m, i, &unit), SLUICE_OK);
        assert_string_equal(unit.name, names[i]);
        assert_int_equal(sluice_machine_fault(m, i, &fault), SLUICE_OK);
    }
    assert_int_equal(sluice_machine_unit_info(m, 6, &unit), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_unit_info(m, -1, &unit), SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_fault(m, 6, &fault), SLUICE_E_INVALID);
    sluice_machine_close(m);
}

static void bad_kinds(void **state)
{
    static const char *const units[] = {"cpu:1,nonsense", "cpu:1,", "cpu:1,fake:speed=1",
                                        "nonsense,cpu:1", "cpu:1,fake:2,depth=3,cpu:0"};
    const long alive = core_mem_live();
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const sluice_machine_options options = {.units = units[i]};
        sluice_machine *m;
        sluice_diag why = {.message = ""};
        assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_E_INVALID);
        assert_null(m);
        assert_true(why.message[0] != '\0');
    }
    assert_int_equal(core_mem_live(), alive);
}

/* Each block of a stream is one kind's. Do both have a share? */
static bool both_have_a_share(const char *units, int first_cpu, int first_fake, int last)
{
    int by_cpu = 0, by_fake = 0;
    assert_int_equal(run_stream(units, problem, NULL), SLUICE_OK);
    for (size_t k = 0; k < BLOCKS; k++) {
        const bool cpu = memcmp(result[k], cpu_data[k], sizeof result[k]) == 0;
        const int unit = computed_by[k] - (cpu ? first_cpu : first_fake);
        by_cpu += cpu;
        by_fake += memcmp(result[k], source_data[k], sizeof result[k]) == 0;
        assert_in_range(unit, 0, last);
    }
    assert_int_equal(by_cpu + by_fake, BLOCKS);
    return by_cpu > 0 && by_fake > 0;
}

/* On a busy machine one kind may look too slow to be worth while: then once more. */
static void a_stream_uses_every_kind(void **state)
{
    bool one = false, two = false;
    (void)state;
    alarm(TIME_LIMIT);
    for (int i = 0; i < 20 && !one; i++)
        one = both_have_a_share("cpu:1,fake:1,depth=3,delay=20", 0, 1, 0);
    for (int i = 0; i < 20 && !two; i++) /* fake:0 and fake:1, then two CPUs */
        two = both_have_a_share("fake:2,depth=2,late=9,delay=20,cpu:2", 2, 0, 1);
    assert_true(one && two);
}

/* Turns by rate: the same kinds do the same blocks in every run, as many as their rates have. */
static void a_static_deal_is_repeatable(void **state)
{
    static const char units[] = "cpu:1,fake:1,depth=3,delay=20";
    static block_data first[BLOCKS];
    const sluice_stream_options options = {.deal = SLUICE_DEAL_STATIC};
    sluice_machine *m = plan_machine(units, NULL);
    sluice_plan *plan = plan_made(m, problem);
    const double cpu = 1 / plan->rate.pace, fake = 1 / plan->next->rate.pace;
    int by_cpu = 0;
    (void)state;
    alarm(TIME_LIMIT);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    assert_int_equal(run_stream(units, problem, &options), SLUICE_OK);
    memcpy(first, result, sizeof first);
    assert_int_equal(run_stream(units, problem, &options), SLUICE_OK);
    assert_memory_equal(first, result, sizeof first);
    for (size_t k = 0; k < BLOCKS; k++)
        by_cpu += memcmp(result[k], cpu_data[k], sizeof result[k]) == 0;
    const double expected = BLOCKS * cpu / (cpu + fake);
    assert_true(by_cpu > 0.9 * expected - 2 && by_cpu < 1.1 * expected + 2);
}

static void bad_deals(void **state)
{
    const sluice_stream_options options = {.deal = (sluice_deal)2};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, problem);
    sluice_stream *stream;
    sluice_diag why = {.message = ""};
    (void)state;
    assert_int_equal(sluice_stream_open(&stream, plan, &options, &why), SLUICE_E_INVALID);
    assert_string_equal(why.message, "deal is neither dynamic nor static");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A kind that fails for good leaves its blocks to the others: all are the CPU's. */
static void a_lost_kind_is_replaced_by_the_other(void **state)
{
    sluice_diag why = {.message = ""};
    const sluice_stream_options options = {.why = &why, .deal = SLUICE_DEAL_STATIC};
    (void)state;
    alarm(TIME_LIMIT);
    assert_int_equal(run_stream("cpu:1,fake:1,depth=3,die=1", problem, &options), SLUICE_OK);
    assert_memory_equal(result, cpu_data, sizeof result);
    /* one call fails: its block does, in the words of its kind */
    assert_int_equal(run_stream("cpu:1,fake:1,depth=3,finish=1", problem, &options),
                     SLUICE_E_DEVICE);
    assert_non_null(strstr(why.message, "FAKE_FINISH_FAILED"));
}

/* fake copies packed arrays only: it is left out, and nothing else is. */
static void a_kind_that_cannot_is_left_out(void **state)
{
    static const char *const left_out[] = {"r2c:f32:64*5", "c2c:f32:64@1*5@80"};
    plan_text text;
    sluice_stream *stream;
    sluice_machine *m = plan_machine("cpu:1,fake:1,depth=2", NULL);
    (void)state;
    sluice_plan *plan = plan_made(m, problem);
    text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    assert_non_null(strstr(text.data, "# fake, 1 unit: "));
    test_free(text.data);
    text = plan_printed(plan, SLUICE_LEVEL_JSON);
    assert_non_null(strstr(text.data, "{\"kind\":\"fake\",\"units\":1,"));
    test_free(text.data);
    sluice_plan_destroy(plan);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        plan = plan_made(m, left_out[i]);
        text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
        assert_non_null(strstr(text.data, "# fake, 1 unit: takes no part: fake copies"));
        test_free(text.data);
        assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
        sluice_stream_close(stream);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_lists_all_its_units),
        cmocka_unit_test(bad_kinds),
        cmocka_unit_test(a_stream_uses_every_kind),
        cmocka_unit_test(a_static_deal_is_repeatable),
        cmocka_unit_test(bad_deals),
        cmocka_unit_test(a_lost_kind_is_replaced_by_the_other),
        cmocka_unit_test(a_kind_that_cannot_is_left_out),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
