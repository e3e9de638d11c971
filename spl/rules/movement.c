// SPDX-License-Identifier: BSD-3-Clause
/* Operators that move, scale or convert elements one by one, without a transform, as P, D, G, S and
 * V of whole vectors, which merge into the adjacent loops. */
#include "spl/context/ctx.h"
#include "spl/rules/rewrite.h"

bool spl_all_equal(const spl *x)
{
    for (int i = 1; i < x->nkids; i++)
        if (x->kid[i] != x->kid[0])
            return false;
    return true;
}

static bool are_data_movements(const spl *x)
{
    for (int i = 0; i < x->nkids; i++)
        if (!spl_is_data_movement(x->kid[i]))
            return false;
    return true;
}

bool spl_is_data_movement(const spl *x)
{
    switch (x->op) {
    case SPL_I:
    case SPL_L:
    case SPL_DIAGONAL:
    case SPL_PERM:
    case SPL_RETYPE:
    case SPL_DIAG_OF: return true;
    case SPL_GATH:
    case SPL_SCAT: return spl_move_class(x) == SPL_PLAIN;
    case SPL_MUL:
    case SPL_KRON:
    case SPL_TAG: return are_data_movements(x);
    case SPL_DSUM: return spl_all_equal(x) && are_data_movements(x);
    default: return false;
    }
}

static const spl *widen_perm(spl_ctx *ctx, const ix *f, int64_t a, int64_t b)
{
    f = ix_tensor(ctx, ix_tensor(ctx, ix_id(ctx, a), f), ix_id(ctx, b));
    return f != NULL && ix_is_identity(f) ? spl_identity(ctx, f->n) : spl_perm(ctx, f);
}

/* I_a (x) G(f) (x) I_b = G(id (x) f (x) id), and the same for S: fewer rows than columns, or
 * more. */
static const spl *widen_move(spl_ctx *ctx, const spl *x, int64_t a, int64_t b)
{
    const ix *f = ix_tensor(ctx, ix_tensor(ctx, ix_id(ctx, a), x->f), ix_id(ctx, b));
    return x->op == SPL_GATH ? spl_gather(ctx, f, SPL_PLAIN) : spl_scatter(ctx, f, SPL_PLAIN);
}

/* I_a (x) diag(d) (x) I_b = diag(d o f), f: i -> (i div b) mod n. */
static const spl *widen_diagonal(spl_ctx *ctx, const spl *x, const ix *d, int64_t a, int64_t b)
{
    const int64_t n = x->rows;
    if (spl_diagonal_values(x) == SPL_TWIDDLES && (x->a[0] == 1 || x->a[1] == 1))
        return spl_identity(ctx, a * n * b);
    const ix_term term = {IX_INDEX, b, n, 1};
    const ix *f = ix_digit(ctx, a * n * b, n, 0, 1, &term);
    return spl_diag_of(ctx, x, ix_compose(ctx, d, f));
}

int64_t spl_run_within(int64_t n)
{
    enum { SHORTEST = 16, LONGEST = 64 };
    int64_t run = n < LONGEST ? n : LONGEST;
    while (n % run != 0)
        run--;
    if (run < SHORTEST && run < n) /* a loop over runs of few elements costs more than the
                                    * elements */
        for (run = LONGEST + 1; n % run != 0 && run < n / run; run++)
            ;
    return n % run == 0 ? run : n;
}

static const spl *loop_over_runs(spl_ctx *ctx, int64_t n, const spl *run)
{
    return run == NULL || run->rows == n ? run : spl_loop_rows(ctx, n / run->rows, run);
}

const spl *spl_identity_in_runs(spl_ctx *ctx, int64_t n)
{
    return loop_over_runs(ctx, n, spl_identity(ctx, spl_run_within(n)));
}

/* I_a (x) V_n (x) I_b = V_anb P, P = G(id_an (x) l_b^2b): the two reals of an element lie b apart.
 * V^-1 is the inverse of that. */
static const spl *widen_retype(spl_ctx *ctx, const spl *x, int64_t a, int64_t b)
{
    const spl_retype how = spl_retype_kind(x);
    int64_t n;
    if (!spl_size_mul(a, x->a[0], &n) || !spl_size_mul(n, b, &n))
        return spl_refuse(ctx, SLUICE_E_INVALID, "%s: the size exceeds 2^40", spl_retype_word(how));
    if (how == SPL_RETYPE_CONJ) /* next to a fold re and im separate: one element at a time */
        return loop_over_runs(ctx, n, spl_retyped(ctx, how, 1));
    if (how != SPL_RETYPE_VIEW && how != SPL_RETYPE_UNVIEW) /* with columns a run lies within one
                                                             * row */
        return loop_over_runs(ctx, n, spl_retyped(ctx, how, spl_run_within(b > 1 ? b : n)));
    const spl *view = spl_retyped(ctx, how, n);
    const ix *pairs = ix_tensor(ctx, ix_id(ctx, n / b), ix_stride(ctx, 2 * b, b));
    if (b == 1)
        return view;
    return how == SPL_RETYPE_VIEW ? spl_mul2(ctx, view, spl_perm(ctx, pairs))
                                  : spl_mul2(ctx, spl_perm(ctx, ix_inverse(ctx, pairs)), view);
}

/* Products and Kronecker products of x's kids with identities around each. */
static const spl *convert_factors(spl_ctx *ctx, const spl *x, int64_t a, int64_t b)
{
    const spl *product = spl_identity(ctx, a * x->rows * b);
    int64_t before = a, after = x->op == SPL_KRON ? b * x->rows : b;
    for (int i = 0; i < x->nkids; i++) {
        if (x->op == SPL_KRON)
            after /= x->kid[i]->rows;
        product = spl_mul2(ctx, product, spl_movement_to_sigma(ctx, x->kid[i], before, after));
        if (x->op == SPL_KRON)
            before *= x->kid[i]->cols;
    }
    return product;
}

const spl *spl_movement_to_sigma(spl_ctx *ctx, const spl *x, int64_t a, int64_t b)
{
    switch (x->op) {
    case SPL_I: return spl_identity(ctx, a * x->rows * b);
    case SPL_L: return widen_perm(ctx, ix_stride(ctx, x->a[0], x->a[1]), a, b);
    case SPL_PERM: return widen_perm(ctx, x->f, a, b);
    case SPL_RETYPE: return widen_retype(ctx, x, a, b);
    case SPL_DIAGONAL: return widen_diagonal(ctx, x, ix_id(ctx, x->rows), a, b);
    case SPL_DIAG_OF: return widen_diagonal(ctx, x, x->f, a, b);
    case SPL_GATH:
    case SPL_SCAT: return widen_move(ctx, x, a, b);
    case SPL_TAG: return spl_movement_to_sigma(ctx, x->kid[0], a, b);
    case SPL_DSUM: return spl_movement_to_sigma(ctx, x->kid[0], a * x->nkids, b);
    default: return convert_factors(ctx, x, a, b);
    }
}

const spl *spl_copy_stage(spl_ctx *ctx, int64_t n)
{
    return spl_kron2(ctx, spl_dft(ctx, 1, false), spl_identity(ctx, n));
}
