// SPDX-License-Identifier: BSD-3-Clause
/* How transforms and columns are distributed to groups of work-items. Of I_pre (x) A (x) I_l a
 * group has w columns, or all columns of b transforms:
 *
 *     P {I_(pre l/w) (x) A (x) I_w}_spe P'       {I_(pre/b) (x) (I_b (x) A (x) I_l)}_spe
 *
 * If w does not divide l (the n/2+1 columns that r2c leaves, for example), or b not pre, the
 * remainder is a term of its own, in groups of l mod w columns or in one group of pre mod b
 * transforms:
 *
 *     S(f) {I_g (x) A (x) I_w}_spe G(f)  +  S(f') {I_pre (x) A (x) I_(l mod w)}_spe G(f')
 *
 * Both terms are groups of one kernel (spl/program/lower_sync.c), whose text is twice as long. So
 * there are two terms only if groups whose size divides l, or pre, would cost more than a launch.
 * Below that there are few groups, and smaller ones give more of them. */
#include "sched/planner/groups_pass.h"

#include "spl/rules/rewrite.h"

double sched_group_lacking(double part, double wanted, double had)
{
    return had < wanted ? part * (wanted / had - 1) : 0;
}

double sched_group_short_run(const sched_target *t, int64_t run)
{
    const double bytes = (double)(run * sched_complex_bytes(t->precision));

    return sched_group_lacking(t->groups.short_run, (double)t->groups.run_bytes, bytes);
}

/* Columns of a group that fit it. `divide`: the largest divisor of l up to `most`. Otherwise
 * `most`, or the largest half, quarter, .. of it that fits; these begin at sectors if `most` is a
 * power of two. 0: none fits. */
static int64_t columns_fitting(const sched_target *t, const sched_pass *x, int64_t l, int64_t most,
                               bool divide)
{
    sched_pass tried = *x;

    for (int64_t w = most; w > 0; w = divide ? w - 1 : w / 2) {
        tried.w = w;
        if (w <= l && (!divide || l % w == 0) && sched_group_fits(t, &tried, l, 1))
            return w;
    }
    return 0;
}

int64_t sched_group_most_columns(const sched_target *t, const sched_pass *x, int64_t l)
{
    return sched_group_exchanges(x, l) ? t->groups.run_bytes / sched_complex_bytes(t->precision)
                                       : t->groups.items;
}

int64_t sched_group_columns(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch,
                            int64_t most)
{
    const int64_t whole = columns_fitting(t, x, l, most, true),
                  any = columns_fitting(t, x, l, most, false);

    if (x->divides || whole >= any)
        return whole;
    const double saved = 2 * (sched_group_short_run(t, whole) - sched_group_short_run(t, any));
    return saved * sched_group_bytes_cycles(t, batch * x->n * l) > t->groups.launch ? any : whole;
}

/* A group with half of the items that it should have is sufficient, and busy units come first. A
 * number of transforms that does not divide the batch must be even, as reals are moved in pairs. */
int64_t sched_group_batch(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch)
{
    const int64_t items = x->w * sched_group_items_of(x), units = t->unit.compute_units;
    int64_t whole = 1, any = 1;

    for (int64_t b = 2; x->w == l && any * items < t->groups.items && b * units <= batch; b++) {
        if (b * items > sched_group_items(&t->unit, &t->groups))
            break;
        const bool fits = sched_group_fits(t, x, l, b);
        any = fits && (b % 2 == 0 || batch % b == 0) ? b : any;
        whole = fits && batch % b == 0 ? b : whole;
    }
    if (x->divides || whole == any || 2 * whole * items > t->groups.items)
        return whole;
    const double wanted = (double)t->groups.items, part = t->groups.few_items;
    const double saved = sched_group_lacking(part, wanted, (double)(whole * items))
                         - sched_group_lacking(part, wanted, (double)(any * items));
    return saved * sched_group_bytes_cycles(t, batch * x->n * l) > t->groups.launch ? any : whole;
}

/* ---- formulas ---- */

const spl *sched_group_distributed(const sched_target *t, int64_t g, const spl *x)
{
    const spl_tag spe = {.kind = SPL_TAG_SPE, .a = {g, 1}};

    if (g == 1)
        return x ? spl_parts(t->ctx, spl_height(x), 1, x) : NULL;
    return spl_tagged(t->ctx, spl_kron2(t->ctx, spl_identity(t->ctx, g), x), 1, &spe);
}

const spl *sched_group_tiles(const sched_target *t, int64_t pre, int64_t n, int64_t k, int64_t w)
{
    const spl *const factors[] = {spl_identity(t->ctx, pre), spl_stride(t->ctx, n, k),
                                  spl_identity(t->ctx, w)};

    return spl_kron(t->ctx, 3, factors);
}

/* Index of the elements of `pre` arrays of n rows and l columns: w columns a group, from column
 * `at` on, in as many whole groups an array as there are. */
static const ix *columns_at(spl_ctx *ctx, int64_t pre, int64_t n, int64_t l, int64_t at, int64_t w)
{
    const int64_t groups = (l - at) / w;
    const ix_term digits[] = {{.src = IX_INDEX, .div = 1, .ext = w, .coef = 1},
                              {.src = IX_INDEX, .div = w, .ext = n, .coef = l},
                              {.src = IX_INDEX, .div = w * n, .ext = groups, .coef = w},
                              {.src = IX_INDEX, .div = w * n * groups, .ext = pre, .coef = n * l}};

    return ix_digit(ctx, pre * groups * n * w, pre * n * l, at, 4, digits);
}

/* S(f) x G(f'), followed by a permutation of the rows. */
static const spl *placed(spl_ctx *ctx, const spl *moved, const ix *out, const spl *x, const ix *in)
{
    const spl *const factors[] = {moved, spl_scatter(ctx, out, SPL_PLAIN), x,
                                  spl_gather(ctx, in, SPL_PLAIN)};

    return spl_mul(ctx, moved ? 4 : 3, factors + !moved);
}

/* The formula of groups of w columns from column `at` on. */
static const spl *columns_placed(const sched_target *t, const sched_deal *d, const spl *moved,
                                 int64_t at, int64_t w, const spl *x)
{
    return placed(t->ctx, moved, columns_at(t->ctx, d->pre, d->rows, d->l, at, w), x,
                  columns_at(t->ctx, d->pre, d->cols, d->l, at, w));
}

/* b transforms a group, with all their columns. */
static const spl *deal_transforms(const sched_target *t, const sched_deal *d)
{
    const int64_t left = d->pre % d->b, most = d->pre - left, rows = d->rows * d->l,
                  cols = d->cols * d->l;
    const spl *all = sched_group_distributed(t, most / d->b, d->body(t, d, d->b, d->l));

    if (left == 0)
        return all;
    const spl *rest = sched_group_distributed(t, 1, d->body(t, d, left, d->l));
    const spl *const terms[] = {
        placed(t->ctx, NULL, ix_h(t->ctx, most * rows, d->pre * rows, 0, 1), all,
               ix_h(t->ctx, most * cols, d->pre * cols, 0, 1)),
        placed(t->ctx, NULL, ix_h(t->ctx, left * rows, d->pre * rows, most * rows, 1), rest,
               ix_h(t->ctx, left * cols, d->pre * cols, most * cols, 1))};
    return spl_plus(t->ctx, 2, terms);
}

const spl *sched_group_deal(const sched_target *t, const sched_deal *d)
{
    const int64_t w = d->w, l = d->l, left = l % w, most = l - left;

    if (w == l)
        return deal_transforms(t, d);
    const spl *all = sched_group_distributed(t, d->pre * (l / w), d->body(t, d, 1, w));
    const spl *const rows_moved[] = {spl_identity(t->ctx, d->pre),
                                     d->moved ? d->moved : spl_identity(t->ctx, d->rows),
                                     spl_identity(t->ctx, l)};
    const spl *moved = spl_kron(t->ctx, 3, rows_moved);
    if (left == 0) {
        const spl *const factors[] = {
            moved, sched_group_tiles(t, d->pre, d->rows * (l / w), d->rows, w), all,
            sched_group_tiles(t, d->pre, d->cols * (l / w), l / w, w)};
        return spl_mul(t->ctx, 4, factors);
    }
    const spl *rest = sched_group_distributed(t, d->pre, d->body(t, d, 1, left));
    const spl *const after = d->moved ? moved : NULL;
    const spl *const terms[] = {columns_placed(t, d, after, 0, w, all),
                                columns_placed(t, d, after, most, left, rest)};
    return spl_plus(t->ctx, 2, terms);
}
