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

#include "tests/helper_tool.h"

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
        "$S --help",         "$S help",      "$S --version",  "$S info --help",
        "$S explain --help", "$S verify -h", "$S run --help", "$S spectrogram --help",
        "$S tune --help",
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        tool_check(right[i], 0);
        assert_true(tool_says("out", "sluice"));
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

static void full_stdout(void **state)
{
    (void)state;
    tool_check("$S --help >/dev/full", 3);
    tool_check("$S explain c2c:f32:64 >/dev/full", 3);
    tool_check("$S verify c2c:f32:64 >/dev/full", 3);
}

/* ---------------------------------------------------------------- info, verify ---------- */

static void info(void **state)
{
    (void)state;
    tool_check("$S info --units cpu:1", 0);
    assert_true(tool_says("out", " local_store="));
    assert_true(tool_says("out", "copy threads=1 gbytes_s="));
    tool_check("$S --units cpu:1 info --json", 0);
    assert_true(tool_says("out", "{\"unit\":\""));
    assert_true(tool_says("out", "\"gbytes_s\":"));
}

static void verify(void **state)
{
    (void)state;
    tool_check("$S verify c2c:f32:64 c2c:f64:12*5", 0);
    assert_true(tool_says("out", "c2c:f32:64 error="));
    assert_true(tool_says("out", "c2c:f64:12*5 error="));
    assert_true(tool_says("out", " PASS\n"));
    assert_true(tool_says("err", "2 passed, 0 failed, 0 refused"));
    tool_check("printf '# two\\n c2c:f32:16\\n\\nc2c:f64:16\\n' | $S verify - --json", 0);
    assert_true(tool_says("out", "{\"problem\":\"c2c:f32:16\",\"error\":"));
    assert_true(tool_says("out", "\"result\":\"PASS\"}"));
    assert_true(tool_says("err", "2 passed, 0 failed, 0 refused"));
    tool_check("$S verify c2c:f32:16 nonsense", 2);
    assert_true(tool_says("err", "1 passed, 0 failed, 1 refused"));
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

/* Codelets are measured once; a problem that the file holds is planned by it, here and elsewhere. */
static void tune(void **state)
{
    (void)state;
    tool_check("$S -u cpu:1 tune c2c:f32:64 c2c:f64:100*3 --effort measure --wisdom w", 0);
    assert_true(tool_says("out", "c2c:f32:64 plan_s="));
    assert_true(tool_says("out", "_{leaf}"));
    assert_true(tool_says("w", "sluice-wisdom 1 "));
    assert_true(tool_says("w", "\ncodelet dft2_"));
    assert_true(tool_says("w", "\nc2c:f64:100*3 := "));
    tool_check_absent("w.");
    tool_check("cp w first && $S -u cpu:1 tune c2c:f32:64 --wisdom w --json && cmp w first >&2", 0);
    assert_true(tool_says("out", "{\"problem\":\"c2c:f32:64\",\"plan_s\":"));
    tool_check("$S -u cpu:1 tune nonsense c2c:f32:32 --wisdom w", 2); /* the other one is kept */
    assert_true(tool_says("w", "\nc2c:f32:32 := "));
    tool_check("$S -u cpu:1 tune --codelets --json | tail -n 1 >last; mv last out", 0);
    assert_true(tool_says("out", "{\"codelet\":\"dft"));
    assert_true(tool_says("out", "\"predicted\":"));
    assert_true(tool_says("out", "\"measured\":"));
}

static void wisdom_for_every_command(void **state)
{
    (void)state;
    tool_check("$S -u cpu:1 tune --wisdom odd && sed -i '2,$d' odd && echo 'c2c:f32:64 := "
               "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)' >>odd",
               0);
    tool_check("$S -u cpu:1 explain c2c:f32:64 --wisdom odd", 0);
    assert_true(tool_says("out", "(DFT(2)_{leaf} (x) I(32))"));
    tool_check("$S -u cpu:1 --wisdom odd verify c2c:f32:64", 0);
    tool_check("echo nonsense >>odd && $S -u cpu:1 explain c2c:f32:64 --wisdom=odd", 0);
    assert_true(tool_says("err", "sluice: odd: 1 lines rejected, line 3 first"));
    tool_check("$S -u cpu:2 explain c2c:f32:64 --wisdom odd", 2);
    assert_true(tool_says("err", "another machine"));
    tool_check("$S explain c2c:f32:64 --wisdom missing", 3);
    assert_true(tool_says("err", "missing: No such file"));
    tool_check("$S -u cpu:1 tune --wisdom nowhere/w", 3);
    assert_true(tool_says("err", "cannot write nowhere/w: No such file"));
}

/* ---------------------------------------------------------------- main ------------------ */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage),          cmocka_unit_test(help),
        cmocka_unit_test(caret),          cmocka_unit_test(full_stdout),
        cmocka_unit_test(info),           cmocka_unit_test(verify),
        cmocka_unit_test(explain_levels), cmocka_unit_test(explain_again),
        cmocka_unit_test(tune),           cmocka_unit_test(wisdom_for_every_command),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool", tests, NULL, NULL));
}
