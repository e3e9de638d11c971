// SPDX-License-Identifier: BSD-3-Clause
/* A constant factor of a whole formula. It commutes with every stage, so the merge rules do not
 * move it to the last stage: it goes to a stage that has factors anyway. */
#ifndef SPL_SCALE_H
#define SPL_SCALE_H

#include "spl/formula/spl.h"

/* (I(rows) (x) D.const(c)) x; x itself if c is 1. A scaled x gets the product of both constants. */
const spl *spl_scaled(spl_ctx *ctx, const spl *x, double c);
/* Splits off the c that spl_scaled put in front of x; any other x is returned unchanged, with c =
 * 1. */
const spl *spl_unscaled(spl_ctx *ctx, const spl *x, double *c);
/* Merged Sigma-SPL times c. The constant goes to the stage nearest to the output in which every
 * kernel has diagonals, else to the last one of transforms, else to the last one. */
const spl *spl_scale_merged(spl_ctx *ctx, const spl *merged, double c);

#endif
