// SPDX-License-Identifier: BSD-3-Clause
#include "spl/rules/scale.h"

#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

const spl *spl_scaled(spl_ctx *ctx, const spl *x, double c)
{
    double own;

    x = spl_unscaled(ctx, x, &own);
    if (x == NULL || c * own == 1)
        return x;
    return spl_mul2(ctx, spl_kron2(ctx, spl_identity(ctx, x->rows), spl_constant(ctx, c * own)), x);
}

/* I(n) (x) D.const(c), or D.const(c) alone */
static bool is_constant(const spl *x, double *c)
{
    if (x->op == SPL_KRON && x->nkids == 2 && x->kid[0]->op == SPL_I)
        x = x->kid[1];
    if (x->op != SPL_DIAGONAL || spl_diagonal_values(x) != SPL_CONST)
        return false;
    *c = spl_constant_value(x->a[1]);
    return true;
}

const spl *spl_unscaled(spl_ctx *ctx, const spl *x, double *c)
{
    *c = 1;
    if (x == NULL || x->op != SPL_MUL || !is_constant(x->kid[0], c))
        return x;
    return spl_mul(ctx, x->nkids - 1, x->kid + 1);
}

/* How cheaply a stage takes a constant: all its kernels have tables, all compute transforms, or
 * neither. */
typedef enum reception { ANYTHING = 0, TRANSFORMS, TABLES } reception;

static reception lesser_reception(reception a, reception b)
{
    return a < b ? a : b;
}

static reception reception_of(const spl *x);

static reception reception_of_stage(const spl *const *factor, const spl_stage *s)
{
    const spl *core = spl_has_core(s) ? spl_untagged(factor[s->core]) : NULL;

    if (core != NULL && spl_is_loop_or_sum(core))
        return reception_of(core);
    if (core != NULL && core->op == SPL_PAIR)
        return ANYTHING;
    if (spl_find_factor(factor, s->left, s->core, SPL_DIAG_OF) >= 0)
        return TABLES;
    const bool computes = core != NULL && core->op == SPL_TRANSFORM && spl_transform_size(core) > 1;
    return computes ? TRANSFORMS : ANYTHING;
}

/* The best stage of a product; among equals the one nearest to the output. */
static reception best_stage(const spl *x, spl_stage *best)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    reception max = ANYTHING;
    bool found = false;

    for (spl_stage s = {0}; spl_next_stage(factor, count, &s);) {
        const reception r = reception_of_stage(factor, &s);
        if (!found || r > max) {
            *best = s;
            max = r;
        }
        found = true;
    }
    return max;
}

static reception reception_of(const spl *x)
{
    spl_stage ignored;

    if (x->op == SPL_LOOP)
        return reception_of(x->kid[0]);
    if (x->op != SPL_PLUS)
        return best_stage(x, &ignored);
    reception all = TABLES;
    for (int i = 0; i < x->nkids; i++)
        all = lesser_reception(all, reception_of(x->kid[i]));
    return all;
}

static const spl *scale_body(spl_ctx *ctx, const spl *body, const void *c)
{
    return spl_scale_merged(ctx, body, *(const double *)c);
}

const spl *spl_scale_merged(spl_ctx *ctx, const spl *x, double c)
{
    const spl *const *factor;
    spl_stage s;

    if (x == NULL || c == 1)
        return x;
    if (spl_is_loop_or_sum(x))
        return spl_map(ctx, x, scale_body, &c);
    (void)best_stage(x, &s);
    (void)spl_factors(&x, &factor);
    if (spl_has_core(&s) && spl_is_loop_or_sum(factor[s.core])) {
        const spl *nest = spl_scale_merged(ctx, factor[s.core], c);
        return spl_splice(ctx, x, s.core, 1, 1, &nest);
    }
    const int64_t n =
        spl_has_core(&s) || s.core < s.end ? factor[s.core]->rows : factor[s.core - 1]->cols;
    const spl *d = spl_diag_of(ctx, spl_constant(ctx, c), ix_h(ctx, n, 1, 0, 0));
    return spl_splice(ctx, x, s.core, 0, 1, &d);
}
