// SPDX-License-Identifier: BSD-3-Clause
/* What a unit string says of an OpenCL device, as the library reads it. */
#ifndef BENCH_UNITS_H
#define BENCH_UNITS_H

#include <stdbool.h>

typedef struct bench_units {
    bool alone;         /* there are no units of another kind */
    int number;         /* of the device; -1: not said */
    char name[128];     /* a part of the device's; "": not said */
    bool copies, cuda;  /* buffers of the device's own; by NVIDIA's driver */
    char settings[256]; /* "opencl:copy:twiddles=sincos": all that names no device */
} bench_units;

/* Of the first kind "opencl" in a text, which may be NULL; false: there is none. */
bool bench_units_read(bench_units *out, const char *text);
/* Do they mean a device, counted from 0? */
bool bench_units_mean(const bench_units *u, int number, const char *name);

#endif
