// SPDX-License-Identifier: BSD-3-Clause
/* Executions on objects of the caller's: what those of OpenCL and of NVIDIA's driver share. */
#ifndef BACKENDS_OPENCL_NATIVE_H
#define BACKENDS_OPENCL_NATIVE_H

#include "backends/opencl/opencl_state.h"

/* Arrays by role, then the work area, which begins at a multiple of so many bytes. */
enum { OPENCL_WORK = DEVICE_SCRATCH, OPENCL_PARTS, OPENCL_WORK_LINE = 64 };

/* An array of the caller's: bytes from .. to-1 of a buffer, or of that which the buffer is a part
 * of; whole NULL: there is none. */
typedef struct opencl_part {
    cl_mem whole;
    int64_t from, to;
} opencl_part;

/* What kernels keep in the work area, one behind the other from where buffer and offset of
 * OPENCL_WORK are. */
void opencl_share_work(const opencl_program *p, opencl_memory *memory);
/* The bytes of a plan's work area, 0: none. E_INVALID where there are some and none is given. */
sluice_status opencl_check_work(const opencl_program *p, bool given, int64_t *bytes,
                                sluice_diag *why);
/* Of OPENCL_PARTS. E_INVALID, with a sentence. */
sluice_status opencl_check_overlap(const opencl_program *p, const opencl_part *part,
                                   sluice_diag *why);
/* By what failed last. */
sluice_status opencl_fail_execution(const backend *b, sluice_status status, sluice_diag *why);

/* cuda_native.c; run: a sluice_cuda_execution. */
sluice_status cuda_run_native(const opencl_program *program, const void *run, sluice_diag *why);

#endif
