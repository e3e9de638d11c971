// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as OpenCL C 1.2 for devices that are processors: its codelets, tails and statements,
 * printed as for a C file (tape_c.h) in another vocabulary (words_device.cl and those it names). So it
 * computes the bits of the target that it was bound for.
 *
 * A parallel loop is a kernel, an iteration a group of one item; what stands between parallel loops is
 * a kernel of one group; loops around parallel ones are the host's. Memory of a member is local memory
 * of the group, or its part of the spill. Transfers in slices, prefetching and non-temporal stores,
 * which change no bits, are left out: blocks are put at the end of an iteration.
 *
 * Memory is addressed as __global, whatever it is, since a processor has one address space: arrays of
 * a function, local memory and constants get there by way of integers. So codelets and tails are
 * printed once, for all pairs of address spaces. */
#ifndef SPL_TAPE_OPENCL_H
#define SPL_TAPE_OPENCL_H

#include "spl/bind/bind_tape.h"
#include "spl/emit/device_program.h"

/* `title`, a line, goes into a comment; groups have local_bytes at most. E_UNSUPPORTED with a
 * sentence that names what cannot be printed, E_MEMORY. *out begins as {0}. */
sluice_status tape_opencl_print(const bind_tape *tape, const char *title, int64_t local_bytes,
                                device_program *out, sluice_diag *why);

#endif
