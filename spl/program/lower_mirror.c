// SPDX-License-Identifier: BSD-3-Clause
/* Loops over pairs of rows k and n-k, split so that no row is counted across a run of d rows: with
 * k = d i + j
 *     for k < m-1: .. (1 + k) .. =  for i < m/d: for j < d-1: .. (1 + d i + j) ..
 *                                   for i < m/d - 1: .. (d + d i) ..
 * d divides m. Rows d i + j and n-k = n - d i - j, 0 < j < d, are inside a run each; rows d i begin
 * a run. The order of iterations changes, which is allowed because each writes rows of its own. */
#include "spl/program/lower.h"

/* The statements from x on, with v replaced by outer and inner variables of `runs`, or only for the
 * rows that begin a run. */
typedef struct row_split {
    low *l;
    int v, outer;
    int64_t runs, d; /* runs: all runs */
    bool first;      /* rows that begin a run, except the first run's */
} row_split;

static const ix *split_address(const row_split *t, const ix *f)
{
    spl_ctx *ctx = t->l->ctx;

    if (!t->first)
        return ix_split_var(ctx, f, t->v, t->outer, t->runs, t->d, t->v, t->d - 1, 1);
    f = ix_shift_var(ctx, f, t->v, t->d - 1, t->runs * t->d - t->d);
    return f ? ix_split_var(ctx, f, t->v, t->outer, t->runs - 1, t->d, t->v, 1, 0) : NULL;
}

/* NULL: an address has no such form, or out of memory. */
static low_node *split_nodes(const row_split *t, const low_node *x)
{
    low_node *first = NULL, **at = &first;

    for (; x != NULL; x = x->next, at = &(*at)->next) {
        const ix **f[LOW_FUNCTIONS];
        *at = spl_ctx_get(t->l->ctx, sizeof **at);
        if (*at == NULL)
            return NULL;
        (*at)->s = x->s;
        (*at)->kid = x->kid ? split_nodes(t, x->kid) : NULL;
        if (x->kid && !(*at)->kid)
            return NULL;
        const int count = x->s.op == PROG_LOOP ? 0 : low_functions(&(*at)->s, f);
        for (int i = 0; i < count; i++) {
            *f[i] = split_address(t, *f[i]);
            if (*f[i] == NULL)
                return NULL;
        }
    }
    return first;
}

static low_node *loop_of(low *l, int var, int64_t n, low_node *kid)
{
    low_node *x = kid ? spl_ctx_get(l->ctx, sizeof *x) : NULL;

    if (x == NULL)
        return NULL;
    x->s.op = PROG_LOOP;
    x->s.range = (spl_range){.var = var, .n = n, .kind = SPL_SEQ, .share_var = -1, .grain = 1};
    x->kid = kid;
    return x;
}

/* Splits loop x; false, with nothing changed, if it has no such rows. */
static bool split_loop(low *l, low_node *x, int64_t d, uint32_t taken)
{
    const spl_range r = x->s.range;
    const int outer = low_free_var(&taken);
    row_split t = {.l = l, .v = r.var, .outer = outer, .runs = (r.n + 1) / d, .d = d};

    if (outer < 0 || r.kind != SPL_SEQ || r.share_var >= 0 || low_is_shared(x->kid, r.var)
        || (r.n + 1) % d != 0 || t.runs < 2 || d < 2)
        return false;
    low_node *inside = loop_of(l, r.var, d - 1, split_nodes(&t, x->kid));
    t.first = true;
    low_node *begins = loop_of(l, outer, t.runs - 1, split_nodes(&t, x->kid));
    if (inside == NULL || begins == NULL)
        return false;
    begins->next = x->next;
    begins->sum = x->sum;
    x->s.range =
        (spl_range){.var = outer, .n = t.runs, .kind = SPL_SEQ, .share_var = -1, .grain = 1};
    x->kid = inside;
    x->next = begins;
    return true;
}

/* The number of elements between rows of `var`, of which f may select one; 0: it has no such
 * digit. */
static int64_t distance_of_rows(const ix *f, int var)
{
    int64_t distance = 0;

    f = f->kind == IX_TWO ? f->branch[0] : f;
    for (int i = 0; f->kind == IX_DIGIT && i < f->nt; i++)
        if (f->t[i].src == var && f->t[i].div == 1)
            distance = f->t[i].coef < 0 ? -f->t[i].coef : f->t[i].coef;
    return distance;
}

static bool split_from(low *l, low_node *x, int buffer, int64_t run, uint32_t around)
{
    bool any = false;

    for (; x != NULL; x = x->next) {
        if (x->s.op != PROG_LOOP)
            continue;
        const int var = x->s.range.var;
        const uint32_t inside = around | (uint32_t)1 << var;
        const prog_stmt *leaf = low_nest_leaf(x) ? &low_nest_leaf(x)->s : NULL;
        const bool uses = leaf && leaf->op == PROG_KERN && !leaf->at_once
                          && (leaf->in == buffer) != (leaf->out == buffer);
        const int64_t row =
            uses ? distance_of_rows(leaf->in == buffer ? leaf->fin : leaf->fout, var) : 0;
        const bool split =
            row > 0 && run % row == 0
            && split_loop(l, x, run / row,
                          inside | low_bound_variables(x->kid) | low_bound_variables(x->next));
        const bool within = !uses && split_from(l, x->kid, buffer, run, inside);
        x = split ? x->next : x;
        any = any || split || within;
    }
    return any;
}

bool low_split_mirrored(low *l, int buffer, int64_t run)
{
    return split_from(l, l->root->kid, buffer, run, 0);
}
