// SPDX-License-Identifier: BSD-3-Clause
/* Gets and puts as packets: runs of elements that are adjacent on both sides, at strides. */
#ifndef BACKENDS_CPU_PACKETS_H
#define BACKENDS_CPU_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spl/index/ix.h"

enum { CPU_PACKET_LEVELS = 4 };

typedef struct cpu_packets {
    int levels; /* loops around a packet, outermost first */
    int64_t count[CPU_PACKET_LEVELS];
    ptrdiff_t in[CPU_PACKET_LEVELS], out[CPU_PACKET_LEVELS]; /* bytes */
    size_t run;                                              /* elements of a packet */
    size_t scalar;                                           /* bytes */
    bool split_in, split_out; /* re and im in runs of their own, else side by side */
    bool past;                /* stored past the caches */
} cpu_packets;

/* Element i goes from fin(i) to fout(i), i < n, where all loops stand at 0. Set scalar and the
 * formats before. False where the functions are no few digits that both sides share. */
bool cpu_packets_of(cpu_packets *packets, const ix *fin, const ix *fout, int64_t n);
int64_t cpu_packets_count(const cpu_packets *packets);
size_t cpu_packets_bytes(const cpu_packets *packets); /* of one */
/* Moves all; re and im of each side, im not read where they lie side by side on both. */
void cpu_packets_move(const cpu_packets *packets, const char *const in[2], char *const out[2]);

#endif
