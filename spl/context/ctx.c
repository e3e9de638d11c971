// SPDX-License-Identifier: BSD-3-Clause
/* Contexts: an arena, the two hash-cons tables, and the first failure. */
#include "spl/context/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"

spl_ctx *spl_ctx_open(void)
{
    spl_ctx *ctx = core_calloc(1, sizeof *ctx);
    if (ctx == NULL)
        return NULL;
    ctx->arena = core_arena_open();
    if (ctx->arena == NULL) {
        core_free(ctx);
        return NULL;
    }
    return ctx;
}

void spl_ctx_close(spl_ctx *ctx)
{
    if (ctx == NULL)
        return;
    core_free(ctx->nodes.slot);
    core_free(ctx->functions.slot);
    core_free(ctx->places.slot);
    core_arena_close(ctx->arena);
    core_free(ctx);
}

sluice_status spl_ctx_status(const spl_ctx *ctx, sluice_diag *why)
{
    if (ctx->status != SLUICE_OK && why != NULL)
        *why = ctx->why;
    return ctx->status;
}

const spl *spl_refuse(spl_ctx *ctx, sluice_status status, const char *format, ...)
{
    if (ctx->status != SLUICE_OK)
        return NULL;
    va_list args;
    va_start(args, format);
    /* A sentence that does not fit is cut; its beginning names the cause. */
    (void)vsnprintf(ctx->why.message, sizeof ctx->why.message, format, args);
    va_end(args);
    ctx->why.offset = 0;
    ctx->blamed = SPL_UNBLAMED;
    ctx->status = status;
    return NULL;
}

static void *get_block(spl_ctx *ctx, size_t bytes)
{
    void *block = core_arena_get(ctx->arena, bytes);
    if (block == NULL)
        (void)spl_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
    return block;
}

void *spl_ctx_get(spl_ctx *ctx, size_t bytes)
{
    void *block = get_block(ctx, bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void *spl_ctx_copy(spl_ctx *ctx, const void *from, size_t bytes)
{
    void *block = get_block(ctx, bytes);
    if (block != NULL && bytes > 0)
        memcpy(block, from, bytes);
    return block;
}

bool spl_size_mul(int64_t a, int64_t b, int64_t *out)
{
    int64_t product;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) || product > spl_max_size)
        return false;
    *out = product;
    return true;
}

const void *spl_table_find(const spl_table *table, uint64_t hash, spl_same *same, const void *key)
{
    if (table->capacity == 0)
        return NULL;
    const size_t mask = table->capacity - 1;
    for (size_t i = hash & mask; table->slot[i].what != NULL; i = (i + 1) & mask)
        if (table->slot[i].hash == hash && same(table->slot[i].what, key))
            return table->slot[i].what;
    return NULL;
}

static void insert_entry(spl_slot *slot, size_t capacity, spl_slot entry)
{
    size_t i = entry.hash & (capacity - 1);
    while (slot[i].what != NULL)
        i = (i + 1) & (capacity - 1);
    slot[i] = entry;
}

static bool grow_table(spl_table *table)
{
    const size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    spl_slot *slot = core_calloc(capacity, sizeof *slot);
    if (slot == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i].what != NULL)
            insert_entry(slot, capacity, table->slot[i]);
    core_free(table->slot);
    table->slot = slot;
    table->capacity = capacity;
    return true;
}

bool spl_table_add(spl_ctx *ctx, spl_table *table, uint64_t hash, const void *what)
{
    if (2 * (table->count + 1) > table->capacity && !grow_table(table)) {
        (void)spl_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
        return false;
    }
    insert_entry(table->slot, table->capacity, (spl_slot){hash, what});
    table->count++;
    return true;
}
