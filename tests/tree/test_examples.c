// SPDX-License-Identifier: BSD-3-Clause
/* The examples run and find their own results right; they include what an installed library has. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define INCLUDE "#include "

/* What each prints; an example that is neither here nor below fails the test. */
static const struct {
    const char *name, *says;
} outputs[] = {
    {"batch", "out[256] = 0.000000 -1.000000i\n"},
    {"callbacks", "1000 transforms in 16 blocks, 0 values wrong\n"},
    {"own_arrays", "20 blocks, none copied, 0 values wrong\n"},
    {"threads", "4 threads, 20 executions each, 0 values wrong\n"},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };
/* Tests of those that work on files or on a device. */
static const char *const tested_apart[] = {
    "tests/tree/test_example_compress.c",
    "tests/tree/test_example_convolve.c",
    "tests/tree/test_example_devices.c",
    "tests/tree/test_example_poisson.c",
    "tests/backends/test_opencl_native.c",
    "tests/backends/test_cuda_native.c" /* its calls: on_cuda itself needs a device */};
enum { TESTED_APART = sizeof tested_apart / sizeof tested_apart[0] };

static void each_finds_its_result_right(void **state)
{
    (void)state;
    char command[1024], text[256];
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(command, sizeof command, "'%s/examples/%s' 2>&1", getenv("SLUICE_BIN_DIR"),
                 outputs[i].name);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
        assert_int_equal(pclose(pipe), 0);
        assert_string_equal(text, outputs[i].says);
    }
}

/* A machine that cannot be opened ends them all with a sentence and a code. */
static void each_says_what_fails(void **state)
{
    (void)state;
    char command[1024], text[512];
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(command, sizeof command, "SLUICE_UNITS=nothing '%s/examples/%s' 2>&1",
                 getenv("SLUICE_BIN_DIR"), outputs[i].name);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
        const int status = pclose(pipe);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        assert_non_null(strstr(text, outputs[i].name));
        assert_non_null(strstr(text, "nothing"));
    }
}

static void check_includes(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, INCLUDE, sizeof INCLUDE - 1) == 0 && line[sizeof INCLUDE - 1] != '<')
            fail_msg("%s includes what is not installed: %s", path, line);
    fclose(file);
}

static void all_are_here(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("examples/*.c", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, OUTPUTS + TESTED_APART);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_includes(found.gl_pathv[i]);
    globfree(&found);
    for (int i = 0; i < TESTED_APART; i++)
        assert_int_equal(access(tested_apart[i], R_OK), 0);
}

/* The build may be without them. */
static bool is_built(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/batch", getenv("SLUICE_BIN_DIR"));
    return access(path, X_OK) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_here),
        cmocka_unit_test(each_finds_its_result_right),
        cmocka_unit_test(each_says_what_fails),
    };
    if (!getenv("SLUICE_BIN_DIR") || !is_built())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
