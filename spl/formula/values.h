// SPDX-License-Identifier: BSD-3-Clause
/* The numbers of diagonals; also printed into programs (spl/emit/snippets.h). */
#ifndef SPL_VALUES_H
#define SPL_VALUES_H

#include <stdint.h>
#include <string.h>

/* Diagonals by name: which numbers stand on them. */
typedef enum spl_values {
    SPL_TWIDDLES = 0, /* T(n,m)  w_nm^{(t div m)(t mod m)}, t < nm                          */
    SPL_CHIRP,        /* C(n)    exp(-i pi t^2/n), t < n; m = 1                             */
    SPL_SPECTRUM,     /* B(n,m)  DFT_m of the conjugated chirp, divided by m; t < m         */
    SPL_RADER,        /* R(n,g)  1, -i/s, and DFT_{n-1} of w_n^{g^-q}, divided by n-1, from its
                                 second entry on; s = sqrt(n-1); t < n                      */
    SPL_CORNER,       /* K(n)    (1+is)/2, (1-is)/2, 1, -i/s; m = 1                         */
    SPL_ROOTS,        /* W(n)    w_n^t, t < n; m = 1                                        */
    SPL_HALF,         /* H(n)    1, 2, 2, .., 2, t < n; m = 1                               */
    SPL_SIGNS,        /* Q(n)    1 of the first ceil(n/2), then -1, t < n; m = 1            */
    SPL_CONST,        /* D.const(x)  x; n = 1, m the bits of the double x                   */
    SPL_VALUES
} spl_values;

/* x of a constant as its m, and back. */
static inline int64_t spl_constant_bits(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double spl_constant_value(int64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
