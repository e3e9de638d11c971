// SPDX-License-Identifier: BSD-3-Clause
/* Formulas: constructors, and text that is read, refused and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/codelet.h"
#include "spl/spl.h"
#include "tests/helper_spl.h"

typedef struct builder {
    spl_random r;
    spl_ctx *ctx;
    int vars; /* loop variables vars .. IX_MAX_VARS-1 are bound around */
} builder;

static int64_t below(builder *b, int64_t n)
{
    return spl_random_below(&b->r, n);
}

static int64_t divisor(builder *b, int64_t n)
{
    int64_t d = 1 + below(b, n);
    while (n % d != 0)
        d--;
    return d;
}

/* Any index function n -> N with values in range, of every kind. */
static const ix *random_function(builder *b, int64_t n, int64_t N)
{
    int64_t table[256], range[IX_MAX_VARS];
    const int kind = (int)below(b, 5);
    const int v = b->vars + (int)below(b, IX_MAX_VARS - b->vars);
    if (kind == 0 && N >= n)
        return ix_h(b->ctx, n, N, below(b, N - n + 1), 1);
    if (kind == 1 && N >= 2 * n)
        return ix_h_var(b->ctx, n, N, v, N / n, n, 1);
    for (int64_t i = 0; i < N; i++)
        table[i] = below(b, N);
    if (kind == 2 || N < n || N % n != 0)
        return ix_table(b->ctx, n, N, table);
    const spl_radices radices = spl_random_radices(&b->r, N);
    const ix *f = spl_random_digits(&b->r, b->ctx, &radices, v, 1, range);
    if (kind == 3)
        f = ix_compose(b->ctx, ix_table(b->ctx, N, N, table), f);
    const ix *inner = ix_h(b->ctx, n, n, n - 1, -1); /* or as much of it as fits */
    return f->n == n ? ix_compose(b->ctx, f, inner) : ix_h_var(b->ctx, n, N, v, N / n, 1, N / n);
}

static const ix *random_permutation(builder *b, int64_t n)
{
    int64_t table[256];
    const spl_radices radices = spl_random_radices(&b->r, n);
    if (below(b, 2) == 0)
        return spl_random_digits(&b->r, b->ctx, &radices, 0, 0, NULL);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = below(b, i + 1);
        table[i] = table[at];
        table[at] = i;
    }
    return ix_table(b->ctx, n, n, table);
}

static const spl *random_tags(builder *b, const spl *x)
{
    spl_tag tag[3];
    const int count = 1 + (int)below(b, 3);
    for (int k = 0; k < count; k++)
        tag[k] = (spl_tag){(spl_tag_kind)below(b, SPL_TAG_COUNT), {1 + below(b, 9), below(b, 2)}};
    for (int k = 0; k < count; k++)
        tag[k].a[1] += tag[k].kind == SPL_TAG_SPE;
    return spl_tagged(b->ctx, x, count, tag);
}

static const spl *random_square(builder *b, int64_t n, int depth);

static const spl *random_loop(builder *b, int64_t n, int depth)
{
    const int outer = b->vars;
    if (outer == 0)
        return spl_identity(b->ctx, n);
    b->vars--;
    const int64_t m = 1 + below(b, 2 * n);
    const spl *kid[] = {spl_scatter(b->ctx, random_function(b, m, n), (spl_class)below(b, 3)),
                        random_square(b, m, depth),
                        spl_gather(b->ctx, random_function(b, m, n), (spl_class)below(b, 3))};
    const spl_range range = {.var = outer - 1, .n = 1 + below(b, 99), .kind = (spl_loop)below(b, 4),
                             .share_var = outer < IX_MAX_VARS && below(b, 2) == 0 ? outer : -1,
                             .shares = 1 + below(b, 9), .grain = 1 + below(b, 3),
                             .nu = 1 + below(b, 16), .format = (int)below(b, 2)};
    const spl *x = spl_sum(b->ctx, &range, spl_mul(b->ctx, 3, kid));
    b->vars = outer;
    return x;
}

static const spl *random_atom(builder *b, int64_t n)
{
    const int64_t d = divisor(b, n);
    switch (below(b, 7)) {
    case 0: return spl_identity(b->ctx, n);
    case 1: return spl_dft(b->ctx, n, false);
    case 2: return spl_dft(b->ctx, n, true);
    case 3: return spl_stride(b->ctx, n, d);
    case 4: return spl_twiddle(b->ctx, d, n / d, below(b, 2) == 0);
    case 5: return spl_perm(b->ctx, random_permutation(b, n));
    default: return spl_diag(b->ctx, d, n / d, below(b, 2) == 0, random_permutation(b, n));
    }
}

static const spl *random_square(builder *b, int64_t n, int depth)
{
    const int64_t d = divisor(b, n), part = n > 1 ? 1 + below(b, n - 1) : 1;
    if (depth == 0)
        return random_atom(b, n);
    switch (below(b, 6)) {
    case 0: return random_tags(b, random_square(b, n, depth - 1));
    case 1: return random_loop(b, n, depth - 1);
    case 2: return spl_kron2(b->ctx, random_square(b, d, depth - 1),
                             random_square(b, n / d, depth - 1));
    case 3: return part == n ? random_atom(b, n)
                             : spl_dsum(b->ctx, 2, (const spl *[]){
                                   random_square(b, part, depth - 1),
                                   random_square(b, n - part, depth - 1)});
    default: return spl_mul2(b->ctx, random_square(b, n, depth - 1),
                             random_square(b, n, depth - 1));
    }
}

static void assert_round_trip(spl_ctx *ctx, spl_ctx *other, const spl *x)
{
    core_text text = {0}, again = {0};
    const spl *y = NULL;
    sluice_diag why = {0};
    assert_non_null(x);
    spl_print(x, &text);
    const sluice_status status = spl_parse(ctx, text.data, &y, &why);
    if (x != y)
        print_message("%s\n%d at %zu: %s\n", text.data, status, why.offset, why.message);
    assert_ptr_equal(x, y);
    assert_int_equal(spl_parse(other, text.data, &y, NULL), SLUICE_OK);
    assert_ptr_not_equal(x, y);
    spl_print(y, &again);
    assert_string_equal(text.data, again.data);
    core_text_free(&text);
    core_text_free(&again);
}

static void random_formulas_come_back(void **state)
{
    (void)state;
    builder b = {{1}, NULL, 0};
    for (int round = 0; round < 10000; round += 50) {
        spl_ctx *other = spl_ctx_open();
        b.ctx = spl_ctx_open();
        for (int k = 0; k < 50; k++) {
            b.vars = (int)below(&b, 6);
            const int64_t n = 1 + below(&b, 24);
            assert_round_trip(b.ctx, other, random_square(&b, n, (int)below(&b, 5)));
        }
        assert_int_equal(spl_ctx_status(b.ctx, NULL), SLUICE_OK);
        spl_ctx_close(b.ctx);
        spl_ctx_close(other);
    }
}

static const spl *parsed(spl_ctx *ctx, const char *text)
{
    const spl *x = NULL;
    sluice_diag why = {0};
    if (spl_parse(ctx, text, &x, &why) != SLUICE_OK)
        fail_msg("%s\nat %zu: %s", text, why.offset, why.message);
    return x;
}

/* The example of docs/FORMULAS.md and one of every node print exactly as written. */
static void text_is_stable(void **state)
{
    static const char *const texts[] = {
        "DFT(4096)_{spe(2,4),stream(1)}",
        "(DFT(8) (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)) * L(64,8)",
        "(I(4) (x) DFT(8)_{leaf})_{vec(8,inter),tile(16),spe(2,4),stream(8)}",
        "T(8,4)^-1 * IDFT(32) * D(8,4,l(32,4))^-1 * P(l(32,8))",
        "(DFT(2) (+) I(3)) (x) (L(4,2) * DFT(4))",
        "SUM.par(k1<2, SUM(k0<16@k1/2/8, S(h(8,128,8*k0%16,1)) * DFT(8) * G(h(8,128,k0%16,16))))",
        "SUM.stream(k0<4, S.copy(q(16,64,k0%4,4,4)) * G.net(h(16,64,16*k0%4,1)))",
        "SUM.vec[8,split](k0<2, S(h(8,16,k0%2,2)) * G([8->16: 15 - k0%2 - 8*i%2 - 2*i/2]))",
        "G(table(8: 1,1,2,3,5,7) (o) [2->6: i + 2*k0%3])",
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        spl_ctx *ctx = spl_ctx_open();
        core_text out = {0};
        spl_print(parsed(ctx, texts[k]), &out);
        assert_string_equal(out.data, texts[k]);
        core_text_free(&out);
        spl_ctx_close(ctx);
    }
}

static void nodes_have_one_form(void **state)
{
    static const char *const same[][2] = {
        {"DFT(2) (x) (DFT(3) (x) DFT(4))", "DFT ( 2 )(x)DFT(3)\n( x )\tDFT(4)"},
        {"I(1) (x) DFT(4) (x) I(1)", "{DFT(4)}"},
        {"I(4) * DFT(4) * I(4)", "DFT(4)"},
        {"I(4) * I(4)", "I(4)"},
        {"I(1) (x) I(1)", "I(1)"},
        {"(DFT(2) (+) DFT(3)) (+) DFT(2)", "DFT(2) (+) DFT(3) (+) DFT(2)"},
        {"DFT(4)_{leaf}_{tile(4)}", "(DFT(4)_{leaf})_{tile(4)}"},
        {"DFT(4)_{leaf,tile(4)}", "{{DFT(4)}_{leaf}}_{tile(4)}"},
        {"DFT(2) * DFT(2) (x) I(1) (+) I(2) * I(4)", 0},
        {"G(h(4,16,0,2) (o) h(4,4,3,-1))", "G(h(4,16,6,-2))"},
        {"G(id(4) (x) h(2,4,1,2))", "G([8->16: 1 + 2*i%2 + 4*i/2])"},
        {"G(table(8: 0,2,4,6))", "G(h(4,8,0,2))"},
        {"G((l(8,2)) (o) l(8,4))", "G(id(8))"},
    };
    spl_ctx *ctx = spl_ctx_open();
    const spl *x;
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        if (same[k][1] != NULL)
            assert_ptr_equal(parsed(ctx, same[k][0]), parsed(ctx, same[k][1]));
        else
            assert_int_equal(spl_parse(ctx, same[k][0], &x, NULL), SLUICE_E_INVALID);
    x = parsed(ctx, "SUM.par(k3<2, SUM(k0<4, S(h(2,16,2*k0%4 + 8*k3%2,1)) * G(h(2,12,0,1))))");
    assert_int_equal(x->height, 4);
    assert_int_equal(x->kid[0]->height, 1);
    assert_int_equal(x->rows, 16);
    assert_int_equal(x->cols, 12);
    assert_int_equal(spl_ctx_status(ctx, NULL), SLUICE_OK);
    spl_ctx_close(ctx);
}

typedef struct refusal {
    const char *text;
    sluice_status status;
    size_t offset;
    const char *message; /* NULL: any */
} refusal;

static const refusal refusals[] = {
    {"", SLUICE_E_PARSE, 0, "expected a formula, found the end"},
    {"  ", SLUICE_E_PARSE, 2, "expected a formula, found the end"},
    {"DFT()", SLUICE_E_PARSE, 4, "expected a size after 'DFT(', found ')'"},
    {"DFT(8", SLUICE_E_PARSE, 5, "expected ')' after '8', found the end"},
    {"DFT 8", SLUICE_E_PARSE, 4, "expected '(' after 'DFT', found '8'"},
    {"DFT(0)", SLUICE_E_PARSE, 4, "a size is from 1 to 1099511627776"},
    {"DFT(1099511627777)", SLUICE_E_PARSE, 4, NULL},
    {"DFT(99999999999999999999999999)", SLUICE_E_PARSE, 4, NULL},
    {"DFT(-8)", SLUICE_E_PARSE, 4, "expected a size after 'DFT(', found '-'"},
    {"DFTS(8)", SLUICE_E_PARSE, 0, "expected a formula, found 'DFTS'"},
    {"DFT(8) DFT(8)", SLUICE_E_PARSE, 7, "expected an operator or the end after ')', found 'DFT'"},
    {"DFT(8) *", SLUICE_E_PARSE, 8, "expected a formula after '*', found the end"},
    {"DFT(8) (x) * I(2)", SLUICE_E_PARSE, 11, "expected a formula after '(x)', found '*'"},
    {"(DFT(8)", SLUICE_E_PARSE, 7, "expected ')' after ')', found the end"},
    {"{DFT(8))", SLUICE_E_PARSE, 7, "expected '}' after ')', found ')'"},
    {"DFT(8))", SLUICE_E_PARSE, 6, "expected an operator or the end after ')', found ')'"},
    {"DFT(8)^-1", SLUICE_E_PARSE, 6, NULL},
    {"T(8,8)^2", SLUICE_E_PARSE, 7, "expected '-' after '^', found '2'"},
    {"DFT(8) \x01", SLUICE_E_PARSE, 7, "expected an operator or the end after ')', found byte 1"},
    {"DFT(8)_leaf", SLUICE_E_PARSE, 7, "expected '{' after '_', found 'leaf'"},
    {"DFT(8)_{}", SLUICE_E_PARSE, 8, "expected a tag (leaf, vec, tile, spe, stream) after '{', "
                                    "found '}'"},
    {"DFT(8)_{spe(2)}", SLUICE_E_PARSE, 13, "expected ',' after '2', found ')'"},
    {"DFT(8)_{vec(8,planar)}", SLUICE_E_PARSE, 14, "expected 'inter' or 'split' after ',', found "
                                                  "'planar'"},
    {"DFT(8)_{leaf,leaf,leaf,leaf,leaf,leaf,leaf,leaf,leaf}", SLUICE_E_UNSUPPORTED, 6,
     "more than 8 tags on one formula"},
    {"DFT(4) * DFT(8)", SLUICE_E_INVALID, 9,
     "a product: 4 columns on the left of *, 8 rows on the right"},
    {"I(4) * DFT(8)", SLUICE_E_INVALID, 7, NULL},
    {"DFT(8) * (DFT(8) * L(9,3))", SLUICE_E_INVALID, 19, NULL},
    {"DFT(1099511627776) (x) DFT(2)", SLUICE_E_INVALID, 0, "a tensor product exceeds 2^40"},
    {"DFT(1099511627776) (+) DFT(2)", SLUICE_E_INVALID, 0, "a direct sum exceeds 2^40"},
    {"T(1099511627776,2)", SLUICE_E_INVALID, 0, NULL},
    {"I(2) (x) L(8,3)", SLUICE_E_INVALID, 9, "L(8,3): the stride must divide the size"},
    {"G(h(8,64,0,9))", SLUICE_E_OK_PLACEHOLDER, 0, NULL},
};
