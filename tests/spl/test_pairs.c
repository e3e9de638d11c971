// SPDX-License-Identifier: BSD-3-Clause
/* Pairs around complex transforms: their matrices against sums written out here, their text. */
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
#include "spl/oracle/oracle.h"
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
static void rdft_pairs(int64_t m, const cplx *z, cplx *x)
{
    for (int64_t k = 0; k <= m; k++) {
        const cplx a = z[k % m], b = z[(m - k) % m];
        const cplx odd = {(a.im + b.im) / 2, -(a.re - b.re) / 2};
        const cplx turned = times(root((number)k, 2 * (number)m), odd);
        x[k] = (cplx){(a.re + b.re) / 2 + turned.re, (a.im - b.im) / 2 + turned.im};
    }
}

/* Z_k = X_k + X_{m-k}* + i w_2m^-k (X_k - X_{m-k}*), of which im X_0 and im X_m are 0 */
static void irdft_pairs(int64_t m, const cplx *x, cplx *z)
{
    for (int64_t k = 0; k < m; k++) {
        const cplx a = {x[k].re, k == 0 ? 0 : x[k].im}, b = {x[m - k].re, k == 0 ? 0 : x[m - k].im};
        const cplx odd = {-(a.im + b.im), a.re - b.re}, w = root(-(number)k, 2 * (number)m);
        const cplx turned = times(w, odd);
        z[k] = (cplx){a.re + b.re + turned.re, a.im - b.im + turned.im};
    }
}

/* y_k = v Z_k + (its mirror image), v = w_4n^k; twice Z_0 */
static void dct2_pairs(int64_t n, const cplx *z, cplx *y)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx a = times(root((number)k, 4 * (number)n), z[k]);
        const cplx b = times(root(-(number)k, 4 * (number)n), z[(n - k) % n]);
        y[k] = (cplx){a.re + b.re, a.im + b.im};
    }
}

/* Z_k = v* (x_k - i x_{n-k}), x_n = 0 */
static void dct3_pairs(int64_t n, const cplx *x, cplx *z)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx b = k == 0 ? (cplx){0, 0} : x[n - k];
        z[k] = times(root(-(number)k, 4 * (number)n), (cplx){x[k].re + b.im, x[k].im - b.re});
    }
}

/* y_k = ((1 + i) Z_k + (1 - i) Z_{n-k})/2 */
static void dht_pairs(int64_t n, const cplx *z, cplx *y)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx a = z[k], b = z[(n - k) % n];
        y[k] = (cplx){(a.re - a.im + b.re + b.im) / 2, (a.re + a.im - b.re + b.im) / 2};
    }
}

enum { MOST = 40 };

/* The same of x_{n-k}, x_n = 0 */
static void idxst_pairs(int64_t n, const cplx *x, cplx *z)
{
    cplx turned[MOST] = {{0, 0}};
    for (int64_t k = 1; k < n; k++)
        turned[k] = x[n - k];
    dct3_pairs(n, turned, z);
}

/* Z_k = v* (x_k - i x_{n-1-k}), v = w_8n^{2k+1} */
static void dct4_pairs(int64_t n, const cplx *x, cplx *z)
{
    for (int64_t k = 0; k < n; k++) {
        const cplx b = x[n - 1 - k];
        z[k] = times(root(-(2 * (number)k + 1), 8 * (number)n),
                     (cplx){x[k].re + b.im, x[k].im - b.re});
    }
}

/* ---- pairs with reals on one side, of n = 2m ---- */

/* y_f = 2 Re (w_4n^f X_f), X_f of Z, of which the half beyond m are conjugates */
static void rdct2_pairs(int64_t m, const cplx *z, cplx *y)
{
    cplx x[MOST + 1];
    rdft_pairs(m, z, x);
    for (int64_t f = 0; f < 2 * m; f++) {
        const cplx half = f <= m ? x[f] : (cplx){x[2 * m - f].re, -x[2 * m - f].im};
        y[f] = (cplx){2 * times(root((number)f, 8 * (number)m), half).re, 0};
    }
}

/* X_f = w_4n^-f (x_f - i x_{n-f}), x_n = 0, to Z */
static void rdct3_pairs(int64_t m, const cplx *x, cplx *z)
{
    cplx half[MOST + 1];
    for (int64_t f = 0; f <= m; f++)
        half[f] =
            times(root(-(number)f, 8 * (number)m), (cplx){x[f].re, f == 0 ? 0 : -x[2 * m - f].re});
    irdft_pairs(m, half, z);
}

/* The cosine pairs from the last element to the first. */
static void rdst2_pairs(int64_t m, const cplx *z, cplx *y)
{
    cplx last_first[2 * MOST];
    rdct2_pairs(m, z, last_first);
    for (int64_t f = 0; f < 2 * m; f++)
        y[f] = last_first[2 * m - 1 - f];
}

static void rdst3_pairs(int64_t m, const cplx *x, cplx *z)
{
    cplx last_first[2 * MOST];
    for (int64_t f = 0; f < 2 * m; f++)
        last_first[f] = x[2 * m - 1 - f];
    rdct3_pairs(m, last_first, z);
}

/* Of x_{n-f}, x_n = 0. */
static void ridxst_pairs(int64_t m, const cplx *x, cplx *z)
{
    cplx turned[2 * MOST] = {{0, 0}};
    for (int64_t f = 1; f < 2 * m; f++)
        turned[f] = x[2 * m - f];
    rdct3_pairs(m, turned, z);
}

/* y_f = Re X_f - Im X_f, f and n-f. */
static void rdht_pairs(int64_t m, const cplx *z, cplx *y)
{
    cplx x[MOST + 1];
    rdft_pairs(m, z, x);
    for (int64_t f = 0; f <= m; f++)
        y[f] = (cplx){x[f].re - x[f].im, 0};
    for (int64_t f = 1; f < m; f++)
        y[2 * m - f] = (cplx){x[f].re + x[f].im, 0};
}

/* Re X_0 .. Re X_m, Im X_{m-1} .. Im X_1 */
static void hc_pairs(int64_t m, const cplx *z, cplx *y)
{
    cplx x[MOST + 1];
    rdft_pairs(m, z, x);
    for (int64_t f = 0; f <= m; f++)
        y[f] = (cplx){x[f].re, 0};
    for (int64_t f = 1; f < m; f++)
        y[2 * m - f] = (cplx){x[f].im, 0};
}

static void ihc_pairs(int64_t m, const cplx *y, cplx *z)
{
    cplx x[MOST + 1];
    for (int64_t f = 0; f <= m; f++)
        x[f] = (cplx){y[f].re, f == 0 || f == m ? 0 : y[2 * m - f].re};
    irdft_pairs(m, x, z);
}

/* X_0 + i X_m, X_1 .. */
static void packed_pairs(int64_t m, const cplx *z, cplx *y)
{
    cplx x[MOST + 1];
    rdft_pairs(m, z, x);
    x[0].im = x[m].re;
    for (int64_t f = 0; f < m; f++)
        y[f] = x[f];
}

static void ipacked_pairs(int64_t m, const cplx *y, cplx *z)
{
    cplx x[MOST + 1];
    for (int64_t f = 1; f < m; f++)
        x[f] = y[f];
    x[0] = (cplx){y[0].re, 0};
    x[m] = (cplx){y[0].im, 0};
    irdft_pairs(m, x, z);
}

/* s_j = w_16n^{8j+1} */
static cplx half_step(int64_t m, int64_t j)
{
    return root(8 * (number)j + 1, 32 * (number)m);
}

/* z_j = s_j (x_2j + i x_{n-1-2j}), of pairs of reals */
static void dct4in_pairs(int64_t m, const cplx *x, cplx *z)
{
    for (int64_t j = 0; j < m; j++)
        z[j] = times(half_step(m, j), (cplx){x[j].re, x[m - 1 - j].im});
}

/* y_2j - i y_{n-1-2j} = 2 s_j z_j, to pairs of reals */
static void dct4out_pairs(int64_t m, const cplx *z, cplx *y)
{
    for (int64_t j = 0; j < m; j++) {
        const cplx s = half_step(m, j), turned = times((cplx){2 * s.re, 2 * s.im}, z[j]);
        y[j].re = turned.re;
        y[m - 1 - j].im = -turned.im;
    }
}

/* Of x_{n-1}, .., x_0 */
static void dst4in_pairs(int64_t m, const cplx *x, cplx *z)
{
    cplx last_first[MOST];
    for (int64_t j = 0; j < m; j++)
        last_first[j] = (cplx){x[m - 1 - j].im, x[m - 1 - j].re};
    dct4in_pairs(m, last_first, z);
}

static void dst4out_pairs(int64_t m, const cplx *z, cplx *y)
{
    dct4out_pairs(m, z, y);
    for (int64_t j = 0; j < m; j++)
        y[j].im = -y[j].im;
}

static void (*const pairs[SPL_PAIRS_KINDS])(int64_t, const cplx *, cplx *) = {
    [SPL_PAIRS_RDFT] = rdft_pairs,       [SPL_PAIRS_IRDFT] = irdft_pairs,
    [SPL_PAIRS_DCT2] = dct2_pairs,       [SPL_PAIRS_DCT3] = dct3_pairs,
    [SPL_PAIRS_DHT] = dht_pairs,         [SPL_PAIRS_IDXST] = idxst_pairs,
    [SPL_PAIRS_DCT4] = dct4_pairs,       [SPL_PAIRS_RDCT2] = rdct2_pairs,
    [SPL_PAIRS_RDCT3] = rdct3_pairs,     [SPL_PAIRS_RDST2] = rdst2_pairs,
    [SPL_PAIRS_RDST3] = rdst3_pairs,     [SPL_PAIRS_RIDXST] = ridxst_pairs,
    [SPL_PAIRS_RDHT] = rdht_pairs,       [SPL_PAIRS_HC] = hc_pairs,
    [SPL_PAIRS_IHC] = ihc_pairs,         [SPL_PAIRS_PACKED] = packed_pairs,
    [SPL_PAIRS_IPACKED] = ipacked_pairs, [SPL_PAIRS_DCT4IN] = dct4in_pairs,
    [SPL_PAIRS_DCT4OUT] = dct4out_pairs, [SPL_PAIRS_DST4IN] = dst4in_pairs,
    [SPL_PAIRS_DST4OUT] = dst4out_pairs};

static void random_vector(uint64_t seed, int64_t n, number *x)
{
    for (int64_t i = 0; i < 2 * n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        x[i] = (number)(int64_t)(seed >> 20) / (number)((int64_t)1 << 43);
    }
}

static void pairs_are_their_sums(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPL_PAIRS_KINDS; kind++)
        for (int64_t m = 1; m < MOST; m++) {
            spl_ctx *ctx = spl_ctx_open();
            const spl *x = spl_pairs(ctx, (spl_pairs_kind)kind, m);
            number in[4 * MOST], out[4 * MOST];
            cplx want[2 * MOST];
            random_vector((uint64_t)m, x->cols, in);
            pairs[kind](m, (const cplx *)in, want);
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
    const spl *x = spl_pairs(ctx, SPL_PAIRS_IRDFT, 4);
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
        assert_int_equal(spl_apply(spl_pairs(ctx, SPL_PAIRS_RDFT, 8), in, out), SLUICE_OK);
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
                                       "PAIRS.rdct2(6) * DFT(6) * V(6)",
                                       "PAIR.dct4in(7,h(1,3,0,1))",
                                       "SELF.dct4out(7)",
                                       "EDGE.ridxst(3)",
                                       "CONJ(4) (x) I(2)",
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
                                       "D.half(4,h(2,4,1,2))",
                                       "Q(5)",
                                       "D.signs(4,h(2,4,1,2))"};
    static const char *const bad[] = {"PAIRS(8)",
                                      "PAIRS.dft(8)",
                                      "PAIRS.rdft(0)",
                                      "PAIRS.rdft(8,2)",
                                      "SELF.rdft(5)",
                                      "SELF.dct4in(6)",
                                      "EDGE.dct4in(6)",
                                      "PAIR.dct4in(7,h(1,4,3,1))",
                                      "PAIRS.rdct2(4) * PAIRS.rdct2(8)",
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pairs_are_their_sums, nothing_leaks),
        cmocka_unit_test_teardown(imaginary_parts_of_real_rows_are_not_read, nothing_leaks),
        cmocka_unit_test_teardown(wrong_factors_are_seen, nothing_leaks),
        cmocka_unit_test_teardown(wrong_forms_are_seen, nothing_leaks),
        cmocka_unit_test_teardown(text_is_read_as_it_is_printed, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
