// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend: runs programs on any machine, slowly but in the most obvious way. */
#ifndef BACKENDS_REF_REF_BACKEND_H
#define BACKENDS_REF_REF_BACKEND_H

#include "backends/backend.h"

extern const backend_table ref_backend; /* config text: "N", the number of units; NULL: 1 */

#endif
