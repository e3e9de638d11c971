// SPDX-License-Identifier: BSD-3-Clause
/* Bare transfers between the host and a device, by the driver that a unit string names: the rates
 * of the link itself, without Sluice. */
#ifndef BENCH_LINK_DEVICE_H
#define BENCH_LINK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"

typedef enum link_way { LINK_GET = 0, LINK_PUT, LINK_WAYS } link_way; /* to the device, from it */

/* A driver's functions for an open device; they return false or NULL if they fail. */
typedef struct link_driver {
    const char *name;
    bool (*open)(const char *units, size_t bytes, sluice_diag *why); /* bytes: for each way */
    void *(*pinned)(size_t bytes); /* lives until the process ends */
    bool (*enter)(void);           /* called by a thread before its first transfer */
    bool (*enqueue)(link_way way, void *host, size_t from, size_t bytes);
    bool (*wait)(link_way way);
} link_driver;

/* Opens NVIDIA's driver if the unit string requests it ("opencl:cuda"), else OpenCL's. NULL: `why`
 * holds the reason. Once in a process. */
const link_driver *link_device_open(const char *units, size_t bytes, sluice_diag *why);

#endif
