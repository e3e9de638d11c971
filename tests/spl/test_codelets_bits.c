// SPDX-License-Identifier: BSD-3-Clause
/* Codelets that compute the same in other ways have the same bits: of short vectors and of longer
 * ones, D and T, planes and their axes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spl/bind/bind_target.h"
#include "spl/formula/transforms.h"
#include "tests/helpers/helper_codelet_inside.h"

/* Of planes: scalars from row to row, and bytes of as many rows as a vector has lanes. */
enum { PLANE_PITCH = 16, PLANE_BYTES = 16 * 16 * 8 };

#if SLUICE_HAVE_AVX2
static const spl_codelet *const short_tables[2] = {spl_codelets_fma128_f32,
                                                   spl_codelets_fma128_f64};

/* NULL also where longer vectors compute in registers, otherwise than columns. */
static const spl_codelet *longer_twin(const spl_codelet *codelet)
{
    const spl_key *k = &codelet->key;
    const spl_codelet *c = trial_tables[CORE_ISA_AVX2][k->precision];

    while (c->name
           && (c->key.n != k->n || c->key.position != k->position || c->key.tw != k->tw
               || c->key.kind != k->kind || c->key.in != k->in || c->key.out != k->out
               || c->key.compute != k->compute || c->key.weighed || c->key.nt))
        c++;
    return c->name && !bind_is_in_registers(&c->key) ? c : NULL;
}

static void compare_lengths(const spl_codelet *codelet, const spl_codelet *twin, int inverse)
{
    trial t[2];
    for (int i = 0; i < 2; i++) {
        t[i] = (trial){.codelet = i ? twin : codelet,
                       .seed = 31,
                       .inverse = inverse,
                       .columns = 2 * twin->key.lanes,
                       .outers = 1};
        trial_open(&t[i]);
        trial_run(&t[i]);
    }
    if (memcmp(t[0].out_re, t[1].out_re, TRIAL_ARENA * sizeof(double)) != 0)
        fail_msg("%s: other bits than %s", codelet->name, twin->name);
    trial_close(&t[0]);
    trial_close(&t[1]);
}

/* What fills no vector of AVX2 is computed by them. */
static void test_short_vectors_have_the_bits_of_longer_ones(void **state)
{
    int compared = 0;
    (void)state;
    if (trial_best_isa() < CORE_ISA_AVX2)
        skip();
    for (int precision = 0; precision < 2; precision++)
        for (const spl_codelet *c = short_tables[precision]; c->name; c++) {
            const spl_codelet *twin = longer_twin(c);
            for (int inverse = 0; twin && inverse < (c->key.kind == SPL_DFT ? 2 : 1); inverse++) {
                compare_lengths(c, twin, inverse);
                compared++;
            }
        }
    assert_true(compared > 600);
}
#endif

static const spl_codelet *twin_in_t(const spl_codelet *d)
{
    for (const spl_codelet *c = trial_tables[d->key.isa][d->key.precision]; c->name; c++)
        if (c->key.position == SPL_POS_T && c->key.n == d->key.n && c->key.in == d->key.in)
            return c;
    return NULL;
}

/* D and T on the same dense columns: which one runs must not change a bit. */
static void compare_with_t(const spl_codelet *d, int inverse)
{
    trial t[2];
    for (int i = 0; i < 2; i++) {
        t[i] = (trial){.codelet = i ? twin_in_t(d) : d, .seed = 99, .inverse = inverse};
        assert_non_null(t[i].codelet);
        t[i].columns = 3 * d->key.lanes;
        trial_open(&t[i]);
        trial_run(&t[i]);
    }
    for (int c = 0; c < t[0].columns; c++)
        for (int i = 0; i < d->key.n; i++) {
            const ptrdiff_t at = trial_address(&t[0].out, 0, i, c);
            if (memcmp(&t[0].out_re[at], &t[1].out_re[at], 2 * sizeof(double)) != 0)
                fail_msg("%s: other bits than %s", d->name, t[1].codelet->name);
        }
    trial_close(&t[0]);
    trial_close(&t[1]);
}

static void test_dense_has_the_bits_of_t(void **state)
{
    int compared = 0;
    (void)state;
    for (int isa = CORE_ISA_SCALAR; isa <= (int)trial_best_isa(); isa++)
        for (int precision = 0; precision < 2; precision++)
            for (const spl_codelet *c = trial_tables[isa][precision]; c && c->name; c++)
                if (c->key.position == SPL_POS_D)
                    for (int inverse = 0; inverse < 2; inverse++, compared++)
                        compare_with_t(c, inverse);
    assert_true(compared > 0 || trial_best_isa() < CORE_ISA_AVX2);
}

static const spl_codelet *find_position(const spl_codelet *plane, spl_position position)
{
    for (const spl_codelet *c = trial_tables[plane->key.isa][plane->key.precision]; c->name; c++)
        if (c->key.position == position && c->key.n == plane->key.n
            && c->key.kind == plane->key.kind && c->key.compute == SPL_REAL && !c->key.weighed)
            return c;
    return NULL;
}

/* A plane's elements, of which the columns are `lanes` at a time, through a codelet of its rows at
 * T or of its columns at C. */
static void run_axis(const spl_codelet *c, int n, const void *in, void *out)
{
    const bool across = c->key.position == SPL_POS_T;
    const spl_call call = {.in_re = in,
                           .out_re = out,
                           .is = across ? 1 : PLANE_PITCH,
                           .os = across ? 1 : PLANE_PITCH,
                           .ics = across ? PLANE_PITCH : 1,
                           .ocs = across ? PLANE_PITCH : 1};
    c->run(&call, 0, (size_t)((n + c->key.lanes - 1) / c->key.lanes * c->key.lanes));
}

/* P has the bits of T and C one after the other, with rows first but for DCT3. */
static void compare_plane(const spl_codelet *plane)
{
    static _Alignas(64) char in[PLANE_BYTES], between[PLANE_BYTES], out[2][PLANE_BYTES];
    const spl_codelet *t = find_position(plane, SPL_POS_T), *c = find_position(plane, SPL_POS_C);
    const bool columns_first = plane->key.kind == SPL_DCT3;
    const int n = plane->key.n, size = plane->key.precision == SLUICE_F32 ? 4 : 8;
    const spl_call call = {
        .in_re = in, .out_re = out[0], .is = PLANE_PITCH, .os = PLANE_PITCH, .ics = 0, .ocs = 0};
    assert_non_null(t);
    assert_non_null(c);
    for (int i = 0; i < PLANE_BYTES / size; i++)
        if (size == 4)
            ((float *)in)[i] = (float)(i * 7919 % 1000) / 1000 - 0.4f;
        else
            ((double *)in)[i] = (double)(i * 7919 % 1000) / 1000 - 0.4;
    plane->run(&call, 0, 1);
    run_axis(columns_first ? c : t, n, in, between);
    run_axis(columns_first ? t : c, n, between, out[1]);
    for (int i = 0; i < n; i++)
        if (memcmp(out[0] + i * PLANE_PITCH * size, out[1] + i * PLANE_PITCH * size,
                   (size_t)(n * size))
            != 0)
            fail_msg("%s: other bits than %s and %s", plane->name, t->name, c->name);
}

static void test_planes_have_the_bits_of_their_axes(void **state)
{
    int compared = 0;
    (void)state;
    for (int isa = CORE_ISA_SCALAR; isa <= (int)trial_best_isa(); isa++)
        for (int precision = 0; precision < 2; precision++)
            for (const spl_codelet *c = trial_tables[isa][precision]; c && c->name; c++)
                if (c->key.position == SPL_POS_P) {
                    compare_plane(c);
                    compared++;
                }
    assert_true(compared > 0 || trial_best_isa() < CORE_ISA_VEC128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SLUICE_HAVE_AVX2
        cmocka_unit_test(test_short_vectors_have_the_bits_of_longer_ones),
#endif
        cmocka_unit_test(test_dense_has_the_bits_of_t),
        cmocka_unit_test(test_planes_have_the_bits_of_their_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
