// SPDX-License-Identifier: BSD-3-Clause
/* Inside of a context, for the files that make nodes and index functions. */
#ifndef SPL_CTX_H
#define SPL_CTX_H

#include <stdbool.h>

#include "core/arena.h"
#include "spl/context/context.h"

/* Hash-consing: open addressing, at most half full, nothing is ever removed. */
typedef struct spl_slot {
    uint64_t hash;
    const void *what; /* NULL: free */
} spl_slot;
typedef struct spl_table {
    spl_slot *slot;
    size_t count, capacity; /* capacity is 0 or a power of two */
} spl_table;
typedef bool spl_same(const void *a, const void *b);

/* What a refusal's place is not yet known of (spl/formula/source_offset.c); else the tags that were
 * left. */
enum { SPL_UNBLAMED = -1, SPL_BLAMED = -2 };

struct spl_ctx {
    core_arena *arena;
    sluice_status status;
    sluice_diag why;
    int blamed;
    spl_table nodes, functions, places;
};

/* The entry equal to `key`, or NULL. */
const void *spl_table_find(const spl_table *table, uint64_t hash, spl_same *same, const void *key);
/* Adds an entry that is not there yet; false (recorded) when out of memory. */
bool spl_table_add(spl_ctx *ctx, spl_table *table, uint64_t hash, const void *what);

/* One more number into a hash. */
static inline uint64_t spl_hash(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A copy of `bytes` bytes in the arena; NULL (recorded) when out of memory. */
void *spl_ctx_copy(spl_ctx *ctx, const void *from, size_t bytes);
/* *out = a*b, where that is at most spl_max_size and neither is negative. */
bool spl_size_mul(int64_t a, int64_t b, int64_t *out);

#endif
