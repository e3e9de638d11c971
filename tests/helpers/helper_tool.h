// SPDX-License-Identifier: BSD-3-Clause
/* Runs the command `sluice` through a shell, in a temporary folder. */
#ifndef TESTS_HELPER_TOOL_H
#define TESTS_HELPER_TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOL_LINE = 4096 };

/* Finds the command and makes the folder; returns 0, or main's exit code: 77 (skipped) or 1. */
int tool_begin(void);
/* Removes the folder; returns main's exit code. */
int tool_end(int failed);
/* The command's absolute path. */
const char *tool_path(void);

/* Runs a shell line in which $S is the command; stdout goes to `out`, stderr to `err`. Returns the
 * exit code; 128 and more: ended by a signal. */
int tool_shell(const char *line);
/* The same, and fails if the exit code differs. Checks that every failure prints a message that
 * begins with the command's name. */
void tool_check(const char *line, int code);
/* The same with a format. */
void tool_checkf(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a whole file and appends a 0; freed by the caller. NULL: there is no such file. */
char *tool_read(const char *path, size_t *length);
void tool_write(const char *path, const void *bytes, size_t length);
/* Does a file contain the words? Prints it if not. */
bool tool_file_contains(const char *path, const char *words);
/* Fails if there is a file whose name begins with `path`. */
void tool_check_absent(const char *path);

/* Writes a WAV of one channel: if `samples` is NULL a sine of that frequency in 16 bits, else
 * floats. Its header promises `promised` samples, the file has `held`. */
void tool_make_wav(const char *path, int rate, double hertz, const float *samples, size_t promised,
                   size_t held);

#endif
