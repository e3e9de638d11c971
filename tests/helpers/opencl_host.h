// SPDX-License-Identifier: BSD-3-Clause
/* A host for the files that sluice emit --target opencl writes. It uses only the files' own
 * comments: buffers, tables and launches come from the description, the numbers in tables from
 * their definitions. Linked to tests/sched/test_emit_opencl.c alone. */
#ifndef TESTS_OPENCL_HOST_H
#define TESTS_OPENCL_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"

typedef struct opencl_host opencl_host;

/* Properties of a program. */
typedef struct opencl_program {
    int kernels, launches;
    long groups, local_bytes, scratch_bytes; /* max of any kernel; max of any kernel; total */
    char message[2000];                      /* reason why it did not run */
} opencl_program;

/* Opens the first device; NULL: none, with the reason in *why. */
opencl_host *opencl_open(const char **why);
void opencl_close(opencl_host *host);
/* Builds the text, without a warning, and runs it on arrays as sluice_execute_with takes them. */
bool opencl_run_text(opencl_host *host, const char *text, const sluice_arrays *arrays,
                     opencl_program *out);

/* Builds it only. */
bool opencl_builds(opencl_host *host, const char *text, opencl_program *out);

#endif
