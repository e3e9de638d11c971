// SPDX-License-Identifier: BSD-3-Clause
/* Plans on OpenCL objects of the caller: its context, queue, buffers and events (docs/DEVICES.md).
 * Data on the device stay there; no call waits for the device.
 *
 * The program links OpenCL itself. It may define CL_TARGET_OPENCL_VERSION before it includes this;
 * the library needs version 1.2. In a library built without the OpenCL headers these functions
 * return SLUICE_E_UNSUPPORTED with that reason. */
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

/* Opens a machine of one unit, a device of the caller's context. Plans are made as on any machine;
 * their kernels are compiled at that time. Context and device are retained until the last plan is
 * destroyed and the machine is closed. `options` may be NULL. Their `units` are NULL or "opencl"
 * with settings ("opencl:memory=64M:twiddles=sincos") and name no device; $SLUICE_UNITS is not
 * read. E_INVALID: the device does not belong to the context, or `units` is something else. Plans
 * may be executed on the host's arrays too (sluice_execute), in queues of the library. */
sluice_status sluice_opencl_machine_open(sluice_machine **out, cl_context context,
                                         cl_device_id device, const sluice_machine_options *options,
                                         sluice_diag *why);

/* Bytes of work area that an execution needs; 0: none. */
size_t sluice_opencl_work_bytes(const sluice_plan *plan);

/* An array in a buffer of the plan's context, or in part of one. Its element 0 is `offset` bytes
 * from the beginning. The offset is a multiple of a scalar's size; for interleaved arrays and
 * arrays of reals, on devices that are not processors, of a complex number's. With hooks, scalars
 * are those that the array holds. */
typedef struct sluice_opencl_array {
    cl_mem buffer;
    size_t offset;
} sluice_opencl_array;

typedef struct sluice_opencl_execution {
    cl_command_queue queue; /* of the plan's context and device; in order or not */
    /* As in sluice_arrays: out of place they must not overlap, in place they are the same on both
     * sides; in_im and out_im are for split sides only. */
    sluice_opencl_array in, in_im, out, out_im;
    /* sluice_opencl_work_bytes bytes at a multiple of 64. Executions that may run concurrently need
     * an area each; those of one in-order queue may share one. */
    sluice_opencl_array work;
    cl_uint waits; /* number of events that the execution waits for */
    const cl_event *wait_for;
    cl_event *done; /* receives an event, which the caller releases; NULL: none is wanted */
    uintptr_t reserved[4];
} sluice_opencl_execution;

/* Enqueues an execution and returns; the queue is not flushed. May be called from any thread at any
 * time. Wrong objects are refused before anything is enqueued, with E_INVALID and a sentence.
 * E_DEVICE, E_MEMORY: a call to OpenCL failed, which `why` and sluice_machine_fault name; the
 * output is then undefined and *done is NULL. E_UNSUPPORTED: the plan has hooks that the host
 * applies, or is for units of another kind. Later failures are reported as the event's status. */
sluice_status sluice_opencl_enqueue(const sluice_plan *plan,
                                    const sluice_opencl_execution *execution, sluice_diag *why);

#ifdef __cplusplus
}
#endif
#endif
