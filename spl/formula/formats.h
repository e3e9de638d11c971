// SPDX-License-Identifier: BSD-3-Clause
/* Formats of complex numbers in vectors and in memory: re and im side by side, apart; reals; and
 * reals of which re and im step in opposite directions (spl/codelet/codelet.h). */
#ifndef SPL_FORMATS_H
#define SPL_FORMATS_H

typedef enum spl_format { SPL_INTER = 0, SPL_SPLIT, SPL_REAL, SPL_MIRROR } spl_format;

#endif
