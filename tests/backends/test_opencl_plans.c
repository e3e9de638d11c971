// SPDX-License-Identifier: BSD-3-Clause
/* Plans of a device that is a processor, beside those of cores with vectors of the same width: the
 * same bits, as formulas are chosen by the same prices; and into how many groups they are divided.
 * Skipped without such a device. */
#define CL_TARGET_OPENCL_VERSION 120
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

#include "backends/opencl/opencl_state.h"
#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SKIPPED = 77, TIME_LIMIT = 300 };

static sluice_machine *device, *cores;
static sluice_unit_info unit;

/* ---------------------------------------------------------------- formulas -------------- */

static void check_bits(const sluice_plan *a, const sluice_plan *b, const char *problem)
{
    plan_data x, y;
    plan_data_open(&x, a, problem, 0);
    plan_data_open(&y, b, problem, 0);
    plan_data_execute(&x, a, 77, NULL);
    plan_data_execute(&y, b, 77, NULL);
    if (!plan_data_same(&x, &y))
        fail_msg("%s: other bits than those of cores", problem);
    plan_data_close(&x);
    plan_data_close(&y);
}

/* Of most the search's first formula is not the cheapest as a program. */
static void formulas_are_chosen_as_those_of_cores(void **state)
{
    static const char *const problems[] = {"c2c:f32:4096*64", "c2c:f64:1024*100",
                                           "dct4:f32:224*300", "r2c:f64:360*200", "c2c:f32:262144"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *a = plan_made(device, problems[i]), *b = plan_made(cores, problems[i]);
        check_bits(a, b, problems[i]);
        sluice_plan_destroy(a);
        sluice_plan_destroy(b);
    }
}

static bool is_in_slices(const sluice_plan *plan)
{
    const opencl_program *p = (const opencl_program *)plan->program;
    return strstr(core_text_string(&p->made.source), "cpu_slices_put(&") != NULL;
}

/* Arrays of some megabytes are in memory here. */
static void batches_from_memory_move_in_slices(void **state)
{
    static const char caches[] = "pack:1 l3:1(size=524288) l2:1(size=262144) l1d:1(size=32768) "
                                 "core:1 pu:1";
    static const char *const problems[] = {"r2c:f32:2048*400", "c2c:f64:512*300:inverse"};
    sluice_machine *a = structure_machine_of(caches, "opencl:0", NULL, 1 << 17);
    sluice_machine *b = structure_machine_of(caches, "cpu:1", unit.isa, 1 << 17);
    int in_slices = 0;
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *of_device = plan_made(a, problems[i]), *of_cores = plan_made(b, problems[i]);
        in_slices += is_in_slices(of_device);
        check_bits(of_device, of_cores, problems[i]);
        sluice_plan_destroy(of_device);
        sluice_plan_destroy(of_cores);
    }
    assert_int_equal(in_slices, unit.lanes_f32 < 8 ? 1 : 2); /* half vectors put no reals */
    sluice_machine_close(a);
    sluice_machine_close(b);
}

/* ---------------------------------------------------------------- groups ---------------- */

static long groups_of(const char *problem)
{
    sluice_plan *plan = plan_made(device, problem);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const char *at = strstr(text.data, ": groups ");
    long groups = 0;
    assert_non_null(at);
    assert_int_equal(sscanf(at, ": groups %ld", &groups), 1);
    test_free(text.data);
    sluice_plan_destroy(plan);
    return groups;
}

/* Groups cost time, and one of 8 transforms of reals fills half of the vectors of AVX-512. */
static void groups_have_data_to_move(void **state)
{
    enum { FEWEST = 8, MOST = 64, LEAST_BYTES = 48 << 10 }; /* of a compute unit; of a group */
    static const struct {
        const char *problem;
        long bytes;
    } cases[] = {{"r2c:f32:64*64", 33 << 10},
                 {"r2c:f32:64*4096", 2081 << 10},
                 {"dct2:f32:16*16384", 2 << 20},
                 {"c2c:f32:64*4096", 4 << 20},
                 {"c2c:f32:64*65536", 64 << 20}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const long groups = groups_of(cases[i].problem);
        assert_true(groups <= MOST * unit.compute_units);
        assert_true(groups <= FEWEST * unit.compute_units
                    || cases[i].bytes / groups >= LEAST_BYTES);
        assert_true(groups == MOST * unit.compute_units
                    || cases[i].bytes / groups < 4 * LEAST_BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_chosen_as_those_of_cores),
        cmocka_unit_test(batches_from_memory_move_in_slices),
        cmocka_unit_test(groups_have_data_to_move),
    };
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_diag why = {.message = "its kernels have no vectors"};
    int failed = SKIPPED;
    alarm(TIME_LIMIT);
    if (setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0)
        return 1;
    if (sluice_machine_open(&device, &options, &why) == SLUICE_OK
        && sluice_machine_unit_info(device, 0, &unit) == SLUICE_OK && unit.lanes_f32 > 1) {
        cores = plan_machine("cpu:1", unit.isa);
        failed = cmocka_run_group_tests_name("opencl_plans", tests, NULL, NULL);
    } else {
        fprintf(stderr, "skipped: %s\n", why.message);
    }
    sluice_machine_close(cores);
    sluice_machine_close(device);
    return failed;
}
