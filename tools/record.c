// SPDX-License-Identifier: BSD-3-Clause
/* Records: the same fields as words or as JSON. */
#include "tools/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/output.h"
#include "tools/progress.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

/* errno of the first failed write to stdout; later writes would overwrite it. */
static int write_error;

/* Bytes of the UTF-8 character that begins here; 0: invalid. The first two bytes tell overlong
 * forms, surrogates and numbers above U+10FFFF. */
static size_t utf8_length(const char *at)
{
    static const struct {
        unsigned char first, last, second_first, second_last, bytes;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *c = (const unsigned char *)at;
    size_t i = 0, n = 1;
    while (i < sizeof forms / sizeof forms[0] && (c[0] < forms[i].first || c[0] > forms[i].last))
        i++;
    if (i == sizeof forms / sizeof forms[0] || c[1] < forms[i].second_first
        || c[1] > forms[i].second_last)
        return 0;
    while (n < forms[i].bytes && (n == 1 || (c[n] & 0xc0) == 0x80))
        n++;
    return n == forms[i].bytes ? n : 0;
}

/* JSON is UTF-8; an invalid byte, such as one in a file name, becomes the replacement character. */
static void print_quoted(const char *string)
{
    putchar('"');
    for (const char *c = string; *c;) {
        size_t n = utf8_length(c);
        if (n == 0)
            printf("\\ufffd");
        else if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c == '\n')
            printf("\\n");
        else if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            fwrite(c, 1, n, stdout);
        c += n ? n : 1;
    }
    putchar('"');
}

static void note_failure(void)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !write_error)
        write_error = errno ? errno : EIO;
}

static void key_of(const record *r, const char *key)
{
    printf(r->json ? ",\"%s\":" : " %s=", key);
}

record record_open(bool json, const char *key, const char *subject)
{
    record r = {.json = json};
    progress_close();
    if (json) {
        printf("{\"%s\":", key);
        print_quoted(subject);
    } else {
        text_show(stdout, subject, strlen(subject));
    }
    return r;
}

void record_text(const record *r, const char *key, const char *value)
{
    key_of(r, key);
    if (r->json)
        print_quoted(value);
    else
        text_show(stdout, value, strlen(value));
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
        fputs("null", stdout); /* JSON has no NaN or infinity */
    else
        printf(r->json ? "%.9g" : "%.3g", value);
}

void record_close(const record *r)
{
    puts(r->json ? "}" : "");
    note_failure();
}

bool record_print(const char *string, size_t length)
{
    progress_close();
    fwrite(string, 1, length, stdout);
    note_failure();
    return write_error == 0;
}

int record_check(int code)
{
    note_failure();
    return write_error ? output_failed("standard output", write_error) : code;
}
