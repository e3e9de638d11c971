// SPDX-License-Identifier: BSD-3-Clause
/* Computes what an access covers while some variables change. Digits are taken in the order of
 * their strides: they form one piece as long as they leave no gap; every later digit multiplies
 * pieces. */
#include <math.h>
#include <stdlib.h>

#include "spl/price/region.h"

#include "core/number.h"

int64_t price_stride_of(const ix_term *digit, size_t unit)
{
    return llabs(digit->coef) * (int64_t)unit;
}

const ix *price_digits_of(const ix *f)
{
    while (f->kind == IX_OPAQUE)
        f = f->inner;
    return f;
}

/* More than any kernel has: rows of two pairs that run towards each other. */
enum { MOST_BRANCHES = 8 };

typedef struct digit {
    double stride, count;
} digit;

/* The number of values of a digit in s. */
static int64_t values_of(const ix_term *t, const price_span *s)
{
    const int64_t values = (s->extent[t->src + 1] + t->div - 1) / t->div;

    return values < t->ext ? values : t->ext;
}

/* Lists the digits of f that vary in s, by ascending stride. *apart: pieces start at multiples of
 * so many bytes, whatever the digits that are constant in s. */
static int list_digits(const ix *f, const price_span *s, size_t unit, digit *out, int64_t *apart)
{
    int count = 0;

    if (f->kind == IX_TABLE) {
        out[0] = (digit){.stride = (double)unit, .count = (double)s->extent[0]};
        return 1;
    }
    *apart = core_gcd(*apart, f->c % PRICE_LINE * (int64_t)unit);
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        const digit d = {.stride = (double)price_stride_of(t, unit),
                         .count = (double)values_of(t, s)};
        if (d.count < 2) {
            *apart = core_gcd(*apart, llabs(t->coef) % PRICE_LINE * (int64_t)unit);
            continue;
        }
        int at = count++;
        for (; at > 0 && out[at - 1].stride > d.stride; at--)
            out[at] = out[at - 1];
        out[at] = d;
    }
    return count;
}

/* Pieces of memory: each of `run` bytes without a gap, the first one at `low`, one for every
 * combination of the digits. Digits that do not vary move them by `moved`, all taken together. */
typedef struct pieces {
    digit digit[IX_MAX_TERMS];
    int count;
    int64_t apart; /* as in list_digits */
    double run, low, moved;
} pieces;

static void find_place(const ix *f, const price_span *s, size_t unit, pieces *p)
{
    p->low = (double)f->c * (double)unit;
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        const int64_t last = values_of(t, s) - 1;
        p->low += t->coef < 0 ? (double)(t->coef * last) * (double)unit : 0;
        p->moved += last < 1 ? (double)t->coef : 0;
    }
}

/* Joins pieces as long as they leave no gap. */
static void join_pieces(pieces *p)
{
    int i = 0;

    for (; i < p->count && (p->digit[i].stride <= p->run || p->digit[i].stride < PRICE_LINE); i++)
        p->run += p->digit[i].stride * (p->digit[i].count - 1);
    p->count -= i;
    for (int k = 0; k < p->count; k++)
        p->digit[k] = p->digit[k + i];
}

static pieces pieces_of(const ix *f, const price_span *s, size_t unit)
{
    pieces p = {.apart = PRICE_LINE, .run = (double)unit};

    p.count = list_digits(f, s, unit, p.digit, &p.apart);
    if (f->kind == IX_DIGIT)
        find_place(f, s, unit, &p);
    join_pieces(&p);
    return p;
}

static price_region region_of(const pieces *p, size_t unit)
{
    price_region r = {.pieces = 1, .run = p->run};
    int64_t apart = p->apart;

    for (int i = 0; i < p->count; i++) {
        r.pieces *= p->digit[i].count;
        apart = core_gcd(apart,
                         (int64_t)(p->digit[i].stride / (double)unit) % PRICE_LINE * (int64_t)unit);
    }
    const double whole = (double)(int64_t)((r.run + PRICE_LINE - 1) / PRICE_LINE);
    const double lines = apart == PRICE_LINE
                             ? whole
                             : r.run / PRICE_LINE + (double)(PRICE_LINE - apart) / PRICE_LINE;
    r.lines = r.pieces * (lines > 1 ? lines : 1);
    return r;
}

/* Joins pieces of two functions that overlap or lie next to each other; false: they do not. A gap
 * that is shorter than a line is none. a is the lower one. */
static bool join_two(pieces *a, const pieces *b)
{
    const double end = b->low + b->run - a->low;
    bool alike = a->count == b->count && a->moved == b->moved && end - b->run < a->run + PRICE_LINE;

    for (int i = 0; i < a->count && alike; i++)
        alike = a->digit[i].stride == b->digit[i].stride && a->digit[i].count == b->digit[i].count;
    if (!alike)
        return false;
    a->run = end > a->run ? end : a->run;
    a->apart = core_gcd(a->apart, b->apart);
    join_pieces(a);
    return true;
}

/* Lists the pieces of a function's branches, each over its part of the span, by address. */
static void list_pieces(const ix *f, const price_span *s, size_t unit, pieces *out, int *count)
{
    f = price_digits_of(f);
    if (f->kind == IX_TWO) {
        price_span half[2] = {*s, *s};
        const int src = f->t->src + 1;
        const int64_t all = s->extent[src], div = f->t->div;
        half[0].extent[src] = all <= div ? all : all < 2 * div ? div : all / 2;
        half[1].extent[src] = all - half[0].extent[src];
        for (int i = 0; i < 2; i++)
            if (half[i].extent[src] > 0)
                list_pieces(f->branch[i], &half[i], unit, out, count);
        return;
    }
    const pieces p = pieces_of(f, s, unit);
    int at = *count < MOST_BRANCHES ? (*count)++ : MOST_BRANCHES - 1;
    for (; at > 0 && out[at - 1].low > p.low; at--)
        out[at] = out[at - 1];
    out[at] = p;
}

/* Rows that run towards each other may meet. */
price_region price_region_of(const ix *f, const price_span *s, size_t unit)
{
    pieces branch[MOST_BRANCHES];
    price_region all = {0, 0, 0};
    int count = 0;

    list_pieces(f, s, unit, branch, &count);
    for (int i = 0; i < count; i++) {
        pieces p = branch[i];
        while (i + 1 < count && join_two(&p, &branch[i + 1]))
            i++;
        const price_region r = region_of(&p, unit);
        all.lines += r.lines;
        all.pieces += r.pieces;
        all.run = all.run == 0 || r.run < all.run ? r.run : all.run;
    }
    return all;
}

/* How many of a cache's `all` sets pieces of so many lines fall into. */
static double sets_of(const pieces *p, double lines, int64_t all)
{
    int64_t apart = all; /* pieces begin at multiples of so many sets */
    double begins = 1;

    for (int i = 0; i < p->count; i++) {
        const int64_t stride = (int64_t)p->digit[i].stride;
        const int64_t step = stride % PRICE_LINE ? 1 : core_gcd(all, stride / PRICE_LINE % all);
        apart = core_gcd(apart, step);
        begins =
            fmin(begins * fmin(p->digit[i].count, (double)(all / step)), (double)(all / apart));
    }
    return begins * lines;
}

/* The bytes of data, spread evenly over a cache, that put as many lines into every set as an access
 * puts into its own. */
static double filled_bytes(const ix *f, const price_span *s, size_t unit, price_sets cache)
{
    pieces branch[MOST_BRANCHES];
    const double all = (double)cache.sets;
    double lines = 0, sets = 0;
    int count = 0;

    if (cache.ways == 0)
        return 0;
    list_pieces(f, s, unit, branch, &count);
    for (int i = 0; i < count; i++) {
        const price_region r = region_of(&branch[i], unit);
        lines += r.lines;
        sets += sets_of(&branch[i], r.lines / r.pieces, cache.sets);
    }
    return PRICE_LINE * lines * all / fmin(sets, all);
}

void price_fill_sets(price_entry *e, double share, const ix *f, const price_span *s, size_t unit,
                     const price_program *p)
{
    e->fill_l1 = share * filled_bytes(f, s, unit, p->l1);
    e->fill_l2 = share * filled_bytes(f, s, unit, p->l2);
}

double price_split_lines(const price_region *r)
{
    const double aligned = (double)(int64_t)((r->run + PRICE_LINE - 1) / PRICE_LINE);
    const double more = r->lines - r->pieces * aligned;

    return more > 0 ? more : 0;
}

int64_t price_distance(const ix *f, int64_t i)
{
    static const int64_t zeros[IX_MAX_VARS];

    return llabs(ix_eval(f, i, zeros) - ix_eval(f, 0, zeros));
}

void price_rows_of(price_entry *e, const ix *f, size_t unit)
{
    const int64_t n = f->n;

    f = price_digits_of(f);
    e->rows = n;
    e->mirrored = f->kind == IX_TWO && f->t->src == IX_INDEX;
    if (e->mirrored)
        e->stride = price_distance(f, n - 1) * (int64_t)unit;
    for (int k = 0; f->kind == IX_DIGIT && k < f->nt && e->stride < PRICE_LINE; k++)
        if (f->t[k].src == IX_INDEX) {
            e->stride = price_stride_of(&f->t[k], unit);
            e->rows = f->t[k].ext < n ? f->t[k].ext : n;
        }
}
