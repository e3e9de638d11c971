// SPDX-License-Identifier: BSD-3-Clause
/* Transforms whose size has a prime factor without codelet, by the rules dft-bluestein and
 * dft-rader. */
#ifndef SCHED_BLUESTEIN_H
#define SCHED_BLUESTEIN_H

#include "sched/planner/stockham.h"

/* DFT_n as a convolution of length m. */
typedef struct sched_convolution {
    int64_t n, m, tile;    /* tile: columns done together; 0: all, or one transform */
    int64_t blocks;        /* that m is cut into; 1: none */
    bool rader;            /* m is n-1, n a prime; else a chirp */
    sched_radices radices; /* of both transforms of m, or of a block */
    double cycles;         /* predicted, the whole transform */
} sched_convolution;

/* The best ways, cheapest first, for DFT_n (x) I_l. *count is 0 where there is none (n is beyond
 * what chirps reach). E_MEMORY. */
sluice_status sched_convolutions_find(const sched_target *t, int64_t n, int64_t l,
                                      sched_convolution *out, int max, int *count,
                                      sluice_diag *why);
/* DFT_n (x) I_l. NULL where the context failed. */
const spl *sched_bluestein(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                           sched_tags tags);

#endif
