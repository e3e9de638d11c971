// SPDX-License-Identifier: BSD-3-Clause
/* Feeds: blocks in arrays of the source's own, in slots, none yet; schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "streaming/feed.h"
#include "tests/helpers/helper_fixture.h"

enum { BLOCKS = 40 };

static const stream_schedule two_teams = {.kind = STREAM_DYNAMIC, .teams = 2};
static fixture_item source_data[BLOCKS][FIXTURE_COUNT], result[BLOCKS][FIXTURE_COUNT];

/* Blocks of source_data, without a copy. */
typedef struct arrays {
    uint64_t got, put, blocks;
    size_t last_count; /* of the last block; 0: full */
} arrays;

static arrays arrays_of(uint64_t blocks, size_t last_count)
{
    memset(result, 0, sizeof result);
    for (uint64_t k = 0; k < BLOCKS; k++)
        fixture_fill(source_data[k], k, FIXTURE_COUNT);
    return (arrays){.blocks = blocks, .last_count = last_count};
}

static sluice_status array_source(void *user, sluice_slot *slot)
{
    arrays *a = user;
    if (a->got == a->blocks)
        return SLUICE_END;
    slot->in = source_data[a->got];
    slot->out = result[a->got++];
    if (a->got == a->blocks && a->last_count != 0)
        slot->count = a->last_count;
    return SLUICE_OK;
}

static sluice_status array_sink(void *user, sluice_slot *slot)
{
    arrays *a = user;
    assert_ptr_equal(slot->out, result[a->put++]);
    return SLUICE_OK;
}

static sluice_status run_on_fixture(stream_fixture *r, int slots, const stream_feed *feed,
                                    stream_totals *totals, sluice_diag *why)
{
    stream_pipeline *p;
    stream_times seconds;
    sluice_slot *slot;
    sluice_status status = fixture_pipeline(r, &two_teams, slots, &p);
    if (status != SLUICE_OK)
        return status;
    status = stream_run_feed(p, feed, &seconds, why);
    assert_true(seconds.get >= 0 && seconds.put >= 0 && seconds.all >= 0);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL),
                     SLUICE_END); /* finished and drained */
    if (totals != NULL)
        stream_pipeline_totals(p, totals);
    stream_pipeline_close(p);
    return status;
}

static void pump_arrays(void **state)
{
    static stream_fixture r;
    stream_totals totals;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=50"), SLUICE_OK);
    for (int slots = 1; slots <= 4; slots++)
        for (uint64_t s = 0; s <= 4; s++) {
            arrays blocks = arrays_of(s, s == 4 ? 5 : 0);
            const stream_feed feed = {array_source, array_sink, &blocks};
            assert_int_equal(run_on_fixture(&r, slots, &feed, &totals, NULL), SLUICE_OK);
            for (uint64_t k = 0; k < s; k++)
                assert_true(fixture_holds(result[k], k, FIXTURE_COUNT));
            assert_int_equal(totals.count, s == 4 ? 3 * FIXTURE_COUNT + 5 : s * FIXTURE_COUNT);
        }
    fixture_close(&r);
}

static void pump_fails_with_a_block(void **state)
{
    static stream_fixture r;
    sluice_diag why = {0};
    arrays blocks = arrays_of(BLOCKS, 0);
    const stream_feed feed = {array_source, array_sink, &blocks};
    (void)state;
    assert_int_equal(fixture_open(&r, "2,fail=7,delay=50"), SLUICE_OK);
    assert_int_equal(run_on_fixture(&r, 3, &feed, NULL, &why), SLUICE_E_DEVICE);
    assert_non_null(strstr(why.message, "failed"));
    assert_true(fixture_holds(result[0], 0, FIXTURE_COUNT));
    fixture_close(&r);
}

/* ---------------------------------------------------------------- functions ------------- */

typedef struct calls {
    uint64_t got, put, blocks;
    sluice_status source_says, sink_says; /* from block 3 on */
    size_t count;                         /* of every block */
} calls;

static sluice_status count_source(void *user, sluice_slot *slot)
{
    calls *c = user;
    if (c->got == c->blocks)
        return SLUICE_END;
    fixture_fill(slot->in, c->got, FIXTURE_COUNT);
    slot->count = c->count;
    return c->got++ >= 3 ? c->source_says : SLUICE_OK;
}

static sluice_status count_sink(void *user, sluice_slot *slot)
{
    calls *c = user;
    assert_true(fixture_holds(slot->out, c->put, slot->count));
    return c->put++ >= 3 ? c->sink_says : SLUICE_OK;
}

static void pump_functions(void **state)
{
    static const struct {
        sluice_status source, sink, expect;
        size_t count;
    } cases[] = {
        {SLUICE_OK, SLUICE_OK, SLUICE_OK, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_OK, SLUICE_OK, 1},
        {SLUICE_OK, SLUICE_OK, SLUICE_E_INVALID, 0},
        {SLUICE_OK, SLUICE_OK, SLUICE_E_INVALID, FIXTURE_COUNT + 1},
        {SLUICE_E_IO, SLUICE_OK, SLUICE_E_IO, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_AGAIN, SLUICE_E_INVALID, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_E_IO, SLUICE_E_IO, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_END, SLUICE_E_INVALID, FIXTURE_COUNT},
    };
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=30"), SLUICE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        calls c = {.blocks = 10,
                   .source_says = cases[i].source,
                   .sink_says = cases[i].sink,
                   .count = cases[i].count};
        const stream_feed feed = {count_source, count_sink, &c};
        sluice_diag why = {0};
        assert_int_equal(run_on_fixture(&r, 4, &feed, NULL, &why), cases[i].expect);
        assert_true((why.message[0] != '\0') == (cases[i].expect != SLUICE_OK));
        if (cases[i].expect == SLUICE_OK)
            assert_int_equal(c.put, 10);
    }
    fixture_close(&r);
}

/* A live source: delivers half of a block at the first call, the rest some calls later, and block k
 * only after the sink has received all blocks before it. */
typedef struct radio {
    uint64_t got, put, blocks;
    int pauses, heard; /* number of AGAIN returned for each block; for this block so far */
    long asked;
    const sluice_slot *slot; /* slot that holds half a block */
    bool wrong;
} radio;

static sluice_status radio_source(void *user, sluice_slot *slot)
{
    radio *r = user;
    fixture_item *items = slot->in;
    r->asked++;
    if (r->got == r->blocks)
        return SLUICE_END;
    if (r->heard == 0) {
        fixture_fill(items, r->got, FIXTURE_COUNT / 2);
        r->slot = slot;
    }
    r->wrong |= slot != r->slot || !fixture_holds(items, r->got, FIXTURE_COUNT / 2);
    if (r->heard++ < r->pauses || r->put < r->got)
        return SLUICE_AGAIN;
    fixture_fill(items, r->got++, FIXTURE_COUNT);
    r->heard = 0;
    return SLUICE_OK;
}

static sluice_status radio_sink(void *user, sluice_slot *slot)
{
    radio *r = user;
    r->wrong |= !fixture_holds(slot->out, r->put++, slot->count);
    return SLUICE_OK;
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void a_source_may_have_nothing_yet(void **state)
{
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=30"), SLUICE_OK);
    for (int slots = 1; slots <= 3; slots += 2) {
        radio live = {.blocks = 5, .pauses = 12};
        const stream_feed feed = {radio_source, radio_sink, &live};
        const double wall = clock_seconds(CLOCK_MONOTONIC),
                     cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        assert_int_equal(run_on_fixture(&r, slots, &feed, NULL, NULL), SLUICE_OK);
        const double took = clock_seconds(CLOCK_MONOTONIC) - wall;
        assert_false(live.wrong);
        assert_int_equal(live.put, 5);
        /* 12 pauses of 1, 2, 4, 8, 10, .. ms for each block, without computation */
        assert_true(took > 0.3);
        assert_true(clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu < 0.3 * took);
        assert_true(live.asked <= 5 * (12 + 3) + 1);
    }
    fixture_close(&r);
}

/* ---------------------------------------------------------------- schedules------------- */

static void deal_tables(void **state)
{
    static const int turns[] = {0, 1, 2, 0, 1, 2}, rate[] = {3, 1, 2};
    static const int by_rate[] = {0, 0, 0, 1, 2, 2};
    const int no_rate[] = {1, 0, 1};
    const stream_schedule cyclic = {STREAM_CYCLIC, 3, NULL}, rated = {STREAM_CYCLIC, 3, rate};
    const stream_schedule wrong = {STREAM_CYCLIC, 3, no_rate};
    (void)state;
    for (uint64_t i = 0; i < 24; i++) {
        assert_int_equal(stream_schedule_team(&cyclic, i), turns[i % 6]);
        assert_int_equal(stream_schedule_team(&rated, i), by_rate[i % 6]);
    }
    assert_int_equal(stream_schedule_check(&rated, NULL), SLUICE_OK);
    assert_int_equal(stream_schedule_check(&wrong, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_schedule_team(&two_teams, 5), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pump_arrays),    cmocka_unit_test(pump_fails_with_a_block),
        cmocka_unit_test(pump_functions), cmocka_unit_test(a_source_may_have_nothing_yet),
        cmocka_unit_test(deal_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
