// SPDX-License-Identifier: BSD-3-Clause
#ifndef BACKENDS_CPU_BACKEND_H
#define BACKENDS_CPU_BACKEND_H

#include "backends/backend.h"

extern const backend_table cpu_backend;

#endif
