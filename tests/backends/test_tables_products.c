// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables whose factors are products: of a table of rows and one of columns, of a grid's two
 * tables, of several diagonals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/bind/bind_table.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_table.h"

static void expect_factor(double re, double im, const double *v, const double *w)
{
    assert_true(fabs(re * v[0] - im * v[1] - w[0]) <= 4e-16);
    assert_true(fabs(re * v[1] + im * v[0] - w[1]) <= 4e-16);
}

/* Rows and columns along a row of T, outer dimensions down: then rows times columns are the factors
 * of a whole table. */
static void products_are_what_a_whole_table_holds(void **state)
{
    (void)state;
    bind_table_key key = table_key(BIND_TW_INTER_FULL, 4, 24, 40);
    key.precision = SLUICE_F64;
    key.rows = 5;
    key.row = 8;
    key.dims = 3;
    key.size[0] = 8, key.coef[0] = 3 * 40;
    key.size[1] = 3, key.coef[1] = 40;
    key.size[2] = 8, key.coef[2] = 1;
    assert_true(bind_table_is_separable(&key));
    bind_tables *tables = bind_tables_open();
    bind_table *const whole = table_made(tables, &key);
    key.form = BIND_TW_FACTORED;
    bind_table *const product = table_made(tables, &key);
    for (size_t o = 0; o < 24; o++)
        for (size_t i = 0; i < 5; i++)
            for (size_t c = 0; c < 8; c++) {
                const double *w = (const double *)whole->data + o / 3 * whole->stride[0]
                                  + o % 3 * whole->stride[1] + c / 4 * whole->block + i * 8
                                  + c % 4 * 2;
                const double *p = (const double *)product->data + o / 3 * product->stride[0]
                                  + o % 3 * product->stride[1];
                const double *v = p + product->head + 2 * c;
                expect_factor(i ? p[2 * i - 2] : 1, i ? p[2 * i - 1] : 0, v, w);
            }
    bind_table_put(tables, whole);
    bind_table_put(tables, product);
    bind_tables_close(tables);
    assert_int_equal(core_mem_live(), 0);
}

/* Rows down T, the rest along it: a factor of the outer dimensions times one of the columns. */
static void grids_are_what_a_whole_table_holds(void **state)
{
    (void)state;
    bind_table_key key = table_key(BIND_TW_INTER_VECTOR, 4, 6, 40), outer, columns;
    key.precision = SLUICE_F64;
    key.conjugate = true;
    key.tail = true;
    key.c = 2;
    key.dims = 2;
    key.size[0] = 3, key.coef[0] = 12;
    key.size[1] = 7, key.coef[1] = 2;
    assert_true(bind_table_split_shared(&key, &outer, &columns));
    bind_tables *tables = bind_tables_open();
    bind_table *const whole = table_made(tables, &key), *const rows = table_made(tables, &outer);
    bind_table *const shared = table_made(tables, &columns);
    assert_true(rows->bytes + shared->bytes < whole->bytes);
    for (size_t o = 0; o < 3; o++)
        for (size_t at = 0; at < whole->stride[0];
             at += 2) { /* every block, that of the tail too */
            const double *w = (const double *)whole->data + o * whole->stride[0] + at;
            const double *v = (const double *)shared->data + at;
            const double *r =
                (const double *)rows->data + o * rows->stride[0] + at % whole->block / 8 * 2;
            expect_factor(r[0], r[1], v, w);
        }
    bind_table_put(tables, whole);
    bind_table_put(tables, rows);
    bind_table_put(tables, shared);
    bind_tables_close(tables);
    assert_int_equal(core_mem_live(), 0);
}

/* Rows that go down T by parts of a row, columns that leave the first one, or go back. */
static void what_no_grid_can_be(void **state)
{
    (void)state;
    const bind_table_key good = table_key(BIND_TW_INTER_VECTOR, 4, 6, 40);
    bind_table_key key = good, rows, shared;
    assert_true(bind_table_split_shared(&key, &rows, &shared));
    key.row = 41;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key.row = 0;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key = good;
    key.c = 1;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key = good;
    key.coef[0] = 40;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key = good;
    key.coef[0] = -1;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key = good;
    key.dims = 0;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
    key = good;
    key.values = SPL_CHIRP;
    assert_false(bind_table_split_shared(&key, &rows, &shared));
}

/* Places that leave their row of T, or go down it, or back, and values that are no twiddles. */
static void what_no_product_can_be(void **state)
{
    (void)state;
    const bind_table_key good = {
        .n = 24, .m = 40, .rows = 5, .row = 8, .dims = 2, .size = {24, 8}, .coef = {40, 1}};
    bind_table_key key = good;
    assert_true(bind_table_is_separable(&key));
    key.c = 1;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.rows = 6;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.row = 40;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.size[1] = 9;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.coef[1] = 40;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.coef[1] = -1;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.coef[0] = 41;
    assert_false(bind_table_is_separable(&key));
    key = good;
    key.values = SPL_CHIRP;
    assert_false(bind_table_is_separable(&key));
}

/* Factors of several diagonals are the entries of each, multiplied. */
static void diagonals_multiply(void **state)
{
    (void)state;
    static const struct {
        spl_values values;
        int64_t n, m;
    } of[3] = {{SPL_TWIDDLES, 8, 16}, {SPL_CHIRP, 400, 1}, {SPL_TWIDDLES, 5, 70}};
    for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++) {
        bind_table_key key = table_key(BIND_TW_INTER_FULL, 4, 8, 16);
        key.precision = (sluice_precision)precision;
        key.dims = 2;
        key.size[0] = 3;
        key.size[1] = 16;
        key.coef[0] = 0;
        key.coef[1] = 1;
        key.nalso = 2;
        key.also[0] = (bind_factor){.values = SPL_CHIRP,
                                    .conjugate = true,
                                    .n = 400,
                                    .m = 1,
                                    .c = 3,
                                    .row = 16,
                                    .coef = {128, 1}};
        key.also[1] = (bind_factor){.n = 5, .m = 70, .row = 1, .coef = {100, 9}};
        assert_false(bind_table_first_row_is_one(&key) || bind_table_is_separable(&key));
        bind_tables *tables = bind_tables_open();
        bind_table *t = NULL;
        assert_int_equal(bind_table_get(tables, &key, false, &t, NULL), SLUICE_OK);
        for (int64_t b = 0; b < 3; b++)
            for (int64_t c = 0; c < 16; c++)
                for (int64_t i = 0; i < 8; i++) {
                    const int64_t at[3] = {16 * i + c, 3 + 16 * i + 128 * b + c,
                                           i + 100 * b + 9 * c};
                    long double x = 1, y = 0;
                    for (int k = 0; k < 3; k++) {
                        long double re, im;
                        spl_oracle_diagonal(of[k].values, of[k].n, of[k].m, at[k], &re, &im);
                        im = k == 1 ? -im : im;
                        const long double z = x * re - y * im;
                        y = x * im + y * re;
                        x = z;
                    }
                    const size_t place = (size_t)b * t->stride[0] + (size_t)(c / 4) * t->stride[1]
                                         + (size_t)(8 * i + 2 * (c % 4));
                    table_expect(t, place, (double)x);
                    table_expect(t, place + 1, (double)y);
                }
        bind_table_put(tables, t);
        bind_tables_close(tables);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(products_are_what_a_whole_table_holds, nothing_leaks),
        cmocka_unit_test_teardown(what_no_product_can_be, nothing_leaks),
        cmocka_unit_test_teardown(grids_are_what_a_whole_table_holds, nothing_leaks),
        cmocka_unit_test_teardown(what_no_grid_can_be, nothing_leaks),
        cmocka_unit_test_teardown(diagonals_multiply, nothing_leaks),
    };
    return cmocka_run_group_tests_name("tables_products", tests, NULL, NULL);
}
