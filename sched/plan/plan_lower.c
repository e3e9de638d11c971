// SPDX-License-Identifier: BSD-3-Clause
/* Lowers a formula of a problem: loops by the tag rules, merged, as a program with the memory
 * layout of the problem on both sides. */
#include "core/status.h"
#include "sched/plan/hooks.h"
#include "sched/planner/groups.h"
#include "sched/problem/problem.h"
#include "spl/formula/formats.h"
#include "spl/rules/rule.h"
#include "spl/rules/scale.h"
#include "spl/rules/sigma.h"

/* Bytes of a cache line, of units that do not tell theirs. */
static const int64_t usual_line = 64;

/* Bc(P,B) = L^{N/B}_P (x) I_B: maps an index to its place if blocks of B are distributed cyclically
 * to P parts and stored part after part. */
static const ix *cyclic_layout(spl_ctx *ctx, sluice_cyclic c, int64_t n)
{
    const int64_t block = (int64_t)c.block, parts = (int64_t)c.parts, round = block * parts;
    const ix_term term[3] = {
        {.src = IX_INDEX, .div = 1, .ext = block, .coef = 1},
        {.src = IX_INDEX, .div = block, .ext = parts, .coef = n / parts},
        {.src = IX_INDEX, .div = round, .ext = n / round, .coef = block},
    };

    return ix_digit(ctx, n, n, 0, 3, term);
}

/* Maps a packed index to the element of a side, as digits of the dimensions; NULL: the identity. */
static const ix *side_layout(spl_ctx *ctx, const sluice_problem *p, int side)
{
    ix_term term[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    const int dims = sched_problem_dims(p);
    int64_t below = 1;
    int count = 0;

    if (sched_side_in_order(p, side))
        return NULL;
    if (sched_problem_cyclic(p, side).parts != 0)
        return cyclic_layout(ctx, sched_problem_cyclic(p, side), (int64_t)sched_problem_points(p));
    for (int d = dims - 1; d >= 0; d--) {
        const sluice_dim dim = sched_problem_dim(p, d);
        const int64_t n = (int64_t)sched_problem_extent(p, d, side);
        if (n > 1)
            term[count++] = (ix_term){.src = IX_INDEX,
                                      .div = below,
                                      .ext = n,
                                      .coef = side ? dim.out_stride : dim.in_stride};
        below *= n;
    }
    return ix_digit(ctx, below, below, 0, count, term);
}

static const prog_hook *hook_of(const sluice_plan *plan, int side)
{
    return plan->hooked && plan->hooked->on[side] ? &plan->hooked->side[side] : NULL;
}

/* The maximum of items in a group of the machine's units. */
static int64_t most_items(const sluice_machine *m)
{
    backend_groups groups = {0};

    if (m->table->discover->groups)
        m->table->discover->groups(m->backend, &groups);
    return sched_group_items(&m->unit0, &groups);
}

static prog_sides sides_of(spl_ctx *ctx, const sluice_plan *plan)
{
    const sluice_problem *p = &plan->packed;
    const int64_t element = sched_complex_bytes(p->precision);
    const spl_type type = sched_side_type(p, 0);
    const sluice_unit_info *unit = &plan->machine->unit0;
    const bool grouped = sched_is_group(unit);

    return (prog_sides){.type = type == sched_side_type(p, 1) ? type : SPL_TYPE_ANY,
                        .in = side_layout(ctx, p, 0),
                        .out = side_layout(ctx, p, 1),
                        .in_layout = p->in_layout,
                        .out_layout = p->out_layout,
                        .in_place = p->in_place,
                        .is_item = plan->is_item,
                        .reproducible = plan->reproducible,
                        .out_is_scratch = (!grouped || plan->mode == BACKEND_BLOCKS)
                                          && sched_side_in_order(p, 1) && !hook_of(plan, 1)
                                          && sched_side_split(p, 1) == (plan->format == SPL_SPLIT),
                        .set_stride = (grouped ? (int64_t)unit->line : SCHED_ALIAS_BYTES) / element,
                        .padding =
                            grouped ? 1 : (unit->line ? (int64_t)unit->line : usual_line) / element,
                        .pad_above = grouped ? 0 : (int64_t)unit->l1 / 2 / element,
                        .cache_elems = grouped ? 0 : (int64_t)unit->l1 / element,
                        .group_items = grouped ? most_items(plan->machine) : 0,
                        .halve_above = grouped ? (int64_t)unit->local_memory / element : 0,
                        .hook = {hook_of(plan, 0), hook_of(plan, 1)}};
}

/* Takes permutations of digits, at most `most`, off x at a strided side, `end`: the input. They
 * become part of the side's layout, so stages need not merge with them. For y = P(f) x, element
 * f^-1(j) of the output is x_j, and element i of the input is element f(i) of the side. Returns
 * their number. */
static int take_orders(spl_ctx *ctx, const spl *x, int most, bool end, const ix **layout)
{
    int count = 0;

    while (*layout && x->op == SPL_MUL && count < most) {
        const spl *p = x->kid[end ? x->nkids - 1 - count : count];
        const ix *f = p->op == SPL_PERM ? (end ? p->f : ix_inverse(ctx, p->f)) : NULL;
        const ix *both = f ? ix_compose(ctx, *layout, f) : NULL;
        if (!both || both->kind != IX_DIGIT)
            break;
        *layout = both;
        count++;
    }
    return count;
}

/* The merged core between the permutations of the whole formula: a formula of the same matrix. */
static const spl *with_orders(spl_ctx *ctx, const spl *whole, int after, int before,
                              const spl *merged)
{
    for (int i = after; i-- > 0;)
        merged = spl_mul2(ctx, whole->kid[i], merged);
    for (int i = whole->nkids - before; i < whole->nkids; i++)
        merged = spl_mul2(ctx, merged, whole->kid[i]);
    return merged;
}

sluice_status sched_lower(spl_ctx *ctx, const sluice_plan *plan, const spl *formula,
                          sched_lowered *out, sluice_diag *why)
{
    double scale;
    const spl *core = spl_to_sigma(ctx, spl_unscaled(ctx, formula, &scale));
    prog_sides sides = sides_of(ctx, plan);

    out->sigma = spl_scaled(ctx, core, scale);
    const bool reals = core && !sched_all_dft(&plan->packed);
    const int after = reals ? take_orders(ctx, core, core->nkids - 1, false, &sides.out) : 0;
    const int before = reals ? take_orders(ctx, core, core->nkids - 1 - after, true, &sides.in) : 0;
    const bool orders = after + before > 0;
    const spl *inner =
        orders ? spl_mul(ctx, core->nkids - after - before, core->kid + after) : core;
    inner = inner ? spl_merge(ctx, inner, plan->mode == BACKEND_FUSED) : NULL;
    inner = spl_scale_merged(ctx, inner, scale);
    out->merged = orders ? with_orders(ctx, core, after, before, inner) : inner;
    const sluice_status status = spl_ctx_status(ctx, why);
    if (status != SLUICE_OK)
        return status;
    if (!out->merged)
        return core_fail_memory(why);
    return prog_lower(&out->body, ctx, inner, &sides, why);
}
