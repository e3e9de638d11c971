// SPDX-License-Identifier: BSD-3-Clause
/* What a unit string says about an OpenCL device, as the library reads it. */
#ifndef BENCH_UNITS_H
#define BENCH_UNITS_H

#include <stdbool.h>

typedef struct bench_units {
    bool alone;         /* no units of another kind */
    int number;         /* of the device; -1: not given */
    char name[128];     /* part of the device's name; "": not given */
    bool copies, cuda;  /* uses buffers of the device's own; uses NVIDIA's driver */
    char settings[256]; /* "opencl:copy:twiddles=sincos": everything except the device */
} bench_units;

/* Reads the first kind "opencl" in a text, which may be NULL; false: there is none. */
bool bench_units_read(bench_units *out, const char *text);
/* Do the units mean this device, counted from 0? */
bool bench_units_mean(const bench_units *u, int number, const char *name);

#endif
