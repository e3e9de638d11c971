// SPDX-License-Identifier: BSD-3-Clause
/* The price of stages: what follows from the figures of a unit (where data are found:
 * test_price_reuse.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/price/tape.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_price.h"

static void a_price_follows_its_figures(void **state)
{
    double figure[PRICE_FIGURES], memory, far, more;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    price_model(figure, 64, false, true, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_SPLIT_LINE] = 0;
    const double cpu = price_with(p, binding, figure, &memory);
    /* 3 steps of 64 calls, of which each has one that is not full; 400 KiB in all */
    const double calls = 64 * (figure[PRICE_CALL] + 20 / 16.0 * figure[PRICE_TAIL]) * 1e-12;
    assert_float_equal(cpu, 64 * 3e-9 + calls, 1e-15);
    figure[PRICE_L1] = figure[PRICE_L2] = 4096;
    figure[PRICE_L3] = 8192;
    assert_float_equal(price_with(p, binding, figure, &far), cpu, 1e-15);
    assert_true(far > 5 * memory);
    binding[2].padded_sets = 1; /* kernels behind two loops */
    assert_true(price_with(p, binding, figure, &more) > cpu);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* The columns that are left over of all sets of a call take one more call. */
static void a_call_has_one_tail(void **state)
{
    double figure[PRICE_FIGURES], memory;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    price_model(figure, 64, false, true, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_SPLIT_LINE] = 0;
    binding[2].sets_var = p->stmt[0].range.var;
    const double calls =
        figure[PRICE_CALL] + 64 * figure[PRICE_SET] + 20 / 16.0 * figure[PRICE_TAIL];
    assert_float_equal(price_with(p, binding, figure, &memory), 64 * 3e-9 + calls * 1e-12, 1e-15);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* The larger of computing and of what is moved meanwhile, and a share of the smaller. */
static void slices_are_hidden(void **state)
{
    static const double expensive = 1e6;
    double figure[PRICE_FIGURES];
    const bool split[16] = {false};
    const price_slices slices = {.calls = 0, .iteration_bytes = 1};
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .nslices = 1,
                                   .slices = &slices,
                                   .split = split,
                                   .scalar = PRICE_SCALAR};
    for (int puts = 0; puts < 2; puts++) {
        price_model(figure, 64, false, true, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
        figure[PRICE_L1] = figure[PRICE_L2] = figure[PRICE_L3] = 1;
        figure[PRICE_BUS_READ] = figure[PRICE_BUS_STORE] = 0;
        binding[2].slices = 1;
        binding[2].gets = !puts;
        binding[2].puts = puts;
        assert_true(price_of(stage, &program, figure));
        const double near = stage[2].cpu + stage[2].memory;
        double total[2];
        for (int i = 0; i < 2; i++) {
            figure[puts ? PRICE_BUS_STORE : PRICE_BUS_READ] = (i + 1) * expensive;
            assert_true(price_of(stage, &program, figure));
            total[i] = stage[2].cpu + stage[2].memory;
        }
        const double moved = total[1] - total[0]; /* at the lower price */
        assert_true(near > 0 && moved > 10 * near);
        assert_float_equal(total[0], moved + 0.35 * near, 1e-3 * near);
    }
    core_free(stage);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* Seconds of a stage that reads in slices, with `step` a step of it. */
static double sliced(const double *figure, const price_slices *slices, double step)
{
    const bool split[16] = {false};
    spl_ctx *ctx = spl_ctx_open();
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .nslices = 1,
                                   .slices = slices,
                                   .split = split,
                                   .scalar = PRICE_SCALAR};
    binding[2].slices = 1;
    binding[2].gets = true;
    binding[2].step = step;
    assert_true(price_of(stage, &program, figure));
    const double seconds = stage[2].cpu + stage[2].memory;
    core_free(stage);
    core_free(binding);
    spl_ctx_close(ctx);
    return seconds;
}

/* A slice after a call costs more than the call. */
static void slices_cost_calls(void **state)
{
    double figure[PRICE_FIGURES], total[2];
    (void)state;
    price_model(figure, 64, false, true, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_READ_MEMORY] = 0;
    for (int i = 0; i < 2; i++) {
        const price_slices slices = {.calls = i * 64, .iteration_bytes = 1};
        total[i] = sliced(figure, &slices, 1e-9);
    }
    assert_true(total[1] - total[0] > 2 * 64 * 1e-12 * figure[PRICE_CALL]);
}

/* What a core cannot fetch while it computes is waited for, and jumps. */
static void bursts_are_waited_for(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 1, [PRICE_L2] = 1, [PRICE_L3] = 1};
    double total[4];
    (void)state;
    figure[PRICE_BUS_READ] = 1000;
    for (int i = 0; i < 4; i++) {
        const price_slices slices = {
            .calls = 64, .iteration_bytes = 1, .get_burst = i * 48 * PRICE_LINE};
        total[i] = sliced(figure, &slices, 1e-3); /* hides all that is fetched between calls */
    }
    const double half = total[2] - total[1], two_thirds = total[3] - total[1];
    assert_true(half > 1e-6);
    assert_float_equal((total[1] - total[0]), 0, 1e-12);
    assert_float_equal(two_thirds, half * 4 / 3, 1e-10);
    figure[PRICE_JUMP_MEMORY] = 1000;
    for (int i = 1; i < 3; i++) {
        const price_slices slices = {
            .calls = 64, .iteration_bytes = 1, .get_burst = i * 48 * PRICE_LINE};
        total[i] = sliced(figure, &slices, 1e-3);
    }
    assert_float_equal((total[2] - total[1]), 2 * half, 1e-10);
}

/* With fewer ways more of the rows that are tuned with are evicted, and cost more by the model. */
static void the_model_knows_ways(void **state)
{
    double few[PRICE_FIGURES], many[PRICE_FIGURES];
    (void)state;
    price_model(few, 64, false, true, price_sets_of(32 << 10, 8), 2 << 20, 32 << 20);
    price_model(many, 64, false, true, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    assert_float_equal(few[PRICE_EVICTED_REWRITE] / many[PRICE_EVICTED_REWRITE], 0.75 / 0.625,
                       1e-9);
    assert_float_equal(few[PRICE_L1] / many[PRICE_L1], 32.0 / 48, 1e-9);
    price_model(few, 64, false, true, price_sets_of(0, 0), 0, 0);
    assert_true(few[PRICE_L1] > 0);
}

/* Beyond L2 lines have other figures, rows that evict each other the same. */
static void the_model_knows_where_data_are(void **state)
{
    double in[PRICE_FIGURES], beyond[PRICE_FIGURES];
    (void)state;
    price_model(in, 32, true, true, price_sets_of(32 << 10, 8), 1 << 20, 32 << 20);
    price_model(beyond, 32, true, false, price_sets_of(32 << 10, 8), 1 << 20, 32 << 20);
    for (int i = PRICE_EVICTED_REWRITE; i <= PRICE_EVICTED_WRITE; i++)
        assert_float_equal(in[i], beyond[i], 0);
    assert_true(in[PRICE_READ_L3] < beyond[PRICE_READ_L3]);
}

/* Of a chain in a loop every call waits for what the one before has stored, whatever its steps. */
static void calls_of_a_chain_wait(void **state)
{
    double figure[PRICE_FIGURES] = {
        [PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15, [PRICE_WAIT] = 1e4};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    const double alone = price_with(p, binding, figure, &memory);
    binding[2].waits = PRICE_WAITS_EACH; /* the kernel, behind two loops */
    assert_float_equal(price_with(p, binding, figure, &memory) - alone, 64 * 1e-8, 1e-12);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* Steps that go through a buffer wait for their stores: with others of their call, or alone. */
static void padded_steps_wait(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    double memory, cpu[2];
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    binding[2].sets_var = p->stmt[0].range.var;
    for (int i = 0; i < 2; i++) {
        binding[2].padded_sets = i ? 16 : 1;
        cpu[i] = price_with(p, binding, figure, &memory);
    }
    assert_float_equal(cpu[0] - cpu[1], (64 - 4) * 2 * price_stored, 1e-12);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* Both sides count, in place one. */
static void arrays_fit_a_cache(void **state)
{
    prog body = {.cols = 1000, .rows = 1000};
    const bind_tape tape = {.body = &body, .scalar = sizeof(double)};
    (void)state;
    assert_false(price_fits(&tape, 31999));
    assert_true(price_fits(&tape, 32000));
    body.sides.in_place = true;
    assert_true(price_fits(&tape, 16000));
    assert_false(price_fits(&tape, 0));
}

/* Adjacent results are scaled as they stream through L1, or as long as they are waited for; others
 * take calls, of rows or of columns, and single elements. */
static void scaled_results_cost_waits_calls_and_lines(void **state)
{
    enum { WAIT = 8000, CALL = 2000 };
    static const double figure[PRICE_FIGURES] = {[PRICE_WAIT] = WAIT, [PRICE_CALL] = CALL};
    static const price_unit unit = {.figure = figure};
    static const bind_tape tape = {.scalar = sizeof(double)};
    static const spl_codelet codelet = {.key = {.tw = SPL_TW_NONE}};
    static const struct {
        ptrdiff_t os, ocs;
        int64_t columns;
        size_t piece;
        double waits, calls, elements, lines;
    } cases[] = {
        {2, 8, 2, 64, 1, 0, 0, 0},            /* a line, right after it was stored */
        {2, 8, 1000, 1000, 0, 0, 0, 1000},    /* a column is a line */
        {2, 8, 1000, 500, 0, 0, 0, 1000},     /* in two pieces */
        {2000, 2, 1000, 1000, 0, 0, 0, 1000}, /* rows without gaps, */
        {2002, 2, 1000, 1000, 0, 6, 0, 1000}, /* with gaps */
        {2000, 16, 2, 64, 1, 6, 0, 0},        /* single elements: two scalars each */
        {2000, 16, 64, 64, 0, 6, 512, 0},
    };
    bind_op op = {.codelet = &codelet, .scaling = {.rows = 4}, .tail = {.unit = 2}};
    (void)state;
    assert_float_equal(price_scaling(&tape, &unit, &(bind_op){.codelet = &codelet}), 0, 0);
    op.cols.n = 1000;
    op.scaling.piece = 1000;
    op.call = (spl_call){.os = 2, .ocs = 8};
    const double line = price_scaling(&tape, &unit, &op) / 1000;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        op.cols.n = cases[i].columns;
        op.scaling.piece = cases[i].piece;
        op.call = (spl_call){.os = cases[i].os, .ocs = cases[i].ocs};
        assert_float_equal(price_scaling(&tape, &unit, &op),
                           1e-12 * (cases[i].waits * WAIT + cases[i].calls * CALL)
                               + cases[i].elements * price_moved_evenly + cases[i].lines * line,
                           1e-15);
    }
}

/* Every call counts. */
static void calls_that_scale_cost_more(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p =
        price_lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = price_bound(p);
    const double alone = price_with(p, binding, figure, &memory);
    binding[2].scaling = 1e-8;
    assert_float_equal(price_with(p, binding, figure, &memory) - alone, 64 * 1e-8, 1e-12);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* In place the first step reads what the execution before stored; the caller's code and the call
 * run meanwhile, and few rows are few levels. */
static void an_execution_in_place_waits_for_the_one_before(void **state)
{
    static const struct {
        const char *text;
        double wait; /* picoseconds */
    } cases[] = {{"DFT(2)_{leaf}", 10000.0 / 3 - 3000},
                 {"DFT(8)_{leaf}", 10000 - 3000},
                 {"DFT(64)_{leaf}", 10000 - 3000}};
    double figure[PRICE_FIGURES] = {
        [PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15, [PRICE_CALL] = 1000};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        double cpu[2][2], memory;
        for (int in_place = 0; in_place < 2; in_place++) {
            const prog *p = price_lowered(ctx, cases[i].text, in_place);
            price_binding *binding = price_bound(p);
            for (int waits = 0; waits < 2; waits++) {
                figure[PRICE_WAIT] = waits ? 10000 : 0;
                cpu[in_place][waits] = price_with(p, binding, figure, &memory);
            }
            core_free(binding);
        }
        assert_float_equal(cpu[0][1], cpu[0][0], 1e-15);
        assert_float_equal(cpu[1][1] - cpu[1][0], 1e-12 * cases[i].wait, 1e-15);
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_price_follows_its_figures, nothing_leaks),
        cmocka_unit_test_teardown(a_call_has_one_tail, nothing_leaks),
        cmocka_unit_test_teardown(slices_are_hidden, nothing_leaks),
        cmocka_unit_test_teardown(slices_cost_calls, nothing_leaks),
        cmocka_unit_test_teardown(bursts_are_waited_for, nothing_leaks),
        cmocka_unit_test_teardown(the_model_knows_ways, nothing_leaks),
        cmocka_unit_test_teardown(the_model_knows_where_data_are, nothing_leaks),
        cmocka_unit_test_teardown(calls_of_a_chain_wait, nothing_leaks),
        cmocka_unit_test_teardown(padded_steps_wait, nothing_leaks),
        cmocka_unit_test_teardown(arrays_fit_a_cache, nothing_leaks),
        cmocka_unit_test_teardown(scaled_results_cost_waits_calls_and_lines, nothing_leaks),
        cmocka_unit_test_teardown(calls_that_scale_cost_more, nothing_leaks),
        cmocka_unit_test_teardown(an_execution_in_place_waits_for_the_one_before, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
