// SPDX-License-Identifier: BSD-3-Clause
/* Formulas: constructors, and text that is read, refused and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/formula/spl.h"
#include "tests/helpers/helper_spl.h"

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
    for (int64_t i = 0; i < n || i < N; i++)
        table[i] = below(b, N);
    if (kind == 2 || N < n || N % n != 0)
        return ix_table(b->ctx, n, N, table);
    const spl_radices radices = spl_random_radices(&b->r, N);
    const ix *f = spl_random_digits(&b->r, b->ctx, &radices, v, 1, range);
    if (kind == 3)
        f = ix_compose(b->ctx, ix_table(b->ctx, N, N, table), f);
    const ix *inner = ix_h(b->ctx, n, n, n - 1, -1);
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
    spl_tag tag[2];
    const int count = 1 + (int)below(b, 2);
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
    const spl_range range = {.var = outer - 1,
                             .n = 1 + below(b, 99),
                             .kind = (spl_loop)below(b, 4),
                             .share_var = outer < IX_MAX_VARS && below(b, 2) == 0 ? outer : -1,
                             .shares = 1 + below(b, 9),
                             .grain = 1 + below(b, 3),
                             .nu = 1 + below(b, 16),
                             .format = (int)below(b, 2)};
    const spl *x = spl_sum(b->ctx, &range, spl_mul(b->ctx, 3, kid));
    b->vars = outer;
    return x;
}

static const spl *random_atom(builder *b, int64_t n)
{
    const int64_t d = divisor(b, n);
    switch (below(b, 10)) {
    case 0: return spl_identity(b->ctx, n);
    case 1: return spl_dft(b->ctx, n, false);
    case 2: return spl_dft(b->ctx, n, true);
    case 3: return spl_stride(b->ctx, n, d);
    case 4: return spl_twiddle(b->ctx, d, n / d, below(b, 2) == 0);
    case 5: return spl_perm(b->ctx, random_permutation(b, n));
    case 6: return spl_chirp(b->ctx, n, below(b, 2) == 0);
    case 7: return spl_spectrum(b->ctx, n / 2 + 1, n, below(b, 2) == 0);
    case 8:
        return spl_diag_of(b->ctx, spl_rader(b->ctx, 257, 3, below(b, 2) == 0),
                           ix_h(b->ctx, n, 257, below(b, 257 - (n < 256 ? n : 256)), n < 257));
    default:
        return spl_diag_of(b->ctx, spl_twiddle(b->ctx, d, n / d, below(b, 2) == 0),
                           random_permutation(b, n));
    }
}

static const spl *random_square(builder *b, int64_t n, int depth)
{
    const int64_t d = divisor(b, n), part = n > 1 ? 1 + below(b, n - 1) : 1;
    if (depth == 0)
        return random_atom(b, n);
    switch (below(b, 7)) {
    case 0: return random_tags(b, random_square(b, n, depth - 1));
    case 1: return random_loop(b, n, depth - 1);
    case 2:
        return spl_kron2(b->ctx, random_square(b, d, depth - 1),
                         random_square(b, n / d, depth - 1));
    case 3:
        return part == n ? random_atom(b, n)
                         : spl_dsum(b->ctx, 2,
                                    (const spl *[]){random_square(b, part, depth - 1),
                                                    random_square(b, n - part, depth - 1)});
    case 4:
        return spl_plus(
            b->ctx, 2,
            (const spl *[]){random_square(b, n, depth - 1), random_square(b, n, depth - 1)});
    default:
        return spl_mul2(b->ctx, random_square(b, n, depth - 1), random_square(b, n, depth - 1));
    }
}

static void assert_round_trip(spl_ctx *ctx, spl_ctx *other, const spl *x)
{
    core_text text = {0}, again = {0};
    const spl *y = NULL;
    sluice_diag why = {0};
    if (spl_ctx_status(ctx, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
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

static void blocks_of_a_context_are_zeroed(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    for (size_t bytes = 1; bytes < 5000; bytes += bytes / 2 + 1) {
        unsigned char *block = spl_ctx_get(ctx, bytes);
        assert_non_null(block);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(block[i], 0);
        memset(block, 0xff, bytes);
    }
    spl_ctx_close(ctx);
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
        "SUM.vec[8,split](k0<2, S(h(8,16,k0%2,2)) * G([8->16: 15 - 8*i%2 - 2*i/2 - k0%2]))",
        "G(table(8: 1,1,2,3,5,7) (o) h(2,6,2*k0%3,1))",
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
        {"DFT(2) (x) I(2) (+) I(1) * L(5,5)", "((DFT(2) (x) I(2)) (+) I(1)) * L(5,5)"},
        {"G(h(4,16,0,2) (o) h(4,4,3,-1))", "G(h(4,16,6,-2))"},
        {"G(id(4) (x) h(2,4,1,2))", "G([8->16: 1 + 2*i%2 + 4*i/2])"},
        {"G(table(8: 0,2,4,6))", "G(h(4,8,0,2))"},
        {"G((l(8,2)) (o) l(8,4))", "G(id(8))"},
    };
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        assert_ptr_equal(parsed(ctx, same[k][0]), parsed(ctx, same[k][1]));
    const spl *x =
        parsed(ctx, "SUM.par(k3<2, SUM(k0<4, S(h(2,16,2*k0%4 + 8*k3%2,1)) * G(h(2,12,0,1))))");
    assert_int_equal(x->height, 4);
    assert_int_equal(x->kid[0]->height, 1);
    assert_int_equal(x->rows, 16);
    assert_int_equal(x->cols, 12);
    assert_int_equal(spl_ctx_status(ctx, NULL), SLUICE_OK);
    spl_ctx_close(ctx);
}

/* A constructor that must refuse, in a context of its own. */
#define ASSERT_REFUSED(call)                                                                       \
    do {                                                                                           \
        spl_ctx *ctx = spl_ctx_open();                                                             \
        sluice_diag why = {0};                                                                     \
        assert_null(call);                                                                         \
        assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_INVALID);                             \
        assert_true(why.message[0] != '\0');                                                       \
        spl_ctx_close(ctx);                                                                        \
    } while (0)

static const spl *sum_of(spl_ctx *ctx, spl_range range)
{
    return spl_sum(ctx, &range, parsed(ctx, "SUM(k3<4, DFT(4))"));
}

static void constructors_refuse(void **state)
{
    (void)state;
    const int64_t two[] = {0, 0};
    ASSERT_REFUSED(spl_identity(ctx, 0));
    ASSERT_REFUSED(spl_dft(ctx, -1, false));
    ASSERT_REFUSED(spl_stride(ctx, 8, 0));
    ASSERT_REFUSED(spl_twiddle(ctx, 0, 8, false));
    ASSERT_REFUSED(spl_mul2(ctx, spl_dft(ctx, 4, false), spl_dft(ctx, 5, false)));
    ASSERT_REFUSED(spl_kron(ctx, 0, NULL));
    ASSERT_REFUSED(spl_perm(ctx, ix_table(ctx, 2, 2, two)));
    ASSERT_REFUSED(spl_perm(ctx, ix_h(ctx, 4, 8, 0, 2)));
    ASSERT_REFUSED(spl_gather(ctx, ix_h(ctx, 4, 8, 0, 3), SPL_PLAIN));
    ASSERT_REFUSED(spl_scatter(ctx, ix_h(ctx, 4, 8, 2, -1), SPL_PLAIN));
    ASSERT_REFUSED(spl_gather(ctx, ix_h_var(ctx, 4, 8, 0, 3, 4, 1), SPL_PLAIN));
    ASSERT_REFUSED(spl_diag_of(ctx, spl_twiddle(ctx, 2, 4, false), ix_h(ctx, 4, 16, 0, 4)));
    ASSERT_REFUSED(spl_tagged(ctx, spl_dft(ctx, 4, false), 1, &(spl_tag){SPL_TAG_TILE, {0, 0}}));
    ASSERT_REFUSED(sum_of(ctx, (spl_range){.var = 3, .n = 4, .share_var = -1}));
    ASSERT_REFUSED(sum_of(ctx, (spl_range){.var = 4, .n = 0, .share_var = -1}));
    ASSERT_REFUSED(sum_of(ctx, (spl_range){.var = 32, .n = 4, .share_var = -1}));
    ASSERT_REFUSED(
        sum_of(ctx, (spl_range){.var = 4, .n = 4, .share_var = 4, .shares = 2, .grain = 1}));
    ASSERT_REFUSED(sum_of(ctx, (spl_range){.var = 4, .n = 4, .share_var = 5}));
    ASSERT_REFUSED(sum_of(ctx, (spl_range){.var = 4, .n = 4, .kind = SPL_VEC, .share_var = -1}));
}

static void nothing_comes_of_nothing(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl_tag leaf = {.kind = SPL_TAG_LEAF};
    const spl *x = spl_dft(ctx, 4, false);
    (void)state;
    assert_null(spl_mul2(ctx, x, NULL));
    assert_null(spl_kron2(ctx, NULL, x));
    assert_null(spl_dsum(ctx, 2, (const spl *[]){x, NULL}));
    assert_null(spl_tagged(ctx, NULL, 1, &leaf));
    assert_null(spl_gather(ctx, ix_compose(ctx, NULL, ix_id(ctx, 4)), SPL_PLAIN));
    assert_null(spl_scatter(ctx, ix_tensor(ctx, ix_id(ctx, 4), NULL), SPL_PLAIN));
    assert_null(spl_perm(ctx, ix_inverse(ctx, NULL)));
    assert_null(spl_diag_of(ctx, spl_twiddle(ctx, 2, 2, false),
                            ix_split_var(ctx, NULL, 0, 1, 1, 1, 2, 1, 0)));
    assert_null(spl_sum(ctx, &(spl_range){.n = 1, .share_var = -1}, NULL));
    assert_int_equal(spl_ctx_status(ctx, NULL), SLUICE_OK);
    assert_ptr_equal(spl_tagged(ctx, x, 0, NULL), x);
    const spl *y = spl_tagged(ctx, x, 1, &leaf);
    assert_true(spl_has_tag(y, SPL_TAG_LEAF) && !spl_has_tag(x, SPL_TAG_LEAF));
    assert_ptr_equal(spl_untagged(y), x);
    assert_ptr_equal(spl_untagged(x), x);
    spl_ctx_close(ctx);
}

/* Shares are contiguous, cover everything, begin at multiples of the grain and differ by at most
 * one grain. */
static void shares_cover_the_range(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 40; n++)
        for (int64_t p = 1; p < 12; p++)
            for (int64_t grain = 1; grain < 9; grain++) {
                int64_t lo, hi, end = 0;
                const int64_t units = (n + grain - 1) / grain;
                for (int64_t k = 0; k < p; k++) {
                    spl_share(n, p, grain, k, &lo, &hi);
                    assert_int_equal(lo, end);
                    assert_true(lo % grain == 0 || lo == n);
                    assert_in_range((hi + grain - 1) / grain - (lo + grain - 1) / grain, units / p,
                                    (units + p - 1) / p);
                    end = hi;
                }
                assert_int_equal(end, n);
                spl_share(n, p, grain, p, &lo, &hi);
                assert_true(lo == n && hi == n);
            }
    int64_t lo, hi;
    const int64_t big = (int64_t)1 << 40;
    spl_share(big, INT32_MAX, 1, INT32_MAX - 1, &lo, &hi);
    assert_true(hi == big && lo == big - 513);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_context_are_zeroed),
        cmocka_unit_test(random_formulas_come_back),
        cmocka_unit_test(text_is_stable),
        cmocka_unit_test(nodes_have_one_form),
        cmocka_unit_test(constructors_refuse),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(shares_cover_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
