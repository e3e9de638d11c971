// SPDX-License-Identifier: BSD-3-Clause
/* Every public function links, from C and from C++ (which compiles this file too), and the list is
 * complete: it is compared with the header (run it in the source root). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/sluice.h"

typedef void any_function(void);
typedef struct symbol {
    const char *name;
    any_function *address;
} symbol;

#define SYMBOL(name)                                                                               \
    {                                                                                              \
#name, (any_function *)name                                                                \
    }
static const symbol symbols[] = {
    SYMBOL(sluice_strerror),
    SYMBOL(sluice_version),
    SYMBOL(sluice_machine_open),
    SYMBOL(sluice_machine_close),
    SYMBOL(sluice_machine_unit_count),
    SYMBOL(sluice_machine_unit_info),
    SYMBOL(sluice_machine_fault),
    SYMBOL(sluice_problem_parse),
    SYMBOL(sluice_problem_print),
    SYMBOL(sluice_plan_create),
    SYMBOL(sluice_plan_from_text),
    SYMBOL(sluice_plan_from_formula),
    SYMBOL(sluice_problem_pad),
    SYMBOL(sluice_plan_destroy),
    SYMBOL(sluice_plan_print),
    SYMBOL(sluice_plan_problem),
    SYMBOL(sluice_plan_verify),
    SYMBOL(sluice_plan_bits),
    SYMBOL(sluice_plan_work_bytes),
    SYMBOL(sluice_execute),
    SYMBOL(sluice_execute_with),
    SYMBOL(sluice_stream_open),
    SYMBOL(sluice_stream_acquire),
    SYMBOL(sluice_stream_submit),
    SYMBOL(sluice_stream_reap),
    SYMBOL(sluice_stream_release),
    SYMBOL(sluice_stream_finish),
    SYMBOL(sluice_stream_cancel),
    SYMBOL(sluice_stream_close),
    SYMBOL(sluice_stream_run),
    SYMBOL(sluice_machine_codelet_count),
    SYMBOL(sluice_machine_codelet_info),
    SYMBOL(sluice_machine_tune),
    SYMBOL(sluice_wisdom_save),
    SYMBOL(sluice_wisdom_load),
    SYMBOL(sluice_alloc),
    SYMBOL(sluice_free),
};
enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

static bool is_listed(const char *name, size_t length)
{
    for (int i = 0; i < SYMBOLS; i++)
        if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0)
            return symbols[i].address != NULL;
    return false;
}

/* A declaration begins in the first column with its return type; its name stands before the first
 * parenthesis. False for any other line. */
static bool find_declared_name(const char *line, const char **name, size_t *length)
{
    const char *end = strchr(line, '(');
    if (end == NULL || strchr(" /#}\n", line[0]) != NULL || strncmp(line, "typedef", 7) == 0)
        return false;
    *name = end;
    while (*name > line && strchr(" *", (*name)[-1]) == NULL)
        --*name;
    *length = (size_t)(end - *name);
    return strncmp(*name, "sluice_", 7) == 0;
}

int main(void)
{
    char line[512];
    const char *name = NULL;
    size_t length = 0;
    int found = 0, missing = 0;
    FILE *header = fopen("api/sluice.h", "r");
    if (header == NULL) {
        perror("api/sluice.h");
        return EXIT_FAILURE;
    }
    while (fgets(line, sizeof line, header) != NULL) {
        if (!find_declared_name(line, &name, &length))
            continue;
        found++;
        if (!is_listed(name, length)) {
            fprintf(stderr, "%.*s is declared but not in this test's list\n", (int)length, name);
            missing++;
        }
    }
    fclose(header);
    if (found != SYMBOLS)
        fprintf(stderr, "the header declares %d functions, the list has %d\n", found, (int)SYMBOLS);
    return found == SYMBOLS && missing == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
