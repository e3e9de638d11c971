// SPDX-License-Identifier: BSD-3-Clause
/* Programs as OpenCL C 1.2, a DFT of a leaf in the registers of one work-item (docs/EMIT.md). */
#ifndef SPL_PRINT_OPENCL_H
#define SPL_PRINT_OPENCL_H

#include "spl/emit/device_program.h"

/* Local memory that a group may have where nothing else is said: the least that OpenCL 1.2 demands
 * of a device. */
enum { SPL_OPENCL_LOCAL = 32 << 10 };
/* The largest DFT that one work-item computes in registers. */
enum { SPL_OPENCL_LARGEST = 64 };
/* How many items a group has at most: of any formula; of one planned for groups. */
enum { SPL_OPENCL_FEW_ITEMS = 64, SPL_OPENCL_ITEMS = 512 };

typedef struct spl_opencl {
    const char *title;   /* the program's first line */
    const char *problem; /* NULL: there is none, but a formula */
    sluice_precision precision;
    int64_t local_bytes;      /* of a group */
    int64_t items;            /* of a group, at most */
    sluice_twiddles twiddles; /* but of programs that have the same bits everywhere: tables */
    bool offsets;             /* kernels take DEVICE_OFFSET behind each buffer that is no table */
} spl_opencl;

/* The program for a host of the library's; title and problem are not used. device_program_free,
 * whatever is returned. E_UNSUPPORTED with a sentence, E_MEMORY. */
sluice_status spl_device_item(const prog *p, const spl_opencl *how, device_program *out,
                              sluice_diag *why);
/* The same as one file: a description for other hosts, as JSON in a comment, and the kernels. */
sluice_status spl_print_opencl(const prog *p, const spl_opencl *how, core_text *out,
                               sluice_diag *why);

#endif
