// SPDX-License-Identifier: BSD-3-Clause
/* Memory: the library allocates every block here, so that tests can make each allocation fail and
 * count leaks. Thread-safe. Functions that return memory return NULL exactly if out of memory. */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *core_malloc(size_t bytes);
void *core_calloc(size_t count, size_t size);  /* zeroed; the product is checked */
void *core_realloc(void *block, size_t bytes); /* for blocks of core_malloc/calloc/realloc only */
char *core_strdup(const char *text);
void core_free(void *block); /* NULL is allowed */

/* 64-byte aligned data, not zeroed; from 4 MiB on 2 MiB aligned and advised for huge pages. */
void *core_aligned_alloc(size_t bytes);
void core_aligned_free(void *block); /* NULL is allowed */

/* Bytes that this process may use: the machine's memory or its control group's limit. Never 0. */
size_t core_mem_limit(void);

/* Checked arithmetic: false on overflow, *out untouched. */
bool core_mul(size_t a, size_t b, size_t *out);
bool core_add(size_t a, size_t b, size_t *out);

/* Bytes that the calling thread has allocated and not freed: the difference of two calls is what it
 * allocated between them. */
ptrdiff_t core_mem_held(void);

/* For tests: allocation number `nth` from now (1 = the next) and all later ones fail; 0 = none
 * fails. */
void core_mem_fail_from(long nth);
/* For tests: blocks alive now, and allocations made since the start. */
long core_mem_live(void);
long core_mem_count(void);

#endif
