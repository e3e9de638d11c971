// SPDX-License-Identifier: BSD-3-Clause
/* Commands and JSON lines of sluice-bench. */
#include "tests/helpers/helper_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

const char *const bench_field[BENCH_FIELDS] = {
    "problem", "engine", "workers",  "data",        "effort",   "plan_s", "median_s",  "min_s",
    "max_s",   "gflops", "gbytes_s", "bound_share", "ratio_to", "bound",  "peak_share"};

char bench_folder[] = "/tmp/sluice-bench-XXXXXX";
char bench_output[1 << 18];

int bench_command(const char *arguments, const char *errors, char *output, size_t size)
{
    char command[2048];
    snprintf(command, sizeof command, "%s '%s/sluice-bench' %s", errors, getenv("SLUICE_BIN_DIR"),
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, size - 1, pipe);
    output[length] = 0;
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int bench_run(const char *errors, const char *format, ...)
{
    char arguments[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(arguments, sizeof arguments, format, values);
    va_end(values);
    return bench_command(arguments, errors, bench_output, sizeof bench_output);
}

int bench_make_folder(void **state)
{
    (void)state;
    return mkdtemp(bench_folder) ? 0 : -1;
}

int bench_remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", bench_folder);
    return system(command);
}

void bench_write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", bench_folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void bench_read_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", bench_folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bench_output[fread(bench_output, 1, sizeof bench_output - 1, file)] = 0;
    fclose(file);
}

double bench_number(const char *line, const char *name)
{
    char key[48];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(line, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

void bench_assert_line(const char *line)
{
    assert_int_equal(line[0], '{');
    const char *at = line;
    for (int i = 0; i < BENCH_FIELDS; i++) {
        char key[32];
        snprintf(key, sizeof key, "\"%s\":", bench_field[i]);
        at = strstr(at, key); /* in this order */
        assert_non_null(at);
    }
    double median = bench_number(line, "median_s");
    assert_true(median > 0);
    assert_true(bench_number(line, "min_s") <= median && median <= bench_number(line, "max_s"));
    assert_true(bench_number(line, "bound_share") > 0);
    assert_true(bench_number(line, "peak_share") >= 0.999 * bench_number(line, "bound_share"));
    assert_true(bench_number(line, "gflops") > 0);
}

int bench_occurrences(const char *text, const char *wanted)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
        count++;
    return count;
}

int bench_script(const char *format, ...)
{
    char command[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(command, sizeof command, format, values);
    va_end(values);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    bench_output[fread(bench_output, 1, sizeof bench_output - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

void bench_assert_said(const char *text)
{
    if (!strstr(bench_output, text))
        fail_msg("'%s' is not in: %s", text, bench_output);
}
