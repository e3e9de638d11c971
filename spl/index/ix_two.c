// SPDX-License-Identifier: BSD-3-Clause
/* Two functions, one of which is selected by a binary digit d = (src div D) mod 2:
 *     TWO(d; f0, f1)(i) = d = 0 ? f0(i) : f1(i)
 * A branch matters only for those i for which d selects it, and may leave the range for others.
 * With any function g
 *     g o TWO(d; f0, f1) = TWO(d; g o f0, g o f1)
 *     TWO(d; f0, f1) o h = TWO(d o h; f0 o h, f1 o h)    if d o h is a binary digit again.
 * fold(n) is Makhoul's order: even numbers upwards, then odd ones downwards (Makhoul 1980). */
#include "spl/index/ix_form.h"

/* The indices of a function of n elements for which branch b is chosen, d = (i div D) mod 2. PAIRS:
 * those in whole pairs of runs of D; for a single pair the run of b, for several pairs all indices
 * with the digit set to b. LEFT_OVER: those after the last whole pair. If the digit is one of a
 * loop variable, all indices are PAIRS. */
enum { PAIRS, LEFT_OVER, CHOSEN };
static int64_t count_chosen(const ix *two, int b, int what)
{
    const int64_t n = two->n, div = two->t->div;

    if (two->t->src != IX_INDEX)
        return what == PAIRS ? n : 0;
    const int64_t over = n % (2 * div) - b * div, pairs = n - n % (2 * div);
    if (what == PAIRS)
        return pairs == 2 * div ? div : pairs;
    return over <= 0 ? 0 : over < div ? over : div;
}

static const ix *chosen_indices(spl_ctx *ctx, const ix *two, int b, int what)
{
    const int64_t n = two->n, div = two->t->div, count = count_chosen(two, b, what);
    if (two->t->src != IX_INDEX)
        return ix_id(ctx, n);
    const ix_term others[] = {{IX_INDEX, 1, div, 1},
                              {IX_INDEX, 2 * div, (n - 1) / (2 * div) + 1, 2 * div}};
    if (what == PAIRS && count > div)
        return ix_digit(ctx, count, n, b * div, 2, others);
    return ix_h(ctx, count, n, (what == PAIRS ? 0 : n - n % (2 * div)) + b * div, 1);
}

/* f is known on the part of the indices for which branch b of two is chosen; returns it as a
 * function of all indices, or NULL if it has other digits of the index. */
static const ix *of_all_indices(spl_ctx *ctx, const ix *two, const ix *f, int b)
{
    ix_term term[IX_MAX_TERMS];
    int64_t step;

    if (f->kind != IX_DIGIT || !ix_linear(f, IX_INDEX, f->n, &step))
        return NULL;
    for (int i = 0; i < f->nt; i++) {
        term[i] = f->t[i];
        if (term[i].src == IX_INDEX)
            term[i].ext = two->n;
    }
    return ix_digit(ctx, two->n, f->N, f->c - (b == 0 ? 0 : step * two->t->div), f->nt, term);
}

const ix *ix_after_branch(spl_ctx *ctx, const ix *outer, const ix *two, int b)
{
    const ix *all = ix_compose(ctx, outer, two->branch[b]);
    const int64_t n = two->n, div = two->t->div;

    if (!all || all->kind != IX_OPAQUE || two->t->src != IX_INDEX || div < n - div)
        return all;
    const ix *chosen = ix_h(ctx, b == 0 ? div : n - div, n, b == 0 ? 0 : div, 1);
    const ix *part = ix_compose(ctx, outer, ix_compose(ctx, two->branch[b], chosen));
    const ix *f = part ? of_all_indices(ctx, two, part, b) : NULL;
    return f ? f : all;
}

/* Appends the part of x over those values whose digit (x's source div `div`) mod 2 is b: the digits
 * below and above that one, and *c for the digit itself. False if the digit cannot be separated
 * from x's others. */
static bool add_chosen(const ix_term *x, int64_t div, int b, int64_t *c, int *nt, ix_term *term)
{
    const int64_t half = div / x->div;
    const bool below = half >= x->ext, above = x->div % (2 * div) == 0;
    const bool whole = half > 0 && (x->ext <= 2 * half || x->ext % (2 * half) == 0);
    if (below || above)
        term[(*nt)++] = *x;
    else if (!whole || div % x->div != 0 || *nt + 2 > IX_MAX_TERMS)
        return false;
    else if (x->ext <= 2 * half)
        term[(*nt)++] = (ix_term){x->src, x->div, b == 0 ? half : x->ext - half, x->coef};
    else {
        term[(*nt)++] = (ix_term){x->src, x->div, half, x->coef};
        term[(*nt)++] =
            (ix_term){x->src, 2 * half * x->div, x->ext / (2 * half), 2 * half * x->coef};
    }
    *c += below || above || b == 0 ? 0 : half * x->coef;
    return true;
}

/* Branch b of two, or f of that branch, over those values of the loop variable for which the branch
 * is chosen, if the digit is one of a loop variable. f itself if the digit cannot be separated from
 * others. */
static const ix *chosen_part(spl_ctx *ctx, const ix *two, const ix *f, int b);

static const ix *chosen_branches(spl_ctx *ctx, const ix *two, const ix *f, int b)
{
    const ix *part[2] = {chosen_part(ctx, two, f->branch[0], b),
                         chosen_part(ctx, two, f->branch[1], b)};

    if (f->t->src == two->t->src && f->t->div == two->t->div)
        return part[b];
    return ix_two(ctx, f->t->src, f->t->div, part[0], part[1]);
}

static const ix *chosen_part(spl_ctx *ctx, const ix *two, const ix *f, int b)
{
    ix_term term[IX_MAX_TERMS];
    int64_t c = f->c;
    int nt = 0;

    if (two->t->src != IX_INDEX && f->kind == IX_TWO)
        return chosen_branches(ctx, two, f, b);
    if (two->t->src != IX_INDEX
        && f->kind == IX_OPAQUE) /* digits may carry for other values only */
        return ix_compose(ctx, chosen_part(ctx, two, f->outer, b),
                          chosen_part(ctx, two, f->inner, b));
    if (two->t->src == IX_INDEX || f->kind != IX_DIGIT)
        return f;
    for (int i = 0; i < f->nt; i++) {
        const bool same = f->t[i].src == two->t->src;
        if (nt == IX_MAX_TERMS || (same && !add_chosen(&f->t[i], two->t->div, b, &c, &nt, term)))
            return f;
        if (!same)
            term[nt++] = f->t[i];
    }
    return ix_digit(ctx, f->n, f->N, c, nt, term);
}

/* f->lo and f->hi from the bounds of the branches over the indices for which they are chosen; false
 * if these are not known. */
static bool join_bounds(spl_ctx *ctx, ix *f)
{
    f->lo = INT64_MAX;
    f->hi = INT64_MIN;
    for (int b = 0; b < 2; b++) {
        const ix *branch = chosen_part(ctx, f, f->branch[b], b);
        for (int what = PAIRS; what < CHOSEN; what++) {
            int64_t lo, hi;
            if (count_chosen(f, b, what) == 0)
                continue;
            const ix *part = ix_compose(ctx, branch, chosen_indices(ctx, f, b, what));
            if (part == NULL || !ix_bounds(part, &lo, &hi))
                return false;
            f->lo = lo < f->lo ? lo : f->lo;
            f->hi = hi > f->hi ? hi : f->hi;
        }
    }
    return true;
}

/* If these are not known, the bounds of all values, if f is short and has no variables. */
static void find_bounds(spl_ctx *ctx, ix *f)
{
    const bool listed = f->n <= IX_TABULATE && ix_variables(f) == 0;

    if (join_bounds(ctx, f))
        return;
    f->lo = 1; /* unknown */
    f->hi = 0;
    for (int64_t i = 0; i < (listed ? f->n : 0); i++) {
        const int64_t y = ix_eval(f, i, NULL);
        f->lo = i == 0 || y < f->lo ? y : f->lo;
        f->hi = i == 0 || y > f->hi ? y : f->hi;
    }
}

static int64_t two_value(int64_t i, const void *f)
{
    return ix_eval(f, i, NULL);
}

const ix *ix_two(spl_ctx *ctx, int src, int64_t div, const ix *f0, const ix *f1)
{
    if (f0 == NULL || f1 == NULL)
        return NULL;
    if (f0->n != f1->n || f0->N != f1->N || div < 1 || src < IX_INDEX || src >= IX_MAX_VARS)
        return ix_refuse(ctx, SLUICE_E_INVALID,
                         "two: the functions %lld->%lld and %lld->%lld, or the digit, do not fit",
                         (long long)f0->n, (long long)f0->N, (long long)f1->n, (long long)f1->N);
    if (f0 == f1 || (src == IX_INDEX && div >= f0->n))
        return f0;
    const ix_term digit = {src, div, 2, 1};
    ix f = {.kind = IX_TWO, .n = f0->n, .N = f0->N, .nt = 1, .t = &digit, .branch = {f0, f1}};
    const bool listed = f0->kind == IX_TABLE || f1->kind == IX_TABLE;
    if (listed && f.n <= IX_TABULATE && ix_variables(&f) == 0)
        return ix_tabulate(ctx, f.n, f.N, two_value, &f);
    find_bounds(ctx, &f);
    return ix_intern(ctx, &f);
}

/* TWO with the binary digit h: n -> {0, 1}; NULL, nothing recorded, if h is not a binary digit. */
static const ix *choose_branch(spl_ctx *ctx, const ix *h, const ix *f0, const ix *f1)
{
    if (h == NULL || f0 == NULL || f1 == NULL || h->kind != IX_DIGIT)
        return NULL;
    if (h->nt == 0)
        return h->c == 0 ? f0 : f1;
    if (h->nt != 1 || h->t->ext != 2)
        return NULL;
    if (h->c == 0 && h->t->coef == 1)
        return ix_two(ctx, h->t->src, h->t->div, f0, f1);
    return h->c == 1 && h->t->coef == -1 ? ix_two(ctx, h->t->src, h->t->div, f1, f0) : NULL;
}

/* n -> {0, 1}: the digit of f. */
static const ix *digit_of(spl_ctx *ctx, const ix *f, int64_t n)
{
    return ix_digit(ctx, n, 2, 0, 1, f->t);
}

const ix *ix_two_after(spl_ctx *ctx, const ix *two, const ix *inner)
{
    const bool of_index = two->t->src == IX_INDEX;
    const ix *h = digit_of(ctx, two, of_index ? two->n : inner->n);
    if (of_index)
        h = ix_compose(ctx, h, inner);
    return choose_branch(ctx, h, ix_compose(ctx, two->branch[0], inner),
                         ix_compose(ctx, two->branch[1], inner));
}

const ix *ix_two_substitute(spl_ctx *ctx, const ix *two, const ix_substitution *s)
{
    const ix *part[3] = {digit_of(ctx, two, two->n), two->branch[0], two->branch[1]};
    for (int i = 0; i < 3; i++)
        part[i] = ix_substitute(ctx, part[i], s);
    return choose_branch(ctx, part[0], part[1], part[2]);
}

const ix *ix_two_tensor(spl_ctx *ctx, const ix *f, const ix *g)
{
    const bool left = f->kind == IX_TWO;
    const ix *two = left ? f : g;
    int64_t div = two->t->div;
    if (left && two->t->src == IX_INDEX && __builtin_mul_overflow(div, g->n, &div))
        return NULL;
    if (!left && two->t->src == IX_INDEX && f->n > 1 && g->n % div != 0)
        return NULL;
    if (!left && two->t->src == IX_INDEX && f->n > 1 && g->n / div % 2 != 0)
        return NULL;
    const ix *const part[2] = {
        left ? ix_tensor(ctx, f->branch[0], g) : ix_tensor(ctx, f, g->branch[0]),
        left ? ix_tensor(ctx, f->branch[1], g) : ix_tensor(ctx, f, g->branch[1])};
    return ix_two(ctx, two->t->src, div, part[0], part[1]);
}

/* ---- fold ---- */

const ix *ix_fold(spl_ctx *ctx, int64_t n)
{
    if (n <= 2)
        return ix_id(ctx, n);
    return ix_two(ctx, IX_INDEX, n - n / 2, ix_h(ctx, n, n, 0, 2), ix_h(ctx, n, n, 2 * n - 1, -2));
}

const ix *ix_unfold(spl_ctx *ctx, int64_t n)
{
    const ix_term up = {IX_INDEX, 2, n - n / 2, 1}, down = {IX_INDEX, 2, n - n / 2, -1};
    if (n <= 2)
        return ix_id(ctx, n);
    return ix_two(ctx, IX_INDEX, 1, ix_digit(ctx, n, n, 0, 1, &up),
                  ix_digit(ctx, n, n, n - 1, 1, &down));
}

bool ix_is_fold(const ix *f)
{
    if (f->kind != IX_TWO || f->t->src != IX_INDEX || f->t->div != f->n - f->n / 2 || f->n != f->N)
        return false;
    const ix *const a = f->branch[0], *const b = f->branch[1];
    return a->kind == IX_DIGIT && b->kind == IX_DIGIT && a->nt == 1 && b->nt == 1 && a->c == 0
           && b->c == 2 * f->n - 1 && a->t->src == IX_INDEX && b->t->src == IX_INDEX
           && a->t->div == 1 && b->t->div == 1 && a->t->coef == 2 && b->t->coef == -2
           && a->t->ext == f->n && b->t->ext == f->n;
}

/* id(a) (x) fold(n) (x) id(l), with a to fit f's size; its inverse if `back`. NULL: n l does not
 * divide that size. */
static const ix *fold_of_runs(spl_ctx *ctx, const ix *f, int64_t n, int64_t l, bool back)
{
    if (n < 1 || f->n % l != 0 || f->n / l % n != 0)
        return NULL;
    const ix *const one = back ? ix_unfold(ctx, n) : ix_fold(ctx, n);
    return ix_tensor(ctx, ix_id(ctx, f->n / l / n), ix_tensor(ctx, one, ix_id(ctx, l)));
}

/* The number of elements that are folded, if not all runs together are. The digit of a fold is its
 * upper half; the digit of its inverse is the last one of a run, and the number follows from the
 * range of its branches. */
static int64_t folded_runs(const ix *f, int64_t l)
{
    if (f->t->div != l)
        return 2 * f->t->div / l;
    for (int k = 0; f->branch[0]->kind == IX_DIGIT && k < f->branch[0]->nt; k++)
        if (f->branch[0]->t[k].div == 2 * l)
            return 2 * f->branch[0]->t[k].ext;
    return 0;
}

const ix *ix_fold_inverse(spl_ctx *ctx, const ix *f)
{
    if (f->t->src != IX_INDEX)
        return NULL;
    const int64_t l = ix_run(f), runs[2] = {f->n / l, folded_runs(f, l)};
    for (int i = 0; i < 4; i++) {
        const int64_t n = runs[i / 2];
        const bool back = i % 2 == 1;
        if (f == fold_of_runs(ctx, f, n, l, back))
            return fold_of_runs(ctx, f, n, l, !back);
    }
    return NULL;
}
