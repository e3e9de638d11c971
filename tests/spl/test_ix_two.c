// SPDX-License-Identifier: BSD-3-Clause
/* Two functions told apart by a binary digit: every law against evaluation of all elements, folds
 * of any size, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "spl/emit/print_c.h"
#include "spl/formula/spl.h"
#include "spl/index/ix_form.h"
#include "tests/helpers/helper_spl.h"

static const int64_t sizes[] = {1, 2, 4, 6, 8, 12, 16, 24, 30, 36, 48, 60, 64, 96, 120};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* The next values of variables 0 to 3; false when all were visited. */
static bool advance(int64_t *vars, const int64_t *range)
{
    for (int v = 0; v < 4; v++) {
        if (++vars[v] < range[v])
            return true;
        vars[v] = 0;
    }
    return false;
}

/* A binary digit of the index, or, with vars, of k0. */
static ix_term random_digit(spl_random *r, int64_t n, bool vars)
{
    const int src = vars && spl_random_below(r, 2) == 0 ? 0 : IX_INDEX;
    return (ix_term){src, (int64_t)1 << spl_random_below(r, n < 16 ? 3 : 5), 2, 1};
}

/* Digit sums of n elements below N, of the index and `vars` loop variables, told apart by a digit,
 * perhaps by two. */
static const ix *random_two(spl_random *r, spl_ctx *ctx, int64_t N, int vars, int64_t *range,
                            int depth)
{
    const spl_radices radices = spl_random_radices(r, N);
    const ix *branch[2];
    branch[0] = spl_random_digits(r, ctx, &radices, 0, vars, range);
    const ix *reversed = ix_h(ctx, N, N, N - 1, -1);
    branch[1] = spl_random_below(r, 2) == 0
                    ? ix_compose(ctx, reversed, branch[0])
                    : ix_compose(ctx, branch[0],
                                 ix_h(ctx, branch[0]->n, branch[0]->n, branch[0]->n - 1, -1));
    if (depth > 0)
        branch[1] = ix_two(ctx, IX_INDEX, 2, branch[1], branch[0]);
    const ix_term d = random_digit(r, branch[0]->n, vars > 0);
    return ix_two(ctx, d.src, d.div, branch[0], branch[1]);
}

static void values_are_those_of_a_branch(void **state)
{
    spl_random r = {1};
    for (int round = 0; round < 400; round++) {
        int64_t range[4] = {1, 1, 1, 1}, vars[IX_MAX_VARS] = {0};
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *a = spl_random_digits(&r, *state, &radices, 0, round % 3, range);
        const ix *b = ix_compose(*state, ix_h(*state, N, N, N - 1, -1), a);
        const ix_term d = random_digit(&r, a->n, round % 3 > 0);
        const ix *f = ix_two(*state, d.src, d.div, a, b);
        assert_int_equal(f->n, a->n);
        assert_ptr_equal(ix_two(*state, d.src, d.div, a, a), a);
        assert_ptr_equal(ix_two(*state, d.src, d.div, a, b), f);
        do {
            for (int64_t i = 0; i < f->n; i++) {
                const int64_t x = d.src == IX_INDEX ? i : vars[0];
                assert_int_equal(ix_eval(f, i, vars), ix_eval(x / d.div % 2 ? b : a, i, vars));
            }
        } while (advance(vars, range));
    }
}

static void assert_composition(const ix *h, const ix *g, const ix *f, const int64_t *range)
{
    int64_t vars[IX_MAX_VARS] = {0};
    assert_non_null(h);
    assert_int_equal(h->n, f->n);
    assert_int_equal(h->N, g->N);
    do {
        for (int64_t i = 0; i < f->n; i++)
            assert_int_equal(ix_eval(h, i, vars), ix_eval(g, ix_eval(f, i, vars), vars));
    } while (advance(vars, range));
}

static void compositions(void **state)
{
    spl_random r = {2};
    int kept = 0;
    for (int round = 0; round < 900; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const int64_t N = sizes[round % SIZES];
        const spl_radices radices = spl_random_radices(&r, N);
        const ix *two = random_two(&r, *state, N, round % 3, range, round % 2);
        const ix *g = spl_random_digits(&r, *state, &radices, 2, 0, range);
        assert_composition(ix_compose(*state, g, two), g, two, range);
        const ix *outer = random_two(&r, *state, N, 0, range, round % 2);
        if (outer->n == N) {
            const ix *f = spl_random_digits(&r, *state, &radices, 0, round % 3, range);
            const ix *h = ix_compose(*state, outer, f);
            kept += h->kind == IX_TWO;
            assert_composition(h, outer, f, range);
            assert_composition(ix_compose(*state, outer, two), outer, two, range);
        }
    }
    assert_in_range(kept, 300, 900);
}

/* The order of folded rows of odd length, reversed or not, after one that leaves gaps between rows:
 * a branch has digits where it is chosen, though it would carry elsewhere. */
static void folds_of_odd_rows_keep_digits(void **state)
{
    for (int64_t n = 5; n < 30; n += 2)
        for (int turned = 0; turned < 2; turned++) {
            const ix_term gaps[] = {{IX_INDEX, 1, n, 1}, {IX_INDEX, n, 4, n + 1}};
            const ix_term row[] = {{IX_INDEX, 1, n, turned ? -1 : 1}, {0, 1, 4, n}};
            const ix *g = ix_digit(*state, 4 * n, 4 * (n + 1), 0, 2, gaps);
            const ix *rows = ix_digit(*state, n, 4 * n, turned ? n - 1 : 0, 2, row);
            const ix *f = ix_compose(*state, rows, ix_fold(*state, n));
            const ix *h = ix_compose(*state, g, f);
            assert_composition(h, g, f, (const int64_t[]){4, 1, 1, 1});
            assert_int_equal(h->kind, IX_TWO);
            assert_int_equal(h->branch[0]->kind, IX_DIGIT);
            assert_int_equal(h->branch[1]->kind, IX_DIGIT);
        }
}

static void tensors(void **state)
{
    spl_random r = {3};
    for (int round = 0; round < 500; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const int64_t M = sizes[round % 9], N = sizes[(round * 7 + round / 9) % 9];
        const ix *f =
            round % 3 == 0 ? ix_h(*state, M, 2 * M, 1, 1) : random_two(&r, *state, M, 0, range, 0);
        const ix *g =
            round % 3 == 1 ? ix_stride(*state, N, 1) : random_two(&r, *state, N, 0, range, 0);
        const ix *h = ix_tensor(*state, f, g);
        assert_non_null(h);
        for (int64_t i = 0; i < h->n; i++)
            assert_int_equal(ix_eval(h, i, NULL),
                             g->N * ix_eval(f, i / g->n, NULL) + ix_eval(g, i % g->n, NULL));
    }
    const int64_t big = (int64_t)1 << 20;
    assert_int_equal(ix_tensor(*state, ix_fold(*state, big), ix_id(*state, big))->kind, IX_TWO);
    assert_int_equal(ix_tensor(*state, ix_id(*state, big), ix_fold(*state, big))->kind, IX_TWO);
}

static void splitting_of_loop_variables(void **state)
{
    spl_random r = {4};
    int split = 0;
    for (int round = 0; round < 600; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const ix *f = random_two(&r, *state, sizes[round % SIZES], 2, range, round % 2);
        const spl_radices parts = spl_random_radices(&r, range[0]);
        const int64_t low = parts.count > 0 ? parts.r[0] : 1, high = range[0] / low;
        const ix *g = ix_split_var(*state, f, 0, 5, high, low, 4, low, 1);
        split += g != NULL;
        for (int64_t k = 0; g != NULL && k < range[0]; k++)
            for (int64_t i = 0; i < f->n; i++) {
                const int64_t old[IX_MAX_VARS] = {k},
                              now[IX_MAX_VARS] = {0, 0, 0, 0, k % low, k / low};
                assert_int_equal(ix_eval(g, i, now), ix_eval(f, i, old));
            }
    }
    assert_in_range(split, 300, 600);
}

/* The rest of a loop from any value on; by another name digits may end anywhere. */
static void shifts_of_loop_variables(void **state)
{
    spl_random r = {6};
    int shifted = 0;
    for (int round = 0; round < 600; round++) {
        int64_t range[4] = {1, 1, 1, 1};
        const ix *f = random_two(&r, *state, sizes[round % SIZES], 2, range, round % 2);
        const int64_t c = spl_random_below(&r, range[0]), n = range[0] - c;
        const ix *g = ix_shift_var(*state, f, 0, c, n);
        shifted += g != NULL;
        for (int64_t k = 0; g != NULL && k < n; k++)
            for (int64_t i = 0; i < f->n; i++) {
                const int64_t old[IX_MAX_VARS] = {k + c}, now[IX_MAX_VARS] = {k};
                assert_int_equal(ix_eval(g, i, now), ix_eval(f, i, old));
            }
    }
    assert_in_range(shifted, 100, 600);
    const ix *uneven = ix_two(*state, 0, 3, ix_h_var(*state, 2, 10, 0, 5, 2, 1),
                              ix_h_var(*state, 2, 10, 0, 5, 2, 0));
    const ix *renamed = ix_split_var(*state, uneven, 0, 7, 5, 1, 7, 1, 0);
    const ix *rest = ix_shift_var(*state, uneven, 0, 3, 2);
    assert_non_null(renamed);
    assert_int_equal(renamed->t->src, 7);
    assert_non_null(rest);
    assert_int_equal(rest->kind, IX_DIGIT);
    assert_int_equal(ix_shift_var(*state, uneven, 0, 0, 3)->kind, IX_DIGIT);
}

static void runs_and_bounds_hold(void **state)
{
    spl_random r = {5};
    for (int round = 0; round < 500; round++) {
        int64_t range[4] = {1, 1, 1, 1}, lo, hi, least = INT64_MAX, most = INT64_MIN;
        const ix *f = random_two(&r, *state, sizes[round % SIZES], 0, range, round % 2);
        const int64_t run = ix_run(f), even = ix_even(f);
        assert_true(f->n % run == 0 && f->n % even == 0);
        for (int64_t i = 0; i < f->n; i++) {
            const int64_t y = ix_eval(f, i, NULL);
            assert_int_equal(y, ix_eval(f, i - i % run, NULL) + i % run);
            if (i % even > 1)
                assert_int_equal(y - ix_eval(f, i - 1, NULL),
                                 ix_eval(f, i - 1, NULL) - ix_eval(f, i - 2, NULL));
            least = y < least ? y : least;
            most = y > most ? y : most;
        }
        assert_true(ix_bounds(f, &lo, &hi) && lo == least && hi == most);
    }
    /* too long for a table, d in the middle: folded rows at a stride */
    int64_t lo = 0, hi = 0;
    const ix *columns = ix_id(*state, 1 << 20);
    const ix *folded = ix_compose(*state, ix_tensor(*state, ix_fold(*state, 1024), columns),
                                  ix_tensor(*state, ix_stride(*state, 1024, 128), columns));
    assert_true(folded->kind == IX_TWO && ix_bounds(folded, &lo, &hi));
    assert_true(lo == 0 && hi == ((int64_t)1 << 30) - 1);
    const int64_t loops = 1 << 27; /* .. and column by column */
    folded = ix_compose(*state, folded, ix_h_var(*state, 8, folded->n, 0, loops, 1, loops));
    assert_true(folded->kind == IX_TWO && ix_bounds(folded, &lo, &hi));
    assert_true(lo == 0 && hi == ((int64_t)1 << 30) - 1);
    const ix *both =
        ix_two(*state, IX_INDEX, 8, ix_h(*state, 16, 32, 0, 1), ix_h(*state, 16, 32, 4, 1));
    assert_int_equal(ix_run(both), 8);
}

/* Whole rows are folded: those of a matrix, and of each of several. */
static void folds_of_rows(void **state)
{
    static const int64_t matrices[] = {1, 2, 3, 8}, rows[] = {3, 4, 8, 9, 30, 64, 2048},
                         l[] = {1, 2, 6, 64};
    for (int i = 0; i < 4 * 7 * 4; i++) {
        const int64_t a = matrices[i % 4], n = rows[i / 4 % 7], columns = l[i / 28];
        if (a > 1 && n % 2 != 0)
            continue;
        const ix *f = ix_tensor(*state, ix_id(*state, a),
                                ix_tensor(*state, ix_fold(*state, n), ix_id(*state, columns)));
        const ix *g = ix_tensor(*state, ix_id(*state, a),
                                ix_tensor(*state, ix_unfold(*state, n), ix_id(*state, columns)));
        assert_int_equal(f->kind, IX_TWO);
        assert_ptr_equal(ix_inverse(*state, f), g);
        assert_ptr_equal(ix_inverse(*state, g), f);
    }
}

static void folds_and_their_inverses(void **state)
{
    static const int64_t large[] = {1 << 21, (1 << 21) + 1, ((int64_t)1 << 39) + 3};
    for (int64_t n = 1; n < 70; n++) {
        const ix *f = ix_fold(*state, n), *g = ix_inverse(*state, f);
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(ix_eval(f, i, NULL), 2 * i < n ? 2 * i : 2 * n - 1 - 2 * i);
            assert_int_equal(ix_eval(g, ix_eval(f, i, NULL), NULL), i);
        }
        assert_ptr_equal(ix_inverse(*state, g), f);
    }
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
        int64_t lo, hi;
        const ix *f = ix_fold(*state, large[k]), *g = ix_inverse(*state, f);
        assert_true(f->kind == IX_TWO && g->kind == IX_TWO);
        assert_ptr_equal(ix_inverse(*state, g), f);
        assert_true(ix_bounds(f, &lo, &hi) && lo == 0 && hi == large[k] - 1);
        assert_true(ix_bounds(g, &lo, &hi) && lo == 0 && hi == large[k] - 1);
        for (int64_t i = 0; i < large[k]; i += large[k] / 1000)
            assert_int_equal(ix_eval(g, ix_eval(f, i, NULL), NULL), i);
    }
    /* by table */
    const ix *swap =
        ix_two(*state, IX_INDEX, 1, ix_h(*state, 8, 8, 1, 1), ix_h(*state, 8, 8, -1, 1));
    for (int64_t i = 0; i < 8; i++)
        assert_int_equal(ix_eval(ix_inverse(*state, swap), i, NULL), i ^ 1);
    assert_null(ix_inverse(
        *state, ix_two(*state, IX_INDEX, 4, ix_id(*state, 8), ix_h(*state, 8, 8, -4, 1))));
}

/* Of lengths that are not listed, whole pairs of runs and what is left over. */
static void bounds_are_those_of_chosen_indices(void **state)
{
    static const int64_t runs[] = {1, 3, 8, 1000, 50000};
    for (int64_t n = 70000; n < 70020; n++)
        for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
            const ix *f = ix_two(*state, IX_INDEX, runs[k], ix_h(*state, n, 4 * n, 5, 1),
                                 ix_h(*state, n, 4 * n, 3 * n, -3));
            int64_t lo, hi, least = INT64_MAX, most = INT64_MIN;
            for (int64_t i = 0; i < n; i++) {
                const int64_t y = ix_eval(f, i, NULL);
                least = y < least ? y : least;
                most = y > most ? y : most;
            }
            assert_true(ix_bounds(f, &lo, &hi));
            assert_int_equal(lo, least);
            assert_int_equal(hi, most);
        }
}

/* Of one pair of runs each branch is taken over its run, where digits end that do not divide it;
 * variables of loops keep functions from being listed. */
static void bounds_are_those_of_one_run(void **state)
{
    static const int64_t runs[] = {10, 40000};
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        const int64_t run = runs[k], n = 2 * run, tail = run / 3 + 1;
        const ix_term digits[] = {{IX_INDEX, 1, 3, 2}, {IX_INDEX, 3, tail * 2, 7}, {0, 1, 5, 1}};
        const ix *f = ix_two(*state, IX_INDEX, run, ix_digit(*state, n, 20 * n, 0, 3, digits),
                             ix_h(*state, n, 20 * n, 0, 0));
        int64_t lo, hi, most = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t y = ix_eval(f, i, (const int64_t[IX_MAX_VARS]){4});
            most = y > most ? y : most;
        }
        assert_true(ix_bounds(f, &lo, &hi));
        assert_int_equal(lo, 0);
        assert_int_equal(hi, most);
    }
}

static void text_is_read_as_it_is_printed(void **state)
{
    static const char *const texts[] = {
        "G(fold(9))",
        "G(two(i/4%2, h(8,8,0,2), h(8,8,15,-2)))",
        "G(two(i%2, h(4,64,k0%4,4), h(4,64,17*k1%2,1)))",
        "G(two(k2/16%2, h(4,64,0,1), two(i%2, h(4,64,0,2), l(64,8) (o) h(4,64,1,3))))",
        /* in range where branches of branches are chosen, and where no digit carries then */
        "G(two(k0/540%2, two(k0/3%2, h(1,1080,k0%3 + 3*k0/6%10 + 120*k0/60%18,0), "
        "h(1,1080,57 + k0%3 - 3*k0/6%10 + 120*k0/60%18,0)), "
        "two(k0/3%2, h(1,1080,2100 + k0%3 + 3*k0/6%10 - 120*k0/60%18,0), "
        "h(1,1080,2157 + k0%3 - 3*k0/6%10 - 120*k0/60%18,0))))",
        ("G(two(k0/33%2, l(1320,20) (o) h(1,1320,2*k0%66 + 66*k1%20,0), "
         "l(1320,20) (o) h(1,1320,131 - 2*k0%66 + 66*k1%20,0)))"),
    };
    static const char *const wrong[] = {"G(two(i%3, h(4,4,0,1), h(4,4,3,-1)))",
                                        "G(two(5%2, h(4,4,0,1), h(4,4,3,-1)))",
                                        "G(two(i%2, h(4,4,0,1), h(5,5,4,-1)))",
                                        "G(two(i%2, h(4,4,0,1)))",
                                        "G(fold(0))",
                                        "G(two(i/2%2, h(4,4,0,1), h(4,4,4,1)))"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        core_text out = {0};
        const spl *x, *again;
        assert_int_equal(spl_parse(*state, texts[i], &x, NULL), SLUICE_OK);
        spl_print(x, &out);
        assert_int_equal(spl_parse(*state, core_text_string(&out), &again, NULL), SLUICE_OK);
        assert_ptr_equal(x, again);
        core_text_free(&out);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const spl *x;
        sluice_diag why = {0};
        assert_int_not_equal(spl_parse(*state, wrong[i], &x, &why), SLUICE_OK);
        assert_string_not_equal(why.message, "");
    }
    core_text c = {0};
    spl_c how = {.prefix = "t", .storage = "static const int"};
    ix_print_c(ix_fold(*state, 8), "i", &how, &c);
    assert_string_equal(core_text_string(&c), "(i / 4 % 2 ? (15 + i % 8 * -2) : (0 + i % 8 * 2))");
    core_text_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_those_of_a_branch, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(compositions, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(folds_of_odd_rows_keep_digits, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(tensors, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(splitting_of_loop_variables, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(shifts_of_loop_variables, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(runs_and_bounds_hold, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(folds_of_rows, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(folds_and_their_inverses, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(bounds_are_those_of_chosen_indices, spl_test_open,
                                        spl_test_close),
        cmocka_unit_test_setup_teardown(bounds_are_those_of_one_run, spl_test_open, spl_test_close),
        cmocka_unit_test_setup_teardown(text_is_read_as_it_is_printed, spl_test_open,
                                        spl_test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
