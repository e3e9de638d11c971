// SPDX-License-Identifier: BSD-3-Clause
/* Formula nodes: constructors of Sigma-SPL, whose index functions are checked, and shares of
 * loops. */
#include "spl/context/ctx.h"
#include "spl/formula/formats.h"
#include "spl/formula/node.h"
#include "spl/index/ix_form.h"

/* No element outside the vector is ever addressed, whatever the loop variables are. */
static bool in_range(spl_ctx *ctx, const char *what, const ix *f, int64_t range)
{
    int64_t lo, hi;
    if (!ix_bounds(f, &lo, &hi)) {
        (void)spl_refuse(ctx, SLUICE_E_INVALID, "%s: the index function's range is not known",
                         what);
        return false;
    }
    if (lo < 0 || hi >= range) {
        (void)spl_refuse(ctx, SLUICE_E_INVALID,
                         "%s: the index function takes values from %lld to %lld, beyond 0..%lld",
                         what, (long long)lo, (long long)hi, (long long)(range - 1));
        return false;
    }
    return true;
}

const spl *spl_perm(spl_ctx *ctx, const ix *f)
{
    if (f == NULL || !in_range(ctx, "P", f, f->N))
        return NULL;
    if (ix_inverse(ctx, f) == NULL)
        return spl_refuse(ctx, SLUICE_E_INVALID,
                          "P: the index function is not known to be a permutation");
    return spl_intern(ctx, &(spl){.op = SPL_PERM, .rows = f->n, .cols = f->n, .f = f});
}

const spl *spl_diag_of(spl_ctx *ctx, const spl *of, const ix *f)
{
    if (of == NULL || f == NULL
        || !in_range(ctx, "D", f, spl_values_range((spl_values)of->a[3], of->a[0], of->a[1])))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_DIAG_OF,
                                  .from = of->from,
                                  .to = of->to,
                                  .rows = f->n,
                                  .cols = f->n,
                                  .a = {of->a[0], of->a[1], of->a[2], of->a[3]},
                                  .f = f});
}

const spl *spl_gather(spl_ctx *ctx, const ix *f, spl_class cls)
{
    if (f == NULL || !in_range(ctx, "G", f, f->N))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_GATH, .rows = f->n, .cols = f->N, .a = {cls}, .f = f});
}

const spl *spl_scatter(spl_ctx *ctx, const ix *f, spl_class cls)
{
    if (f == NULL || !in_range(ctx, "S", f, f->N))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_SCAT, .rows = f->N, .cols = f->n, .a = {cls}, .f = f});
}

static bool range_fits(const spl_range *range)
{
    const bool shared = range->share_var >= 0;
    return range->var >= 0 && range->var < IX_MAX_VARS && spl_is_size(range->n)
           && range->share_var < IX_MAX_VARS
           && (!shared
               || (spl_is_size(range->shares) && range->shares <= INT32_MAX
                   && spl_is_size(range->grain)))
           && (range->kind != SPL_VEC
               || (spl_is_size(range->nu) && range->format >= SPL_INTER
                   && range->format <= SPL_REAL));
}

const spl *spl_sum(spl_ctx *ctx, const spl_range *range, const spl *body)
{
    if (body == NULL)
        return NULL;
    if (!range_fits(range))
        return spl_refuse(ctx, SLUICE_E_INVALID,
                          "SUM: a bound, a share or a variable (0 to %d) is out of range",
                          IX_MAX_VARS - 1);
    if (range->var < body->height)
        return spl_refuse(ctx, SLUICE_E_INVALID, "SUM: k%d is not above the loop over k%d inside",
                          range->var, body->height - 1);
    const bool shared = range->share_var >= 0, vec = range->kind == SPL_VEC;
    if (shared && range->share_var <= range->var)
        return spl_refuse(ctx, SLUICE_E_INVALID,
                          "SUM: the shares of k%d are numbered by k%d, which is not a loop around",
                          range->var, range->share_var);
    return spl_intern(
        ctx, &(spl){.op = SPL_LOOP,
                    .rows = body->rows,
                    .cols = body->cols,
                    .from = body->from,
                    .to = body->to,
                    .nkids = 1,
                    .kid = &body,
                    .height = range->var + 1,
                    .a = {range->var, range->n, range->kind, shared ? range->share_var + 1 : 0,
                          shared ? range->shares : 0, shared ? range->grain : 0,
                          vec ? range->nu : 0, vec ? range->format : 0}});
}

spl_range spl_range_of(const spl *loop)
{
    return (spl_range){.var = (int)loop->a[0],
                       .n = loop->a[1],
                       .kind = (spl_loop)loop->a[2],
                       .share_var = (int)loop->a[3] - 1,
                       .shares = loop->a[4],
                       .grain = loop->a[5],
                       .nu = loop->a[6],
                       .format = (int)loop->a[7]};
}

/* floor(k units/p) for k <= p without the product of two sizes. */
static int64_t share_start(int64_t units, int64_t p, int64_t k)
{
    return k >= p ? units : units / p * k + units % p * k / p;
}

void spl_share(int64_t n, int64_t p, int64_t grain, int64_t k, int64_t *lo, int64_t *hi)
{
    const int64_t units = n / grain + (n % grain != 0);
    const int64_t from = share_start(units, p, k), to = share_start(units, p, k + 1);
    *lo = from >= units ? n : from * grain;
    *hi = to >= units ? n : to * grain;
}
