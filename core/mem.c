// SPDX-License-Identifier: BSD-3-Clause
#include "core/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };
static const size_t huge_page = (size_t)2 << 20;
static const size_t huge_from = (size_t)4 << 20;

/* All three are plain counters that order nothing else, hence relaxed everywhere. They are the
 * library's only global state and change no result. */
static atomic_long alive;
static atomic_long asked;
static atomic_long fail_at; /* value of `asked` from which on requests fail; 0: never */

/* Counts a request; false where the test wants it to fail. */
static bool admit(void)
{
    const long mine = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) + 1;
    const long from = atomic_load_explicit(&fail_at, memory_order_relaxed);
    return from == 0 || mine < from;
}

static void *born(void *block)
{
    if (block != NULL)
        atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
    return block;
}

static void dies(const void *block)
{
    if (block != NULL)
        atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
}

/* An empty request gets a block too: NULL means out of memory and nothing else. */
static size_t at_least_one(size_t bytes)
{
    return bytes == 0 ? 1 : bytes;
}

void *core_malloc(size_t bytes)
{
    if (!admit() || bytes > PTRDIFF_MAX)
        return NULL;
    return born(malloc(at_least_one(bytes)));
}

void *core_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!admit() || !core_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return born(calloc(1, at_least_one(bytes)));
}

void *core_realloc(void *block, size_t bytes)
{
    if (block == NULL)
        return core_malloc(bytes);
    if (!admit() || bytes > PTRDIFF_MAX)
        return NULL;
    return realloc(block, at_least_one(bytes)); /* one block before, one after */
}

char *core_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = core_malloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

void core_free(void *block)
{
    dies(block);
    free(block);
}

void *core_aligned_alloc(size_t bytes)
{
    const bool huge = bytes >= huge_from;
    void *block = NULL;
    if (!admit() || bytes > PTRDIFF_MAX)
        return NULL;
    if (posix_memalign(&block, huge ? huge_page : ALIGNMENT, at_least_one(bytes)) != 0)
        return NULL;
    if (huge)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* advice: a kernel without it is no error */
    return born(block);
}

void core_aligned_free(void *block)
{
    core_free(block);
}

/* The number that a file begins with; UINT64_MAX: there is none, or it says "max". */
static uint64_t number_in(const char *path)
{
    FILE *file = fopen(path, "re");
    unsigned long long number;
    if (file == NULL)
        return UINT64_MAX;
    if (fscanf(file, "%llu", &number) != 1)
        number = UINT64_MAX;
    fclose(file);
    return number;
}

size_t core_mem_most(void)
{
    /* Where a container sees its own limit: control groups, version 2 and 1. */
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t most = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : huge_from;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const uint64_t limit = number_in(limits[i]);
        most = limit < most ? limit : most;
    }
    return most > SIZE_MAX ? SIZE_MAX : most > 0 ? (size_t)most : 1;
}

bool core_mul(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool core_add(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

void core_mem_fail_from(long nth)
{
    const long now = atomic_load_explicit(&asked, memory_order_relaxed);
    atomic_store_explicit(&fail_at, nth > 0 ? now + nth : 0, memory_order_relaxed);
}

long core_mem_live(void)
{
    return atomic_load_explicit(&alive, memory_order_relaxed);
}

long core_mem_count(void)
{
    return atomic_load_explicit(&asked, memory_order_relaxed);
}
