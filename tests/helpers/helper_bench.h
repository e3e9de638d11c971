// SPDX-License-Identifier: BSD-3-Clause
/* sluice-bench through a shell, for tests of what its users see. */
#ifndef TESTS_HELPER_BENCH_H
#define TESTS_HELPER_BENCH_H

#include <stddef.h>

#define BENCH_MERGED "2>&1"
#define BENCH_QUIET "2>/dev/null"
#define BENCH_QUICK " --windows 1 --seconds 0.01 "

enum { BENCH_FIELDS = 14 }; /* of every line, in this order; JSON has more behind them */
extern const char *const bench_field[BENCH_FIELDS];

/* Runs the bench with stderr redirected, before anything that the arguments redirect; returns its
 * exit code. */
int bench_command(const char *arguments, const char *errors, char *output, size_t size);
/* The same with a format for the arguments and a buffer that holds a suite's output. */
int bench_run(const char *errors, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern char bench_output[1 << 18];

/* A folder of the test's own, made by the group's setup and removed by its teardown. */
extern char bench_folder[];
int bench_make_folder(void **state);
int bench_remove_folder(void **state);
void bench_write_file(const char *name, const char *text);
/* Into bench_output. */
void bench_read_file(const char *name);

/* The number behind a key of a JSON line; fails where there is none. */
double bench_number(const char *line, const char *name);
/* That a line is a JSON object with all fields of a figure, and that these make sense. */
void bench_assert_line(const char *line);
/* How often a text occurs. */
int bench_occurrences(const char *text, const char *wanted);

#endif
