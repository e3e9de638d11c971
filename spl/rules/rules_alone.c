// SPDX-License-Identifier: BSD-3-Clause
/* The merge rule for permutations and diagonals that have no loop to merge into: it makes one. */
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* A stage without a core and without a scatter. */
static bool find_bare_stage(const spl *x, spl_stage *s)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    *s = (spl_stage){0};
    while (spl_next_stage(factor, count, s))
        if (!spl_has_core(s) && spl_find_factor(factor, s->left, s->core, SPL_SCAT) < 0)
            return true;
    return false;
}

static bool guard_merge_alone(const spl *x, const spl_params *p, const char **refusal)
{
    spl_stage s;
    return spl_unless(refusal, p->v[0] == SPL_OUTSIDE_LOOPS,
                      "inside of loops a kernel moves the elements")
           && spl_unless(refusal, find_bare_stage(x, &s),
                         "it needs permutations, diagonals or a gather with no loop");
}

/* SUM(j<n/r) S(h_{jr,1}) diag(d o q^-1 o h) .. I(r) G(g o q^-1 o h): q is the scatter that all
 * permutations together amount to, d a diagonal composed with the permutations on its right. */
static const spl *make_copy_loop(spl_ctx *ctx, int count, const spl *const *factor, const ix *g)
{
    const spl **body = spl_ctx_get(ctx, (size_t)(count + 2) * sizeof *body);
    const ix *q = ix_id(ctx, g->n), **d = spl_ctx_get(ctx, (size_t)(count + 1) * sizeof *d);
    if (body == NULL || d == NULL)
        return NULL;
    for (int i = count - 1; i >= 0; i--)
        if (factor[i]->op == SPL_PERM)
            q = ix_compose(ctx, ix_inverse(ctx, factor[i]->f), q);
        else
            d[i] = ix_compose(ctx, factor[i]->f, q);
    const ix *back = q == NULL ? NULL : ix_inverse(ctx, q);
    g = ix_compose(ctx, g, back);
    if (g == NULL)
        return NULL;
    const int64_t r = spl_run_within(ix_run(g));
    const ix *h = spl_row_ix(ctx, g->n / r, r, 0);
    int k = 0;
    body[k++] = spl_scatter(ctx, h, SPL_PLAIN);
    for (int i = 0; i < count; i++)
        if (factor[i]->op == SPL_DIAG_OF)
            body[k++] =
                spl_diag_of(ctx, factor[i], ix_compose(ctx, ix_compose(ctx, d[i], back), h));
    body[k++] = spl_gather(ctx, ix_compose(ctx, g, h), SPL_PLAIN);
    const spl_range range = spl_range_over(SPL_SEQ, 0, g->n / r);
    return r == g->n ? spl_mul(ctx, k, body) : spl_sum(ctx, &range, spl_mul(ctx, k, body));
}

/* Replaces the factors from the right of V^-1 on, including the gather if it is plain. */
static const spl *build_merge_alone(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl *const *factor;
    spl_stage s;
    (void)spl_factors(&x, &factor);
    (void)find_bare_stage(x, &s);
    int from = s.core;
    while (from > s.left && factor[from - 1]->op != SPL_RETYPE)
        from--;
    const bool gathers = s.right < s.end && spl_is_plain(factor[s.right], SPL_GATH);
    const int64_t n = s.core > s.left ? factor[s.core - 1]->cols : factor[s.right]->rows;
    const ix *g = gathers ? factor[s.right]->f : ix_id(ctx, n);
    const spl *loop = g == NULL ? NULL : make_copy_loop(ctx, s.core - from, factor + from, g);
    return spl_splice(ctx, x, from, s.core - from + gathers, 1, &loop);
}

static int list_choices_merge_alone(const spl *x, spl_params *out, int max)
{
    out[0] = (spl_params){{SPL_OUTSIDE_LOOPS}};
    return max > 0 && guard_merge_alone(x, &out[0], NULL);
}

static const char *const cases_merge_alone[] = {
    "P(l(12,3))",
    "D(3,4,h(12,12,0,1))",
    "D(3,4,h(12,12,0,1)) * P(l(12,3))",
    "P(l(12,3)) * D(3,4,h(12,12,0,1)) * P(l(12,2)) * D(4,3,h(12,12,0,1))^-1",
    "P(l(6,2)) * P(l(6,3))",
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * D(3,4,h(12,12,0,1))",
    "DFT(12)_{leaf} * D(3,4,h(12,12,0,1)) * G(h(12,24,0,2))",
    "V(6)^-1 * D(3,2,h(6,6,0,1)) * P(l(6,2))",
    "DFT(4)_{leaf}",
    NULL};

const spl_rule spl_merge_alone = {
    .name = "merge-alone",
    .group = SPL_MERGE,
    .formula = "D P = SUM(j<N/r) S(h_{jr,1}) diag(d o h_{jr,1}) I(r) G(p o h_{jr,1})",
    .reference = "Franchetti, Voronenko & Pueschel 2005; Spiral for the Cell (8), (11)",
    .params = "1 inside of a loop, else 0",
    .guard = guard_merge_alone,
    .build = build_merge_alone,
    .choices = list_choices_merge_alone,
    .cases = cases_merge_alone,
};
