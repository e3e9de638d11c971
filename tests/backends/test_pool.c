// SPDX-License-Identifier: BSD-3-Clause
/* The pools of the CPU backend: teams, barriers, leases, drivers, fork, signals, failures. Every
 * test runs for each pool that was compiled in, with more threads than small machines have
 * cores. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/cpu/threads/cpu_pool.h"
#include "core/mem.h"

/* The thread sanitizer does not see what OpenMP's runtime synchronises, unless archer tells it. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#ifdef SLUICE_HAVE_OPENMP
#if defined(SLUICE_WITH_ARCHER)                                                                    \
    || !(defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer))
#define WITH_OPENMP 1
#endif
#endif

enum { MOST = 8 };
static core_topology *topology;
static long live_before;

static int open_topology(void **state)
{
    (void)state;
    if (core_topology_open(&topology, NULL) != SLUICE_OK)
        return -1;
    live_before = core_mem_live();
    return 0;
}

static int close_topology(void **state)
{
    (void)state;
    core_topology_close(topology);
    return core_mem_live() == 0 ? 0 : -1;
}

static int nothing_leaks(void **state)
{
    (void)state;
    core_mem_fail_from(0);
    return core_mem_live() == live_before ? 0 : -1;
}

static cpu_pool *open_pool(const cpu_pool_table *table, int workers)
{
    cpu_pool *pool = NULL;
    assert_int_equal(table->open(&pool, workers, topology, NULL), SLUICE_OK);
    assert_non_null(pool);
    return pool;
}

static void sleep_us(long us)
{
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* What a team did; the plain counters are the members' own until run returns. */
typedef struct team {
    const cpu_pool_table *table;
    cpu_pool *pool;
    int ran[MOST], told[MOST];
    int phases;
    long value[MOST * 16]; /* one line apart */
    atomic_int wrong;
    cpu_barrier barrier;
    pthread_t caller;
} team;

static void note(void *arg, int member, int members)
{
    team *t = arg;
    t->ran[member]++;
    t->told[member] = members;
    if ((member == 0) != (pthread_equal(pthread_self(), t->caller) != 0))
        atomic_fetch_add(&t->wrong, 1);
}

/* Runs a team that only notes; its size. Any thread: -1 where something was wrong. */
static int run_noting(const cpu_pool_table *table, cpu_pool *pool, int want)
{
    team t = {.caller = pthread_self()};
    table->run(pool, want, true, note, &t);
    const int members = t.told[0];
    bool good = members >= 1 && members <= MOST && atomic_load(&t.wrong) == 0;
    for (int i = 0; i < MOST; i++)
        good = good && t.ran[i] == (i < members) && t.told[i] == (i < members ? members : 0);
    return good ? members : -1;
}

static void every_member_runs_once(void **state)
{
    const cpu_pool_table *table = *state;
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    for (int workers = 1; workers <= 5; workers++) {
        cpu_pool *pool = open_pool(table, workers);
        for (int want = 0; want <= 7; want++)
            for (int again = 0; again < 50; again++) {
                if (again % 16 == 15)
                    sleep_us(700); /* workers that sleep wake */
                const int most = want < 1 ? 1 : want < workers ? want : workers;
                const int members = run_noting(table, pool, want);
                assert_in_range(members, 1, most);
                if (table == &cpu_pool_pthread) /* all are idle: OpenMP may still give fewer */
                    assert_int_equal(members, most);
            }
        table->close(pool);
    }
    table->close(NULL);
    sched_getaffinity(0, sizeof after, &after); /* the caller is bound to nothing */
    assert_true(CPU_EQUAL(&before, &after));
}

/* In each phase every member writes its value, then reads everybody's. */
static void in_phases(void *arg, int member, int members)
{
    team *t = arg;
    for (int phase = 1; phase <= t->phases; phase++) {
        t->value[member * 16] = phase;
        if (phase % 64 == 0 && phase / 64 % members == member)
            sleep_us(300); /* the others sleep too */
        cpu_barrier_wait(&t->barrier, members);
        for (int i = 0; i < members; i++)
            if (t->value[i * 16] != phase)
                atomic_fetch_add(&t->wrong, 1);
        cpu_barrier_wait(&t->barrier, members);
    }
    t->told[member] = members;
}

static void barriers_hold_everybody(void **state)
{
    const cpu_pool_table *table = *state;
    for (int want = 1; want <= 5; want++) {
        cpu_pool *pool = open_pool(table, want);
        static team t;
        t = (team){.phases = 3000};
        cpu_barrier_open(&t.barrier);
        table->run(pool, want, true, in_phases, &t);
        t.phases = 10; /* the same barrier again, with another team */
        table->run(pool, (want + 1) / 2, true, in_phases, &t);
        cpu_barrier_close(&t.barrier);
        assert_int_equal(atomic_load(&t.wrong), 0);
        assert_int_equal(t.told[0], (want + 1) / 2);
        table->close(pool);
    }
}

/* ---- many callers ----------------------------------------------------------------------- */

typedef struct caller {
    const cpu_pool_table *table;
    cpu_pool *pool;
    bool good;
    pthread_t id;
} caller;

static void *call_often(void *arg)
{
    caller *c = arg;
    c->good = true;
    for (int i = 0; i < 500; i++)
        if (run_noting(c->table, c->pool, 1 + i % 5) < 1)
            c->good = false;
    return NULL;
}

static void callers_share_the_workers(void **state)
{
    const cpu_pool_table *table = *state;
    cpu_pool *pool = open_pool(table, 4);
    caller c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = (caller){.table = table, .pool = pool};
        assert_int_equal(pthread_create(&c[i].id, NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(c[i].id, NULL);
        assert_true(c[i].good);
    }
    table->close(pool);
}

static void run_inside(void *arg, int member, int members)
{
    team *t = arg;
    t->told[member] = members;
    for (int i = 0; i < 20; i++)
        if (run_noting(t->table, t->pool, 3) < 1)
            atomic_fetch_add(&t->wrong, 1);
}

static void jobs_may_run_jobs(void **state)
{
    const cpu_pool_table *table = *state;
    team t = {.table = table, .pool = open_pool(table, 4)};
    for (int i = 0; i < 20; i++) {
        table->run(t.pool, 2 + i % 3, true, run_inside, &t);
        assert_in_range(t.told[0], 1, 4);
        assert_int_equal(atomic_load(&t.wrong), 0);
    }
    table->close(t.pool);
}

typedef struct gate {
    atomic_int inside, open;
    int passed; /* of one thread only; join orders it */
    bool blocked;
} gate;

static void pass_gate(void *arg)
{
    gate *g = arg;
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    g->blocked = sigismember(&now, SIGUSR1) == 1;
    g->passed++;
    atomic_fetch_add(&g->inside, 1);
    while (!atomic_load(&g->open))
        sleep_us(100);
}

static void drivers_hold_their_workers(void **state)
{
    const cpu_pool_table *table = *state;
    cpu_pool *pool = open_pool(table, 3);
    enum { DRIVERS = 5 }; /* two more than there are workers */
    for (int round = 0; round < 10; round++) {
        gate g[DRIVERS] = {0};
        cpu_thread *thread[DRIVERS];
        for (int i = 0; i < DRIVERS; i++)
            assert_non_null(thread[i] = table->start(pool, pass_gate, &g[i]));
        for (int i = 0; i < DRIVERS; i++)
            while (!atomic_load(&g[i].inside)) /* all at once: none waits for another */
                sleep_us(100);
        const int members = run_noting(table, pool, 3);
        if (table == &cpu_pool_pthread) /* busy workers are not waited for */
            assert_int_equal(members, 1);
        for (int i = DRIVERS - 1; i >= 0; i--) {
            atomic_store(&g[i].open, 1);
            table->join(thread[i]);
            assert_int_equal(g[i].passed, 1);
            assert_true(g[i].blocked);
        }
        assert_true(run_noting(table, pool, 3) == 3 || table != &cpu_pool_pthread);
    }
    table->join(NULL);
    table->close(pool);
}

static void closing_may_follow_at_once(void **state)
{
    const cpu_pool_table *table = *state;
    for (int i = 0; i < 100; i++) {
        cpu_pool *pool = open_pool(table, 1 + i % 4);
        gate g = {.open = 1};
        if (i % 3 != 0)
            assert_true(run_noting(table, pool, 4) >= 1);
        if (i % 2 != 0) {
            table->join(table->start(pool, pass_gate, &g));
            assert_int_equal(g.passed, 1);
        }
        table->close(pool);
    }
}

/* ---- the process around ----------------------------------------------------------------- */

static void a_forked_child_runs_alone(void **state)
{
    const cpu_pool_table *table = *state;
    cpu_pool *pool = open_pool(table, 3);
    int status = -1;
    assert_true(run_noting(table, pool, 3) >= 1); /* the threads exist now */
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        gate g = {.open = 1};
        alarm(20); /* a child that waits for workers ends too */
        int wrong = 0;
        for (int i = 0; i < 10; i++)
            wrong += run_noting(table, pool, 3) != 1;
        wrong += table->start(pool, pass_gate, &g) != NULL;
        table->close(pool);
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(run_noting(table, pool, 3) >= 1);
    table->close(pool);
}

static pid_t main_thread;
static atomic_int here, elsewhere;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(gettid() == main_thread ? &here : &elsewhere, 1);
}

static void send_signals(void *arg, int member, int members)
{
    team *t = arg;
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    const bool blocked = sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGPIPE) == 1;
    if (blocked != (member != 0))
        atomic_fetch_add(&t->wrong, 1);
    t->told[member] = members;
    for (int i = 0; i < 50 && member == 1; i++) {
        kill(getpid(), SIGUSR1);
        sleep_us(100);
    }
}

static void workers_take_no_signals(void **state)
{
    const cpu_pool_table *table = *state;
    struct sigaction old, count = {.sa_handler = count_signal};
    sigset_t before, after;
    if (table != &cpu_pool_pthread) /* OpenMP's threads are the runtime's */
        return;
    main_thread = gettid();
    sigaction(SIGUSR1, &count, &old);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    team t = {.pool = open_pool(table, 3)};
    table->run(t.pool, 3, true, send_signals, &t);
    for (int ms = 0; ms < 5000 && atomic_load(&here) == 0; ms++)
        sleep_us(1000);
    table->close(t.pool);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    sigaction(SIGUSR1, &old, NULL);
    assert_int_equal(t.told[0], 3);
    assert_int_equal(atomic_load(&t.wrong), 0);
    assert_true(atomic_load(&here) > 0);
    assert_int_equal(atomic_load(&elsewhere), 0);
    for (int number = 1; number <= 31; number++) /* the caller's mask is as it was */
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

static void failures_leave_nothing(void **state)
{
    const cpu_pool_table *table = *state;
    sluice_diag why = {0};
    cpu_pool *pool = NULL;
    gate g[2] = {{.open = 0}, {.open = 1}};
    core_mem_fail_from(1);
    assert_int_equal(table->open(&pool, 3, topology, &why), SLUICE_E_MEMORY);
    assert_null(pool);
    assert_string_equal(why.message, "out of memory");
    core_mem_fail_from(0);
    assert_int_equal(core_mem_live(), live_before);
    pool = open_pool(table, 1);
    cpu_thread *first = table->start(pool, pass_gate, &g[0]); /* the only worker */
    core_mem_fail_from(1);
    assert_null(table->start(pool, pass_gate, &g[1]));
    assert_int_equal(run_noting(table, pool, 4), 1); /* running needs no memory */
    core_mem_fail_from(0);
    atomic_store(&g[0].open, 1);
    table->join(first);
    table->close(pool);
}

#define TEST(function, table)                                                                      \
    cmocka_unit_test_prestate_setup_teardown(function, NULL, nothing_leaks,                        \
                                             (void *)(uintptr_t)&table)
#define TESTS(table)                                                                               \
    TEST(every_member_runs_once, table), TEST(barriers_hold_everybody, table),                     \
        TEST(callers_share_the_workers, table), TEST(jobs_may_run_jobs, table),                    \
        TEST(drivers_hold_their_workers, table), TEST(closing_may_follow_at_once, table),          \
        TEST(a_forked_child_runs_alone, table), TEST(workers_take_no_signals, table),              \
        TEST(failures_leave_nothing, table)

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef SLUICE_WITH_ARCHER /* the other pool is looked at without it */
        TESTS(cpu_pool_pthread),
#endif
#ifdef WITH_OPENMP
        TESTS(cpu_pool_openmp),
#endif
    };
    return cmocka_run_group_tests_name("pool", tests, open_topology, close_topology);
}
