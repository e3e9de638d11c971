// SPDX-License-Identifier: BSD-3-Clause
/* Streams at their edges: short blocks on the caller's own arrays, a plan that is destroyed while
 * its stream is open, children of the process, and names of failures. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { POINTS = 64, BATCH = 16, SCALARS = 2 * POINTS /* of a transform */ };
static const char problem[] = "c2c:f32:64*16";

static void fill_block(float *x, size_t scalars, unsigned seed)
{
    for (size_t i = 0; i < scalars; i++)
        x[i] = (float)((i * 2654435761u + seed) % 1000) / 1000 - 0.5f;
}

/* Streams one block of `count` transforms; returns its status. */
static sluice_status stream_one_block(sluice_stream *s, float *in, float *out, size_t count)
{
    sluice_slot *slot;
    assert_int_equal(sluice_stream_acquire(s, &slot, -1), SLUICE_OK);
    slot->in = in;
    slot->out = out;
    slot->count = count;
    assert_int_equal(sluice_stream_submit(s, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(s, &slot, -1), SLUICE_OK);
    const sluice_status status = slot->status;
    assert_int_equal(sluice_stream_release(s, slot), SLUICE_OK);
    return status;
}

/* Arrays of a short block need only its own size: here they are adjacent. */
static void short_blocks_lie_close(void **state)
{
    static const char *const problems[] = {problem, "c2c:f32:64@1/1*16@-64/-64"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (int backwards = 0; backwards < 2; backwards++)
        for (size_t count = 1; count <= BATCH; count++) {
            sluice_plan *plan = plan_made(m, problems[backwards]);
            sluice_diag why = {.message = ""};
            const sluice_stream_options options = {.why = &why};
            const size_t scalars = count * SCALARS;
            const size_t first = backwards ? (count - 1) * SCALARS : 0; /* in the memory */
            float *x = malloc(2 * scalars * sizeof *x),
                  *full = malloc(sizeof(float[4]) * SCALARS * BATCH);
            float *in = full, *out = full + (size_t)BATCH * SCALARS;
            const size_t begin = backwards ? (BATCH - 1) * SCALARS : 0;
            sluice_stream *s;
            assert_true(x && full);
            fill_block(x, scalars, 7);
            fill_block(in, (size_t)BATCH * SCALARS, 7);
            memcpy(in + begin - first, x, scalars * sizeof *x);
            assert_int_equal(sluice_execute(plan, in + begin, out + begin), SLUICE_OK);
            assert_int_equal(sluice_stream_open(&s, plan, &options, NULL), SLUICE_OK);
            assert_int_equal(stream_one_block(s, x + first, x + scalars + first, count), SLUICE_OK);
            assert_memory_equal(x + scalars, out + begin - first, scalars * sizeof *x);
            /* and one element closer they overlap */
            assert_int_equal(stream_one_block(s, x + first, x + scalars - 2 + first, count),
                             SLUICE_E_INVALID);
            assert_non_null(strstr(why.message, "in and out overlap by 8 bytes"));
            sluice_stream_close(s);
            sluice_plan_destroy(plan);
            free(x);
            free(full);
        }
    sluice_machine_close(m);
}

static void a_plan_lives_as_long_as_its_streams(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, problem);
    sluice_stream *s[2];
    float *x = sluice_alloc(sizeof(float[3]) * SCALARS * BATCH);
    float *out = x + (size_t)SCALARS * BATCH, *want = out + (size_t)SCALARS * BATCH;
    assert_non_null(x);
    fill_block(x, (size_t)SCALARS * BATCH, 3);
    assert_int_equal(sluice_execute(plan, x, want), SLUICE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sluice_stream_open(&s[i], plan, NULL, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    for (int i = 0; i < 2; i++) {
        for (size_t count = BATCH; count > 0; count /= 4) {
            memset(out, 0, sizeof(float) * SCALARS * BATCH);
            assert_int_equal(stream_one_block(s[i], x, out, count), SLUICE_OK);
            assert_memory_equal(out, want, count * SCALARS * sizeof *x);
        }
        sluice_stream_close(s[i]);
    }
    sluice_free(x);
}

/* ---- children ---- */

/* Runs `body` in a child that may take 20 seconds; its exit status must be 0. */
static void in_child(int (*body)(void *arg), void *arg)
{
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the tests */
        alarm(20);                /* instead of hanging */
        _exit(body(arg));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

typedef struct family {
    sluice_machine *m;
    sluice_plan *plan;
    sluice_stream *before; /* opened before fork */
    sluice_diag why;       /* its own */
    float *in, *want;      /* one block */
    int given, taken, wrong;
} family;

static family *family_open(const char *units)
{
    family *f = test_calloc(1, sizeof *f);
    const sluice_stream_options options = {.slots = 2, .why = &f->why};
    f->m = plan_machine(units, NULL);
    f->plan = plan_made(f->m, problem);
    f->in = sluice_alloc(sizeof(float[2]) * SCALARS * BATCH);
    assert_non_null(f->in);
    f->want = f->in + (size_t)SCALARS * BATCH;
    fill_block(f->in, (size_t)SCALARS * BATCH, 5);
    assert_int_equal(sluice_execute(f->plan, f->in, f->want), SLUICE_OK);
    assert_int_equal(sluice_stream_open(&f->before, f->plan, &options, NULL), SLUICE_OK);
    return f;
}

static void family_close(family *f)
{
    sluice_stream_close(f->before);
    sluice_plan_destroy(f->plan);
    sluice_machine_close(f->m);
    sluice_free(f->in);
    test_free(f);
}

static sluice_status give_block(void *user, sluice_slot *slot)
{
    family *f = user;
    if (f->given++ == 9)
        return SLUICE_END;
    memcpy(slot->in, f->in, slot->count * SCALARS * sizeof(float));
    slot->count = f->given == 9 ? 3 : BATCH;
    return SLUICE_OK;
}

static sluice_status take_block(void *user, sluice_slot *slot)
{
    family *f = user;
    f->taken++;
    f->wrong += memcmp(slot->out, f->want, slot->count * SCALARS * sizeof(float)) != 0;
    return SLUICE_OK;
}

/* Streams opened in a child, and in a grandchild, give the same bits, with callbacks or slot by
 * slot. */
static int stream_in_child(void *arg)
{
    family *f = arg;
    sluice_stream *s = NULL;
    sluice_slot *slot = NULL;
    f->given = f->taken = f->wrong = 0;
    if (sluice_stream_run(f->plan, give_block, take_block, f, NULL, NULL) != SLUICE_OK
        || f->taken != 9)
        f->wrong++;
    const sluice_stream_options two = {.slots = 2};
    if (sluice_stream_open(&s, f->plan, &two, NULL) != SLUICE_OK)
        return 1;
    for (int i = 0; i < 2; i++) {
        f->wrong += sluice_stream_acquire(s, &slot, -1) != SLUICE_OK;
        memcpy(slot->in, f->in, sizeof(float) * SCALARS * BATCH);
        f->wrong += sluice_stream_submit(s, slot) != SLUICE_OK;
    }
    f->wrong += sluice_stream_acquire(s, &slot, 5) != SLUICE_AGAIN;
    f->wrong += sluice_stream_finish(s) != SLUICE_OK;
    for (int i = 0; i < 2; i++) {
        f->wrong += sluice_stream_reap(s, &slot, -1) != SLUICE_OK || slot->status != SLUICE_OK;
        take_block(f, slot);
        f->wrong += sluice_stream_release(s, slot) != SLUICE_OK;
    }
    f->wrong += sluice_stream_reap(s, &slot, -1) != SLUICE_END;
    sluice_stream_close(s);
    return f->wrong != 0;
}

static int stream_in_grandchild(void *arg)
{
    in_child(stream_in_child, arg);
    return 0;
}

static void children_stream_on_the_caller(void **state)
{
    family *f = family_open(*state);
    in_child(stream_in_child, f);
    in_child(stream_in_grandchild, f);
    assert_int_equal(stream_in_child(f), 0); /* the parent is as it was */
    family_close(f);
}

/* A stream opened before fork fails at once, and closing it neither waits nor crashes. */
static int use_inherited(void *arg)
{
    family *f = arg;
    sluice_slot *slot = NULL;
    sluice_slot *const kept = f->before ? (sluice_slot *)(uintptr_t)f->in : NULL;
    const sluice_status heard[] = {sluice_stream_acquire(f->before, &slot, -1),
                                   sluice_stream_submit(f->before, kept),
                                   sluice_stream_reap(f->before, &slot, -1),
                                   sluice_stream_release(f->before, kept),
                                   sluice_stream_finish(f->before),
                                   sluice_stream_cancel(f->before)};
    for (size_t i = 0; i < sizeof heard / sizeof heard[0]; i++)
        if (heard[i] != SLUICE_E_INVALID)
            return 1;
    if (strcmp(f->why.message,
               "the stream was opened before fork: a child opens streams of its own")
        != 0)
        return 2;
    sluice_stream_close(f->before);
    sluice_plan_destroy(f->plan);
    sluice_machine_close(f->m);
    return 0;
}

static void *wait_for_a_block(void *arg)
{
    family *f = arg;
    sluice_slot *slot;
    (void)sluice_stream_reap(f->before, &slot, -1);
    return NULL;
}

static void inherited_streams_answer_at_once(void **state)
{
    family *f = family_open(*state);
    pthread_t waiter;
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_a_block, f), 0);
    usleep(20000); /* it waits by now; if not, the test is only easier */
    for (int i = 0; i < 5; i++)
        in_child(use_inherited, f);
    assert_int_equal(sluice_stream_finish(f->before), SLUICE_OK);
    pthread_join(waiter, NULL);
    family_close(f);
}

/* ---- what failures are called ---- */

static void refusals_have_sentences(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, problem);
    sluice_diag why = {.message = ""};
    const sluice_stream_options options = {.slots = 2, .why = &why};
    sluice_stream *s;
    sluice_slot *slot, foreign = {0};
    float x[4] = {0};
    assert_int_equal(sluice_stream_open(&s, plan, &options, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(s, NULL, 0), SLUICE_E_INVALID);
    assert_string_equal(why.message, "slot is NULL");
    assert_int_equal(sluice_stream_submit(s, &foreign), SLUICE_E_INVALID);
    assert_string_equal(why.message, "the slot is not one that was acquired from this stream");
    assert_int_equal(sluice_stream_release(s, &foreign), SLUICE_E_INVALID);
    assert_string_equal(why.message,
                        "the slot is not one that was acquired or reaped from this stream");
    assert_int_equal(sluice_stream_acquire(s, &slot, 0), SLUICE_OK);
    slot->count = 17;
    assert_int_equal(sluice_stream_submit(s, slot), SLUICE_E_INVALID);
    assert_string_equal(why.message, "count is 17: a block has 1 to 16 transforms");
    slot->count = 16;
    slot->in_im = x;
    assert_int_equal(sluice_stream_submit(s, slot), SLUICE_E_INVALID);
    assert_string_equal(why.message,
                        "in_im is given, but its side is interleaved: it must be NULL");
    slot->in_im = NULL;
    slot->out = (char *)slot->out + 2;
    assert_int_equal(sluice_stream_submit(s, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(s, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_E_INVALID);
    assert_string_equal(why.message, "out is misaligned: 2 bytes beyond a multiple of 4");
    assert_int_equal(sluice_stream_release(s, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_finish(s), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(s, &slot, 0), SLUICE_E_INVALID);
    assert_string_equal(why.message, "the stream is finished: it takes no more blocks");
    assert_int_equal(sluice_stream_cancel(s), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(s, &slot, 0), SLUICE_E_CANCELLED);
    assert_string_equal(why.message, "the stream was cancelled");
    sluice_stream_close(s);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Results of the source and the sink at block 2. */
typedef struct deeds {
    sluice_status source, sink;
    size_t count, shift;
    int given, taken;
} deeds;

static sluice_status do_source(void *user, sluice_slot *slot)
{
    deeds *d = user;
    if (d->given++ != 2)
        return SLUICE_OK;
    slot->count = d->count;
    slot->in = (char *)slot->in + d->shift;
    return d->source;
}

static sluice_status do_sink(void *user, sluice_slot *slot)
{
    deeds *d = user;
    (void)slot;
    return d->taken++ == 2 ? d->sink : d->taken > 4 ? SLUICE_E_CANCELLED : SLUICE_OK;
}

static void failures_of_runs_are_named(void **state)
{
    static const struct {
        deeds does;
        sluice_status status;
        const char *sentence;
    } runs[] = {
        {{.source = SLUICE_E_IO, .count = 1},
         SLUICE_E_IO,
         "the source failed at block 2: input or output failed"},
        {{.sink = SLUICE_E_MEMORY, .count = 1},
         SLUICE_E_MEMORY,
         "the sink failed at block 2: out of memory"},
        {{.sink = SLUICE_AGAIN, .count = 1},
         SLUICE_E_INVALID,
         "the sink answered \"not now, ask again\" for block 2"},
        {{.source = (sluice_status)7, .count = 1},
         SLUICE_E_INVALID,
         "the source answered \"unknown status\" for block 2"},
        {{.count = 0},
         SLUICE_E_INVALID,
         "block 2 does not fit the plan: count is 0: a block has 1 to 16 transforms"},
        {{.count = 16, .shift = 3},
         SLUICE_E_INVALID,
         "block 2 failed: in is misaligned: 3 bytes beyond a multiple of 4"},
    };
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, problem);
    sluice_diag why = {.message = ""};
    const sluice_stream_options options = {.why = &why};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        deeds d = runs[i].does;
        assert_int_equal(sluice_stream_run(plan, do_source, do_sink, &d, &options, NULL),
                         runs[i].status);
        assert_string_equal(why.message, runs[i].sentence);
    }
    assert_int_equal(sluice_stream_run(plan, NULL, do_sink, NULL, &options, NULL),
                     SLUICE_E_INVALID);
    assert_string_equal(why.message, "source is NULL");
    assert_int_equal(sluice_stream_run(NULL, do_source, do_sink, NULL, &options, NULL),
                     SLUICE_E_INVALID);
    assert_string_equal(why.message, "a stream needs a plan");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A formula that is none of the planner's. */
static void formulas_run_whole_blocks(void **state)
{
    static const char formula[] = "c2c:f32:64*16 := I(16) (x) ((DFT(2)_{leaf} (x) I(32)) * T(2,32)"
                                  " * (I(2) (x) DFT(32)_{leaf}) * L(64,2))";
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_of_formula(m, formula, SLUICE_F32);
    sluice_diag why = {.message = ""};
    const sluice_stream_options options = {.why = &why};
    deeds d = {.count = 3};
    assert_int_equal(sluice_stream_run(plan, do_source, do_sink, &d, &options, NULL),
                     SLUICE_E_UNSUPPORTED);
    assert_string_equal(
        why.message,
        "block 2 failed: a plan made of a formula runs whole blocks: 16 transforms, not 3");
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    static char pthreads[] = "cpu:2", ref[] = "ref:2";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(short_blocks_lie_close, nothing_leaks),
        cmocka_unit_test_teardown(a_plan_lives_as_long_as_its_streams, nothing_leaks),
        cmocka_unit_test_prestate_setup_teardown(children_stream_on_the_caller, NULL, nothing_leaks,
                                                 pthreads),
        cmocka_unit_test_prestate_setup_teardown(children_stream_on_the_caller, NULL, nothing_leaks,
                                                 ref),
        cmocka_unit_test_prestate_setup_teardown(inherited_streams_answer_at_once, NULL,
                                                 nothing_leaks, pthreads),
        cmocka_unit_test_prestate_setup_teardown(inherited_streams_answer_at_once, NULL,
                                                 nothing_leaks, ref),
        cmocka_unit_test_teardown(refusals_have_sentences, nothing_leaks),
        cmocka_unit_test_teardown(failures_of_runs_are_named, nothing_leaks),
        cmocka_unit_test_teardown(formulas_run_whole_blocks, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
