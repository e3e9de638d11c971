// SPDX-License-Identifier: BSD-3-Clause
/* Finds the definitions that a text needs. */
#include "spl/emit/snippets.h"

#include <ctype.h>
#include <string.h>

enum { CHAINS = 512 };

/* A hash table of a table's names: texts mention many. Chains are chosen by length and letters. */
typedef struct name_index {
    const spl_snippet *table;
    bool in_name[UCHAR_MAX + 1];
    /* Numbers of names plus 1; 0: none. Name k of snippet i has i * SPL_SNIPPET_NAMES + k. */
    int first[CHAINS];
    int next[SPL_SNIPPETS_MAX * SPL_SNIPPET_NAMES];
} name_index;

static size_t chain_of(const char *name, size_t length)
{
    return (length * 67 + (unsigned char)name[0] * 13 + (unsigned char)name[length - 1] * 7
            + (unsigned char)name[length / 2])
           % CHAINS;
}

void spl_name_letters(bool letters[UCHAR_MAX + 1])
{
    for (int c = 0; c <= UCHAR_MAX; c++)
        letters[c] = isalnum(c) || c == '_';
}

static void index_names(name_index *out, const spl_snippet *table)
{
    out->table = table;
    spl_name_letters(out->in_name);
    memset(out->first, 0, sizeof out->first);
    for (int i = 0; table[i].text; i++)
        for (int k = 0; k < SPL_SNIPPET_NAMES && table[i].name[k]; k++) {
            const int number = i * SPL_SNIPPET_NAMES + k;
            const size_t chain = chain_of(table[i].name[k], strlen(table[i].name[k]));
            out->next[number] = out->first[chain];
            out->first[chain] = number + 1;
        }
}

/* Names in comments do not count as mentioned. */
static const char *skip_comment(const char *at)
{
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static void mark_names(const name_index *names, bool *need, const char *text);

/* Marks the snippets that define a name, and all snippets that they mention. */
static void mark_name(const name_index *names, bool *need, const char *name, size_t length)
{
    for (int n = names->first[chain_of(name, length)]; n > 0; n = names->next[n - 1]) {
        const int i = (n - 1) / SPL_SNIPPET_NAMES;
        const char *const known = names->table[i].name[(n - 1) % SPL_SNIPPET_NAMES];
        if (need[i] || strncmp(known, name, length) != 0 || known[length] != '\0')
            continue;
        need[i] = true;
        mark_names(names, need, names->table[i].text);
    }
}

/* The same for all names that a text mentions. */
static void mark_names(const name_index *names, bool *need, const char *text)
{
    for (const char *at = text; *at;) {
        const char *const name = at;
        if (at[0] == '/' && at[1] == '*') {
            at = skip_comment(at);
            continue;
        }
        while (names->in_name[(unsigned char)*at])
            at++;
        if (at == name)
            at++;
        else
            mark_name(names, need, name, (size_t)(at - name));
    }
}

void spl_snippets_print(const spl_snippet *table, bool *given, const char *text, core_text *out)
{
    bool need[SPL_SNIPPETS_MAX];
    name_index names;

    index_names(&names, table);
    memcpy(need, given, sizeof need);
    mark_names(&names, need, text);
    for (int i = 0; table[i].text; i++)
        if (need[i] && !given[i])
            core_text_printf(out, "%s\n", table[i].text);
    memcpy(given, need, sizeof need);
}
