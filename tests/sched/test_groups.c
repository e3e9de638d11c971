// SPDX-License-Identifier: BSD-3-Clause
/* Plans for groups of work-items: what they ask of a device, the printed programs, results by the
 * reference. On a device: test_opencl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/plan/plan.h"
#include "spl/codelet/gen.h"
#include "tests/helpers/helper_groups.h"
#include "tests/helpers/helper_plan.h"

enum { STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* ---------------------------------------------------------------- what devices run ------ */

static void batches_are_one_kernel(void **state)
{
    uint64_t seed = 20261123;
    (void)state;
    for (int bits = 1; bits <= 12; bits++) {
        char problem[64];
        const size_t batch = 1 + plan_below(&seed, 40);
        snprintf(problem, sizeof problem, "c2c:f32:%d*%zu", 1 << bits, batch);
        groups_check(problem, 1);
        snprintf(problem, sizeof problem, "c2c:f64:%d*%zu:inverse", 1 << bits, batch);
        groups_check(problem, 1);
    }
    for (int i = 0; i < 30; i++) {
        char problem[64];
        size_t n = 2 + plan_below(&seed, 1500);
        while (!plan_smooth(n))
            n++;
        snprintf(problem, sizeof problem, "c2c:%s:%zu*%zu", i % 2 ? "f32" : "f64", n,
                 1 + plan_below(&seed, 20));
        groups_check(problem, 1);
    }
}

static void long_ones_and_axes_are_a_kernel_a_pass(void **state)
{
    static const struct {
        const char *problem;
        int passes;
    } cases[] = {{"c2c:f32:16384*2", 2}, {"c2c:f32:65536", 2},       {"c2c:f64:16384", 2},
                 {"c2c:f32:64x48*3", 2}, {"c2c:f64:12x20x16", 3},    {"c2c:f32:128x128:inverse", 2},
                 {"c2c:f32:1x512*2", 1}, {"c2c:f32:16x8:inplace", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        groups_check(cases[i].problem, cases[i].passes);
}

/* Folds, pairs and what a DFT leaves between are one kernel for rows, one for columns. */
static void reals_are_a_kernel_an_axis(void **state)
{
    static const struct {
        const char *problem;
        int passes;
    } cases[] = {
        {"r2c:f32:1024*24", 1},  {"c2r:f64:96*20", 1},           {"dct2:f32:256*33:inplace", 1},
        {"dct3:f64:60*16", 1},   {"dct4:f32:19*8", 1},           {"dst2:f32:48x20*3", 2},
        {"dct1:f64:26*5", 1},    {"dst1:f32:30*4", 1},           {"dht:f32:16*300", 1},
        {"r2c:f32:16*200", 1},   {"dct2:f32:8*500", 1},          {"idxst:f64:40*12", 1},
        {"dct3:f32:64x64*4", 2}, {"dct2*dst3:f64:32x45", 2},     {"dst4:f32:100*7", 1},
        {"r2c:f32:40x24*3", 2},  {"dct4:f64:58x64*2:inplace", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        groups_check(cases[i].problem, cases[i].passes);
}

/* Columns that no line divides, transforms that no group does: where data are few they are dealt
 * out in smaller groups, where they are many what is left over is groups of the same kernel. */
static void what_is_left_over_is_in_the_kernel(void **state)
{
    static const struct {
        const char *problem;
        int passes;
    } cases[] = {
        {"r2c:f32:512x512", 2},      {"r2c:f64:512x512*2", 2}, {"c2r:f32:512x512", 2},
        {"dct3*r2c:f32:256x512", 2}, {"r2c:f32:64x128", 2},    {"c2c:f32:256x257*2:inplace", 2},
        {"c2c:f32:16*9973", 1},      {"c2c:f32:16*997", 1},    {"r2c:f64:32*5003", 1},
        {"c2r:f32:16*9973", 1},      {"dct4:f32:16*9973", 1},  {"dst2*r2c:f32:512x512", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += STEP)
        groups_check(cases[i].problem, cases[i].passes);
}

/* Where a group has the DFT but not what is around it, each transform is a group of every kernel:
 * of loops around kernels of one group each it was one for all of them. */
static void transforms_of_a_batch_are_groups(void **state)
{
    static const char *const problems[] = {"dct2:f32:16384*7", "dct3:f64:8192*5", "dct2:f32:8192*3",
                                           "dst2:f64:4096*3"};
    static const int64_t least[] = {7, 5, 3, 3};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(groups_gpu, problems[i]);
        device_program made = groups_kernels(plan);
        for (int k = 0; k < made.nkernels; k++)
            if (made.kernel[k].groups < least[i])
                fail_msg("%s: kernel %s", problems[i], core_text_string(&made.kernel[k].name));
        device_program_free(&made);
        sluice_plan_destroy(plan);
    }
    plan_check_problem(groups_gpu, "dct2:f32:16384*2", 3);
}

static void long_reals_are_right(void **state)
{
    static const char *const problems[] = {"r2c:f32:16384*2", "dct2:f64:8192", "c2r:f32:32768",
                                           "dct3:f32:16384"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        plan_check_problem(groups_gpu, problems[i], i + 1);
}

/* Cooley-Tukey, six steps, Stockham: what is not said of a typed formula is planned. */
static void formulas_are_planned(void **state)
{
    static const char *const formulas[] = {
        "c2c:f32:16384 := (DFT(128) (x) I(128)) * T(128,128) * (I(128) (x) DFT(128)) * "
        "L(16384,128)",
        "c2c:f32:16384 := L(16384,128) * (I(128) (x) DFT(128)) * L(16384,128) * T(128,128) * "
        "(I(128) (x) DFT(128)) * L(16384,128)",
        "c2c:f32:16384 := (DFT(64) (x) I(256)) * L(16384,64) * T(256,64) * (DFT(256) (x) I(64))"};
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        groups_check_plan(formulas[i], plan_of_formula(groups_gpu, formulas[i], SLUICE_F32), 2);
}

/* The same in three passes, as they are compared for 2^24 points with 256 for 16 (docs/GPU.md). */
static void formulas_of_three_passes_are_planned(void **state)
{
    static const struct {
        const char *formula;
        int passes;
    } cases[] = {
        {"c2c:f64:4096 := (DFT(16) (x) I(256)) * (L(256,16) (x) I(16)) * (T(16,16) (x) I(16)) * "
         "(DFT(16) (x) I(256)) * L(4096,256) * T(16,256) * (DFT(16) (x) I(256))",
         3},
        {"c2c:f64:4096 := (DFT(16) (x) I(256)) * T(16,256) * (I(16) (x) DFT(16) (x) I(16)) * "
         "(I(16) (x) T(16,16)) * (I(256) (x) DFT(16)) * (I(16) (x) L(256,16)) * L(4096,16)",
         3},
        {"c2c:f64:4096 := (DFT(16) (x) I(256)) * T(16,256) * (I(16) (x) DFT(16) (x) I(16)) * "
         "(I(16) (x) T(16,16)) * (I(256) (x) DFT(16)) * (I(256) (x) DFT(1)_{leaf} (x) "
         "I(16))_{spe(256,1)} * (I(16) (x) L(256,16)) * L(4096,16)",
         4},
        {"c2c:f64:4096 := L(4096,16) * (I(256) (x) DFT(16)) * L(4096,256) * T(16,256) * (I(16) (x) "
         "L(256,16)) * (I(256) (x) DFT(16)) * (I(16) (x) L(256,16)) * (I(16) (x) T(16,16)) * "
         "(I(256) (x) DFT(16)) * (I(16) (x) L(256,16)) * L(4096,16)",
         3}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        groups_check_plan(cases[i].formula,
                          plan_of_formula(groups_gpu, cases[i].formula, SLUICE_F64),
                          cases[i].passes);
}

/* Factor by factor, each of all transforms and columns: 2 moves, what is cleared, passes there and
 * back, which no groups keep in memory of their own. By parts it was 2100 launches for 65537
 * points, and 13 GB of such memory for 33 columns of them. */
static void convolutions_are_passes(void **state)
{
    static const struct {
        const char *problem;
        int launches;
    } cases[] = {{"c2c:f32:65537", 7},     {"c2c:f32:65537*33", 8},  {"c2c:f64:4099x5:inverse", 8},
                 {"c2c:f32:3x1009x16", 8}, {"r2c:f32:20014*3", 11},  {"c2c:f32:1000003", 9},
                 {"c2c:f32:1009*100", 1},  {"dct2:f32:1009*100", 1}, {"dst2:f32:37x60*257", 2},
                 {"c2c:f32:1009x64*2", 8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += STEP) {
        sluice_plan *plan = plan_made(groups_gpu, cases[i].problem);
        device_program made = groups_kernels(plan);
        if (device_launches(&made) > cases[i].launches)
            fail_msg("%s: %d launches", cases[i].problem, (int)device_launches(&made));
        if (cases[i].launches > 2)
            assert_int_equal(made.spill_bytes, 0);
        device_program_free(&made);
        sluice_plan_destroy(plan);
    }
    plan_check_problem(groups_gpu, "c2c:f64:1009x5:inverse", 1);
    plan_check_problem(groups_gpu, "c2c:f32:4099*3:inplace", 2);
    plan_check_problem(groups_gpu, "c2c:f32:3x1009x4", 3);
    plan_check_problem(groups_gpu, "r2c:f32:10006*3", 4);
    plan_check_problem(groups_gpu, "dct3:f64:2005*2", 5);
    plan_check_problem(groups_gpu, "dst2:f32:5x521x3", 6); /* a loop around kernels */
}

/* Folds of odd axes of several arrays, as columns: too many for a table of all. Of the last one a
 * branch stays within its array only for the indices that it is chosen for. */
static void odd_axes_are_right(void **state)
{
    static const char *const problems[] = {"dct4:f32:3x16384*2", "dct3:f64:9x16384*2",
                                           "dst3:f32:5x9x2048", "dct3:f64:4x64x15"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i += STEP)
        plan_check_problem(groups_gpu, problems[i], i + 1);
}

static bool is_convolution(const char *problem)
{
    sluice_plan *plan = plan_made(groups_gpu, problem);
    plan_text text = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    const bool found = strstr(text.data, "convolution") != NULL;
    test_free(text.data);
    sluice_plan_destroy(plan);
    return found;
}

/* Items compute primes that the generator does: of rows if registers allow, of columns too, behind
 * which there are no factors. */
static void items_compute_primes(void **state)
{
    static const struct {
        const char *problem;
        int n;
    } cases[] = {{"c2c:f32:37*100", 37},  {"c2c:f32:37x100", 37}, {"c2c:f64:37x50", 37},
                 {"c2c:f32:43x60*2", 43}, {"c2c:f32:41x45", 41},  {"c2c:f32:47x60", 47},
                 {"c2c:f32:47*100", 47}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gen_dag *dag = gen_dft(cases[i].n);
        assert_non_null(dag);
        if (is_convolution(cases[i].problem) != dag->failed)
            fail_msg("%s", cases[i].problem);
        core_free(dag);
        plan_check_problem(groups_gpu, cases[i].problem, i + 1);
    }
}

static void convolutions_are_right(void **state)
{
    static const char *const problems[] = {"c2c:f64:47x45",         "c2c:f32:47x20*3",
                                           "c2c:f32:101*3",         "c2c:f32:74*5:inverse",
                                           "idxst*dct4:f64:74x5*3", "c2c*dct4:f32:100x66",
                                           "dct1*c2r:f64:101x61"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        plan_check_problem(groups_gpu, problems[i], i + 1);
}

/* Of batches of rows what stages leave out lies between the rows too: columns of a kernel, rows of
 * a loop, or of a copy. */
static void gaps_between_rows_are_cleared(void **state)
{
    static const char *const problems[] = {"dct3:f32:1587*2", "dst3:f64:3069*2", "idxst:f32:2871*2",
                                           "dct3:f32:4x3069"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        plan_check_problem(groups_gpu, problems[i], i + 1);
}

/* Not verified: the reference takes too long. */
static void a_million_points_are_two_passes(void **state)
{
    sluice_plan *plan = plan_made(groups_gpu, "c2c:f32:1048576");
    device_program made = groups_kernels(plan);
    (void)state;
    assert_int_equal(device_launches(&made), 2);
    groups_check_kernels("c2c:f32:1048576", &made);
    device_program_free(&made);
    sluice_plan_destroy(plan);
}

/* ---------------------------------------------------------------- a program ------------- */

static void a_program_is_as_printed(void **state)
{
    static const char want[] =
        "par k1 < 2:\n"
        "  seq k0 < 256:\n"
        "    b2[k0*17 + i] = T(4,256)[k0 + (i/4)*256] T(16,256)[k0 + (i%4)*256] DFT(16) "
        "b0[k1*4096 + k0 + i*256], i < 16\n"
        "  seq k2 < 16:\n"
        "    seq k3 < 16:\n"
        "      b2[k3 + k2*272 + i*17] = T(4,16)[k2 + (i/4)*16] T(16,16)[k2 + (i%4)*16] DFT(16) "
        "b2[k3 + k2*17 + i*272], i < 16, at once\n"
        "  seq k2 < 16:\n"
        "    seq k3 < 16:\n"
        "      b1[k3 + k2*16 + k1*4096 + i*256] = DFT(16) b2[k3 + k2*17 + i*272], i < 16\n";
    sluice_plan *plan = plan_made(groups_gpu, "c2c:f32:4096*2");
    plan_text text = plan_printed(plan, SLUICE_LEVEL_PROGRAM);
    (void)state;
    if (!strstr(text.data, want))
        fail_msg("%s", text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_one_kernel),
        cmocka_unit_test(long_ones_and_axes_are_a_kernel_a_pass),
        cmocka_unit_test(reals_are_a_kernel_an_axis),
        cmocka_unit_test(what_is_left_over_is_in_the_kernel),
        cmocka_unit_test(transforms_of_a_batch_are_groups),
        cmocka_unit_test(long_reals_are_right),
        cmocka_unit_test(formulas_are_planned),
        cmocka_unit_test(formulas_of_three_passes_are_planned),
        cmocka_unit_test(convolutions_are_passes),
        cmocka_unit_test(odd_axes_are_right),
        cmocka_unit_test(items_compute_primes),
        cmocka_unit_test(convolutions_are_right),
        cmocka_unit_test(gaps_between_rows_are_cleared),
        cmocka_unit_test(a_million_points_are_two_passes),
        cmocka_unit_test(a_program_is_as_printed),
    };
    return cmocka_run_group_tests_name("groups", tests, groups_setup, groups_teardown);
}
