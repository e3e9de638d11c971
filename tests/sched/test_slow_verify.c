// SPDX-License-Identifier: BSD-3-Clause
/* A sample of what scripts/acceptance-verify does in full: sluice_plan_verify over sizes, layouts,
 * workers and instruction sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

static const char *const sides[] = {"",           ":in=split",
                                    ":out=split", ":in=split:out=split",
                                    ":inplace",   ":in=split:out=split:inplace"};

static void verify(sluice_machine *m, const char *isa, const char *problem)
{
    double error = -1, bound = -1;
    sluice_diag why = {0};
    sluice_plan *plan = plan_made(m, problem);
    const sluice_status status = sluice_plan_verify(plan, &error, &bound, &why);
    if (status != SLUICE_OK)
        fail_msg("SLUICE_CPU=%s %s: %s", isa, problem, why.message);
    if (!(error <= bound) || !(error >= 0) || !(bound < 1e-6))
        fail_msg("SLUICE_CPU=%s %s: error %g, bound %g", isa, problem, error, bound);
    sluice_plan_destroy(plan);
}

/* Instruction sets go in pairs: the second (turn 1) has what the first leaves out. */
typedef void verify_some(sluice_machine *m, const char *isa, int turn);

static void on_all(verify_some *body)
{
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:3", plan_isas[i]);
        if (m == NULL)
            continue;
        body(m, plan_isas[i], i % 2);
        sluice_machine_close(m);
    }
}

/* Every size in both precisions; directions, a batch, sides and workers in turn, the next
 * instruction set's the other ones. In full all are scripts/acceptance-verify's. */
static void sizes(sluice_machine *m, const char *isa, int turn)
{
    char text[PLAN_TEXT_SIZE];
    for (int n = 1; n <= 512; n++)
        for (int k = 0; k < 2; k++) {
            const bool inverse = (n / 2 + turn) % 2 != 0;
            snprintf(text, sizeof text, "c2c:%s:%d%s%s%s:workers=%d", k ? "f64" : "f32", n,
                     (n + inverse) % 2 ? "*6" : "", inverse ? ":inverse" : "", sides[n % 6],
                     (n + k) % 3 + 1);
            verify(m, isa, text);
        }
}

static void sizes_to_512(void **state)
{
    (void)state;
    on_all(sizes);
}

/* A third of the sizes beyond, once each: precision, direction and sides in turn. All of them are
 * scripts/acceptance-verify's. */
static void sizes_to_4096(void **state)
{
    char text[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (int n = 513; n <= 4096; n += 3) {
        snprintf(text, sizeof text, "c2c:%s:%d%s%s", n / 2 % 2 ? "f64" : "f32", n,
                 n / 4 % 2 ? ":inverse" : "", sides[n / 8 % 6]);
        verify(m, "", text);
    }
    sluice_machine_close(m);
}

static void powers(sluice_machine *m, const char *isa, int turn)
{
    char text[PLAN_TEXT_SIZE];
    for (int log = 10; log <= 17; log++)
        for (int k = (log + turn) % 2; k < 4; k += 2) {
            snprintf(text, sizeof text, "c2c:%s:%d%s%s:workers=%d", k & 1 ? "f64" : "f32", 1 << log,
                     k & 2 ? ":inverse" : "", sides[(log + k) % 6], k % 3 + 1);
            verify(m, isa, text);
        }
    verify(m, isa, "c2c:f32:1048576");
}

static void powers_of_two(void **state)
{
    (void)state;
    on_all(powers);
}

static void shapes(sluice_machine *m, const char *isa, int turn)
{
    static const char *const some[] = {"60x48",    "64x64*3", "100x3",  "5x1x9",  "12x10x6*2",
                                       "32x32x32", "7x5x3x2", "1024*9", "16*100", "256x256",
                                       "4096*5",   "30030",   "100000", "1001*7", "8*3*5"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        for (int k = 6 * turn; k < 6 * turn + 6; k++) {
            snprintf(text, sizeof text, "c2c:%s:%s%s%s:workers=%d", k & 1 ? "f64" : "f32", some[i],
                     k & 2 ? ":inverse" : "", sides[k % 6], k % 3 + 1);
            verify(m, isa, text);
        }
}

static void planes_volumes_and_batches(void **state)
{
    (void)state;
    on_all(shapes);
}

/* Beyond 2^22 points the verifier samples outputs and asks Parseval. */
static void a_large_one_by_samples(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    verify(m, "", "c2c:f32:5242880:inplace");
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sizes_to_512, nothing_leaks),
        cmocka_unit_test_teardown(sizes_to_4096, nothing_leaks),
        cmocka_unit_test_teardown(powers_of_two, nothing_leaks),
        cmocka_unit_test_teardown(planes_volumes_and_batches, nothing_leaks),
        cmocka_unit_test_teardown(a_large_one_by_samples, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
