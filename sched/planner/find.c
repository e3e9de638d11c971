// SPDX-License-Identifier: BSD-3-Clause
/* Candidates for a place come from three sources: chains of stages (rules dft-stockham, dft-dif and
 * dft-tiles, whose choices a dynamic program searches, radix.c); convolutions, if n has a prime
 * factor without codelet (rules dft-bluestein and dft-rader, bluestein.c); and the rules of the
 * target's table that are of the group SPL_PLANNED, by their own choices. */
#include "sched/planner/find.h"

#include "core/status.h"
#include "sched/planner/bluestein.h"
#include "spl/rules/rewrite.h"

/* Choices of one rule that are priced. */
enum { MAX_CHOICES = 8 };

/* Keeps the lists whose stages all have at least min_columns columns; all lists if there is
 * none. */
static int keep_wide_stages(const sched_target *t, int64_t n, sched_radices *list, int count)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        bool fits = list[i].count > 1;
        for (int q = 0; q < list[i].count; q++)
            fits = fits && n / list[i].radix[q] >= t->min_columns;
        if (fits)
            list[kept++] = list[i];
    }
    return kept > 0 ? kept : count;
}

static void find_chains(sched_target *t, const sched_place *at, sched_list *out)
{
    sched_radices list[SCHED_MAX_CANDIDATES];
    sched_radix_model model = sched_model(t, at->columns, at->batch);
    sluice_diag why = {0};
    int count = 0;

    model.contiguous = t->contiguous && at->columns == 1;
    model.use_as_single = t->use_as_single;
    model.largest = t->same_layout ? SCHED_MAX_UNTWIDDLED : SCHED_MAX_RADIX;
    const sluice_status status =
        sched_radices_find(&model, at->n, list, SCHED_MAX_CANDIDATES, &count, &why);
    if (status != SLUICE_OK)
        spl_refuse(t->ctx, status, "%s", why.message);
    if (t->min_columns > 0 && count > 0)
        count = keep_wide_stages(t, at->n, list, count);
    for (int i = 0; i < count; i++)
        sched_list_insert(t->ctx, out, sched_stockham(t, &list[i], at->columns));
}

/* Adds the cheapest tree of a smaller transform as the next kid. */
static bool add_cheapest_kid(sched_target *t, const sched_place *at, sched_tree *tree)
{
    sched_list list;

    if (at->n >= tree->n || tree->nkids == SLUICE_MAX_RANK)
        return false;
    sched_find(t, at, &list);
    if (list.count == 0)
        return false;
    tree->kid[tree->nkids++] = list.tree[0];
    tree->cycles += (double)at->batch * list.tree[0]->cycles;
    return true;
}

/* Prices x on l columns, `batch` times. Permutations and diagonals cost nothing: they merge into
 * the stages. False if a transform has no tree. */
static bool price_factors(sched_target *t, const spl *x, int64_t l, int64_t batch, sched_tree *tree)
{
    bool priced = x != NULL;

    if (!x || spl_complete(x))
        return priced;
    for (int i = 0; x->op == SPL_MUL && i < x->nkids && priced; i++)
        priced = price_factors(t, x->kid[i], l, batch, tree);
    if (x->op == SPL_MUL)
        return priced;
    const spl_view v = spl_view_of(x);
    if (v.nmid > 1)
        return price_factors(t, spl_rule_apply(t->ctx, &spl_row_column, x, NULL), l, batch, tree);
    const spl *middle = v.nmid ? v.mid[0] : v.base;
    if (middle->op == SPL_TRANSFORM) {
        const sched_place at = {(spl_kind)middle->a[1], middle->a[0], v.b * l, v.a * batch};
        return add_cheapest_kid(t, &at, tree);
    }
    return middle->op == SPL_MUL && price_factors(t, middle, v.b * l, v.a * batch, tree);
}

static void find_by_rule(sched_target *t, const spl_rule *rule, const sched_place *at,
                         sched_list *out)
{
    const spl *x = spl_transform_node(t->ctx, at->kind, at->n);
    spl_params choice[MAX_CHOICES] = {{{0}}};
    const int count = !x ? 0 : rule->choices ? rule->choices(x, choice, MAX_CHOICES) : 1;

    for (int i = 0; i < count; i++) {
        sched_tree tree = {.rule = rule, .params = choice[i], .n = at->n};
        const spl *made =
            rule->guard(x, &choice[i], NULL) ? rule->build(t->ctx, x, &choice[i]) : NULL;
        if (made && price_factors(t, made, at->columns, 1, &tree))
            sched_list_insert(t->ctx, out, &tree);
    }
}

/* A rule has no tree if one of its smaller transforms has none. */
static void find_by_rules(sched_target *t, const sched_place *at, sched_list *out)
{
    const bool allow_none = t->allow_none;

    t->allow_none = true;
    for (const spl_rule *const *rule = t->rules; *rule; rule++)
        if ((*rule)->group == SPL_PLANNED)
            find_by_rule(t, *rule, at, out);
    t->allow_none = allow_none;
}

void sched_find(sched_target *t, const sched_place *at, sched_list *out)
{
    out->count = 0;
    find_chains(t, at, out);
    if (out->count == 0 && spl_ctx_status(t->ctx, NULL) == SLUICE_OK)
        sched_find_convolutions(t, at->n, at->columns, out);
    find_by_rules(t, at, out);
    if (out->count == 0 && !t->allow_none)
        spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED,
                   "DFT_%lld has a prime factor without codelet and is too long for a chirp",
                   (long long)at->n);
}
