// SPDX-License-Identifier: BSD-3-Clause
/* Deals over units of two kinds, on one virtual clock: a simulation of discrete events whose events
 * are real threads. Every driver waits in finish until the host, which has filled all slots, lets
 * the block go that is done first. */
#define _DEFAULT_SOURCE /* alarm */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/fake/fake_backend.h"
#include "tests/helpers/helper_fixture.h"

enum { TIME_LIMIT = 120, KINDS = 2, BLOCKS = 400, DEPTH = 3, MOST_SLOTS = FIXTURE_SLOTS * 3 };

/* What a team's driver does; team t is unit t of kind t. */
typedef struct team_state {
    stream_fixture *r;
    stream_begin *begin;
    stream_finish *finish;
    int in_flight, most; /* at a time */
    bool waits, may_go;
    double end; /* of the block that it waits for */
    uint64_t begun, done;
} team_state;

static struct {
    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    team_state team[KINDS];
    double now;
    uint64_t released;
    int passed_over; /* a team that may leave blocks queued; -1: none */
} sim = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static sluice_status begin_in_time(void *user, int team, sluice_slot *slot, bool may_wait,
                                   backend_ticket **ticket)
{
    team_state *t = &sim.team[team];
    (void)user;
    pthread_mutex_lock(&sim.lock);
    fake_wait_until(t->r->b, team, sim.now);
    t->in_flight++;
    t->most = t->in_flight > t->most ? t->in_flight : t->most;
    t->begun++;
    pthread_mutex_unlock(&sim.lock);
    return t->begin(t->r, team, slot, may_wait, ticket);
}

static sluice_status finish_in_time(void *user, int team, sluice_slot *slot, backend_ticket *ticket,
                                    backend_legs *seconds)
{
    team_state *t = &sim.team[team];
    (void)user;
    pthread_mutex_lock(&sim.lock);
    t->end = fake_end(ticket);
    t->waits = true;
    pthread_cond_broadcast(&sim.changed);
    while (!t->may_go)
        pthread_cond_wait(&sim.changed, &sim.lock);
    t->may_go = t->waits = false;
    t->in_flight--;
    pthread_mutex_unlock(&sim.lock);
    return t->finish(t->r, team, slot, ticket, seconds);
}

/* Blocks that are queued and team t may take. Under the lock. */
static uint64_t queued_for(const stream_schedule *schedule, uint64_t submitted, int t)
{
    uint64_t own = 0;
    if (schedule->kind == STREAM_DYNAMIC)
        return t == sim.passed_over ? 0 : submitted - sim.team[0].begun - sim.team[1].begun;
    for (uint64_t k = 0; k < submitted; k++)
        own += stream_schedule_team(schedule, k) == t;
    return own - sim.team[t].begun;
}

/* Is every driver waiting: in finish, or for a block? Under the lock. */
static bool all_wait(const stream_schedule *schedule, uint64_t submitted)
{
    for (int t = 0; t < KINDS; t++) {
        const team_state *s = &sim.team[t];
        if (s->may_go || (!s->waits && s->in_flight > 0))
            return false;
        if (!s->waits && queued_for(schedule, submitted, t) > 0)
            return false;
    }
    return true;
}

/* Lets the block go that is done first. Under the lock. */
static void release_first(void)
{
    team_state *first = NULL;
    for (int t = 0; t < KINDS; t++) {
        team_state *s = &sim.team[t];
        if (s->waits && (first == NULL || s->end < first->end))
            first = s;
    }
    assert_non_null(first);
    first->may_go = true;
    first->done++;
    sim.now = first->end > sim.now ? first->end : sim.now;
    sim.released++;
    pthread_cond_broadcast(&sim.changed);
}

/* Reaps what is done and fills what is free; did anything happen? */
static bool serve(stream_pipeline *p, uint64_t *put, uint64_t *got)
{
    const uint64_t before = *put + *got;
    sluice_slot *slot;
    while (stream_pipeline_reap(p, &slot, 0, NULL) == SLUICE_OK) {
        assert_int_equal(slot->status, SLUICE_OK);
        assert_true(fixture_holds(slot->out, *got, FIXTURE_COUNT));
        ++*got;
        assert_int_equal(stream_pipeline_release(p, slot, NULL), SLUICE_OK);
    }
    while (*put < BLOCKS && stream_pipeline_acquire(p, &slot, 0, NULL) == SLUICE_OK) {
        fixture_fill(slot->in, (*put)++, FIXTURE_COUNT);
        assert_int_equal(stream_pipeline_submit(p, slot, NULL), SLUICE_OK);
    }
    return *put + *got != before;
}

/* One event, if all that came before it has been seen to its end. */
static void advance(stream_pipeline *p, const stream_schedule *schedule, uint64_t put)
{
    const struct timespec moment = {0, 20000};
    stream_totals totals;
    stream_pipeline_totals(p, &totals);
    pthread_mutex_lock(&sim.lock);
    const bool ready = totals.blocks == sim.released && all_wait(schedule, put);
    if (ready)
        release_first();
    pthread_mutex_unlock(&sim.lock);
    if (!ready)
        nanosleep(&moment, NULL);
}

/* Virtual seconds from start to each block's reap. */
static void simulate(const char *const *units, const stream_schedule *schedule, int slots,
                     int passed_over, double *when)
{
    static stream_fixture r[KINDS];
    static fixture_item in[MOST_SLOTS][FIXTURE_COUNT], out[MOST_SLOTS][FIXTURE_COUNT];
    sluice_slot initial[MOST_SLOTS];
    stream_team team[KINDS];
    stream_pipeline *p;
    uint64_t put = 0, got = 0;
    alarm(TIME_LIMIT);
    sim.now = 0;
    sim.released = 0;
    sim.passed_over = passed_over;
    for (int k = 0; k < KINDS; k++) {
        char text[96];
        snprintf(text, sizeof text, "%d,depth=%d,%s", k + 1, DEPTH, units[k]);
        assert_int_equal(fixture_open(&r[k], text), SLUICE_OK);
        sim.team[k] =
            (team_state){.r = &r[k], .begin = r[k].team[k].begin, .finish = r[k].team[k].finish};
        team[k] = r[k].team[k];
        team[k].begin = begin_in_time;
        team[k].finish = finish_in_time;
    }
    for (int i = 0; i < slots; i++)
        initial[i] = (sluice_slot){.in = in[i], .out = out[i], .count = FIXTURE_COUNT};
    const stream_config config = {
        .team = team, .schedule = *schedule, .slots = slots, .initial = initial};
    assert_int_equal(stream_pipeline_open(&p, &config, NULL), SLUICE_OK);
    while (got < BLOCKS) {
        const uint64_t before = got;
        if (!serve(p, &put, &got))
            advance(p, schedule, put);
        for (uint64_t k = before; k < got; k++)
            when[k] = sim.now;
    }
    stream_pipeline_close(p);
    for (int k = 0; k < KINDS; k++)
        fixture_close(&r[k]);
}

/* What the teams' rates add up to is reached, whatever the deal. */
static void rates_add_up(void **state)
{
    enum { ASIDE = 50, FAST = 100 };
    static const stream_schedule_kind kinds[] = {STREAM_DYNAMIC, STREAM_CYCLIC};
    static const char *const names[] = {"dynamic", "cyclic"};
    static const int ratio[] = {1, 3, 7};
    double when[BLOCKS];
    (void)state;
    for (size_t i = 0; i < sizeof ratio / sizeof ratio[0]; i++)
        for (size_t d = 0; d < sizeof kinds / sizeof kinds[0]; d++) {
            char slow[64];
            const int rate[KINDS] = {ratio[i], 1};
            const char *const units[KINDS] = {"get=30,compute=100,put=40", slow};
            const stream_schedule schedule = {kinds[d], KINDS, rate};
            snprintf(slow, sizeof slow, "get=30,compute=%d,put=40", FAST * ratio[i]);
            /* while the slow team has the oldest block for DEPTH of its times the other goes on */
            const int slots = 2 * DEPTH + DEPTH * ratio[i] + 2;
            simulate(units, &schedule, slots, -1, when);
            const double pace = (when[BLOCKS - 1 - ASIDE] - when[ASIDE]) / (BLOCKS - 1 - 2 * ASIDE);
            const double ideal = 1e-6 * FAST * ratio[i] / (ratio[i] + 1);
            print_message("rates 1:%d, %s: %.3f of their sum, the slow one %.0f %% of the blocks\n",
                          ratio[i], names[d], ideal / pace,
                          100.0 * (double)sim.team[1].done / BLOCKS);
            assert_true(ideal / pace >= 0.95 && ideal / pace <= 1.02);
        }
}

/* Turns by rate. */
static void turns_follow_rates(void **state)
{
    static const char *const units[KINDS] = {"compute=100", "compute=300"};
    static const int rate[KINDS] = {3, 1};
    const stream_schedule schedule = {STREAM_CYCLIC, KINDS, rate};
    double when[BLOCKS];
    (void)state;
    simulate(units, &schedule, MOST_SLOTS, -1, when);
    assert_int_equal(sim.team[0].done, BLOCKS * 3 / 4);
    assert_int_equal(sim.team[1].done, BLOCKS / 4);
}

/* Of four slots a team of depth 3 leaves one to the other team, and one that is outside. */
static void few_slots_are_left_to_others(void **state)
{
    static const char *const units[KINDS] = {"compute=100", "compute=100"};
    static const stream_schedule schedule = {STREAM_DYNAMIC, KINDS, NULL};
    double when[BLOCKS];
    (void)state;
    simulate(units, &schedule, 4, -1, when);
    for (int t = 0; t < KINDS; t++) {
        assert_int_equal(sim.team[t].most, 2);
        assert_true(sim.team[t].done >= BLOCKS / 3);
    }
}

/* A kind that becomes ten times slower in mid-stream delays it by what it has in flight. */
static void a_kind_that_slows_down_is_passed_over(void **state)
{
    static const char *const units[KINDS] = {"compute=100", "compute=100,slow=101"};
    static const stream_schedule schedule = {STREAM_DYNAMIC, KINDS, NULL};
    double when[BLOCKS];
    (void)state;
    simulate(units, &schedule, 4 * DEPTH + 2, 1, when);
    /* 200 blocks by both, 200 by the first alone */
    const double expected = 1e-6 * (100 * 100 + 200 * 100), slow_block = 1e-6 * 1000;
    print_message("ten times slower from the 101st of its blocks on: %.2f ms, %.2f without it; it "
                  "did %d blocks\n",
                  1e3 * when[BLOCKS - 1], 1e3 * expected, (int)sim.team[1].done);
    assert_true(when[BLOCKS - 1] <= expected + DEPTH * slow_block);
    assert_true(sim.team[1].done <= 100 + DEPTH + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_add_up),
        cmocka_unit_test(turns_follow_rates),
        cmocka_unit_test(few_slots_are_left_to_others),
        cmocka_unit_test(a_kind_that_slows_down_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
