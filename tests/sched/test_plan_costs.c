// SPDX-License-Identifier: BSD-3-Clause
/* Plans by measured costs of codelets: which one is chosen, what is printed, what streams keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

static void load_price(sluice_machine *m, int n, const char *cycles)
{
    core_text lines = {0};
    wisdom_price(m, n, cycles, &lines);
    assert_true(lines.length > 0);
    wisdom_load_lines(m, lines.data);
    core_text_free(&lines);
}

static int largest_leaf(const char *line)
{
    int largest = 0, n;
    for (const char *at = line; (at = strstr(at, "DFT(")) != NULL; at++)
        if (sscanf(at, "DFT(%d)_{leaf}", &n) == 1 && n > largest)
            largest = n;
    return largest;
}

/* The planner goes round a size that has become absurdly expensive, and comes back. */
static void plans_are_chosen_by_measured_costs(void **state)
{
    static const char *const problems[] = {"c2c:f32:1024", "c2c:f64:960*2", "c2c:f32:32x32",
                                           "c2c:f32:2048:in=split:out=split"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_machine *m = plan_machine("cpu:1", NULL);
        sluice_plan *plan = plan_made(m, problems[i]);
        char *before = plan_line(plan);
        const int n = largest_leaf(before);
        sluice_plan_destroy(plan);
        load_price(m, n, "100000");
        plan = plan_made(m, problems[i]);
        char *after = plan_line(plan);
        if (largest_leaf(after) == n)
            fail_msg("%s costs 100000 cycles a DFT(%d)", after, n);
        sluice_plan_destroy(plan);
        plan_check_problem(m, problems[i], 77);
        test_free(before);
        test_free(after);
        sluice_machine_close(m);
    }
}

static void placement_prints_measured_costs(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    load_price(m, 16, "7777");
    sluice_plan *plan = plan_of_formula(m, "DFT(16)_{leaf}", SLUICE_F32);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    if (!strstr(text.data, " 7777 cycles a step"))
        fail_msg("%s", text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A stream runs short blocks through a plan of its own, which must have the bits of the first one
 * whatever has been learnt in between. */
static void streams_keep_the_costs_of_their_plan(void **state)
{
    enum { N = 1024, BATCH = 4 };
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:1024*4");
    sluice_stream *stream;
    sluice_slot *slot;
    float *in = sluice_alloc(N * BATCH * 2 * sizeof *in), *out = sluice_alloc(N * BATCH * 8);
    uint64_t seed = 3;
    assert_true(in != NULL && out != NULL);
    for (int i = 0; i < 2 * N * BATCH; i++)
        in[i] = (float)(plan_random(&seed) >> 40) / (1 << 24);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    load_price(m, 32, "100000");
    load_price(m, 16, "100000");
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    memcpy(slot->in, in, N * 8);
    slot->count = 1;
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    assert_memory_equal(slot->out, out, N * 8);
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_free(in);
    sluice_free(out);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plans_are_chosen_by_measured_costs, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(placement_prints_measured_costs, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(streams_keep_the_costs_of_their_plan, wisdom_setup,
                                        wisdom_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
