// SPDX-License-Identifier: BSD-3-Clause
/* The meaning of formulas: every node against its definition, the identities of FFTs, and the
 * oracle of transforms against the definition and by its properties. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_spl.h"

static const long double two_pi = 6.283185307179586476925286766559005768L;
/* Of dense matrices up to 64 x 64, whatever the width of long double. */
static const long double tolerance = 0x1p-42L;

static const spl *parsed(spl_ctx *ctx, const char *text)
{
    const spl *x = NULL;
    sluice_diag why = {0};
    if (spl_parse(ctx, text, &x, &why) != SLUICE_OK)
        fail_msg("%s\nat %zu: %s", text, why.offset, why.message);
    return x;
}

/* Equal as matrices. */
static void assert_equal(const char *left, const char *right)
{
    spl_ctx *ctx = spl_ctx_open();
    long double distance;
    assert_int_equal(spl_distance(parsed(ctx, left), parsed(ctx, right), &distance), SLUICE_OK);
    if (!(distance <= tolerance))
        fail_msg("%s\n%s\nare %Lg apart", left, right, distance);
    spl_ctx_close(ctx);
}

/* `pattern` with #n, #m, #k and their products, #kmn, as numbers. */
static const char *filled(char *out, const char *pattern, int n, int m, int k)
{
    char *to = out;
    while (*pattern != '\0') {
        if (*pattern != '#') {
            *to++ = *pattern++;
            continue;
        }
        int value = 1;
        for (pattern++; *pattern == 'n' || *pattern == 'm' || *pattern == 'k'; pattern++)
            value *= *pattern == 'n' ? n : *pattern == 'm' ? m : k;
        to += sprintf(to, "%d", value);
    }
    *to = '\0';
    return out;
}

static const char *const identities[][2] = {
    /* (1) and its relatives */
    {"DFT(#nm)", "(DFT(#n) (x) I(#m)) * T(#n,#m) * (I(#n) (x) DFT(#m)) * L(#nm,#n)"},
    {"DFT(#nm)", "L(#nm,#m) * (I(#n) (x) DFT(#m)) * T(#n,#m) * (DFT(#n) (x) I(#m))"},
    {"DFT(#nm)", "(DFT(#n) (x) I(#m)) * T(#n,#m) * L(#nm,#n) * (DFT(#m) (x) I(#n))"},
    {"DFT(#nm)", "L(#nm,#n) * (I(#m) (x) DFT(#n)) * L(#nm,#m) * T(#n,#m) * "
                 "(I(#n) (x) DFT(#m)) * L(#nm,#n)"},
    {"IDFT(#nm)", "(IDFT(#n) (x) I(#m)) * T(#n,#m)^-1 * (I(#n) (x) IDFT(#m)) * L(#nm,#n)"},
    /* (2) */
    {"DFT(#n) (x) DFT(#m)", "(DFT(#n) (x) I(#m)) * (I(#n) (x) DFT(#m))"},
    {"DFT(#n) (x) IDFT(#m) (x) DFT(#k)",
     "(DFT(#n) (x) I(#mk)) * (I(#n) (x) IDFT(#m) (x) I(#k)) * (I(#nm) (x) DFT(#k))"},
    /* stride permutations */
    {"L(#nm,#n) * L(#nm,#m)", "I(#nm)"},
    {"L(#kmn,#k) * L(#kmn,#m)", "L(#kmn,#km)"},
    {"L(#kmn,#n)", "(L(#kn,#n) (x) I(#m)) * (I(#k) (x) L(#mn,#n))"},
    {"L(#kmn,#km)", "(I(#k) (x) L(#mn,#m)) * (L(#kn,#k) (x) I(#m))"},
    {"L(#nm,#n) * (DFT(#m) (x) IDFT(#n)) * L(#nm,#m)", "IDFT(#n) (x) DFT(#m)"},
    {"L(#nm,#n)", "P(l(#nm,#n))"},
    /* inverses */
    {"T(#n,#m)^-1 * T(#n,#m)", "I(#nm)"},
    {"T(#n,#m)", "D(#n,#m,id(#nm))"},
    {"DFT(#n) * DFT(#n) * DFT(#n)", "IDFT(#n) * DFT(#n) * IDFT(#n)"},
    /* direct sums */
    {"I(#n) (x) DFT(#m) (+) I(#m)", "(I(#n) (x) DFT(#m)) (+) I(#m)"},
    {"(DFT(#n) (+) T(#n,#m)) * (IDFT(#n) (+) L(#nm,#m))",
     "(DFT(#n) * IDFT(#n)) (+) (T(#n,#m) * L(#nm,#m))"},
    /* loops: Table 2 */
    {"I(#n) (x) DFT(#m)", "SUM(k0<#n, S(h(#m,#nm,#m*k0%#n,1)) * DFT(#m) * "
                          "G(h(#m,#nm,#m*k0%#n,1)))"},
    {"DFT(#m) (x) I(#n)", "SUM.par(k0<#n, S(h(#m,#nm,k0%#n,#n)) * DFT(#m) * "
                          "G(h(#m,#nm,k0%#n,#n)))"},
    {"(I(#n) (x) DFT(#m)) * L(#nm,#n)",
     "SUM.stream(k0<#n, S.copy(h(#m,#nm,#m*k0%#n,1)) * DFT(#m)_{leaf} * "
     "G.net(h(#m,#nm,k0%#n,#n)))"},
    {"(DFT(#m) (x) I(#n)) * T(#m,#n)",
     "SUM(k0<#n, S(h(#m,#nm,k0%#n,#n)) * DFT(#m) * D(#m,#n,h(#m,#nm,k0%#n,#n)) * "
     "G(h(#m,#nm,k0%#n,#n)))"},
    /* uneven shares: (7u) */
    {"DFT(#m) (x) I(#n)", "SUM.par(k1<#k, SUM(k0<#n@k1/#k, S(h(#m,#nm,k0%#n,#n)) * "
                          "DFT(#m) * G(h(#m,#nm,k0%#n,#n))))"},
    {"I(#n) (x) IDFT(#m)", "SUM.par(k5<#kk, SUM.vec[4,split](k0<#n@k5/#kk/2, "
                           "S(h(#m,#nm,#m*k0%#n,1)) * IDFT(#m) * "
                           "G(h(#m,#nm,#m*k0%#n,1))))"},
    /* a loop over the whole, and rectangles in a tensor product */
    {"SUM(k0<#n, DFT(#m))", "(SUM(k0<#n, G(h(1,#n,k0%#n,0))) (x) I(#m)) * (G(h(#n,1,0,0)) (x) "
                            "DFT(#m))"},
};

static void identities_hold(void **state)
{
    char left[1024], right[1024];
    (void)state;
    for (size_t id = 0; id < sizeof identities / sizeof identities[0]; id++)
        for (int n = 1; n <= 6; n++)
            for (int m = 1; m <= 5; m++)
                for (int k = 1; k <= 2; k++)
                    assert_equal(filled(left, identities[id][0], n, m, k),
                                 filled(right, identities[id][1], n, m, k));
}

typedef struct complex_number {
    long double re, im;
} complex_number;

static complex_number root(int64_t k, int64_t n)
{
    const long double angle = two_pi * (long double)(k % n) / (long double)n;
    return (complex_number){cosl(angle), -sinl(angle)};
}

/* Entry (row, col) of each node by its definition; n = 6, m = 4. */
static complex_number dft_entry(int64_t row, int64_t col)
{
    return root(row * col, 6);
}
static complex_number idft_entry(int64_t row, int64_t col)
{
    return root((24 - row) * col, 6);
}
static complex_number big_dft_entry(int64_t row, int64_t col)
{
    return root(row * col, 90);
}
static complex_number stride_entry(int64_t row, int64_t col)
{
    return (complex_number){col == row / 4 + 6 * (row % 4), 0};
}
static complex_number twiddle_entry(int64_t row, int64_t col)
{
    return row == col ? root((row / 4) * (row % 4), 24) : (complex_number){0, 0};
}
static complex_number gather_entry(int64_t row, int64_t col)
{
    return (complex_number){col == 1 + 2 * row, 0};
}
static complex_number scatter_entry(int64_t row, int64_t col)
{
    return gather_entry(col, row);
}
static complex_number kron_entry(int64_t row, int64_t col)
{
    const complex_number a = gather_entry(row / 6, col / 6), b = dft_entry(row % 6, col % 6);
    return (complex_number){a.re * b.re, a.re * b.im};
}
static complex_number sum_entry(int64_t row, int64_t col)
{
    return (row < 3) == (col < 8) ? row < 3 ? gather_entry(row, col) : dft_entry(row - 3, col - 8)
                                  : (complex_number){0, 0};
}

typedef struct meaning {
    const char *text;
    int64_t rows, cols;
    complex_number (*entry)(int64_t row, int64_t col);
} meaning;

static const meaning meanings[] = {
    {"DFT(6)", 6, 6, dft_entry},
    {"IDFT(6)", 6, 6, idft_entry},
    {"DFT(90)", 90, 90, big_dft_entry},
    {"L(24,6)", 24, 24, stride_entry},
    {"T(6,4)", 24, 24, twiddle_entry},
    {"G(h(3,8,1,2))", 3, 8, gather_entry},
    {"S.copy(h(3,8,1,2))", 8, 3, scatter_entry},
    {"G(h(3,8,1,2)) (x) DFT(6)_{leaf}", 18, 48, kron_entry},
    {"G(h(3,8,1,2)) (+) DFT(6)", 9, 14, sum_entry},
};

static void nodes_mean_their_definition(void **state)
{
    static long double matrix[90 * 90 * 2];
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    for (size_t k = 0; k < sizeof meanings / sizeof meanings[0]; k++) {
        const meaning *m = &meanings[k];
        const spl *x = parsed(ctx, m->text);
        assert_int_equal(x->rows, m->rows);
        assert_int_equal(x->cols, m->cols);
        assert_int_equal(spl_dense(x, matrix), SLUICE_OK);
        for (int64_t row = 0; row < m->rows; row++)
            for (int64_t col = 0; col < m->cols; col++) {
                const complex_number e = m->entry(row, col);
                const long double *d = matrix + 2 * (row * m->cols + col);
                if (!(fabsl(d[0] - e.re) + fabsl(d[1] - e.im) <= tolerance))
                    fail_msg("%s: entry %d %d", m->text, (int)row, (int)col);
            }
    }
    spl_ctx_close(ctx);
}

static void what_has_no_meaning_is_refused(void **state)
{
    static const char *const loose[] = {
        "G(h(4,8,4*k0%2,1))",     "S(h(4,8,4*k0%2,1))",
        "D(4,2,h(4,8,4*k0%2,1))", "SUM(k0<4, S(h(4,8,4*k1%2,1)))",
        "SUM(k0<4@k1/2, DFT(4))", "SUM(k0<4, DFT(4)) * SUM(k1<2, G(h(4,8,4*k0%2,1)))"};
    static long double matrix[8 * 8 * 2];
    spl_ctx *ctx = spl_ctx_open();
    long double distance;
    (void)state;
    for (size_t k = 0; k < sizeof loose / sizeof loose[0]; k++)
        assert_int_equal(spl_dense(parsed(ctx, loose[k]), matrix), SLUICE_E_INVALID);
    assert_int_equal(spl_dense(spl_identity(ctx, 1025), matrix), SLUICE_E_UNSUPPORTED);
    assert_int_equal(spl_distance(parsed(ctx, "DFT(2)"), parsed(ctx, "DFT(3)"), &distance),
                     SLUICE_OK);
    assert_true(isinf(distance));
    spl_ctx_close(ctx);
}

static long double *random_vector(spl_random *r, int64_t n)
{
    long double *x = core_malloc((size_t)n * 2 * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = (long double)(spl_random_next(r) >> 11) * 0x1p-52L - 1;
    return x;
}

/* Root mean square of a - scale*b. */
static long double rms(const long double *a, const long double *b, long double scale, int64_t n)
{
    long double sum = 0;
    for (int64_t i = 0; i < 2 * n; i++)
        sum += (a[i] - scale * b[i]) * (a[i] - scale * b[i]);
    return sqrtl(sum / (long double)n);
}

/* What tests of long lists of formulas take in place of unit vectors. */
static void random_vectors_find_one_entry(void **state)
{
    static const char *const pairs[][2] = {{"I(64)", "I(60) (+) T(2,2)"},
                                           {"I(64)", "T(2,2) (+) I(60)"},
                                           {"V(4)", "V(4) * P(l(8,2))"},
                                           {"V(4)", "T(2,2) * V(4)"},
                                           {"DCT2(8)_{leaf}", "DFT(8)_{leaf}"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x = parsed(ctx, pairs[i][0]), *y = parsed(ctx, pairs[i][1]);
        assert_true(spl_random_distance(x, y) > 0.1L);
        assert_true(spl_random_distance(y, y) == 0);
        spl_ctx_close(ctx);
    }
}

static void oracle_meets_the_definition(void **state)
{
    spl_random r = {1};
    (void)state;
    for (int64_t n = 1; n <= 128; n++)
        for (int inverse = 0; inverse < 2; inverse++) {
            long double *x = random_vector(&r, n), *y = random_vector(&r, n);
            assert_int_equal(spl_oracle_dft(n, inverse, x, y), SLUICE_OK);
            for (int64_t j = 0; j < n; j++) {
                complex_number sum = {0, 0};
                for (int64_t k = 0; k < n; k++) {
                    const complex_number w = root(j * k, n);
                    const long double im = inverse ? -w.im : w.im;
                    sum.re += w.re * x[2 * k] - im * x[2 * k + 1];
                    sum.im += w.re * x[2 * k + 1] + im * x[2 * k];
                }
                assert_true(hypotl(sum.re - y[2 * j], sum.im - y[2 * j + 1]) <= tolerance);
            }
            core_free(x);
            core_free(y);
        }
}

/* Inverse, energy, and what a shift does. */
static void oracle_has_the_properties(void **state)
{
    static const int64_t sizes[] = {131, 1000, 1009, 4096, 6561, 46189, 65536, 100000, 393216};
    spl_random r = {2};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int64_t n = sizes[s], shift = 1 + n / 3;
        long double *x = random_vector(&r, n), *y = random_vector(&r, n), *z = random_vector(&r, n);
        long double *const zero = core_calloc((size_t)n, 2 * sizeof *zero);
        assert_int_equal(spl_oracle_dft(n, false, x, y), SLUICE_OK);
        assert_int_equal(spl_oracle_dft(n, true, y, z), SLUICE_OK);
        assert_true(rms(z, x, (long double)n, n) <= tolerance * (long double)n);
        const long double energy = rms(y, zero, 0, n) / rms(x, zero, 0, n);
        assert_true(fabsl(energy * energy / (long double)n - 1) <= tolerance);
        for (int64_t i = 0; i < n; i++) {
            z[2 * ((i + shift) % n)] = x[2 * i];
            z[2 * ((i + shift) % n) + 1] = x[2 * i + 1];
        }
        assert_int_equal(spl_oracle_dft(n, false, z, x), SLUICE_OK);
        for (int64_t j = 0; j < n; j++) {
            const complex_number w = root(j * shift, n);
            z[2 * j] = w.re * y[2 * j] - w.im * y[2 * j + 1];
            z[2 * j + 1] = w.re * y[2 * j + 1] + w.im * y[2 * j];
        }
        assert_true(rms(x, z, 1, n) <= tolerance * sqrtl((long double)n));
        core_free(x);
        core_free(y);
        core_free(z);
        core_free(zero);
    }
}

/* Loops cost what they touch: 64k points as 1024 iterations of 64, three times. */
static void large_loops_are_feasible(void **state)
{
    const int64_t n = 1 << 16;
    spl_random r = {3};
    spl_ctx *ctx = spl_ctx_open();
    long double *x = random_vector(&r, n), *y = random_vector(&r, n), *z = random_vector(&r, n);
    (void)state;
    const spl *formula = parsed(
        ctx, "SUM(k0<1024, S(h(64,65536,k0%1024,1024)) * DFT(64) * "
             "D(64,1024,h(64,65536,k0%1024,1024)) * G(h(64,65536,k0%1024,1024))) * "
             "SUM.par(k1<64, S(h(1024,65536,1024*k1%64,1)) * (DFT(16) (x) I(64)) * T(16,64) * "
             "SUM(k0<16, S(h(64,1024,64*k0%16,1)) * DFT(64) * G(h(64,1024,k0%16,16))) * "
             "G(h(1024,65536,k1%64,64)))");
    assert_int_equal(spl_apply(formula, x, y), SLUICE_OK);
    assert_int_equal(spl_apply(parsed(ctx, "DFT(65536)"), x, z), SLUICE_OK);
    assert_true(rms(y, z, 1, n) <= tolerance * 256);
    core_free(x);
    core_free(y);
    core_free(z);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_hold),
        cmocka_unit_test(nodes_mean_their_definition),
        cmocka_unit_test(what_has_no_meaning_is_refused),
        cmocka_unit_test(random_vectors_find_one_entry),
        cmocka_unit_test(oracle_meets_the_definition),
        cmocka_unit_test(oracle_has_the_properties),
        cmocka_unit_test(large_loops_are_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
