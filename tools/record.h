// SPDX-License-Identifier: BSD-3-Clause
/* Results on stdout: one record a line, as words for people or as one JSON object. */
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
void record_word(const record *r, const char *key, const char *value); /* words: no key */
void record_integer(const record *r, const char *key, long long value);
void record_real(const record *r, const char *key, double value);
/* Ends the record and sees it off: lists are watched through pipes. */
void record_close(const record *r);

/* Text on stdout that is no record. False: it cannot be written, which main will tell. */
bool record_print(const char *text, size_t length);
/* Writes out what is left; returns `code`, or TOOL_IO having complained of what could not be
 * written since the program began. */
int record_check(int code);

#endif
