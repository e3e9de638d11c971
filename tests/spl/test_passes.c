// SPDX-License-Identifier: BSD-3-Clause
/* Passes around complex transforms: their matrices against sums written out here, their kernels, and
 * transforms of reals of every length as programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

typedef long double number;

static const number pi = 3.14159265358979323846264338327950288L;
static const number exact = 1e-14L;

/* ---- definitions ---- */

typedef struct cplx {
    number re, im;
} cplx;

static cplx times(cplx a, cplx b)
{
    return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static cplx root(number k, number n)
{
    return (cplx){cosl(2 * pi * k / n), -sinl(2 * pi * k / n)};
}

/* X_k = (Z_k + Z_{m-k}*)/2 - i w_2m^k (Z_k - Z_{m-k}*)/2, Z_m = Z_0 */
static void rdft_pass(int64_t m, const cplx *z, cplx *x)
{
    for (int64_t k = 0; k <= m; k++) {
        const cplx a = z[k % m], b = z[(m - k) % m];
        const cplx odd = {(a.im + b.im) / 2, -(a.re - b.re) / 2};
        const cplx turned = times(root((number)k, 2 * (number)m), odd);
        x[k] = (cplx){(a.re + b.re) / 2 + turned.re, (a.im - b.im) / 2 + turned.im};
    }
}

/* Z_k = X_k + X_{m-k}* + i w_2m^-k (X_k - X_{m-k}*), of which im X_0 and im X_m are 0 */
static void irdft_pass(int64_t m, const cplx *x, cplx *z)
{
    for (int64_t k = 0; k < m; k++) {
        const cplx a = {x[k].re, k == 0 ? 0 : x[k].im}, b = {x[m - k].re, k == 0 ? 0 : x[m - k].im};
        const cplx odd = {-(a.im + b.im), a.re - b.re}, w = root(-(number)k, 2 * (number)m);
        const cplx turned = times(w, odd);
        z[k] = (cplx){a.re + b.re + turned.re, a.im - b.im + turned.im};
    }
}

/* y_k = v Z_k + (its mirror image), v = w_4n^k; twice Z_0 */
static void dct2_pass(int64_t n, const cplx *z, cplx *y)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx a = times(root((number)k, 4 * (number)n), z[k]);
        const cplx b = times(root(-(number)k, 4 * (number)n), z[(n - k) % n]);
        y[k] = (cplx){a.re + b.re, a.im + b.im};
    }
}

/* Z_k = v* (x_k - i x_{n-k}), x_n = 0 */
static void dct3_pass(int64_t n, const cplx *x, cplx *z)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx b = k == 0 ? (cplx){0, 0} : x[n - k];
        z[k] = times(root(-(number)k, 4 * (number)n), (cplx){x[k].re + b.im, x[k].im - b.re});
    }
}

/* y_k = ((1 + i) Z_k + (1 - i) Z_{n-k})/2 */
static void dht_pass(int64_t n, const cplx *z, cplx *y)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx a = z[k], b = z[(n - k) % n];
        y[k] = (cplx){(a.re - a.im + b.re + b.im) / 2, (a.re + a.im - b.re + b.im) / 2};
    }
}

static void (*const passes[SPL_PASSES])(int64_t, const cplx *,
                                        cplx *) = {[SPL_PASS_RDFT] = rdft_pass,
                                                   [SPL_PASS_IRDFT] = irdft_pass,
                                                   [SPL_PASS_DCT2] = dct2_pass,
                                                   [SPL_PASS_DCT3] = dct3_pass,
                                                   [SPL_PASS_DHT] = dht_pass};

enum { MOST = 40 };

static void random_vector(uint64_t seed, int64_t n, number *x)
{
    for (int64_t i = 0; i < 2 * n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        x[i] = (number)(int64_t)(seed >> 20) / (number)((int64_t)1 << 43);
    }
}

static void passes_are_their_sums(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPL_PASSES; kind++)
        for (int64_t m = 1; m < MOST; m++) {
            spl_ctx *ctx = spl_ctx_open();
            const spl *x = spl_pairs(ctx, (spl_pass_kind)kind, m);
            number in[2 * MOST + 2], out[2 * MOST + 2];
            cplx want[MOST + 1];
            random_vector((uint64_t)m, x->cols, in);
            passes[kind](m, (const cplx *)in, want);
            assert_int_equal(spl_apply(x, in, out), SLUICE_OK);
            for (int64_t i = 0; i < x->rows; i++) {
                assert_true(fabsl(out[2 * i] - want[i].re) < exact);
                assert_true(fabsl(out[2 * i + 1] - want[i].im) < exact);
            }
            spl_ctx_close(ctx);
        }
}

/* What is read of rows that are real is their real part. */
static void imaginary_parts_of_real_rows_are_not_read(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = spl_pairs(ctx, SPL_PASS_IRDFT, 4);
    number in[10], out[8], again[8];
    random_vector(1, 5, in);
    assert_int_equal(spl_apply(x, in, out), SLUICE_OK);
    in[1] = in[9] = NAN;
    assert_int_equal(spl_apply(x, in, again), SLUICE_OK);
    for (int i = 0; i < 8; i++)
        assert_true(out[i] == again[i]);
    spl_ctx_close(ctx);
}

/* Wrong forms are told apart: the factor without its quarter turn, or with the other sign. */
static void wrong_factors_are_seen(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        number in[16], out[18], largest = 0;
        spl_ctx *ctx = spl_ctx_open();
        random_vector(2, 8, in);
        assert_int_equal(spl_apply(spl_pairs(ctx, SPL_PASS_RDFT, 8), in, out), SLUICE_OK);
        for (int k = 1; k < 4; k++) {
            const cplx a = {in[2 * k], in[2 * k + 1]}, b = {in[16 - 2 * k], in[17 - 2 * k]};
            const cplx odd = {(a.im + b.im) / 2, -(a.re - b.re) / 2};
            const cplx even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
            const cplx wrong =
                sign < 0 ? times(root(-k, 16), odd) : times(root(k, 16), (cplx){odd.im, -odd.re});
            largest = fmaxl(largest, fabsl(even.re + wrong.re - out[2 * k]));
        }
        assert_true(largest > 1e-3L);
        spl_ctx_close(ctx);
    }
}

/* Identities that are none: without the fold, with the other direction, with its inverse, with the
 * factors alone. */
static void wrong_forms_are_seen(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"DCT2(6)", "PAIRS.dct2(6) * DFT(6)"},
        {"DCT2(6)", "PAIRS.dct2(6) * IDFT(6) * P(fold(6))"},
        {"DCT2(6)", "PAIRS.dht(6) * DFT(6) * P(fold(6))"},
        {"DCT3(6)", "P(fold(6)) * IDFT(6) * PAIRS.dct3(6)"},
        {"DCT3(6)", "S(fold(6)) * DFT(6) * PAIRS.dct3(6)"},
        {"DHT(6)", "PAIRS.dht(6) * IDFT(6)"},
        {"PAIRS.dct3(6)", "D.roots(24,h(6,24,0,1))^-1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        long double distance = 0;
        const spl *a = program_parsed(ctx, pairs[i][0]), *b = program_parsed(ctx, pairs[i][1]);
        assert_int_equal(spl_distance(a, b, &distance), SLUICE_OK);
        if (!(distance > 0.1L))
            fail_msg("%s = %s", pairs[i][0], pairs[i][1]);
        spl_ctx_close(ctx);
    }
}

/* ---- text ---- */

static void check_text(const char *text, bool parses)
{
    spl_ctx *ctx = spl_ctx_open();
    core_text printed = {0};
    sluice_diag why = {0, ""};
    const spl *x = NULL, *again = NULL;
    const sluice_status status = spl_parse(ctx, text, &x, &why);
    if ((status == SLUICE_OK) != parses)
        fail_msg("%s: %s", text, parses ? why.message : "it was read");
    if (parses) {
        spl_print(x, &printed);
        assert_int_equal(spl_parse(ctx, core_text_string(&printed), &again, &why), SLUICE_OK);
        assert_ptr_equal(x, again);
    }
    core_text_free(&printed);
    spl_ctx_close(ctx);
}

static void text_is_read_as_it_is_printed(void **state)
{
    (void)state;
    static const char *const good[] = {"PAIRS.rdft(8)",
                                       "PAIRS.irdft(1)",
                                       "PAIRS.dct2(5)",
                                       "SELF.dct3(6)",
                                       "PAIR.dht(9,h(1,5,2,1))",
                                       "PAIRS.rdft(6) (x) I(3)",
                                       "EDGE.rdft(5)",
                                       "EDGE.irdft(5)",
                                       "SELF.rdft(4)",
                                       "SELF.irdft(2)",
                                       "PAIR.rdft(8,h(1,4,3,1))",
                                       "SUM(k0<3, PAIR.irdft(8,[1->4: 1+k0%3]))",
                                       "W(8)",
                                       "W(8)^-1",
                                       "D.roots(8,h(3,8,1,2))",
                                       "D.roots(8,h(3,8,1,2))^-1",
                                       "H(4)",
                                       "D.half(4,h(2,4,1,2))"};
    static const char *const bad[] = {"PAIRS(8)",
                                      "PAIRS.dft(8)",
                                      "PAIRS.rdft(0)",
                                      "PAIRS.rdft(8,2)",
                                      "SELF.rdft(5)",
                                      "EDGE.rdft(5,id(1))",
                                      "PAIR.rdft(8)",
                                      "PAIR.rdft(8,h(1,4,0,1))",
                                      "PAIR.rdft(8,h(1,8,4,1))",
                                      "PAIR.rdft(8,h(2,4,1,1))",
                                      "SUM(k0<4, PAIR.irdft(8,[1->8: 1+k0%4]))",
                                      "PAIRS.rdft(4) * V(4)^-1",
                                      "PAIRS.rdft(4) * PAIRS.rdft(4)"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check_text(good[i], true);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_text(bad[i], false);
}

/* ---- programs ---- */

static const spl *sigma_of(spl_ctx *ctx, const char *text, const spl *x)
{
    sluice_diag why = {0, ""};
    long double distance = 1;
    const spl *sigma = spl_to_sigma(ctx, x), *merged = spl_merge(ctx, sigma, true);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    if (x->rows * x->cols < 20000) {
        assert_int_equal(spl_distance(x, merged, &distance), SLUICE_OK);
        if (!(distance < 1e-12L))
            fail_msg("%s: merged to another matrix", text);
    }
    return merged;
}

/* A formula lowered, checked and run on ref. */
static void verify(const char *text, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, text), *merged = sigma_of(ctx, text, x);
    sluice_diag why = {0, ""};
    prog *p = NULL;
    if (prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    program_compare(p, x);
    spl_ctx_close(ctx);
}

static void real_text(char *text, size_t size, bool inverse, long long n, const char *tags)
{
    const long long m = n / 2;
    if (n % 2 == 0 && inverse)
        snprintf(text, size, "V(%lld)^-1 * IDFT(%lld)_{leaf} * PAIRS.irdft(%lld)%s", m, m, m, tags);
    else if (n % 2 == 0)
        snprintf(text, size, "PAIRS.rdft(%lld)%s * DFT(%lld)_{leaf} * V(%lld)", m, tags, m, m);
    else if (inverse)
        snprintf(text, size, "RE(%lld) * IDFT(%lld)_{leaf} * S(h(%lld,%lld,0,1)) * H(%lld)", n, n,
                 m + 1, n, m + 1);
    else
        snprintf(text, size, "G(h(%lld,%lld,0,1)) * DFT(%lld)_{leaf} * EMBED(%lld)", m + 1, n, n,
                 n);
}

static void every_length_is_a_program(void **state)
{
    (void)state;
    static const char *const tags[] = {"", "_{vec(4,inter)}", "_{spe(2,1)}",
                                       "_{vec(2,inter),spe(3,2)}"};
    char text[256];
    for (long long n = 1; n <= 64; n++)
        for (int i = 0; i < (n % 2 == 0 ? 8 : 2); i++) {
            real_text(text, sizeof text, i % 2 != 0, n, tags[i / 2]);
            verify(text, NULL);
        }
    for (long long n = 97; n <= 1024; n = n < 128 ? n + 1 : 2 * n)
        for (int i = 0; i < 2; i++) {
            real_text(text, sizeof text, i != 0, n, n % 2 == 0 ? tags[3] : "");
            verify(text, NULL);
        }
}

/* Columns, batches, two dimensions, with tags. */
static void shapes_are_programs(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "PAIRS.rdft(6) (x) I(5)",
        "(PAIRS.rdft(8) (x) I(6))_{vec(4,inter)}",
        "(PAIRS.irdft(9) (x) I(8))_{vec(4,inter),tile(4)}",
        "(PAIRS.irdft(8) (x) I(8))_{vec(2,inter),spe(2,2)}",
        "(PAIRS.rdft(7) (x) I(12))_{vec(2,inter),tile(2),spe(3,4)}",
        "(PAIRS.rdft(4) (x) I(6))_{stream(2)}",
        "(I(4) (x) PAIRS.rdft(6))_{vec(2,inter),stream(2)}",
        "I(3) (x) PAIRS.rdft(5) (x) I(2)",
        "I(4) (x) (PAIRS.rdft(6) * DFT(6)_{leaf} * V(6))",
        "(I(4) (x) (PAIRS.rdft(6) * DFT(6)_{leaf} * V(6)))_{vec(4,inter),spe(2,1)}",
        "(I(2) (x) (PAIRS.rdft(16) * (DFT(4)_{leaf} (x) I(4)) * T(4,4) * L(16,4) * "
        "(DFT(4)_{leaf} (x) I(4)) * V(16)))_{vec(4,inter),spe(4,1)}",
        "(I(4) (x) (V(6)^-1 * IDFT(6)_{leaf} * PAIRS.irdft(6)))_{vec(4,inter),spe(2,1)}",
        "(I(3) (x) (RE(5) * IDFT(5)_{leaf} * S(h(3,5,0,1)) * H(3)))_{spe(2,1)}",
        "(I(3) (x) (G(h(3,5,0,1)) * DFT(5)_{leaf} * EMBED(5)))_{spe(2,1)}",
        "(DFT(4)_{leaf} (x) I(9))_{vec(4,inter),spe(2,1)} * "
        "(I(4) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)))_{vec(4,inter),spe(2,1)}",
        "(I(4) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)))_{vec(4,inter),spe(2,1)} * "
        "(IDFT(4)_{leaf} (x) I(9))_{vec(4,inter),spe(2,1)}",
        "PAIRS.dct2(6) * DFT(6)_{leaf} * P(fold(6))",
        "((PAIRS.dct2(8) * DFT(8)_{leaf} * P(fold(8))) (x) I(6))_{vec(4,inter),spe(2,2)}",
        "((S(fold(8)) * IDFT(8)_{leaf} * PAIRS.dct3(8)) (x) I(8))_{vec(4,inter),tile(4)}",
        "((S(fold(7)) * IDFT(7)_{leaf} * PAIRS.dct3(7)) (x) I(6))_{vec(2,inter)}",
        "(PAIRS.dht(9) * DFT(9)_{leaf}) (x) I(3)",
        "V(12)^-1 * ((PAIRS.dct2(4) * DFT(4)_{leaf} * P(fold(4))) (x) I(3))_{vec(2,inter)} * V(12)",
        "(V(16)^-1 * L(16,4) * (IDFT(4)_{leaf} (x) I(4)) * T(4,4)^-1 * L(16,4) * "
        "(IDFT(4)_{leaf} (x) I(4)) * PAIRS.irdft(16))_{vec(2,inter),spe(2,1)}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        verify(texts[i], NULL);
}

/* What a program is made of: inner buffers, and statements that only move elements. */
typedef struct counts {
    int buffers, moves;
} counts;

/* In place rows of n reals are padded to n + 2 for rows of n/2 + 1 complex numbers. */
static counts lower_and_count(const char *text, int64_t n, int64_t rows, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = program_parsed(ctx, text);
    const ix_term padded[] = {{IX_INDEX, 1, n, 1}, {IX_INDEX, n, rows, n + 2}};
    prog_sides s = *sides;
    if (s.in_place && x->from == SPL_TYPE_REAL)
        s.in = ix_digit(ctx, n * rows, (n + 2) * rows, 0, 2, padded);
    if (s.in_place && x->to == SPL_TYPE_REAL)
        s.out = ix_digit(ctx, n * rows, (n + 2) * rows, 0, 2, padded);
    sluice_diag why = {0, ""};
    prog *p = NULL;
    prog_exchanges sum;
    if (prog_lower(&p, ctx, sigma_of(ctx, text, x), &s, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(p, text);
    program_compare(p, x);
    assert_int_equal(prog_exchange(p, &sum, &why), SLUICE_OK);
    prog_exchanges_free(&sum);
    counts found = {p->nbufs - 2, 0};
    for (size_t i = 0; i < p->nstmts; i++)
        found.moves += p->stmt[i].op == PROG_KERN && p->stmt[i].kernel == SPL_I;
    spl_ctx_close(ctx);
    return found;
}

typedef struct place_case {
    const char *text;
    int64_t n, rows;
    int buffers;
} place_case;

/* Rows of reals become rows of complex numbers where they are, and back: no stage that copies. */
static void rows_in_place_need_no_copy(void **state)
{
    (void)state;
    static const place_case cases[] = {
        {"PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)", 16, 1, 1},
        {"V(9)^-1 * IDFT(9)_{leaf} * PAIRS.irdft(9)", 18, 1, 1},
        {"I(3) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8))", 16, 3, 1},
        {"(I(3) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8)))_{vec(4,inter),spe(2,1)}", 16, 3,
         1},
        {"(I(5) (x) RDFT(8)_{leaf})_{vec(4,inter)}", 8, 5, 0},
        {"I(5) (x) IRDFT(8)_{leaf}", 8, 5, 0},
        {"(DFT(3)_{leaf} (x) I(9)) * (I(3) (x) (PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)))", 16, 3, 2},
        {"(I(3) (x) (V(8)^-1 * IDFT(8)_{leaf} * PAIRS.irdft(8))) * (IDFT(3)_{leaf} (x) I(9))", 16,
         3, 2},
    };
    const prog_sides sides = {.in_place = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const place_case *c = &cases[i];
        const counts found = lower_and_count(c->text, c->n, c->rows, &sides);
        if (found.moves != 0 || found.buffers > c->buffers)
            fail_msg("%s: %d moves, %d buffers", c->text, found.moves, found.buffers);
    }
}

/* A pass works on the output itself, in which the transform behind it left m elements. */
static void passes_work_in_the_output(void **state)
{
    (void)state;
    static const place_case cases[] = {
        {"PAIRS.rdft(8) * DFT(8)_{leaf} * V(8)", 16, 1, 0},
        {"PAIRS.rdft(33)_{vec(4,inter)} * DFT(33)_{leaf} * V(33)", 66, 1, 0},
        {"PAIRS.rdft(64)_{vec(4,inter),spe(3,1)} * DFT(64)_{leaf} * V(64)", 128, 1, 0},
        {"PAIRS.rdft(16) * (DFT(4)_{leaf} (x) I(4)) * T(4,4) * L(16,4) * (DFT(4)_{leaf} (x) I(4)) "
         "* V(16)",
         32, 1, 1},
        {"V(16)^-1 * (IDFT(4)_{leaf} (x) I(4)) * T(4,4)^-1 * L(16,4) * (IDFT(4)_{leaf} (x) I(4)) "
         "* PAIRS.irdft(16)",
         32, 1, 1},
    };
    const prog_sides sides = {.out_is_scratch = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const place_case *c = &cases[i];
        const counts found = lower_and_count(c->text, c->n, c->rows, &sides);
        if (found.moves != 0 || found.buffers > c->buffers)
            fail_msg("%s: %d moves, %d buffers", c->text, found.moves, found.buffers);
    }
}

/* Terms that read what others wrote do not run in place. */
static void terms_that_meet_take_a_copy(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* row 4 is written with row 0, and read by another term */
        "S(h(2,5,0,4)) * EDGE.rdft(4) * G(h(1,5,0,1)) + S(h(3,5,1,1)) * DFT(3)_{leaf} * "
        "G(h(3,5,2,1))",
        "S(h(2,5,0,4)) * EDGE.rdft(4) * G(h(1,5,0,1)) + S(h(3,5,1,1)) * DFT(3)_{leaf} * "
        "G(h(3,5,1,1))",
        "S(h(2,4,0,1)) * DFT(2)_{leaf} * G(h(2,4,2,1)) + S(h(2,4,2,1)) * DFT(2)_{leaf} * "
        "G(h(2,4,0,1))",
    };
    const prog_sides sides = {.in_place = true};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(lower_and_count(texts[i], 4, 1, &sides).moves > 0);
}

static void text_of_programs(void **state)
{
    (void)state;
    static const char *const want =
        "program 16 -> 9, parts 1, output is scratch\n"
        "buf b0 IN 16 real; b1 OUT 9\n"
        "b1[i] = DFT(8) b0[i], i < 8 from i < 16\n"
        "vec[4,inter] k0 < 1:\n"
        "  b1[i*8] = EDGE.rdft b1[0], i < 2 from i < 1\n"
        "vec[4,inter] k0 < 3:\n"
        "  b1[(i%2 ? 7 - k0 : 1 + k0)] = PAIR.rdft W(64)[20 + k0*4] b1[(i%2 ? 7 - k0 : 1 + k0)], "
        "i < 2\n"
        "vec[4,inter] k0 < 1:\n"
        "  b1[4] = SELF.rdft b1[4], i < 1\n";
    spl_ctx *ctx = spl_ctx_open();
    core_text text = {NULL, 0, 0, false};
    prog *p;
    const prog_sides sides = {.out_is_scratch = true};
    const char *const formula = "PAIRS.rdft(8)_{vec(4,inter)} * DFT(8)_{leaf} * V(8)";
    const spl *x = sigma_of(ctx, formula, program_parsed(ctx, formula));
    assert_int_equal(prog_lower(&p, ctx, x, &sides, NULL), SLUICE_OK);
    prog_print(p, &text);
    assert_string_equal(core_text_string(&text), want);
    core_text_free(&text);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(passes_are_their_sums, nothing_leaks),
        cmocka_unit_test_teardown(imaginary_parts_of_real_rows_are_not_read, nothing_leaks),
        cmocka_unit_test_teardown(wrong_factors_are_seen, nothing_leaks),
        cmocka_unit_test_teardown(wrong_forms_are_seen, nothing_leaks),
        cmocka_unit_test_teardown(text_is_read_as_it_is_printed, nothing_leaks),
        cmocka_unit_test_teardown(every_length_is_a_program, nothing_leaks),
        cmocka_unit_test_teardown(shapes_are_programs, nothing_leaks),
        cmocka_unit_test_teardown(rows_in_place_need_no_copy, nothing_leaks),
        cmocka_unit_test_teardown(passes_work_in_the_output, nothing_leaks),
        cmocka_unit_test_teardown(terms_that_meet_take_a_copy, nothing_leaks),
        cmocka_unit_test_teardown(text_of_programs, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
