// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory at every allocation in turn: SLUICE_E_MEMORY, nothing leaks, nothing breaks. */
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

enum { MOST = 100000 /* allocations of one call */ };
static const char described[] =
    "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1";

/* What is tried: a call that may fail, and what undoes it where it did not. */
typedef struct trial {
    const char *name;
    sluice_machine *machine;
    sluice_plan *plan;
    sluice_problem problem;
    sluice_plan_options options;
    const char *formula;
    char file[PLAN_TEXT_SIZE];
} trial;

typedef sluice_status attempt(trial *t, sluice_diag *why);

/* Fails the first allocation, then one `step` later, .. until the call gets through unharmed. */
static void starve_by(trial *t, attempt *call, long step)
{
    const long alive = core_mem_live();
    for (long k = 1; k < MOST; k += step) {
        sluice_diag why = {.offset = 0, .message = ""};
        const long before = core_mem_count();
        core_mem_fail_from(k);
        const sluice_status status = call(t, &why);
        core_mem_fail_from(0);
        const bool starved = core_mem_count() - before >= k;
        if (core_mem_live() != alive)
            fail_msg("%s, allocation %ld failing: %ld blocks leak", t->name, k,
                     core_mem_live() - alive);
        if (!starved && status == SLUICE_OK)
            return;
        if (!starved || status != SLUICE_E_MEMORY)
            fail_msg("%s, allocation %ld failing: %s (%s)", t->name, k, sluice_strerror(status),
                     why.message);
    }
    fail_msg("%s: never succeeds", t->name);
}

static void starve(trial *t, attempt *call)
{
    starve_by(t, call, 1);
}

/* ---------------------------------------------------------------- calls ------------------ */

static sluice_status open_machine(trial *t, sluice_diag *why)
{
    const sluice_machine_options options = {.units = t->name};
    sluice_machine *m = NULL;
    const sluice_status status = sluice_machine_open(&m, &options, why);
    assert_int_equal(status == SLUICE_OK, m != NULL);
    sluice_machine_close(m);
    return status;
}

static sluice_status create(trial *t, sluice_diag *why)
{
    sluice_plan *plan = NULL;
    const sluice_status status =
        sluice_plan_create(&plan, t->machine, &t->problem, &t->options, why);
    assert_int_equal(status == SLUICE_OK, plan != NULL);
    if (status == SLUICE_E_MEMORY && why->message[0] == '\0')
        fail_msg("%s: out of memory without a sentence", t->name);
    sluice_plan_destroy(plan);
    return status;
}

/* With a machine of its own, where there is no scratch and no table yet. */
static sluice_status create_alone(trial *t, sluice_diag *why)
{
    const sluice_machine_options options = {.units = "cpu:2"};
    trial own = *t;
    sluice_status status = sluice_machine_open(&own.machine, &options, why);
    if (status == SLUICE_OK)
        status = create(&own, why);
    sluice_machine_close(own.machine);
    return status;
}

static sluice_status from_formula(trial *t, sluice_diag *why)
{
    sluice_plan *plan = NULL;
    const sluice_status status =
        sluice_plan_from_formula(&plan, t->machine, t->formula, SLUICE_F64, NULL, why);
    assert_int_equal(status == SLUICE_OK, plan != NULL);
    sluice_plan_destroy(plan);
    return status;
}

static sluice_status swallow(void *user, const char *text, size_t length)
{
    (void)user, (void)text, (void)length;
    return SLUICE_OK;
}

static sluice_status print(trial *t, sluice_diag *why)
{
    (void)why;
    return sluice_plan_print(t->plan, (sluice_level)atoi(t->name + strlen("level ")), swallow,
                             NULL);
}

static sluice_status verify(trial *t, sluice_diag *why)
{
    double error, bound;
    return sluice_plan_verify(t->plan, &error, &bound, why);
}

static sluice_status print_problem(trial *t, sluice_diag *why)
{
    char text[PLAN_TEXT_SIZE];
    (void)why;
    return sluice_problem_print(&t->problem, text, sizeof text);
}

static sluice_status parse_problem(trial *t, sluice_diag *why)
{
    return sluice_problem_parse(&t->problem, t->name, why);
}

static sluice_status save(trial *t, sluice_diag *why)
{
    (void)why;
    return sluice_wisdom_save(t->machine, t->file);
}

/* Into a machine of its own: wisdom that was kept stays allocated. */
static sluice_status load(trial *t, sluice_diag *why)
{
    const sluice_machine_options options = {.units = "cpu:2"};
    sluice_machine *m = NULL;
    sluice_status status = sluice_machine_open(&m, &options, why);
    if (status == SLUICE_OK)
        status = sluice_wisdom_load(m, t->file, why);
    sluice_machine_close(m);
    return status;
}

/* A measured plan on a machine of its own: what it finds is kept there. */
static sluice_status measure(trial *t, sluice_diag *why)
{
    const sluice_machine_options options = {.units = "cpu:2"};
    trial own = *t;
    sluice_status status = sluice_machine_open(&own.machine, &options, why);
    if (status == SLUICE_OK)
        status = create(&own, why);
    if (status == SLUICE_OK)
        status = create(&own, why); /* by wisdom */
    sluice_machine_close(own.machine);
    return status;
}

static sluice_status open_stream(trial *t, sluice_diag *why)
{
    sluice_stream *stream = NULL;
    const sluice_status status = sluice_stream_open(&stream, t->plan, NULL, why);
    assert_int_equal(status == SLUICE_OK, stream != NULL);
    sluice_stream_close(stream);
    return status;
}

static sluice_status give(void *user, sluice_slot *slot)
{
    if (++*(int *)user > 3)
        return SLUICE_END;
    slot->count = *(int *)user == 3 ? 1 : slot->count; /* the last block is short */
    return SLUICE_OK;
}

static sluice_status take(void *user, sluice_slot *slot)
{
    (void)user;
    return slot->status;
}

static sluice_status run_stream(trial *t, sluice_diag *why)
{
    int given = 0;
    (void)why;
    return sluice_stream_run(t->plan, give, take, &given, NULL, NULL);
}

/* ---------------------------------------------------------------- tests ------------------ */

static void machines_starve(void **state)
{
    static const char *const units[] = {"cpu", "cpu:3", "ref", "ref:2", "all", "cpu:2/helper"};
    (void)state;
    unsetenv("SLUICE_TOPOLOGY");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        starve(&(trial){.name = units[i]}, open_machine);
    setenv("SLUICE_TOPOLOGY", described, 1);
}

/* Problems whose plans differ in kind: one codelet, tables, tiles, parts, gaps, layouts. */
static const char *const problems[] = {"c2c:f32:8",
                                       "c2c:f32:16*100",
                                       "c2c:f64:1000*3",
                                       "c2c:f32:4096:inplace",
                                       "c2c:f32:65536",
                                       "c2c:f64:131072",
                                       "c2c:f32:60x48*2",
                                       "c2c:f64:9@3/-2*7@100/50",
                                       "c2c:f32:512*5:in=split:out=split",
                                       "c2c:f32:12@24/24x9@2/1:inverse:in=split",
                                       "c2c:f64:12x10x8:inplace",
                                       "c2c:f32:1",
                                       "c2c:f32:5@2/3*2@2/5",
                                       "c2c:f32:101",
                                       "c2c:f64:257", /* powers */
                                       "c2c:f64:37x16:inplace",
                                       "c2c:f32:4096:in_cyclic=64/2:out_cyclic=32/2",
                                       "c2c:f64:96:inplace:in_cyclic=4/6",
                                       "dst1:f64:17*20", /* rows as columns; sides moved; rests */
                                       "dct4:f64:33@2*2@1:inplace",
                                       "c2c:f64:35@45*45@1"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* Sanitizers see every second failure of a machine that others use as well. */
static void plans_starve(void **state)
{
    (void)state;
    for (int i = 0; i < PROBLEMS; i++) {
        trial t = {.name = problems[i], .machine = plan_machine("ref:2", NULL)};
        starve(&t, parse_problem);
        assert_int_equal(sluice_problem_parse(&t.problem, problems[i], NULL), SLUICE_OK);
        starve(&t, print_problem);
        starve(&t, create_alone);
        starve_by(&t, create, 1 + PLAN_SANITIZED);
        sluice_machine_close(t.machine);
    }
}

/* Formulas for groups of work-items. */
static void groups_starve(void **state)
{
    static const char *const grouped[] = {"dct3:f32:96x128", "dct2*r2c:f32:96x100",
                                          "c2c:f32:16384*3", "c2c:f32:64@200/1*200@1/64"};
    (void)state;
    for (size_t i = 0; i < sizeof grouped / sizeof *grouped; i++) {
        trial t = {.name = grouped[i], .machine = plan_machine("ref:gpu", NULL)};
        assert_int_equal(sluice_problem_parse(&t.problem, t.name, NULL), SLUICE_OK);
        starve_by(&t, create, 1);
        sluice_machine_close(t.machine);
    }
}

/* Plans that get and put, and the choice who does. */
static void transfers_starve(void **state)
{
    static const char *const units[] = {"cpu:2/helper", "cpu:2/measure"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial t = {.name = "c2c:f64:1024*16", .machine = plan_machine(units[i], NULL)};
        trial typed = {.name = units[i],
                       .formula = "(I(64) (x) DFT(64)_{leaf})_{stream(8)}",
                       .machine = t.machine};
        assert_int_equal(sluice_problem_parse(&t.problem, t.name, NULL), SLUICE_OK);
        sluice_plan_destroy(plan_made(t.machine, t.name)); /* scratch is the machine's */
        sluice_plan_destroy(plan_of_formula(t.machine, typed.formula, SLUICE_F64));
        starve_by(&t, create, 1 + 10 * i);
        starve_by(&typed, from_formula, 1 + 10 * i);
        sluice_machine_close(t.machine);
    }
}

static void measuring_starves(void **state)
{
    static const char *const measured[] = {"c2c:f32:1024", "c2c:f64:48x20:inplace"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial t = {.name = measured[i], .options = {.effort = SLUICE_MEASURE}};
        assert_int_equal(sluice_problem_parse(&t.problem, measured[i], NULL), SLUICE_OK);
        starve_by(&t, measure, 37);
        t.options.time_limit = 1e-9; /* one formula only */
        starve_by(&t, measure, i + 1);
    }
}

static void formulas_starve(void **state)
{
    static const char *const formulas[] = {
        "DFT(8)",
        "DFT(64)_{spe(2,4),stream(1)}",
        "DFT(4096)_{local(16384),spe(2,4)}",
        "c2c:f32:64 := (DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8)",
        "(I(6) (x) DFT(100))_{spe(2,1)}",
        "(DFT(16)_{leaf} (x) I(24))_{tile(8),spe(2,8)}",
        "G(h(8,8,7,-1))",
        "B(5,8) * L(8,2) * C(8)"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        trial t = {.name = formulas[i], .formula = formulas[i], .machine = m};
        sluice_plan_destroy(plan_of_formula(m, formulas[i], SLUICE_F64));
        starve(&t, from_formula);
    }
    sluice_machine_close(m);
}

/* Of programs, which are long, sanitizers see a part. What measures takes milliseconds, then prints
 * what other levels fail at. */
static long step_of(int level)
{
    const bool measured = level >= SLUICE_LEVEL_MEASURED, program = level >= SLUICE_LEVEL_C;
    return measured ? 5 : program && PLAN_SANITIZED ? 3 : 1;
}

/* Every attempt generates the codelets again: 18 points are one codelet within vectors, as 48 are,
 * with a third of its allocations. */
static void text_and_verifying_starve(void **state)
{
    static const char *const few[] = {"c2c:f32:1024*3", "c2c:f64:12x10:inplace",
                                      "c2c:f32:18@2/1*2@100/60:in=split",
                                      "c2c:f64:96:in_cyclic=4/6:out_cyclic=2/3"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        trial t = {.plan = plan_made(m, few[i])};
        for (int level = SLUICE_LEVEL_FORMULA; level <= SLUICE_LEVEL_MEASURED_JSON; level++) {
            char name[32];
            snprintf(name, sizeof name, "level %d", level);
            t.name = name;
            starve_by(&t, print, step_of(level));
        }
        t.name = few[i];
        starve(&t, verify);
        sluice_plan_destroy(t.plan);
    }
    sluice_machine_close(m);
}

/* A codelet that becomes a product first. */
static void long_codelets_starve(void **state)
{
    char name[32];
    (void)state;
    snprintf(name, sizeof name, "level %d", SLUICE_LEVEL_OPENCL);
    sluice_machine *m = plan_machine("cpu:2", NULL);
    trial t = {.name = name, .plan = plan_made(m, "c2c:f32:96*2")};
    starve(&t, print);
    sluice_plan_destroy(t.plan);
    sluice_machine_close(m);
}

static void wisdom_starves(void **state)
{
    trial t = {.name = "wisdom", .options = {.effort = SLUICE_MEASURE, .time_limit = 1e-9}};
    (void)state;
    assert_true(plan_file(t.file));
    t.machine = plan_machine("cpu:2", NULL);
    for (int n = 1; n <= 22; n++) { /* more than the list's first room */
        char text[64];
        snprintf(text, sizeof text, "c2c:f32:%d*2", 16 * n);
        if (!plan_smooth((size_t)n))
            continue;
        assert_int_equal(sluice_problem_parse(&t.problem, text, NULL), SLUICE_OK);
        sluice_plan *plan = NULL;
        assert_int_equal(sluice_plan_create(&plan, t.machine, &t.problem, &t.options, NULL),
                         SLUICE_OK);
        sluice_plan_destroy(plan);
    }
    starve(&t, save);
    starve_by(&t, load, 3);
    starve(&t, create); /* by wisdom */
    remove(t.file);
    sluice_machine_close(t.machine);
}

static void streams_starve(void **state)
{
    static const char *const few[] = {"c2c:f32:256*8", "c2c:f64:4096", "c2c:f32:64*4:inplace",
                                      "c2c:f32:16*6:in=split:out=split"};
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    for (int i = 0; i < 4; i++) {
        trial t = {.name = few[i], .plan = plan_made(m, few[i])};
        starve(&t, open_stream);
        starve(&t, run_stream);
        sluice_plan_destroy(t.plan);
    }
    sluice_machine_close(m);
}

/* An execution allocates nothing. */
static void executes_without_allocations(const char *units)
{
    sluice_machine *m = plan_machine(units, NULL);
    for (int i = 0; i < PROBLEMS; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        plan_data d;
        plan_data_open(&d, plan, problems[i], 0);
        plan_data_fill(&d, 5);
        const long before = core_mem_count();
        core_mem_fail_from(1);
        const sluice_status status = sluice_execute_with(plan, &d.arrays, NULL);
        core_mem_fail_from(0);
        assert_int_equal(status, SLUICE_OK);
        assert_int_equal(core_mem_count(), before);
        assert_true(plan_data_check(&d));
        plan_data_close(&d);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void executions_do_not_allocate(void **state)
{
    (void)state;
    executes_without_allocations("cpu:3");
    executes_without_allocations("cpu:3/helper");
    assert_null(sluice_alloc(SIZE_MAX));
    assert_null(sluice_alloc(SIZE_MAX - 4096));
    core_mem_fail_from(1);
    assert_null(sluice_alloc(64));
    core_mem_fail_from(0);
}

int main(void)
{
    setenv("SLUICE_PLAN_CACHE", "0", 1);     /* a plan that could not be kept is no failure */
    setenv("SLUICE_TOPOLOGY", described, 1); /* reading the machine takes longer than most plans */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(machines_starve, nothing_leaks),
        cmocka_unit_test_teardown(plans_starve, nothing_leaks),
        cmocka_unit_test_teardown(groups_starve, nothing_leaks),
        cmocka_unit_test_teardown(transfers_starve, nothing_leaks),
        cmocka_unit_test_teardown(measuring_starves, nothing_leaks),
        cmocka_unit_test_teardown(formulas_starve, nothing_leaks),
        cmocka_unit_test_teardown(text_and_verifying_starve, nothing_leaks),
        cmocka_unit_test_teardown(long_codelets_starve, nothing_leaks),
        cmocka_unit_test_teardown(wisdom_starves, nothing_leaks),
        cmocka_unit_test_teardown(streams_starve, nothing_leaks),
        cmocka_unit_test_teardown(executions_do_not_allocate, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
