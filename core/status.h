// SPDX-License-Identifier: BSD-3-Clause
/* Failures: statuses and the reasons that accompany them. */
#ifndef CORE_STATUS_H
#define CORE_STATUS_H

#include "api/sluice.h"

/* The sentence of a status; never NULL. */
const char *core_strerror(sluice_status status);

/* Fills `why` (may be NULL) with offset and message and returns `status`, so that a failing line
 * reads `return core_fail(why, SLUICE_E_PARSE, at, "expected a size, found '%c'", c);` */
sluice_status core_fail(sluice_diag *why, sluice_status status, size_t offset, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

/* core_fail for out of memory, which has no further cause. */
sluice_status core_fail_memory(sluice_diag *why);

#endif
