// SPDX-License-Identifier: BSD-3-Clause
/* Command lines: options from a table, everything else is an argument. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TOOL_OPTIONS_MAX = 10 };

/* The options that `sluice` itself and every command have. */
enum {
    COMMON_UNITS,
    COMMON_WISDOM,
    COMMON_REPRODUCIBLE,
    COMMON_JSON,
    COMMON_VERSION,
    COMMON_HELP,
    COMMON_OPTIONS
};

typedef struct tool_option {
    const char *name;  /* NULL ends a table */
    char letter;       /* 0: none */
    const char *value; /* name of its value in the help; NULL: a flag */
    const char *help;
} tool_option;

typedef struct arguments {
    const char *value[TOOL_OPTIONS_MAX]; /* by index in the table; NULL: not given; flags: "" */
    const char *common[COMMON_OPTIONS];
    int count;
    char **text; /* the arguments that are not options */
} arguments;

/* Reads `argv` (argc strings after the command's name) by the table. False: the reason has been
 * printed. */
bool options_read(const tool_option *table, int argc, char **argv, arguments *out);
/* Reads leading common options; returns the number of strings they take, -1: the reason has been
 * printed. */
int options_read_leading(int argc, char **argv, arguments *out);
/* Describes the table and the common options, one option a line: " -i, --input FILE what it does",
 * four blanks if there is no letter. */
void options_describe(const tool_option *table, FILE *to);

/* The index of `text` in a list of words that ends with NULL; -1: an error of option `name` has
 * been printed. */
int options_choose(const char *name, const char *text, const char *const *words);
/* The same for the value of an option; 0 if it is not given. */
int options_word(const tool_option *table, const arguments *args, int option,
                 const char *const *words);
/* Reads a count between `min` and `max`; false: an error of option `name` has been printed. */
bool options_count(const char *name, const char *text, size_t min, size_t max, size_t *out);
/* The same for a decimal number. */
bool options_real(const char *name, const char *text, double min, double max, double *out);

#endif
