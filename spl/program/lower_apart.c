// SPDX-License-Identifier: BSD-3-Clause
/* Iterations with disjoint slots. An example are rows of a batch in place if a row of complex
 * numbers is larger than the reals it is made of. The region that an iteration reads need not be
 * the one that it writes if both lie in a slot of the iteration,
 *     SUM of terms in variables of the loops around  +  [lo, hi]
 * with the same terms for reads and writes, whose different values are more than hi - lo apart. */
#include "spl/index/ix_form.h"
#include "spl/program/lower.h"

#include <stdlib.h>

typedef struct slot {
    int64_t lo, hi;
    int outers;
    ix_term outer[IX_MAX_TERMS];
    bool begun, failed;
} slot;

/* The function without its terms in outer variables, which go to s; NULL: it is not a digit
 * form. */
static const ix *inner_part(spl_ctx *ctx, const ix *f, uint32_t inner, slot *s)
{
    ix_term t[IX_MAX_TERMS];
    int n = 0;
    s->outers = 0;
    for (int i = 0; f->kind == IX_DIGIT && i < f->nt; i++)
        if (f->t[i].src == IX_INDEX || (inner >> f->t[i].src & 1) != 0)
            t[n++] = f->t[i];
        else
            s->outer[s->outers++] = f->t[i];
    return f->kind == IX_DIGIT ? ix_digit(ctx, f->n, f->N, f->c, n, t) : NULL;
}

/* Widens the slot so that it contains the places of f. */
static void widen_slot(spl_ctx *ctx, const ix *f, uint32_t inner, slot *s)
{
    if (f != NULL && f->kind == IX_TWO) {
        widen_slot(ctx, f->branch[0], inner, s);
        widen_slot(ctx, f->branch[1], inner, s);
        return;
    }
    slot one = {.begun = true};
    const ix *part = f == NULL ? NULL : inner_part(ctx, f, inner, &one);
    if (part == NULL || !ix_bounds(part, &one.lo, &one.hi)
        || (s->begun && !ix_same_terms(s->outer, s->outers, one.outer, one.outers))) {
        s->failed = true;
        return;
    }
    if (s->begun) {
        one.lo = s->lo < one.lo ? s->lo : one.lo;
        one.hi = s->hi > one.hi ? s->hi : one.hi;
    }
    one.failed = s->failed;
    *s = one;
}

/* Widens the slot by the places that x's first stage reads, or its last one writes. */
static void widen_by_stage(spl_ctx *ctx, const spl *x, low_address p, bool in, uint32_t inner,
                           slot *s)
{
    const spl *const *kid;
    for (; x->op == SPL_LOOP; x = x->kid[0])
        inner |= (uint32_t)1 << spl_range_of(x).var;
    for (int i = 0; x->op == SPL_PLUS && i < x->nkids; i++)
        widen_by_stage(ctx, x->kid[i], p, in, inner, s);
    if (x->op == SPL_PLUS)
        return;
    const int count = spl_factors(&x, &kid);
    low_stage st = low_stage_cut(kid, count);
    while (!in && st.lo > 0 && st.lo < st.hi)
        st = low_stage_cut(kid, st.lo);
    p = low_through_stage(ctx, p, kid, &st, in);
    if (st.lo == st.hi || p.f == NULL)
        s->failed = true;
    else if (st.has_core && spl_is_loop_or_sum(kid[st.core]))
        widen_by_stage(ctx, kid[st.core], p, in, inner, s);
    else
        widen_slot(ctx, p.f, inner, s);
}

static int by_distance(const void *a, const void *b)
{
    const int64_t x = ((const ix_term *)a)->coef, y = ((const ix_term *)b)->coef;
    return (x > y) - (x < y);
}

/* Are different values of the outer terms more than `length` apart? */
static bool are_far(slot *s, int64_t length)
{
    int64_t below = length;
    qsort(s->outer, (size_t)s->outers, sizeof *s->outer, by_distance);
    for (int i = 0; i < s->outers; i++) {
        const ix_term *t = &s->outer[i];
        int64_t max;
        if (t->coef <= below || __builtin_mul_overflow(t->coef, t->ext - 1, &max)
            || __builtin_add_overflow(below, max, &below))
            return false;
    }
    return true;
}

bool low_apart(spl_ctx *ctx, const spl *x, low_address in, low_address out)
{
    slot reads = {.begun = false}, both;
    widen_by_stage(ctx, x, in, true, 0, &reads);
    both = reads;
    widen_by_stage(ctx, x, out, false, 0, &both);
    return !both.failed && both.outers > 0 && are_far(&both, both.hi - both.lo);
}
