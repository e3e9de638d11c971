// SPDX-License-Identifier: BSD-3-Clause
/* A host for programs of OpenCL kernels (spl/emit/device_program.h), on the first device that there
 * is. Linked to tests/sched/test_tape_opencl.c alone. */
#ifndef TESTS_DEVICE_HOST_H
#define TESTS_DEVICE_HOST_H

#include "api/sluice.h"
#include "spl/emit/device_program.h"

typedef struct device_host device_host;
typedef struct device_run device_run;

/* NULL: there is no device, with the reason in *why. */
device_host *device_host_open(const char **why);
void device_host_close(device_host *host);

/* A program built, without a warning, on arrays as sluice_execute_with takes them, which its
 * buffers are. NULL: with the compiler's words in `message`. */
device_run *device_run_open(device_host *host, const device_program *program,
                            const sluice_arrays *arrays, char *message, size_t size);
/* Computes so many times without waiting in between; false: a call failed. */
bool device_run_times(device_run *run, int times);
void device_run_close(device_run *run);

#endif
