// SPDX-License-Identifier: BSD-3-Clause
/* For peers that compute on an OpenCL device: its library is loaded at run time. The device is the
 * one that --units names (opencl:2), else the first. */
#ifndef PEER_DEVICE_H
#define PEER_DEVICE_H

#include "bench/peers/peer_table.h"

typedef struct peer_device {
    void *device, *context, *queue; /* cl_device_id, cl_context, in order: cl_command_queue */
    char name[128];
} peer_device;

/* The same for all peers. NULL: `why` holds the reason. */
const peer_device *peer_device_open(const peer_settings *settings, sluice_diag *why);

/* The arrays as buffers of the device: cl_mem. Where host and device share memory they are the
 * arrays themselves, and belong to the host between runs. */
typedef struct peer_buffers {
    const void *in_host, *out_host; /* what they were made of */
    void *in, *out;                 /* equal in place */
    void *in_mapped, *out_mapped;   /* NULL: they belong to the device */
} peer_buffers;

void peer_buffers_free(peer_buffers *b);

/* Enqueues one computation. */
typedef bool peer_enqueue(void *plan, void *in, void *out);
/* Enqueues `reps` of them; `waits`: each is waited for before the next, else all together. The
 * results are in the arrays afterwards. False: something failed. */
bool peer_device_run(peer_buffers *b, const bench_data *d, size_t reps, bool waits,
                     peer_enqueue *enqueue, void *plan);

/* Are these c2c transforms of up to three dimensions, packed, one after another? */
bool peer_device_fits(const bench_shape *s, sluice_diag *why);

#endif
