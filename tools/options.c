// SPDX-License-Identifier: BSD-3-Clause
/* Command lines. Options may stand anywhere, `--` ends them, `-` alone is an argument. */
#include "tools/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"

static const tool_option common[] = {
    {"units", 'u', "U",
     "worker units: cpu, cpu:4, cpu:4/helper (or /fused, /worker, /measure), ref, all, or several "
     "with commas (default: $SLUICE_UNITS, else cpu)"},
    {"wisdom", 0, "FILE", "plan with what sluice tune has found and kept in FILE"},
    {"reproducible", 0, NULL,
     "plans whose results have the same bits on all machines (as SLUICE_REPRODUCIBLE=1)"},
    {"json", 'j', NULL, "records as JSON, one object a line; refused problems are records too"},
    {"version", 0, NULL, "the version of the command and its library"},
    {"help", 'h', NULL, "this text"},
    {0},
};

/* An option of the command line: its name or letter, and the value after `=` or after the letter.
 */
typedef struct written {
    const char *name;
    size_t length;
    bool is_letter;
    const char *value; /* NULL: the value, if any, is the next string */
} written;

static written split_option(const char *text)
{
    if (text[1] != '-')
        return (written){text + 1, 1, true, text[2] ? text + 2 : NULL};
    const char *name = text + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    return (written){name, length, false, equals ? equals + 1 : NULL};
}

static int find_option(const tool_option *table, const written *w)
{
    for (int i = 0; table[i].name; i++) {
        if (w->is_letter ? table[i].letter == w->name[0]
                         : strlen(table[i].name) == w->length
                               && memcmp(table[i].name, w->name, w->length) == 0)
            return i;
    }
    return -1;
}

/* The place of an option's value; NULL: there is no such option. */
static const char **value_of_option(arguments *out, const written *w, const tool_option *table,
                                    const tool_option **found)
{
    int i = find_option(table, w);
    if (i >= 0) {
        *found = &table[i];
        return &out->value[i];
    }
    i = find_option(common, w);
    if (i < 0)
        return NULL;
    *found = &common[i];
    return &out->common[i];
}

/* Reads the option argv[*at], and its value if that is the next string. */
static bool read_argument(const tool_option *table, int argc, char **argv, int *at, arguments *out)
{
    const char *text = argv[*at];
    written w = split_option(text);
    const tool_option *found;
    const char **to = value_of_option(out, &w, table, &found);
    if (!to) {
        complain("there is no option %s", text);
        return false;
    }
    if (!found->value) {
        if (w.value) {
            complain("the option --%s takes no value", found->name);
            return false;
        }
        *to = "";
        return true;
    }
    if (!w.value && *at + 1 < argc)
        w.value = argv[++*at];
    if (!w.value) {
        complain("the option --%s needs its value %s", found->name, found->value);
        return false;
    }
    *to = w.value;
    return true;
}

bool options_read(const tool_option *table, int argc, char **argv, arguments *out)
{
    *out = (arguments){.text = argv};
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        if (!options_ended && strcmp(argv[i], "--") == 0)
            options_ended = true;
        else if (options_ended || argv[i][0] != '-' || !argv[i][1])
            argv[out->count++] = argv[i]; /* count <= i: strings only move towards the front */
        else if (!read_argument(table, argc, argv, &i, out))
            return false;
    }
    return true;
}

int options_read_leading(int argc, char **argv, arguments *out)
{
    static const tool_option none[] = {{0}};
    *out = (arguments){0};
    int i = 0;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!read_argument(none, argc, argv, &i, out))
            return -1;
    }
    return i;
}

static void print_option(const tool_option *o, FILE *to)
{
    char letter[8] = "    ", name[32];
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(name, sizeof name, "--%s %s", o->name, o->value ? o->value : "");
    fprintf(to, "  %s%-22s %s\n", letter, name, o->help);
}

void options_describe(const tool_option *table, FILE *to)
{
    for (const tool_option *o = table; o->name; o++)
        print_option(o, to);
    for (const tool_option *o = common; o->name; o++)
        print_option(o, to);
}

int options_choose(const char *name, const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
    }
    char list[160] = "";
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    complain("--%s %s is none of %s", name, text, list);
    return -1;
}

int options_word(const tool_option *table, const arguments *args, int option,
                 const char *const *words)
{
    const char *text = args->value[option];
    return text ? options_choose(table[option].name, text, words) : 0;
}

bool options_count(const char *name, const char *text, size_t min, size_t max, size_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || value < min || value > max) {
        complain("--%s %s is not a number from %zu to %zu", name, text, min, max);
        return false;
    }
    *out = (size_t)value;
    return true;
}

bool options_real(const char *name, const char *text, double min, double max, double *out)
{
    char *end = NULL;
    double value = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
    if (!end || *end || !(value >= min && value <= max)) {
        complain("--%s %s is not a number from %g to %g", name, text, min, max);
        return false;
    }
    *out = value;
    return true;
}
