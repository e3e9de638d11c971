// SPDX-License-Identifier: BSD-3-Clause
/* What the files that construct nodes share. */
#ifndef SPL_NODE_H
#define SPL_NODE_H

#include "spl/formula/spl.h"

/* Diagonals hold complex numbers. */
#define SPL_NODE_COMPLEX .from = SPL_TYPE_COMPLEX, .to = SPL_TYPE_COMPLEX

/* The one node equal to *x; kids and tags are copied if it is new. */
const spl *spl_intern(spl_ctx *ctx, const spl *x);
const spl *spl_refuse_size(spl_ctx *ctx, const char *what, int64_t size);

static inline bool spl_is_size(int64_t n)
{
    return n >= 1 && n <= spl_max_size;
}

#endif
