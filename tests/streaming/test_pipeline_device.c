// SPDX-License-Identifier: BSD-3-Clause
/* The pipeline on units that have several blocks in flight: the pace of the longest leg on a
 * virtual clock, blocks done out of order, begins and finishes that fail, units that are lost,
 * fallbacks. A test that hangs is ended by an alarm. */
#define _DEFAULT_SOURCE /* alarm */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/fake/fake_backend.h"
#include "core/mem.h"
#include "tests/helpers/helper_fixture.h"

enum { TIME_LIMIT = 120, BLOCKS = 200, SHORT_RUN = 30 };

static const stream_schedule one_team = {.kind = STREAM_DYNAMIC, .teams = 1};

/* What came back of a run. */
typedef struct outcome {
    uint64_t done, failed, cancelled;
    stream_totals totals;
} outcome;

static void fill_slots(stream_pipeline *p, uint64_t blocks, uint64_t *put)
{
    sluice_slot *slot;
    while (*put < blocks && stream_pipeline_acquire(p, &slot, 0, NULL) == SLUICE_OK) {
        fixture_fill(slot->in, *put, FIXTURE_COUNT);
        slot->user = (void *)(uintptr_t)*put;
        assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_OK);
        ++*put;
    }
}

/* The next block: it is number k, and right unless it says that it failed. */
static sluice_status take_block(stream_pipeline *p, uint64_t k)
{
    sluice_slot *slot;
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
    const sluice_status status = slot->status;
    assert_int_equal((uintptr_t)slot->user, k);
    if (status == SLUICE_OK)
        assert_true(fixture_holds(slot->out, k, FIXTURE_COUNT));
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    return status;
}

static outcome run_blocks(stream_fixture *r, const stream_schedule *schedule, int slots,
                          uint64_t blocks)
{
    outcome o = {0};
    stream_pipeline *p;
    sluice_slot *slot;
    uint64_t put = 0;
    assert_int_equal(fixture_pipeline(r, schedule, slots, &p), SLUICE_OK);
    for (uint64_t k = 0; k < blocks; k++) {
        fill_slots(p, blocks, &put);
        const sluice_status status = take_block(p, k);
        assert_true(status == SLUICE_OK || status == SLUICE_E_DEVICE || status == SLUICE_E_MEMORY);
        o.done += status == SLUICE_OK;
        o.failed += status != SLUICE_OK;
    }
    assert_int_equal(stream_pipeline_finish(p, NULL), SLUICE_OK);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_END);
    stream_pipeline_totals(p, &o.totals);
    assert_int_equal(o.totals.blocks, o.done);
    stream_pipeline_close(p);
    return o;
}

static void open_fixture(stream_fixture *r, bool in_place, const char *format, int a, int b)
{
    char text[96];
    snprintf(text, sizeof text, format, a, b);
    assert_int_equal(fixture_open(r, text), SLUICE_OK);
    for (int i = 0; in_place && i < FIXTURE_SLOTS; i++)
        r->initial[i].out = r->initial[i].in;
}

/* ---------------------------------------------------------------- pace ------------------ */

/* Finishes one block each time it is told to. So the host fills every slot before the clock moves,
 * however the threads are scheduled. */
static sem_t may_finish;
static stream_finish *real_finish;

static sluice_status finish_when_told(void *user, int team, sluice_slot *slot,
                                      backend_ticket *ticket, backend_legs *seconds)
{
    while (sem_wait(&may_finish) != 0)
        continue;
    return real_finish(user, team, slot, ticket, seconds);
}

/* Virtual seconds from block to block, fill and drain aside. */
static double seconds_a_block(const char *units, int slots)
{
    enum { ASIDE = 10 };
    static stream_fixture r;
    stream_pipeline *p;
    double clock[BLOCKS];
    uint64_t put = 0;
    assert_int_equal(fixture_open(&r, units), SLUICE_OK);
    assert_int_equal(sem_init(&may_finish, 0, 0), 0);
    real_finish = r.team[0].finish;
    r.team[0].finish = finish_when_told;
    assert_int_equal(fixture_pipeline(&r, &one_team, slots, &p), SLUICE_OK);
    for (uint64_t k = 0; k < BLOCKS; k++) {
        fill_slots(p, BLOCKS, &put);
        sem_post(&may_finish);
        assert_int_equal(take_block(p, k), SLUICE_OK);
        clock[k] = fake_clock(r.b, 0);
    }
    stream_pipeline_close(p);
    sem_destroy(&may_finish);
    fixture_close(&r);
    return (clock[BLOCKS - 1 - ASIDE] - clock[ASIDE]) / (BLOCKS - 1 - 2 * ASIDE);
}

/* With fewer blocks in flight than legs the legs cannot all be busy, and the pace says so. */
static void the_longest_leg_sets_the_pace(void **state)
{
    static const int legs[][3] = {{300, 500, 200}, {500, 300, 200}, {200, 300, 500},
                                  {400, 400, 400}, {10, 900, 10},   {0, 700, 650}};
    (void)state;
    alarm(TIME_LIMIT);
    for (size_t i = 0; i < sizeof legs / sizeof legs[0]; i++) {
        const int *u = legs[i];
        const double sum = u[0] + u[1] + u[2];
        double longest = 0;
        for (int k = 0; k < 3; k++)
            longest = u[k] > longest ? u[k] : longest;
        for (int depth = 1; depth <= 6; depth++) {
            char units[96];
            snprintf(units, sizeof units, "1,depth=%d,get=%d,compute=%d,put=%d", depth, u[0], u[1],
                     u[2]);
            const double pace = 1e6 * seconds_a_block(units, depth + 2);
            const double expected = sum / depth > longest ? sum / depth : longest;
            print_message("get %d, compute %d, put %d us, depth %d: %.1f us a block\n", u[0], u[1],
                          u[2], depth, pace);
            assert_true(pace >= 0.999 * longest);
            assert_true(pace <= 1.05 * expected);
        }
    }
}

/* ---------------------------------------------------------------- order ----------------- */

static atomic_int overtaken; /* blocks finished after a younger one of the same team */
static atomic_uint_least64_t newest[FIXTURE_TEAMS];

static sluice_status finish_and_note(void *user, int team, sluice_slot *slot,
                                     backend_ticket *ticket, backend_legs *seconds)
{
    const uint64_t k = (uintptr_t)slot->user;
    if (k < atomic_load(&newest[team]))
        atomic_fetch_add(&overtaken, 1);
    else
        atomic_store(&newest[team], k);
    return real_finish(user, team, slot, ticket, seconds);
}

static void blocks_overtake_and_order_is_kept(void **state)
{
    static const stream_schedule_kind kinds[] = {STREAM_DYNAMIC, STREAM_CYCLIC};
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    atomic_store(&overtaken, 0);
    for (int teams = 1; teams <= FIXTURE_TEAMS; teams++)
        for (int slots = 1; slots <= FIXTURE_SLOTS; slots += 5)
            for (size_t d = 0; d < sizeof kinds / sizeof kinds[0]; d++) {
                const stream_schedule schedule = {kinds[d], teams, NULL};
                open_fixture(&r, false, "4,depth=4,delay=30,get=10,put=10,late=%d,seed=%d", 500,
                             teams);
                real_finish = r.team[0].finish;
                for (int t = 0; t < FIXTURE_TEAMS; t++) {
                    atomic_store(&newest[t], 0);
                    r.team[t].finish = finish_and_note;
                }
                const outcome o = run_blocks(&r, &schedule, slots, BLOCKS);
                assert_int_equal(o.done, BLOCKS);
                fixture_close(&r);
            }
    assert_true(atomic_load(&overtaken) > 0);
}

/* ---------------------------------------------------------------- failures -------------- */

/* One call fails: its block does, and no other. */
static void one_failure_is_one_block(void **state)
{
    static const char *const calls[] = {"3,depth=3,delay=20,begin=%d,seed=%d",
                                        "3,depth=3,delay=20,finish=%d,seed=%d"};
    static const char *const faults[] = {"FAKE_BEGIN_FAILED", "FAKE_FINISH_FAILED"};
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int call = 0; call < 2; call++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int k = 1; k <= SHORT_RUN; k++) {
                const stream_schedule schedule = {STREAM_DYNAMIC, 1 + k % 3, NULL};
                open_fixture(&r, in_place, calls[call], k, k);
                const outcome o = run_blocks(&r, &schedule, 8, SHORT_RUN);
                assert_int_equal(o.done, SHORT_RUN - 1);
                assert_int_equal(o.failed, 1);
                assert_non_null(strstr(fixture_fault(&r).message, faults[call]));
                fixture_close(&r);
            }
}

static sluice_status copy_block(void *user, int team, sluice_slot *slot)
{
    (void)user, (void)team;
    memmove(slot->out, slot->in, slot->count * sizeof(fixture_item));
    return SLUICE_OK;
}

static void use_fallback(stream_fixture *r)
{
    for (int i = 0; i < FIXTURE_TEAMS; i++)
        r->team[i].fallback = copy_block;
}

/* A begin that failed has touched nothing; a finish may have overwritten an input in place. */
static void a_fallback_computes_what_failed(void **state)
{
    static const char *const calls[] = {"3,depth=3,delay=20,begin=%d,seed=%d",
                                        "3,depth=3,delay=20,finish=%d,seed=%d"};
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int call = 0; call < 2; call++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int k = 1; k <= SHORT_RUN; k += 3) {
                const bool lost = call == 1 && in_place;
                const stream_schedule schedule = {STREAM_DYNAMIC, 3, NULL};
                open_fixture(&r, in_place, calls[call], k, k);
                use_fallback(&r);
                const outcome o = run_blocks(&r, &schedule, 8, SHORT_RUN);
                assert_int_equal(o.failed, lost);
                assert_int_equal(o.totals.fallbacks, !lost);
                fixture_close(&r);
            }
}

/* ---------------------------------------------------------------- death ----------------- */

static const int unequal[] = {2, 1, 3};
static const stream_schedule deals[] = {
    {STREAM_DYNAMIC, 3, NULL}, {STREAM_CYCLIC, 3, NULL}, {STREAM_CYCLIC, 3, unequal}};
enum { DEALS = sizeof deals / sizeof deals[0] };

/* Out of place nothing is lost but the unit, whichever call it dies in. */
static void a_lost_unit_gives_its_blocks_to_the_others(void **state)
{
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int d = 0; d < DEALS; d++)
        for (int k = 1; k <= 2 * SHORT_RUN; k += 1 + k / 8)
            for (int dying = 1; dying <= 2; dying++) {
                open_fixture(&r, false, "3,depth=3,delay=20,die=%d,dying=%d", k, dying);
                const outcome o = run_blocks(&r, &deals[d], 8, SHORT_RUN);
                assert_int_equal(o.done, SHORT_RUN);
                fixture_close(&r);
            }
}

/* In place only what a unit had in flight may be lost with it. */
static void in_place_a_lost_unit_costs_what_it_had_begun(void **state)
{
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int d = 0; d < DEALS; d++)
        for (int k = 1; k <= 2 * SHORT_RUN; k += 1 + k / 8) {
            open_fixture(&r, true, "3,depth=3,delay=20,die=%d,seed=%d", k, k);
            const outcome o = run_blocks(&r, &deals[d], 8, SHORT_RUN);
            assert_int_equal(o.done + o.failed, SHORT_RUN);
            assert_true(o.failed <= 3);
            fixture_close(&r);
        }
}

/* With the last unit the stream ends cleanly: what was done is done, the rest fails. */
static void when_all_units_are_lost_every_block_comes_back(void **state)
{
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int d = 0; d < DEALS; d++)
        for (int k = 1; k <= 12; k++) {
            open_fixture(&r, k % 2, "3,depth=3,delay=20,dying=%d,die=%d", 3, k);
            const outcome o = run_blocks(&r, &deals[d], 8, SHORT_RUN);
            assert_int_equal(o.done + o.failed, SHORT_RUN);
            assert_true(o.failed + 3 * (uint64_t)k >= SHORT_RUN);
            assert_non_null(strstr(fixture_fault(&r).message, "FAKE_UNIT_LOST"));
            fixture_close(&r);
        }
}

static void with_a_fallback_lost_units_do_not_matter(void **state)
{
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int d = 0; d < DEALS; d++)
        for (int k = 1; k <= 12; k++) {
            open_fixture(&r, false, "3,depth=3,delay=20,dying=%d,die=%d", 3, k);
            use_fallback(&r);
            const outcome o = run_blocks(&r, &deals[d], 8, SHORT_RUN);
            assert_int_equal(o.done, SHORT_RUN);
            assert_true(o.totals.fallbacks + 3 * (uint64_t)k >= SHORT_RUN);
            fixture_close(&r);
        }
}

/* ---------------------------------------------------------------- ends ------------------ */

static void cancel_with_blocks_in_flight(void **state)
{
    static stream_fixture r;
    (void)state;
    alarm(TIME_LIMIT);
    for (int k = 0; k < SHORT_RUN; k++) {
        stream_pipeline *p;
        sluice_slot *slot;
        uint64_t put = 0, got = 0;
        const stream_schedule schedule = {STREAM_DYNAMIC, 2, NULL};
        open_fixture(&r, false, "2,depth=3,delay=50,seed=%d,die=%d", k, k % 4 == 0 ? 5 : 0);
        assert_int_equal(fixture_pipeline(&r, &schedule, 12, &p), SLUICE_OK);
        fill_slots(p, 12, &put);
        assert_int_equal(stream_pipeline_cancel(p, NULL), SLUICE_OK);
        while (stream_pipeline_reap(p, &slot, -1, NULL) == SLUICE_OK) {
            assert_int_equal((uintptr_t)slot->user, got++);
            if (slot->status == SLUICE_OK)
                assert_true(fixture_holds(slot->out, got - 1, FIXTURE_COUNT));
            assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
        }
        assert_int_equal(got, put);
        stream_pipeline_close(p);
        fixture_close(&r);
    }
}

static void without_memory(void **state)
{
    static stream_fixture r;
    const stream_schedule schedule = {STREAM_CYCLIC, 3, NULL};
    const size_t alive = core_mem_live();
    bool went_well = false;
    (void)state;
    alarm(TIME_LIMIT);
    for (long nth = 1; !went_well; nth++) {
        stream_pipeline *p = NULL;
        uint64_t put = 0;
        core_mem_fail_from(nth);
        sluice_status status = fixture_open(&r, "3,depth=2");
        if (status == SLUICE_OK) {
            status = fixture_pipeline(&r, &schedule, 4, &p);
            if (status == SLUICE_OK)
                fill_slots(p, 4, &put);
            went_well = put == 4;
            for (uint64_t k = 0; k < put; k++) {
                status = take_block(p, k);
                assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
                went_well &= status == SLUICE_OK;
            }
            stream_pipeline_close(p);
            fixture_close(&r);
        }
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
        assert_int_equal(core_mem_live(), alive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_leg_sets_the_pace),
        cmocka_unit_test(blocks_overtake_and_order_is_kept),
        cmocka_unit_test(one_failure_is_one_block),
        cmocka_unit_test(a_fallback_computes_what_failed),
        cmocka_unit_test(a_lost_unit_gives_its_blocks_to_the_others),
        cmocka_unit_test(in_place_a_lost_unit_costs_what_it_had_begun),
        cmocka_unit_test(when_all_units_are_lost_every_block_comes_back),
        cmocka_unit_test(with_a_fallback_lost_units_do_not_matter),
        cmocka_unit_test(cancel_with_blocks_in_flight),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
