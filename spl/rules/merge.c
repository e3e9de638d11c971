// SPDX-License-Identifier: BSD-3-Clause
/* Merging: one walk from the outside in. What stands around a node, S.cls(sc) S(sp) diag(d) .. on
 * its left and G(gp) G.cls(gc) on its right, is carried as its `around` and composed with what is
 * met on the way, down to the kernels:
 *   into a loop       S (SUM A) G = SUM S A G                           distributivity, (11)
 *   into a product    the left side into the first stage, the right side into the last
 *   into a sum        S (A + B) G = S A G + S B G
 *   at a kernel       written down: S diag .. K G
 * A product is cut into stages [S D P ..] core [P G ..]. P = G(p) goes into the scatter of the
 * stage on its right, P S(f) = S(p^-1 o f), or, where there is none, into the gather of the stage
 * on its left, G(g) P = G(p o g). A diagonal goes into the stage on its right,
 * D S(f) = S(f) diag(d o f).
 * COPY and NET functions (sc, gc) stop where nothing inside them copies; PLAIN ones never pass. */
#include "spl/rules/sigma.h"

#include <stddef.h>

#include "spl/rules/rewrite.h"

enum { MAX_DIAGS = 8, MAX_COPY_RUN = 64 };

typedef struct diagonal {
    const spl *of; /* whose values, at f */
    const ix *f;
} diagonal;

/* NULL functions are identities. */
typedef struct around {
    const ix *sc, *sp, *gp, *gc;
    spl_class sc_class, gc_class;
    int nd;
    diagonal d[MAX_DIAGS]; /* the first stands next to the kernel */
} around;

typedef struct merger {
    spl_ctx *ctx;
    bool drop_copies, failed;
} merger;

typedef struct stage {
    int left, core, right, end; /* [left, core) S D P; [core, right) the core or none; then P G */
} stage;

static const spl *push(merger *m, const spl *x, const around *w, bool inside);

/* ---- what is around ---- */

/* outer o inner where either may be an identity (NULL). */
static const ix *after(merger *m, const ix *outer, const ix *inner)
{
    if (outer == NULL || inner == NULL)
        return outer == NULL ? inner : outer;
    const ix *f = ix_compose(m->ctx, outer, inner);
    m->failed |= f == NULL;
    return f;
}

/* S.cls(f) on the left of all there is. */
static void add_scatter(merger *m, around *w, const ix *f, spl_class cls)
{
    if (f == NULL)
        return;
    if (w->sc == NULL && cls == SPL_PLAIN) {
        w->sp = after(m, f, w->sp);
        return;
    }
    w->sc = after(m, f, w->sc);
    w->sc_class = cls > w->sc_class ? cls : w->sc_class;
}

/* G.cls(f) on the right of all there is. */
static void add_gather(merger *m, around *w, const ix *f, spl_class cls)
{
    if (f == NULL)
        return;
    if (w->gc == NULL && cls == SPL_PLAIN) {
        w->gp = after(m, f, w->gp);
        return;
    }
    w->gc = after(m, f, w->gc);
    w->gc_class = cls > w->gc_class ? cls : w->gc_class;
}

/* diag(d) on the left of all there is. */
static void add_diagonal(merger *m, around *w, diagonal d)
{
    if (w->nd == MAX_DIAGS) {
        (void)spl_refuse(m->ctx, SLUICE_E_UNSUPPORTED, "more than %d diagonals at one kernel",
                         MAX_DIAGS);
        m->failed = true;
        return;
    }
    d.f = after(m, after(m, d.f, w->sc), w->sp);
    w->d[w->nd++] = d;
}

static void add_left_of(merger *m, around *w, const around *outer)
{
    for (int i = 0; i < outer->nd; i++)
        add_diagonal(m, w, outer->d[i]);
    add_scatter(m, w, outer->sp, SPL_PLAIN);
    add_scatter(m, w, outer->sc, outer->sc_class);
}

static void add_right_of(merger *m, around *w, const around *outer)
{
    add_gather(m, w, outer->gp, SPL_PLAIN);
    add_gather(m, w, outer->gc, outer->gc_class);
}

/* ---- kernels ---- */

static const spl *write_down(merger *m, const spl *kernel, const around *w)
{
    const spl *kid[MAX_DIAGS + 5];
    spl_ctx *ctx = m->ctx;
    if (kernel == NULL)
        return NULL;
    int n = 0;
    if (w->sc != NULL)
        kid[n++] = spl_scatter(ctx, w->sc, w->sc_class);
    kid[n++] = spl_scatter(ctx, w->sp == NULL ? ix_id(ctx, kernel->rows) : w->sp, SPL_PLAIN);
    for (int i = w->nd - 1; i >= 0; i--)
        kid[n++] = spl_diag_of(ctx, w->d[i].of, w->d[i].f);
    kid[n++] = kernel;
    kid[n++] = spl_gather(ctx, w->gp == NULL ? ix_id(ctx, kernel->cols) : w->gp, SPL_PLAIN);
    if (w->gc != NULL)
        kid[n++] = spl_gather(ctx, w->gc, w->gc_class);
    return spl_mul(ctx, n, kid);
}

/* ---- loops ---- */

/* Does the first (or last) stage inside x begin (end) with a copying scatter (gather)? */
static bool copies(const spl *x, spl_op side)
{
    while (x->op == SPL_LOOP)
        x = x->kid[0];
    for (int i = 0; x->op == SPL_MUL && i < x->nkids; i++) {
        const spl *kid = x->kid[side == SPL_SCAT ? i : x->nkids - 1 - i];
        if (kid->op == side && kid->a[0] != SPL_PLAIN)
            return true;
        if (kid->op == SPL_LOOP)
            return copies(kid, side);
        if (kid->op != side && kid->op != SPL_DIAG && kid->op != SPL_PERM)
            return false;
    }
    return false;
}

/* What is around a core at which copying functions stop. */
static around inside_of(const around *w, bool put, bool get)
{
    around in = *w;
    if (put) {
        in.sc = NULL;
        in.sc_class = SPL_PLAIN;
    }
    if (get) {
        in.gc = NULL;
        in.gc_class = SPL_PLAIN;
    }
    return in;
}

/* S.cls(sc) core G.cls(gc), each where it stops here. */
static const spl *between(merger *m, const around *w, bool put, const spl *core, bool get)
{
    const spl *kid[3];
    int n = 0;
    if (put)
        kid[n++] = spl_scatter(m->ctx, w->sc, w->sc_class);
    kid[n++] = core;
    if (get)
        kid[n++] = spl_gather(m->ctx, w->gc, w->gc_class);
    return n == 1 ? kid[0] : spl_mul(m->ctx, n, kid);
}

static const spl *push_loop(merger *m, const spl *x, const around *w)
{
    const bool put = w->sc != NULL && !copies(x, SPL_SCAT);
    const bool get = w->gc != NULL && !copies(x, SPL_GATH);
    const around in = inside_of(w, put, get);
    const spl_range range = spl_range_of(x);
    return between(m, w, put, spl_sum(m->ctx, &range, push(m, x->kid[0], &in, true)), get);
}

/* ---- products ---- */

static bool is_core(const spl *x)
{
    return x->op != SPL_SCAT && x->op != SPL_DIAG && x->op != SPL_PERM && x->op != SPL_GATH;
}

static bool all_perms(const spl *const *kid, int from, int to)
{
    while (from < to && kid[from]->op == SPL_PERM)
        from++;
    return from == to;
}

static int cut(const spl *const *kid, int count, stage *out)
{
    int n = 0;
    for (int i = 0; i < count;) {
        stage s = {.left = i};
        while (i < count && !is_core(kid[i]) && kid[i]->op != SPL_GATH)
            i++;
        s.core = i;
        i += i < count && is_core(kid[i]);
        s.right = i;
        while (i < count && kid[i]->op == SPL_GATH)
            i++;
        s.end = i;
        if (n > 0 && s.core == s.right && all_perms(kid, s.left, s.core))
            out[n - 1].end = s.end;
        else
            out[n++] = s;
    }
    return n;
}

static spl_class class_of(const merger *m, const spl *x)
{
    return m->drop_copies ? SPL_PLAIN : (spl_class)x->a[0];
}

static void add_left_kid(merger *m, around *w, const spl *kid)
{
    if (kid->op == SPL_SCAT) {
        add_scatter(m, w, kid->f, class_of(m, kid));
    } else if (kid->op == SPL_DIAG) {
        add_diagonal(m, w, (diagonal){kid, kid->f});
    } else {
        const ix *inverse = ix_inverse(m->ctx, kid->f);
        m->failed |= inverse == NULL;
        add_scatter(m, w, inverse, SPL_PLAIN);
    }
}

/* A stage without kernel and scatter, diag.. P G(g), outside of loops: the bijection goes into the
 * gather and the elements are moved in runs, SUM(j<N/r) S(h_{jr,1}) diag I(r) G(.. h_{jr,1}). */
static const spl *copy_stage(merger *m, around *w, int64_t n)
{
    spl_ctx *ctx = m->ctx;
    around in = {.nd = w->nd};
    const ix *inverse = w->sp == NULL ? NULL : ix_inverse(ctx, w->sp);
    m->failed |= w->sp != NULL && inverse == NULL;
    const ix *g = after(m, w->gp, inverse);
    int64_t run = g == NULL ? n : ix_run(g);
    int64_t r = run < MAX_COPY_RUN ? run : MAX_COPY_RUN;
    while (run % r != 0)
        r--;
    const ix *h = r == n ? NULL : spl_row_ix(ctx, n / r, r, 0);
    in.sp = h;
    in.gp = after(m, g == NULL ? ix_id(ctx, n) : g, h);
    for (int i = 0; i < w->nd; i++) {
        in.d[i] = w->d[i];
        in.d[i].f = after(m, after(m, w->d[i].f, inverse), h);
    }
    *w = (around){.gc = w->gc, .gc_class = w->gc_class};
    const spl *body = write_down(m, spl_identity(ctx, r), &in);
    if (h == NULL)
        return body;
    const spl_range range = spl_range_over(SPL_SEQ, 0, n / r);
    return spl_sum(ctx, &range, body);
}

static const spl *push_stage(merger *m, const spl *const *kid, const stage *s, around *w,
                             const around *left, const around *right, bool inside)
{
    bool scattered = false;
    for (int i = s->core - 1; i >= s->left; i--) {
        add_left_kid(m, w, kid[i]);
        scattered |= kid[i]->op == SPL_SCAT;
    }
    for (int i = s->right; i < s->end; i++)
        add_gather(m, w, kid[i]->f, kid[i]->op == SPL_PERM ? SPL_PLAIN : class_of(m, kid[i]));
    const int64_t n = s->core > s->left ? kid[s->core - 1]->cols : kid[s->left]->rows;
    const spl *core = s->core < s->right ? kid[s->core] : spl_identity(m->ctx, n);
    if (s->core == s->right && !scattered && !inside)
        core = copy_stage(m, w, n);
    if (left != NULL)
        add_left_of(m, w, left);
    if (right != NULL)
        add_right_of(m, w, right);
    return m->failed || core == NULL ? NULL : push(m, core, w, inside);
}

static const spl *push_product(merger *m, const spl *const *kid, int count, const around *w,
                               bool inside)
{
    stage *stages = spl_ctx_get(m->ctx, (size_t)count * sizeof *stages);
    const spl **done = spl_ctx_get(m->ctx, (size_t)count * sizeof *done);
    if (stages == NULL || done == NULL)
        return NULL;
    const int n = cut(kid, count, stages);
    for (int i = 0; i < n; i++) {
        around own = {0};
        done[i] =
            push_stage(m, kid, &stages[i], &own, i == 0 ? w : NULL, i == n - 1 ? w : NULL, inside);
        if (done[i] == NULL)
            return NULL;
    }
    return spl_mul(m->ctx, n, done);
}

/* ---- sums ---- */

/* Terms have rows of their own, transfers all: those stop here. */
static const spl *push_plus(merger *m, const spl *x, const around *w, bool inside)
{
    const bool put = w->sc != NULL, get = w->gc != NULL;
    const around in = inside_of(w, put, get);
    const spl **done = spl_ctx_get(m->ctx, (size_t)x->nkids * sizeof *done);
    for (int i = 0; done != NULL && i < x->nkids; i++) {
        done[i] = push(m, x->kid[i], &in, inside);
        if (done[i] == NULL)
            return NULL;
    }
    return done == NULL ? NULL : between(m, w, put, spl_plus(m->ctx, x->nkids, done), get);
}

static const spl *push(merger *m, const spl *x, const around *w, bool inside)
{
    if (x->op == SPL_LOOP)
        return push_loop(m, x, w);
    if (x->op == SPL_PLUS)
        return push_plus(m, x, w, inside);
    if (x->op == SPL_I || x->op == SPL_RETYPE || spl_is_leaf(x))
        return write_down(m, x, w);
    if (x->op == SPL_MUL)
        return push_product(m, x->kid, x->nkids, w, inside);
    if (!is_core(x))
        return push_product(m, &x, 1, w, inside);
    return spl_refuse(m->ctx, SLUICE_E_INVALID,
                      "only Sigma-SPL is merged: loops, gathers, scatters and leaves");
}

const spl *spl_merge(spl_ctx *ctx, const spl *sigma, bool drop_copies)
{
    if (sigma == NULL || sigma->op == SPL_I)
        return sigma;
    merger m = {.ctx = ctx, .drop_copies = drop_copies};
    const around none = {0};
    return push(&m, sigma, &none, false);
}
