// SPDX-License-Identifier: BSD-3-Clause
/* Documents and their fenced blocks, for tests of the documents. */
#ifndef TESTS_HELPER_DOCS_H
#define TESTS_HELPER_DOCS_H

#include <stdbool.h>
#include <stddef.h>

enum { DOCS_INFO = 128 };

typedef struct docs_fence {
    char info[DOCS_INFO];
    const char *text; /* not terminated */
    size_t length;
    int line; /* line number of the opening fence */
} docs_fence;

typedef struct docs_reader {
    const char *at;
    int line; /* line number of `at`, from 1 */
} docs_reader;

/* Caches with which quoted output was printed, for SLUICE_TOPOLOGY. */
extern const char docs_caches[];

/* The path of the i-th document, in the source root and in docs; NULL after the last. */
const char *docs_document(int i);
/* Reads a whole file and appends a 0; freed by the caller. Fails the test if the file is missing.
 */
char *docs_read_file(const char *path);
/* The next fenced block; false: no more. A block without end reaches to the end of the text. */
bool docs_next(docs_reader *r, docs_fence *out);
bool docs_same(const docs_fence *f, const char *text);
/* 0 if the block is `expected`; else 1, and prints the expected text. */
int docs_compare(const char *document, const docs_fence *f, const char *expected);

#endif
