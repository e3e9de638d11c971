// SPDX-License-Identifier: BSD-3-Clause
/* How many groups of work-items a compute unit of a GPU runs at a time: equations (1) to (3) of
 * Vazquez, Amor and Fraguela, "Portable and efficient FFT and DCT algorithms with the Heterogeneous
 * Butterfly Processing Library" (2019), with registers as units allocate them. */
#ifndef SPL_OCCUPANCY_H
#define SPL_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* What a compute unit has. */
typedef struct price_gpu {
    const char *name;
    int64_t registers, local_bytes; /* for all of its groups */
    int64_t groups, items;          /* at a time, at most */
    int64_t item_registers;         /* of an item, at most */
    int64_t local_own;              /* bytes of local memory that each group costs besides */
} price_gpu;

/* The first is a GPU of today; then those of the paper's table 1. */
extern const price_gpu price_gpus[];
extern const int price_gpu_count;

typedef struct price_occupancy {
    int64_t by_registers, by_local; /* groups, by each alone */
    int64_t groups;                 /* B_CU, the least of them and of the unit's own limits */
    double share;                   /* of the items that the unit can run */
} price_occupancy;

/* Registers of an item that computes a DFT of so many points, and multiplies by factors or does
 * not: what assemblers need, within a tenth. */
int64_t price_registers(int64_t points, bool f64, bool turned);
price_occupancy price_occupy(const price_gpu *gpu, int64_t items, int64_t registers,
                             int64_t local_bytes);

#endif
