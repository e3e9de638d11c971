// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backends/ref/ref_run.h"
#include "spl/oracle/oracle.h"

static long double random_value(void)
{
    return (long double)rand() / RAND_MAX - 0.5L;
}

static void write_real(sluice_precision precision, void *array, int64_t at, long double value)
{
    if (precision == SLUICE_F32)
        ((float *)array)[at] = (float)value;
    else
        ((double *)array)[at] = (double)value;
}

static long double read_real(sluice_precision precision, const void *array, int64_t at)
{
    return precision == SLUICE_F32 ? (long double)((const float *)array)[at]
                                   : (long double)((const double *)array)[at];
}

/* One side's array: elements of one or two scalars, the first at address lo. */
typedef struct array {
    sluice_precision precision;
    const ix *f; /* NULL: packed */
    bool split;
    int64_t n, scalars, lo, hi; /* lo, hi: of all scalars, those apart counted once */
    double *re, *im;            /* large enough for floats too; im: split only */
} array;

/* Where scalar j of the packed side lies, in re where re and im lie apart. */
static int64_t array_at(const array *a, int64_t j)
{
    const int64_t at = a->f == NULL ? j / a->scalars : ix_eval(a->f, j / a->scalars, NULL);
    return a->split ? at : at * a->scalars + j % a->scalars;
}

static array array_of(const prog *p, sluice_precision precision, bool out)
{
    const prog_sides *s = &p->sides;
    array a = {.precision = precision,
               .f = out ? s->out : s->in,
               .n = out ? p->rows : p->cols,
               .scalars = prog_scalars(&p->buf[out ? 1 : 0])};
    a.split = (out ? s->out_layout : s->in_layout) == SLUICE_SPLIT && a.scalars == 2;
    for (int64_t j = 0; j < a.n * a.scalars; j++) {
        const int64_t at = array_at(&a, j);
        a.lo = at < a.lo ? at : a.lo;
        a.hi = at > a.hi ? at : a.hi;
    }
    return a;
}

/* In place the output shares the input's memory. */
static void array_open(array *a, array *shared)
{
    if (shared != NULL) {
        a->lo = shared->lo = shared->lo < a->lo ? shared->lo : a->lo;
        a->hi = shared->hi = shared->hi > a->hi ? shared->hi : a->hi;
    }
    a->re = test_calloc((size_t)(a->hi - a->lo + 1), sizeof *a->re);
    a->im = test_calloc((size_t)(a->hi - a->lo + 1), sizeof *a->im);
    if (shared != NULL) {
        shared->re = a->re;
        shared->im = a->im;
    }
}

static void array_close(array *a)
{
    test_free(a->re);
    test_free(a->im);
}

static double *array_part(const array *a, int64_t j)
{
    return a->split && j % 2 == 1 ? a->im : a->re;
}

static void array_set(const array *a, int64_t j, long double value)
{
    write_real(a->precision, array_part(a, j), array_at(a, j) - a->lo, value);
}

static long double array_get(const array *a, int64_t j)
{
    return read_real(a->precision, array_part(a, j), array_at(a, j) - a->lo);
}

static void *part_pointer(const array *a, bool imaginary)
{
    const size_t size = a->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const ptrdiff_t zero = (ptrdiff_t)(-a->lo * (int64_t)size);
    return imaginary ? a->split ? (char *)a->im + zero : NULL : (char *)a->re + zero;
}

/* Runs p on x and compares with y. In place both arrays are one. */
static void run_in_threads(program_runner *run, const prog *p, sluice_precision precision,
                           int threads, const long double *x, const long double *y)
{
    const bool in_place = p->sides.in_place;
    array in = array_of(p, precision, false), out = array_of(p, precision, true);
    array_open(&in, in_place ? &out : NULL);
    if (!in_place)
        array_open(&out, NULL);
    for (int64_t j = 0; j < in.n * in.scalars; j++)
        array_set(&in, j, x[j]);
    const sluice_arrays arrays = {.in = part_pointer(&in, false),
                                  .in_im = part_pointer(&in, true),
                                  .out = part_pointer(&out, false),
                                  .out_im = part_pointer(&out, true)};
    assert_int_equal(run(p, precision, &arrays, threads), SLUICE_OK);
    const long double unit = precision == SLUICE_F32 ? 1e-6L : 1e-14L;
    const int64_t n = in.n > out.n ? in.n : out.n;
    for (int64_t j = 0; j < out.n * out.scalars; j++)
        if (!(fabsl(array_get(&out, j) - y[j]) <= unit * (long double)n))
            fail_msg("scalar %lld is %Lg, not %Lg", (long long)j, array_get(&out, j), y[j]);
    for (int64_t j = 0; j < in.n * in.scalars && !in_place; j++)
        assert_true(fabsl(array_get(&in, j) - x[j]) <= unit);
    array_close(&in);
    if (!in_place)
        array_close(&out);
}

/* Of a vector's re,im pairs the scalars that it has. */
static void drop_imaginary(long double *x, int64_t n, spl_type type)
{
    for (int64_t i = 0; i < n && type == SPL_TYPE_REAL; i++)
        x[i] = x[2 * i];
}

void program_compare_on(program_runner *run, sluice_precision precision, int threads, const prog *p,
                        const spl *formula)
{
    const spl_type either = p->sides.type, from = formula->from ? formula->from : either,
                   to = formula->to ? formula->to : either;
    long double *x = test_calloc((size_t)formula->cols, 2 * sizeof *x);
    long double *y = test_calloc((size_t)formula->rows, 2 * sizeof *y);
    for (int64_t i = 0; i < 2 * formula->cols; i++)
        x[i] = i % 2 == 1 && from == SPL_TYPE_REAL ? 0 : random_value();
    assert_int_equal(spl_apply(formula, x, y), SLUICE_OK);
    drop_imaginary(x, formula->cols, from);
    drop_imaginary(y, formula->rows, to);
    run_in_threads(run, p, precision, threads, x, y);
    test_free(x);
    test_free(y);
}

void program_compare(const prog *p, const spl *formula)
{
    for (int threads = 1; threads <= 3; threads++)
        program_compare_on(ref_run, threads == 2 ? SLUICE_F32 : SLUICE_F64, threads, p, formula);
}

void program_check(const prog *p, const char *text)
{
    sluice_diag why = {0, ""};
    if (prog_check(p, 0, 16, &why) == SLUICE_OK)
        return;
    core_text out = {NULL, 0, 0, false};
    prog_print(p, &out);
    print_message("%s\n%s", text, core_text_string(&out));
    core_text_free(&out);
    fail_msg("%s", why.message);
}

const spl *program_parsed(spl_ctx *ctx, const char *text)
{
    const spl *x;
    sluice_diag why = {0, ""};
    if (spl_parse(ctx, text, &x, &why) != SLUICE_OK)
        fail_msg("%s: at %zu: %s", text, why.offset, why.message);
    return x;
}
