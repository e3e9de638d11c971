// SPDX-License-Identifier: BSD-3-Clause
/* Plans that a machine keeps: who receives them again, when they are evicted, and that nothing but
 * the time of planning changes. A kept plan is returned without an allocation. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/mem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

static sluice_machine *machine_with(const char *bytes)
{
    if (bytes)
        setenv("SLUICE_PLAN_CACHE", bytes, 1);
    sluice_machine *m = plan_machine("cpu:2", NULL);
    unsetenv("SLUICE_PLAN_CACHE");
    return m;
}

static sluice_plan *made(sluice_machine *m, const char *text, const sluice_plan_options *o)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {.message = ""};

    if (sluice_plan_from_text(&plan, m, text, o, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

/* Is a plan for it there? It is afterwards, where there is room. */
static bool is_kept(sluice_machine *m, const char *text, const sluice_plan_options *o)
{
    const long before = core_mem_count();
    sluice_plan *plan = made(m, text, o);
    const bool kept = core_mem_count() == before;

    sluice_plan_destroy(plan);
    return kept;
}

static void judge(const sluice_plan *plan)
{
    double error = 1, bound = 0;

    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
}

static void the_same_again_is_there(void **state)
{
    static const sluice_plan_options patient = {.effort = SLUICE_PATIENT},
                                     limited = {.time_limit = 1};
    static const char *const others[] = {"c2c:f64:60",
                                         "c2c:f32:60:inverse",
                                         "c2c:f32:60:inplace",
                                         "c2c:f32:60*2",
                                         "c2c:f32:6x10",
                                         "c2c:f32:60@2",
                                         "c2c:f32:60:workers=1",
                                         "c2c:f32:60:throughput",
                                         "c2c:f32:60@/2",
                                         "c2c:f32:60@1*2@61*3@200",
                                         "c2c:f32:60:in=split",
                                         "c2c:f32:60@1/1*2@60/61",
                                         "c2c:f32:60:in_cyclic=2/3",
                                         "c2c:f32:60:out_cyclic=2/3"};
    sluice_machine *m = machine_with(NULL);

    (void)state;
    assert_false(is_kept(m, "c2c:f32:60", NULL));
    assert_true(is_kept(m, "c2c:f32:60", NULL));
    assert_true(is_kept(m, "c2c:f32:060:forward", NULL));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (is_kept(m, others[i], NULL))
            fail_msg("%s was not planned", others[i]);
        if (!is_kept(m, others[i], NULL))
            fail_msg("%s is not kept", others[i]);
    }
    assert_false(is_kept(m, "c2c:f32:60", &limited));
    assert_false(is_kept(m, "c2c:f32:60", &limited));
    assert_false(is_kept(m, "c2c:f32:60", &patient)); /* which finds wisdom */
    assert_false(is_kept(m, "c2c:f32:60", &patient)); /* and is made of it  */
    assert_true(is_kept(m, "c2c:f32:60", &patient));
    sluice_machine_close(m);
}

static void formulas_are_kept_too(void **state)
{
    static const char *const text[] = {"DFT(6) (x) I(4)", "DFT(4) (x) I(6)", "c2c:f64:6 := DFT(6)",
                                       "DFT(6)"};
    sluice_machine *m = machine_with(NULL);

    (void)state;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
            for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++) {
                const long before = core_mem_count();
                sluice_plan *plan = plan_of_formula(m, text[i], (sluice_precision)precision);
                const bool named = strchr(text[i], ':') != NULL; /* one precision */
                if (!named || precision == SLUICE_F32)
                    assert_int_equal(core_mem_count() == before, turn == 1);
                judge(plan);
                sluice_plan_destroy(plan);
            }
    sluice_machine_close(m);
}

/* Each holder has a plan of its own, as far as can be told, also when the machine is closed. */
static void shared_plans_are_independent(void **state)
{
    sluice_machine *m = machine_with(NULL);
    sluice_plan *plan[4];
    float x[2 * 64] = {1}, y[4][2 * 64];

    (void)state;
    for (int i = 0; i < 4; i++)
        plan[i] = made(m, "c2c:f32:64", NULL);
    sluice_machine_close(m);
    for (int i = 0; i < 4; i++) {
        plan_text text = plan_printed(plan[i], SLUICE_LEVEL_PLACEMENT);
        assert_true(text.length > 0);
        test_free(text.data);
        judge(plan[i]);
        assert_int_equal(sluice_execute(plan[i], x, y[i]), SLUICE_OK);
        assert_memory_equal(y[0], y[i], sizeof y[0]);
        sluice_plan_destroy(plan[i]);
    }
}

/* The least recently used go, and a plan in use outlives its place. */
static void the_oldest_goes(void **state)
{
    sluice_machine *m = machine_with("600000");
    char text[64];
    int kept = 0;

    (void)state;
    sluice_plan *held = made(m, "c2c:f32:16", NULL);
    for (int n = 100; n < 160; n++) {
        snprintf(text, sizeof text, "c2c:f32:16*%d", n);
        assert_false(is_kept(m, text, NULL));
        if (n < 130) /* used again and again: stays */
            assert_true(is_kept(m, "c2c:f32:16", NULL));
    }
    for (int n = 159; n >= 100; n--) {
        snprintf(text, sizeof text, "c2c:f32:16*%d", n);
        if (!is_kept(m, text, NULL))
            break;
        kept++;
    }
    assert_true(kept >= 2 && kept < 30);
    assert_false(is_kept(m, "c2c:f32:16", NULL));
    judge(held);
    sluice_plan_destroy(held);
    /* More than a fourth of the room is not kept at all. */
    assert_false(is_kept(m, "c2c:f32:65536", NULL));
    assert_false(is_kept(m, "c2c:f32:65536", NULL));
    sluice_machine_close(m);
}

static void wisdom_makes_plans_anew(void **state)
{
    static const sluice_plan_options measure = {.effort = SLUICE_MEASURE};
    char path[PLAN_TEXT_SIZE];
    sluice_machine *m = machine_with(NULL), *other = machine_with(NULL);

    (void)state;
    assert_true(plan_file(path));
    sluice_plan_destroy(made(other, "c2c:f32:1000", &measure));
    assert_int_equal(sluice_wisdom_save(other, path), SLUICE_OK);
    sluice_machine_close(other);
    assert_false(is_kept(m, "c2c:f32:1000", NULL));
    assert_true(is_kept(m, "c2c:f32:1000", NULL));
    assert_int_equal(sluice_wisdom_load(m, path, NULL), SLUICE_OK);
    assert_false(is_kept(m, "c2c:f32:1000", NULL));
    assert_true(is_kept(m, "c2c:f32:1000", NULL));
    if (sluice_machine_tune(m, NULL, NULL) == SLUICE_OK)
        assert_false(is_kept(m, "c2c:f32:1000", NULL));
    remove(path);
    sluice_machine_close(m);
}

static void it_can_be_turned_off(void **state)
{
    sluice_machine *m = machine_with("0");

    (void)state;
    assert_false(is_kept(m, "c2c:f32:60", NULL));
    assert_false(is_kept(m, "c2c:f32:60", NULL));
    sluice_machine_close(m);
    static const char *const wrong[] = {"1M", "-1", " 5", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sluice_diag why = {.message = ""};
        setenv("SLUICE_PLAN_CACHE", wrong[i], 1);
        assert_int_equal(sluice_machine_open(&m, NULL, &why), SLUICE_E_INVALID);
        assert_non_null(strstr(why.message, "expected bytes"));
    }
    unsetenv("SLUICE_PLAN_CACHE");
}

/* A plan that cannot be kept is made all the same. */
static void without_memory_nothing_is_kept(void **state)
{
    (void)state;
    for (long k = 1; k < 3000; k++) {
        const long alive = core_mem_live();
        sluice_machine *m = machine_with(NULL);
        sluice_plan *plan = NULL;
        core_mem_fail_from(k);
        const long before = core_mem_count();
        const sluice_status status = sluice_plan_from_text(&plan, m, "c2c:f32:60", NULL, NULL);
        const bool starved = core_mem_count() - before >= k;
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || (starved && status == SLUICE_E_MEMORY));
        if (status == SLUICE_OK)
            judge(plan);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
        assert_int_equal(core_mem_live(), alive);
        if (!starved)
            return;
    }
    fail_msg("never succeeds");
}

typedef struct user {
    sluice_machine *m;
    uint64_t seed;
    int wrong;
} user;

static void *plan_and_run(void *arg)
{
    user *u = (user *)arg;
    float x[2 * 64] = {1}, y[2 * 64];

    for (int i = 0; i < (PLAN_SANITIZED ? 60 : 600); i++) {
        char text[64];
        sluice_plan *plan = NULL;
        snprintf(text, sizeof text, "c2c:f32:%d", (int)(2 + plan_below(&u->seed, 62)));
        if (sluice_plan_from_text(&plan, u->m, text, NULL, NULL) != SLUICE_OK
            || sluice_execute(plan, x, y) != SLUICE_OK || !(y[2] > 0.999F && y[2] < 1.001F))
            u->wrong++;
        sluice_plan_destroy(plan);
    }
    return NULL;
}

static void threads_share(void **state)
{
    enum { USERS = 4 };
    sluice_machine *m = machine_with("800000");
    pthread_t thread[USERS];
    user u[USERS];

    (void)state;
    for (int i = 0; i < USERS; i++) {
        u[i] = (user){.m = m, .seed = (uint64_t)i + 1};
        assert_int_equal(pthread_create(&thread[i], NULL, plan_and_run, &u[i]), 0);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(u[i].wrong, 0);
    }
    sluice_machine_close(m);
}

static void children_plan_for_themselves(void **state)
{
    sluice_machine *m = machine_with(NULL);
    int status = 0;

    (void)state;
    assert_false(is_kept(m, "c2c:f32:60", NULL));
    const pid_t child = fork();
    if (child == 0) {
        const bool kept = is_kept(m, "c2c:f32:60", NULL);
        sluice_machine_close(m);
        _exit(kept);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(is_kept(m, "c2c:f32:60", NULL));
    sluice_machine_close(m);
}

/* A hit takes under 2 us: the least of some, as machines stall. */
static void a_hit_is_fast(void **state)
{
    sluice_machine *m = machine_with(NULL);
    sluice_problem p;
    double least = 1;

    (void)state;
    assert_int_equal(sluice_problem_parse(&p, "c2c:f32:1024", NULL), SLUICE_OK);
    for (int i = 0; i < 200; i++) {
        sluice_plan *plan = NULL;
        const double start = core_seconds();
        assert_int_equal(sluice_plan_create(&plan, m, &p, NULL, NULL), SLUICE_OK);
        sluice_plan_destroy(plan);
        const double seconds = core_seconds() - start;
        least = seconds < least ? seconds : least;
    }
    if (!PLAN_SANITIZED)
        assert_true(least < 2e-6);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_same_again_is_there, nothing_leaks),
        cmocka_unit_test_teardown(formulas_are_kept_too, nothing_leaks),
        cmocka_unit_test_teardown(shared_plans_are_independent, nothing_leaks),
        cmocka_unit_test_teardown(the_oldest_goes, nothing_leaks),
        cmocka_unit_test_teardown(wisdom_makes_plans_anew, nothing_leaks),
        cmocka_unit_test_teardown(it_can_be_turned_off, nothing_leaks),
        cmocka_unit_test_teardown(without_memory_nothing_is_kept, nothing_leaks),
        cmocka_unit_test_teardown(threads_share, nothing_leaks),
        cmocka_unit_test_teardown(children_plan_for_themselves, nothing_leaks),
        cmocka_unit_test_teardown(a_hit_is_fast, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
