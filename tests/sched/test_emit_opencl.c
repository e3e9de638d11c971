// SPDX-License-Identifier: BSD-3-Clause
/* sluice emit --target opencl: what it writes builds without a warning, and on a host that knows
 * nothing but its own description computes what the reference does. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/ref/ref_run.h"
#include "core/text.h"
#include "spl/emit/print_opencl.h"
#include "tests/helpers/helper_distance.h"
#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_program.h"
#include "tests/helpers/opencl_host.h"

enum { SKIPPED = 77 };

/* What the leak sanitizer is not to mind: the device keeps its compiler until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang-cpp\nleak:libOpenCL\n";
}

static opencl_host *host;
static sluice_machine *reference;

/* ---------------------------------------------------------------- against ref ----------- */

/* Runs the text of a plan, one of three optimised; by the reference, the same formula. `transform`:
 * the formula is a DFT, whose definition the output is compared with as well, gaps included. */
static opencl_program compare(const sluice_plan *plan, const char *name, bool transform)
{
    static int turn;
    opencl_program program;
    plan_data got, want;
    char *line = plan_line(plan);
    sluice_problem p;
    assert_int_equal(sluice_plan_problem(plan, &p), SLUICE_OK);
    sluice_plan *check = plan_of_formula(reference, line, p.precision);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);

    plan_data_open(&got, plan, name, 0);
    plan_data_open(&want, plan, name, 0);
    plan_data_fill(&got, 7);
    plan_data_fill(&want, 7);
    opencl_compile_plainly(turn++ % 3 != 0);
    if (!opencl_run_text(host, text.data, &got.arrays, &program))
        fail_msg("%s: %s\n%s", name, program.message, text.data);
    assert_int_equal(sluice_execute_with(check, &want.arrays, NULL), SLUICE_OK);
    const double error = distance_of(&got, &want);
    if (!(error <= distance_bound(&got)))
        fail_msg("%s: %g from the reference, bound %g", name, error, distance_bound(&got));
    if (transform && !plan_data_check(&got))
        fail_msg("%s: %s", name, got.message);
    plan_data_close(&got);
    plan_data_close(&want);
    test_free(text.data);
    test_free(line);
    sluice_plan_destroy(check);
    return program;
}

static opencl_program problem(const char *units, const char *text)
{
    sluice_machine *m = plan_machine(units, NULL);
    sluice_plan *plan = plan_made(m, text);
    const opencl_program program = compare(plan, text, true);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return program;
}

static opencl_program formula(const char *text, sluice_precision precision)
{
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = plan_of_formula(m, text, precision);
    const opencl_program program = compare(plan, text, false);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return program;
}

/* A problem of any kinds, compared with their definitions. */
static opencl_program of_kind(const char *units, const char *text)
{
    opencl_program program;
    plan_data got;
    sluice_machine *m = plan_machine(units, NULL);
    sluice_plan *plan = plan_made(m, text);
    const plan_text cl = plan_printed(plan, SLUICE_LEVEL_OPENCL);

    plan_data_open(&got, plan, text, 0);
    plan_data_fill(&got, 7);
    if (!opencl_run_text(host, cl.data, &got.arrays, &program))
        fail_msg("%s: %s\n%s", text, program.message, cl.data);
    if (!plan_data_check(&got))
        fail_msg("%s: %s", text, got.message);
    plan_data_close(&got);
    test_free(cl.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return program;
}

/* ---------------------------------------------------------------- programs -------------- */

static void batched(void **state)
{
    (void)state;
    const opencl_program p = problem("cpu:2", "c2c:f32:16*1000");
    assert_int_equal(p.kernels, 1);
    assert_true(p.groups > 1);
    assert_int_equal(p.scratch_bytes, 0);
    problem("cpu:2", "c2c:f64:15*100:inverse");
    problem("cpu:2", "c2c:f64:64*9:scale=ortho");
    problem("cpu:2", "c2c:f32:100:inverse:scale=n");
    problem("cpu:2", "c2c:f32:8*33:in=split:out=split");
    problem("cpu:2", "c2c:f64:12*9:inverse:in=split");
    problem("cpu:2", "c2c:f32:8*100:inplace");
    problem("cpu:2", "c2c:f32:8@20/10*16@160/-90");
    problem("cpu:2", "c2c:f32:257"); /* powers, a direct sum */
    problem("cpu:2", "c2c:f32:256:in_cyclic=16/2:out_cyclic=32/2");
    problem("cpu:2", "c2c:f64:60x4:inverse:in_cyclic=4/3:out=split");
}

/* Transforms of reals in registers, long ones by halves; pairs of rows, mirrored reals, rows
 * without a partner; kinds of several axes; odd sizes. */
static void of_reals(void **state)
{
    (void)state;
    of_kind("cpu:2", "r2c:f32:16*20");
    of_kind("cpu:2", "dct2:f32:8*33");
    of_kind("cpu:2", "c2r:f64:256:in=split");
    of_kind("cpu:2", "r2c:f64:200:inplace");
    of_kind("cpu:2", "c2r:f32:256*20");
    of_kind("cpu:2", "r2c:f32:512:out=halfcomplex");
    of_kind("cpu:2", "dct3:f64:512:scale=ortho");
    of_kind("cpu:2", "dct4:f32:240");
    of_kind("cpu:2", "r2c:f32:45");
    of_kind("cpu:2", "dct2*r2c:f32:24x40");
    of_kind("cpu:2", "dst2*dht*dct4:f64:6x10x8");
    of_kind("cpu:2", "dct2:f32:30@3/4");
}

/* Tables of products are values; a reproducible plan has the bits that it has itself. */
static void reproducible(void **state)
{
    static const char name[] = "dct4:f64:28x5:scale=ortho";
    const sluice_plan_options options = {.reproducible = true};
    opencl_program program;
    plan_data got, want;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = NULL;
    (void)state;

    assert_int_equal(sluice_plan_from_text(&plan, m, name, &options, NULL), SLUICE_OK);
    const plan_text cl = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    assert_non_null(strstr(cl.data, "\"values\": ["));
    plan_data_open(&got, plan, name, 0);
    plan_data_open(&want, plan, name, 0);
    plan_data_fill(&got, 7);
    plan_data_fill(&want, 7);
    if (!opencl_run_text(host, cl.data, &got.arrays, &program))
        fail_msg("%s: %s\n%s", name, program.message, cl.data);
    assert_int_equal(sluice_execute_with(plan, &want.arrays, NULL), SLUICE_OK);
    for (size_t i = 0; i < got.total; i++)
        assert_memory_equal(plan_data_at(&got, 1, i, 0), plan_data_at(&want, 1, i, 0), got.scalar);
    plan_data_close(&got);
    plan_data_close(&want);
    test_free(cl.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Two stages in one kernel, with local memory between them. */
static void two_stages(void **state)
{
    (void)state;
    opencl_program p = problem("cpu:2", "c2c:f32:1024*7");
    assert_int_equal(p.launches, 1);
    assert_true(p.local_bytes >= 1024 * 8);
    assert_int_equal(p.scratch_bytes, 0);
    p = problem("cpu:2", "c2c:f64:360*5"); /* one codelet on some CPUs */
    assert_int_equal(p.launches, 1);
    assert_true(p.local_bytes >= 360 * 16);
    /* Without parts, what is each transform's own is each group's. */
    p = problem("cpu:1", "c2c:f32:100x3*5");
    assert_true(p.groups >= 5);
}

/* Stages that are kernels: what one writes all of the next may read. */
static void large(void **state)
{
    (void)state;
    const opencl_program p = problem("cpu:2", "c2c:f32:65536");
    assert_true(p.kernels > 1);
    assert_true(p.scratch_bytes >= 65536 * 8);
    problem("cpu:2", "c2c:f64:24x20:inverse");
    problem("cpu:2", "c2c:f32:67:inplace"); /* by convolution: chirps and spectra */
}

static void formulas(void **state)
{
    (void)state;
    formula("(DFT(8)_{leaf} * P(fold(8)) * P(l(8,2))) (x) I(16)", SLUICE_F32);
    /* More scratch than local memory holds. */
    opencl_program p = formula("(I(3) (x) DFT(4096))_{spe(3,1)}", SLUICE_F64);
    assert_int_equal(p.local_bytes, 0);
    assert_true(p.scratch_bytes >= 3 * 4096 * 16);
    p = formula("(I(16) (x) DFT(1024))_{spe(2,4),stream(4)}", SLUICE_F32);
    assert_int_equal(p.groups, 2);
    assert_true(p.local_bytes >= 1024 * 8);
    /* A streamed block is a group's where there are no parts. */
    p = formula("(I(16) (x) DFT(1024))_{stream(4)}", SLUICE_F32);
    assert_int_equal(p.groups, 4);
    assert_true(p.local_bytes >= 1024 * 8);
    /* Barriers in a loop: the host walks it. */
    p = formula("I(3) (x) {DFT(1024)_{spe(3,4)}}", SLUICE_F64);
    assert_int_equal(p.launches, 3 * p.kernels);
    p = formula("I(20000) (x) {(DFT(4) (x) I(4))_{spe(2,2)} * (DFT(4) (x) I(4))_{spe(2,2)}}",
                SLUICE_F32);
    assert_int_equal(p.kernels, 2);
    assert_int_equal(p.launches, 40000);
    /* A loop that is a share of another one. */
    p = formula("SUM(k2<3, SUM(k1<7@k2/3, S(h(64,448,64*k1%7,1)) * {(DFT(8)_{leaf} (x) "
                "I(8))_{spe(2,2)} * (DFT(8)_{leaf} (x) I(8))_{spe(2,2)}} * "
                "G(h(64,448,64*k1%7,1))))",
                SLUICE_F32);
    assert_int_equal(p.launches, 7 * p.kernels);
    /* Elements that move; indices that are no sums of digits, and tables of them. */
    formula("L(30,5) * (I(6) (x) DFT(5)) * T(5,6) * L(30,6)", SLUICE_F64);
    formula("(I(2) (x) ((DFT(9) (x) I(8)) * L(72,4) * (I(8) (x) DFT(9))))_{spe(2,1)}", SLUICE_F32);
    formula("DFT(6) * P(table(6: 3,1,4,0,5,2))", SLUICE_F32);
    /* Roots beyond n, by no digits: their table has all that are read. */
    formula("D.roots(8,two(i%2, h(64,8,0,3), h(64,8,5,2)))", SLUICE_F32);
}

enum { MOST_NAME = 223 }; /* characters, of 255 that a file may have: implementations add theirs */

/* The name of the only kernel of a plan. It runs; many stages round more than the bound allows. */
static void name_of(const sluice_plan *plan, char out[MOST_NAME + 1])
{
    static const char before[] = "\nvoid ";
    opencl_program program;
    plan_data data;
    plan_text cl = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    const char *at = strstr(cl.data, before);
    assert_non_null(at);
    at += sizeof before - 1;
    assert_in_range(strcspn(at, "("), 100, MOST_NAME);
    snprintf(out, MOST_NAME + 1, "%.*s", (int)strcspn(at, "("), at);
    plan_data_open(&data, plan, out, 0);
    plan_data_fill(&data, 7);
    if (!opencl_run_text(host, cl.data, &data.arrays, &program))
        fail_msg("%s: %s", out, program.message);
    assert_int_equal(program.kernels, 1);
    plan_data_close(&data);
    test_free(cl.data);
}

/* Of a group of many stages, the last of which is DFT_last. */
static void name_many(int last, char out[MOST_NAME + 1])
{
    enum { STAGES = 30 };
    core_text text = {0};
    core_text_printf(&text, "(I(2) (x) ((DFT(%d)_{leaf} (x) I(%d))", last, 12 / last);
    for (int i = 1; i < STAGES; i++)
        core_text_printf(&text, " * %s(12)_{leaf}", i % 2 ? "IDFT" : "DFT");
    core_text_printf(&text, "))_{spe(2,1)}");
    sluice_plan *plan = plan_of_formula(reference, core_text_string(&text), SLUICE_F64);
    name_of(plan, out);
    sluice_plan_destroy(plan);
    core_text_free(&text);
}

/* Devices name files after kernels. */
static void names_are_short(void **state)
{
    char three[MOST_NAME + 1], four[MOST_NAME + 1], again[MOST_NAME + 1];
    (void)state;
    name_many(3, three);
    name_many(4, four);
    name_many(3, again);
    assert_string_not_equal(three, four);
    assert_string_equal(three, again);
}

/* Explicit transfers, which planned programs do without. */
static void transfers(void **state)
{
    static const char text[] =
        "SUM.stream(k2<3, S.copy(h(8,24,8*k2%3,1)) * SUM(k1<2, S(h(4,8,k1%2,2)) * DFT(4)_{leaf} * "
        "G(h(4,8,4*k1%2,1))) * SUM(k1<4, S(h(2,8,2*k1%4,1)) * DFT(2)_{leaf} * G(h(2,8,k1%4,4))) * "
        "G.copy(h(8,24,8*k2%3,1)))";
    const spl_opencl how = {.title = "transfers",
                            .precision = SLUICE_F32,
                            .local_bytes = SPL_OPENCL_LOCAL,
                            .items = SPL_OPENCL_FEW_ITEMS};
    const prog_sides sides = {.in_layout = SLUICE_INTERLEAVED};
    float in[48], got[48], want[48];
    const sluice_arrays arrays = {.in = in, .out = got}, other = {.in = in, .out = want};
    core_text cl = {0};
    opencl_program program;
    prog *p = NULL;
    int copies = 0;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    assert_int_equal(prog_lower(&p, ctx, program_parsed(ctx, text), &sides, NULL), SLUICE_OK);
    for (size_t i = 0; i < p->nstmts; i++)
        copies += p->stmt[i].op == PROG_COPY;
    assert_int_equal(copies, 2);
    for (int i = 0; i < 48; i++)
        in[i] = (float)(i * i % 17) - 8;
    assert_int_equal(spl_print_opencl(p, &how, &cl, NULL), SLUICE_OK);
    assert_int_equal(ref_run(p, SLUICE_F32, &other, 1), SLUICE_OK);
    if (!opencl_run_text(host, core_text_string(&cl), &arrays, &program))
        fail_msg("%s\n%s", program.message, core_text_string(&cl));
    for (int i = 0; i < 48; i++)
        assert_true(fabsf(got[i] - want[i]) <= 1e-5F);
    core_text_free(&cl);
    spl_ctx_close(ctx);
}

/* What no test has memory for: indices beyond an int, which is all that changes. */
static void long_indices(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(reference, "c2c:f32:4*1073741824");
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    assert_non_null(strstr(text.data, "\"index_bytes\": 8"));
    assert_null(strstr(text.data, "int k"));
    opencl_program program;
    if (!opencl_builds(host, text.data, &program))
        fail_msg("%s", program.message);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

/* More turns of items than an int counts. */
static void long_turns(void **state)
{
    (void)state;
    sluice_plan *plan = plan_made(reference, "c2c:f32:2*4294967296");
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    assert_non_null(strstr(text.data, "for (long turn = 0;"));
    assert_null(strstr(text.data, "int turn"));
    test_free(text.data);
    sluice_plan_destroy(plan);
}

/* Of 30 pairs 20 items have one each, then 10 of them the rest; a loop is around both. */
static void rests_are_done_once(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("ref:gpu", NULL);
    sluice_plan *plan = plan_made(m, "dst1:f32:192x60");
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    assert_non_null(strstr(text.data, "for (int j = 20 + (int)get_local_id(0); j < 30;"));
    assert_null(strstr(text.data, "for (int j = (int)get_local_id(0); j < 30;"));
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Roots go on beyond their period: a table has what a function of no digits reaches. */
static void roots_of_tables(void **state)
{
    (void)state;
    formula("DFT(6)_{leaf} * D.roots(4,table(10: 3,9,4,0,5,2))", SLUICE_F32);
}

/* ---------------------------------------------------------------- refusals -------------- */

/* Without barriers the second stage reads what the first has yet to write. */
static void missing_barriers_are_noticed(void **state)
{
    static const char barrier[] = "barrier(CLK_LOCAL_MEM_FENCE)";
    const char *const name = "c2c:f32:1024*7";
    (void)state;
    sluice_plan *plan = plan_made(reference, name);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    opencl_program program;
    plan_data got;
    int count = 0;
    for (char *at; (at = strstr(text.data, barrier)) != NULL; count++)
        memset(at, ' ', sizeof barrier - 1);
    assert_true(count > 1);
    plan_data_open(&got, plan, name, 0);
    plan_data_fill(&got, 7);
    if (!opencl_run_text(host, text.data, &got.arrays, &program))
        fail_msg("%s", program.message);
    assert_false(plan_data_check(&got));
    plan_data_close(&got);
    test_free(text.data);
    sluice_plan_destroy(plan);
}

static sluice_status keep(void *user, const char *text, size_t length)
{
    snprintf(user, 240, "%.*s", (int)length, text);
    return SLUICE_OK;
}

static void refused(const char *text, const char *words)
{
    char sentence[240] = "";
    sluice_plan *plan = plan_of_formula(reference, text, SLUICE_F32);
    assert_int_equal(sluice_plan_print(plan, SLUICE_LEVEL_OPENCL, keep, sentence),
                     SLUICE_E_UNSUPPORTED);
    if (!strstr(sentence, words))
        fail_msg("%s is refused with \"%s\"", text, sentence);
    sluice_plan_destroy(plan);
}

static void refusals(void **state)
{
    (void)state;
    refused("DFT(67)_{leaf}", "DFT(67) is too long for one work-item");
}

/* ---------------------------------------------------------------- for scripts/check-oclgrind */

static char **given; /* ended by NULL */

/* Problems of the command line, as numbers of kernels: those after "ref:gpu" planned for groups. */
static void given_problems(void **state)
{
    const char *units = "cpu:2";
    int kernels = 0;
    (void)state;
    for (char **text = given; *text; text++)
        if (strcmp(*text, "ref:gpu") == 0)
            units = *text;
        else
            kernels += (strncmp(*text, "c2c", 3) == 0 ? problem : of_kind)(units, *text).kernels;
    printf("kernels: %d\n", kernels);
}

/* Without arguments all tests; with "missing-barriers" that one; with problems these. */
static int run_chosen(char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batched),         cmocka_unit_test(of_reals),
        cmocka_unit_test(reproducible),    cmocka_unit_test(two_stages),
        cmocka_unit_test(large),           cmocka_unit_test(formulas),
        cmocka_unit_test(transfers),       cmocka_unit_test(long_indices),
        cmocka_unit_test(long_turns),      cmocka_unit_test(rests_are_done_once),
        cmocka_unit_test(roots_of_tables), cmocka_unit_test(missing_barriers_are_noticed),
        cmocka_unit_test(refusals),        cmocka_unit_test(names_are_short),
    };
    const struct CMUnitTest control[] = {cmocka_unit_test(missing_barriers_are_noticed)};
    const struct CMUnitTest those[] = {cmocka_unit_test(given_problems)};
    given = arguments;
    if (*given && strcmp(*given, "missing-barriers") == 0)
        return cmocka_run_group_tests_name("missing barriers", control, NULL, NULL);
    if (*given)
        return cmocka_run_group_tests_name("given problems", those, NULL, NULL);
    return cmocka_run_group_tests_name("emit opencl", tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    const char *why;
    char folder[] = "/tmp/sluice-opencl-XXXXXX", line[64];
    /* Nothing is left behind; plans are those of one size of caches. */
    if (!mkdtemp(folder) || setenv("POCL_CACHE_DIR", folder, 0) != 0
        || setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0) {
        perror("mkdtemp");
        return 1;
    }
    host = opencl_open(&why);
    if (host)
        reference = plan_machine("ref", NULL);
    else
        fprintf(stderr, "skipped: %s\n", why);
    (void)argc;
    const int failed = host ? run_chosen(argv + 1) : SKIPPED;
    opencl_close(host);
    sluice_machine_close(reference);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
