// SPDX-License-Identifier: BSD-3-Clause
/* The layer that makes OpenCL's calls fail (tests/opencl_layer), in this process. */
#ifndef TESTS_HELPER_OPENCL_H
#define TESTS_HELPER_OPENCL_H

#include "tests/opencl_layer/opencl_layer.h"

/* Called before anything of OpenCL. NULL: the layer was not built, or cannot be found. */
const opencl_layer *opencl_layer_load(void);
/* The layer's file, NULL where SLUICE_BIN_DIR does not name the build. */
const char *opencl_layer_file(void);
/* Makes PoCL compile without optimising, in half the time, or with it again: where kernels are
 * checked by their results, which are to be right either way. */
void opencl_compile_plainly(bool plainly);
/* Runs tests with plans of one size of caches, of which none is kept, and with kernels that are
 * compiled in a folder of their own; it is removed. Returns what they do, or 1. */
int opencl_run_alone(int (*tests)(void));
/* Kinds of objects that are still there, as text; "" where there are none. */
const char *opencl_layer_leaks(const opencl_layer *layer);

#endif
