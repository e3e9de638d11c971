// SPDX-License-Identifier: BSD-3-Clause
/* Atomic replacement of files. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "api/sluice.h"

/* Writes `length` bytes to a temporary file in the same directory, then renames it: readers find
 * the old file or the new one, and a failure leaves the old one. Permissions are kept, a link stays
 * a link. Pipes and devices are written directly. E_IO: errno holds the cause. */
sluice_status core_file_write(const char *path, const char *bytes, size_t length);

#endif
