// SPDX-License-Identifier: BSD-3-Clause
/* The command `sluice`: usage, help, and the commands that print records. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_tool.h"

/* ---------------------------------------------------------------- usage ----------------- */

static void usage(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "$S",
        "$S nonsense",
        "$S --nonsense",
        "$S info extra",
        "$S info --nonsense",
        "$S explain",
        "$S explain c2c:f32:8 --level nonsense",
        "$S explain c2c:f32:8 --effort x",
        "$S explain c2c:f32:8 --formula F",
        "$S explain c2c:f32:8 --precision f64",
        "$S verify",
        "$S verify c2c:f32:8 --units",
        "$S verify c2c:f32:8 --json=yes",
        "$S run",
        "$S run c2c:f32:8 c2c:f32:16",
        "$S spectrogram in.wav",
        "$S spectrogram in.wav out.png --window square",
        "$S spectrogram in.wav out.png --hop 0",
        "$S --units nonsense verify c2c:f32:8",
        "$S verify c2c:f99:8",
        "$S run c2c:f32:64@2",
        "$S tune",
        "$S pad",
        "$S pad c2c:f32:8@2",
        "$S tune c2c:f32:8",
        "$S tune --codelets c2c:f32:8",
        "$S tune --wisdom",
        "$S tune --wisdom w --effort estimate c2c:f32:8",
        "$S --units ref tune --codelets",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        tool_check(wrong[i], 2);
}

static void help(void **state)
{
    (void)state;
    static const char *const right[] = {
        "$S --help",         "$S help",       "$S --version",  "$S info --help",
        "$S explain --help", "$S verify -h",  "$S run --help", "$S spectrogram --help",
        "$S tune --help",    "$S pad --help",
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        tool_check(right[i], 0);
        assert_true(tool_file_contains("out", "sluice"));
    }
}

/* The caret stands below the byte that was not understood. */
static void caret(void **state)
{
    (void)state;
    tool_check("$S explain c2c:f99:8", 2);
    char *err = tool_read("err", NULL);
    char *text = strstr(err, "\n  c2c:f99:8\n");
    assert_non_null(text);
    text += strlen("\n  c2c:f99:8\n");
    assert_in_range(strcspn(text, "^"), 2 + 4, 2 + 6);
    free(err);
}

/* Where the caret stands in what was said: bytes from the line's begin, and the line above. */
static size_t caret_of(char *err, char **above)
{
    char *line = strchr(err, '^');
    assert_non_null(line);
    size_t column = 0;
    for (; line > err && line[-1] != '\n'; line--)
        column++;
    assert_true(line > err);
    line[-1] = 0;
    *above = strrchr(err, '\n') + 1;
    return column;
}

/* Formulas too, with or without a problem in front, long ones, characters of several bytes. */
static void caret_of_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *shown; /* the shown line up to the caret */
    } cases[] = {
        {"DFT(8", "  DFT(8"},
        {"c2c:f32:8 := DFT(8", "  c2c:f32:8 := DFT(8"},
        {"c2c:f32:8 := DFT(8,", "  c2c:f32:8 := DFT(8"},
        {"c2c:f99:8 := DFT(8)", "  c2c:"},
        {"(DFT(8) (x) \xc3\xa9", "  (DFT(8) (x) "},
        {"I(2) (x) DFT(4))", "  I(2) (x) DFT(4)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tool_checkf(2, "$S explain --formula '%s'", cases[i].formula);
        char *err = tool_read("err", NULL), *above;
        assert_int_equal(caret_of(err, &above), strlen(cases[i].shown));
        assert_memory_equal(above, cases[i].shown, strlen(cases[i].shown));
        free(err);
    }
    /* what is left of it and right of it is cut; the caret still stands under the place */
    tool_check("$S explain --formula \"$(printf 'I(1) * %.0s' $(seq 40))DFT(2$(seq -s ' * ' 200)\"",
               2);
    char *err = tool_read("err", NULL), *above;
    size_t column = caret_of(err, &above);
    assert_true(strlen(above) < 80);
    assert_memory_equal(above, "  ..", 4);
    assert_memory_equal(above + column - 7, "DFT(21 ", 7);
    free(err);
    /* control bytes of the command line reach no terminal */
    tool_check("$S explain --formula \"$(printf 'DFT(8 \\033[2J\\n')\"; code=$?; "
               "! grep -q \"$(printf '\\033')\" err && exit $code",
               2);
    tool_check("$S explain \"$(printf 'c2c:f32:8\\033[2J')\"; code=$?; "
               "! grep -q \"$(printf '\\033')\" err && exit $code",
               2);
}

/* On the terminal progress ends before a record begins. Codelets are measured meanwhile. */
static void progress_ends(void **state)
{
    (void)state;
    if (tool_shell("command -v script"))
        skip();
    tool_check(
        "script -qec \"$S -u cpu:1 tune c2c:f32:64 c2c:f32:32 nonsense --effort measure "
        "--wisdom w\" /dev/null </dev/null | tr -d '\\r' >shown; "
        "grep 'plan_s=\\|cannot' shown >lines; cat shown >&2; ! grep -v '^c2c\\|^sluice: cannot' "
        "lines",
        0);
    assert_true(tool_file_contains("shown", "sluice: planning c2c:f32:32, 2 of 3"));
    assert_true(tool_file_contains("lines", "c2c:f32:64 plan_s="));
    assert_true(tool_file_contains("lines", "sluice: cannot read the problem"));
}

/* ---------------------------------------------------------------- common options -------- */

static void json_of_refusals(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "$S verify --json c2c:f99:8",       "$S --json verify c2c:f99:8",
        "echo c2c:f99:8 | $S verify - -j",  "$S tune --wisdom measured c2c:f99:8 -u cpu:1 --json",
        "$S explain c2c:f99:8 --json",      "$S emit c2c:f99:8 --json -o x.c",
        "$S run c2c:f99:8 --json -o x.raw",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        tool_check(lines[i], 2);
        assert_true(tool_file_contains(
            "out", "{\"problem\":\"c2c:f99:8\",\"result\":\"REFUSED\",\"why\":\""));
        assert_true(tool_file_contains("out", ",\"offset\":4}\n"));
    }
    static const char *const others[][2] = {
        {"$S explain --json dct1:f32:1", "{\"problem\":\"dct1:f32:1\",\"result\":\"REFUSED\","},
        {"$S explain --json --formula 'DFT(8'", "{\"formula\":\"DFT(8\",\"result\":\"REFUSED\","},
        {"$S verify --json --formula 'DFT(8'", "{\"formula\":\"DFT(8\",\"result\":\"REFUSED\","},
        {"$S emit --json -u ref c2c:f32:8 -o x.c",
         "\"why\":\"units of this kind print no programs"},
        {"$S verify --json -u nonsense c2c:f32:8",
         "{\"problem\":\"c2c:f32:8\",\"result\":\"REFUSED\",\"why\":\"the machine could not be "
         "opened\"}"},
        {"$S run --json c2c:f32:8@2 -o x.raw", "\"why\":\"a file is packed"},
        {"$S verify --json \"$(printf 'c2c:f32:8\\377\\303')\"",
         "{\"problem\":\"c2c:f32:8\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        tool_check(others[i][0], 2);
        assert_true(tool_file_contains("out", others[i][1]));
    }
    /* where stdout carries a program or samples it carries nothing else */
    tool_check("$S emit c2c:f99:8 --json; code=$?; test ! -s out && exit $code", 2);
    tool_check("$S run c2c:f99:8 --json </dev/null; code=$?; test ! -s out && exit $code", 2);
}

static void json_of_results(void **state)
{
    (void)state;
    tool_check("$S explain --json c2c:f32:64*2", 0);
    assert_true(tool_file_contains("out", "{\"problem\":\"c2c:f32:64*2\",\"points\":64,"));
    tool_check("$S explain --json --level program c2c:f32:8", 0);
    assert_true(tool_file_contains(
        "out", "{\"problem\":\"c2c:f32:8\",\"level\":\"program\",\"text\":\"program 8"));
    tool_check("$S emit --json c2c:f32:8 -o x.c && "
               "grep -q \"{\\\"output\\\":\\\"x.c\\\",\\\"bytes\\\":$(stat -c %s x.c)}\" out",
               0);
    tool_check("head -c 1024 /dev/zero | $S run --json c2c:f32:8 -o x.raw", 0);
    assert_true(tool_file_contains(
        "out", "{\"problem\":\"c2c:f32:8\",\"output\":\"x.raw\",\"transforms\":16,"
               "\"not_finite\":0,\"bytes\":1024}\n"));
}

static void lengths_to_pad_to(void **state)
{
    (void)state;
    tool_check("$S --units cpu:1 pad c2c:f32:509 c2c:f32:64", 0);
    assert_true(tool_file_contains("out", "c2c:f32:509 padded=c2c:f32:512 predicted_s="));
    assert_true(tool_file_contains("out", "c2c:f32:64 padded=c2c:f32:64 predicted_s="));
    tool_check("$S --units cpu:1 pad --json c2c:f32:509 c2c:f32:8@2", 2);
    assert_true(
        tool_file_contains("out", "{\"problem\":\"c2c:f32:509\",\"padded\":\"c2c:f32:512\""));
    assert_true(tool_file_contains("out", "\"result\":\"REFUSED\""));
}

static void common_options(void **state)
{
    (void)state;
    static const char *const names[] = {"info",        "explain", "verify", "run",
                                        "spectrogram", "tune",    "pad",    "emit"};
    static const char *const options[] = {"-u, --units U ", "    --wisdom FILE ", "-j, --json ",
                                          "    --version ", "-h, --help "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tool_checkf(0, "$S %s --version && $S %s --help >a && $S help %s | cmp a - >&2", names[i],
                    names[i], names[i]);
        assert_true(tool_file_contains("out", "sluice 0."));
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
            assert_true(tool_file_contains("a", options[k]));
    }
    tool_check("$S --version --json && $S --json info --version", 0);
    assert_true(tool_file_contains("out", "{\"program\":\"sluice\",\"version\":\"0."));
    tool_check("$S help nonsense", 2);
    tool_check("$S help run info", 2);
    tool_check("$S --units cpu:1 --wisdom w", 2);
    tool_check("$S --wisdom=missing explain c2c:f32:8", 3);
    char *err = tool_read("err", NULL);
    assert_string_equal(err, "sluice: missing: No such file or directory\n");
    free(err);
    char line[TOOL_LINE], path[200];
    memset(path, 'x', sizeof path);
    snprintf(line, sizeof line,
             "$S --wisdom %.199s explain c2c:f32:8; test $(grep -o xxx: err | wc "
             "-l) -eq 1 && exit 3",
             path);
    tool_check(line, 3);
}

/* ---------------------------------------------------------------- info, verify ---------- */

static void info(void **state)
{
    (void)state;
    tool_check("$S info --units cpu:1", 0);
    assert_true(tool_file_contains("out", " local_store="));
    assert_true(tool_file_contains("out", "copy threads=1 gbytes_s="));
    tool_check("$S --units cpu:1 info --json", 0);
    assert_true(tool_file_contains("out", "{\"unit\":\""));
    assert_true(tool_file_contains("out", "\"gbytes_s\":"));
}

static void verify(void **state)
{
    (void)state;
    tool_check("$S verify c2c:f32:64 c2c:f64:12*5", 0);
    assert_true(tool_file_contains("out", "c2c:f32:64 error="));
    assert_true(tool_file_contains("out", "c2c:f64:12*5 error="));
    assert_true(tool_file_contains("out", " PASS\n"));
    assert_true(tool_file_contains("err", "2 passed, 0 failed, 0 refused"));
    tool_check("printf '# two\\n c2c:f32:16\\n\\nc2c:f64:16\\n' | $S verify - --json", 0);
    assert_true(tool_file_contains("out", "{\"problem\":\"c2c:f32:16\",\"error\":"));
    assert_true(tool_file_contains("out", "\"result\":\"PASS\"}"));
    assert_true(tool_file_contains("err", "2 passed, 0 failed, 0 refused"));
    tool_check("$S verify c2c:f32:16 nonsense", 2);
    assert_true(tool_file_contains("err", "1 passed, 0 failed, 1 refused"));
}

/* ---------------------------------------------------------------- explain --------------- */

static void explain_levels(void **state)
{
    (void)state;
    static const char *const levels[] = {"formula", "sigma", "program", "placement", "json"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line, "$S explain 'c2c:f32:1024*16' --level %s && test -s out",
                 levels[i]);
        tool_check(line, 0);
    }
}

/* What --level formula prints beside comments plans to itself. */
static void explain_again(void **state)
{
    (void)state;
    static const char *const problems[] = {"c2c:f32:64", "c2c:f64:1024*16", "c2c:f32:4096:latency"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line,
                 "$S explain '%s' | grep -v '^#' >first && test $(wc -l <first) -eq 1 && "
                 "$S explain --formula \"$(cat first)\" | grep -v '^#' >second && "
                 "cmp first second >&2",
                 problems[i]);
        tool_check(line, 0);
    }
}

/* ---------------------------------------------------------------- tune ------------------ */

/* Codelets are measured once; a problem that the file holds is planned by it, here and
 * elsewhere. */
static void tune(void **state)
{
    (void)state;
    tool_check("$S -u cpu:1 tune c2c:f32:64 c2c:f64:100*3 --effort measure --wisdom w", 0);
    assert_true(tool_file_contains("out", "c2c:f32:64 plan_s="));
    assert_true(tool_file_contains("out", "_{leaf}"));
    assert_true(tool_file_contains("w", "sluice-wisdom 6 "));
    assert_true(tool_file_contains("w", "\ncodelet dft2_"));
    assert_true(tool_file_contains("w", "\nc2c:f64:100*3 := "));
    tool_check_absent("w.");
    tool_check(
        "cp w measured && $S -u cpu:1 tune c2c:f32:64 --wisdom w --json && cmp w measured >&2", 0);
    assert_true(tool_file_contains("out", "{\"problem\":\"c2c:f32:64\",\"plan_s\":"));
    tool_check("$S -u cpu:1 tune nonsense c2c:f32:32 --wisdom w", 2); /* the other one is kept */
    assert_true(tool_file_contains("w", "\nc2c:f32:32 := "));
    tool_check("$S -u cpu:1 tune --codelets --json --wisdom w | tail -n 1 >last; mv last out", 0);
    assert_true(tool_file_contains("out", "{\"codelet\":\""));
    assert_true(tool_file_contains("out", "\"predicted\":"));
    assert_true(tool_file_contains("out", "\"measured\":"));
}

static void wisdom_for_every_command(void **state)
{
    (void)state;
    tool_check("head -n 1 measured >odd && echo 'c2c:f32:64 := "
               "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)' >>odd",
               0);
    tool_check("$S -u cpu:1 explain c2c:f32:64 --wisdom odd", 0);
    assert_true(tool_file_contains("out", "(DFT(2)_{leaf} (x) I(32))"));
    assert_true(tool_file_contains("err", "sluice: odd: 1 formula will be checked on first use"));
    tool_check("$S -u cpu:1 --wisdom odd verify c2c:f32:64", 0);
    tool_check("echo nonsense >>odd && $S -u cpu:1 explain c2c:f32:64 --wisdom=odd", 0);
    assert_true(tool_file_contains("err", "sluice: odd: 1 lines rejected, line 3 first"));
    tool_check("$S -u cpu:2 explain c2c:f32:64 --wisdom odd", 0); /* whatever the units count */
    assert_true(tool_file_contains("out", "(DFT(2)_{leaf} (x) I(32))"));
    tool_check("$S -u ref explain c2c:f32:64 --wisdom odd", 2);
    assert_true(tool_file_contains("err", "wisdom of other units"));
    tool_check("$S explain c2c:f32:64 --wisdom missing", 3);
    assert_true(tool_file_contains("err", "missing: No such file"));
}

/* ---------------------------------------------------------------- main ------------------ */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage),
        cmocka_unit_test(help),
        cmocka_unit_test(caret),
        cmocka_unit_test(caret_of_formulas),
        cmocka_unit_test(progress_ends),
        cmocka_unit_test(tune), /* takes what that measured, others what it kept */
        cmocka_unit_test(json_of_refusals),
        cmocka_unit_test(json_of_results),
        cmocka_unit_test(common_options),
        cmocka_unit_test(lengths_to_pad_to),
        cmocka_unit_test(info),
        cmocka_unit_test(verify),
        cmocka_unit_test(explain_levels),
        cmocka_unit_test(explain_again),
        cmocka_unit_test(wisdom_for_every_command),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool", tests, NULL, NULL));
}
