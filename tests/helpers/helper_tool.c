// SPDX-License-Identifier: BSD-3-Clause
#define _XOPEN_SOURCE 700
#include "tests/helpers/helper_tool.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static char binary[TOOL_LINE]; /* absolute path, because the tests run in another folder */
static char folder[] = "/tmp/sluice-tool-XXXXXX";

static bool find_binary(void)
{
    const char *programs = getenv("SLUICE_BIN_DIR");
    char path[TOOL_LINE], *absolute;
    if (!programs || snprintf(path, sizeof path, "%s/sluice", programs) >= (int)sizeof path)
        return false;
    absolute = realpath(path, NULL);
    bool found = absolute && access(absolute, X_OK) == 0;
    if (found)
        snprintf(binary, sizeof binary, "%s", absolute);
    free(absolute);
    return found;
}

int tool_begin(void)
{
    if (!find_binary()) {
        fputs("skipped: there is no $SLUICE_BIN_DIR/sluice\n", stderr);
        return SKIPPED;
    }
    /* What the process that starts the tests ignores, the command would ignore as well. */
    if (signal(SIGPIPE, SIG_DFL) != SIG_ERR && mkdtemp(folder) && chdir(folder) == 0)
        return 0;
    perror("tool_begin");
    return 1;
}

int tool_end(int failed)
{
    char line[64];
    snprintf(line, sizeof line, "cd / && rm -rf '%s'", folder);
    return system(line) != 0 || failed;
}

const char *tool_path(void)
{
    return binary;
}

int tool_shell(const char *line)
{
    char all[2 * TOOL_LINE + 64];
    snprintf(all, sizeof all, "S='%s'; { %s\n} >out 2>err", binary, line);
    int status = system(all);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void tool_check(const char *line, int code)
{
    int got = tool_shell(line);
    if (got != code) {
        char *err = tool_read("err", NULL);
        print_message("%s\nexit code %d, not %d\n%s\n", line, got, code, err);
        free(err);
    }
    assert_int_equal(got, code);
    if (code)
        assert_true(tool_file_contains("err", "sluice: "));
}

void tool_checkf(int code, const char *format, ...)
{
    char line[TOOL_LINE];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    assert_in_range(length, 0, sizeof line - 1);
    tool_check(line, code);
}

char *tool_read(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    text[size] = 0;
    if (length)
        *length = size;
    return text;
}

void tool_write(const char *path, const void *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    fclose(f);
}

bool tool_file_contains(const char *path, const char *words)
{
    char *text = tool_read(path, NULL);
    bool found = text && strstr(text, words);
    if (!found)
        print_message("%s lacks \"%s\":\n%s\n", path, words, text ? text : "(no file)");
    free(text);
    return found;
}

void tool_check_absent(const char *path)
{
    char line[TOOL_LINE];
    snprintf(line, sizeof line, "! ls %s* 2>/dev/null", path);
    assert_int_equal(tool_shell(line), 0);
}

static void put_little(unsigned char *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

void tool_make_wav(const char *path, int rate, double hertz, const float *samples, size_t promised,
                   size_t held)
{
    const uint32_t width = samples ? 4 : 2, all = (uint32_t)(width * promised);
    unsigned char *file = calloc(1, 44 + width * held + 1);
    assert_non_null(file);
    memcpy(file, "RIFF----WAVEfmt ", 16);
    put_little(file + 4, 36 + all, 4);
    put_little(file + 16, 16, 4);
    put_little(file + 20, samples ? 3 : 1, 2);
    put_little(file + 22, 1, 2);
    put_little(file + 24, (uint32_t)rate, 4);
    put_little(file + 28, width * (uint32_t)rate, 4);
    put_little(file + 32, width, 2);
    put_little(file + 34, 8 * width, 2);
    memcpy(file + 36, "data", 4);
    put_little(file + 40, all, 4);
    for (size_t i = 0; i < held; i++) {
        double value = 20000 * sin(2 * acos(-1) * hertz * (double)i / rate);
        uint32_t bits = (uint32_t)(int32_t)lround(value);
        if (samples)
            memcpy(&bits, &samples[i], sizeof bits);
        put_little(file + 44 + width * i, bits, (int)width);
    }
    tool_write(path, file, 44 + width * held);
    free(file);
}
