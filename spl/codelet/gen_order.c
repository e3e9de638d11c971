// SPDX-License-Identifier: BSD-3-Clause
/* The order of statements. A transform in registers is one long dependence chain, and a processor
 * looks ahead only as far as it has registers to rename, so slow results must begin early.
 *
 * List scheduling (Gibbons & Muchnick 1986): the height of a statement is the time from its
 * beginning to the end of the longest chain that it heads. In every cycle, each kind of operation
 * begins the highest statement whose operands are available, as long as there are not more live
 * values than registers. The values and how they are computed do not depend on the order. Stores
 * keep their order and follow all loads, because each result of a whole transform depends on every
 * element: so the transform may run in place. */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"

enum { MAX_USES = 8, MAX_LIVE = 28 /* of 32 registers */, SHUFFLE_CYCLES = 5 };
enum { LATER = -1 };

typedef struct statement {
    const char *line;
    size_t length, name_length;
    const char *name; /* of the value; NULL: none; such statements keep their order */
    int use[MAX_USES], uses;
    int cycles, height;
    int users; /* statements that use the value and are not placed yet */
    int there; /* the cycle from which on the value is available; LATER: not placed yet */
    gen_kind kind;
} statement;

typedef struct schedule {
    statement *all;
    int count, live, cycle;
    bool failed;
} schedule;

/* Latencies in cycles on Zen 4; other processors differ by one or two. */
static const struct {
    const char *word;
    gen_kind kind;
    int cycles;
} words[] = {
    {"fma", GEN_FMAS, 4},       {"fnma", GEN_FMAS, 4},       {"fmaddsub", GEN_FMAS, 4},
    {"mul", GEN_FMAS, 4},       {"add", GEN_ADDS, 3},        {"sub", GEN_ADDS, 3},
    {"load", GEN_LOADS, 7},     {"load_part", GEN_LOADS, 7}, {"swap", GEN_SHUFFLES, 1},
    {"lo64", GEN_SHUFFLES, 1},  {"hi64", GEN_SHUFFLES, 1},   {"real_first", GEN_SHUFFLES, 1},
    {"low_half", GEN_KINDS, 0},
};

/* Reads "const TYPE NAME = TYPE_WORD(ARGUMENTS);" */
static void read_word(statement *s, const char *call)
{
    const char *word = strchr(call, '_') + 1;
    const size_t length = strcspn(word, "(");

    s->kind = GEN_SHUFFLES;
    s->cycles = SHUFFLE_CYCLES;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0) {
            s->kind = words[i].kind;
            s->cycles = words[i].cycles;
        }
}

static void use_value(schedule *p, statement *s, int value)
{
    for (int i = 0; i < s->uses; i++)
        if (s->use[i] == value)
            return;
    if (s->uses == MAX_USES)
        p->failed = true;
    else
        s->use[s->uses++] = value;
}

static void read_operands(schedule *p, statement *s, const char *from)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

    for (const char *end = s->line + s->length; from < end;) {
        const size_t length = strspn(from, letters);
        for (int i = p->count - 1; i >= 0 && length > 0; i--)
            if (p->all[i].name && p->all[i].name_length == length
                && memcmp(p->all[i].name, from, length) == 0) {
                use_value(p, s, i);
                p->all[i].users++;
                break;
            }
        from += length > 0 ? length : 1;
    }
}

static void read_statement(schedule *p, const char *line, size_t length)
{
    statement *s = &p->all[p->count];
    const char *end = line + length, *equals = memchr(line, '=', length);

    *s = (statement){.line = line, .length = length, .there = LATER, .kind = GEN_STORES};
    if (equals) {
        s->name = equals - 1;
        while (s->name[-1] != ' ')
            s->name--;
        s->name_length = (size_t)(equals - 1 - s->name);
        read_word(s, equals + 2);
    }
    for (int i = p->count - 1; i >= 0 && !equals; i--)
        if (!p->all[i].name) {
            use_value(p, s, i);
            break;
        }
    read_operands(p, s, equals ? equals : line);
    p->count += end > line;
}

static void find_heights(schedule *p)
{
    for (int i = p->count - 1; i >= 0; i--) {
        statement *s = &p->all[i];
        s->height += s->cycles;
        for (int k = 0; k < s->uses; k++)
            if (p->all[s->use[k]].height < s->height)
                p->all[s->use[k]].height = s->height;
    }
}

/* How many more values are live after the statement? */
static int count_growth(const schedule *p, const statement *s)
{
    int growth = s->name != NULL;

    for (int k = 0; k < s->uses; k++)
        growth -= p->all[s->use[k]].name && p->all[s->use[k]].users == 1;
    return growth;
}

static bool is_ready(const schedule *p, const statement *s)
{
    if (s->there != LATER)
        return false;
    for (int k = 0; k < s->uses; k++)
        if (p->all[s->use[k]].there == LATER || p->all[s->use[k]].there > p->cycle)
            return false;
    return true;
}

static statement *find_highest(const schedule *p, gen_kind kind, int limit)
{
    statement *highest = NULL;

    for (int i = 0; i < p->count; i++) {
        statement *s = &p->all[i];
        if (s->kind == kind && (!highest || s->height > highest->height) && is_ready(p, s)
            && (p->live < limit || count_growth(p, s) <= 0))
            highest = s;
    }
    return highest;
}

static void place_statement(schedule *p, statement *s, core_text *text)
{
    core_text_add(text, s->line, s->length);
    p->live += count_growth(p, s);
    s->there = p->cycle + s->cycles;
    for (int k = 0; k < s->uses; k++)
        p->all[s->use[k]].users--;
}

/* If no statement may begin although none is in progress, the registers do not suffice. */
static void place_all(schedule *p, core_text *text)
{
    int limit = MAX_LIVE, last = 0;

    for (int placed = 0; placed < p->count; p->cycle++) {
        const int before = placed;
        for (int kind = 0; kind <= GEN_KINDS; kind++) {
            statement *s = find_highest(p, (gen_kind)kind, limit);
            if (!s)
                continue;
            place_statement(p, s, text);
            last = s->there > last ? s->there : last;
            placed++;
        }
        limit = placed == before && p->cycle > last ? p->count : MAX_LIVE;
    }
}

static schedule read_statements(const gen_emit *e)
{
    const char *line = core_text_string(&e->body);
    size_t lines = 0;

    for (const char *c = line; *c; c++)
        lines += *c == '\n';
    schedule p = {.all = core_calloc(lines + 1, sizeof *p.all)};
    for (size_t i = 0; p.all && i < lines; i++) {
        const size_t length = strcspn(line, "\n") + 1;
        read_statement(&p, line, length);
        line += length;
    }
    p.failed = p.failed || !p.all;
    if (!p.failed)
        find_heights(&p);
    return p;
}

int gen_longest_chain(gen_emit *e)
{
    const schedule p = read_statements(e);
    int longest = 0;

    for (int i = 0; i < p.count && !p.failed; i++)
        longest = p.all[i].height > longest ? p.all[i].height : longest;
    e->body.failed |= p.failed;
    core_free(p.all);
    return longest;
}

void gen_order(gen_emit *e)
{
    schedule p = read_statements(e);
    core_text text = {0};

    if (!p.failed)
        place_all(&p, &text);
    e->body.failed |= p.failed || text.failed;
    if (!e->body.failed) {
        core_text_free(&e->body);
        e->body = text;
    } else {
        core_text_free(&text);
    }
    core_free(p.all);
}
