// SPDX-License-Identifier: BSD-3-Clause
/* A bump allocator: many small blocks that are freed together. One thread at a time. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>

typedef struct core_arena core_arena;

/* NULL: out of memory. */
core_arena *core_arena_open(void);
/* 16-byte aligned, not cleared; NULL: out of memory. */
void *core_arena_get(core_arena *arena, size_t bytes);
/* Frees everything; NULL is allowed. */
void core_arena_close(core_arena *arena);

#endif
