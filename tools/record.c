// SPDX-License-Identifier: BSD-3-Clause
/* Records: the same fields, as words or as JSON. */
#include "tools/record.h"

#include <math.h>
#include <stdio.h>

static void quoted(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void key_of(const record *r, const char *key)
{
    printf(r->json ? ",\"%s\":" : " %s=", key);
}

record record_open(bool json, const char *key, const char *subject)
{
    record r = {.json = json};
    if (json) {
        printf("{\"%s\":", key);
        quoted(subject);
    } else {
        fputs(subject, stdout);
    }
    return r;
}

void record_text(const record *r, const char *key, const char *value)
{
    key_of(r, key);
    if (r->json)
        quoted(value);
    else
        fputs(value, stdout);
}

void record_word(const record *r, const char *key, const char *value)
{
    if (r->json)
        record_text(r, key, value);
    else
        printf(" %s", value);
}

void record_integer(const record *r, const char *key, long long value)
{
    key_of(r, key);
    printf("%lld", value);
}

void record_real(const record *r, const char *key, double value)
{
    key_of(r, key);
    if (r->json && !isfinite(value))
        fputs("null", stdout); /* JSON has no word for it */
    else
        printf(r->json ? "%.9g" : "%.3g", value);
}

void record_close(const record *r)
{
    puts(r->json ? "}" : "");
}
