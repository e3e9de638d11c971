// SPDX-License-Identifier: BSD-3-Clause
/* The compositions that the tag rules and the breakdown rules make always have a digit form, for
 * sizes of every kind up to 2^40, and are right where they were tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "spl/formula/spl.h"
#include "spl/index/ix.h"
#include "tests/helpers/helper_spl.h"

static const int64_t sizes[] = {16,   60,   64,   100,   144,     256,     1000,
                                1024, 1152, 1536, 46656, 1 << 16, 1 << 20, (int64_t)1 << 40};
enum { SIZES = sizeof sizes / sizeof sizes[0], TRIES = 40 };

static int open_ctx(void **state)
{
    *state = spl_ctx_open();
    return *state == NULL;
}

static int close_ctx(void **state)
{
    const sluice_status status = spl_ctx_status(*state, NULL);
    spl_ctx_close(*state);
    return status != SLUICE_OK;
}

/* outer o inner: digits, and equal at random places. range[v] bounds variable v < 6. */
static const ix *closes(spl_ctx *ctx, const ix *outer, const ix *inner, const int64_t *range)
{
    static spl_random r = {1};
    const ix *f = ix_compose(ctx, outer, inner);
    assert_non_null(f);
    assert_int_equal(f->kind, IX_DIGIT);
    for (int k = 0; k < TRIES; k++) {
        int64_t vars[IX_MAX_VARS] = {0};
        for (int v = 0; v < 6; v++)
            vars[v] = spl_random_below(&r, range[v]);
        const int64_t i = spl_random_below(&r, f->n);
        assert_int_equal(ix_eval(f, i, vars), ix_eval(outer, ix_eval(inner, i, vars), vars));
    }
    return f;
}

/* All n with 1 < n < N and n | N, unless there are many: then some of them. */
static int64_t next_divisor(int64_t N, int64_t n)
{
    const int64_t step = N > 4096 ? 2 * n : n + 1;
    for (n = step; n < N && n <= 4096; n++)
        if (N % n == 0)
            return n;
    return 0;
}

/* The gather of DFT_m inside a loop, then that of its own stages, b = m/a: DFT_a (x) I_b and
 * I_b (x) DFT_a; (DFT_a (x) I_b) L_a^m (four-step) and (I_a (x) DFT_b) L_a^m. */
static void inside(spl_ctx *ctx, const ix *f, const int64_t *range)
{
    const int64_t m = f->n;
    for (int64_t a = next_divisor(m, 1); a != 0; a = next_divisor(m, a)) {
        int64_t inner[6] = {m / a, range[1], range[2], range[3], range[4], range[5]};
        closes(ctx, f, ix_h_var(ctx, a, m, 0, m / a, 1, m / a), inner);
        closes(ctx, f, ix_h_var(ctx, a, m, 0, m / a, a, 1), inner);
        const ix *l = closes(ctx, f, ix_stride(ctx, m, a), inner);
        closes(ctx, l, ix_h_var(ctx, a, m, 0, m / a, 1, m / a), inner);
        inner[0] = a;
        closes(ctx, l, ix_h_var(ctx, m / a, m, 0, a, m / a, 1), inner);
    }
}

/* (6): S(h_{kN/p,1}) S(h_{jm,1}); (7g): S(q_{k c + l, n/mu, mu}) S(h_{j,mu}), A_m (x) I_n */
static void tag_rules_nest(void **state)
{
    for (int s = 0; s < SIZES; s++)
        for (int64_t n = next_divisor(sizes[s], 1); n != 0; n = next_divisor(sizes[s], n)) {
            const int64_t N = sizes[s], m = N / n;
            for (int64_t p = 2; p <= 8; p *= 2) {
                int64_t range[6] = {1, n, 1, p, 1, 1};
                if (n % p == 0) {
                    range[1] = n / p;
                    const ix *part = ix_h_var(*state, N / p, N, 3, p, N / p, 1);
                    const ix *row = ix_h_var(*state, m, N / p, 1, n / p, m, 1);
                    inside(*state, closes(*state, part, row, range), range);
                }
                const int64_t mu = n % (4 * p) == 0 ? 4 : 1, c = n / (p * mu);
                if (n % (p * mu) != 0)
                    continue;
                const ix *q = ix_q_var(*state, m * mu, N, 4, n / mu, n / mu, mu);
                q = ix_split_var(*state, q, 4, 3, p, c, 2, c, 1);
                range[1] = mu;
                range[2] = c;
                const ix *column = ix_h_var(*state, m, m * mu, 1, mu, 1, mu);
                inside(*state, closes(*state, q, column, range), range);
            }
        }
}

/* (9), (11), (12c): a batch of s transforms of N around everything that one of them does. */
static void batches_of_streams(void **state)
{
    for (int s = 0; s + 1 < SIZES; s++)
        for (int64_t n = next_divisor(sizes[s], 1); n != 0; n = next_divisor(sizes[s], n)) {
            const int64_t N = sizes[s], m = N / n, batch = 12;
            const int64_t range[6] = {1, n, 1, 1, 1, batch};
            const ix *chunk = ix_h_var(*state, N, batch * N, 5, batch, N, 1);
            const ix *column = ix_h_var(*state, m, N, 1, n, 1, n);
            const ix *whole = closes(*state, chunk, column, range);
            assert_ptr_equal(whole, ix_compose(*state, chunk, column));
            inside(*state, whole, range);
            closes(*state, chunk, ix_stride(*state, N, n), range);
        }
}

/* (12c): h_{jK,1} o q_{k,p,c} = q_{jK/c+k,p,c} */
static void packets_of_batches(void **state)
{
    const int64_t K = 64, p = 4, c = 4, batch = 8;
    const ix *h = ix_h_var(*state, K, batch * K, 5, batch, K, 1);
    const ix *q = ix_q_var(*state, K / p, K, 3, p, p, c);
    const ix_term t[] = {
        {IX_INDEX, 1, c, 1}, {IX_INDEX, c, K / p / c, p * c}, {3, 1, p, c}, {5, 1, batch, K}};
    assert_ptr_equal(ix_compose(*state, h, q), ix_digit(*state, K / p, batch * K, 0, 4, t));
}

/* Every pass of DFT_n = PROD (DFT_r (x) I_{n/r}) (T (x) I_b) (L_r^L (x) I_b) with its loops, and
 * all permutations together. */
static void stockham_passes(void **state)
{
    spl_random r = {2};
    for (int s = 0; s < SIZES; s++)
        for (int round = 0; round < 4; round++) {
            const int64_t n = sizes[s];
            const spl_radices radices = spl_random_radices(&r, n < 1 << 17 ? n : 1 << 16);
            const ix *all = ix_id(*state, n);
            int64_t L = n;
            for (int k = 0; k < radices.count; k++) {
                const int64_t q = radices.r[k], b = n / L;
                const int64_t range[6] = {1, n / q, 1, 1, 1, 1};
                const ix *move = ix_tensor(*state, ix_stride(*state, L, q), ix_id(*state, b));
                const ix *column = ix_h_var(*state, q, n, 1, n / q, 1, n / q);
                inside(*state, closes(*state, move, column, range), range);
                all = closes(*state, move, all, range);
                L /= q;
            }
            assert_ptr_equal(ix_compose(*state, all, ix_inverse(*state, all)), ix_id(*state, n));
        }
}

/* User layouts: a pitch between rows, negative strides, values beyond N. */
static void layouts_compose(void **state)
{
    const int64_t n = 48, m = 20, range[6] = {1, m, n, 1, 1, 1};
    const ix_term t[] = {{IX_INDEX, 1, m, -3}, {IX_INDEX, m, n, 100}};
    const ix *layout = ix_digit(*state, n * m, n * m, 1000, 2, t);
    const ix *column = closes(*state, layout, ix_h_var(*state, n, n * m, 1, m, 1, m), range);
    int64_t coef;
    assert_true(ix_linear(column, IX_INDEX, n, &coef) && coef == 100);
    assert_true(ix_linear(column, 1, m, &coef) && coef == -3);
    const ix *row = closes(*state, layout, ix_h_var(*state, m, n * m, 2, n, m, 1), range);
    assert_true(ix_linear(row, IX_INDEX, m, &coef) && coef == -3);
    assert_int_equal(ix_eval(layout, n * m - 1, NULL), 1000 - 3 * 19 + 4700);
}

static void assert_refused(void **state, const ix *f)
{
    sluice_diag why;
    assert_null(f);
    assert_int_not_equal(spl_ctx_status(*state, &why), SLUICE_OK);
    assert_true(why.message[0] != '\0');
    spl_ctx_close(*state);
    *state = spl_ctx_open();
}

static void sizes_near_the_limit(void **state)
{
    const int64_t big = (int64_t)1 << 40, half = (int64_t)1 << 20;
    const ix *l = ix_stride(*state, big, half);
    assert_ptr_equal(ix_compose(*state, l, l), ix_id(*state, big));
    assert_int_equal(ix_eval(l, big - 2, NULL), big - 1 - half);
    assert_int_equal(ix_run(ix_tensor(*state, ix_stride(*state, half, 2), ix_id(*state, half))),
                     half);
    assert_int_equal(ix_h(*state, big, big, 1, INT64_C(1) << 20)->t[0].coef, half);
    assert_refused(state, ix_id(*state, big + 1));
    assert_refused(state, ix_id(*state, 0));
    assert_refused(state, ix_tensor(*state, ix_id(*state, half), ix_id(*state, 2 * half)));
    assert_refused(state, ix_h_var(*state, 1, big, 0, big, INT64_C(1) << 40, 0));
    assert_refused(state, ix_h(*state, 2, 2, 0, INT64_MIN));
    assert_refused(state, ix_h(*state, 2, 2, INT64_MAX, 1));
    assert_refused(state, ix_stride(*state, 8, 3));
    assert_refused(state, ix_q_var(*state, 10, 40, 0, 4, 4, 4));
    assert_refused(state, ix_h_var(*state, 4, 16, IX_MAX_VARS, 4, 4, 1));
    assert_refused(state, ix_compose(*state, ix_id(*state, 4), ix_id(*state, 5)));
    const ix_term none = {IX_INDEX, 0, 4, 1};
    assert_refused(state, ix_digit(*state, 4, 4, 0, 1, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tag_rules_nest, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(batches_of_streams, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(packets_of_batches, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(stockham_passes, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(layouts_compose, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(sizes_near_the_limit, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
