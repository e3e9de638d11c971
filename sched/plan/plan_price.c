// SPDX-License-Identifier: BSD-3-Clause
/* Chooses among the planner's candidates by their prices as programs. The search orders candidates
 * by closed forms of single stages (sched/planner/stage_price.c). Here they are lowered and bound,
 * without tables, and priced as whole programs (spl/price); for long transforms, all of them. Costs
 * measured on this machine (sluice tune) decide; modelled costs decide only if candidates differ by
 * more than the model's error.
 *
 * If only some candidates of a contiguous transform can be priced, these come first: the first with
 * fused stages or rows as columns, the first with arrays as columns, and the first without either,
 * because the search prices each kind by closed forms of its own; then further ones of the kind
 * that wins. Prices are for one part, so that the choice is the same for any number of parts. */
#include "sched/plan/plan_price.h"

#include <math.h>

#include "core/status.h"
#include "sched/planner/groups.h"
#include "sched/planner/transposed.h"
#include "sched/problem/problem.h"
#include "spl/rules/scale.h"

/* Points of a program that pay for pricing one more candidate, which takes about as long as
 * computing 2^14 points: by modelled costs one execution pays, by measured costs 64. Short
 * transforms take the first candidate. */
static const size_t points_modelled = (size_t)1 << 14, points_measured = (size_t)1 << 8;
/* The relative error of modelled prices of two candidates of one problem. */
static const double modelled_error = 0.05;

/* Seconds of a candidate, in a context of its own that is closed afterwards. */
static sluice_status price_tree(const sluice_plan *plan, const sched_target *target,
                                const sched_tree *tree, double *seconds, sluice_diag *why)
{
    const backend_team *team = plan->machine->table->team;
    sched_target t = *target;
    sched_lowered made;
    backend_program *program = NULL;
    backend_cost cost;

    t.ctx = spl_ctx_open();
    t.parts = 1;
    if (!t.ctx)
        return core_fail_memory(why);
    const spl *formula =
        spl_scaled(t.ctx, sched_formula_of(&t, &plan->packed, tree, NULL), plan->result_scale);
    sluice_diag reason;
    sluice_status status = spl_ctx_status(t.ctx, &reason);
    if (status == SLUICE_OK && !formula) /* blocks, the last of which has no such tree */
        status = SLUICE_E_UNSUPPORTED;
    if (status == SLUICE_OK)
        status = sched_lower(t.ctx, plan, formula, &made, &reason);
    if (status == SLUICE_OK)
        status = team->sketch(plan->machine->backend, plan->costs, made.body, plan->mode,
                              plan->packed.precision, &program, &reason);
    if (status == SLUICE_OK && team->estimate(program, &cost) != SLUICE_OK)
        status = core_fail_memory(&reason);
    team->release(program);
    spl_ctx_close(t.ctx);
    *seconds = status == SLUICE_OK ? cost.seconds : HUGE_VAL;
    if (status != SLUICE_E_MEMORY) /* a candidate that does not bind is not chosen */
        return SLUICE_OK;
    if (why)
        *why = reason;
    return status;
}

/* The number of candidates to price; 0: the search's choice stands. */
static int count_priced(const sluice_plan *plan, const sched_target *t, const sched_list *all)
{
    const size_t points = sched_problem_points(&plan->packed) * sched_problem_batch(&plan->packed);
    const size_t most = points / (plan->costs ? points_measured : points_modelled) + 1;

    if (!plan->machine->table->team->sketch || plan->mode != BACKEND_FUSED || plan->reproducible
        || sched_has_groups(t)) /* priced by the search itself */
        return 0;
    return most < (size_t)all->count ? (int)most : all->count;
}

/* Candidates and their prices. */
typedef struct pricing {
    const sched_list *all;
    bool fused_is_family;   /* do fused stages count as a family, as columns always do? */
    bool codelet_is_family; /* do codelets of half-spectra count as a family? */
    double seconds[SCHED_MAX_CANDIDATES]; /* 0: not priced */
    int left, priced;                     /* number still to be priced; number priced */
    int cheapest;
    double margin;
} pricing;

/* Do both transpose in the same way, with moves on the same sides? */
static bool is_alike(const sched_tree *a, const sched_tree *b)
{
    return sched_transposed_of(a) == sched_transposed_of(b) && a->packed_sides == b->packed_sides;
}

static bool is_first_alike(const pricing *x, int i)
{
    int first = 0;

    while (!is_alike(x->all->tree[first], x->all->tree[i]))
        first++;
    return first == i;
}

/* The cheapest candidate if it is cheaper by more than the error of prices, else the search's
 * choice. The same holds among the first candidates of each way to transpose. */
static int chosen_of(const pricing *x)
{
    const double most = x->seconds[x->cheapest] / (1 - x->margin);
    int i = 0;

    while (i != x->cheapest
           && (x->seconds[i] == 0 || x->seconds[i] > most || !is_first_alike(x, i)))
        i++;
    return i;
}

/* The only axis of more than one point; -1: there are none or several. */
static int only_axis(const sched_tree *x)
{
    int axis = -1, count = 0;

    for (int d = 0; d < x->nkids; d++)
        if (x->kid[d]) {
            axis = d;
            count++;
        }
    return count == 1 ? axis : -1;
}

/* Is the only axis a codelet? */
static bool is_codelet(const sched_tree *x)
{
    const int axis = only_axis(x);

    return axis >= 0 && !x->kid[axis]->rule;
}

/* May a complex codelet and pairs be cheaper for rows of half-spectra than the first candidate, a
 * codelet of reals? The search prices their calls row by row, but rows share them. */
static bool has_codelets_apart(const sluice_plan *plan, const sched_list *all)
{
    enum { AT_MOST = 2 };

    if (all->count < 2 || sched_problem_batch(&plan->packed) < 2 || !is_codelet(all->tree[0]))
        return false;
    const spl_kind kind = sched_axis_kind(&plan->packed, only_axis(all->tree[0]));
    return (kind == SPL_RDFT || kind == SPL_IRDFT)
           && all->tree[1]->cycles < AT_MOST * all->tree[0]->cycles;
}

/* The kind that a candidate is compared as; the search prices each kind by closed forms of its own.
 * Fused stages and rows as columns count as one family. */
static int family_of(const pricing *x, int i)
{
    /* kinds with moved sides follow, as many again */
    enum { CODELET = SCHED_COLUMNS_AS_ROWS + 1, FAMILIES };
    const sched_tree *tree = x->all->tree[i];
    const sched_transposed has = sched_transposed_of(tree);
    const bool fuses =
        has == SCHED_NOTHING_TRANSPOSED && x->fused_is_family && sched_tree_fuses(tree);

    const int kind = x->codelet_is_family && is_codelet(tree) ? CODELET
                     : fuses                                  ? SCHED_ROWS_AS_COLUMNS
                                                              : (int)has;
    return tree->packed_sides ? FAMILIES + kind : kind;
}

static bool is_first_of_family(const pricing *x, int i)
{
    int first = 0;

    while (family_of(x, first) != family_of(x, i))
        first++;
    return first == i;
}

enum { FIRST_OF_FAMILIES, OF_CHOSEN_FAMILY, OTHERS, ROUNDS };

/* Do candidates differ in rows or arrays as columns, or in moved sides? */
static bool has_several(const sched_list *all)
{
    bool has = false;

    for (int i = 1; i < all->count && !has; i++)
        has = !is_alike(all->tree[i], all->tree[0]);
    return has;
}

/* Prices the candidates of one round, as long as some may still be priced. */
static sluice_status price_round(pricing *x, int round, const sluice_plan *plan,
                                 const sched_target *t, sluice_diag *why)
{
    const int chosen_family = family_of(x, chosen_of(x));
    sluice_status status = SLUICE_OK;

    for (int i = 0; i < x->all->count && status == SLUICE_OK
                    && (x->left > 0 || (round == FIRST_OF_FAMILIES && x->priced > 0));
         i++) {
        if (x->seconds[i] > 0 || (round == FIRST_OF_FAMILIES && !is_first_of_family(x, i))
            || (round == OF_CHOSEN_FAMILY && family_of(x, i) != chosen_family))
            continue;
        status = price_tree(plan, t, x->all->tree[i], &x->seconds[i], why);
        x->cheapest = x->seconds[i] < x->seconds[x->cheapest] ? i : x->cheapest;
        x->priced++;
        /* the first of each other kind is priced in addition */
        x->left -= i == 0 || round > FIRST_OF_FAMILIES;
    }
    return status;
}

sluice_status sched_price_candidates(const sluice_plan *plan, const sched_target *t,
                                     sched_candidates *found, core_text *comments, sluice_diag *why)
{
    sched_list *all = &found->all;
    const int count = count_priced(plan, t, all);
    pricing x = {.all = all,
                 .fused_is_family = found->contiguous,
                 .codelet_is_family = has_codelets_apart(plan, all),
                 .margin = plan->costs ? 0 : modelled_error};

    x.left = count > 1 || (count == 1 && (has_several(all) || x.codelet_is_family)) ? count : 0;
    for (int round = 0; round < ROUNDS; round++) {
        const sluice_status status = price_round(&x, round, plan, t, why);
        if (status != SLUICE_OK)
            return status;
    }
    const int chosen = chosen_of(&x);
    const sched_tree *tree = all->tree[chosen];
    if (chosen > 0)
        core_text_printf(
            comments,
            "# candidate %d of %d, of which %d are priced as programs: %.2f of the first\n",
            chosen + 1, all->count, x.priced, x.seconds[chosen] / x.seconds[0]);
    for (int i = chosen; i > 0; i--)
        all->tree[i] = all->tree[i - 1];
    all->tree[0] = tree;
    return SLUICE_OK;
}
