// SPDX-License-Identifier: BSD-3-Clause
/* Fences at the left margin, as all documents here have them. */
#include "tests/helpers/helper_docs.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char docs_caches[] = "pack:1 l3:1(size=33554432) l2:2(size=2097152) l1d:1(size=49152) "
                           "core:1 pu:1";

const char *docs_document(int i)
{
    static glob_t found;
    if (found.gl_pathc == 0) {
        assert_int_equal(glob("*.md", 0, NULL, &found), 0);
        assert_int_equal(glob("docs/*.md", GLOB_APPEND, NULL, &found), 0);
        assert_int_equal(glob("docs/log/*.md", GLOB_APPEND, NULL, &found), 0);
    }
    return (size_t)i < found.gl_pathc ? found.gl_pathv[i] : NULL;
}

char *docs_read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("there is no %s", path);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    text[size] = '\0';
    return text;
}

static bool is_fence(const char *line)
{
    return strncmp(line, "```", 3) == 0;
}

static void next_line(docs_reader *r)
{
    r->at += strcspn(r->at, "\n");
    if (*r->at == '\n') {
        r->at++;
        r->line++;
    }
}

bool docs_next(docs_reader *r, docs_fence *out)
{
    while (*r->at != '\0' && !is_fence(r->at))
        next_line(r);
    if (*r->at == '\0')
        return false;
    out->line = r->line;
    snprintf(out->info, sizeof out->info, "%.*s", (int)strcspn(r->at + 3, "\n"), r->at + 3);
    next_line(r);
    out->text = r->at;
    while (*r->at != '\0' && !is_fence(r->at))
        next_line(r);
    out->length = (size_t)(r->at - out->text);
    next_line(r);
    return true;
}

bool docs_same(const docs_fence *f, const char *text)
{
    return strlen(text) == f->length && memcmp(text, f->text, f->length) == 0;
}

int docs_compare(const char *document, const docs_fence *f, const char *expected)
{
    if (docs_same(f, expected))
        return 0;
    print_error("%s:%d: ```%s should read\n%s", document, f->line, f->info, expected);
    return 1;
}
