// SPDX-License-Identifier: BSD-3-Clause
/* Output files that are there whole or not at all, and never an input. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file is written under another name in the same folder and takes its name at commit; a
 * signal that ends the command removes it, and what a killed command left is taken over by the next
 * that writes the same file. Anything else (a pipe, a device, `-` for stdout) is written directly.
 * One output at a time. */
typedef struct output {
    int fd;
    const char *shown; /* for sentences */
    char *path, *part; /* where it goes, where it is; NULL: written directly */
} output;

/* Names a file that the command reads (`-`: stdin): output_open refuses to write it, by whatever
 * name. A file that is not there is none. */
void output_protect(const char *path);

/* Complains of a file that cannot be written, or made, by its permissions and folder; returns an exit
 * code. For what is written by others, and late. */
int output_check(const char *path);

/* Each returns an exit code and has complained where it is not TOOL_DONE. After a failed open or
 * commit nothing is left to discard. */
int output_open(output *o, const char *path);
int output_write(output *o, const void *bytes, size_t count);
/* Writes the first bytes again; of an output with a `part` only. */
int output_rewrite_start(output *o, const void *bytes, size_t count);
int output_commit(output *o);
void output_discard(output *o);

/* All of that for bytes that are there already. */
int output_file(const char *path, const void *bytes, size_t count);

/* The sentence of every failed write; returns TOOL_IO. */
int output_failed(const char *shown, int error);

#endif
