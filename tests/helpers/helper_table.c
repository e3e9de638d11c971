// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/trig.h"

bind_table_key table_key(bind_table_form form, int lanes, int64_t n, int64_t m)
{
    bind_table_key key;
    memset(&key, 0, sizeof key);
    key.scale = 1;
    key.form = form;
    key.lanes = lanes;
    key.n = n;
    key.m = m;
    key.rows = n;
    key.row = m;
    key.dims = 1;
    key.size[0] = m;
    key.coef[0] = 1;
    return key;
}

bind_table *table_made(bind_tables *tables, const bind_table_key *key)
{
    bind_table *t = NULL;
    assert_int_equal(bind_table_get(tables, key, false, &t, NULL), SLUICE_OK);
    return t;
}

void table_factor(const bind_table_key *k, int64_t t, double *re, double *im)
{
    const size_t period = (size_t)(k->n * k->m);
    long double x, y;
    core_root((size_t)(t / k->m * (t % k->m)) % period, period, &x, &y);
    *re = (double)x;
    *im = k->conjugate ? -(double)y : (double)y;
}

void table_expect(const bind_table *t, size_t at, double value)
{
    const bool narrow = t->key.precision == SLUICE_F32;
    const double got =
        narrow ? (double)((const float *)t->data)[at] : ((const double *)t->data)[at];
    const double error = got > value ? got - value : value - got;
    assert_true((at + 1) * (narrow ? sizeof(float) : sizeof(double)) <= t->bytes);
    assert_true(error <= (narrow ? 0x1p-24 : 0x1p-52));
}
