// SPDX-License-Identifier: BSD-3-Clause
#include "backends/ref/ref_run.h"

#include <string.h>

#include "core/mem.h"
#include "spl/formula/diagonal.h"
#include "spl/oracle/oracle.h"
#include "spl/program/stage.h"

typedef struct ref {
    const prog *p;
    sluice_precision precision;
    sluice_arrays arrays;
    int threads, thread;
    long double *shared, *local; /* re,im pairs; local: the arenas of all threads */
    long double *handed;         /* contents of the buffer in halves that is in use */
    long double *x, *y;          /* input and output of a kernel, re,im pairs */
    sluice_status status;
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

/* The scalars of element `at` of an internal buffer. */
static long double *element_of(const ref *r, const prog_buf *b, int64_t at)
{
    const int64_t scalar = PROG_PLACE_SCALARS * b->offset + prog_scalars(b) * at;
    if (b->halves)
        return r->handed + prog_scalars(b) * at;
    if (b->space == PROG_SHARED)
        return r->shared + scalar;
    return r->local + PROG_PLACE_SCALARS * r->thread * r->p->local_elems + scalar;
}

/* Reads the scalars of an element. */
static void read_element(const ref *r, const prog_buf *b, int64_t at, long double *z)
{
    const int64_t scalars = prog_scalars(b);
    const bool in = b->space == PROG_IN;
    const bool split = (in ? r->p->sides.in_layout : r->p->sides.out_layout) == SLUICE_SPLIT;
    const void *const part[2] = {in ? r->arrays.in : r->arrays.out,
                                 in ? r->arrays.in_im : r->arrays.out_im};
    for (int64_t k = 0; k < scalars; k++)
        if (b->space == PROG_SHARED || b->space == PROG_LOCAL)
            z[k] = element_of(r, b, at)[k];
        else if (split && scalars == 2)
            z[k] = load_real(r, part[k], at);
        else
            z[k] = load_real(r, part[0], scalars * at + k);
}

static void write_element(const ref *r, const prog_buf *b, int64_t at, const long double *z)
{
    const int64_t scalars = prog_scalars(b);
    const bool split = r->p->sides.out_layout == SLUICE_SPLIT;
    void *const part[2] = {r->arrays.out, r->arrays.out_im};
    for (int64_t k = 0; k < scalars; k++)
        if (b->space == PROG_SHARED || b->space == PROG_LOCAL)
            element_of(r, b, at)[k] = z[k];
        else if (split && scalars == 2)
            store_real(r, part[k], at, z[k]);
        else
            store_real(r, part[0], scalars * at + k, z[k]);
}

/* ---- statements ---- */

static void apply_twiddle(ref *r, const prog_twiddle *w, const spl_diagonal *d)
{
    for (int64_t i = 0; i < w->f->n; i++) {
        int64_t t = ix_eval(w->f, i, r->vars);
        long double re, im, *y = &r->y[2 * i], y0 = y[0];
        spl_diagonal_get(d, t, &re, &im);
        im = w->conjugate ? -im : im;
        y[0] = y0 * re - y[1] * im;
        y[1] = y0 * im + y[1] * re;
    }
}

/* Converts n scalars to re,im pairs with im 0, in place from the last on; and back. */
static void reals_to_pairs(long double *z, int64_t n)
{
    for (int64_t i = n; i-- > 0;) {
        z[2 * i] = z[i];
        z[2 * i + 1] = 0;
    }
}

static void pairs_to_reals(long double *z, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        z[i] = z[2 * i];
}

/* y = K x by definition, on pairs. A side with as many scalars as elements is real. */
static void apply_kernel(ref *r, const prog_stmt *s, int64_t reads, int64_t writes)
{
    const bool transform = s->kernel == SPL_TRANSFORM;
    const int64_t cols = transform ? spl_transform_cols((spl_kind)s->kind, s->n) : s->n;
    const int64_t rows = transform ? spl_transform_rows((spl_kind)s->kind, s->n) : s->n;
    if (reads == cols)
        reals_to_pairs(r->x, cols);
    if (transform)
        r->status = spl_oracle_transform((spl_kind)s->kind, s->n, r->x, r->y);
    else
        memcpy(r->y, r->x, (size_t)rows * 2 * sizeof *r->y);
    for (int64_t i = 0; s->kernel == SPL_RETYPE && s->kind == SPL_RETYPE_CONJ && i < rows; i++)
        r->y[2 * i + 1] = -r->y[2 * i + 1];
    if (writes == rows)
        pairs_to_reals(r->y, rows);
}

static void interpret_pair(ref *r, const prog_stmt *s, spl_diagonal *const *d)
{
    long double root[2 * SPL_PAIR_FACTORS] = {1, 0, 1, 0}, *at = root;
    for (int i = 0; i < s->ntwiddles; i++) {
        const prog_twiddle *w = &s->twiddle[i];
        if (w->place != PROG_FACTOR_MIDDLE)
            continue;
        spl_diagonal_get(d[i], ix_eval(w->f, 0, r->vars), &at[0], &at[1]);
        at[1] = w->conjugate ? -at[1] : at[1];
        at += 2;
    }
    spl_pair_apply((spl_pairs_kind)s->kind, s->role, root, r->x, r->y);
}

static void read_elements(const ref *r, const prog_stmt *s, long double *x)
{
    const prog_buf *in = &r->p->buf[s->in];
    for (int64_t i = 0; i < s->fin->n; i++)
        read_element(r, in, ix_eval(s->fin, i, r->vars), &x[i * prog_scalars(in)]);
}

/* Computes and writes the results of a statement whose input is in x. */
static void compute_elements(ref *r, const prog_stmt *s)
{
    const prog_buf *in = &r->p->buf[s->in], *out = &r->p->buf[s->out];
    const int64_t reads = s->fin->n * prog_scalars(in), writes = s->fout->n * prog_scalars(out);
    spl_diagonal *const *d = r->diagonal + (s - r->p->stmt) * PROG_MAX_TWIDDLES;
    if (s->op == PROG_KERN && s->kernel == SPL_PAIR)
        interpret_pair(r, s, d);
    else if (s->op == PROG_KERN && s->kernel != SPL_I)
        apply_kernel(r, s, reads, writes);
    else
        memcpy(r->y, r->x, (size_t)reads * sizeof *r->y);
    for (int i = 0; i < s->ntwiddles; i++)
        if (s->twiddle[i].place == PROG_FACTOR_OUT)
            apply_twiddle(r, &s->twiddle[i], d[i]);
    for (int64_t i = 0; i < s->fout->n; i++)
        write_element(r, out, ix_eval(s->fout, i, r->vars), &r->y[i * prog_scalars(out)]);
}

static void clear_elements(ref *r, const prog_stmt *s)
{
    static const long double zero[2];
    for (int64_t i = 0; i < s->fout->n; i++)
        write_element(r, &r->p->buf[s->out], ix_eval(s->fout, i, r->vars), zero);
}

static void interpret_statement(ref *r, const prog_stmt *s)
{
    read_elements(r, s, r->x);
    compute_elements(r, s);
}

/* ---- iterations at once ---- */

/* Runs the loops of a stage from the l-th on: reads the input of all their iterations into `held`,
 * or computes them from it. */
static void hold_stage(ref *r, const prog_stage *stage, int l, bool reads, long double **held)
{
    const prog_stmt *s = stage->stmt;
    if (l == stage->count) {
        const size_t scalars = (size_t)(s->fin->n * prog_scalars(&r->p->buf[s->in]));
        if (reads) {
            read_elements(r, s, *held);
        } else {
            memcpy(r->x, *held, scalars * sizeof *r->x);
            compute_elements(r, s);
        }
        *held += scalars;
        return;
    }
    const spl_range *range = &stage->loop[l]->range;
    for (r->vars[range->var] = 0; r->vars[range->var] < range->n; r->vars[range->var]++)
        hold_stage(r, stage, l + 1, reads, held);
}

static void interpret_at_once(ref *r, const prog_stage *stage)
{
    size_t scalars = (size_t)(stage->stmt->fin->n * PROG_PLACE_SCALARS);
    for (int l = 0; l < stage->count; l++)
        scalars *= (size_t)stage->loop[l]->range.n;
    long double *const all = core_malloc(scalars * sizeof *all), *at = all;
    if (all == NULL) {
        r->status = SLUICE_E_MEMORY;
        return;
    }
    hold_stage(r, stage, 0, true, &at);
    at = all;
    hold_stage(r, stage, 0, false, &at);
    core_free(all);
}

static void interpret(ref *r, size_t first, size_t end);

static void interpret_par(ref *r, size_t at)
{
    const prog_stmt *s = &r->p->stmt[at];
    for (r->thread = r->threads - 1; r->thread >= 0; r->thread--) {
        int64_t lo, hi;
        spl_share(s->range.n, r->threads, 1, r->thread, &lo, &hi);
        for (r->vars[s->range.var] = lo; r->vars[s->range.var] < hi; r->vars[s->range.var]++)
            interpret(r, at + 1, s->end);
    }
    r->thread = 0;
}

static void interpret_loop(ref *r, size_t at)
{
    const prog_stmt *s = &r->p->stmt[at];
    const spl_range *range = &s->range;
    int64_t lo, hi;
    spl_range_bounds(range, r->vars, &lo, &hi);
    for (r->vars[range->var] = lo; r->vars[range->var] < hi; r->vars[range->var]++)
        interpret(r, at + 1, s->end);
}

static void interpret(ref *r, size_t first, size_t end)
{
    for (size_t i = first; i < end && r->status == SLUICE_OK; i = r->p->stmt[i].end) {
        const prog_stmt *s = &r->p->stmt[i];
        prog_stage stage;
        if (prog_stage_at(r->p, i, &stage) && stage.stmt->at_once)
            interpret_at_once(r, &stage);
        else if (s->op == PROG_LOOP && s->range.kind == SPL_PAR)
            interpret_par(r, i);
        else if (s->op == PROG_LOOP)
            interpret_loop(r, i);
        else if (s->op == PROG_ZERO)
            clear_elements(r, s);
        else if (s->op != PROG_SYNC)
            interpret_statement(r, s);
    }
}

/* ---- the whole ---- */

static long double *allocate_complex(int64_t n)
{
    return core_calloc((size_t)(n > 0 ? n : 1), 2 * sizeof(long double));
}

/* Opens the diagonals of all twiddles; false: out of memory. */
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
    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i];
        if (!prog_is_stage(s))
            continue;
        widest = s->n > widest ? s->n : widest;
        widest = s->fin->n > widest ? s->fin->n : widest;
        widest = s->fout->n > widest ? s->fout->n : widest;
    }
    int64_t handed = 0;
    for (int b = 0; b < p->nbufs; b++)
        if (p->buf[b].halves && p->buf[b].elems > handed)
            handed = p->buf[b].elems;
    r.handed = allocate_complex(handed);
    r.shared = allocate_complex(p->shared_elems);
    r.local = allocate_complex(p->local_elems * r.threads);
    r.x = allocate_complex(widest);
    r.y = allocate_complex(widest);
    if (r.handed == NULL || r.shared == NULL || r.local == NULL || r.x == NULL || r.y == NULL
        || !open_diagonals(&r))
        r.status = SLUICE_E_MEMORY;
    interpret(&r, 0, p->nstmts);
    close_diagonals(&r);
    core_free(r.handed);
    core_free(r.shared);
    core_free(r.local);
    core_free(r.x);
    core_free(r.y);
    return r.status;
}
