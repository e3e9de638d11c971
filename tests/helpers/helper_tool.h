// SPDX-License-Identifier: BSD-3-Clause
/* The command `sluice`, run as its users run it: through a shell, in a folder of the test's own. */
#ifndef TESTS_HELPER_TOOL_H
#define TESTS_HELPER_TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOL_LINE = 4096 };

/* Finds the command and makes the folder; 77 (skipped) or 1 where main is to end with that. */
int tool_begin(void);
/* Removes the folder; returns what main returns. */
int tool_end(int failed);
/* The command's absolute path. */
const char *tool_path(void);

/* Runs a shell line in which $S is the command; stdout goes to `out`, stderr to `err`. Returns the
 * exit code; a death by a signal reads as 128 and more. */
int tool_shell(const char *line);
/* The same, and fails where the exit code is another. Every failure is told in a sentence that
 * begins with the command's name. */
void tool_check(const char *line, int code);
/* The same with a format. */
void tool_checkf(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole file with a 0 behind it; NULL: it is not there. To be freed. */
char *tool_read(const char *path, size_t *length);
void tool_write(const char *path, const void *bytes, size_t length);
/* Whether a file contains the words; prints it where it does not. */
bool tool_says(const char *path, const char *words);
/* Fails where a file's name begins with these letters. */
void tool_check_absent(const char *path);

/* A WAV of one channel: 16 bits where `samples` is NULL, a sine of that frequency, else floats. It
 * promises `promised` samples and holds `held`. */
void tool_make_wav(const char *path, int rate, double hertz, const float *samples, size_t promised,
                   size_t held);

#endif
