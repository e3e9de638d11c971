// SPDX-License-Identifier: BSD-3-Clause
/* Random products of tagged factors, permutations and twiddles, lowered with random gaps in their
 * buffers: every program passes the checker and is the formula. Reproducible from the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_program.h"
#include "tests/helpers/helper_spl.h"

enum { SEED = 20261120, TRIALS = 600 };

static const struct {
    int64_t n;
    const char *text;
} blocks[] = {
    {2, "DFT(2)_{leaf}"},
    {3, "IDFT(3)_{leaf}"},
    {4, "((DFT(2)_{leaf} (x) I(2)) * L(4,2) * T(2,2) * (DFT(2)_{leaf} (x) I(2)))"},
    {6, "((DFT(3)_{leaf} (x) I(2)) * T(3,2) * (I(3) (x) DFT(2)_{leaf}))"},
    {8, "((DFT(2)_{leaf} (x) I(4)) * (I(2) (x) ((DFT(2)_{leaf} (x) I(2)) * (I(2) (x) "
        "DFT(2)_{leaf}))))"},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static int64_t divisor(spl_random *r, int64_t n)
{
    int64_t d;
    do
        d = 1 + spl_random_below(r, n);
    while (n % d != 0);
    return d;
}

static bool chance(spl_random *r, int64_t one_in)
{
    return spl_random_below(r, one_in) == 0;
}

static void add_permutation(spl_random *r, int64_t n, core_text *out)
{
    const int64_t a = divisor(r, n), b = divisor(r, n / a), m = n / a / b;
    core_text_printf(out, "(I(%lld) (x) L(%lld,%lld) (x) I(%lld))", (long long)a, (long long)m,
                     (long long)divisor(r, m), (long long)b);
}

static void add_twiddles(spl_random *r, int64_t n, core_text *out)
{
    const int64_t a = divisor(r, n), b = divisor(r, n / a), p = divisor(r, n / a / b);
    core_text_printf(out, "(I(%lld) (x) T(%lld,%lld)%s (x) I(%lld))", (long long)a, (long long)p,
                     (long long)(n / a / b / p), chance(r, 2) ? "^-1" : "", (long long)b);
}

/* {I_a (x) block (x) I_b}_tags */
static void add_factor(spl_random *r, int64_t n, core_text *out)
{
    const char *between = "_{";
    int k;
    do
        k = (int)spl_random_below(r, BLOCKS);
    while (n % blocks[k].n != 0);
    const int64_t a = divisor(r, n / blocks[k].n), b = n / blocks[k].n / a;
    core_text_printf(out, "(I(%lld) (x) %s (x) I(%lld))", (long long)a, blocks[k].text,
                     (long long)b);
    if (chance(r, 3)) {
        core_text_printf(out, "%svec(%d,%s)", between, chance(r, 2) ? 2 : 4,
                         chance(r, 2) ? "inter" : "split");
        between = ",";
    }
    if (chance(r, 2)) {
        core_text_printf(out, "%stile(%d)", between, 1 + (int)spl_random_below(r, 8));
        between = ",";
    }
    if (chance(r, 2)) {
        core_text_printf(out, "%sspe(%d,%d)", between, 2 + (int)spl_random_below(r, 5),
                         1 + (int)spl_random_below(r, 4));
        between = ",";
    }
    core_text_printf(out, "%s", *between == ',' ? "}" : "");
}

static void add_product(spl_random *r, core_text *out)
{
    static const int64_t sizes[] = {24, 36, 48, 60, 64, 72, 96, 120, 128};
    const int64_t n = sizes[spl_random_below(r, 9)];
    for (int64_t k = spl_random_below(r, 3); k >= 0; k--) {
        if (chance(r, 2)) {
            add_permutation(r, n, out);
            core_text_printf(out, " * ");
        }
        if (chance(r, 2)) {
            add_twiddles(r, n, out);
            core_text_printf(out, " * ");
        }
        add_factor(r, n, out);
        core_text_printf(out, "%s", k > 0 ? " * " : "");
    }
    if (chance(r, 2)) {
        core_text_printf(out, " * ");
        add_permutation(r, n, out);
    }
}

/* False where the tags refuse the product, which they say. */
static bool check_product(spl_random *r, spl_ctx *ctx, const char *text)
{
    const prog_sides sides = {.set_stride = chance(r, 4) ? 0 : 1 + spl_random_below(r, 12),
                              .padding = spl_random_below(r, 4),
                              .pad_above = chance(r, 2) ? spl_random_below(r, 64) : 0,
                              .out_is_scratch = chance(r, 2)};
    const spl *x = program_parsed(ctx, text);
    const spl *sigma = spl_merge(ctx, spl_to_sigma(ctx, x), true);
    sluice_diag why = {0, ""};
    prog *p;
    if (sigma == NULL) {
        assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_UNSUPPORTED);
        return false;
    }
    if (prog_lower(&p, ctx, sigma, &sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    program_compare(p, x);
    return true;
}

static void random_products(void **state)
{
    spl_random r = {SEED};
    int lowered = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        spl_ctx *ctx = spl_ctx_open();
        core_text text = {0};
        assert_non_null(ctx);
        add_product(&r, &text);
        assert_false(text.failed);
        lowered += check_product(&r, ctx, core_text_string(&text));
        core_text_free(&text);
        spl_ctx_close(ctx);
    }
    assert_true(lowered > TRIALS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
