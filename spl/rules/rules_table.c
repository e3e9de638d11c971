// SPDX-License-Identifier: BSD-3-Clause
/* The table of all rules. */
#include <stddef.h>
#include <string.h>

#include "spl/rules/rule.h"

const spl_rule *const spl_rules[] = {
#define SPL_RULE(name) &name,
#include "spl/rules/rules.list"
#undef SPL_RULE
    NULL,
};

const spl_rule *spl_rule_find(const char *name)
{
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if (strcmp((*rule)->name, name) == 0)
            return *rule;
    return NULL;
}
