// SPDX-License-Identifier: BSD-3-Clause
/* Substitutes digit sums into digits.
 *
 * y = ((x div D) mod E) for x = c + SUM_t co_t dig_t. One division of x by B (first D, then E):
 *   co = q B + r (towards zero) for every term, c = q B + r with 0 <= r < B;
 *   a term with |co| < B <= |co|(ext-1) is first cut at b = ceil(B/|co|), if b divides ext (or if
 *   the term is the index's top digit, which is not reduced at all):
 *       dig = dig mod b + b (dig div b);
 *   if SUM r dig stays in [0, B) in the worst case, no carry crosses B, and then
 *       x div B = SUM q dig,    x mod B = SUM r dig      exactly.
 * A top digit, D E >= range of x, needs only the first division. */
#include "spl/index/ix_form.h"

static int64_t magnitude_of(int64_t a)
{
    return a < 0 ? -a : a;
}

/* Adds co*dig, cut at B if that helps, to the sums of quotients and remainders. */
static void divide_term(const ix_term *t, int64_t n, int64_t B, ix_form *low, ix_form *high)
{
    const int64_t a = magnitude_of(t->coef);
    int64_t reach, range;
    const bool far = __builtin_mul_overflow(a, t->ext - 1, &reach) || reach >= B;
    if (a < B && far) {
        const int64_t b = B / a + (B % a != 0);
        const bool top =
            t->src == IX_INDEX && (__builtin_mul_overflow(t->div, t->ext, &range) || range >= n);
        if (b < t->ext && (top || t->ext % b == 0)) {
            const ix_term upper = {t->src, t->div * b, t->ext / b + (t->ext % b != 0), t->coef * b};
            ix_form_add(low, t->src, t->div, b, t->coef);
            ix_form_add(low, upper.src, upper.div, upper.ext, upper.coef % B);
            ix_form_add(high, upper.src, upper.div, upper.ext, upper.coef / B);
            return;
        }
    }
    ix_form_add(low, t->src, t->div, t->ext, t->coef % B);
    ix_form_add(high, t->src, t->div, t->ext, t->coef / B);
}

/* x = B*high + low with 0 <= low < B; false if that cannot be proved. */
static bool divide_form(const ix_form *x, int64_t B, ix_form *low, ix_form *high)
{
    ix_form_open(low, x->n, 0, x->c % B + (x->c % B < 0 ? B : 0));
    ix_form_open(high, x->n, 0, x->c / B - (x->c % B < 0));
    for (int i = 0; i < x->nt; i++)
        divide_term(&x->t[i], x->n, B, low, high);
    if (low->failed || high->failed)
        return false;
    int64_t min = low->c, max = low->c;
    for (int i = 0; i < low->nt; i++) {
        int64_t reach;
        int64_t *const bound = low->t[i].coef < 0 ? &min : &max;
        if (__builtin_mul_overflow(low->t[i].coef, low->t[i].ext - 1, &reach)
            || __builtin_add_overflow(*bound, reach, bound))
            return false;
    }
    return min >= 0 && max < B;
}

bool ix_form_digit(const ix_form *x, const ix_term *digit, bool top, ix_form *sum)
{
    ix_form low, high, part;
    if (!divide_form(x, digit->div, &low, &high))
        return false;
    const ix_form *y = &high;
    if (!top) {
        if (!divide_form(&high, digit->ext, &low, &part))
            return false;
        y = &low;
    }
    int64_t by;
    if (__builtin_mul_overflow(digit->coef, y->c, &by))
        return false;
    ix_form_shift(sum, by);
    for (int i = 0; i < y->nt; i++) {
        if (__builtin_mul_overflow(digit->coef, y->t[i].coef, &by))
            return false;
        ix_form_add(sum, y->t[i].src, y->t[i].div, y->t[i].ext, by);
    }
    return !sum->failed;
}

/* The digit form of outer o inner; NULL if there is none. */
static const ix *compose_digits(spl_ctx *ctx, const ix *outer, const ix *inner)
{
    ix_form x, sum;
    ix_form_open(&x, inner->n, outer->n, inner->c);
    ix_form_open(&sum, inner->n, outer->N, outer->c);
    for (int i = 0; i < inner->nt; i++)
        ix_form_add(&x, inner->t[i].src, inner->t[i].div, inner->t[i].ext, inner->t[i].coef);
    for (int i = 0; i < outer->nt; i++) {
        const ix_term *t = &outer->t[i];
        const bool top = t->ext >= outer->n / t->div + (outer->n % t->div != 0);
        if (t->src != IX_INDEX)
            ix_form_add(&sum, t->src, t->div, t->ext, t->coef);
        else if (!ix_form_digit(&x, t, top, &sum))
            return NULL;
    }
    return ix_form_close(ctx, &sum);
}

typedef struct pair {
    const ix *outer, *inner;
} pair;

static int64_t pair_value(int64_t i, const void *user)
{
    const pair *p = user;
    const int64_t x = ix_eval(p->inner, i, NULL);
    return x < 0 || x >= p->outer->n ? -1 : ix_eval(p->outer, x, NULL);
}

/* outer o inner without a digit form. In normal form the outer function of an opaque function is
 * not opaque. */
static const ix *compose_other(spl_ctx *ctx, const ix *outer, const ix *inner)
{
    if (inner->n <= IX_TABULATE && ix_variables(outer) == 0 && ix_variables(inner) == 0)
        return ix_tabulate(ctx, inner->n, outer->N, pair_value, &(pair){outer, inner});
    if (outer->kind == IX_OPAQUE)
        return ix_compose(ctx, outer->outer, ix_compose(ctx, outer->inner, inner));
    if (inner->kind == IX_OPAQUE) {
        const ix *front = ix_compose(ctx, outer, inner->outer);
        if (front == NULL || front->kind != IX_OPAQUE)
            return ix_compose(ctx, front, inner->inner);
    }
    return ix_opaque(ctx, outer, inner);
}

const ix *ix_compose(spl_ctx *ctx, const ix *outer, const ix *inner)
{
    if (outer == NULL || inner == NULL)
        return NULL;
    if (inner->N > outer->n)
        return ix_refuse(
            ctx, SLUICE_E_INVALID, "a composition of index functions %lld->%lld after %lld->%lld",
            (long long)outer->n, (long long)outer->N, (long long)inner->n, (long long)inner->N);
    if (ix_is_identity(inner) && inner->n == outer->n)
        return outer;
    if (ix_is_identity(outer) && inner->N == outer->N)
        return inner;
    if (inner->kind == IX_TWO)
        return ix_two(ctx, inner->t->src, inner->t->div, ix_after_branch(ctx, outer, inner, 0),
                      ix_after_branch(ctx, outer, inner, 1));
    if ((outer->kind == IX_DIGIT && inner->kind == IX_DIGIT) || outer->kind == IX_TWO) {
        const ix *f = outer->kind == IX_TWO ? ix_two_after(ctx, outer, inner)
                                            : compose_digits(ctx, outer, inner);
        if (f != NULL || ctx->status == SLUICE_E_MEMORY)
            return f;
    }
    return compose_other(ctx, outer, inner);
}

static int64_t tensor_value(int64_t i, const void *user)
{
    const pair *p = user;
    return p->inner->N * ix_eval(p->outer, i / p->inner->n, NULL)
           + ix_eval(p->inner, i % p->inner->n, NULL);
}

/* Digit form of f (x) g: N_g f(i div n_g) + g(i mod n_g). */
static const ix *tensor_digits(spl_ctx *ctx, const ix *f, const ix *g, int64_t n, int64_t N)
{
    ix_form sum, x;
    int64_t by;
    ix_form_open(&sum, n, N, g->c);
    ix_form_open(&x, n, n, 0);
    ix_form_add(&x, IX_INDEX, 1, g->n, 1);
    if (__builtin_mul_overflow(f->c, g->N, &by))
        return NULL;
    ix_form_shift(&sum, by);
    for (int i = 0; i < f->nt; i++) {
        const ix_term *t = &f->t[i];
        const int64_t div = t->src == IX_INDEX ? t->div * g->n : t->div;
        if (__builtin_mul_overflow(t->coef, g->N, &by))
            return NULL;
        ix_form_add(&sum, t->src, div, t->ext, by);
    }
    for (int i = 0; i < g->nt; i++) {
        const ix_term *t = &g->t[i];
        const bool top = t->ext >= g->n / t->div + (g->n % t->div != 0);
        if (t->src != IX_INDEX)
            ix_form_add(&sum, t->src, t->div, t->ext, t->coef);
        else if (!ix_form_digit(&x, t, top, &sum))
            return NULL;
    }
    return ix_form_close(ctx, &sum);
}

const ix *ix_tensor(spl_ctx *ctx, const ix *f, const ix *g)
{
    int64_t n, N;
    if (f == NULL || g == NULL)
        return NULL;
    if (!spl_size_mul(f->n, g->n, &n) || !spl_size_mul(f->N, g->N, &N))
        return ix_refuse(ctx, SLUICE_E_INVALID, "a tensor of index functions exceeds 2^40");
    const bool two = f->kind == IX_TWO || g->kind == IX_TWO;
    if (two || (f->kind == IX_DIGIT && g->kind == IX_DIGIT)) {
        const ix *h = two ? ix_two_tensor(ctx, f, g) : tensor_digits(ctx, f, g, n, N);
        if (h != NULL || ctx->status == SLUICE_E_MEMORY)
            return h;
    }
    if (n <= IX_TABULATE && ix_variables(f) == 0 && ix_variables(g) == 0)
        return ix_tabulate(ctx, n, N, tensor_value, &(pair){f, g});
    if (f->kind == IX_OPAQUE) /* (a o b) (x) g = (a (x) id) o (b (x) g) */
        return ix_compose(ctx, ix_tensor(ctx, f->outer, ix_id(ctx, g->N)),
                          ix_tensor(ctx, f->inner, g));
    return ix_refuse(ctx, SLUICE_E_UNSUPPORTED,
                     "a tensor of index functions has no digit form and is too large for a table");
}
