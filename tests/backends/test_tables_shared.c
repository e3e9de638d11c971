// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables as plans share them: equal keys, filling by several, failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/bind/bind_table.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_table.h"

static void equal_keys_share_one_table(void **state)
{
    (void)state;
    bind_tables *tables = bind_tables_open();
    const long live = core_mem_live();
    const bind_table_key one = table_key(BIND_TW_SPLIT_VECTOR, 4, 8, 16);
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
    table_factor(&one, one.row + 1, &re, &im);
    table_expect(b, 1, re); /* row 1, column 1: one user is left */
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
                                          {.form = BIND_TW_FACTORED,
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
    const bind_table_key key = table_key(BIND_TW_INTER_VECTOR, 4, 8, 16);
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
    bind_table_key key = table_key(BIND_TW_BROADCAST, 4, 8, 16);
    bind_table *t = NULL;
    key.dims = 2;
    key.size[0] = key.size[1] = (int64_t)1 << 40;
    key.coef[1] = 0;
    assert_int_equal(bind_table_get(tables, &key, false, &t, NULL), SLUICE_E_MEMORY);
    bind_tables_close(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(equal_keys_share_one_table, nothing_leaks),
        cmocka_unit_test_teardown(helpers_change_no_byte, nothing_leaks),
        cmocka_unit_test_teardown(failed_allocations_leave_nothing, nothing_leaks),
        cmocka_unit_test_teardown(tables_too_large_are_refused, nothing_leaks),
    };
    return cmocka_run_group_tests_name("tables_shared", tests, NULL, NULL);
}
