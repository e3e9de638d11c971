// SPDX-License-Identifier: BSD-3-Clause
/* The only file that lists all backends, in order of preference: the best first, the reference
 * after it, fakes last. */
#include "backends/backend.h"

extern const backend_table cpu_backend, opencl_backend, ref_backend, fake_backend;

const backend_table *const backend_tables[] = {
    &cpu_backend, &opencl_backend, &ref_backend, &fake_backend, NULL,
};
