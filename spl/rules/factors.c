// SPDX-License-Identifier: BSD-3-Clause
#include "spl/rules/factors.h"

#include "spl/rules/rewrite.h"

int spl_factors(const spl *const *x, const spl *const **factor)
{
    *factor = (*x)->op == SPL_MUL ? (*x)->kid : x;
    return (*x)->op == SPL_MUL ? (*x)->nkids : 1;
}

bool spl_is_retype(const spl *x, spl_retype how)
{
    return x->op == SPL_RETYPE && spl_retype_kind(x) == how;
}

bool spl_is_pair_view(const spl *x)
{
    return spl_is_retype(x, SPL_RETYPE_VIEW) || spl_is_retype(x, SPL_RETYPE_UNVIEW);
}

bool spl_is_plain(const spl *x, spl_op op)
{
    return x->op == op && spl_move_class(x) == SPL_PLAIN;
}

bool spl_is_loop_or_sum(const spl *x)
{
    return x->op == SPL_LOOP || x->op == SPL_PLUS;
}

static bool is_scatter_side(const spl *x)
{
    return x->op == SPL_SCAT || x->op == SPL_DIAG_OF || x->op == SPL_PERM
           || spl_is_retype(x, SPL_RETYPE_UNVIEW);
}

static bool is_gather_side(const spl *x)
{
    return x->op == SPL_GATH || spl_is_retype(x, SPL_RETYPE_VIEW);
}

/* Skips gathers, and permutations that no scatter follows. */
static int skip_gathers(const spl *const *factor, int count, int at)
{
    for (;;) {
        while (at < count && is_gather_side(factor[at]))
            at++;
        int perm = at;
        while (perm < count && factor[perm]->op == SPL_PERM)
            perm++;
        if (perm == at || (perm < count && !is_gather_side(factor[perm])))
            return at;
        at = perm;
    }
}

bool spl_next_stage(const spl *const *factor, int count, spl_stage *s)
{
    int at = s->end;
    s->left = at;
    while (at < count && is_scatter_side(factor[at]))
        at++;
    s->core = at;
    at += at < count && !is_gather_side(factor[at]);
    s->right = at;
    s->end = skip_gathers(factor, count, at);
    return s->left < count;
}

bool spl_has_core(const spl_stage *s)
{
    return s->core < s->right;
}

const spl *spl_splice(spl_ctx *ctx, const spl *x, int at, int count, int with_count,
                      const spl *const *with)
{
    const spl *const *factor;
    const int old = spl_factors(&x, &factor), rest = old - at - count;
    const spl **made = spl_ctx_get(ctx, (size_t)(old - count + with_count) * sizeof *made);
    if (made == NULL)
        return NULL;
    for (int i = 0; i < at; i++)
        made[i] = factor[i];
    for (int i = 0; i < with_count; i++)
        made[at + i] = with[i];
    for (int i = 0; i < rest; i++)
        made[at + with_count + i] = factor[at + count + i];
    return spl_mul(ctx, at + with_count + rest, made);
}

int spl_find_factor(const spl *const *factor, int from, int to, spl_op op)
{
    while (from < to && factor[from]->op != op)
        from++;
    return from < to ? from : -1;
}

bool spl_copies_inside(const spl *x, spl_op side)
{
    const spl *const *factor;
    while (x->op == SPL_LOOP)
        x = x->kid[0];
    const int count = x->op == SPL_MUL ? spl_factors(&x, &factor) : 0;
    for (int i = 0; i < count; i++) {
        const spl *y = factor[side == SPL_SCAT ? i : count - 1 - i];
        if (y->op == side && spl_move_class(y) != SPL_PLAIN)
            return true;
        if (y->op == SPL_LOOP)
            return spl_copies_inside(y, side);
        if (y->op != side && y->op != SPL_DIAG_OF && y->op != SPL_PERM && y->op != SPL_RETYPE)
            return false;
    }
    return false;
}

int spl_find_pair(const spl *x, spl_pair *is_pair, bool rightmost)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    int found = -1;
    for (int i = 0; i + 1 < count && (found < 0 || rightmost); i++)
        if (is_pair(factor[i], factor[i + 1]))
            found = i;
    return found;
}
