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

static long double random_value(void)
{
    return (long double)rand() / RAND_MAX - 0.5L;
}

/* Addresses of a side: n elements through f (NULL: packed) lie in [lo, hi]. */
static void address_range(const ix *f, int64_t n, int64_t *lo, int64_t *hi)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = f == NULL ? i : ix_eval(f, i, NULL);
        *lo = at < *lo ? at : *lo;
        *hi = at > *hi ? at : *hi;
    }
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

/* One side's array; `part` of element at: 0 real, 1 imaginary. */
typedef struct array {
    sluice_precision precision;
    bool split;
    int64_t lo, count;
    double *re, *im; /* large enough for floats too; im: split only */
} array;

static array open_array(sluice_precision precision, bool split, int64_t lo, int64_t hi)
{
    array a = {precision, split, lo, hi - lo + 1, NULL, NULL};
    a.re = test_calloc((size_t)a.count, 2 * sizeof *a.re);
    a.im = test_calloc((size_t)a.count, sizeof *a.im);
    return a;
}

static void close_array(array *a)
{
    test_free(a->re);
    test_free(a->im);
}

static void write_complex_part(const array *a, int64_t at, int part, long double value)
{
    at -= a->lo;
    if (a->split)
        write_real(a->precision, part ? a->im : a->re, at, value);
    else
        write_real(a->precision, a->re, 2 * at + part, value);
}

static long double read_complex_part(const array *a, int64_t at, int part)
{
    at -= a->lo;
    return a->split ? read_real(a->precision, part ? a->im : a->re, at)
                    : read_real(a->precision, a->re, 2 * at + part);
}

static void *part_pointer(const array *a, bool imaginary)
{
    const size_t size = a->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const ptrdiff_t zero = (ptrdiff_t)((a->split ? -a->lo : -2 * a->lo) * (int64_t)size);
    return imaginary ? a->split ? (char *)a->im + zero : NULL : (char *)a->re + zero;
}

/* Runs p by ref on x and compares with y. In place both arrays are one. */
static void run_in_threads(const prog *p, sluice_precision precision, int threads,
                           const long double *x, const long double *y)
{
    const prog_sides *s = &p->sides;
    const int64_t n = p->cols;
    int64_t lo[2] = {0, 0}, hi[2] = {0, 0};
    address_range(s->in, n, &lo[0], &hi[0]);
    address_range(s->out, n, &lo[s->in_place ? 0 : 1], &hi[s->in_place ? 0 : 1]);
    array in = open_array(precision, s->in_layout == SLUICE_SPLIT, lo[0], hi[0]), out = in;
    if (!s->in_place)
        out = open_array(precision, s->out_layout == SLUICE_SPLIT, lo[1], hi[1]);
    for (int64_t i = 0; i < 2 * n; i++)
        write_complex_part(&in, s->in == NULL ? i / 2 : ix_eval(s->in, i / 2, NULL), i % 2, x[i]);
    const sluice_arrays arrays = {.in = part_pointer(&in, false),
                                  .in_im = part_pointer(&in, true),
                                  .out = part_pointer(&out, false),
                                  .out_im = part_pointer(&out, true)};
    assert_int_equal(ref_run(p, precision, &arrays, threads), SLUICE_OK);
    const long double unit = precision == SLUICE_F32 ? 1e-6L : 1e-14L;
    for (int64_t i = 0; i < 2 * n; i++) {
        const int64_t at = s->out == NULL ? i / 2 : ix_eval(s->out, i / 2, NULL);
        if (fabsl(read_complex_part(&out, at, i % 2) - y[i]) > unit * (long double)n)
            fail_msg("element %lld is %Lg, not %Lg", (long long)(i / 2),
                     read_complex_part(&out, at, i % 2), y[i]);
    }
    for (int64_t i = 0; i < 2 * n && !s->in_place; i++) {
        const int64_t at = s->in == NULL ? i / 2 : ix_eval(s->in, i / 2, NULL);
        assert_true(fabsl(read_complex_part(&in, at, i % 2) - x[i]) <= unit);
    }
    close_array(&in);
    if (!s->in_place)
        close_array(&out);
}

void program_compare(const prog *p, const spl *formula)
{
    const size_t n = (size_t)p->cols;
    long double *x = test_calloc(n, 2 * sizeof *x), *y = test_calloc(n, 2 * sizeof *y);
    for (size_t i = 0; i < 2 * n; i++)
        x[i] = random_value();
    assert_int_equal(spl_apply(formula, x, y), SLUICE_OK);
    for (int threads = 1; threads <= 3; threads++)
        run_in_threads(p, threads == 2 ? SLUICE_F32 : SLUICE_F64, threads, x, y);
    test_free(x);
    test_free(y);
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
