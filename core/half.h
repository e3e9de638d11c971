// SPDX-License-Identifier: BSD-3-Clause
/* Half precision (IEEE 754 binary16) in plain C. */
#ifndef CORE_HALF_H
#define CORE_HALF_H

#include <stdint.h>

double core_half_read(uint16_t half);
/* Rounds to nearest, ties to even. Values that round to more than 65504 become infinity. */
uint16_t core_half_write(double value);

#endif
