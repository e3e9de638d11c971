// SPDX-License-Identifier: BSD-3-Clause
/* Bare transfers between the host and a device, by the driver that a unit string names: what the
 * link itself does, with nothing of Sluice's in between. */
#ifndef BENCH_LINK_DEVICE_H
#define BENCH_LINK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"

typedef enum link_way { LINK_GET = 0, LINK_PUT, LINK_WAYS } link_way; /* to the device, from it */

/* A driver's functions on a device that is open; false, NULL: it failed. */
typedef struct link_driver {
    const char *name;
    bool (*open)(const char *units, size_t bytes, sluice_diag *why); /* bytes: of each way */
    void *(*pinned)(size_t bytes); /* the process's until it ends */
    bool (*enter)(void);           /* before a thread's first transfer */
    bool (*enqueue)(link_way way, void *host, size_t from, size_t bytes);
    bool (*wait)(link_way way);
} link_driver;

/* NVIDIA's where the unit string asks for it ("opencl:cuda"), else OpenCL's. NULL: `why` says why
 * not. Once in a process. */
const link_driver *link_device_open(const char *units, size_t bytes, sluice_diag *why);

#endif
