// SPDX-License-Identifier: BSD-3-Clause
/* FNV-1a in 32 bits: detects texts that were truncated or changed by accident. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CORE_HASH_START UINT32_C(2166136261)

/* Continues `hash` (CORE_HASH_START at the beginning) with `count` bytes. */
static inline uint32_t core_hash(uint32_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

#endif
