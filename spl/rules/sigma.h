// SPDX-License-Identifier: BSD-3-Clause
/* From a complete tagged formula to merged Sigma-SPL. */
#ifndef SPL_SIGMA_H
#define SPL_SIGMA_H

#include "spl/formula/spl.h"

/* Consumes all tags but leaf, outermost first, by the tag rules (6) (7g) (9) (10) (11) and their
 * uneven forms, and turns every construct into loops by the SPL_SIGMA rules. The result holds only
 * MUL, PLUS, LOOP, GATH, SCAT, PERM, DIAG, RETYPE, I and leaves (transforms, and kernels of pairs).
 * Refusals name the rule and condition. NULL on failure (recorded in ctx). */
const spl *spl_to_sigma(spl_ctx *ctx, const spl *x);

/* Merges to a fixed point: PERM and DIAG move into the adjacent loops, gathers and scatters of
 * nested loops compose (11), identities vanish. PLAIN gathers and scatters end at leaf kernels.
 * COPY and NET ones fuse with each other (the result has the stronger class) but not with the PLAIN
 * ones inside them, so that there is a local buffer between both. `without_copies`: COPY becomes
 * PLAIN first, for a machine whose caches do the copying. Idempotent. NULL on failure. */
const spl *spl_merge(spl_ctx *ctx, const spl *sigma, bool without_copies);

#endif
