// SPDX-License-Identifier: BSD-3-Clause
/* Files that are there whole or not at all. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "api/sluice.h"

/* Writes `length` bytes beside `path`, then renames: whoever reads the name finds the old file or
 * the new one, and a failure leaves the old one. Its permissions are kept, a link stays a link.
 * What is no regular file (a pipe, a device) is written directly. E_IO, and errno says why. */
sluice_status core_file_write(const char *path, const char *bytes, size_t length);

#endif
