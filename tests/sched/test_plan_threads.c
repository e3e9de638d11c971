// SPDX-License-Identifier: BSD-3-Clause
/* Many threads at once on one machine: planning, executing, printing, streaming, and closing the
 * machine while plans live. Threads count what went wrong; only the test's own thread judges. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_state.h"
#include "sched/machine/machine.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { THREADS = 4, ROUNDS = PLAN_SANITIZED ? 6 : 40, SEED = 31337 };

/* What one thread does, with the results it must see. */
typedef struct task {
    sluice_machine *machine;
    const sluice_plan *plan; /* NULL: makes its own */
    const char *problem;
    const plan_data *want;
    plan_data mine;
    void *work;
    atomic_int *wrong;
} task;

static sluice_plan *quiet_plan(sluice_machine *m, const char *text)
{
    sluice_problem p;
    sluice_plan *plan = NULL;
    if (sluice_problem_parse(&p, text, NULL) == SLUICE_OK)
        (void)sluice_plan_create(&plan, m, &p, NULL, NULL);
    return plan;
}

/* The input again (in place it is gone), then an execution that must give the same bits. */
static void execute(task *t, const sluice_plan *plan)
{
    for (size_t i = 0; t->mine.p.in_place && i < 2 * t->mine.total; i++)
        memcpy(plan_data_at(&t->mine, 0, i / 2, i % 2),
               t->want->kept[0][0]
                   + (plan_data_at(&t->mine, 0, i / 2, i % 2) - t->mine.block[0][0]),
               t->mine.scalar);
    if (sluice_execute_with(plan, &t->mine.arrays, t->work) != SLUICE_OK
        || !plan_data_same(&t->mine, t->want))
        atomic_fetch_add(t->wrong, 1);
}

static void *run_rounds(void *user)
{
    task *t = user;
    for (int i = 0; i < ROUNDS; i++) {
        sluice_plan *own = t->plan == NULL ? quiet_plan(t->machine, t->problem) : NULL;
        const sluice_plan *plan = own == NULL ? t->plan : own;
        if (plan == NULL)
            atomic_fetch_add(t->wrong, 1);
        else
            execute(t, plan);
        sluice_plan_destroy(own);
    }
    return NULL;
}

/* Data of every task, what it must become, the threads, and the verdict. */
static void run_tasks(task *tasks, int count)
{
    pthread_t thread[2 * THREADS];
    plan_data want[2 * THREADS];
    atomic_int wrong = 0;
    for (int i = 0; i < count; i++) {
        task *t = &tasks[i];
        sluice_plan *own = t->plan == NULL ? plan_made(t->machine, t->problem) : NULL;
        const sluice_plan *plan = own == NULL ? t->plan : own;
        plan_data_open(&want[i], plan, t->problem, 0);
        plan_data_open(&t->mine, plan, t->problem, 0);
        plan_data_execute(&want[i], plan, SEED, NULL);
        plan_data_fill(&t->mine, SEED);
        t->want = &want[i];
        t->wrong = &wrong;
        sluice_plan_destroy(own);
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_rounds, &tasks[i]), 0);
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < count; i++) {
        plan_data_close(&want[i]);
        plan_data_close(&tasks[i].mine);
    }
    if (wrong != 0)
        fail_msg("%s and %d more, seed %d: %d of %d rounds failed", tasks[0].problem, count - 1,
                 SEED, (int)wrong, count * ROUNDS);
}

/* ---------------------------------------------------------------- executing -------------- */

static void one_plan_by_all(void **state)
{
    static const char *const problems[] = {"c2c:f32:256*64",         "c2c:f64:4096",
                                           "c2c:f32:65536",          "c2c:f32:64x48*2",
                                           "c2c:f64:1024*4:inplace", "c2c:f32:16"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        task tasks[THREADS];
        for (int k = 0; k < THREADS; k++)
            tasks[k] = (task){.machine = m, .plan = plan, .problem = problems[i]};
        run_tasks(tasks, THREADS);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void plans_of_their_own(void **state)
{
    static const char *const problems[] = {"c2c:f32:16384", "c2c:f64:360*9",
                                           "c2c:f32:48x40:inplace", "c2c:f32:2048*3:inverse"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    task tasks[THREADS];
    for (int k = 0; k < THREADS; k++)
        tasks[k] = (task){.machine = m, .problem = problems[k]};
    run_tasks(tasks, THREADS);
    sluice_machine_close(m);
}

/* Scratch for one caller of each kind, eight callers, three of them with scratch of their own;
 * plans that need more of it are made meanwhile. */
static void more_callers_than_scratch(void **state)
{
    static const char *const problems[] = {"c2c:f32:16384", "c2c:f64:131072:latency",
                                           "c2c:f32:8192*4", "c2c:f64:96x80"};
    const sluice_machine_options options = {.units = "cpu:2", .callers = 1, .large_callers = 1};
    sluice_machine *m = NULL;
    sluice_plan *plan[4];
    task tasks[2 * THREADS];
    (void)state;
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    for (int i = 0; i < 4; i++)
        plan[i] = plan_made(m, problems[i]);
    for (int k = 0; k < 2 * THREADS; k++) {
        tasks[k] = (task){.machine = m, .plan = plan[k % 4], .problem = problems[k % 4]};
        if (k >= 5)
            tasks[k].work = sluice_alloc(sluice_plan_work_bytes(plan[k % 4]) + 64);
    }
    tasks[3] = (task){.machine = m, .problem = "c2c:f64:65536"};
    tasks[4] = (task){.machine = m, .problem = "c2c:f32:262144"};
    run_tasks(tasks, 2 * THREADS);
    for (int k = 0; k < 2 * THREADS; k++)
        sluice_free(tasks[k].work);
    for (int i = 0; i < 4; i++)
        sluice_plan_destroy(plan[i]);
    sluice_machine_close(m);
}

/* Nobody said how many callers there are: none waits for another's scratch, small or large. */
static void callers_do_not_wait(void **state)
{
    static const char *const problems[] = {"c2c:f32:3000:workers=1", "c2c:f64:32768:workers=1"};
    const sluice_machine_options options = {.units = "cpu:2", .local_store = 32768};
    sluice_machine *m = NULL;
    (void)state;
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    const cpu_state *cpu = (const cpu_state *)(const void *)m->backend; /* of the cpu table */
    for (int i = 0; i < 2; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        task tasks[2 * THREADS];
        assert_true(sluice_plan_work_bytes(plan) > 16384);
        assert_int_equal(sluice_plan_work_bytes(plan) > 2 * options.local_store, i);
        for (int k = 0; k < 2 * THREADS; k++)
            tasks[k] = (task){.machine = m, .plan = plan, .problem = problems[i]};
        run_tasks(tasks, 2 * THREADS);
        sluice_plan_destroy(plan);
    }
    assert_int_equal(cpu_scratch_waits(cpu->small), 0);
    assert_int_equal(cpu_scratch_waits(cpu->large), 0);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- planning --------------- */

/* Plans every size twice, measures, reads its text, verifies. */
static void *plan_all(void *user)
{
    task *t = user;
    char text[64];
    double error = 1, bound = 0;
    const sluice_plan_options measure = {.effort = SLUICE_MEASURE, .time_limit = 0.01};
    for (size_t n = 2; n < (PLAN_SANITIZED ? 40 : 200); n++) {
        sluice_plan *plan = NULL;
        sluice_problem p;
        if (!plan_smooth(n))
            continue;
        snprintf(text, sizeof text, "c2c:f32:%zu*3", n * 8);
        if (sluice_problem_parse(&p, text, NULL) != SLUICE_OK
            || sluice_plan_create(&plan, t->machine, &p, n % 16 == 0 ? &measure : NULL, NULL)
                   != SLUICE_OK
            || sluice_plan_verify(plan, &error, &bound, NULL) != SLUICE_OK || !(error <= bound))
            atomic_fetch_add(t->wrong, 1);
        sluice_plan_destroy(plan);
    }
    return NULL;
}

static void all_plan_the_same(void **state)
{
    pthread_t thread[THREADS];
    atomic_int wrong = 0;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    task t = {.machine = m, .wrong = &wrong};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, plan_all, &t), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(wrong, 0);
    sluice_machine_close(m);
}

/* Each thread holds a plan of the machine, which is closed first; the last plan takes it along. */
static void *run_and_destroy(void *user)
{
    task *t = user;
    run_rounds(t);
    sluice_plan_destroy((sluice_plan *)(uintptr_t)t->plan);
    return NULL;
}

static void the_machine_is_closed_meanwhile(void **state)
{
    static const char *const problems[] = {"c2c:f32:16384", "c2c:f64:360*9", "c2c:f32:48x40",
                                           "c2c:f32:2048*3:inverse"};
    pthread_t thread[THREADS];
    task tasks[THREADS];
    plan_data want[THREADS];
    atomic_int wrong = 0;
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (int i = 0; i < THREADS; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        tasks[i] = (task){.plan = plan, .problem = problems[i], .want = &want[i], .wrong = &wrong};
        plan_data_open(&want[i], plan, problems[i], 0);
        plan_data_open(&tasks[i].mine, plan, problems[i], 0);
        plan_data_execute(&want[i], plan, SEED, NULL);
        plan_data_fill(&tasks[i].mine, SEED);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_and_destroy, &tasks[i]), 0);
    sluice_machine_close(m);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        plan_data_close(&want[i]);
        plan_data_close(&tasks[i].mine);
    }
    assert_int_equal(wrong, 0);
}

/* ---------------------------------------------------------------- streams ---------------- */

typedef struct feed {
    const plan_data *want;
    size_t bytes;
    int given, taken, wrong;
} feed;

static sluice_status give(void *user, sluice_slot *slot)
{
    feed *f = user;
    if (f->given++ == ROUNDS)
        return SLUICE_END;
    memcpy(slot->in, f->want->kept[0][0] + f->want->base[0], f->bytes);
    return SLUICE_OK;
}

static sluice_status take(void *user, sluice_slot *slot)
{
    feed *f = user;
    f->taken++;
    f->wrong += memcmp(slot->out, f->want->arrays.out, f->bytes) != 0;
    return SLUICE_OK;
}

static void *run_stream(void *user)
{
    task *t = user;
    feed f = {.want = t->want, .bytes = t->want->total * 2 * t->want->scalar};
    if (sluice_stream_run(t->plan, give, take, &f, NULL, NULL) != SLUICE_OK || f.taken != ROUNDS)
        f.wrong++;
    atomic_fetch_add(t->wrong, f.wrong);
    return NULL;
}

static void streams_and_executions_at_once(void **state)
{
    static const char *const problems[] = {"c2c:f32:1024*32", "c2c:f64:65536"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (int i = 0; i < 2; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        plan_data want;
        atomic_int wrong = 0;
        pthread_t thread[2];
        plan_data_open(&want, plan, problems[i], 0);
        plan_data_execute(&want, plan, SEED, NULL);
        task stream = {.plan = plan, .want = &want, .wrong = &wrong};
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&thread[k], NULL, run_stream, &stream), 0);
        task tasks[2] = {{.machine = m, .plan = plan, .problem = problems[i]},
                         {.machine = m, .problem = "c2c:f32:8192*3"}};
        run_tasks(tasks, 2);
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_int_equal(wrong, 0);
        plan_data_close(&want);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_plan_by_all, nothing_leaks),
        cmocka_unit_test_teardown(plans_of_their_own, nothing_leaks),
        cmocka_unit_test_teardown(more_callers_than_scratch, nothing_leaks),
        cmocka_unit_test_teardown(callers_do_not_wait, nothing_leaks),
        cmocka_unit_test_teardown(all_plan_the_same, nothing_leaks),
        cmocka_unit_test_teardown(the_machine_is_closed_meanwhile, nothing_leaks),
        cmocka_unit_test_teardown(streams_and_executions_at_once, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
