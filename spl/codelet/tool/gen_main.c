// SPDX-License-Identifier: BSD-3-Clause
/* sluice-gen: prints codelets, at build time.
 *
 *   sluice-gen --isa scalar|vec128|avx2|avx512|fused|fma|fma128 --precision f32|f64  and one of
 *     --shards S -o PREFIX           files of all codelets, PREFIX_0.c .., and PREFIX_table.c
 *       [--points N]                 .. except those of more than N points
 *     --print NAME                   one codelet with its operation count
 *     --list                         their names and counts
 * or  sluice-gen --snippets NAME FILE... -o FILE   definitions as text, see spl/emit/snippets.h
 * or  --help */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spl/codelet/tool/gen_tool.h"

static const char usage[] =
    "usage: sluice-gen --isa ISA --precision P WHAT [-o FILE]\n"
    "       sluice-gen --snippets NAME SOURCE... [-o FILE]\n\n"
    "Prints codelets: straight-line C for small transforms on vectors. The build runs it; by hand\n"
    "it shows what is in the library. Any ISA's text can be printed on any machine.\n\n"
    "  --isa ISA        scalar, vec128, avx2 or avx512; plain C of reproducible plans: fused, "
    "fma;\n"
    "                   128 bits beside longer vectors: fma128\n"
    "  --precision P    f32 or f64\n"
    "  --list           names, operation counts and predicted cycles of a step, one line each\n"
    "  --print NAME     one codelet; NAME as in --list, or 'SIZE POSITION IN OUT' for the first\n"
    "                   such, as in '4 C inter inter'\n"
    "  --shards S -o PREFIX\n"
    "                   all of them in S files: PREFIX_0.c, which has some of each kind,\n"
    "                   PREFIX_1.c ..., the last with the steps of pairs; and the table that\n"
    "                   the library looks them up in, PREFIX_table.c\n"
    "  --points N       of those the codelets of at most N points\n"
    "  --snippets NAME SOURCE...\n"
    "                   the definitions of sources as a table NAME of text\n"
    "  -o FILE          write there (default: standard output)\n"
    "  --help           this text\n\n"
    "Names are dftSIZE_ISA_PRECISION_POSITION_IN_OUT_TWIDDLES_COLUMNS[_nt], explained in\n"
    "docs/ARCHITECTURE.md; docs/CODELETS.md compares the predictions with the clock.\n";

void gen_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("sluice-gen: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

enum { MAX_SOURCES = 64 };

typedef struct options {
    const char *isa, *precision, *shards, *points, *print, *file, *snippets;
    char *source[MAX_SOURCES];
    int sources;
    bool list, help;
} options;

static void parse_options(options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **value;
        bool *flag;
    } known[] = {
        {"--isa", &o->isa, NULL},           {"--precision", &o->precision, NULL},
        {"--shards", &o->shards, NULL},     {"--points", &o->points, NULL},
        {"--print", &o->print, NULL},       {"-o", &o->file, NULL},
        {"--snippets", &o->snippets, NULL}, {"--list", NULL, &o->list},
        {"--help", NULL, &o->help},         {"-h", NULL, &o->help},
    };
    const size_t count = sizeof known / sizeof *known;
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < count && strcmp(argv[i], known[k].name) != 0)
            k++;
        if (k == count && o->snippets && argv[i][0] != '-' && o->sources < MAX_SOURCES)
            o->source[o->sources++] = argv[i];
        else if (k == count)
            gen_fail("unknown option '%s'; see --help", argv[i]);
        else if (known[k].flag)
            *known[k].flag = true;
        else if (i + 1 < argc)
            *known[k].value = argv[++i];
        else
            gen_fail("option '%s' needs a value", argv[i]);
    }
}

static core_isa parse_isa(const char *name)
{
    for (int i = 0; name && i < CORE_ISA_COUNT; i++)
        if (strcmp(name, gen_isa_name((core_isa)i)) == 0)
            return (core_isa)i;
    gen_fail("--isa must be scalar, vec128, avx2, avx512, fused, fma or fma128");
}

static int parse_precision(const char *name)
{
    for (int i = SLUICE_F32; name && i <= SLUICE_F64; i++)
        if (strcmp(name, gen_precision_name(i)) == 0)
            return i;
    gen_fail("--precision must be f32 or f64");
}

static int parse_number(const char *option, const char *digits, int low, int high)
{
    char *end;
    const long value = digits ? strtol(digits, &end, 10) : -1;
    if (!digits || !*digits || *end || value < low || value > high)
        gen_fail("%s must be a number from %d to %d", option, low, high);
    return (int)value;
}

static void print_counts(gen_codelet *codelet, core_text *text)
{
    const int *n = codelet->count;
    core_text_printf(text,
                     "/* %s: %d adds, %d muls, %d fmas, %d shuffles, %d loads, %d stores, "
                     "%.1f cycles */\n",
                     codelet->name, n[GEN_ADDS], n[GEN_MULS], n[GEN_FMAS], n[GEN_SHUFFLES],
                     n[GEN_LOADS], n[GEN_STORES], codelet->cycles);
}

/* Is `name` the codelet's name, or its description "n position in out"? */
static bool matches_name(const gen_codelet *codelet, const char *name)
{
    char short_name[64] = "", position, in[16], out[16];
    int n;
    if (strcmp(codelet->name, name) == 0)
        return true;
    if (sscanf(name, "%d %c %15s %15s", &n, &position, in, out) != 4)
        return false;
    snprintf(short_name, sizeof short_name, "dft%d_%s_%s_%c_%s_%s_", n, gen_set_name(codelet),
             gen_precision_name(codelet->key.precision), position, in, out);
    return strncmp(codelet->name, short_name, strlen(short_name)) == 0;
}

static void print_one(gen_codelet *list, int count, const char *name, core_text *text)
{
    for (int i = 0; i < count; i++) {
        if (!matches_name(&list[i], name))
            continue;
        gen_codelet_must(&list[i], text);
        print_counts(&list[i], text);
        return;
    }
    gen_fail("there is no codelet '%s'; see --list", name);
}

static void write_output(const char *path, const core_text *text)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file)
        gen_fail("cannot write '%s'", path);
    const bool written = fwrite(core_text_string(text), 1, text->length, file) == text->length;
    if ((path ? fclose(file) : fflush(file)) != 0 || !written)
        gen_fail("cannot write '%s'", path ? path : "stdout");
}

static void write_whole(const char *path, core_text *text)
{
    if (text->failed)
        gen_fail("out of memory");
    write_output(path, text);
    core_text_free(text);
}

/* Keeps the codelets of at most `points` points; returns how many there are. */
static int keep_short(gen_codelet *list, int count, int points)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (list[i].key.n <= points)
            list[kept++] = list[i];
    return kept;
}

/* Writes the files of a set. The table is printed first, because shards sort the list. */
static void write_set(const options *o, gen_codelet *list, int count)
{
    core_text table = {0}, text[GEN_MAX_SHARDS] = {{0}};
    char path[4096];
    const int shards = parse_number("--shards", o->shards, 3, GEN_MAX_SHARDS);
    if (o->points)
        count = keep_short(list, count, parse_number("--points", o->points, 16, 512));
    if (!o->file || strlen(o->file) + 16 > sizeof path)
        gen_fail("--shards needs -o PREFIX of files, of at most %zu bytes", sizeof path - 16);
    for (int i = 0; i < count; i++)
        gen_codelet_must(&list[i], NULL);
    gen_table_print(list, count, &table);
    gen_shards_print(list, count, shards, text);
    for (int i = 0; i < shards; i++) {
        snprintf(path, sizeof path, "%s_%d.c", o->file, i);
        write_whole(path, &text[i]);
    }
    snprintf(path, sizeof path, "%s_table.c", o->file);
    write_whole(path, &table);
}

static void print_list(gen_codelet *list, int count, core_text *text)
{
    for (int i = 0; i < count; i++) {
        gen_codelet_must(&list[i], NULL);
        print_counts(&list[i], text);
    }
}

/* Prints what the options ask of a set, to `text` or to files. */
static void print_set(const options *o, core_text *text)
{
    static gen_codelet list[GEN_LIST_MAX];
    const bool fused = o->isa && (strcmp(o->isa, "fused") == 0 || strcmp(o->isa, "fma") == 0);
    const bool narrow = o->isa && strcmp(o->isa, "fma128") == 0;
    const int precision = parse_precision(o->precision);
    const int count = narrow  ? gen_list_narrow(precision, list)
                      : fused ? gen_list_fused(o->isa, precision, list)
                              : gen_list(parse_isa(o->isa), precision, list);
    if (o->print)
        print_one(list, count, o->print, text);
    else if (o->list)
        print_list(list, count, text);
    else
        write_set(o, list, count);
}

int main(int argc, char **argv)
{
    options o = {0};
    core_text text = {0};
    parse_options(&o, argc, argv);
    if (o.help) {
        fputs(usage, stdout);
        return 0;
    }
    if (o.snippets)
        gen_snippets_print(o.snippets, o.source, o.sources, &text);
    else
        print_set(&o, &text);
    if (o.snippets || o.print || o.list)
        write_whole(o.file, &text);
    return 0;
}
