// SPDX-License-Identifier: BSD-3-Clause
/* Helpers: threads that execute transfers for a worker while it computes. Each has a queue, which
 * one member of one execution fills and the helper empties in order. */
#ifndef BACKENDS_CPU_DMA_H
#define BACKENDS_CPU_DMA_H

#include "backends/cpu/run/cpu_packets.h"
#include "core/log.h"
#include "core/topology.h"

typedef struct cpu_dma cpu_dma;
typedef struct cpu_helpers cpu_helpers;

/* A transfer in one iteration of the enclosing loops: its packets, and re and im of both sides. */
typedef struct cpu_copy {
    const prog_move *packets;
    const char *in[2];
    char *out[2];
} cpu_copy;

/* One helper for each of `workers` units, on a hardware thread close to it; fewer, with a line in
 * the log, if no more threads can be had. NULL: out of memory. `topology` and `log` are kept, not
 * owned. */
cpu_helpers *cpu_helpers_open(int workers, const core_topology *topology, const core_log *log);
void cpu_helpers_close(cpu_helpers *helpers); /* NULL allowed; none may be leased */
int cpu_helpers_count(const cpu_helpers *helpers);

/* An idle helper, preferably the member's own; NULL: all are busy, or the process was forked. */
cpu_dma *cpu_dma_lease(cpu_helpers *helpers, int member);
/* Waits until all its transfers are done. NULL allowed. */
void cpu_dma_release(cpu_dma *dma);
/* Posts a transfer and returns its number, from 1. Waits while the queue is full. */
uint64_t cpu_dma_post(cpu_dma *dma, const cpu_copy *move);
/* Waits until transfer `number` and all before it are done; 0: none. */
void cpu_dma_wait(cpu_dma *dma, uint64_t number);

#endif
