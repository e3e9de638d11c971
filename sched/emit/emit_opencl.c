// SPDX-License-Identifier: BSD-3-Clause
/* A plan as OpenCL C. The program is printed as it is if every transform of it fits one work-item.
 * Longer codelets of the CPU become products by rule dft-stockham, which several items compute
 * together, without the tags of SIMD vectors. Codelets of half-spectra first become complex ones
 * and PAIRS, by rules rdft-half and irdft-half. */
#include "core/number.h"
#include "core/status.h"
#include "sched/emit/emit.h"
#include "sched/planner/groups.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"
#include "spl/emit/ocl_count.h"
#include "spl/emit/print_opencl.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"

enum { KIDS = 64 }; /* of a node, see sched_complete */

/* Transforms that are broken down if they are long; the rule of those that are not DFTs. */
static const struct {
    spl_kind kind;
    const spl_rule *rule;
} broken[] = {
    {SPL_DFT, NULL}, {SPL_IDFT, NULL}, {SPL_RDFT, &spl_rdft_half}, {SPL_IRDFT, &spl_irdft_half}};

enum { BROKEN = sizeof broken / sizeof *broken };

/* The entry of a transform in `broken`; BROKEN: none, or it is not long. */
static int find_long(spl_kind kind, int64_t n)
{
    int i = 0;

    while (i < BROKEN && broken[i].kind != kind)
        i++;
    return n > SPL_OPENCL_LARGEST ? i : BROKEN;
}

static bool is_long(const prog *p)
{
    bool found = false;

    for (size_t i = 0; i < p->nstmts; i++)
        found = found
                || (p->stmt[i].op == PROG_KERN && p->stmt[i].kernel == SPL_TRANSFORM
                    && find_long((spl_kind)p->stmt[i].kind, p->stmt[i].n) < BROKEN);
    return found;
}

/* The smaller factor of n in its most even product of two; 1 if the other factor is too long. */
static int64_t smaller_factor(int64_t n)
{
    int64_t r = 1;

    for (int64_t d = 2; d <= n / d; d++)
        if (n % d == 0)
            r = d;
    return n / r <= SPL_OPENCL_LARGEST ? r : 1;
}

static bool is_long_transform(const spl *x)
{
    return x->op == SPL_TRANSFORM
           && find_long(spl_transform_kind(x), spl_transform_size(x)) < BROKEN;
}

static const spl *split_long_leaves(spl_ctx *ctx, const spl *x);

/* The transform as a product if it has factors, as it is otherwise. */
static const spl *split_long_transform(spl_ctx *ctx, const spl *x)
{
    const spl_rule *rule = broken[find_long(spl_transform_kind(x), spl_transform_size(x))].rule;
    const spl_params radix = {{rule ? 0 : smaller_factor(x->a[0])}};

    if (rule)
        return split_long_leaves(ctx, spl_mark_leaves(ctx, spl_rule_apply(ctx, rule, x, NULL)));
    if (radix.v[0] > 1)
        x = spl_rule_apply(ctx, &spl_dft_stockham, x, &radix);
    return spl_mark_leaves(ctx, x);
}

static const spl *split_tagged_leaf(spl_ctx *ctx, const spl *x)
{
    const spl *kid = x->kid[0];
    spl_tag tags[SPL_MAX_TAGS];
    int count = 0;
    const bool long_leaf = spl_has_tag(x, SPL_TAG_LEAF) && is_long_transform(kid);

    for (int t = 0; t < x->ntags; t++)
        if (x->tag[t].kind != SPL_TAG_VEC && !(long_leaf && x->tag[t].kind == SPL_TAG_LEAF))
            tags[count++] = x->tag[t];
    kid = long_leaf ? split_long_transform(ctx, kid) : split_long_leaves(ctx, kid);
    return spl_tagged(ctx, kid, count, tags);
}

static const spl *split_long_leaves(spl_ctx *ctx, const spl *x)
{
    const spl *kids[KIDS];

    if (!x || x->nkids == 0)
        return x;
    if (x->op == SPL_TAG)
        return split_tagged_leaf(ctx, x);
    if (x->nkids > KIDS)
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "a product of more than %d factors", KIDS);
    for (int i = 0; i < x->nkids; i++)
        kids[i] = split_long_leaves(ctx, x->kid[i]);
    return spl_with_kids(ctx, x, kids);
}

/* The plan's formula in another context, without long leaves, as a program. The plan's own context
 * may be in use by other threads. */
static sluice_status lower_split(spl_ctx *ctx, const sluice_plan *plan, prog **body,
                                 sluice_diag *why)
{
    sched_lowered made = {.body = NULL};
    core_text text = {0};
    const spl *formula = NULL;

    spl_print(plan->formula, &text);
    sluice_status status = text.failed ? core_fail_memory(why)
                                       : spl_parse(ctx, core_text_string(&text), &formula, why);
    core_text_free(&text);
    if (status != SLUICE_OK)
        return status;
    formula = split_long_leaves(ctx, formula);
    status = spl_ctx_status(ctx, why);
    if (status == SLUICE_OK)
        status = sched_lower(ctx, plan, formula, &made, why);
    *body = made.body;
    return status;
}

/* Prints a program, or its counts. */
typedef sluice_status program_printer(const prog *body, const spl_opencl *how, core_text *out,
                                      sluice_diag *why);

static sluice_status print_counts(const prog *body, const spl_opencl *how, core_text *out,
                                  sluice_diag *why)
{
    ocl_counts counts = {.nkernels = 0};
    const sluice_status status = spl_device_count(body, how, &counts, why);

    if (status == SLUICE_OK)
        ocl_counts_print(&counts, body, 0, out);
    ocl_counts_free(&counts);
    return status;
}

static sluice_status print_program(const sluice_plan *plan, const prog *body,
                                   program_printer *print, core_text *out, sluice_diag *why)
{
    const sluice_problem *p = &plan->problem;
    const sluice_unit_info *unit = &plan->machine->unit0;
    const bool grouped = sched_is_group(unit);
    spl_opencl how = {.title = plan->line,
                      .precision = p->precision,
                      .twiddles = unit->twiddles,
                      .local_bytes = grouped ? (int64_t)unit->local_memory : SPL_OPENCL_LOCAL,
                      .items = grouped ? core_min((int64_t)unit->largest_group, SPL_OPENCL_ITEMS)
                                       : SPL_OPENCL_FEW_ITEMS};
    core_text problem = {0};

    if (plan->has_problem)
        sched_problem_print(p, &problem);
    how.problem = plan->has_problem ? core_text_string(&problem) : NULL;
    const sluice_status status =
        problem.failed ? core_fail_memory(why) : print(body, &how, out, why);
    core_text_free(&problem);
    return status;
}

static sluice_status emit_kernels(const sluice_plan *plan, program_printer *print, core_text *out,
                                  sluice_diag *why)
{
    prog *body = plan->body;
    spl_ctx *ctx = NULL;
    sluice_status status = SLUICE_OK;

    if (is_long(body)) {
        ctx = spl_ctx_open();
        status = ctx ? lower_split(ctx, plan, &body, why) : core_fail_memory(why);
    }
    if (status == SLUICE_OK)
        status = print_program(plan, body, print, out, why);
    spl_ctx_close(ctx);
    return status;
}

sluice_status sched_emit_opencl(const sluice_plan *plan, core_text *out, sluice_diag *why)
{
    return emit_kernels(plan, spl_print_opencl, out, why);
}

sluice_status sched_emit_counts(const sluice_plan *plan, core_text *out, sluice_diag *why)
{
    return emit_kernels(plan, print_counts, out, why);
}
