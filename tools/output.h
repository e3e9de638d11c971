// SPDX-License-Identifier: BSD-3-Clause
/* Output files that are there whole or not at all. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file is written under another name beside its own and takes its name at commit; a
 * signal that ends the command removes it. Anything else (a pipe, a device, `-` for stdout) is
 * written directly. One output at a time. */
typedef struct output {
    int fd;
    const char *shown; /* for sentences */
    char *path, *part; /* where it goes, where it is; NULL: written directly */
} output;

/* Each returns 0 or an errno. After a failed open or commit nothing is left to discard. */
int output_open(output *o, const char *path);
int output_write(output *o, const void *bytes, size_t count);
int output_commit(output *o);
void output_discard(output *o);

#endif
