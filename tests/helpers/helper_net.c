// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BUF_IN = 0, BUF_OUT = 1, MEMORY = -1 };

/* One array: the last value of each element, and the value that each part alone has. */
typedef struct array {
    int64_t base, count;
    int64_t *last, *own;  /* own[part * count + place] */
    int64_t *part, *stmt; /* that wrote it */
} array;

typedef struct message {
    int64_t through, epoch, reader, sender, buf, place;
} message;

typedef struct part_stores {
    const prog *p;
    array in, out, shared;
    int64_t part, epoch, through, values;
    message *sent;
    size_t count, capacity;
    uint8_t *net;
    int64_t vars[IX_MAX_VARS];
} part_stores;

static void open_ownership(array *a, const ix *f, int64_t n, int64_t parts)
{
    int64_t hi = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = f == NULL ? i : ix_eval(f, i, NULL);
        a->base = i == 0 || at < a->base ? at : a->base;
        hi = i == 0 || at > hi ? at : hi;
    }
    a->count = n == 0 ? 0 : hi - a->base + 1;
    a->last = test_calloc((size_t)a->count + 1, sizeof *a->last);
    a->own = test_calloc((size_t)(a->count * parts) + 1, sizeof *a->own);
    a->part = test_calloc((size_t)a->count + 1, sizeof *a->part);
    a->stmt = test_calloc((size_t)a->count + 1, sizeof *a->stmt);
}

static void close_ownership(array *a)
{
    test_free(a->last);
    test_free(a->own);
    test_free(a->part);
    test_free(a->stmt);
}

/* The user's arrays are distributed in contiguous shares. */
static void distribute_shares(part_stores *r, array *a)
{
    const int64_t parts = r->p->parts;
    for (int64_t k = 0; k < parts; k++)
        for (int64_t at = k * a->count / parts; at < (k + 1) * a->count / parts; at++) {
            a->part[at] = k;
            a->own[k * a->count + at] = a->last[at] = ++r->values;
        }
}

static array *array_of(part_stores *r, int buf)
{
    switch (r->p->buf[buf].space) {
    case PROG_IN: return &r->in;
    case PROG_OUT: return r->p->sides.in_place ? &r->in : &r->out;
    case PROG_SHARED: return &r->shared;
    default: return NULL;
    }
}

static int64_t place_in(const part_stores *r, const array *a, int buf, int64_t at)
{
    return r->p->buf[buf].space == PROG_SHARED ? r->p->buf[buf].offset + at : at - a->base;
}

/* Part `reader` reads the element; must it be communicated? */
static bool must_receive(part_stores *r, array *a, int64_t place, int64_t reader, message m)
{
    int64_t *own = &a->own[reader * a->count + place];
    if (a->last[place] == MEMORY || *own == a->last[place])
        return false;
    *own = a->last[place];
    if (r->count == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        r->sent = test_realloc(r->sent, r->capacity * sizeof *r->sent);
    }
    m.epoch = r->epoch;
    m.reader = reader;
    m.sender = a->part[place];
    m.place = place;
    r->sent[r->count++] = m;
    return true;
}

static void run_statement(part_stores *r, size_t at)
{
    const prog_stmt *s = &r->p->stmt[at];
    const bool get = s->op == PROG_COPY && !s->put, put = s->op == PROG_COPY && s->put;
    array *from = array_of(r, s->in), *to = array_of(r, s->out);
    for (int64_t i = 0; from != NULL && s->op != PROG_ZERO && !get && i < s->n; i++) {
        const bool user = r->p->buf[s->in].space == PROG_IN;
        const int64_t place = place_in(r, from, s->in, ix_eval(s->fin, i, r->vars));
        const message m = {.through = user ? (int64_t)PROG_AT_INPUT(r->p) : r->through,
                           .buf = s->in};
        if (must_receive(r, from, place, r->part, m))
            r->net[user ? (int64_t)at : from->stmt[place]] |= user ? PROG_NET_IN : PROG_NET_OUT;
    }
    for (int64_t i = 0; to != NULL && i < s->n; i++) {
        const int64_t place = place_in(r, to, s->out, ix_eval(s->fout, i, r->vars));
        to->last[place] = put ? MEMORY : ++r->values;
        to->own[r->part * to->count + place] = to->last[place];
        to->part[place] = r->part;
        to->stmt[place] = (int64_t)at;
    }
}

static void run_statements(part_stores *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = r->p->stmt[i].end) {
        const prog_stmt *s = &r->p->stmt[i];
        int64_t lo = 0, hi = s->range.n;
        if (s->op == PROG_SYNC) {
            r->through = (int64_t)i;
            r->epoch++;
        } else if (s->op != PROG_LOOP) {
            run_statement(r, i);
        }
        if (s->op != PROG_LOOP)
            continue;
        if (s->range.share_var >= 0)
            spl_share(s->range.n, s->range.shares, s->range.grain, r->vars[s->range.share_var], &lo,
                      &hi);
        for (int64_t v = lo; v < hi; v++) {
            r->vars[s->range.var] = v;
            r->epoch += s->range.kind == SPL_PAR;
            r->part = s->range.kind == SPL_PAR ? v : r->part;
            run_statements(r, i + 1, s->end);
        }
        if (s->range.kind == SPL_PAR) {
            r->epoch++;
            r->part = 0;
        }
    }
}

/* Results are sent to the part that owns their place. */
static void send_results(part_stores *r)
{
    array *a = array_of(r, BUF_OUT);
    const message m = {.through = (int64_t)PROG_AT_OUTPUT(r->p), .buf = BUF_OUT};
    for (int64_t i = 0; i < r->p->rows; i++) {
        const int64_t at = r->p->sides.out == NULL ? i : ix_eval(r->p->sides.out, i, NULL);
        const int64_t place = at - a->base;
        int64_t k = 0;
        while (place >= (k + 1) * a->count / r->p->parts)
            k++;
        if (must_receive(r, a, place, k, m))
            r->net[a->stmt[place]] |= PROG_NET_OUT;
    }
}

static int compare_messages(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    for (size_t i = 0; i < sizeof(message) / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The message after m if it were the next element of the same packet. */
static message next_in_packet(message m)
{
    m.place++;
    return m;
}

static void check_packets(part_stores *r, const prog_exchanges *e, const char *text)
{
    prog_traffic *x = test_calloc(PROG_TRAFFICS(r->p), sizeof *x);
    int64_t n = 0;
    if (r->count > 0)
        qsort(r->sent, r->count, sizeof *r->sent, compare_messages);
    for (size_t i = 0; i < r->count; i++) {
        prog_traffic *at = &x[r->sent[i].through];
        const message next = next_in_packet(r->sent[i]);
        at->communicated++;
        n++;
        if (i + 1 < r->count && compare_messages(&next, &r->sent[i + 1]) == 0)
            continue;
        at->min = at->packets == 0 || n < at->min ? n : at->min;
        at->max = n > at->max ? n : at->max;
        at->packets++;
        n = 0;
    }
    for (size_t i = 0; i < PROG_TRAFFICS(r->p); i++) {
        x[i].elements = e->at[i].elements;
        if (memcmp(&x[i], &e->at[i], sizeof *x) != 0)
            fail_msg("%s: exchange %zu of %zu: %lld in %lld of %lld to %lld, found %lld in %lld of "
                     "%lld to %lld",
                     text, i, r->p->nstmts, (long long)x[i].communicated, (long long)x[i].packets,
                     (long long)x[i].min, (long long)x[i].max, (long long)e->at[i].communicated,
                     (long long)e->at[i].packets, (long long)e->at[i].min, (long long)e->at[i].max);
    }
    test_free(x);
}

int net_check(const prog *p, const char *text)
{
    part_stores r = {.p = p, .through = (int64_t)PROG_AT_START(p)};
    prog_exchanges e;
    assert_int_equal(prog_exchange(p, &e, NULL), SLUICE_OK);
    open_ownership(&r.in, p->sides.in, p->cols, p->parts);
    open_ownership(&r.out, p->sides.out, p->rows, p->parts);
    open_ownership(&r.shared, NULL, p->shared_elems, p->parts);
    distribute_shares(&r, &r.in);
    distribute_shares(&r, &r.out);
    r.net = test_calloc(p->nstmts, 1);
    run_statements(&r, 0, p->nstmts);
    send_results(&r);
    for (size_t i = 0; i < p->nstmts; i++)
        if (r.net[i] != e.net[i])
            fail_msg("%s: statement %zu: sides %d are net, not %d", text, i, r.net[i], e.net[i]);
    check_packets(&r, &e, text);
    const int exchanges = e.exchanges;
    prog_exchanges_free(&e);
    close_ownership(&r.in);
    close_ownership(&r.out);
    close_ownership(&r.shared);
    test_free(r.sent);
    test_free(r.net);
    return exchanges;
}
