// SPDX-License-Identifier: BSD-3-Clause
/* The tag local(bytes): a stream whose number of iterations follows from a store's capacity. */
#ifndef SPL_RULES_LOCAL_H
#define SPL_RULES_LOCAL_H

#include "spl/formula/spl.h"

/* The tag local(bytes) of x replaced by stream(s), by the rule `local`; x itself if it has none. */
const spl *spl_derive_streams(spl_ctx *ctx, const spl *x, int64_t element_bytes);

#endif
