// SPDX-License-Identifier: BSD-3-Clause
/* Stages of products, and which of them may work in place.
 *
 * A kernel reads all its input before it writes, and so does a product, which reads in its first
 * stage and writes in its last. Iterations of a loop write disjoint places. So a loop may work in
 * place if each iteration reads only places that it writes. For kernels, one function has to give
 * both; vectors of columns are read before they are written, too. A product has to write one region
 * and to read places of this region only, which is a set of addresses
 *     c + (terms in variables of the loops around) + { SUM coef_t d_t : 0 <= d_t < ext_t }
 * in canonical form: sorted by coef, neighbours merged if coef_hi = coef_lo ext_lo. */
#include <string.h>

#include "spl/index/ix_form.h"
#include "spl/program/lower.h"

low_stage low_stage_cut(const spl *const *kid, int hi)
{
    low_stage st = {.hi = hi};
    int r = hi;
    while (r > 0 && (kid[r - 1]->op == SPL_GATH || spl_is_pair_view(kid[r - 1])))
        r--;
    st.gath = r;
    const spl *core = r > 0 ? spl_untagged(kid[r - 1]) : NULL;
    st.has_core = core != NULL
                  && (core->op == SPL_LOOP || core->op == SPL_PLUS || core->op == SPL_I
                      || core->op == SPL_TRANSFORM || core->op == SPL_PAIR
                      || (core->op == SPL_RETYPE && !spl_is_pair_view(core)));
    r -= st.has_core;
    st.core = r;
    while (r > 0 && kid[r - 1]->op == SPL_DIAG_OF)
        r--;
    st.diag = r;
    while (r > 0 && (kid[r - 1]->op == SPL_SCAT || spl_is_pair_view(kid[r - 1])))
        r--;
    st.lo = r;
    return st;
}

static low_address through_factor(spl_ctx *ctx, low_address p, const spl *x)
{
    if (spl_is_pair_view(x))
        p.paired = !p.paired;
    else
        p.f = ix_compose(ctx, p.f, p.paired ? ix_tensor(ctx, x->f, ix_id(ctx, 2)) : x->f);
    return p;
}

low_address low_through_stage(spl_ctx *ctx, low_address p, const spl *const *kid,
                              const low_stage *st, bool in)
{
    for (int i = st->hi - 1; in && i >= st->gath; i--)
        p = through_factor(ctx, p, kid[i]);
    for (int i = st->lo; !in && i < st->diag; i++)
        p = through_factor(ctx, p, kid[i]);
    return p;
}

/* ---- regions ---- */

typedef struct region {
    int64_t c;
    int outers, digits;
    ix_term outer[IX_MAX_TERMS];
    struct {
        int64_t coef, ext;
    } digit[IX_MAX_TERMS];
} region;

/* The number of values of inner variables; 0: not an inner one. */
typedef struct ranges {
    int64_t of[IX_MAX_VARS];
} ranges;

/* The function by which x's first stage reads, or its last one writes, down to the kernel, or to a
 * sum, whose terms have functions of their own. *p becomes the address that the kernel or the terms
 * have. NULL: it is a sum, *sum, or loops are shares of others. */
static const ix *innermost_function(spl_ctx *ctx, const spl *x, low_address *p, bool in,
                                    ranges *inner, const spl **sum)
{
    for (;;) {
        const spl *const *kid;
        for (; x->op == SPL_LOOP; x = x->kid[0]) {
            const spl_range r = spl_range_of(x);
            if (r.share_var >= 0)
                return NULL;
            inner->of[r.var] = r.n;
        }
        const int count = spl_factors(&x, &kid);
        low_stage st = low_stage_cut(kid, count);
        while (!in && st.lo > 0 && st.lo < st.hi)
            st = low_stage_cut(kid, st.lo);
        if (st.lo == st.hi)
            return NULL;
        *p = low_through_stage(ctx, *p, kid, &st, in);
        *sum = st.has_core && kid[st.core]->op == SPL_PLUS ? kid[st.core] : NULL;
        if (*sum)
            return NULL;
        if (p->f == NULL || !st.has_core || kid[st.core]->op != SPL_LOOP)
            return p->f;
        x = kid[st.core];
    }
}

/* Do the digits of a source with `range` values take all combinations of their values? */
static bool digits_are_independent(const ix *f, int src, int64_t range)
{
    int64_t below = 1;
    for (int t = 0; t < f->nt; t++) {
        const ix_term *x = &f->t[t];
        if (x->src != src)
            continue;
        if (x->div % below != 0 || range % x->div != 0)
            return false;
        below = x->div * x->ext;
    }
    return range % below == 0;
}

/* A digit that counts down reaches the same places as one that counts up from its end. */
static void add_digit(region *r, int64_t coef, int64_t ext)
{
    if (coef < 0) {
        r->c += coef * (ext - 1);
        coef = -coef;
    }
    int at = r->digits++;
    for (; at > 0 && r->digit[at - 1].coef > coef; at--)
        r->digit[at] = r->digit[at - 1];
    r->digit[at].coef = coef;
    r->digit[at].ext = ext;
}

static void merge_digits(region *r)
{
    int n = 0;
    for (int i = 0; i < r->digits; i++) {
        if (n > 0 && r->digit[i].coef == r->digit[n - 1].coef * r->digit[n - 1].ext)
            r->digit[n - 1].ext *= r->digit[i].ext;
        else
            r->digit[n++] = r->digit[i];
    }
    r->digits = n;
}

static bool region_of(const ix *f, const ranges *inner, region *r)
{
    memset(r, 0, sizeof *r);
    if (f == NULL || f->kind != IX_DIGIT)
        return false;
    r->c = f->c;
    for (int t = 0; t < f->nt; t++) {
        const ix_term *term = &f->t[t];
        const int64_t range = term->src == IX_INDEX ? f->n : inner->of[term->src];
        if (range == 0)
            r->outer[r->outers++] = *term;
        else if (digits_are_independent(f, term->src, range))
            add_digit(r, term->coef, term->ext);
        else
            return false;
    }
    merge_digits(r);
    return true;
}

static bool is_same_region(const region *a, const region *b)
{
    bool same = a->c == b->c && a->digits == b->digits;

    for (int i = 0; same && i < a->digits; i++)
        same = a->digit[i].coef == b->digit[i].coef && a->digit[i].ext == b->digit[i].ext;
    return same;
}

/* Are all places of a in b, if b has no gap? */
static bool is_between(const region *a, const region *b)
{
    int64_t high = a->c;

    for (int i = 0; i < a->digits; i++)
        high += a->digit[i].coef * (a->digit[i].ext - 1);
    return b->digits == 1 && b->digit[0].coef == 1 && a->c >= b->c && high < b->c + b->digit[0].ext;
}

/* Does x read only places of the region in its first stage? */
static bool reads_inside(spl_ctx *ctx, const spl *x, low_address in, ranges inner, const region *to)
{
    const spl *sum = NULL;
    const ix *f = innermost_function(ctx, x, &in, true, &inner, &sum);
    region reads;

    if (sum == NULL)
        return region_of(f, &inner, &reads)
               && ix_same_terms(reads.outer, reads.outers, to->outer, to->outers)
               && (is_same_region(&reads, to) || is_between(&reads, to));
    for (int i = 0; i < sum->nkids; i++)
        if (!reads_inside(ctx, sum->kid[i], in, inner, to))
            return false;
    return true;
}

/* Does a product write one region, and read nothing else? Terms of its first stage, too, read
 * before its last stage writes. */
static bool covers_one_region(spl_ctx *ctx, const spl *x, low_address in, low_address out)
{
    const spl *sum = NULL;
    ranges inner = {{0}};
    region writes;
    const ix *f = innermost_function(ctx, x, &out, false, &inner, &sum);

    return region_of(f, &inner, &writes) && reads_inside(ctx, x, in, (ranges){{0}}, &writes);
}

/* ---- in place ---- */

static bool has_transfers(const spl *const *kid, const low_stage *st)
{
    for (int i = st->lo; i < st->hi; i++)
        if ((kid[i]->op == SPL_GATH || kid[i]->op == SPL_SCAT)
            && spl_move_class(kid[i]) != SPL_PLAIN)
            return true;
    return false;
}

int64_t low_iterations(const spl *const *kid, const low_stage *st)
{
    const spl *x = st->has_core && !has_transfers(kid, st) ? spl_untagged(kid[st->core]) : NULL;
    int64_t n = 1;
    if (x == NULL || x->op != SPL_LOOP)
        return x != NULL && x->op == SPL_TRANSFORM;
    for (; x->op == SPL_LOOP; x = x->kid[0])
        n *= spl_range_of(x).share_var < 0 ? spl_loop_count(x) : 0;
    const int count = spl_factors(&x, &kid);
    const low_stage inner = low_stage_cut(kid, count);
    return inner.lo > 0 ? 0 : n * low_iterations(kid, &inner);
}

/* What else uses places of the same functions: nothing, other iterations, or other terms of a sum,
 * which may reach any place of the same iteration. */
typedef enum company { ALONE = 0, LOOPED, BESIDE_TERMS } company;

static bool in_place(spl_ctx *ctx, const spl *x, low_address in, low_address out, company with);

/* The first n elements. */
static low_address first_of(spl_ctx *ctx, low_address p, int64_t n)
{
    n *= p.paired ? 2 : 1;
    if (p.f != NULL && p.f->n > n)
        p.f = ix_compose(ctx, p.f, ix_h(ctx, n, p.f->n, 0, 1));
    return p;
}

static bool are_one(low_address a, low_address b)
{
    return a.f == b.f && a.paired == b.paired;
}

/* Does a kernel read the first elements that it writes (or write the first that it reads), and are
 * all others beyond the `min` elements of the whole sum that any term reads (or writes)? */
static bool reaches_beyond(spl_ctx *ctx, const spl *x, low_address in, low_address out, int64_t min)
{
    const spl *const *kid;
    while (x->op == SPL_LOOP)
        x = x->kid[0];
    const int count = spl_factors(&x, &kid);
    const low_stage st = low_stage_cut(kid, count);
    if (st.lo > 0 || !st.has_core || kid[st.core]->op != SPL_PAIR)
        return false;
    const bool writes = kid[st.core]->rows > kid[st.core]->cols;
    const int64_t n = writes ? kid[st.core]->cols : kid[st.core]->rows;
    const ix *f = ix_id(ctx, writes ? x->rows : x->cols);
    f = low_through_stage(ctx, (low_address){f, false}, kid, &st, !writes).f;
    for (int64_t i = n; f != NULL && i < f->n; i++)
        if (ix_uses(f, IX_INDEX) && (ix_variables(f) != 0 || ix_eval(f, i, NULL) < min))
            return false;
    return f != NULL
           && are_one(first_of(ctx, low_through_stage(ctx, in, kid, &st, true), n),
                      first_of(ctx, low_through_stage(ctx, out, kid, &st, false), n));
}

/* Each term reads the places it writes, and terms write disjoint places. If a sum has more rows
 * than columns, or fewer, its terms may reach rows that exist on one side only. */
static bool terms_in_place(spl_ctx *ctx, const spl *x, low_address in, low_address out)
{
    const int64_t min = x->rows < x->cols ? x->rows : x->cols;
    const bool one = are_one(first_of(ctx, in, min), first_of(ctx, out, min));
    for (int i = 0; i < x->nkids; i++)
        if (!in_place(ctx, x->kid[i], in, out, BESIDE_TERMS)
            && !(one && reaches_beyond(ctx, x->kid[i], in, out, min)))
            return false;
    return true;
}

static bool in_place(spl_ctx *ctx, const spl *x, low_address in, low_address out, company with)
{
    while (in.f != NULL && out.f != NULL) {
        const spl *const *kid;
        for (; x->op == SPL_LOOP; x = x->kid[0])
            with = with == ALONE ? LOOPED : with;
        if (x->op == SPL_PLUS)
            return terms_in_place(ctx, x, in, out);
        const int count = spl_factors(&x, &kid);
        const low_stage st = low_stage_cut(kid, count);
        if (st.lo > 0)
            return with == ALONE || covers_one_region(ctx, x, in, out)
                   || (with == LOOPED && low_apart(ctx, x, in, out));
        in = low_through_stage(ctx, in, kid, &st, true);
        out = low_through_stage(ctx, out, kid, &st, false);
        const spl *core = st.has_core ? kid[st.core] : NULL;
        if (has_transfers(kid, &st) || core == NULL || !spl_is_loop_or_sum(core)) {
            /* conjugates are copied element by element, not read as a whole first */
            const bool whole = with != BESIDE_TERMS && core != NULL && !spl_is_loop_or_sum(core)
                               && !spl_is_retype(core, SPL_RETYPE_CONJ);
            return are_one(in, out) || (whole && low_apart(ctx, core, in, out));
        }
        x = core;
    }
    return false;
}

/* Complex numbers, counted as reals. */
static low_address in_reals(spl_ctx *ctx, low_address p)
{
    return (low_address){ix_tensor(ctx, p.f, ix_id(ctx, 2)), true};
}

bool low_in_place(low *l, const spl *x, low_side in, low_side out)
{
    low_address from = {low_in_array(l, in), low_is_paired(l, &in)};
    low_address to = {low_in_array(l, out), low_is_paired(l, &out)};
    const bool in_real = l->p->buf[in.buf].type == SPL_TYPE_REAL;
    const bool out_real = l->p->buf[out.buf].type == SPL_TYPE_REAL;
    if (from.f == NULL || to.f == NULL)
        return false;
    if (in_real != out_real
        && (l->p->sides.in_layout == SLUICE_SPLIT || l->p->sides.out_layout == SLUICE_SPLIT))
        return false;
    if (in_real && !out_real)
        to = in_reals(l->ctx, to);
    if (out_real && !in_real)
        from = in_reals(l->ctx, from);
    return in_place(l->ctx, x, from, to, ALONE);
}
