// SPDX-License-Identifier: BSD-3-Clause
/* For peers that compute on an OpenCL device. The OpenCL library is loaded at run time. The device
 * is the one that --units names (opencl:2), else the first. */
#ifndef PEER_DEVICE_H
#define PEER_DEVICE_H

#include "bench/peers/peer_table.h"

typedef struct peer_device {
    void *device, *context, *queue; /* cl_device_id, cl_context, in-order cl_command_queue */
    /* An out-of-order queue, for devices that compute in the host's arrays; else NULL. */
    void *loose;
    char name[128];
    int number;
    bool unified, shares; /* its memory is the host's; it computes in the host's arrays */
} peer_device;

/* The device for all peers and for sluice's data. NULL: `why` holds the reason, for example that
 * another one is open already. */
const peer_device *peer_device_open(const peer_settings *settings, sluice_diag *why);

/* The number of OpenCL devices; 0 without OpenCL. */
int peer_device_count(void);

/* The memory of an open device: blocks are buffers, cl_mem. If it shares the host's memory, they
 * are the arrays themselves. */
const bench_memory *peer_device_memory(void);

/* A buffer besides arrays; NULL: out of memory. */
void *peer_device_buffer(size_t bytes);
void peer_device_release(void *buffer);

/* Enqueues one computation. */
typedef bool peer_enqueue(void *plan, void *in, void *out);
/* How computations follow each other. Chained: each depends on the one before. Waited: each is
 * waited for before the next is enqueued. Loose: none depends on another (out of place, no work
 * area), and they are enqueued in `loose`; all write the same results to the same output, which is
 * timed but not read. */
typedef enum peer_order { PEER_CHAINED = 0, PEER_WAITED, PEER_LOOSE } peer_order;
/* Enqueues `reps` computations and waits for all. False: something failed. */
bool peer_device_run(const bench_mirror *m, size_t reps, peer_order order, peer_enqueue *enqueue,
                     void *plan);
/* One computation on a mirror of the arrays. */
bool peer_device_first(const bench_data *d, peer_enqueue *enqueue, void *plan);

/* Are these packed c2c transforms of up to three dimensions, one after another? */
bool peer_device_fits(const bench_shape *s, sluice_diag *why);

#endif
