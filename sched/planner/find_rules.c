// SPDX-License-Identifier: BSD-3-Clause
/* Candidates by the rules of the target's table that belong to the group SPL_PLANNED: for each
 * choice of a rule its right-hand side is built and priced factor by factor, with the cheapest
 * trees of the transforms in it. */
#include "sched/planner/find.h"

#include "sched/planner/folds.h"
#include "sched/planner/groups.h"
#include "sched/planner/rows_moved.h"
#include "sched/planner/rows_transposed.h"
#include "sched/planner/search_figures.h"
#include "sched/planner/stage_price.h"
#include "spl/formula/pairs.h"
#include "spl/rules/rewrite.h"

#include <math.h>

/* The number of choices of a rule that are priced. */
enum { MAX_CHOICES = 8 };

/* A tree under construction, for a transform in its place. */
typedef struct growth {
    const sched_target *t;
    const sched_place *at;
    sched_tree tree;
    sched_list last; /* candidates for the last kid, of which the tree has the cheapest */
    int64_t batch;   /* how often the last kid is computed */
    int64_t paired;  /* numbers that groups pair, in all columns */
    int calls;       /* calls of moves and copies, which rows may share */
    /* elements moved in calls of their own if rows share calls; otherwise other stages move them */
    int64_t points;
    bool others;   /* there are calls that rows cannot share */
    int stages;    /* number of stages of pairs */
    spl_kind leaf; /* kind of the kid added last */
} growth;

static bool is_dct2_or_dct3(spl_kind kind)
{
    return kind == SPL_DCT2 || kind == SPL_DCT3;
}

/* Recursion ends because every kid is simpler than the place in one of these ways: it is smaller;
 * it is a DFT and the place is another kind; it is no real matrix and the place is one; it is DCT2
 * or DCT3 and the place is neither; it acts on complex numbers and the place on reals; it leaves a
 * half-spectrum in natural order and the place in an order of its own. */
static bool is_progress(const growth *g, const sched_place *kid)
{
    const bool other = (spl_is_dft_kind(kid->kind) && !spl_is_dft_kind(g->at->kind))
                       || (sched_is_real_matrix(g->at->kind) && !sched_is_real_matrix(kid->kind))
                       || (is_dct2_or_dct3(kid->kind) && !is_dct2_or_dct3(g->at->kind));
    const bool embedded = kid->type == SPL_TYPE_COMPLEX && g->at->type == SPL_TYPE_REAL;

    const bool ordered =
        spl_transform_of(g->at->kind)->order && !spl_transform_of(kid->kind)->order;

    return kid->n < g->at->n || other || (kid->n == g->at->n && (embedded || ordered));
}

/* Adds the cheapest tree of a transform as the next kid. */
static bool add_cheapest_kid(growth *g, const sched_place *at)
{
    if (!is_progress(g, at) || g->tree.nkids == SLUICE_MAX_RANK)
        return false;
    sched_find_trees(g->t, at, &g->last);
    if (g->last.count == 0)
        return false;
    g->batch = at->batch;
    g->leaf = at->kind;
    g->tree.kid[g->tree.nkids++] = g->last.tree[0];
    g->tree.cycles += (double)at->batch * g->last.tree[0]->cycles;
    return true;
}

/* Cycles of pairs, or of a copy, of m points and their columns, read and written once. */
static double pairs_stage_cycles(const growth *g, int64_t m, int64_t l)
{
    const sched_radix_model model = sched_model(g->t, l, 1);
    const sched_prices prices = sched_prices_of(&model, m);

    return sched_pairs_stage_cycles(&prices);
}

/* Extra cycles of rows of DFT_n that do not fill vectors, if the kid just added is a codelet. */
static double rest_cycles(const growth *g, int64_t rows, const sched_place *kid)
{
    const bool codelet = !g->tree.kid[g->tree.nkids - 1]->rule && spl_is_dft_kind(kid->kind);
    const sched_radix_model model = sched_model(g->t, 1, rows);
    const sched_prices prices = sched_prices_of(&model, kid->n);

    return codelet && rows > 1 && kid->columns == 1 && kid->n <= SCHED_MAX_UNTWIDDLED
               ? (double)(kid->batch / rows) * sched_rest_cycles(&prices, rows)
               : 0;
}

/* Complex-linear pairs without columns only have codelets of any strides (position G). */
static bool is_of_columns(spl_pairs_kind kind)
{
    const spl_pairs_def *def = spl_pairs_def_of(kind);
    bool linear = def->form < SPL_PAIR_SWAP_IN;

    for (int i = 0; i < 2; i++)
        linear = linear && !spl_row_factor_of(def->y[i]).conjugate
                 && !spl_row_factor_of(def->x[i]).conjugate;
    return linear;
}

static double pairs_cycles(const growth *g, const spl *x, int64_t l)
{
    return l == 1 && is_of_columns((spl_pairs_kind)x->a[1])
               ? 2 * sched_search.call + sched_search.single_pair * (double)x->a[0]
               : pairs_stage_cycles(g, x->a[0], l);
}

/* The context of a factor of a right-hand side: the type of the elements that it writes, its l
 * columns, how often it is computed, and whether factors of rows stand on its left. */
typedef struct position {
    spl_type type;
    int64_t l, batch;
    bool factors;
    bool copied; /* a copy stage stands between, unless the transform's stages take the factors */
} position;

static bool price_factors(growth *g, const spl *x, position here);

static bool price_product(growth *g, const spl *x, position here)
{
    bool priced = true;

    for (int i = 0; i < x->nkids && priced; i++) {
        here.copied = sched_is_spare_copy(x, i, here.l);
        here.factors = here.factors || here.copied;
        if (here.copied)
            continue;
        priced = price_factors(g, x->kid[i], here);
        if (x->kid[i]->op == SPL_RETYPE && x->kid[i]->rows == x->kid[i]->cols) {
            g->tree.cycles += (double)here.batch
                              * sched_moved_cycles(x->kid[i]->rows * here.l, price_moved_evenly);
            g->calls++;
        }
        if (sched_is_move(x->kid[i])) {
            g->others =
                g->others || !sched_moves_in_runs(x->kid[i]) || sched_is_padding_of_factors(x, i);
            g->points += sched_is_part_of_factors(x, i) ? 0 : x->kid[i]->rows;
        }
        here.type = sched_type_before(x->kid[i], here.type);
        here.factors = sched_are_row_factors(x->kid[i], here.l);
    }
    return priced;
}

static bool price_transform(growth *g, const spl *x, int64_t rows, position here)
{
    const sched_place at = {.kind = spl_transform_kind(x),
                            .type = sched_type_before(x, here.type),
                            .n = spl_transform_size(x),
                            .columns = here.l,
                            .batch = here.batch,
                            .twiddled = here.factors,
                            .rows_out = g->at->rows_out && here.l == g->at->columns};

    if (!add_cheapest_kid(g, &at))
        return false;
    if (here.copied && !sched_takes_roots(g->tree.kid[g->tree.nkids - 1]))
        g->tree.cycles += (double)here.batch * pairs_stage_cycles(g, at.n, here.l);
    g->tree.cycles += rest_cycles(g, rows, &at);
    return true;
}

/* Prices I_a (x) x (x) I_b. */
static bool price_repeated(growth *g, const spl *x, position here)
{
    const spl_view v = spl_view_of(x);

    if (v.nmid > 1)
        return price_factors(g, spl_rule_apply(g->t->ctx, &spl_row_column, x, NULL), here);
    const spl *middle = v.nmid ? v.mid[0] : v.base;
    here.l *= v.b;
    here.batch *= v.a;
    if (middle->op == SPL_TRANSFORM)
        return price_transform(g, middle, v.a, here);
    return middle->op == SPL_MUL && price_product(g, middle, here);
}

/* Calls of a sum of moves. */
static int calls_of(const growth *g, const spl *sum, int64_t l)
{
    const bool waits = l == 1 && spl_transform_of(g->at->kind)->order;

    return waits ? sum->nkids + sched_search.stored_row : 1;
}

/* Cycles of a copy. With columns, the factors of each row are a call. */
static double copy_cycles(const growth *g, int64_t rows, position here)
{
    return pairs_stage_cycles(g, rows, here.l)
           + (here.l > 1 ? sched_search.factor_row * (double)rows : 0);
}

/* Cycles of a sum of moves. Runs of reals are moved four at a time in single precision
 * (cpu_move.c). */
static double runs_cycles(const growth *g, const spl *x, position here)
{
    if (here.l > 1)
        return sched_moved_cycles(x->rows * here.l, price_moved_rows);
    const bool words = here.type == SPL_TYPE_REAL && g->t->precision == SLUICE_F32;

    return sched_moved_cycles(x->rows / (words ? 2 : 1), price_moved_evenly)
           + (calls_of(g, x, 1) - 1) * sched_search.call;
}

/* The terms of a sum; each writes rows of its own. */
static bool price_terms(growth *g, const spl *x, position here)
{
    bool priced = true;

    g->others = true;
    for (int i = 0; i < x->nkids && priced; i++)
        priced = price_factors(g, x->kid[i], here);
    return priced;
}

/* Permutations and diagonals cost nothing, since they merge into the stages. Returns false if a
 * transform has no tree. */
static bool price_factors(growth *g, const spl *x, position here)
{
    if (x && sched_is_sum(x))
        return price_terms(g, x, here);
    if (x && x->op == SPL_PAIRS && sched_has_groups(g->t)) /* priced by insert_trees() */
        g->paired += here.batch * x->a[0] * here.l;
    else if (x && x->op == SPL_PAIRS)
        g->tree.cycles += (double)here.batch * pairs_cycles(g, x, here.l);
    g->stages += x && x->op == SPL_PAIRS && x->a[0] > 2;
    g->others = g->others || (x && x->op == SPL_PAIRS);
    if (x && (sched_is_copy(x) || x->op == SPL_PLUS)) {
        g->tree.cycles +=
            (double)here.batch
            * (x->op == SPL_PLUS ? runs_cycles(g, x, here) : copy_cycles(g, x->rows, here));
        g->calls += x->op == SPL_PLUS
                        ? calls_of(g, x, here.l)
                        : sched_search.copied_row - 1; /* factors of a row are a call */
        return true;
    }
    if (!x || spl_is_complete(x) || sched_is_trivial(x)) {
        g->others = g->others || !x || !sched_is_beside(x);
        return x != NULL;
    }
    return x->op == SPL_MUL ? price_product(g, x, here) : price_repeated(g, x, here);
}

/* The type of the elements that a transform in its place writes. */
static spl_type type_after(const sched_place *at)
{
    const spl_type to = spl_transform_of(at->kind)->to;

    return to != SPL_TYPE_ANY ? to : at->type;
}

static bool has_sum(const spl *x)
{
    bool has = false;

    for (int i = 0; x->op == SPL_MUL && i < x->nkids; i++)
        has = has || sched_is_sum(x->kid[i]);
    return has;
}

/* Sums are for columns without a codelet: for half-spectra, and for reals of type 1, whose
 * transform in pairs is twice as long. They also serve reals whose pairs would mix transforms. */
static bool may_be_sum(const sched_target *t, const sched_place *at, const sched_list *found)
{
    const bool apart = t->around.columns_apart || at->kind == SPL_DCT1 || at->kind == SPL_DST1;

    return sched_may_have_columns(t) && at->columns > 1 && !sched_list_has_codelet(found)
           && !t->around.pairs_rows
           && (!sched_is_real_matrix(at->kind) || (apart && at->type == SPL_TYPE_REAL));
}

/* The part of a right-hand side that is priced: all of it, or its core if its ends become part of
 * the moves of rows that are computed as columns. */
static const spl *core_of(growth *g, const spl *made)
{
    sched_ends ends;

    g->tree.moved_ends = made && g->at->rows_transposed && !g->t->around.pairs_rows
                         && sched_has(made, spl_is_pair_view)
                         && sched_ends_of(g->t->ctx, made, &ends);
    return g->tree.moved_ends ? ends.core : made;
}

/* Does a right-hand side act on the elements of the place? Its core may view rows as pairs of reals
 * only if reals of a row are adjacent: without columns, or if the target says so. */
static bool acts_on(const sched_target *t, const spl *made, const spl *core, const sched_place *at)
{
    return (made->from == SPL_TYPE_ANY || made->from == at->type)
           && !(at->columns > 1 && !t->around.pairs_rows && sched_has(core, spl_is_pair_view));
}

/* Is the tree a product of one codelet and moves, whose calls rows of reals share? */
static bool has_moved_rows(const growth *g, const sched_tree *x)
{
    const sched_place *at = g->t->around.reals ? g->t->around.reals : g->at;

    return !g->others && x->nkids == 1 && at->columns == 1
           && (x->kid[0]->rule ? x->kid[0]->moved_rows : !sched_is_real_matrix(g->leaf))
           && sched_may_share_calls(g->t, x->n, at);
}

/* Cycles that such rows save by sharing calls, less what the moves cost then; 0 if they are better
 * computed one by one. */
static double beside_saving(const growth *g)
{
    return fmax(0, (double)(g->calls + 1) * sched_search.call
                       - sched_moved_cycles(g->points, price_moved_evenly));
}

/* Cycles that rows of half-spectra in an order of their own save by pairs and a codelet, which
 * share all calls except that of the pairs (rows_beside.c). The competing candidates, by moves,
 * share calls too. */
static double shared_saving(const growth *g, const sched_tree *x)
{
    const bool shares = spl_transform_of(g->at->kind)->order && g->stages == 1 && x->nkids == 1
                        && !x->kid[0]->rule && spl_is_dft_kind(g->leaf) && g->at->columns == 1
                        && g->t->around.reals == g->at && sched_may_share_calls(g->t, x->n, g->at);

    return shares ? sched_search.shared_calls * sched_search.call - sched_search.shared_cycles : 0;
}

/* Inserts the tree and, if it has a single kid, the same tree with each other candidate of the
 * kid. */
static void insert_trees(growth *g, sched_list *out)
{
    sched_tree x = g->tree;

    for (int i = 0; i == 0 || (x.nkids == 1 && i < g->last.count); i++) {
        x.cycles = g->tree.cycles;
        if (i > 0) {
            x.kid[0] = g->last.tree[i];
            x.cycles += (double)g->batch * (x.kid[0]->cycles - g->last.tree[0]->cycles);
        }
        x.moved_rows = has_moved_rows(g, &x);
        if (x.moved_rows)
            x.cycles -= beside_saving(g);
        x.cycles -= shared_saving(g, &x);
        if (g->paired > 0)
            x.cycles += sched_group_pairs_cycles(g->t, &x, g->at, g->paired);
        sched_list_insert(g->t->ctx, out, &x);
    }
}

/* An even half-spectrum in an order of its own is left to pairs if they fill a vector, or two if
 * parts are moved in runs. Such pairs are faster than those in natural order whose parts are then
 * moved (measured). Work-items would move parts one by one, so devices always use them. */
static bool is_left_to_pairs(const sched_target *t, const spl_rule *rule, const sched_place *at)
{
    const bool folds = rule == &spl_hc_rdft || rule == &spl_ihc_rdft;
    const bool runs = rule == &spl_packed_rdft || rule == &spl_ipacked_rdft;

    return (folds || runs) && at->n % 2 == 0
           && (sched_has_groups(t) || (at->n - 2) / 4 >= (folds ? 1 : 2) * t->lanes);
}

static void find_by_rule(const sched_target *t, const spl_rule *rule, const sched_place *at,
                         sched_list *out)
{
    const spl *x = spl_transform_node(t->ctx, at->kind, at->n);
    spl_params choice[MAX_CHOICES] = {{{0}}};
    const int count = !x || is_left_to_pairs(t, rule, at) ? 0
                      : rule->choices                     ? rule->choices(x, choice, MAX_CHOICES)
                                                          : 1;
    sched_target own = *t;

    for (int i = 0; i < count; i++) {
        growth g = {.t = &own, .at = at, .tree = {.rule = rule, .params = choice[i], .n = at->n}};
        const spl *made =
            rule->guard(x, &choice[i], NULL) ? rule->build(t->ctx, x, &choice[i]) : NULL;
        const spl *core = core_of(&g, made);
        const position here = {g.tree.moved_ends ? core->to : type_after(at), at->columns, 1, false,
                               false};
        own.around.clears_between = t->around.clears_between
                                    || (made && sched_has_groups(t) && sched_group_is_padded(made));
        const bool fits =
            made && acts_on(t, made, core, at) && (!has_sum(core) || may_be_sum(t, at, out));
        if (fits && price_factors(&g, core, here))
            insert_trees(&g, out);
    }
}

/* Rule view-columns, which acts on all columns at once: two columns of reals are one of complex
 * numbers. The columns must belong to one axis of one transform, except for sums and differences,
 * which do not mix re and im. With an odd number of columns, rows are copied from and to a place
 * where the last column has a partner; groups do not do that. */
static void find_view(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_target own = *t;
    sched_place kid = *at;
    growth g = {.t = &own, .at = at, .tree = {.rule = &spl_view_columns, .n = at->n}};
    const bool odd = at->columns % 2 == 1;

    own.around.uniform_points =
        !odd && t->around.uniform_points % 2 == 0 ? t->around.uniform_points / 2 : 1;
    kid.type = SPL_TYPE_COMPLEX;
    kid.columns = (at->columns + odd) / 2;
    kid.batch = 1; /* a tree's price is that of one transform, whatever the batch */
    kid.rows_out = kid.rows_out && !odd;
    kid.rows_transposed = false;
    g.tree.cycles = odd ? 2 * sched_moved_cycles(at->n * at->columns, price_moved_evenly) : 0;
    const bool may = !t->around.columns_apart || (at->kind == SPL_DCT1 && at->n == 2);

    if (may && !t->around.pairs_rows && at->type == SPL_TYPE_REAL && at->columns > 1
        && !(odd && sched_has_groups(t)) && add_cheapest_kid(&g, &kid))
        insert_trees(&g, out);
}

/* A rule has no tree if one of its smaller transforms has none. Inside a transform of reals complex
 * numbers lie side by side, whatever the formats of the problem's sides. */
void sched_find_by_rules(const sched_target *t, const sched_place *at, sched_list *out)
{
    sched_target own = *t;

    own.around.allow_none = true;
    if (!spl_is_dft_kind(at->kind)) {
        own.around.use_as_single = BACKEND_SINGLE;
        own.around.same_layout = true;
        own.around.without_rader = at->batch > 1;
        own.around.reals = t->around.reals ? t->around.reals : at;
    }
    if (sched_is_real_matrix(at->kind))
        find_view(&own, at, out);
    for (const spl_rule *const *rule = t->rules; *rule; rule++)
        if ((*rule)->group == SPL_PLANNED)
            find_by_rule(&own, *rule, at, out);
}
