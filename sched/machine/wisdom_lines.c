// SPDX-License-Identifier: BSD-3-Clause
#include "sched/machine/wisdom_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

const char sched_wisdom_title[] = "sluice-wisdom";
enum { CHECK_DIGITS = 8 };

uint32_t sched_lines_seed(const char *first)
{
    return core_hash(core_hash(CORE_HASH_START, first, strlen(first)), "\n", 1);
}

void sched_line_end(core_text *text, size_t from, uint32_t hash, const char *mark)
{
    core_text_printf(text, " # %s", mark);
    if (!text->failed)
        core_text_printf(text, "%08x\n",
                         (unsigned)core_hash(hash, text->data + from, text->length - from));
}

sched_check sched_line_check(char *line, uint32_t hash)
{
    char *mark = NULL;

    for (char *at = strchr(line, '#'); at; at = strchr(at + 1, '#'))
        mark = at;
    if (!mark)
        return CHECK_NONE;
    const bool unproven = strncmp(mark + 1, " unproven ", 10) == 0;
    char *digits = mark + (unproven ? 11 : 2), *end = NULL;
    if (mark == line || mark[-1] != ' ' || mark[1] != ' ' || strlen(digits) != CHECK_DIGITS
        || strspn(digits, "0123456789abcdef") != CHECK_DIGITS)
        return CHECK_WRONG;
    const bool right = strtoul(digits, &end, 16) == core_hash(hash, line, (size_t)(digits - line));
    mark[-1] = '\0';
    return !right ? CHECK_WRONG : unproven ? CHECK_UNPROVEN : CHECK_RIGHT;
}

void sched_signature_free(sched_signature *s)
{
    core_text_free(&s->kind);
    core_text_free(&s->make);
    core_text_free(&s->first);
}

sluice_status sched_signature_make(sched_signature *s, const sluice_machine *m)
{
    *s = (sched_signature){.first = {0}};
    m->table->discover->signature(m->backend, &s->kind, &s->make);
    core_text_printf(&s->first, "%s %d %d.%d.%d %s %s", sched_wisdom_title, SCHED_WISDOM_FORMAT,
                     SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH,
                     core_text_string(&s->kind), core_text_string(&s->make));
    if (!s->kind.failed && !s->make.failed && !s->first.failed)
        return SLUICE_OK;
    sched_signature_free(s);
    return SLUICE_E_MEMORY;
}
