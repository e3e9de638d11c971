// SPDX-License-Identifier: BSD-3-Clause
/* Rows of real kinds and half-spectra that have no codelet, and of transforms that are convolved,
 * are columns of blocks: as right as any, with the same bits for any workers, and none of a batch
 * has anything of another one in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/planner/tree.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 7070 };

static const char caches[] = "pack:1 l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=32KiB) core:1 "
                             "pu:1";

/* Batches of numbers that no block divides, side by side and interleaved, rows of planes, of which
 * an odd number has one without another. */
static const char *const problems[] = {
    "dst1:f32:8*20", "dst1:f64:13*29", "dst1:f64:63*50", "dct1:f64:65*64", "dct1:f64:65x67",
    "dst1:f64:63x63", "dct2:f64:20@64/64*64@1/1", "dct2:f64:21@37/37*37@1/1",
    "dct3:f32:48@64/64*64@1/1", "dst2:f64:22@50/50*50@1/1", "dst3:f64:40@70/70*70@1/1",
    "dct4:f64:7@64/64*64@1/1", "dht:f32:8@64/64*64@1/1", "idxst:f64:25*120:inplace",
    "dct3:f64:35@24*24@1", "dst1:f64:31x14*9", "dst4:f64:129x28*2",
    "dct3*dst4:f64:35x46:throughput", "dst4:f32:2x21x46*3", "dct3:f32:77x26", "dst2:f64:11x43",
    "dct4:f32:49x22:inplace", "dht*idxst:f64:33x20", "c2c:f32:41*50", "c2c:f32:37*11:inverse",
    "c2c:f32:41*129:inplace", "c2c:f32:53*61:in=split:out=split", "c2c:f64:43@1/1*30@49/47",
    "c2c:f64:20x37*5", "c2c:f32:22*75:in=split:out=split", "c2c:f64:34x34:out=split",
    "c2c:f32:7x5x41", "r2c:f32:82*50", "c2r:f64:74*21", "r2c:f32:111*40:inplace",
    "c2r:f32:53*70:in=split", "r2c:f32:82*33:out=halfcomplex", "r2c:f64:86*41:out=packed",
    "r2c:f32:82@61/61*61@1/1", "r2c:f32:5x74*9", "dct2:f32:82*30:scale=ortho",
    "dst3:f64:74*21:inplace", "dct4:f32:74*44", "dht:f32:106*23", "dct1:f32:75*39",
    "dct3:f32:123*50", "r2c:f32:91*150", "c2r:f32:65*37:inplace", "r2c:f32:119*41",
    "c2r:f64:3x51*19:in=split", "r2c:f64:2x119*41:out=split", "r2c:f32:77@40/40*40@1/1",
    "c2r:f64:21x99*3", "dct4:f64:85*66", /* a last block of one vector */
    "r2c:f64:119*66:out=split",
    /* moves at both ends */
    "r2c:f32:91*70:out=halfcomplex", "c2r:f64:77*37:in=packed:inplace",
    "c2r:f32:65@1/1*41@70/67:in=halfcomplex", "r2c:f64:119*29:out=packed",
    "dct2*r2c:f64:3x91*23:out=halfcomplex", "dct2:f32:91*50:scale=ortho", "dct3:f64:91*26:scale=n",
    "dst2:f64:77*23", "dst3:f32:119*41", "dst3*dct2:f32:4x91*41", "dht:f32:91*40:inplace",
    /* pairs of reals as complex numbers */
    "dct4:f32:20*300", "dst4:f32:14*200:inplace", "dht:f32:30*130", "dct3:f32:26*61:inplace",
    "r2c:f32:116*49:out=halfcomplex"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static sluice_plan *plan_with(const char *units, const char *isa, const char *problem,
                              sluice_machine **m)
{
    *m = structure_machine_of(caches, units, isa, 0);
    return *m ? structure_plan(*m, problem, 0) : NULL;
}

/* On vectors of any width: the plan, again by its formula, and with more workers. */
static void check(const char *isa, const char *problem)
{
    static const char *const units[] = {"cpu:1", "cpu:2", "cpu:5"};
    sluice_machine *m[3];
    sluice_plan *plan[3];

    for (int k = 0; k < 3; k++) {
        plan[k] = plan_with(units[k], isa, problem, &m[k]);
        if (!m[k])
            return;
        structure_check(plan[k], problem, SEED);
        structure_compare(plan[k], plan[0], problem);
    }
    for (int k = 0; k < 3; k++) {
        sluice_plan *again = plan_of_formula(m[k], plan[k]->line, plan[k]->problem.precision);
        assert_string_equal(plan[k]->line, again->line);
        sluice_plan_destroy(again);
        sluice_plan_destroy(plan[k]);
        sluice_machine_close(m[k]);
    }
}

/* Sanitizers see two instruction sets of each problem, in turn. */
static void columns_are_right(void **state)
{
    static const char *const isas[] = {NULL, "avx2", "vec128", "scalar"};
    const int step = PLAN_SANITIZED ? 2 : 1;

    (void)state;
    for (int i = 0; i < PROBLEMS; i++)
        for (int k = i % step; k < 4; k += step)
            check(isas[k], problems[i]);
}

/* Batches of small arrays, packed, interleaved and in place, with gaps between rows, some with
 * edges or an axis of one point. */
static const char *const arrays[] = {"dst1:f32:2x2x2*33",
                                     "dst3:f64:2x9*7",
                                     "dst1*dst3:f32:2x4*52:scale=ortho",
                                     "dct3:f32:6x6*41:scale=ortho",
                                     "dct1:f64:3x2*29:inplace:scale=ortho",
                                     "dht:f32:6x9*100",
                                     "dst4:f32:2x5x1x4*9:scale=ortho",
                                     "dst1*dht*dst4:f64:2@208x2@104x2@52*52@1",
                                     "dct2:f32:3@60x4@15*15@1:inplace",
                                     "c2c:f32:2x3*100:in=split:out=split",
                                     "c2c:f32:3x3*37:out=split",
                                     "c2c:f64:2x2*61:inverse:inplace",
                                     "c2c:f32:2x2x3*45:in=split",
                                     "c2c:f32:5x1x3*41:scale=n",
                                     "c2c:f32:2@3/3x3@1/1*50@9/6:inverse:in=split",
                                     "c2c:f64:9@8/8x3@1/1*83@72/72",
                                     "c2c:f32:2@12/11x3@4/3x3@1/1*77@24/22:in=split:out=split",
                                     "c2c:f32:2@7/7x3@2/2*60@14/14:inplace"};
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

static void arrays_are_columns(void **state)
{
    static const char *const isas[] = {NULL, "avx2", "vec128", "scalar"};
    int columns = 0;

    (void)state;
    for (int i = 0; i < ARRAYS; i++) {
        sluice_machine *m;
        for (int k = 0; k < 4; k++)
            check(isas[k], arrays[i]);
        sluice_plan *plan = plan_with("cpu:1", "avx2", arrays[i], &m);
        if (!m)
            skip();
        columns += plan->tree->block_rows > 0;
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
    assert_true(columns >= ARRAYS - 3); /* some are cheaper moved, as interleaved ones in place */
}

/* With vectors no row of these is computed by itself; interleaved ones may be moved instead. */
static void rows_are_columns(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_machine *m;
        sluice_plan *plan = plan_with("cpu:1", "avx2", problems[i], &m);
        if (!m)
            skip();
        assert_non_null(plan->tree);
        if (!sched_tree_has_columns(plan->tree) && strpbrk(problems[i], "@x") == NULL)
            fail_msg("%s: rows are no columns\n%s", problems[i], plan->line);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* Row `row` of a batch in doubles, or column, whose points are `step` apart. */
typedef struct one {
    size_t first, step, count;
} one;

static void run_with(const sluice_plan *plan, const double *in, double *out, size_t bytes)
{
    memset(out, 0, bytes);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
}

/* Numbers of other transforms that are no numbers leave the bits of this one. */
static void check_apart(const char *problem, size_t n, size_t batch, bool interleaved)
{
    sluice_machine *m = structure_machine_of(caches, "cpu:2", NULL, 0);
    sluice_plan *plan = structure_plan(m, problem, 0);
    const size_t all = n * batch, bytes = all * sizeof(double);
    double *in = test_malloc(bytes), *out = test_malloc(bytes), *other = test_malloc(bytes);

    for (size_t i = 0; i < all; i++)
        in[i] = sin((double)(i * i % 1009));
    run_with(plan, in, out, bytes);
    for (size_t k = 0; k < batch; k += batch / 3) {
        const one x = {interleaved ? k : k * n, interleaved ? batch : 1, n};
        for (size_t i = 0; i < all; i++)
            in[i] = NAN;
        for (size_t i = 0; i < n; i++) {
            const size_t at = x.first + i * x.step;
            in[at] = sin((double)(at * at % 1009));
        }
        run_with(plan, in, other, bytes);
        for (size_t i = 0; i < n; i++) {
            const size_t at = x.first + i * x.step;
            if (memcmp(&out[at], &other[at], sizeof *out) != 0)
                fail_msg("%s: transform %zu has something of another one\n%s", problem, k,
                         plan->line);
        }
    }
    test_free(other);
    test_free(out);
    test_free(in);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

static void transforms_are_apart(void **state)
{
    (void)state;
    check_apart("dst1:f64:63*50", 63, 50, false);
    check_apart("dct1:f64:65*64", 65, 64, false);
    check_apart("dst1:f64:13*29", 13, 29, false);
    check_apart("dct2:f64:21@37/37*37@1/1", 21, 37, true);
    check_apart("dct2:f64:20@64/64*64@1/1", 20, 64, true);
    check_apart("dht:f64:24@40/40*40@1/1", 24, 40, true);
    check_apart("dst3:f64:40@70/70*70@1/1", 40, 70, true);
    check_apart("dct4:f64:27@33/33*33@1/1", 27, 33, true);
    check_apart("dct3:f64:21x20*6", 21 * 20, 6, false);
    check_apart("dst2:f64:11x43*5", 11 * 43, 5, false);
    check_apart("c2c:f64:41*50", 2 * 41, 50, false);
    check_apart("c2c:f64:37*13", 2 * 37, 13, false);
    check_apart("dct2:f64:74*50", 74, 50, false);
    check_apart("r2c:f64:82*40:out=packed", 82, 40, false);
}

/* In place the rows left over by whole blocks, of which the last one repeats, are computed where
 * they are, too: nothing is copied first. */
static void rests_stay_in_place(void **state)
{
    static const char *const rests[] = {"dct2:f32:20*5003:inplace", "dct4:f64:20*2003:inplace",
                                        "dct2:f32:40*3001:inplace", "dct4:f64:28*3001:inplace"};

    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        sluice_machine *m;
        sluice_plan *plan = plan_with("cpu:1", "avx2", rests[i], &m);
        if (!m)
            skip();
        assert_true(sched_tree_has_columns(plan->tree));
        assert_true(sluice_plan_work_bytes(plan) < 100000); /* the arrays have 300000 and more */
        structure_check(plan, rests[i], SEED);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(columns_are_right, nothing_leaks),
        cmocka_unit_test_teardown(arrays_are_columns, nothing_leaks),
        cmocka_unit_test_teardown(rows_are_columns, nothing_leaks),
        cmocka_unit_test_teardown(transforms_are_apart, nothing_leaks),
        cmocka_unit_test_teardown(rests_stay_in_place, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
