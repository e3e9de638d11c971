// SPDX-License-Identifier: BSD-3-Clause
/* Formulas of every kind of transform, square or not, on vectors of reals and of complex numbers:
 * formula, Sigma-SPL and merged Sigma-SPL are one matrix, without tags and with every list of
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_spl.h"

static const long double exact = 1e-12L;

static const char *const tag_lists[] = {"",
                                        "vec(2,inter)",
                                        "tile(2)",
                                        "spe(2,1)",
                                        "stream(2)",
                                        "vec(2,inter),spe(3,2)",
                                        "vec(2,split),tile(2),spe(2,2)",
                                        "stream(2),spe(2,1)",
                                        "stream(3),spe(2,2)",
                                        "spe(2,1),stream(1)"};
enum { TAG_LISTS = sizeof tag_lists / sizeof tag_lists[0] };

static void fail_with(const char *text, const spl *x, const char *why)
{
    core_text made = {0};
    if (x != NULL)
        spl_print(x, &made);
    print_error("%s\n  became %s\n", text, core_text_string(&made));
    core_text_free(&made);
    fail_msg("%s", why);
}

static bool is_kernel(const spl *x)
{
    return spl_is_leaf(x)
           || (x->op == SPL_RETYPE && (x->a[1] == SPL_RETYPE_EMBED || x->a[1] == SPL_RETYPE_RE));
}

/* No permutation; V left of a gather, V^-1 right of a scatter, kernels between the two. */
static bool is_merged(const spl *x)
{
    if (x->op == SPL_PERM || x->op == SPL_KRON || x->op == SPL_DSUM || is_kernel(x))
        return false;
    for (int i = 0; i < x->nkids; i++) {
        const spl *kid = x->kid[i];
        const bool inner = x->op == SPL_MUL && i > 0 && i + 1 < x->nkids;
        const spl_op before = inner ? x->kid[i - 1]->op : SPL_I;
        const spl_op after = inner ? x->kid[i + 1]->op : SPL_I;
        if (is_kernel(kid)) {
            if ((before != SPL_SCAT && before != SPL_DIAG_OF && before != SPL_RETYPE)
                || (after != SPL_GATH && after != SPL_RETYPE))
                return false;
        } else if (kid->op == SPL_RETYPE) {
            if (kid->a[1] == SPL_RETYPE_VIEW ? after != SPL_GATH : before != SPL_SCAT)
                return false;
        } else if (!is_merged(kid)) {
            return false;
        }
    }
    return true;
}

static void expect_equal(const char *text, const spl *x, const spl *y)
{
    if (y == NULL)
        fail_with(text, y, "no formula");
    if (!(spl_random_distance(x, y) < exact))
        fail_with(text, y, "another matrix");
}

static void check_formula(const char *text)
{
    const spl *x = NULL;
    sluice_diag why = {0};
    spl_ctx *ctx = spl_ctx_open();
    if (spl_parse(ctx, text, &x, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    const spl *sigma = spl_to_sigma(ctx, x);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK)
        fail_with(text, sigma, why.message);
    expect_equal(text, x, sigma);
    for (int drop = 0; drop < 2; drop++) {
        const spl *merged = spl_merge(ctx, sigma, drop);
        if (spl_ctx_status(ctx, &why) != SLUICE_OK)
            fail_with(text, merged, why.message);
        expect_equal(text, x, merged);
        if (!is_merged(merged) || spl_merge(ctx, merged, drop) != merged)
            fail_with(text, merged, "not merged");
    }
    spl_ctx_close(ctx);
}

/* {formula}_{tags} for every list, for sanitizers a third of them; vec and spe need something to
 * deal. */
static void check_tagged(const char *formula)
{
    static int from;
    char text[512];
    for (int i = PLAN_SANITIZED ? from++ % 3 : 0; i < TAG_LISTS; i += PLAN_SANITIZED ? 3 : 1) {
        if (i == 0)
            snprintf(text, sizeof text, "%s", formula);
        else
            snprintf(text, sizeof text, "(%s)_{%s}", formula, tag_lists[i]);
        check_formula(text);
    }
}

static void every_kind_gets_its_loops(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "I(4) (x) %s(%d)_{leaf}", "%s(%d)_{leaf} (x) I(4)", "I(3) (x) %s(%d)_{leaf} (x) I(5)",
        "%s(%d)_{leaf} (+) %s(%d)_{leaf}", "(%s(%d)_{leaf} (x) I(3)) (+) I(2) (x) %s(%d)_{leaf}"};
    char text[256];
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++)
        for (int n = 2; n <= 5; n++) {
            const char *word = spl_transform_of((spl_kind)kind)->word;
            snprintf(text, sizeof text, "%s(%d)_{leaf}", word, n);
            check_formula(text);
            for (size_t i = 0; i < 4; i++) {
                snprintf(text, sizeof text, shapes[i], word, n, word, n);
                check_tagged(text);
            }
            snprintf(text, sizeof text, shapes[4], word, n, word, n + 1);
            check_formula(text);
        }
}

static void pairs_get_their_loops(void **state)
{
    (void)state;
    static const char *const shapes[] = {"I(4) (x) PAIRS.%s(%d)", "PAIRS.%s(%d) (x) I(4)",
                                         "I(3) (x) PAIRS.%s(%d) (x) I(5)"};
    char text[256];
    for (int kind = 0; kind < SPL_PAIRS_KINDS; kind++)
        for (int m = 1; m <= 9; m++) {
            const char *word = spl_pairs_def_of((spl_pairs_kind)kind)->word;
            snprintf(text, sizeof text, "PAIRS.%s(%d)", word, m);
            check_formula(text);
            for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
                snprintf(text, sizeof text, shapes[i], word, m);
                check_tagged(text);
            }
        }
}

static void products_that_are_not_square(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "DFT(3)_{leaf} (x) RDFT(6)_{leaf}",
        "DCT2(3)_{leaf} (x) RDFT(5)_{leaf}",
        "IRDFT(6)_{leaf} (x) DFT(4)_{leaf}",
        "DCT2(3)_{leaf} (x) DFT(2)_{leaf} (x) RDFT(4)_{leaf}",
        "I(2) (x) (G(h(3,8,1,2)) * DFT(8)_{leaf} * S(h(8,8,0,1)))",
        "(G(h(3,8,1,2)) * DFT(8)_{leaf} * EMBED(8)) (x) I(4)",
        "I(4) (x) (G(h(3,5,0,1)) * DFT(5)_{leaf} * EMBED(5))",
        "I(4) (x) (RE(5) * IDFT(5)_{leaf} * S(h(3,5,0,1)))",
        "I(3) (x) (DFT(4)_{leaf} * V(4))",
        "I(3) (x) (V(4)^-1 * IDFT(4)_{leaf})",
        "(DFT(4)_{leaf} * V(4)) (x) I(4)",
        "(V(4)^-1 * IDFT(4)_{leaf}) (x) I(4)",
        "I(2) (x) ((DFT(2)_{leaf} (x) I(4)) * T(2,4) * (I(2) (x) DFT(4)_{leaf}) * L(8,2) * V(8))",
        "I(4) (x) (V(4)^-1 * DFT(4)_{leaf} * T(2,2) * V(4) * DCT2(8)_{leaf})",
        "(DCT3(6)_{leaf} * V(3)^-1 * RDFT(4)_{leaf}) (x) I(4)",
        "(I(3) (x) V(4)^-1 (x) I(2)) * (DFT(3)_{leaf} (x) I(8)) * (I(3) (x) V(4) (x) I(2))",
        "(DFT(4)_{leaf} (x) I(6)) * V(24) * V(24)^-1 * (I(4) (x) DFT(6)_{leaf})",
        "(DFT(3)_{leaf} (x) I(4)) * EMBED(12) * (DCT2(3)_{leaf} (x) I(4))",
        NULL};
    for (int i = 0; texts[i] != NULL; i++)
        check_tagged(texts[i]);
}

/* Without transforms: only loops that move, change types or scale. */
static void types_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"V(6)",
                                        "V(6)^-1",
                                        "EMBED(130)",
                                        "RE(70)",
                                        "V(6) (x) I(2)",
                                        "I(3) (x) V(2)^-1 (x) I(2)",
                                        "T(2,3) * L(6,2) * V(6)",
                                        "V(6)^-1 * T(2,3) * L(6,2)",
                                        "V(6)^-1 * T(2,3) * L(6,2) * V(6)",
                                        "L(12,2) * V(6)^-1 * T(2,3) * V(6) * L(12,3)",
                                        "RE(6) * T(2,3) * EMBED(6)",
                                        NULL};
    for (int i = 0; texts[i] != NULL; i++)
        check_formula(texts[i]);
}

/* V enters the gather of the kernel, which then counts reals. */
static void views_as_text(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"I(3) (x) (DFT(4)_{leaf} * V(4))",
         "SUM(k0<3, S(h(4,12,4*k0%3,1)) * DFT(4)_{leaf} * V(4) * G(h(8,24,8*k0%3,1)))"},
        {"(V(2)^-1 * DFT(2)_{leaf}) (x) I(3)",
         "SUM(k0<3, S(h(4,12,k0%3,3)) * V(2)^-1 * DFT(2)_{leaf} * G(h(2,6,k0%3,3)))"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spl *x = NULL, *y = NULL;
        spl_ctx *ctx = spl_ctx_open();
        assert_int_equal(spl_parse(ctx, cases[i][0], &x, NULL), SLUICE_OK);
        assert_int_equal(spl_parse(ctx, cases[i][1], &y, NULL), SLUICE_OK);
        const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, x), false);
        if (merged != y)
            fail_with(cases[i][0], merged, "another text");
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_gets_its_loops),
        cmocka_unit_test(pairs_get_their_loops),
        cmocka_unit_test(products_that_are_not_square),
        cmocka_unit_test(types_alone),
        cmocka_unit_test(views_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
