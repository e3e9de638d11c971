// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE_BATCH = 2500 }; /* of FAULTS_LARGE */

void faults_fill(float *in, size_t block, size_t count)
{
    memset(in, 0, count * FAULTS_POINTS * 2 * sizeof *in);
    for (size_t i = 0; i < count; i++)
        in[i * FAULTS_POINTS * 2] = (float)(block + i + 1);
}

bool faults_are_right(const float *out, size_t block, size_t count)
{
    bool right = true;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < FAULTS_POINTS; k++, out += 2)
            right = right && out[0] == (float)(block + i + 1) && out[1] == 0;
    return right;
}

void faults_leave_nothing(const opencl_layer *layer, const char *faults)
{
    const char *leaks = opencl_layer_leaks(layer);
    if (*leaks)
        print_error("%s leaves%s\n", faults, leaks);
    assert_string_equal(leaks, "");
}

void faults_have_a_sentence(const char *faults, sluice_status status, const sluice_diag *why)
{
    if (status != SLUICE_OK && !why->message[0])
        print_error("%s: status %d without a sentence\n", faults, (int)status);
    assert_true(status == SLUICE_OK || why->message[0]);
}

static sluice_status execute_batch(const sluice_plan *plan, size_t batch, sluice_diag *why)
{
    static struct {
        float in[LARGE_BATCH * FAULTS_POINTS * 2], out[LARGE_BATCH * FAULTS_POINTS * 2];
    } a;
    faults_fill(a.in, 0, batch);
    memset(a.out, 0xff, sizeof a.out);
    const sluice_arrays given = {.in = a.in, .out = a.out, .why = why};
    const sluice_status status = sluice_execute_with(plan, &given, NULL);
    if (status == SLUICE_OK)
        assert_true(faults_are_right(a.out, 0, batch));
    return status;
}

sluice_status faults_execute(const sluice_plan *plan, sluice_diag *why)
{
    return execute_batch(plan, FAULTS_BATCH, why);
}

sluice_status faults_compute(const opencl_layer *layer, const char *units, const char *problem,
                             const sluice_plan_options *planned, const char *faults,
                             sluice_diag *why)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    const sluice_machine_options options = {.units = units};
    const size_t batch = strcmp(problem, FAULTS_PROBLEM) == 0 ? FAULTS_BATCH
                         : strcmp(problem, FAULTS_LARGE) == 0 ? LARGE_BATCH
                                                              : 0;
    memset(why, 0, sizeof *why);
    assert_true(layer->set(faults));
    sluice_status status = sluice_machine_open(&machine, &options, why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, problem, planned, why);
    for (int i = 0; i < 2 && status == SLUICE_OK && batch > 0; i++)
        status = execute_batch(plan, batch, why);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    faults_have_a_sentence(faults, status, why);
    faults_leave_nothing(layer, faults);
    return status;
}

const sluice_plan_options *faults_hooked(void)
{
    static double ones[FAULTS_POINTS];
    static const sluice_hooks hooks = {.in = {.weight = ones, .weight_rank = 1},
                                       .out.extent = {FAULTS_POINTS}};
    static const sluice_plan_options hooked = {.hooks = &hooks};
    for (int i = 0; i < FAULTS_POINTS; i++)
        ones[i] = 1;
    return &hooked;
}

static bool opens(sluice_diag *why)
{
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_machine *machine = NULL;
    const bool opened = sluice_machine_open(&machine, &options, why) == SLUICE_OK;
    sluice_machine_close(machine);
    return opened;
}

int faults_run(const char *name, const struct CMUnitTest *tests, size_t count, char *folder,
               const opencl_layer **layer)
{
    enum { SKIPPED = 77 };
    sluice_diag why = {.message = "there is no layer"};
    char line[64];
    if (!mkdtemp(folder) || setenv("SLUICE_KERNEL_CACHE", "", 1) != 0)
        return 1;
    *layer = opencl_layer_load();
    if (!*layer || !opens(&why)) {
        fprintf(stderr, "skipped: %s\n", why.message);
        rmdir(folder);
        return SKIPPED;
    }
    alarm(FAULTS_SECONDS); /* nothing hangs */
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
