// SPDX-License-Identifier: BSD-3-Clause
/* The table of transforms against definitions written out here, as FFTW's manual has them; types of
 * formulas; what changes types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_spl.h"

typedef long double number;

static const number pi = 3.14159265358979323846264338327950288L;

/* Row k, column j of the transforms with real entries. */
static number real_entry(spl_kind kind, number n, number k, number j)
{
    const bool first = j == 0, last = j == n - 1;
    switch (kind) {
    case SPL_DHT: return cosl(2 * pi * j * k / n) + sinl(2 * pi * j * k / n);
    case SPL_DCT1: return (first || last ? 1 : 2) * cosl(pi * j * k / (n - 1));
    case SPL_DCT2: return 2 * cosl(pi * (j + 0.5L) * k / n);
    case SPL_DCT3: return (first ? 1 : 2) * cosl(pi * j * (k + 0.5L) / n);
    case SPL_DCT4: return 2 * cosl(pi * (j + 0.5L) * (k + 0.5L) / n);
    case SPL_DST1: return 2 * sinl(pi * (j + 1) * (k + 1) / (n + 1));
    case SPL_DST2: return 2 * sinl(pi * (j + 0.5L) * (k + 1) / n);
    case SPL_DST3: return (last ? 1 : 2) * sinl(pi * (j + 1) * (k + 0.5L) / n);
    case SPL_DST4: return 2 * sinl(pi * (j + 0.5L) * (k + 0.5L) / n);
    case SPL_IDXST: return first ? 0 : 2 * sinl(pi * j * (k + 0.5L) / n);
    default: fail_msg("no real entries"); return 0;
    }
}

static void real_by_definition(spl_kind kind, int64_t n, const number *in, number *out)
{
    for (int64_t k = 0; k < n; k++) {
        out[2 * k] = out[2 * k + 1] = 0;
        for (int64_t j = 0; j < n; j++) {
            const number entry = real_entry(kind, n, k, j);
            out[2 * k] += entry * in[2 * j];
            out[2 * k + 1] += entry * in[2 * j + 1];
        }
    }
}

/* Element j of a vector of which `half` only has the elements to n/2: the others are conjugates. */
static void element(const number *x, bool half, int64_t n, int64_t j, number *re, number *im)
{
    const bool mirrored = half && 2 * j > n, alone = half && (j == 0 || 2 * j == n);
    const int64_t at = mirrored ? n - j : j;
    *re = x[2 * at];
    *im = alone ? 0 : mirrored ? -x[2 * at + 1] : x[2 * at + 1];
}

static void fourier_by_definition(spl_kind kind, int64_t n, const number *in, number *out)
{
    const bool inverse = kind == SPL_IDFT || kind == SPL_IRDFT;
    for (int64_t k = 0; k < spl_transform_rows(kind, n); k++) {
        number re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            const number angle = (inverse ? 2 : -2) * pi * (number)(j * k % n) / (number)n;
            number x, y;
            element(in, kind == SPL_IRDFT, n, j, &x, &y);
            if (kind == SPL_RDFT)
                y = 0;
            re += x * cosl(angle) - y * sinl(angle);
            im += x * sinl(angle) + y * cosl(angle);
        }
        out[2 * k] = re;
        out[2 * k + 1] = kind == SPL_IRDFT ? 0 : im;
    }
}

/* Real i of a half-spectrum: X_0, the others in their order, as docs/FAMILY.md has them. */
static int64_t number_of(spl_order order, int64_t n, int64_t i, int *part)
{
    const bool packed = order == SPL_ORDER_PACKED, even = n % 2 == 0;
    const int64_t position = packed && even && i > 0 ? (i == 1 ? n - 1 : i - 1) : i;
    *part = packed ? position > 0 && position % 2 == 0 : 2 * i > n;
    return packed ? (position + 1) / 2 : *part ? n - i : i;
}

static void ordered_by_definition(spl_kind kind, int64_t n, const number *in, number *out)
{
    const spl_transform *t = spl_transform_of(kind);
    const bool back = t->trig == SPL_TRIG_EXP_INVERSE;
    for (int64_t i = 0; i < n; i++)
        out[2 * i] = out[2 * i + 1] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) { /* real i of the half-spectrum, real j */
            int part;
            const int64_t k = number_of(t->order, n, i, &part);
            const number angle = 2 * pi * (number)(j * k % n) / (number)n;
            const number entry = part ? -sinl(angle) : cosl(angle);
            if (back)
                out[2 * j] += (2 * k % n == 0 ? 1 : 2) * entry * in[2 * i];
            else
                out[2 * i] += entry * in[2 * j];
        }
}

static number random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (number)(int64_t)*state / 9223372036854775808.0L;
}

static void check_size(spl_kind kind, int64_t n)
{
    const spl_transform *t = spl_transform_of(kind);
    const int64_t cols = spl_transform_cols(kind, n), rows = spl_transform_rows(kind, n);
    number *in = calloc((size_t)(2 * cols + 4 * rows), sizeof *in);
    assert_non_null(in);
    number *const out = in + 2 * cols, *const expected = out + 2 * rows;
    uint64_t state = (uint64_t)n;
    for (int64_t i = 0; i < 2 * cols; i++)
        in[i] = t->from == SPL_TYPE_REAL && i % 2 ? 0 : random_number(&state);
    if (t->from == SPL_TYPE_ANY)
        real_by_definition(kind, n, in, expected);
    else if (t->order != SPL_ORDER_NONE)
        ordered_by_definition(kind, n, in, expected);
    else
        fourier_by_definition(kind, n, in, expected);
    assert_int_equal(spl_oracle_transform(kind, n, in, out), SLUICE_OK);
    for (int64_t i = 0; i < 2 * rows; i++)
        if (!(fabsl(out[i] - expected[i]) < 1e-16L * (number)n))
            fail_msg("%s(%lld), scalar %lld: %Lg, expected %Lg", t->word, (long long)n,
                     (long long)i, out[i], expected[i]);
    free(in);
}

/* Sizes that are summed up and sizes that go through a longer DFT. */
static void transforms_are_their_definitions(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++)
        for (int64_t n = spl_transform_of((spl_kind)kind)->least; n < 100; n += n < 66 ? 1 : 7)
            check_size((spl_kind)kind, n);
}

/* inverse(T) T = c I, with the c that the definitions give. */
static void inverses_undo(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++) {
        const spl_transform *t = spl_transform_of((spl_kind)kind);
        for (int64_t n = t->least; n < 12 && t->inverse >= 0; n++) {
            number x[32] = {0}, y[32] = {0}, z[32] = {0};
            const number scale = t->trig <= SPL_TRIG_EXP_INVERSE || t->trig == SPL_TRIG_CAS
                                     ? (number)n
                                     : 2 * (number)(n + t->more);
            uint64_t seed = 7;
            if (kind == SPL_IRDFT)
                continue; /* from a spectrum back to it: by RDFT */
            for (int64_t i = 0; i < n; i++)
                x[2 * i] = random_number(&seed);
            assert_int_equal(spl_oracle_transform((spl_kind)kind, n, x, y), SLUICE_OK);
            assert_int_equal(spl_oracle_transform((spl_kind)t->inverse, n, y, z), SLUICE_OK);
            for (int64_t i = 0; i < 2 * n; i++)
                assert_true(fabsl(z[i] - scale * x[i]) < 1e-15L);
        }
    }
}

static number distance(const char *a, const char *b)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x, *y;
    number far = -1;
    sluice_diag why = {0};
    if (spl_parse(ctx, a, &x, &why) != SLUICE_OK || spl_parse(ctx, b, &y, &why) != SLUICE_OK)
        fail_msg("%s, %s: %s", a, b, why.message);
    assert_int_equal(spl_distance(x, y, &far), SLUICE_OK);
    spl_ctx_close(ctx);
    return far;
}

/* Identities between kinds. */
static const char *const equal[][2] = {
    {"V(5)^-1 * V(5)", "I(10)"},
    {"V(5) * V(5)^-1", "I(5)"},
    {"RE(5) * EMBED(5)", "I(5)"},
    {"V(3)^-1 * (DCT2(3) * V(3))", "DCT2(3) (x) I(2)"}, /* a real matrix is complex-linear */
    {"V(12)^-1 * (DST4(4) (x) I(3)) * V(12)", "DST4(4) (x) I(6)"},
    {"I(2) (x) V(3)", "V(6)"},
    {"G(h(4,7,0,1)) * DFT(7) * EMBED(7)", "RDFT(7)"},
    {"G(h(4,6,0,1)) * DFT(6) * EMBED(6)", "RDFT(6)"},
};

static void formulas_of_types_are_equal(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++)
        if (!(distance(equal[i][0], equal[i][1]) < 1e-16L))
            fail_msg("%s is not %s", equal[i][0], equal[i][1]);
}

/* On unit vectors alone these are equal. */
static void a_wrong_conjugation_is_seen(void **state)
{
    (void)state;
    assert_true(distance("RE(5) * DFT(5)", "RE(5) * IDFT(5)") > 0.5L);
    assert_true(distance("V(3)^-1", "V(3)^-1 * EMBED(3) * RE(3)") > 0.5L);
    assert_true(isinf(distance("EMBED(5)", "V(5)^-1 * DFT(5) * EMBED(5)")) != 0);
}

static const struct refused {
    const char *formula, *sentence;
} refused[] = {
    {"RDFT(5) * DFT(5)", "a product: reals on the left of the operator, complex numbers on the "
                         "right"},
    {"DFT(8) * V(4)^-1 * V(4)", "a product: complex numbers on the left of the operator, reals on "
                                "the right"},
    {"EMBED(3) (x) DFT(4)", "a tensor product: reals on the left of the operator, complex numbers "
                            "on the right"},
    {"DFT(3) (+) RE(3)", "a sum: complex numbers on the left of the operator, reals on the right"},
    {"DFT(3) + EMBED(3)", "a sum: complex numbers on the left of the operator, reals on the right"},
    {"I(2) (+) RE(2)", "a sum: one term keeps the type of its vector, another changes it"},
    {"RDFT(2) (+) I(2)", "a sum: one term keeps the type of its vector, another changes it"},
    {"DHT(3) + EMBED(3)", "a sum: one term keeps the type of its vector, another changes it"},
    {"EMBED(3) * T(3,1)", "a product: reals on the left of the operator, complex numbers on the "
                          "right"},
    {"DCT1(1)", "DCT1: 1 is not a size from 2 to 2^40"},
};

static void types_must_meet(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x;
        sluice_diag why = {0};
        assert_int_equal(spl_parse(ctx, refused[i].formula, &x, &why), SLUICE_E_INVALID);
        assert_string_equal(why.message, refused[i].sentence);
        spl_ctx_close(ctx);
    }
}

static void every_word_is_read_as_it_is_printed(void **state)
{
    (void)state;
    static const char *const others[] = {"V(4)", "V(4)^-1", "EMBED(4)", "RE(4)"};
    spl_ctx *ctx = spl_ctx_open();
    for (int i = 0; i < SPL_KIND_COUNT + 4; i++) {
        core_text text = {0}, again = {0};
        const spl *x;
        if (i < SPL_KIND_COUNT)
            core_text_printf(&text, "%s(9)", spl_transform_of((spl_kind)i)->word);
        else
            core_text_printf(&text, "%s", others[i - SPL_KIND_COUNT]);
        assert_int_equal(spl_parse(ctx, text.data, &x, NULL), SLUICE_OK);
        spl_print(x, &again);
        assert_string_equal(text.data, again.data);
        core_text_free(&text);
        core_text_free(&again);
    }
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(transforms_are_their_definitions, nothing_leaks),
        cmocka_unit_test_teardown(inverses_undo, nothing_leaks),
        cmocka_unit_test_teardown(formulas_of_types_are_equal, nothing_leaks),
        cmocka_unit_test_teardown(a_wrong_conjugation_is_seen, nothing_leaks),
        cmocka_unit_test_teardown(types_must_meet, nothing_leaks),
        cmocka_unit_test_teardown(every_word_is_read_as_it_is_printed, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
