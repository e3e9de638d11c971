// SPDX-License-Identifier: BSD-3-Clause
/* Memory: every block of the library comes from here, so that each allocation can be made to fail
 * in a test and leaks can be counted. Thread-safe. All functions that return memory return NULL
 * when there is none, and nothing else. */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *core_malloc(size_t bytes);
void *core_calloc(size_t count, size_t size);  /* zeroed; the product is checked */
void *core_realloc(void *block, size_t bytes); /* of core_malloc/calloc/realloc only */
char *core_strdup(const char *text);
void core_free(void *block); /* NULL is allowed */

/* 64-byte aligned data, not zeroed; from 4 MiB on 2 MiB aligned and advised for huge pages. */
void *core_aligned_alloc(size_t bytes);
void core_aligned_free(void *block); /* NULL is allowed */

/* Bytes that this process may have at most: the machine's memory, or what its control group is
 * limited to. Never 0. */
size_t core_mem_most(void);

/* Checked arithmetic: false on overflow, *out untouched. */
bool core_mul(size_t a, size_t b, size_t *out);
bool core_add(size_t a, size_t b, size_t *out);

/* Bytes that the calling thread has taken and not given back: the difference of two is what it did
 * in between. */
ptrdiff_t core_mem_held(void);

/* For tests: the nth allocation from now (1 = the next) and all after it fail; 0 = none fail. */
void core_mem_fail_from(long nth);
/* For tests: blocks alive now, and allocations made since the start. */
long core_mem_live(void);
long core_mem_count(void);

#endif
