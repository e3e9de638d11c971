// SPDX-License-Identifier: BSD-3-Clause
/* Outputs of sluice-bench: fields, formats, refusals, exit codes. Measured values are not tested.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

static void json_has_all_fields(void **state)
{
    (void)state;
    char output[4096];
    const char *arguments = "c2c:f32:64 --peers none --json -" BENCH_QUICK;
    assert_int_equal(bench_command(arguments, BENCH_QUIET, output, sizeof output), 0);
    bench_assert_line(output);
    assert_non_null(strstr(output, "\"problem\":\"c2c:f32:64\""));
    assert_non_null(strstr(output, "\"engine\":\"sluice\",\"workers\":1,"));
    assert_non_null(strstr(output, "\"ratio_to\":null,"));
    assert_ptr_equal(strchr(output, '\n') + 1, output + strlen(output)); /* one line */
}

static void figures_agree_with_each_other(void **state)
{
    (void)state;
    char output[4096];
    const char *arguments = "'c2c:f64:32*3' --peers none --json=-" BENCH_QUICK;
    assert_int_equal(bench_command(arguments, BENCH_QUIET, output, sizeof output), 0);
    double median = bench_number(output, "median_s");
    double flops = bench_number(output, "gflops") * 1e9 * median;
    double bytes = bench_number(output, "gbytes_s") * 1e9 * median;
    assert_true(flops > 0.999 * 5 * 32 * 5 * 3 && flops < 1.001 * 5 * 32 * 5 * 3);
    assert_true(bytes > 0.999 * 2 * 16 * 96 && bytes < 1.001 * 2 * 16 * 96);
}

/* A peer may be absent here; an output that differs from a peer's may not. */
static void check_compares(void **state)
{
    (void)state;
    static const char *const problems[] = {"c2c:f32:64", "c2c:f64:64:inplace",
                                           "'c2c:f32:16*5:inverse'", "'c2c:f32:8@5/1*3@40/8'"};
    char output[8192], arguments[256];
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        snprintf(arguments, sizeof arguments, "%s --check --peers fftw-estimate" BENCH_QUICK,
                 problems[i]);
        int code = bench_command(arguments, BENCH_MERGED, output, sizeof output);
        if (strstr(output, "no peer to compare with"))
            assert_int_equal(code, 1);
        else
            assert_true(code == 0 && strstr(output, "PASS") && !strstr(output, "FAIL"));
    }
}

static void table_has_a_header(void **state)
{
    (void)state;
    char output[4096], name[32];
    assert_int_equal(
        bench_command("c2c:f32:16 --peers none" BENCH_QUICK, BENCH_QUIET, output, sizeof output),
        0);
    const char *at = output;
    for (int i = 0, length; i < BENCH_FIELDS; i++, at += length) {
        assert_int_equal(sscanf(at, "%31s%n", name, &length), 1);
        assert_string_equal(name, bench_field[i]);
    }
    assert_non_null(strstr(at, "\nc2c:f32:16"));
}

/* A missing peer is named on stderr, and the rest is measured. */
static void missing_peer_is_named(void **state)
{
    (void)state;
    char output[4096];
    const char *arguments = "c2c:f32:16 c2c:f32:32 --peers fftw-other --json -" BENCH_QUICK;
    assert_int_equal(setenv("SLUICE_PEER_FFTW", "./no-such-libfftw3f.so", 1), 0);
    int status = bench_command(arguments, BENCH_MERGED, output, sizeof output);
    unsetenv("SLUICE_PEER_FFTW");
    assert_int_equal(status, 0);
    assert_int_equal(bench_occurrences(output, "without fftw-other"), 1);
    assert_int_equal(bench_occurrences(output, "\"engine\":\"sluice\""), 2);
    assert_null(strstr(output, "\"engine\":\"fftw-other\""));
}

static void machine_is_named(void **state)
{
    (void)state;
    char output[4096];
    assert_int_equal(
        bench_command("c2c:f32:16 --peers none" BENCH_QUICK, BENCH_MERGED, output, sizeof output),
        0);
    assert_non_null(strstr(output, "sluice "));
    assert_non_null(strstr(output, " unit"));
}

/* If the peer exists, ratio_to of both rows is the same number. */
static void ratio_is_mutual(void **state)
{
    (void)state;
    char output[4096];
    const char *arguments = "c2c:f32:64 --peers fftw-estimate --json -" BENCH_QUICK;
    assert_int_equal(bench_command(arguments, BENCH_QUIET, output, sizeof output), 0);
    const char *second = strchr(output, '\n') + 1;
    if (*second == 0)
        skip(); /* no FFTW on this machine */
    bench_assert_line(second);
    assert_non_null(strstr(second, "\"engine\":\"fftw-estimate\""));
    double ratio = bench_number(second, "ratio_to");
    assert_true(ratio == bench_number(output, "ratio_to"));
    double expected = bench_number(second, "median_s") / bench_number(output, "median_s");
    assert_true(ratio > 0.999 * expected && ratio < 1.001 * expected);
}

typedef struct refusal {
    const char *arguments;
    int code;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {"", 2, "no problem"},
    {"c2c:f32:16 --no-such-option", 2, "no option '--no-such-option'"},
    {"c2c:f32:16 -x", 2, "no option '-x'"},
    {"c2c:f32:16 --seconds", 2, "needs a value"},
    {"c2c:f32:16 --seconds 0", 2, "--seconds cannot be '0'"},
    {"c2c:f32:16 --windows 65", 2, "--windows cannot be '65'"},
    {"c2c:f32:16 --workers 1,", 2, "--workers cannot be '1,'"},
    {"c2c:f32:16 --workers 1,1", 2, "--workers cannot be '1,1'"},
    {"c2c:f32:16 --workers 1024 --peers none", 2, "1024 workers"},
    {"c2c:f32:16 --peers fftw,nobody", 2, "--peers cannot be"},
    {"c2c:f32:16 --effort more", 2, "--effort cannot be 'more'"},
    {"c2c:f32:16 --check=yes", 2, "takes no value"},
    {"c2c:f32:16 --check --peers none", 2, "--check needs a peer"},
    {"c2c:f32:16 --units nothing", 2, "nothing"},
    {"c2c:f32", 2, "refused"},
    {"dct9:f32:16", 2, "refused"},
    {"'c2c:f32:16@1/1*2@9223372036854775807/16'", 2, "refused"},
    {"c2c:f32:16 --json ./no/such/folder/file", 3, "no/such/folder"},
    {"c2c:f32:16 --peers none" BENCH_QUICK ">/dev/full", 3, "standard output"},
};

static void refusals_say_why(void **state)
{
    (void)state;
    char output[8192];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        int code = bench_command(r->arguments, BENCH_MERGED, output, sizeof output);
        if (code != r->code || !strstr(output, r->says))
            print_error("sluice-bench %s: exit %d, %s\n", r->arguments, code, output);
        assert_int_equal(code, r->code);
        assert_non_null(strstr(output, r->says));
    }
}

static void help_documents_the_fields(void **state)
{
    (void)state;
    char output[16384];
    assert_int_equal(bench_command("--help", BENCH_QUIET, output, sizeof output), 0);
    for (int i = 0; i < BENCH_FIELDS; i++)
        assert_non_null(strstr(output, bench_field[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_all_fields),
        cmocka_unit_test(figures_agree_with_each_other),
        cmocka_unit_test(check_compares),
        cmocka_unit_test(table_has_a_header),
        cmocka_unit_test(missing_peer_is_named),
        cmocka_unit_test(machine_is_named),
        cmocka_unit_test(ratio_is_mutual),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(help_documents_the_fields),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
