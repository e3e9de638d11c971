// SPDX-License-Identifier: BSD-3-Clause
/* Loops whose variable selects one of two functions become two, one for each:
 *     for k < n: .. f(k < d ? f0 : f1) ..  =  for k < d: .. f0 ..; for k < n - d: .. f1(d + k) ..
 * Loops in which the digit changes more than once are first split until this holds, if they can be
 * (lower_coalesce.c, lower_split.c). If the number of iterations is odd, the last one is split off
 * first. */
#include "spl/program/lower.h"

/* The iteration at which the digit of a row changes. f counts rows of `inner`, which are steps of
 * the loop's variable, because all other terms together stay below one step. The middle of an odd
 * number of rows is not a digit of the variable. */
static int64_t turn_of_rows(const ix *f, const spl_range *r)
{
    const ix *rows = f->inner;
    int64_t step = 0, rest = 0;
    if (f->outer->kind != IX_TWO || f->outer->t->src != IX_INDEX || rows->kind != IX_DIGIT)
        return 0;
    for (int i = 0; i < rows->nt; i++) {
        const ix_term *t = &rows->t[i];
        if (t->src == r->var && (step != 0 || t->div != 1 || t->ext < r->n))
            return 0;
        if (t->src == r->var)
            step = t->coef;
        else if (t->coef < 0)
            return 0;
        else
            rest += t->coef * (t->ext - 1);
    }
    const int64_t row = f->outer->t->div;
    if (step <= 0 || rest >= step || rows->c < 0 || rows->c % step != 0 || row % step != 0)
        return 0;
    const int64_t turn = (row - rows->c % row) / step;
    return turn < r->n && r->n <= turn + row / step ? turn : 0;
}

int64_t low_switch_iteration(const ix *f, const spl_range *r)
{
    if (f->kind == IX_OPAQUE)
        return turn_of_rows(f, r);
    if (f->kind != IX_TWO)
        return 0;
    if (f->t->src == r->var && f->t->div < r->n && r->n <= 2 * f->t->div)
        return f->t->div;
    const int64_t d = low_switch_iteration(f->branch[0], r);
    return d > 0 ? d : low_switch_iteration(f->branch[1], r);
}

/* With an odd number of iterations no digit selects a function, but there may be one for all
 * iterations except the last. Returns the last iteration; 0: there is no such digit either. */
static int64_t odd_one_of(low *l, const ix *f, const spl_range *r)
{
    if (f->kind != IX_OPAQUE || r->n % 2 == 0 || r->n == 1 || !ix_uses(f, r->var))
        return 0;
    const ix *even = ix_shift_var(l->ctx, f, r->var, 0, r->n - 1);
    return even != NULL && even->kind == IX_TWO ? r->n - 1 : 0;
}

/* The iteration at which a function changes in the statements from x on, or, with `odd`, the odd
 * iteration. Iterations that run at once are not divided: each may overwrite what any other
 * reads. */
static int64_t find_inside(low *l, low_node *x, const spl_range *r, bool odd)
{
    int64_t d = 0;
    for (; x != NULL && d == 0; x = x->next) {
        const ix **f[LOW_FUNCTIONS];
        if (x->s.op == PROG_LOOP) {
            d = find_inside(l, x->kid, r, odd);
            continue;
        }
        const int count = x->s.at_once ? 0 : low_functions(&x->s, f);
        for (int i = 0; i < count && d == 0; i++)
            d = odd ? odd_one_of(l, *f[i], r) : low_switch_iteration(*f[i], r);
    }
    return d;
}

/* The statements from x on with variable v running over `count` values from c on; NULL: some
 * address cannot be divided there, or out of memory. */
static low_node *restrict_to_run(low *l, const low_node *x, int v, int64_t c, int64_t count)
{
    low_node *first = NULL, **at = &first;
    for (; x != NULL; x = x->next, at = &(*at)->next) {
        const ix **f[LOW_FUNCTIONS];
        *at = spl_ctx_get(l->ctx, sizeof **at);
        if (*at == NULL)
            return NULL;
        (*at)->s = x->s;
        if (x->s.op == PROG_LOOP) {
            (*at)->kid = restrict_to_run(l, x->kid, v, c, count);
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

/* The iteration at which loop x becomes two; 0: none. `alone`: x may be the only statement of its
 * parts. With shares, the odd iteration belongs to the last part, and the shares of the others
 * begin at even iterations. */
static int64_t place_to_peel(low *l, low_node *x, bool alone)
{
    const spl_range *r = &x->s.range;
    if ((r->kind != SPL_SEQ && r->kind != SPL_VEC) || low_is_shared(x->kid, r->var))
        return 0;
    const int64_t d = r->share_var < 0 ? find_inside(l, x->kid, r, false) : 0;
    return d > 0 || (r->share_var >= 0 && !alone) ? d : find_inside(l, x->kid, r, true);
}

/* x becomes the loop over the first part, followed by one over the rest. */
static bool peel_loop(low *l, low_node *x, bool alone)
{
    const spl_range r = x->s.range;
    const int64_t d = place_to_peel(l, x, alone);
    low_node *rest = d > 0 ? spl_ctx_get(l->ctx, sizeof *rest) : NULL;
    if (rest == NULL)
        return false;
    low_node *low_half = restrict_to_run(l, x->kid, r.var, 0, d);
    *rest = *x;
    rest->kid = restrict_to_run(l, x->kid, r.var, d, r.n - d);
    rest->s.range.n = r.n - d;
    if (low_half == NULL || rest->kid == NULL)
        return false;
    x->kid = low_half;
    x->s.range.n = d;
    if (r.share_var >= 0 && r.grain % 2 != 0)
        x->s.range.grain = 2 * r.grain;
    x->next = rest;
    return true;
}

static bool peel_all(low *l, low_node *x, bool in_par)
{
    const bool alone = in_par && x != NULL && x->next == NULL;
    bool any = false;
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP) {
            any = peel_loop(l, x, alone) || any;
            any = peel_all(l, x->kid, x->s.range.kind == SPL_PAR) || any;
        }
    return any;
}

bool low_peel(low *l)
{
    return peel_all(l, l->root->kid, false);
}
