// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom in files.
 *
 *   sluice-wisdom 6 VERSION KIND MAKE # CHECK
 *   unit FIGURE=NUMBER .. # CHECK
 *   codelet NAME CYCLES # CHECK
 *   ...
 *   PROBLEM := FORMULA # CHECK
 *   rate PROBLEM FIGURE=NUMBER .. # CHECK
 *   PROBLEM := FORMULA # unproven CHECK
 *   ...
 * 6 is the format, VERSION the library's, KIND and MAKE the signatures of backends/backend.h. CHECK
 * is a hash of the first line without its own check, a newline, and the line up to the check, in
 * eight hexadecimal digits. So it detects a line that was cut or changed, and one that was moved
 * from another machine's file. Whoever edits a line removes the check with its '#'. Lines that
 * begin with '#' are comments.
 *
 * A machine of several kinds of units writes such a section for each, one below the other.
 *
 * A section of another KIND or of a later format is skipped; a file without any other section is
 * rejected. An invalid line is rejected by itself. A formula is proven, and not tried again, if its
 * line has this machine's own check, that is, if the first line is this machine's and the formula
 * is not marked. All others (of another MAKE or VERSION, marked, or without a check, as in format
 * 1) are tried when a plan is first made from them. Of older formats only formulas are used: their
 * costs lack figures of memory, and must not be mixed with modelled ones. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"
#include "sched/machine/costs.h"
#include "sched/machine/wisdom.h"
#include "sched/machine/wisdom_lines.h"
#include "sched/problem/problem.h"
#include "spl/formula/spl.h"

static const char unproven_mark[] = "unproven ", rate_word[] = "rate ";
static const size_t max_bytes = (size_t)1 << 26;
enum { FIRST_WORDS = 5 };

/* ---- written ---- */

typedef struct writer {
    core_text *text;
    uint32_t hash;
} writer;

static void write_formula(void *user, const char *key, const char *formula, bool proven,
                          const sched_rate *rate)
{
    const writer *w = user;
    size_t from = w->text->length;

    core_text_printf(w->text, "%s := %s", key, formula);
    sched_line_end(w->text, from, w->hash, proven ? "" : unproven_mark);
    if (rate->seconds <= 0)
        return;
    from = w->text->length;
    core_text_printf(w->text, "%s%s ", rate_word, key);
    sched_rate_print(rate, w->text);
    sched_line_end(w->text, from, w->hash, "");
}

static void write_cost(void *user, const char *line)
{
    const writer *w = user;
    const size_t from = w->text->length;

    core_text_printf(w->text, "%s", line);
    sched_line_end(w->text, from, w->hash, "");
}

/* Writes everything that is known about one kind of units. */
static sluice_status write_section(core_text *text, sluice_machine *m)
{
    const size_t from = text->length;
    sched_signature s;

    const sluice_status status = sched_signature_make(&s, m);
    if (status != SLUICE_OK)
        return status;
    writer w = {.text = text, .hash = sched_lines_seed(s.first.data)};
    core_text_printf(text, "%s", s.first.data);
    sched_line_end(text, from, CORE_HASH_START, "");
    sched_costs_each(m, write_cost, &w);
    sched_wisdom_each(m, write_formula, &w);
    sched_signature_free(&s);
    return text->failed ? SLUICE_E_MEMORY : SLUICE_OK;
}

sluice_status sched_wisdom_save(sluice_machine *machine, const char *path)
{
    core_text text = {0};
    sluice_status status = SLUICE_OK;

    for (sluice_machine *m = machine; m && status == SLUICE_OK; m = m->next)
        status = write_section(&text, m);
    if (status == SLUICE_OK)
        status = core_file_write(path, text.data, text.length);
    core_text_free(&text);
    return status;
}

/* ---- read ---- */

/* A file being read for one kind of units. */
typedef struct loader {
    sluice_machine *machine;
    sched_costs_reader costs;
    bool any;       /* a section was for this kind */
    bool wanted;    /* the current section is for this kind */
    bool own;       /* its first line is this machine's */
    bool older;     /* it is of an older format */
    char from[128]; /* if not `own`: its origin, and what that means */
    uint32_t hash;
    size_t to_prove;                 /* number of formulas still to be proven */
    size_t rejected, first_rejected; /* number of rejected lines; line number of the first */
    sluice_diag first;               /* the cause of the first */
} loader;

/* Keeps PROBLEM := FORMULA if both parse and agree in size. */
static sluice_status accept_formula(loader *l, char *line, bool proven, sluice_diag *why)
{
    char *colon = strstr(line, " := "), *key = NULL;
    sluice_problem p;
    const spl *formula = NULL;

    if (!colon)
        return core_fail(why, SLUICE_E_PARSE, 0, "expected PROBLEM := FORMULA");
    sluice_status status = sched_problem_parse_n(&p, line, (size_t)(colon - line), why);
    spl_ctx *ctx = status == SLUICE_OK ? spl_ctx_open() : NULL;
    if (status == SLUICE_OK && !ctx)
        status = core_fail_memory(why);
    if (status == SLUICE_OK)
        status = spl_parse(ctx, colon + 4, &formula, why);
    if (status == SLUICE_OK)
        status = sched_problem_fits(&p, formula, why);
    spl_ctx_close(ctx);
    if (status != SLUICE_OK)
        return status;
    key = sched_wisdom_key(&p);
    status = key ? sched_wisdom_store(l->machine, key, colon + 4, proven) : SLUICE_E_MEMORY;
    core_free(key);
    return status;
}

/* Keeps the rate of the formula above it. Rates are only taken from files of this machine. */
static sluice_status accept_rate(loader *l, char *line, sluice_diag *why)
{
    char *key = line + sizeof rate_word - 1, *figures = strchr(key, ' ');
    sched_rate rate;

    if (!figures)
        return core_fail(why, SLUICE_E_PARSE, 0, "expected rate PROBLEM FIGURES");
    *figures++ = '\0';
    const sluice_status status = sched_rate_read(figures, &rate, why);
    if (status != SLUICE_OK || !l->own)
        return status;
    return sched_wisdom_store_rate(l->machine, key, &rate)
               ? SLUICE_OK
               : core_fail(why, SLUICE_E_PARSE, 0, "a rate without a formula");
}

static sluice_status read_line(loader *l, char *line, bool whole, sluice_diag *why)
{
    const sched_check found = sched_line_check(line, l->hash);

    if (found == CHECK_WRONG)
        return core_fail(why, SLUICE_E_PARSE, 0, "its check fails: it was cut or changed");
    if (found == CHECK_NONE && !whole)
        return core_fail(why, SLUICE_E_PARSE, 0, "it was cut: the file ends in it");
    if (sched_costs_is_line(line))
        return l->older ? SLUICE_OK : sched_costs_read(l->machine, &l->costs, line, why);
    if (strncmp(line, rate_word, sizeof rate_word - 1) == 0)
        return accept_rate(l, line, why);
    const bool proven = l->own && found == CHECK_RIGHT;
    const sluice_status status = accept_formula(l, line, proven, why);
    /* Formulas marked by this machine were reported when they were marked. */
    if (status == SLUICE_OK && !(l->own && found != CHECK_NONE))
        l->to_prove++;
    return status;
}

/* Format 1 has its signature in one word: the beginning of KIND, units, caches, processor, and the
 * end of KIND. */
static bool is_kind_1(const char *word, const char *kind)
{
    const char *last = strrchr(kind, ':');
    const size_t head = last ? (size_t)(last - kind) : strlen(kind);
    const size_t tail = last ? strlen(last) : 0, length = strlen(word);

    return length > head + tail && memcmp(word, kind, head) == 0
           && !isalnum((unsigned char)word[head])
           && (!last || strcmp(word + length - tail, last) == 0);
}

/* Describes a file that is not this machine's: its origin, and what that means. */
static void name_origin(loader *l, bool first_format, const char *const *word, const char *make)
{
    if (first_format)
        snprintf(l->from, sizeof l->from, "format 1, whose lines have no checks");
    else if (l->older)
        snprintf(l->from, sizeof l->from, "format %s, whose costs lack figures: tune anew",
                 word[1]);
    else if (strcmp(word[4], make) != 0)
        snprintf(l->from, sizeof l->from, "of another machine, '%s', here '%.30s'",
                 core_quote(word[4], 30).text, make);
    else
        snprintf(l->from, sizeof l->from, "of version %s", core_quote(word[2], 20).text);
}

/* Divides the first line, without its check, into words, and checks them. */
static sluice_status read_words(loader *l, char *line, const sched_signature *own, sluice_diag *why)
{
    const char *word[FIRST_WORDS] = {"", "", "", "", ""};
    char here[32];
    char *save = NULL;
    int count = 0;

    for (char *at = strtok_r(line, " ", &save); at && count < FIRST_WORDS;
         at = strtok_r(NULL, " ", &save))
        word[count++] = at;
    if (strcmp(word[0], sched_wisdom_title) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "this is no wisdom: the first line has to begin "
                         "with %s",
                         sched_wisdom_title);
    const bool first_format = strcmp(word[1], "1") == 0;
    l->older = false;
    for (int format = 1; format < SCHED_WISDOM_FORMAT; format++) {
        snprintf(here, sizeof here, "%d", format);
        l->older = l->older || strcmp(word[1], here) == 0;
    }
    snprintf(here, sizeof here, "%d", SCHED_WISDOM_FORMAT);
    if (!l->older && strcmp(word[1], here) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "wisdom of format '%s', this library reads 1 to %d",
                         core_quote(word[1], 20).text, SCHED_WISDOM_FORMAT);
    if (!(first_format ? is_kind_1(word[3], own->kind.data) : strcmp(word[3], own->kind.data) == 0))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "wisdom of other units or codelets: '%s', here '%.80s'",
                         core_quote(word[3], SIZE_MAX).text, own->kind.data);
    if (!l->own)
        name_origin(l, first_format, word, own->make.data);
    return SLUICE_OK;
}

/* Reads the first line of a section. E_INVALID: it is not for this kind of units. */
static sluice_status load_first(loader *l, char *line, bool whole, sluice_diag *why)
{
    sched_signature own;
    const sched_check found = sched_line_check(line, CORE_HASH_START);

    l->wanted = false;
    if (found == CHECK_WRONG || (found == CHECK_NONE && !whole))
        return core_fail(why, SLUICE_E_PARSE, 0, "no wisdom, or its first line was cut or changed");
    sluice_status status = sched_signature_make(&own, l->machine);
    if (status != SLUICE_OK)
        return core_fail_memory(why);
    l->hash = sched_lines_seed(line);
    l->own = strcmp(line, own.first.data) == 0;
    status = read_words(l, line, &own, why);
    sched_signature_free(&own);
    l->wanted = status == SLUICE_OK;
    l->any = l->any || l->wanted;
    return status;
}

static bool begins_section(const char *line)
{
    const size_t length = strlen(sched_wisdom_title);

    return strncmp(line, sched_wisdom_title, length) == 0 && line[length] == ' ';
}

/* Begins a section below the first; sections of other units are skipped. */
static sluice_status open_section(loader *l, char *line, bool whole, sluice_diag *why)
{
    const sluice_status status = load_first(l, line, whole, why);

    return status == SLUICE_E_INVALID ? SLUICE_OK : status;
}

/* Keeps the line or counts it as rejected. `whole`: a newline ended it. E_MEMORY. */
static sluice_status load_line(loader *l, char *line, size_t length, bool whole, size_t number)
{
    sluice_diag reason = {0};
    sluice_status status;

    if (strlen(line) != length)
        status = core_fail(&reason, SLUICE_E_PARSE, 0, "a byte of it is 0");
    else if (begins_section(line))
        status = open_section(l, line, whole, &reason);
    else if (*line == '#' || *line == '\0' || !l->wanted)
        return SLUICE_OK;
    else
        status = read_line(l, line, whole, &reason);
    if (status == SLUICE_OK || status == SLUICE_E_MEMORY)
        return status;
    if (l->rejected++ == 0) {
        l->first_rejected = number;
        l->first = reason;
    }
    return SLUICE_OK;
}

/* The status and the sentence about a file that was read. */
static sluice_status report_result(const loader *l, sluice_diag *why)
{
    sluice_diag word = {.message = ""};
    char to_prove[64] = "";

    if (l->to_prove > 0)
        snprintf(to_prove, sizeof to_prove, "%zu formula%s will be checked on first use%s",
                 l->to_prove, l->to_prove == 1 ? "" : "s", l->from[0] ? "; " : "");
    snprintf(word.message, sizeof word.message, "%s%s", to_prove, l->from);
    if (word.message[0])
        core_log_line(&l->machine->log, CORE_LOG_PLAN, "wisdom: %s", word.message);
    if (l->rejected > 0)
        return core_fail(why, SLUICE_E_PARSE, l->first_rejected,
                         "%zu lines rejected, line %zu first: %.100s%s%.100s", l->rejected,
                         l->first_rejected, l->first.message, word.message[0] ? "; " : "",
                         word.message);
    if (why)
        *why = word;
    return SLUICE_OK;
}

/* Ends a line of the text by 0, without trailing blanks; returns the next line. */
static char *cut_line(char *line, const char *end, size_t *length, bool *whole)
{
    char *newline = memchr(line, '\n', (size_t)(end - line));
    char *stop = newline ? newline : line + (end - line);

    *whole = newline != NULL;
    while (stop > line && (stop[-1] == '\r' || stop[-1] == ' '))
        stop--;
    *stop = '\0';
    *length = (size_t)(stop - line);
    return newline ? newline + 1 : NULL;
}

static sluice_status load_lines(loader *l, core_text *text, sluice_diag *why)
{
    const char *end = text->data + text->length;
    size_t length, number = 1;
    bool whole;
    char *next = cut_line(text->data, end, &length, &whole);

    const bool is_wisdom = begins_section(text->data);
    sluice_status status = load_first(l, text->data, whole, why);
    if (status != SLUICE_OK && (status != SLUICE_E_INVALID || !is_wisdom))
        return status == SLUICE_E_PARSE ? SLUICE_E_INVALID : status;
    status = SLUICE_OK;
    for (char *line = next; line && line < end && status == SLUICE_OK; line = next) {
        next = cut_line(line, end, &length, &whole);
        status = load_line(l, line, length, whole, ++number);
    }
    sched_costs_publish(l->machine, &l->costs);
    if (status != SLUICE_OK)
        return core_fail_memory(why);
    return l->any ? report_result(l, why) : SLUICE_E_INVALID; /* why: about the first section */
}

/* Reads the whole file as a string. */
static sluice_status read_file(const char *path, core_text *out, sluice_diag *why)
{
    char chunk[4096];
    size_t n;
    FILE *file = fopen(path, "re");

    if (!file)
        return core_fail(why, SLUICE_E_IO, 0, "%s", strerror(errno));
    while (!out->failed && out->length <= max_bytes
           && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        core_text_add(out, chunk, n);
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return core_fail(why, SLUICE_E_IO, 0, "the file cannot be read: %s", strerror(error));
    if (out->failed)
        return core_fail_memory(why);
    if (out->length == 0)
        return core_fail(why, SLUICE_E_PARSE, 0, "the file is empty");
    if (out->length > max_bytes)
        return core_fail(why, SLUICE_E_INVALID, 0, "no wisdom has more than %zu MiB",
                         max_bytes >> 20);
    return SLUICE_OK;
}

/* Loads the text for one kind of units, from a copy, since loading modifies it. */
static sluice_status load_kind(sluice_machine *m, const core_text *text, sluice_diag *why)
{
    core_text own = {0};
    loader l = {.machine = m};

    core_text_add(&own, text->data, text->length);
    const sluice_status status = own.failed ? core_fail_memory(why) : load_lines(&l, &own, why);
    core_text_free(&own);
    return status;
}

/* A file is usable if it has a section for some kind. The sentence is about the first kind for
 * which it has one or, if lines were rejected, about the first kind with rejected lines. */
sluice_status sched_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why)
{
    core_text text = {0};
    sluice_diag reason = {.message = ""};
    sluice_status result = SLUICE_E_INVALID;

    sluice_status status = read_file(path, &text, why);
    for (sluice_machine *m = machine; m && (status == SLUICE_OK); m = m->next) {
        sluice_diag one = {.message = ""};
        const sluice_status loaded = load_kind(m, &text, &one);
        if (loaded == SLUICE_E_MEMORY)
            status = core_fail_memory(why);
        if (m == machine || (result == SLUICE_E_INVALID && loaded != SLUICE_E_INVALID)
            || (result == SLUICE_OK && loaded == SLUICE_E_PARSE)) {
            result = loaded;
            reason = one;
        }
    }
    core_text_free(&text);
    if (status != SLUICE_OK)
        return status;
    if (why)
        *why = reason;
    return result;
}
