// SPDX-License-Identifier: BSD-3-Clause
/* Summaries, pictures and a page that sluice-bench and scripts/performance make from given,
 * invented figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"
#include "tests/helpers/helper_python.h"

/* Only the fields that a summary reads have chosen values. */
static void append_row(char *out, const char *problem, const char *engine, int workers,
                       double seconds, double copy, const char *rest)
{
    sprintf(out + strlen(out),
            "{\"problem\":\"%s\",\"engine\":\"%s\",\"workers\":%d,\"effort\":\"-\",\"plan_s\":0.5,"
            "\"median_s\":%g,\"min_s\":%g,\"max_s\":%g,\"gflops\":1,\"gbytes_s\":1,"
            "\"bound_share\":%g,\"ratio_to\":null,\"bound\":\"L2\",\"peak_share\":%g%s}\n",
            problem, engine, workers, seconds, seconds, seconds, copy / seconds, copy / seconds,
            rest);
}

#define GROUP ",\"group\":\"cpu-single\""
#define PANEL(letter) ",\"group\":\"cell-" letter "\""
#define BIG "c2c:f32:65536"
#define BIGGER "c2c:f32:131072"

static void write_figures(const char *name)
{
    static char text[16384];
    *text = 0;
    append_row(text, BIG, "sluice", 1, 1, 0.5, GROUP);
    append_row(text, BIG, "fftw-best", 1, 2, 0.5, GROUP);
    append_row(text, BIG, "fftw", 1, 3, 0.5, GROUP);
    append_row(text, BIG, "fftw-other", 1, 1.5, 0.5, GROUP);
    append_row(text, BIG, "mkl", 1, 0.5, 0.5, GROUP);
    append_row(text, BIG, "sluice", 2, 0.5, 0.25, GROUP);
    append_row(text, BIG, "fftw-best", 2, 4, 0.25, GROUP); /* slower than with one */
    append_row(text, BIGGER, "sluice", 1, 1, 0.125, GROUP);
    append_row(text, BIGGER, "fftw-best", 1, 8, 0.125, GROUP);
    append_row(text, BIGGER, "sluice", 2, 0.25, 0.125, GROUP);
    append_row(text, "c2c:f32:4", "sluice", 1, 9, 1, GROUP ",\"judged\":false");
    append_row(text, "c2c:f32:4", "mkl", 1, 1, 1, GROUP ",\"judged\":false");
    append_row(text, "c2c:f64:64x64", "sluice", 1, 1, 1, ",\"group\":\"cpu-2d\"");
    strcat(text, "{\"summary\":\"all\",\"workers\":7}\n{\"cut short, then resumed\n\n");
    append_row(text, "c2c:f64:64x64", "mkl", 1, 1, 1, ",\"group\":\"cpu-2d\"");
    text[strlen(text) - 20] = 0; /* truncated, as by a crash */
    bench_write_file(name, text);
}

/* A problem of two groups, and one in block-cyclic order, which no peer can compute, next to
 * natural order. */
static void write_panels(const char *name)
{
    static char text[16384];
    *text = 0;
    append_row(text, "c2c:f32:4096", "sluice", 1, 1, 0.5, PANEL("a"));
    append_row(text, "c2c:f32:4096", "fftw-best", 1, 2, 0.5, PANEL("a"));
    append_row(text, "c2c:f32:4096", "sluice", 1, 1, 0.5, PANEL("d"));
    append_row(text, "c2c:f32:4096", "fftw-best", 1, 8, 0.5, PANEL("d"));
    append_row(text, "c2c:f32:4096", "sluice", 2, 0.5, 0.5, PANEL("d"));
    append_row(text, "c2c:f32:4096:in_cyclic=64/2:out_cyclic=256/2", "sluice", 2, 0.25, 0.5,
               PANEL("c"));
    bench_write_file(name, text);
}

/* The summary line of a key. */
static const char *find_summary_line(const char *group, const char *precision, int workers)
{
    char key[128];
    snprintf(key, sizeof key, "{\"summary\":\"%s\",\"precision\":\"%s\",\"workers\":%d,", group,
             precision, workers);
    const char *line = strstr(bench_output, key);
    if (!line)
        print_error("there is no line %s in %s\n", key, bench_output);
    assert_non_null(line);
    return line;
}

static void assert_number(const char *line, const char *name, double expected)
{
    double found = bench_number(line, name);
    if (fabs(found - expected) > 1e-5 * fabs(expected))
        print_error("%s is %g, not %g\n", name, found, expected);
    assert_true(fabs(found - expected) <= 1e-5 * fabs(expected));
}

static void summaries_are_geometric_means(void **state)
{
    (void)state;
    write_figures("figures.json");
    assert_int_equal(bench_run(BENCH_QUIET, "--from %s/figures.json --json -", bench_folder), 0);
    const char *one = find_summary_line("cpu-single", "f32", 1);
    assert_number(one, "problems", 2);
    assert_number(one, "fftw_mean", 4); /* of 2 and 8; 3 was not the best of FFTW's */
    assert_number(one, "fftw_min", 2);
    assert_number(one, "fftw_below", 0);
    assert_number(one, "best_mean", 2); /* of 1/2 and 8 */
    assert_number(one, "best_min", 0.5);
    assert_number(one, "best_below", 1);
    assert_true(strstr(one, "\"best_at\":\"" BIG "\",\"best_by\":\"mkl\"") < strchr(one, '\n'));
    assert_number(one, "share_mean", 0.25); /* of 1/2 and 1/8 */
    assert_number(one, "share_min", 0.125);
    const char *two = find_summary_line("cpu-single", "f32", 2);
    assert_number(two, "fftw_mean", 4 * sqrt(8)); /* 4 of one thread, and 8 over 1/4 */
    assert_number(two, "best_min", 1);            /* mkl's single thread             */
    assert_number(two, "scaling_mean", sqrt(8));  /* 2 and 4                         */
    assert_number(two, "scaling_min", 2);
    assert_number(two, "copy_mean", sqrt(2)); /* 2 and 1 */
}

static void summaries_know_groups(void **state)
{
    (void)state;
    write_figures("figures.json");
    assert_int_equal(bench_run(BENCH_QUIET, "--from %s/figures.json --json -", bench_folder), 0);
    const char *squares = find_summary_line("cpu-2d", "f64", 1);
    assert_number(squares, "problems", 1);
    const char *end = strchr(squares, '\n');
    const char *best = strstr(squares, "best_mean"); /* the peer's line was cut short */
    assert_true(!best || best > end);
    assert_number(find_summary_line("all", "all", 1), "problems", 3);
    assert_number(find_summary_line("all", "f32", 1), "problems", 2);
    assert_number(find_summary_line("all", "all", 2), "problems", 2);
    assert_non_null(strstr(bench_output, "{\"summary\":\"planning\",\"engine\":\"fftw-best\""));
}

static void groups_compare_their_own(void **state)
{
    (void)state;
    write_panels("panels.json");
    assert_int_equal(bench_run(BENCH_QUIET, "--from %s/panels.json --json -", bench_folder), 0);
    assert_number(find_summary_line("cell-a", "f32", 1), "fftw_mean", 2);
    assert_number(find_summary_line("cell-d", "f32", 1), "fftw_mean", 8);
    assert_number(find_summary_line("cell-d", "f32", 2), "fftw_mean", 16);
    const char *cyclic = find_summary_line("cell-c", "f32", 2);
    const char *fftw = strstr(cyclic, "fftw_mean");
    assert_true(!fftw || fftw > strchr(cyclic, '\n'));
}

static void misses_are_named(void **state)
{
    (void)state;
    write_figures("figures.json");
    assert_int_equal(bench_run(BENCH_QUIET, "--from %s/figures.json", bench_folder), 0);
    assert_non_null(strstr(bench_output, "1 below 1.00 of the best peer:\n  0.50  " BIG " "));
    assert_null(strstr(bench_output, "below 1.05"));
    assert_null(strstr(bench_output, "c2c:f32:4 ")); /* it is not in the summary */
}

static void pictures_are_drawn(void **state)
{
    (void)state;
    write_figures("figures.json");
    int code = bench_run(BENCH_MERGED, "--from %s/figures.json --plot %s/pictures", bench_folder,
                         bench_folder);
    if (strstr(bench_output, "needs gnuplot"))
        skip();
    assert_int_equal(code, 0);
    char path[256];
    snprintf(path, sizeof path, "%s/pictures/cpu-single-f32-2.png", bench_folder);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(path, sizeof path, "%s/pictures/cpu-single-ratio.png", bench_folder);
    assert_int_equal(access(path, R_OK), 0);
}

static void figures_are_one_picture(void **state)
{
    (void)state;
    static const char *const there[] = {"a", "c", "d"};
    char path[256];
    write_panels("panels.json");
    int code = bench_run(BENCH_MERGED, "--from %s/panels.json --plot %s/panels", bench_folder,
                         bench_folder);
    if (strstr(bench_output, "needs gnuplot"))
        skip();
    assert_int_equal(code, 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/panels/cell-%s.png", bench_folder, there[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    snprintf(path, sizeof path, "%s/panels/cell-a-ratio.png", bench_folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Lets the script write a page of figures, and reads it. */
static void write_document(const char *suite, const char *figures)
{
    char command[1024];
    bench_write_file("page.md",
                     "before\n<!-- generated: begin -->\nold\n<!-- generated: end -->\nafter\n");
    need_python();
    snprintf(command, sizeof command,
             "scripts/performance --suite %s --from %s/%s --document %s/page.md %s >/dev/null 2>&1",
             suite, bench_folder, figures, bench_folder, bench_folder);
    assert_int_equal(system(command), 0);
    bench_read_file("page.md");
}

static void panels_are_written(void **state)
{
    (void)state;
    write_panels("panels.json");
    write_document("cell", "panels.json");
    assert_non_null(strstr(bench_output, "### Figure 5 (a): one unit"));
    assert_null(strstr(bench_output, "Figure 5 (b)")); /* it has no figures */
    assert_non_null(
        strstr(bench_output, "| f32 | 1 | 1.0 | 2^12 | 1.0 | 2^12 | 2.00 | 2.00 (2^12) |\n"));
    assert_non_null(/* natural order: FFTW's 8 s, and 0.5 s of sluice */
                    strstr(
                        bench_output,
                        "| f32 | 2 | 1.0 | 2^12 | 1.0 | 2^12 | 32.00 | 32.00 (2^12) | 2.00 |\n"));
}

static void document_is_written(void **state)
{
    (void)state;
    write_figures("figures.json");
    write_document("cpu", "figures.json");
    assert_ptr_equal(strstr(bench_output, "before\n<!-- generated: begin -->"), bench_output);
    assert_non_null(strstr(bench_output, "<!-- generated: end -->\nafter\n"));
    assert_null(strstr(bench_output, "old"));
    assert_non_null(
        strstr(bench_output, "| cpu-single f32 | 1 | 2 | 4.00 | 2.00 `" BIG "` | 0 | 2.00 |"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_geometric_means),
        cmocka_unit_test(summaries_know_groups),
        cmocka_unit_test(groups_compare_their_own),
        cmocka_unit_test(misses_are_named),
        cmocka_unit_test(pictures_are_drawn),
        cmocka_unit_test(figures_are_one_picture),
        cmocka_unit_test(panels_are_written),
        cmocka_unit_test(document_is_written),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
