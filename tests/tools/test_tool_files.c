// SPDX-License-Identifier: BSD-3-Clause
/* Files of the command: inputs are never written, outputs appear complete or not at all, however
 * the command ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_tool.h"

enum { BYTES = 2603 * 512 };

static int make_input(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(32 + i * 7 % 61); /* letters as floats are finite */
    tool_write("in.raw", bytes, BYTES);
    tool_write("kept.raw", bytes, BYTES);
    free(bytes);
    tool_make_wav("sound.wav", 8000, 1000, NULL, 4000, 4000);
    assert_int_equal(tool_shell("rm -rf bad* same* sub && mkdir sub && cp sound.wav kept.wav && "
                                "ln in.raw same_hard && ln -s in.raw same_soft && "
                                "ln sound.wav same_wav && ln -s ../in.raw sub/same"),
                     0);
    return 0;
}

/* ---------------------------------------------------------------- inputs ---------------- */

static void inputs_are_kept(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "$S run c2c:f32:64 -i in.raw -o in.raw",
        "$S run c2c:f32:64 -i in.raw -o ./in.raw",
        "$S run c2c:f32:64 -i in.raw -o same_hard",
        "$S run c2c:f32:64 -i in.raw -o same_soft",
        "$S run c2c:f32:64 -i in.raw -o sub/../sub/same",
        "$S run c2c:f32:64 -i same_soft -o same_hard",
        "$S run c2c:f32:64 <in.raw -o in.raw",
        "$S run c2c:f32:64 -i in.raw >>in.raw",
        "$S run c2c:f32:64 <in.raw >>in.raw",
        "$S run c2c:f32:8 --format i8 --hop 3 -i in.raw -o same_hard",
        "$S spectrogram sound.wav sound.wav",
        "cp sound.wav sound.png; $S spectrogram sound.png sound.png",
        "ln -f sound.wav same.png; $S spectrogram sound.wav same.png",
        "ln -f sound.wav same.png; $S spectrogram - same.png <sound.wav",
        "ln -f sound.wav same.png; $S spectrogram - - <sound.wav >>same.png",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        tool_check(lines[i], 2);
        tool_check("cmp in.raw kept.raw && cmp sound.wav kept.wav && ! ls *.sluice-part*", 0);
    }
    tool_check("$S run c2c:f32:64 -i in.raw -o same_hard", 2);
    assert_true(tool_file_contains(
        "err", "cannot write same_hard: it is the same file as the input in.raw"));
}

/* Wisdom is an input too, of every command but tune. */
static void wisdom_is_kept(void **state)
{
    (void)state;
    tool_check("$S -u ref tune c2c:f32:64 --wisdom w && cp w kept.w && ln -f w same_w", 0);
    tool_check("$S -u cpu:1 emit c2c:f32:64 --wisdom w -o w", 2);
    tool_check("$S -u cpu:1 --wisdom w emit c2c:f32:64 -o same_w", 2);
    tool_check("$S -u cpu:1 run c2c:f32:64 --wisdom w -i in.raw -o same_w", 2);
    tool_check("$S -u cpu:1 spectrogram sound.wav same_w --wisdom w", 2);
    tool_check("cmp w kept.w", 0);
}

static void other_files_may_be_both(void **state)
{
    (void)state;
    tool_check("$S run c2c:f32:64 -i /dev/null -o /dev/null", 0);
    tool_check("cp in.raw copy.raw && $S run c2c:f32:64 -i in.raw -o copy.raw", 0);
}

/* Links stay links, those too that lead to no file yet. */
static void links_stay(void **state)
{
    (void)state;
    tool_check("ln -s sub/new bad_link && ln -s ../bad_link sub/twice && echo old >sub/there && "
               "ln -s \"$PWD/sub/there\" bad_absolute && ln -s bad_loop bad_loop",
               0);
    tool_check(
        "$S run c2c:f32:64 -i in.raw -o sub/twice && test -h bad_link && test -h sub/twice && "
        "cmp -n 0 sub/new in.raw && test $(stat -c %s sub/new) -eq $(stat -c %s in.raw)",
        0);
    tool_check("$S run c2c:f32:64 -i in.raw -o bad_absolute && test -h bad_absolute && "
               "cmp sub/there sub/new && test $(ls sub | wc -l) -eq 4",
               0);
    tool_check("$S run c2c:f32:64 -i in.raw -o bad_loop", 3);
    assert_true(
        tool_file_contains("err", "cannot write bad_loop: Too many levels of symbolic links"));
}

/* ---------------------------------------------------------------- leftovers ------------- */

/* A pipe that the shell holds open, so that its reader waits for more until it is killed. */
static const char waiting[] = "rm -f p; mkfifo p; exec 3<>p; %s $S run c2c:f32:64 -o bad.raw <p &\n"
                              "p=$!; cat in.raw >&3; until ls bad.raw.*; do sleep 0.02; done; "
                              "kill -%s $p; wait $p";

static void run_and_kill(const char *prefix, const char *signal_name, int code)
{
    char line[TOOL_LINE];
    snprintf(line, sizeof line, waiting, prefix, signal_name);
    assert_int_equal(tool_shell(line), code);
}

static void deadly_signals(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"TERM", SIGTERM}};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        /* a shell starts background processes with INT and QUIT ignored */
        run_and_kill("env --default-signal=INT,QUIT,HUP", signals[i].name, 128 + signals[i].number);
        tool_check_absent("bad");
    }
}

/* What SIGKILL left is taken over by the next run, with the permissions of a new file. */
static void leftovers(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        run_and_kill("", "KILL", 128 + SIGKILL);
    tool_check("test $(ls bad.raw* | wc -l) -eq 1 && chmod 600 bad.raw.*", 0);
    tool_check("umask 022; $S run c2c:f32:64 -i in.raw -o bad.raw && "
               "test $(ls bad.raw* | wc -l) -eq 1 && test $(stat -c %a bad.raw) -eq 644 && "
               "test $(stat -c %s bad.raw) -eq $(stat -c %s in.raw)",
               0);
    /* who wants to read what was left is not made to overwrite it */
    tool_check("cp in.raw bad.raw.sluice-part1 && "
               "! $S run c2c:f32:64 -i bad.raw.sluice-part1 -o bad.raw && "
               "cmp bad.raw.sluice-part1 kept.raw",
               0);
    tool_check("rm bad.raw.* && ln -s in.raw bad.raw.sluice-part1", 0);
    tool_check("$S run c2c:f32:64 -i kept.raw -o bad.raw", 3);
    tool_check("cmp in.raw kept.raw", 0);
}

/* Two runs that write one file both succeed; the last that ends is what stays. */
static void concurrent(void **state)
{
    (void)state;
    tool_check("$S run c2c:f32:64 -i in.raw -o right.raw", 0);
    for (int i = 0; i < 3; i++) {
        tool_check("{ sleep 0.2; cat in.raw; } | $S run c2c:f32:64 -o bad.raw & a=$!\n"
                   "{ cat in.raw; sleep 0.3; } | $S run c2c:f32:64 -o bad.raw & b=$!\n"
                   "$S run c2c:f32:64 -i in.raw -o bad.raw && cmp bad.raw right.raw && "
                   "wait $a && cmp bad.raw right.raw && wait $b && cmp bad.raw right.raw && "
                   "test $(ls bad.raw* | wc -l) -eq 1",
                   0);
    }
}

/* ---------------------------------------------------------------- pipes, errors --------- */

static const char *const writers[] = {
    "$S --help",
    "$S help run",
    "$S info",
    "$S explain c2c:f32:64",
    "$S explain c2c:f32:4096 --level placement",
    "$S verify c2c:f32:64",
    "$S verify c2c:f32:64 --json 2>/dev/null",
    "$S run c2c:f32:64 -i in.raw",
    "$S emit c2c:f32:64",
    "$S spectrogram sound.wav -",
    "$S -u cpu:1 tune --codelets",
};

/* Nobody reads: the command ends by SIGPIPE, as others do, and says nothing. */
static void closed_pipes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        char line[TOOL_LINE];
        /* opened for both ends, so that the reader is gone before the first byte */
        snprintf(line, sizeof line,
                 "rm -f p; mkfifo p; { exec 3<>p 4>p 3>&-; %s >&4; echo $? >code; } 2>told; "
                 "grep -v passed told >&2; grep -qx 141 code",
                 writers[i]);
        tool_check(line, 0);
        char *err = tool_read("err", NULL);
        assert_string_equal(err, "");
        free(err);
    }
    tool_check("trap '' PIPE; rm -f p; mkfifo p; exec 3<>p 4>p 3>&-; $S explain c2c:f32:64 >&4", 3);
    assert_true(tool_file_contains("err", "cannot write standard output: Broken pipe"));
}

static void write_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (strstr(writers[i], "2>") || strstr(writers[i], "tune")) /* measures for seconds */
            continue;
        tool_checkf(3, "%s >/dev/full", writers[i]);
        assert_true(tool_file_contains("err",
                                       "sluice: cannot write standard output: No space left on "
                                       "device\n"));
    }
    static const char *const to_file[] = {
        "$S run c2c:f32:64 -i in.raw -o %s",
        "$S emit c2c:f32:64 -o %s",
        "$S spectrogram sound.wav %s",
        "$S -u cpu:1 tune --wisdom %s",
    };
    for (size_t i = 0; i < sizeof to_file / sizeof to_file[0]; i++) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line, to_file[i], "nowhere/x.png");
        tool_check(line, 3);
        assert_true(tool_file_contains("err", "sluice: cannot write nowhere/x.png: No such file or "
                                              "directory\n"));
    }
    tool_check("ulimit -f 100; $S run c2c:f32:64 -i in.raw -o bad.raw", 3);
    assert_true(tool_file_contains("err", "cannot write bad.raw: File too large"));
    tool_check_absent("bad");
}

/* ---------------------------------------------------------------- main ------------------ */

/* What is printed does not go into the file that took the place of a closed descriptor. */
static void closed_descriptors(void **state)
{
    (void)state;
    tool_check("head -c 51200 /dev/zero >zeros; $S run c2c:f32:64 -i zeros -o open.raw", 0);
    tool_check("SLUICE_VERBOSE=all $S run c2c:f32:64 -i zeros -o closed.raw 2>&- && "
               "cmp open.raw closed.raw >&2",
               0);
    tool_check("$S run c2c:f32:64 -i zeros >&-", 3);
    assert_true(tool_file_contains("err", "cannot write standard output"));
    tool_check("$S run c2c:f32:64 -o y <&-", 3);
    assert_true(tool_file_contains("err", "cannot read standard input"));
    tool_check("$(dirname $S)/sluice-bench c2c:f32:64 --peers none --windows 1 --seconds 0.01 "
               "--json b.json "
               ">&- ; head -c 1 b.json | grep -q '{'",
               0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(inputs_are_kept, make_input),
        cmocka_unit_test_setup(wisdom_is_kept, make_input),
        cmocka_unit_test_setup(other_files_may_be_both, make_input),
        cmocka_unit_test_setup(links_stay, make_input),
        cmocka_unit_test_setup(deadly_signals, make_input),
        cmocka_unit_test_setup(leftovers, make_input),
        cmocka_unit_test_setup(concurrent, make_input),
        cmocka_unit_test_setup(closed_pipes, make_input),
        cmocka_unit_test_setup(write_errors, make_input),
        cmocka_unit_test(closed_descriptors),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool_files", tests, NULL, NULL));
}
