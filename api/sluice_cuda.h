// SPDX-License-Identifier: BSD-3-Clause
/* Plans on the device memory and in the streams of a program that uses CUDA (docs/DEVICES.md). Data
 * on the device stay there; no call waits for the device.
 *
 * Compiling and linking this needs neither cuda.h nor a CUDA library: NVIDIA's driver is loaded
 * when a machine opens, and the types are those of cuda.h by name (CUstream and cudaStream_t are
 * the same type). In a library built without the OpenCL headers these functions return
 * SLUICE_E_UNSUPPORTED with that reason. */
#ifndef SLUICE_CUDA_H
#define SLUICE_CUDA_H

#include "sluice.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUctx_st;    /* *CUcontext */
struct CUstream_st; /* *CUstream, *cudaStream_t */

/* Opens a machine of one unit, the device with this number. Plans are made as on any machine; their
 * kernels are compiled (libnvrtc) and loaded at that time. `context`: a context of this device,
 * which must outlive the machine and its plans; NULL: the device's primary context, which the
 * runtime (cudaMalloc and so on) uses. That is retained until the last plan is destroyed and the
 * machine is closed. `options` may be NULL. Their `units` are NULL or "opencl" with settings
 * ("opencl:memory=64M:twiddles=sincos") and name no device; $SLUICE_UNITS is not read. The thread's
 * current context is preserved, here and in all calls. E_INVALID: there is no such device, the
 * context belongs to another one, or `units` is something else; E_UNSUPPORTED: there is no driver.
 * Plans may be executed on the host's arrays too (sluice_execute), in streams of the library. */
sluice_status sluice_cuda_machine_open(sluice_machine **out, int device, struct CUctx_st *context,
                                       const sluice_machine_options *options, sluice_diag *why);

/* Bytes of work area that an execution needs; 0: none. */
size_t sluice_cuda_work_bytes(const sluice_plan *plan);

typedef struct sluice_cuda_execution {
    /* A stream of the plan's context. NULL: the legacy default stream, even in programs compiled
     * for per-thread default streams; cudaStreamPerThread: that of the calling thread. */
    struct CUstream_st *stream;
    /* Addresses of elements 0, in memory that the device can read and write (a CUdeviceptr is cast
     * to void *). As in sluice_arrays: out of place they must not overlap, in place they are the
     * same on both sides; in_im and out_im are for split sides only, else NULL. They are multiples
     * of the size of a complex number if the side has such, else of a scalar. With hooks, scalars
     * are those that the array holds. */
    const void *in, *in_im;
    void *out, *out_im;
    /* sluice_cuda_work_bytes bytes at a multiple of 64; NULL if none is needed. Executions that may
     * run concurrently need an area each; those of one stream may share one. */
    void *work;
    uintptr_t reserved[4];
} sluice_cuda_execution;

/* Enqueues an execution and returns. It runs after what the stream already holds and before what is
 * enqueued later. May be called from any thread at any time. What is known to be wrong is refused
 * before anything is enqueued, with E_INVALID and a sentence: streams of another context, arrays
 * whose first or last byte the driver does not know (unless the device reads the host's memory),
 * overlap, alignment. E_DEVICE, E_MEMORY: a call to the driver failed, which `why` and
 * sluice_machine_fault name; the output is then undefined. E_UNSUPPORTED: the plan has hooks that
 * the host applies, or is for units of another kind. Later failures are reported by the stream.
 *
 * Only kernels are enqueued, so the stream may be capturing a graph (cudaStreamBeginCapture); the
 * plan must outlive the graph. */
sluice_status sluice_cuda_enqueue(const sluice_plan *plan, const sluice_cuda_execution *execution,
                                  sluice_diag *why);

#ifdef __cplusplus
}
#endif
#endif
