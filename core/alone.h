// SPDX-License-Identifier: BSD-3-Clause
/* Replaces core/mem.h and core/wide.h in a stand-alone program (spl/emit/snippets.h). */
#ifndef CORE_ALONE_H
#define CORE_ALONE_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define core_malloc malloc
#define core_calloc calloc
#define core_free free
#define core_aligned_free free

#define CORE_WIDE
#define CORE_APART

/* 64-byte aligned; from 4 MiB on 2 MiB aligned and advised for huge pages. */
static inline void *core_aligned_alloc(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, align = bytes < 2 * huge ? 64 : huge;
    const size_t whole = (bytes + align - 1) / align * align;
    void *block = aligned_alloc(align, whole > 0 ? whole : align);
#ifdef MADV_HUGEPAGE
    if (block && align == huge)
        madvise(block, whole, MADV_HUGEPAGE);
#endif
    return block;
}

#endif
