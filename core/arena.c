// SPDX-License-Identifier: BSD-3-Clause
#include "core/arena.h"

#include "core/mem.h"

enum { GRAIN = 16 };
static const size_t first_chunk = 4096;
static const size_t last_chunk = (size_t)1 << 18;

typedef struct chunk {
    struct chunk *next;
    size_t used, size; /* number of bytes after the header */
} chunk;

struct core_arena {
    chunk *chunks; /* list; blocks are taken from its head */
    size_t grow;   /* size of the next chunk */
};

/* The header is padded so that data begins on a grain. */
static const size_t header = (sizeof(chunk) + GRAIN - 1) / GRAIN * GRAIN;

core_arena *core_arena_open(void)
{
    core_arena *arena = core_calloc(1, sizeof *arena);
    if (arena != NULL)
        arena->grow = first_chunk;
    return arena;
}

static chunk *chunk_new(size_t size)
{
    size_t bytes;
    chunk *fresh = core_add(size, header, &bytes) ? core_malloc(bytes) : NULL;
    if (fresh != NULL)
        *fresh = (chunk){.size = size};
    return fresh;
}

/* A request too large for a common chunk gets a chunk of its own, inserted after the head, so that
 * the free bytes of the head remain usable. */
static void *get_separate_chunk(core_arena *arena, size_t bytes)
{
    chunk *fresh = chunk_new(bytes);
    if (fresh == NULL)
        return NULL;
    fresh->used = bytes;
    if (arena->chunks == NULL) {
        arena->chunks = fresh;
    } else {
        fresh->next = arena->chunks->next;
        arena->chunks->next = fresh;
    }
    return (char *)fresh + header;
}

void *core_arena_get(core_arena *arena, size_t bytes)
{
    size_t padded;
    if (!core_add(bytes == 0 ? 1 : bytes, GRAIN - 1, &padded))
        return NULL;
    padded -= padded % GRAIN;
    if (arena->chunks == NULL || arena->chunks->size - arena->chunks->used < padded) {
        if (padded > arena->grow / 4)
            return get_separate_chunk(arena, padded);
        chunk *fresh = chunk_new(arena->grow);
        if (fresh == NULL)
            return NULL;
        fresh->next = arena->chunks;
        arena->chunks = fresh;
        if (arena->grow < last_chunk)
            arena->grow *= 2;
    }
    void *block = (char *)arena->chunks + header + arena->chunks->used;
    arena->chunks->used += padded;
    return block;
}

void core_arena_close(core_arena *arena)
{
    if (arena == NULL)
        return;
    for (chunk *next, *c = arena->chunks; c != NULL; c = next) {
        next = c->next;
        core_free(c);
    }
    core_free(arena);
}
