// SPDX-License-Identifier: BSD-3-Clause
/* Computes what an access covers while some variables change. Digits are taken in the order of
 * their strides: they form one piece as long as they leave no gap; every later digit multiplies
 * pieces. */
#include <stdlib.h>

#include "spl/price/region.h"

#include "core/number.h"

const ix *price_digits_of(const ix *f)
{
    while (f->kind == IX_OPAQUE)
        f = f->inner;
    return f;
}

typedef struct digit {
    double stride, count;
} digit;

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
        const int64_t values = (s->extent[t->src + 1] + t->div - 1) / t->div;
        const int64_t coef = t->coef < 0 ? -t->coef : t->coef;
        const digit d = {.stride = (double)coef * (double)unit,
                         .count = (double)(values < t->ext ? values : t->ext)};
        if (d.count < 2) {
            *apart = core_gcd(*apart, coef % PRICE_LINE * (int64_t)unit);
            continue;
        }
        int at = count++;
        for (; at > 0 && out[at - 1].stride > d.stride; at--)
            out[at] = out[at - 1];
        out[at] = d;
    }
    return count;
}

/* The region of a function with two branches, each over its part of the span. */
static price_region region_of_two(const ix *f, const price_span *s, size_t unit)
{
    price_span half = *s;
    int64_t *extent = &half.extent[f->t->src + 1];
    const int64_t all = *extent, first = all < f->t->div ? all : f->t->div;

    *extent = all <= f->t->div ? all : all < 2 * f->t->div ? first : all / 2;
    price_region r = price_region_of(f->branch[0], &half, unit);
    if (all <= f->t->div)
        return r;
    *extent = all - *extent;
    const price_region other = price_region_of(f->branch[1], &half, unit);
    r.lines += other.lines;
    r.pieces += other.pieces;
    r.run = other.run < r.run ? other.run : r.run;
    return r;
}

price_region price_region_of(const ix *f, const price_span *s, size_t unit)
{
    f = price_digits_of(f);
    if (f->kind == IX_TWO)
        return region_of_two(f, s, unit);
    digit d[IX_MAX_TERMS];
    int64_t apart = PRICE_LINE;
    const int count = list_digits(f, s, unit, d, &apart);
    price_region r = {.pieces = 1, .run = (double)unit};

    for (int i = 0; i < count; i++) {
        if (r.pieces == 1 && (d[i].stride <= r.run || d[i].stride < PRICE_LINE)) {
            r.run += d[i].stride * (d[i].count - 1);
        } else {
            r.pieces *= d[i].count;
            apart =
                core_gcd(apart, (int64_t)(d[i].stride / (double)unit) % PRICE_LINE * (int64_t)unit);
        }
    }
    const double whole = (double)(int64_t)((r.run + PRICE_LINE - 1) / PRICE_LINE);
    const double lines = apart == PRICE_LINE
                             ? whole
                             : r.run / PRICE_LINE + (double)(PRICE_LINE - apart) / PRICE_LINE;
    r.lines = r.pieces * (lines > 1 ? lines : 1);
    return r;
}

int64_t price_distance(const ix *f, int64_t i)
{
    static const int64_t zeros[IX_MAX_VARS];

    return llabs(ix_eval(f, i, zeros) - ix_eval(f, 0, zeros));
}
