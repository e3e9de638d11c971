// SPDX-License-Identifier: BSD-3-Clause
/* Suites of sluice-bench: their lists, filters, and tiny real runs, also resumed and interrupted
 * ones. Peers are not needed. */
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

#include "api/sluice.h"
#include "tests/helpers/helper_bench.h"

static int count_lines(void)
{
    return bench_occurrences(bench_output, "\n");
}

/* ---- lists */

typedef struct listing {
    const char *arguments;
    int problems;
} listing;

/* Panels of the suite cell: of one worker (4, a, b, h), of all counts (d, e, f, g), of each (c). */
enum {
    CELL_ONE = 11 + 2 * 14 + 2 * 12 + 8,
    CELL_ALL = 6 + 7 + 7 + 11,
    CELL_EACH = 6,
};

static const listing listings[] = {
    {"cpu-single", 4 * 23},
    {"cpu-batch", 4 * 2 * 12},
    {"cpu-sizes", 4 * 14},
    {"cpu-2d", 4 * 7},
    {"cpu-3d", 4 * 4},
    {"cpu", 4 * (23 + 2 * 12 + 14 + 7 + 4)},
    {"cpu-2d,cpu-3d", 4 * (7 + 4)},
    {"cpu-2d,cpu", 4 * (23 + 2 * 12 + 14 + 7 + 4)}, /* none twice */
    {"cpu --precision f32", 2 * (23 + 2 * 12 + 14 + 7 + 4)},
    {"cpu --precision f64 --place in", 23 + 2 * 12 + 14 + 7 + 4},
    {"cpu-single --largest 64", 4 * 5},
    {"cpu-single --largest=2^6 --place out", 2 * 5},
    {"cpu-batch --largest 2^14", 4 * 12},
    {"cpu-2d --largest 4096", 4},
    {"cell --units ref:1", CELL_ONE + CELL_ALL},
    {"cell --units ref:2", CELL_ONE + CELL_ALL + CELL_EACH},
    {"cell --units ref:4", CELL_ONE + CELL_ALL + 2 * CELL_EACH}, /* 2 and 4 workers */
    {"cell --units ref:4 --workers 2", CELL_ALL + CELL_EACH},
    {"cell --units ref:3 --workers 3", CELL_ALL}, /* 3 parts have no equal blocks */
    {"cell --units ref:2 --precision f64", 14 + 12},
    {"cell --units ref:2 --place out", CELL_ONE + CELL_ALL + CELL_EACH},
    {"family --precision f32", 194},
    {"family --largest 64 --precision f64", 14},
    {"wide-batch", 4 * 6 * 12},
    {"wide-mixed --place out --precision f32", 3 * 12},
    {"wide-sizes", 4 * 26},
    {"wide-primes", 4 * 25},
    {"wide-images,wide-volumes,wide-small", 4 * (8 + 7 + 14)},
    {"wide-columns", 2 * 13},
    {"wide-columns --largest 2^16", 2 * 4}, /* strides are no points */
    {"wide-split", 2 * (12 + 2 * 10)},
    {"wide", 4 * (6 * 12 + 3 * 12 + 26 + 25 + 8 + 7 + 14) + 2 * (13 + 32)},
    {"dct2d", 2 * 42},
    {"dct2d --largest 1000000", 2 * 6 * 3}, /* 512 x 512 and the oblongs */
    {"dct-routes", 2 * 5},
    {"cpu,cell --units ref:1", 4 * (23 + 2 * 12 + 14 + 7 + 4) + CELL_ONE + CELL_ALL},
};

static void suites_have_their_problems(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        assert_int_equal(bench_run(BENCH_QUIET, "--list --suite %s", listings[i].arguments), 0);
        if (count_lines() != listings[i].problems)
            print_error("--suite %s: %d problems\n", listings[i].arguments, count_lines());
        assert_int_equal(count_lines(), listings[i].problems);
    }
}

/* Each is written as the library writes it, so that it is found again in files. */
static void problems_print_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(
        bench_run(BENCH_QUIET,
                  "--suite cpu,wide,cell,family,dct2d,dct-routes --units ref:4 --list"),
        0);
    for (char *line = strtok(bench_output, "\n"); line; line = strtok(NULL, "\n")) {
        sluice_problem problem;
        char printed[256];
        assert_int_equal(sluice_problem_parse(&problem, line, NULL), SLUICE_OK);
        assert_int_equal(sluice_problem_print(&problem, printed, sizeof printed), SLUICE_OK);
        assert_string_equal(printed, line);
    }
}

static void filters_keep_what_they_say(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, "--suite cpu --list --precision f64 --place in"), 0);
    assert_int_equal(bench_occurrences(bench_output, "c2c:f64:"), count_lines());
    assert_int_equal(bench_occurrences(bench_output, ":inplace\n"), count_lines());
    assert_int_equal(bench_run(BENCH_QUIET, "--suite cpu --list --precision f32 --place out"), 0);
    assert_int_equal(bench_occurrences(bench_output, "c2c:f32:"), count_lines());
    assert_null(strstr(bench_output, "inplace"));
}

static const char *const panels[] = {
    "c2c:f32:16:in=split:out=split:workers=1\n",                /* 4 */
    "c2c:f64:4:workers=1\n",                                    /* a */
    "c2c:f64:44100:workers=1\n",                                /* b */
    "c2c:f32:4096:in_cyclic=64/2:out_cyclic=256/2:workers=2\n", /* c */
    "c2c:f32:4096:in_cyclic=32/4:out_cyclic=128/4:workers=4\n",
    "\nc2c:f32:131072\n",            /* d */
    "\nc2c:f32:8192*512\n",          /* e */
    "\nc2c:f32:8388608\n",           /* f */
    "\nc2c:f32:4*1048576\n",         /* g */
    "c2c:f32:2048x2048:workers=1\n", /* h */
};

static void panels_are_those_of_the_paper(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, "--suite cell --units ref:4 --list"), 0);
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        if (!strstr(bench_output, panels[i]))
            print_error("there is no %s", panels[i]);
        assert_non_null(strstr(bench_output, panels[i]));
    }
    assert_null(strstr(bench_output, "inplace"));
}

typedef struct refusal {
    const char *arguments;
    int code;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {"--suite nothing", 2, "--suite cannot be 'nothing'"},
    {"--suite cpu,", 2, "--suite cannot be 'cpu,'"},
    {"--suite cpu c2c:f32:16", 2, "apart"},
    {"--suite cpu --precision f16", 2, "--precision cannot be 'f16'"},
    {"--suite cpu --place here", 2, "--place cannot be 'here'"},
    {"--suite cpu --largest 0", 2, "--largest cannot be '0'"},
    {"--suite cpu --largest 2^", 2, "--largest cannot be '2^'"},
    {"--suite cpu --largest 2^99", 2, "--largest cannot be '2^99'"},
    {"--suite cpu --largest 3", 2, "--largest"},
    {"--suite cell --place in", 2, "--place"},
    {"--suite cpu --peer-plan-seconds -1", 2, "--peer-plan-seconds cannot be"},
    {"c2c:f32:16 --precision f32", 2, "--suite"},
    {"c2c:f32:16 --resume ./figures.json", 2, "--suite"},
    {"--suite cpu --resume -", 2, "file"},
    {"--suite cpu --workers 1024 --peers none", 2, "units"},
    {"--from ./no/such/file", 3, "no/such/file"},
    {"--from ./no/such/file --suite cpu", 2, "measures nothing"},
};

static void refusals_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        int code = bench_run(BENCH_MERGED, "%s", r->arguments);
        if (code != r->code || !strstr(bench_output, r->says))
            print_error("sluice-bench %s: exit %d, %s\n", r->arguments, code, bench_output);
        assert_int_equal(code, r->code);
        assert_non_null(strstr(bench_output, r->says));
    }
}

/* ---- runs */

#define TINY "--suite cpu-single --peers none --workers 1" BENCH_QUICK

static void a_tiny_suite_runs(void **state)
{
    (void)state;
    int lines = 0, figures = 0;
    assert_int_equal(bench_run(BENCH_QUIET, TINY "--largest 64 --json -"), 0);
    for (char *line = strtok(bench_output, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        assert_int_equal(line[0], '{');
        assert_int_equal(line[strlen(line) - 1], '}');
        if (strncmp(line, "{\"problem\":", 11) != 0)
            continue;
        figures++;
        bench_assert_line(line);
        assert_non_null(strstr(line, "\"group\":\"cpu-single\""));
        bool small = strstr(line, ":64\"") == NULL && strstr(line, ":64:") == NULL;
        assert_true((strstr(line, "\"judged\":false") != NULL) == small);
    }
    assert_int_equal(figures, 20);
    assert_true(lines > figures); /* machine, limits, summaries */
}

static void a_suite_prints_one_table(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_QUIET, TINY "--largest 64 --precision f32"), 0);
    assert_int_equal(bench_occurrences(bench_output, "problem "), 1);
    assert_int_equal(bench_occurrences(bench_output, "\nc2c:f32:"), 10);
    assert_non_null(strstr(bench_output, "\nall "));
}

static void a_run_is_resumed(void **state)
{
    (void)state;
    const char *rows = "{\"problem\":";
    assert_int_equal(bench_run(BENCH_QUIET, TINY "--largest 8 --resume %s/run.json", bench_folder),
                     0);
    bench_read_file("run.json");
    assert_int_equal(bench_occurrences(bench_output, rows), 8);
    assert_int_equal(bench_run(BENCH_QUIET, TINY "--largest 16 --resume %s/run.json", bench_folder),
                     0);
    assert_int_equal(bench_occurrences(bench_output, "\nc2c:"), 4); /* only what was missing */
    bench_read_file("run.json");
    assert_int_equal(bench_occurrences(bench_output, rows), 12);
    const char *more = TINY "--units cpu:2 --workers 2 --largest 8 --resume %s/run.json";
    assert_int_equal(bench_run(BENCH_QUIET, more, bench_folder), 0); /* other worker counts too */
    bench_read_file("run.json");
    assert_int_equal(bench_occurrences(bench_output, rows), 20);
}

/* A problem of two panels is measured in both, one of a panel of one worker at that count only. */
static void panels_measure_for_themselves(void **state)
{
    (void)state;
    const char *run =
        "--suite cell --units cpu:1 --precision f32 --peers none --largest %d" BENCH_QUICK
        "--resume %s/cell.json";
    assert_int_equal(bench_run(BENCH_QUIET, run, 4096, bench_folder), 0);
    assert_int_equal(bench_occurrences(bench_output, "\nc2c:f32:4096 "), 2);
    bench_read_file("cell.json");
    int figures = bench_occurrences(bench_output, "{\"problem\":");
    assert_int_equal(figures, 9 + 11 + 8 + 1 + 3); /* 4, a, b, d, h */
    assert_int_equal(bench_occurrences(bench_output, "\"group\":\"cell-d\""), 1);
    assert_int_equal(bench_run(BENCH_QUIET, run, 4096, bench_folder), 0);
    bench_read_file("cell.json");
    assert_int_equal(bench_occurrences(bench_output, "{\"problem\":"), figures);
}

static void absent_peers_are_named_once(void **state)
{
    (void)state;
    static const char *const variables[] = {"SLUICE_PEER_FFTW", "SLUICE_PEER_MKL",
                                            "SLUICE_PEER_KFR", "SLUICE_PEER_PFFFT",
                                            "SLUICE_PEER_POCKETFFT"};
    static const char *const peers[] = {"fftw-other", "mkl", "kfr", "pffft", "pocketfft"};
    char said[64];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        assert_int_equal(setenv(variables[i], "./no-such-libfftw3.so", 1), 0);
    int code = bench_run(BENCH_MERGED, "--suite cpu-single --largest 8 --workers 1" BENCH_QUICK
                                       "--peers fftw-other,mkl,kfr,pffft,pocketfft --json -");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    assert_int_equal(code, 0);
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        snprintf(said, sizeof said, "without %s: ", peers[i]);
        assert_int_equal(bench_occurrences(bench_output, said), 1);
    }
    assert_int_equal(bench_occurrences(bench_output, "\"engine\":\"sluice\",\"workers\":1"), 8);
}

static void interrupted_runs_report(void **state)
{
    (void)state;
    char command[1024];
    /* In the background timeout signals its group as well: a second signal, which ends at once. */
    snprintf(command, sizeof command,
             "timeout --foreground --preserve-status -s INT 1 '%s/sluice-bench' "
             "--suite cpu-single --peers none --workers 1 --windows 1 "
             "--seconds 0.02 --largest 2^12 --json %s/stopped.json >/dev/null 2>&1; exit $?",
             getenv("SLUICE_BIN_DIR"), bench_folder);
    int status = system(command);
    if (WEXITSTATUS(status) == 0)
        skip(); /* a machine that fast needs no interruption */
    assert_int_equal(WEXITSTATUS(status), 130);
    bench_read_file("stopped.json");
    if (bench_occurrences(bench_output, "{\"problem\":") > 0)
        assert_non_null(strstr(bench_output, "{\"summary\":"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suites_have_their_problems),
        cmocka_unit_test(problems_print_as_they_are),
        cmocka_unit_test(filters_keep_what_they_say),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(panels_are_those_of_the_paper),
        cmocka_unit_test(panels_measure_for_themselves),
        cmocka_unit_test(a_tiny_suite_runs),
        cmocka_unit_test(a_suite_prints_one_table),
        cmocka_unit_test(a_run_is_resumed),
        cmocka_unit_test(absent_peers_are_named_once),
        cmocka_unit_test(interrupted_runs_report),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
