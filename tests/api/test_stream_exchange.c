// SPDX-License-Identifier: BSD-3-Clause
/* A worker fails in the middle of an exchange: the transform ends with a status, the fault has a
 * name, all workers are released, and the next transform succeeds. */
#define _DEFAULT_SOURCE /* alarm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/plan/plan.h"
#include "tests/helpers/helper_plan.h"

enum { POINTS = 65536, WORKERS = 4, TIME_LIMIT = 60 /* seconds, then it is a deadlock */ };
static const char problem[] = "c2c:f32:65536:latency";

static int exchanges_of(const sluice_plan *plan)
{
    int count = 0;
    for (size_t i = 0; i < plan->body->nstmts; i++)
        count += plan->body->stmt[i].op == PROG_SYNC;
    return count;
}

static sluice_machine *open_failing_machine(int arrival)
{
    char units[64];
    snprintf(units, sizeof units, "fake:%d,delay=40,seed=%d,exchange=%d", WORKERS, arrival,
             arrival);
    return plan_machine(units, NULL);
}

/* At every exchange workers write into each other's stores: class NET. */
static void every_exchange_crosses_workers(void **state)
{
    (void)state;
    sluice_machine *m = open_failing_machine(0);
    sluice_plan *plan = plan_made(m, problem);
    prog_exchanges e;
    int writers = 0;
    assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
    for (size_t i = 0; i < plan->body->nstmts; i++) {
        if (plan->body->stmt[i].op == PROG_SYNC)
            assert_int_equal(e.at[i].communicated, POINTS - POINTS / WORKERS);
        writers += (e.net[i] & PROG_NET_OUT) != 0;
    }
    assert_true(writers > exchanges_of(plan));
    prog_exchanges_free(&e);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Each arrival of the first two runs fails in turn. */
static void a_failing_exchange_ends_with_a_status(void **state)
{
    (void)state;
    const size_t alive = core_mem_live();
    float *in = sluice_alloc(POINTS * 2 * sizeof *in),
          *out = sluice_alloc(POINTS * 2 * sizeof *out);
    int arrivals = WORKERS;
    assert_true(in != NULL && out != NULL);
    memset(in, 0, POINTS * 2 * sizeof *in);
    for (int k = 1; k <= 2 * arrivals; k++) {
        sluice_machine *m = open_failing_machine(k);
        sluice_plan *plan = plan_made(m, problem);
        sluice_diag fault = {0};
        assert_int_equal(plan->body->parts, WORKERS);
        assert_true(exchanges_of(plan) >= 2);
        arrivals = WORKERS * exchanges_of(plan);
        alarm(TIME_LIMIT);
        for (int run = 1; run <= 3; run++) {
            const bool fails = (k + arrivals - 1) / arrivals == run && run <= 2;
            assert_int_equal(sluice_machine_fault(m, 0, &fault),
                             k <= (run - 1) * arrivals ? SLUICE_E_DEVICE : SLUICE_OK);
            assert_int_equal(sluice_execute(plan, in, out), fails ? SLUICE_E_DEVICE : SLUICE_OK);
            if (fails)
                break;
        }
        assert_int_equal(sluice_machine_fault(m, 0, &fault), SLUICE_E_DEVICE);
        assert_non_null(strstr(fault.message, "FAKE_EXCHANGE_FAILED"));
        assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK); /* the next one */
        alarm(0);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    sluice_free(in);
    sluice_free(out);
    assert_int_equal(core_mem_live(), alive);
}

/* In a stream the block holds the status; the stream continues and drains. */
static void a_stream_goes_on_behind_it(void **state)
{
    (void)state;
    enum { BLOCKS = 12 };
    for (int k = 5; k <= 45; k += 8) {
        sluice_machine *m = open_failing_machine(k);
        sluice_plan *plan = plan_made(m, problem);
        sluice_stream *stream = NULL;
        sluice_slot *slot;
        int failed = 0, reaped = 0;
        alarm(TIME_LIMIT);
        assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
        for (int b = 0; b < BLOCKS; b++) {
            while (sluice_stream_acquire(stream, &slot, 0) == SLUICE_AGAIN) {
                assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
                failed += slot->status == SLUICE_E_DEVICE;
                reaped++;
                assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
            }
            slot->count = 1;
            assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
        }
        assert_int_equal(sluice_stream_finish(stream), SLUICE_OK);
        while (sluice_stream_reap(stream, &slot, -1) == SLUICE_OK) {
            failed += slot->status == SLUICE_E_DEVICE;
            reaped++;
            assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
        }
        sluice_stream_close(stream);
        alarm(0);
        assert_int_equal(reaped, BLOCKS);
        assert_int_equal(failed, 1);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_exchange_crosses_workers),
        cmocka_unit_test(a_failing_exchange_ends_with_a_status),
        cmocka_unit_test(a_stream_goes_on_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
