// SPDX-License-Identifier: BSD-3-Clause
/* Half-spectra as n reals, packed and halfcomplex: the table of docs/FAMILY.md against the
 * spectrum, every small size, strides, batches, scales, in place, after other kinds; bits of any
 * number of workers, there and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_machines.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 161803, ORDERS = 2, STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

static const char *const orders[ORDERS] = {"packed", "halfcomplex"};

/* ---------------------------------------------------------------- the table -------------- */

/* A cell "r0 r4 r1 i1 ..": its numbers of the spectrum of n reals. */
static size_t read_cell(const char *cell, const double *spectrum, double *out)
{
    size_t count = 0;
    for (const char *at = cell; *at != '|'; at += strcspn(at, " |")) {
        at += strspn(at, " ");
        if (*at == '|')
            break;
        assert_true(*at == 'r' || *at == 'i');
        out[count++] = spectrum[2 * strtol(at + 1, NULL, 10) + (*at == 'i')];
    }
    return count;
}

/* Executes the problem of n reals x_j and compares with a row's cell. */
static void check_cell(sluice_machine *m, const char *layout, int n, const char *cell)
{
    double x[8], spectrum[2 * 5] = {0}, want[10], y[10] = {0}, back[8];
    char text[PLAN_TEXT_SIZE];
    for (int j = 0; j < n; j++)
        x[j] = cos(j) + j / 8.0;
    for (int k = 0; k <= n / 2; k++)
        for (int j = 0; j < n; j++) {
            const double angle = 2 * acos(-1) * j * k / n;
            spectrum[2 * k] += x[j] * cos(angle);
            spectrum[2 * k + 1] -= x[j] * sin(angle);
        }
    const size_t count = read_cell(cell, spectrum, want);
    assert_int_equal(count, strcmp(layout, "interleaved") == 0 ? 2 * (n / 2 + 1) : n);
    snprintf(text, sizeof text, "r2c:f64:%d:out=%s", n, layout);
    sluice_plan *plan = plan_made(m, text);
    assert_int_equal(sluice_execute(plan, x, y), SLUICE_OK);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(y[i] - want[i]) < 1e-13))
            fail_msg("%s: number %zu is %g, the table has %g", text, i, y[i], want[i]);
    sluice_plan_destroy(plan);
    snprintf(text, sizeof text, "c2r:f64:%d:in=%s:scale=n", n, layout);
    plan = plan_made(m, text);
    assert_int_equal(sluice_execute(plan, y, back), SLUICE_OK);
    for (int j = 0; j < n; j++)
        assert_true(fabs(back[j] - x[j]) < 1e-14);
    sluice_plan_destroy(plan);
}

/* Rows "| `LAYOUT` | of 8 reals | of 7 reals | .." */
static void the_table_of_the_document(void **state)
{
    static const char *const layouts[] = {"interleaved", "packed", "halfcomplex"};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    FILE *file = fopen("docs/FAMILY.md", "r");
    char line[1024], start[40];
    int rows = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
            snprintf(start, sizeof start, "| `%s` | r0 ", layouts[i]);
            if (strncmp(line, start, strlen(start)) != 0)
                continue;
            const char *even = strchr(line + 2, '|') + 1, *odd = strchr(even, '|') + 1;
            check_cell(m, layouts[i], 8, even);
            check_cell(m, layouts[i], 7, odd);
            rows++;
        }
    fclose(file);
    assert_int_equal(rows, 3);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- plans ------------------ */

/* There and back in both orders; the precisions take turns. `axes`: kinds before the last one. */
static void check(sluice_machine *m, const char *axes, const char *rest, size_t turn)
{
    char text[PLAN_TEXT_SIZE];
    for (int i = 0; i < ORDERS; i++)
        for (int back = 0; back < 2; back++) {
            snprintf(text, sizeof text, "%s%s:%s:%s:%s=%s", axes, back ? "c2r" : "r2c",
                     (turn + (size_t)back) % 2 ? "f32" : "f64", rest, back ? "in" : "out",
                     orders[i]);
            plan_check_problem(m, text, SEED + turn);
        }
}

static void sizes(sluice_machine *m)
{
    char rest[64];
    for (size_t n = 1; n <= 80; n++) {
        snprintf(rest, sizeof rest, "%zu%s%s", n, n % 3 == 0 ? "*20" : "",
                 n % 5 == 0 ? ":inplace" : "");
        check(m, "", rest, n);
    }
}

static void every_small_size(void **state)
{
    (void)state;
    machines_of_all(sizes);
}

static const char *const rests[] = {
    "96", "100", "128", "243", "256*3", "257", "360", "512", "1000", "1001", "1022", "4096", "4099",
    /* strides, rows with gaps, columns, backwards */
    "16@3/5", "15@-3/7", "64@-1/-2", "16@1/1*5@19/17", "16@5/5*5@1/1", "13@8/8*8@1/1", "32@2*7@70",
    "8@1/1*40@8/9", "64@100/70*64@1/1", "17@/-1*3@/17",
    /* in place, scaled */
    "8*33:inplace", "64:inplace", "15*2:inplace", "1024*2:inplace", "30@2*4@64:inplace",
    "64:scale=n", "64*40:scale=ortho", "21:scale=ortho", "2048:scale=n:inplace"};

static void forms(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++)
        check(m, "", rests[i], i);
}

static void every_form(void **state)
{
    (void)state;
    machines_of_all(forms);
}

static void mixed(sluice_machine *m)
{
    check(m, "dct2*", "12x16", 0);
    check(m, "dct2*", "12x16", 1);
    check(m, "dst3*", "7x15*3", 2);
    check(m, "dht*", "30x64:inplace", 3);
    check(m, "dct1*dst2*", "5x6x8*2:scale=ortho", 4);
    check(m, "dct4*", "16@20/24x12@1/1", 5);
    check(m, "dct3*", "64x256", 6);
}

static void after_real_axes(void **state)
{
    (void)state;
    machines_of_all(mixed);
}

/* ---------------------------------------------------------------- bits ------------------- */

static void by_workers(sluice_machine *m)
{
    static const char *const problems[] = {
        "r2c:f32:65536:out=packed",   "r2c:f32:65536:out=halfcomplex",
        "c2r:f32:65536:in=packed",    "c2r:f32:65536:in=halfcomplex",
        "r2c:f32:64*1000:out=packed", "dct2*r2c:f64:100x96:out=halfcomplex"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i += STEP)
        machine_check_workers(m, problems[i], SEED);
}

static void reproducible(void **state)
{
    (void)state;
    machines_of_all(by_workers);
}

/* A plan of the library's own text is the plan of its problem, and is proven to be. */
static void verify(sluice_machine *m)
{
    for (int n = 62; n < 66; n++)
        for (int i = 0; i < 2 * ORDERS; i++) {
            char text[PLAN_TEXT_SIZE];
            snprintf(text, sizeof text, i % 2 ? "c2r:f32:%d*50:in=%s" : "r2c:f32:%d*50:out=%s", n,
                     orders[i / 2]);
            sluice_plan *plan = plan_made(m, text);
            plan_verify(plan, text);
            char *line = plan_line(plan);
            sluice_plan *again = plan_of_formula(m, line, SLUICE_F32);
            char *second = plan_line(again);
            assert_string_equal(line, second);
            test_free(line);
            test_free(second);
            sluice_plan_destroy(again);
            sluice_plan_destroy(plan);
        }
}

static void lines_plan_back(void **state)
{
    (void)state;
    machines_of_all(verify);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_table_of_the_document, nothing_leaks),
        cmocka_unit_test_teardown(every_small_size, nothing_leaks),
        cmocka_unit_test_teardown(every_form, nothing_leaks),
        cmocka_unit_test_teardown(after_real_axes, nothing_leaks),
        cmocka_unit_test_teardown(reproducible, nothing_leaks),
        cmocka_unit_test_teardown(lines_plan_back, nothing_leaks),
    };
    return cmocka_run_group_tests_name("half-spectra as reals", tests, NULL, NULL);
}
