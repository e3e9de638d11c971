// SPDX-License-Identifier: BSD-3-Clause
/* The pipeline on fake teams: order, cancel, failures, timeouts, misuse, no memory. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/mem.h"
#include "tests/helpers/helper_fixture.h"

static const stream_schedule one_team = {.kind = STREAM_DYNAMIC, .teams = 1};

static void submit_block(stream_pipeline *p, sluice_slot *slot, uint64_t k)
{
    fixture_fill(slot->in, k, FIXTURE_COUNT);
    slot->user = (void *)(uintptr_t)k;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_OK);
}

static void take_block(stream_pipeline *p, sluice_slot *slot, uint64_t k)
{
    assert_int_equal(slot->status, SLUICE_OK);
    assert_int_equal((uintptr_t)slot->user, k);
    assert_true(fixture_holds(slot->out, k, FIXTURE_COUNT));
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
}

/* Producer and consumer on one thread. */
static void run_blocks(stream_pipeline *p, uint64_t s)
{
    uint64_t put = 0, got = 0;
    sluice_slot *slot;
    while (put < s || got < s) {
        sluice_status status = put < s ? stream_pipeline_acquire(p, &slot, 0, NULL) : SLUICE_AGAIN;
        if (status == SLUICE_OK) {
            submit_block(p, slot, put++);
            continue;
        }
        assert_int_equal(status, SLUICE_AGAIN);
        assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
        take_block(p, slot, got++);
    }
    stream_pipeline_finish(p, NULL);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_END);
}

static void order_is_kept(void **state)
{
    static const uint64_t lengths[] = {0, 1, 2, 3, 100};
    static const int by_three[FIXTURE_TEAMS] = {3, 1, 2, 3};
    static const struct {
        stream_schedule_kind kind;
        const int *rate;
    } deals[] = {{STREAM_DYNAMIC, NULL}, {STREAM_CYCLIC, NULL}, {STREAM_CYCLIC, by_three}};
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "4,delay=60,seed=7"), SLUICE_OK);
    for (int teams = 1; teams <= FIXTURE_TEAMS; teams++)
        for (int slots = 1; slots <= 8; slots++)
            for (size_t d = 0; d < sizeof deals / sizeof deals[0]; d++)
                for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                    const stream_schedule schedule = {deals[d].kind, teams, deals[d].rate};
                    stream_pipeline *p;
                    stream_totals totals;
                    assert_int_equal(fixture_pipeline(&r, &schedule, slots, &p), SLUICE_OK);
                    run_blocks(p, lengths[l]);
                    stream_pipeline_totals(p, &totals);
                    assert_int_equal(totals.blocks, lengths[l]);
                    assert_int_equal(totals.count, lengths[l] * FIXTURE_COUNT);
                    stream_pipeline_close(p);
                }
    fixture_close(&r);
}

typedef struct producer {
    stream_pipeline *p;
    uint64_t blocks;
    sluice_status status; /* of the last acquire */
} producer;

static void *submit_blocks(void *arg)
{
    producer *u = arg;
    sluice_slot *slot;
    for (uint64_t k = 0; k < u->blocks; k++) {
        u->status = stream_pipeline_acquire(u->p, &slot, -1, NULL);
        if (u->status != SLUICE_OK)
            return NULL;
        fixture_fill(slot->in, k, FIXTURE_COUNT);
        slot->user = (void *)(uintptr_t)k;
        if (stream_pipeline_submit(u->p, slot, NULL) != SLUICE_OK)
            return NULL;
    }
    stream_pipeline_finish(u->p, NULL);
    return NULL;
}

static void two_threads(void **state)
{
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "3,delay=80,seed=3"), SLUICE_OK);
    for (int slots = 1; slots <= 5; slots++) {
        const stream_schedule schedule = {.kind = STREAM_DYNAMIC, .teams = 3};
        producer u = {.blocks = 150};
        pthread_t thread;
        sluice_slot *slot;
        uint64_t got = 0;
        assert_int_equal(fixture_pipeline(&r, &schedule, slots, &u.p), SLUICE_OK);
        assert_int_equal(pthread_create(&thread, NULL, submit_blocks, &u), 0);
        while (stream_pipeline_reap(u.p, &slot, -1, NULL) == SLUICE_OK)
            take_block(u.p, slot, got++);
        pthread_join(thread, NULL);
        assert_int_equal(got, u.blocks);
        stream_pipeline_close(u.p);
    }
    fixture_close(&r);
}

/* ---------------------------------------------------------------- gate ------------------ */

/* A team that signals when it has started a block and continues when it is signalled. */
typedef struct gate {
    sem_t begun, go;
} gate;

static sluice_status pass_gate(void *user, int team, sluice_slot *slot)
{
    gate *g = user;
    (void)team, (void)slot;
    sem_post(&g->begun);
    sem_wait(&g->go);
    return SLUICE_OK;
}

static stream_pipeline *open_gated_pipeline(stream_fixture *r, gate *g, int slots)
{
    stream_pipeline *p;
    assert_int_equal(fixture_open(r, NULL), SLUICE_OK);
    assert_int_equal(sem_init(&g->begun, 0, 0), 0);
    assert_int_equal(sem_init(&g->go, 0, 0), 0);
    r->team[0].compute = pass_gate;
    r->team[0].user = g;
    assert_int_equal(fixture_pipeline(r, &one_team, slots, &p), SLUICE_OK);
    return p;
}

static void fill_all(stream_pipeline *p, gate *g)
{
    sluice_slot *slot;
    for (uint64_t k = 0; stream_pipeline_acquire(p, &slot, 0, NULL) == SLUICE_OK; k++)
        submit_block(p, slot, k);
    sem_wait(&g->begun);
}

static void end_gated(stream_fixture *r, gate *g, stream_pipeline *p)
{
    stream_pipeline_close(p);
    sem_destroy(&g->begun);
    sem_destroy(&g->go);
    fixture_close(r);
}

static void cancel_in_the_middle(void **state)
{
    static stream_fixture r;
    gate g;
    sluice_slot *slot;
    (void)state;
    stream_pipeline *p = open_gated_pipeline(&r, &g, 4);
    fill_all(p, &g);
    stream_pipeline_cancel(p, NULL);
    assert_int_equal(stream_pipeline_reap(p, &slot, 0, NULL), SLUICE_AGAIN); /* block 0 computes */
    sem_post(&g.go);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
        assert_int_equal(slot->status, k == 0 ? SLUICE_OK : SLUICE_E_CANCELLED);
        assert_int_equal((uintptr_t)slot->user, k);
        assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    }
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_END);
    assert_int_equal(stream_pipeline_acquire(p, &slot, -1, NULL), SLUICE_E_CANCELLED);
    assert_null(slot);
    end_gated(&r, &g, p);
}

static void cancel_wakes_the_producer(void **state)
{
    static stream_fixture r;
    gate g;
    pthread_t thread;
    (void)state;
    producer u = {.p = open_gated_pipeline(&r, &g, 2), .blocks = 5};
    assert_int_equal(pthread_create(&thread, NULL, submit_blocks, &u), 0);
    sem_wait(&g.begun);
    stream_pipeline_cancel(u.p, NULL);
    pthread_join(thread, NULL);
    assert_true(u.status == SLUICE_E_CANCELLED || u.status == SLUICE_OK); /* just before */
    sem_post(&g.go);
    end_gated(&r, &g, u.p);
}

static void timeouts_expire(void **state)
{
    static stream_fixture r;
    gate g;
    sluice_slot *slot;
    const double start = core_seconds();
    stream_pipeline *p = open_gated_pipeline(&r, &g, 2);
    (void)state;
    assert_int_equal(stream_pipeline_reap(p, &slot, 0, NULL),
                     SLUICE_AGAIN); /* nothing is in flight */
    fill_all(p, &g);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_AGAIN);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 20, NULL), SLUICE_AGAIN);
    assert_int_equal(stream_pipeline_reap(p, &slot, 30, NULL), SLUICE_AGAIN);
    assert_true(core_seconds() - start >= 0.05);
    sem_post(&g.go);
    assert_int_equal(stream_pipeline_reap(p, &slot, 60000, NULL), SLUICE_OK);
    sem_post(&g.go);
    end_gated(&r, &g, p);
}

/* Done, computing, queued, acquired. */
static void close_with_blocks_everywhere(void **state)
{
    static stream_fixture r;
    gate g;
    sluice_slot *slot;
    (void)state;
    stream_pipeline *p = open_gated_pipeline(&r, &g, 4);
    for (uint64_t k = 0; k < 4; k++) {
        assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_OK);
        if (k < 3)
            submit_block(p, slot, k);
    }
    sem_post(&g.go);
    sem_wait(&g.begun);
    sem_wait(&g.begun);
    sem_post(&g.go);
    sem_post(&g.go);
    end_gated(&r, &g, p);
}

/* ---------------------------------------------------------------- failures, misuse ------ */

static void failure_travels_with_its_block(void **state)
{
    static stream_fixture r;
    stream_pipeline *p;
    sluice_slot *slot;
    (void)state;
    assert_int_equal(fixture_open(&r, "1,fail=5,delay=50"), SLUICE_OK);
    assert_int_equal(fixture_pipeline(&r, &one_team, 3, &p), SLUICE_OK);
    for (uint64_t k = 0; k < 9; k++) { /* two blocks in flight */
        assert_int_equal(stream_pipeline_acquire(p, &slot, -1, NULL), SLUICE_OK);
        submit_block(p, slot, k);
        if (k == 8)
            stream_pipeline_finish(p, NULL);
        if (k == 0)
            continue;
        assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
        assert_int_equal(slot->status, k - 1 == 4 ? SLUICE_E_DEVICE : SLUICE_OK);
        assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    }
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
    take_block(p, slot, 8);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_END);
    assert_non_null(strstr(fixture_fault(&r).message, "FAKE_RUN_FAILED"));
    stream_pipeline_close(p);
    fixture_close(&r);
}

static void misuse_is_refused(void **state)
{
    static stream_fixture r;
    stream_pipeline *p;
    sluice_slot *slot, foreign;
    fixture_item mine[FIXTURE_COUNT];
    (void)state;
    assert_int_equal(fixture_open(&r, NULL), SLUICE_OK);
    assert_int_equal(fixture_pipeline(&r, &one_team, 2, &p), SLUICE_OK);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_OK);
    foreign = *slot;
    assert_int_equal(stream_pipeline_submit(p, &foreign, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_pipeline_release(p, &foreign, NULL), SLUICE_E_INVALID);
    slot->count = 0;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    slot->count = FIXTURE_COUNT + 1;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    slot->count = FIXTURE_COUNT;
    slot->in_im = mine;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    slot->in_im = NULL;
    slot->out = NULL;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    slot->out = mine; /* zero copy */
    submit_block(p, slot, 3);
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
    assert_true(fixture_holds(mine, 3, FIXTURE_COUNT));
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    assert_ptr_equal(slot->out, r.initial[0].out); /* restored */
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_OK);
    stream_pipeline_finish(p, NULL);
    stream_pipeline_finish(p, NULL);
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_E_INVALID);
    stream_pipeline_close(p);
    fixture_close(&r);
}

static void in_place_out_follows_in(void **state)
{
    static stream_fixture r;
    stream_pipeline *p;
    sluice_slot *slot;
    fixture_item mine[FIXTURE_COUNT], other[FIXTURE_COUNT];
    (void)state;
    assert_int_equal(fixture_open(&r, NULL), SLUICE_OK);
    r.initial[0].out = r.initial[0].in;
    assert_int_equal(fixture_pipeline(&r, &one_team, 1, &p), SLUICE_OK);
    assert_int_equal(stream_pipeline_acquire(p, &slot, 0, NULL), SLUICE_OK);
    slot->in = mine;
    slot->out = other;
    assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_E_INVALID);
    slot->out = r.initial[0].out;
    submit_block(p, slot, 2);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL), SLUICE_OK);
    assert_ptr_equal(slot->out, mine);
    take_block(p, slot, 2);
    stream_pipeline_close(p);
    fixture_close(&r);
}

static void without_memory_or_threads(void **state)
{
    static stream_fixture r;
    const stream_schedule schedule = {.kind = STREAM_CYCLIC, .teams = 3};
    const long alive = core_mem_live();
    sluice_status status = SLUICE_E_MEMORY;
    stream_pipeline *p;
    (void)state;
    for (long nth = 1; status != SLUICE_OK; nth++) {
        core_mem_fail_from(nth);
        status = fixture_open(&r, "3");
        if (status == SLUICE_OK) {
            status = fixture_pipeline(&r, &schedule, 3, &p);
            if (status == SLUICE_OK)
                run_blocks(p, 10);
            stream_pipeline_close(p);
            fixture_close(&r);
        }
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
        assert_int_equal(core_mem_live(), alive);
    }
    assert_int_equal(fixture_open(&r, "3,threads=2"), SLUICE_OK);
    assert_int_equal(fixture_pipeline(&r, &schedule, 3, &p), SLUICE_E_MEMORY);
    assert_null(p);
    fixture_close(&r);
    assert_int_equal(core_mem_live(), alive);
}

static void bad_configurations(void **state)
{
    static stream_fixture r;
    static const char *const texts[] = {"3,delay", "3,speed=1", "0", "x"};
    const stream_schedule none = {.teams = 0}, odd = {.kind = (stream_schedule_kind)9, .teams = 1};
    stream_pipeline *p;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(fixture_open(&r, texts[i]), SLUICE_E_INVALID);
    assert_int_equal(fixture_open(&r, "2"), SLUICE_OK);
    assert_int_equal(fixture_pipeline(&r, &none, 3, &p), SLUICE_E_INVALID);
    assert_int_equal(fixture_pipeline(&r, &odd, 3, &p), SLUICE_E_INVALID);
    assert_int_equal(fixture_pipeline(&r, &one_team, 0, &p), SLUICE_E_INVALID);
    fixture_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(cancel_in_the_middle),
        cmocka_unit_test(cancel_wakes_the_producer),
        cmocka_unit_test(timeouts_expire),
        cmocka_unit_test(close_with_blocks_everywhere),
        cmocka_unit_test(failure_travels_with_its_block),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(in_place_out_follows_in),
        cmocka_unit_test(without_memory_or_threads),
        cmocka_unit_test(bad_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
