// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of plans as kernels of an OpenCL device, on the first there is: every kind in every form of kernels,
 * the bits of cores, numbers as they are stored, texts of functions against the functions, short blocks, and
 * what the device leaves to the host. */
#define _DEFAULT_SOURCE /* alarm, mkdtemp, setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/plan/sides.h"
#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 280 };

static char folder[64];
/* As it comes; in buffers; one DFT an item; of formulas for groups of items. */
static sluice_machine *device, *copying, *items, *groups;

/* ---------------------------------------------------------------- every kind ------------- */

/* A draw of sets of hooks, all of them in every fourth case: each plan is compiled. */
static void every_kind(sluice_machine *m, int step)
{
    enum { ALL = HOOK_SETS - 1 };
    for (int i = 0; i < HOOK_CASES; i += step)
        hook_verify(m, &hook_cases[i], i % 4 ? 1 + i % ALL : ALL, i % 4 ? i * 7 % ALL : ALL);
}

static void hooks_are_right(void **state)
{
    (void)state;
    every_kind(device, 3);
}

static void hooks_are_right_in_buffers(void **state)
{
    (void)state;
    every_kind(copying, 6);
}

static void hooks_are_right_in_items(void **state)
{
    (void)state;
    every_kind(items, 9);
}

static void hooks_are_right_in_groups(void **state)
{
    (void)state;
    every_kind(groups, 9);
}

/* ---------------------------------------------------------------- bits ------------------ */

/* Half of it, and its number, which no machine rounds. */
static sluice_status halve(void *user, size_t first, size_t count, void *data)
{
    float *x = data;
    (void)user;
    for (size_t i = 0; i < count; i++) {
        x[2 * i] = x[2 * i] * 0.5F;
        x[2 * i + 1] = x[2 * i + 1] + (float)(first + i);
    }
    return SLUICE_OK;
}

static const char halve_text[] = "(float2)(x.x * 0.5f, // re\n x.y + (float)i) // im";

typedef struct bit_case {
    const char *problem;
    sluice_hooks hooks;
} bit_case;

#define WEIGHTS .weight = hook_weights, .weight_rank = 1
#define STORED(kind) .storage = SLUICE_STORE_##kind
#define HALVED .call = halve, .opencl = halve_text

static const bit_case bit_cases[] = {
    {"c2c:f32:256*20", {.in = {WEIGHTS}}},
    {"c2c:f32:64*30", {.in = {WEIGHTS}, .out = {WEIGHTS}}},
    {"c2c:f64:120*9:inverse", {.in = {WEIGHTS, .extent = {70}}, .out = {.extent = {31}}}},
    {"c2c:f32:1024*3", {.in = {STORED(I16)}, .out = {STORED(F16)}}},
    {"c2c:f64:256*5", {.in = {STORED(F16)}, .out = {STORED(I16)}}},
    {"c2c:f64:256*5", {.in = {STORED(F32)}, .out = {STORED(F16), WEIGHTS}}},
    {"c2c:f32:128*6:inplace", {.in = {STORED(I16), WEIGHTS}, .out = {STORED(I16)}}},
    {"c2c:f32:100@-3/2*5@300/201", {.in = {.extent = {64}}, .out = {.extent = {99}, STORED(F64)}}},
    {"c2c:f32:1000:in=split:out=split:inplace", {.in = {.extent = {600}}, .out = {WEIGHTS}}},
    {"c2c:f32:24x60*4:out=split", {.in = {.extent = {20, 41}}, .out = {STORED(F16)}}},
    {"c2c:f32:24x60",
     {.in = {.weight = hook_weights, .weight_rank = 2, STORED(I16)}, .out = {.extent = {3}}}},
    {"c2c:f32:4096:in_cyclic=16/4", {.in = {WEIGHTS, STORED(I16)}}},
    {"r2c:f32:1000*3", {.in = {WEIGHTS, STORED(I16)}, .out = {.extent = {100}}}},
    {"c2r:f32:64*16", {.in = {.extent = {20}}, .out = {WEIGHTS, STORED(F16)}}},
    {"r2c:f32:96*4:inplace", {.in = {.extent = {50}}, .out = {WEIGHTS}}},
    {"dct2:f64:48x64", {.in = {STORED(I16)}, .out = {STORED(I16), .extent = {40, 60}}}},
    {"c2c:f32:64*30", {.in = {HALVED}}},
    {"c2c:f32:64*30", {.in = {WEIGHTS, STORED(I16)}, .out = {HALVED, WEIGHTS, STORED(F64)}}},
};
enum { BIT_CASES = sizeof bit_cases / sizeof bit_cases[0] };

/* All bytes of both sides, what the plan does not touch included. */
static bool are_same(const sluice_plan *plan, const sched_sides *a, const sched_sides *b)
{
    bool same = true;
    for (int i = 0; i < 4; i++)
        if (a->block[i])
            same = same
                   && memcmp(a->block[i], b->block[i],
                             plan->bytes_before[i / 2] + plan->bytes_from[i / 2])
                          == 0;
    return same;
}

static void compare_bits(sluice_machine *m, sluice_machine *cores, const bit_case *c, uint64_t seed)
{
    sluice_plan *a = hook_plan(m, c->problem, &c->hooks);
    sluice_plan *b = hook_plan(cores, c->problem, &c->hooks);
    sched_sides x, y;
    assert_int_equal(sluice_plan_work_bytes(a), 0); /* no copy of the host's */
    assert_int_equal(sched_sides_open(&x, a, NULL), SLUICE_OK);
    assert_int_equal(sched_sides_open(&y, b, NULL), SLUICE_OK);
    sched_sides_fill(&x, a, seed);
    sched_sides_fill(&y, b, seed);
    assert_int_equal(sluice_execute_with(a, &x.arrays, NULL), SLUICE_OK);
    assert_int_equal(sluice_execute_with(b, &y.arrays, NULL), SLUICE_OK);
    if (!are_same(a, &x, &y))
        fail_msg("%s, number %d: other bits than cores'", c->problem, (int)(c - bit_cases));
    sched_sides_close(&x);
    sched_sides_close(&y);
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
}

static void processors_give_the_bits_of_cores(void **state)
{
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(device, 0, &u), SLUICE_OK);
    sluice_machine *cores = u.lanes_f32 > 1 ? plan_machine("cpu:1", u.isa) : NULL;
    for (int i = 0; cores && i < BIT_CASES; i++) {
        compare_bits(device, cores, &bit_cases[i], (uint64_t)i + 1);
        compare_bits(copying, cores, &bit_cases[i], (uint64_t)i + 1);
    }
    sluice_machine_close(cores);
}

/* ---------------------------------------------------------------- numbers ---------------- */

/* By transforms of one point. 1 + 2^-11 + 2^-40 is nearer to 1 + 2^-10, but not once it is a float; 65520
 * is infinite, 1/2^25 + 1/2^60 no zero. */
static const double numbers[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0.5,
                                 -2,
                                 3e9,
                                 -1e300,
                                 1e-300,
                                 -1e-300,
                                 1.0 / 65536,
                                 3.0 / 65536,
                                 -1.0 / 65536,
                                 32767.5 / 32768,
                                 0.1,
                                 NAN,
                                 INFINITY,
                                 -INFINITY,
                                 65519,
                                 65520,
                                 0x1.002p0 + 0x1p-40,
                                 0x1.006p0 - 0x1p-40,
                                 -0x1.002p0 - 0x1p-40,
                                 0x1p-25 + 0x1p-60,
                                 0x1p-25,
                                 0x1.8p-24 - 0x1p-60,
                                 6e-5,
                                 6.1e-5};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static bool is_nan(const char *at, sluice_storage storage)
{
    const uint16_t half = *(const uint16_t *)(const void *)at;
    return storage == SLUICE_STORE_F64 ? isnan(*(const double *)(const void *)at)
                                       : storage == SLUICE_STORE_F16 && (half & 0x7FFF) > 0x7C00;
}

typedef struct storing {
    const char *problem; /* of NUMBERS transforms of one point */
    sluice_storage from, to;
    size_t bytes; /* of a number that is stored */
} storing;

static void compare_numbers(const storing *c, const char *got, const char *want, uint64_t seed)
{
    for (size_t i = 0; i < NUMBERS; i++, got += c->bytes, want += c->bytes)
        if (memcmp(got, want, c->bytes) != 0 && !(is_nan(got, c->to) && is_nan(want, c->to)))
            fail_msg("%s to %d, number %zu of %d: %#x, not %#x", c->problem, (int)c->to, i,
                     (int)seed, *(const uint16_t *)(const void *)got,
                     *(const uint16_t *)(const void *)want);
}

/* Of what a storage can hold: the numbers above as doubles, or any bits of 16. */
static void stored_alike(sluice_machine *m, sluice_machine *cores, const storing *c)
{
    const sluice_hooks hooks = {.in.storage = c->from, .out.storage = c->to};
    sluice_plan *a = hook_plan(m, c->problem, &hooks), *b = hook_plan(cores, c->problem, &hooks);
    double x[NUMBERS], y[NUMBERS];
    uint16_t bits[NUMBERS];
    uint64_t seed = 7;
    for (int time = 0; time < 20; time++) {
        const void *in = c->from == SLUICE_STORE_F64 ? (const void *)numbers : bits;
        for (int i = 0; i < NUMBERS; i++)
            bits[i] = (uint16_t)plan_random(&seed);
        assert_int_equal(sluice_execute(a, in, x), SLUICE_OK);
        assert_int_equal(sluice_execute(b, in, y), SLUICE_OK);
        compare_numbers(c, (const char *)x, (const char *)y, (uint64_t)time);
    }
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
}

static void numbers_are_stored(void **state)
{
    static const storing cases[] = {
        {"dct3:f64:1*28", SLUICE_STORE_F64, SLUICE_STORE_I16, 2},
        {"dct3:f64:1*28", SLUICE_STORE_F64, SLUICE_STORE_F16, 2},
        {"dct3:f32:1*28", SLUICE_STORE_F64, SLUICE_STORE_F16, 2},
        {"dct3:f32:1*28", SLUICE_STORE_F64, SLUICE_STORE_I16, 2},
        {"dct3:f32:1*28", SLUICE_STORE_F16, SLUICE_STORE_F64, 8},
        {"dct3:f64:1*28", SLUICE_STORE_I16, SLUICE_STORE_F64, 8},
    };
    (void)state;
    sluice_machine *cores = plan_machine("cpu:1", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        stored_alike(i % 2 ? items : device, cores, &cases[i]);
    sluice_machine_close(cores);
}

/* ---------------------------------------------------------------- streams ---------------- */

/* The first transforms of a block, and no byte of others; elements count from its beginning. */
static void short_block(sluice_machine *m, const bit_case *c, size_t count)
{
    sluice_plan *plan = hook_plan(m, c->problem, &c->hooks);
    sluice_stream *stream;
    sluice_slot *slot;
    sched_sides whole;
    assert_int_equal(sched_sides_open(&whole, plan, NULL), SLUICE_OK);
    sched_sides_fill(&whole, plan, count);
    assert_int_equal(sluice_stream_open(&stream, plan, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_stream_acquire(stream, &slot, -1), SLUICE_OK);
    slot->count = count;
    memcpy(slot->in, whole.arrays.in, plan->bytes_from[0]);
    memset(slot->out, 0x5A, plan->bytes_from[1]);
    assert_int_equal(sluice_stream_submit(stream, slot), SLUICE_OK);
    assert_int_equal(sluice_stream_reap(stream, &slot, -1), SLUICE_OK);
    assert_int_equal(slot->status, SLUICE_OK);
    memset(whole.block[2], 0x5A, plan->bytes_from[1]);
    assert_int_equal(sluice_execute_with(plan, &whole.arrays, NULL), SLUICE_OK);
    const size_t end = plan->bytes_from[1] / plan->problem.batch[0].n * count;
    assert_memory_equal(slot->out, whole.arrays.out, end);
    for (size_t i = end; i < plan->bytes_from[1]; i++)
        assert_int_equal(((const unsigned char *)slot->out)[i], 0x5A);
    assert_int_equal(sluice_stream_release(stream, slot), SLUICE_OK);
    sluice_stream_close(stream);
    sched_sides_close(&whole);
    sluice_plan_destroy(plan);
}

static void short_blocks_are_whole(void **state)
{
    static const bit_case blocks[] = {
        {"c2c:f32:64*30", {.in = {WEIGHTS, STORED(I16)}, .out = {HALVED, STORED(F16)}}},
        {"c2c:f32:256*6", {.in = {HALVED}}},
        {"c2c:f32:100*7", {.out = {WEIGHTS, .extent = {31}}}},
        {"r2c:f32:100*7", {.in = {STORED(I16), .extent = {70}}, .out = {STORED(F16)}}}};
    sluice_machine *const machine[] = {device, copying, items};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            short_block(machine[m], &blocks[i], 1);
            short_block(machine[m], &blocks[i], 5);
        }
}

/* Elements of a share count from the beginning of the batch. */
static void shares_count_from_the_batch(void **state)
{
    static const bit_case shared = {"c2c:f32:4096*200", {.in = {HALVED}}};
    (void)state;
    sluice_machine *both = plan_machine("opencl:0:cores=1,opencl:0:copy:cores=1", NULL);
    sluice_machine *one = plan_machine("opencl:0", NULL);
    compare_bits(both, one, &shared, 3);
    sluice_machine_close(both);
    sluice_machine_close(one);
}

/* ---------------------------------------------------------------- refused ---------------- */

static void texts_that_do_not_compile(void **state)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"x + y", "undeclared identifier"}, {"x +", "expected expression"}, {"", "expected"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int side = 0; side < 2; side++) {
            sluice_hooks hooks = {.scale = 1};
            const sluice_plan_options options = {.hooks = &hooks};
            sluice_diag why = {.message = ""};
            sluice_plan *plan = NULL;
            *(side ? &hooks.out : &hooks.in) =
                (sluice_side_hooks){.call = halve, .opencl = wrong[i].text};
            assert_int_equal(sluice_plan_from_text(&plan, device, "c2c:f32:64", &options, &why),
                             SLUICE_E_INVALID);
            assert_null(plan);
            if (!strstr(why.message, side ? "hooks: out.opencl does not compile: out.opencl:"
                                          : "hooks: in.opencl does not compile: in.opencl:")
                || !strstr(why.message, wrong[i].words))
                fail_msg("%s", why.message);
        }
}

static void explained(const sluice_hooks *hooks, const char *words)
{
    sluice_plan *plan = hook_plan(device, "c2c:f32:64*30", hooks);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    if (!strstr(text.data, words))
        fail_msg("no \"%s\" in %s", words, text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

static void what_the_host_does_is_said(void **state)
{
    static float x[64 * 30 * 2], y[2][64 * 30 * 2];
    const sluice_hooks text = {.in = {HALVED}, .out = {STORED(F16)}};
    const sluice_hooks function = {.in = {.call = halve}, .out = {WEIGHTS}};
    const sluice_hooks both = {.in = {HALVED}, .out = {WEIGHTS}};
    (void)state;
    explained(&text, "# hooks of the input: a function, in a kernel before the first stage\n"
                     "# hooks of the output: f16, in a kernel after the last stage\n");
    explained(&function,
              "# hooks of the input: a function without OpenCL text, in a pass before the "
              "first stage\n"
              "# hooks of the output: 64 weights, in a kernel after the last stage\n");
    /* The host's pass and the device's kernel are the same. */
    for (int i = 0; i < 64 * 30 * 2; i++)
        x[i] = (float)(i * 37 % 101 - 50);
    for (int i = 0; i < 2; i++) {
        sluice_plan *plan = hook_plan(device, "c2c:f32:64*30", i ? &both : &function);
        assert_true((sluice_plan_work_bytes(plan) == 0) == (i == 1));
        assert_int_equal(sluice_execute(plan, x, y[i]), SLUICE_OK);
        sluice_plan_destroy(plan);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

/* ---------------------------------------------------------------- main ------------------ */

static sluice_machine *machine_of(const char *units, const char *form, sluice_diag *why)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    setenv("SLUICE_OPENCL_FORM", form, 1);
    const sluice_status status = sluice_machine_open(&m, &options, why);
    unsetenv("SLUICE_OPENCL_FORM");
    return status == SLUICE_OK ? m : NULL;
}

static int check_device(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_give_the_bits_of_cores),
        cmocka_unit_test(numbers_are_stored),
        cmocka_unit_test(short_blocks_are_whole),
        cmocka_unit_test(shares_count_from_the_batch),
        cmocka_unit_test(texts_that_do_not_compile),
        cmocka_unit_test(what_the_host_does_is_said),
        cmocka_unit_test(hooks_are_right),
        cmocka_unit_test(hooks_are_right_in_buffers),
        cmocka_unit_test(hooks_are_right_in_items),
        cmocka_unit_test(hooks_are_right_in_groups),
    };
    sluice_diag why = {.message = ""};
    hook_fill_weights();
    device = machine_of("opencl:0", "", &why);
    copying = device ? machine_of("opencl:0:copy", "", &why) : NULL;
    items = copying ? machine_of("opencl:0", "item", &why) : NULL;
    groups = items ? machine_of("opencl:0", "gpu", &why) : NULL;
    if (!groups)
        fprintf(stderr, "skipped: %s\n", why.message);
    const int failed =
        groups ? cmocka_run_group_tests_name("opencl hooks", tests, NULL, NULL) : SKIPPED;
    sluice_machine_close(groups);
    sluice_machine_close(items);
    sluice_machine_close(copying);
    sluice_machine_close(device);
    return failed;
}

int main(void)
{
    char line[128];
    alarm(TIME_LIMIT);
    snprintf(folder, sizeof folder, "/tmp/sluice-opencl-hooks-XXXXXX");
    if (!mkdtemp(folder) || setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0)
        return 1;
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("SLUICE_KERNEL_CACHE", folder, 1);
    const int failed = check_device();
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
