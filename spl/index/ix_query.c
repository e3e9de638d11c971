// SPDX-License-Identifier: BSD-3-Clause
/* Queries of index functions: values, the variables they depend on, where they are linear. */
#include "spl/index/ix.h"

#include <string.h>

/* value / div % ext. Planning spends most of its time in divisions, which are often not needed. */
static int64_t digit_of(const ix_term *t, int64_t value)
{
    const int64_t quotient = t->div == 1 ? value : value / t->div;
    return (uint64_t)quotient < (uint64_t)t->ext ? quotient : quotient % t->ext;
}

int64_t ix_eval(const ix *f, int64_t i, const int64_t *vars)
{
    if (f->kind == IX_TABLE)
        return f->table[i];
    if (f->kind == IX_OPAQUE)
        return ix_eval(f->outer, ix_eval(f->inner, i, vars), vars);
    if (f->kind == IX_TWO)
        return ix_eval(f->branch[(f->t->src == IX_INDEX ? i : vars[f->t->src]) / f->t->div % 2], i,
                       vars);
    int64_t y = f->c;
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        y += t->coef * digit_of(t, t->src == IX_INDEX ? i : vars[t->src]);
    }
    return y;
}

/* The terms of other sources are evaluated once. */
static void eval_digits(const ix *f, int src, int64_t index, int64_t count, int64_t *x,
                        const int64_t *vars)
{
    ix_term own[IX_MAX_TERMS];
    int64_t c = f->c;
    int terms = 0;

    for (int k = 0; k < f->nt; k++) {
        const ix_term t = f->t[k];
        if (t.src == src)
            own[terms++] = t;
        else
            c += t.coef * digit_of(&t, t.src == IX_INDEX ? index : vars[t.src]);
    }
    const bool linear = terms == 1 && src == IX_INDEX && own[0].div == 1 && own[0].ext >= f->n;
    for (int64_t i = 0; i < count && linear; i++)
        x[i] = c + own[0].coef * x[i];
    for (int64_t i = 0; i < count && !linear; i++) {
        int64_t y = c;
        for (int k = 0; k < terms; k++)
            y += own[k].coef * digit_of(&own[k], x[i]);
        x[i] = y;
    }
}

void ix_eval_many(const ix *f, int src, int64_t index, int64_t count, int64_t *x,
                  const int64_t *vars)
{
    if (f->kind == IX_DIGIT) {
        eval_digits(f, src, index, count, x, vars);
    } else if (f->kind == IX_OPAQUE && (src == IX_INDEX || !ix_uses(f->outer, src))) {
        ix_eval_many(f->inner, src, index, count, x, vars);
        ix_eval_many(f->outer, IX_INDEX, 0, count, x, vars);
    } else if (f->kind == IX_TABLE && src == IX_INDEX) {
        for (int64_t i = 0; i < count; i++)
            x[i] = f->table[x[i]];
    } else if (src == IX_INDEX) {
        for (int64_t i = 0; i < count; i++)
            x[i] = ix_eval(f, x[i], vars);
    } else {
        int64_t own[IX_MAX_VARS];
        memcpy(own, vars, sizeof own);
        for (int64_t i = 0; i < count; i++) {
            own[src] = x[i];
            x[i] = ix_eval(f, index, own);
        }
    }
}

uint32_t ix_variables(const ix *f)
{
    if (f->kind == IX_OPAQUE)
        return ix_variables(f->outer) | ix_variables(f->inner);
    uint32_t mask = 0;
    if (f->kind == IX_TWO)
        mask = ix_variables(f->branch[0]) | ix_variables(f->branch[1]);
    for (int k = 0; k < f->nt; k++)
        if (f->t[k].src != IX_INDEX)
            mask |= UINT32_C(1) << f->t[k].src;
    return mask;
}

bool ix_uses(const ix *f, int src)
{
    if (src != IX_INDEX)
        return ix_variables(f) >> src & 1;
    if (f->kind == IX_OPAQUE)
        return ix_uses(f->inner, src);
    if (f->kind == IX_TWO)
        return f->t->src == IX_INDEX || ix_uses(f->branch[0], src) || ix_uses(f->branch[1], src);
    return f->kind == IX_TABLE || (f->nt > 0 && f->t[0].src == IX_INDEX);
}

bool ix_linear(const ix *f, int src, int64_t range, int64_t *coef)
{
    *coef = 0;
    if (!ix_uses(f, src))
        return true;
    if (f->kind == IX_TWO) {
        int64_t other;
        return f->t->src != src && ix_linear(f->branch[0], src, range, coef)
               && ix_linear(f->branch[1], src, range, &other) && *coef == other;
    }
    if (f->kind != IX_DIGIT)
        return false;
    int digits = 0;
    bool whole = false;
    for (int k = 0; k < f->nt; k++)
        if (f->t[k].src == src) {
            digits++;
            whole = f->t[k].div == 1 && f->t[k].ext >= range;
            *coef = f->t[k].coef;
        }
    return digits == 1 && whole;
}

bool ix_is_identity(const ix *f)
{
    if (f->kind != IX_DIGIT || f->n != f->N || f->c != 0)
        return false;
    if (f->n == 1)
        return f->nt == 0;
    return f->nt == 1 && f->t[0].src == IX_INDEX && f->t[0].div == 1 && f->t[0].ext == f->n
           && f->t[0].coef == 1;
}
