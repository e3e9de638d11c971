// SPDX-License-Identifier: BSD-3-Clause
/* Scratch areas: taking waits, growing neither moves what is out nor starves, failures. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_scratch.h"
#include "core/mem.h"
#include "tests/helpers/helper_leaks.h"

static void sleep_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* An area of at least `bytes`, waited for where need be. */
static void *take(cpu_scratch *s, size_t bytes)
{
    bool waited;
    return cpu_scratch_acquire(s, bytes, &waited);
}

typedef struct other {
    cpu_scratch *scratch;
    size_t bytes;
    void *area;
    sluice_status status;
    atomic_int done, stop;
    pthread_t id;
} other;

static void *take_one(void *arg)
{
    other *o = arg;
    o->area = take(o->scratch, o->bytes);
    atomic_store(&o->done, 1);
    return NULL;
}

static void *grow_one(void *arg)
{
    other *o = arg;
    o->status = cpu_scratch_grow(o->scratch, o->bytes, NULL);
    atomic_store(&o->done, 1);
    return NULL;
}

static void *take_and_give(void *arg)
{
    other *o = arg;
    while (!atomic_load(&o->stop)) {
        void *area = take(o->scratch, o->bytes);
        for (int i = 0; i < 500; i++)
            memset(area, i, o->bytes);
        cpu_scratch_release(o->scratch, area);
        atomic_fetch_add(&o->done, 1);
    }
    return NULL;
}

/* Waits until `count` grew by more; its value then. */
static int wait_for_more(atomic_int *count, int more)
{
    const int from = atomic_load(count);
    while (atomic_load(count) <= from + more)
        sleep_ms(1);
    return atomic_load(count);
}

static cpu_scratch *open_scratch(int areas, size_t bytes)
{
    cpu_scratch *s = cpu_scratch_open(areas, 0);
    assert_non_null(s);
    assert_int_equal(cpu_scratch_grow(s, bytes, NULL), SLUICE_OK);
    return s;
}

static void areas_are_distinct_and_aligned(void **state)
{
    (void)state;
    cpu_scratch *s = open_scratch(3, 1000);
    void *area[3];
    for (int i = 0; i < 3; i++) {
        area[i] = take(s, 1000);
        assert_non_null(area[i]);
        assert_int_equal((uintptr_t)area[i] % 64, 0);
        memset(area[i], i, 1000);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(area[i], area[j]);
    }
    cpu_scratch_release(s, area[1]);
    assert_ptr_equal(take(s, 1000), area[1]);
    for (int i = 0; i < 3; i++)
        cpu_scratch_release(s, area[i]);
    cpu_scratch_close(s);
    cpu_scratch_close(NULL);
}

static void taking_waits_until_one_is_given(void **state)
{
    (void)state;
    cpu_scratch *s = open_scratch(1, 64);
    void *mine = take(s, 64);
    other o = {.scratch = s, .bytes = 64};
    assert_int_equal(pthread_create(&o.id, NULL, take_one, &o), 0);
    sleep_ms(20);
    assert_int_equal(atomic_load(&o.done), 0);
    cpu_scratch_release(s, mine);
    pthread_join(o.id, NULL);
    assert_ptr_equal(o.area, mine);
    cpu_scratch_release(s, o.area);
    cpu_scratch_close(s);
}

static void growing_leaves_areas_that_are_out(void **state)
{
    (void)state;
    cpu_scratch *s = open_scratch(2, 64);
    char *mine = take(s, 64);
    memset(mine, 7, 64);
    other o = {.scratch = s, .bytes = 5000};
    assert_int_equal(pthread_create(&o.id, NULL, grow_one, &o), 0);
    sleep_ms(20);
    assert_int_equal(atomic_load(&o.done), 0);
    for (int i = 0; i < 64; i++) /* still there, under asan too */
        assert_int_equal(mine[i], 7);
    cpu_scratch_release(s, mine);
    pthread_join(o.id, NULL);
    assert_int_equal(o.status, SLUICE_OK);
    for (int i = 0; i < 2; i++)
        memset(take(s, 5000), 1, 5000);
    cpu_scratch_close(s);
}

static void growing_to_less_moves_nothing(void **state)
{
    (void)state;
    cpu_scratch *s = open_scratch(1, 5000);
    void *mine = take(s, 5000);
    const long count = core_mem_count();
    assert_int_equal(cpu_scratch_grow(s, 100, NULL), SLUICE_OK); /* does not wait either */
    assert_int_equal(core_mem_count(), count);
    cpu_scratch_release(s, mine);
    assert_ptr_equal(take(s, 5000), mine);
    cpu_scratch_close(s);
}

/* Planning must end even where executions of a millisecond follow each other without a pause. */
static void busy_users_do_not_starve_growing(void **state)
{
    (void)state;
    cpu_scratch *s = open_scratch(1, 1 << 16);
    other user = {.scratch = s, .bytes = 1 << 16};
    int most = 0;
    assert_int_equal(pthread_create(&user.id, NULL, take_and_give, &user), 0);
    for (int round = 1; round <= 10; round++) {
        other grower = {.scratch = s, .bytes = (size_t)(1 + round) << 16};
        const int from = wait_for_more(&user.done, 0);
        assert_int_equal(pthread_create(&grower.id, NULL, grow_one, &grower), 0);
        pthread_join(grower.id, NULL);
        const int waited = atomic_load(&user.done) - from;
        most = waited > most ? waited : most;
        wait_for_more(&user.done, 5);
    }
    atomic_store(&user.stop, 1);
    pthread_join(user.id, NULL);
    cpu_scratch_close(s);
    assert_true(most < 300);
}

static void failed_growing_keeps_the_areas(void **state)
{
    (void)state;
    sluice_diag why = {0};
    for (int nth = 1; nth <= 3; nth++) {
        cpu_scratch *s = open_scratch(3, 256);
        core_mem_fail_from(nth);
        assert_int_equal(cpu_scratch_grow(s, 4096, &why), SLUICE_E_MEMORY);
        core_mem_fail_from(0);
        assert_string_equal(why.message, "out of memory");
        void *area[3];
        for (int i = 0; i < 3; i++)
            memset(area[i] = take(s, 256), i, 256);
        for (int i = 0; i < 3; i++)
            cpu_scratch_release(s, area[i]);
        assert_int_equal(cpu_scratch_grow(s, 4096, &why), SLUICE_OK);
        memset(take(s, 4096), 1, 4096);
        cpu_scratch_close(s);
        assert_int_equal(core_mem_live(), 0);
    }
    for (int nth = 1; nth <= 2; nth++) {
        core_mem_fail_from(nth);
        assert_null(cpu_scratch_open(2, 0));
        core_mem_fail_from(0);
        assert_int_equal(core_mem_live(), 0);
    }
}

/* ---- areas that callers make ---- */

static void callers_make_areas_and_keep_them(void **state)
{
    (void)state;
    cpu_scratch *s = cpu_scratch_open(1, (size_t)1 << 20);
    void *area[4], *again[4];
    assert_non_null(s);
    assert_int_equal(cpu_scratch_grow(s, 1000, NULL), SLUICE_OK);
    assert_int_equal(cpu_scratch_bytes(s), 1000); /* nobody came yet */
    for (int i = 0; i < 4; i++)
        memset(area[i] = take(s, 1000), i, 1000);
    for (int i = 0; i < 4; i++)
        assert_int_equal(((char *)area[i])[999], i);
    assert_int_equal(cpu_scratch_waits(s), 0);
    for (int i = 0; i < 4; i++)
        cpu_scratch_release(s, area[i]);
    const long count = core_mem_count();
    for (int i = 0; i < 4; i++)
        again[i] = take(s, 900);
    assert_int_equal(core_mem_count(), count);
    assert_int_equal(cpu_scratch_bytes(s), 4000);
    for (int i = 0; i < 4; i++)
        cpu_scratch_release(s, again[i]);
    cpu_scratch_close(s);
}

/* Room for two of 1000; smaller ones that are idle make way for a larger one, and where there is no
 * room a caller waits. */
static void the_limit_of_memory_holds(void **state)
{
    (void)state;
    cpu_scratch *s = cpu_scratch_open(1, 2500);
    assert_non_null(s);
    assert_int_equal(cpu_scratch_grow(s, 500, NULL), SLUICE_OK);
    void *area[4];
    for (int i = 0; i < 4; i++)
        area[i] = take(s, 500);
    assert_int_equal(cpu_scratch_bytes(s), 2000);
    for (int i = 0; i < 4; i++)
        cpu_scratch_release(s, area[i]);
    assert_int_equal(cpu_scratch_grow(s, 1000, NULL), SLUICE_OK);
    for (int i = 0; i < 2; i++)
        memset(area[i] = take(s, 1000), i, 1000);
    assert_true(cpu_scratch_bytes(s) <= 2500);
    other o = {.scratch = s, .bytes = 1000};
    assert_int_equal(pthread_create(&o.id, NULL, take_one, &o), 0);
    while (cpu_scratch_waits(s) == 0)
        sleep_ms(1);
    assert_int_equal(atomic_load(&o.done), 0);
    cpu_scratch_release(s, area[1]);
    pthread_join(o.id, NULL);
    assert_ptr_equal(o.area, area[1]);
    assert_int_equal(cpu_scratch_waits(s), 1);
    cpu_scratch_release(s, o.area);
    cpu_scratch_release(s, area[0]);
    cpu_scratch_close(s);
}

/* A plan that needs more than all of them may have: the one area that must be is, and no other. */
static void one_area_may_exceed_the_limit(void **state)
{
    (void)state;
    cpu_scratch *s = cpu_scratch_open(3, 2500);
    assert_non_null(s);
    assert_int_equal(cpu_scratch_grow(s, 1000, NULL), SLUICE_OK);
    assert_int_equal(cpu_scratch_bytes(s), 2000); /* of the three that were wished for */
    assert_int_equal(cpu_scratch_grow(s, 4000, NULL), SLUICE_OK);
    void *large = take(s, 4000), *small = take(s, 1000);
    memset(large, 1, 4000);
    memset(small, 2, 1000);
    assert_ptr_not_equal(large, small);
    assert_int_equal(cpu_scratch_bytes(s), 5000);
    cpu_scratch_release(s, small);
    cpu_scratch_release(s, large);
    cpu_scratch_close(s);
}

static void without_memory_callers_wait(void **state)
{
    (void)state;
    cpu_scratch *s = cpu_scratch_open(1, (size_t)1 << 20);
    assert_non_null(s);
    assert_int_equal(cpu_scratch_grow(s, 1000, NULL), SLUICE_OK);
    void *mine = take(s, 1000);
    other o = {.scratch = s, .bytes = 1000};
    core_mem_fail_from(1);
    assert_int_equal(pthread_create(&o.id, NULL, take_one, &o), 0);
    while (cpu_scratch_waits(s) == 0)
        sleep_ms(1);
    cpu_scratch_release(s, mine);
    pthread_join(o.id, NULL);
    core_mem_fail_from(0);
    assert_ptr_equal(o.area, mine);
    cpu_scratch_release(s, o.area);
    cpu_scratch_close(s);
}

/* With every area out when the process forks, none comes back in the child: it must not wait. */
static void a_forked_child_has_scratch(void **state)
{
    (void)state;
    cpu_scratch *scratch = cpu_scratch_open(1, 0);
    assert_non_null(scratch);
    assert_int_equal(cpu_scratch_grow(scratch, 100000, NULL), SLUICE_OK);
    void *out = take(scratch, 100000);
    const pid_t child = fork();
    if (child == 0) {
        alarm(10); /* instead of hanging */
        char *area = take(scratch, 100000);
        if (area == NULL || area == out)
            _exit(1);
        memset(area, 1, 100000);
        cpu_scratch_release(scratch, area);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    cpu_scratch_release(scratch, out);
    cpu_scratch_close(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(areas_are_distinct_and_aligned, nothing_leaks),
        cmocka_unit_test_teardown(taking_waits_until_one_is_given, nothing_leaks),
        cmocka_unit_test_teardown(growing_leaves_areas_that_are_out, nothing_leaks),
        cmocka_unit_test_teardown(growing_to_less_moves_nothing, nothing_leaks),
        cmocka_unit_test_teardown(busy_users_do_not_starve_growing, nothing_leaks),
        cmocka_unit_test_teardown(failed_growing_keeps_the_areas, nothing_leaks),
        cmocka_unit_test_teardown(callers_make_areas_and_keep_them, nothing_leaks),
        cmocka_unit_test_teardown(the_limit_of_memory_holds, nothing_leaks),
        cmocka_unit_test_teardown(one_area_may_exceed_the_limit, nothing_leaks),
        cmocka_unit_test_teardown(without_memory_callers_wait, nothing_leaks),
        cmocka_unit_test_teardown(a_forked_child_has_scratch, nothing_leaks),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
