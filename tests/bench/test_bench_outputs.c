// SPDX-License-Identifier: BSD-3-Clause
/* Files of sluice-bench: refusals before measuring, messages of failed writes, and the data of
 * pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

#define RUN "c2c:f32:16 --peers none" BENCH_QUICK
#define SUITE "--suite cpu-single --largest 8 --peers none --workers 1" BENCH_QUICK
#define NO_FILE "No such file or directory"
#define FULL "No space left on device"

/* A figure as JSON: `times` are the median, the minimum and the maximum. */
#define FIGURE(problem, engine, workers, times, group)                                             \
    "{\"problem\":\"" problem "\",\"engine\":\"" engine "\",\"workers\":" workers                  \
    ",\"effort\":\"-\",\"plan_s\":1," times ",\"gflops\":8,\"gbytes_s\":1,\"bound_share\":1,"      \
    "\"ratio_to\":null,\"bound\":\"L2\",\"peak_share\":1,\"group\":\"" group "\"}\n"
#define TIMES "\"median_s\":4,\"min_s\":2,\"max_s\":16"

static const char plain_figures[] = FIGURE("c2c:f32:64", "sluice", "1", TIMES, "")
    FIGURE("c2c:f32:64", "mkl", "1", TIMES, "") FIGURE("c2c:f32:64", "sluice", "2", TIMES, "");
static const char suite_figures[] = FIGURE("c2c:f32:64", "sluice", "1", TIMES, "cpu-single");

static void write_inputs(void)
{
    char path[256];
    bench_write_file("plain.json", plain_figures);
    bench_write_file("suite.json", suite_figures);
    bench_write_file("notes.txt", "Notes of mine.\nNo figures.\n");
    bench_write_file("pretty.json", "{\n  \"problem\": 1\n}\n");
    bench_write_file("empty.json", "");
    bench_write_file("infinite.json", FIGURE("c2c:f32:64", "sluice", "1",
                                             "\"median_s\":1e999,\"min_s\":2,\"max_s\":16", ""));
    bench_write_file("control.json", "\x01\x1b[2J\n");
    snprintf(path, sizeof path, "%s/folder.png", bench_folder);
    assert_true(mkdir(path, 0777) == 0 || access(path, F_OK) == 0);
}

/* ---- refusals */

typedef struct refusal {
    const char *arguments; /* @ is the test's folder */
    int code;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {RUN "--plot picture.jpg", 2, "name ends in .png; 'picture.jpg' does not"},
    {RUN "--plot picture", 2, "name ends in .png"},
    {RUN "--plot @/.png", 2, "name ends in .png"},
    {RUN "--plot -", 2, "name ends in .png; '-' does not"},
    {RUN "--plot /dev/stdout", 2, "name ends in .png"},
    {RUN "--plot @/no/p.png", 3, "cannot write @/no/p.png: " NO_FILE},
    {RUN "--plot /proc/p.png", 3, "cannot write /proc/p.png: "},
    {RUN "--plot @/notes.txt/p.png", 3, "cannot write @/notes.txt/p.png: Not a directory"},
    {RUN "--plot @/folder.png", 3, "cannot write @/folder.png: it is no file"},
    {SUITE "--plot -", 2, "into a folder, and '-' is none"},
    {SUITE "--plot @/p.png", 2, "into a folder, and '@/p.png' is none"},
    {SUITE "--plot @/notes.txt", 3, "cannot write @/notes.txt: Not a directory"},
    {SUITE "--plot @/no/folder", 3, "cannot write @/no/folder: " NO_FILE},
    {SUITE "--plot /proc/folder", 3, "cannot write /proc/folder: "},
    {RUN "--json @/no/file", 3, "cannot write @/no/file: " NO_FILE},
    {RUN "--json @", 3, "cannot write @: Is a directory"},
    {"--from @/no", 3, "cannot read @/no: " NO_FILE},
    {"--from @", 3, "cannot read @: Is a directory"},
    {"--from @/notes.txt", 2, "@/notes.txt: line 1 is no JSON object"},
    {"--from @/pretty.json", 2, "@/pretty.json: line 2 is no JSON object"},
    {"--from @/control.json", 2, "line 1 is no JSON object"},
    {"--from - <@/notes.txt", 2, "standard input: line 1 is no JSON object"},
    {"--from - <@/empty.json", 2, "standard input has no figures"},
    {"--from @/empty.json", 2, "@/empty.json has no figures"},
    {"--from @/infinite.json", 2, "@/infinite.json has no figures"},
    {"--from @/plain.json --plot @/p.gif", 2, "name ends in .png"},
    {"--from @/suite.json --plot @/p.png", 2, "into a folder"},
    {"--from @/plain.json --json @/plain.json", 2, "--from and --json name the same file"},
    {"--from @/plain.json --json @/../$(basename @)/plain.json", 2, "name the same file"},
    {SUITE "--resume @/notes.txt", 2, "@/notes.txt: line 1 is no JSON object"},
    {RUN ">/dev/full", 3, "cannot write standard output: " FULL},
    {RUN "--json - >/dev/full", 3, "cannot write standard output: " FULL},
    {RUN "--json /dev/full >/dev/null", 3, "cannot write /dev/full: " FULL},
    {"--suite cpu --list >/dev/full", 3, "cannot write standard output: " FULL},
    {"--help >/dev/full", 3, "cannot write standard output: " FULL},
    {"--version >/dev/full", 3, "cannot write standard output: " FULL},
    {"--from @/suite.json >/dev/full", 3, "cannot write standard output: " FULL},
};

/* Copies `text` with every @ replaced by the folder. */
static void fill_in(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + strlen(bench_folder) + 1 < size; text++)
        used += (size_t)(*text == '@' ? sprintf(out + used, "%s", bench_folder)
                                      : sprintf(out + used, "%c", *text));
    out[used] = 0;
}

static void refusals_say_why(void **state)
{
    (void)state;
    char arguments[1024], says[512];
    write_inputs();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        fill_in(arguments, sizeof arguments, r->arguments);
        fill_in(says, sizeof says, r->says);
        int code = bench_run(BENCH_MERGED, "%s", arguments);
        bool measured = bench_occurrences(bench_output, "\nc2c:f32:16 ") > 0;
        bool once = bench_occurrences(bench_output, "sluice-bench: ") == 1;
        if (code != r->code || !strstr(bench_output, says) || measured || !once)
            print_error("sluice-bench %s: exit %d, %s\n", arguments, code, bench_output);
        assert_int_equal(code, r->code);
        assert_non_null(strstr(bench_output, says));
        assert_true(once && !measured);
        assert_null(strchr(bench_output, '\x1b'));
    }
}

/* Inputs are unchanged, and no files are left over. */
static void refusals_change_nothing(void **state)
{
    (void)state;
    refusals_say_why(state);
    bench_read_file("plain.json");
    assert_string_equal(bench_output, plain_figures);
    bench_read_file("notes.txt");
    assert_string_equal(bench_output, "Notes of mine.\nNo figures.\n");
    char command[256];
    snprintf(command, sizeof command, "ls -A '%s' | grep -v '[.]json$'", bench_folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    bench_output[fread(bench_output, 1, 1000, pipe)] = 0;
    pclose(pipe);
    assert_string_equal(bench_output, "folder.png\nnotes.txt\n");
}

/* One file under two names. */
static void links_are_the_same_file(void **state)
{
    (void)state;
    char command[512];
    write_inputs();
    snprintf(command, sizeof command,
             "cd '%s' && ln -f plain.json hard.json && "
             "ln -sf plain.json soft.json",
             bench_folder);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_run(BENCH_MERGED, "--from %s/plain.json --json %s/%s.json",
                                   bench_folder, bench_folder, i ? "soft" : "hard"),
                         2);
        assert_non_null(strstr(bench_output, "the same file"));
    }
    bench_read_file("plain.json");
    assert_string_equal(bench_output, plain_figures);
}

/* A reader that closes the pipe is not reported as a failure. */
static void a_closed_pipe_is_quiet(void **state)
{
    (void)state;
    static const char *const arguments[] = {RUN, RUN "--json -"};
    for (int i = 0; i < 2; i++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "{ '%s/sluice-bench' %s 2>'%s/errors'; echo $? >'%s/code'; } | :",
                 getenv("SLUICE_BIN_DIR"), arguments[i], bench_folder, bench_folder);
        assert_int_equal(system(command), 0);
        bench_read_file("code");
        assert_string_equal(bench_output, "141\n"); /* SIGPIPE, as a shell says it */
        bench_read_file("errors");
        assert_null(strstr(bench_output, "sluice-bench: "));
    }
}

/* ---- records */

static void refused_problems_are_records(void **state)
{
    (void)state;
    static const char unread[] =
        "{\"problem\":\"c2c:f32:12y\",\"result\":\"REFUSED\",\"why\":\"expected ";
    assert_int_equal(bench_run(BENCH_QUIET, "c2c:f32:12y --peers none --json -"), 2);
    assert_int_equal(strncmp(bench_output, unread, sizeof unread - 1), 0);
    assert_true(bench_number(bench_output, "offset") == 10);
    assert_int_equal(bench_occurrences(bench_output, "\n"), 1);
    assert_int_equal(bench_run(BENCH_QUIET, "c2c:f32:8 --workers 1000 --peers none --json -"), 2);
    assert_non_null(strstr(bench_output, "\"why\":\"1000 workers are asked for"));
    assert_null(strstr(bench_output, "\"offset\"")); /* the text is fine */
    assert_int_equal(bench_run(BENCH_QUIET, "dct1:f32:1 --peers none --json -"), 2);
    assert_non_null(
        strstr(bench_output, "{\"problem\":\"dct1:f32:1\",\"result\":\"REFUSED\",\"why\":\""));
    assert_null(strstr(bench_output, "\"offset\""));
}

/* Control bytes are escaped in JSON and shown as '?' in messages. */
static void control_bytes_stay_inside(void **state)
{
    (void)state;
    const char *problem = "\"$(printf 'c2c:f32:8\\033[2J\\001')\" --peers none --json -";
    assert_int_equal(bench_run(BENCH_MERGED, "%s", problem), 2);
    assert_non_null(strstr(bench_output, "\"problem\":\"c2c:f32:8\\u001b[2J\\u0001\""));
    assert_non_null(strstr(bench_output, "c2c:f32:8?[2J?: refused"));
    for (const char *at = bench_output; *at; at++)
        assert_true(*at >= ' ' || *at == '\n');
}

static void people_read_units(void **state)
{
    (void)state;
    setenv("SLUICE_TOPOLOGY",
           "pack:1 l3:1(size=50331648) l2:1(size=1572864) l1d:1(size=32768) core:1 pu:1", 1);
    int code = bench_run(BENCH_MERGED, RUN);
    unsetenv("SLUICE_TOPOLOGY");
    assert_int_equal(code, 0);
    assert_non_null(strstr(bench_output, "(L1 32 KiB, L2 1.5 MiB, L3 48 MiB)"));
    assert_int_equal(bench_run(BENCH_QUIET, "--version"), 0);
    assert_int_equal(strncmp(bench_output, "sluice-bench 0.", 15), 0);
}

/* ---- pictures, by a gnuplot that keeps what it is told */

static void draw_with_fake_gnuplot(const char *arguments)
{
    char command[512];
    static const char stand_in[] = "#!/bin/sh\n"
                                   "[ \"$1\" = --version ] && exit 0\n"
                                   "cat >\"$(dirname \"$0\")/told\"\n"
                                   "eval \": >$(sed -n 's/^set output //p' $(dirname $0)/told)\"\n";
    bench_write_file("gnuplot", stand_in);
    snprintf(command, sizeof command,
             "cd '%s' && chmod +x gnuplot && PATH=\"$PWD:$PATH\" '%s/sluice-bench' %s >/dev/null",
             bench_folder, getenv("SLUICE_BIN_DIR"), arguments);
    if (getenv("SLUICE_BIN_DIR")[0] != '/')
        skip();
    assert_int_equal(system(command), 0);
    bench_read_file("told");
}

/* 8 Gflop/s in 4 s; the slowest sample took 16, the fastest 2. */
static void bars_reach_from_slowest_to_fastest(void **state)
{
    (void)state;
    write_inputs();
    draw_with_fake_gnuplot("--from plain.json --plot p.png");
    assert_non_null(strstr(bench_output, "64 \"c2c:f32:64\" 8 2 16 8 2 16 8 2 16\n"));
    assert_non_null(strstr(bench_output, "histogram errorbars"));
    assert_non_null(strstr(bench_output, "using 3:4:5:xticlabels(2)"));
    char path[256];
    snprintf(path, sizeof path, "%s/p.png", bench_folder);
    assert_int_equal(access(path, F_OK), 0);
    draw_with_fake_gnuplot("--from suite.json --plot pictures");
    assert_non_null(strstr(bench_output, " 8 2 16\n"));
}

/* Each engine has a colour, each worker count a shade of it; series are grouped by engine. */
static void colours_are_engines(void **state)
{
    (void)state;
    write_inputs();
    draw_with_fake_gnuplot("--from plain.json --plot p.png");
    const char *two = strstr(bench_output, "lc rgb '#0072B2' title 'sluice, 2 workers'");
    const char *one = strstr(bench_output, "lc rgb '#99C7E0' title 'sluice, 1 worker'");
    const char *other = strstr(bench_output, "lc rgb '#009E73' title 'mkl, 1 worker'");
    assert_non_null(one);
    assert_non_null(two);
    assert_non_null(other);
    assert_true(one < two && two < other);
}

/* Sizes in order, whatever the order of the figures. */
static void lines_go_over_sizes(void **state)
{
    (void)state;
    bench_write_file("sizes.json", FIGURE("c2c:f32:1024", "sluice", "1", TIMES, "")
                                       FIGURE("c2c:f32:64", "sluice", "1", TIMES, "")
                                           FIGURE("c2c:f32:256", "sluice", "1", TIMES, "")
                                               FIGURE("c2c:f32:16", "sluice", "1", TIMES, ""));
    draw_with_fake_gnuplot("--from sizes.json --plot p.png");
    const char *at = strstr(bench_output, "\n16 \"");
    assert_non_null(at);
    assert_non_null(at = strstr(at, "\n64 \""));
    assert_non_null(at = strstr(at, "\n256 \""));
    assert_non_null(at = strstr(at, "\n1024 \""));
    assert_non_null(strstr(at, "with yerrorbars"));
}

/* By gnuplot itself. */
static void pictures_are_png(void **state)
{
    (void)state;
    static const char signature[] = "\x89PNG\r\n";
    int code =
        bench_run(BENCH_MERGED, RUN "c2c:f64:12 --workers 1 --plot %s/real.PNG", bench_folder);
    if (strstr(bench_output, "needs gnuplot"))
        skip();
    assert_int_equal(code, 0);
    bench_read_file("real.PNG");
    assert_memory_equal(bench_output, signature, sizeof signature - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_change_nothing),
        cmocka_unit_test(links_are_the_same_file),
        cmocka_unit_test(a_closed_pipe_is_quiet),
        cmocka_unit_test(refused_problems_are_records),
        cmocka_unit_test(control_bytes_stay_inside),
        cmocka_unit_test(people_read_units),
        cmocka_unit_test(bars_reach_from_slowest_to_fastest),
        cmocka_unit_test(colours_are_engines),
        cmocka_unit_test(lines_go_over_sizes),
        cmocka_unit_test(pictures_are_png),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
