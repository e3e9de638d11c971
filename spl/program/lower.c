// SPDX-License-Identifier: BSD-3-Clause
/* Merged Sigma-SPL -> tree of statements.
 *
 * A formula is lowered between two sides, each a buffer and an index function that says where local
 * element i lies in it. A product is cut into stages [S ..] [diag ..] [kernel or loop] [G ..];
 * gathers compose onto the input side, scatters onto the output side, and what lies between two
 * stages becomes a buffer. */
#include "spl/program/lower.h"

#include "core/status.h"
#include "spl/index/ix_form.h"

enum { BUF_IN = 0, BUF_OUT = 1 };

typedef struct side {
    int buf;
    const ix *f;
} side;

static void lower_expr(low *l, const spl *x, side in, side out);

/* ---- the tree ---- */

low_node *low_add(low *l, prog_op op)
{
    low_node *x = spl_ctx_get(l->ctx, sizeof *x);
    if (x == NULL)
        return NULL;
    x->s.op = op;
    if (l->tail != NULL)
        l->tail->next = x;
    else
        l->at->kid = x;
    l->tail = x;
    return x;
}

/* A side's function, where it is the user's with the layout of the user's array. */
static const ix *in_array(low *l, side s)
{
    const prog_sides *sides = &l->p->sides;
    const ix *layout = s.buf == BUF_IN ? sides->in : s.buf == BUF_OUT ? sides->out : NULL;
    return layout == NULL ? s.f : ix_compose(l->ctx, layout, s.f);
}

/* A statement that moves n elements from side to side. Where a side is the user's, the layout of
 * the user's array comes last. */
static prog_stmt *add_move(low *l, prog_op op, int64_t n, side in, side out)
{
    low_node *x = low_add(l, op);
    if (x == NULL)
        return NULL;
    x->s.n = n;
    x->s.in = in.buf;
    x->s.out = out.buf;
    x->s.fin = in_array(l, in);
    x->s.fout = in_array(l, out);
    return x->s.fin != NULL && x->s.fout != NULL ? &x->s : NULL;
}

static void add_copy(low *l, int64_t n, side in, side out, spl_class cls, bool put)
{
    prog_stmt *s = add_move(l, PROG_COPY, n, in, out);
    if (s != NULL) {
        s->cls = cls;
        s->put = put;
    }
}

static side new_side(low *l, int64_t elems)
{
    return (side){.buf = low_buf_new(l, elems), .f = ix_id(l->ctx, elems)};
}

/* ---- stages ---- */

/* Loops and sums hold kernels; everything else is one. */
static bool is_nest(const spl *x)
{
    return x->op == SPL_LOOP || x->op == SPL_PLUS;
}

/* Refuses what merging should have removed. */
static bool stage_ok(low *l, const spl *const *kid, const low_stage *st)
{
    if (st->lo == st->hi) {
        const char *what = kid[st->hi - 1]->op == SPL_PERM ? "a permutation" : "an SPL construct";
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "%s is left in the product; merged Sigma-SPL is needed", what);
        return false;
    }
    const spl *core = st->has_core ? spl_untagged(kid[st->core]) : NULL;
    if (core != NULL && core->op == SPL_TRANSFORM && !spl_is_dft(core)) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED, "%s(%lld) has no program yet",
                   spl_transform_of((spl_kind)core->a[1])->word, (long long)core->a[0]);
        return false;
    }
    int diags = st->core - st->diag;
    if (diags > PROG_MAX_TWIDDLES) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED, "%d diagonals at one kernel; at most %d", diags,
                   PROG_MAX_TWIDDLES);
        return false;
    }
    bool bare = !st->has_core && st->gath == st->hi;
    if (diags > 0 && (bare || (st->has_core && is_nest(kid[st->core])))) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "a diagonal stands beside a loop; merged Sigma-SPL is needed");
        return false;
    }
    return true;
}

static void lower_kernel(low *l, const spl *x, int64_t n, const spl *const *diag, int diags,
                         side in, side out)
{
    prog_stmt *s = add_move(l, PROG_KERN, n, in, out);
    if (s == NULL)
        return;
    x = x == NULL ? NULL : spl_untagged(x);
    s->kernel = x == NULL ? SPL_I : x->op;
    s->inverse = s->kernel == SPL_TRANSFORM && x->a[1] == SPL_IDFT;
    s->ntwiddles = diags;
    for (int i = 0; i < diags; i++)
        s->twiddle[i] = (prog_twiddle){.values = (spl_values)diag[i]->a[3],
                                       .n = diag[i]->a[0],
                                       .m = diag[i]->a[1],
                                       .conjugate = diag[i]->a[2] == 1,
                                       .f = diag[i]->f};
}

/* What stands between the scatters and the gathers of a stage. */
static void lower_core(low *l, const spl *const *kid, const low_stage *st, side in, side out)
{
    const spl *core = st->has_core ? kid[st->core] : NULL;
    if (core != NULL && is_nest(core))
        lower_expr(l, core, in, out);
    else
        lower_kernel(l, core, in.f == NULL ? 0 : in.f->n, kid + st->diag, st->core - st->diag, in,
                     out);
}

/* The scatters kid[at] .. kid[st->diag - 1], outermost first, around the core. */
static void lower_scatters(low *l, const spl *const *kid, const low_stage *st, int at, side in,
                           side out)
{
    if (at == st->diag) {
        lower_core(l, kid, st, in, out);
        return;
    }
    const spl *s = kid[at];
    out.f = ix_compose(l->ctx, out.f, s->f);
    if (s->a[0] == SPL_PLAIN) {
        lower_scatters(l, kid, st, at + 1, in, out);
        return;
    }
    side local = new_side(l, s->cols);
    lower_scatters(l, kid, st, at + 1, in, local);
    add_copy(l, s->cols, local, out, (spl_class)s->a[0], true);
}

static void lower_stage(low *l, const spl *const *kid, const low_stage *st, side in, side out)
{
    for (int i = st->hi - 1; i >= st->gath; i--) {
        const spl *g = kid[i];
        in.f = ix_compose(l->ctx, in.f, g->f);
        if (g->a[0] == SPL_PLAIN)
            continue;
        side local = new_side(l, g->rows);
        add_copy(l, g->rows, in, local, (spl_class)g->a[0], false);
        in = local;
    }
    lower_scatters(l, kid, st, st->lo, in, out);
}

/* The output side as the last stage sees it, where intermediate results may lie there too: f is
 * NULL where they may not. Only where that part of OUT is one contiguous block: strided scratch
 * would cost more than a buffer. */
static side scratch_side(low *l, const spl *const *kid, const low_stage *last, side out)
{
    const prog_sides *sides = &l->p->sides;
    side none = {.buf = -1, .f = NULL};
    if (!sides->out_is_scratch || sides->out != NULL || out.buf != BUF_OUT)
        return none;
    for (int i = last->lo; i < last->diag; i++) {
        if (kid[i]->a[0] != SPL_PLAIN)
            return none;
        out.f = ix_compose(l->ctx, out.f, kid[i]->f);
    }
    return out.f != NULL && ix_run(out.f) == out.f->n ? out : none;
}

/* Do vectors end before they are full? The last one may begin early where it does not read what was
 * written, else its columns take a detour. */
static bool has_rests(const spl *x)
{
    if (x->op == SPL_LOOP && x->a[2] == SPL_VEC && x->a[1] % x->a[6] != 0)
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (has_rests(x->kid[i]))
            return true;
    return false;
}

/* Should a stage read and write one place? */
static bool stays_in_place(low *l, const spl *const *kid, const low_stage *st, const ix *fin,
                           const ix *fout)
{
    const spl *x = spl_mul(l->ctx, st->hi - st->lo, kid + st->lo);
    return x != NULL && fin != NULL && fout != NULL && low_in_place(l->ctx, x, fin, fout)
           && !has_rests(x);
}

static bool one_place(const low *l, int a, int b)
{
    return a == b || (l->p->sides.in_place && a <= BUF_OUT && b <= BUF_OUT);
}

/* Sides between stages, from the last one on: a stage that may works in place; else the output
 * serves where it may, in turns with temporaries. The first stage may need its input for longer. */
static void choose_sides(low *l, const spl *const *kid, const low_stage *st, int n, side in,
                         side *to)
{
    const side out = to[n - 1], scratch = scratch_side(l, kid, &st[n - 1], out);
    for (int i = n - 2; i >= 0; i--) {
        const int64_t elems = kid[st[i].lo]->rows;
        const bool before_out = to[i + 1].buf == out.buf;
        const side *same = before_out ? &scratch : &to[i + 1];
        const bool fits = same->f != NULL && same->f->n == elems;
        if (fits && stays_in_place(l, kid, &st[i + 1], same->f, to[i + 1].f))
            to[i] = *same;
        else if (!before_out && scratch.f != NULL && scratch.f->n == elems)
            to[i] = scratch;
        else
            to[i] = new_side(l, elems);
        if (i == 0 && one_place(l, in.buf, to[i].buf)
            && !stays_in_place(l, kid, &st[i], in_array(l, in), in_array(l, to[i])))
            to[i] = new_side(l, elems);
    }
}

/* ---- interfaces that a stage does not fill ---- */

static bool is_shared(const low_node *x, int var)
{
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP && (x->s.range.share_var == var || is_shared(x->kid, var)))
            return true;
    return false;
}

/* What statements write to a buffer: how many elements, each once, between which. */
typedef struct writes {
    int64_t count, lo, hi;
    bool unknown;
} writes;

static void find_writes(const low_node *x, int buf, int64_t times, writes *w)
{
    for (; x != NULL; x = x->next) {
        int64_t lo, hi;
        if (x->s.op == PROG_LOOP) {
            /* loops inside run over shares of this one: together once over all */
            const int64_t turns = is_shared(x->kid, x->s.range.var) ? 1 : x->s.range.n;
            find_writes(x->kid, buf, times * turns, w);
        } else if (x->s.op != PROG_SYNC && x->s.out == buf && x->s.fout != NULL) {
            w->unknown = w->unknown || !ix_bounds(x->s.fout, &lo, &hi);
            if (w->unknown)
                return;
            w->lo = w->count == 0 || lo < w->lo ? lo : w->lo;
            w->hi = w->count == 0 || hi > w->hi ? hi : w->hi;
            w->count += times * x->s.n;
        }
    }
}

static void add_zero(low *l, side to, int64_t lo, int64_t hi)
{
    low_node *x = lo < hi ? low_add(l, PROG_ZERO) : NULL;
    if (x == NULL)
        return;
    x->s.n = hi - lo;
    x->s.in = x->s.out = to.buf;
    x->s.fin = x->s.fout = ix_h(l->ctx, hi - lo, to.f->N, lo, 1);
}

/* Zeros where the statements from x on leave out elements of an inner buffer: before and behind a
 * dense block of writes. */
static void clear_rest(low *l, const low_node *x, side to)
{
    writes w = {0, 0, -1, false};
    if (to.f == NULL || to.buf < 0)
        return;
    find_writes(x, to.buf, 1, &w);
    if (w.unknown || w.count == to.f->N)
        return;
    if (w.count != w.hi - w.lo + 1) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "a scatter leaves out elements between those it writes");
        return;
    }
    add_zero(l, to, 0, w.lo);
    add_zero(l, to, w.hi + 1, to.f->N);
}

static void lower_product(low *l, const spl *const *kid, int count, side in, side out)
{
    low_stage *st = spl_ctx_get(l->ctx, (size_t)count * sizeof *st);
    side *to = spl_ctx_get(l->ctx, (size_t)count * sizeof *to);
    if (st == NULL || to == NULL)
        return;
    int n = 0;
    for (int hi = count; hi > 0; hi = st[n++].lo) {
        st[n] = low_stage_cut(kid, hi);
        if (!stage_ok(l, kid, &st[n]))
            return;
    }
    to[n - 1] = out;
    choose_sides(l, kid, st, n, in, to);
    for (int i = 0; i < n; i++) {
        const low_node *before = l->tail;
        lower_stage(l, kid, &st[i], in, to[i]);
        if (i < n - 1 && to[i].buf != out.buf)
            clear_rest(l, before == NULL ? l->at->kid : before->next, to[i]);
        in = to[i];
    }
}

static void lower_loop(low *l, const spl *x, side in, side out)
{
    bool par = x->a[2] == SPL_PAR;
    if (par && l->in_par) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED, "a parallel loop lies inside a parallel loop");
        return;
    }
    low_node *loop = low_add(l, PROG_LOOP), *at = l->at;
    if (loop == NULL)
        return;
    loop->s.range = (spl_range){.var = (int)x->a[0],
                                .n = x->a[1],
                                .kind = (spl_loop)x->a[2],
                                .share_var = (int)x->a[3] - 1,
                                .shares = x->a[4],
                                .grain = x->a[5],
                                .nu = x->a[6],
                                .format = (int)x->a[7]};
    l->at = loop;
    l->tail = NULL;
    l->in_par = l->in_par || par;
    lower_expr(l, x->kid[0], in, out);
    l->in_par = l->in_par && !par;
    l->at = at;
    l->tail = loop;
}

/* Terms one after the other: each writes places of its own. */
static void lower_plus(low *l, const spl *x, side in, side out)
{
    for (int i = 0; i < x->nkids; i++)
        lower_expr(l, x->kid[i], in, out);
}

static void lower_expr(low *l, const spl *x, side in, side out)
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

/* Takes out what moves elements to where they are, as I does in place beside something else. */
static low_node *drop_idle(low_node *x)
{
    if (x == NULL)
        return NULL;
    const prog_stmt *s = &x->s;
    const bool loop = s->op == PROG_LOOP;
    if (loop)
        x->kid = drop_idle(x->kid);
    x->next = drop_idle(x->next);
    const bool moves = s->kernel == SPL_I || s->n == 1;
    const bool idle =
        s->op == PROG_KERN && moves && s->ntwiddles == 0 && s->in == s->out && s->fin == s->fout;
    return idle || (loop && x->kid == NULL) ? x->next : x;
}

/* ---- in place ---- */

/* The parts of the widest PAR loop of x, 1 where there is none. */
static int64_t widest(const spl *x)
{
    int64_t most = x->op == SPL_LOOP && x->a[2] == SPL_PAR ? x->a[1] : 1;
    for (int i = 0; i < x->nkids; i++) {
        int64_t n = widest(x->kid[i]);
        most = n > most ? n : most;
    }
    return most;
}

/* x * (a loop that copies): with one more stage every formula may run in place. */
static const spl *with_copy_stage(spl_ctx *ctx, const spl *x)
{
    int64_t N = x->cols, block = N < 64 ? N : 64, parts = widest(x);
    while (N % block != 0)
        block--;
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
    const prog_sides *sides = &l->p->sides;
    const ix *id = ix_id(l->ctx, x->cols);
    const ix *fin = sides->in != NULL ? sides->in : id,
             *fout = sides->out != NULL ? sides->out : id;
    if (sides->in_place && !low_in_place(l->ctx, x, fin, fout))
        x = with_copy_stage(l->ctx, x);
    if (x == NULL || id == NULL)
        return;
    lower_expr(l, x, (side){BUF_IN, id}, (side){BUF_OUT, id});
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
    p->rows = x->rows;
    p->cols = x->cols;
    p->sides = *sides;
    if (low_buf_new(l, x->cols) < 0 || low_buf_new(l, x->rows) < 0)
        return NULL;
    p->buf[BUF_IN].space = PROG_IN;
    p->buf[BUF_OUT].space = PROG_OUT;
    return l;
}

sluice_status prog_lower(prog **out, spl_ctx *ctx, const spl *merged, const prog_sides *sides,
                         sluice_diag *why)
{
    *out = NULL;
    sluice_status status = spl_ctx_status(ctx, why);
    if (status != SLUICE_OK || merged == NULL)
        return status != SLUICE_OK ? status : core_fail(why, SLUICE_E_INVALID, 0, "no formula");
    if (merged->rows != merged->cols)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the formula is not square: %lld x %lld",
                         (long long)merged->rows, (long long)merged->cols);
    static const prog_sides packed;
    low *l = open_low(ctx, merged, sides == NULL ? &packed : sides);
    void (*const pass[])(low *) = {low_pad, low_split, low_coalesce, low_place, low_flatten};
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
