// SPDX-License-Identifier: BSD-3-Clause
/* Soft DMA: plans that get and put by the worker or by helpers. Whoever moves the data, results are
 * the transform and have the same bits. Packets and queues: test_transfers_moves. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_scenario.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 4711 };

/* ---------------------------------------------------------------- plans ------------------ */

static bool transfers(const sluice_plan *plan)
{
    for (size_t i = 0; i < plan->body->nstmts; i++)
        if (plan->body->stmt[i].op == PROG_COPY)
            return true;
    return false;
}

/* Both judged on the same data, in aligned and scalar-aligned memory: the same bits. */
static void judge_pair(const sluice_plan *a, const sluice_plan *b, const char *name, uint64_t seed)
{
    const size_t scalar = a->problem.precision == SLUICE_F32 ? 4 : 8;
    for (size_t shift = 0; shift <= scalar; shift += scalar) {
        plan_data x, y;
        plan_data_open(&x, a, name, shift);
        plan_data_open(&y, b, name, shift);
        plan_data_execute(&x, a, seed, NULL);
        plan_data_execute(&y, b, seed, NULL);
        if (!plan_data_same(&x, &y))
            fail_msg("%s, seed %d: worker and helper differ", name, (int)seed);
        plan_data_close(&x);
        plan_data_close(&y);
    }
}

static const scenario_size sizes[] = {
    {8, 8, 8, 2, 4, 4}, {16, 8, 12, 2, 2, 3}, {12, 10, 9, 3, 2, 5}, {15, 11, 11, 4, 3, 7}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void scenarios_are_their_transforms(void **state)
{
    char line[SCENARIO_TEXT_SIZE];
    (void)state;
    for (int units = 1; units <= 3; units += 2) {
        sluice_machine *worker = plan_machine(units == 1 ? "cpu:1/worker" : "cpu:3/worker", NULL);
        sluice_machine *helper = plan_machine(units == 1 ? "cpu:1/helper" : "cpu:3/helper", NULL);
        for (int x = 0; x < SCENARIOS; x++)
            for (int i = 0; i < SIZES; i++) {
                scenario_line(&scenarios[x], &sizes[i], i % 2 ? "f64" : "f32", line);
                sluice_plan *a = plan_of_formula(worker, line, SLUICE_F32);
                sluice_plan *b = plan_of_formula(helper, line, SLUICE_F32);
                assert_true(transfers(a) == (strstr(scenarios[x].nest, "get") != NULL));
                judge_pair(a, b, line, SEED);
                sluice_plan_destroy(a);
                sluice_plan_destroy(b);
            }
        sluice_machine_close(worker);
        sluice_machine_close(helper);
    }
}

/* The planner's own, with caches so small that few points make every structure; by fallback where
 * it must be. streams: units on which it has to stream, if they have vectors. */
static const struct problem {
    const char *text;
    bool streams[2]; /* on one unit, on two */
} problems[] = {
    {"c2c:f32:64*128", {true, true}},
    {"c2c:f64:128*33:inverse", {true, true}},
    {"c2c:f32:256*7", {true, true}},
    {"c2c:f32:16*64", {true, true}},
    {"c2c:f32:480", {true, true}},
    {"c2c:f32:8192", {true, true}},
    {"c2c:f64:4096:latency", {true, true}},
    {"c2c:f32:64x64", {true, true}},
    {"c2c:f64:48x20*3", {true, true}},
    {"c2c:f32:256*16:in=split", {true, true}},
    {"c2c:f32:256*16:out=split", {true, true}},
    {"c2c:f64:128*12:in=split:out=split", {true, true}},
    {"c2c:f32:256*24:inplace", {true, true}},
    {"c2c:f64:2048:inplace", {true, true}},
    {"c2c:f32:96@2/3*16@200/300", {true, true}},
    {"c2c:f32:101*5", {true, true}},
    {"c2c:f64:1283", {true, true}},
    {"c2c:f32:64*97", {false, false}},
    {"c2c:f32:4096:in_cyclic=64/2:out_cyclic=32/2", {true, true}},
    {"r2c:f32:256*32", {true, true}},
    {"c2r:f64:256*32", {true, true}},
    {"r2c:f32:600*16:inplace", {true, true}},
    {"r2c:f32:255*32", {true, true}},
    {"c2r:f32:256*16:in=split", {true, true}},
    {"r2c:f64:256*16:out=halfcomplex", {true, true}},
    {"r2c:f32:64x64", {true, true}},
    {"r2c:f32:16384", {true, true}},
    {"dct2:f32:256*32", {true, true}},
    {"dct3:f64:64x32", {true, true}},
    {"idxst*dct3:f32:100x60", {true, true}},
    {"dct4:f32:512*8", {true, true}},
    {"dct1:f32:257*32", {true, true}},
    {"dst2:f32:128x128", {true, true}},
    {"dht:f64:240*16", {true, true}},
    {"dct2*r2c:f32:64x96", {true, true}},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static bool has_vectors(const sluice_machine *m)
{
    sluice_unit_info unit;

    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    return unit.lanes_f32 > 1;
}

static void planned_problems_stream(void **state)
{
    static const char *const units[][2] = {{"cpu:1/worker", "cpu:1/helper"},
                                           {"cpu:2/worker", "cpu:2/helper"}};
    const int step = PLAN_SANITIZED ? 2 : 1; /* sanitizers take one unit and two in turn */
    (void)state;
    for (int u = 0; u < 2; u++) {
        sluice_machine *worker = structure_machine(units[u][0], NULL, 0);
        sluice_machine *helper = structure_machine(units[u][1], NULL, 0);
        for (int i = u % step; i < PROBLEMS; i += step) {
            sluice_plan *a = plan_made(worker, problems[i].text);
            sluice_plan *same = plan_of_formula(helper, a->line, SLUICE_F32);
            sluice_plan *b = plan_made(helper, problems[i].text);
            if (has_vectors(worker) && problems[i].streams[u] != transfers(a))
                fail_msg("%s on %s: %s", problems[i].text, units[u][0], a->fused_reason);
            judge_pair(a, same, problems[i].text, SEED + (uint64_t)i);
            judge_pair(b, b, problems[i].text, SEED + (uint64_t)i);
            sluice_plan_destroy(a);
            sluice_plan_destroy(same);
            sluice_plan_destroy(b);
        }
        sluice_machine_close(worker);
        sluice_machine_close(helper);
    }
}

static void no_cap_on_workers_changes_bits(void **state)
{
    sluice_machine *m = structure_machine("cpu:4/helper", NULL, 0);
    (void)state;
    for (int i = 0; i < PROBLEMS; i += 3) {
        char capped[PLAN_TEXT_SIZE];
        snprintf(capped, sizeof capped, "%s:workers=1", problems[i].text);
        sluice_plan *a = plan_made(m, problems[i].text), *b = plan_made(m, capped);
        judge_pair(a, b, problems[i].text, SEED);
        sluice_plan_destroy(a);
        sluice_plan_destroy(b);
    }
    sluice_machine_close(m);
}

/* The last block of a stream is short: item by item, with the bits of the whole. */
static void short_blocks_have_the_same_bits(void **state)
{
    static const char *const batches[] = {"c2c:f32:64*32", "c2c:f64:16*64", "c2c:f32:2048*4",
                                          "c2c:f32:8192*3"};
    sluice_machine *m = structure_machine("cpu:2/helper", NULL, 0);
    (void)state;
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        sluice_plan *plan = plan_made(m, batches[i]), *item = NULL;
        plan_data whole, piece;
        plan_data_open(&whole, plan, batches[i], 0);
        plan_data_open(&piece, plan, batches[i], 0);
        plan_data_execute(&whole, plan, SEED, NULL);
        plan_data_fill(&piece, SEED);
        assert_int_equal(sched_plan_item(&item, plan, NULL), SLUICE_OK);
        const size_t batch = plan->problem.batch[0].n, bytes = piece.bytes[1] / batch * (batch - 1);
        const sluice_slot slot = {
            .in = (void *)(uintptr_t)piece.arrays.in, .out = piece.arrays.out, .count = batch - 1};
        assert_int_equal(sched_plan_run_block(plan, item, &slot, 0, 0), SLUICE_OK);
        assert_memory_equal(piece.arrays.out, whole.arrays.out, bytes / 2);
        sluice_plan_destroy(item);
        plan_data_close(&whole);
        plan_data_close(&piece);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- at once ---------------- */

enum { THREADS = 4, ROUNDS = PLAN_SANITIZED ? 6 : 30 };

typedef struct task {
    const sluice_plan *plan;
    const plan_data *want;
    plan_data mine;
    atomic_int *wrong;
} task;

static void *execute(void *user)
{
    task *t = user;
    for (int i = 0; i < ROUNDS; i++)
        if (sluice_execute_with(t->plan, &t->mine.arrays, NULL) != SLUICE_OK
            || !plan_data_same(&t->mine, t->want))
            atomic_fetch_add(t->wrong, 1);
    return NULL;
}

/* More executions than helpers: who finds none gets and puts itself. */
static void executions_share_helpers(void **state)
{
    static const char *const few[] = {"c2c:f32:256*64", "c2c:f64:4096", "c2c:f32:64x64"};
    static const char *const units[] = {"cpu:1/helper", "cpu:3/helper"};
    atomic_int wrong = 0;
    (void)state;
    for (int i = 0; i < 6; i++) {
        sluice_machine *m = structure_machine(units[i % 2], NULL, 0);
        sluice_plan *plan = plan_made(m, few[i / 2]);
        task tasks[THREADS];
        pthread_t thread[THREADS];
        plan_data want;
        plan_data_open(&want, plan, few[i / 2], 0);
        plan_data_execute(&want, plan, SEED, NULL);
        for (int k = 0; k < THREADS; k++) {
            tasks[k] = (task){.plan = plan, .want = &want, .wrong = &wrong};
            plan_data_open(&tasks[k].mine, plan, few[i / 2], 0);
            plan_data_fill(&tasks[k].mine, SEED);
            assert_int_equal(pthread_create(&thread[k], NULL, execute, &tasks[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(thread[k], NULL);
            plan_data_close(&tasks[k].mine);
        }
        plan_data_close(&want);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    assert_int_equal(wrong, 0);
}

static void a_forked_child_moves_for_itself(void **state)
{
    sluice_machine *m = structure_machine("cpu:2/helper", NULL, 0);
    sluice_plan *plan = plan_made(m, "c2c:f32:256*64");
    plan_data want, mine;
    int status = -1;
    (void)state;
    plan_data_open(&want, plan, "c2c:f32:256*64", 0);
    plan_data_open(&mine, plan, "c2c:f32:256*64", 0);
    plan_data_execute(&want, plan, SEED, NULL);
    plan_data_fill(&mine, SEED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool good = sluice_execute_with(plan, &mine.arrays, NULL) == SLUICE_OK
                          && plan_data_same(&mine, &want);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    plan_data_close(&want);
    plan_data_close(&mine);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- what is said ----------- */

static bool says(sluice_machine *m, const char *problem, sluice_level level, const char *words)
{
    sluice_plan *plan = plan_made(m, problem);
    const plan_text t = plan_printed(plan, level);
    const bool found = strstr(t.data, words) != NULL;
    if (!found)
        print_error("%s: no \"%s\" in\n%s\n", problem, words, t.data);
    test_free(t.data);
    sluice_plan_destroy(plan);
    return found;
}

static void plans_say_who_transfers(void **state)
{
    (void)state;
    sluice_machine *m = structure_machine("cpu:1/worker", NULL, 1 << 20);
    assert_true(says(m, "c2c:f32:1024*64", SLUICE_LEVEL_FORMULA, "# transfers: worker\n"));
    assert_true(says(m, "c2c:f32:1024*64", SLUICE_LEVEL_PLACEMENT, " packets of "));
    assert_true(says(m, "c2c:f32:1024*64", SLUICE_LEVEL_PLACEMENT, " bytes, by worker"));
    sluice_machine_close(m);
    m = structure_machine("cpu:1/helper", NULL, 1 << 20);
    assert_true(says(m, "c2c:f32:1024*64", SLUICE_LEVEL_FORMULA, "# transfers: helper"));
    assert_true(says(m, "c2c:f32:1024*64", SLUICE_LEVEL_PLACEMENT, " bytes, by helper"));
    sluice_machine_close(m);
    m = structure_machine("cpu:2/worker", NULL, 1 << 20);
    assert_true(says(m, "c2c:f32:65536", SLUICE_LEVEL_FORMULA,
                     "# transfers: fused into kernels: one transform stays in the local stores"));
    sluice_machine_close(m);
    /* blocks of columns across the rows of the stage before have no even addresses; without vectors
     * the plan is another one */
    m = structure_machine("cpu:1/worker", NULL, 1 << 20);
    assert_true(
        !has_vectors(m)
        || says(m, "c2c:f64:18432", SLUICE_LEVEL_FORMULA,
                "# transfers: fused into kernels: blocks do not go with the stages inside"));
    sluice_machine_close(m);
    m = structure_machine("cpu:1/worker", NULL, 4096);
    assert_true(
        says(m, "c2c:f64:512*3", SLUICE_LEVEL_FORMULA, "# transfers: fused into kernels: "));
    sluice_machine_close(m);
    m = plan_machine("cpu:2/fused", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:1024*64");
    const plan_text t = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    assert_null(strstr(t.data, "transfers"));
    assert_false(transfers(plan));
    test_free(t.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* The fastest is kept, and is the one said. */
static void measuring_keeps_the_fastest(void **state)
{
    sluice_machine *m = structure_machine("cpu:2/measure", NULL, 0);
    const sluice_plan_options limited = {.time_limit = 1e-3}, tried = {.effort = SLUICE_MEASURE};
    (void)state;
    for (int i = 0; i < 3; i++) {
        sluice_problem p;
        sluice_plan *plan = NULL;
        const char *text = problems[i].text;
        assert_int_equal(sluice_problem_parse(&p, text, NULL), SLUICE_OK);
        assert_int_equal(sluice_plan_create(&plan, m, &p, i == 0 ? &limited : &tried, NULL),
                         SLUICE_OK);
        for (int mode = 0; mode < BACKEND_MODES; mode++) {
            assert_true(plan->seconds[mode] > 0);
            assert_true(0.97 * plan->seconds[plan->mode] <= plan->seconds[mode]);
        }
        assert_true(transfers(plan) == (plan->mode != BACKEND_FUSED));
        judge_pair(plan, plan, text, SEED);
        sluice_plan_destroy(plan);
    }
    assert_true(says(m, "c2c:f32:64*128", SLUICE_LEVEL_FORMULA, "; measured fused "));
    assert_true(says(m, "c2c:f32:64*128", SLUICE_LEVEL_FORMULA, " s, worker "));
    assert_true(says(m, "c2c:f32:64*128", SLUICE_LEVEL_FORMULA, " s, helper "));
    assert_true(
        says(m, "c2c:f32:64*97", SLUICE_LEVEL_FORMULA, "# transfers: fused into kernels: "));
    sluice_plan *typed = plan_of_formula(m, "(I(64) (x) DFT(64)_{leaf})_{stream(8)}", SLUICE_F32);
    assert_true(typed->seconds[BACKEND_HELPER] > 0);
    sluice_plan_destroy(typed);
    sluice_machine_close(m);
}

/* What states no problem is none when it was measured either, whoever won. */
static void measured_formulas_stay_formulas(void **state)
{
    static const char *const formulas[] = {
        "(DFT(64) (x) I(1024))_{stream(16)}",
        "(I(4) (x) P(power(17,3))) * (I(4) (x) DFT(17))_{stream(4)}"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:1/measure", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan = plan_of_formula(m, formulas[i], SLUICE_F32);
        char *line = plan_line(plan);
        assert_null(strstr(line, ":="));
        plan_verify(plan, formulas[i]);
        test_free(line);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void spellings_are_refused(void **state)
{
    static const char *const refused[][2] = {
        {"cpu/dma", "transfers are /fused, /worker, /helper or /measure, found '/dma'"},
        {"cpu:2/", "found '/'"},
        {"cpu:2/helper+openmp", "found '/helper+openmp'"},
        {"cpu:0/worker", "1 to 1024 units"},
        {"cpu:/worker/helper", "found '/worker/helper'"},
        {"ref/worker", "ref:/worker"},
        {"all/worker", "expected cpu, cpu:N"},
        {"cpu:2+", "found ''"},
        {"cpu:2+/worker", "found '/worker'"},
    };
    static const char *const accepted[] = {"cpu/worker", "cpu:/helper", "cpu:2+pthread/measure"};
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const sluice_machine_options options = {.units = refused[i][0]};
        sluice_machine *m = NULL;
        sluice_diag why = {0};
        assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_E_INVALID);
        assert_null(m);
        if (strstr(why.message, refused[i][1]) == NULL)
            fail_msg("%s: %s", refused[i][0], why.message);
    }
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++)
        sluice_machine_close(plan_machine(accepted[i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(scenarios_are_their_transforms, nothing_leaks),
        cmocka_unit_test_teardown(planned_problems_stream, nothing_leaks),
        cmocka_unit_test_teardown(no_cap_on_workers_changes_bits, nothing_leaks),
        cmocka_unit_test_teardown(short_blocks_have_the_same_bits, nothing_leaks),
        cmocka_unit_test_teardown(executions_share_helpers, nothing_leaks),
        cmocka_unit_test_teardown(a_forked_child_moves_for_itself, nothing_leaks),
        cmocka_unit_test_teardown(plans_say_who_transfers, nothing_leaks),
        cmocka_unit_test_teardown(measuring_keeps_the_fastest, nothing_leaks),
        cmocka_unit_test_teardown(measured_formulas_stay_formulas, nothing_leaks),
        cmocka_unit_test_teardown(spellings_are_refused, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
