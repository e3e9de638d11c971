// SPDX-License-Identifier: BSD-3-Clause
/* A constant factor of a whole formula. It commutes with every stage, so the merge rules do not
 * carry it to the last one: it goes to a stage that has factors anyway. */
#ifndef SPL_SCALE_H
#define SPL_SCALE_H

#include "spl/formula/spl.h"

/* (I(rows) (x) D.const(c)) x; x itself where c is 1. Of a scaled x the product of both. */
const spl *spl_scaled(spl_ctx *ctx, const spl *x, double c);
/* The rest of a formula that spl_scaled made, and its c; of any other x itself, and 1. */
const spl *spl_unscaled(spl_ctx *ctx, const spl *x, double *c);
/* Merged Sigma-SPL times c: in the stage nearest to the output that has diagonals at every kernel,
 * else in the last one of transforms, else in the last one. */
const spl *spl_scale_merged(spl_ctx *ctx, const spl *merged, double c);

#endif
