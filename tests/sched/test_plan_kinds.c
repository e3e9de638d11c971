// SPDX-License-Identifier: BSD-3-Clause
/* Problems of any kinds along their axes, any layout, precision, scale and batch: a fixed draw
 * against the oracle, on one worker and three, directly and through local stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_spl.h"

enum { PROBLEMS = PLAN_SANITIZED ? 30 : 120, MOST_POINTS = 2000, MOST_AXES = 3, SEED = 16 };

static const char *one_of(spl_random *r, const char *const *words, int count)
{
    return words[spl_random_below(r, count)];
}

/* The axes before the last one are c2c or real matrices, the last one is of any kind. */
static void draw_kinds(spl_random *r, int axes, char *text, size_t size)
{
    static const char *const kinds[] = {"dct1", "dct2", "dct3",  "dct4", "dst1", "dst2", "dst3",
                                        "dst4", "dht",  "idxst", "r2c",  "c2r",  "c2c"};
    for (int d = 0; d < axes; d++) {
        const bool last = d == axes - 1;
        const size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s", one_of(r, kinds, last ? 13 : 10), last ? "" : "*");
    }
}

static void draw_problem(spl_random *r, char *text, size_t size)
{
    static const char *const precisions[] = {"f32", "f64"};
    static const char *const options[] = {"",
                                          "",
                                          "",
                                          ":inplace",
                                          ":in=split",
                                          ":out=split",
                                          ":out=packed",
                                          ":in=halfcomplex",
                                          ":scale=ortho",
                                          ":scale=n"};
    const int axes = 1 + (int)spl_random_below(r, MOST_AXES);
    const int64_t most = axes == 1 ? 600 : axes == 2 ? 40 : 12;
    int64_t points = 1;
    text[0] = '\0';
    draw_kinds(r, axes, text, size);
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, size - at, ":%s:", one_of(r, precisions, 2));
    for (int d = 0; d < axes; d++) {
        const int64_t n = 2 + (int64_t)spl_random_below(r, most);
        at += (size_t)snprintf(text + at, size - at, "%s%lld", d ? "x" : "", (long long)n);
        points *= n;
    }
    const int64_t batch = 1 + (int64_t)spl_random_below(r, 1 + MOST_POINTS / points);
    at += (size_t)snprintf(text + at, size - at, "*%lld", (long long)batch);
    snprintf(text + at, size - at, "%s", one_of(r, options, 10));
}

/* True if it is planned; what cannot be is refused in a sentence. */
static bool verify_on(sluice_machine *m, const char *text)
{
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    sluice_status status = sluice_problem_parse(&p, text, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_create(&plan, m, &p, NULL, &why);
    if (status != SLUICE_OK) {
        assert_true(status == SLUICE_E_UNSUPPORTED || status == SLUICE_E_INVALID);
        assert_true(strlen(why.message) > 10);
        return false;
    }
    plan_verify(plan, text);
    sluice_plan_destroy(plan);
    return true;
}

static void a_draw_of_kinds_is_right(void **state)
{
    static const char *const units[] = {"cpu:1", "cpu:3", "cpu:1/worker", "cpu:1/helper"};
    enum { UNITS = sizeof units / sizeof units[0] };
    spl_random r = {.state = SEED};
    sluice_machine *machine[UNITS];
    int planned = 0;
    (void)state;
    for (int u = 0; u < UNITS; u++)
        machine[u] = plan_machine(units[u], NULL);
    for (int i = 0; i < PROBLEMS; i++) {
        char text[256];
        draw_problem(&r, text, sizeof text);
        const bool first = verify_on(machine[0], text);
        for (int u = 1; u < UNITS; u++)
            if (verify_on(machine[u], text) != first)
                fail_msg("%s: planned on %s or on %s alone", text, units[0], units[u]);
        planned += first;
    }
    assert_in_range(planned, PROBLEMS / 2, PROBLEMS - 1);
    for (int u = 0; u < UNITS; u++)
        sluice_machine_close(machine[u]);
}

/* Batches of axes with folds, which the stages of the axes beside them take, however many parts
 * share rows and columns. */
static void folds_of_batches_are_planned(void **state)
{
    static const char *const problems[] = {"dct2*dht:f32:22x28*2",
                                           "dct2*dct2:f32:44x28*2",
                                           "dct2*dct2:f64:26x30*2",
                                           "dct2:f32:22x96*2",
                                           "dct2:f32:124x154*2",
                                           "idxst*dct3:f64:90x34*3",
                                           "dct3*dct2*dct2:f32:20x22x18*2",
                                           "dst1*dct2:f64:34x70*2"};
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:5"};
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        sluice_machine *m = plan_machine(units[u], NULL);
        for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
            if (!verify_on(m, problems[i]))
                fail_msg("%s is refused on %s", problems[i], units[u]);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_draw_of_kinds_is_right),
                                       cmocka_unit_test(folds_of_batches_are_planned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
