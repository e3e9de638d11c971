// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables: their layout against spl/codelet/codelet.h and bind_table.h. Products of tables:
 * test_tables_products; sharing, failures: test_tables_shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/bind/bind_table.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_table.h"

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
            table_factor(k, base + k->row * i + coef * c[l], &re, &im);
            if (pairs) {
                table_expect(t, *at + 2 * l, re);
                table_expect(t, *at + 2 * l + 1, im);
            } else {
                table_expect(t, *at + l, re);
                table_expect(t, *at + lanes + l, im);
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
        table_factor(k, base + k->row * i, &re, &im);
        table_expect(t, (*at)++, re);
        table_expect(t, (*at)++, im);
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
        table_factor(k, base + (k->dims ? k->coef[k->dims - 1] : 0) * (c < cols ? c : cols - 1),
                     &re, &im);
        table_expect(t, (*at)++, re);
        table_expect(t, (*at)++, im);
    }
}

/* The dimensions one inside the other: written by recursion, unlike the code under test. */
static void expect_from(const bind_table *t, int d, size_t *at, int64_t base)
{
    const bind_table_key *k = &t->key;
    const bool vector = k->form != BIND_TW_BROADCAST;
    if (k->form == BIND_TW_FACTORED && d >= k->dims - 1) {
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

static bool has_tail(int form)
{
    return form != BIND_TW_BROADCAST && form != BIND_TW_FACTORED;
}

static void every_form_is_laid_out_as_documented(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 3, 4, 7, 8, 9, 16, 21, 64};
    static const int lanes[] = {1, 2, 4, 8, 16};
    for (int form = BIND_TW_INTER_VECTOR; form <= BIND_TW_FACTORED; form++)
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            for (size_t j = 0; j < sizeof lanes / sizeof lanes[0]; j++)
                for (int bits = 0; bits < 8; bits++) {
                    bind_table_key key = table_key((bind_table_form)form, lanes[j], 5, columns[i]);
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
                table_expect(t, at, part ? -value : value);
                table_expect(t, at + 1, value);
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
        bind_table_key key = table_key(forms[variant % 3], variant & 4 ? 2 : 1, 5, 7);
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
    for (int form = BIND_TW_INTER_VECTOR; form <= BIND_TW_FACTORED; form++)
        for (int dims = 0; dims <= BIND_TABLE_DIMS; dims++) {
            /* t = c + 240 i + 1 a + 5 b + .. stays in 0 .. n*m-1 */
            static const int64_t size[] = {2, 2, 2, 2, 3, 5}, coef[] = {120, 60, 30, 15, 5, 1};
            bind_table_key key = table_key((bind_table_form)form, 4, 4, 240);
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
        bind_table_key key = table_key(BIND_TW_INTER_FULL, 4, 4096, 40);
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

/* By the definition, one factor at a time. */
static bool row_0_is_one(const bind_table_key *k, int d, int64_t t)
{
    if (d == k->dims || d >= BIND_TABLE_DIMS) {
        double re, im;
        table_factor(k, t, &re, &im);
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
                bind_table_key key = table_key(BIND_TW_BROADCAST, 4, 4, 8);
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
            bind_table_key key = table_key(forms[i], 4, 8, 1), second;
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
        cmocka_unit_test_teardown(rows_apart_are_tables_of_one_row, nothing_leaks),
        cmocka_unit_test_teardown(ones_in_the_first_row_are_seen, nothing_leaks),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
