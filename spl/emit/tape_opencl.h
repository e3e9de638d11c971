// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as OpenCL C 1.2 for devices that are processors: its codelets, tails and
 * statements, printed as for a C file (tape_c.h) in another vocabulary (snippets_device.cl and the
 * files that it names). So it has the bits of the target for which it was bound.
 *
 * A parallel loop is a kernel, in which each iteration is a group of one item, or several groups if
 * it is a share of one loop that can be divided further. Statements between parallel loops are a
 * kernel of one group; loops around parallel ones are loops of the host. Memory of a member is
 * local memory of the group, or its part of the spill.
 *
 * All memory is addressed as __global, since a processor has one address space; addresses of arrays
 * in functions, local memory and constants are converted by way of integers. So codelets and tails
 * are printed once, for all pairs of address spaces. */
#ifndef SPL_TAPE_OPENCL_H
#define SPL_TAPE_OPENCL_H

#include "spl/bind/bind_tape.h"
#include "spl/emit/device_program.h"

typedef struct tape_opencl_how {
    const char *title;   /* one line, printed as a comment */
    int64_t local_bytes; /* of a group, at most */
    int64_t groups;      /* wanted in a kernel; hosts distribute several of them at a time */
    bool offsets;        /* kernels take DEVICE_OFFSET after each buffer that is no table */
    bool slices;         /* divide tables into slices, one for each block of a program in blocks */
} tape_opencl_how;

/* E_UNSUPPORTED with a sentence that names what cannot be printed, E_MEMORY. *out begins as {0};
 * device_program_free, whatever is returned. */
sluice_status tape_opencl_print(const bind_tape *tape, const tape_opencl_how *how,
                                device_program *out, sluice_diag *why);

#endif
