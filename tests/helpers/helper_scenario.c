// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENDS "stream(par(get k) sync par(k put)"
#define WHOLE "stream(get sync par(k) sync par(k) sync put)"
#define PARTS "par(stream(get k put)) sync par(stream(get k put))"

const scenario scenarios[SCENARIOS] = {
    {"a1", "par(k) sync par(k)", NULL, false, false, {"spe(P,MU)", ""}},
    {"a2", "stream(get k put)", NULL, false, false, {"stream(1)", ""}},
    {"a3", ENDS ")", WHOLE, false, false, {"spe(P,MU),stream(1)", ""}},
    {"a4", "stream(get k put) stream(get k put)", NULL, true, false, {"stream(S)", ""}},
    {"b1", "stream(get k put)", NULL, false, true, {"", "stream(S)"}},
    {"b2", "par(stream(get k put))", NULL, false, true, {"", "stream(S),spe(P,MU)"}},
    {"b3", ENDS " sync)", WHOLE, false, true, {"spe(P,MU)", "stream(B)"}},
    {"LP", PARTS, NULL, false, false, {"stream(S),spe(P,MU)", ""}},
    {"LP", PARTS, NULL, true, false, {"stream(S),spe(P,MU)", ""}},
};

/* Writes tags with the letters P, MU, S and B replaced by numbers. */
static void append_tags(const char *tags, const scenario_size *z, core_text *out)
{
    if (*tags == '\0')
        return;
    core_text_printf(out, "_{");
    for (const char *c = tags; *c != '\0'; c++) {
        switch (*c) {
        case 'P': core_text_printf(out, "%" PRId64, z->p); break;
        case 'M': core_text_printf(out, "%" PRId64, z->mu); break;
        case 'S': core_text_printf(out, "%" PRId64, z->s); break;
        case 'B': core_text_printf(out, "%" PRId64, z->b); break;
        case 'U': break;
        default: core_text_add(out, c, 1);
        }
    }
    core_text_printf(out, "}");
}

static void append_transform(const scenario *x, const scenario_size *z, core_text *out)
{
    if (x->planes)
        core_text_printf(out, "(DFT(%" PRId64 ")_{leaf} (x) DFT(%" PRId64 ")_{leaf})", z->n, z->m);
    else
        core_text_printf(out,
                         "((DFT(%" PRId64 ")_{leaf} (x) I(%" PRId64 ")) * T(%" PRId64 ",%" PRId64
                         ") * (I(%" PRId64 ") (x) DFT(%" PRId64 ")_{leaf}) * L(%" PRId64 ",%" PRId64
                         "))",
                         z->n, z->m, z->n, z->m, z->n, z->m, z->n * z->m, z->n);
    append_tags(x->tags[0], z, out);
}

void scenario_line(const scenario *x, const scenario_size *z, const char *precision,
                   char line[SCENARIO_TEXT_SIZE])
{
    core_text out = {0};
    core_text_printf(&out, "c2c:%s:", precision);
    if (x->planes)
        core_text_printf(&out, "%" PRId64 "x%" PRId64, z->n, z->m);
    else
        core_text_printf(&out, "%" PRId64, z->n * z->m);
    if (x->batch)
        core_text_printf(&out, "*%" PRId64 " := (I(%" PRId64 ") (x) ", z->b, z->b);
    else
        core_text_printf(&out, " := ");
    append_transform(x, z, &out);
    if (x->batch)
        core_text_printf(&out, ")");
    append_tags(x->tags[1], z, &out);
    snprintf(line, SCENARIO_TEXT_SIZE, "%s", core_text_string(&out));
    core_text_free(&out);
}

static void append_word(core_text *out, const char *word)
{
    const bool first = out->length == 0 || core_text_string(out)[out->length - 1] == '(';
    core_text_printf(out, "%s%s", first ? "" : " ", word);
}

/* Appends a word unless it repeats the last one. */
static void append_new_word(core_text *out, const char *word)
{
    const size_t length = strlen(word);
    if (out->length < length || strcmp(core_text_string(out) + out->length - length, word) != 0)
        append_word(out, word);
}

static void append_statements(const prog *p, size_t first, size_t end, core_text *out)
{
    for (size_t i = first; i < end; i = p->stmt[i].end) {
        const prog_stmt *s = &p->stmt[i];
        const bool named =
            s->op == PROG_LOOP && (s->range.kind == SPL_PAR || s->range.kind == SPL_STREAM);
        if (s->op == PROG_KERN)
            append_new_word(out, "k");
        if (s->op == PROG_COPY)
            append_new_word(out, s->put ? "put" : "get");
        if (s->op == PROG_SYNC)
            append_new_word(out, "sync");
        if (s->op != PROG_LOOP)
            continue;
        if (named)
            append_word(out, s->range.kind == SPL_PAR ? "par(" : "stream(");
        append_statements(p, i + 1, s->end, out);
        if (named)
            core_text_printf(out, ")");
    }
}

void scenario_nest(const prog *p, core_text *out)
{
    append_statements(p, 0, p->nstmts, out);
}
