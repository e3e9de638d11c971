// SPDX-License-Identifier: BSD-3-Clause
/* Every kind and scale against the numbers of scipy.fft, which scripts/scipy-numbers wrote into
 * tests/data/scipy.txt; and, where scipy is installed, against it. Recipes of docs/FAMILY.md: hfft,
 * ihfft, orthogonalize and its absence, in one to four dimensions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/sluice.h"

#define KEPT "tests/data/scipy.txt"
#define LIVE "scripts/scipy-numbers 7 80" /* a seed and a count */

/* L2 distances over the norm. */
static const double bounds[] = {[SLUICE_F32] = 1e-6, [SLUICE_F64] = 2e-15};

static sluice_machine *machine;

/* ---- one line of numbers */

typedef struct record {
    char recipe[128], text[128]; /* recipe "": none */
    sluice_problem problem;
    double *wanted;
    size_t count; /* of the numbers */
} record;

static sluice_kind last_kind(const sluice_problem *p)
{
    int i = p->rank - 1;
    while (i > 0 && p->kind[i] == SLUICE_KIND_SAME)
        i--;
    return p->kind[i];
}

static bool is_real_side(const sluice_problem *p, bool output)
{
    const sluice_kind kind = last_kind(p);
    return kind != SLUICE_C2C && kind != (output ? SLUICE_R2C : SLUICE_C2R);
}

/* Elements along an axis of a side. */
static size_t extent(const sluice_problem *p, int axis, bool output)
{
    const size_t n = p->dim[axis].n;
    const bool half = is_real_side(p, !output) && !is_real_side(p, output);
    return half && axis == p->rank - 1 ? n / 2 + 1 : n;
}

static size_t count_scalars(const sluice_problem *p, bool output)
{
    size_t count = is_real_side(p, output) ? 1 : 2;
    for (int i = 0; i < p->rank; i++)
        count *= extent(p, i, output);
    return count;
}

static size_t count_points(const sluice_problem *p)
{
    size_t count = 1;
    for (int i = 0; i < p->rank; i++)
        count *= p->dim[i].n;
    return count;
}

/* As `samples` of the script. */
static double *make_input(const sluice_problem *p)
{
    const size_t count = count_scalars(p, false);
    double *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = ((double)((i * i * 31 + i * 7919 + 12345) % 2003) - 1001) / 1024;
    return x;
}

/* ---- recipes */

/* Powers of sqrt(2) at the first and the last element of an axis, of input and output: scipy's
 * orthogonalize=True on its own, and what takes the weights of scale=ortho away. scipy 1.10 weighs
 * the first element of DST-II and DST-III, with which they are not orthogonal. */
typedef struct weights {
    const char *recipe, *kind;
    int in_first, in_last, out_first, out_last;
} weights;

static const weights recipes[] = {
    {"orthogonalize", "dct1", 1, 1, -1, -1}, {"orthogonalize", "dct2", 0, 0, -1, 0},
    {"orthogonalize", "dct3", 1, 0, 0, 0},   {"orthogonalize", "dst2", 0, 0, -1, 0},
    {"orthogonalize", "dst3", 1, 0, 0, 0},   {"plain", "dct1", -1, -1, 1, 1},
    {"plain", "dct2", 0, 0, 1, 0},           {"plain", "dct3", -1, 0, 0, 0},
    {"plain", "dst2", 0, 0, 0, 1},           {"plain", "dst3", 0, -1, 0, 0},
};

/* Multiplies what lies at the ends of the axes by powers of sqrt(2). */
static void weigh(double *x, const sluice_problem *p, int first, int last)
{
    for (size_t i = 0; i < count_points(p); i++) {
        size_t rest = i;
        for (int axis = p->rank - 1; axis >= 0; rest /= p->dim[axis].n, axis--) {
            const size_t at = rest % p->dim[axis].n;
            x[i] *= pow(sqrt(2), (at == 0 ? first : 0) + (at == p->dim[axis].n - 1 ? last : 0));
        }
    }
}

/* What stands before (or, `output`, after) the transform of a recipe. */
static void apply_recipe(const record *r, double *x, bool output)
{
    const sluice_problem *p = &r->problem;
    const bool after = strcmp(r->recipe, "ihfft") == 0;
    if ((strcmp(r->recipe, "hfft") == 0 && !output) || (after && output))
        for (size_t i = 0; i < count_scalars(p, output); i++)
            x[i] *= (i % 2 ? -1 : 1) / (after ? (double)count_points(p) : 1);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        const weights *w = &recipes[i];
        if (strcmp(r->recipe, w->recipe) == 0 && strncmp(r->text, w->kind, 4) == 0)
            weigh(x, p, output ? w->out_first : w->in_first, output ? w->out_last : w->in_last);
    }
}

/* ---- comparison */

static void convert(void *to, const double *from, size_t count, sluice_precision precision)
{
    for (size_t i = 0; i < count; i++)
        if (precision == SLUICE_F64)
            ((double *)to)[i] = from[i];
        else
            ((float *)to)[i] = (float)from[i];
}

static void compare(const record *r, const sluice_plan *plan, sluice_precision precision)
{
    const size_t inputs = count_scalars(&r->problem, false);
    double *x = make_input(&r->problem), *y = malloc(r->count * sizeof *y), error = 0, norm = 0;
    void *in = sluice_alloc(inputs * sizeof *x), *out = sluice_alloc(r->count * sizeof *x);
    assert_true(y && in && out);
    apply_recipe(r, x, false);
    convert(in, x, inputs, precision);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    for (size_t i = 0; i < r->count; i++)
        y[i] = precision == SLUICE_F64 ? ((double *)out)[i] : (double)((float *)out)[i];
    apply_recipe(r, y, true);
    for (size_t i = 0; i < r->count; i++) {
        error += (y[i] - r->wanted[i]) * (y[i] - r->wanted[i]);
        norm += r->wanted[i] * r->wanted[i];
    }
    if (!(sqrt(error) <= bounds[precision] * sqrt(norm)))
        fail_msg("%s %s in f%d: %.3g from scipy", r->recipe, r->text,
                 precision == SLUICE_F64 ? 64 : 32, sqrt(error / norm));
    sluice_free(in);
    sluice_free(out);
    free(x);
    free(y);
}

/* In both precisions. */
static void check_record(record *r)
{
    for (int precision = 0; precision < 2; precision++) {
        sluice_plan *plan;
        sluice_diag why = {0};
        r->problem.precision = (sluice_precision)precision;
        if (sluice_plan_create(&plan, machine, &r->problem, NULL, &why) != SLUICE_OK)
            fail_msg("%s: %s", r->text, why.message);
        compare(r, plan, (sluice_precision)precision);
        sluice_plan_destroy(plan);
    }
}

static void read_numbers(record *r, char *text)
{
    size_t room = 64;
    r->wanted = malloc(room * sizeof *r->wanted);
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        if (r->count == room)
            r->wanted = realloc(r->wanted, (room *= 2) * sizeof *r->wanted);
        assert_non_null(r->wanted);
        r->wanted[r->count++] = strtod(word, NULL);
    }
}

static void check_line(char *line)
{
    record r = {0};
    char *numbers = strstr(line, " : ");
    assert_non_null(numbers);
    *numbers = '\0';
    if (sscanf(line, "%127s %127s", r.recipe, r.text) == 1) {
        memcpy(r.text, r.recipe, sizeof r.text);
        r.recipe[0] = '\0';
    }
    assert_int_equal(sluice_problem_parse(&r.problem, r.text, NULL), SLUICE_OK);
    read_numbers(&r, numbers + 3);
    assert_int_equal(r.count, count_scalars(&r.problem, true));
    check_record(&r);
    free(r.wanted);
}

static void check_all(FILE *lines)
{
    char *line = NULL;
    size_t room = 0, all = 0;
    while (getline(&line, &room, lines) > 0)
        if (line[0] != '#') {
            check_line(line);
            all++;
        }
    free(line);
    assert_true(all > 0);
}

static void numbers_are_those_of_scipy(void **state)
{
    (void)state;
    FILE *file = fopen(KEPT, "r");
    assert_non_null(file);
    check_all(file);
    fclose(file);
}

static void drawn_problems_are_as_scipy_computes_them(void **state)
{
    (void)state;
    static const char *const pythons[] = {"/usr/bin/python3", "python3"};
    char command[128];
    for (size_t i = 0; i < sizeof pythons / sizeof *pythons; i++) {
        snprintf(command, sizeof command,
                 "%s -c 'import scipy.fft; scipy.fft.dct([1.0], orthogonalize=True)' 2>/dev/null",
                 pythons[i]);
        if (system(command) != 0)
            continue;
        snprintf(command, sizeof command, "%s " LIVE, pythons[i]);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        check_all(pipe);
        assert_int_equal(pclose(pipe), 0);
        return;
    }
    skip();
}

static int open_machine(void **state)
{
    (void)state;
    return sluice_machine_open(&machine, NULL, NULL);
}

static int close_machine(void **state)
{
    (void)state;
    sluice_machine_close(machine);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_scipy),
        cmocka_unit_test(drawn_problems_are_as_scipy_computes_them),
    };
    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
