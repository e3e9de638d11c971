// SPDX-License-Identifier: BSD-3-Clause
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include <stddef.h>

/* memcpy to a destination that is not read soon. Where the processor has non-temporal stores, they
 * are used: lines of the destination are not read before they are written, and other lines stay in
 * the caches. A thread that is notified after the return sees what was written. */
void core_copy_away(void *to, const void *from, size_t bytes);

#endif
