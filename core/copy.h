// SPDX-License-Identifier: BSD-3-Clause
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include <stddef.h>

/* memcpy to where nothing is read soon: by non-temporal stores where the processor has them, so
 * that lines are not read before they are written, and others stay. What was written is seen by
 * whoever is told so afterwards. */
void core_copy_away(void *to, const void *from, size_t bytes);

#endif
