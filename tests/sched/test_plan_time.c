// SPDX-License-Identifier: BSD-3-Clause
/* What planning and executing may cost: the least of several attempts, as machines stall. Builds
 * with sanitizers or without optimisation only see that it works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/clock.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

#if defined(__OPTIMIZE__) && !PLAN_SANITIZED
#define TIMED 1
#else
#define TIMED 0
#endif

enum { MACHINES = TIMED ? 3 : 1, ATTEMPTS = TIMED ? 2000 : 2, CALLS = 1000 };
static const double most_planning = 25e-3, most_executing = 100e-9;

/* Seconds of the first plan of a fresh machine, tables included: the least of a few machines. */
static double plan_seconds(const char *text)
{
    double least = 1e9;
    sluice_problem p;
    if (sluice_problem_parse(&p, text, NULL) != SLUICE_OK)
        fail_msg("%s does not parse", text);
    for (int i = 0; i < MACHINES; i++) {
        sluice_machine *m = plan_machine("cpu:2", NULL);
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        const double start = core_seconds();
        const sluice_status status = sluice_plan_create(&plan, m, &p, NULL, &why);
        const double seconds = core_seconds() - start;
        if (status != SLUICE_OK)
            fail_msg("%s: %s", text, why.message);
        least = seconds < least ? seconds : least;
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    return least;
}

static void assert_plans_fast(const char *text)
{
    const double seconds = plan_seconds(text);
    if (TIMED && !(seconds < most_planning))
        fail_msg("%s: the first plan takes %.1f ms, at most %.0f", text, seconds * 1e3,
                 most_planning * 1e3);
}

static void powers_of_two_plan_fast(void **state)
{
    (void)state;
    char text[64];
    for (int log = 0; log <= 20; log++)
        for (int wide = 0; wide < 2; wide++) {
            snprintf(text, sizeof text, "c2c:f%d:%d", wide ? 64 : 32, 1 << log);
            assert_plans_fast(text);
        }
}

static void other_sizes_plan_fast(void **state)
{
    static const char *const problems[] = {"c2c:f32:30030",
                                           "c2c:f64:720720",
                                           "c2c:f32:531441",
                                           "c2c:f64:1000000",
                                           "c2c:f32:390625",
                                           "c2c:f32:823543",
                                           "c2c:f64:371293",
                                           "c2c:f32:3*100000",
                                           "c2c:f64:1024*4096",
                                           "c2c:f32:1024x1024",
                                           "c2c:f64:360x480x6",
                                           "c2c:f32:100x100x100",
                                           "c2c:f32:4096*64:in=split:out=split:inplace",
                                           "c2c:f64:65536@3/-2"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        assert_plans_fast(problems[i]);
}

/* Many lengths are searched for each of them, and a chirp is transformed. */
static void large_primes_plan_fast(void **state)
{
    static const char *const problems[] = {"c2c:f64:10007", "c2c:f64:30329:inverse",
                                           "r2c:f32:40869", "c2r:f32:89606", "c2c:f32:4723*97"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        assert_plans_fast(problems[i]);
}

/* Batches of next to nothing, axes of one point, counts that are primes or that have no factor of a
 * machine's. */
static void degenerate_problems_plan_fast(void **state)
{
    static const char *const problems[] = {"c2c:f32:1*2147483680",
                                           "c2c:f64:1*1099511627689",
                                           "c2c:f32:2*549755813881",
                                           "c2c:f32:64*17179869184",
                                           "c2c:f32:1*2147483680:in=split",
                                           "c2c:f32:1*2147483680@3/-2",
                                           "c2c:f32:1x1x1x1x1x1x1x1*1*1*1*1*1*1*1*1",
                                           "c2c:f32:2*3*5*7*11*13*17*19",
                                           "c2c:f64:3*1*5*1*7:latency",
                                           "c2c:f32:1@7/3*1000003@2/5"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        assert_plans_fast(problems[i]);
}

enum { COPIED = 1 << 21 };

/* Seconds of the fastest of a few runs of a plan; of memcpy where it is NULL. */
static double copy_seconds(const sluice_plan *plan, const void *in, void *out)
{
    double least = 1e9;
    for (int k = 0; k < 5; k++) {
        const double start = core_seconds();
        if (plan == NULL)
            memcpy(out, in, (size_t)COPIED * 2 * sizeof(float));
        else
            assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
        const double seconds = core_seconds() - start;
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* They were moved by one evaluated address after the other, in 7 times the time. */
static void batches_of_one_point_are_copied(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:1*2097152");
    float *in = sluice_alloc(COPIED * 2 * sizeof *in), *out = sluice_alloc(COPIED * 2 * sizeof *in);
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; i < 2 * (size_t)COPIED; i++)
        in[i] = (float)i;
    memset(out, 0, COPIED * 2 * sizeof *out);
    const double seconds = copy_seconds(plan, in, out);
    assert_memory_equal(in, out, COPIED * 2 * sizeof *in);
    const double plain = copy_seconds(NULL, in, out);
    if (TIMED && !(seconds < 3 * plain))
        fail_msg("copying takes %.2f ms, memcpy %.2f", seconds * 1e3, plain * 1e3);
    sluice_free(in);
    sluice_free(out);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* 16 points through sluice_execute. */
static void small_transforms_execute_fast(void **state)
{
    static const char *const problems[] = {"c2c:f32:16", "c2c:f32:16:inplace", "c2c:f64:16"};
    (void)state;
    sluice_machine *m = plan_machine("cpu", NULL);
    for (int i = 0; i < 3; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        double *in = sluice_alloc(1024), *out = strstr(problems[i], "inplace") ? in : in + 64;
        double least = 1e9;
        memset(in, 0, 1024);
        for (int k = 0; k < ATTEMPTS; k++) {
            const double start = core_seconds();
            for (int c = 0; c < CALLS; c++)
                if (sluice_execute(plan, in, out) != SLUICE_OK)
                    fail_msg("%s does not execute", problems[i]);
            const double seconds = (core_seconds() - start) / CALLS;
            least = seconds < least ? seconds : least;
        }
        if (TIMED && !(least < most_executing))
            fail_msg("%s: %.1f ns, at most %.0f", problems[i], least * 1e9, most_executing * 1e9);
        sluice_free(in);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(powers_of_two_plan_fast, nothing_leaks),
        cmocka_unit_test_teardown(other_sizes_plan_fast, nothing_leaks),
        cmocka_unit_test_teardown(large_primes_plan_fast, nothing_leaks),
        cmocka_unit_test_teardown(degenerate_problems_plan_fast, nothing_leaks),
        cmocka_unit_test_teardown(batches_of_one_point_are_copied, nothing_leaks),
        cmocka_unit_test_teardown(small_transforms_execute_fast, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
