// SPDX-License-Identifier: BSD-3-Clause
/* Loops whose variable tells two functions apart become two, one for each:
 *     for k < n: .. f(k < d ? f0 : f1) ..  =  for k < d: .. f0 ..; for k < n - d: .. f1(d + k) ..
 * Other loops, over more than both halves of the digit, are split until this holds if they can be
 * (prog_coalesce.c, lower_split.c). */
#include "spl/program/lower.h"

/* Where the variable's digit in f, or in a branch of it, turns from 0 to 1 for the last time; 0:
 * nowhere. */
static int64_t turn_of(const ix *f, const spl_range *r)
{
    if (f->kind != IX_TWO)
        return 0;
    if (f->t->src == r->var && f->t->div < r->n && r->n <= 2 * f->t->div)
        return f->t->div;
    const int64_t d = turn_of(f->branch[0], r);
    return d > 0 ? d : turn_of(f->branch[1], r);
}

static int64_t turn_inside(low_node *x, const spl_range *r)
{
    int64_t d = 0;
    for (; x != NULL && d == 0; x = x->next) {
        const ix **f[LOW_FUNCTIONS];
        if (x->s.op == PROG_LOOP) {
            d = turn_inside(x->kid, r);
            continue;
        }
        const int count = low_functions(&x->s, f);
        for (int i = 0; i < count && d == 0; i++)
            d = turn_of(*f[i], r);
    }
    return d;
}

/* The statements from x on with variable v running over `count` values from c on; NULL: some
 * address does not divide there, or memory ran out. */
static low_node *part_of(low *l, const low_node *x, int v, int64_t c, int64_t count)
{
    low_node *first = NULL, **at = &first;
    for (; x != NULL; x = x->next, at = &(*at)->next) {
        const ix **f[LOW_FUNCTIONS];
        *at = spl_ctx_get(l->ctx, sizeof **at);
        if (*at == NULL)
            return NULL;
        (*at)->s = x->s;
        if (x->s.op == PROG_LOOP) {
            (*at)->kid = part_of(l, x->kid, v, c, count);
            if ((*at)->kid == NULL)
                return NULL;
            continue;
        }
        const int functions = low_functions(&(*at)->s, f);
        for (int i = 0; i < functions; i++) {
            *f[i] = ix_shift_var(l->ctx, *f[i], v, c, count);
            if (*f[i] == NULL)
                return NULL;
        }
    }
    return first;
}

/* x becomes the loop over the first half, with one over the second behind it. */
static bool peel(low *l, low_node *x)
{
    const spl_range r = x->s.range;
    const bool plain = r.kind == SPL_SEQ && r.share_var < 0 && !low_is_shared(x->kid, r.var);
    const int64_t d = plain ? turn_inside(x->kid, &r) : 0;
    low_node *rest = d > 0 ? spl_ctx_get(l->ctx, sizeof *rest) : NULL;
    if (rest == NULL)
        return false;
    low_node *low_half = part_of(l, x->kid, r.var, 0, d);
    *rest = *x;
    rest->kid = part_of(l, x->kid, r.var, d, r.n - d);
    rest->s.range.n = r.n - d;
    if (low_half == NULL || rest->kid == NULL)
        return false;
    x->kid = low_half;
    x->s.range.n = d;
    x->next = rest;
    return true;
}

static bool peel_all(low *l, low_node *x)
{
    bool any = false;
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP) {
            any = peel(l, x) || any;
            any = peel_all(l, x->kid) || any;
        }
    return any;
}

bool low_peel(low *l)
{
    return peel_all(l, l->root->kid);
}
