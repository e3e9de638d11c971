// SPDX-License-Identifier: BSD-3-Clause
/* Executions on objects of the caller's: what OpenCL and NVIDIA's driver have in common. */
#ifndef BACKENDS_OPENCL_NATIVE_H
#define BACKENDS_OPENCL_NATIVE_H

#include "backends/opencl/opencl_state.h"

/* Arrays by role, then the work area, which begins at a multiple of OPENCL_WORK_LINE bytes. */
enum { OPENCL_WORK = DEVICE_SCRATCH, OPENCL_PARTS, OPENCL_WORK_LINE = 64 };

/* An array of the caller's: bytes from .. to-1 of the buffer `whole`, which for a sub-buffer is its
 * parent; NULL: there is no array. */
typedef struct opencl_part {
    cl_mem whole;
    int64_t from, to;
} opencl_part;

/* Divides the work area, which begins at buffer and offset of OPENCL_WORK, into scratch and packed
 * sides, one after another. */
void opencl_share_work(const opencl_program *p, opencl_memory *memory);
/* The bytes of a plan's work area, 0: none. E_INVALID if the plan needs one and none is given. */
sluice_status opencl_check_work(const opencl_program *p, bool given, int64_t *bytes,
                                sluice_diag *why);
/* `part` has OPENCL_PARTS entries. E_INVALID, with a sentence, if they overlap. */
sluice_status opencl_check_overlap(const opencl_program *p, const opencl_part *part,
                                   sluice_diag *why);
/* The sentence names the unit's last fault. */
sluice_status opencl_fail_execution(const backend *b, sluice_status status, sluice_diag *why);

/* cuda_native.c; run: a sluice_cuda_execution. */
sluice_status cuda_run_native(const opencl_program *program, const void *run, sluice_diag *why);

#endif
