// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as OpenCL C 1.2 for devices that are processors: its codelets, tails and
 * statements, printed as for a C file (tape_c.h) in another vocabulary (words_device.cl and those
 * it names). So it computes the bits of the target that it was bound for.
 *
 * A parallel loop is a kernel, an iteration a group of one item, or several groups where it is a
 * share of one loop that can be divided further; what stands between parallel loops is
 * a kernel of one group; loops around parallel ones are the host's. Memory of a member is local
 * memory of the group, or its part of the spill.
 *
 * Memory is addressed as __global, whatever it is, since a processor has one address space: arrays
 * of a function, local memory and constants get there by way of integers. So codelets and tails are
 * printed once, for all pairs of address spaces. */
#ifndef SPL_TAPE_OPENCL_H
#define SPL_TAPE_OPENCL_H

#include "spl/bind/bind_tape.h"
#include "spl/emit/device_program.h"

typedef struct tape_opencl_how {
    const char *title;   /* a line, for a comment */
    int64_t local_bytes; /* of a group, at most */
    int64_t groups;      /* wanted of a kernel: hosts deal them to processors by the handful */
    bool offsets;        /* kernels take DEVICE_OFFSET behind each buffer that is no table */
    bool slices; /* of tables, one for each block of a program in blocks, where they have such */
} tape_opencl_how;

/* E_UNSUPPORTED with a sentence that names what cannot be printed, E_MEMORY. *out begins as {0};
 * device_program_free, whatever is returned. */
sluice_status tape_opencl_print(const bind_tape *tape, const tape_opencl_how *how,
                                device_program *out, sluice_diag *why);

#endif
