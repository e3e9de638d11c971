// SPDX-License-Identifier: BSD-3-Clause
#include "core/mem.h"

#include <limits.h>
#include <malloc.h>
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

/* Relaxed accesses suffice: these counters do not order other memory. They are the library's only
 * global state and change no result. */
static atomic_long live_blocks;
static atomic_long requests;
static atomic_long fail_at; /* value of `requests` from which on requests fail; 0: never */

/* Counts a request; false if a test makes it fail. */
static bool may_allocate(void)
{
    const long mine = atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed) + 1;
    const long from = atomic_load_explicit(&fail_at, memory_order_relaxed);
    return from == 0 || mine < from;
}

/* Bytes that the thread has allocated and not freed. */
static _Thread_local ptrdiff_t held;

static void *count_block(void *block)
{
    if (block != NULL) {
        atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
        held += (ptrdiff_t)malloc_usable_size(block);
    }
    return block;
}

static void uncount_block(const void *block)
{
    if (block != NULL) {
        atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
        held -= (ptrdiff_t)malloc_usable_size((void *)block);
    }
}

/* An empty request gets a block too, so that NULL always means out of memory. */
static size_t at_least_one(size_t bytes)
{
    return bytes == 0 ? 1 : bytes;
}

void *core_malloc(size_t bytes)
{
    if (!may_allocate() || bytes > PTRDIFF_MAX)
        return NULL;
    return count_block(malloc(at_least_one(bytes)));
}

void *core_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!may_allocate() || !core_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return count_block(calloc(1, at_least_one(bytes)));
}

void *core_realloc(void *block, size_t bytes)
{
    if (block == NULL)
        return core_malloc(bytes);
    if (!may_allocate() || bytes > PTRDIFF_MAX)
        return NULL;
    const ptrdiff_t before = (ptrdiff_t)malloc_usable_size(block);
    void *after = realloc(block, at_least_one(bytes)); /* the number of blocks does not change */
    if (after != NULL)
        held += (ptrdiff_t)malloc_usable_size(after) - before;
    return after;
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
    uncount_block(block);
    free(block);
}

void *core_aligned_alloc(size_t bytes)
{
    const bool huge = bytes >= huge_from;
    void *block = NULL;
    if (!may_allocate() || bytes > PTRDIFF_MAX)
        return NULL;
    if (posix_memalign(&block, huge ? huge_page : ALIGNMENT, at_least_one(bytes)) != 0)
        return NULL;
    if (huge)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* only advice: a failure does not matter */
    return count_block(block);
}

void core_aligned_free(void *block)
{
    core_free(block);
}

/* The number at the beginning of a file; UINT64_MAX: none, or "max". */
static uint64_t read_number(const char *path)
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

/* The smallest limit of a control group and its ancestors: `file` in the folders of `path` below
 * `root`. Truncates `path` while ascending. */
static uint64_t group_limit_of(const char *root, char *path, const char *file)
{
    char name[PATH_MAX];
    uint64_t min = UINT64_MAX;
    for (char *end = path + strlen(path);; *end = '\0') {
        const int length = snprintf(name, sizeof name, "%s%s/%s", root, path, file);
        const uint64_t limit =
            length > 0 && (size_t)length < sizeof name ? read_number(name) : UINT64_MAX;
        min = limit < min ? limit : min;
        end = strrchr(path, '/');
        if (end == NULL)
            return min;
    }
}

/* The limit of the process's own control group: "0::PATH" in version 2, "N:..memory..:PATH" in
 * version 1. */
static uint64_t group_limit(void)
{
    char line[PATH_MAX];
    uint64_t min = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *const kinds = strchr(line, ':'), *path = kinds ? strchr(kinds + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        uint64_t limit = UINT64_MAX;
        if (kinds[1] == '\0')
            limit = group_limit_of("/sys/fs/cgroup", path, "memory.max");
        else if (strstr(kinds + 1, "memory") != NULL)
            limit = group_limit_of("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
        min = limit < min ? limit : min;
    }
    if (file != NULL)
        fclose(file);
    return min;
}

size_t core_mem_limit(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t limit = group_limit();
    uint64_t max = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : huge_from;
    max = limit < max ? limit : max;
    return max > SIZE_MAX ? SIZE_MAX : max > 0 ? (size_t)max : 1;
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
    const long now = atomic_load_explicit(&requests, memory_order_relaxed);
    atomic_store_explicit(&fail_at, nth > 0 ? now + nth : 0, memory_order_relaxed);
}

long core_mem_live(void)
{
    return atomic_load_explicit(&live_blocks, memory_order_relaxed);
}

long core_mem_count(void)
{
    return atomic_load_explicit(&requests, memory_order_relaxed);
}

ptrdiff_t core_mem_held(void)
{
    return held;
}
