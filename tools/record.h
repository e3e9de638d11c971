// SPDX-License-Identifier: BSD-3-Clause
/* Results on stdout: one record per line, as words or as a JSON object. */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include <stdbool.h>
#include <stddef.h>

/* As words: SUBJECT key=value ... WORD; as JSON: {"key": "SUBJECT", "key": value, ...}. */
typedef struct record {
    bool json;
} record;

record record_open(bool json, const char *key, const char *subject);
void record_text(const record *r, const char *key, const char *value);
void record_word(const record *r, const char *key,
                 const char *value); /* as words without the key */
void record_integer(const record *r, const char *key, long long value);
void record_real(const record *r, const char *key, double value);
/* Ends the record and flushes it: a pipe's reader sees each record at once. */
void record_close(const record *r);

/* Prints text that is not a record. False: writing failed, which main reports. */
bool record_print(const char *text, size_t length);
/* Flushes stdout; returns `code`, or TOOL_IO after a message if any write since the start of the
 * program failed. */
int record_check(int code);

#endif
