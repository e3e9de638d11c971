// SPDX-License-Identifier: BSD-3-Clause
/* Half-spectra X_0 .. X_(n/2) of n reals as n reals: the imaginary parts of X_0 and, of an even n,
 * X_(n/2) are 0 and are left out. C++ as well: self-tests of emitted programs use it. */
#ifndef SPL_HALF_ORDER_H
#define SPL_HALF_ORDER_H

#include <stdint.h>

typedef enum spl_order {
    SPL_ORDER_NONE = 0,
    SPL_ORDER_PACKED,     /* re X_0, of an even n re X_(n/2), re X_1, im X_1, re X_2 .. */
    SPL_ORDER_HALFCOMPLEX /* re X_0, re X_1 .. re X_(n/2), im X_((n-1)/2) .. im X_1 */
} spl_order;

/* Part 0 (re) or 1 (im) of X_k. */
typedef struct spl_half_place {
    int64_t k;
    int part;
} spl_half_place;

/* What real i of n is. */
spl_half_place spl_order_place(spl_order order, int64_t n, int64_t i);

#endif
