// SPDX-License-Identifier: BSD-3-Clause
/* The kinds of the Fourier family that are real matrices, as plans: every small size, mixed along
 * the axes, beside c2c, r2c and c2r, with strides, batches, in place, both precisions; the same
 * bits by any number of workers, and there and back. */
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
#include "tests/helpers/helper_structure.h"

enum { SEED = 314159, STEP = PLAN_SANITIZED ? 5 : 1 /* sanitizers see a part */ };

/* With the least number of points (of one IDXST is 0), and what undoes it; NULL: nothing does. */
static const struct {
    const char *word, *back;
    size_t least;
} kinds[] = {{"dct1", "dct1", 2}, {"dct2", "dct3", 1}, {"dct3", "dct2", 1}, {"dct4", "dct4", 1},
             {"dst1", "dst1", 1}, {"dst2", "dst3", 1}, {"dst3", "dst2", 1}, {"dst4", "dst4", 1},
             {"dht", "dht", 1},   {"idxst", NULL, 2}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *precision_of(size_t turn)
{
    return turn % 2 ? "f32" : "f64";
}

static void sizes(sluice_machine *m)
{
    char text[PLAN_TEXT_SIZE];
    for (size_t k = 0; k < KINDS; k++)
        for (size_t n = kinds[k].least; n <= 40; n += n < 9 ? 1 : STEP)
            for (size_t form = 0; form < 2; form++) {
                snprintf(text, sizeof text, "%s:%s:%zu%s", kinds[k].word,
                         precision_of(n / 2 + form), n, form == 0 ? "" : "*19");
                plan_check_problem(m, text, SEED + n);
            }
}

static void every_small_size(void **state)
{
    (void)state;
    machines_of_all(sizes);
}

static void larger(sluice_machine *m)
{
    static const size_t n[] = {60,  64,   67,   96,   101,  128,  243,  256,   257,  360,
                               512, 1000, 1009, 1019, 1024, 2048, 4096, 10010, 16384};
    char text[64];
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = k % STEP; i < sizeof n / sizeof n[0]; i += STEP) {
            snprintf(text, sizeof text, "%s:%s:%zu", kinds[k].word, precision_of(i + k), n[i]);
            plan_check_problem(m, text, SEED + i);
        }
}

static void a_sample_of_larger_sizes(void **state)
{
    (void)state;
    machines_of_all(larger);
}

/* ---------------------------------------------------------------- codelets --------------- */

/* Of even sizes no stage is evaluated; folds of rows are no stage of their own. */
static void evaluates_nothing(sluice_machine *m)
{
    static const char *const sizes_of[] = {"16",     "100",    "1000",    "4096",     "16384",
                                           "128*10", "100x96", "64x1000", "32x48x64", "128x128*3"};
    char text[64];
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < sizeof sizes_of / sizeof sizes_of[0]; i++) {
            if (kinds[k].word[3] == '1') /* extended to other sizes */
                continue;
            snprintf(text, sizeof text, "%s:f32:%s", kinds[k].word, sizes_of[i]);
            sluice_plan *plan = plan_made(m, text);
            plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            if (strstr(placed.data, "addresses evaluated"))
                fail_msg("%s:\n%s", text, placed.data);
            test_free(placed.data);
            sluice_plan_destroy(plan);
        }
}

static void even_sizes_are_codelets(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", evaluates_nothing);
}

/* Stages that only move elements: of the rows alone, none between rows and columns. */
static void folds_of_rows_merge(void **state)
{
    (void)state;
    sluice_machine *m = structure_machine("cpu:1", "avx2", 1048576);
    if (m == NULL)
        return;
    sluice_plan *plan = plan_made(m, "dct2:f32:256x512");
    char *line = plan_line(plan);
    assert_non_null(strstr(line, "(P(fold(256)) (x) I(256)) * V(65536)"));
    test_free(line);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* .. and rows that are one codelet each; what columns leave folded, the rows that run next
 * gather. */
static void rows_are_codelets(void **state)
{
    static const char *const problem[] = {"dct2:f32:128x256", "dst3*dct3:f32:128x256",
                                          "dct4:f64:128"};
    static const char *const codelet[] = {"dct2_256_avx2_f32_W_real_real", "dct3_256_avx2_f32_W",
                                          "dct4_128_avx2_f64_W"};
    (void)state;
    sluice_machine *m = structure_machine("cpu:1", "avx2", 1048576);
    if (m == NULL)
        return;
    for (size_t i = 0; i < sizeof problem / sizeof problem[0]; i++) {
        sluice_plan *plan = plan_made(m, problem[i]);
        plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (!strstr(placed.data, codelet[i]) || strstr(placed.data, "dft1_"))
            fail_msg("%s:\n%s", problem[i], placed.data);
        test_free(placed.data);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Signs and roots of rows are factors that all columns share, of stages that compute as well. */
static void factors_of_rows_are_broadcast(void **state)
{
    static const char *const problem[] = {
        "idxst:f32:256x256",     "dst3:f64:96x128",   "idxst*dct3:f32:64x96", "dct4:f32:256x256",
        "dst4*dct2:f64:1024x96", "dct4:f32:2048x128", "dct4:f32:48x80x128"};
    (void)state;
    sluice_machine *m = structure_machine("cpu:1", "avx2", 1048576);
    if (m == NULL)
        return;
    for (size_t i = 0; i < sizeof problem / sizeof problem[0]; i++) {
        sluice_plan *plan = plan_made(m, problem[i]);
        plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (strstr(placed.data, "_C_inter_inter_vector") || strstr(placed.data, "dft1_")
            || strstr(placed.data, "_G_split_split_vector"))
            fail_msg("%s:\n%s", problem[i], placed.data);
        test_free(placed.data);
        if (!PLAN_SANITIZED || i % 2 == 0)
            machine_verify(m, problem[i]);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Folded rows are two calls for every 16 rows, between which there are gaps, not one for each
 * row. */
static void folded_rows_are_two_calls(void **state)
{
    (void)state;
    sluice_machine *m = structure_machine("cpu:1", "avx2", 1048576);
    if (m == NULL)
        return;
    sluice_plan *plan = plan_made(m, "dct3:f32:128x256");
    plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const char *first = strstr(placed.data, "columns 8  strides 1,4352 -> 1,512");
    if (!first || !strstr(first, "columns 8  strides 1,-4352 -> 1,512"))
        fail_msg("%s", placed.data);
    test_free(placed.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Rows that go to rows in another order do not go there in place. */
static void rows_backwards_in_place(void **state)
{
    (void)state;
    sluice_machine *scalar = plan_machine("cpu:1", "scalar");
    machine_verify(scalar, "dst4*dst4:f64:17x14:inplace");
    machine_verify(scalar, "dst3*dct4:f64:15x30:inplace");
    sluice_machine_close(scalar);
}

/* Of one point, or two that are both edges. */
static void short_axes(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    machine_verify(m, "dct1*dct1:f64:5x2:scale=ortho");
    machine_verify(m, "dst3*dct2*dct2*dct1:f32:1x5x1x2:inplace:scale=ortho");
    machine_verify(m, "dct1*dct1*dct1*dct1:f64:2x2x2x6*7:scale=ortho");
    machine_verify(m, "dct2:f32:20x18x1");
    machine_verify(m, "dct2*r2c:f64:28x1");
    machine_verify(m, "dst2*dct3*r2c:f64:18x20x4"); /* both columns are folded */
    machine_verify(m, "dct4:f64:1");
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- drawn ------------------ */

/* One kind an axis, the last one c2r or r2c in some, any one c2c in others. */
static int write_kinds(char *text, size_t size, const size_t *n, int rank, uint64_t *state)
{
    const size_t end = plan_below(state, 6), complex = plan_below(state, 8);
    int at = 0;
    for (int d = 0; d < rank; d++) {
        const size_t k = plan_below(state, KINDS);
        const bool last = d == rank - 1, small = n[d] < kinds[k].least;
        const char *word = last && end == 0                ? "r2c"
                           : last && end == 1              ? "c2r"
                           : (size_t)d == complex || small ? "c2c"
                                                           : kinds[k].word;
        at += snprintf(text + at, size - (size_t)at, "%s%s", d ? "*" : "", word);
    }
    return at;
}

/* Sizes, of some problems with strides of rows that have gaps, and a batch. */
static void write_problem(char *text, size_t size, uint64_t *state)
{
    static const size_t most[] = {0, 200, 36, 12, 6};
    const int rank = 1 + (int)plan_below(state, 4);
    size_t n[4], stride[2] = {1 + plan_below(state, 2), 1 + plan_below(state, 3)};
    char sizes_text[200] = "";
    const bool strided = plan_below(state, 4) == 0;
    for (int d = 0; d < rank; d++)
        n[d] = 1 + plan_below(state, most[rank]);
    int at = write_kinds(text, size, n, rank, state);
    for (int d = rank - 1; d >= 0; d--) { /* strides grow from the last axis on */
        char kept[200], part[64] = "";
        strcpy(kept, sizes_text);
        if (strided)
            snprintf(part, sizeof part, "@%zu/%zu", stride[0], stride[1]);
        snprintf(sizes_text, sizeof sizes_text, "%zu%s%s%.100s", n[d], part, *kept ? "x" : "",
                 kept);
        for (int side = 0; side < 2; side++)
            stride[side] = stride[side] * n[d] + 2 + plan_below(state, 3);
    }
    at += snprintf(text + at, size - (size_t)at, ":%s:%s", precision_of(plan_below(state, 2)),
                   sizes_text);
    if (plan_below(state, 3) == 0 && !strided)
        at += snprintf(text + at, size - (size_t)at, "*%zu", 1 + plan_below(state, 20));
    if (plan_below(state, 4) == 0 && !strided)
        snprintf(text + at, size - (size_t)at, ":inplace");
}

static void drawn(sluice_machine *m)
{
    uint64_t state = SEED;
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < 150 / STEP; i++) {
        write_problem(text, sizeof text, &state);
        plan_check_problem(m, text, SEED + i);
    }
}

static void mixed_kinds_of_any_shape(void **state)
{
    (void)state;
    machines_of_all(drawn);
}

/* ---------------------------------------------------------------- there and back --------- */

/* The inverse kind of the kind is so many times the input. */
static double gain(const char *word, size_t n)
{
    const double points = (double)n;
    const bool ends = strcmp(word, "dct1") == 0, beyond = strcmp(word, "dst1") == 0;
    return strcmp(word, "dht") == 0 ? points : 2 * (points - ends + beyond);
}

static void round_trip(sluice_machine *m, size_t k, size_t n)
{
    char text[64];
    double *x = test_malloc(3 * n * sizeof *x), *y = x + n, *z = y + n;
    for (size_t i = 0; i < n; i++)
        x[i] = cos((double)(i * i + 1));
    snprintf(text, sizeof text, "%s:f64:%zu", kinds[k].word, n);
    sluice_plan *there = plan_made(m, text);
    snprintf(text, sizeof text, "%s:f64:%zu", kinds[k].back, n);
    sluice_plan *back = plan_made(m, text);
    assert_int_equal(sluice_execute(there, x, y), SLUICE_OK);
    assert_int_equal(sluice_execute(back, y, z), SLUICE_OK);
    for (size_t i = 0; i < n; i++)
        if (fabs(z[i] / gain(kinds[k].word, n) - x[i]) > 1e-13)
            fail_msg("%s: element %zu is %.17g, not %.17g", text, i, z[i], x[i]);
    sluice_plan_destroy(there);
    sluice_plan_destroy(back);
    test_free(x);
}

static void round_trips(sluice_machine *m)
{
    static const size_t n[] = {2, 3, 8, 15, 60, 64, 101, 1000};
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < sizeof n / sizeof n[0] && kinds[k].back; i++)
            round_trip(m, k, n[i]);
}

static void there_and_back(void **state)
{
    (void)state;
    machines_of_all(round_trips);
}

/* ---------------------------------------------------------------- workers ---------------- */

static void reproducible(const char *problem)
{
    plan_data data[3];
    sluice_plan *plan[3];
    sluice_machine *m[3];
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3"};
    for (int i = 0; i < 3; i++) {
        m[i] = plan_machine(units[i], NULL);
        plan[i] = plan_made(m[i], problem);
        plan_data_open(&data[i], plan[i], problem, 0);
        if (i == 0)
            plan_data_execute(&data[i], plan[i], SEED, NULL);
        else
            plan_data_repeat(&data[i], plan[i], &data[0]);
    }
    for (int i = 0; i < 3; i++) {
        plan_data_close(&data[i]);
        sluice_plan_destroy(plan[i]);
        sluice_machine_close(m[i]);
    }
}

static void any_number_of_workers(void **state)
{
    static const char *const problems[] = {"dct2:f32:60*200",     "dct3:f64:33*100",
                                           "dht:f32:65536",       "dct2:f32:40000",
                                           "dct2:f32:240x256",    "dct3*dct2:f64:128x255",
                                           "dct2*r2c:f32:64x300", "dct3*c2r:f32:30x500",
                                           "c2c*dht:f64:96x100",  "dct2*dht*dct3:f32:20x32x24*6"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        reproducible(problems[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_small_size, nothing_leaks),
        cmocka_unit_test_teardown(a_sample_of_larger_sizes, nothing_leaks),
        cmocka_unit_test_teardown(even_sizes_are_codelets, nothing_leaks),
        cmocka_unit_test_teardown(folds_of_rows_merge, nothing_leaks),
        cmocka_unit_test_teardown(rows_are_codelets, nothing_leaks),
        cmocka_unit_test_teardown(factors_of_rows_are_broadcast, nothing_leaks),
        cmocka_unit_test_teardown(folded_rows_are_two_calls, nothing_leaks),
        cmocka_unit_test_teardown(rows_backwards_in_place, nothing_leaks),
        cmocka_unit_test_teardown(short_axes, nothing_leaks),
        cmocka_unit_test_teardown(mixed_kinds_of_any_shape, nothing_leaks),
        cmocka_unit_test_teardown(there_and_back, nothing_leaks),
        cmocka_unit_test_teardown(any_number_of_workers, nothing_leaks),
    };
    return cmocka_run_group_tests_name("plans of the family", tests, NULL, NULL);
}
