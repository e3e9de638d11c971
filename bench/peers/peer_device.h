// SPDX-License-Identifier: BSD-3-Clause
/* For peers that compute on an OpenCL device: its library is loaded at run time. The device is the
 * one that --units names (opencl:2), else the first. */
#ifndef PEER_DEVICE_H
#define PEER_DEVICE_H

#include "bench/peers/peer_table.h"

typedef struct peer_device {
    void *device, *context, *queue; /* cl_device_id, cl_context, in order: cl_command_queue */
    void *loose; /* a queue without order, of devices that compute in the host's arrays; NULL */
    char name[128];
    int number;
    bool unified, shares; /* its memory is the host's; it computes in the host's arrays */
} peer_device;

/* One for all peers and for sluice's data. NULL: `why` holds the reason, such as that it is another
 * one already. */
const peer_device *peer_device_open(const peer_settings *settings, sluice_diag *why);

/* How many OpenCL has; 0 where it is not there. */
int peer_device_count(void);

/* Its memory, of an open device: blocks are buffers, cl_mem. Where it shares the host's they are
 * the arrays themselves. */
const bench_memory *peer_device_memory(void);

/* A buffer besides arrays; NULL: there is no memory. */
void *peer_device_buffer(size_t bytes);
void peer_device_release(void *buffer);

/* Enqueues one computation. */
typedef bool peer_enqueue(void *plan, void *in, void *out);
/* How computations follow each other: each after the last one; each is waited for before the next
 * is enqueued; or none depends on another one (out of place, no work area), and they are enqueued
 * in `loose`: all write the same results to the same output, which is timed and not read. */
typedef enum peer_order { PEER_CHAINED = 0, PEER_WAITED, PEER_LOOSE } peer_order;
/* Enqueues `reps` of them and waits for all. False: something failed. */
bool peer_device_run(const bench_mirror *m, size_t reps, peer_order order, peer_enqueue *enqueue,
                     void *plan);
/* One of them on a mirror of the arrays. */
bool peer_device_first(const bench_data *d, peer_enqueue *enqueue, void *plan);

/* Are these c2c transforms of up to three dimensions, packed, one after another? */
bool peer_device_fits(const bench_shape *s, sluice_diag *why);

#endif
