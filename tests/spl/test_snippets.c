// SPDX-License-Identifier: BSD-3-Clause
/* The words of codelets in OpenCL C: each that a codelet of a device's vectors mentions is
 * defined. Needs no device. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/emit/snippets.h"
#include "spl/emit/tape_c.h"
#include "tests/helpers/helper_plan.h"

/* That words are defined is the same in every build; sanitizers see a part of what is printed. */
enum { STEP = PLAN_SANITIZED ? 5 : 1 };

static const spl_codelet *const tables[][2] = {
#if SLUICE_HAVE_AVX2
    {spl_codelets_avx2_f32, spl_codelets_avx2_f64},
    {spl_codelets_fma128_f32, spl_codelets_fma128_f64},
#endif
#if SLUICE_HAVE_AVX512
    {spl_codelets_avx512_f32, spl_codelets_avx512_f64},
#endif
    {NULL, NULL},
};

/* Names of the words that OpenCL has, in order. */
static const char *names[8192];
static size_t name_count;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_names(void **state)
{
    (void)state;
    for (const spl_snippet *w = spl_snippets_device; w->text; w++)
        for (int i = 0; i < SPL_SNIPPET_NAMES && w->name[i]; i++) {
            assert_true(name_count < sizeof names / sizeof *names);
            names[name_count++] = w->name[i];
        }
    qsort(names, name_count, sizeof *names, compare_names);
    return 0;
}

static bool is_defined(const char *name, size_t length)
{
    char word[64];
    const char *const key = word;

    if (length >= sizeof word)
        return false;
    memcpy(word, name, length);
    word[length] = '\0';
    return bsearch(&key, names, name_count, sizeof *names, compare_names) != NULL;
}

/* Names of the vocabulary begin with a vector's type. */
static size_t word_at(const char *text)
{
    size_t length = 0;

    if (strncmp(text, "f32x", 4) != 0 && strncmp(text, "f64x", 4) != 0)
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static void check_codelet(const spl_codelet *c)
{
    static const spl_snippet none[] = {{{NULL}, NULL}};
    bool given[SPL_SNIPPETS_MAX] = {false};
    core_text text = {0};

    assert_true(tape_c_codelets(&c, 1, c->key.isa, false, none, given, &text));
    for (const char *at = core_text_string(&text); *at;) {
        const size_t length = word_at(at);
        if (length > 0 && !is_defined(at, length))
            fail_msg("%s: OpenCL has no %.*s", c->name, (int)length, at);
        at += length > 0 ? length : 1;
    }
    core_text_free(&text);
}

static void devices_have_all_words(void **state)
{
    (void)state;
    for (size_t i = 0; tables[i][0]; i++)
        for (int precision = 0; precision < 2; precision++)
            for (int k = 0; tables[i][precision][k].name; k++)
                if (k % STEP == 0)
                    check_codelet(&tables[i][precision][k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_have_all_words)};
    return cmocka_run_group_tests(tests, list_names, NULL);
}
