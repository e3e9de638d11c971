// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom in files.
 *
 *   sluice-wisdom 3 VERSION KIND MAKE # CHECK
 *   unit FIGURE=NUMBER .. # CHECK
 *   codelet NAME CYCLES # CHECK
 *   ...
 *   PROBLEM := FORMULA # CHECK
 *   rate PROBLEM FIGURE=NUMBER .. # CHECK
 *   PROBLEM := FORMULA # unproven CHECK
 *   ...
 * 3 is the format, VERSION the library's, KIND and MAKE the signatures of backends/backend.h. CHECK
 * is a hash of the first line without its own check, a newline, and the line as far as the check,
 * in eight hexadecimal digits: so it tells a line that was cut or changed, and one that was moved
 * from another machine's file. Whoever edits a line removes the check with its '#'. Lines that
 * begin with '#' are comments.
 *
 * A file of another KIND or of a later format is rejected as a whole, a line alone. A formula is
 * proven, and not tried again, if its line has this machine's own check: the first line is this
 * machine's, and the formula was not marked. All others (of another MAKE or VERSION, marked, or
 * without a check, as all are in format 1) are tried when a plan is first made of them. Of older
 * formats formulas are taken only: their costs know nothing of memory, and half of a unit measured
 * and half modelled would be neither. */
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
#include "sched/problem/problem.h"
#include "spl/formula/spl.h"

static const char title[] = "sluice-wisdom", unproven_mark[] = "unproven ", rate_word[] = "rate ";
static const int format_now = 3; /* 2: no line of the unit; 1: no checks either; units, KIND and
                                    MAKE in one word */
static const size_t max_bytes = (size_t)1 << 26;
enum { CHECK_DIGITS = 8, FIRST_WORDS = 5 };

/* ---- checks ---- */

/* The hash that lines below this first line go on from. */
static uint32_t hash_first(const char *first)
{
    return core_hash(core_hash(CORE_HASH_START, first, strlen(first)), "\n", 1);
}

/* Adds what begins at `from` in the text its check, and the end of the line. */
static void end_line(core_text *text, size_t from, uint32_t hash, const char *mark)
{
    core_text_printf(text, " # %s", mark);
    if (!text->failed)
        core_text_printf(text, "%08x\n",
                         (unsigned)core_hash(hash, text->data + from, text->length - from));
}

typedef enum check { CHECK_NONE, CHECK_RIGHT, CHECK_UNPROVEN, CHECK_WRONG } check;

/* Takes the check off a line. */
static check take_check(char *line, uint32_t hash)
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

/* ---- written ---- */

typedef struct signature {
    core_text kind, make, first; /* first: the first line without its check */
} signature;

static void signature_free(signature *s)
{
    core_text_free(&s->kind);
    core_text_free(&s->make);
    core_text_free(&s->first);
}

static sluice_status signature_make(signature *s, const sluice_machine *m)
{
    *s = (signature){.first = {0}};
    m->table->discover->signature(m->backend, &s->kind, &s->make);
    core_text_printf(&s->first, "%s %d %d.%d.%d %s %s", title, format_now, SLUICE_VERSION_MAJOR,
                     SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH, core_text_string(&s->kind),
                     core_text_string(&s->make));
    if (!s->kind.failed && !s->make.failed && !s->first.failed)
        return SLUICE_OK;
    signature_free(s);
    return SLUICE_E_MEMORY;
}

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
    end_line(w->text, from, w->hash, proven ? "" : unproven_mark);
    if (rate->seconds <= 0)
        return;
    from = w->text->length;
    core_text_printf(w->text, "%s%s ", rate_word, key);
    sched_rate_print(rate, w->text);
    end_line(w->text, from, w->hash, "");
}

static void write_cost(void *user, const char *line)
{
    const writer *w = user;
    const size_t from = w->text->length;

    core_text_printf(w->text, "%s", line);
    end_line(w->text, from, w->hash, "");
}

sluice_status sched_wisdom_save(sluice_machine *m, const char *path)
{
    core_text text = {0};
    signature s;

    sluice_status status = signature_make(&s, m);
    if (status != SLUICE_OK)
        return status;
    writer w = {.text = &text, .hash = hash_first(s.first.data)};
    core_text_printf(&text, "%s", s.first.data);
    end_line(&text, 0, CORE_HASH_START, "");
    sched_costs_each(m, write_cost, &w);
    sched_wisdom_each(m, write_formula, &w);
    status = text.failed ? SLUICE_E_MEMORY : core_file_write(path, text.data, text.length);
    signature_free(&s);
    core_text_free(&text);
    return status;
}

/* ---- read ---- */

/* A file being read. */
typedef struct loader {
    sluice_machine *machine;
    sched_costs_reader costs;
    bool own;       /* its first line is this machine's */
    bool older;     /* format 1 or 2 */
    char from[128]; /* else: whose it is, and what that means */
    uint32_t hash;
    size_t to_prove;                 /* formulas */
    size_t rejected, first_rejected; /* lines; the number of the first */
    sluice_diag first;               /* why */
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

/* Of the formula above it. Rates are taken of this machine's own files alone. */
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
    const check found = take_check(line, l->hash);

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
    /* The user was told of formulas that this machine marked when they were marked. */
    if (status == SLUICE_OK && !(l->own && found != CHECK_NONE))
        l->to_prove++;
    return status;
}

/* Keeps the line or counts it as rejected. `whole`: a newline ended it. E_MEMORY. */
static sluice_status load_line(loader *l, char *line, size_t length, bool whole, size_t number)
{
    sluice_diag reason = {0};
    sluice_status status;

    if (strlen(line) != length)
        status = core_fail(&reason, SLUICE_E_PARSE, 0, "a byte of it is 0");
    else if (*line == '#' || *line == '\0')
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

/* Format 1 has its signature in one word: what KIND begins with, units, caches, processor, and what
 * KIND ends with. */
static bool is_kind_1(const char *word, const char *kind)
{
    const char *last = strrchr(kind, ':');
    const size_t head = last ? (size_t)(last - kind) : strlen(kind);
    const size_t tail = last ? strlen(last) : 0, length = strlen(word);

    return length > head + tail && memcmp(word, kind, head) == 0
           && !isalnum((unsigned char)word[head])
           && (!last || strcmp(word + length - tail, last) == 0);
}

/* A file that is not this machine's: whose it is, and what that means. */
static void name_origin(loader *l, bool first_format, const char *const *word, const char *make)
{
    if (first_format)
        snprintf(l->from, sizeof l->from, "format 1, whose lines have no checks");
    else if (l->older)
        snprintf(l->from, sizeof l->from,
                 "format 2, whose costs know nothing of memory: tune anew");
    else if (strcmp(word[4], make) != 0)
        snprintf(l->from, sizeof l->from, "of another machine, '%s', here '%.30s'",
                 core_quote(word[4], 30).text, make);
    else
        snprintf(l->from, sizeof l->from, "of version %s", core_quote(word[2], 20).text);
}

/* The first line without its check, divided into words. */
static sluice_status read_words(loader *l, char *line, const signature *own, sluice_diag *why)
{
    const char *word[FIRST_WORDS] = {"", "", "", "", ""};
    char here[32];
    char *save = NULL;
    int count = 0;

    for (char *at = strtok_r(line, " ", &save); at && count < FIRST_WORDS;
         at = strtok_r(NULL, " ", &save))
        word[count++] = at;
    if (strcmp(word[0], title) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "this is no wisdom: the first line has to begin "
                         "with %s",
                         title);
    const bool first_format = strcmp(word[1], "1") == 0;
    l->older = first_format || strcmp(word[1], "2") == 0;
    snprintf(here, sizeof here, "%d", format_now);
    if (!l->older && strcmp(word[1], here) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "wisdom of format '%s', this library reads 1 to %d",
                         core_quote(word[1], 20).text, format_now);
    if (!(first_format ? is_kind_1(word[3], own->kind.data) : strcmp(word[3], own->kind.data) == 0))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "wisdom of other units or codelets: '%s', here '%.80s'",
                         core_quote(word[3], SIZE_MAX).text, own->kind.data);
    if (!l->own)
        name_origin(l, first_format, word, own->make.data);
    return SLUICE_OK;
}

static sluice_status load_first(loader *l, char *line, bool whole, sluice_diag *why)
{
    signature own;
    const check found = take_check(line, CORE_HASH_START);

    if (found == CHECK_WRONG || (found == CHECK_NONE && !whole))
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "no wisdom, or its first line was cut or changed");
    sluice_status status = signature_make(&own, l->machine);
    if (status != SLUICE_OK)
        return core_fail_memory(why);
    l->hash = hash_first(line);
    l->own = strcmp(line, own.first.data) == 0;
    status = read_words(l, line, &own, why);
    signature_free(&own);
    return status;
}

/* The status and the sentence for a file that was read. */
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

/* A line of the text, ended by 0, without blanks at its end; the next one. */
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

    sluice_status status = load_first(l, text->data, whole, why);
    if (status != SLUICE_OK)
        return status;
    for (char *line = next; line && line < end && status == SLUICE_OK; line = next) {
        next = cut_line(line, end, &length, &whole);
        status = load_line(l, line, length, whole, ++number);
    }
    sched_costs_publish(l->machine, &l->costs);
    return status == SLUICE_OK ? report_result(l, why) : core_fail_memory(why);
}

/* The whole file as a string. */
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

sluice_status sched_wisdom_load(sluice_machine *m, const char *path, sluice_diag *why)
{
    core_text text = {0};
    loader l = {.machine = m};

    sluice_status status = read_file(path, &text, why);
    if (status == SLUICE_OK)
        status = load_lines(&l, &text, why);
    core_text_free(&text);
    return status;
}
