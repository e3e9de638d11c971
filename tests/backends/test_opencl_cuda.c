// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL's backend on NVIDIA's driver, for which a library stands that runs the kernels
 * (tests/cuda_standin). NVIDIA's compiler is asked where it is found. */
#define _DEFAULT_SOURCE /* alarm, mkdtemp, setenv, strdup */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/opencl/cuda_driver.h"
#include "core/mem.h"
#include "sched/plan/plan.h"
#include "spl/emit/device_hooks.h"
#include "tests/cuda_standin/cuda_standin.h"
#include "tests/helpers/helper_hooks.h"
#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

static const cuda_standin *standin;
static const sluice_machine_options options = {.units = "opencl:cuda"};
static const char kept[] = "c2c:f32:16"; /* by kernels from before */
static char *users_compiler;             /* NULL: the usual one */

static sluice_machine *open_device(sluice_diag *why)
{
    sluice_machine *m = NULL;
    return sluice_machine_open(&m, &options, why) == SLUICE_OK ? m : NULL;
}

static void results_are_right(void **state)
{
    static const char *const problem[] = {
        "c2c:f32:1024",   "c2c:f64:1024:inverse", "c2c:f32:65536", "r2c:f32:360",
        "c2c:f32:64*64",  "dct2:f64:48",          "c2c:f32:100@9", "c2c:f32:8192",
        "c2r:f64:8192*3", "c2c:f32:1024x32"};
    sluice_diag why = {.message = ""};
    (void)state;
    sluice_machine *m = open_device(&why);
    assert_non_null(m);
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        plan_check_problem(m, problem[i], 1 + i);
    sluice_machine_close(m);
    assert_int_equal(standin->outstanding(), 0);
}

/* The way there, kernels, the way back, by the driver's events. */
static void legs_have_seconds(void **state)
{
    sluice_diag why = {.message = ""};
    sluice_machine *m = open_device(&why);
    sluice_plan *plan = plan_made(m, "c2c:f32:65536");
    backend_ticket *ticket;
    backend_legs legs;
    plan_data d;
    (void)state;
    plan_data_open(&d, plan, "c2c:f32:65536", 0);
    plan_data_fill(&d, 1);
    const sluice_slot slot = {
        .in = (void *)(uintptr_t)d.arrays.in, .out = d.arrays.out, .count = 1};
    assert_int_equal(sched_plan_begin_block(plan, &slot, 0, 0, true, &ticket), SLUICE_OK);
    assert_int_equal(sched_plan_finish_block(plan, 0, ticket, &legs), SLUICE_OK);
    assert_true(legs.get > 0 && legs.compute > 0 && legs.put > 0 && legs.compute < 60);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    assert_int_equal(standin->outstanding(), 0);
}

static sluice_status leave(void *user, size_t first, size_t count, void *data)
{
    (void)user, (void)first, (void)count, (void)data;
    return SLUICE_OK;
}

/* As kernels, halves included; a function's text is OpenCL's, so the host calls the function. */
static void hooks_are_kernels(void **state)
{
    static const hook_case none = {"c2c:f32:64*9", {2, 2}, {{40}, {33}}};
    const sluice_hooks halves = {.in.storage = SLUICE_STORE_F16, .out.storage = SLUICE_STORE_I16};
    const sluice_hooks text = {.in = {.call = leave, .opencl = "x.yx.yx"}};
    double error = 1, bound = 0;
    sluice_diag why = {.message = ""};
    (void)state;
    sluice_machine *m = open_device(&why);
    assert_non_null(m);
    hook_fill_weights();
    hook_verify(m, &none, HOOK_WEIGHT | HOOK_EXTENT, HOOK_WEIGHT | HOOK_EXTENT);
    sluice_plan *plan = hook_plan(m, "r2c:f32:60*4:scale=n", &halves);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    assert_true(error <= bound);
    assert_int_equal(sluice_plan_work_bytes(plan), 0);
    sluice_plan_destroy(plan);
    plan = hook_plan(m, "c2c:f32:64", &text);
    assert_true(sluice_plan_work_bytes(plan) > 0);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    assert_int_equal(standin->outstanding(), 0);
}

/* Every call of a plan and a run fails once: with a status and a name, and nothing is left. */
static bool run_once(sluice_diag *why)
{
    float data[2][32] = {{1}};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_machine *m = open_device(why);
    sluice_status status = m ? sluice_problem_parse(&p, "c2c:f32:16", why) : SLUICE_E_DEVICE;
    if (status == SLUICE_OK)
        status = sluice_plan_create(&plan, m, &p, NULL, why);
    if (status == SLUICE_OK) {
        status = sluice_execute(plan, data[0], data[1]);
        if (status != SLUICE_OK)
            (void)sluice_machine_fault(m, 0, why);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return status == SLUICE_OK;
}

static void calls_that_fail_are_named(void **state)
{
    sluice_diag why;
    (void)state;
    standin->fail_at(0);
    assert_true(run_once(&why));
    const long calls = standin->calls();
    long failed = 0;
    assert_true(calls > 20);
    for (long call = 1; call <= calls; call++) {
        why.message[0] = '\0';
        standin->fail_at(call);
        if (!run_once(&why)) {
            assert_true(why.message[0] != '\0');
            failed++;
        }
        assert_int_equal(standin->outstanding(), 0);
    }
    standin->fail_at(0);
    assert_true(failed > calls / 2);
}

/* ---- without the compiler, and with NVIDIA's: processes of their own, as libraries are looked for
 * once ---- */

/* Plans without a compiler; true: it was refused, and says that. */
static bool is_refused(void)
{
    sluice_diag why = {.message = ""};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_machine *m = open_device(&why);
    const bool refused = m && sluice_problem_parse(&p, kept, &why) == SLUICE_OK
                         && sluice_plan_create(&plan, m, &p, NULL, &why) != SLUICE_OK
                         && strstr(why.message, "neither libnvrtc was found");
    fprintf(stderr, "without a compiler: %s\n", why.message);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return refused;
}

/* Runs what was compiled before. */
static bool runs_kept(void)
{
    sluice_diag why = {.message = ""};
    sluice_machine *m = open_device(&why);
    if (m)
        plan_check_problem(m, kept, 1);
    sluice_machine_close(m);
    return m != NULL;
}

static bool compiles(const char *name, const char *text)
{
    core_text log = {0};
    size_t length = 0;
    char *binary = cuda_compile(text, "sm_80", &length, &log);
    const bool compiled = binary && length >= 4 && memcmp(binary, "\177ELF", 4) == 0;
    if (!compiled)
        fprintf(stderr, "%s: %s\n", name, core_text_string(&log));
    core_free(binary);
    core_text_free(&log);
    return compiled;
}

/* Kernels of hooks alone, of both precisions and every storage. */
static bool compiles_hooks(void)
{
    static const float weight[16];
    bool all = true;
    for (int i = 0; i < 8; i++) {
        const prog_hook h = {.dims = 2,
                             .dim = {{7, 7, -40}, {16, 9, 2}},
                             .elements = 112,
                             .each = 16,
                             .scalars = 1 + i % 2,
                             .split = i % 2 && i < 4,
                             .precision = i < 4 ? SLUICE_F32 : SLUICE_F64,
                             .storage = (sluice_storage)(SLUICE_STORE_F32 + i % 4),
                             .weight = i % 2 ? NULL : weight,
                             .weights = 16 / (i < 4 ? 1 : 2)};
        const prog_hook *const both[2] = {&h, &h};
        device_program d = {
            .side = {{.high = 111, .element_bytes = 8}, {.high = 111, .element_bytes = 8}}};
        assert_int_equal(device_hooks_add(&d, both, &(device_hooks_how){256, 64, true}, NULL),
                         SLUICE_OK);
        all = compiles("hooks", core_text_string(&d.source)) && all;
        device_program_free(&d);
    }
    return all;
}

/* The kernels of a problem for such units; false: they do not compile. */
static bool compiles_for(const char *units, const char *problem)
{
    const sluice_machine_options options = {.units = units};
    sluice_diag why = {.message = ""};
    sluice_machine *m = NULL;
    sluice_plan *plan = NULL;
    assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_OK);
    assert_int_equal(sluice_plan_from_text(&plan, m, problem, NULL, &why), SLUICE_OK);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    const bool good = compiles(problem, text.data);
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return good;
}

/* What is printed for GPUs, compiled by NVIDIA's own compiler; SKIPPED: it is not here. */
static int compile_by_nvidia(void)
{
    static const char *const problem[] = {"c2c:f32:1024*16", "c2c:f64:4096", "c2c:f32:65536",
                                          "r2c:f32:360",     "dct3:f64:48",  "c2c:f64:1009"};
    int failed = 0;
    if (!cuda_compiler_open())
        return SKIPPED;
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        failed += !compiles_for("ref:gpu", problem[i]);
    failed += !compiles_for("ref:gpu:local=163K", "c2c:f32:8192*8");
    failed += !compiles_for("ref:gpu:local=163K", "c2r:f64:8192*3");
    for (size_t i = 0; i < 2; i++) {
        failed += !compiles_for("ref:gpu:twiddles=sincos", problem[i]);
        failed += !compiles_for("ref:gpu:twiddles=native", problem[i]);
    }
    failed += !compiles_hooks();
    return failed > 0;
}

/* The exit status of this program with an argument. */
static int run_child(const char *what, const char *compiler)
{
    int status = 1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (compiler)
            setenv("SLUICE_CUDA_COMPILER", compiler, 1);
        else
            unsetenv("SLUICE_CUDA_COMPILER");
        execl("/proc/self/exe", "test_opencl_cuda", what, (char *)NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void no_compiler_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_child("refusal", "/nowhere"), 0);
}

/* Kept kernels need no compiler; those of another folder do not serve. */
static void kept_kernels_need_no_compiler(void **state)
{
    char folder[] = "/tmp/sluice-cuda-XXXXXX", line[64];
    sluice_diag why = {.message = ""};
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("SLUICE_KERNEL_CACHE", folder, 1);
    assert_int_equal(run_child("refusal", "/nowhere"), 0);
    sluice_machine *m = open_device(&why);
    assert_non_null(m);
    plan_check_problem(m, kept, 1);
    sluice_machine_close(m);
    const int status = run_child("kept", "/nowhere");
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    assert_int_equal(system(line), 0);
    setenv("SLUICE_KERNEL_CACHE", "", 1);
    assert_int_equal(status, 0);
}

/* Does the unit string open the device of the stand-in? */
static bool is_standin(const char *units)
{
    sluice_diag why = {.message = ""};
    sluice_machine *m = NULL;
    if (sluice_machine_open(&m, &(sluice_machine_options){.units = units}, &why) != SLUICE_OK)
        fail_msg("%s: %s", units, why.message);
    sluice_plan *plan = plan_made(m, "c2c:f32:16");
    plan_text placed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const bool is = strstr(placed.data, "Stand-in");
    test_free(placed.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    return is;
}

/* OpenCL lists none of NVIDIA's here. */
static void devices_follow_those_of_opencl(void **state)
{
    static const char *const units[] = {"opencl:Stand-in", "opencl:0:cuda"};
    char last[32], all[32];
    sluice_diag why;
    sluice_machine *m = NULL;
    int devices = 1;
    (void)state;
    do
        snprintf(last, sizeof last, "opencl:%d", devices++);
    while (!is_standin(last));
    assert_false(is_standin("opencl:0"));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        assert_true(is_standin(units[i]));
    snprintf(all, sizeof all, "opencl:%d", devices);
    assert_int_equal(sluice_machine_open(&m, &(sluice_machine_options){.units = all}, &why),
                     SLUICE_E_INVALID);
    assert_int_equal(sluice_machine_open(&m, &(sluice_machine_options){.units = "opencl"}, &why),
                     SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "Stand-in: name each"));
}

/* Below a folder; one for a later driver than this of 12.4 is left alone. */
static void the_compiler_is_searched_for(void **state)
{
    char folder[] = "/tmp/sluice-cuda-XXXXXX", line[1024];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line,
             "mkdir '%s/lib64' && ln -s \"$SLUICE_CUDA_DRIVER\" '%s/lib64/libnvrtc.so.12' && "
             "touch '%s/lib64/libnvrtc.so.13'",
             folder, folder, folder);
    assert_int_equal(system(line), 0);
    unsetenv("CUDA_PATH");
    setenv("CUDA_HOME", folder, 1);
    const int status = run_child("kept", NULL);
    unsetenv("CUDA_HOME");
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 0);
}

static void nvidias_compiler_takes_the_text(void **state)
{
    (void)state;
    const int status = run_child("compiler", users_compiler);
    if (status == SKIPPED)
        skip();
    assert_int_equal(status, 0);
}

static int run_as_child(const char *what)
{
    return strcmp(what, "refusal") == 0 ? !is_refused()
           : strcmp(what, "kept") == 0  ? !runs_kept()
                                        : compile_by_nvidia();
}

static bool load_standin(void)
{
    char file[512];
    const char *folder = getenv("SLUICE_BIN_DIR");
    snprintf(file, sizeof file, "%s/tests/cuda-standin.so", folder ? folder : "build/release");
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "cuda_standin_open") : NULL;
    cuda_standin_open_fn *open = NULL;
    memcpy(&open, &symbol, sizeof open);
    standin = open ? open() : NULL;
    return standin && setenv("SLUICE_CUDA_DRIVER", file, 1) == 0
           && setenv("SLUICE_CUDA_COMPILER", file, 1) == 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right),
        cmocka_unit_test(legs_have_seconds),
        cmocka_unit_test(hooks_are_kernels),
        cmocka_unit_test(calls_that_fail_are_named),
        cmocka_unit_test(no_compiler_is_refused),
        cmocka_unit_test(kept_kernels_need_no_compiler),
        cmocka_unit_test(devices_follow_those_of_opencl),
        cmocka_unit_test(the_compiler_is_searched_for),
        cmocka_unit_test(nvidias_compiler_takes_the_text),
    };
    sluice_diag why = {.message = ""};
    alarm(TIME_LIMIT);
    setenv("SLUICE_PLAN_CACHE", "0", 1);
    if (argc > 1)
        return run_as_child(argv[1]);
    users_compiler = getenv("SLUICE_CUDA_COMPILER");
    users_compiler = users_compiler ? strdup(users_compiler) : NULL;
    setenv("SLUICE_KERNEL_CACHE", "", 1); /* each plan compiles */
    if (!load_standin())
        return 1;
    sluice_machine *m = open_device(&why);
    if (!m) {
        fprintf(stderr, "skipped: %s\n", why.message);
        return SKIPPED;
    }
    sluice_machine_close(m);
    const int failed = cmocka_run_group_tests_name("opencl on cuda", tests, NULL, NULL);
    free(users_compiler);
    return failed;
}
