// SPDX-License-Identifier: BSD-3-Clause
/* Contexts: the memory of formulas, index functions and programs, and the first failure of whatever
 * makes them. One context serves one thread at a time; contexts are cheap, each plan has its
 * own. */
#ifndef SPL_CONTEXT_H
#define SPL_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "api/sluice.h"

typedef struct spl_ctx spl_ctx;
typedef struct spl spl; /* spl/formula/spl.h */

/* No dimension and no value of an index function in a formula goes beyond 2^40. */
static const int64_t spl_max_size = (int64_t)1 << 40;

spl_ctx *spl_ctx_open(void); /* NULL: out of memory */
void spl_ctx_close(spl_ctx *ctx);
/* OK, or the first failure since the context was opened, with its sentence. */
sluice_status spl_ctx_status(const spl_ctx *ctx, sluice_diag *why);
/* Records a failure (the first one stays) and returns NULL: `return spl_refuse(ctx, ..)`. */
const spl *spl_refuse(spl_ctx *ctx, sluice_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Arena memory of the context, zeroed; NULL (recorded) when out of memory. */
void *spl_ctx_get(spl_ctx *ctx, size_t bytes);

#endif
