// SPDX-License-Identifier: BSD-3-Clause
/* Columns that run while others are prefetched: every column once or, where the last vector starts
 * early, twice, and never fewer than a vector at a time; who stores non-temporally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_prefetch.h"
#include "backends/cpu/run/cpu_statement.h"

enum { LANES = 8, ROWS = 4, MOST = 40 };

static float in[2 * ROWS * MOST], out[2 * ROWS * MOST];
static int runs[MOST], short_runs, calls;

/* A codelet that counts its columns, all of them where they belong. */
static void count_columns(const spl_call *call, size_t first, size_t count)
{
    const size_t from = (size_t)((const float *)call->in_re - in) / 2 + first;

    assert_int_equal((float *)call->out_re - out, (const float *)call->in_re - in);
    assert_int_equal(count % LANES, 0);
    calls++;
    for (size_t c = from; c < from + count; c++)
        runs[c]++;
}

static void count_short(const spl_call *call, size_t first, size_t count)
{
    (void)call;
    (void)first;
    (void)count;
    short_runs++;
}

static void run_ahead(size_t columns, size_t piece)
{
    const bind_tail tail = {.run = count_columns,
                            .n = ROWS,
                            .outputs = ROWS,
                            .lanes = LANES,
                            .in = SPL_INTER,
                            .out = SPL_INTER,
                            .may_start_early = true,
                            .columns = columns,
                            .scalar = sizeof(float),
                            .shorter = {{count_short, LANES / 2}}};
    const ptrdiff_t row = 2 * (ptrdiff_t)columns;
    spl_call call = {
        .in_re = in, .out_re = out, .is = row, .os = row, .ics = 2, .ocs = 2, .set_columns = LANES};
    const cpu_prefetch ahead = {
        .next = (const char *)in, .columns = piece, .bytes = sizeof in / 4, .step = sizeof in / 4};

    memset(runs, 0, sizeof runs);
    short_runs = calls = 0;
    cpu_prefetch_columns(&tail, count_columns, &call, ahead, 0, columns);
    assert_ptr_equal(call.in_re, in);
    assert_ptr_equal(call.out_re, out);
}

/* A piece of 8 columns of 15 left 7 over, which ran through shorter vectors. */
static void what_is_left_over_starts_early(void **state)
{
    (void)state;
    for (size_t piece = LANES; piece <= 2 * LANES; piece += LANES)
        for (size_t columns = LANES; columns <= MOST; columns++) {
            const size_t rest = columns % LANES;
            run_ahead(columns, piece);
            assert_int_equal(short_runs, rest > 0 && rest <= LANES / 2 ? 1 : 0);
            for (size_t c = 0; c < columns - (short_runs ? rest : 0); c++)
                assert_in_range(runs[c], 1, columns - c <= LANES ? 2 : 1 + (rest > 0));
        }
}

static void whole_vectors_run_in_pieces(void **state)
{
    (void)state;
    run_ahead(4 * LANES, LANES);
    assert_int_equal(calls, 4);
    run_ahead(4 * LANES, 2 * LANES);
    assert_int_equal(calls, 2);
}

/* Whole lines, and not where several members keep the output in their caches. */
static void stores_are_chosen_by_call(void **state)
{
    static const spl_codelet plain = {.run = count_columns}, lines = {.run = count_short};
    _Alignas(64) char line[128];
    spl_call call = {.out_re = line};
    bind_op op = {.codelet = &plain, .codelet_nt = &lines};
    (void)state;

    for (int several = 0; several < 2; several++)
        assert_true(cpu_statement_codelet(&op, &call, several) == count_short);
    op.nt_needs_one_member = true;
    assert_true(cpu_statement_codelet(&op, &call, false) == count_short);
    assert_true(cpu_statement_codelet(&op, &call, true) == count_columns);
    op.nt_needs_one_member = false;
    call.out_re = line + sizeof(float);
    assert_true(cpu_statement_codelet(&op, &call, false) == count_columns);
    op.codelet_nt = NULL;
    call.out_re = line;
    assert_true(cpu_statement_codelet(&op, &call, false) == count_columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_over_starts_early),
        cmocka_unit_test(whole_vectors_run_in_pieces),
        cmocka_unit_test(stores_are_chosen_by_call),
    };
    return cmocka_run_group_tests_name("prefetch", tests, NULL, NULL);
}
