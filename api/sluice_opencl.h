// SPDX-License-Identifier: BSD-3-Clause
/* Plans on OpenCL objects of the caller's: its context, queue, buffers and events
 * (docs/DEVICES.md). Data that are on the device stay there; no call waits for the device.
 *
 * The program links OpenCL itself. It may define CL_TARGET_OPENCL_VERSION before it includes this;
 * the library needs version 1.2. In a library that was built without OpenCL's headers these
 * functions return SLUICE_E_UNSUPPORTED and say so. */
#ifndef SLUICE_OPENCL_H
#define SLUICE_OPENCL_H

#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#include "sluice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a machine of one unit, a device of the caller's context, for plans as of any machine;
 * kernels are compiled when they are made. Context and device are retained until the last plan is
 * destroyed and the machine is closed. `options` may be NULL; their `units`, NULL or "opencl" with
 * settings, "opencl:memory=64M:twiddles=sincos", name no device; the environment's are not read.
 * E_INVALID: the device is none of the context's, or units are others. Plans may be executed on the
 * host's arrays too (sluice_execute), in queues of the library's. */
sluice_status sluice_opencl_machine_open(sluice_machine **out, cl_context context,
                                         cl_device_id device, const sluice_machine_options *options,
                                         sluice_diag *why);

/* Bytes of work area that an execution needs; 0: none. */
size_t sluice_opencl_work_bytes(const sluice_plan *plan);

/* An array in a buffer of the plan's context, whole or a part: its element 0 is `offset` bytes from
 * the beginning, a multiple of the scalar's size (interleaved arrays, and those of reals: of a
 * complex number's on devices that are no processors). With hooks scalars are what the array
 * holds. */
typedef struct sluice_opencl_array {
    cl_mem buffer;
    size_t offset;
} sluice_opencl_array;

typedef struct sluice_opencl_execution {
    cl_command_queue queue; /* of the plan's context and device; in order or not */
    /* As in sluice_arrays: out of place they do not overlap, in place they are the same on both
     * sides; in_im, out_im of split sides only. */
    sluice_opencl_array in, in_im, out, out_im;
    /* At a multiple of 64 bytes, sluice_opencl_work_bytes bytes. Executions that may run at a time
     * need an area each: those of one queue in order may share one. */
    sluice_opencl_array work;
    cl_uint waits; /* events that the execution waits for */
    const cl_event *wait_for;
    cl_event *done; /* receives an event for the caller to release; NULL: none is wanted */
    uintptr_t reserved[4];
} sluice_opencl_execution;

/* Enqueues an execution and returns, any thread at any time; the queue is not flushed. Wrong
 * objects are refused before anything is enqueued, with E_INVALID and a sentence. E_DEVICE,
 * E_MEMORY: a call of OpenCL's failed, which `why` and sluice_machine_fault name; of the output
 * nothing is known, *done is NULL. E_UNSUPPORTED: the plan has hooks that the host applies, or is
 * for units of another kind. What fails later is the event's status. */
sluice_status sluice_opencl_enqueue(const sluice_plan *plan,
                                    const sluice_opencl_execution *execution, sluice_diag *why);

#ifdef __cplusplus
}
#endif
#endif
