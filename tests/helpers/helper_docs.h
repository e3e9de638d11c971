// SPDX-License-Identifier: BSD-3-Clause
/* Documents and their fenced blocks, for tests of what documents say. */
#ifndef TESTS_HELPER_DOCS_H
#define TESTS_HELPER_DOCS_H

#include <stdbool.h>
#include <stddef.h>

enum { DOCS_INFO = 128 };

typedef struct docs_fence {
    char info[DOCS_INFO];
    const char *text; /* not terminated */
    size_t length;
    int line; /* of the opening fence */
} docs_fence;

typedef struct docs_reader {
    const char *at;
    int line; /* of `at`, from 1 */
} docs_reader;

/* Caches that quoted output was printed with, for SLUICE_TOPOLOGY. */
extern const char docs_caches[];

/* The path of the i-th document, in the source root and in docs; NULL after the last. */
const char *docs_document(int i);
/* A whole file with a 0 behind it, to be freed. Fails the test where there is none. */
char *docs_slurp(const char *path);
/* The next fenced block; false: no more. A block without end reaches to the end of the text. */
bool docs_next(docs_reader *r, docs_fence *out);
bool docs_same(const docs_fence *f, const char *text);
/* 0 where the block is `expected`; else 1, and says what should stand there. */
int docs_compare(const char *document, const docs_fence *f, const char *expected);

#endif
