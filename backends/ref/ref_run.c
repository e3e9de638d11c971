// SPDX-License-Identifier: BSD-3-Clause
#include "backends/ref/ref_run.h"

#include "core/mem.h"
#include "core/trig.h"
#include "spl/formula/diagonal.h"

typedef struct ref {
    const prog *p;
    sluice_precision precision;
    sluice_arrays arrays;
    int threads, thread;
    long double *shared, *local; /* re,im pairs; local: one arena after the other */
    long double *root;           /* exp(-2 pi i k/n) of the kernel size run last */
    int64_t nroot;
    long double *x, *y;      /* a kernel's input and output */
    spl_diagonal **diagonal; /* PROG_MAX_TWIDDLES for each statement */
    int64_t vars[IX_MAX_VARS];
} ref;

/* ---- elements ---- */

static long double load_real(const ref *r, const void *array, int64_t at)
{
    return r->precision == SLUICE_F32 ? (long double)((const float *)array)[at]
                                      : (long double)((const double *)array)[at];
}

static void store_real(const ref *r, void *array, int64_t at, long double value)
{
    if (r->precision == SLUICE_F32)
        ((float *)array)[at] = (float)value;
    else
        ((double *)array)[at] = (double)value;
}

static long double *inner(const ref *r, const prog_buf *b, int64_t at)
{
    if (b->space == PROG_SHARED)
        return r->shared + 2 * (b->offset + at);
    return r->local + 2 * (r->thread * r->p->local_elems + b->offset + at);
}

static void load(const ref *r, int buf, int64_t at, long double *z)
{
    const prog_buf *b = &r->p->buf[buf];
    if (b->space == PROG_SHARED || b->space == PROG_LOCAL) {
        const long double *from = inner(r, b, at);
        z[0] = from[0];
        z[1] = from[1];
        return;
    }
    bool in = b->space == PROG_IN;
    bool split = (in ? r->p->sides.in_layout : r->p->sides.out_layout) == SLUICE_SPLIT;
    const void *re = in ? r->arrays.in : r->arrays.out,
               *im = in ? r->arrays.in_im : r->arrays.out_im;
    z[0] = load_real(r, re, split ? at : 2 * at);
    z[1] = load_real(r, split ? im : re, split ? at : 2 * at + 1);
}

static void store(const ref *r, int buf, int64_t at, const long double *z)
{
    const prog_buf *b = &r->p->buf[buf];
    if (b->space == PROG_SHARED || b->space == PROG_LOCAL) {
        long double *to = inner(r, b, at);
        to[0] = z[0];
        to[1] = z[1];
        return;
    }
    bool split = r->p->sides.out_layout == SLUICE_SPLIT;
    store_real(r, r->arrays.out, split ? at : 2 * at, z[0]);
    store_real(r, split ? r->arrays.out_im : r->arrays.out, split ? at : 2 * at + 1, z[1]);
}

/* ---- statements ---- */

/* y = DFT x by definition. */
static void dft(ref *r, int64_t n, bool inverse)
{
    for (int64_t k = 0; n != r->nroot && k < n; k++)
        core_root((size_t)k, (size_t)n, &r->root[2 * k], &r->root[2 * k + 1]);
    r->nroot = n;
    for (int64_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            const long double *x = &r->x[2 * j], *w = &r->root[2 * (j * k % n)];
            long double wi = inverse ? -w[1] : w[1];
            re += x[0] * w[0] - x[1] * wi;
            im += x[0] * wi + x[1] * w[0];
        }
        r->y[2 * k] = re;
        r->y[2 * k + 1] = im;
    }
}

static void twiddle(ref *r, const prog_twiddle *w, const spl_diagonal *d, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t t = ix_eval(w->f, i, r->vars);
        long double re, im, *y = &r->y[2 * i], y0 = y[0];
        spl_diagonal_get(d, t, &re, &im);
        im = w->conjugate ? -im : im;
        y[0] = y0 * re - y[1] * im;
        y[1] = y0 * im + y[1] * re;
    }
}

static void move(ref *r, const prog_stmt *s)
{
    for (int64_t i = 0; i < s->n; i++)
        load(r, s->in, ix_eval(s->fin, i, r->vars), &r->x[2 * i]);
    if (s->op == PROG_KERN && s->kernel == SPL_TRANSFORM)
        dft(r, s->n, s->inverse);
    else
        for (int64_t i = 0; i < 2 * s->n; i++)
            r->y[i] = r->x[i];
    spl_diagonal *const *d = r->diagonal + (s - r->p->stmt) * PROG_MAX_TWIDDLES;
    for (int i = 0; i < s->ntwiddles; i++)
        twiddle(r, &s->twiddle[i], d[i], s->n);
    for (int64_t i = 0; i < s->n; i++)
        store(r, s->out, ix_eval(s->fout, i, r->vars), &r->y[2 * i]);
}

static void clear(ref *r, const prog_stmt *s)
{
    static const long double zero[2];
    for (int64_t i = 0; i < s->n; i++)
        store(r, s->out, ix_eval(s->fout, i, r->vars), zero);
}

static void run(ref *r, size_t first, size_t end);

static void run_par(ref *r, size_t at)
{
    const prog_stmt *s = &r->p->stmt[at];
    for (r->thread = r->threads - 1; r->thread >= 0; r->thread--) {
        int64_t lo, hi;
        spl_share(s->range.n, r->threads, 1, r->thread, &lo, &hi);
        for (r->vars[s->range.var] = lo; r->vars[s->range.var] < hi; r->vars[s->range.var]++)
            run(r, at + 1, s->end);
    }
    r->thread = 0;
}

static void run_loop(ref *r, size_t at)
{
    const prog_stmt *s = &r->p->stmt[at];
    const spl_range *range = &s->range;
    int64_t lo = 0, hi = range->n;
    if (range->share_var >= 0)
        spl_share(range->n, range->shares, range->grain, r->vars[range->share_var], &lo, &hi);
    for (r->vars[range->var] = lo; r->vars[range->var] < hi; r->vars[range->var]++)
        run(r, at + 1, s->end);
}

static void run(ref *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = r->p->stmt[i].end) {
        const prog_stmt *s = &r->p->stmt[i];
        if (s->op == PROG_LOOP && s->range.kind == SPL_PAR)
            run_par(r, i);
        else if (s->op == PROG_LOOP)
            run_loop(r, i);
        else if (s->op == PROG_ZERO)
            clear(r, s);
        else if (s->op != PROG_SYNC)
            move(r, s);
    }
}

/* ---- the whole ---- */

static long double *complexes(int64_t n)
{
    return core_calloc((size_t)(n > 0 ? n : 1), 2 * sizeof(long double));
}

/* The numbers of every twiddle; false: out of memory. */
static bool open_diagonals(ref *r)
{
    const prog *p = r->p;
    r->diagonal =
        core_calloc(p->nstmts > 0 ? p->nstmts : 1, PROG_MAX_TWIDDLES * sizeof(spl_diagonal *));
    for (size_t i = 0; r->diagonal != NULL && i < p->nstmts; i++)
        for (int k = 0; p->stmt[i].op == PROG_KERN && k < p->stmt[i].ntwiddles; k++) {
            const prog_twiddle *w = &p->stmt[i].twiddle[k];
            spl_diagonal *d = spl_diagonal_open(w->values, w->n, w->m);
            r->diagonal[i * PROG_MAX_TWIDDLES + (size_t)k] = d;
            if (d == NULL)
                return false;
        }
    return r->diagonal != NULL;
}

static void close_diagonals(ref *r)
{
    for (size_t i = 0; r->diagonal != NULL && i < r->p->nstmts * PROG_MAX_TWIDDLES; i++)
        spl_diagonal_close(r->diagonal[i]);
    core_free((void *)r->diagonal);
}

sluice_status ref_run(const prog *p, sluice_precision precision, const sluice_arrays *arrays,
                      int threads)
{
    ref r = {
        .p = p, .precision = precision, .arrays = *arrays, .threads = threads > 0 ? threads : 1};
    int64_t widest = 1;
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op != PROG_LOOP && p->stmt[i].n > widest)
            widest = p->stmt[i].n;
    r.shared = complexes(p->shared_elems);
    r.local = complexes(p->local_elems * r.threads);
    r.root = complexes(widest);
    r.x = complexes(widest);
    r.y = complexes(widest);
    bool ok = r.shared != NULL && r.local != NULL && r.root != NULL && r.x != NULL && r.y != NULL
              && open_diagonals(&r);
    if (ok)
        run(&r, 0, p->nstmts);
    close_diagonals(&r);
    core_free(r.shared);
    core_free(r.local);
    core_free(r.root);
    core_free(r.x);
    core_free(r.y);
    return ok ? SLUICE_OK : SLUICE_E_MEMORY;
}
