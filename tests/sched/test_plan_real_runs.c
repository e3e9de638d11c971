// SPDX-License-Identifier: BSD-3-Clause
/* Executions of transforms of reals: there and back, the same bits by any number of workers,
 * streams, numbers of scipy.fft. */
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

enum { SEED = 271828, STEP = PLAN_SANITIZED ? 3 : 1 /* sanitizers see a part */ };

/* ---------------------------------------------------------------- there and back --------- */

/* c2r of r2c is n times; in place on one array. */
static void round_trips(sluice_machine *m)
{
    static const char *const rests[] = {"1",    "2*3",     "16*7",     "360", "7*5",
                                        "4096", "48x36*2", "12x10x14", "9x15"};
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        char text[2][PLAN_TEXT_SIZE];
        snprintf(text[0], PLAN_TEXT_SIZE, "r2c:f64:%s:inplace", rests[i]);
        snprintf(text[1], PLAN_TEXT_SIZE, "c2r:f64:%s:inplace", rests[i]);
        sluice_plan *plan[2] = {plan_made(m, text[0]), plan_made(m, text[1])};
        plan_data d;
        double points = 1, worst = 0;
        plan_data_open(&d, plan[0], text[0], 0);
        plan_data_fill(&d, SEED);
        for (int k = 0; k < d.p.rank; k++)
            points *= (double)d.p.dim[k].n;
        for (int k = 0; k < 2; k++)
            assert_int_equal(sluice_execute(plan[k], d.arrays.in, d.arrays.out), SLUICE_OK);
        for (size_t k = 0; k < d.elements[0]; k++) {
            double now, before;
            const char *at = plan_data_at(&d, 0, k, 0);
            memcpy(&now, at, sizeof now);
            memcpy(&before, d.kept[0][0] + (at - d.block[0][0]), sizeof before);
            worst = fmax(worst, fabs(now / points - before));
        }
        if (!(worst < 1e-14))
            fail_msg("%s and back: off by %g", text[0], worst);
        plan_data_close(&d);
        sluice_plan_destroy(plan[0]);
        sluice_plan_destroy(plan[1]);
    }
}

static void back_from_there_is_n_times(void **state)
{
    (void)state;
    machines_of_all(round_trips);
}

/* A plan's bits do not depend on the number of workers, nor on the place in a batch. */
static void by_workers(sluice_machine *m)
{
    static const char *const problems[] = {
        "r2c:f32:65536",   "c2r:f32:65536", "r2c:f64:100x96*3", "c2r:f64:100x96*3",
        "r2c:f32:1000*17", "c2r:f32:4099",  "r2c:f32:16x30x50", "c2r:f32:16x30x50"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        machine_check_workers(m, problems[i], SEED);
}

static void reproducible(void **state)
{
    (void)state;
    machines_of_all(by_workers);
}

/* ---------------------------------------------------------------- streams ---------------- */

enum { BLOCKS = 3, BLOCK = 8, SHORT = 5 }; /* the last block is short */

/* Samples of all transforms, and their results as the stream gave them. */
typedef struct flow {
    const plan_data *all;
    size_t bytes[2]; /* of a transform on each side */
    size_t given, taken;
    char *results;
} flow;

static sluice_status give(void *user, sluice_slot *slot)
{
    flow *f = user;
    if (f->given == BLOCKS)
        return SLUICE_END;
    slot->count = ++f->given == BLOCKS ? SHORT : BLOCK;
    memcpy(slot->in, (const char *)f->all->arrays.in + (f->given - 1) * BLOCK * f->bytes[0],
           slot->count * f->bytes[0]);
    return SLUICE_OK;
}

static sluice_status take(void *user, sluice_slot *slot)
{
    flow *f = user;
    memcpy(f->results + f->taken * f->bytes[1], slot->out, slot->count * f->bytes[1]);
    f->taken += slot->count;
    return SLUICE_OK;
}

/* A stream computes what its plan does, block by block; so does a short block. */
static void stream_kind(sluice_machine *m, const char *kind, const char *sizes)
{
    char text[2][PLAN_TEXT_SIZE];
    enum { ALL = BLOCKS * BLOCK, COUNT = ALL - BLOCK + SHORT };
    snprintf(text[0], PLAN_TEXT_SIZE, "%s:f32:%s*%d", kind, sizes, BLOCK);
    snprintf(text[1], PLAN_TEXT_SIZE, "%s:f32:%s*%d", kind, sizes, ALL);
    sluice_plan *block = plan_made(m, text[0]), *all = plan_made(m, text[1]);
    sluice_stream_stats stats;
    plan_data d;
    plan_data_open(&d, all, text[1], 0);
    plan_data_fill(&d, SEED);
    flow f = {.all = &d};
    for (int side = 0; side < 2; side++)
        f.bytes[side] = (size_t)(plan_data_at(&d, side, d.elements[side] / ALL, 0)
                                 - plan_data_at(&d, side, 0, 0));
    for (size_t i = 0; i < BLOCKS; i++)
        assert_int_equal(sluice_execute(block, (const char *)d.arrays.in + i * BLOCK * f.bytes[0],
                                        (char *)d.arrays.out + i * BLOCK * f.bytes[1]),
                         SLUICE_OK);
    f.results = test_malloc(COUNT * f.bytes[1]);
    assert_int_equal(sluice_stream_run(block, give, take, &f, NULL, &stats), SLUICE_OK);
    assert_int_equal(f.taken, COUNT);
    assert_int_equal(stats.bytes_in, COUNT * f.bytes[0]);
    assert_int_equal(stats.bytes_out, COUNT * f.bytes[1]);
    if (memcmp(f.results, d.arrays.out, COUNT * f.bytes[1]) != 0)
        fail_msg("%s: the stream has other bits", text[0]);
    test_free(f.results);
    plan_data_close(&d);
    sluice_plan_destroy(block);
    sluice_plan_destroy(all);
}

static void streamed(sluice_machine *m)
{
    stream_kind(m, "r2c", "100");
    stream_kind(m, "c2r", "100");
    stream_kind(m, "r2c", "6x9");
    stream_kind(m, "c2r", "15x16");
}

static void streams_of_reals(void **state)
{
    (void)state;
    machines_of_isas("cpu:3", streamed);
}

/* ---------------------------------------------------------------- scipy ------------------ */

/* What scipy.fft computes of x_j = cos(j) + j / 8, pairs of which are the complex numbers: rfft and
 * rfftn; irfft and irfftn times the points by which scipy divides. */
static const struct {
    const char *problem;
    double want[2 * 18];
} by_scipy[] = {
    {"r2c:f64:6",
     {1.6391815373201661, 0, 2.5618699709715056, 0.22158394040220047, -0.24207951356075119,
      0.19992773558033367, -0.27876245214167494, 0}},
    {"r2c:f64:7",
     {3.3493518239705318, 0, 3.0083749396930117, 2.0649437734634799, -0.67681237376707037,
      0.19163172625022157, -0.50623847791120724, 0.062813591547167924}},
    {"r2c:f64:3x4",
     {7.8369779515321447, 0, -0.25409557569899643, 0.60550122628422121, -0.52536141882305332, 0,
      -2.5922445166852444, -1.0698594062396041, 1.4906131683616757, -0.22493844171454569,
      1.4379957406892716, 0.56566248418670839, -2.5922445166852444, 1.0698594062396041,
      2.2619229169787483, -4.2214471919754306, 1.4379957406892716, -0.56566248418670839}},
    {"r2c:f64:2x3x5", {53.893584396773406,   0,
                       0.34522132312250164,  0.84183639309174563,
                       -1.1440444784971624,  0.42501357507642146,
                       -10.428747277805876,  6.2751072013584688,
                       0.83928720313526561,  0.82944856883153495,
                       -0.33728191583395395, 0.072297854612578288,
                       -10.428747277805876,  -6.2751072013584688,
                       0.063119968394805992, 3.6938978315714142,
                       -0.41950636734344726, 0.40688969687552645,
                       -24.693552576928077,  0,
                       -2.8264352729148929,  -5.4970430811029987,
                       0.62319580030075439,  -0.58233758401163316,
                       -1.9797105765459726,  -0.66796043223614243,
                       1.4906117405239643,   -5.1267323059961729,
                       1.1782242185675804,   -1.6190987630921607,
                       -1.9797105765459726,  0.66796043223614243,
                       10.82859238460065,    -0.99753972427403159,
                       2.1674573403731121,   0.97031473041873106}},
    {"c2r:f64:6",
     {2.0705893718288571, -1.2313243240871767, 5.6690080665856035, -0.68516385528330481,
      0.390913421536637, -0.21402268058061594}},
    {"c2r:f64:7",
     {3.7807596584792229, -4.4440519121417115, 8.0180543264220425, -0.87491423881405717,
      1.5683110671762894, -1.0513623201796269, 0.003203419057839163}},
    {"c2r:f64:3x4",
     {11.503830310823563, 2.3260202183341949, 1.2034689194152532, 5.1827775329584185,
      -2.2295967888082524, 4.5754248468039975, 0.79477702896472024, -4.1186835220263198,
      -7.7320454038890016, 0.2494407770553162, 1.5377042083120447, -1.2931181279439368}},
    {"c2r:f64:2x3x5",
     {61.698378400340246,   -24.541184120096919, 10.510374523943387,  -14.812938915031822,
      43.609227165102723,   -5.4152949890160942, 12.572740968294051,  0.90462450794688776,
      1.0895405467635579,   -11.227189893469815, -18.522148618543905, 1.2251618207902384,
      3.3594981064333931,   1.7112954093221999,  -3.507334289116911,  -36.091467039220014,
      21.180761536173513,   6.9333724476924452,  4.131804701776975,   -22.078086246851932,
      0.010320869088986329, -1.2519886774011317, 0.81296198510733375, -0.060714885134211867,
      0.11980348015579767,  0.48272588842173147, -1.7004616029444866, -0.7695147298572238,
      0.27618728673590542,  -0.65045563740488832}},
};

static void against_scipy(sluice_machine *m)
{
    for (size_t i = 0; i < sizeof by_scipy / sizeof by_scipy[0]; i++) {
        sluice_plan *plan = plan_made(m, by_scipy[i].problem);
        double x[2 * 18], y[2 * 18] = {0};
        for (int j = 0; j < 2 * 18; j++)
            x[j] = cos(j) + j / 8.0;
        assert_int_equal(sluice_execute(plan, x, y), SLUICE_OK);
        for (int k = 0; k < 2 * 18; k++)
            if (!(fabs(y[k] - by_scipy[i].want[k]) < 1e-13))
                fail_msg("%s: number %d is %.17g, not %.17g", by_scipy[i].problem, k, y[k],
                         by_scipy[i].want[k]);
        sluice_plan_destroy(plan);
    }
}

static void numbers_of_scipy(void **state)
{
    (void)state;
    machines_of_all(against_scipy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(back_from_there_is_n_times, nothing_leaks),
        cmocka_unit_test_teardown(reproducible, nothing_leaks),
        cmocka_unit_test_teardown(streams_of_reals, nothing_leaks),
        cmocka_unit_test_teardown(numbers_of_scipy, nothing_leaks),
    };
    return cmocka_run_group_tests_name("plans of reals", tests, NULL, NULL);
}
