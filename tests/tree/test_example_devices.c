// SPDX-License-Identifier: BSD-3-Clause
/* The example `devices`: everyone's blocks add up, spectra are right, a progress bar on terminals,
 * what it refuses; on CPUs, on fake units, which compute nothing, and on the OpenCL device if there
 * is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static char output[8192];

/* Runs it with arguments and redirections; its exit code. */
static int run_example(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s/examples/devices' %s", getenv("SLUICE_BIN_DIR"),
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The number before " blocks" in the line of a unit; -1: it has none. */
static int blocks_of(const char *unit)
{
    char name[64];
    int blocks = -1;
    for (const char *line = output; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%63s %d blocks", name, &blocks) == 2 && strcmp(name, unit) == 0)
            return blocks;
    }
    return -1;
}

static void cpus_share_the_blocks(void **state)
{
    (void)state;
    assert_int_equal(run_example("cpu:2 16 2>&1"), 0);
    assert_true(blocks_of("cpu:0") >= 0 && blocks_of("cpu:1") >= 0);
    assert_int_equal(blocks_of("cpu:0") + blocks_of("cpu:1"), 32);
    assert_non_null(strstr(output, "32 blocks in "));
    assert_non_null(strstr(output, " 0 spectra wrong\n"));
}

static void short_recordings_end_in_a_short_block(void **state)
{
    (void)state;
    assert_int_equal(run_example("cpu:1 1 2>&1"), 0);
    assert_int_equal(blocks_of("cpu:0"), 2);
}

/* A fake unit copies: its spectra are wrong, and that is said. */
static void fake_units_are_found_out(void **state)
{
    (void)state;
    const int code = run_example("cpu:1,fake:1,depth=2 16 2>&1");
    assert_int_equal(code, blocks_of("fake:0") > 0 ? 1 : 0);
    assert_int_equal(blocks_of("cpu:0") + blocks_of("fake:0"), 32);
}

static void devices_share_with_cpus(void **state)
{
    (void)state;
    const int code = run_example("cpu:1,opencl:0:cores=1 16 2>&1");
    if (code != 0 && !strstr(output, "wrong"))
        skip(); /* no device, or a single core */
    assert_int_equal(code, 0);
    assert_true(blocks_of("cpu:0") >= 0 && blocks_of("opencl:0") >= 0);
    assert_int_equal(blocks_of("cpu:0") + blocks_of("opencl:0"), 32);
}

static void progress_is_for_terminals(void **state)
{
    (void)state;
    char command[1200];
    assert_int_equal(run_example("cpu:1 4 2>&1"), 0);
    assert_null(strchr(output, '\r'));
    snprintf(command, sizeof command, "script -qec \"'%s/examples/devices' cpu:1 4\" /dev/null",
             getenv("SLUICE_BIN_DIR"));
    if (system("command -v script >/dev/null") != 0)
        skip();
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(strstr(output, "] 100 %"));
    assert_non_null(strstr(output, "#####"));
}

static void refusals_say_why(void **state)
{
    (void)state;
    assert_int_equal(run_example("nothing 1 2>&1"), 1);
    assert_non_null(strstr(output, "devices: "));
    assert_non_null(strstr(output, "nothing"));
    assert_int_equal(run_example("cpu 0 2>&1"), 1);
    assert_non_null(strstr(output, "MIB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_share_the_blocks),
        cmocka_unit_test(short_recordings_end_in_a_short_block),
        cmocka_unit_test(fake_units_are_found_out),
        cmocka_unit_test(devices_share_with_cpus),
        cmocka_unit_test(progress_is_for_terminals),
        cmocka_unit_test(refusals_say_why),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests_name("example devices", tests, NULL, NULL);
}
