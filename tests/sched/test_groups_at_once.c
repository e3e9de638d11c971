// SPDX-License-Identifier: BSD-3-Clause
/* Programs for groups of work-items whose items run at once: in place, and by halves of what they
 * exchange where local memory does not hold it; how such programs are checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_groups.h"
#include "tests/helpers/helper_plan.h"

static prog_stmt *stage_at_once(const prog *p)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].at_once)
            return &p->stmt[i];
    return NULL;
}

/* 4096 points in one buffer of their own size and its gaps; were its iterations to run one after
 * another, the middle stage would read what it has overwritten. */
static void items_work_in_place_at_once(void **state)
{
    sluice_plan *plan = plan_made(groups_gpu, "c2c:f32:4096*2");
    prog_stmt *middle = stage_at_once(plan->body);
    sluice_diag why;
    (void)state;
    assert_non_null(middle);
    assert_int_equal(middle->in, middle->out);
    assert_in_range(plan->body->local_elems, 4096, 4096 + 4096 / 16 + SPL_STORE_ALIGN);
    assert_int_equal(prog_check(plan->body, groups_unit.local_memory, 8, &why), SLUICE_OK);
    middle->at_once = false;
    assert_int_equal(prog_check(plan->body, groups_unit.local_memory, 8, &why), SLUICE_E_INVALID);
    middle->at_once = true;
    sluice_plan_destroy(plan);
}

/* Double the points in the same memory: 34 KB for 4096 of f64 and for 8192 of f32, of 48. */
static void long_ones_exchange_by_halves(void **state)
{
    static const char *const problems[] = {
        "c2c:f64:4096*3:inverse", "c2c:f32:8192*2",           "c2c:f64:3000*2:inplace",
        "r2c:f32:16384*2",        "c2r:f64:8192*2",           "dct4:f64:8192*24:inplace",
        "dht:f32:12000",          "r2c:f64:6000*2:out=split", "c2c:f32:1024x1024"};
    const size_t count = sizeof problems / sizeof problems[0];
    (void)state;
    for (size_t i = 0; i < count; i++) {
        sluice_plan *plan = plan_made(groups_gpu, problems[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
        if (!strstr(text.data, " in halves"))
            fail_msg("%s: %s", problems[i], text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
        if (i < count - 1)
            groups_check(problems[i], 1);
    }
}

/* The same in local memory that holds them, of which a unit has 228 KB for all groups. */
static void long_ones_fit_more_memory(void **state)
{
    static const char *const problems[] = {"c2c:f64:4096*3:inverse", "c2c:f32:8192*2",
                                           "c2r:f64:8192*2", "c2c:f32:64x1024", "r2c:f32:16384*2"};
    const sluice_machine_options options = {.units = "ref:gpu:twiddles=table:local=227K"};
    sluice_diag why;
    sluice_machine *m = NULL;
    (void)state;
    assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_OK);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
        if (strstr(text.data, " in halves"))
            fail_msg("%s: %s", problems[i], text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, problems[i], 1 + i);
    }
    sluice_machine_close(m);
}

static prog_buf *buffer_in_halves(const prog *p)
{
    for (int b = 0; b < p->nbufs; b++)
        if (p->buf[b].halves)
            return &p->buf[b];
    return NULL;
}

static void checked(const sluice_plan *plan, const char *words)
{
    sluice_diag why = {.message = ""};
    const sluice_status status = prog_check(plan->body, groups_unit.local_memory, 16, &why);
    assert_int_equal(status, words ? SLUICE_E_INVALID : SLUICE_OK);
    if (words && !strstr(why.message, words))
        fail_msg("\"%s\" has no \"%s\"", why.message, words);
}

/* What is handed on in halves is handed on by items that run at once, to the next statement; as a
 * whole it does not fit. */
static void halves_are_checked(void **state)
{
    sluice_plan *plan = plan_made(groups_gpu, "c2c:f64:4096*2");
    prog_stmt *first = stage_at_once(plan->body);
    prog_buf *buf = buffer_in_halves(plan->body);
    const int out = first->out;
    (void)state;
    assert_non_null(buf);
    checked(plan, NULL);
    first->at_once = false;
    checked(plan, "only transforms at once hand on in halves");
    first->at_once = true;
    buf->halves = false;
    checked(plan, "does not lie in its arena");
    buf->halves = true;
    first->out = 1;
    checked(plan, "in halves is not read behind the statement that writes it");
    first->out = out;
    checked(plan, NULL);
    sluice_plan_destroy(plan);
}

/* Pairs are several statements, of which each reads, or each writes, what is handed on. */
static void halves_of_pairs_are_checked(void **state)
{
    static const char *const problems[] = {"r2c:f64:8192*2", "c2r:f64:8192*2"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        sluice_plan *plan = plan_made(groups_gpu, problems[i]);
        prog_stmt *pair = NULL;
        checked(plan, NULL);
        for (size_t s = 0; s < plan->body->nstmts; s++)
            if (plan->body->stmt[s].kernel == SPL_PAIR && plan->body->stmt[s].n == 2)
                pair = &plan->body->stmt[s];
        assert_non_null(pair);
        assert_true(pair->at_once);
        pair->at_once = false;
        checked(plan, "only transforms at once hand on in halves");
        pair->at_once = true;
        checked(plan, NULL);
        sluice_plan_destroy(plan);
    }
}

static void cores_have_none_of_it(void **state)
{
    sluice_machine *m = plan_machine("ref", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:4096*2");
    (void)state;
    assert_null(stage_at_once(plan->body));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_work_in_place_at_once),
        cmocka_unit_test(long_ones_exchange_by_halves),
        cmocka_unit_test(long_ones_fit_more_memory),
        cmocka_unit_test(halves_are_checked),
        cmocka_unit_test(halves_of_pairs_are_checked),
        cmocka_unit_test(cores_have_none_of_it),
    };
    return cmocka_run_group_tests_name("groups_at_once", tests, groups_setup, groups_teardown);
}
