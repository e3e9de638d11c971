// SPDX-License-Identifier: BSD-3-Clause
/* Formulas from text, by recursive descent. Looser to tighter: +, *, (+), (x), then atoms with
 * their ^-1 and tags. The grammar is in docs/FORMULAS.md. */
#include "spl/formula/parse.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/formula/formats.h"
#include "spl/formula/source_offset.h"

static const spl *parse_plus(spl_cursor *c);

/* The constructors' refusals come with the offset of the piece they refuse. */
static const spl *place_node(spl_cursor *c, size_t from, const spl *x)
{
    return spl_made(c, from, x != NULL && spl_set_source(c->ctx, x, from) ? x : NULL);
}

/* ---- atoms ---- */

static const spl *parse_identity(spl_cursor *c, size_t from)
{
    const int64_t n = spl_parse_size(c);
    return spl_expect(c, ")") ? place_node(c, from, spl_identity(c->ctx, n)) : NULL;
}

/* The transform that begins here, its parenthesis read; -1: none does. */
static int accept_transform(spl_cursor *c)
{
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++)
        if (spl_accept_call(c, spl_transform_of((spl_kind)kind)->word))
            return kind;
    return -1;
}

static const spl *parse_transform(spl_cursor *c, size_t from, spl_kind kind)
{
    const int64_t n = spl_parse_size(c);
    return spl_expect(c, ")") ? place_node(c, from, spl_transform_node(c->ctx, kind, n)) : NULL;
}

/* n "," m */
static void parse_pair(spl_cursor *c, int64_t *n, int64_t *m)
{
    *n = spl_parse_size(c);
    spl_expect(c, ",");
    *m = spl_parse_size(c);
}

static bool accept_inverse(spl_cursor *c)
{
    if (!spl_accept(c, "^"))
        return false;
    return spl_expect(c, "-") && spl_expect(c, "1");
}

/* The first of these words, its parenthesis read: V stands for V(m) until ^-1 follows. */
static int accept_retype(spl_cursor *c)
{
    for (int how = 0; how < SPL_RETYPES; how++)
        if (spl_accept_call(c, spl_retype_word((spl_retype)how)))
            return how;
    return -1;
}

static const spl *parse_retype(spl_cursor *c, size_t from, spl_retype how)
{
    const int64_t n = spl_parse_size(c);
    spl_expect(c, ")");
    if (how == SPL_RETYPE_VIEW && accept_inverse(c))
        how = SPL_RETYPE_UNVIEW;
    return c->status == SLUICE_OK ? place_node(c, from, spl_retyped(c->ctx, how, n)) : NULL;
}

static const spl *parse_stride(spl_cursor *c, size_t from)
{
    int64_t n, m;
    parse_pair(c, &n, &m);
    return spl_expect(c, ")") ? place_node(c, from, spl_stride(c->ctx, n, m)) : NULL;
}

/* n ["," m] */
static void parse_sizes(spl_cursor *c, spl_values values, int64_t *n, int64_t *m)
{
    *m = 1;
    if (values == SPL_CONST) {
        *n = 1;
        *m = spl_constant_bits(spl_parse_real(c));
        return;
    }
    *n = spl_parse_size(c);
    if (spl_values_named(values)->two && spl_expect(c, ","))
        *m = spl_parse_size(c);
}

/* The diagonal that begins here; -1: none does. */
static int accept_values(spl_cursor *c)
{
    for (int values = SPL_TWIDDLES; values < SPL_CONST; values++) {
        const char letter[] = {spl_values_named((spl_values)values)->letter, '\0'};
        if (spl_accept_call(c, letter))
            return values;
    }
    return -1;
}

static const spl *parse_values(spl_cursor *c, size_t from, spl_values values)
{
    int64_t n, m;
    parse_sizes(c, values, &n, &m);
    if (!spl_expect(c, ")"))
        return NULL;
    const bool conjugate = accept_inverse(c);
    return c->status == SLUICE_OK
               ? place_node(c, from, spl_values_node(c->ctx, values, n, m, conjugate))
               : NULL;
}

/* [".chirp" | ..] after D */
static spl_values parse_values_word(spl_cursor *c)
{
    if (!spl_accept(c, "."))
        return SPL_TWIDDLES;
    for (int values = SPL_CHIRP; values < SPL_VALUES; values++)
        if (spl_accept_word(c, spl_values_named((spl_values)values)->word))
            return (spl_values)values;
    (void)spl_expected(
        c, "'chirp', 'spectrum', 'rader', 'corner', 'roots', 'half', 'signs' or 'const'");
    return SPL_TWIDDLES;
}

/* "(" sizes "," ix ")" ["^-1"], of a constant "(" x ["," ix] ")" */
static const spl *parse_diag(spl_cursor *c, size_t from)
{
    const spl_values values = parse_values_word(c);
    int64_t n, m;
    spl_expect(c, "(");
    parse_sizes(c, values, &n, &m);
    if (values == SPL_CONST && spl_accept(c, ")"))
        return place_node(c, from, spl_values_node(c->ctx, values, n, m, false));
    spl_expect(c, ",");
    const ix *f = spl_parse_ix(c);
    spl_expect(c, ")");
    const bool conjugate = values != SPL_CONST && accept_inverse(c);
    if (c->status != SLUICE_OK)
        return NULL;
    return place_node(c, from,
                      spl_diag_of(c->ctx, spl_values_node(c->ctx, values, n, m, conjugate), f));
}

static const spl *parse_perm(spl_cursor *c, size_t from)
{
    const ix *f = spl_parse_ix(c);
    return spl_expect(c, ")") ? place_node(c, from, spl_perm(c->ctx, f)) : NULL;
}

/* [.copy | .net] "(" ix ")" after G or S, the word read last */
static const spl *parse_move(spl_cursor *c, size_t from)
{
    const bool gather = c->text[c->begin] == 'G';
    spl_class cls = SPL_PLAIN;
    if (spl_accept(c, ".")) {
        if (spl_accept_word(c, "copy"))
            cls = SPL_COPY;
        else if (spl_accept_word(c, "net"))
            cls = SPL_NET;
        else
            (void)spl_expected(c, "'copy' or 'net'");
    }
    spl_expect(c, "(");
    const ix *f = spl_parse_ix(c);
    if (!spl_expect(c, ")"))
        return NULL;
    return place_node(c, from, gather ? spl_gather(c->ctx, f, cls) : spl_scatter(c->ctx, f, cls));
}

/* ---- sums ---- */

static int parse_format(spl_cursor *c)
{
    if (spl_accept_word(c, "inter"))
        return SPL_INTER;
    if (spl_accept_word(c, "real"))
        return SPL_REAL;
    if (!spl_accept_word(c, "split"))
        (void)spl_expected(c, "'inter', 'split' or 'real'");
    return SPL_SPLIT;
}

static void parse_loop_kind(spl_cursor *c, spl_range *range)
{
    if (!spl_accept(c, "."))
        return;
    if (spl_accept_word(c, "par")) {
        range->kind = SPL_PAR;
    } else if (spl_accept_word(c, "stream")) {
        range->kind = SPL_STREAM;
    } else if (spl_accept_word(c, "vec")) {
        range->kind = SPL_VEC;
        spl_expect(c, "[");
        range->nu = spl_parse_size(c);
        spl_expect(c, ",");
        range->format = parse_format(c);
        spl_expect(c, "]");
    } else {
        (void)spl_expected(c, "'par', 'stream' or 'vec'");
    }
}

/* kN "<" n ["@" kM "/" shares ["/" grain]] */
static void parse_range(spl_cursor *c, spl_range *range)
{
    range->var = spl_parse_variable(c);
    spl_expect(c, "<");
    range->n = spl_parse_size(c);
    if (!spl_accept(c, "@"))
        return;
    range->share_var = spl_parse_variable(c);
    spl_expect(c, "/");
    range->shares = spl_parse_size(c);
    if (spl_accept(c, "/"))
        range->grain = spl_parse_size(c);
}

static const spl *parse_loop(spl_cursor *c, size_t from)
{
    spl_range range = {.share_var = -1, .grain = 1};
    parse_loop_kind(c, &range);
    spl_expect(c, "(");
    parse_range(c, &range);
    if (!spl_expect(c, ","))
        return NULL;
    const spl *body = parse_plus(c);
    return spl_expect(c, ")") ? place_node(c, from, spl_sum(c->ctx, &range, body)) : NULL;
}

/* ---- tags ---- */

static bool parse_tag(spl_cursor *c, spl_tag *tag)
{
    int kind = 0;
    while (kind < SPL_TAG_LEAF && !spl_accept_call(c, spl_tag_words[kind]))
        kind++;
    *tag = (spl_tag){.kind = (spl_tag_kind)kind};
    if (kind == SPL_TAG_LEAF)
        return spl_accept_word(c, "leaf")
               || spl_expected(c, "a tag (leaf, vec, tile, spe, stream, local)");
    tag->a[0] = spl_parse_size(c);
    if (kind == SPL_TAG_SPE || kind == SPL_TAG_VEC) {
        spl_expect(c, ",");
        tag->a[1] = kind == SPL_TAG_SPE ? spl_parse_size(c) : parse_format(c);
    }
    return spl_expect(c, ")");
}

static const spl *parse_tags(spl_cursor *c, const spl *x)
{
    while (spl_accept(c, "_")) {
        spl_tag tag;
        spl_expect(c, "{");
        do {
            const size_t from = spl_here(c);
            if (parse_tag(c, &tag))
                x = place_node(c, from, spl_tagged(c->ctx, x, 1, &tag));
        } while (spl_accept(c, ","));
        spl_expect(c, "}");
    }
    return c->status == SLUICE_OK ? x : NULL;
}

/* ---- expressions ---- */

/* What begins with a word of its own, whose parenthesis is read too where it must follow. */
static const struct {
    const char *word;
    bool call;
    const spl *(*parse)(spl_cursor *c, size_t from);
} atoms[] = {
    {"I", true, parse_identity}, {"L", true, parse_stride}, {"P", true, parse_perm},
    {"D", false, parse_diag},    {"G", false, parse_move},  {"S", false, parse_move},
    {"SUM", false, parse_loop},
};

static const spl *parse_group(spl_cursor *c)
{
    const bool round = spl_accept(c, "(");
    if (!round && !spl_accept(c, "{")) {
        (void)spl_expected(c, "a formula");
        return NULL;
    }
    const spl *x = parse_plus(c);
    return spl_expect(c, round ? ")" : "}") ? x : NULL;
}

static const spl *parse_atom(spl_cursor *c)
{
    const size_t from = spl_here(c);
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
        if ((atoms[i].call ? spl_accept_call : spl_accept_word)(c, atoms[i].word))
            return atoms[i].parse(c, from);
    const int kind = accept_transform(c);
    if (kind >= 0)
        return parse_transform(c, from, (spl_kind)kind);
    const int retype = accept_retype(c);
    if (retype >= 0)
        return parse_retype(c, from, (spl_retype)retype);
    const spl *pairs;
    if (spl_accept_pairs(c, &pairs))
        return place_node(c, from, pairs);
    const int values = accept_values(c);
    if (values >= 0)
        return parse_values(c, from, (spl_values)values);
    return parse_group(c);
}

static const spl *parse_factor(spl_cursor *c)
{
    const spl *x = parse_atom(c);
    if (x != NULL && spl_peek(c) == '^') {
        (void)spl_expected(c, "an operator (only T, C, B, R, K, W, D and V have ^-1)");
        return NULL;
    }
    return parse_tags(c, x);
}

typedef struct operands {
    const spl **kid;
    int count, capacity;
} operands;

static void push_operand(spl_cursor *c, operands *list, const spl *x)
{
    if (list->count == list->capacity && c->status == SLUICE_OK) {
        const int capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        const spl **more = core_realloc(list->kid, (size_t)capacity * sizeof *more);
        if (more == NULL) {
            (void)spl_wrong(c, SLUICE_E_MEMORY, c->at, "out of memory");
            return;
        }
        list->kid = more;
        list->capacity = capacity;
    }
    if (c->status == SLUICE_OK)
        list->kid[list->count++] = x;
}

/* operand { "(LETTER)" operand }, with (x) inside (+) */
static const spl *parse_operands(spl_cursor *c, char letter)
{
    operands list = {NULL, 0, 0};
    const spl *x = NULL;
    const size_t from = spl_here(c);
    do
        push_operand(c, &list, letter == '+' ? parse_operands(c, 'x') : parse_factor(c));
    while (spl_accept_operator(c, letter));
    if (c->status == SLUICE_OK)
        x = place_node(c, from,
                       letter == '+' ? spl_dsum(c->ctx, list.count, list.kid)
                                     : spl_kron(c->ctx, list.count, list.kid));
    core_free(list.kid);
    return x;
}

/* Terms must fit one another, as factors do below: said here, where the place is known. */
static void check_terms(spl_cursor *c, size_t from, const spl *first, const spl *next)
{
    char sentence[128];
    if (c->status != SLUICE_OK || first == NULL
        || (first->rows == next->rows && first->cols == next->cols))
        return;
    (void)snprintf(sentence, sizeof sentence,
                   "a sum: %" PRId64 " x %" PRId64 " on the left of +, %" PRId64 " x %" PRId64
                   " on the right",
                   first->rows, first->cols, next->rows, next->cols);
    (void)spl_wrong(c, SLUICE_E_INVALID, from, sentence);
}

/* Factors must fit one another. */
static void check_factors(spl_cursor *c, size_t from, const spl *left, const spl *right)
{
    char sentence[128];
    if (c->status != SLUICE_OK || left == NULL || left->cols == right->rows)
        return;
    (void)snprintf(sentence, sizeof sentence,
                   "a product: %" PRId64 " columns on the left of *, %" PRId64 " rows on the right",
                   left->cols, right->rows);
    (void)spl_wrong(c, SLUICE_E_INVALID, from, sentence);
}

static const spl *parse_product(spl_cursor *c)
{
    operands list = {NULL, 0, 0};
    const spl *x = NULL, *last = NULL;
    const size_t from = spl_here(c);
    do {
        const size_t here = spl_here(c);
        const spl *next = parse_operands(c, '+');
        check_factors(c, here, last, next);
        push_operand(c, &list, next);
        last = next;
    } while (spl_accept(c, "*"));
    if (c->status == SLUICE_OK)
        x = place_node(c, from, spl_mul(c->ctx, list.count, list.kid));
    core_free(list.kid);
    return x;
}

static const spl *parse_plus(spl_cursor *c)
{
    operands list = {NULL, 0, 0};
    const spl *x = NULL, *first = NULL;
    const size_t from = spl_here(c);
    if (spl_enter(c)) {
        do {
            const size_t here = spl_here(c);
            const spl *next = parse_product(c);
            check_terms(c, here, first, next);
            push_operand(c, &list, next);
            first = first == NULL ? next : first;
        } while (spl_accept(c, "+"));
        if (c->status == SLUICE_OK)
            x = place_node(c, from, spl_plus(c->ctx, list.count, list.kid));
    }
    c->depth--;
    core_free(list.kid);
    return x;
}

sluice_status spl_parse(spl_ctx *ctx, const char *text, const spl **out, sluice_diag *why)
{
    spl_cursor c = {.ctx = ctx, .text = text, .why = why};
    *out = NULL;
    if (spl_ctx_status(ctx, why) != SLUICE_OK)
        return spl_ctx_status(ctx, NULL);
    const spl *x = parse_plus(&c);
    if (c.status == SLUICE_OK && spl_peek(&c) != '\0')
        (void)spl_expected(&c, "an operator or the end");
    if (c.status == SLUICE_OK)
        *out = x;
    else
        ctx->status = SLUICE_OK; /* what the text requests is no failure of the context */
    return c.status;
}
