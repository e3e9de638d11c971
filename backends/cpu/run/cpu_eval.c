// SPDX-License-Identifier: BSD-3-Clause
/* Runs kernels whose addresses are not linear: every address is evaluated, and transforms use
 * scalar codelets. Correct for any formula that can be lowered, but slow. */
#include <math.h>
#include <string.h>

#include "backends/cpu/run/cpu_state.h"
#include "spl/bind/bind_complex.h"
#include "spl/bind/bind_factors.h"

static double load_scalar(const char *at, size_t scalar)
{
    float f;
    double d;

    if (scalar == sizeof(double)) {
        memcpy(&d, at, sizeof d);
        return d;
    }
    memcpy(&f, at, sizeof f);
    return f;
}

static void store_scalar(char *at, double value, size_t scalar)
{
    const float f = (float)value;

    if (scalar == sizeof(double))
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &f, sizeof f);
}

/* z times the k-th twiddle of element i. */
static void multiply_by_twiddle(const bind_op *op, int k, int64_t i, const int64_t *vars,
                                long double *re, long double *im)
{
    const prog_twiddle *tw = &op->stmt->twiddle[k];
    long double cr, ci;

    spl_diagonal_get(op->diagonal[k], ix_eval(tw->f, i, vars), &cr, &ci);
    bind_complex_multiply(cr, ci, tw->conjugate, re, im);
}

/* x times the product of all twiddles of element i, rounded as in codelets (gen_move.c). */
static void scale_f32(double wr, double wi, double *re, double *im)
{
    const float cr = (float)wr, ci = (float)wi, xr = (float)*re, xi = (float)*im;

    *re = fmaf(xr, cr, -(xi * ci));
    *im = fmaf(xi, cr, xr * ci);
}

static void scale_f64(double wr, double wi, double *re, double *im)
{
    const double xr = *re, xi = *im;

    *re = fma(xr, wr, -(xi * wi));
    *im = fma(xi, wr, xr * wi);
}

static void scale_element(const bind_tape *p, const bind_op *op, int64_t i, const int64_t *vars,
                          double *re, double *im)
{
    double wr, wi;

    if (op->stmt->ntwiddles == 0)
        return;
    bind_factors_get(op->stmt, op->diagonal, i, vars, &wr, &wi);
    (p->scalar == sizeof(float) ? scale_f32 : scale_f64)(wr, wi, re, im);
}

/* The address of element i of a side, in bytes. */
static ptrdiff_t address_of(const bind_tape *p, const ix *f, int64_t i, const int64_t *vars,
                            ptrdiff_t unit)
{
    return (ptrdiff_t)ix_eval(f, i, vars) * unit * (ptrdiff_t)p->scalar;
}

/* `count` elements at constant steps in bytes; in one copy if they are adjacent on both sides. */
static void copy_run(const bind_tape *p, cpu_re_im in, cpu_re_im out, ptrdiff_t from, ptrdiff_t to,
                     ptrdiff_t in_step, ptrdiff_t out_step, int64_t count)
{
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar, whole = in.unit * scalar;

    if (in.unit == out.unit && in_step == whole && out_step == whole) {
        memmove(out.re + to, in.re + from, (size_t)count * (size_t)whole);
        if (in.unit == 1)
            memmove(out.im + to, in.im + from, (size_t)count * (size_t)whole);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(out.re + to + i * out_step, in.re + from + i * in_step, p->scalar);
        memcpy(out.im + to + i * out_step, in.im + from + i * in_step, p->scalar);
    }
}

/* I(n) without twiddles, in runs over which both addresses have constant steps. */
static void eval_runs(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                      cpu_re_im out)
{
    const prog_stmt *s = op->stmt;

    for (int64_t i = 0; i < s->n; i += op->run) {
        const ptrdiff_t from = address_of(p, s->fin, i, vars, in.unit);
        const ptrdiff_t to = address_of(p, s->fout, i, vars, out.unit);
        copy_run(p, in, out, from, to, address_of(p, s->fin, i + 1, vars, in.unit) - from,
                 address_of(p, s->fout, i + 1, vars, out.unit) - to, op->run);
    }
}

/* Re and im of element i of `count`; in a buffer of reals they may be two elements. */
static cpu_re_im element_of(const bind_tape *p, const ix *f, int64_t i, int64_t count,
                            const int64_t *vars, cpu_re_im side)
{
    const bool parts = f->n != count;
    const ptrdiff_t re = address_of(p, f, parts ? 2 * i : i, vars, side.unit);
    const ptrdiff_t im = parts ? address_of(p, f, 2 * i + 1, vars, side.unit) : re;

    return (cpu_re_im){side.re + re, (parts ? side.re : side.im) + im, side.unit};
}

/* The number of elements that I(n) copies: those of its factors, else of the side with fewer. */
static int64_t copied_elements(const prog_stmt *s)
{
    if (s->ntwiddles > 0)
        return s->twiddle[0].f->n;
    return s->fin->n < s->fout->n ? s->fin->n : s->fout->n;
}

/* I(n) with twiddles, one element at a time. */
static void eval_copy(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                      cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    const int64_t count = copied_elements(s);

    for (int64_t i = 0; i < count; i++) {
        const cpu_re_im from = element_of(p, s->fin, i, count, vars, in);
        const cpu_re_im to = element_of(p, s->fout, i, count, vars, out);
        double re = load_scalar(from.re, p->scalar), im = load_scalar(from.im, p->scalar);
        scale_element(p, op, i, vars, &re, &im);
        store_scalar(to.re, re, p->scalar);
        store_scalar(to.im, im, p->scalar);
    }
}

/* Reals to complex numbers or back, in runs over which both addresses have constant steps. */
static void eval_retype(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                        cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    const bool embed = s->kind == SPL_RETYPE_EMBED;

    for (int64_t i = 0; i < s->n; i += op->run) {
        const int64_t second = op->run > 1 ? i + 1 : i;
        cpu_re_im from = element_of(p, s->fin, i, s->n, vars, in);
        cpu_re_im to = element_of(p, s->fout, i, s->n, vars, out);
        const ptrdiff_t in_step = element_of(p, s->fin, second, s->n, vars, in).re - from.re;
        const ptrdiff_t out_step = element_of(p, s->fout, second, s->n, vars, out).re - to.re;
        for (int64_t k = 0; k < op->run; k++) {
            memcpy(to.re + k * out_step, from.re + k * in_step, p->scalar);
            if (embed)
                memset(to.im + k * out_step, 0, p->scalar);
        }
    }
}

/* Conjugates, one at a time, times factors if there are any. */
static void eval_conjugates(const bind_tape *p, const bind_op *op, const int64_t *vars,
                            cpu_re_im in, cpu_re_im out)
{
    const prog_stmt *s = op->stmt;

    for (int64_t i = 0; i < s->n; i++) {
        const cpu_re_im from = element_of(p, s->fin, i, s->n, vars, in);
        const cpu_re_im to = element_of(p, s->fout, i, s->n, vars, out);
        double re = load_scalar(from.re, p->scalar), im = -load_scalar(from.im, p->scalar);
        scale_element(p, op, i, vars, &re, &im);
        store_scalar(to.re, re, p->scalar);
        store_scalar(to.im, im, p->scalar);
    }
}

/* eval_retype with factors. */
static void eval_retype_scaled(const bind_tape *p, const bind_op *op, const int64_t *vars,
                               cpu_re_im in, cpu_re_im out)
{
    const prog_stmt *s = op->stmt;

    for (int64_t i = 0; i < s->n; i++) {
        const cpu_re_im to = element_of(p, s->fout, i, s->n, vars, out);
        double re = load_scalar(element_of(p, s->fin, i, s->n, vars, in).re, p->scalar), im = 0;
        scale_element(p, op, i, vars, &re, &im);
        store_scalar(to.re, re, p->scalar);
        if (s->kind == SPL_RETYPE_EMBED)
            store_scalar(to.im, im, p->scalar);
    }
}

/* Clears reals one by one, such as those between rows. */
static void zero_elements(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im out)
{
    enum { TOGETHER = 64 };
    const prog_stmt *s = op->stmt;
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    int64_t at[TOGETHER];

    for (int64_t i = 0; i < s->n; i += TOGETHER) {
        const int count = s->n - i < TOGETHER ? (int)(s->n - i) : TOGETHER;
        for (int k = 0; k < count; k++)
            at[k] = i + k;
        ix_eval_many(s->fout, IX_INDEX, 0, count, at, vars);
        for (int k = 0; k < count; k++)
            store_scalar(out.re + at[k] * scalar, 0, p->scalar);
    }
}

void cpu_zero(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    const size_t bytes = (size_t)op->run * (size_t)out.unit * p->scalar;

    if (op->run == 1 && p->buf[op->out].format == SPL_REAL) {
        zero_elements(p, op, vars, out);
        return;
    }
    for (int64_t i = 0; i < s->n; i += op->run) {
        const ptrdiff_t at = (ptrdiff_t)ix_eval(s->fout, i, vars) * out.unit * (ptrdiff_t)p->scalar;
        memset(out.re + at, 0, bytes);
        if (p->buf[op->out].format == SPL_SPLIT)
            memset(out.im + at, 0, bytes);
    }
}

/* The first row of a side of pairs; *stride: scalars to the next row. */
static cpu_re_im first_row(const bind_tape *p, int buffer, const ix *f, const int64_t *vars,
                           cpu_re_im side, ptrdiff_t *stride)
{
    const int64_t rows = p->buf[buffer].format == SPL_REAL ? f->n / 2 : f->n;
    const cpu_re_im first = element_of(p, f, 0, rows, vars, side);

    *stride = 0;
    if (rows > 1)
        *stride = (element_of(p, f, 1, rows, vars, side).re - first.re) / (ptrdiff_t)p->scalar;
    return first;
}

/* Runs a step of pairs by its codelet. Its one factor is that of a pair. */
static void eval_pairs(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                       cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    const double scale = (double)spl_pairs_def_of((spl_pairs_kind)s->kind)->scale;
    double tw[2], wr, wi;
    ptrdiff_t is, os;
    const cpu_re_im from = first_row(p, op->in, s->fin, vars, in, &is);
    const cpu_re_im to = first_row(p, op->out, s->fout, vars, out, &os);

    bind_factors_get(s, op->diagonal, 0, vars, &wr, &wi);
    store_scalar((char *)tw, scale * wr, p->scalar);
    store_scalar((char *)tw + p->scalar, scale * wi, p->scalar);
    const spl_call call = {.in_re = from.re,
                           .in_im = from.im,
                           .out_re = to.re,
                           .out_im = to.im,
                           .tw = tw,
                           .is = is,
                           .os = os};
    op->codelet->run(&call, 0, 1);
}

/* Runs a step of pairs by its definition if there is no codelet: first the kernel's own factors,
 * then those that scale its rows. */
static void eval_pairs_defined(const bind_tape *p, const bind_op *op, const int64_t *vars,
                               cpu_re_im in, cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    const spl_pairs_kind kind = (spl_pairs_kind)s->kind;
    const int cols = spl_role_cols(kind, s->role), rows = spl_role_rows(kind, s->role);
    long double root[2 * SPL_PAIR_FACTORS] = {1, 0, 1, 0}, *at = root, z[4], y[4];

    for (int k = 0; k < s->ntwiddles; k++)
        if (s->twiddle[k].place == PROG_FACTOR_MIDDLE) {
            multiply_by_twiddle(op, k, 0, vars, &at[0], &at[1]);
            at += 2;
        }
    for (int i = 0; i < cols; i++) {
        const cpu_re_im from = element_of(p, s->fin, i, cols, vars, in);
        z[2 * i] = load_scalar(from.re, p->scalar);
        z[2 * i + 1] = load_scalar(from.im, p->scalar);
    }
    spl_pair_apply(kind, s->role, root, z, y);
    for (int i = 0; i < rows; i++) {
        const cpu_re_im to = element_of(p, s->fout, i, rows, vars, out);
        for (int k = 0; k < s->ntwiddles; k++)
            if (s->twiddle[k].place == PROG_FACTOR_OUT)
                multiply_by_twiddle(op, k, i, vars, &y[2 * i], &y[2 * i + 1]);
        store_scalar(to.re, (double)y[2 * i], p->scalar);
        store_scalar(to.im, (double)y[2 * i + 1], p->scalar);
    }
}

/* Copies the elements of a side into rows of `columns` adjacent reals: a real, or re and im. */
static void load_rows(const bind_tape *p, const prog_stmt *s, size_t columns, const int64_t *vars,
                      cpu_re_im in, char *to)
{
    for (int64_t i = 0; i < s->n; i++, to += columns * p->scalar) {
        const cpu_re_im x = element_of(p, s->fin, i, s->n, vars, in);
        memcpy(to, x.re, p->scalar);
        if (columns > 1)
            memcpy(to + p->scalar, x.im, p->scalar);
    }
}

static void store_rows(const bind_tape *p, const prog_stmt *s, size_t columns, const int64_t *vars,
                       const char *from, cpu_re_im out)
{
    for (int64_t i = 0; i < s->n; i++, from += columns * p->scalar) {
        const cpu_re_im y = element_of(p, s->fout, i, s->n, vars, out);
        memcpy(y.re, from, p->scalar);
        if (columns > 1)
            memcpy(y.im, from + p->scalar, p->scalar);
    }
}

/* Multiplies rows by their factors; those of reals are real. */
static void multiply_rows(const bind_tape *p, const bind_op *op, const int64_t *vars, char *at)
{
    const bool complex = op->columns > 1;

    for (int64_t i = 0; i < op->stmt->n; i++, at += (size_t)op->columns * p->scalar) {
        double re = load_scalar(at, p->scalar);
        double im = complex ? load_scalar(at + p->scalar, p->scalar) : 0;
        scale_element(p, op, i, vars, &re, &im);
        store_scalar(at, re, p->scalar);
        if (complex)
            store_scalar(at + p->scalar, im, p->scalar);
    }
}

/* A real matrix, applied to reals, or to re and im alike as two adjacent columns. */
static void eval_reals(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                       cpu_re_im out)
{
    const size_t columns = (size_t)op->columns;
    double from[2 * BIND_MAX_ROWS], to[2 * BIND_MAX_ROWS];
    const spl_call call = {
        .in_re = from, .out_re = to, .is = (ptrdiff_t)columns, .os = (ptrdiff_t)columns};

    load_rows(p, op->stmt, columns, vars, in, (char *)from);
    op->codelet->run(&call, 0, columns);
    if (op->stmt->ntwiddles > 0)
        multiply_rows(p, op, vars, (char *)to);
    store_rows(p, op->stmt, columns, vars, (const char *)to, out);
}

/* A DFT with offsets of its rows. For the inverse re and im are exchanged on both sides, and
 * twiddles conjugated. */
static void eval_dft(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
                     cpu_re_im out, const ptrdiff_t *in_off, const ptrdiff_t *out_off)
{
    const bool inverse = prog_is_inverse(op->stmt);
    double tw[2 * BIND_MAX_ROWS];

    for (int64_t i = 0; i < op->stmt->n; i++) {
        double wr, wi;
        bind_factors_get(op->stmt, op->diagonal, i, vars, &wr, &wi);
        store_scalar((char *)tw + (size_t)(2 * i) * p->scalar, wr, p->scalar);
        store_scalar((char *)tw + (size_t)(2 * i + 1) * p->scalar, inverse ? -wi : wi, p->scalar);
    }
    const spl_call call = {.in_re = inverse ? in.im : in.re,
                           .in_im = inverse ? in.re : in.im,
                           .out_re = inverse ? out.im : out.re,
                           .out_im = inverse ? out.re : out.im,
                           .tw = tw,
                           .in_off = in_off,
                           .out_off = out_off,
                           .ics = 1,
                           .ocs = 1};
    op->codelet->run(&call, 0, 1);
}

/* A DFT of complex numbers whose re and im are separate reals, through arrays of complex
 * numbers. */
static void eval_dft_of_parts(const bind_tape *p, const bind_op *op, const int64_t *vars,
                              cpu_re_im in, cpu_re_im out)
{
    double from[2 * BIND_MAX_ROWS], to[2 * BIND_MAX_ROWS];
    ptrdiff_t off[BIND_MAX_ROWS];

    for (int64_t i = 0; i < op->stmt->n; i++)
        off[i] = (ptrdiff_t)(2 * i);
    load_rows(p, op->stmt, 2, vars, in, (char *)from);
    eval_dft(p, op, vars, (cpu_re_im){(char *)from, (char *)from + p->scalar, 2},
             (cpu_re_im){(char *)to, (char *)to + p->scalar, 2}, off, off);
    store_rows(p, op->stmt, 2, vars, (const char *)to, out);
}

void cpu_eval(const bind_tape *p, const bind_op *op, const int64_t *vars, cpu_re_im in,
              cpu_re_im out)
{
    const prog_stmt *s = op->stmt;
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];

    if (s->kernel == SPL_RETYPE) {
        const bool conjugates = s->kind == SPL_RETYPE_CONJ;
        (conjugates     ? eval_conjugates
         : s->ntwiddles ? eval_retype_scaled
                        : eval_retype)(p, op, vars, in, out);
        return;
    }
    if (s->kernel == SPL_PAIR) {
        (op->codelet ? eval_pairs : eval_pairs_defined)(p, op, vars, in, out);
        return;
    }
    if (op->columns > 0) {
        (prog_is_dft(s) ? eval_dft_of_parts : eval_reals)(p, op, vars, in, out);
        return;
    }
    if (!op->codelet) {
        (op->run > 1 ? eval_runs : eval_copy)(p, op, vars, in, out);
        return;
    }
    for (int64_t i = 0; i < s->n; i++) {
        in_off[i] = (ptrdiff_t)ix_eval(s->fin, i, vars) * in.unit;
        out_off[i] = (ptrdiff_t)ix_eval(s->fout, i, vars) * out.unit;
    }
    eval_dft(p, op, vars, in, out, in_off, out_off);
}
