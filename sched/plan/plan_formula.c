// SPDX-License-Identifier: BSD-3-Clause
/* The formula of a plan: read from a text and completed, or chosen by the planner; and the format
 * of its vectors. */
#include <math.h>

#include "core/status.h"
#include "sched/plan/plan.h"
#include "sched/plan/plan_price.h"
#include "sched/planner/blocks.h"
#include "sched/planner/edges.h"
#include "sched/planner/find.h"
#include "sched/planner/formula.h"
#include "sched/planner/order.h"
#include "sched/planner/stage_price.h"
#include "sched/problem/problem.h"
#include "spl/formula/formats.h"
#include "spl/rules/scale.h"

/* Is the last axis of more than one point contiguous on both sides? */
static bool is_contiguous(const sluice_problem *p)
{
    const sluice_dim last = sched_problem_dim(p, sched_problem_row_dim(p));

    return p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0 && last.in_stride == 1
           && last.out_stride == 1;
}

static backend_use single_codelet_use(const sluice_problem *p)
{
    static const backend_use use[2][2] = {{BACKEND_SINGLE, BACKEND_SINGLE_SPLIT_OUT},
                                          {BACKEND_SINGLE_SPLIT_IN, BACKEND_SINGLE_SPLIT}};

    return use[sched_side_split(p, 0)][sched_side_split(p, 1)];
}

/* Is there no vector codelet for one row between split sides, only plain C? */
static bool has_no_single(const sluice_machine *m, const sluice_problem *p, size_t n)
{
    /* times as long as a column in vectors; codelets in registers take only twice as long */
    enum { FAR = 4 };
    const backend_team *team = m->table->team;
    const double column =
        team->kernel_cycles(m->backend, NULL, SPL_DFT, (int64_t)n, p->precision, BACKEND_STAGE);

    return column > 0
           && team->kernel_cycles(m->backend, NULL, SPL_DFT, (int64_t)n, p->precision,
                                  BACKEND_SINGLE_SPLIT)
                  > FAR * column;
}

/* Would images with fewer rows than `lanes` be padded one by one, because images are not grouped?
 * False if there are so few rows in all that a codelet computes each by itself, and for few points,
 * which moves would slow down. */
static bool has_few_rows(const sluice_machine *m, const sluice_problem *p, size_t n, size_t batch,
                         size_t lanes)
{
    enum { FEW = 100 };
    const size_t points = sched_problem_points(p), bytes = sched_complex_bytes(p->precision);

    return n <= SCHED_MAX_RADIX && points / n < lanes && points * batch >= FEW
           && m->table->team->kernel_cycles
           && (points / n * batch >= lanes || has_no_single(m, p, n))
           && sched_group_of(&m->unit0, (int64_t)(bytes * points), (int64_t)batch, (int64_t)batch)
                  == 1;
}

/* In an image between split sides, are an axis's columns, or the rows, fewer than the lanes of the
 * shortest vectors of re and im? Split they would be padded; interleaved numbers have shorter
 * vectors. */
static bool is_narrow_image(const sluice_machine *m, const sluice_problem *p, size_t batch)
{
    const backend_team *team = m->table->team;
    const int shorter = team->shorter ? team->shorter(m->backend, SPL_SPLIT) : 1;
    const int lanes = p->precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64;
    const int d = sched_problem_row_dim(p);

    return sched_side_split(p, 0) && sched_side_split(p, 1) && sched_all_dft(p) && lanes > 1
           && m->unit0.groups == 0 && sched_problem_axes(p) > 1 && is_contiguous(p)
           && (sched_problem_dim(p, d).n < (size_t)(2 * lanes / shorter)
               || has_few_rows(m, p, sched_problem_dim(p, d).n, batch,
                               (size_t)(2 * lanes / shorter)));
}

/* Does a problem have a split half-spectrum whose rows are a codelet each? Longer rows have pairs
 * in whole vectors, which read and write split numbers. */
static bool has_short_spectra(const sched_target *t, const sluice_problem *p, size_t batch)
{
    const int last = p->rank - 1;

    return sched_may_have_columns(t) && sched_axis_has_half_spectrum(p, last)
           && t->around.contiguous && p->dim[last].n <= SCHED_MAX_RADIX
           && (sched_side_split(p, 0) || sched_side_split(p, 1))
           && sched_problem_points(p) * batch > p->dim[last].n
           && sched_has_lanes(t, sched_axis_kind(p, last), (int64_t)p->dim[last].n);
}

/* Cycles of rows of n points by a codelet of this use; HUGE_VAL: there is none. */
static double rows_cycles(const sluice_machine *m, const sluice_problem *p, size_t n, size_t rows,
                          backend_use use)
{
    const backend_team *team = m->table->team;
    const double each = team->kernel_cycles ? team->kernel_cycles(m->backend, NULL, SPL_DFT,
                                                                  (int64_t)n, p->precision, use)
                                            : 0;

    return each > 0 ? (double)rows * each : HUGE_VAL;
}

/* Is exactly one side split, and do rows between the two cost more than interleaved rows and a
 * move? The rows must be next to the split side; in images they are next to the input. */
static bool has_mixed_rows(const sluice_machine *m, const sluice_problem *p, size_t batch)
{
    const bool one = sched_side_split(p, 0) != sched_side_split(p, 1);
    const bool next = sched_problem_axes(p) == 1 || sched_side_split(p, 0);

    if (!one || !next || !sched_all_dft(p) || m->unit0.groups > 0 || !is_contiguous(p))
        return false;
    const size_t n = p->dim[p->rank - 1].n, points = sched_problem_points(p) * batch;
    const size_t rows = points / n;
    if (n < 2 || n > SCHED_MAX_RADIX || rows < 2)
        return false;
    const double whole =
        fmin(rows_cycles(m, p, n, rows, BACKEND_SINGLE), rows_cycles(m, p, n, rows, BACKEND_ROWS));
    /* one call moves all rows of a batch, in vectors; in images each row has a call */
    const double each = sched_problem_axes(p) == 1 ? price_transposed : price_moved_evenly;
    return rows_cycles(m, p, n, rows, single_codelet_use(p))
           > whole + sched_moved_cycles((int64_t)points, each);
}

int sched_plan_vectors(const sluice_machine *m, const sluice_problem *p, size_t batch)
{
    const size_t lanes =
        2 * (size_t)(p->precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64);
    const size_t n = sched_problem_points(p);

    if (!sched_side_split(p, 0) || !sched_side_split(p, 1) || !sched_all_dft(p)
        || is_narrow_image(m, p, batch))
        return SPL_INTER;
    const bool alone = batch == 1 || (n > SCHED_MAX_RADIX && is_contiguous(p));
    return sched_problem_axes(p) < 2 && n < lanes * lanes && alone ? SPL_INTER : SPL_SPLIT;
}

/* Bytes of the elements of both sides; of a formula without a problem, HUGE_VAL. */
static double packed_bytes(const sluice_plan *plan)
{
    const sluice_problem *p = &plan->packed;
    double bytes = 0;

    if (!plan->has_problem)
        return HUGE_VAL;
    for (int side = 0; side < 2; side++)
        bytes += (double)sched_side_elements(p, side) * (double)sched_side_bytes(p, side);
    return bytes * (double)sched_problem_batch(p);
}

/* Points of the only axis that is transformed, whose codelet would read where it writes; 0: there
 * are several axes, which go through scratch, or the problem is not in place. */
static int64_t points_over_input(const sluice_problem *p)
{
    size_t points = 1;
    int axes = 0;

    for (int i = 0; i < p->rank && p->in_place; i++)
        if (p->dim[i].n > 1) {
            points = p->dim[i].n;
            axes++;
        }
    return axes == 1 ? (int64_t)points : 0;
}

static void init_target(sched_target *t, const sluice_plan *plan, const sched_plan_request *request,
                        core_text *comments)
{
    sched_target_init(t, plan->ctx, plan->machine, plan->packed.precision);
    if (t->table->discover->parts)
        t->parts = t->table->discover->parts(t->backend, packed_bytes(plan));
    t->costs = plan->costs;
    t->format = plan->format;
    if (t->format == SPL_SPLIT && t->unit.lanes_f32 > 1)
        t->vec_lanes = t->lanes *= 2;
    if (plan->reproducible)
        sched_target_make_alike(
            t, plan->machine->table->team->alike_lanes(plan->machine->backend, t->precision));
    t->latency = plan->packed.mode == SLUICE_LATENCY || t->unit.groups > 0;
    t->around.type = sched_side_type(&plan->packed, 1);
    t->around.contiguous = is_contiguous(&plan->packed);
    t->mode = plan->machine->transfers.can[BACKEND_FUSED] ? plan->mode : BACKEND_FUSED;
    const size_t batch = sched_problem_batch(&plan->packed) * request->batch_scale;
    t->interleaves_sides = !plan->reproducible && plan->mode != BACKEND_BLOCKS
                           && (is_narrow_image(plan->machine, &plan->packed, batch)
                               || has_mixed_rows(plan->machine, &plan->packed, batch)
                               || has_short_spectra(t, &plan->packed, batch));
    t->around.use_as_single =
        t->interleaves_sides ? BACKEND_SINGLE : single_codelet_use(&plan->packed);
    t->around.same_layout =
        sched_side_split(&plan->packed, 0) == sched_side_split(&plan->packed, 1);
    t->in_place = plan->packed.in_place;
    t->around.in_place_points = points_over_input(&plan->packed);
    t->weighed = request->hooks && request->hooks->in.weight;
    t->batch_scale = (int64_t)request->batch_scale;
    t->comments = comments;
}

/* Reads and completes the formula of a text. Sizes are checked first, as completing may take
 * long. */
static sluice_status read_formula(sluice_plan *plan, const sched_plan_request *request,
                                  core_text *comments, sluice_diag *why)
{
    sched_target t;

    sluice_status status = spl_parse(plan->ctx, request->text, &plan->formula, why);
    if (status == SLUICE_OK && plan->has_problem)
        status = sched_problem_fits(&plan->packed, plan->formula, why);
    if (status != SLUICE_OK)
        return status;
    init_target(&t, plan, request, comments);
    double scale;
    const spl *core = spl_unscaled(plan->ctx, plan->formula, &scale);
    if (!spl_is_complete(core))
        core = sched_complete(&t, core);
    plan->formula = spl_scaled(plan->ctx, core, scale * plan->hooks_scale);
    return spl_ctx_status(plan->ctx, why);
}

/* The formula of the plan's tree. */
static const spl *formula_of(sluice_plan *plan, const sched_target *t)
{
    return spl_scaled(plan->ctx,
                      sched_formula_of(t, &plan->packed, plan->tree, &plan->no_stream_reason),
                      plan->result_scale);
}

/* Finds out whether the formula of a text is one of the planner's candidates. With any_units a
 * candidate for another number of units is adapted to this number. */
static void find_own_candidate(sluice_plan *plan, const sched_plan_request *request)
{
    sched_target t;

    init_target(&t, plan, request, NULL);
    t.around.allow_none = true;
    plan->candidates = sched_find_candidates(&t, &plan->packed);
    double scale;
    const spl *core = spl_unscaled(plan->ctx, plan->formula, &scale);
    const double own = sched_problem_constant(&plan->packed);
    if (plan->candidates && core && scale == plan->result_scale * own)
        plan->tree = sched_match(&t, &plan->packed, plan->candidates,
                                 spl_scaled(plan->ctx, core, own), request->any_units);
    if (plan->tree)
        plan->formula = formula_of(plan, &t);
}

/* Chooses the planner's formula. */
static sluice_status choose_candidate(sluice_plan *plan, const sched_plan_request *request,
                                      core_text *comments, sluice_diag *why)
{
    sched_target t;

    init_target(&t, plan, request, NULL);
    if (plan->mode == BACKEND_BLOCKS) {
        const spl *blocks = sched_blocks(&t, &plan->packed, request->block_part);
        plan->formula = spl_scaled(plan->ctx, sched_with_edges(plan->ctx, &plan->packed, 0, blocks),
                                   plan->result_scale);
        return SLUICE_OK;
    }
    sched_candidates *found = sched_find_candidates(&t, &plan->packed);
    plan->candidates = found;
    if (!found)
        return SLUICE_OK;
    const sluice_status status =
        request->tree ? SLUICE_OK : sched_price_candidates(plan, &t, found, comments, why);
    const sched_list *all = &found->all;
    plan->tree = all->tree[0];
    for (int i = 1; request->tree && i < all->count; i++)
        if (sched_tree_equal(all->tree[i], request->tree))
            plan->tree = all->tree[i];
    plan->formula = formula_of(plan, &t);
    sched_explain_choice(plan->candidates, plan->tree, comments);
    return status;
}

sluice_status sched_plan_choose(sluice_plan *plan, const sched_plan_request *request,
                                sluice_diag *why)
{
    core_text comments = {0};
    sluice_status status = SLUICE_OK;

    if (request->text)
        status = read_formula(plan, request, &comments, why);
    else
        status = choose_candidate(plan, request, &comments, why);
    if (status == SLUICE_OK && request->text && plan->has_problem && plan->mode != BACKEND_BLOCKS)
        find_own_candidate(plan, request);
    if (status == SLUICE_OK)
        status = spl_ctx_status(plan->ctx, why);
    if (comments.failed)
        status = core_fail_memory(why);
    plan->comments = comments.data;
    return status;
}
