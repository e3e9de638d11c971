// SPDX-License-Identifier: BSD-3-Clause
/* Programs as OpenCL C 1.2, with the DFT of a leaf in the registers of one item (docs/EMIT.md). */
#ifndef SPL_PRINT_OPENCL_H
#define SPL_PRINT_OPENCL_H

#include "spl/emit/device_program.h"

/* Local memory that a group may have by default: the minimum that OpenCL 1.2 demands of a
 * device. */
enum { SPL_OPENCL_LOCAL = 32 << 10 };
/* The largest DFT that one work-item computes in registers. */
enum { SPL_OPENCL_LARGEST = 64 };
/* The most items of a group: for any formula; for one that is planned for groups. */
enum { SPL_OPENCL_FEW_ITEMS = 64, SPL_OPENCL_ITEMS = 512 };

typedef struct spl_opencl {
    const char *title;   /* the program's first line */
    const char *problem; /* NULL: there is only a formula */
    sluice_precision precision;
    int64_t local_bytes;      /* of a group */
    int64_t items;            /* of a group, at most */
    sluice_twiddles twiddles; /* not used by reproducible programs, which have tables */
    bool offsets;             /* kernels take DEVICE_OFFSET after each buffer that is no table */
} spl_opencl;

/* The program for the library's own hosts; title and problem are not used. device_program_free,
 * whatever is returned. E_UNSUPPORTED with a sentence, E_MEMORY. */
sluice_status spl_device_item(const prog *p, const spl_opencl *how, device_program *out,
                              sluice_diag *why);
/* The same as one file: a description for other hosts, as JSON in a comment, and the kernels. */
sluice_status spl_print_opencl(const prog *p, const spl_opencl *how, core_text *out,
                               sluice_diag *why);

#endif
