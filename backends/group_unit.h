// SPDX-License-Identifier: BSD-3-Clause
/* What graphics processors have that no interface tells: the same for those of the last ten
 * years. */
#ifndef BACKENDS_GROUP_UNIT_H
#define BACKENDS_GROUP_UNIT_H

/* 32-bit registers of a compute unit; bytes that memory moves at once. */
enum { GROUP_UNIT_REGISTERS = 65536, GROUP_UNIT_LINE = 128 };

#endif
