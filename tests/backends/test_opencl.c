// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL devices as units, on the first device there is: results against the definition, in the
 * host's memory and in buffers of the device's own; bad unit strings. Callers and streams:
 * test_opencl_callers; kept kernels: test_opencl_kept. */
#define _DEFAULT_SOURCE /* alarm, setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

/* As it comes; in buffers; one DFT an item; of formulas for groups of items. */
static sluice_machine *device, *copying, *items, *groups;

/* ---------------------------------------------------------------- units ----------------- */

static void a_unit_is_described(void **state)
{
    sluice_unit_info u;
    sluice_diag fault;
    (void)state;
    assert_int_equal(sluice_machine_unit_count(device), 1);
    assert_int_equal(sluice_machine_unit_info(device, 0, &u), SLUICE_OK);
    assert_int_equal(u.kind, SLUICE_UNIT_OPENCL);
    assert_string_equal(u.name, "opencl:0");
    assert_true(u.compute_units > 0 && u.groups >= u.compute_units && u.largest_group > 0);
    assert_true(u.local_memory > 0 && u.memory > 0);
    assert_int_equal(sluice_machine_fault(device, 0, &fault), SLUICE_OK);
    assert_int_equal(sluice_machine_unit_info(copying, 0, &u), SLUICE_OK);
    assert_int_equal(u.shares_memory, 0);
    assert_int_equal(u.memory, (size_t)8 << 20);
}

static void refused(const char *units, sluice_status status, const char *words)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    sluice_diag why = {.message = ""};
    assert_int_equal(sluice_machine_open(&m, &options, &why), status);
    assert_null(m);
    if (!strstr(why.message, words))
        fail_msg("%s: \"%s\" has no \"%s\"", units, why.message, words);
}

static void bad_unit_strings(void **state)
{
    (void)state;
    refused("opencl:999", SLUICE_E_INVALID, "opencl:999: there are devices 0 to ");
    refused("opencl:no such device", SLUICE_E_INVALID, "no part of the name of a device");
    refused("opencl:0:memory=", SLUICE_E_INVALID, "memory=BYTES");
    refused("opencl:0:memory=8X", SLUICE_E_INVALID, "memory=BYTES");
    refused("opencl:0:memory=99999999999999999999", SLUICE_E_INVALID, "memory=BYTES");
    refused("opencl:0:local=0", SLUICE_E_INVALID, "local=BYTES");
    refused("opencl:0:cores=0", SLUICE_E_INVALID, "cores=N");
    refused("opencl:0:cores=4096", SLUICE_E_UNSUPPORTED, "4096 of");
    refused("opencl:0:fast", SLUICE_E_INVALID, "copy");
    refused("opencl:0:twiddles=exact", SLUICE_E_INVALID, "twiddles=table, sincos or native");
    refused("ref:gpu:twiddles=exact", SLUICE_E_INVALID, "twiddles=table, sincos or native");
    refused("ref:gpu:local=0", SLUICE_E_INVALID, "gpu:local=BYTES");
    refused("ref:gpu:local=64K:", SLUICE_E_INVALID, "gpu:local=BYTES");
    refused("ref:gpulocal=64K", SLUICE_E_INVALID, "gpu:local=BYTES");
    refused("opencl:0:", SLUICE_E_INVALID, "with colons between them");
    setenv("SLUICE_OPENCL_FORM", "itm", 1);
    refused("opencl:0", SLUICE_E_INVALID, "SLUICE_OPENCL_FORM 'itm': expected gpu or item");
    unsetenv("SLUICE_OPENCL_FORM");
    refused("opencl:0,opencl:999", SLUICE_E_INVALID, "there are devices 0 to ");
}

static void plan_refused(sluice_machine *m, const char *problem, sluice_status status,
                         const char *words)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {.message = ""};
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, NULL, &why), status);
    assert_null(plan);
    if (!strstr(why.message, words))
        fail_msg("%s: \"%s\" has no \"%s\"", problem, why.message, words);
}

static void a_budget_is_kept(void **state)
{
    (void)state;
    plan_refused(copying, "r2c:f64:1048576", SLUICE_E_MEMORY, "has 8 MiB of memory");
}

/* ---------------------------------------------------------------- results --------------- */

static const char *const problems[] = {
    "c2c:f32:1",
    "c2c:f32:16",
    "c2c:f64:60:inverse",
    "c2c:f32:31*5:inplace",
    "c2c:f32:256*20",
    "c2c:f64:128@3*7@400:scale=n",
    "c2c:f32:64@1*5@70:inplace",
    "c2c:f32:48@-2*3@100:in=split",
    "c2c:f64:100*9:out=split",
    "c2c:f32:37*4",
    "c2c:f32:12x20x6",
    "c2c:f64:40x30*3:inverse",
    "c2c:f32:4096",
    "c2c:f32:65536",
    "r2c:f32:1000*3",
    "c2r:f64:30x16",
    "dct2:f32:24x40",
    "dst3:f32:48x32x32",
    "dst3:f32:48x64x16",
    "dst4:f64:36*2", /* more rows would be columns on cores */
    "dht:f32:128*9:inplace",
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void problems_are_right(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++)
        plan_check_problem(device, problems[i], (uint64_t)i + 1);
}

/* The same kernels, which are not compiled again. */
static void problems_are_right_in_buffers(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++)
        plan_check_problem(copying, problems[i], (uint64_t)i + 1);
}

/* A second form of kernels. */
static void problems_are_right_in_items(void **state)
{
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(items, 0, &u), SLUICE_OK);
    assert_string_equal(u.isa, "scalar");
    opencl_compile_plainly(true);
    for (int i = 0; i < PROBLEMS; i += 3)
        plan_check_problem(items, problems[i], (uint64_t)i + 1);
    opencl_compile_plainly(false);
}

/* Rows that are fewer than groups, but enough for all units, are distributed as a whole: no
 * launches for each. */
static void rows_are_not_launched_one_by_one(void **state)
{
    static const char *const rows[] = {"c2c:f32:131072", "c2c:f32:32768*9"};
    sluice_machine *m = plan_machine("opencl:0:cores=1", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sluice_plan *plan = plan_made(m, rows[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        int kernels = 0, launches = 0;
        const char *at = strstr(text.data, ", form ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, ", form %*[^,], %d kernels, %d launches", &kernels, &launches),
                         2);
        assert_true(kernels > 0 && launches == kernels);
        test_free(text.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, rows[i], i + 1);
    }
    sluice_machine_close(m);
}

/* Transposing exchange, stages at once, several passes, axes. */
static void problems_are_right_in_groups(void **state)
{
    static const char *const grouped[] = {
        "c2c:f32:16*33",
        "c2c:f64:64*7:inverse",
        "c2c:f32:2048*3",
        "c2c:f32:30*11:inplace",
        "c2c:f32:20x16:inverse",
        "c2c:f32:8192",
        "dst2:f64:2*19*11:scale=ortho" /* two factors of reals */};
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(groups, 0, &u), SLUICE_OK);
    assert_true(u.registers > 0);
    for (size_t i = 0; i < sizeof grouped / sizeof grouped[0]; i++)
        plan_check_problem(groups, grouped[i], i + 1);
}

/* The items of a group take turns on a core, which keeps in memory what idle ones would hold
 * between two barriers: 8*16*16, a GPU's choice, took twice the time. */
static void processors_have_prices_of_their_own(void **state)
{
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(groups, 0, &u), SLUICE_OK);
    if (u.l3 == 0)
        skip(); /* no processor */
    sluice_plan *plan = plan_made(groups, "c2c:f32:2048*32");
    plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    if (!strstr(text.data, "DFT(2048) chosen radices 32*64,"))
        fail_msg("%s", text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

/* Local memory as GPUs have it: what does not fit it whole is exchanged as re, then im. */
static void problems_are_right_by_halves(void **state)
{
    static const char *const halved[] = {"c2c:f64:4096*3:inverse",  "c2c:f32:8192*2:inplace",
                                         "c2c:f64:3000*2:in=split", "r2c:f64:8192*2",
                                         "c2r:f32:16384",           "dct4:f64:8192"};
    sluice_machine *m = NULL;
    const sluice_machine_options options = {.units = "opencl:0:local=48K"};
    (void)state;
    opencl_compile_plainly(true);
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
    unsetenv("SLUICE_OPENCL_FORM");
    for (size_t i = 0; i < sizeof halved / sizeof halved[0]; i++) {
        sluice_plan *plan = plan_made(m, halved[i]);
        plan_text text = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
        if (!strstr(text.data, " in halves"))
            fail_msg("%s: %s", halved[i], text.data);
        test_free(text.data);
        sluice_plan_destroy(plan);
        plan_check_problem(m, halved[i], i + 1);
    }
    sluice_machine_close(m);
    opencl_compile_plainly(false);
}

/* Factors are computed in kernels, which then have no tables of them. */
static void factors_are_computed(void **state)
{
    static const char *const forms[] = {"sincos", "native"};
    (void)state;
    opencl_compile_plainly(true);
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    for (int i = 0; i < 2; i++) {
        char units[64], word[32];
        sluice_machine *m = NULL;
        sluice_unit_info u;
        const sluice_machine_options options = {.units = units};
        snprintf(units, sizeof units, "opencl:0:twiddles=%s", forms[i]);
        assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
        assert_int_equal(sluice_machine_unit_info(m, 0, &u), SLUICE_OK);
        assert_int_equal(u.twiddles, SLUICE_TWIDDLES_SINCOS + i);
        plan_check_problem(m, "c2c:f64:360*3:inverse", 5); /* doubles have no native functions */
        if (i == 0)
            plan_check_problem(m, "c2c:f32:8192*2", 5);
        sluice_plan *plan = plan_made(m, "c2c:f32:1024*4");
        plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
        snprintf(word, sizeof word, "= f32x2_%s(", forms[i]);
        assert_non_null(strstr(text.data, word));
        assert_null(strstr(text.data, "table0["));
        test_free(text.data);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    unsetenv("SLUICE_OPENCL_FORM");
    opencl_compile_plainly(false);
}

/* The formulas and the bits of cores with vectors of the same width. */
static void processors_give_the_bits_of_cores(void **state)
{
    sluice_unit_info u;
    (void)state;
    assert_int_equal(sluice_machine_unit_info(device, 0, &u), SLUICE_OK);
    sluice_machine *cores = u.lanes_f32 > 1 ? plan_machine("cpu:1", u.isa) : NULL;
    for (int i = 0; cores && i < PROBLEMS; i++) {
        sluice_plan *a = plan_made(device, problems[i]), *b = plan_made(cores, problems[i]);
        plan_data x, y;
        plan_data_open(&x, a, problems[i], 0);
        plan_data_open(&y, b, problems[i], 0);
        plan_data_execute(&x, a, 77, NULL);
        plan_data_execute(&y, b, 77, NULL);
        if (!plan_data_same(&x, &y))
            fail_msg("%s: other bits", problems[i]);
        plan_data_close(&x);
        plan_data_close(&y);
        sluice_plan_destroy(a);
        sluice_plan_destroy(b);
    }
    sluice_machine_close(cores);
}

/* ---------------------------------------------------------------- main ------------------ */

static sluice_machine *machine_of(const char *units, sluice_diag *why)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    return sluice_machine_open(&m, &options, why) == SLUICE_OK ? m : NULL;
}

static int check_device(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_is_described),
        cmocka_unit_test(bad_unit_strings),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(problems_are_right),
        cmocka_unit_test(problems_are_right_in_buffers),
        cmocka_unit_test(problems_are_right_in_items),
        cmocka_unit_test(rows_are_not_launched_one_by_one),
        cmocka_unit_test(problems_are_right_in_groups),
        cmocka_unit_test(processors_have_prices_of_their_own),
        cmocka_unit_test(problems_are_right_by_halves),
        cmocka_unit_test(factors_are_computed),
        cmocka_unit_test(processors_give_the_bits_of_cores),
    };
    sluice_diag why = {.message = ""};
    device = machine_of("opencl:0", &why);
    copying = device ? machine_of("opencl:0:memory=8M:copy", &why) : NULL;
    setenv("SLUICE_OPENCL_FORM", "item", 1);
    items = copying ? machine_of("opencl:0", &why) : NULL;
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    groups = items ? machine_of("opencl:0", &why) : NULL;
    unsetenv("SLUICE_OPENCL_FORM");
    if (!groups)
        fprintf(stderr, "skipped: %s\n", why.message);
    const int failed = groups ? cmocka_run_group_tests_name("opencl", tests, NULL, NULL) : SKIPPED;
    sluice_machine_close(groups);
    sluice_machine_close(items);
    sluice_machine_close(copying);
    sluice_machine_close(device);
    return failed;
}

int main(void)
{
    alarm(TIME_LIMIT);
    return opencl_run_alone(check_device);
}
