// SPDX-License-Identifier: BSD-3-Clause
/* Bound programs as OpenCL C: on a device that is a processor they compute the bits of the native
 * plan that they are, and touch nothing beside the output. */
#define _XOPEN_SOURCE 700
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

#include "backends/cpu/run/cpu_state.h"
#include "sched/plan/plan.h"
#include "spl/bind/bind_slices.h"
#include "spl/emit/tape_opencl.h"
#include "tests/helpers/device_host.h"
#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_opencl.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77 };

/* What the leak sanitizer is not to mind: the device keeps its compiler until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang-cpp\nleak:libOpenCL\n";
}

static device_host *host;

static sluice_status print(const bind_tape *p, const char *title, int64_t local_bytes,
                           device_program *out, sluice_diag *why)
{
    const tape_opencl_how how = {.title = title, .local_bytes = local_bytes, .groups = 16};
    return tape_opencl_print(p, &how, out, why);
}

static const bind_tape *tape_of(const sluice_plan *plan)
{
    return &((const cpu_program *)plan->program)->tape;
}

/* What a tape has of what is printed in a way of its own. */
typedef struct counts {
    int evaluated, moves, copies, slices, scaled, tails, past_caches;
} counts;

static void count_ops(const bind_tape *p, counts *c)
{
    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *op = &p->op[i];
        c->evaluated += op->op == BIND_EVAL;
        c->moves += op->op == BIND_MOVE;
        c->copies += op->op == BIND_COPY;
        c->slices += op->slices && op->slices->put_bytes > 0;
        c->scaled += op->scaling.rows > 0;
        c->past_caches += bind_stores_lines(p, op);
        c->tails += op->op == BIND_KERN && op->cols.n % op->tail.lanes != 0;
    }
}

/* Blocks are stored in slices, and lines by non-temporal stores, where the tape says so. */
static void check_stores(const bind_tape *p, const device_program *program, const char *name)
{
    const char *const text = core_text_string(&program->source);
    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *op = &p->op[i];
        if ((bind_stores_lines(p, op) && !strstr(text, op->codelet_nt->name))
            || (op->slices && op->slices->put_bytes > 0 && !strstr(text, "cpu_slices_put(&")))
            fail_msg("%s: op %zu stores otherwise than the native plan", name, i);
    }
}

static void run_kernels(const device_program *program, const plan_data *d)
{
    char message[2000];
    device_run *run = device_run_open(host, program, &d->arrays, message, sizeof message);
    if (!run)
        fail_msg("%s: %s", d->name, message);
    if (!device_run_times(run, 1))
        fail_msg("%s: kernels were not enqueued", d->name);
    device_run_close(run);
}

/* Native and on the device; `transform`: results are compared with the definition, too. */
static void compare(const sluice_plan *plan, const char *name, bool transform, counts *all)
{
    device_program program = {.nkernels = 0};
    sluice_diag why;
    plan_data native, device;
    count_ops(tape_of(plan), all);
    if (print(tape_of(plan), name, 32 << 10, &program, &why) != SLUICE_OK)
        fail_msg("%s: %s", name, why.message);
    check_stores(tape_of(plan), &program, name);
    plan_data_open(&native, plan, name, 0);
    plan_data_open(&device, plan, name, 0);
    plan_data_fill(&native, 7);
    plan_data_fill(&device, 7);
    assert_int_equal(sluice_execute_with(plan, &native.arrays, NULL), SLUICE_OK);
    run_kernels(&program, &device);
    if (!plan_data_same(&native, &device))
        fail_msg("%s: other bits than the native plan\n%s", name, plan->line);
    if (transform && !plan_data_check(&device))
        fail_msg("%s: %s", name, device.message);
    plan_data_close(&native);
    plan_data_close(&device);
    device_program_free(&program);
}

/* False: this processor has not the instructions. */
static bool problem(const char *units, const char *isa, const char *text, counts *all)
{
    sluice_machine *m = plan_machine(units, isa);
    if (!m)
        return false;
    sluice_plan *plan = plan_made(m, text);
    compare(plan, text, true, all);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return true;
}

static void formula(const char *units, const char *text, counts *all)
{
    sluice_machine *m = plan_machine(units, "avx2");
    if (!m)
        return;
    sluice_plan *plan = plan_of_formula(m, text, SLUICE_F32);
    compare(plan, text, false, all);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- plans ------------------ */

static const char *const draw[] = {
    "c2c:f32:1024*64",
    "c2c:f64:60*9:inverse:in=split",
    "c2c:f32:8*33:out=split",
    "c2c:f32:8@20/10*16@160/-90",
    "c2c:f64:16*9:scale=ortho",
    "c2c:f32:12x10:inplace",
    "c2c:f32:67:inplace",
    "c2c:f64:257:inverse",
    "c2c:f32:60x4:in_cyclic=4/3:out=split",
    "c2c:f32:4096:scale=n",
    "c2c:f32:65536",
    "r2c:f32:105*6",
    "r2c:f64:12x10x8",
    "r2c:f64:31x8",
    "c2r:f32:64x20",
    "dct2:f32:100*7",
    "dct4:f64:24x12",
    "dct4:f32:15*2",
    "dst1:f32:33*5",
    "dht:f64:60*9",
    "idxst:f32:64*3",
    "dct3*r2c:f64:15x16",
};

static void avx2(void **state)
{
    counts all = {0};
    (void)state;
    for (size_t i = 0; i < sizeof draw / sizeof *draw; i++)
        if (!problem("cpu:2", "avx2", draw[i], &all))
            return;
    assert_true(all.tails > 0 && all.scaled > 0 && all.moves > 0);
}

static void other_vectors(void **state)
{
    counts all = {0};
    (void)state;
    problem("cpu:2", "scalar", "c2c:f32:30*7:inverse", &all);
    problem("cpu:2", "scalar", "r2c:f64:48*5", &all);
    problem("cpu:2", "avx512", "c2c:f32:64*9", &all);
    problem("cpu:2", "avx512", "c2c:f64:100*9:in=split", &all);
    problem("cpu:2", "avx512", "dct2:f32:64*9", &all);
}

/* ---------------------------------------------------------------- formulas ---------------- */

static void formulas(void **state)
{
    counts all = {0};
    (void)state;
    formula("cpu:2/worker", "(I(16) (x) DFT(64))_{spe(2,4),stream(4)}", &all);
    assert_true(all.copies > 0);
    /* The host walks a loop around barriers. */
    formula("cpu:2", "I(3) (x) {DFT(256)_{spe(2,4)}}", &all);
    /* Indices that are no sums of digits, and tables of them; factors at such places. */
    formula("cpu:2", "(I(2) (x) ((DFT(9) (x) I(8)) * L(72,4) * (I(8) (x) DFT(9))))_{spe(2,1)}",
            &all);
    formula("cpu:2", "DFT(6) * P(table(6: 3,1,4,0,5,2))", &all);
    formula("cpu:2", "(DFT(8)_{leaf} * P(fold(8)) * P(l(8,2))) (x) I(16)", &all);
    formula("cpu:2", "L(30,5) * (I(6) (x) DFT(5)) * T(5,6) * L(30,6)", &all);
    formula("cpu:2", "P(table(6: 3,1,4,0,5,2)) * PAIRS.dct3(6) * P(table(6: 1,0,4,3,5,2))", &all);
    assert_true(all.evaluated > 0);
    counts conjugates = {0};
    formula("cpu:2", "D.roots(12,table(10: 3,9,4,0,5,2)) * CONJ(6) * P(table(6: 3,1,4,0,5,2))",
            &conjugates);
    assert_true(conjugates.evaluated > 0);
    /* Of reals: scaled, and a DFT. */
    for (int i = 0; i < 4; i++) {
        counts reals = {0};
        const bool ran = problem(
            "cpu:1", i / 2 ? "avx512" : "avx2",
            i % 2 ? "dct1*c2r:f64:120x40:scale=ortho" : "dst4:f64:3@3/26x2@-11/1:scale=n", &reals);
        assert_true(!ran || reals.evaluated > 0);
    }
}

/* What exceeds the caches: blocks are stored while the next one is computed, whole lines by
 * non-temporal stores. */
static void slices(void **state)
{
    counts all = {0}, lines = {0};
    (void)state;
    setenv("SLUICE_TOPOLOGY",
           "pack:1 l3:1(size=524288) l2:1(size=262144) l1d:1(size=32768) core:1 pu:1", 1);
    const bool ran = problem("cpu:2", "avx2", "c2c:f32:1024*280", &all)
                     && problem("cpu:2", "avx2", "c2c:f64:1024*130:scale=n", &all);
    const bool wide = problem("cpu:2", "avx512", "c2c:f32:256*1003", &lines)
                      && problem("cpu:2", "avx512", "c2c:f64:64*2003:inverse:scale=n", &lines);
    setenv("SLUICE_TOPOLOGY", docs_caches, 1);
    assert_true(!ran || all.slices > 0);
    assert_true(!wide || (lines.past_caches > 1 && lines.scaled > 0));
}

/* ---------------------------------------------------------------- hosts ------------------- */

/* A host finds each argument of each kernel, and memory of groups is within the limit. */
static void described(void **state)
{
    sluice_machine *m = plan_machine("cpu:2", "avx2");
    device_program d = {.nkernels = 0};
    (void)state;
    if (!m)
        return;
    sluice_plan *plan = plan_made(m, "c2c:f32:1024*64");
    assert_int_equal(print(tape_of(plan), "title", 16 << 10, &d, NULL), SLUICE_OK);
    assert_int_equal(d.nkernels, 1);
    assert_int_equal(device_launches(&d), 1);
    /* 16 are wanted, the plan has 8 shares. */
    assert_int_equal(tape_of(plan)->body->parts, 8);
    assert_int_equal(d.kernel[0].groups, 16);
    assert_int_equal(d.kernel[0].items, 1);
    assert_true(d.kernel[0].local_bytes >= 8192 && d.spill_bytes == 0);
    assert_int_equal(d.ntables, 1);
    assert_non_null(d.table[0].data);
    assert_non_null(strstr(core_text_string(&d.source), "/* title */"));
    device_program_free(&d);
    /* Less local memory than a transform needs. */
    assert_int_equal(print(tape_of(plan), "title", 4096, &d, NULL), SLUICE_OK);
    assert_int_equal(d.kernel[0].local_bytes, 0);
    assert_true(d.spill_bytes >= 8 * 8192);
    device_program_free(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* A loop that the host walks is a step of the program, however often it runs; all of it has the
 * native plan's bits. */
static void loops_of_the_host(void **state)
{
    static const char text[] =
        "I(20000) (x) {(DFT(4) (x) I(4))_{spe(2,2)} * (DFT(4) (x) I(4))_{spe(2,2)}}";
    sluice_machine *m = plan_machine("cpu:2", "avx2");
    device_program d = {.nkernels = 0};
    counts all = {0};
    (void)state;
    if (!m)
        return;
    sluice_plan *plan = plan_of_formula(m, text, SLUICE_F32);
    assert_int_equal(print(tape_of(plan), text, 32 << 10, &d, NULL), SLUICE_OK);
    assert_int_equal(d.nkernels, 2);
    assert_int_equal(d.nsteps, 3);
    assert_int_equal(device_launches(&d), 40000);
    device_program_free(&d);
    compare(plan, text, false, &all);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx2),      cmocka_unit_test(other_vectors),
        cmocka_unit_test(formulas),  cmocka_unit_test(slices),
        cmocka_unit_test(described), cmocka_unit_test(loops_of_the_host),
    };
    const char *why;
    char folder[] = "/tmp/sluice-opencl-XXXXXX", line[64];
    /* Nothing is left behind; plans are those of one size of caches. What a compiler optimizes is
     * other tests' subject. */
    opencl_compile_plainly(true);
    if (!mkdtemp(folder) || setenv("POCL_CACHE_DIR", folder, 0) != 0
        || setenv("SLUICE_TOPOLOGY", docs_caches, 1) != 0) {
        perror("mkdtemp");
        return 1;
    }
    host = device_host_open(&why);
    if (!host)
        fprintf(stderr, "skipped: %s\n", why);
    const int failed =
        host ? cmocka_run_group_tests_name("tape opencl", tests, NULL, NULL) : SKIPPED;
    device_host_close(host);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
