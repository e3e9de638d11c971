// SPDX-License-Identifier: BSD-3-Clause
/* Where the text of a formula has its nodes, so that refusals that come after parsing have an
 * offset. Equal nodes are one node: the first place counts. */
#ifndef SPL_SOURCE_OFFSET_H
#define SPL_SOURCE_OFFSET_H

#include "spl/formula/spl.h"

/* x stands at this byte; a tagged node at its outermost tag. False (recorded) when out of
 * memory. */
bool spl_set_source(spl_ctx *ctx, const spl *x, size_t offset);
/* `made` came of `x` and stands where that does, tag by tag where both have as many. */
void spl_source_like(spl_ctx *ctx, const spl *made, const spl *x);
/* Work on x was refused: the refusal's offset becomes x's place, if that is known and no part of x
 * was blamed before; for tags that are left of those of x, the place of the outermost of these. */
void spl_blame(spl_ctx *ctx, const spl *x);

#endif
