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
     "worker units: cpu, cpu:4, cpu:4/helper (or /fused, /worker, /measure), ref, all (default: "
     "$SLUICE_UNITS, else cpu)"},
    {"wisdom", 0, "FILE", "plan with what sluice tune has found and kept in FILE"},
    {"json", 'j', NULL, "records as JSON, one object a line; refused problems are records too"},
    {"version", 0, NULL, "the version of the command and its library"},
    {"help", 'h', NULL, "this text"},
    {0},
};

/* One option as written: its name (or letter), and the value after `=` or after the letter. */
typedef struct written {
    const char *name;
    size_t length;
    bool is_letter;
    const char *value; /* NULL: in the next string, if it has one */
} written;

static written take_apart(const char *text)
{
    if (text[1] != '-')
        return (written){text + 1, 1, true, text[2] ? text + 2 : NULL};
    const char *name = text + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    return (written){name, length, false, equals ? equals + 1 : NULL};
}

static int find(const tool_option *table, const written *w)
{
    for (int i = 0; table[i].name; i++) {
        if (w->is_letter ? table[i].letter == w->name[0]
                         : strlen(table[i].name) == w->length
                               && memcmp(table[i].name, w->name, w->length) == 0)
            return i;
    }
    return -1;
}

/* Where the value of an option belongs; NULL: there is no such option. */
static const char **destination(arguments *out, const written *w, const tool_option *table,
                                const tool_option **found)
{
    int i = find(table, w);
    if (i >= 0) {
        *found = &table[i];
        return &out->value[i];
    }
    i = find(common, w);
    if (i < 0)
        return NULL;
    *found = &common[i];
    return &out->common[i];
}

/* Reads the option argv[*at], and its value where that is the next string. */
static bool read_option(const tool_option *table, int argc, char **argv, int *at, arguments *out)
{
    const char *text = argv[*at];
    written w = take_apart(text);
    const tool_option *found;
    const char **to = destination(out, &w, table, &found);
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
            argv[out->count++] = argv[i]; /* never beyond i: the strings move forward */
        else if (!read_option(table, argc, argv, &i, out))
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
        if (!read_option(none, argc, argv, &i, out))
            return -1;
    }
    return i;
}

static void describe(const tool_option *o, FILE *to)
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
        describe(o, to);
    for (const tool_option *o = common; o->name; o++)
        describe(o, to);
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

bool options_count(const char *name, const char *text, size_t least, size_t most, size_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || value < least || value > most) {
        complain("--%s %s is not a number from %zu to %zu", name, text, least, most);
        return false;
    }
    *out = (size_t)value;
    return true;
}

bool options_real(const char *name, const char *text, double least, double most, double *out)
{
    char *end = NULL;
    double value = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
    if (!end || *end || !(value >= least && value <= most)) {
        complain("--%s %s is not a number from %g to %g", name, text, least, most);
        return false;
    }
    *out = value;
    return true;
}
