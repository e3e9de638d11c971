// SPDX-License-Identifier: BSD-3-Clause
/* Index functions: runs, inverse, loop variable substitution. Composition is in ix_compose.c. */
#include "spl/index/ix_form.h"

#include <stdlib.h>

#include "core/mem.h"
#include "core/number.h"

/* A divisor of all values that outer o inner adds to the runs of `inner` of length r, so that runs
 * begin at multiples of it. */
static int64_t base_divisor(const ix *inner, int64_t r)
{
    int64_t d = inner->c;
    if (inner->kind != IX_DIGIT)
        return 1;
    for (int k = 0; k < inner->nt; k++) {
        const ix_term *t = &inner->t[k];
        d = core_gcd(d,
                     t->src == IX_INDEX && t->div == 1 ? t->coef * core_gcd(t->ext, r) : t->coef);
    }
    return d;
}

/* A run that holds for both branches and between the places where the digit changes. */
static int64_t two_run(const ix *f, int64_t (*run)(const ix *f))
{
    const int64_t r = core_gcd(run(f->branch[0]), run(f->branch[1]));
    return f->t->src == IX_INDEX ? core_gcd(r, f->t->div) : r;
}

/* Runs end where f(i) - f(i-1) is not 1. For digits these places are the multiples of the steps
 * above 1 (see ix.c), so the run is the greatest common divisor of the steps. */
static int64_t digit_run(const ix *f)
{
    int64_t r = f->n;
    for (int k = 0; k < f->nt && f->t[k].src == IX_INDEX; k++) {
        int64_t end;
        if (!__builtin_mul_overflow(f->t[k].div, f->t[k].ext, &end) && end < f->n)
            r = core_gcd(r, end);
        if (f->t[k].div > 1)
            r = core_gcd(r, f->t[k].div);
    }
    return r;
}

int64_t ix_even(const ix *f)
{
    if (f->kind == IX_TWO)
        return two_run(f, ix_even);
    return f->kind == IX_DIGIT ? digit_run(f) : ix_run(f);
}

int64_t ix_run(const ix *f)
{
    int64_t r = f->n;
    if (f->n == 1)
        return 1;
    if (f->kind == IX_TABLE) {
        for (int64_t i = 1; i < f->n; i++)
            if (f->table[i] != f->table[i - 1] + 1)
                r = core_gcd(r, i);
        return r;
    }
    if (f->kind == IX_TWO)
        return two_run(f, ix_run);
    if (f->kind == IX_OPAQUE) {
        r = core_gcd(ix_run(f->inner), ix_run(f->outer));
        return core_gcd(r, base_divisor(f->inner, r));
    }
    if (f->nt == 0 || f->t[0].src != IX_INDEX || f->t[0].div != 1 || f->t[0].coef != 1)
        return 1;
    return digit_run(f);
}

static int by_weight(const void *a, const void *b)
{
    const int64_t x = llabs(((const ix_term *)a)->coef), y = llabs(((const ix_term *)b)->coef);
    return (x > y) - (x < y);
}

/* Digit permutations: i = SUM div_t dig_t and f = c + SUM coef_t dig_t are both mixed-radix
 * numbers. Digits of negative weight count down: dig = ext-1 - (f div |coef|) mod ext. */
static bool invert_digits(const ix *f, ix_form *inverse)
{
    ix_term t[IX_MAX_TERMS];
    int64_t place = 1, down = 0;
    for (int k = 0; k < f->nt; k++) {
        t[k] = f->t[k];
        if (t[k].src != IX_INDEX || t[k].div != place || llabs(t[k].coef) >= f->n)
            return false;
        place *= t[k].ext;
        down += t[k].coef < 0 ? -t[k].coef * (t[k].ext - 1) : 0;
    }
    if (place != f->n || down != f->c)
        return false;
    qsort(t, (size_t)f->nt, sizeof *t, by_weight);
    ix_form_open(inverse, f->n, f->n, 0);
    place = 1;
    for (int k = 0; k < f->nt; k++) {
        if (llabs(t[k].coef) != place)
            return false;
        place *= t[k].ext;
        const int64_t weight = t[k].coef < 0 ? -t[k].div : t[k].div;
        ix_form_add(inverse, IX_INDEX, llabs(t[k].coef), t[k].ext, weight);
        ix_form_shift(inverse, weight < 0 ? t[k].div * (t[k].ext - 1) : 0);
    }
    return true;
}

enum { INVERT_BY_TABLE = 1 << 20 };

static const ix *invert_table(spl_ctx *ctx, const ix *f)
{
    int64_t *table = core_malloc((size_t)f->n * sizeof *table);
    if (table == NULL)
        return ix_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
    bool bijection = true;
    for (int64_t i = 0; i < f->n; i++)
        table[i] = -1;
    for (int64_t i = 0; i < f->n && bijection; i++) {
        const int64_t y = ix_eval(f, i, NULL);
        bijection = y >= 0 && y < f->n && table[y] < 0;
        if (bijection)
            table[y] = i;
    }
    const ix *inverse = bijection ? ix_table(ctx, f->n, f->n, table) : NULL;
    core_free(table);
    return inverse;
}

const ix *ix_inverse(spl_ctx *ctx, const ix *f)
{
    ix_form inverse;
    if (f == NULL || f->n != f->N || ix_variables(f) != 0)
        return NULL;
    const ix *folded = f->kind == IX_TWO ? ix_fold_inverse(ctx, f) : NULL;
    if (folded != NULL)
        return folded;
    if (f->kind == IX_DIGIT && invert_digits(f, &inverse))
        return ix_form_close(ctx, &inverse);
    return f->n <= INVERT_BY_TABLE || f->kind == IX_TABLE ? invert_table(ctx, f) : NULL;
}

static const ix *split_digits(spl_ctx *ctx, const ix *f, int v, const ix_form *value, int64_t max)
{
    ix_form sum;
    ix_form_open(&sum, f->n, f->N, f->c);
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        if (t->src != v)
            ix_form_add(&sum, t->src, t->div, t->ext, t->coef);
        else if (!ix_form_digit(value, t, max / t->div < t->ext, &sum))
            return NULL;
    }
    return ix_form_close(ctx, &sum);
}

/* Renames v: digits stay digits, wherever they end. */
static const ix *rename_digits(spl_ctx *ctx, const ix *f, const ix_substitution *s)
{
    ix_form sum;
    ix_form_open(&sum, f->n, f->N, f->c);
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        const int64_t values = (s->na - 1) / t->div + 1;
        if (t->src == s->v)
            ix_form_add(&sum, s->va, t->div, values < t->ext ? values : t->ext, t->coef);
        else
            ix_form_add(&sum, t->src, t->div, t->ext, t->coef);
    }
    return ix_form_close(ctx, &sum);
}

const ix *ix_substitute(spl_ctx *ctx, const ix *f, const ix_substitution *s)
{
    ix_form value;
    int64_t max, more;
    ix_form_open(&value, 1, 0, s->c);
    if (f == NULL || !ix_uses(f, s->v))
        return f;
    if (f->kind == IX_OPAQUE)
        return ix_compose(ctx, ix_substitute(ctx, f->outer, s), ix_substitute(ctx, f->inner, s));
    if (f->kind == IX_TWO)
        return ix_two_substitute(ctx, f, s);
    if (s->a < 0 || s->b < 0 || s->c < 0 || s->na < 1 || s->nb < 1
        || __builtin_mul_overflow(s->a, s->na - 1, &max)
        || __builtin_mul_overflow(s->b, s->nb - 1, &more) || __builtin_add_overflow(max, more, &max)
        || __builtin_add_overflow(max, s->c, &max))
        return NULL;
    if (s->a == 1 && s->c == 0 && s->nb == 1)
        return rename_digits(ctx, f, s);
    ix_form_add(&value, s->va, 1, s->na, s->a);
    ix_form_add(&value, s->vb, 1, s->nb, s->b);
    return split_digits(ctx, f, s->v, &value, max);
}

const ix *ix_split_var(spl_ctx *ctx, const ix *f, int v, int va, int64_t na, int64_t a, int vb,
                       int64_t nb, int64_t b)
{
    return ix_substitute(ctx, f, &(ix_substitution){v, va, vb, na, a, nb, b, 0});
}

const ix *ix_shift_var(spl_ctx *ctx, const ix *f, int v, int64_t c, int64_t n)
{
    return ix_substitute(ctx, f, &(ix_substitution){v, v, v, n, 1, 1, 0, c});
}
