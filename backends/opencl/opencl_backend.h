// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL devices as units: they run bodies as kernels that are compiled when a plan is made. */
#ifndef BACKENDS_OPENCL_BACKEND_H
#define BACKENDS_OPENCL_BACKEND_H

#include "backends/backend.h"

extern const backend_table opencl_backend;

#endif
