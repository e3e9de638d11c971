// SPDX-License-Identifier: BSD-3-Clause
/* How many groups of work-items a compute unit of a GPU runs at a time: equations (1) to (3) of
 * Vazquez, Amor and Fraguela, "Portable and efficient FFT and DCT algorithms with the Heterogeneous
 * Butterfly Processing Library" (2019), with registers as units allocate them. */
#ifndef SPL_OCCUPANCY_H
#define SPL_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* The resources of a compute unit. */
typedef struct price_gpu {
    const char *name;
    int64_t registers, local_bytes; /* of all groups together */
    int64_t groups, items;          /* limits at a time */
    int64_t item_registers;         /* limit of one item */
    int64_t local_own;              /* bytes of local memory that each group costs in addition */
} price_gpu;

/* The first is a current GPU; the others are those of the paper's table 1. */
extern const price_gpu price_gpus[];
extern const int price_gpu_count;

typedef struct price_occupancy {
    int64_t by_registers, by_local; /* groups that each resource alone allows */
    int64_t groups;                 /* B_CU: the minimum of these and of the unit's own limits */
    double share;                   /* of the items that the unit can run at a time */
} price_occupancy;

/* Registers of an item that computes a DFT of so many points, with twiddles (`turned`) or without:
 * what assemblers need, within a tenth. */
int64_t price_registers(int64_t points, bool f64, bool turned);
price_occupancy price_occupy(const price_gpu *gpu, int64_t items, int64_t registers,
                             int64_t local_bytes);

#endif
