// SPDX-License-Identifier: BSD-3-Clause
/* Index functions from text: h, q, l, id, table, digit sums, (x) and (o). See docs/FORMULAS.md. */
#include "spl/formula/parse.h"

#include "core/mem.h"

static const int64_t most_coef = (int64_t)1 << 62;

enum { TERMS = 64 };
typedef struct sum {
    int64_t c;
    int nt;
    ix_term t[TERMS];
} sum;

static void add_term(spl_cursor *c, sum *s, ix_term term)
{
    if (s->nt == TERMS)
        (void)spl_wrong(c, SLUICE_E_PARSE, c->begin, "more than 64 terms in one sum");
    else
        s->t[s->nt++] = term;
}

static void add_constant(spl_cursor *c, sum *s, int64_t value)
{
    if (__builtin_add_overflow(s->c, value, &s->c))
        (void)spl_wrong(c, SLUICE_E_PARSE, c->begin, "a sum beyond 64 bits");
}

/* NUMBER | [NUMBER "*"] (i | kN) ["/" div] ["%" ext]; n = 0: no i here. */
static void parse_term(spl_cursor *c, int64_t n, int64_t sign, sum *s)
{
    ix_term t = {IX_INDEX, 1, 1, sign};
    const char next = spl_peek(c);
    if (next >= '0' && next <= '9') {
        t.coef *= spl_number(c, "a number", 0, most_coef);
        if (!spl_accept(c, "*")) {
            add_constant(c, s, t.coef);
            return;
        }
    }
    if (n > 0 && spl_accept_word(c, "i"))
        t.src = IX_INDEX;
    else if (spl_peek(c) == 'k')
        t.src = spl_parse_variable(c);
    else
        (void)spl_expected(c, n > 0 ? "a number, i or a loop variable"
                                    : "a number or a loop variable");
    if (spl_accept(c, "/"))
        t.div = spl_number(c, "a divisor", 1, most_coef);
    if (c->status != SLUICE_OK)
        return;
    if (spl_accept(c, "%"))
        t.ext = spl_number(c, "an extent", 1, most_coef);
    else if (t.src == IX_INDEX)
        t.ext = n / t.div + (n % t.div != 0);
    else
        (void)spl_expected(c, "'%' and the extent of the variable");
    if (c->status == SLUICE_OK)
        add_term(c, s, t);
}

static void parse_sum(spl_cursor *c, int64_t n, sum *s)
{
    *s = (sum){0};
    int64_t sign = spl_accept(c, "-") ? -1 : 1;
    do {
        parse_term(c, n, sign, s);
        sign = spl_accept(c, "-") ? -1 : spl_accept(c, "+") ? 1 : 0;
    } while (sign != 0 && c->status == SLUICE_OK);
}

static int64_t parse_signed(spl_cursor *c)
{
    const int64_t sign = spl_accept(c, "-") ? -1 : 1;
    return sign * spl_number(c, "a number", 0, most_coef);
}

/* n "," N "," of h and q */
static void parse_shape(spl_cursor *c, int64_t *n, int64_t *N)
{
    *n = spl_parse_size(c);
    spl_expect(c, ",");
    *N = spl_parse_size(c);
    spl_expect(c, ",");
}

static const ix *close_sum(spl_cursor *c, size_t from, int64_t n, int64_t N, const sum *s)
{
    if (c->status != SLUICE_OK)
        return NULL;
    return spl_made(c, from, ix_digit(c->ctx, n, N, s->c, s->nt, s->t));
}

static const ix *parse_h(spl_cursor *c, size_t from)
{
    int64_t n, N;
    sum s;
    parse_shape(c, &n, &N);
    parse_sum(c, 0, &s);
    spl_expect(c, ",");
    const int64_t stride = parse_signed(c);
    spl_expect(c, ")");
    add_term(c, &s, (ix_term){IX_INDEX, 1, n, stride});
    return close_sum(c, from, n, N, &s);
}

static const ix *parse_q(spl_cursor *c, size_t from)
{
    int64_t n, N;
    sum s;
    parse_shape(c, &n, &N);
    parse_sum(c, 0, &s);
    spl_expect(c, ",");
    int64_t stride = parse_signed(c);
    spl_expect(c, ",");
    const int64_t mu = spl_parse_size(c);
    spl_expect(c, ")");
    if (c->status != SLUICE_OK)
        return NULL;
    bool fits =
        !__builtin_mul_overflow(s.c, mu, &s.c) && !__builtin_mul_overflow(stride, mu, &stride);
    for (int k = 0; k < s.nt; k++)
        fits = fits && !__builtin_mul_overflow(s.t[k].coef, mu, &s.t[k].coef);
    if (!fits || n % mu != 0) {
        (void)spl_wrong(c, SLUICE_E_INVALID, from,
                        fits ? "q: the packet must divide the number of elements"
                             : "q: a number beyond 64 bits");
        return NULL;
    }
    add_term(c, &s, (ix_term){IX_INDEX, 1, mu, 1});
    add_term(c, &s, (ix_term){IX_INDEX, mu, n / mu, stride});
    return close_sum(c, from, n, N, &s);
}

static const ix *parse_digits(spl_cursor *c, size_t from)
{
    sum s;
    const int64_t n = spl_parse_size(c);
    spl_expect(c, "->");
    const int64_t N = spl_parse_size(c);
    spl_expect(c, ":");
    if (c->status != SLUICE_OK)
        return NULL;
    parse_sum(c, n, &s);
    spl_expect(c, "]");
    return close_sum(c, from, n, N, &s);
}

/* l(N,k) and power(p,g) */
static const ix *parse_pair(spl_cursor *c, size_t from,
                            const ix *(*make)(spl_ctx *ctx, int64_t a, int64_t b))
{
    const int64_t a = spl_parse_size(c);
    spl_expect(c, ",");
    const int64_t b = spl_parse_size(c);
    spl_expect(c, ")");
    return c->status == SLUICE_OK ? spl_made(c, from, make(c->ctx, a, b)) : NULL;
}

/* two( (i | kN) ["/" div] "%2", f0, f1 ) */
static const ix *parse_two(spl_cursor *c, size_t from)
{
    const ix *f[2] = {NULL, NULL};
    int64_t div = 1;
    const bool of_index = spl_accept_word(c, "i");
    if (!of_index && spl_peek(c) != 'k')
        (void)spl_expected(c, "i or a loop variable");
    const int src = of_index || c->status != SLUICE_OK ? IX_INDEX : spl_parse_variable(c);
    if (spl_accept(c, "/"))
        div = spl_number(c, "a divisor", 1, most_coef);
    spl_expect(c, "%");
    (void)spl_number(c, "the extent 2 of a binary digit", 2, 2);
    for (int b = 0; b < 2 && spl_expect(c, ","); b++)
        f[b] = spl_parse_ix(c);
    spl_expect(c, ")");
    return c->status == SLUICE_OK ? spl_made(c, from, ix_two(c->ctx, src, div, f[0], f[1])) : NULL;
}

static const ix *parse_fold(spl_cursor *c, size_t from)
{
    const int64_t n = spl_parse_size(c);
    spl_expect(c, ")");
    return c->status == SLUICE_OK ? spl_made(c, from, ix_fold(c->ctx, n)) : NULL;
}

static const ix *parse_id(spl_cursor *c, size_t from)
{
    const int64_t n = spl_parse_size(c);
    spl_expect(c, ")");
    return c->status == SLUICE_OK ? spl_made(c, from, ix_id(c->ctx, n)) : NULL;
}

typedef struct entries {
    int64_t *value;
    size_t count, capacity;
} entries;

static bool push_entry(spl_cursor *c, entries *e, int64_t value)
{
    if (e->count == e->capacity) {
        const size_t capacity = e->capacity == 0 ? 64 : 2 * e->capacity;
        int64_t *more = core_realloc(e->value, capacity * sizeof *more);
        if (more == NULL)
            return spl_wrong(c, SLUICE_E_MEMORY, c->at, "out of memory");
        e->value = more;
        e->capacity = capacity;
    }
    e->value[e->count++] = value;
    return true;
}

static const ix *parse_table(spl_cursor *c, size_t from)
{
    entries e = {NULL, 0, 0};
    const ix *f = NULL;
    const int64_t N = spl_parse_size(c);
    bool more = spl_expect(c, ":");
    while (more && c->status == SLUICE_OK)
        more = push_entry(c, &e, parse_signed(c)) && spl_accept(c, ",");
    if (spl_expect(c, ")"))
        f = spl_made(c, from, ix_table(c->ctx, (int64_t)e.count, N, e.value));
    core_free(e.value);
    return f;
}

static const ix *parse_atom(spl_cursor *c)
{
    const size_t from = spl_here(c);
    if (spl_accept_call(c, "h"))
        return parse_h(c, from);
    if (spl_accept_call(c, "q"))
        return parse_q(c, from);
    if (spl_accept_call(c, "l"))
        return parse_pair(c, from, ix_stride);
    if (spl_accept_call(c, "power"))
        return parse_pair(c, from, ix_power);
    if (spl_accept_call(c, "id"))
        return parse_id(c, from);
    if (spl_accept_call(c, "fold"))
        return parse_fold(c, from);
    if (spl_accept_call(c, "two"))
        return parse_two(c, from);
    if (spl_accept_call(c, "table"))
        return parse_table(c, from);
    if (spl_accept(c, "["))
        return parse_digits(c, from);
    if (!spl_accept(c, "(")) {
        (void)spl_expected(c, "an index function");
        return NULL;
    }
    const ix *f = spl_parse_ix(c);
    return spl_expect(c, ")") ? f : NULL;
}

static const ix *parse_tensor(spl_cursor *c)
{
    const size_t from = spl_here(c);
    const ix *f = parse_atom(c);
    while (spl_accept_operator(c, 'x')) {
        const ix *g = parse_atom(c);
        if (c->status == SLUICE_OK)
            f = spl_made(c, from, ix_tensor(c->ctx, f, g));
    }
    return f;
}

/* tensor { "(o)" tensor }: the right-hand side is applied first. */
const ix *spl_parse_ix(spl_cursor *c)
{
    const ix *f = NULL;
    const size_t from = spl_here(c);
    if (spl_enter(c)) {
        f = parse_tensor(c);
        if (spl_accept_operator(c, 'o')) {
            const ix *inner = spl_parse_ix(c);
            if (c->status == SLUICE_OK)
                f = spl_made(c, from, ix_compose(c->ctx, f, inner));
        }
    }
    c->depth--;
    return c->status == SLUICE_OK ? f : NULL;
}
