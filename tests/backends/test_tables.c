// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables: their layout against spl/codelet/codelet.h and bind_table.h, sharing,
 * failures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/bind/bind_table.h"
#include "spl/formula/spl.h"
#include "tests/helpers/helper_leaks.h"

/* w_{nm}^{(t div m)(t mod m)}, conjugated where asked, in the precision of the key. */
static void factor(const bind_table_key *k, int64_t t, double *re, double *im)
{
    const size_t period = (size_t)(k->n * k->m);
    long double x, y;
    core_root((size_t)(t / k->m * (t % k->m)) % period, period, &x, &y);
    *re = (double)x;
    *im = k->conjugate ? -(double)y : (double)y;
}

static void expect(const bind_table *t, size_t at, double value)
{
    const bool narrow = t->key.precision == SLUICE_F32;
    const double got =
        narrow ? (double)((const float *)t->data)[at] : ((const double *)t->data)[at];
    const double error = got > value ? got - value : value - got;
    assert_true((at + 1) * (narrow ? sizeof(float) : sizeof(double)) <= t->bytes);
    assert_true(error <= (narrow ? 0x1p-24 : 0x1p-52));
}

/* What spl/codelet/codelet.h says about one block of columns c[0..lanes-1]; *at moves past the
 * block. */
static void expect_block(const bind_table *t, size_t *at, int64_t base, const int64_t *c)
{
    const bind_table_key *k = &t->key;
    const size_t from = *at, lanes = (size_t)k->lanes;
    const int64_t coef = k->dims ? k->coef[k->dims - 1] : 0;
    const size_t row = 2 * lanes;
    const bool full = k->form == BIND_TW_FULL_VECTOR || k->form == BIND_TW_INTER_FULL;
    const bool pairs = k->form == BIND_TW_INTER_VECTOR || k->form == BIND_TW_INTER_FULL;
    for (int64_t i = full ? 0 : 1; i < k->rows; i++, *at += row)
        for (size_t l = 0; l < lanes; l++) {
            double re, im;
            factor(k, base + k->row * i + coef * c[l], &re, &im);
            if (pairs) {
                expect(t, *at + 2 * l, re);
                expect(t, *at + 2 * l + 1, im);
            } else {
                expect(t, *at + l, re);
                expect(t, *at + lanes + l, im);
            }
        }
    assert_int_equal(*at - from, t->block);
}

/* One run of columns: whole blocks, the last padded with its last column, then the tail block. */
static void expect_columns(const bind_table *t, size_t *at, int64_t base)
{
    const bind_table_key *k = &t->key;
    const int64_t cols = k->dims ? k->size[k->dims - 1] : 1;
    int64_t c[16];
    for (int64_t first = 0; first < cols; first += k->lanes) {
        for (int l = 0; l < k->lanes; l++)
            c[l] = first + l < cols ? first + l : cols - 1;
        expect_block(t, at, base, c);
    }
    if (!k->tail || cols % k->lanes == 0 || cols < k->lanes)
        return;
    for (int l = 0; l < k->lanes; l++)
        c[l] = cols - k->lanes + l;
    expect_block(t, at, base, c);
}

static void expect_rows(const bind_table *t, size_t *at, int64_t base)
{
    const bind_table_key *k = &t->key;
    for (int64_t i = 1; i < k->rows; i++) {
        double re, im;
        factor(k, base + k->row * i, &re, &im);
        expect(t, (*at)++, re);
        expect(t, (*at)++, im);
    }
}

/* A product's: rows, from the beginning of a row of T on, up to whole vectors; then the columns. */
static void expect_product(const bind_table *t, size_t *at, int64_t base)
{
    const bind_table_key *k = &t->key;
    const int64_t cols = k->dims ? k->size[k->dims - 1] : 1;
    const size_t from = *at;
    expect_rows(t, at, base / k->m * k->m);
    while ((*at - from) % (2 * (size_t)k->lanes) != 0)
        ++*at;
    assert_int_equal(*at - from, t->head);
    for (int64_t c = 0; c < (cols + k->lanes - 1) / k->lanes * k->lanes; c++) {
        double re, im;
        factor(k, base + (k->dims ? k->coef[k->dims - 1] : 0) * (c < cols ? c : cols - 1), &re,
               &im);
        expect(t, (*at)++, re);
        expect(t, (*at)++, im);
    }
}

/* The dimensions one inside the other: written by recursion, unlike the code under test. */
static void expect_from(const bind_table *t, int d, size_t *at, int64_t base)
{
    const bind_table_key *k = &t->key;
    const bool vector = k->form != BIND_TW_BROADCAST;
    if (k->form == BIND_TW_PRODUCT && d >= k->dims - 1) {
        expect_product(t, at, base);
    } else if (vector && d >= k->dims - 1) {
        expect_columns(t, at, base);
    } else if (d == k->dims || d >= BIND_TABLE_DIMS) {
        expect_rows(t, at, base);
    } else {
        for (int64_t i = 0; i < k->size[d]; i++) {
            const size_t from = *at;
            expect_from(t, d + 1, at, base + k->coef[d] * i);
            assert_int_equal(*at - from, t->stride[d]);
        }
    }
}

static void check_table(const bind_table_key *key)
{
    bind_tables *tables = bind_tables_open();
    bind_table *t = NULL;
    size_t at = 0;
    assert_non_null(tables);
    assert_int_equal(bind_table_get(tables, key, false, &t, NULL), SLUICE_OK);
    assert_int_equal((uintptr_t)t->data % 64, 0);
    expect_from(t, 0, &at, key->c);
    assert_int_equal(at * (key->precision == SLUICE_F32 ? sizeof(float) : sizeof(double)),
                     t->bytes);
    bind_table_put(tables, t);
    bind_tables_close(tables);
    assert_int_equal(core_mem_live(), 0);
}

/* T_{n,m} with rows m apart and columns 1 apart, as in DFT_{nm} = (DFT_n (x) I_m) T (..). */
static bind_table_key make_key(bind_table_form form, int lanes, int64_t n, int64_t m)
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

static bool has_tail(int form)
{
    return form != BIND_TW_BROADCAST && form != BIND_TW_PRODUCT;
}

static void every_form_is_laid_out_as_documented(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 3, 4, 7, 8, 9, 16, 21, 64};
    static const int lanes[] = {1, 2, 4, 8, 16};
    for (int form = BIND_TW_INTER_VECTOR; form <= BIND_TW_PRODUCT; form++)
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            for (size_t j = 0; j < sizeof lanes / sizeof lanes[0]; j++)
                for (int bits = 0; bits < 8; bits++) {
                    bind_table_key key = make_key((bind_table_form)form, lanes[j], 5, columns[i]);
                    key.precision = bits & 1 ? SLUICE_F64 : SLUICE_F32;
                    key.conjugate = (bits & 2) != 0;
                    key.tail = (bits & 4) != 0 && has_tail(form);
                    check_table(&key);
                }
}

static double scalar_of(const bind_table *t, size_t at)
{
    return t->key.precision == SLUICE_F32 ? (double)((const float *)t->data)[at]
                                          : ((const double *)t->data)[at];
}

/* As codelet.h describes it, beside the same factors as other forms have them. */
static void check_spread(const bind_table *t, const bind_table *plain)
{
    const size_t lanes = (size_t)t->key.lanes, own = t->key.form == BIND_TW_BROADCAST ? 1 : lanes;
    const size_t scalars = plain->bytes / (t->key.precision == SLUICE_F32 ? 4 : 8);
    size_t at = 0;
    for (size_t from = 0; from < scalars; from += 2 * own)
        for (size_t part = 0; part < 2; part++)
            for (size_t l = 0; l < lanes; l++, at += 2) {
                const double value = scalar_of(plain, from + 2 * (l % own) + part);
                expect(t, at, part ? -value : value);
                expect(t, at + 1, value);
            }
    assert_int_equal(at * (t->key.precision == SLUICE_F32 ? 4 : 8), t->bytes);
    assert_int_equal(t->block * scalars, plain->block * at);
}

static void factors_can_be_spread(void **state)
{
    static const bind_table_form forms[] = {BIND_TW_INTER_VECTOR, BIND_TW_INTER_FULL,
                                            BIND_TW_BROADCAST};
    (void)state;
    for (int variant = 0; variant < 24; variant++) {
        bind_tables *tables = bind_tables_open();
        bind_table *plain = NULL, *spread = NULL;
        bind_table_key key = make_key(forms[variant % 3], variant & 4 ? 2 : 1, 5, 7);
        assert_non_null(tables);
        key.precision = variant & 8 ? SLUICE_F64 : SLUICE_F32;
        key.tail = variant & 16 && has_tail(key.form);
        assert_int_equal(bind_table_get(tables, &key, false, &plain, NULL), SLUICE_OK);
        key.spread = true;
        assert_int_equal(bind_table_get(tables, &key, false, &spread, NULL), SLUICE_OK);
        check_spread(spread, plain);
        bind_table_put(tables, plain);
        bind_table_put(tables, spread);
        bind_tables_close(tables);
    }
}

static void dimensions_run_slowest_first(void **state)
{
    (void)state;
    for (int form = BIND_TW_INTER_VECTOR; form <= BIND_TW_PRODUCT; form++)
        for (int dims = 0; dims <= BIND_TABLE_DIMS; dims++) {
            /* t = c + 240 i + 1 a + 5 b + .. stays in 0 .. n*m-1 */
            static const int64_t size[] = {2, 2, 2, 2, 3, 5}, coef[] = {120, 60, 30, 15, 5, 1};
            bind_table_key key = make_key((bind_table_form)form, 4, 4, 240);
            key.precision = SLUICE_F64;
            key.tail = has_tail(form);
            key.c = 0;
            key.dims = dims;
            for (int d = 0; d < dims; d++) {
                key.size[d] = size[d + BIND_TABLE_DIMS - dims];
                key.coef[d] = coef[d + BIND_TABLE_DIMS - dims];
            }
            check_table(&key);
            key.c = 3;
            key.rows = 3;
            check_table(&key);
        }
}

/* A four-step transform's diagonal: more rows of T than the filler remembers powers of. */
static void many_rows_of_a_large_diagonal(void **state)
{
    (void)state;
    for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++) {
        bind_table_key key = make_key(BIND_TW_INTER_FULL, 4, 4096, 40);
        key.precision = (sluice_precision)precision;
        key.rows = 2;
        key.row = 20;
        key.dims = 2;
        key.size[0] = 4096;
        key.coef[0] = 40;
        key.size[1] = 20;
        key.coef[1] = 1;
        check_table(&key);
    }
}

static bind_table *table_of(bind_tables *tables, const bind_table_key *key)
{
    bind_table *t = NULL;
    assert_int_equal(bind_table_get(tables, key, false, &t, NULL), SLUICE_OK);
    return t;
}

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
    bind_table_key key = make_key(BIND_TW_INTER_FULL, 4, 24, 40);
    key.precision = SLUICE_F64;
    key.rows = 5;
    key.row = 8;
    key.dims = 3;
    key.size[0] = 8, key.coef[0] = 3 * 40;
    key.size[1] = 3, key.coef[1] = 40;
    key.size[2] = 8, key.coef[2] = 1;
    assert_true(bind_table_is_separable(&key));
    bind_tables *tables = bind_tables_open();
    bind_table *const whole = table_of(tables, &key);
    key.form = BIND_TW_PRODUCT;
    bind_table *const product = table_of(tables, &key);
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
    bind_table_key key = make_key(BIND_TW_INTER_VECTOR, 4, 6, 40), outer, columns;
    key.precision = SLUICE_F64;
    key.conjugate = true;
    key.tail = true;
    key.c = 2;
    key.dims = 2;
    key.size[0] = 3, key.coef[0] = 12;
    key.size[1] = 7, key.coef[1] = 2;
    assert_true(bind_table_as_grid(&key, &outer, &columns));
    bind_tables *tables = bind_tables_open();
    bind_table *const whole = table_of(tables, &key), *const rows = table_of(tables, &outer);
    bind_table *const grid = table_of(tables, &columns);
    assert_true(rows->bytes + grid->bytes < whole->bytes);
    for (size_t o = 0; o < 3; o++)
        for (size_t at = 0; at < whole->stride[0];
             at += 2) { /* every block, that of the tail too */
            const double *w = (const double *)whole->data + o * whole->stride[0] + at;
            const double *v = (const double *)grid->data + at;
            const double *r =
                (const double *)rows->data + o * rows->stride[0] + at % whole->block / 8 * 2;
            expect_factor(r[0], r[1], v, w);
        }
    bind_table_put(tables, whole);
    bind_table_put(tables, rows);
    bind_table_put(tables, grid);
    bind_tables_close(tables);
    assert_int_equal(core_mem_live(), 0);
}

/* Rows that go down T by parts of a row, columns that leave the first one, or go back. */
static void what_no_grid_can_be(void **state)
{
    (void)state;
    const bind_table_key good = make_key(BIND_TW_INTER_VECTOR, 4, 6, 40);
    bind_table_key key = good, rows, grid;
    assert_true(bind_table_as_grid(&key, &rows, &grid));
    key.row = 41;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key.row = 0;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key = good;
    key.c = 1;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key = good;
    key.coef[0] = 40;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key = good;
    key.coef[0] = -1;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key = good;
    key.dims = 0;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
    key = good;
    key.values = SPL_CHIRP;
    assert_false(bind_table_as_grid(&key, &rows, &grid));
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
        bind_table_key key = make_key(BIND_TW_INTER_FULL, 4, 8, 16);
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
                    expect(t, place, (double)x);
                    expect(t, place + 1, (double)y);
                }
        bind_table_put(tables, t);
        bind_tables_close(tables);
    }
}

static void equal_keys_share_one_table(void **state)
{
    (void)state;
    bind_tables *tables = bind_tables_open();
    const long live = core_mem_live();
    const bind_table_key one = make_key(BIND_TW_SPLIT_VECTOR, 4, 8, 16);
    bind_table_key two = one;
    bind_table *a, *b, *c;
    two.conjugate = true;
    assert_int_equal(bind_table_get(tables, &one, false, &a, NULL), SLUICE_OK);
    assert_int_equal(bind_table_get(tables, &two, false, &c, NULL), SLUICE_OK);
    assert_int_equal(bind_table_get(tables, &one, false, &b, NULL), SLUICE_OK);
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    bind_table_put(tables, a);
    double re, im;
    factor(&one, one.row + 1, &re, &im);
    expect(b, 1, re); /* row 1, column 1: one user is left */
    const long before = core_mem_live();
    bind_table_put(tables, b);
    assert_true(core_mem_live() < before);
    bind_table_put(tables, c);
    bind_table_put(tables, NULL);
    assert_int_equal(core_mem_live(), live);
    bind_tables_close(tables);
    bind_tables_close(NULL);
}

/* A team of its members in turn, the last one first. */
static void run_backwards(void *owner, int want, bind_work *work, void *arg)
{
    assert_true(want > 1 && want <= *(int *)owner);
    for (int i = want - 1; i >= 0; i--)
        work(arg, i, want);
    *(int *)owner = 0;
}

/* Large tables are filled by several, who leave the same bytes; small ones by one. */
static void helpers_change_no_byte(void **state)
{
    static const bind_table_key keys[] = {{.form = BIND_TW_INTER_FULL,
                                           .lanes = 8,
                                           .values = SPL_CHIRP,
                                           .scale = 1,
                                           .n = 400009,
                                           .m = 1,
                                           .rows = 1,
                                           .dims = 2,
                                           .size = {999, 401},
                                           .coef = {400, 1},
                                           .tail = true},
                                          {.form = BIND_TW_BROADCAST,
                                           .precision = SLUICE_F64,
                                           .lanes = 8,
                                           .scale = 1,
                                           .n = 32,
                                           .m = 8192,
                                           .rows = 32,
                                           .row = 8192,
                                           .dims = 1,
                                           .size = {8192},
                                           .coef = {1}},
                                          {.form = BIND_TW_PRODUCT,
                                           .lanes = 8,
                                           .scale = 0.5,
                                           .n = 4096,
                                           .m = 1024,
                                           .rows = 9,
                                           .row = 96,
                                           .dims = 2,
                                           .size = {600, 256},
                                           .coef = {1024, 1}},
                                          {.form = BIND_TW_BROADCAST,
                                           .lanes = 8,
                                           .scale = 1,
                                           .n = 32,
                                           .m = 32,
                                           .rows = 32,
                                           .row = 32,
                                           .dims = 1,
                                           .size = {32},
                                           .coef = {1}}};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bind_tables *alone = bind_tables_open(), *together = bind_tables_open();
        bind_table *a = NULL, *b = NULL;
        int members = 5;
        bind_tables_use(together, &(bind_helpers){members, run_backwards, &members});
        assert_int_equal(bind_table_get(alone, &keys[i], false, &a, NULL), SLUICE_OK);
        assert_int_equal(bind_table_get(together, &keys[i], false, &b, NULL), SLUICE_OK);
        assert_int_equal(members, a->bytes > (2 << 20) ? 0 : 5);
        assert_int_equal(a->bytes, b->bytes);
        assert_memory_equal(a->data, b->data, a->bytes);
        bind_table_put(alone, a);
        bind_table_put(together, b);
        bind_tables_close(alone);
        bind_tables_close(together);
    }
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    sluice_diag why = {0};
    const bind_table_key key = make_key(BIND_TW_INTER_VECTOR, 4, 8, 16);
    core_mem_fail_from(1);
    assert_null(bind_tables_open());
    core_mem_fail_from(0);
    bind_tables *tables = bind_tables_open();
    const long live = core_mem_live();
    bind_table *t = NULL;
    sluice_status status = SLUICE_E_MEMORY;
    int nth = 0;
    while (status == SLUICE_E_MEMORY) {
        core_mem_fail_from(++nth);
        status = bind_table_get(tables, &key, false, &t, &why);
        core_mem_fail_from(0);
        assert_int_equal(core_mem_live() == live, status == SLUICE_E_MEMORY);
    }
    assert_int_equal(status, SLUICE_OK);
    assert_true(nth > 3);
    bind_table_put(tables, t);
    bind_tables_close(tables);
}

static void tables_too_large_are_refused(void **state)
{
    (void)state;
    bind_tables *tables = bind_tables_open();
    bind_table_key key = make_key(BIND_TW_BROADCAST, 4, 8, 16);
    bind_table *t = NULL;
    key.dims = 2;
    key.size[0] = key.size[1] = (int64_t)1 << 40;
    key.coef[1] = 0;
    assert_int_equal(bind_table_get(tables, &key, false, &t, NULL), SLUICE_E_MEMORY);
    bind_tables_close(tables);
}

/* By the definition, one factor at a time. */
static bool row_0_is_one(const bind_table_key *k, int d, int64_t t)
{
    if (d == k->dims || d >= BIND_TABLE_DIMS) {
        double re, im;
        factor(k, t, &re, &im);
        return re == 1 && im == 0;
    }
    for (int64_t i = 0; i < k->size[d]; i++)
        if (!row_0_is_one(k, d + 1, t + k->coef[d] * i))
            return false;
    return true;
}

static void ones_in_the_first_row_are_seen(void **state)
{
    (void)state;
    for (int64_t c = 0; c < 20; c++)
        for (int64_t coef = 0; coef < 9; coef++)
            for (int dims = 0; dims <= 2; dims++) {
                bind_table_key key = make_key(BIND_TW_BROADCAST, 4, 4, 8);
                key.c = c;
                key.dims = dims;
                key.size[0] = 3;
                key.coef[0] = coef;
                key.size[1] = 2;
                key.coef[1] = 8 - coef;
                assert_int_equal(bind_table_first_row_is_one(&key), row_0_is_one(&key, 0, c));
            }
}

/* Two factors of a column that depend on it in different ways, as two tables of one. */
static void rows_apart_are_tables_of_one_row(void **state)
{
    static const bind_table_form forms[] = {BIND_TW_FULL_VECTOR, BIND_TW_INTER_FULL,
                                            BIND_TW_BROADCAST};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int64_t columns = 1; columns < 20; columns++) {
            const bool vector = forms[i] != BIND_TW_BROADCAST;
            bind_table_key key = make_key(forms[i], 4, 8, 1), second;
            bind_tables *tables = bind_tables_open();
            bind_table *both, *row[2];
            key.precision = SLUICE_F64;
            key.values = SPL_ROOTS;
            key.n = 800;
            key.rows = vector ? 1 : 2;
            key.row = 0;
            key.scale = 3;
            key.tail = vector && columns > 4;
            key.dims = 2;
            key.size[0] = 3;
            key.coef[0] = 90;
            key.size[1] = columns;
            second = key;
            second.c = 7;
            second.coef[1] = 5;
            assert_int_equal(bind_table_get(tables, &key, false, &row[0], NULL), SLUICE_OK);
            assert_int_equal(bind_table_get(tables, &second, false, &row[1], NULL), SLUICE_OK);
            key.rows++;
            key.apart = true;
            key.nalso = 1;
            key.also[0] =
                (bind_factor){.values = SPL_ROOTS, .n = 800, .m = 1, .c = 7, .coef = {90, 5}};
            assert_int_equal(bind_table_get(tables, &key, false, &both, NULL), SLUICE_OK);
            assert_int_equal(both->bytes, row[0]->bytes + row[1]->bytes);
            const size_t block = row[0]->block, blocks = both->bytes / sizeof(double) / both->block;
            for (size_t b = 0; b < 2 * blocks; b++)
                assert_memory_equal((double *)both->data + b * block,
                                    (double *)row[b % 2]->data + b / 2 * block,
                                    block * sizeof(double));
            bind_table_put(tables, both);
            bind_table_put(tables, row[0]);
            bind_table_put(tables, row[1]);
            bind_tables_close(tables);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_form_is_laid_out_as_documented, nothing_leaks),
        cmocka_unit_test_teardown(factors_can_be_spread, nothing_leaks),
        cmocka_unit_test_teardown(dimensions_run_slowest_first, nothing_leaks),
        cmocka_unit_test_teardown(many_rows_of_a_large_diagonal, nothing_leaks),
        cmocka_unit_test_teardown(products_are_what_a_whole_table_holds, nothing_leaks),
        cmocka_unit_test_teardown(what_no_product_can_be, nothing_leaks),
        cmocka_unit_test_teardown(grids_are_what_a_whole_table_holds, nothing_leaks),
        cmocka_unit_test_teardown(what_no_grid_can_be, nothing_leaks),
        cmocka_unit_test_teardown(diagonals_multiply, nothing_leaks),
        cmocka_unit_test_teardown(rows_apart_are_tables_of_one_row, nothing_leaks),
        cmocka_unit_test_teardown(equal_keys_share_one_table, nothing_leaks),
        cmocka_unit_test_teardown(helpers_change_no_byte, nothing_leaks),
        cmocka_unit_test_teardown(failed_allocations_leave_nothing, nothing_leaks),
        cmocka_unit_test_teardown(tables_too_large_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(ones_in_the_first_row_are_seen, nothing_leaks),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
