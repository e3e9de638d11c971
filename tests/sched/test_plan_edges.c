// SPDX-License-Identifier: BSD-3-Clause
/* No byte beyond the elements of a side is touched, not even read: arrays between pages that nobody
 * may touch, at their end and at their beginning. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

/* `bytes` bytes that begin or end at a forbidden page. */
typedef struct fenced {
    char *map, *data;
    size_t bytes;
} fenced;

static fenced fence(size_t bytes, bool at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    fenced f = {.bytes = inside + 2 * page};
    f.map = mmap(NULL, f.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.map != MAP_FAILED);
    assert_int_equal(mprotect(f.map + page, inside, PROT_READ | PROT_WRITE), 0);
    f.data = f.map + page + (at_end ? inside - bytes : 0);
    return f;
}

static sigjmp_buf trespass;

static void caught(int number)
{
    (void)number;
    siglongjmp(trespass, 1);
}

/* Runs on fenced arrays; false where the fence is touched. */
static bool stays_inside(const sluice_plan *plan, bool at_end)
{
    const struct sigaction mine = {.sa_handler = caught};
    struct sigaction before[2];
    fenced f[2][2];
    char *p[2][2];
    for (int side = 0; side < 2; side++)
        for (int part = 0; part < 2; part++) {
            f[side][part] = fence(plan->bytes_before[side] + plan->bytes_from[side], at_end);
            p[side][part] = f[side && !plan->in_place][part].data + plan->bytes_before[side];
        }
    const bool in_im = plan->problem.in_layout == SLUICE_SPLIT;
    const bool out_im = plan->problem.out_layout == SLUICE_SPLIT;
    const sluice_arrays a = {.in = p[0][0],
                             .in_im = in_im ? p[0][1] : NULL,
                             .out = p[1][0],
                             .out_im = out_im ? p[1][1] : NULL};
    volatile bool inside = false;
    sigaction(SIGSEGV, &mine, &before[0]);
    sigaction(SIGBUS, &mine, &before[1]);
    if (sigsetjmp(trespass, 1) == 0)
        inside = sluice_execute_with(plan, &a, NULL) == SLUICE_OK;
    sigaction(SIGSEGV, &before[0], NULL);
    sigaction(SIGBUS, &before[1], NULL);
    for (int i = 0; i < 4; i++)
        munmap(f[i / 2][i % 2].map, f[i / 2][i % 2].bytes);
    return inside;
}

static void check(sluice_machine *m, const char *isa, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    for (int at_end = 0; at_end < 2; at_end++)
        if (!stays_inside(plan, at_end))
            fail_msg("SLUICE_CPU=%s %s: touches memory %s its arrays", isa, problem,
                     at_end ? "beyond" : "before");
    sluice_plan_destroy(plan);
}

static void small_sizes(sluice_machine *m, const char *isa)
{
    static const char *const sides[] = {"",          ":inplace",   ":in=split:out=split",
                                        ":in=split", ":out=split", ":in=split:out=split:inplace"};
    char text[PLAN_TEXT_SIZE];
    int turn = 0;
    for (size_t n = 1; n <= 150; n++)
        for (size_t batch = 1; plan_smooth(n) && batch <= 19; batch += batch < 5 ? 1 : 7, turn++) {
            snprintf(text, sizeof text, "c2c:%s:%zu*%zu%s", turn % 2 ? "f32" : "f64", n, batch,
                     sides[turn % 6]);
            check(m, isa, text);
            snprintf(text, sizeof text, "c2c:%s:%zu@%zu/%zu*%zu@1/1%s", turn % 2 ? "f64" : "f32", n,
                     batch + 1, batch + 1, batch, sides[turn % 6]);
            check(m, isa, text);
        }
}

static void larger_sizes(sluice_machine *m, const char *isa)
{
    static const char *const problems[] = {"c2c:f32:1000*7",
                                           "c2c:f64:1024*3:inplace",
                                           "c2c:f32:16384",
                                           "c2c:f64:30030",
                                           "c2c:f32:37",
                                           "c2c:f64:101*3:inplace",
                                           "c2c:f32:53x17",
                                           "c2c:f32:43x16",
                                           "c2c:f32:31@-2/3*7@100/-100",
                                           "c2c:f32:12x10x7",
                                           "c2c:f64:65x39:in=split",
                                           "c2c:f32:48@-3/5x30@-200/300",
                                           "c2c:f32:27@-1/-1",
                                           "c2c:f64:60@2/-7*9@-200/500",
                                           "c2c:f32:4096*5:in=split:out=split"};
    char text[PLAN_TEXT_SIZE];
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        check(m, isa, problems[i]);
        snprintf(text, sizeof text, "%s:inverse", problems[i]);
        check(m, isa, text);
    }
}

/* Moves and pairs of reals: extensions, folds of odd numbers, odd numbers of columns. */
static void real_sizes(sluice_machine *m, const char *isa)
{
    static const char *const kinds[] = {"dct1", "dst1", "dct2", "dct3", "dct4", "dst3", "dht"};
    static const char *const shapes[][2] = {{"f32:", ""},   {"f64:", ""},     {"f32:", ":inplace"},
                                            {"f32:", "x3"}, {"f32:9x", ""},   {"f64:7x", "*2"},
                                            {"f32:", "x8"}, {"f32:", "@2/1"}, {"f64:", "@-1/2"}};
    char text[PLAN_TEXT_SIZE];
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            for (size_t n = 2; n <= 70; n += n < 20 ? 1 : 7) {
                snprintf(text, sizeof text, "%s:%s%zu%s", kinds[k], shapes[i][0], n, shapes[i][1]);
                check(m, isa, text);
            }
}

static void on_all(void (*body)(sluice_machine *m, const char *isa))
{
    for (int i = 0; i < PLAN_ISAS; i++) {
        sluice_machine *m = plan_machine("cpu:1", plan_isas[i]); /* faults are the caller's */
        if (m == NULL)
            continue;
        body(m, plan_isas[i]);
        sluice_machine_close(m);
    }
}

static void small_sizes_stay_inside(void **state)
{
    (void)state;
    on_all(small_sizes);
}

static void larger_sizes_stay_inside(void **state)
{
    (void)state;
    on_all(larger_sizes);
}

static void real_sizes_stay_inside(void **state)
{
    (void)state;
    on_all(real_sizes);
}

/* A plan that believes its output to be one element shorter than it is. */
static void a_trespass_is_noticed(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, "c2c:f32:16*3");
    assert_true(stays_inside(plan, true));
    plan->bytes_from[1] -= 8;
    assert_false(stays_inside(plan, true));
    plan->bytes_from[1] += 8;
    plan->bytes_from[0] -= 8;
    assert_false(stays_inside(plan, true));
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(small_sizes_stay_inside, nothing_leaks),
        cmocka_unit_test_teardown(larger_sizes_stay_inside, nothing_leaks),
        cmocka_unit_test_teardown(real_sizes_stay_inside, nothing_leaks),
        cmocka_unit_test_teardown(a_trespass_is_noticed, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
