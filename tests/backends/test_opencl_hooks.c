// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of plans as kernels of an OpenCL device, on the first there is: the bits of cores, numbers
 * as they are stored, texts of functions, what the device leaves to the host. Every kind:
 * test_opencl_hook_sides. */
#define _DEFAULT_SOURCE /* alarm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 280 };

static hook_devices devices;

typedef struct hooked_problem {
    const char *problem;
    sluice_hooks hooks;
} hooked_problem;

#define WEIGHTS .weight = hook_weights, .weight_rank = 1
#define STORED(kind) .storage = SLUICE_STORE_##kind
#define HALVED .call = hook_halve, .opencl = hook_halve_text

/* ---------------------------------------------------------------- bits ------------------ */

static const hooked_problem bit_cases[] = {
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

static void processors_give_the_bits_of_cores(void **state)
{
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(devices.whole, 0, &u), SLUICE_OK);
    sluice_machine *cores = u.lanes_f32 > 1 ? plan_machine("cpu:1", u.isa) : NULL;
    for (int i = 0; cores && i < BIT_CASES; i++) {
        hook_compare(devices.whole, cores, bit_cases[i].problem, &bit_cases[i].hooks,
                     (uint64_t)i + 1);
        hook_compare(devices.copying, cores, bit_cases[i].problem, &bit_cases[i].hooks,
                     (uint64_t)i + 1);
    }
    sluice_machine_close(cores);
}

/* ---------------------------------------------------------------- numbers ---------------- */

/* By transforms of one point. 1 + 2^-11 + 2^-40 is nearer to 1 + 2^-10, but not once it is a float;
 * 65520 is infinite, 1/2^25 + 1/2^60 no zero. */
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
        stored_alike(i % 2 ? devices.items : devices.whole, cores, &cases[i]);
    sluice_machine_close(cores);
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
                (sluice_side_hooks){.call = hook_halve, .opencl = wrong[i].text};
            assert_int_equal(
                sluice_plan_from_text(&plan, devices.whole, "c2c:f32:64", &options, &why),
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
    sluice_plan *plan = hook_plan(devices.whole, "c2c:f32:64*30", hooks);
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
    const sluice_hooks function = {.in = {.call = hook_halve}, .out = {WEIGHTS}};
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
        sluice_plan *plan = hook_plan(devices.whole, "c2c:f32:64*30", i ? &both : &function);
        assert_true((sluice_plan_work_bytes(plan) == 0) == (i == 1));
        assert_int_equal(sluice_execute(plan, x, y[i]), SLUICE_OK);
        sluice_plan_destroy(plan);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_give_the_bits_of_cores),
        cmocka_unit_test(numbers_are_stored),
        cmocka_unit_test(texts_that_do_not_compile),
        cmocka_unit_test(what_the_host_does_is_said),
    };
    alarm(TIME_LIMIT);
    hook_fill_weights();
    const int failed = hook_devices_open(&devices)
                           ? cmocka_run_group_tests_name("opencl hooks", tests, NULL, NULL)
                           : SKIPPED;
    return hook_devices_close(&devices) ? failed : 1;
}
