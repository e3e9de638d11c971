// SPDX-License-Identifier: BSD-3-Clause
/* Streams of OpenCL units where calls fail, through the layer of tests/opencl_layer: no block is
 * lost, each is right or has a status and a sentence, alone, with a fallback and beside CPUs; where
 * their memory lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_faults.h"

enum { BLOCKS = 24 };

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-streams-XXXXXX";
static const sluice_plan_options *planned; /* NULL, or hooks that change nothing */

typedef struct tally {
    size_t sent, received, right, failed;
} tally;

static sluice_stream *open_stream(const sluice_plan *plan, const char *fallback, sluice_diag *why)
{
    sluice_stream *stream = NULL;
    const sluice_stream_options options = {.why = why, .fallback = fallback};
    assert_int_equal(sluice_stream_open(&stream, plan, &options, why), SLUICE_OK);
    return stream;
}

static void reap_block(sluice_stream *stream, tally *t, const sluice_diag *why)
{
    sluice_slot *slot;
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    t->received++;
    if (slot->status == SLUICE_OK) {
        assert_true(faults_are_right(slot->out, (size_t)(uintptr_t)slot->user, slot->count));
        t->right++;
    } else {
        assert_true(why->message[0]);
        t->failed++;
    }
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
}

/* All blocks come back, in order of submission, right or with a status and a sentence. */
static void run_blocks(sluice_stream *stream, tally *t, const sluice_diag *why)
{
    sluice_slot *slot;
    while (t->sent < BLOCKS) {
        if (sluice_stream_acquire(stream, &slot, 0) == SLUICE_AGAIN) {
            reap_block(stream, t, why);
            continue;
        }
        slot->user = (void *)(uintptr_t)t->sent;
        slot->count = t->sent + 1 == BLOCKS ? 3 : FAULTS_BATCH;
        faults_fill(slot->in, t->sent++, slot->count);
        assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    }
    assert_int_equal(sluice_stream_finish(stream), SLUICE_OK);
    while (t->received < BLOCKS)
        reap_block(stream, t, why);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_END);
}

/* The faults begin when the stream is open. */
static tally stream_under(const char *units, const char *fallback, const char *faults)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    tally t = {0};
    const sluice_machine_options options = {.units = units};
    assert_true(layer->set(""));
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0); /* compiled once for all */
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, planned, &why),
                     SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    sluice_stream *stream = open_stream(plan, fallback, &why);
    assert_true(layer->set(faults));
    run_blocks(stream, &t, &why);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_leave_nothing(layer, faults);
    assert_int_equal(t.right + t.failed, BLOCKS);
    return t;
}

static void blocks_fail(int step)
{
    static const char *const kinds[] = {"enqueue@%d=CL_OUT_OF_RESOURCES",
                                        "event@%d=CL_OUT_OF_RESOURCES",
                                        "clWaitForEvents@%d=CL_OUT_OF_RESOURCES"};
    static const char *const units[] = {"opencl:0", "opencl:0:copy"};
    for (size_t u = 0; u < 2; u++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            for (int k = 1; k < 12; k += step) {
                char faults[64];
                snprintf(faults, sizeof faults, kinds[i], k);
                tally t = stream_under(units[u], NULL, faults);
                if (t.failed > 3)
                    print_error("%s: %s: %zu blocks failed\n", units[u], faults, t.failed);
                assert_true(t.failed <= 3); /* what was in flight beside it, at most */
                t = stream_under(units[u], "cpu", faults);
                assert_int_equal(t.right, BLOCKS);
            }
}

static void blocks_fail_alone(void **state)
{
    (void)state;
    blocks_fail(1);
    planned = faults_hooked();
    blocks_fail(3);
    planned = NULL;
}

/* On a processor that computes in the host's memory blocks in flight take turns in one packed
 * memory of each side: all buffers that are made for a stream are the arrays of its blocks. */
static void packed_memory_is_one(void **state)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    sluice_unit_info u;
    tally t = {0};
    const sluice_machine_options options = {.units = "opencl:0"};
    (void)state;
    assert_true(layer->set(""));
    assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_machine_unit_info(machine, 0, &u), SLUICE_OK);
    if (!u.shares_memory) {
        sluice_machine_close(machine);
        skip();
    }
    assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, faults_hooked(), &why),
                     SLUICE_OK);
    sluice_stream *stream = open_stream(plan, NULL, &why);
    const long before = (long)layer->calls("clCreateBuffer");
    run_blocks(stream, &t, &why);
    assert_int_equal(t.right, BLOCKS);
    assert_int_equal((long)layer->calls("clCreateBuffer") - before, 2 * BLOCKS);
    sluice_stream_close(stream);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_leave_nothing(layer, "nothing");
}

/* Slots are the driver's where blocks are copied, and any where it has none. */
static void slots_are_pinned(void **state)
{
    static const struct {
        const char *units, *faults;
        bool pinned;
    } cases[] = {{"opencl:0:copy", "", true},
                 {"opencl:0:copy", "clEnqueueMapBuffer@1+=CL_OUT_OF_RESOURCES", false},
                 {"opencl:0:copy", "clCreateBuffer@1=CL_OUT_OF_RESOURCES", true},
                 {"opencl:0", "", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_diag why = {0};
        tally t = {0};
        sluice_machine *machine = NULL;
        sluice_plan *plan = NULL;
        const sluice_machine_options options = {.units = cases[i].units};
        assert_true(layer->set(""));
        assert_int_equal(sluice_machine_open(&machine, &options, &why), SLUICE_OK);
        assert_int_equal(sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, NULL, &why),
                         SLUICE_OK);
        assert_true(layer->set(cases[i].faults));
        const long before = layer->outstanding("buffers");
        sluice_stream *stream = open_stream(plan, NULL, &why);
        const bool pinned = layer->outstanding("buffers") > before;
        assert_int_equal(pinned, cases[i].pinned);
        assert_true(layer->set(""));
        run_blocks(stream, &t, &why);
        assert_int_equal(t.right, BLOCKS);
        sluice_stream_close(stream);
        sluice_plan_destroy(plan);
        sluice_machine_close(machine);
        faults_leave_nothing(layer, cases[i].faults);
    }
}

static void lost_devices_end_cleanly(void **state)
{
    (void)state;
    for (int k = 1; k < BLOCKS; k += 4) { /* of a kernel for each block */
        char faults[32];
        snprintf(faults, sizeof faults, "lost@%d", k);
        tally t = stream_under("opencl:0", NULL, faults);
        assert_true(t.failed > 0);
        t = stream_under("opencl:0", "cpu", faults);
        assert_int_equal(t.right, BLOCKS);
        t = stream_under("cpu:1,opencl:0", NULL, faults);
        if (t.right != BLOCKS)
            print_error("%s\n", faults);
        assert_int_equal(t.right, BLOCKS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_fail_alone),
        cmocka_unit_test(packed_memory_is_one),
        cmocka_unit_test(slots_are_pinned),
        cmocka_unit_test(lost_devices_end_cleanly),
    };
    return faults_run("opencl streams", tests, sizeof tests / sizeof *tests, folder, &layer);
}
