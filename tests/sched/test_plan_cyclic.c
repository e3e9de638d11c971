// SPDX-License-Identifier: BSD-3-Clause
/* Block-cyclic sides: Bc(P,B) of either side is part of the first gather or the last scatter, never
 * a pass; and what it saves, in exchanges between parts counted by running the index functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "spl/program/program.h"
#include "tests/helpers/helper_net.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 20261122, TRIALS = PLAN_SANITIZED ? 80 : 250 };

static const char *const problems[] = {
    "c2c:f32:4096:in_cyclic=64/2:out_cyclic=32/2",
    "c2c:f64:4096:in_cyclic=64/2:out_cyclic=32/2:inverse",
    "c2c:f32:4096:in_cyclic=1/4096",
    "c2c:f32:4096:out_cyclic=1/2",
    "c2c:f64:4096:in_cyclic=4096/1:out_cyclic=1/4096",
    "c2c:f32:1024:in=split:out=split:in_cyclic=16/4:out_cyclic=8/8",
    "c2c:f64:1024:in=split:in_cyclic=16/4",
    "c2c:f32:1024:out=split:out_cyclic=128/2:inverse",
    "c2c:f32:4096:inplace:in_cyclic=64/2:out_cyclic=64/2",
    "c2c:f32:4096:inplace:in_cyclic=64/2:out_cyclic=32/4",
    "c2c:f64:960:inplace:out_cyclic=5/3",
    "c2c:f32:60:in_cyclic=3/5:out_cyclic=2/6",
    "c2c:f32:7:in_cyclic=1/7:out_cyclic=7/1",
    "c2c:f32:1",
    "c2c:f32:1:in_cyclic=1/1",
    "c2c:f32:1000:in_cyclic=5/8:out_cyclic=25/4",
    "c2c:f32:37:in_cyclic=1/37",
    "c2c:f64:146:in_cyclic=1/2:out_cyclic=73/2",
    "c2c:f32:64x96:in_cyclic=32/6:out_cyclic=16/4",
    "c2c:f64:12x20x16:in_cyclic=8/10:inverse",
    "c2c:f32:65536:in_cyclic=1024/2:out_cyclic=4096/2",
    "c2c:f32:65536:latency:in_cyclic=256/2:workers=1",
    "c2c:f32:65536:throughput:out_cyclic=16/16:workers=2",
    "c2c:f64:131072:in_cyclic=3/1:out_cyclic=2/1",
};

static void listed_problems_hold(void **state)
{
    (void)state;
    const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "ref:2"};
    const size_t step = PLAN_SANITIZED ? 2 : 1; /* sanitizers see the units in turn */
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        sluice_machine *m = plan_machine(units[u], NULL);
        for (size_t i = u % step; i < sizeof problems / sizeof problems[0]; i += step) {
            sluice_problem p;
            sluice_diag why;
            if (sluice_problem_parse(&p, problems[i], &why) == SLUICE_OK)
                plan_check_problem(m, problems[i], SEED + i);
        }
        sluice_machine_close(m);
    }
}

static size_t divisor(uint64_t *state, size_t n)
{
    size_t d;
    do
        d = 1 + plan_below(state, n);
    while (n % d != 0);
    return d;
}

/* A problem of n points with an order of its own on one side or both. */
static void choose(uint64_t *state, char *text)
{
    static const char *const sides[] = {"",
                                        ":inplace",
                                        ":in=split",
                                        ":out=split",
                                        ":in=split:out=split",
                                        ":in=split:out=split:inplace"};
    static const char *const modes[] = {"", ":latency", ":throughput", ":workers=1"};
    static const size_t axes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 30, 32, 48, 64, 74, 100, 128};
    const bool two = plan_below(state, 4) == 0;
    const size_t a = two ? axes[plan_below(state, 11)] : 1, b = axes[plan_below(state, 17)];
    const size_t c = two ? 1 : 1 + plan_below(state, 12), n = a * b * c;
    const size_t cyclic = plan_below(state, 3);
    const char *const precision = plan_below(state, 2) ? "f32" : "f64";
    int at = two ? snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zux%zu", precision, a, b)
                 : snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu", precision, n);
    at += snprintf(text + at, PLAN_TEXT_SIZE - (size_t)at, "%s%s%s",
                   plan_below(state, 2) ? ":inverse" : "", sides[plan_below(state, 6)],
                   modes[plan_below(state, 4)]);
    for (size_t side = 0; side < 2; side++) {
        const size_t block = divisor(state, n), parts = divisor(state, n / block);
        if (cyclic == side)
            continue;
        at += snprintf(text + at, PLAN_TEXT_SIZE - (size_t)at, ":%s_cyclic=%zu/%zu",
                       side ? "out" : "in", block, parts);
    }
}

/* The line that a plan prints makes the same plan. */
static void plans_again(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    char *line = plan_line(plan);
    sluice_plan *again = plan_of_formula(m, line, SLUICE_F32);
    char *same = plan_line(again);
    double error = 1, bound = 0;
    assert_string_equal(line, same);
    assert_int_equal(sluice_plan_verify(again, &error, &bound, NULL), SLUICE_OK);
    /* the bound is one of many points */
    assert_true(error <= 3 * bound);
    test_free(line);
    test_free(same);
    sluice_plan_destroy(plan);
    sluice_plan_destroy(again);
}

static void random_problems_hold(void **state)
{
    uint64_t random = SEED;
    char text[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m[] = {plan_machine("cpu:1", "scalar"), plan_machine("cpu:2", "avx2"),
                           plan_machine("cpu:3", NULL), plan_machine("ref:2", NULL)};
    for (int i = 0; i < TRIALS; i++) {
        choose(&random, text);
        for (size_t k = 0; k < sizeof m / sizeof m[0]; k++)
            if (m[k] != NULL) {
                plan_check_problem(m[k], text, SEED + (uint64_t)i);
                plans_again(m[k], text);
            }
    }
    for (size_t k = 0; k < sizeof m / sizeof m[0]; k++)
        sluice_machine_close(m[k]);
}

/* Kernels of a plan of a formula; none of them only moves elements. */
static int kernels(sluice_machine *m, const char *line)
{
    sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
    int count = 0;
    for (size_t s = 0; s < plan->body->nstmts; s++) {
        const prog_stmt *x = &plan->body->stmt[s];
        count += x->op == PROG_KERN;
        assert_false(x->op == PROG_COPY || (x->op == PROG_KERN && x->kernel == SPL_I));
    }
    sluice_plan_destroy(plan);
    return count;
}

/* Bc is composed into addresses: the program of a formula has the same stages in any order. */
static void it_is_no_pass(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"c2c:f32:4096", "c2c:f32:4096:in_cyclic=64/2:out_cyclic=64/2"},
        {"c2c:f64:1024", "c2c:f64:1024:in_cyclic=16/4:out_cyclic=8/2"},
        {"c2c:f32:64x64", "c2c:f32:64x64:in_cyclic=1024/4:out_cyclic=64/2"},
        {"c2c:f32:65536", "c2c:f32:65536:out_cyclic=128/2"},
    };
    char line[4 * PLAN_TEXT_SIZE];
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        sluice_plan *plan = plan_made(m, pairs[i][1]);
        char *cyclic = plan_line(plan);
        snprintf(line, sizeof line, "%s %s", pairs[i][0], strstr(cyclic, ":="));
        assert_int_equal(kernels(m, line), kernels(m, cyclic));
        test_free(cyclic);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Freed by its owner. */
static prog_exchanges exchanged(sluice_machine *m, const char *line)
{
    sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
    prog_exchanges e;
    sluice_diag why = {0};
    double error, bound;
    if (prog_exchange(plan->body, &e, &why) != SLUICE_OK)
        fail_msg("%s: %s", line, why.message);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
    net_check(plan->body, line);
    sluice_plan_destroy(plan);
    return e;
}

/* Where the text of a plan's program says that an element crosses: sides of statements. */
static int net_sides(sluice_machine *m, const char *line)
{
    sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
    plan_text t = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
    int sides = 0;
    for (const char *c = strstr(t.data, ".net["); c != NULL; c = strstr(c + 1, ".net["))
        sides++;
    test_free(t.data);
    sluice_plan_destroy(plan);
    return sides;
}

/* Cooley-Tukey on p parts, DFT(n m) = (DFT(n) (x) I(m)) T L' (DFT(m) (x) I(n)): columns of the
 * input in blocks of n/p, of the output in blocks of m/p. In natural order three exchanges, each of
 * the share 1 - 1/p of all elements; with b_in = n/p, b_out = m/p one is left. */
static void block_cyclic_sides_save_two_of_three_exchanges(void **state)
{
    static const struct {
        int64_t n, m, p;
    } cases[] = {{64, 64, 2}, {32, 64, 4}, {64, 16, 8}, {16, 60, 2}, {12, 20, 4}};
    char natural[PLAN_TEXT_SIZE], cyclic[PLAN_TEXT_SIZE], formula[PLAN_TEXT_SIZE / 2];
    (void)state;
    sluice_machine *machine = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t n = cases[i].n, m = cases[i].m, p = cases[i].p, N = n * m;
        snprintf(formula, sizeof formula,
                 "(DFT(%lld) (x) I(%lld))_{spe(%lld,1)} * T(%lld,%lld) * L(%lld,%lld) * "
                 "(DFT(%lld) (x) I(%lld))_{spe(%lld,1)}",
                 (long long)n, (long long)m, (long long)p, (long long)n, (long long)m, (long long)N,
                 (long long)n, (long long)m, (long long)n, (long long)p);
        snprintf(natural, sizeof natural, "c2c:f32:%lld := %s", (long long)N, formula);
        snprintf(cyclic, sizeof cyclic,
                 "c2c:f32:%lld:in_cyclic=%lld/%lld:out_cyclic=%lld/%lld := %s", (long long)N,
                 (long long)(n / p), (long long)p, (long long)(m / p), (long long)p, formula);
        prog_exchanges three = exchanged(machine, natural), one = exchanged(machine, cyclic);
        const int64_t share = N - N / p;
        assert_int_equal(three.in, share);
        assert_int_equal(three.between, share);
        assert_int_equal(three.out, share);
        assert_int_equal(three.exchanges, 3);
        assert_int_equal(one.in, 0);
        assert_int_equal(one.between, share);
        assert_int_equal(one.out, 0);
        assert_int_equal(one.exchanges, 1);
        assert_int_equal(three.min_packet, n < m ? n / p : m / p);
        assert_int_equal(one.min_packet, m / p);
        assert_int_equal(net_sides(machine, natural), 3);
        assert_int_equal(net_sides(machine, cyclic), 1);
        prog_exchanges_free(&three);
        prog_exchanges_free(&one);
    }
    sluice_machine_close(machine);
}

/* What is dealt whole exchanges nothing; what one part does alone is no exchange either. */
static void batches_exchange_nothing(void **state)
{
    prog_exchanges e;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:1024*64");
    assert_true(plan->body->parts > 1);
    assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
    assert_int_equal(e.exchanges, 0);
    assert_int_equal(e.in + e.between + e.out, 0);
    prog_exchanges_free(&e);
    sluice_plan_destroy(plan);
    plan = plan_made(m, "c2c:f32:262144");
    assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
    assert_true(e.exchanges >= 3 && e.in > 0 && e.between > 0 && e.out > 0);
    prog_exchanges_free(&e);
    sluice_plan_destroy(plan);
    plan = plan_made(m, "c2c:f32:8388608");
    sluice_diag why = {0};
    assert_int_equal(prog_exchange(plan->body, &e, &why), SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "too large"));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void the_placement_says_so(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_of_formula(
        m,
        "c2c:f64:4096:in_cyclic=32/2:out_cyclic=32/2 := (DFT(64) (x) I(64))_{spe(2,1)} * T(64,64) "
        "* L(4096,64) * (DFT(64) (x) I(64))_{spe(2,1)}",
        SLUICE_F64);
    plan_text t = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    assert_non_null(strstr(t.data, "# exchanges of 2 parts: 1, input 0 bytes, between stages "
                                   "32 KiB, output 0 bytes, packets of 512 bytes or more\n"));
    test_free(t.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Blocks of a stream lie as the plan's sides do, and get the same bits. */
static void streams_take_them(void **state)
{
    (void)state;
    static const char text[] = "c2c:f32:1024:in_cyclic=16/4:out_cyclic=8/2";
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, text);
    const size_t bytes = 1024 * 2 * sizeof(float);
    sluice_stream *stream = NULL;
    sluice_slot *slot = NULL;
    plan_data d;
    plan_data_open(&d, plan, text, 0);
    plan_data_execute(&d, plan, SEED, NULL);
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    memcpy(slot->in, d.arrays.in, bytes);
    slot->count = 1;
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    assert_memory_equal(slot->out, d.arrays.out, bytes);
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void what_is_illegal_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"c2c:f32:16:in_cyclic=3/2", "must divide"}, {"c2c:f32:16:out_cyclic=4/8", "must divide"},
        {"c2c:f32:16:in_cyclic=0/2", "at least"},    {"c2c:f32:16:in_cyclic=2/0", "at least"},
        {"c2c:f32:16*2:in_cyclic=2/2", "no batch"},  {"c2c:f32:16@2:in_cyclic=2/2", "no strides"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_problem p;
        sluice_diag why = {0};
        assert_int_equal(sluice_problem_parse(&p, cases[i][0], &why), SLUICE_E_INVALID);
        if (strstr(why.message, cases[i][1]) == NULL)
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i][0], why.message, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_problems_hold),
        cmocka_unit_test(random_problems_hold),
        cmocka_unit_test(it_is_no_pass),
        cmocka_unit_test(block_cyclic_sides_save_two_of_three_exchanges),
        cmocka_unit_test(batches_exchange_nothing),
        cmocka_unit_test(the_placement_says_so),
        cmocka_unit_test(streams_take_them),
        cmocka_unit_test(what_is_illegal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
