// SPDX-License-Identifier: BSD-3-Clause
/* Streams of units with several blocks in flight, through the public API: short blocks, zero copy,
 * blocks that a fallback computes with the bits of its own plan, units that are lost. The units are
 * fake: what they "compute" is a copy. */
#define _DEFAULT_SOURCE /* alarm */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/fake/fake_backend.h"
#include "core/mem.h"
#include "sched/machine/machine.h"
#include "tests/helpers/helper_plan.h"

enum { TIME_LIMIT = 120, POINTS = 16, COUNT = 5, LAST = 2, BLOCKS = 40 };
typedef float block_data[COUNT][POINTS][2];

static block_data source_data[BLOCKS], cpu_data[BLOCKS], result[BLOCKS];
static size_t given, taken;

/* Lines of the log about lost teams, from any thread. */
static atomic_int lines_lost;

static sluice_status count_lines(void *user, const char *text, size_t length)
{
    (void)user;
    for (size_t i = 0; i + 6 < length; i++)
        lines_lost += memcmp(text + i, ",lost,", 6) == 0;
    return SLUICE_OK;
}

static sluice_status give_block(void *user, sluice_slot *slot)
{
    (void)user;
    if (given == BLOCKS)
        return SLUICE_END;
    slot->count = given + 1 == BLOCKS ? LAST : COUNT;
    memcpy(slot->in, source_data[given++], slot->count * sizeof source_data[0][0]);
    return SLUICE_OK;
}

static sluice_status take_block(void *user, sluice_slot *slot)
{
    (void)user;
    assert_int_equal(slot->count, taken + 1 == BLOCKS ? LAST : COUNT);
    memcpy(result[taken++], slot->out, slot->count * sizeof result[0][0]);
    return SLUICE_OK;
}

static bool same_block(block_data *a, block_data *b, size_t k)
{
    return memcmp(a[k], b[k], (k + 1 == BLOCKS ? LAST : COUNT) * sizeof a[0][0]) == 0;
}

static sluice_status run_stream(const char *units, const char *problem,
                                const sluice_stream_options *options, sluice_stream_stats *stats)
{
    const sluice_machine_options machine_options = {.units = units, .log = count_lines};
    sluice_machine *m;
    assert_int_equal(sluice_machine_open(&m, &machine_options, NULL), SLUICE_OK);
    sluice_plan *plan = plan_made(m, problem);
    given = taken = 0;
    lines_lost = 0;
    memset(result, 0, sizeof result);
    const sluice_status status =
        sluice_stream_run(plan, give_block, take_block, NULL, options, stats);
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
    assert_int_equal(run_stream("cpu:1", "c2c:f32:16*5", NULL, NULL), SLUICE_OK);
    memcpy(cpu_data, result, sizeof cpu_data);
    return 0;
}

static void every_block_passes(void **state)
{
    static const char *const units[] = {"fake:1,depth=1", "fake:1,depth=4,late=50,delay=40",
                                        "fake:3,depth=3,late=50,delay=40",
                                        "fake:2,depth=2,get=200,compute=300,put=100"};
    sluice_stream_stats stats;
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            const char *problem = in_place ? "c2c:f32:16*5:inplace" : "c2c:f32:16*5";
            assert_int_equal(run_stream(units[i], problem, NULL, &stats), SLUICE_OK);
            assert_int_equal(taken, BLOCKS);
            assert_int_equal(stats.transforms, (BLOCKS - 1) * COUNT + LAST);
            assert_int_equal(stats.fallbacks, 0);
            for (size_t k = 0; k < BLOCKS; k++)
                assert_true(same_block(result, source_data, k));
        }
    assert_true(stats.compute_seconds > 0.9 * BLOCKS * 300e-6
                && stats.compute_seconds < 1.1 * BLOCKS * 300e-6); /* the unit's own account */
}

/* A failed block is the CPU's, bit by bit, or the first failure ends the run with its name. */
static void the_fallback_has_its_own_bits(void **state)
{
    static const char *const calls[] = {"fake:2,depth=3,begin=%d", "fake:2,depth=3,finish=%d",
                                        "fake:2,depth=3,dying=2,die=%d"};
    const sluice_stream_options options = {.fallback = "cpu:1"};
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (int k = 1; k <= BLOCKS; k += 13) {
            sluice_stream_stats stats;
            char units[64];
            uint64_t by_cpu = 0;
            snprintf(units, sizeof units, calls[i], k);
            assert_int_equal(run_stream(units, "c2c:f32:16*5", &options, &stats), SLUICE_OK);
            for (size_t b = 0; b < BLOCKS; b++) {
                assert_true(same_block(result, source_data, b) != same_block(result, cpu_data, b));
                by_cpu += same_block(result, cpu_data, b);
            }
            assert_int_equal(by_cpu, stats.fallbacks);
            assert_true(i == 2 || by_cpu == 1);
            if (i == 2 && k == 1)
                assert_true(by_cpu == BLOCKS && lines_lost >= 1 && lines_lost <= 2);
        }
}

static void a_failure_without_fallback_has_a_name(void **state)
{
    static const struct {
        const char *units, *says;
    } cases[] = {{"fake:2,depth=3,begin=7", "FAKE_BEGIN_FAILED"},
                 {"fake:2,depth=3,finish=7", "FAKE_FINISH_FAILED"},
                 {"fake:2,depth=3,dying=2,die=7", "FAKE_UNIT_LOST"}};
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_diag why = {0};
        const sluice_stream_options options = {.why = &why};
        const sluice_status status = run_stream(cases[i].units, "c2c:f32:16*5", &options, NULL);
        assert_int_equal(status, SLUICE_E_DEVICE);
        assert_non_null(strstr(why.message, cases[i].says));
    }
    /* one of two units: the other does the work */
    assert_int_equal(run_stream("fake:2,depth=3,die=7", "c2c:f32:16*5", NULL, NULL), SLUICE_OK);
    assert_int_equal(taken, BLOCKS);
}

/* Fills every slot that a stream has, or reads every block that it is done with. */
static void submit_all(sluice_stream *stream, size_t slots)
{
    sluice_slot *slot;
    for (size_t i = 0; i < slots; i++) {
        assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
        memcpy(slot->in, source_data[i], sizeof source_data[i]);
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    }
}

static void reap_all(sluice_stream *stream, size_t slots)
{
    sluice_slot *slot;
    for (size_t i = 0; i < slots; i++) {
        assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
        assert_int_equal(slot->status, SLUICE_OK);
        assert_memory_equal(slot->out, source_data[i], sizeof source_data[i]);
        assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    }
}

/* Streams that share units never have more blocks in flight there than the depth. */
static void streams_share_units(void **state)
{
    enum { STREAMS = 3, SLOTS = 6, ROUNDS = 20 };
    const sluice_stream_options options = {.slots = SLOTS};
    sluice_machine *m = plan_machine("fake:2,depth=2,delay=20", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:16*5");
    sluice_stream *stream[STREAMS];
    (void)state;
    alarm(TIME_LIMIT);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(sluice_stream_open(&stream[i], plan, &options, NULL), SLUICE_OK);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STREAMS; i++)
            submit_all(stream[i], SLOTS);
        for (int i = 0; i < STREAMS; i++)
            reap_all(stream[i], SLOTS);
    }
    for (int i = 0; i < STREAMS; i++)
        sluice_stream_close(stream[i]);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Slots are in memory of the kind that has some, whichever it is. */
static void slots_are_pinned(void **state)
{
    enum { SLOTS = 7 };
    static const char *const units[] = {"fake:1,depth=2", "cpu:1,fake:1,depth=2"};
    const sluice_stream_options options = {.slots = SLOTS};
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        sluice_machine *m = plan_machine(units[i], NULL);
        sluice_plan *plan = plan_made(m, "c2c:f32:16*5");
        const backend *fake = (m->next != NULL ? m->next : m)->backend;
        sluice_stream *stream;
        assert_int_equal(sluice_stream_open(&stream, plan, &options, NULL), SLUICE_OK);
        assert_int_equal(fake_pinned(fake), SLOTS);
        sluice_stream_close(stream);
        assert_int_equal(fake_pinned(fake), 0);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

static void bad_fallbacks(void **state)
{
    sluice_diag why = {0};
    sluice_stream *stream;
    sluice_stream_options options = {.why = &why, .fallback = "nonsense"};
    const long alive = core_mem_live();
    sluice_machine *m = plan_machine("fake:1,depth=2", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:16*5");
    (void)state;
    assert_int_equal(sluice_stream_open(&stream, plan, &options, &why), SLUICE_E_INVALID);
    assert_null(stream);
    assert_non_null(strstr(why.message, "units 'nonsense'"));
    sluice_plan_destroy(plan);
    plan = plan_of_formula(m, "DFT(16)_{leaf}", SLUICE_F32);
    options.fallback = "cpu:1";
    assert_int_equal(sluice_stream_open(&stream, plan, &options, &why), SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "its problem is not known"));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    assert_int_equal(core_mem_live(), alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_passes),
        cmocka_unit_test(the_fallback_has_its_own_bits),
        cmocka_unit_test(a_failure_without_fallback_has_a_name),
        cmocka_unit_test(streams_share_units),
        cmocka_unit_test(slots_are_pinned),
        cmocka_unit_test(bad_fallbacks),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
