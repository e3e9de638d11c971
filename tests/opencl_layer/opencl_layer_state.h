// SPDX-License-Identifier: BSD-3-Clause
/* What the layer is told to do, and what it has counted. All of it is guarded by one lock. */
#ifndef TESTS_OPENCL_LAYER_STATE_H
#define TESTS_OPENCL_LAYER_STATE_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <stdbool.h>

#include "tests/opencl_layer/opencl_layer.h"

typedef enum layer_kind {
    LAYER_CONTEXT,
    LAYER_QUEUE,
    LAYER_PROGRAM,
    LAYER_KERNEL,
    LAYER_BUFFER,
    LAYER_EVENT,
    LAYER_DEVICE,
    LAYER_KINDS
} layer_kind;

typedef enum layer_class {
    LAYER_PLAIN,
    LAYER_MAKES,    /* an object */
    LAYER_RELEASES, /* never fails */
    LAYER_ENQUEUES, /* a command */
    LAYER_WAITS     /* for commands */
} layer_class;

enum { LAYER_MAX_CALLS = 96 };

/* The functions that the layer knows, ended by NULL; a call is an index. */
extern const char *const layer_call_names[LAYER_MAX_CALLS + 1];

/* Counts the call; the error that it shall answer, or CL_SUCCESS. */
cl_int layer_begin_call(int call, layer_class class);

/* References that came and went. */
void layer_count(layer_kind kind, long references);
void layer_count_made(layer_kind kind, long objects);

/* May a buffer of so many bytes be made? Then they count as in use. */
bool layer_take_bytes(size_t bytes);
void layer_return_bytes(size_t bytes);

/* Shall this program's text be spoiled? */
bool layer_spoils_source(void);
bool layer_hides_devices(void);
/* What a device shall say of itself; false: the truth. `size`: of a value of this kind. */
bool layer_device_value(cl_device_info name, unsigned long long *value, size_t *size);

/* The error with which a command that gives an event shall end; also where it waits for an event
 * that ended so. */
cl_int layer_begin_event(cl_uint count, const cl_event *list, bool gives_event);
/* Marks an event as failed; forgets it. */
void layer_fail_event(cl_event event, cl_int error);
void layer_forget_event(cl_event event);
/* The error of an event, CL_SUCCESS where it is as the device says. */
cl_int layer_event_error(cl_event event);

const opencl_layer *layer_control(void);
/* Reads the environment. False: its faults were not understood, which has been printed. */
bool layer_start(void);

#endif
