// SPDX-License-Identifier: BSD-3-Clause
/* The range of an index function.
 *
 * Digits of the index that form a chain are independent, except at the end of the domain. With F =
 * extremes over all values of the digits below a place and T = extremes over those that occur when
 * the digits above are those of n-1, one digit of value m in n-1 makes
 *     F' = F + coef*[0, ext-1]      T' = (coef*m + T) and, if m > 0, (F + coef*[0, m-1]). */
#include "spl/index/ix_form.h"

typedef struct extremes {
    int64_t lo, hi;
    bool failed;
} extremes;

/* e + coef*[from, to], 0 <= from <= to */
static extremes shift_extremes(extremes e, int64_t coef, int64_t from, int64_t to)
{
    int64_t a, b;
    if (__builtin_mul_overflow(coef, from, &a) || __builtin_mul_overflow(coef, to, &b)
        || __builtin_add_overflow(e.lo, a < b ? a : b, &e.lo)
        || __builtin_add_overflow(e.hi, a < b ? b : a, &e.hi))
        e.failed = true;
    return e;
}

static extremes join_extremes(extremes a, extremes b)
{
    return (extremes){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.failed || b.failed};
}

/* The number of digits of the index, which come first; -1 if they do not form a chain. */
static int chain_length(const ix *f)
{
    int64_t place = 1;
    int k = 0;
    for (; k < f->nt && f->t[k].src == IX_INDEX; k++) {
        if (f->t[k].div % place != 0)
            return -1;
        if (__builtin_mul_overflow(f->t[k].div, f->t[k].ext, &place))
            place = INT64_MAX; /* a top digit: no multiple can follow */
    }
    return k;
}

static extremes chain_bounds(const ix *f, int digits)
{
    extremes all = {0, 0, false}, tight = all;
    const int64_t last = f->n - 1;
    int64_t place = 1;
    for (int k = 0; k < digits; k++) {
        const ix_term *t = &f->t[k];
        if (last % t->div / place > 0) /* a gap of unused digits, which are not all 0 in n-1 */
            tight = all;
        const int64_t m = last / t->div % t->ext;
        tight = shift_extremes(tight, t->coef, m, m);
        if (m > 0)
            tight = join_extremes(tight, shift_extremes(all, t->coef, 0, m - 1));
        all = shift_extremes(all, t->coef, 0, t->ext - 1);
        if (__builtin_mul_overflow(t->div, t->ext, &place))
            place = INT64_MAX;
    }
    return last / place > 0 ? all : tight;
}

static extremes index_bounds(const ix *f)
{
    const int digits = chain_length(f);
    if (digits >= 0)
        return chain_bounds(f, digits);
    extremes e = {0, 0, false};
    if (f->n > IX_TABULATE) {
        for (int k = 0; k < f->nt && f->t[k].src == IX_INDEX; k++)
            e = shift_extremes(e, f->t[k].coef, 0, f->t[k].ext - 1);
        return e;
    }
    for (int64_t i = 1; i < f->n; i++) {
        extremes here = {0, 0, false};
        for (int k = 0; k < f->nt && f->t[k].src == IX_INDEX; k++) {
            const int64_t digit = i / f->t[k].div % f->t[k].ext;
            here = shift_extremes(here, f->t[k].coef, digit, digit);
        }
        e = join_extremes(e, here);
    }
    return e;
}

/* The bounds of f over the indices from .. to alone. Each digit takes the values between its first
 * and its last one, or all if it returns to 0 between them. */
static bool bounds_between(const ix *f, int64_t from, int64_t to, int64_t *lo, int64_t *hi)
{
    extremes e = {0, 0, false};

    if (!ix_bounds(f, lo, hi))
        return false;
    if (f->kind != IX_DIGIT)
        return true;
    e = shift_extremes(e, f->c, 1, 1);
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        const int64_t first = from / t->div, last = to / t->div;
        const bool all = t->src != IX_INDEX || first / t->ext != last / t->ext;
        e = shift_extremes(e, t->coef, all ? 0 : first % t->ext, all ? t->ext - 1 : last % t->ext);
    }
    if (!e.failed && e.lo > *lo)
        *lo = e.lo;
    if (!e.failed && e.hi < *hi)
        *hi = e.hi;
    return true;
}

bool ix_bounds(const ix *f, int64_t *lo, int64_t *hi)
{
    extremes e;
    if (f->kind == IX_TWO || f->kind == IX_TABLE) {
        *lo = f->lo;
        *hi = f->hi;
        return f->lo <= f->hi;
    }
    if (f->kind == IX_OPAQUE) {
        int64_t from, to;
        return ix_bounds(f->inner, &from, &to) && from >= 0 && to < f->outer->n
               && bounds_between(f->outer, from, to, lo, hi);
    }
    e = shift_extremes(index_bounds(f), f->c, 1, 1);
    for (int k = 0; k < f->nt; k++)
        if (f->t[k].src != IX_INDEX)
            e = shift_extremes(e, f->t[k].coef, 0, f->t[k].ext - 1);
    *lo = e.lo;
    *hi = e.hi;
    return !e.failed;
}
