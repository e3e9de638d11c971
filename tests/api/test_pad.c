// SPDX-License-Identifier: BSD-3-Clause
/* sluice_problem_pad: lengths that it chooses, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

static bool is_smooth(size_t n)
{
    static const size_t factors[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (n % factors[i] == 0)
            n /= factors[i];
    return n == 1;
}

static sluice_status append(void *user, const char *text, size_t length)
{
    strncat(user, text, length);
    return SLUICE_OK;
}

/* What a plan of a problem on its own is predicted to take. */
static double predicted(sluice_machine *m, const sluice_problem *p)
{
    static char text[1 << 20];
    sluice_plan *plan = NULL;
    text[0] = 0;
    assert_int_equal(sluice_plan_create(&plan, m, p, NULL, NULL), SLUICE_OK);
    assert_int_equal(sluice_plan_print(plan, SLUICE_LEVEL_JSON, append, text), SLUICE_OK);
    sluice_plan_destroy(plan);
    const char *at = strstr(text, "\"predicted_s\":");
    assert_non_null(at);
    return strtod(at + strlen("\"predicted_s\":"), NULL);
}

/* All but the lengths is the problem's. */
static void check_lengths(const char *text, const sluice_problem *p, const sluice_problem *padded,
                          int shift)
{
    for (int a = 0; a < p->rank; a++) {
        const size_t n = p->dim[a].n, longer = padded->dim[a].n;
        size_t power = 1;
        while (power < n + (size_t)(1 + shift) - 1)
            power *= 2;
        if (longer < n || longer + (size_t)(1 + shift) - 1 > power
            || (longer != n && !is_smooth(longer + (size_t)(1 + shift) - 1)))
            fail_msg("%s: axis %d of %zu becomes %zu", text, a, n, longer);
    }
    sluice_problem same = *padded;
    for (int a = 0; a < p->rank; a++)
        same.dim[a].n = p->dim[a].n;
    char names[2][256];
    assert_int_equal(sluice_problem_print(p, names[0], sizeof names[0]), SLUICE_OK);
    assert_int_equal(sluice_problem_print(&same, names[1], sizeof names[1]), SLUICE_OK);
    assert_string_equal(names[0], names[1]);
}

static void lengths_are_smooth_and_no_slower(void **state)
{
    static const struct {
        const char *text;
        int shift; /* of the length whose factors count */
        bool changes;
    } problems[] = {{"c2c:f32:1009", 0, true},
                    {"c2c:f64:1031:inverse", 0, true},
                    {"c2c:f32:37*16:inplace", 0, true},
                    {"c2c:f64:2048", 0, false},
                    {"c2c:f32:1", 0, false},
                    {"r2c:f32:509x67", 0, true},
                    {"r2c:f64:254x47:inplace", 0, true},
                    {"dct2:f32:211*5", 0, true},
                    {"dct1:f64:258", -1, true},
                    {"dct1:f64:257", -1, false},
                    {"dst1:f32:250", 1, true},
                    {"dst1:f32:255", 1, false}};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const char *text = problems[i].text;
        sluice_problem p = plan_parsed(text), padded;
        double seconds[2];
        sluice_diag why = {0};
        if (sluice_problem_pad(&padded, m, &p, seconds, &why) != SLUICE_OK)
            fail_msg("%s: %s", text, why.message);
        check_lengths(text, &p, &padded, problems[i].shift);
        assert_true(seconds[1] <= seconds[0]);
        assert_int_equal(seconds[1] < seconds[0], problems[i].changes);
        assert_float_equal(seconds[0], predicted(m, &p), 1e-6 * seconds[0]);
        assert_float_equal(seconds[1], predicted(m, &padded), 1e-6 * seconds[1]);
    }
    sluice_machine_close(m);
}

static void what_cannot_be_padded_is_refused(void **state)
{
    static const char *const problems[] = {"c2c:f32:8@2", "c2c:f32:17@1/1*4@20/20",
                                           "c2c:f32:64:in_cyclic=8/2"};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_problem p = plan_parsed("c2c:f32:17"), padded = {.rank = 77};
    sluice_diag why = {0};
    (void)state;
    assert_int_equal(sluice_problem_pad(NULL, m, &p, NULL, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_problem_pad(&padded, NULL, &p, NULL, &why), SLUICE_E_INVALID);
    assert_int_equal(sluice_problem_pad(&padded, m, NULL, NULL, NULL), SLUICE_E_INVALID);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        p = plan_parsed(problems[i]);
        why.message[0] = 0;
        assert_int_equal(sluice_problem_pad(&padded, m, &p, NULL, &why), SLUICE_E_INVALID);
        assert_true(why.message[0] != 0);
    }
    for (int rank = 0; rank <= 100; rank += 50) {
        p.rank = rank;
        assert_int_equal(sluice_problem_pad(&padded, m, &p, NULL, &why), SLUICE_E_INVALID);
        assert_non_null(strstr(why.message, "rank"));
    }
    assert_int_equal(padded.rank, 77);
    sluice_machine_close(m);
}

/* Out of memory at any moment: a status, nothing lost. */
static void failures_leave_nothing(void **state)
{
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const sluice_problem p = plan_parsed("c2c:f32:17x19");
    sluice_problem padded = {.rank = 77};
    sluice_diag why;
    (void)state;
    sluice_status status = SLUICE_E_MEMORY;
    for (long k = 1; status != SLUICE_OK && k < 1 << 20; k = k * 5 / 4 + 1) {
        core_mem_fail_from(k);
        status = sluice_problem_pad(&padded, m, &p, NULL, &why);
        core_mem_fail_from(0);
        if (status != SLUICE_OK) {
            assert_int_equal(status, SLUICE_E_MEMORY);
            assert_int_equal(padded.rank, 77);
        }
    }
    assert_int_equal(status, SLUICE_OK);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lengths_are_smooth_and_no_slower, nothing_leaks),
        cmocka_unit_test_teardown(what_cannot_be_padded_is_refused, nothing_leaks),
        cmocka_unit_test_teardown(failures_leave_nothing, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
