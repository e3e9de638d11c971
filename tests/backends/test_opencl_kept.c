// SPDX-License-Identifier: BSD-3-Clause
/* Compiled kernels in files: damaged ones, folders that are none, processes that compile at
 * once. */
#define _DEFAULT_SOURCE /* alarm, mkdtemp, setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

enum { SKIPPED = 77, TIME_LIMIT = 600 };

static char folder[64];
static sluice_machine *device;
static const char problem[] = "c2c:f32:16";

static char *kernels_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
    setenv("SLUICE_KERNEL_CACHE", path, 1);
    return path;
}

/* The only file of a folder. */
static char *only_file(const char *path, char *file, size_t size)
{
    char line[160];
    snprintf(line, sizeof line, "ls '%s'/*.kernels", path);
    FILE *list = popen(line, "r");
    assert_non_null(list);
    assert_non_null(fgets(file, (int)size, list));
    file[strcspn(file, "\n")] = '\0';
    pclose(list);
    return file;
}

static size_t file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

static void spoil(const char *path, long at, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void damaged_files_are_replaced(void **state)
{
    char path[128], file[256];
    (void)state;
    kernels_folder(path, sizeof path, "new/and/deep");
    plan_check_problem(device, problem, 1);
    only_file(path, file, sizeof file);
    const size_t whole = file_size(file);
    assert_true(whole > 100);
    spoil(file, (long)whole / 2, "damaged!", 8);
    plan_check_problem(device, problem, 2);
    assert_int_equal(truncate(file, (off_t)whole / 3), 0);
    plan_check_problem(device, problem, 3);
    assert_int_equal(file_size(file), whole);
    assert_int_equal(truncate(file, 0), 0);
    plan_check_problem(device, problem, 4);
    assert_int_equal(file_size(file), whole);
    spoil(file, 0, "another", 7);
    plan_check_problem(device, problem, 5);
}

static void folders_that_are_none(void **state)
{
    char path[128], line[200];
    (void)state;
    kernels_folder(path, sizeof path, "a file");
    snprintf(line, sizeof line, "echo > '%s'", path);
    assert_int_equal(system(line), 0);
    plan_check_problem(device, problem, 1);
    kernels_folder(path, sizeof path, "a file/below");
    plan_check_problem(device, problem, 2);
    setenv("SLUICE_KERNEL_CACHE", "/proc/self/nothing", 1);
    plan_check_problem(device, problem, 3);
    setenv("SLUICE_KERNEL_CACHE", "/dev/full", 1);
    plan_check_problem(device, problem, 4);
    setenv("SLUICE_KERNEL_CACHE", "", 1);
    plan_check_problem(device, problem, 5);
}

/* Programs of their own, at once, that compile the same. */
static void processes_compile_at_once(void **state)
{
    enum { PROCESSES = 3 };
    pid_t id[PROCESSES];
    char path[128], file[256];
    int ended;
    (void)state;
    kernels_folder(path, sizeof path, "shared");
    for (int i = 0; i < PROCESSES; i++) {
        id[i] = fork();
        assert_true(id[i] >= 0);
        if (id[i] == 0) {
            execl("/proc/self/exe", "test_opencl_kept", "one", (char *)NULL);
            _exit(1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(id[i], &ended, 0), id[i]);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
    assert_true(file_size(only_file(path, file, sizeof file)) > 100);
}

/* What a second process does. */
static int check_one(void)
{
    const sluice_machine_options options = {.units = "opencl:0"};
    if (sluice_machine_open(&device, &options, NULL) != SLUICE_OK)
        return 1;
    sluice_plan *plan = plan_made(device, problem);
    double error = 1, bound = 0;
    const sluice_status status = sluice_plan_verify(plan, &error, &bound, NULL);
    sluice_plan_destroy(plan);
    sluice_machine_close(device);
    return status == SLUICE_OK && error <= bound ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_are_replaced),
        cmocka_unit_test(folders_that_are_none),
        cmocka_unit_test(processes_compile_at_once),
    };
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_diag why = {.message = ""};
    char line[128];
    int failed = SKIPPED;
    (void)argv;
    if (argc > 1)
        return check_one();
    alarm(TIME_LIMIT);
    snprintf(folder, sizeof folder, "/tmp/sluice-kernels-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("SLUICE_PLAN_CACHE", "0", 1); /* each plan finds or compiles its kernels */
    if (sluice_machine_open(&device, &options, &why) == SLUICE_OK)
        failed = cmocka_run_group_tests_name("opencl kept", tests, NULL, NULL);
    else
        fprintf(stderr, "skipped: %s\n", why.message);
    sluice_machine_close(device);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0 ? 1 : failed;
}
