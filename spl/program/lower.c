// SPDX-License-Identifier: BSD-3-Clause
/* Merged Sigma-SPL -> tree of statements.
 *
 * A formula is lowered between two sides. A side is a buffer and an index function that gives the
 * place of local element i in the buffer. A product is cut into stages [S ..] [diag ..] [kernel or
 * loop] [G ..]; gathers compose onto the input side, scatters onto the output side. Between two
 * stages there is a buffer: of reals if any factor inside the two counts reals there. */
#include "spl/program/lower.h"

#include "core/status.h"
#include "spl/rules/rewrite.h"

static void lower_expr(low *l, const spl *x, low_side in, low_side out);

/* A statement that moves the elements of one side to the other. If a side is the user's, the layout
 * of the user's array is composed last. */
static prog_stmt *add_move(low *l, prog_op op, low_side in, low_side out)
{
    low_node *x = in.f == NULL ? NULL : low_add(l, op);
    if (x == NULL)
        return NULL;
    x->s.n = in.f->n;
    x->s.in = in.buf;
    x->s.out = out.buf;
    x->s.fin = low_in_array(l, in);
    x->s.fout = low_in_array(l, out);
    return x->s.fin != NULL && x->s.fout != NULL ? &x->s : NULL;
}

static void add_copy(low *l, low_side in, low_side out, spl_class cls, bool put)
{
    prog_stmt *s = add_move(l, PROG_COPY, in, out);
    if (s != NULL) {
        s->cls = cls;
        s->put = put;
    }
}

/* ---- stages ---- */

/* Refuses what merging should have removed. */
static bool check_merged(low *l, const spl *const *kid, const low_stage *st)
{
    if (st->lo == st->hi) {
        const char *what = kid[st->hi - 1]->op == SPL_PERM ? "a permutation" : "an SPL construct";
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "%s is left in the product; merged Sigma-SPL is needed", what);
        return false;
    }
    const spl *core = st->has_core ? kid[st->core] : NULL;
    const bool pair = core != NULL && core->op == SPL_PAIR;
    const int diags = st->core - st->diag;
    const int own = pair ? spl_role_factors(spl_pairs_kind_of(core), spl_pair_role(core)) : 0;
    if (diags + own > PROG_MAX_TWIDDLES) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED, "%d diagonals at one kernel; at most %d", diags,
                   PROG_MAX_TWIDDLES - own);
        return false;
    }
    bool bare = !st->has_core && st->gath == st->hi;
    if (diags > 0 && (bare || (st->has_core && spl_is_loop_or_sum(kid[st->core])))) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "a diagonal stands next to a loop; merged Sigma-SPL is needed");
        return false;
    }
    return true;
}

/* The i-th factor of a kernel of pairs as a root of unity. */
static prog_twiddle factor_of_pair(low *l, const spl *x, int i)
{
    const spl_pairs_kind kind = spl_pairs_kind_of(x);
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    const int64_t m = spl_pairs_points(x), n = p->order * m;
    const ix *k = x->f, *f;
    if (k == NULL) /* the row is its own partner */
        f = ix_h(l->ctx, 1, n, spl_pairs_exponent(kind, i, m, spl_pairs_self(kind, m)), 1);
    else
        f = ix_compose(
            l->ctx, ix_h(l->ctx, k->N, n, spl_pairs_exponent(kind, i, m, 0), p->root[i].per_k), k);
    return (prog_twiddle){.values = SPL_ROOTS,
                          .n = n,
                          .m = 1,
                          .conjugate = p->conjugate,
                          .f = f,
                          .place = PROG_FACTOR_MIDDLE};
}

static void lower_kernel(low *l, const spl *x, const spl *const *diag, int diags, low_side in,
                         low_side out)
{
    prog_stmt *s = add_move(l, PROG_KERN, in, out);
    if (s == NULL)
        return;
    x = x == NULL ? NULL : spl_untagged(x);
    s->kernel = x == NULL ? SPL_I : x->op;
    if (s->kernel != SPL_I)
        s->kind = (int)x->a[1];
    if (s->kernel != SPL_I && s->kernel != SPL_PAIR)
        s->n = x->a[0];
    s->at_once = l->at_once;
    s->ntwiddles = diags;
    for (int i = 0; i < diags; i++)
        s->twiddle[i] = (prog_twiddle){.values = spl_diagonal_values(diag[i]),
                                       .n = diag[i]->a[0],
                                       .m = diag[i]->a[1],
                                       .conjugate = diag[i]->a[2] == 1,
                                       .f = diag[i]->f};
    if (s->kernel != SPL_PAIR)
        return;
    s->n = x->cols;
    s->role = spl_pair_role(x);
    for (int i = 0; i < spl_role_factors(spl_pairs_kind_of(x), s->role); i++)
        s->twiddle[s->ntwiddles++] = factor_of_pair(l, x, i);
}

/* The factors between the scatters and the gathers of a stage. */
static void lower_core(low *l, const spl *const *kid, const low_stage *st, low_side in,
                       low_side out)
{
    const spl *core = st->has_core ? kid[st->core] : NULL;
    if (core != NULL && spl_is_loop_or_sum(core))
        lower_expr(l, core, in, out);
    else
        lower_kernel(l, core, kid + st->diag, st->core - st->diag, in, out);
}

/* The scatters kid[at] .. kid[st->diag - 1], outermost first, around the core. */
static void lower_scatters(low *l, const spl *const *kid, const low_stage *st, int at, low_side in,
                           low_side out)
{
    if (at == st->diag) {
        lower_core(l, kid, st, in, out);
        return;
    }
    const spl *s = kid[at];
    if (spl_is_pair_view(s))
        out.type = s->from;
    else
        out = low_through(l, out, s->f);
    if (spl_is_pair_view(s) || spl_move_class(s) == SPL_PLAIN) {
        lower_scatters(l, kid, st, at + 1, in, out);
        return;
    }
    const bool reals = out.type == SPL_TYPE_REAL || low_is_paired(l, &out)
                       || low_counts_reals(kid, at + 1, st->core + st->has_core, false);
    low_side local = low_new_side(l, s->cols, out.type, reals);
    lower_scatters(l, kid, st, at + 1, in, local);
    add_copy(l, local, out, spl_move_class(s), true);
}

static void lower_stage(low *l, const spl *const *kid, const low_stage *st, low_side in,
                        low_side out)
{
    for (int i = st->hi - 1; i >= st->gath; i--) {
        const spl *g = kid[i];
        if (spl_is_pair_view(g))
            in.type = g->to;
        else
            in = low_through(l, in, g->f);
        if (spl_is_pair_view(g) || spl_move_class(g) == SPL_PLAIN)
            continue;
        const bool reals = in.type == SPL_TYPE_REAL || low_is_paired(l, &in)
                           || low_counts_reals(kid, st->core, i, true);
        low_side local = low_new_side(l, g->rows, in.type, reals);
        add_copy(l, in, local, spl_move_class(g), false);
        in = local;
    }
    lower_scatters(l, kid, st, st->lo, in, out);
}

static void lower_product(low *l, const spl *const *kid, int count, low_side in, low_side out)
{
    low_stage *st = spl_ctx_get(l->ctx, (size_t)count * sizeof *st);
    low_side *to = spl_ctx_get(l->ctx, (size_t)count * sizeof *to);
    if (st == NULL || to == NULL)
        return;
    int n = 0;
    for (int hi = count; hi > 0; hi = st[n++].lo) {
        st[n] = low_stage_cut(kid, hi);
        if (!check_merged(l, kid, &st[n]))
            return;
    }
    to[n - 1] = out;
    low_choose_sides(l, kid, st, n, in, to);
    for (int i = 0; i < n; i++) {
        const low_node *before = l->tail;
        const bool at_once = l->at_once;
        l->at_once = at_once || st[i].at_once;
        lower_stage(l, kid, &st[i], in, to[i]);
        l->at_once = at_once;
        if (i < n - 1 && to[i].buf != out.buf)
            low_zero_unwritten(l, before == NULL ? l->at->kid : before->next, to[i]);
        in = to[i];
    }
}

/* For groups, a loop with one iteration for each part of the PAR loop x around it becomes the PAR
 * loop itself, because groups have nothing to share. Otherwise x. */
static const spl *loop_of_groups(const low *l, const spl *x)
{
    const spl *kid = x->kid[0];
    if (l->p->sides.group_items == 0 || spl_loop_kind(x) != SPL_PAR || kid->op != SPL_LOOP)
        return x;
    const spl_range par = spl_range_of(x), own = spl_range_of(kid);
    return own.share_var == par.var && own.n == par.n && own.shares == par.n && own.grain == 1 ? kid
                                                                                               : x;
}

static void lower_loop(low *l, const spl *x, low_side in, low_side out)
{
    bool par = spl_loop_kind(x) == SPL_PAR;
    if (par && l->in_par) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED, "a parallel loop lies inside a parallel loop");
        return;
    }
    low_node *loop = low_add(l, PROG_LOOP), *at = l->at;
    if (loop == NULL)
        return;
    x = loop_of_groups(l, x);
    loop->s.range = spl_range_of(x);
    if (par)
        loop->s.range = (spl_range){.var = loop->s.range.var,
                                    .n = loop->s.range.n,
                                    .kind = SPL_PAR,
                                    .share_var = -1,
                                    .grain = 1};
    l->at = loop;
    l->tail = NULL;
    l->in_par = l->in_par || par;
    lower_expr(l, x->kid[0], in, out);
    l->in_par = l->in_par && !par;
    l->at = at;
    l->tail = loop;
}

/* Terms one after the other: each writes places of its own, which no other term reads. */
static void lower_plus(low *l, const spl *x, low_side in, low_side out)
{
    const int sum = ++l->sums;
    for (int i = 0; i < x->nkids; i++) {
        const low_node *before = l->tail;
        lower_expr(l, x->kid[i], in, out);
        low_node *first = before == NULL ? l->at->kid : before->next;
        if (first != NULL && first == l->tail)
            first->sum = sum;
    }
}

static void lower_expr(low *l, const spl *x, low_side in, low_side out)
{
    if (in.f == NULL || out.f == NULL)
        return;
    if (x->op == SPL_LOOP)
        lower_loop(l, x, in, out);
    else if (x->op == SPL_PLUS)
        lower_plus(l, x, in, out);
    else if (x->op == SPL_MUL)
        lower_product(l, x->kid, x->nkids, in, out);
    else
        lower_product(l, &x, 1, in, out);
}

/* Removes statements that move elements to the places where they are, such as a term I of a sum in
 * place. */
static low_node *drop_idle(low_node *x)
{
    if (x == NULL)
        return NULL;
    const prog_stmt *s = &x->s;
    const bool loop = s->op == PROG_LOOP;
    if (loop)
        x->kid = drop_idle(x->kid);
    x->next = drop_idle(x->next);
    const bool moves = s->kernel == SPL_I || (s->n == 1 && prog_is_dft(s));
    const bool idle =
        s->op == PROG_KERN && moves && s->ntwiddles == 0 && s->in == s->out && s->fin == s->fout;
    return idle || (loop && x->kid == NULL) ? x->next : x;
}

/* ---- in place ---- */

/* The parts of the widest PAR loop of x; 1 without any. */
static int64_t most_parts(const spl *x)
{
    int64_t max = x->op == SPL_LOOP && spl_loop_kind(x) == SPL_PAR ? spl_loop_count(x) : 1;
    for (int i = 0; i < x->nkids; i++) {
        int64_t n = most_parts(x->kid[i]);
        max = n > max ? n : max;
    }
    return max;
}

/* The number of elements that an iteration copies: one row if there are gaps between rows, so that
 * addresses have a constant step. */
static int64_t block_of_copy(int64_t n, const ix *layout)
{
    const int64_t run = layout == NULL ? n : ix_even(layout);

    return spl_run_within(run > 1 ? run : n);
}

/* x * (a loop that copies): with this additional stage every formula may run in place. */
static const spl *with_copy_stage(spl_ctx *ctx, const spl *x, const ix *layout)
{
    int64_t N = x->cols, block = block_of_copy(N, layout), parts = most_parts(x);
    spl_range blocks = {.var = 0, .n = N / block, .kind = SPL_SEQ, .share_var = -1, .grain = 1};
    if (parts > 1) {
        blocks.share_var = 1;
        blocks.shares = parts;
    }
    const ix *h = ix_h_var(ctx, block, N, 0, N / block, block, 1);
    const spl *ends[2] = {spl_scatter(ctx, h, SPL_PLAIN), spl_gather(ctx, h, SPL_PLAIN)};
    const spl *loop = spl_sum(ctx, &blocks, spl_mul(ctx, 2, ends));
    spl_range par = {.var = 1, .n = parts, .kind = SPL_PAR, .share_var = -1, .grain = 1};
    if (parts > 1)
        loop = spl_sum(ctx, &par, loop);
    return spl_mul2(ctx, x, loop);
}

/* ---- the whole ---- */

static void lower_whole(low *l, const spl *x)
{
    const bool in_place = l->p->sides.in_place;
    const low_side in = {LOW_IN, ix_id(l->ctx, l->p->cols), low_side_type(x->from, &l->p->sides)};
    const low_side out = {LOW_OUT, ix_id(l->ctx, l->p->rows), low_side_type(x->to, &l->p->sides)};
    if (in_place && !low_in_place(l, x, in, out))
        x = with_copy_stage(l->ctx, x, l->p->sides.in);
    if (x == NULL)
        return;
    l->whole = x;
    lower_expr(l, x, in, out);
    l->root->kid = drop_idle(l->root->kid);
}

static low *open_low(spl_ctx *ctx, const spl *x, const prog_sides *sides)
{
    low *l = spl_ctx_get(ctx, sizeof *l);
    prog *p = spl_ctx_get(ctx, sizeof *p);
    low_node *root = spl_ctx_get(ctx, sizeof *root);
    if (l == NULL || p == NULL || root == NULL)
        return NULL;
    *l = (low){.ctx = ctx, .p = p, .root = root, .at = root};
    root->s = (prog_stmt){.op = PROG_LOOP, .range = {.var = -1, .n = 1, .share_var = -1}};
    p->ctx = ctx;
    p->sides = *sides;
    l->counts_reals = !spl_is_complex_linear(x);
    return low_open_side(l, x, false) && low_open_side(l, x, true) ? l : NULL;
}

sluice_status prog_lower(prog **out, spl_ctx *ctx, const spl *merged, const prog_sides *sides,
                         sluice_diag *why)
{
    *out = NULL;
    sluice_status status = spl_ctx_status(ctx, why);
    if (status != SLUICE_OK || merged == NULL)
        return status != SLUICE_OK ? status : core_fail(why, SLUICE_E_INVALID, 0, "no formula");
    static const prog_sides packed;
    low *l = open_low(ctx, merged, sides == NULL ? &packed : sides);
    void (*const pass[])(low *) = {low_halve,    low_pad,           low_split,
                                   low_coalesce, low_place_buffers, low_flatten};
    if (l != NULL)
        lower_whole(l, merged);
    for (size_t i = 0; i < sizeof pass / sizeof *pass && l != NULL; i++)
        if (spl_ctx_status(ctx, NULL) == SLUICE_OK)
            pass[i](l);
    status = spl_ctx_status(ctx, why);
    if (status == SLUICE_OK)
        *out = l->p;
    return status;
}
