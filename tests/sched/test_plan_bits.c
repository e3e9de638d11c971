// SPDX-License-Identifier: BSD-3-Clause
/* The same bits whatever the workers, the position in a batch, the plan or the scratch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 2718, STEP = PLAN_SANITIZED ? 5 : 1 /* sanitizers see a part of the sizes */ };

/* ---------------------------------------------------------------- workers ---------------- */

static const char *const everything[] = {"c2c:f32:8*1000",
                                         "c2c:f32:64*33",
                                         "c2c:f64:1024*7",
                                         "c2c:f32:4096*2",
                                         "c2c:f32:8192",
                                         "c2c:f64:16384:inverse",
                                         "c2c:f32:65536",
                                         "c2c:f64:65536:inplace",
                                         "c2c:f32:30030",
                                         "c2c:f32:100000",
                                         "c2c:f64:131072",
                                         "c2c:f32:131072:throughput",
                                         "c2c:f32:1024*5:latency",
                                         "c2c:f32:32768*2:latency",
                                         "c2c:f32:64x64",
                                         "c2c:f64:100x39:inplace",
                                         "c2c:f32:48x32*3",
                                         "c2c:f64:13x11x12*5",
                                         "c2c:f32:16x16x16",
                                         "c2c:f64:256x256",
                                         "c2c:f32:512*9:in=split:out=split",
                                         "c2c:f64:16384:in=split",
                                         "c2c:f32:60x44:out=split",
                                         "c2c:f32:16@17/17*17@1/1",
                                         "c2c:f64:360@-1/2*4@500/1000"};

/* The seed's data through a plan; whether it is right, test_plan_shapes asks. */
static void run_once(const sluice_plan *plan, const char *problem, plan_data *d, void *work)
{
    plan_data_fill(d, SEED);
    const sluice_status status = sluice_execute_with(plan, &d->arrays, work);
    if (status != SLUICE_OK)
        fail_msg("%s: %s", problem, sluice_strerror(status));
}

/* A plan of at most `workers` of the machine's units, run. */
static void run_with(sluice_machine *m, const char *problem, int workers, plan_data *d)
{
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    assert_int_equal(sluice_problem_parse(&p, problem, NULL), SLUICE_OK);
    p.workers = workers;
    if (sluice_plan_create(&plan, m, &p, NULL, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    plan_data_open(d, plan, problem, 0);
    run_once(plan, problem, d, NULL);
    sluice_plan_destroy(plan);
}

static void workers(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof everything / sizeof everything[0]; i += STEP / 3 + 1) {
        plan_data all, some;
        run_with(m, everything[i], 0, &all);
        for (int w = 1; w <= 4; w++) {
            run_with(m, everything[i], w, &some);
            if (!plan_data_same(&all, &some))
                fail_msg("%s:workers=%d: other bits", everything[i], w);
            plan_data_close(&some);
        }
        plan_data_close(&all);
    }
}

static void workers_change_no_bit(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", workers);
}

/* Units of the machine are not workers of the plan: both are the same. */
static void units_change_no_bit(void **state)
{
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
    (void)state;
    for (size_t i = 0; i < sizeof everything / sizeof everything[0]; i += STEP / 3 + 1) {
        plan_data first, d;
        for (int u = 0; u < 4; u++) {
            sluice_machine *m = plan_machine(units[u], NULL);
            run_with(m, everything[i], 0, u ? &d : &first);
            sluice_machine_close(m);
            if (u && !plan_data_same(&first, &d))
                fail_msg("%s on %s: other bits than on %s", everything[i], units[u], units[0]);
            if (u)
                plan_data_close(&d);
        }
        plan_data_close(&first);
    }
}

/* ---------------------------------------------------------------- batches ---------------- */

/* The same input in every place of a batch. */
static void same_everywhere(sluice_machine *m, const char *problem, size_t points)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, SEED);
    for (size_t i = points; i < d.total; i++)
        for (int part = 0; part < 2; part++)
            memcpy(plan_data_at(&d, 0, i, part), plan_data_at(&d, 0, i % points, part), d.scalar);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    for (size_t i = points; i < 2 * d.total; i++) {
        const size_t k = i / 2;
        if (memcmp(plan_data_at(&d, 1, k, i % 2), plan_data_at(&d, 1, k % points, i % 2), d.scalar))
            fail_msg("%s, seed %d: transform %zu has other bits than the first", problem, SEED,
                     k / points);
    }
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

static void batches(sluice_machine *m)
{
    static const char *const sides[] = {"", ":inplace", ":in=split:out=split", ":inverse:in=split",
                                        ":out=split"};
    char text[PLAN_TEXT_SIZE];
    for (size_t n = 2; n <= 64; n += n < 17 ? 1 : STEP)
        for (size_t batch = 1; plan_smooth(n) && batch <= 20; batch += STEP / 3 + 1) {
            const char *side = sides[(n + batch) % 5];
            const char *precision = (n / 2 + batch) % 2 ? "f32" : "f64";
            const bool place = strstr(side, "inplace") != NULL;
            snprintf(text, sizeof text, "c2c:%s:%zu*%zu%s", precision, n, batch, side);
            same_everywhere(m, text, n);
            snprintf(text, sizeof text, "c2c:%s:%zu@%zu/%zu*%zu@1/%zu%s", precision, n, batch,
                     place ? batch : 1, batch, place ? 1 : n + 1, side);
            same_everywhere(m, text, n);
        }
}

static void positions_in_a_batch_change_no_bit(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", batches);
}

static void larger_batches(sluice_machine *m)
{
    static const struct {
        const char *problem;
        size_t points;
    } cases[] = {{"c2c:f32:100*37", 100},
                 {"c2c:f64:128*21", 128},
                 {"c2c:f32:256*19:inplace", 256},
                 {"c2c:f64:360*13", 360},
                 {"c2c:f32:1000*7", 1000},
                 {"c2c:f32:1024*17", 1024},
                 {"c2c:f64:4096*5", 4096},
                 {"c2c:f32:16384*3", 16384},
                 {"c2c:f32:32768*3:latency", 32768},
                 {"c2c:f32:8*1003", 8},
                 {"c2c:f32:16x12*11", 192},
                 {"c2c:f64:7x5x9*13", 315},
                 {"c2c:f32:64x64*3:inplace", 4096},
                 {"c2c:f32:1001*9:in=split:out=split", 1001},
                 {"c2c:f64:24@29/1*29@1/24", 24},
                 {"c2c:f32:480@13/13*13@1/1", 480}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        same_everywhere(m, cases[i].problem, cases[i].points);
}

static void positions_in_larger_batches_change_no_bit(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", larger_batches);
}

/* A plane whose rows are impulses: after their transforms its columns are all the same. */
static void same_columns(sluice_machine *m, const char *problem, size_t wide)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_data d;
    plan_data_open(&d, plan, problem, 0);
    plan_data_fill(&d, SEED);
    for (size_t i = 0; i < 2 * d.total; i++)
        if (i / 2 % wide != 0)
            memset(plan_data_at(&d, 0, i / 2, i % 2), 0, d.scalar);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    for (size_t i = 0; i < 2 * d.total; i++) {
        const size_t first = i / 2 / wide * wide;
        if (memcmp(plan_data_at(&d, 1, i / 2, i % 2), plan_data_at(&d, 1, first, i % 2), d.scalar))
            fail_msg("%s, seed %d: column %zu has other bits than the first", problem, SEED,
                     i / 2 - first);
    }
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

static void tiles(sluice_machine *m)
{
    static const size_t wide[] = {2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 18, 24, 27, 35, 40, 64, 65};
    static const size_t high[] = {2, 3, 7, 8, 13, 16, 20, 32, 48, 64, 100, 256, 600};
    static const char *const sides[] = {"", ":inplace", ":in=split:out=split", ":inverse"};
    char text[PLAN_TEXT_SIZE];
    for (size_t w = 0; w < sizeof wide / sizeof wide[0]; w += STEP / 3 + 1)
        for (size_t h = 0; h < sizeof high / sizeof high[0]; h++) {
            snprintf(text, sizeof text, "c2c:%s:%zux%zu%s%s", (w + h) % 2 ? "f32" : "f64", high[h],
                     wide[w], h % 3 ? "" : "*2", sides[(w + h) / 2 % 4]);
            same_columns(m, text, wide[w]);
        }
}

static void tile_columns_change_no_bit(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", tiles);
}

/* ---------------------------------------------------------------- plans ------------------ */

static void again(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof everything / sizeof everything[0]; i += STEP / 3 + 1) {
        sluice_plan *plan[2] = {plan_made(m, everything[i]), plan_made(m, everything[i])};
        void *work = sluice_alloc(sluice_plan_work_bytes(plan[0]) + 64);
        plan_data d[3];
        assert_int_equal(sluice_plan_work_bytes(plan[0]), sluice_plan_work_bytes(plan[1]));
        for (int k = 0; k < 3; k++) {
            plan_data_open(&d[k], plan[0], everything[i], k == 2 ? d[0].scalar : 0);
            run_once(plan[k % 2], everything[i], &d[k], k == 1 ? work : NULL);
            if (k > 0 && !plan_data_same(&d[0], &d[k]))
                fail_msg("%s: other bits %s", everything[i],
                         k == 1 ? "from a second plan with scratch of its own"
                                : "in arrays that are not aligned to 64");
        }
        for (int k = 0; k < 3; k++)
            plan_data_close(&d[k]);
        sluice_free(work);
        sluice_plan_destroy(plan[0]);
        sluice_plan_destroy(plan[1]);
    }
}

static void a_second_plan_changes_no_bit(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(workers_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(units_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(positions_in_a_batch_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(positions_in_larger_batches_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(tile_columns_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(a_second_plan_changes_no_bit, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
