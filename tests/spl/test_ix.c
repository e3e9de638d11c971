// SPDX-License-Identifier: BSD-3-Clause
/* Index functions: every law against evaluation of all elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/index/ix_form.h"
#include "tests/helpers/helper_spl.h"

static const int64_t sizes[] = {1,  2,  4,  6,   8,   12,  16,  24,  30,  36,  48,
                                60, 64, 96, 120, 144, 180, 256, 360, 512, 576, 720};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* The next values of variables below `count`; false when all were visited. Starts from zeros. */
static bool advance(int64_t *vars, const int64_t *range, int count)
{
    for (int v = 0; v < count; v++) {
        if (++vars[v] < range[v])
            return true;
        vars[v] = 0;
    }
    return false;
}

/* Many values at once, of the index and of each variable, as one by one. */
static void assert_many(const ix *f, int64_t *vars, const int64_t *range)
{
    for (int src = IX_INDEX; src < 4; src++) {
        const int64_t count = src == IX_INDEX ? f->n : range[src];
        int64_t x[1024], own[IX_MAX_VARS];
        assert_true(count <= 1024);
        for (int64_t k = 0; k < count; k++)
            x[k] = count - 1 - k;
        ix_eval_many(f, src, f->n / 2, count, x, vars);
        memcpy(own, vars, sizeof own);
        for (int64_t k = 0; k < count; k++) {
            if (src != IX_INDEX)
                own[src] = count - 1 - k;
            const int64_t i = src == IX_INDEX ? count - 1 - k : f->n / 2;
            assert_int_equal(x[k], ix_eval(f, i, own));
        }
    }
}

static void assert_composition(const ix *h, const ix *g, const ix *f, const int64_t *range)
{
    int64_t vars[IX_MAX_VARS] = {0};
    assert_non_null(h);
    assert_int_equal(h->n, f->n);
    assert_int_equal(h->N, g->N);
    assert_many(h, vars, range);
    do {
        for (int64_t i = 0; i < f->n; i++)
            assert_int_equal(ix_eval(h, i, vars), ix_eval(g, ix_eval(f, i, vars), vars));
    } while (advance(vars, range, 4));
}

/* A digit permutation from the given radices to others, or, with `var`, to 6 such ranges of which
 * k2 chooses one. */
static const ix *random_outer(spl_random *r, spl_ctx *ctx, const spl_radices *radices, bool var,
                              int64_t *range)
{
    const ix *g = ix_inverse(ctx, spl_random_digits(r, ctx, radices, 2, 0, range));
    range[2] = var ? 6 : 1;
    return var ? ix_tensor(ctx, ix_h_var(ctx, 1, 6, 2, 6, 1, 0), g) : g;
}

/* With the same radices on both sides there always is a digit form. */
static void composition_of_one_radix_system(void **state)
{
    spl_random r = {1};
    for (int round = 0; round < 1500; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const spl_radices radices = spl_random_radices(&r, sizes[round % SIZES]);
        const ix *f = spl_random_digits(&r, *state, &radices, 0, round % 3, range);
        const ix *g = random_outer(&r, *state, &radices, round % 2 == 1, range);
        const ix *h = ix_compose(*state, g, f);
        assert_int_equal(h->kind, IX_DIGIT);
        assert_composition(h, g, f, range);
    }
}

/* With different ones there may be none, but the function is right all the same, and without loop
 * variables it is a table or digits. */
static void composition_of_any_radices(void **state)
{
    spl_random r = {2};
    int opaque = 0;
    for (int round = 0; round < 1500; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const int64_t N = sizes[round % SIZES];
        const spl_radices front = spl_random_radices(&r, N), back = spl_random_radices(&r, N);
        const ix *f = spl_random_digits(&r, *state, &back, 0, round % 3, range);
        const ix *g = random_outer(&r, *state, &front, round % 2 == 1, range);
        const ix *h = ix_compose(*state, g, f);
        assert_composition(h, g, f, range);
        opaque += h->kind == IX_OPAQUE;
        if (ix_variables(f) == 0 && ix_variables(g) == 0)
            assert_int_not_equal(h->kind, IX_OPAQUE);
    }
    assert_in_range(opaque, 1, 1000);
}

static const ix *random_table(spl_random *r, spl_ctx *ctx, int64_t n, int64_t N)
{
    int64_t table[1024];
    for (int64_t i = 0; i < n; i++)
        table[i] = spl_random_below(r, N);
    return ix_table(ctx, n, N, table);
}

static void composition_with_tables_and_opaque_functions(void **state)
{
    spl_random r = {3};
    for (int round = 0; round < 600; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *a = spl_random_digits(&r, *state, &radices, 0, 2, range);
        const ix *b = random_table(&r, *state, N, N);
        const ix *c = random_table(&r, *state, a->n, a->n);
        const ix *ba = ix_compose(*state, b, a), *bac = ix_compose(*state, ba, c);
        assert_composition(ba, b, a, range);
        assert_composition(bac, ba, c, range);
        assert_composition(ix_compose(*state, b, bac), b, bac, range);
        for (const ix *f = bac; f->kind == IX_OPAQUE; f = f->inner)
            assert_int_not_equal(f->outer->kind, IX_OPAQUE);
        assert_ptr_equal(ix_compose(*state, b, ix_id(*state, N)), b);
        assert_ptr_equal(ix_compose(*state, ix_id(*state, N), b), b);
    }
}

/* f as a digit sum of arbitrary terms of i < n and, with `vars`, of k0. */
static const ix *random_terms(spl_random *r, spl_ctx *ctx, int64_t n, bool vars)
{
    ix_term t[4];
    const int nt = (int)spl_random_below(r, 5);
    for (int k = 0; k < nt; k++)
        t[k] = (ix_term){vars && spl_random_below(r, 2) == 0 ? 0 : IX_INDEX,
                         1 + spl_random_below(r, 6), 1 + spl_random_below(r, 6),
                         spl_random_below(r, 7) - 3};
    return ix_digit(ctx, n, 64, spl_random_below(r, 2), nt, t);
}

enum { KNOWN = 3000, ROOM = 720 };

/* Equal tables of values (of k0 below the common multiple of all that occurs) if and only if equal
 * pointers. */
static void canonical_forms_are_unique(void **state)
{
    static const ix *known[KNOWN];
    static int64_t value[KNOWN][ROOM];
    static const int64_t domain[] = {1, 2, 5, 6, 12};
    for (int mode = 0; mode < 10; mode++) {
        spl_random r = {(uint64_t)mode + 10};
        const int64_t n = domain[mode / 2];
        const bool vars = mode % 2 == 1;
        const int count = vars ? 1000 : KNOWN;
        for (int k = 0; k < count; k++) {
            const ix *f = known[k] = random_terms(&r, *state, n, vars);
            for (int64_t j = 0; j < (vars ? ROOM : n); j++) /* i fastest, as far as there is room */
                value[k][j] = ix_eval(f, j % n, &(int64_t){j / n});
        }
        for (int k = 0; k < count; k++)
            for (int j = 0; j < k; j += vars ? 1 : 3) {
                const size_t bytes = sizeof(int64_t) * (size_t)(vars ? ROOM : n);
                assert_int_equal(known[k] == known[j], memcmp(value[k], value[j], bytes) == 0);
            }
    }
}

static void tables_that_are_digits_become_digits(void **state)
{
    spl_random r = {4};
    for (int round = 0; round < 500; round++) {
        int64_t table[ROOM];
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *f = spl_random_digits(&r, *state, &radices, 0, 0, NULL);
        for (int64_t i = 0; i < N; i++)
            table[i] = ix_eval(f, i, NULL);
        assert_ptr_equal(ix_table(*state, N, N, table), f);
    }
    const int64_t primes[] = {2, 3, 5, 7, 11, 13};
    assert_int_equal(ix_table(*state, 6, 16, primes)->kind, IX_TABLE);
    assert_ptr_equal(ix_table(*state, 6, 16, primes), ix_table(*state, 6, 16, primes));
}

static void inverses(void **state)
{
    spl_random r = {5};
    for (int round = 0; round < 600; round++) {
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *f = spl_random_digits(&r, *state, &radices, 0, 0, NULL);
        if (round % 3 == 0) {
            const spl_radices other = spl_random_radices(&r, N);
            f = ix_compose(*state, f, spl_random_digits(&r, *state, &other, 0, 0, NULL));
        }
        const ix *g = ix_inverse(*state, f);
        assert_ptr_equal(ix_compose(*state, g, f), ix_id(*state, N));
        assert_ptr_equal(ix_compose(*state, f, g), ix_id(*state, N));
        assert_ptr_equal(ix_inverse(*state, g), f);
    }
    const int64_t twice[] = {3, 0, 1, 0};
    assert_null(ix_inverse(*state, ix_table(*state, 4, 4, twice)));
    assert_null(ix_inverse(*state, ix_h(*state, 4, 8, 0, 2)));
    assert_null(ix_inverse(*state, ix_h(*state, 4, 4, 1, 1)));
    assert_null(ix_inverse(*state, ix_h(*state, 4, 4, 0, 0)));
    assert_null(ix_inverse(*state, ix_h_var(*state, 4, 4, 0, 4, 1, 0)));
    const int64_t big = (int64_t)1 << 40;
    assert_ptr_equal(ix_inverse(*state, ix_stride(*state, big, 1 << 10)),
                     ix_stride(*state, big, 1 << 30));
}

static void tensors(void **state)
{
    spl_random r = {6};
    for (int round = 0; round < 600; round++) {
        int64_t range[4] = {1, 1, 1, 1}, vars[IX_MAX_VARS] = {0};
        const int64_t M = sizes[round % 12], N = sizes[(round * 7 + round / 12) % 12];
        const spl_radices left = spl_random_radices(&r, M), right = spl_random_radices(&r, N);
        const ix *f = spl_random_digits(&r, *state, &left, 0, round % 2, range);
        const ix *g = spl_random_digits(&r, *state, &right, 1, round % 3, range);
        if (round % 5 == 0 && round % 2 == 0)
            f = random_table(&r, *state, M, M);
        if (f->kind == IX_TABLE && ix_variables(g) != 0)
            continue;
        const ix *h = ix_tensor(*state, f, g);
        assert_non_null(h);
        assert_int_equal(h->n, f->n * g->n);
        assert_int_equal(h->N, f->N * g->N);
        do {
            for (int64_t i = 0; i < h->n; i++)
                assert_int_equal(ix_eval(h, i, vars),
                                 g->N * ix_eval(f, i / g->n, vars) + ix_eval(g, i % g->n, vars));
        } while (advance(vars, range, 4));
    }
}

/* The definition of ix_run, by trial. */
static bool runs(const ix *f, int64_t r, const int64_t *vars)
{
    for (int64_t i = 0; i < f->n; i++)
        if (ix_eval(f, i, vars) != ix_eval(f, i - i % r, vars) + i % r)
            return false;
    return true;
}

static void run_lengths(void **state)
{
    static const int64_t vars[IX_MAX_VARS];
    spl_random r = {7};
    for (int round = 0; round < 800; round++) {
        int64_t range[4];
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *f = spl_random_digits(&r, *state, &radices, 0, round % 2, range);
        if (round % 4 == 3)
            f = random_terms(&r, *state, N, false);
        if (round % 8 == 2)
            f = ix_compose(*state, f,
                           ix_tensor(*state, ix_h(*state, N, N, N - 1, -1), ix_id(*state, 1)));
        int64_t most = 1;
        for (int64_t d = 2; d <= f->n; d++)
            most = f->n % d == 0 && runs(f, d, vars) ? d : most;
        assert_int_equal(ix_run(f), most);
    }
    const int64_t blocks[] = {4, 5, 0, 1, 6, 7, 10, 11};
    assert_int_equal(ix_run(ix_table(*state, 8, 12, blocks)), 2);
    const ix *shuffle = ix_tensor(*state, random_table(&r, *state, 24, 24), ix_id(*state, 6));
    const ix *opaque = ix_compose(*state, shuffle, ix_q_var(*state, 24, 144, 0, 6, 6, 6));
    assert_int_equal(opaque->kind, IX_OPAQUE);
    assert_int_equal(ix_run(opaque), 6);
    assert_int_equal(ix_run(ix_compose(*state, shuffle, ix_h_var(*state, 24, 144, 0, 8, 3, 1))), 3);
}

static void splitting_of_loop_variables(void **state)
{
    spl_random r = {8};
    int split = 0;
    for (int round = 0; round < 800; round++) {
        int64_t range[6] = {1, 1, 1, 1, 1, 1}, vars[IX_MAX_VARS] = {0};
        const spl_radices radices = spl_random_radices(&r, sizes[round % SIZES]);
        const ix *f = spl_random_digits(&r, *state, &radices, 0, 2, range);
        if (round % 4 == 0)
            f = ix_compose(*state, random_table(&r, *state, f->N, f->N), f);
        const spl_radices parts = spl_random_radices(&r, range[0]);
        range[4] = parts.count > 0 ? parts.r[0] : 1; /* k0 = k4 + range*k5 */
        range[5] = range[0] / range[4];
        const ix *g = ix_split_var(*state, f, 0, 5, range[5], range[4], 4, range[4], 1);
        split += g != NULL;
        range[0] = 1;
        do {
            const int64_t old[IX_MAX_VARS] = {range[4] * vars[5] + vars[4], vars[1]};
            for (int64_t i = 0; g != NULL && i < f->n; i++)
                assert_int_equal(ix_eval(g, i, vars), ix_eval(f, i, old));
        } while (advance(vars, range, 6));
        if (g != NULL && g->kind == IX_DIGIT)
            assert_false(ix_uses(g, 0));
    }
    assert_in_range(split, 600, 800);
    const ix *f = ix_h_var(*state, 4, 64, 3, 16, 4, 1);
    assert_ptr_equal(ix_split_var(*state, f, 3, 7, 16, 1, -1, 1, 0),
                     ix_h_var(*state, 4, 64, 7, 16, 4, 1));
}

static void linear_parts(void **state)
{
    int64_t coef;
    const ix *f = ix_h_var(*state, 8, 64, 2, 4, 16, 2);
    assert_true(ix_linear(f, IX_INDEX, 8, &coef) && coef == 2);
    assert_true(ix_linear(f, 2, 4, &coef) && coef == 16);
    assert_true(ix_linear(f, 1, 9, &coef) && coef == 0);
    assert_false(ix_linear(f, 2, 5, &coef));
    const ix *l = ix_stride(*state, 64, 4);
    assert_false(ix_linear(l, IX_INDEX, 64, &coef));
    assert_true(ix_uses(l, IX_INDEX) && !ix_uses(l, 0));
    assert_true(ix_is_identity(ix_stride(*state, 64, 1)));
    assert_false(ix_is_identity(ix_h(*state, 8, 9, 0, 1)));
}

static void bounds_are_exact(void **state)
{
    spl_random r = {9};
    for (int round = 0; round < 600; round++) {
        int64_t lo, hi, least = INT64_MAX, most = INT64_MIN;
        const ix *f = random_terms(&r, *state, 1 + spl_random_below(&r, 40), false);
        for (int64_t i = 0; i < f->n; i++) {
            const int64_t y = ix_eval(f, i, NULL);
            least = y < least ? y : least;
            most = y > most ? y : most;
        }
        assert_true(ix_bounds(f, &lo, &hi));
        assert_int_equal(lo, least);
        assert_int_equal(hi, most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(composition_of_one_radix_system, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(composition_of_any_radices, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(composition_with_tables_and_opaque_functions, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(canonical_forms_are_unique, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(tables_that_are_digits_become_digits, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(inverses, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(tensors, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(run_lengths, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(splitting_of_loop_variables, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(linear_parts, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(bounds_are_exact, spl_test_open, spl_test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
