// SPDX-License-Identifier: BSD-3-Clause
/* Candidates for a place come from three sources: chains of stages (rules dft-stockham, dft-dif and
 * dft-tiles, whose choices a dynamic program searches, radix.c); convolutions, if n has a prime
 * factor without codelet (rules dft-bluestein and dft-rader, bluestein.c); and the rules of the
 * target's table that are of the group SPL_PLANNED, by their own choices. */
#include "sched/planner/find.h"

#include "core/status.h"
#include "sched/planner/bluestein.h"
#include "sched/planner/stage_price.h"
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

/* The transform of reals as one codelet, if its numbers lie side by side. */
static void find_leaf(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_radix_model model = sched_model(t, at->columns, at->batch);

    if (t->use_as_single != BACKEND_SINGLE)
        return;
    model.contiguous = t->contiguous && at->columns == 1;
    model.use_as_single = BACKEND_SINGLE;
    model.largest = SCHED_MAX_UNTWIDDLED;
    const sched_prices prices = sched_prices_of(&model, at->n);
    const sched_tree leaf = {.n = at->n, .cycles = sched_single_cycles(&prices, (int)at->kind)};
    if (leaf.cycles > 0)
        sched_list_insert(t->ctx, out, &leaf);
}

/* A tree while it is made, for a transform in its place. */
typedef struct growth {
    sched_target *t;
    const sched_place *at;
    sched_tree tree;
    sched_list last; /* candidates for the last kid, of which it has the cheapest */
    int64_t batch;   /* how often that is computed */
} growth;

/* A kid is smaller, or a DFT where the place has another kind. */
static bool is_progress(const growth *g, const sched_place *kid)
{
    return kid->n < g->at->n
           || (kid->n == g->at->n && kid->kind <= SPL_IDFT && g->at->kind > SPL_IDFT);
}

/* Adds the cheapest tree of a transform as the next kid. */
static bool add_cheapest_kid(growth *g, const sched_place *at)
{
    if (!is_progress(g, at) || g->tree.nkids == SLUICE_MAX_RANK)
        return false;
    sched_find(g->t, at, &g->last);
    if (g->last.count == 0)
        return false;
    g->batch = at->batch;
    g->tree.kid[g->tree.nkids++] = g->last.tree[0];
    g->tree.cycles += (double)at->batch * g->last.tree[0]->cycles;
    return true;
}

/* A pass over m points and their columns, read and written once. */
static double pass_cycles(const growth *g, int64_t m, int64_t l)
{
    const sched_radix_model model = sched_model(g->t, l, 1);
    const sched_prices prices = sched_prices_of(&model, m);

    return sched_pass_cycles(&prices);
}

/* Prices x on l columns, `batch` times. Permutations and diagonals cost nothing: they merge into
 * the stages. False if a transform has no tree. */
static bool price_factors(growth *g, const spl *x, int64_t l, int64_t batch)
{
    bool priced = x != NULL;

    if (x && x->op == SPL_PAIRS)
        g->tree.cycles += (double)batch * pass_cycles(g, x->a[0], l);
    if (!x || spl_complete(x) || sched_is_trivial(x))
        return priced;
    for (int i = 0; x->op == SPL_MUL && i < x->nkids && priced; i++)
        priced = price_factors(g, x->kid[i], l, batch);
    if (x->op == SPL_MUL)
        return priced;
    const spl_view v = spl_view_of(x);
    if (v.nmid > 1)
        return price_factors(g, spl_rule_apply(g->t->ctx, &spl_row_column, x, NULL), l, batch);
    const spl *middle = v.nmid ? v.mid[0] : v.base;
    if (middle->op == SPL_TRANSFORM) {
        const sched_place at = {spl_transform_kind(middle), spl_transform_size(middle), v.b * l,
                                v.a * batch};
        return add_cheapest_kid(g, &at);
    }
    return middle->op == SPL_MUL && price_factors(g, middle, v.b * l, v.a * batch);
}

/* The tree, and if it has a single kid those with the kid's other candidates. */
static void insert_trees(growth *g, sched_list *out)
{
    sched_tree x = g->tree;

    sched_list_insert(g->t->ctx, out, &x);
    for (int i = 1; x.nkids == 1 && i < g->last.count; i++) {
        x.kid[0] = g->last.tree[i];
        x.cycles = g->tree.cycles + (double)g->batch * (x.kid[0]->cycles - g->last.tree[0]->cycles);
        sched_list_insert(g->t->ctx, out, &x);
    }
}

static void find_by_rule(sched_target *t, const spl_rule *rule, const sched_place *at,
                         sched_list *out)
{
    const spl *x = spl_transform_node(t->ctx, at->kind, at->n);
    spl_params choice[MAX_CHOICES] = {{{0}}};
    const int count = !x ? 0 : rule->choices ? rule->choices(x, choice, MAX_CHOICES) : 1;

    for (int i = 0; i < count; i++) {
        growth g = {.t = t, .at = at, .tree = {.rule = rule, .params = choice[i], .n = at->n}};
        const spl *made =
            rule->guard(x, &choice[i], NULL) ? rule->build(t->ctx, x, &choice[i]) : NULL;
        if (made && price_factors(&g, made, at->columns, 1))
            insert_trees(&g, out);
    }
}

/* A rule has no tree if one of its smaller transforms has none. Inside a transform of reals complex
 * numbers lie side by side, whatever the problem's sides are. */
static void find_by_rules(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_target own = *t;

    own.allow_none = true;
    if (at->kind > SPL_IDFT) {
        own.use_as_single = BACKEND_SINGLE;
        own.same_layout = true;
        own.rows_of_reals = at->batch > 1;
    }
    for (const spl_rule *const *rule = t->rules; *rule; rule++)
        if ((*rule)->group == SPL_PLANNED)
            find_by_rule(&own, *rule, at, out);
}

void sched_find(sched_target *t, const sched_place *at, sched_list *out)
{
    const bool is_dft = at->kind <= SPL_IDFT;

    out->count = 0;
    if (is_dft)
        find_chains(t, at, out);
    if (is_dft && out->count == 0 && spl_ctx_status(t->ctx, NULL) == SLUICE_OK)
        sched_find_convolutions(t, at->n, at->columns, out);
    if (!is_dft)
        find_leaf(t, at, out);
    find_by_rules(t, at, out);
    if (out->count > 0 || t->allow_none)
        return;
    if (is_dft)
        spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED,
                   "DFT_%lld has a prime factor without codelet and is too long for a chirp",
                   (long long)at->n);
    else
        spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "%s(%lld): no rule breaks it down yet",
                   spl_transform_of(at->kind)->word, (long long)at->n);
}
