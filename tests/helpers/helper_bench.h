// SPDX-License-Identifier: BSD-3-Clause
/* Runs sluice-bench through a shell, for tests of its outputs. */
#ifndef TESTS_HELPER_BENCH_H
#define TESTS_HELPER_BENCH_H

#include <stddef.h>

#define BENCH_MERGED "2>&1"
#define BENCH_QUIET "2>/dev/null"
#define BENCH_QUICK " --windows 1 --seconds 0.01 "

enum { BENCH_FIELDS = 15 }; /* fields of every line, in this order; JSON appends more */
extern const char *const bench_field[BENCH_FIELDS];

/* Runs the bench with stderr redirected, before redirections in the arguments; returns its exit
 * code. */
int bench_command(const char *arguments, const char *errors, char *output, size_t size);
/* The same with a format for the arguments and a buffer that holds a suite's output. */
int bench_run(const char *errors, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern char bench_output[1 << 18];

/* A temporary folder, created by the group's setup and removed by its teardown. */
extern char bench_folder[];
int bench_make_folder(void **state);
int bench_remove_folder(void **state);
void bench_write_file(const char *name, const char *text);
/* Reads the file into bench_output. */
void bench_read_file(const char *name);

/* Runs a shell command; its exit code, with what it printed in bench_output. */
int bench_script(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Asserts that bench_output has the text. */
void bench_assert_said(const char *text);

/* The number after a key of a JSON line; the test fails if there is none. */
double bench_number(const char *line, const char *name);
/* Asserts that a line is a JSON object with all fields of a figure and plausible values. */
void bench_assert_line(const char *line);
/* The number of occurrences of a text. */
int bench_occurrences(const char *text, const char *wanted);

#endif
