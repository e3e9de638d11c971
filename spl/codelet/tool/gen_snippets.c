// SPDX-License-Identifier: BSD-3-Clause
/* Cuts sources into definitions and prints them as tables of text (spl/emit/snippets.h).
 *
 * A definition begins at the left margin, with the comment directly above it. It ends with a line
 * that begins with a brace or, if no brace was opened, with the first line that ends in a
 * semicolon; the lines between #if and #endif are one definition. Functions become static.
 * #include, include guards, and comments that no definition follows are omitted. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "spl/codelet/tool/gen_tool.h"
#include "spl/emit/snippets.h"

typedef struct cutter {
    core_text text; /* lines of the current definition */
    char name[SPL_SNIPPET_NAMES][64];
    int names, depth; /* depth: nested #if */
    bool begun, opened, in_comment;
    int snippets;
    core_text *out;
} cutter;

static bool starts_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static void add_definition_name(cutter *c, const char *at, size_t length)
{
    if (length == 0 || length >= sizeof c->name[0] || c->names == SPL_SNIPPET_NAMES)
        gen_fail("a definition with too many names, or too long ones: %s", at);
    memcpy(c->name[c->names], at, length);
    c->name[c->names++][length] = '\0';
}

/* Adds the name that ends before `end`. */
static void add_name_before(cutter *c, const char *line, const char *end)
{
    const char *from = end;
    while (from > line && name_length(from - 1) > 0)
        from--;
    add_definition_name(c, from, (size_t)(end - from));
}

/* enum { A, B = 2 }; in one line. */
static void add_enumerators(cutter *c, const char *line)
{
    for (const char *at = strchr(line, '{'); *at != '}'; at = strpbrk(at, ",}")) {
        at++;
        at += strspn(at, " ");
        add_definition_name(c, at, name_length(at));
    }
}

/* Adds the names that a line at the left margin defines. */
static void find_names(cutter *c, const char *line)
{
    const char *const open = strchr(line, '('), *const end = strpbrk(line, "=;[");
    const char *const semicolon = strchr(line, ';');
    if (starts_with(line, "#define "))
        add_definition_name(c, line + 8, name_length(line + 8));
    else if (starts_with(line, "} "))
        add_name_before(c, line, semicolon);
    else if (line[0] == '#' || line[0] == '{' || line[0] == '}')
        return;
    else if (starts_with(line, "enum {") && strchr(line, '}'))
        add_enumerators(c, line);
    else if (starts_with(line, "struct ") && !end)
        add_definition_name(c, line + 7, name_length(line + 7));
    else if (open && (!end || open < end))
        add_name_before(c, line, open);
    else if (starts_with(line, "typedef"))
        semicolon ? add_name_before(c, line, semicolon) : (void)0;
    else if (end && end > line)
        add_name_before(c, line, end[-1] == ' ' ? end - 1 : end);
}

static void print_c_string(const char *text, core_text *out)
{
    core_text_printf(out, "     \"");
    for (const char *at = text; *at; at++) {
        if (*at == '\n')
            core_text_printf(out, at[1] ? "\\n\"\n     \"" : "\\n");
        else if (*at == '"' || *at == '\\')
            core_text_printf(out, "\\%c", *at);
        else
            core_text_add(out, at, 1);
    }
    core_text_printf(out, "\"},\n");
}

static void clear_definition(cutter *c)
{
    core_text_free(&c->text);
    c->text = (core_text){0};
    c->names = 0;
    c->begun = c->opened = false;
}

static void print_definition(cutter *c)
{
    if (c->names > 0) {
        core_text_printf(c->out, "    {{");
        for (int i = 0; i < c->names; i++)
            core_text_printf(c->out, "\"%s\", ", c->name[i]);
        core_text_printf(c->out, "%s},\n", c->names < SPL_SNIPPET_NAMES ? "NULL" : "");
        print_c_string(core_text_string(&c->text), c->out);
        if (++c->snippets == SPL_SNIPPETS_MAX)
            gen_fail("more than %d definitions", SPL_SNIPPETS_MAX);
    }
    clear_definition(c);
}

/* Is it a function or variable with external linkage? These become static in a program of one file.
 */
static bool is_visible(const char *line)
{
    static const char *const local[] = {"static ", "typedef ", "enum ", "VEC_FN ", "struct "};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (starts_with(line, local[i]))
            return false;
    return isalpha((unsigned char)line[0]);
}

static void cut_directive(cutter *c, const char *line)
{
    if (starts_with(line, "#if"))
        c->depth++;
    if (starts_with(line, "#endif"))
        c->depth--;
    find_names(c, line);
    core_text_printf(&c->text, "%s\n", line);
    if (c->depth == 0)
        print_definition(c);
}

static bool is_guard(const char *line)
{
    const size_t length = strlen(line);
    return (starts_with(line, "#ifndef ") || starts_with(line, "#define ")) && length > 2
           && strcmp(line + length - 2, "_H") == 0;
}

/* Length of a line without a trailing comment and spaces. */
static size_t code_length(const char *line)
{
    const char *const comment = strstr(line, "/*");
    size_t length = comment ? (size_t)(comment - line) : strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    return length;
}

static void cut_code(cutter *c, const char *line)
{
    const size_t length = code_length(line);
    const bool margin = line[0] != ' ';
    if (margin && c->depth == 0 && !c->begun && is_visible(line))
        core_text_printf(&c->text, "static ");
    if (margin && (!c->begun || c->depth > 0 || line[0] == '}'))
        find_names(c, line);
    core_text_printf(&c->text, "%s\n", line);
    c->begun = true;
    c->opened = c->opened || line[0] == '{' || (length > 0 && line[length - 1] == '{');
    const bool ends = c->opened ? line[0] == '}' : length > 0 && line[length - 1] == ';';
    if (ends && c->depth == 0)
        print_definition(c);
    else if (ends)
        c->opened = false;
}

static void cut_source_line(cutter *c, const char *line)
{
    const bool margin_comment = !c->begun && (c->in_comment || starts_with(line, "/*"));
    if (starts_with(line, "// ") || starts_with(line, "#include") || is_guard(line)) {
        return;
    } else if (margin_comment) {
        c->in_comment = strstr(line, "*/") == NULL;
        if (!starts_with(line, "/* ----"))
            core_text_printf(&c->text, "%s\n", line);
    } else if (line[0] == '#' && c->begun && c->depth == 0) {
        core_text_printf(&c->text, "%s\n", line); /* inside a definition */
    } else if (line[0] == '#') {
        if (!(starts_with(line, "#endif") && c->depth == 0)) /* #endif of the include guard */
            cut_directive(c, line);
    } else if (line[0] == '\0' && !c->begun && c->depth == 0) {
        clear_definition(c);
    } else {
        cut_code(c, line);
    }
}

static void cut_file(cutter *c, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        gen_fail("cannot read '%s'", path);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        cut_source_line(c, line);
    }
    fclose(file);
    clear_definition(c);
}

void gen_snippets_print(const char *name, char *const *paths, int count, core_text *out)
{
    cutter c = {.out = out};
    core_text_printf(out,
                     "/* Generated by sluice-gen. */\n#include \"spl/emit/snippets.h\"\n\n"
                     "const spl_snippet %s[] = {\n",
                     name);
    for (int i = 0; i < count; i++)
        cut_file(&c, paths[i]);
    core_text_printf(out, "    {{NULL}, NULL},\n};\n");
}
