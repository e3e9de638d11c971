// SPDX-License-Identifier: BSD-3-Clause
/* An OpenCL layer that makes calls fail on purpose and counts objects. The loader loads it where
 * OPENCL_LAYERS names its file, and it passes all calls on to the devices that there are.
 *
 * Faults are words with spaces between them, in the environment (SLUICE_OPENCL_FAULTS) or by `set`:
 *   clCreateBuffer@3=CL_OUT_OF_RESOURCES   the third call of that function from now on fails
 *   clCreateBuffer@3+=CL_OUT_OF_RESOURCES  so do all after it
 *   enqueue@3=.., any@3=..                 the third of all commands; of all calls but releases
 *   event@3=..    the third command that gives an event does nothing, and ends with the error
 *   lost@3        from the third command on the device is not available
 *   source@3      the third program is given a text that does not compile
 *   no-devices    there are none
 *   fp64=0        what a device says of itself: fp64 fp16 type unified available memory allocation
 *                 local group units; of `memory` there is no more, too
 * Errors are names or numbers. With SLUICE_OPENCL_REPORT=FILE the counts are written there when the
 * process ends. */
#ifndef TESTS_OPENCL_LAYER_H
#define TESTS_OPENCL_LAYER_H

#include <stdbool.h>
#include <stdio.h>

typedef struct opencl_layer {
    /* Replaces all faults, and counts calls anew; "" ends them. False: not understood. */
    bool (*set)(const char *faults);
    /* Objects made; and of these and of what was retained, what was not released. Of contexts,
     * queues, programs, kernels, buffers, events or sub-devices; -1: no such kind. */
    long (*made)(const char *kind);
    long (*outstanding)(const char *kind);
    /* Calls of a function since `set`, or of any as `any@` counts them, failed ones too; -1: the
     * layer does not know it. */
    long (*calls)(const char *function);
    /* A line for each kind and each function that was called. */
    void (*print)(FILE *out);
} opencl_layer;

/* What the layer's file exports, as `opencl_layer_open`. */
typedef const opencl_layer *opencl_layer_open_fn(void);

#endif
