// SPDX-License-Identifier: BSD-3-Clause
/* Brings loops around one statement into the form that executors prefer: as few and as long as
 * possible, every address linear in every loop variable, the vector loop innermost.
 *
 * The iterations of such a nest are independent (they write disjoint elements), so its loops may be
 * exchanged, split where a digit of the variable ends, and fused if one continues the other. */
#include "spl/program/lower.h"

/* A perfect nest of SEQ and VEC loops around a kernel or a transfer; loop[0] is the outermost.
 * STREAM loops around a kernel without transfers have nothing to overlap and count as SEQ. */
typedef struct nest {
    spl_ctx *ctx;
    int n;
    spl_range loop[IX_MAX_VARS];
    prog_stmt *leaf;
    const ix **f[LOW_FUNCTIONS]; /* every index function of the leaf */
    int nf;
    uint32_t taken; /* loop variables in use around and inside the nest */
    bool alone;     /* the only nest of a PAR loop: iterations may be distributed in any way */
} nest;

/* ---- loops of one iteration ---- */

/* Variable v is 0 in everything from x on. */
static void zero_var(spl_ctx *ctx, low_node *x, int v)
{
    for (; x != NULL; x = x->next) {
        if (x->s.op == PROG_LOOP) {
            zero_var(ctx, x->kid, v);
            continue;
        }
        const ix **f[LOW_FUNCTIONS];
        int nf = low_functions(&x->s, f);
        for (int i = 0; i < nf; i++)
            *f[i] = ix_split_var(ctx, *f[i], v, v, 1, 1, v, 1, 0);
    }
}

/* Replaces plain loops of one iteration by their bodies. */
static void drop_single(spl_ctx *ctx, low_node **at)
{
    while (*at != NULL) {
        low_node *x = *at;
        if (x->s.op == PROG_LOOP && x->s.range.kind == SPL_SEQ && x->s.range.n == 1
            && x->s.range.share_var < 0 && x->kid != NULL) {
            zero_var(ctx, x->kid, x->s.range.var);
            low_node *last = x->kid;
            while (last->next != NULL)
                last = last->next;
            last->next = x->next;
            *at = x->kid;
            continue;
        }
        drop_single(ctx, &x->kid);
        at = &x->next;
    }
}

/* ---- splitting ---- */

static bool may_split(const spl_range *r, int64_t d, bool alone)
{
    return d > 1 && d < r->n && r->n % d == 0 && (r->share_var < 0 || r->grain % d == 0 || alone);
}

int64_t low_boundary(const ix *f, const spl_range *r, bool alone)
{
    int64_t best = 0;
    for (int b = 0; f->kind == IX_TWO && b < 2; b++) {
        const int64_t d = low_boundary(f->branch[b], r, alone);
        best = d > 0 && (best == 0 || d < best) ? d : best;
    }
    for (int t = 0; (f->kind == IX_DIGIT || f->kind == IX_TWO) && t < f->nt; t++) {
        if (f->t[t].src != r->var)
            continue;
        const int64_t at[2] = {f->t[t].div, f->t[t].div * f->t[t].ext};
        for (int k = 0; k < 2; k++)
            if (may_split(r, at[k], alone) && (best == 0 || at[k] < best))
                best = at[k];
    }
    return best;
}

/* The smallest digit boundary of loop l at which it may be split; 0: all functions are linear in
 * its variable, or no boundary is suitable. */
static int64_t nest_boundary(const nest *s, int l)
{
    int64_t best = 0;
    for (int i = 0; i < s->nf; i++) {
        const int64_t d = low_boundary(*s->f[i], &s->loop[l], s->alone);
        if (d > 0 && (best == 0 || d < best))
            best = d;
    }
    return best;
}

void low_distribute(const spl_range *r, int64_t d, spl_range *outer, spl_range *inner)
{
    if (r->share_var < 0)
        return;
    const bool whole = r->grain % d == 0, longer = r->grain == 1 && r->n / d >= d;
    spl_range *keeps = whole || longer || r->n / d >= r->shares ? outer : inner;
    keeps->share_var = r->share_var;
    keeps->shares = r->shares;
    keeps->grain = keeps == inner ? r->grain : whole ? r->grain / d : 1;
}

/* Loop l of n iterations becomes n/d iterations around d; a vector loop stays one inside. False,
 * nothing changed, if a function has a digit across the boundary. */
static bool split_loop(nest *s, int l, int64_t d)
{
    spl_range r = s->loop[l];
    uint32_t taken = s->taken;
    const ix *f[LOW_FUNCTIONS];
    int hi = low_free_var(&s->taken), lo = low_free_var(&s->taken);
    if (hi < 0 || lo < 0 || s->n == IX_MAX_VARS) {
        s->taken = taken;
        return false;
    }
    for (int i = 0; i < s->nf; i++) {
        f[i] = ix_split_var(s->ctx, *s->f[i], r.var, hi, r.n / d, d, lo, d, 1);
        if (f[i] == NULL) {
            s->taken = taken;
            return false;
        }
    }
    for (int i = 0; i < s->nf; i++)
        *s->f[i] = f[i];
    for (int i = s->n++; i > l + 1; i--)
        s->loop[i] = s->loop[i - 1];
    s->taken &= ~((uint32_t)1 << r.var);
    s->loop[l + 1] = (spl_range){.var = lo,
                                 .n = d,
                                 .kind = r.kind,
                                 .share_var = -1,
                                 .grain = 1,
                                 .nu = r.nu,
                                 .format = r.format};
    s->loop[l] = (spl_range){.var = hi, .n = r.n / d, .kind = SPL_SEQ, .share_var = -1, .grain = 1};
    low_distribute(&r, d, &s->loop[l], &s->loop[l + 1]);
    return true;
}

/* ---- fusing ---- */

/* Does a loop of the nest run over shares of variable v? Then v must stay. */
static bool counts_shares(const nest *s, int v)
{
    for (int l = 0; l < s->n; l++)
        if (s->loop[l].share_var == v)
            return true;
    return false;
}

/* May `out` continue `in`: is out's stride in every function in's stride times in's length? Shares
 * stay with the outer loop, lanes with the inner one. */
static bool extends_inner(const nest *s, const spl_range *out, const spl_range *in)
{
    if (out->kind != SPL_SEQ || in->share_var >= 0 || counts_shares(s, out->var)
        || counts_shares(s, in->var))
        return false;
    for (int i = 0; i < s->nf; i++) {
        int64_t co, ci;
        if (!ix_linear(*s->f[i], out->var, out->n, &co) || !ix_linear(*s->f[i], in->var, in->n, &ci)
            || co != ci * in->n)
            return false;
    }
    return true;
}

/* f without out's terms, with in's variable running over both ranges. */
static const ix *fuse_ix(spl_ctx *ctx, const ix *f, const spl_range *out, const spl_range *in)
{
    if (f->kind == IX_TWO) /* linear, so its digit depends on neither */
        return ix_two(ctx, f->t->src, f->t->div, fuse_ix(ctx, f->branch[0], out, in),
                      fuse_ix(ctx, f->branch[1], out, in));
    if (f->kind != IX_DIGIT)
        return f; /* linear, so independent of both */
    ix_term t[IX_MAX_TERMS];
    int n = 0;
    for (int i = 0; i < f->nt; i++) {
        if (f->t[i].src == out->var)
            continue;
        t[n] = f->t[i];
        if (t[n].src == in->var)
            t[n].ext = out->n * in->n;
        n++;
    }
    return ix_digit(ctx, f->n, f->N, f->c, n, t);
}

static bool fuse_loops(nest *s, int out, int in)
{
    spl_range a = s->loop[out], b = s->loop[in];
    for (int i = 0; i < s->nf; i++) {
        *s->f[i] = fuse_ix(s->ctx, *s->f[i], &a, &b);
        if (*s->f[i] == NULL)
            return false;
    }
    s->taken &= ~((uint32_t)1 << a.var);
    spl_range *r = &s->loop[in];
    r->n = a.n * b.n;
    r->share_var = a.share_var;
    r->shares = a.shares;
    r->grain = a.share_var < 0 ? 1 : a.grain * b.n;
    s->n--;
    for (int i = out; i < s->n; i++)
        s->loop[i] = s->loop[i + 1];
    return true;
}

static bool fuse_any(nest *s)
{
    for (int out = 0; out < s->n; out++)
        for (int in = 0; in < s->n; in++)
            if (in != out && extends_inner(s, &s->loop[out], &s->loop[in]))
                return fuse_loops(s, out, in);
    return false;
}

/* ---- a nest ---- */

/* The last vector loop goes innermost; the others keep their order. */
static void lanes_inside(nest *s)
{
    int at = s->n - 1;
    while (at >= 0 && s->loop[at].kind != SPL_VEC)
        at--;
    if (at < 0)
        return;
    spl_range lanes = s->loop[at];
    for (; at < s->n - 1; at++)
        s->loop[at] = s->loop[at + 1];
    s->loop[at] = lanes;
}

/* Will loop l become two (lower_peel.c)? A lane loop only if each half is a single iteration, which
 * needs no loop. */
static bool is_to_be_peeled(const nest *s, int l)
{
    const spl_range *r = &s->loop[l];
    bool turns = false;

    for (int i = 0; i < s->nf; i++)
        turns = turns || (*s->f[i] && low_switch_iteration(*s->f[i], r) > 0);
    return turns && !s->leaf->at_once && r->share_var < 0
           && (r->kind == SPL_SEQ || (r->kind == SPL_VEC && r->n == 2));
}

/* Exchanges loop l, which will become two, with the loop around it, except for the kinds of both:
 * lanes stay innermost. */
static void exchange(nest *s, int l)
{
    const spl_range around = s->loop[l - 1], own = s->loop[l];

    s->loop[l - 1].var = own.var;
    s->loop[l - 1].n = own.n;
    s->loop[l].var = around.var;
    s->loop[l].n = around.n;
}

/* Exchanges such loops with the loop around them: then each half contains that loop. */
static void peeled_outside(nest *s)
{
    for (int l = 1; l < s->n; l++)
        if (s->loop[l - 1].kind == SPL_SEQ && s->loop[l - 1].share_var < 0 && is_to_be_peeled(s, l))
            exchange(s, l);
}

static void normalize_nest(nest *s)
{
    for (int l = 0; l < s->n; l++)
        for (int64_t d = nest_boundary(s, l); d > 0; d = nest_boundary(s, l))
            if (!split_loop(s, l, d))
                break;
    while (fuse_any(s))
        continue;
    lanes_inside(s);
    peeled_outside(s);
}

low_node *low_nest_leaf(low_node *x)
{
    int depth = 0;
    bool stream = false;
    while (x->s.op == PROG_LOOP && x->s.range.kind != SPL_PAR && x->kid != NULL
           && x->kid->next == NULL && depth++ < IX_MAX_VARS) {
        stream = stream || x->s.range.kind == SPL_STREAM;
        x = x->kid;
    }
    return x->s.op == PROG_KERN || (x->s.op == PROG_COPY && !stream) ? x : NULL;
}

static void coalesce_nest(spl_ctx *ctx, low_node *x, low_node *leaf, uint32_t around, bool alone)
{
    nest *s = spl_ctx_get(ctx, sizeof *s);
    if (s == NULL)
        return;
    s->ctx = ctx;
    s->leaf = &leaf->s;
    s->taken = around;
    s->alone = alone;
    s->nf = low_functions(s->leaf, s->f);
    for (low_node *y = x; y != leaf; y = y->kid) {
        s->loop[s->n] = y->s.range;
        if (y->s.range.kind == SPL_STREAM)
            s->loop[s->n].kind = SPL_SEQ;
        s->n++;
        s->taken |= (uint32_t)1 << y->s.range.var;
    }
    normalize_nest(s);
    for (int i = 0; i < s->n; i++, x = x->kid) {
        x->s.range = s->loop[i];
        if (i + 1 == s->n) {
            x->kid = leaf;
        } else if (x->kid == leaf) { /* the last loop, which was added */
            x->kid = spl_ctx_get(ctx, sizeof *x);
            if (x->kid == NULL)
                return;
            x->kid->s.op = PROG_LOOP;
            x->kid->kid = leaf;
        }
    }
}

static void coalesce_nests(spl_ctx *ctx, low_node *x, uint32_t around, bool in_par)
{
    const bool alone = in_par && x != NULL && x->next == NULL;
    for (; x != NULL && spl_ctx_status(ctx, NULL) == SLUICE_OK; x = x->next) {
        if (x->s.op != PROG_LOOP)
            continue;
        low_node *leaf = low_nest_leaf(x);
        if (leaf != NULL)
            coalesce_nest(ctx, x, leaf, around, alone);
        else
            coalesce_nests(ctx, x->kid, around | (uint32_t)1 << x->s.range.var,
                           x->s.range.kind == SPL_PAR);
    }
}

void low_coalesce(low *l)
{
    do {
        drop_single(l->ctx, &l->root->kid);
        if (spl_ctx_status(l->ctx, NULL) == SLUICE_OK)
            coalesce_nests(l->ctx, l->root->kid, 0, false);
    } while (spl_ctx_status(l->ctx, NULL) == SLUICE_OK && low_peel(l));
}
