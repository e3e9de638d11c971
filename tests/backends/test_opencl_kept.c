// SPDX-License-Identifier: BSD-3-Clause
/* Compiled kernels in files: used again, damaged, refused, on a full disk, in folders that are
 * none, by two processes at once. What fails costs time only. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_faults.h"

static const opencl_layer *layer;
static char folder[] = "/tmp/sluice-opencl-kept-XXXXXX";

static sluice_status compute(const char *faults, sluice_diag *why)
{
    return faults_compute(layer, "opencl:0", FAULTS_PROBLEM, NULL, faults, why);
}

/* Plans and executes with a folder of kernels; how many programs were made of text. */
static long compiled_with(const char *folder)
{
    sluice_diag why;
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    assert_int_equal(compute("", &why), SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    return layer->calls("clCreateProgramWithSource");
}

/* The files in a folder, whose last one's path is written. */
static int files_in(const char *folder, char *path, size_t size)
{
    char pattern[320];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    const int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    if (count > 0)
        snprintf(path, size, "%s", found.gl_pathv[count - 1]);
    globfree(&found);
    return count;
}

static void kept_kernels_are_used(void **state)
{
    char path[300], own[300];
    (void)state;
    snprintf(own, sizeof own, "%s/new/and/deep", folder);
    assert_true(compiled_with(own) > 0);
    const int files = files_in(own, path, sizeof path);
    assert_true(files > 0);
    assert_int_equal(compiled_with(own), 0);
    assert_int_equal(files_in(own, path, sizeof path), files);
}

/* Cut or changed files are not used, but replaced. */
static void damaged_kernels_are_replaced(void **state)
{
    char path[300], own[300];
    struct stat whole, now;
    (void)state;
    snprintf(own, sizeof own, "%s/own", folder);
    (void)compiled_with(own);
    assert_int_equal(files_in(own, path, sizeof path), 1);
    assert_int_equal(stat(path, &whole), 0);
    const struct {
        off_t at;
        bool cut;
    } damages[] = {
        {whole.st_size / 2, false}, {20, false}, {0, false}, {whole.st_size / 2, true}, {0, true}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        FILE *file = fopen(path, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, damages[i].at, SEEK_SET), 0);
        if (damages[i].cut)
            assert_int_equal(ftruncate(fileno(file), damages[i].at), 0);
        else
            assert_true(fputs("damage", file) >= 0);
        assert_int_equal(fclose(file), 0);
        assert_true(compiled_with(own) > 0);
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_size, whole.st_size);
        assert_int_equal(compiled_with(own), 0);
    }
}

/* Binaries that the device does not take are compiled anew. */
static void refused_binaries_are_compiled(void **state)
{
    sluice_diag why;
    (void)state;
    (void)compiled_with(folder);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", folder, 1), 0);
    assert_int_equal(compute("clCreateProgramWithBinary@1+=CL_INVALID_BINARY", &why), SLUICE_OK);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    assert_true(layer->calls("clCreateProgramWithSource") > 0);
}

/* Where nothing is kept nobody asks for what was compiled: PoCL would compile it once more. What
 * cannot be had costs time only. */
static void binaries_are_asked_for_where_they_are_kept(void **state)
{
    char faults[64], path[300], own[300];
    sluice_diag why;
    (void)state;
    assert_true(compiled_with("") > 0);
    assert_int_equal(layer->calls("clGetProgramInfo"), 0);
    snprintf(own, sizeof own, "%s/asked", folder);
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", own, 1), 0);
    for (int k = 1; k <= 3; k++) {
        snprintf(faults, sizeof faults, "clGetProgramInfo@%d=CL_OUT_OF_RESOURCES", k);
        assert_int_equal(compute(faults, &why), SLUICE_OK);
        assert_int_equal(files_in(own, path, sizeof path), 0);
    }
    assert_int_equal(setenv("SLUICE_KERNEL_CACHE", "", 1), 0);
    assert_true(compiled_with(own) > 0);
    assert_int_equal(layer->calls("clGetProgramInfo"), 3);
    assert_int_equal(files_in(own, path, sizeof path), 1);
}

/* A folder that is a file, or cannot be made, costs time only. */
static void useless_folders_cost_time_only(void **state)
{
    char file[300], below[310];
    (void)state;
    snprintf(file, sizeof file, "%s-file", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    snprintf(below, sizeof below, "%s/below", file);
    const char *const useless[] = {file, below, "/proc/no/such/folder", "/dev/full"};
    for (size_t i = 0; i < 2 * (sizeof useless / sizeof *useless); i++)
        assert_true(compiled_with(useless[i / 2]) > 0);
    assert_int_equal(unlink(file), 0);
}

/* ---- other processes: this program with one argument */

static sluice_status compute_once(sluice_diag *why)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_status status = sluice_machine_open(&machine, &options, why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, FAULTS_PROBLEM, NULL, why);
    if (status == SLUICE_OK)
        status = faults_execute(plan, why);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    return status;
}

/* The exit code says how it went. */
static int compute_as_told(void)
{
    sluice_diag why = {0};
    alarm(FAULTS_SECONDS);
    const sluice_status status = compute_once(&why);
    printf("%s\n", why.message);
    return -status;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A command line of two such processes at most, with their environment; the exit code. */
static int run_processes(const char *format, const char *where, char *output, size_t size)
{
    char line[1400], self[300];
    snprintf(self, sizeof self, "%s/tests/test_opencl_kept", getenv("SLUICE_BIN_DIR"));
    snprintf(line, sizeof line, format, where, self, where, self);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void no_icd_is_said(void **state)
{
    char output[600];
    (void)state;
    assert_int_equal(run_processes("OPENCL_LAYERS= OCL_ICD_VENDORS=%s/none '%s' compute", folder,
                                   output, sizeof output),
                     -SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(output, "there is no OpenCL device"));
}

/* A disk of 8 KiB, which a process may mount where it may make a view of disks of its own. */
static void a_full_disk_costs_time_only(void **state)
{
    static const char disk[] = "unshare -rm sh -c 'mount -t tmpfs -o size=8k none \"$0\" && ";
    char output[600], full[300], line[600];
    (void)state;
    snprintf(full, sizeof full, "%s/full", folder);
    assert_int_equal(mkdir(full, 0777), 0);
    snprintf(line, sizeof line, "%sdf \"$0\" >/dev/null' '%s' 2>/dev/null", disk, full);
    if (system(line) != 0)
        skip();
    snprintf(line, sizeof line,
             "%sSLUICE_KERNEL_CACHE=\"$0\" \"$1\" compute && ls \"$0\"' '%%s' '%%s'", disk);
    assert_int_equal(run_processes(line, full, output, sizeof output), 0);
    assert_string_equal(output, "\n"); /* no reason, and no file that is left */
}

/* Two that find nothing compile at once; both are right, and what they leave is whole. */
static void two_processes_compile_at_once(void **state)
{
    char output[600], both[300], path[300];
    (void)state;
    snprintf(both, sizeof both, "%s/both", folder);
    assert_int_equal(
        run_processes("export POCL_KERNEL_CACHE=0; SLUICE_KERNEL_CACHE='%s' '%s' compute & one=$!;"
                      " SLUICE_KERNEL_CACHE='%s' '%s' compute; two=$?;"
                      " wait $one && exit $two",
                      both, output, sizeof output),
        0);
    assert_true(files_in(both, path, sizeof path) > 0);
    assert_int_equal(compiled_with(both), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_kernels_are_used),
        cmocka_unit_test(damaged_kernels_are_replaced),
        cmocka_unit_test(refused_binaries_are_compiled),
        cmocka_unit_test(binaries_are_asked_for_where_they_are_kept),
        cmocka_unit_test(useless_folders_cost_time_only),
        cmocka_unit_test(no_icd_is_said),
        cmocka_unit_test(a_full_disk_costs_time_only),
        cmocka_unit_test(two_processes_compile_at_once),
    };
    if (argc > 1 && strcmp(argv[1], "compute") == 0)
        return compute_as_told();
    return faults_run("opencl kept", tests, sizeof tests / sizeof *tests, folder, &layer);
}
