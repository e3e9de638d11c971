// SPDX-License-Identifier: BSD-3-Clause
/* Formula -> Sigma-SPL -> merged: the same matrix for every size, tree and tag; the merged form; no
 * function without digit form where sizes are large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_spl.h"

static const long double exact = 1e-11L;
static const spl_rule *const breakdowns[] = {&spl_dft_ct, &spl_dft_dif, &spl_dft_stockham,
                                             &spl_dft_sixstep};
enum { BREAKDOWNS = sizeof breakdowns / sizeof breakdowns[0] };

typedef struct tree {
    const spl_rule *rule;
    int64_t leaf;  /* transforms up to this size are leaves */
    bool balanced; /* factor nearest to the square root; else the smallest prime */
} tree;

static int64_t factor_of(int64_t n, bool balanced)
{
    int64_t factor = n;
    for (int64_t d = 2; d * d <= n; d++)
        if (n % d == 0) {
            factor = d;
            if (!balanced)
                break;
        }
    return factor;
}

static const spl *expand(spl_ctx *ctx, const spl *x, const void *arg)
{
    const tree *t = arg;
    if (x->op != SPL_TRANSFORM)
        return spl_map(ctx, x, expand, t);
    const int64_t n = x->rows, f = factor_of(n, t->balanced);
    if (n <= t->leaf || f == n)
        return spl_mark_leaves(ctx, x);
    const spl *y = spl_rule_apply(ctx, t->rule, x, &(spl_params){{f}});
    return y == NULL ? NULL : expand(ctx, y, t);
}

/* ---- what merged Sigma-SPL looks like ---- */

static bool closed(const ix *f)
{
    return f == NULL || f->kind != IX_OPAQUE;
}

static bool is_kernel(const spl *x)
{
    return spl_is_leaf(x) || x->op == SPL_GATH; /* I(n) is left out of products */
}

/* No permutation anywhere, diagonals at kernels only, every function a closed one. */
static bool is_merged(const spl *x)
{
    if (x->op == SPL_PERM || !closed(x->f))
        return false;
    for (int i = 0; i < x->nkids; i++) {
        const spl *kid = x->kid[i];
        if (!is_merged(kid))
            return false;
        if (kid->op == SPL_DIAG_OF
            && (x->op != SPL_MUL || i + 1 == x->nkids
                || (x->kid[i + 1]->op != SPL_DIAG_OF && !is_kernel(x->kid[i + 1]))))
            return false;
    }
    return x->op != SPL_KRON && x->op != SPL_DSUM && (x->op != SPL_TAG || spl_is_leaf(x));
}

static void show(const char *what, const spl *x)
{
    core_text text = {0};
    if (x != NULL)
        spl_print(x, &text);
    print_error("  %s: %s\n", what, core_text_string(&text));
    core_text_free(&text);
}

static bool equal(const spl *x, const spl *y)
{
    return spl_random_distance(x, y) < exact;
}

/* Checks the way of x to merged form. A tag rule may refuse a leaf alone, nothing else. */
static void check(spl_ctx *ctx, const spl *x, bool dense)
{
    sluice_diag why = {0};
    const spl *sigma = spl_to_sigma(ctx, x);
    if (sigma == NULL) {
        assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_UNSUPPORTED);
        if (spl_untagged(x)->op != SPL_TRANSFORM || strncmp(why.message, "rule (", 6) != 0) {
            show("formula", x);
            fail_msg("%s", why.message);
        }
        return;
    }
    const spl *copying = spl_merge(ctx, sigma, false), *plain = spl_merge(ctx, sigma, true);
    assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_OK);
    bool right = is_merged(copying) && is_merged(plain);
    right = right && spl_merge(ctx, copying, false) == copying;
    right = right && spl_merge(ctx, plain, true) == plain;
    right = right && spl_merge(ctx, plain, false) == plain;
    right = right && spl_merge(ctx, copying, true) == plain;
    if (right && dense)
        right = equal(x, sigma) && equal(x, copying) && (plain == copying || equal(x, plain));
    if (!right) {
        show("formula", x);
        show("sigma", sigma);
        show("merged", copying);
        show("without copies", plain);
    }
    assert_true(right);
}

static const struct {
    int count;
    spl_tag tag[3];
} tag_lists[] = {
    {0, {{SPL_TAG_LEAF, {0, 0}}}},
    {1, {{SPL_TAG_SPE, {2, 2}}}},
    {2, {{SPL_TAG_VEC, {4, 0}}, {SPL_TAG_SPE, {3, 1}}}},
    {1, {{SPL_TAG_VEC, {2, 1}}}},
    {1, {{SPL_TAG_STREAM, {2, 0}}}},
    {3, {{SPL_TAG_VEC, {2, 0}}, {SPL_TAG_TILE, {4, 0}}, {SPL_TAG_STREAM, {1, 0}}}},
    {2, {{SPL_TAG_STREAM, {2, 0}}, {SPL_TAG_SPE, {2, 2}}}},
    {2, {{SPL_TAG_SPE, {2, 1}}, {SPL_TAG_STREAM, {1, 0}}}},
};
enum { TAG_LISTS = sizeof tag_lists / sizeof tag_lists[0] };

static void check_tagged(const char *text, int64_t n, const tree *t, int tags, bool dense)
{
    const spl *x = NULL;
    spl_ctx *ctx = spl_ctx_open();
    assert_non_null(ctx);
    if (text == NULL)
        x = spl_dft(ctx, n, n % 3 == 0);
    else
        assert_int_equal(spl_parse(ctx, text, &x, NULL), SLUICE_OK);
    const spl *broken = expand(ctx, x, t);
    assert_non_null(broken);
    if (dense && tags == 0)
        assert_true(equal(x, broken));
    broken = spl_tagged(ctx, broken, tag_lists[tags].count, tag_lists[tags].tag);
    check(ctx, broken, dense);
    spl_ctx_close(ctx);
}

/* All N <= 64, four rules, two trees, all tag lists: 4-way dense comparison. */
static void every_size_tree_and_tag(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 64; n++)
        for (int r = 0; r < BREAKDOWNS; r++)
            for (int tags = 0; tags < TAG_LISTS; tags++) {
                const tree t = {breakdowns[r], n % 2 == 0 ? 4 : 8, (r + tags) % 2 == 0};
                check_tagged(NULL, n, &t, tags, true);
            }
}

/* Batches and axes around transforms. */
static void products_inside_loops(void **state)
{
    (void)state;
    static const char *const texts[] = {"I(4) (x) DFT(12)",
                                        "DFT(8) (x) I(4)",
                                        "DFT(12) (x) I(3)",
                                        "I(2) (x) DFT(6) (x) I(4)",
                                        "DFT(6) (x) DFT(8)",
                                        "DFT(3) (x) IDFT(4) (x) DFT(5)",
                                        "DFT(6) (+) DFT(6)",
                                        "I(3) (x) (DFT(4) (x) DFT(6))",
                                        "(DFT(4) (x) DFT(4)) (x) I(5)",
                                        "I(5) (x) L(12,3)",
                                        "DFT(9) * L(9,3)",
                                        "T(3,4) * L(12,4)",
                                        "C(5) * G(h(5,8,0,1)) * IDFT(8) * B(5,8) * DFT(8) * "
                                        "S(h(5,8,0,1)) * C(5)",
                                        "I(3) (x) (C(5) * G(h(5,8,0,1)) * IDFT(8) * B(5,8) * "
                                        "DFT(8) * S(h(5,8,0,1)) * C(5))",
                                        "(C(5)^-1 * G(h(5,8,0,1)) * DFT(8) * B(5,8)^-1 * IDFT(8) * "
                                        "S(h(5,8,0,1)) * C(5)^-1) (x) I(4)",
                                        "(DFT(4) (x) I(3)) * T(4,3)",
                                        NULL};
    for (int i = 0; texts[i] != NULL; i++)
        for (int r = 0; r < BREAKDOWNS; r++)
            for (int tags = 0; tags < TAG_LISTS; tags++) {
                const tree t = {breakdowns[r], 3, r % 2 == 0};
                check_tagged(texts[i], 0, &t, tags, true);
            }
}

/* Large sizes: every function stays a digit form, merging stays idempotent. */
static void large_sizes_stay_closed(void **state)
{
    (void)state;
    static const char *const others[] = {"DFT(1000)",
                                         "DFT(1536)",
                                         "IDFT(60)",
                                         "DFT(144)",
                                         "DFT(24) (x) DFT(48)",
                                         "DFT(59049)",
                                         "DFT(13) (x) DFT(13) (x) DFT(13)",
                                         "I(100) (x) DFT(1000)",
                                         "DFT(720) (x) I(77)",
                                         NULL};
    for (int r = 0; r < BREAKDOWNS; r++)
        for (int tags = 0; tags < TAG_LISTS; tags++)
            for (int leaf = 8; leaf <= 32; leaf *= 4) {
                const tree t = {breakdowns[r], leaf, (tags + leaf / 32) % 2 == 0};
                for (int k = 2; k <= 20; k++)
                    check_tagged(NULL, (int64_t)1 << k, &t, tags, false);
                for (int i = 0; others[i] != NULL; i++)
                    check_tagged(others[i], 0, &t, tags, false);
            }
}

/* What merging makes of some formulas, as text. */
static void merged_as_text(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        /* a Stockham step: the permutation goes into the producer's scatter */
        {"(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * L(1024,32) * T(32,32) * "
         "(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)}",
         "SUM.vec[8,inter](k0<32, S(h(32,1024,k0%32,32)) * DFT(32)_{leaf} * "
         "G(h(32,1024,k0%32,32))) * SUM.vec[8,inter](k0<32, S(h(32,1024,32*k0%32,1)) * "
         "D(32,32,h(32,1024,k0%32,32)) * DFT(32)_{leaf} * G(h(32,1024,k0%32,32)))"},
        /* decimation in time: into the gather of the first stage */
        {"(DFT(4)_{leaf} (x) I(8)) * T(4,8) * (I(4) (x) DFT(8)_{leaf}) * L(32,4)",
         "SUM(k0<8, S(h(4,32,k0%8,8)) * DFT(4)_{leaf} * G(h(4,32,k0%8,8))) * "
         "SUM(k0<4, S(h(8,32,8*k0%4,1)) * D(4,8,h(8,32,8*k0%4,1)) * DFT(8)_{leaf} * "
         "G(h(8,32,k0%4,4)))"},
        /* (12c): the ends take the streamed functions into the parts, the interface stays inside */
        {"(I(4) (x) ((DFT(4)_{leaf} (x) I(4)) * (I(4) (x) DFT(4)_{leaf})))_{spe(2,2),stream(4)}",
         "SUM.stream(k2<4, SUM.par(k1<2, S.copy(q(8,64,k1%2 + 8*k2%4,2,2)) * SUM(k0<2, "
         "S(h(4,8,k0%2,2)) * DFT(4)_{leaf} * G(h(4,16,k0%2 + 2*k1%2,4)))) * SUM.par(k1<2, "
         "SUM(k0<2, S(h(4,16,4*k0%2 + 8*k1%2,1)) * DFT(4)_{leaf} * G(h(4,8,4*k0%2,1))) * "
         "G.copy(h(8,64,8*k1%2 + 16*k2%4,1))))"},
        /* uneven: the streamed functions stop at the local store, the parts inside keep theirs */
        {"(I(4) (x) ((DFT(4)_{leaf} (x) I(4)) * (I(4) (x) DFT(4)_{leaf})))_{spe(3,2),stream(4)}",
         "SUM.stream(k2<4, S.copy(h(16,64,16*k2%4,1)) * SUM.par(k1<3, SUM(k0<4@k1/3/2, "
         "S(h(4,16,k0%4,4)) * DFT(4)_{leaf} * G(h(4,16,k0%4,4)))) * SUM.par(k1<3, SUM(k0<4@k1/3, "
         "S(h(4,16,4*k0%4,1)) * DFT(4)_{leaf} * G(h(4,16,4*k0%4,1)))) * "
         "G.copy(h(16,64,16*k2%4,1)))"},
        {"L(64,8)", "SUM(k0<64, S(h(1,64,k0%64,1)) * G(h(1,64,8*k0%8 + k0/8%8,1)))"},
        {"I(2) (x) L(4,2) (x) I(4)",
         "SUM(k0<8, S(h(4,32,4*k0%8,1)) * G(h(4,32,8*k0%2 + 4*k0/2%2 + 16*k0/4%2,1)))"},
        {"DFT(8)_{leaf}", "S(h(8,8,0,1)) * DFT(8)_{leaf} * G(h(8,8,0,1))"},
        {"I(8)", "I(8)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spl *x = NULL, *y = NULL;
        sluice_diag why = {0};
        spl_ctx *ctx = spl_ctx_open();
        if (spl_parse(ctx, cases[i][0], &x, &why) != SLUICE_OK
            || spl_parse(ctx, cases[i][1], &y, &why) != SLUICE_OK)
            fail_msg("case %zu: %s", i, why.message);
        const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, x), false);
        if (merged != y)
            show("merged", merged);
        assert_ptr_equal(merged, y);
        spl_ctx_close(ctx);
    }
}

/* What takes several merge rules, as Sigma-SPL: dense matrices before and after. */
static void sigma_is_merged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1))) * P(l(12,4)) * "
        "SUM(k0<3, S(h(4,12,k0%3,3)) * DFT(4)_{leaf} * G(h(4,12,k0%3,3)))",
        "D(3,4,h(12,12,0,1))^-1 * P(l(12,3)) * "
        "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
        "P(l(12,3)) * D(3,4,h(12,12,0,1)) * P(l(12,2)) * D(4,3,h(12,12,0,1))^-1",
        "DFT(12)_{leaf} * D(3,4,h(12,12,0,1))",
        "SUM(k0<3, S(h(4,12,4*k0%3,1)) * DFT(4)_{leaf} * D(2,2,h(4,4,0,1)) * G(h(4,12,k0%3,3)))",
        "SUM.par(k1<2, S(h(6,12,k1%2,2)) * SUM(k0<3, S(h(2,6,k0%3,3)) * DFT(2)_{leaf} * "
        "G(h(2,6,k0%3,3))) * SUM(k0<2, S(h(3,6,3*k0%2,1)) * DFT(3)_{leaf} * G(h(3,6,3*k0%2,1))) * "
        "G(h(6,12,k1%2,2)))",
        "SUM.stream(k1<2, S.copy(h(6,12,6*k1%2,1)) * SUM.stream(k0<3, S.copy(h(2,6,2*k0%3,1)) * "
        "DFT(2)_{leaf} * G.copy(h(2,6,2*k0%3,1))) * G.copy(h(6,12,6*k1%2,1)))",
        "P(l(12,3)) * D(4,3,h(12,12,0,1)) * SUM.stream(k1<2, S.copy(h(6,12,6*k1%2,1)) * "
        "SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1))) * "
        "G.copy(h(6,12,6*k1%2,1)))",
        "SUM.par(k1<2, S(q(8,16,k1%2,2,2)) * SUM(k0<2, S(h(4,8,k0%2,2)) * DFT(4)_{leaf} * "
        "G(h(4,8,k0%2,2))) * G(q(8,16,k1%2,2,2))) * D(4,4,h(16,16,0,1)) * "
        "SUM.par(k1<2, S(h(8,16,8*k1%2,1)) * SUM(k0<2, S(h(4,8,4*k0%2,1)) * DFT(4)_{leaf} * "
        "G(h(4,8,k0%2,2))) * G(q(8,16,k1%2,2,2)))",
        "D(5,1,h(5,5,0,1)) * (S(h(3,5,0,1)) * DFT(3)_{leaf} * G(h(3,5,0,1)) + S(h(2,5,3,1)) * "
        "G(h(2,5,3,1))) * P(l(5,1))",
        NULL};
    for (int i = 0; texts[i] != NULL; i++) {
        const spl *x = NULL;
        spl_ctx *ctx = spl_ctx_open();
        assert_int_equal(spl_parse(ctx, texts[i], &x, NULL), SLUICE_OK);
        const spl *merged = spl_merge(ctx, x, false);
        assert_non_null(merged);
        assert_true(equal(x, merged));
        assert_ptr_equal(spl_merge(ctx, merged, false), merged);
        spl_ctx_close(ctx);
    }
}

static void check_texts(const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        const spl *x = NULL;
        spl_ctx *ctx = spl_ctx_open();
        assert_int_equal(spl_parse(ctx, *texts, &x, NULL), SLUICE_OK);
        check(ctx, x, true);
        spl_ctx_close(ctx);
    }
}

/* Nests of stream and spe in both orders, uneven too, against the plain formula. */
static void streams_and_parts_nest(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(I(2) (x) (I(4) (x) DFT(3)_{leaf})_{stream(2)})_{spe(2,1)}",
        "(I(3) (x) (I(4) (x) DFT(3)_{leaf})_{stream(2)} (x) I(2))_{spe(2,1)}",
        "(I(4) (x) DFT(3)_{leaf})_{stream(2),spe(2,1),stream(1)}",
        "(I(4) (x) (DFT(3)_{leaf} (x) I(4))_{spe(2,2)})_{stream(2)}",
        "(I(5) (x) (DFT(3)_{leaf} (x) I(5))_{vec(2,split),spe(2,2)})_{stream(2)}",
        "(I(4) (x) (I(6) (x) DFT(2)_{leaf})_{stream(3)})_{stream(2)}",
        "(I(4) (x) ((DFT(2)_{leaf} (x) I(4)) * T(2,4) * (I(2) (x) DFT(4)_{leaf}) * L(8,2))"
        "_{vec(2,inter),spe(2,2)})_{stream(4)}",
        "((DFT(4)_{leaf} (x) I(6))_{stream(3),spe(2,1)}) * T(4,6) * "
        "((I(4) (x) DFT(6)_{leaf})_{stream(2),spe(2,1)}) * L(24,4)",
        "((DFT(4)_{leaf} (x) I(6))_{stream(4)}) * T(4,6) * "
        "((I(4) (x) DFT(6)_{leaf})_{stream(3)}) * L(24,4)",
        NULL};
    check_texts(texts);
}

/* Loops around what is converted get variables above its own, whatever they were called. */
static void loops_are_renumbered(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SUM(k0<2, S(h(12,24,12*k0%2,1)) * (I(4) (x) DFT(3)_{leaf} (x) I(1)) * "
        "G(h(12,24,12*k0%2,1)))",
        "SUM.par(k1<2, SUM(k0<4@k1/2, S(h(6,24,6*k0%4,1)) * "
        "(I(2) (x) DFT(3)_{leaf})_{stream(2)} * D(4,6,h(6,24,6*k0%4,1)) * "
        "G(h(6,24,6*k0%4,1))))",
        "SUM(k31<2, S(h(12,24,k31%2,2)) * (DFT(3)_{leaf} (x) I(4))_{vec(2,inter),tile(2)} * "
        "G(h(12,24,k31%2,2)))",
        NULL};
    check_texts(texts);
}

/* 32 loops are all there may be. */
static void too_many_loops_are_refused(void **state)
{
    (void)state;
    for (int loops = 31; loops <= 32; loops++) {
        const spl *x = NULL;
        sluice_diag why = {0};
        core_text text = {0};
        spl_ctx *ctx = spl_ctx_open();
        for (int v = loops - 1; v >= 0; v--)
            core_text_printf(&text, "SUM(k%d<1, S(h(4,4,0,1)) * ", v);
        core_text_printf(&text, "(I(2) (x) DFT(2)_{leaf})");
        for (int v = 0; v < loops; v++)
            core_text_printf(&text, " * G(h(4,4,0,1)))");
        assert_int_equal(spl_parse(ctx, core_text_string(&text), &x, NULL), SLUICE_OK);
        if (loops < 32) {
            check(ctx, x, true);
        } else {
            assert_null(spl_to_sigma(ctx, x));
            assert_int_not_equal(spl_ctx_status(ctx, &why), SLUICE_OK);
            assert_non_null(strstr(why.message, "more than 32 loops inside each other"));
        }
        core_text_free(&text);
        spl_ctx_close(ctx);
    }
}

static void what_is_not_sigma_is_refused(void **state)
{
    (void)state;
    const spl *x = NULL;
    sluice_diag why = {0};
    spl_ctx *ctx = spl_ctx_open();
    assert_null(spl_merge(ctx, NULL, false));
    assert_null(spl_to_sigma(ctx, NULL));
    assert_int_equal(spl_parse(ctx, "L(8,2) * DFT(8)_{leaf}", &x, NULL), SLUICE_OK);
    assert_null(spl_merge(ctx, x, false));
    assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "only Sigma-SPL is merged"));
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_tree_and_tag),
        cmocka_unit_test(products_inside_loops),
        cmocka_unit_test(large_sizes_stay_closed),
        cmocka_unit_test(merged_as_text),
        cmocka_unit_test(sigma_is_merged),
        cmocka_unit_test(streams_and_parts_nest),
        cmocka_unit_test(loops_are_renumbered),
        cmocka_unit_test(too_many_loops_are_refused),
        cmocka_unit_test(what_is_not_sigma_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
