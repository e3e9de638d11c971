// SPDX-License-Identifier: BSD-3-Clause
/* Output files that appear complete or not at all, and never replace an input. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file is written under a temporary name in the same folder and renamed at commit. A
 * signal that ends the command removes it; a file left by a killed command is reused by the next
 * command that writes the same output. Anything else (a pipe, a device, `-` for stdout) is written
 * directly. One output at a time. */
typedef struct output {
    int fd;
    const char *shown; /* name in messages */
    char *path, *part; /* final and temporary name; NULL: written directly */
} output;

/* Declares a file that the command reads (`-`: stdin): output_open refuses to write it under any
 * name. A missing file is ignored. */
void output_protect(const char *path);

/* Checks by permissions and folder that a file can be written or created; returns an exit code and
 * has printed the reason if it is not TOOL_DONE. For files that the library writes later. */
int output_check(const char *path);

/* Each returns an exit code and has printed the reason if it is not TOOL_DONE. After a failed open
 * or commit nothing is left to discard. */
int output_open(output *o, const char *path);
int output_write(output *o, const void *bytes, size_t count);
/* Writes the first bytes again; only for outputs with a `part`. */
int output_rewrite_start(output *o, const void *bytes, size_t count);
int output_commit(output *o);
void output_discard(output *o);

/* Opens, writes and commits an output whose bytes are complete. */
int output_file(const char *path, const void *bytes, size_t count);

/* Prints the message of a failed write; returns TOOL_IO. */
int output_failed(const char *shown, int error);

#endif
