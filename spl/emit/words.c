// SPDX-License-Identifier: BSD-3-Clause
/* Which definitions a text needs. */
#include "spl/emit/words.h"

#include <ctype.h>
#include <string.h>

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_named(const spl_word *word, const char *name, size_t length)
{
    for (int i = 0; i < SPL_WORD_NAMES && word->name[i]; i++)
        if (strncmp(word->name[i], name, length) == 0 && word->name[i][length] == '\0')
            return true;
    return false;
}

/* Comments mention names without need of them. */
static const char *skip_comment(const char *at)
{
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* Marks the words that a text mentions, and those that these mention. */
static void mark(const spl_word *table, bool *need, const char *text)
{
    for (const char *at = text; *at;) {
        const char *const name = at;
        if (at[0] == '/' && at[1] == '*') {
            at = skip_comment(at);
            continue;
        }
        while (in_name(*at))
            at++;
        if (at == name) {
            at++;
            continue;
        }
        for (int i = 0; table[i].text; i++)
            if (!need[i] && is_named(&table[i], name, (size_t)(at - name))) {
                need[i] = true;
                mark(table, need, table[i].text);
            }
    }
}

void spl_words_print(const spl_word *table, bool *given, const char *text, core_text *out)
{
    bool need[SPL_WORDS_MAX];

    memcpy(need, given, sizeof need);
    mark(table, need, text);
    for (int i = 0; table[i].text; i++)
        if (need[i] && !given[i])
            core_text_printf(out, "%s\n", table[i].text);
    memcpy(given, need, sizeof need);
}
