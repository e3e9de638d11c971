// SPDX-License-Identifier: BSD-3-Clause
/* Formulas as dense matrices: what they make of unit vectors. */
#include "spl/oracle/oracle.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

typedef long double number;

/* A matrix says what a formula does to complex vectors where it is complex-linear, to real ones
 * always. */
static bool has_matrix(const spl *x)
{
    return x->from == SPL_TYPE_REAL || spl_is_complex_linear(x);
}

static bool is_small(const spl *x)
{
    return x->rows <= ((int64_t)1 << 20) / x->cols;
}

sluice_status spl_dense(const spl *x, long double *matrix)
{
    if (!is_small(x) || !has_matrix(x))
        return SLUICE_E_UNSUPPORTED;
    number *const temp = core_calloc((size_t)(x->rows + x->cols), 2 * sizeof *temp);
    if (temp == NULL)
        return SLUICE_E_MEMORY;
    number *const in = temp, *const out = temp + 2 * x->cols;
    sluice_status status = SLUICE_OK;
    for (int64_t col = 0; col < x->cols && status == SLUICE_OK; col++) {
        in[2 * col] = 1;
        status = spl_apply(x, in, out);
        in[2 * col] = 0;
        for (int64_t row = 0; row < x->rows && status == SLUICE_OK; row++)
            memcpy(matrix + 2 * (row * x->cols + col), out + 2 * row, 2 * sizeof *out);
    }
    core_free(temp);
    return status;
}

/* How far apart a and b send one vector; raises *largest. */
static sluice_status compare_images(const spl *a, const spl *b, const number *in, number *out,
                                    number *largest)
{
    number *const other = out + 2 * a->rows;
    sluice_status status = spl_apply(a, in, out);
    if (status == SLUICE_OK)
        status = spl_apply(b, in, other);
    for (int64_t i = 0; i < a->rows && status == SLUICE_OK; i++) {
        const number apart = hypotl(out[2 * i] - other[2 * i], out[2 * i + 1] - other[2 * i + 1]);
        *largest = isnan(apart) ? INFINITY : fmaxl(*largest, apart);
    }
    return status;
}

static bool same_type(spl_type a, spl_type b)
{
    return a == b || a == SPL_TYPE_ANY || b == SPL_TYPE_ANY;
}

sluice_status spl_distance(const spl *a, const spl *b, long double *distance)
{
    *distance = INFINITY;
    if (a->rows != b->rows || a->cols != b->cols || !same_type(a->from, b->from)
        || !same_type(a->to, b->to))
        return SLUICE_OK;
    if (!is_small(a))
        return SLUICE_E_UNSUPPORTED;
    const int parts = has_matrix(a) && has_matrix(b) ? 1 : 2;
    number *const in = core_calloc((size_t)(a->cols + 2 * a->rows), 2 * sizeof *in);
    if (in == NULL)
        return SLUICE_E_MEMORY;
    sluice_status status = SLUICE_OK;
    number largest = 0;
    for (int64_t i = 0; i < parts * a->cols && status == SLUICE_OK; i++) {
        number *const at = in + 2 * (i % a->cols) + i / a->cols;
        *at = 1;
        status = compare_images(a, b, in, in + 2 * a->cols, &largest);
        *at = 0;
    }
    if (status == SLUICE_OK)
        *distance = largest;
    core_free(in);
    return status;
}
