// SPDX-License-Identifier: BSD-3-Clause
/* Counts what the kernels of spl_device_item do on a GPU, from the program, without text or
 * device. */
#ifndef SPL_OCL_COUNT_H
#define SPL_OCL_COUNT_H

#include "spl/emit/print_opencl.h"
#include "spl/price/warps.h"

typedef enum ocl_access { OCL_LOAD = 0, OCL_STORE, OCL_TABLE, OCL_ACCESSES } ocl_access;

/* Counts of a statement, over all launches of its kernel. */
typedef struct ocl_stage_counts {
    size_t stmt;
    int64_t points;           /* of an item's transform; 0: it moves elements */
    bool local[OCL_ACCESSES]; /* is the access to local memory */
    warp_counts at[OCL_ACCESSES];
} ocl_stage_counts;

typedef struct ocl_kernel_counts {
    int64_t groups, items, launches;
    int64_t local_bytes;
    int64_t registers; /* of an item, by the model */
    int64_t flight;    /* bytes that a group's items load at once, at most */
    int nstages;
    ocl_stage_counts *stage;
} ocl_kernel_counts;

/* In the order of the printed kernels. */
typedef struct ocl_counts {
    int nkernels;
    ocl_kernel_counts *kernel;
} ocl_counts;

/* Begins as {0}; ocl_counts_free, whatever is returned. E_MEMORY. */
sluice_status spl_device_count(const prog *p, const spl_opencl *how, ocl_counts *out,
                               sluice_diag *why);
void ocl_counts_free(ocl_counts *c);
/* Prints a JSON object a line: for each kernel, with the number of groups that a unit of
 * price_gpus[gpu] runs at a time, and for each of its statements. */
void ocl_counts_print(const ocl_counts *c, const prog *p, int gpu, core_text *out);

#endif
