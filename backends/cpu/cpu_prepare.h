// SPDX-License-Identifier: BSD-3-Clause
/* Programs of the CPU backend: see prepare, sketch and release of backend_team
 * (backends/backend.h). */
#ifndef BACKENDS_CPU_PREPARE_H
#define BACKENDS_CPU_PREPARE_H

#include "backends/backend.h"

sluice_status cpu_sketch(backend *b, const double *costs, const prog *body,
                         backend_transfer_mode mode, sluice_precision precision,
                         backend_program **out, sluice_diag *why);
sluice_status cpu_prepare(backend *b, const double *costs, const prog *body,
                          backend_transfer_mode mode, sluice_precision precision,
                          backend_program **out, sluice_diag *why);
void cpu_release(backend_program *program);

#endif
