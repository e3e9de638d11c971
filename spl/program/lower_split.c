// SPDX-License-Identifier: BSD-3-Clause
/* Splits loops around several statements where a digit of their variable ends in an address below:
 * for k < a d becomes for k1 < a, for k2 < d with k = d k1 + k2. The order of iterations stays the
 * same; addresses become linear in the new variables. (Loops around one kernel may be changed
 * further: lower_coalesce.c.) */
#include "spl/program/lower.h"

#include "core/number.h"

typedef struct cut {
    spl_ctx *ctx;
    int var;          /* of the loop */
    int64_t n, d;     /* its length, the boundary */
    int outer, inner; /* the new variables */
    bool failed;
} cut;

uint32_t low_bound_variables(const low_node *x)
{
    uint32_t used = 0;

    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP)
            used |= (uint32_t)1 << x->s.range.var | low_bound_variables(x->kid);
    return used;
}

/* The smallest digit boundary of the loop's variable in any address below x; best: the smallest so
 * far, 0 none. */
static int64_t subtree_boundary(low_node *x, const spl_range *r, bool alone, int64_t best)
{
    for (; x != NULL; x = x->next) {
        const ix **f[LOW_FUNCTIONS];
        if (x->s.op == PROG_LOOP) {
            best = subtree_boundary(x->kid, r, alone, best);
            continue;
        }
        const int count = low_functions(&x->s, f);
        for (int i = 0; i < count; i++) {
            const int64_t d = low_boundary(*f[i], r, alone);
            if (d > 0 && (best == 0 || d < best))
                best = d;
        }
    }
    return best;
}

/* Rewrites every address below x, or, with `try`, only checks that this is possible. */
static void rewrite_addresses(cut *c, low_node *x, bool try)
{
    for (; x != NULL && !c->failed; x = x->next) {
        const ix **f[LOW_FUNCTIONS];
        if (x->s.op == PROG_LOOP) {
            rewrite_addresses(c, x->kid, try);
            continue;
        }
        const int count = low_functions(&x->s, f);
        for (int i = 0; i < count; i++) {
            const ix *g =
                ix_split_var(c->ctx, *f[i], c->var, c->outer, c->n / c->d, c->d, c->inner, c->d, 1);
            c->failed = c->failed || g == NULL;
            if (!try && g != NULL)
                *f[i] = g;
        }
    }
}

static bool split_at(spl_ctx *ctx, low_node *x, int64_t d, uint32_t taken)
{
    const spl_range r = x->s.range;
    cut c = {.ctx = ctx, .var = r.var, .n = r.n, .d = d};

    c.outer = low_free_var(&taken);
    c.inner = low_free_var(&taken);
    if (c.outer < 0 || c.inner < 0)
        return false;
    rewrite_addresses(&c, x->kid, true);
    if (c.failed)
        return false;
    rewrite_addresses(&c, x->kid, false);
    low_node *inside = spl_ctx_get(ctx, sizeof *inside);
    if (inside == NULL)
        return false;
    inside->s = x->s;
    inside->kid = x->kid;
    inside->s.range =
        (spl_range){.var = c.inner, .n = d, .kind = r.kind, .share_var = -1, .grain = 1};
    x->s.range =
        (spl_range){.var = c.outer, .n = r.n / d, .kind = r.kind, .share_var = -1, .grain = 1};
    x->kid = inside;
    low_distribute(&r, d, &x->s.range, &inside->s.range);
    return true;
}

/* Splits loop x at its smallest boundary, if it has one; x becomes the outer loop. */
static bool split_once(spl_ctx *ctx, low_node *x, uint32_t around, bool alone)
{
    const spl_range *r = &x->s.range;
    const uint32_t taken = around | low_bound_variables(x->kid) | (uint32_t)1 << r->var;

    if (r->kind != SPL_SEQ || low_is_shared(x->kid, r->var))
        return false;
    const int64_t d = subtree_boundary(x->kid, r, alone, 0);
    return d > 0 && split_at(ctx, x, d, taken);
}

static void split_loops(spl_ctx *ctx, low_node *x, uint32_t around, bool in_par)
{
    const bool alone = in_par && x != NULL && x->next == NULL;

    for (; x != NULL && spl_ctx_status(ctx, NULL) == SLUICE_OK; x = x->next) {
        if (x->s.op != PROG_LOOP || low_nest_leaf(x) != NULL)
            continue;
        while (split_once(ctx, x, around | low_bound_variables(x->next), alone))
            continue;
        split_loops(ctx, x->kid, around | (uint32_t)1 << x->s.range.var,
                    x->s.range.kind == SPL_PAR);
    }
}

static bool has_digits(const ix *f)
{
    return f->kind == IX_DIGIT
           || (f->kind == IX_TWO && has_digits(f->branch[0]) && has_digits(f->branch[1]));
}

/* The length of the runs at constant steps on both sides, for a kernel that only moves elements; 0:
 * all elements are one run, or it is no such kernel, or it works in place. */
static int64_t constant_step_run(const prog_stmt *s)
{
    int64_t step;
    if (s->op != PROG_KERN || s->kernel != SPL_I || s->ntwiddles > 0 || s->in == s->out
        || s->fin->n != s->n || s->fout->n != s->n || !has_digits(s->fin) || !has_digits(s->fout)
        || (ix_linear(s->fin, IX_INDEX, s->n, &step) && ix_linear(s->fout, IX_INDEX, s->n, &step)))
        return 0;
    const int64_t run = core_gcd(ix_even(s->fin), ix_even(s->fout));
    return run < s->n ? run : 0;
}

/* Such a kernel becomes a loop over its runs: I(n) = SUM(k<n/r) S(h_{kr,1}) I(r) G(h_{kr,1}). */
static void loop_over_runs(spl_ctx *ctx, low_node *x, int64_t run, uint32_t taken)
{
    low_node *kid = spl_ctx_get(ctx, sizeof *kid);
    const int var = low_free_var(&taken);
    const ix_term row[] = {{var, 1, x->s.n / run, run}, {IX_INDEX, 1, run, 1}};
    const ix *h = var < 0 ? NULL : ix_digit(ctx, run, x->s.n, 0, 2, row);

    if (kid == NULL || h == NULL)
        return;
    kid->s = x->s;
    kid->s.n = run;
    kid->s.fin = ix_compose(ctx, x->s.fin, h);
    kid->s.fout = ix_compose(ctx, x->s.fout, h);
    x->s = (prog_stmt){.op = PROG_LOOP,
                       .range = {.var = var, .n = h->N / run, .share_var = -1, .grain = 1}};
    x->kid = kid;
}

static void split_moves(spl_ctx *ctx, low_node *x, uint32_t around)
{
    for (; x != NULL; x = x->next) {
        const int64_t run = x->s.op == PROG_LOOP ? 0 : constant_step_run(&x->s);
        if (x->s.op == PROG_LOOP)
            split_moves(ctx, x->kid, around | (uint32_t)1 << x->s.range.var);
        else if (run > 0)
            loop_over_runs(ctx, x, run, around | low_bound_variables(x->next));
    }
}

void low_split(low *l)
{
    split_moves(l->ctx, l->root->kid, 0);
    split_loops(l->ctx, l->root->kid, 0, false);
}
